//! Implements [`Simulation`] for rods and balls in contact: frames, quantities, checkpoints and error messages.

use super::output;
use crate::estimate::{Estimate, ROD_POINT, counted};
use crate::simulation::{Failure, Simulation};
use fibra_core::StepsTaken;
use fibra_core::frame::{Attribute, Frame};
use fibra_core::stage_clock::Stage;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_rods::internals::body::Body;
use fibra_rods::internals::measures::{inside_colliders, smallest_gap};
use fibra_rods::internals::step::StepError;
use fibra_rods::internals::world::{Params, State, Statistics, Touch};
use fibra_rods::{RodId, RodLoads, RodSim, RodSimError, Topology};
use fibra_scene::setup::{RodsSetup, StrandOrigin};
use fibra_scene::{Quantity, RodOutput, memory};
use glam::DVec3;
use std::collections::BTreeMap;

/// Names of the frame attributes with a ball's rotation, a unit quaternion. The values of rod points are zero.
pub const ROTATION: [&str; 4] = ["rotation_x", "rotation_y", "rotation_z", "rotation_w"];

/// A [`RodSim`] built from a scene.
pub struct RodsSimulation {
    sim: RodSim,
    /// Names of the scene's objects.
    names: Vec<String>,
    /// The object and strand of each body.
    origins: Vec<StrandOrigin>,
    /// Number of colliders that are part of the scene and written to frames. The walls of the domain follow them in the list.
    shown_colliders: usize,
    /// Attributes written to frames.
    output: Vec<RodOutput>,
    /// Whether each frame is a static equilibrium.
    is_static: bool,
}

impl RodsSimulation {
    /// Creates the simulation of a scene at time 0.
    pub fn new(setup: RodsSetup) -> RodsSimulation {
        let RodsSetup { sim, names, origins, shown_colliders, output, is_static } = setup;
        RodsSimulation { sim, names, origins, shown_colliders, output, is_static }
    }

    /// Returns the underlying simulation.
    pub fn sim(&self) -> &RodSim {
        &self.sim
    }

    /// Converts to the underlying simulation.
    pub fn into_sim(self) -> RodSim {
        self.sim
    }

    fn params(&self) -> &Params {
        self.sim.params()
    }

    fn state(&self) -> &State {
        self.sim.state()
    }

    fn failure(&self, error: RodSimError) -> Failure {
        if let Some((what, remedy)) = self.static_failure(&error) {
            let stage = "static equilibrium".to_owned();
            return Failure { what, stage, time: self.time(), remedy: remedy.to_owned(), machine: false };
        }
        let RodSimError::Step(error) = error else {
            let remedy = "this is a bug in the program that runs the simulation".to_owned();
            let stage = "step".to_owned();
            return Failure { what: error.to_string(), stage, time: self.time(), remedy, machine: false };
        };
        let named = |body: usize| self.named(body);
        let (what, remedy) = match error {
            StepError::Unsolvable { body } => (
                format!("the equations of {} cannot be solved", named(body)),
                "reduce rods.dt, use a smaller spacing or a softer material, or start with smaller velocities",
            ),
            StepError::NotFinite { body } => (
                format!("a velocity of {} is not finite", named(body)),
                "reduce rods.dt, use a softer material, or start with smaller velocities",
            ),
            StepError::TooFast { approach } => (
                format!("rods or balls approach each other by {approach:.0} times their thickness in one step"),
                "reduce rods.dt if the run has become unstable; reduce velocities and forces if such speeds are intended",
            ),
        };
        Failure {
            what,
            stage: error.stage().name().to_owned(),
            time: self.time(),
            remedy: remedy.to_owned(),
            machine: false,
        }
    }

    /// Returns how messages refer to a body.
    fn named(&self, body: usize) -> String {
        let StrandOrigin { object, strand } = self.origins[body];
        let name = &self.names[object as usize];
        match self.state().bodies[body] {
            Body::Rod(_) => format!("strand {strand} of object `{name}`"),
            Body::Ball(_) => format!("ball `{name}`"),
        }
    }

    /// Returns the description and the remedy of an error of the static solver.
    fn static_failure(&self, error: &RodSimError) -> Option<(String, &'static str)> {
        Some(match error {
            RodSimError::Static { rod, error } => (
                format!("{}: {error}", self.named(*rod)),
                "pin an end, use more frames so that loads grow in smaller increments, or use the dynamic analysis",
            ),
            RodSimError::StaticBall { ball } => (
                format!("{} has no static equilibrium; the static analysis supports rods only", self.named(*ball)),
                "remove it, or write `rods.analysis = \"dynamic\"`",
            ),
            RodSimError::StaticContact => (
                "rods overlap each other or a collider; the static analysis has no contact".to_owned(),
                "move them apart, or write `rods.analysis = \"dynamic\"`",
            ),
            _ => return None,
        })
    }

    /// Returns the bodies of one object, or of all objects.
    fn bodies(&self, object: Option<u32>) -> impl Iterator<Item = usize> + Clone {
        (0..self.state().bodies.len())
            .filter(move |&body| object.is_none_or(|object| self.origins[body].object == object))
    }

    /// Returns the ids of the rods of one object, or of all objects.
    fn rods(&self, object: Option<u32>) -> impl Iterator<Item = RodId> {
        self.bodies(object).filter_map(|body| self.sim.rod_at(body))
    }

    /// Returns the sum of the forces of all holds [N].
    fn reaction(&self, object: Option<u32>) -> DVec3 {
        let counts = |rod: &RodId| object.is_none_or(|object| self.origins[rod.index()].object == object);
        let reactions = self.sim.reactions().into_iter();
        reactions.filter(|(rod, _, _)| counts(rod)).map(|(_, _, reaction)| reaction.force).sum()
    }

    /// Returns the largest value of a load over the points of rods; `None` without rods.
    fn largest_load<T>(
        &self,
        object: Option<u32>,
        of: fn(&RodLoads) -> &Vec<T>,
        size: impl Fn(&T) -> f64,
    ) -> Option<f64> {
        let loads = self.rods(object).filter_map(|rod| self.sim.loads_of(rod).ok());
        let largest = |loads: RodLoads| of(&loads).iter().map(&size).fold(f64::NEG_INFINITY, f64::max);
        loads.map(largest).reduce(f64::max)
    }

    /// Returns the topologies of closed rods.
    fn topologies(&self, object: Option<u32>) -> impl Iterator<Item = Topology> {
        self.rods(object).filter_map(|rod| self.sim.topology_of(rod).ok().flatten())
    }

    /// Returns the sum of the magnitudes of the contact forces on each point [N]. A force on a segment is divided equally between its ends.
    fn contact_forces(&self, first: &[usize]) -> Vec<f32> {
        let mut forces = vec![0.0; self.items()];
        for Touch { key, force, .. } in &self.state().contacts {
            for [body, place] in [key.a, key.b] {
                let (body, place) = (body as usize, place as usize);
                let Some(this) = self.state().bodies.get(body) else { continue };
                // In contacts with colliders, indices of points precede those of segments.
                let against_collider = key.b[0] as usize >= self.state().bodies.len();
                let ends = match place.checked_sub(this.points().len()) {
                    _ if !against_collider => this.ends_of(place),
                    None => [place; 2],
                    Some(segment) => this.ends_of(segment),
                };
                for end in ends {
                    if let Some(sum) = forces.get_mut(first[body] + end) {
                        *sum += 0.5 * force.length();
                    }
                }
            }
        }
        forces.into_iter().map(|force| force as f32).collect()
    }

    /// Returns the components of the balls' rotations; empty if there are no balls.
    fn rotations(&self) -> Vec<Attribute> {
        if !self.state().bodies.iter().any(|body| matches!(body, Body::Ball(_))) {
            return Vec::new();
        }
        let part = |part: usize| {
            let of = |body: &Body| match body {
                Body::Rod(rod) => vec![0.0; rod.centerline().len()],
                Body::Ball(ball) => vec![ball.rotation.to_array()[part] as f32],
            };
            self.state().bodies.iter().flat_map(of).collect()
        };
        let attribute = |(index, name): (usize, &str)| attribute(name, "-", part(index));
        ROTATION.into_iter().enumerate().map(attribute).collect()
    }
}

fn attribute(name: &str, unit: &str, values: Vec<f32>) -> Attribute {
    Attribute { name: name.to_owned(), unit: unit.to_owned(), values }
}

impl Simulation for RodsSimulation {
    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure> {
        if self.is_static {
            let dt = until - self.time();
            return self.sim.settle_at(until).map(|()| StepsTaken::single(dt)).map_err(|error| self.failure(error));
        }
        self.sim.step(until).map(StepsTaken::single).map_err(|error| self.failure(error))
    }

    fn time(&self) -> f64 {
        self.sim.time()
    }

    fn items(&self) -> usize {
        self.state().bodies.iter().map(|body| body.points().len()).sum()
    }

    fn frame(&self, index: u32) -> Frame {
        let bodies = &self.state().bodies;
        let mut first = Vec::with_capacity(bodies.len());
        let mut frame = Frame {
            index,
            time: self.state().time,
            origin: self.params().settings.origin.to_array(),
            ..Frame::default()
        };
        for (body, origin) in bodies.iter().zip(&self.origins) {
            let start = frame.points.len();
            first.push(start);
            frame.points.extend(body.points().iter().map(|x| x.as_vec3().to_array()));
            frame.velocities.extend(body.point_velocities().iter().map(|v| v.as_vec3().to_array()));
            frame.object.resize(frame.points.len(), origin.object);
            if let Body::Rod(_) = body {
                let ends = |segment: usize| body.ends_of(segment).map(|end| (start + end) as u32);
                frame.segments.extend((0..body.segments()).map(ends));
            }
        }
        frame.attributes.push(attribute("contact_force", "N", self.contact_forces(&first)));
        frame.attributes.extend(self.rotations());
        frame.attributes.extend(output::attributes(&self.sim, &self.output));
        let shown = self.params().colliders.iter().take(self.shown_colliders);
        frame.colliders =
            shown.map(|collider| collider.place(self.state().time, self.params().settings.origin).pose()).collect();
        frame
    }

    fn quantities(&self) -> BTreeMap<&'static str, f64> {
        self.sim.quantities()
    }

    fn measure(&self, quantity: Quantity, object: Option<&str>) -> Option<f64> {
        let index = object.map(|name| self.names.iter().position(|known| known == name));
        if index == Some(None) {
            return None;
        }
        let object = index.flatten().map(|index| index as u32);
        let bodies = || self.bodies(object);
        let totals = || self.sim.measures().totals(self.state(), self.params().settings.gravity, bodies());
        let points = || bodies().flat_map(|body| self.state().bodies[body].points().iter());
        let heights = || points().map(|x| (self.params().settings.origin + *x).y);
        let center = || self.params().settings.origin + totals().center;
        Some(match quantity {
            Quantity::Mass => totals().mass,
            // The mass of rods and balls is constant.
            Quantity::MassChange => 0.0,
            Quantity::Lowest => heights().fold(f64::INFINITY, f64::min),
            Quantity::Highest => heights().fold(f64::NEG_INFINITY, f64::max),
            Quantity::Spread => {
                let start = self.sim.measures().start_center(bodies());
                points().map(|x| (x.x - start.x).hypot(x.z - start.z)).fold(0.0, f64::max)
            }
            Quantity::CenterX => center().x,
            Quantity::CenterY => center().y,
            Quantity::CenterZ => center().z,
            Quantity::MaxSpeed => {
                let velocities = bodies().flat_map(|body| self.state().bodies[body].point_velocities());
                velocities.map(DVec3::length).fold(0.0, f64::max)
            }
            Quantity::KineticEnergy => totals().energy.kinetic,
            Quantity::VolumeRatio
            | Quantity::DeepInside
            | Quantity::LengthCorrection
            | Quantity::Parts
            | Quantity::PlasticStrain => return None,
            Quantity::ReactionX => self.reaction(object).x,
            Quantity::ReactionY => self.reaction(object).y,
            Quantity::ReactionZ => self.reaction(object).z,
            Quantity::MaxTension => self.largest_load(object, |loads| &loads.tension, |tension| *tension)?,
            Quantity::MaxBendingMoment => self.largest_load(object, |loads| &loads.bending, |[a, b]| a.hypot(*b))?,
            Quantity::MaxTwistingMoment => self.largest_load(object, |loads| &loads.twisting, |moment| moment.abs())?,
            Quantity::Writhe => self.topologies(object).map(|topology| topology.writhe).sum(),
            Quantity::Link => self.topologies(object).map(|topology| topology.link).sum(),
            Quantity::MaxStretch => self.sim.measures().stretches(self.state(), bodies()).fold(0.0, f64::max),
            Quantity::Torn => {
                self.sim.measures().stretches(self.state(), bodies()).filter(|stretch| *stretch > 2.0).count() as f64
            }
            Quantity::InsideColliders => inside_colliders(self.params(), self.state(), bodies()) as f64,
            Quantity::UnsolvedShare => {
                let Statistics { contact_steps, unsolved_steps, .. } = self.state().statistics;
                unsolved_steps as f64 / contact_steps.max(1) as f64
            }
            Quantity::SmallestGap => {
                let counts = |body: usize| object.is_none_or(|object| self.origins[body].object == object);
                smallest_gap(self.params(), self.state(), counts)
            }
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

    fn estimate(&self) -> Option<Estimate> {
        if self.is_static {
            return None;
        }
        let bodies = &self.state().bodies;
        let balls = bodies.iter().filter(|body| matches!(body, Body::Ball(_))).count();
        let segments: usize = bodies.iter().map(|body| body.segments()).sum();
        let mut contents =
            format!("{} with {}", counted(bodies.len() - balls, "rod"), counted(self.items() - balls, "point"));
        if balls > 0 {
            contents += &format!(", {}", counted(balls, "ball"));
        }
        Some(Estimate {
            contents,
            dt: self.params().settings.dt,
            limit: "`rods.dt`; steps are divided while rods approach fast".to_owned(),
            bytes: (self.items() + segments) as f64 * memory::BYTES_PER_ROD_PARTICLE,
            seconds_per_step: self.items() as f64 * ROD_POINT * 1e-9,
            basis: format!(
                "{} us per point and step; piles with many contacts take several times as long",
                1e-3 * ROD_POINT
            ),
        })
    }
}
