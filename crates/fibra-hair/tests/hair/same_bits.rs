//! Results are bitwise identical for any number of threads and after a restart.

use fibra_core::geometry::generate::{Hairstyle, StrandPoints};
use fibra_core::geometry::{BodyPart, Dance, Motion, RigidPose, Shape};
use fibra_hair::{HairCollider, HairSettings, HairSim, HairState, StrandInput};
use glam::DVec3;

const FRAMES: u32 = 30;
/// Body parts next to the head, in this order.
const PARTS: [BodyPart; 3] = [BodyPart::Neck, BodyPart::Shoulders, BodyPart::Chest];
/// Time of the first frame [s]. The dance starts slowly.
const START: f64 = 5.0;

/// Returns the pose of a part of the dancing figure in a frame.
fn part(part: BodyPart, frame: u32) -> RigidPose {
    let motion = Motion::Dance(Dance::new(part, 1.0).unwrap().standing(DVec3::ZERO).unwrap());
    let (state, rest) = (motion.at(START + f64::from(frame) / 60.0), part.rest());
    RigidPose { translation: rest.translation + state.translation, rotation: state.rotation * rest.rotation }
}

fn dancer() -> HairSim {
    let start = part(BodyPart::Head, 0);
    let style = Hairstyle { strands: 100, points: StrandPoints::Total(1300), ..Hairstyle::short() };
    let strand = |points: &[DVec3]| {
        let points = points.iter().map(|point| start.apply(*point).as_vec3()).collect();
        StrandInput { points, pinned: 2, ..StrandInput::default() }
    };
    let strands: Vec<StrandInput> = style.build().unwrap().iter().map(strand).collect();
    let body = |shape, pose, on_head| HairCollider { pose, on_head, ..HairCollider::new(shape) };
    let mut bodies: Vec<HairCollider> = PARTS.iter().map(|p| body(p.shape().unwrap(), part(*p, 0), false)).collect();
    bodies.push(body(Shape::ellipsoid(style.head.half_axes.as_vec3()).unwrap(), RigidPose::IDENTITY, true));
    HairSim::new(HairSettings::default(), start, &strands, bodies).unwrap()
}

fn dance(hair: &mut HairSim, frames: std::ops::RangeInclusive<u32>) {
    for frame in frames {
        hair.collider_ids().zip(PARTS).for_each(|(id, p)| hair.move_collider(id, part(p, frame)).unwrap());
        hair.advance(&part(BodyPart::Head, frame), 1.0 / 60.0).unwrap();
    }
}

/// Returns the state after the dance, and checks that the hair has moved.
fn danced(threads: usize) -> HairState {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let mut hair = dancer();
    let before = hair.positions().to_vec();
    pool.install(|| dance(&mut hair, 1..=FRAMES));
    let most = hair.positions().iter().zip(&before).map(|(now, then)| now.distance(*then)).fold(0.0, f32::max);
    assert!(most > 0.05, "hair moved by {most} m at most");
    hair.state().clone()
}

#[test]
fn results_do_not_depend_on_thread_count() {
    let one = danced(1);
    for threads in [2, 4] {
        assert!(danced(threads) == one, "{threads} threads");
    }
}

#[test]
fn results_do_not_depend_on_restarts() {
    let middle = FRAMES / 2;
    let mut first = dancer();
    dance(&mut first, 1..=middle);
    let mut second = dancer();
    second.load(&first.save()).unwrap();
    second.collider_ids().zip(PARTS).for_each(|(id, p)| second.place_collider(id, part(p, middle)).unwrap());
    for hair in [&mut first, &mut second] {
        dance(hair, middle + 1..=FRAMES);
    }
    assert!(first.positions() == second.positions());
    assert!(first.state().grid == second.state().grid);
    assert!(first.head() == second.head());
}
