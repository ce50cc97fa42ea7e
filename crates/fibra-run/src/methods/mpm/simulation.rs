//! Implements [`Simulation`] for the material point method: frames, quantities, checkpoints and error messages.

use super::estimate::estimate;
use super::measures::{inside_colliders, stretch};
#[cfg(feature = "gpu")]
use crate::device::Card;
use crate::estimate::Estimate;
use crate::simulation::{Failure, Simulation};
use fibra_core::StepsTaken;
use fibra_core::frame::{Attribute, Frame, Pose};
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_mpm::internals::diagnostics::{Diagnostics, diagnose};
use fibra_mpm::internals::params::Params;
use fibra_mpm::internals::state::State;
use fibra_mpm::{MpmError, MpmSim, StepError};
use fibra_scene::Quantity;
use fibra_scene::setup::MpmSetup;
use glam::DVec3;
use std::collections::BTreeMap;

/// An [`MpmSim`] built from a scene.
pub struct MpmSimulation {
    sim: MpmSim,
    /// Warnings for the user.
    warnings: Vec<String>,
    /// Number of colliders that are part of the scene and written to frames. The walls of the domain follow them in the list.
    shown_colliders: usize,
    /// Initial totals of all objects.
    start: Diagnostics,
    /// Initial totals of each object.
    start_of: Vec<Diagnostics>,
}

impl MpmSimulation {
    /// Creates the simulation of a scene at time 0.
    pub fn new(setup: MpmSetup) -> MpmSimulation {
        let MpmSetup { sim, shown_colliders, warnings } = setup;
        let totals = |object| diagnose(sim.params(), sim.state(), object);
        let start_of = (0..sim.params().objects.len() as u32).map(|object| totals(Some(object))).collect();
        MpmSimulation { start: totals(None), start_of, sim, warnings, shown_colliders }
    }

    /// Returns the settings and the constant data of the scene.
    pub fn params(&self) -> &Params {
        self.sim.params()
    }

    /// Returns the current state.
    pub fn state(&self) -> &State {
        self.sim.state()
    }

    fn failure(&self, error: MpmError) -> Failure {
        match error {
            MpmError::Step(error) => self.step_failure(error),
            #[cfg(feature = "gpu")]
            MpmError::Device(error) => Failure {
                what: error.to_string(),
                stage: "device".to_owned(),
                time: self.time(),
                remedy: crate::device::AFTER_A_FAILURE.to_owned(),
                machine: true,
            },
            // Other errors do not occur in a step of a simulation that was set up successfully.
            other => Failure {
                what: other.to_string(),
                stage: "time step".to_owned(),
                time: self.time(),
                remedy: "change that setting".to_owned(),
                machine: false,
            },
        }
    }

    fn step_failure(&self, error: StepError) -> Failure {
        let object = |index: u32| self.params().objects[index as usize].name.as_str();
        let what = match error {
            StepError::NotFinite { id, object: of, quantity } => {
                format!("the {quantity} of particle {id} of object `{}` is not finite", object(of))
            }
            StepError::OutOfReach { id, object: of, position } => {
                let [x, y, z] = self.world(position).to_array();
                format!(
                    "particle {id} of object `{}` is at [{x:.4e}, {y:.4e}, {z:.4e}] m, outside the range of the grid",
                    object(of)
                )
            }
            StepError::NotImplicit { substance } => {
                let of = self.params().objects.iter().find(|object| object.material as usize == substance);
                let name = of.map_or("", |object| object.name.as_str());
                format!(
                    "object `{name}` is anisotropic; the implicit integrator does not support anisotropic materials"
                )
            }
            StepError::TooShort(limit) => {
                let (id, of, speed) = self.fastest();
                format!(
                    "the stable time step is {:.2e} s, below time.min_dt = {:e} s, because {}; \
                     the fastest particle is {id} of object `{}` at {speed:.3e} m/s",
                    limit.wanted,
                    self.params().limits.min_dt,
                    limit.because,
                    object(of)
                )
            }
        };
        let remedy = match error {
            StepError::NotFinite { .. } => {
                "reduce time.sound_cfl and time.cfl, use a softer material, or start with smaller velocities"
            }
            StepError::NotImplicit { .. } => "use the explicit integrator",
            StepError::OutOfReach { .. } => {
                "confine the material with a [domain] or a collider, or start with smaller velocities"
            }
            StepError::TooShort(_) => {
                "reduce time.sound_cfl and time.cfl if the run has become unstable; if such speeds are intended, \
                 use a softer or less viscous material, smaller velocities, a larger mpm.dx or a smaller time.min_dt"
            }
        };
        Failure { what, stage: error.stage().to_owned(), time: self.time(), remedy: remedy.to_owned(), machine: false }
    }

    /// Returns number, object and speed [m/s] of the fastest particle.
    fn fastest(&self) -> (u32, u32, f64) {
        let p = &self.state().particles;
        let fastest = (0..p.len()).max_by(|&a, &b| speed(p.v[a]).total_cmp(&speed(p.v[b])));
        fastest.map_or((0, 0, 0.0), |i| (p.id[i], p.object[i], speed(p.v[i])))
    }

    fn world(&self, x: [f32; 3]) -> DVec3 {
        self.params().origin + DVec3::from_array(x.map(f64::from))
    }
}

impl Simulation for MpmSimulation {
    #[cfg(feature = "gpu")]
    fn move_to(&mut self, card: &Card) -> Result<(), String> {
        let moved = match card {
            Card::Cuda(gpu) => self.sim.move_to(gpu.clone()),
            Card::Vulkan(gpu) => self.sim.move_to(gpu.clone()),
        };
        moved.map_err(|error| error.to_string())
    }

    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure> {
        self.sim.take_steps(until).map_err(|error| self.failure(error))
    }

    fn time(&self) -> f64 {
        self.sim.time()
    }

    fn items(&self) -> usize {
        self.state().particles.len()
    }

    fn frame(&self, index: u32) -> Frame {
        let p = &self.state().particles;
        let volume_ratio =
            |i: usize| self.params().substance_of(p.object[i]).material.volume_ratio(&p.f[i], p.memory[i]);
        // Cauchy pressure from the Kirchhoff stress: p = -tr(tau) / (3 J).
        let pressure = |i: usize| -p.tau[i].trace() / (3.0 * volume_ratio(i));
        // A segment is stored as a triangle that repeats its second vertex.
        let corners = || self.params().meshes.corners.iter();
        let attribute =
            |name: &str, unit: &str, values| Attribute { name: name.to_owned(), unit: unit.to_owned(), values };
        let pose = |collider: &fibra_core::geometry::Collider| -> Pose {
            collider.place(self.time(), self.params().origin).pose()
        };
        let grain_sets = self.params().grains.iter();
        Frame {
            index,
            time: self.time(),
            origin: self.params().origin.to_array(),
            object: self.sim.in_order(|i| p.object[i]),
            points: self.sim.in_order(|i| p.x[i]),
            velocities: self.sim.in_order(|i| p.v[i]),
            attributes: vec![
                attribute("volume_ratio", "-", self.sim.in_order(volume_ratio)),
                attribute("pressure", "Pa", self.sim.in_order(pressure)),
            ],
            segments: corners().filter(|[_, b, c]| b == c).map(|&[a, b, _]| [a, b]).collect(),
            triangles: corners().filter(|[_, b, c]| b != c).copied().collect(),
            instances: self.state().grains.iter().map(|g| Pose { translation: g.x, rotation: g.rotation }).collect(),
            instance_object: grain_sets.flat_map(|set| std::iter::repeat_n(set.object, set.count as usize)).collect(),
            colliders: self.params().colliders.iter().take(self.shown_colliders).map(pose).collect(),
        }
    }

    fn quantities(&self) -> BTreeMap<&'static str, f64> {
        self.sim.quantities()
    }

    fn measure(&self, quantity: Quantity, object: Option<&str>) -> Option<f64> {
        let index = object.map(|name| self.params().objects.iter().position(|known| known.name == name));
        let start = match index {
            None => self.start,
            Some(Some(index)) => self.start_of[index],
            Some(None) => return None,
        };
        let object = index.flatten().map(|index| index as u32);
        let now = || diagnose(self.params(), self.state(), object);
        let p = &self.state().particles;
        let particles = || (0..p.len()).filter(|&i| object.is_none_or(|object| p.object[i] == object));
        Some(match quantity {
            Quantity::Mass => now().mass,
            Quantity::MassChange => now().mass / start.mass - 1.0,
            Quantity::Lowest => particles().map(|i| self.world(p.x[i]).y).fold(f64::INFINITY, f64::min),
            Quantity::Highest => particles().map(|i| self.world(p.x[i]).y).fold(f64::NEG_INFINITY, f64::max),
            Quantity::Spread => {
                let offset = |i: usize| self.world(p.x[i]) - start.center();
                particles().map(|i| offset(i).x.hypot(offset(i).z)).fold(0.0, f64::max)
            }
            Quantity::CenterX => now().center().x,
            Quantity::CenterY => now().center().y,
            Quantity::CenterZ => now().center().z,
            Quantity::MaxSpeed => particles().map(|i| speed(p.v[i])).fold(0.0, f64::max),
            Quantity::KineticEnergy => now().kinetic_energy,
            Quantity::VolumeRatio => now().mean_volume_ratio(),
            Quantity::MaxStretch => stretch(self.params(), self.state(), object).largest,
            Quantity::Torn => stretch(self.params(), self.state(), object).torn as f64,
            Quantity::InsideColliders => inside_colliders(self.params(), self.state(), object) as f64,
            Quantity::UnsolvedShare
            | Quantity::SmallestGap
            | Quantity::DeepInside
            | Quantity::ReactionX
            | Quantity::ReactionY
            | Quantity::ReactionZ
            | Quantity::MaxTension
            | Quantity::MaxBendingMoment
            | Quantity::MaxTwistingMoment
            | Quantity::Writhe
            | Quantity::Link
            | Quantity::LengthCorrection
            | Quantity::Parts
            | Quantity::PlasticStrain => return None,
        })
    }

    fn save(&self) -> TensorFile<'_> {
        self.sim.save()
    }

    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        self.sim.load(from)
    }

    fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        self.sim.stage_seconds()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn estimate(&self) -> Option<Estimate> {
        Some(estimate(self.params(), self.state()))
    }
}

fn speed(v: [f32; 3]) -> f64 {
    DVec3::from_array(v.map(f64::from)).length()
}
