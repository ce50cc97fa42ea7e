//! Tests of render strands that follow guides.

use super::*;
use crate::geometry::generate::{HairShape, Hairstyle, StrandPoints};

const BLENDS: [StrandBlend; 4] = [
    StrandBlend { root: 0.0, tip: 0.0 },
    StrandBlend { root: 1.0, tip: 1.0 },
    StrandBlend { root: 0.2, tip: 0.2 },
    StrandBlend { root: 0.0, tip: 1.0 },
];

fn wavy(strands: u32, seed: u64) -> StrandSet {
    let points = StrandPoints::Total(30 * strands);
    Hairstyle { strands, points, seed, shape: HairShape::WAVY, ..Hairstyle::long() }.build().unwrap()
}

/// Returns straight strands that hang from points of the x-axis, each with a number of segments of length 1.
fn hanging(places: &[(f64, u32)]) -> StrandSet {
    let strand = |&(x, n): &(f64, u32)| (0..=n).map(move |i| DVec3::new(x, -f64::from(i), 0.0));
    let counts: Vec<u32> = places.iter().map(|place| place.1 + 1).collect();
    StrandSet::new(places.iter().flat_map(strand).collect(), &counts).unwrap()
}

fn single(points: &[DVec3]) -> Vec<Vec3> {
    points.iter().map(|p| p.as_vec3()).collect()
}

/// Returns the computed points, in input order.
fn placed(strands: &GuidedStrands, guides: &[Vec3], head: Quat) -> Vec<Vec3> {
    let mut placed = vec![Vec3::NAN; strands.points.len()];
    strands.place(guides, head, &mut GuideFrames::default(), &mut placed);
    let range = |strand: usize| strands.offsets()[strand] as usize..strands.offsets()[strand + 1] as usize;
    as_given(strands).into_iter().flat_map(|strand| placed[range(strand)].to_vec()).collect()
}

/// Returns the stored index of each input strand.
fn as_given(strands: &GuidedStrands) -> Vec<usize> {
    let mut places = vec![usize::MAX; strands.len()];
    strands.order().iter().enumerate().for_each(|(place, &strand)| places[strand as usize] = place);
    places
}

#[test]
fn rigid_motion_is_exact() {
    let (guides, strands) = (wavy(60, 0), wavy(300, 1));
    let turn = Quat::from_euler(glam::EulerRot::YXZ, 2.0, -0.7, 0.3);
    for (turn, shift) in [(Quat::IDENTITY, Vec3::ZERO), (turn, Vec3::new(0.3, -0.1, 0.2))] {
        let carried = |points: &[DVec3]| single(points).into_iter().map(|p| turn * p + shift).collect::<Vec<_>>();
        for blend in BLENDS {
            let guided = GuidedStrands::new(&guides, &strands, blend);
            let found = placed(&guided, &carried(guides.points()), turn);
            for (found, expected) in found.iter().zip(carried(strands.points())) {
                assert!(found.distance(expected) < 2e-6, "{found} {expected}");
            }
        }
    }
}

#[test]
fn strand_equal_to_a_guide_follows_it_exactly() {
    let guides = wavy(40, 0);
    let moved: Vec<Vec3> = single(guides.points())
        .into_iter()
        .map(|p| p + 0.05 * Vec3::new((9.0 * p.y).sin(), (7.0 * p.x).cos(), (5.0 * p.y).sin()))
        .collect();
    for blend in BLENDS {
        let guided = GuidedStrands::new(&guides, &guides, blend);
        for strand in 0..guides.len() {
            assert_eq!((guided.guides(strand)[0], guided.weights(strand)), (strand as u32, [1.0, 0.0, 0.0]));
        }
        for (found, expected) in placed(&guided, &moved, Quat::IDENTITY).iter().zip(&moved) {
            assert!(found.distance(*expected) < 1e-6);
        }
    }
}

#[test]
fn schemes_use_weighted_or_nearest_guides() {
    let guides = hanging(&[(0.0, 4), (1.0, 4), (-3.0, 4)]);
    let strand = hanging(&[(0.25, 4)]);
    let guided = GuidedStrands::new(&guides, &strand, StrandBlend::default());
    assert_eq!(guided.guides(0), [0, 1, 2]);
    let weights = guided.weights(0);
    assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6 && weights[0] > weights[1] && weights[1] > weights[2]);
    // Each guide translates in a different direction, without rotation.
    let ways = [Vec3::X, Vec3::Z, Vec3::Y];
    let moved: Vec<Vec3> = single(guides.points()).into_iter().enumerate().map(|(i, p)| p + ways[i / 5]).collect();
    let multi: Vec3 = (0..3).map(|k| weights[k] * ways[k]).sum();
    for blend in BLENDS {
        let guided = GuidedStrands::new(&guides, &strand, blend);
        for (i, found) in placed(&guided, &moved, Quat::IDENTITY).into_iter().enumerate() {
            let share = blend.root + (blend.tip - blend.root) * i as f32 / 4.0;
            let expected = Vec3::new(0.25, -(i as f32), 0.0) + multi.lerp(ways[0], share);
            assert!(found.distance(expected) < 1e-5, "{found} {expected}");
        }
    }
}

#[test]
fn points_beyond_the_tip_of_a_guide_continue_straight() {
    let guided = GuidedStrands::new(&hanging(&[(0.0, 2)]), &hanging(&[(0.5, 4)]), StrandBlend::default());
    // The guide has swung sideways by 90 degrees: the strand lies above it, with unchanged length.
    let swung = [Vec3::ZERO, Vec3::X, 2.0 * Vec3::X];
    let found = placed(&guided, &swung, Quat::IDENTITY);
    for (i, found) in found.into_iter().enumerate() {
        assert!(found.distance(Vec3::new(i as f32, 0.5, 0.0)) < 1e-6, "{found}");
    }
}

#[test]
fn short_strands_are_not_stretched_by_long_guides() {
    let guided = GuidedStrands::new(&hanging(&[(0.0, 8)]), &hanging(&[(0.1, 2)]), StrandBlend::default());
    let swung: Vec<Vec3> = (0..=8).map(|i| i as f32 * Vec3::Z).collect();
    let found = placed(&guided, &swung, Quat::IDENTITY);
    assert!(found.windows(2).all(|p| (p[0].distance(p[1]) - 1.0).abs() < 1e-6), "{found:?}");
}

#[test]
fn strands_stay_on_their_side_of_the_parting() {
    let (guides, strands) = (wavy(200, 0), wavy(2000, 5));
    let guided = GuidedStrands::new(&guides, &strands, StrandBlend::default());
    let side = |set: &StrandSet, strand: usize| set.strand(strand)[0].x > 0.0;
    let strays = (0..strands.len())
        .filter(|&strand| {
            let nearest = guided.guides(strand)[0] as usize;
            side(&guides, nearest) != side(&strands, guided.order()[strand] as usize)
        })
        .count();
    assert_eq!(strays, 0);
}

#[test]
fn crushed_and_folded_guides_give_finite_strands() {
    let (guides, strands) = (wavy(10, 0), wavy(30, 1));
    let guided = GuidedStrands::new(&guides, &strands, StrandBlend::default());
    let crushed = vec![Vec3::ONE; guides.points().len()];
    let folded: Vec<Vec3> = (0..guides.points().len()).map(|i| (i % 2) as f32 * Vec3::Y).collect();
    for points in [crushed, folded] {
        let found = placed(&guided, &points, Quat::IDENTITY);
        assert!(found.iter().all(|p| p.is_finite()));
    }
}

#[test]
fn strands_with_the_same_guides_are_adjacent() {
    let (guides, strands) = (wavy(20, 0), wavy(300, 1));
    let guided = GuidedStrands::new(&guides, &strands, StrandBlend::default());
    assert!((1..guided.len()).all(|strand| guided.guides(strand - 1) <= guided.guides(strand)));
    let mut seen = guided.order().to_vec();
    seen.sort_unstable();
    assert!(seen.into_iter().eq(0..300));
    for (place, &strand) in guided.order().iter().enumerate() {
        let points = &guided.points[guided.offsets()[place] as usize..guided.offsets()[place + 1] as usize];
        assert!(points.iter().map(|point| point.rest).eq(single(strands.strand(strand as usize))));
    }
}

#[test]
fn result_does_not_depend_on_the_number_of_threads() {
    let (guides, strands) = (wavy(50, 0), wavy(400, 1));
    let moved: Vec<Vec3> = single(guides.points()).into_iter().map(|p| p + 0.1 * Vec3::splat(p.y * p.y)).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let guided = GuidedStrands::new(&guides, &strands, StrandBlend::default());
            let placed = placed(&guided, &moved, Quat::from_rotation_x(0.4));
            (guided, placed)
        })
    };
    assert_eq!(run(1), run(2));
}
