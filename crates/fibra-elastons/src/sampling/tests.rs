//! Tests of uniform and graded sampling.

use super::*;
use crate::connectivity::Connectivity;
use crate::fill::cuboid;
use fibra_core::geometry::RigidPose;
use fibra_core::random::CounterRng;

fn components(cloud: &Cloud) -> Vec<u32> {
    Connectivity::new(cloud).unwrap().components()
}

fn line(cells: u32) -> Cloud {
    cuboid(DVec3::new(1.0, 0.01, 0.01), [cells, 1, 1], &RigidPose::at(DVec3::new(0.5, 3.0, -2.0))).unwrap()
}

fn sorted_x(clusters: &Clusters) -> Vec<f64> {
    let mut x: Vec<f64> = clusters.centers.iter().map(|center| center.x).collect();
    x.sort_by(f64::total_cmp);
    x
}

#[test]
fn a_line_is_sampled_evenly() {
    for (cells, count) in [(1000, 10), (1000, 24), (600, 50), (137, 11), (4000, 100)] {
        let cloud = line(cells);
        let clusters = sample(&cloud, &components(&cloud), count, None, &[], None).unwrap();
        let x = sorted_x(&clusters);
        let spacing = 1.0 / count as f64;
        assert!((x[0] / spacing - 0.5).abs() < 0.005, "{cells} cells, {count} centers: the first is at {}", x[0]);
        for (k, pair) in x.windows(2).enumerate() {
            let off = (pair[1] - pair[0]) / spacing - 1.0;
            assert!(off.abs() < 0.005, "{cells} cells, {count} centers: spacing {k} is off by {off}");
        }
    }
}

#[test]
fn a_square_and_a_cube_are_sampled_evenly() {
    for (cells, count) in [([60, 60, 1], 100), ([30, 30, 30], 200)] {
        let cloud =
            cuboid(DVec3::new(1.0, 1.0, cells[2] as f64 / cells[0] as f64), cells, &RigidPose::IDENTITY).unwrap();
        let clusters = sample(&cloud, &components(&cloud), count, None, &[], None).unwrap();
        let mut sizes = vec![0.0; count];
        clusters.owner.iter().for_each(|&owner| sizes[owner as usize] += 1.0);
        let mean = cloud.points.len() as f64 / count as f64;
        assert!(sizes.iter().all(|size| (0.55..1.6).contains(&(size / mean))), "{sizes:?}, mean {mean}");
    }
}

#[test]
fn spacing_follows_the_grading() {
    let cloud = line(3000);
    // The relative spacing grows from 1 to 3 along the line.
    let grading: Vec<f64> = cloud.points.iter().map(|point| 1.0 + 2.0 * point.x).collect();
    let clusters = sample(&cloud, &components(&cloud), 30, Some(&grading), &[], None).unwrap();
    let x = sorted_x(&clusters);
    let ratios: Vec<f64> = x.windows(2).map(|pair| (pair[1] - pair[0]) / (1.0 + pair[0] + pair[1])).collect();
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    assert!(ratios.iter().all(|ratio| (ratio / mean - 1.0).abs() < 0.05), "{ratios:?}");
}

#[test]
fn bodies_get_centers_by_volume_and_keep_their_own_points() {
    let mut cloud = cuboid(DVec3::new(1.0, 1.0, 0.02), [50, 50, 1], &RigidPose::IDENTITY).unwrap();
    // The first two bodies are so close that a criterion based on distance alone would mix their points. The third body
    // is much too small for a proportional share.
    let near = RigidPose::at(DVec3::new(0.0, 0.0, 0.0251));
    cloud.append(cuboid(DVec3::new(1.0, 0.5, 0.02), [50, 25, 1], &near).unwrap());
    cloud.append(cuboid(DVec3::splat(0.01), [2, 1, 1], &RigidPose::at(DVec3::X)).unwrap());
    let bodies: Vec<u32> = (0..cloud.points.len())
        .map(|i| {
            if i < 2500 {
                0
            } else if i < 3750 {
                1
            } else {
                2
            }
        })
        .collect();
    let clusters = sample(&cloud, &bodies, 31, None, &[], None).unwrap();
    let mut of_center = [u32::MAX; 31];
    for (piece, &owner) in clusters.owner.iter().enumerate() {
        let body = &mut of_center[owner as usize];
        assert!(*body == u32::MAX || *body == bodies[piece]);
        *body = bodies[piece];
    }
    let count = |body| of_center.iter().filter(|&&b| b == body).count();
    assert_eq!([count(0), count(1), count(2)], [20, 10, 1]);
}

#[test]
fn given_centers_come_first_and_distant_ones_move_to_the_body() {
    let cloud = line(400);
    let bodies = components(&cloud);
    let few = sample(&cloud, &bodies, 10, None, &[], None).unwrap();
    let many = sample(&cloud, &bodies, 30, None, &few.centers, None).unwrap();
    assert_eq!(many.centers.len(), 30);
    for (few, many) in few.centers.iter().zip(&many.centers) {
        assert!(few.distance(*many) < 0.05);
    }
    let stray = [DVec3::splat(1e3), DVec3::splat(2e3), DVec3::splat(1e3)];
    let clusters = sample(&cloud, &bodies, 3, None, &stray, None).unwrap();
    for (k, x) in sorted_x(&clusters).into_iter().enumerate() {
        assert!((x - (k as f64 + 0.5) / 3.0).abs() < 0.01, "{x}");
    }
}

#[test]
fn as_many_centers_as_points_and_a_single_center() {
    let cloud = line(40);
    let bodies = components(&cloud);
    let mut all = sample(&cloud, &bodies, 40, None, &[], None).unwrap().owner;
    all.sort_unstable();
    assert!(all.into_iter().eq(0..40));
    let one = sample(&cloud, &bodies, 1, None, &[], None).unwrap();
    assert!(one.centers[0].distance(cloud.center()) < 1e-12);
}

#[test]
fn sampling_is_bitwise_identical_for_any_number_of_threads() {
    let rng = CounterRng::new(2);
    let mut cloud = cuboid(DVec3::ONE, [20, 20, 20], &RigidPose::IDENTITY).unwrap();
    cloud.points.iter_mut().enumerate().for_each(|(i, point)| *point += 0.02 * rng.uniform_in_cube([i as u64, 0, 0]));
    let grading: Vec<f64> = cloud.points.iter().map(|point| 1.5 + point.y).collect();
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sample(&cloud, &components(&cloud), 150, Some(&grading), &[], None).unwrap())
    };
    assert_eq!(run(1), run(2));
}

#[test]
fn invalid_arguments_are_rejected() {
    let cloud = line(10);
    let bodies = components(&cloud);
    let error = |count, grading: Option<&[f64]>, given: &[DVec3]| {
        sample(&cloud, &bodies, count, grading, given, None).unwrap_err()
    };
    assert_eq!(error(11, None, &[]), SampleError::TooMany { count: 11, points: 10 });
    assert_eq!(error(0, None, &[]), SampleError::TooFew { count: 0, least: 1 });
    assert_eq!(error(1, None, &[DVec3::ZERO; 2]), SampleError::TooFew { count: 1, least: 2 });
    assert_eq!(error(3, Some(&[1.0]), &[]), SampleError::GradingLength { gradings: 1, points: 10 });
    let mut grading = [1.0; 10];
    grading[4] = 0.0;
    assert_eq!(error(3, Some(&grading), &[]), SampleError::BadGrading { point: 4, value: 0.0 });
    assert_eq!(error(3, None, &[DVec3::ZERO, DVec3::NAN]), SampleError::BadCenter { center: 1 });
    let mut two = line(10);
    two.append(cuboid(DVec3::splat(0.1), [2, 1, 1], &RigidPose::IDENTITY).unwrap());
    let crowded = sample(&two, &components(&two), 4, None, &[DVec3::ZERO; 3], None).unwrap_err();
    assert_eq!(crowded, SampleError::Crowded { given: 3, points: 2 });
}

/// Two prongs of 2 x 40 x 2 pieces, 1 piece apart, on a base of 5 x 2 x 2 pieces.
#[test]
fn cells_of_a_fork_do_not_span_its_gap_and_are_even() {
    let at = |x: f64, y: f64| RigidPose::at(DVec3::new(x, y, 0.0));
    let mut cloud = cuboid(DVec3::new(5.0, 2.0, 2.0), [5, 2, 2], &at(2.5, 1.0)).unwrap();
    cloud.append(cuboid(DVec3::new(2.0, 40.0, 2.0), [2, 40, 2], &at(1.0, 22.0)).unwrap());
    cloud.append(cuboid(DVec3::new(2.0, 40.0, 2.0), [2, 40, 2], &at(4.0, 22.0)).unwrap());
    let links = Connectivity::new(&cloud).unwrap();
    let bodies = links.components();
    for count in [1, 2, 3, 8, 17] {
        let euclidean = sample(&cloud, &bodies, count, None, &[], None).unwrap();
        let clusters = sample(&cloud, &bodies, count, None, &[], Some(&links)).unwrap();
        assert!(count < 2 || !connected::are_connected(&links, &euclidean), "{count} cells span the gap by chance");
        assert!(connected::are_connected(&links, &clusters), "{count}");
        let mut volumes = vec![0.0; count];
        for (&owner, volume) in clusters.owner.iter().zip(&cloud.volumes) {
            volumes[owner as usize] += volume;
        }
        let mean = cloud.volume() / count as f64;
        assert!(volumes.iter().all(|volume| (0.4..1.8).contains(&(volume / mean))), "{count}: {volumes:?}");
        let many = sample(&cloud, &bodies, 3 * count, None, &clusters.centers, Some(&links)).unwrap();
        assert!(connected::are_connected(&links, &many));
    }
}
