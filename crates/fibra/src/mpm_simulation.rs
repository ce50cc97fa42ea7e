//! The material point method as a [`Simulation`]: frames, quantities, checkpoints, and failures in the user's words.

#[cfg(feature = "gpu")]
use crate::device::Card;
use crate::mesh_measures::{inside_colliders, stretch};
use crate::scene::Quantity;
use crate::simulation::{Failure, Simulation, Step};
use fibra_core::frame::{Attribute, Frame, Pose};
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_mpm::diagnostics::{Diagnostics, diagnose};
#[cfg(feature = "gpu")]
use fibra_mpm::gpu::sim::{DeviceMpm, DeviceRunError, Taken};
use fibra_mpm::params::{Integrator, Params};
use fibra_mpm::state::State;
use fibra_mpm::state_file;
use fibra_mpm::step::{StepError, start, step};
use fibra_mpm::workspace::Workspace;
use glam::DVec3;
use std::collections::BTreeMap;
#[cfg(feature = "gpu")]
use std::time::Instant;

/// Particles, what they are made of, and what they bump into.
pub struct MpmSimulation {
    params: Params,
    state: State,
    work: Workspace,
    /// How many of the colliders are the scene's own and go into frames; walls of the domain follow them.
    shown_colliders: usize,
    /// Totals at the start, of all objects and of each.
    start: Diagnostics,
    start_of: Vec<Diagnostics>,
    /// What takes the steps in place of the processor; `state` is then as it was after the last of them.
    #[cfg(feature = "gpu")]
    device: Option<Box<dyn fibra_mpm::gpu::sim::MpmDevice>>,
    /// Wall seconds spent with the device: moving particles, and reading them back.
    #[cfg(feature = "gpu")]
    device_seconds: [f64; 2],
}

impl MpmSimulation {
    /// Takes up particles at time 0. Their numbers must be their places; stresses and the laws' scalars are filled in.
    pub fn new(params: Params, mut state: State, shown_colliders: usize) -> MpmSimulation {
        start(&params, &mut state);
        let totals = |object| diagnose(&params, &state, object);
        let start_of = (0..params.objects.len() as u32).map(|object| totals(Some(object))).collect();
        MpmSimulation {
            start: totals(None),
            start_of,
            params,
            state,
            work: Workspace::default(),
            shown_colliders,
            #[cfg(feature = "gpu")]
            device: None,
            #[cfg(feature = "gpu")]
            device_seconds: [0.0; 2],
        }
    }

    /// Everything the user set.
    pub fn params(&self) -> &Params {
        &self.params
    }

    /// The particles as they are now.
    pub fn state(&self) -> &State {
        &self.state
    }

    fn failure(&self, error: StepError) -> Failure {
        let object = |index: u32| self.params.objects[index as usize].name.as_str();
        let what = match error {
            StepError::NotFinite { id, object: of, quantity } => {
                format!("the {quantity} of particle {id} of object `{}` is not finite", object(of))
            }
            StepError::OutOfReach { id, object: of, position } => {
                let [x, y, z] = self.world(position).to_array();
                format!("particle {id} of object `{}` is at [{x:.4e}, {y:.4e}, {z:.4e}] m, too far away", object(of))
            }
            StepError::NotImplicit { substance } => {
                let of = self.params.objects.iter().find(|object| object.material as usize == substance);
                let name = of.map_or("", |object| object.name.as_str());
                format!("object `{name}` is anisotropic, and implicit steps cannot be taken with it")
            }
            StepError::TooShort(limit) => {
                let (id, of, speed) = self.fastest();
                format!(
                    "the time step would have to be {:.2e} s, below time.min_dt = {:e} s, because {}; \
                     fastest is particle {id} of object `{}` at {speed:.3e} m/s",
                    limit.wanted,
                    self.params.limits.min_dt,
                    limit.because,
                    object(of)
                )
            }
        };
        let remedy = match error {
            StepError::NotFinite { .. } => {
                "lower time.sound_cfl and time.cfl, use a softer material, or start with smaller velocities"
            }
            StepError::NotImplicit { .. } => "use the explicit integrator",
            StepError::OutOfReach { .. } => {
                "hold the material with a [domain] or a collider, or start with smaller velocities"
            }
            StepError::TooShort(_) => {
                "if the scene means no such speed, the run has become unstable: lower time.sound_cfl and time.cfl; \
                 else use a softer or less viscous material, smaller velocities, a larger mpm.dx or a smaller time.min_dt"
            }
        };
        Failure {
            what,
            stage: error.stage().to_owned(),
            time: self.state.time,
            remedy: remedy.to_owned(),
            machine: false,
        }
    }

    /// Number, object and speed [m/s] of the fastest particle.
    fn fastest(&self) -> (u32, u32, f64) {
        let p = &self.state.particles;
        let fastest = (0..p.len()).max_by(|&a, &b| speed(p.v[a]).total_cmp(&speed(p.v[b])));
        fastest.map_or((0, 0, 0.0), |i| (p.id[i], p.object[i], speed(p.v[i])))
    }

    fn world(&self, x: [f32; 3]) -> DVec3 {
        self.params.origin + DVec3::from_array(x.map(f64::from))
    }

    /// How many particles frames show: all but the elements of meshes, whose numbers come last.
    fn shown(&self) -> usize {
        let meshes = &self.params.meshes;
        if meshes.corners.is_empty() { self.items() } else { meshes.first_element as usize }
    }

    /// Values of the particles that frames show, from the order of the last sort to that of their numbers.
    fn by_number<T: Copy + Default>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        let mut values = vec![T::default(); self.shown()];
        for (i, &id) in self.state.particles.id.iter().enumerate() {
            if let Some(slot) = values.get_mut(id as usize) {
                *slot = value(i);
            }
        }
        values
    }
}

#[cfg(feature = "gpu")]
impl MpmSimulation {
    fn put_on(&self, card: &Card) -> Result<Box<dyn fibra_mpm::gpu::sim::MpmDevice>, DeviceRunError> {
        Ok(match card {
            Card::Cuda(gpu) => Box::new(DeviceMpm::new(gpu.clone(), &self.params, &self.state)?),
            Card::Vulkan(gpu) => Box::new(DeviceMpm::new(gpu.clone(), &self.params, &self.state)?),
        })
    }

    /// Lets the device go on to `until` [s], and reads back what it did.
    fn step_on_device(&mut self, until: f64) -> Option<Result<Step, Failure>> {
        let device = self.device.as_mut()?;
        let begun = Instant::now();
        let taken = device.advance(&self.params, &mut self.state, until);
        let moved = Instant::now();
        let taken = taken.and_then(|taken| Ok((taken, device.download(&mut self.state)?)));
        self.device_seconds[0] += (moved - begun).as_secs_f64();
        self.device_seconds[1] += moved.elapsed().as_secs_f64();
        Some(match taken {
            Ok((Taken { steps, shortest, longest, .. }, ())) => Ok(Step { count: steps, shortest, longest }),
            Err(DeviceRunError::Step(error)) => Err(self.failure(error)),
            Err(error) => Err(Failure {
                what: error.to_string(),
                stage: "device".to_owned(),
                time: self.state.time,
                remedy: crate::device::AFTER_A_FAILURE.to_owned(),
                machine: true,
            }),
        })
    }
}

impl Simulation for MpmSimulation {
    #[cfg(feature = "gpu")]
    fn move_to(&mut self, card: &Card) -> Result<(), String> {
        self.device = Some(self.put_on(card).map_err(|error| error.to_string())?);
        Ok(())
    }

    fn step(&mut self, until: f64) -> Result<Step, Failure> {
        #[cfg(feature = "gpu")]
        if let Some(step) = self.step_on_device(until) {
            return step;
        }
        match step(&self.params, &mut self.state, &mut self.work, until) {
            Ok(dt) => Ok(Step::single(dt)),
            Err(error) => Err(self.failure(error)),
        }
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn items(&self) -> usize {
        self.state.particles.len()
    }

    fn frame(&self, index: u32) -> Frame {
        let p = &self.state.particles;
        let volume_ratio = |i: usize| self.params.substance_of(p.object[i]).material.volume_ratio(&p.f[i], p.memory[i]);
        // Cauchy's pressure from Kirchhoff's stress: p = -tr(tau) / (3 J).
        let pressure = |i: usize| -p.tau[i].trace() / (3.0 * volume_ratio(i));
        // A segment repeats its second vertex.
        let corners = || self.params.meshes.corners.iter();
        let attribute =
            |name: &str, unit: &str, values| Attribute { name: name.to_owned(), unit: unit.to_owned(), values };
        let pose = |collider: &fibra_core::geometry::Collider| -> Pose {
            collider.place(self.state.time, self.params.origin).pose()
        };
        let lots = self.params.grains.iter();
        Frame {
            index,
            time: self.state.time,
            origin: self.params.origin.to_array(),
            object: self.by_number(|i| p.object[i]),
            points: self.by_number(|i| p.x[i]),
            velocities: self.by_number(|i| p.v[i]),
            attributes: vec![
                attribute("volume_ratio", "-", self.by_number(volume_ratio)),
                attribute("pressure", "Pa", self.by_number(pressure)),
            ],
            segments: corners().filter(|[_, b, c]| b == c).map(|&[a, b, _]| [a, b]).collect(),
            triangles: corners().filter(|[_, b, c]| b != c).copied().collect(),
            instances: self.state.grains.iter().map(|g| Pose { translation: g.x, rotation: g.rotation }).collect(),
            instance_object: lots.flat_map(|lot| std::iter::repeat_n(lot.object, lot.count as usize)).collect(),
            colliders: self.params.colliders.iter().take(self.shown_colliders).map(pose).collect(),
        }
    }

    fn quantities(&self) -> BTreeMap<&'static str, f64> {
        let totals = diagnose(&self.params, &self.state, None);
        let mut quantities = BTreeMap::from([
            ("mass", totals.mass),
            ("momentum_x", totals.momentum.x),
            ("momentum_y", totals.momentum.y),
            ("momentum_z", totals.momentum.z),
            ("angular_momentum_x", totals.angular_momentum.x),
            ("angular_momentum_y", totals.angular_momentum.y),
            ("angular_momentum_z", totals.angular_momentum.z),
            ("kinetic_energy", totals.kinetic_energy),
            ("elastic_energy", totals.elastic_energy),
            ("gravitational_energy", totals.gravitational_energy),
            ("volume", totals.volume),
        ]);
        if let Integrator::Implicit(_) = self.params.integrator {
            let effort = &self.work.implicit.effort;
            quantities.extend([
                ("newton_iterations", effort.newton_iterations as f64),
                ("linear_iterations", effort.linear_iterations as f64),
                ("unconverged_steps", effort.unconverged_steps as f64),
                ("residual", effort.residual),
            ]);
        }
        quantities
    }

    fn measure(&self, quantity: Quantity, object: Option<&str>) -> f64 {
        let index = object.map(|name| self.params.objects.iter().position(|known| known.name == name));
        let start = match index {
            None => self.start,
            Some(Some(index)) => self.start_of[index],
            Some(None) => return f64::NAN,
        };
        let object = index.flatten().map(|index| index as u32);
        let now = || diagnose(&self.params, &self.state, object);
        let p = &self.state.particles;
        let particles = || (0..p.len()).filter(|&i| object.is_none_or(|object| p.object[i] == object));
        match quantity {
            Quantity::Mass => now().mass,
            Quantity::MassChange => now().mass / start.mass - 1.0,
            Quantity::Lowest => particles().map(|i| self.world(p.x[i]).y).fold(f64::INFINITY, f64::min),
            Quantity::Highest => particles().map(|i| self.world(p.x[i]).y).fold(f64::NEG_INFINITY, f64::max),
            Quantity::Spread => {
                let offset = |i: usize| self.world(p.x[i]) - start.centre();
                particles().map(|i| offset(i).x.hypot(offset(i).z)).fold(0.0, f64::max)
            }
            Quantity::CenterX => now().centre().x,
            Quantity::CenterY => now().centre().y,
            Quantity::CenterZ => now().centre().z,
            Quantity::MaxSpeed => particles().map(|i| speed(p.v[i])).fold(0.0, f64::max),
            Quantity::KineticEnergy => now().kinetic_energy,
            Quantity::VolumeRatio => now().mean_volume_ratio(),
            Quantity::MaxStretch => stretch(&self.params, &self.state, object).largest,
            Quantity::Torn => stretch(&self.params, &self.state, object).torn as f64,
            Quantity::InsideColliders => inside_colliders(&self.params, &self.state, object) as f64,
            Quantity::UnsolvedShare
            | Quantity::SmallestGap
            | Quantity::DeepInside
            | Quantity::Parts
            | Quantity::PlasticStrain => f64::NAN,
        }
    }

    fn save(&self) -> TensorFile<'_> {
        state_file::save(&self.state)
    }

    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        self.state = state_file::load(from, &self.params, self.items())?;
        self.work.grid_is_current = false;
        #[cfg(feature = "gpu")]
        if let Some(device) = &mut self.device {
            device.upload(&self.params, &self.state);
        }
        Ok(())
    }

    fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        #[cfg(feature = "gpu")]
        if self.device.is_some() {
            return ["device", "read back"].into_iter().zip(self.device_seconds).collect();
        }
        self.work.clock.seconds()
    }
}

fn speed(v: [f32; 3]) -> f64 {
    DVec3::from_array(v.map(f64::from)).length()
}
