//! A head that is in another place in every step, drawn at random, and turned at random [Huang2023, Fig. 9]: nothing may break.

use crate::validation::Check;
use fibra_core::geometry::generate::{Hairstyle, Head};
use fibra_core::geometry::{BodyPart, Contact, RigidPose, Shape};
use fibra_core::random::CounterRng;
use fibra_hair::internals::measures::segment_lengths;
use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Steps of the strands.
const STEPS: u64 = 1_000;
const MANY_STEPS: u64 = 20_000;
/// The head is in a cube about the origin, of this side [m].
const ROOM: f64 = 1.0;
/// Longest that a segment may be, over its length at rest [-].
const STRETCH: f64 = 1.2;
/// Farthest that a vertex may be from its root, over the strand's length [-].
const REACH: f64 = 1.2;
/// Coulomb's coefficient of the head and the shoulders [-].
const FRICTION: f32 = 0.3;

/// Both hair models, as short as a build can afford.
pub fn run() -> Result<Vec<Check>, String> {
    both("hair-stability", STEPS)
}

/// Both hair models, as long as the paper has it.
pub fn run_long() -> Result<Vec<Check>, String> {
    both("hair-stability-full", MANY_STEPS)
}

fn both(name: &str, steps: u64) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (hair, style) in [("short", Hairstyle::short()), ("long", Hairstyle::long())] {
        let survived = shaken(&style, steps)?;
        let name = |what: &str| format!("{name}-{hair}-{what}");
        checks.extend([
            Check::relative(&name("steps"), survived.steps as f64, steps as f64, 0.0),
            Check::at_most(&name("stretch"), survived.stretch, STRETCH),
            Check::at_most(&name("reach"), survived.reach, REACH),
        ]);
    }
    Ok(checks)
}

/// How hair came through.
#[derive(Debug, Default)]
struct Survived {
    /// Steps until something was not finite.
    steps: u64,
    /// Length of a segment over that at rest, at most [-].
    stretch: f64,
    /// Distance of a vertex from its root over the length of the strand, at most [-].
    reach: f64,
}

fn shaken(style: &Hairstyle, steps: u64) -> Result<Survived, String> {
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
    let mut survived = Survived::default();
    for number in 0..steps {
        if sim.advance(&anywhere(number), step.into()).is_err() || !sim.positions().iter().all(|x| x.is_finite()) {
            break;
        }
        survived.steps += 1;
        let stretches = segment_lengths(&sim, 0..sim.strands().len()).zip(&lengths).map(|(now, rest)| now / rest);
        survived.stretch = survived.stretch.max(stretches.fold(0.0, f32::max).into());
        for (strand, length) in strands.lengths().enumerate() {
            let points = &sim.positions()[sim.strands().vertices(strand)];
            let farthest = points.iter().map(|point| point.distance(points[0])).fold(0.0, f32::max);
            survived.reach = survived.reach.max(f64::from(farthest) / length);
        }
    }
    Ok(survived)
}

/// The head, and what of a figure is near it and moves with it.
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

/// The pose of a step: every place in the room and every rotation are as likely.
fn anywhere(step: u64) -> RigidPose {
    let random = CounterRng::new(20_000);
    let number = |k: u64| random.uniform(&[step, k]);
    let (angles, share) = ([TAU * number(3), TAU * number(4)], number(5));
    let [a, b] = [(1.0 - share).sqrt(), share.sqrt()];
    let [(sine, cosine), (other_sine, other_cosine)] = angles.map(f64::sin_cos);
    RigidPose {
        translation: ROOM * (DVec3::new(number(0), number(1), number(2)) - 0.5),
        rotation: DQuat::from_xyzw(a * sine, a * cosine, b * other_sine, b * other_cosine).normalize(),
    }
}
