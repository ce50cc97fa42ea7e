//! Stability of hair on a head that has a new random position and rotation in every step [Huang2023, Sec. 4.3, Fig. 9].
//!
//! The paper runs its test for "several days or millions of frames". The runs here take 1,000 steps; the full version
//! takes 20,000 on the CPU and a million on a GPU. They check that no step fails, and that the distances of vertices from
//! their roots stay bounded. The stretch is that of the solver, before lengths are limited.

use crate::validation::Check;
use fibra_core::geometry::generate::{Hairstyle, Head};
use fibra_core::geometry::{BodyPart, Contact, RigidPose, Shape};
use fibra_core::random::CounterRng;
use fibra_hair::internals::measures::{length_correction, reached_stretch};
use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
#[cfg(feature = "gpu")]
use fibra_run::device::Card;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Numbers of strand steps of the short version, of the full version, and of the full version on a GPU.
const STEPS: u64 = 1_000;
const MANY_STEPS: u64 = 20_000;
#[cfg(feature = "gpu")]
const MILLION_STEPS: u64 = 1_000_000;
/// Number of steps on a GPU between downloads.
#[cfg(feature = "gpu")]
const STEPS_PER_DOWNLOAD: u64 = 1_000;
/// Side of the cube, centered at the origin, that contains the head positions [m].
const CUBE_SIDE: f64 = 1.0;
/// Largest allowed length of a segment before lengths are limited, relative to its rest length [-]. Beyond the rigid
/// motion of the hair, each step moves the roots by 2 cm and rotates them by 0.2 rad: up to 8 m/s 20 cm from the center.
const STRETCH: f64 = 8.0;
/// Largest allowed distance by which limits on lengths and bends move a vertex in a step [m].
const CORRECTION: f64 = 0.1;
/// Largest allowed distance of a vertex from its root, relative to the length of the strand [-].
const REACH: f64 = 1.2;
/// Friction coefficient of the head and the body [-].
const FRICTION: f32 = 0.3;

/// Runs short and long hair for 1,000 steps, which is short enough for CI.
pub fn run() -> Result<Vec<Check>, String> {
    both("hair-stability", STEPS, &on_cpu)
}

/// Runs short and long hair for 20,000 steps.
pub fn run_long() -> Result<Vec<Check>, String> {
    both("hair-stability-full", MANY_STEPS, &on_cpu)
}

/// Runs short and long hair for 1,000 steps on a GPU.
#[cfg(feature = "gpu")]
pub fn run_on_card(card: &Card) -> Result<Vec<Check>, String> {
    both("hair-stability", STEPS, &|hair, steps| on_card(card, hair, steps))
}

/// Runs short and long hair for a million steps on a GPU.
#[cfg(feature = "gpu")]
pub fn run_long_on_card(card: &Card) -> Result<Vec<Check>, String> {
    both("hair-stability-full", MILLION_STEPS, &|hair, steps| on_card(card, hair, steps))
}

/// Takes a number of steps, and returns the measures after them.
type TakeSteps<'a> = &'a dyn Fn(Hair, u64) -> Result<Outcome, String>;

fn both(name: &str, steps: u64, take_steps: TakeSteps) -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (hair, style) in [("short", Hairstyle::short()), ("long", Hairstyle::long())] {
        let outcome = take_steps(Hair::new(&style)?, steps)?;
        let name = |what: &str| format!("{name}-{hair}-{what}");
        checks.extend([
            Check::relative(&name("steps"), outcome.steps as f64, steps as f64, 0.0),
            Check::at_most(&name("stretch"), outcome.stretch, STRETCH),
            Check::at_most(&name("correction"), outcome.correction, CORRECTION),
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
    /// Largest length of a segment before lengths are limited, relative to its rest length [-].
    stretch: f64,
    /// Largest distance by which limits on lengths and bends moved a vertex in a step [m].
    correction: f64,
    /// Largest distance of a vertex from its root, relative to the length of the strand [-].
    reach: f64,
}

/// Hair in its initial state.
struct Hair {
    sim: HairSim,
    /// Lengths of the strands [m].
    lengths: Vec<f64>,
    /// Length of a step [s].
    step: f64,
}

impl Hair {
    fn new(style: &Hairstyle) -> Result<Hair, String> {
        let strands = style.build().map_err(|error| error.to_string())?;
        let input = |points: &[DVec3]| StrandInput {
            points: points.iter().map(|point| point.as_vec3()).collect(),
            pinned: 2,
            ..StrandInput::default()
        };
        let inputs: Vec<StrandInput> = strands.iter().map(input).collect();
        let settings = HairSettings::default();
        let sim = HairSim::new(settings, RigidPose::IDENTITY, &inputs, bodies(&style.head)?);
        let step = f64::from(settings.step) * f64::from(settings.substeps);
        Ok(Hair { sim: sim.map_err(|error| error.to_string())?, lengths: strands.lengths().collect(), step })
    }

    /// Records the measures after `steps` steps. Returns whether all positions and measures are finite.
    fn record(&self, steps: u64, outcome: &mut Outcome) -> bool {
        let all = 0..self.sim.strands().len();
        outcome.stretch = reached_stretch(&self.sim, all.clone());
        outcome.correction = length_correction(&self.sim, all);
        for (strand, length) in self.lengths.iter().enumerate() {
            let points = &self.sim.positions()[self.sim.strands().vertices(strand)];
            let farthest = points.iter().map(|point| point.distance(points[0])).fold(0.0, f32::max);
            outcome.reach = outcome.reach.max(f64::from(farthest) / length);
        }
        let finite = self.sim.positions().iter().chain(&self.sim.velocities()).all(|x| x.is_finite());
        outcome.steps = if finite { steps } else { outcome.steps };
        finite && outcome.stretch.is_finite() && outcome.correction.is_finite()
    }
}

fn on_cpu(mut hair: Hair, steps: u64) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    for number in 0..steps {
        if hair.sim.advance(&random_pose(number), hair.step).is_err() || !hair.record(number + 1, &mut outcome) {
            break;
        }
    }
    Ok(outcome)
}

/// Errors are reported by the download after the step that causes them.
#[cfg(feature = "gpu")]
fn on_card(card: &Card, mut hair: Hair, steps: u64) -> Result<Outcome, String> {
    let mut device = card.hair(&hair.sim)?;
    let mut outcome = Outcome::default();
    for number in 0..steps {
        let until = hair.sim.time() + hair.step;
        device.advance(&mut hair.sim, &random_pose(number), until).map_err(|error| error.to_string())?;
        let due = (number + 1) % STEPS_PER_DOWNLOAD == 0 || number + 1 == steps;
        if due && (device.download(&mut hair.sim).is_err() || !hair.record(number + 1, &mut outcome)) {
            break;
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
