//! Implements [`Simulation`] for hair: frames, quantities, checkpoints and error messages.

#[cfg(feature = "gpu")]
use crate::device::Card;
use crate::estimate::{Estimate, HAIR_POINT, counted};
use crate::simulation::{Failure, Simulation};
use fibra_core::frame::{Attribute, Frame, Pose, WIDTH};
use fibra_core::geometry::{GuideFrames, GuidedStrands, RigidPose};
use fibra_core::stage_clock::Stage as _;
#[cfg(feature = "gpu")]
use fibra_core::stage_clock::StageClock;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_core::{StepsTaken, TORN_STRETCH};
#[cfg(feature = "gpu")]
use fibra_gpu::DeviceStage;
#[cfg(feature = "gpu")]
use fibra_hair::internals::gpu::hair_device::{HairDevice, HairDeviceError};
#[cfg(feature = "gpu")]
use fibra_hair::internals::gpu::sim::DeviceHair;
use fibra_hair::internals::measures::{
    deep_inside, inside, length_correction, reached_stretch, totals, vertices, volume,
};
use fibra_hair::{HairError, HairSim};
use fibra_scene::setup::{HairObject, HairSetup, Surroundings};
use fibra_scene::{Quantity, memory};
use glam::{DVec3, Quat, Vec3};
use std::collections::BTreeMap;
use std::ops::Range;
#[cfg(feature = "gpu")]
use std::time::Instant;

/// Time step of the finite difference that gives the velocities of render strands [s].
const VELOCITY_DT: f32 = 1e-3;

/// A [`HairSim`] built from a scene.
pub struct HairSimulation {
    sim: HairSim,
    objects: Vec<HairObject>,
    surroundings: Surroundings,
    warnings: Vec<String>,
    /// Scratch: vertices of a deforming body [m], and their velocities [m/s].
    vertices: Vec<Vec3>,
    velocities: Vec<Vec3>,
    /// Initial volume [m^3] and center of mass relative to the run origin [m] of each object.
    starts: Vec<(f64, DVec3)>,
    /// The GPU that computes the steps, if any. The strands of `sim` are then those of the last download.
    #[cfg(feature = "gpu")]
    device: Option<Box<dyn HairDevice>>,
    /// Wall-clock time spent on the device.
    #[cfg(feature = "gpu")]
    device_clock: StageClock<DeviceStage>,
}

impl HairSimulation {
    /// Creates the simulation of a scene at time 0. Objects are in the order of their strands.
    pub fn new(setup: HairSetup) -> HairSimulation {
        let HairSetup { sim, objects, surroundings, warnings } = setup;
        let start = |object: &HairObject| {
            let own = vertices(&sim, &object.strands);
            (volume(&sim, own.clone()), totals(&sim, own).center)
        };
        let starts = objects.iter().map(start).collect();
        let mut simulation = HairSimulation {
            sim,
            objects,
            surroundings,
            warnings,
            vertices: Vec::new(),
            velocities: Vec::new(),
            starts,
            #[cfg(feature = "gpu")]
            device: None,
            #[cfg(feature = "gpu")]
            device_clock: StageClock::default(),
        };
        // Cannot fail: each body has a collider, and the number of vertices of a mesh does not change here.
        let _ = simulation.place_bodies();
        simulation
    }

    /// Moves the bodies to their current poses without setting velocities. Used at the start and after loading a checkpoint.
    fn place_bodies(&mut self) -> Result<(), HairError> {
        let (time, origin) = (self.sim.time(), self.surroundings.origin);
        for (collider, moving) in self.sim.collider_ids().zip(&self.surroundings.bodies) {
            self.sim.place_collider(collider, moving.center_at(time, origin))?;
            if let Some(mesh) = &moving.deforms {
                mesh.vertices(time, &mut self.vertices, &mut self.velocities);
                self.sim.place_vertices(collider, &self.vertices)?;
            }
        }
        Ok(())
    }

    /// Returns the underlying simulation.
    pub fn sim(&self) -> &HairSim {
        &self.sim
    }

    /// Returns the objects in the order of their strands.
    pub fn objects(&self) -> &[HairObject] {
        &self.objects
    }

    /// Returns the strands of one object, or of all objects.
    fn strands(&self, object: Option<usize>) -> Range<usize> {
        object.map_or(0..self.sim.strands().len(), |object| self.objects[object].strands.clone())
    }

    fn failure(&self, error: HairError) -> Failure {
        let stage = error.stage().name();
        let (what, remedy) = match error {
            HairError::NotFinite { strand, index } => {
                let named = |object: &&HairObject| object.strands.contains(&strand);
                let (name, first) =
                    self.objects.iter().find(named).map_or(("?", 0), |object| (&*object.name, object.strands.start));
                let what = format!(
                    "the velocity or stress at vertex {index} of strand {} of object `{name}` is not finite",
                    strand - first
                );
                (what, "reduce hair.step or hair.grid.youngs_modulus, or move the head more slowly")
            }
            HairError::OutOfReach => (
                "a strand is tens of kilometers away from the origin of the run".to_owned(),
                "add a ground below loose hair, or reduce hair.step",
            ),
            HairError::VertexCount { .. } => {
                (error.to_string(), "use a mesh with the same number of vertices at all times")
            }
            HairError::UnknownCollider { .. } | HairError::OnHead { .. } | HairError::ColliderPose { .. } => {
                (error.to_string(), "change the motion of the collider")
            }
            HairError::Strands(error) => (error.to_string(), "change that value"),
        };
        Failure { what, stage: stage.to_owned(), time: self.sim.time(), remedy: remedy.to_owned(), machine: false }
    }

    /// Adds strands to a frame: their points, and the segments between consecutive points. `ends` holds the end index of each strand.
    fn add(frame: &mut Frame, object: u32, ends: impl Iterator<Item = usize>, points: &[Vec3], velocities: &[Vec3]) {
        let mut start = frame.points.len();
        let base = start;
        for end in ends {
            let end = base + end;
            frame.segments.extend((start..end - 1).map(|point| [point as u32, point as u32 + 1]));
            start = end;
        }
        frame.points.extend(points.iter().map(Vec3::to_array));
        frame.velocities.extend(velocities.iter().map(Vec3::to_array));
        frame.object.resize(frame.points.len(), object);
    }

    /// Returns positions [m] and velocities [m/s] of the render strands of an object, interpolated on the CPU.
    fn render_strands(
        &self,
        object: &HairObject,
        drawn: &GuidedStrands,
        velocities: &[Vec3],
    ) -> (Vec<Vec3>, Vec<Vec3>) {
        let own = vertices(&self.sim, &object.strands);
        let turn = self.turn(self.sim.head());
        let mut workspace = GuideFrames::default();
        let count = drawn.offsets().last().map_or(0, |&count| count as usize);
        let mut place = |guides: &[Vec3]| {
            let mut placed = vec![Vec3::ZERO; count];
            drawn.place(guides, turn, &mut workspace, &mut placed);
            placed
        };
        let now = &self.sim.positions()[own.clone()];
        let soon: Vec<Vec3> = now.iter().zip(&velocities[own]).map(|(x, v)| *x + VELOCITY_DT * *v).collect();
        let (now, soon) = (place(now), place(&soon));
        let speeds = now.iter().zip(&soon).map(|(now, soon)| (*soon - *now) / VELOCITY_DT).collect();
        (now, speeds)
    }

    fn colliders(&self) -> Vec<Pose> {
        let Surroundings { origin, bodies, shown_colliders, has_skin, .. } = &self.surroundings;
        let shown = bodies[..*shown_colliders].iter().map(|body| body.at(self.sim.time(), *origin));
        shown.chain(has_skin.then(|| *self.sim.head())).map(pose).collect()
    }
}

fn pose(pose: RigidPose) -> Pose {
    Pose {
        translation: pose.translation.as_vec3().to_array(),
        rotation: pose.rotation.as_quat().normalize().to_array(),
    }
}

fn attribute(name: &str, unit: &str, values: Vec<f32>) -> Attribute {
    Attribute { name: name.to_owned(), unit: unit.to_owned(), values }
}

impl HairSimulation {
    /// Moves the colliders to their poses at the end of the next step, and returns the pose of the head at that time.
    fn prepare_step(&mut self, until: f64) -> Result<RigidPose, HairError> {
        let end = self.sim.step_end(until)?;
        let Surroundings { origin, head, bodies, .. } = &self.surroundings;
        for (collider, moving) in self.sim.collider_ids().zip(bodies) {
            self.sim.move_collider(collider, moving.center_at(end, *origin))?;
            if let Some(mesh) = &moving.deforms {
                mesh.vertices(end, &mut self.vertices, &mut self.velocities);
                self.sim.move_vertices(collider, &self.vertices)?;
            }
        }
        Ok(head.at(end, *origin))
    }

    fn step_on_cpu(&mut self, until: f64) -> Result<f64, HairError> {
        let head = self.prepare_step(until)?;
        self.sim.step(&head, until)
    }

    /// Returns the rotation of the head since the start.
    fn turn(&self, head: &RigidPose) -> Quat {
        let start = self.surroundings.head.at(0.0, DVec3::ZERO).rotation;
        (head.rotation * start.inverse()).as_quat().normalize()
    }
}

#[cfg(feature = "gpu")]
impl HairSimulation {
    /// Advances the hair on the device to `until` [s], without waiting for the device. Returns `None` if there is no device.
    pub fn advance_on_device(&mut self, until: f64) -> Option<Result<StepsTaken, Failure>> {
        let mut device = self.device.take()?;
        let mut taken = StepsTaken::NONE;
        let mut advanced = Ok(());
        while self.sim.time() < until && advanced.is_ok() {
            let stepped = self.prepare_step(until).map_err(HairDeviceError::from);
            advanced = stepped
                .and_then(|head| device.step(&mut self.sim, &head, until))
                .map(|dt| taken.add(StepsTaken::single(dt)));
        }
        self.device = Some(device);
        Some(advanced.map(|()| taken).map_err(|error| self.device_failure(error)))
    }

    /// Uploads the render strands of all objects, for [`HairSimulation::place_render_strands_on_device`]. Runs do not use them on the device,
    /// because the CPU writes the frames.
    pub fn upload_render_strands(&mut self) {
        let Some(device) = &mut self.device else { return };
        for object in &self.objects {
            if let Some(drawn) = &object.drawn {
                device.add_render_strands(drawn, vertices(&self.sim, &object.strands).start);
            }
        }
    }

    /// Interpolates the render strands on the device for the current pose of the head, without waiting for the result.
    pub fn place_render_strands_on_device(&mut self) {
        let Surroundings { origin, head, .. } = &self.surroundings;
        let turn = self.turn(&head.at(self.sim.time(), *origin));
        if let Some(device) = &mut self.device {
            device.place_render_strands(turn);
        }
    }

    /// Waits for the device.
    pub fn wait_for_device(&self) -> Result<(), String> {
        self.device.as_ref().map_or(Ok(()), |device| device.wait().map_err(|error| error.to_string()))
    }

    /// Copies the strands on the device to the host.
    fn download(&mut self) -> Result<(), Failure> {
        let Some(device) = &mut self.device else { return Ok(()) };
        device.download(&mut self.sim).map_err(|error| self.device_failure(error))
    }

    fn device_failure(&self, error: HairDeviceError) -> Failure {
        match error {
            HairDeviceError::Hair(error) => self.failure(error),
            error => Failure {
                what: error.to_string(),
                stage: "device".to_owned(),
                time: self.sim.time(),
                remedy: crate::device::AFTER_A_FAILURE.to_owned(),
                machine: true,
            },
        }
    }
}

#[cfg(feature = "gpu")]
impl Card {
    /// Uploads hair.
    pub fn hair(&self, sim: &HairSim) -> Result<Box<dyn HairDevice>, String> {
        fn uploaded<R: fibra_gpu::Runtime>(
            gpu: &fibra_gpu::Gpu<R>,
            sim: &HairSim,
        ) -> Result<Box<dyn HairDevice>, HairDeviceError> {
            Ok(Box::new(DeviceHair::new(gpu.clone(), sim)?))
        }
        let device = match self {
            Card::Cuda(gpu) => uploaded(gpu, sim),
            Card::Vulkan(gpu) => uploaded(gpu, sim),
        };
        device.map_err(|error| error.to_string())
    }
}

impl Simulation for HairSimulation {
    #[cfg(feature = "gpu")]
    fn move_to(&mut self, card: &Card) -> Result<(), String> {
        self.device = Some(card.hair(&self.sim)?);
        Ok(())
    }

    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure> {
        #[cfg(feature = "gpu")]
        {
            let begun = Instant::now();
            if let Some(advanced) = self.advance_on_device(until) {
                let moved = Instant::now();
                let downloaded = self.download();
                self.device_clock.add(DeviceStage::Advance, moved - begun);
                self.device_clock.add(DeviceStage::Download, moved.elapsed());
                // Return the first error: after a failed advance, the download fails as well.
                return advanced.and_then(|step| downloaded.map(|()| step));
            }
        }
        self.step_on_cpu(until).map(StepsTaken::single).map_err(|error| self.failure(error))
    }

    fn time(&self) -> f64 {
        self.sim.time()
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn items(&self) -> usize {
        self.sim.positions().len()
    }

    fn frame(&self, index: u32) -> Frame {
        let mut frame =
            Frame { index, time: self.sim.time(), origin: self.surroundings.origin.to_array(), ..Frame::default() };
        let velocities = self.sim.velocities();
        let held = self.sim.strands().pinned();
        let (mut pinned, mut simulated, mut widths) = (Vec::new(), Vec::new(), Vec::new());
        for (number, object) in self.objects.iter().enumerate() {
            let own = vertices(&self.sim, &object.strands);
            let ends = object.strands.clone().map(|strand| self.sim.strands().vertices(strand).end - own.start);
            Self::add(&mut frame, number as u32, ends, &self.sim.positions()[own.clone()], &velocities[own.clone()]);
            pinned.extend(held[own].iter().map(|&held| f32::from(u8::from(held))));
            simulated.resize(frame.points.len(), 1.0);
            if let Some(drawn) = &object.drawn {
                let (points, speeds) = self.render_strands(object, drawn, &velocities);
                let ends = drawn.offsets()[1..].iter().map(|&end| end as usize);
                Self::add(&mut frame, number as u32, ends, &points, &speeds);
                pinned.resize(frame.points.len(), 0.0);
                simulated.resize(frame.points.len(), 0.0);
            }
            widths.extend(object.widths.iter().flatten());
            widths.resize(frame.points.len(), f32::NAN);
        }
        frame.attributes = vec![attribute("pinned", "-", pinned), attribute("simulated", "-", simulated)];
        if self.objects.iter().any(|object| object.widths.is_some()) {
            frame.attributes.push(attribute(WIDTH, "m", widths));
        }
        frame.colliders = self.colliders();
        frame
    }

    fn quantities(&self) -> BTreeMap<&'static str, f64> {
        self.sim.quantities()
    }

    fn measure(&self, quantity: Quantity, object: Option<&str>) -> Option<f64> {
        let index = object.map(|name| self.objects.iter().position(|object| object.name == name));
        if index == Some(None) {
            return None;
        }
        let object = index.flatten();
        let own = vertices(&self.sim, &self.strands(object));
        let origin = self.surroundings.origin;
        let points = || self.sim.positions()[own.clone()].iter().map(|x| x.as_dvec3());
        let heights = || points().map(|x| (origin + x).y);
        let totals = || totals(&self.sim, own.clone());
        let center = || origin + totals().center;
        let starts = || match object {
            Some(object) => &self.starts[object..=object],
            None => &self.starts[..],
        };
        Some(match quantity {
            Quantity::Mass => totals().mass,
            // The mass of hair is constant.
            Quantity::MassChange => 0.0,
            Quantity::Lowest => heights().fold(f64::INFINITY, f64::min),
            Quantity::Highest => heights().fold(f64::NEG_INFINITY, f64::max),
            Quantity::Spread => {
                let start = starts().iter().map(|(_, center)| *center).sum::<DVec3>() / starts().len() as f64;
                points().map(|x| (x.x - start.x).hypot(x.z - start.z)).fold(0.0, f64::max)
            }
            Quantity::CenterX => center().x,
            Quantity::CenterY => center().y,
            Quantity::CenterZ => center().z,
            Quantity::MaxSpeed => self.sim.velocities()[own].iter().map(|v| f64::from(v.length())).fold(0.0, f64::max),
            Quantity::KineticEnergy => totals().kinetic_energy,
            Quantity::VolumeRatio => volume(&self.sim, own) / starts().iter().map(|(volume, _)| volume).sum::<f64>(),
            Quantity::MaxStretch => reached_stretch(&self.sim, self.strands(object)),
            Quantity::LengthCorrection => length_correction(&self.sim, self.strands(object)),
            Quantity::Torn => {
                let torn = |strand: &usize| reached_stretch(&self.sim, *strand..*strand + 1) > TORN_STRETCH;
                self.strands(object).filter(torn).count() as f64
            }
            Quantity::InsideColliders => inside(&self.sim, own, self.sim.settings().grid.cell).0 as f64,
            Quantity::DeepInside => deep_inside(&self.sim, own),
            Quantity::UnsolvedShare
            | Quantity::SmallestGap
            | Quantity::ReactionX
            | Quantity::ReactionY
            | Quantity::ReactionZ
            | Quantity::MaxTension
            | Quantity::MaxBendingMoment
            | Quantity::MaxTwistingMoment
            | Quantity::Writhe
            | Quantity::Link
            | Quantity::Parts
            | Quantity::PlasticStrain => return None,
        })
    }

    fn save(&self) -> TensorFile<'_> {
        self.sim.save()
    }

    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        self.sim.load(from)?;
        self.place_bodies().map_err(|error| TensorFault::Malformed(error.to_string()))?;
        #[cfg(feature = "gpu")]
        if let Some(device) = &mut self.device {
            device.upload(&self.sim);
        }
        Ok(())
    }

    fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        #[cfg(feature = "gpu")]
        if self.device.is_some() {
            return self.device_clock.seconds();
        }
        self.sim.stage_seconds()
    }

    fn estimate(&self) -> Option<Estimate> {
        let settings = self.sim.settings();
        let (points, threads) = (self.items(), rayon::current_num_threads());
        let drawn = || self.objects.iter().filter_map(|object| object.drawn.as_ref());
        let interpolated: usize = drawn().map(GuidedStrands::len).sum();
        let mut contents = format!("{} with {}", counted(self.sim.strands().len(), "strand"), counted(points, "point"));
        if interpolated > 0 {
            contents += &format!("; {} for display", counted(interpolated, "interpolated strand"));
        }
        Some(Estimate {
            contents,
            dt: f64::from(settings.step),
            limit: format!("`hair.step` (grid steps; {} per strand step)", settings.substeps),
            // A point and its segment.
            bytes: 2.0 * points as f64 * memory::BYTES_PER_HAIR_PARTICLE,
            seconds_per_step: points as f64 * HAIR_POINT * 1e-9 / threads as f64,
            basis: format!("{HAIR_POINT} ns per point and grid step, {}", counted(threads, "thread")),
        })
    }
}
