//! Setup of method `rods`: rods and balls.

use super::geometry::{Geometry, geometry};
use super::held_strands::{Curves, Holding, holdings};
use super::overlaps::{Obstacles, coordinates};
use super::rejected::too_large;
use super::{collider, origin};
use crate::model::rods::{ContactSolver, Integrator, NaturalShape, RodModel};
use crate::{
    LoadedScene, Material, Object, ObjectShape, Rigid, Rod, RodAnalysis, RodOutput, RodSection, Rods, SceneError,
    SectionSize, SectionStiffness, Shape, Sphere, memory,
};
use fibra_core::geometry::{Collider, CurveMesh, Strand};
use fibra_rods::internals::body::Body;
use fibra_rods::internals::contact::Contact;
use fibra_rods::internals::contact::detection::{Surroundings, detect};
use fibra_rods::{
    self as rods, BallInput, BodyId, ColliderId, Hold, PairValues, RodError, RodId, RodInput, RodMaterial, RodSettings,
    RodSim, Section, SectionShape, Solver, SolverSettings, Surface,
};
use glam::DVec3;

/// Largest initial penetration of two bodies, relative to the radius of the thinner one [-].
const DEEPEST: f64 = 0.1;

/// Bodies and their origin in the scene.
struct Bodies {
    sim: RodSim,
    origins: Vec<StrandOrigin>,
    ids: Vec<BodyId>,
}

/// Origin of a body in the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrandOrigin {
    /// Index of the object in the scene.
    pub object: u32,
    /// Index of the strand in the object.
    pub strand: u32,
}

/// Initial state of a scene of rods.
pub struct RodsSetup {
    /// The rods, balls and colliders.
    pub sim: RodSim,
    /// Names of the scene's objects.
    pub names: Vec<String>,
    /// Origin of each body in the scene.
    pub origins: Vec<StrandOrigin>,
    /// Number of colliders that belong to the scene and are written to frames; walls of the domain follow them.
    pub shown_colliders: usize,
    /// Attributes written to frames.
    pub output: Vec<RodOutput>,
    /// Whether each frame is a static equilibrium.
    pub is_static: bool,
}

/// Sets up a scene of rods at its start.
pub(super) fn set_up(loaded: &LoadedScene, rods: &Rods) -> Result<RodsSetup, SceneError> {
    let scene = &loaded.scene;
    let geometries: Vec<Geometry> =
        (0..scene.objects.len()).map(|object| geometry(loaded, object)).collect::<Result<_, _>>()?;
    memory::check_rods(geometries.iter().map(Geometry::amount).sum(), rods, memory::installed())
        .map_err(|refusal| too_large(loaded, "rods.spacing", &refusal, geometries.iter().map(Geometry::bounds)))?;
    let colliders = collider::colliders(loaded)?;
    let origin = origin::run_origin(loaded, geometries.iter().flat_map(points))?;

    let settings = RodSettings {
        gravity: DVec3::from_array(scene.gravity),
        dt: rods.dt,
        origin,
        integrator: match rods.integrator {
            Integrator::Euler => rods::Integrator::Euler,
            Integrator::Midpoint => rods::Integrator::Midpoint,
        },
        solver: solver(rods),
    };
    let cannot = |path: &str, error: RodError| loaded.error_at(path, &error.to_string(), "write another number");
    let sim = RodSim::new(settings).map_err(|error| cannot("rods", error))?;
    let mut bodies = Bodies { sim, origins: Vec::new(), ids: Vec::new() };
    for (index, (object, geometry)) in scene.objects.iter().zip(&geometries).enumerate() {
        match (&object.material, geometry, &object.shape) {
            (Material::Rod(rod), Geometry::Curves(mesh), _) => {
                add_strands(loaded, index, rod, mesh, &colliders, origin, &mut bodies)?;
            }
            (Material::Rigid(rigid), _, ObjectShape::Solid(Shape::Sphere(sphere))) => {
                let added = bodies.sim.add_ball(ball(object, rigid, sphere));
                let id = added.map_err(|error| cannot(&format!("object.{index}"), error))?;
                bodies.ids.push(BodyId::Ball(id));
                bodies.origins.push(StrandOrigin { object: index as u32, strand: 0 });
            }
            // Loading rejects rods that are not made of curves.
            _ => return Err(loaded.error_at(&format!("object.{index}.shape"), "rods must be curves", "use curves")),
        }
    }
    let mut ids = Vec::new();
    for (index, collider) in colliders.into_iter().enumerate() {
        let added = bodies.sim.add_collider(collider);
        ids.push(added.map_err(|error| cannot(&format!("collider.{index}"), error))?);
    }
    set_pairs(loaded, rods, &mut bodies, &ids)?;
    let Bodies { sim, origins, .. } = bodies;
    check_overlaps(loaded, &sim, &origins)?;
    let names = scene.objects.iter().map(|object| object.name.clone()).collect();
    Ok(RodsSetup {
        sim,
        names,
        origins,
        shown_colliders: scene.bodies().len(),
        output: rods.output.clone(),
        is_static: rods.analysis == RodAnalysis::Static,
    })
}

/// Sets the friction and restitution of the pairs of `rods.pair`. Objects and colliders are groups, numbered from 1.
fn set_pairs(
    loaded: &LoadedScene,
    rods: &Rods,
    bodies: &mut Bodies,
    colliders: &[ColliderId],
) -> Result<(), SceneError> {
    let scene = &loaded.scene;
    if rods.pairs.is_empty() {
        return Ok(());
    }
    let cannot = |error: String| loaded.error_at("rods.pair", &error, "write another pair");
    let objects = scene.objects.iter().map(|object| object.name.as_str());
    let names: Vec<&str> = objects.chain(scene.colliders.iter().map(|collider| collider.name.as_str())).collect();
    let Bodies { sim, origins, ids } = bodies;
    let of_objects = ids.iter().zip(origins).map(|(id, origin)| (*id, origin.object));
    // A collider may consist of several bodies; walls of the domain follow.
    let parts = scene.colliders.iter().enumerate().flat_map(|(index, collider)| {
        std::iter::repeat_n((scene.objects.len() + index) as u32, collider.bodies().len())
    });
    let of_colliders = colliders.iter().zip(parts).map(|(id, group)| (BodyId::Collider(*id), group));
    for (id, group) in of_objects.chain(of_colliders) {
        sim.assign_group(id, group + 1).map_err(|error| cannot(error.to_string()))?;
    }
    for pair in &rods.pairs {
        let group = |name: &String| names.iter().position(|known| known == name).map_or(0, |at| at as u32 + 1);
        let values = PairValues { friction: pair.friction, restitution: pair.restitution };
        sim.set_pair(pair.between.each_ref().map(group), values).map_err(|error| cannot(error.to_string()))?;
    }
    Ok(())
}

/// Returns the points of a shape [m].
fn points(geometry: &Geometry) -> Vec<DVec3> {
    match geometry {
        Geometry::Solid(body) => vec![body.pose.translation],
        Geometry::Surface(mesh) => mesh.vertices().to_vec(),
        Geometry::Curves(mesh) => mesh.points().to_vec(),
    }
}

fn solver(rods: &Rods) -> SolverSettings {
    SolverSettings {
        solver: match rods.solver {
            ContactSolver::Auto => Solver::Auto,
            ContactSolver::Newton => Solver::Newton,
            ContactSolver::GaussSeidel => Solver::GaussSeidel,
        },
        tolerance: rods.tolerance,
        newton_iterations: rods.newton_iterations as usize,
        sweeps: rods.sweeps as usize,
    }
}

fn ball(object: &Object, rigid: &Rigid, sphere: &Sphere) -> BallInput {
    BallInput {
        center: DVec3::from_array(sphere.center),
        radius: sphere.radius,
        density: rigid.density,
        drag: rigid.drag,
        surface: Surface { friction: rigid.friction, restitution: rigid.restitution },
        velocity: DVec3::from_array(object.velocity),
        angular_velocity: DVec3::from_array(object.angular_velocity),
    }
}

fn add_strands(
    loaded: &LoadedScene,
    index: usize,
    rod: &Rod,
    mesh: &CurveMesh,
    colliders: &[Collider],
    origin: DVec3,
    bodies: &mut Bodies,
) -> Result<(), SceneError> {
    let path = format!("object.{index}");
    let strands = mesh.strands().map_err(|junction| {
        let message = format!("the curves of `{{}}` cannot be rods: {junction}");
        loaded.error_at(&format!("{path}.shape"), &message, "use curves without junctions, or material `fiber`")
    })?;
    let holdings = holdings(loaded, &Curves { object: index, mesh, strands: &strands, origin }, colliders)?;
    let velocity = DVec3::from_array(loaded.scene.objects[index].velocity);
    for (number, (strand, holding)) in strands.iter().zip(holdings).enumerate() {
        let id = add_strand(&mut bodies.sim, rod, mesh, strand, holding, velocity).map_err(|error| {
            let (field, remedy) = remedy(&error);
            let message = format!("strand {number} of `{}` cannot be a rod: {error}", loaded.scene.objects[index].name);
            loaded.error_at(&format!("{path}.{field}"), &message, remedy)
        })?;
        bodies.ids.push(BodyId::Rod(id));
        bodies.origins.push(StrandOrigin { object: index as u32, strand: number as u32 });
    }
    Ok(())
}

/// Adds the rod along a strand.
fn add_strand(
    sim: &mut RodSim,
    rod: &Rod,
    mesh: &CurveMesh,
    strand: &Strand,
    holding: Holding,
    velocity: DVec3,
) -> Result<RodId, RodError> {
    let Holding { mut ends, whole, .. } = holding;
    let mut points: Vec<DVec3> = strand.points.iter().map(|&point| mesh.points()[point as usize]).collect();
    // A super-helix is built from its root, which must be the pinned end.
    if rod.model == RodModel::SuperHelix && ends[0].hold == Hold::Free && ends[1].hold != Hold::Free {
        points.reverse();
        ends.reverse();
    }
    let material = RodMaterial {
        radius: rod.radius,
        density: rod.density,
        youngs_modulus: rod.youngs_modulus,
        poisson_ratio: rod.poisson_ratio,
        drag: rod.drag,
        internal_damping: rod.internal_damping,
        section: rod.section.map_or(Section::CIRCULAR, section),
    };
    let input = RodInput {
        points,
        closed: strand.closed,
        model: match rod.model {
            RodModel::MassSpring => rods::RodModel::MassSpring,
            RodModel::Corde => rods::RodModel::Corde,
            RodModel::SuperHelix => rods::RodModel::SuperHelix { elements: rod.elements as usize },
            RodModel::DiscreteElastic => rods::RodModel::DiscreteElastic,
        },
        material,
        surface: Surface { friction: rod.friction, restitution: rod.restitution },
        natural: match rod.natural {
            NaturalShape::AsMade => rods::NaturalShape::AsGiven,
            NaturalShape::Straight => rods::NaturalShape::Straight,
        },
        twist: rod.twist,
        link: rod.link,
        velocity,
        ends,
    };
    match whole {
        Some(motions) => sim.add_deforming_rail(input, motions),
        None => sim.add_rod(input),
    }
}

fn section(section: RodSection) -> Section {
    let shape = match section {
        RodSection::Elliptic(SectionSize { width, height, .. }) => SectionShape::Elliptic { width, height },
        RodSection::Rectangular(SectionSize { width, height, .. }) => SectionShape::Rectangular { width, height },
        RodSection::Stiffness(SectionStiffness { bending, twisting, .. }) => {
            SectionShape::Stiffness { bending, twisting }
        }
    };
    Section { shape, axis: DVec3::from_array(section.axis()) }
}

/// Returns the field of an object to change, and how.
fn remedy(error: &RodError) -> (&'static str, &'static str) {
    match error {
        RodError::NaturalCurved { .. } => {
            ("material.rod.natural", "write `natural = \"straight\"`, or use the model `discrete-elastic`")
        }
        RodError::Closed { .. } => ("material.rod.model", "use the model `discrete-elastic` for loops"),
        RodError::Section { .. } => {
            ("material.rod.section", "use the model `discrete-elastic`, or leave the section out")
        }
        RodError::SectionAxis { .. } => {
            ("material.rod.section", "choose an axis that is not parallel to the first segment of any rod")
        }
        RodError::Twist { .. } => ("material.rod.model", "use the model `discrete-elastic` or `corde`"),
        RodError::Link => ("material.rod.link", "set `twist` for open rods, and only one of both for closed rods"),
        RodError::OutOfRange { .. } | RodError::VectorNotFinite { .. } => ("material.rod", "write another number"),
        _ => ("shape", "change the shape, or the spacing of its points"),
    }
}

/// Rejects bodies that start inside each other or inside colliders.
fn check_overlaps(loaded: &LoadedScene, sim: &RodSim, origins: &[StrandOrigin]) -> Result<(), SceneError> {
    let (params, bodies) = (sim.params(), &sim.state().bodies);
    let origin = params.settings.origin;
    let obstacles = Obstacles::new(loaded, &params.colliders, origin);
    let velocities: Vec<Vec<DVec3>> = bodies.iter().map(Body::point_velocities).collect();
    let contacts = detect(&Surroundings {
        bodies,
        velocities: &velocities,
        surfaces: &params.surfaces,
        pairs: &params.pairs,
        colliders: obstacles.placed(),
        dt: 0.0,
        gravity: DVec3::ZERO,
        before: &Default::default(),
    });
    let radius_of = |contact: &Contact| {
        let other = contact.b.map_or(f64::INFINITY, |side| bodies[side.body].radius());
        bodies[contact.a.body].radius().min(other)
    };
    let depth = |contact: &Contact| -contact.gap / radius_of(contact);
    let Some(worst) = contacts.iter().max_by(|x, y| depth(x).total_cmp(&depth(y))) else { return Ok(()) };
    if depth(worst) <= DEEPEST {
        return Ok(());
    }
    let named = |body: usize| {
        let StrandOrigin { object, strand } = origins[body];
        let name = &loaded.scene.objects[object as usize].name;
        match bodies[body] {
            Body::Rod(_) => format!("strand {strand} of `{name}`"),
            Body::Ball(_) => format!("ball `{name}`"),
        }
    };
    let other = match worst.b {
        Some(side) if side.body == worst.a.body => "itself".to_owned(),
        Some(side) => named(side.body),
        None => obstacles
            .name(worst.key.b[1] as usize)
            .map_or("a wall of the domain".to_owned(), |name| format!("collider `{name}`")),
    };
    let body = &bodies[worst.a.body];
    let [from, to] = body.ends_of(worst.a.at.segment).map(|end| body.points()[end]);
    let at = coordinates(origin + from.lerp(to, worst.a.at.share));
    let message = format!("{} starts inside {other}, {:.2e} m deep at {at}", named(worst.a.body), -worst.gap);
    let object = origins[worst.a.body].object as usize;
    Err(obstacles.error(object, &message, "move them apart, or make the radius smaller"))
}
