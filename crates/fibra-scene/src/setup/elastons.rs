//! Setup of method `elastons`.

use super::collider::motion;
use super::elaston_matter::Bodies;
use super::elaston_parts::{Part, part};
use super::geometry::{Maker, pose};
use super::overlaps::{Obstacles, coordinates};
use super::pin::{guide, region};
use super::rejected::too_large;
use super::{collider, origin};
use crate::model::memory::{self, Amount};
use crate::{ElastonMaterial, ElastonOrder, Elastons, LoadedScene, Material, SceneError, model};
use fibra_core::geometry::{Bounds, Collider, TriangleMesh};
use fibra_elastons::ElastonSim;
use fibra_elastons::internals::gmls::Order;
use fibra_elastons::internals::law::Elasticity;
use fibra_elastons::internals::world::{
    Blade, ContactLaw, Hold, Matter, Params, Plasticity, Resampling, Section, State, Substance,
};
use glam::{DVec3, Vec3};

/// Initial state of a scene of elastons.
pub struct ElastonsSetup {
    /// The bodies and their colliders.
    pub sim: ElastonSim,
    /// Names of the scene's objects.
    pub names: Vec<String>,
    /// Number of colliders that belong to the scene and are written to frames; walls of the domain follow them.
    pub shown_colliders: usize,
}

/// Sets up a scene of elastons at its start.
pub(super) fn set_up(loaded: &LoadedScene, settings: &Elastons) -> Result<ElastonsSetup, SceneError> {
    let scene = &loaded.scene;
    let mut parts: Vec<Part> = Vec::new();
    for index in 0..scene.objects.len() {
        parts.push(part(loaded, index, settings, material(loaded, index)?)?);
    }
    let pieces: usize = parts.iter().map(|part| part.cloud.points.len()).sum();
    let amount = Amount { mesh_particles: 2.0 * pieces as f64, ..Amount::default() };
    memory::check_elastons(amount, settings, memory::installed()).map_err(|refusal| {
        let boxes = parts.iter().map(|part| Bounds::around(part.cloud.points.iter().copied()));
        too_large(loaded, "elastons.spacing", &refusal, boxes)
    })?;
    let colliders = collider::colliders(loaded)?;
    let origin = origin::run_origin(loaded, parts.iter().flat_map(|part| part.cloud.points.iter().copied()))?;
    let bodies = Bodies::new(loaded, settings, parts, origin)?;
    let (points, owners) = bodies.pieces();
    let holds = holds(loaded, &points, &owners, &colliders, origin)?;
    let matter = bodies.sample(loaded, settings, &holds)?;
    check_overlaps(loaded, &matter, &colliders, origin)?;

    let mut objects = Vec::new();
    for index in 0..scene.objects.len() {
        objects.push(substance(material(loaded, index)?, &matter, index as u32));
    }
    let order = match settings.order {
        ElastonOrder::First => Order::First,
        ElastonOrder::Second => Order::Second,
    };
    let params = Params {
        gravity: DVec3::from_array(scene.gravity),
        origin,
        dt: settings.dt,
        order,
        support: settings.support,
        mass_damping: settings.mass_damping,
        stiffness_damping: settings.stiffness_damping,
        hold_stiffness: settings.hold_stiffness,
        objects,
        holds,
        colliders,
        contact: ContactLaw {
            stiffness: settings.contact.stiffness,
            friction: settings.contact.friction,
            between_bodies: settings.contact.between_bodies,
        },
        blades: (0..scene.blades.len()).map(|index| blade(loaded, index)).collect::<Result<_, _>>()?,
        resampling: settings.resampling.as_ref().map(|r| Resampling { interval: r.interval, merge: r.merge }),
    };
    let mut state = State::new(order, matter);
    set_velocities(loaded, order, &mut state, origin);
    let names = scene.objects.iter().map(|object| object.name.clone()).collect();
    let sim = ElastonSim::from_parts(params, state).map_err(|error| {
        loaded.error_at("elastons.spacing", &format!("the objects cannot be sampled: {error}"), "write other numbers")
    })?;
    Ok(ElastonsSetup { sim, names, shown_colliders: scene.bodies().len() })
}

fn material(loaded: &LoadedScene, index: usize) -> Result<&ElastonMaterial, SceneError> {
    match &loaded.scene.objects[index].material {
        Material::Elastic(elastic) => Ok(elastic),
        // Loading rejects other materials.
        _ => Err(loaded.error_at(&format!("object.{index}.material"), "elastons are elastic", "use `elastic`")),
    }
}

/// Sets the initial velocities of the samples. A sample belongs to the object that contains its anchor.
fn set_velocities(loaded: &LoadedScene, order: Order, state: &mut State, origin: DVec3) {
    for (index, object) in loaded.scene.objects.iter().enumerate() {
        let [velocity, spin, center] =
            [object.velocity, object.angular_velocity, object.shape.center()].map(DVec3::from_array);
        state.set_rigid_velocity(order, index as u32, [velocity, spin, center - origin]);
    }
}

/// Returns the material of an object. Samples and elastons are counted for the object that most of their material belongs to.
fn substance(material: &ElastonMaterial, matter: &Matter, object: u32) -> Substance {
    let [samples, elastons] = matter.counts(object);
    let plasticity = material.plasticity.as_ref().map(|plasticity| Plasticity {
        yield_strain: plasticity.yield_strain,
        creep: plasticity.creep.unwrap_or(f64::INFINITY),
    });
    Substance {
        elasticity: Elasticity { young: material.youngs_modulus, poisson: material.poisson_ratio },
        density: material.density,
        plasticity,
        samples,
        elastons,
        section: if material.radius.is_some() && material.section.is_none() {
            Section::Round
        } else {
            Section::Rectangular
        },
    }
}

/// Returns the pins of all objects. `points` are the positions of the pieces [m], and `owners` their objects.
fn holds(
    loaded: &LoadedScene,
    points: &[DVec3],
    owners: &[u32],
    colliders: &[Collider],
    origin: DVec3,
) -> Result<Vec<Hold>, SceneError> {
    let mut holder: Vec<Option<usize>> = vec![None; points.len()];
    let mut holds = Vec::new();
    for (index, object) in loaded.scene.objects.iter().enumerate() {
        for (number, pin) in object.pins.iter().enumerate() {
            let path = format!("object.{index}.pin.{number}");
            let region = region(loaded, &path, &pin.region, origin)?;
            let inside = |piece: &usize| region.signed_distance(points[*piece].as_vec3()) <= 0.0;
            let own = (0..points.len()).filter(|&piece| owners[piece] as usize == index);
            let caught: Vec<usize> = own.filter(inside).collect();
            if caught.is_empty() {
                let message = format!("`{{}}` pins nothing: no piece of `{}` is inside its region", object.name);
                return Err(loaded.error_at(&path, &message, "move the region, or make it larger"));
            }
            if let Some(other) = caught.iter().find_map(|&piece| holder[piece]) {
                let message = format!("`{{}}` and pin {other} of `{}` pin the same pieces", object.name);
                return Err(loaded.error_at(&path, &message, "keep the regions of an object's pins apart"));
            }
            caught.iter().for_each(|&piece| holder[piece] = Some(number));
            let starts: Vec<DVec3> = caught.iter().map(|&piece| points[piece]).collect();
            let pieces: Vec<u32> = caught.iter().map(|&piece| piece as u32).collect();
            let places: Vec<DVec3> = starts.iter().map(|start| origin + *start).collect();
            for (group, motion, pivot) in guide(loaded, &path, pin, colliders)?.groups(&places) {
                holds.push(Hold {
                    starts: starts[group.clone()].to_vec(),
                    pieces: pieces[group].to_vec(),
                    motion: motion.about(pivot),
                    until: pin.until.unwrap_or(f64::INFINITY),
                });
            }
        }
    }
    Ok(holds)
}

/// Rejects pieces that start inside a collider, unless they are pinned to it.
fn check_overlaps(
    loaded: &LoadedScene,
    matter: &Matter,
    colliders: &[Collider],
    origin: DVec3,
) -> Result<(), SceneError> {
    let obstacles = Obstacles::new(loaded, colliders, origin);
    for index in 0..loaded.scene.objects.len() {
        let points: Vec<DVec3> = matter.pieces_of(index as u32).map(|piece| matter.cloud.points[piece]).collect();
        let positions: Vec<Vec3> = points.iter().map(|point| point.as_vec3()).collect();
        let allowed = |collider: Option<&str>| match collider {
            Some(collider) if is_held_by(loaded, index, collider) => 1.0,
            _ => 0.0,
        };
        obstacles.check(index, &positions, allowed, |overlap| {
            let other =
                overlap.collider.map_or("outside the domain".to_owned(), |name| format!("inside collider `{name}`"));
            let (object, piece) = (overlap.object, overlap.first);
            let at = coordinates(origin + points[piece]);
            let message = format!("object `{object}` starts {other}, with piece {piece} at {at}");
            (message, "move one of the two, or make it smaller")
        })?;
    }
    Ok(())
}

fn is_held_by(loaded: &LoadedScene, object: usize, collider: &str) -> bool {
    loaded.scene.objects[object].pins.iter().any(|pin| pin.follow.as_deref() == Some(collider))
}

/// Returns the blade with this index, in world coordinates.
fn blade(loaded: &LoadedScene, index: usize) -> Result<Blade, SceneError> {
    let model::Blade { name, shape, motion: moving, from, until } = &loaded.scene.blades[index];
    let path = format!("blade.{index}");
    let maker = Maker { loaded, path: format!("{path}.shape.{}", shape.name()) };
    // A flat blade needs no more than two triangles; a curved one is as fine as the pieces it cuts.
    let usual = match shape {
        model::surface::SurfaceShape::Sheet(sheet) => sheet.width.max(sheet.depth),
        _ => loaded.scene.resolution(),
    };
    let mesh = maker.surface(shape, shape.spacing(usual).unwrap_or(usual))?;
    let pose = pose(shape.place());
    let surface: TriangleMesh = maker.placed(&mesh, &pose)?;
    let motion = motion(loaded, &path, name, moving)?;
    let pivot = motion.pivot(pose.translation);
    Ok(Blade { surface, motion: motion.about(pivot), from: *from, until: until.unwrap_or(f64::INFINITY) })
}

#[cfg(test)]
mod tests {
    use super::super::set_up_elastons;
    use crate::Scene;
    use glam::DVec3;

    /// A bar along x about [`x`, 0, 0] m and a blade that is rotated about its own center and moves down across the bar.
    fn cut_bar(x: f64) -> String {
        format!(
            "title = \"cut\"\nmethod = \"elastons\"\ngravity = [0, 0, 0]\n\
             [time]\nframes = 1\nfps = 10\n\
             [elastons]\nspacing = 0.02\ndt = 0.01\n\
             [[object]]\nname = \"bar\"\nshape.box = {{ center = [{x}, 0, 0], size = [0.4, 0.04, 0.04] }}\n\
             material.elastic = {{ density = 1000, youngs_modulus = 1e5, poisson_ratio = 0.3 }}\n\
             sampling = {{ samples = 20, elastons = 60 }}\n\
             [[blade]]\nname = \"blade\"\nshape.sheet = {{ center = [{x}, 0.2, 0], width = 0.2, depth = 0.2 }}\n\
             motion.keyframes = {{ times = [0, 0.1], translations = [[0, 0, 0], [0, -0.2, 0]], \
             rotations = [[0, 0, 0.7071067811865476, 0.7071067811865476], [0, 0, 0.7071067811865476, 0.7071067811865476]] }}\n\
             from = 0\nuntil = 0.1\n"
        )
    }

    /// Setup and sweep both subtracted the run origin from a blade's vertices, so that blades missed in scenes far from the world origin.
    #[test]
    fn blades_cut_far_from_the_world_origin() {
        let run = |x: f64| {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("cut.toml");
            std::fs::write(&file, cut_bar(x)).unwrap();
            let loaded = Scene::load(file.to_str().unwrap(), None, &[]).unwrap();
            let mut sim = set_up_elastons(&loaded).unwrap().sim;
            sim.advance(0.1).unwrap();
            let places: Vec<DVec3> = sim.positions().iter().map(|place| *place - x * DVec3::X).collect();
            (sim.quantities()["parts"], places)
        };
        let (parts, near) = run(0.0);
        let (far_parts, far) = run(1000.0);
        assert_eq!([parts, far_parts], [2.0, 2.0]);
        // Coordinates of 1000 m are rounded to 1e-13 m.
        assert!(near.iter().zip(&far).all(|(near, far)| near.distance(*far) < 1e-9));
    }
}
