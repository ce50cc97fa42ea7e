//! Stability of hair on a head that has a new random position and rotation in every step [Huang2023, Sec. 4.3, Fig. 9].
//!
//! The paper runs its test for "several days or millions of frames". The runs here are far shorter: 1,000 steps, or
//! 20,000 in the full version. They check that no step fails, and that the stretch of segments and the distances of
//! vertices from their roots stay bounded.

use crate::validation::Check;
use fibra_core::geometry::generate::{Hairstyle, Head};
use fibra_core::geometry::{BodyPart, Contact, RigidPose, Shape};
use fibra_core::random::CounterRng;
use fibra_hair::internals::measures::segment_lengths;
use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Numbers of strand steps of the short version and of the full version.
const STEPS: u64 = 1_000;
const MANY_STEPS: u64 = 20_000;
/// Side of the cube, centered at the origin, that contains the head positions [m].
const CUBE_SIDE: f64 = 1.0;
/// Largest allowed length of a segment, relative to its rest length [-].
const STRETCH: f64 = 1.2;
/// Largest allowed distance of a vertex from its root, relative to the length of the strand [-].
const REACH: f64 = 1.2;
/// Friction coefficient of the head and the body [-].
const FRICTION: f32 = 0.3;

/// Runs short and long hair for 1,000 steps, which is short enough for CI.
pub fn run() -> Result<Vec<Check>, String> {
    both("hair-stability", STEPS)
}

/// Runs short and long hair for 20,000 steps.
pub fn run_long() -> Result<Vec<Check>, String> {
    both("hair-stability-full", MANY_STEPS)
}

fn both(name: &str, steps: u64) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (hair, style) in [("short", Hairstyle::short()), ("long", Hairstyle::long())] {
        let outcome = run_steps(&style, steps)?;
        let name = |what: &str| format!("{name}-{hair}-{what}");
        checks.extend([
            Check::relative(&name("steps"), outcome.steps as f64, steps as f64, 0.0),
            Check::at_most(&name("stretch"), outcome.stretch, STRETCH),
            Check::at_most(&name("reach"), outcome.reach, REACH),
        ]);
    }
    Ok(checks)
}

/// Result of a run.
#[derive(Debug, Default)]
struct Outcome {
    /// Number of steps completed before an error or a position that is not finite.
    steps: u64,
    /// Largest length of a segment, relative to its rest length [-].
    stretch: f64,
    /// Largest distance of a vertex from its root, relative to the length of the strand [-].
    reach: f64,
}

fn run_steps(style: &Hairstyle, steps: u64) -> Result<Outcome, String> {
    let start = RigidPose::IDENTITY;
    let strands = style.build().map_err(|error| error.to_string())?;
    let input = |points: &[DVec3]| StrandInput {
        points: points.iter().map(|point| point.as_vec3()).collect(),
        pinned: 2,
        ..StrandInput::default()
    };
    let inputs: Vec<StrandInput> = strands.iter().map(input).collect();
    let settings = HairSettings::default();
    let mut sim = HairSim::new(settings, start, &inputs, bodies(&style.head)?).map_err(|error| error.to_string())?;
    let lengths: Vec<f32> = segment_lengths(&sim, 0..sim.strands().len()).collect();
    let step = settings.step * settings.substeps as f32;
    let mut outcome = Outcome::default();
    for number in 0..steps {
        if sim.advance(&random_pose(number), step.into()).is_err() || !sim.positions().iter().all(|x| x.is_finite()) {
            break;
        }
        outcome.steps += 1;
        let stretches = segment_lengths(&sim, 0..sim.strands().len()).zip(&lengths).map(|(now, rest)| now / rest);
        outcome.stretch = outcome.stretch.max(stretches.fold(0.0, f32::max).into());
        for (strand, length) in strands.lengths().enumerate() {
            let points = &sim.positions()[sim.strands().vertices(strand)];
            let farthest = points.iter().map(|point| point.distance(points[0])).fold(0.0, f32::max);
            outcome.reach = outcome.reach.max(f64::from(farthest) / length);
        }
    }
    Ok(outcome)
}

/// The head, and the neck, shoulders and chest, which move with it.
fn bodies(head: &Head) -> Result<Vec<HairCollider>, String> {
    let body =
        |shape, pose| HairCollider { shape, pose, on_head: true, contact: Contact::Separating, friction: FRICTION };
    let skin = Shape::ellipsoid(head.half_axes.as_vec3()).map_err(|error| error.to_string())?;
    let mut bodies = vec![body(skin, RigidPose::IDENTITY)];
    for part in [BodyPart::Neck, BodyPart::Shoulders, BodyPart::Chest] {
        let rest = part.rest();
        let translation = rest.translation - BodyPart::Head.center();
        bodies.push(body(part.shape().map_err(|error| error.to_string())?, RigidPose { translation, ..rest }));
    }
    Ok(bodies)
}

/// Random head pose of a step, uniform over the positions in the cube and over all rotations.
fn random_pose(step: u64) -> RigidPose {
    let random = CounterRng::new(20_000);
    let number = |k: u64| random.uniform(&[step, k]);
    let (angles, share) = ([TAU * number(3), TAU * number(4)], number(5));
    let [a, b] = [(1.0 - share).sqrt(), share.sqrt()];
    let [(sine, cosine), (other_sine, other_cosine)] = angles.map(f64::sin_cos);
    RigidPose {
        translation: CUBE_SIDE * (DVec3::new(number(0), number(1), number(2)) - 0.5),
        rotation: DQuat::from_xyzw(a * sine, a * cosine, b * other_sine, b * other_cosine).normalize(),
    }
}
