//! Scenes of rods and balls.

use super::geometry::{Geometry, geometry};
use super::held_strands::{Curves, Holding, holdings};
use super::overlaps::{Obstacles, coordinates};
use super::{collider, origin};
use crate::model::rods::{ContactSolver, NaturalShape, RodModel};
use crate::{LoadedScene, Material, Object, ObjectShape, Rigid, Rod, Rods, SceneError, Shape, Sphere, memory};
use fibra_core::geometry::{Collider, CurveMesh, Strand};
use fibra_rods::ball::Ball;
use fibra_rods::body::Body;
use fibra_rods::contact::Contact;
use fibra_rods::contact::detection::{Surface, Surroundings, detect};
use fibra_rods::corde::Corde;
use fibra_rods::discrete_elastic::DiscreteElastic;
use fibra_rods::error::RodError;
use fibra_rods::fixed::FixedRod;
use fibra_rods::mass_spring::MassSpring;
use fibra_rods::one_step::solve::{Solver, SolverSettings};
use fibra_rods::rod::{self, Hold, RodMaterial, RodParams};
use fibra_rods::super_helix::SuperHelix;
use fibra_rods::world::{Params, State};
use glam::{DQuat, DVec3};
use std::f64::consts::PI;

/// How deep bodies may be in each other at the start, over the radius of the thinner one [-].
const DEEPEST: f64 = 0.1;

/// Bodies, and what belongs to each.
#[derive(Default)]
struct Bodies {
    bodies: Vec<Body>,
    surfaces: Vec<Surface>,
    origins: Vec<StrandOrigin>,
}

impl Bodies {
    fn add(&mut self, body: Body, friction: f64, restitution: f64, origin: StrandOrigin) {
        self.bodies.push(body);
        self.surfaces.push(Surface { friction, restitution });
        self.origins.push(origin);
    }
}

/// Where a body comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrandOrigin {
    /// Index of the object in the scene.
    pub object: u32,
    /// Number of the strand in the object.
    pub strand: u32,
}

/// What a scene of rods starts from.
pub struct RodsSetup {
    /// Everything the user set.
    pub params: Params,
    /// The bodies.
    pub state: State,
    /// Names of the scene's objects.
    pub names: Vec<String>,
    /// Where each body comes from.
    pub origins: Vec<StrandOrigin>,
    /// How many of the colliders are the scene's own and go into frames; walls of the domain follow them.
    pub shown_colliders: usize,
}

/// Sets up a scene of rods, at its start.
pub(super) fn set_up(loaded: &LoadedScene, rods: &Rods) -> Result<RodsSetup, SceneError> {
    let scene = &loaded.scene;
    let geometries: Vec<Geometry> =
        (0..scene.objects.len()).map(|object| geometry(loaded, object)).collect::<Result<_, _>>()?;
    memory::check_rods(geometries.iter().map(Geometry::amount).sum(), rods, memory::installed())
        .map_err(|refusal| loaded.error_at("rods.spacing", &refusal.message, &refusal.remedy))?;
    let colliders = collider::colliders(loaded)?;
    let origin = origin::run_origin(loaded, geometries.iter().flat_map(points))?;

    let mut bodies = Bodies::default();
    for (index, (object, geometry)) in scene.objects.iter().zip(&geometries).enumerate() {
        match (&object.material, geometry, &object.shape) {
            (Material::Rod(rod), Geometry::Curves(mesh), _) => {
                add_strands(loaded, index, rod, mesh, &colliders, origin, &mut bodies)?;
            }
            (Material::Rigid(rigid), _, ObjectShape::Solid(Shape::Sphere(sphere))) => {
                let whole = StrandOrigin { object: index as u32, strand: 0 };
                bodies.add(Body::Ball(ball(object, rigid, sphere, origin)), rigid.friction, rigid.restitution, whole);
            }
            // Loading has refused it already.
            _ => return Err(loaded.error_at(&format!("object.{index}.shape"), "rods cannot be this", "use curves")),
        }
    }
    let Bodies { bodies, surfaces, origins } = bodies;
    check_overlaps(loaded, &bodies, &surfaces, &origins, &colliders, origin)?;

    let params = Params {
        gravity: DVec3::from_array(scene.gravity),
        origin,
        dt: rods.dt,
        surfaces,
        colliders,
        solver: solver(rods),
    };
    let state = State { time: 0.0, steps: 0, bodies, contacts: Vec::new() };
    let names = scene.objects.iter().map(|object| object.name.clone()).collect();
    Ok(RodsSetup { params, state, names, origins, shown_colliders: scene.bodies().len() })
}

/// Where a shape is [m].
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

fn ball(object: &Object, rigid: &Rigid, sphere: &Sphere, origin: DVec3) -> Ball {
    let ([x, y, z], [wx, wy, wz]) = (object.velocity, object.angular_velocity);
    Ball {
        radius: sphere.radius,
        mass: rigid.density * 4.0 / 3.0 * PI * sphere.radius.powi(3),
        drag: rigid.drag,
        center: DVec3::from_array(sphere.center) - origin,
        rotation: DQuat::IDENTITY,
        velocity: [x, y, z, wx, wy, wz],
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
        let made = make(rod, mesh, strand, holding, velocity, origin).map_err(|error| {
            let (field, remedy) = remedy(&error);
            let message = format!("strand {number} of `{}` cannot be a rod: {error}", loaded.scene.objects[index].name);
            loaded.error_at(&format!("{path}.{field}"), &message, remedy)
        })?;
        let whole = StrandOrigin { object: index as u32, strand: number as u32 };
        bodies.add(Body::Rod(made), rod.friction, rod.restitution, whole);
    }
    Ok(())
}

/// The rod along a strand.
fn make(
    rod: &Rod,
    mesh: &CurveMesh,
    strand: &Strand,
    holding: Holding,
    velocity: DVec3,
    origin: DVec3,
) -> Result<Box<dyn rod::Rod>, RodError> {
    let Holding { mut ends, whole, .. } = holding;
    let mut points: Vec<DVec3> = strand.points.iter().map(|&point| mesh.points()[point as usize]).collect();
    // A super-helix is built from its root, which is what holds it.
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
    };
    let natural = match rod.natural {
        NaturalShape::AsMade => Some(points.clone()),
        NaturalShape::Straight => None,
    };
    let params = RodParams { material, points, natural, closed: strand.closed, velocity, ends };
    if let Some(motion) = whole {
        return Ok(Box::new(FixedRod::new(params, motion, origin)?));
    }
    Ok(match rod.model {
        RodModel::MassSpring => Box::new(MassSpring::new(params, origin)?),
        RodModel::Corde => Box::new(Corde::new(params, origin)?),
        RodModel::SuperHelix => Box::new(SuperHelix::new(params, rod.elements as usize, origin)?),
        RodModel::DiscreteElastic => Box::new(DiscreteElastic::new(params, origin)?),
    })
}

/// The field of an object to change, and how.
fn remedy(error: &RodError) -> (&'static str, &'static str) {
    match error {
        RodError::NaturalCurved { .. } => {
            ("material.rod.natural", "write `natural = \"straight\"`, or use the model `discrete-elastic`")
        }
        RodError::Closed { .. } => ("material.rod.model", "use the model `discrete-elastic` for loops"),
        RodError::OutOfRange { .. } | RodError::VectorNotFinite { .. } => ("material.rod", "write another number"),
        _ => ("shape", "change the shape, or the spacing of its points"),
    }
}

/// Rejects bodies that start in each other or in colliders.
fn check_overlaps(
    loaded: &LoadedScene,
    bodies: &[Body],
    surfaces: &[Surface],
    origins: &[StrandOrigin],
    colliders: &[Collider],
    origin: DVec3,
) -> Result<(), SceneError> {
    let obstacles = Obstacles::new(loaded, colliders, origin);
    let velocities: Vec<Vec<DVec3>> = bodies.iter().map(Body::point_velocities).collect();
    let contacts = detect(&Surroundings {
        bodies,
        velocities: &velocities,
        surfaces,
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
