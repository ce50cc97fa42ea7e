//! Implements [`Simulation`] for elastons: frames, quantities, checkpoints and error messages.

use crate::estimate::{ELASTON_UNKNOWN, ELASTON_UNKNOWNS, Estimate, counted};
use crate::simulation::{Failure, Simulation};
use fibra_core::StepsTaken;
use fibra_core::frame::{Attribute, Frame};
use fibra_core::stage_clock::Stage as _;
use fibra_core::tensor_file::{TensorFault, TensorFile};
use fibra_elastons::internals::body_measures::Measures;
use fibra_elastons::internals::discretization::Uncovered;
use fibra_elastons::internals::step::{Stage, StepError};
use fibra_elastons::internals::workspace::Workspace;
use fibra_elastons::internals::world::{Params, State};
use fibra_elastons::{ElastonError, ElastonSim};
use fibra_scene::setup::ElastonsSetup;
use fibra_scene::{Quantity, memory};
use glam::DVec3;
use std::collections::BTreeMap;

/// An [`ElastonSim`] built from a scene.
pub struct ElastonsSimulation {
    sim: ElastonSim,
    /// Names of the scene's objects.
    names: Vec<String>,
    /// Number of colliders that are part of the scene and written to frames. The walls of the domain follow them in the list.
    shown_colliders: usize,
    /// Initial mass [kg] and center of mass relative to the run origin [m] of each object; the last entry is for all objects.
    starts: Vec<(f64, DVec3)>,
}

impl ElastonsSimulation {
    /// Creates the simulation of a scene at time 0.
    pub fn new(setup: ElastonsSetup) -> ElastonsSimulation {
        let ElastonsSetup { sim, names, shown_colliders } = setup;
        let mut simulation = ElastonsSimulation { sim, names, shown_colliders, starts: Vec::new() };
        let measures = simulation.measures();
        let start = |object: Option<u32>| {
            let totals = measures.totals(object);
            (totals.mass, totals.center())
        };
        simulation.starts = (0..simulation.names.len() as u32).map(Some).chain([None]).map(start).collect();
        simulation
    }

    /// Returns the settings and the constant data of the scene.
    pub fn params(&self) -> &Params {
        self.sim.params()
    }

    /// Returns the current state.
    pub fn state(&self) -> &State {
        self.sim.state()
    }

    /// Returns the workspace, including statistics of the run.
    pub fn workspace(&self) -> &Workspace {
        self.sim.workspace()
    }

    /// Returns measures of the current state.
    pub fn measures(&self) -> Measures<'_> {
        self.sim.measures()
    }

    /// Returns the name of the object that a sample belongs to.
    fn object_of_sample(&self, sample: usize) -> &str {
        let matter = &self.state().matter;
        let object = matter.anchors.get(sample).map_or(0, |&anchor| matter.objects[anchor as usize]);
        self.names.get(object as usize).map_or("?", String::as_str)
    }

    fn failure(&self, error: ElastonError) -> Failure {
        let (what, stage, remedy) = match error {
            ElastonError::Step(error) => self.step_failure(error),
            error => (error.to_string(), Stage::Solve, "continue from an earlier checkpoint"),
        };
        Failure { what, stage: stage.name().to_owned(), time: self.time(), remedy: remedy.to_owned(), machine: false }
    }

    /// Returns the description, stage and remedy of a failed step.
    fn step_failure(&self, error: StepError) -> (String, Stage, &'static str) {
        match error {
            StepError::Uncovered(Uncovered { what, index }) => (
                format!("{what} {index} is outside the support of all samples"),
                Stage::Topology,
                "use more samples, or a larger elastons.support",
            ),
            StepError::Unsolvable(error) => (
                format!("the equations of a step cannot be solved: {error}"),
                Stage::Factor,
                "reduce elastons.dt, use more elastons per sample, or a softer material",
            ),
            StepError::Resampling(error) => (
                format!("the bodies cannot be resampled: {error}"),
                Stage::Topology,
                "use fewer samples and elastons, a smaller elastons.spacing, or no elastons.resampling",
            ),
            StepError::NotConverged { residual } => (
                format!("the equations of a step did not converge: the residual is {residual:.1e}"),
                Stage::Solve,
                "reduce elastons.dt or elastons.contact.stiffness, or start with smaller velocities",
            ),
            StepError::NotFinite { sample } => (
                format!("the velocity of sample {sample} of object `{}` is not finite", self.object_of_sample(sample)),
                Stage::Solve,
                "reduce elastons.dt, use a softer material, or start with smaller velocities",
            ),
        }
    }

    /// Returns for each object whether it has surface triangles in frames.
    fn objects_with_surface(&self) -> Vec<bool> {
        let matter = &self.state().matter;
        let mut drawn = vec![false; self.names.len()];
        for &piece in &matter.surface.pieces {
            drawn[matter.objects[piece as usize] as usize] = true;
        }
        drawn
    }
}

impl Simulation for ElastonsSimulation {
    fn step(&mut self, until: f64) -> Result<StepsTaken, Failure> {
        self.sim.step(until).map(StepsTaken::single).map_err(|error| self.failure(error))
    }

    fn time(&self) -> f64 {
        self.sim.time()
    }

    fn items(&self) -> usize {
        self.state().matter.cloud.points.len()
    }

    fn frame(&self, index: u32) -> Frame {
        let (measures, matter) = (self.measures(), &self.state().matter);
        let (mut points, mut velocities) = (measures.surface_positions(), measures.surface_velocities());
        let mut pieces = matter.surface.pieces.clone();
        let drawn = self.objects_with_surface();
        let (of_pieces, rates) = (measures.piece_positions(), measures.piece_velocities());
        for piece in (0..of_pieces.len()).filter(|&piece| !drawn[matter.objects[piece] as usize]) {
            points.push(of_pieces[piece]);
            velocities.push(rates[piece]);
            pieces.push(piece as u32);
        }
        let strains: Vec<[f64; 2]> =
            (0..matter.elastons.len()).map(|elaston| measures.mises_strains(elaston)).collect();
        let attribute = |name: &str, which: usize| {
            let of = |&piece: &u32| strains[matter.owners[piece as usize] as usize][which] as f32;
            Attribute { name: name.to_owned(), unit: "-".to_owned(), values: pieces.iter().map(of).collect() }
        };
        let shown = self.params().colliders.iter().take(self.shown_colliders);
        Frame {
            index,
            time: self.time(),
            origin: self.params().origin.to_array(),
            object: pieces.iter().map(|&piece| matter.objects[piece as usize]).collect(),
            points: points.iter().map(|x| x.as_vec3().to_array()).collect(),
            velocities: velocities.iter().map(|v| v.as_vec3().to_array()).collect(),
            attributes: vec![attribute("strain", 0), attribute("plastic_strain", 1)],
            triangles: matter.surface.triangles.clone(),
            colliders: shown.map(|collider| collider.place(self.time(), self.params().origin).pose()).collect(),
            ..Frame::default()
        }
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
        let measures = self.measures();
        let (start_mass, start) = self.starts[index.flatten().unwrap_or(self.names.len())];
        let totals = || measures.totals(object);
        let center = || self.params().origin + totals().center();
        let largest = |of: &dyn Fn(usize) -> f64| measures.elastons(object).map(of).fold(0.0, f64::max);
        let positions = || {
            let all = measures.piece_positions();
            measures.pieces(object).map(|piece| all[piece]).collect::<Vec<DVec3>>()
        };
        let heights = || positions().into_iter().map(|x| (self.params().origin + x).y);
        Some(match quantity {
            Quantity::Mass => totals().mass,
            Quantity::MassChange => totals().mass / start_mass - 1.0,
            Quantity::Lowest => heights().fold(f64::INFINITY, f64::min),
            Quantity::Highest => heights().fold(f64::NEG_INFINITY, f64::max),
            Quantity::Spread => positions().iter().map(|x| (x.x - start.x).hypot(x.z - start.z)).fold(0.0, f64::max),
            Quantity::CenterX => center().x,
            Quantity::CenterY => center().y,
            Quantity::CenterZ => center().z,
            Quantity::MaxSpeed => {
                let rates = measures.piece_velocities();
                measures.pieces(object).map(|piece| rates[piece].length()).fold(0.0, f64::max)
            }
            Quantity::KineticEnergy => totals().kinetic,
            Quantity::VolumeRatio => {
                let [rest, now] = measures.volumes(object);
                now / rest
            }
            Quantity::MaxStretch => largest(&|elaston| measures.stretch(elaston)),
            Quantity::PlasticStrain => largest(&|elaston| measures.mises_strains(elaston)[1]),
            Quantity::InsideColliders => measures.inside_colliders(object) as f64,
            Quantity::Parts => measures.parts(object) as f64,
            Quantity::Torn
            | Quantity::UnsolvedShare
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
            | Quantity::LengthCorrection => return None,
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
        let (matter, unknowns) = (&self.state().matter, self.state().displacements.len());
        let per_unknown = ELASTON_UNKNOWN * (1.0 + unknowns as f64 / ELASTON_UNKNOWNS);
        Some(Estimate {
            contents: format!(
                "{} of {}, {}, {}",
                counted(self.names.len(), "object"),
                counted(matter.cloud.points.len(), "piece"),
                counted(matter.samples.len(), "sample"),
                counted(matter.elastons.len(), "elaston")
            ),
            dt: self.params().dt,
            limit: "`elastons.dt`".to_owned(),
            bytes: matter.cloud.points.len() as f64 * memory::BYTES_PER_PIECE,
            seconds_per_step: unknowns as f64 * per_unknown * 1e-9,
            basis: format!(
                "{:.0} us per unknown and step, {}; contacts take longer",
                1e-3 * per_unknown,
                counted(unknowns, "unknown")
            ),
        })
    }
}
