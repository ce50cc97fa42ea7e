//! Hair as a [`Simulation`]: frames, quantities, checkpoints, and failures in the user's words.

use super::measures::{free_points, inside, occupied_volume, segment_lengths, totals, velocities, vertices};
#[cfg(feature = "gpu")]
use crate::device::Card;
use crate::simulation::{Failure, Simulation, Step};
use fibra_core::frame::{Attribute, Frame, Pose};
use fibra_core::geometry::{GuideFrames, GuidedStrands, RigidPose};
use fibra_core::tensor::Tensor;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_hair::error::HairError;
#[cfg(feature = "gpu")]
use fibra_hair::gpu::hair_device::{HairDevice, HairDeviceError, put_on};
use fibra_hair::sim::{HairSim, STAGES};
use fibra_hair::state_file;
use fibra_scene::Quantity;
use fibra_scene::setup::{HairObject, HairSetup, Surroundings};
use glam::{DVec3, Quat, Vec3};
use std::collections::BTreeMap;
use std::ops::Range;
#[cfg(feature = "gpu")]
use std::time::Instant;

/// Name of the tensor that holds the time, which the strands know only as a sum of rounded steps.
const CLOCK: &str = "clock";
/// Time over which strands that are only drawn are seen to move, to know how fast they do [s].
const GLANCE: f32 = 1e-3;
/// A length so many times that at rest counts as torn [-].
const TORN: f64 = 2.0;
/// How much longer than asked a step may be, over its length [-]: rounding.
const SLACK: f64 = 1e-3;

/// Hair, and what it bumps into.
pub struct HairSimulation {
    sim: HairSim,
    /// Simulated time [s].
    time: f64,
    objects: Vec<HairObject>,
    surroundings: Surroundings,
    warnings: Vec<String>,
    /// Lengths of all segments at the start [m].
    lengths: Vec<f32>,
    /// Scratch: vertices of a body that deforms [m], and their velocities [m/s].
    vertices: Vec<Vec3>,
    velocities: Vec<Vec3>,
    /// Per object: volume [m^3] and centre of mass, relative to the run origin [m], at the start.
    starts: Vec<(f64, DVec3)>,
    /// What takes the steps in place of the processor; `sim` is then as it was after the last frame.
    #[cfg(feature = "gpu")]
    device: Option<Box<dyn HairDevice>>,
    /// Wall seconds spent with the device: moving strands, and reading them back.
    #[cfg(feature = "gpu")]
    device_seconds: [f64; 2],
}

/// A step of the strands that is to be taken.
struct Ahead {
    /// Where the head is to be.
    head: RigidPose,
    /// When it ends [s].
    end: f64,
    /// How long it is [s].
    dt: f64,
}

impl HairSimulation {
    /// Takes up hair at time 0. Objects are in the order of their strands.
    pub fn new(setup: HairSetup) -> HairSimulation {
        let HairSetup { sim, objects, surroundings, warnings } = setup;
        let lengths = segment_lengths(&sim, 0..sim.strands().len()).collect();
        let start = |object: &HairObject| {
            let own = vertices(&sim, &object.strands);
            (volume(&sim, own.clone()), totals(&sim, own).centre)
        };
        let starts = objects.iter().map(start).collect();
        let mut simulation = HairSimulation {
            sim,
            time: 0.0,
            objects,
            surroundings,
            warnings,
            lengths,
            vertices: Vec::new(),
            velocities: Vec::new(),
            starts,
            #[cfg(feature = "gpu")]
            device: None,
            #[cfg(feature = "gpu")]
            device_seconds: [0.0; 2],
        };
        // A mesh has the vertices it was made with, as many as it is told here.
        let _ = simulation.place_bodies();
        simulation
    }

    /// Puts the bodies where they are now, without velocity: what a run begins with, and goes on with.
    fn place_bodies(&mut self) -> Result<(), HairError> {
        let (time, origin) = (self.time, self.surroundings.origin);
        for (body, moving) in self.surroundings.bodies.iter().enumerate() {
            self.sim.place_body(body, moving.centre_at(time, origin));
            if let Some(mesh) = &moving.deforms {
                mesh.vertices(time, &mut self.vertices, &mut self.velocities);
                self.sim.place_vertices(body, &self.vertices)?;
            }
        }
        Ok(())
    }

    /// The hair as it is now.
    pub fn sim(&self) -> &HairSim {
        &self.sim
    }

    /// The objects, in the order of their strands.
    pub fn objects(&self) -> &[HairObject] {
        &self.objects
    }

    /// The strands of an object, or all.
    fn strands(&self, object: Option<usize>) -> Range<usize> {
        object.map_or(0..self.sim.strands().len(), |object| self.objects[object].strands.clone())
    }

    /// Lengths of segments over those at the start [-].
    fn stretches(&self, object: Option<usize>) -> impl Iterator<Item = f64> {
        let strands = self.strands(object);
        // Each strand before has one segment less than vertices.
        let first = self.sim.strands().vertices(strands.start).start - strands.start;
        let now = segment_lengths(&self.sim, strands);
        now.zip(&self.lengths[first..]).map(|(now, start)| f64::from(now / start))
    }

    /// Share of the free vertices that are deeper than half a cell in the head or a collider [-].
    fn deep_inside(&self, vertices: Range<usize>) -> f64 {
        let (inside, all) = inside(&self.sim, vertices, 0.5 * self.sim.settings().grid.cell);
        inside as f64 / all.max(1) as f64
    }

    fn failure(&self, error: HairError) -> Failure {
        let (what, stage, remedy) = match error {
            HairError::NotFinite { strand, index } => {
                let named = |object: &&HairObject| object.strands.contains(&strand);
                let (name, first) =
                    self.objects.iter().find(named).map_or(("?", 0), |object| (&*object.name, object.strands.start));
                let what = format!(
                    "vertex {index} of strand {} of object `{name}` has a velocity or a stress that is not finite",
                    strand - first
                );
                (what, STAGES[6], "lower hair.step or hair.grid.youngs_modulus, or let the head move more slowly")
            }
            HairError::OutOfReach => (
                "a strand is some tens of kilometres away".to_owned(),
                STAGES[3],
                "give loose hair a ground to fall on, or lower hair.step",
            ),
            HairError::VertexCount { .. } => {
                (error.to_string(), STAGES[0], "give the mesh as many vertices at all times")
            }
            HairError::Strands(error) => (error.to_string(), STAGES[1], "write another number"),
        };
        Failure { what, stage: stage.to_owned(), time: self.time, remedy: remedy.to_owned(), machine: false }
    }

    /// Adds the points of one strand after the other, and the segments between them.
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

    /// Where the strands of an object that are only drawn are [m], and how fast [m/s].
    fn drawn(&self, object: &HairObject, drawn: &GuidedStrands, velocities: &[Vec3]) -> (Vec<Vec3>, Vec<Vec3>) {
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
        let soon: Vec<Vec3> = now.iter().zip(&velocities[own]).map(|(x, v)| *x + GLANCE * *v).collect();
        let (now, soon) = (place(now), place(&soon));
        let speeds = now.iter().zip(&soon).map(|(now, soon)| (*soon - *now) / GLANCE).collect();
        (now, speeds)
    }

    fn colliders(&self) -> Vec<Pose> {
        let Surroundings { origin, bodies, shown_colliders, has_skin, .. } = &self.surroundings;
        let shown = bodies[..*shown_colliders].iter().map(|body| body.at(self.time, *origin));
        shown.chain(has_skin.then(|| *self.sim.head())).map(pose).collect()
    }
}

fn volume(sim: &HairSim, vertices: Range<usize>) -> f64 {
    occupied_volume(free_points(sim, vertices), sim.settings().grid.cell)
}

fn pose(pose: RigidPose) -> Pose {
    Pose {
        translation: pose.translation.as_vec3().to_array(),
        rotation: pose.rotation.as_quat().normalize().to_array(),
    }
}

fn attribute(name: &str, values: Vec<f32>) -> Attribute {
    Attribute { name: name.to_owned(), unit: "-".to_owned(), values }
}

impl HairSimulation {
    /// Finds how long the next step is, and tells the bodies where to go.
    fn prepare_step(&mut self, until: f64) -> Result<Ahead, Failure> {
        let settings = self.sim.settings();
        let longest = f64::from(settings.step) * f64::from(settings.substeps);
        let remaining = until - self.time;
        let steps = (remaining / longest - SLACK).ceil().max(1.0);
        let dt = remaining / steps;
        let end = if steps == 1.0 { until } else { self.time + dt };
        let Surroundings { origin, head, bodies, .. } = &self.surroundings;
        let (origin, head) = (*origin, head.at(end, *origin));
        for (body, moving) in bodies.iter().enumerate() {
            self.sim.move_body(body, moving.centre_at(end, origin));
            if let Some(mesh) = &moving.deforms {
                mesh.vertices(end, &mut self.vertices, &mut self.velocities);
                let moved = self.sim.move_vertices(body, &self.vertices);
                moved.map_err(|error| self.failure(error))?;
            }
        }
        Ok(Ahead { head, end, dt })
    }

    /// How the head has turned since the start.
    fn turn(&self, head: &RigidPose) -> Quat {
        let start = self.surroundings.head.at(0.0, DVec3::ZERO).rotation;
        (head.rotation * start.inverse()).as_quat().normalize()
    }
}

#[cfg(feature = "gpu")]
impl HairSimulation {
    /// Moves the hair on the device to `until` [s] and places the strands that are only drawn, without waiting for it; nothing where there is no device.
    pub fn advance_on_device(&mut self, until: f64) -> Option<Result<Step, Failure>> {
        let mut device = self.device.take()?;
        let mut taken = Step { count: 0, shortest: f64::INFINITY, longest: 0.0 };
        let mut advanced = Ok(());
        while self.time < until && advanced.is_ok() {
            advanced = self.prepare_step(until).and_then(|Ahead { head, end, dt }| {
                let moved = device.advance(&mut self.sim, &head, dt as f32);
                moved.map_err(|error| self.device_failure(error))?;
                if end >= until {
                    device.place_drawn(self.turn(&head));
                }
                self.time = end;
                taken.count += 1;
                (taken.shortest, taken.longest) = (taken.shortest.min(dt), taken.longest.max(dt));
                Ok(())
            });
        }
        self.device = Some(device);
        Some(advanced.map(|()| taken))
    }

    /// Waits for the device.
    pub fn wait_for_device(&self) -> Result<(), String> {
        self.device.as_ref().map_or(Ok(()), |device| device.wait().map_err(|error| error.to_string()))
    }

    /// Reads back where the device has brought the hair.
    fn read_device(&mut self) -> Result<(), Failure> {
        let Some(device) = &mut self.device else { return Ok(()) };
        device.write_back(&mut self.sim).map_err(|error| self.device_failure(error))
    }

    fn device_failure(&self, error: HairDeviceError) -> Failure {
        match error {
            HairDeviceError::Hair(error) => self.failure(error),
            error => Failure {
                what: error.to_string(),
                stage: "device".to_owned(),
                time: self.time,
                remedy: crate::device::AFTER_A_FAILURE.to_owned(),
                machine: true,
            },
        }
    }
}

impl Simulation for HairSimulation {
    #[cfg(feature = "gpu")]
    fn move_to(&mut self, card: &Card) -> Result<(), String> {
        let put = match card {
            Card::Cuda(gpu) => put_on(gpu, &self.sim),
            Card::Vulkan(gpu) => put_on(gpu, &self.sim),
        };
        let mut device = put.map_err(|error| error.to_string())?;
        for object in &self.objects {
            if let Some(drawn) = &object.drawn {
                device.add_drawn(drawn, vertices(&self.sim, &object.strands).start);
            }
        }
        self.device = Some(device);
        Ok(())
    }

    fn step(&mut self, until: f64) -> Result<Step, Failure> {
        #[cfg(feature = "gpu")]
        {
            let begun = Instant::now();
            if let Some(advanced) = self.advance_on_device(until) {
                let moved = Instant::now();
                self.read_device()?;
                self.device_seconds[0] += (moved - begun).as_secs_f64();
                self.device_seconds[1] += moved.elapsed().as_secs_f64();
                return advanced;
            }
        }
        let Ahead { head, end, dt } = self.prepare_step(until)?;
        self.sim.advance(&head, dt as f32).map_err(|error| self.failure(error))?;
        self.time = end;
        Ok(Step::single(dt))
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn warnings(&self) -> &[String] {
        &self.warnings
    }

    fn items(&self) -> usize {
        self.sim.positions().len()
    }

    fn frame(&self, index: u32) -> Frame {
        let mut frame =
            Frame { index, time: self.time, origin: self.surroundings.origin.to_array(), ..Frame::default() };
        let velocities = velocities(&self.sim);
        let held = self.sim.strands().held();
        let (mut pinned, mut simulated) = (Vec::new(), Vec::new());
        for (number, object) in self.objects.iter().enumerate() {
            let own = vertices(&self.sim, &object.strands);
            let ends = object.strands.clone().map(|strand| self.sim.strands().vertices(strand).end - own.start);
            Self::add(&mut frame, number as u32, ends, &self.sim.positions()[own.clone()], &velocities[own.clone()]);
            pinned.extend(held[own].iter().map(|&held| f32::from(u8::from(held))));
            simulated.resize(frame.points.len(), 1.0);
            if let Some(drawn) = &object.drawn {
                let (points, speeds) = self.drawn(object, drawn, &velocities);
                let ends = drawn.offsets()[1..].iter().map(|&end| end as usize);
                Self::add(&mut frame, number as u32, ends, &points, &speeds);
                pinned.resize(frame.points.len(), 0.0);
                simulated.resize(frame.points.len(), 0.0);
            }
        }
        frame.attributes = vec![attribute("pinned", pinned), attribute("simulated", simulated)];
        frame.colliders = self.colliders();
        frame
    }

    fn quantities(&self) -> BTreeMap<&'static str, f64> {
        let all = 0..self.items();
        let totals = totals(&self.sim, all.clone());
        let strands = self.sim.strands();
        let elastic = (0..strands.len()).map(|strand| strands.elastic_energy(&self.sim.state().strands, strand));
        let gravity = self.sim.settings().strands.gravity.as_dvec3();
        BTreeMap::from([
            ("mass", totals.mass),
            ("momentum_x", totals.momentum.x),
            ("momentum_y", totals.momentum.y),
            ("momentum_z", totals.momentum.z),
            ("kinetic_energy", totals.kinetic_energy),
            ("elastic_energy", elastic.map(f64::from).sum()),
            ("gravitational_energy", -totals.mass * gravity.dot(totals.centre)),
            ("max_stretch", self.stretches(None).fold(0.0, f64::max)),
            ("deep_inside", self.deep_inside(all.clone())),
            ("volume", volume(&self.sim, all)),
        ])
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
        let centre = || origin + totals().centre;
        let starts = || match object {
            Some(object) => &self.starts[object..=object],
            None => &self.starts[..],
        };
        Some(match quantity {
            Quantity::Mass => totals().mass,
            // What there is stays.
            Quantity::MassChange => 0.0,
            Quantity::Lowest => heights().fold(f64::INFINITY, f64::min),
            Quantity::Highest => heights().fold(f64::NEG_INFINITY, f64::max),
            Quantity::Spread => {
                let start = starts().iter().map(|(_, centre)| *centre).sum::<DVec3>() / starts().len() as f64;
                points().map(|x| (x.x - start.x).hypot(x.z - start.z)).fold(0.0, f64::max)
            }
            Quantity::CenterX => centre().x,
            Quantity::CenterY => centre().y,
            Quantity::CenterZ => centre().z,
            Quantity::MaxSpeed => velocities(&self.sim)[own].iter().map(|v| f64::from(v.length())).fold(0.0, f64::max),
            Quantity::KineticEnergy => totals().kinetic_energy,
            Quantity::VolumeRatio => volume(&self.sim, own) / starts().iter().map(|(volume, _)| volume).sum::<f64>(),
            Quantity::MaxStretch => self.stretches(object).fold(0.0, f64::max),
            Quantity::Torn => self.stretches(object).filter(|stretch| *stretch > TORN).count() as f64,
            Quantity::InsideColliders => inside(&self.sim, own, self.sim.settings().grid.cell).0 as f64,
            Quantity::DeepInside => self.deep_inside(own),
            Quantity::UnsolvedShare | Quantity::SmallestGap | Quantity::Parts | Quantity::PlasticStrain => return None,
        })
    }

    fn save(&self) -> TensorFile<'_> {
        let mut file = state_file::save(&self.sim);
        file.tensors.insert(CLOCK.to_owned(), Tensor::values([self.time]));
        file
    }

    fn load(&mut self, from: &TensorFile) -> Result<(), TensorFault> {
        let time = from.time(CLOCK)?;
        state_file::load(from, &mut self.sim)?;
        self.time = time;
        self.place_bodies().map_err(|error| TensorFault::Malformed(error.to_string()))?;
        #[cfg(feature = "gpu")]
        if let Some(device) = &mut self.device {
            device.take_up(&self.sim);
        }
        Ok(())
    }

    fn stage_seconds(&self) -> Vec<(&'static str, f64)> {
        #[cfg(feature = "gpu")]
        if self.device.is_some() {
            return ["device", "read back"].into_iter().zip(self.device_seconds).collect();
        }
        STAGES.into_iter().zip(self.sim.stage_seconds()).collect()
    }
}
