//! Converts the scene's colliders and the walls of its domain to moving bodies.

use super::shape::{Body, body};
use crate::model::extent::rotation_degrees;
use crate::{Contact, Domain, LoadedScene, Motion, SceneError, model};
use fibra_core::geometry::{self, BodyPart, Collider, Keyframes, Plane, RandomTrajectory, RigidPose, Shape, Spin};
use fibra_exchange::{ImportError, read_poses};
use glam::{DQuat, DVec3, Vec3};

/// Cell size of the sampled distance to a mesh, in grid cells [-]: fine enough that the grid does not resolve
/// the sampling.
pub(super) const MESH_CELL: f64 = 0.5;

/// Returns the scene's colliders, in scene order and with figures split into their parts, followed by the walls of the domain.
pub(super) fn colliders(loaded: &LoadedScene) -> Result<Vec<Collider>, SceneError> {
    let scene = &loaded.scene;
    let mut colliders = Vec::new();
    for (index, collider) in scene.colliders.iter().enumerate() {
        for body in collider.bodies() {
            colliders.push(one(loaded, &format!("collider.{index}"), &body)?);
        }
    }
    colliders.extend(scene.domain.iter().flat_map(walls));
    Ok(colliders)
}

fn one(loaded: &LoadedScene, path: &str, collider: &model::Collider) -> Result<Collider, SceneError> {
    let cell = MESH_CELL * loaded.scene.resolution();
    let Body { shape, pose } = body(loaded, &format!("{path}.shape"), &collider.shape, &collider.motion, cell)?;
    Ok(Collider {
        name: collider.name.clone(),
        shape,
        rest: pose,
        motion: match collider.shape {
            // The vertices move; the body itself stays at its rest pose.
            model::Shape::Shawl(_) => geometry::Motion::Still,
            _ => motion(loaded, path, &collider.name, &collider.motion)?,
        },
        contact: contact(collider.contact),
        friction: collider.friction as f32,
    })
}

/// Returns the motion of the body called `name`, which is written at `path` in the scene.
pub(super) fn motion(
    loaded: &LoadedScene,
    path: &str,
    name: &str,
    motion: &Motion,
) -> Result<geometry::Motion, SceneError> {
    movement(motion).map_err(|error| {
        let (path, remedy) = match motion {
            Motion::Recorded(_) => (format!("{path}.motion.recorded.file"), "repair the file, or record it again"),
            _ => (format!("{path}.motion"), "correct the numbers"),
        };
        loaded.error_at(&path, &format!("the motion of `{name}` cannot be used: {error}"), remedy)
    })
}

fn movement(motion: &Motion) -> Result<geometry::Motion, ImportError> {
    Ok(match motion {
        Motion::Still => geometry::Motion::Still,
        Motion::Keyframes(keyframes) => {
            let rotations = match (&keyframes.rotations, &keyframes.rotations_degrees) {
                (Some(quaternions), _) => {
                    quaternions.iter().map(|q| DQuat::from_array(*q).normalize()).collect::<Vec<_>>()
                }
                (None, Some(angles)) => angles.iter().map(|a| DQuat::from_mat3(&rotation_degrees(*a))).collect(),
                (None, None) => vec![DQuat::IDENTITY; keyframes.times.len()],
            };
            let translations = keyframes.translations.iter().map(|t| DVec3::from_array(*t)).collect();
            geometry::Motion::Keyframes(Keyframes::new(keyframes.times.clone(), translations, rotations)?)
        }
        Motion::Spin(spin) => {
            let pivot = spin.pivot.map(DVec3::from_array);
            let spinning = Spin::new(DVec3::from_array(spin.axis), spin.rate, pivot)?;
            geometry::Motion::Spin(spinning.moving(DVec3::from_array(spin.velocity))?)
        }
        Motion::Recorded(recorded) => geometry::Motion::Keyframes(read_poses(&recorded.file, recorded.fps)?),
        Motion::Dance(dance) => {
            let part = dance.part.map_or(BodyPart::Head, BodyPart::from);
            let dancing = geometry::Dance::new(part, dance.rate)?.scaled(dance.scale)?;
            geometry::Motion::Dance(match dance.feet {
                Some(feet) => dancing.standing(DVec3::from_array(feet))?,
                None => dancing,
            })
        }
        Motion::Jump(jump) => {
            let part = jump.part.map_or(BodyPart::Head, BodyPart::from);
            let jumping = geometry::Jump::new(part, jump.start, jump.height, jump.scale)?;
            geometry::Motion::Jump(match jump.feet {
                Some(feet) => jumping.standing(DVec3::from_array(feet))?,
                None => jumping,
            })
        }
        Motion::Random(random) => {
            let turn = DVec3::from_array(random.turn_degrees.map(f64::to_radians));
            let reach = DVec3::from_array(random.reach);
            geometry::Motion::Random(RandomTrajectory::new(random.seed, random.interval, reach, turn)?)
        }
    })
}

fn contact(contact: Contact) -> geometry::Contact {
    match contact {
        Contact::Sticky => geometry::Contact::Sticky,
        Contact::Slip => geometry::Contact::Slip,
        Contact::Separating => geometry::Contact::Separating,
    }
}

/// Returns six planes that face inward.
fn walls(domain: &Domain) -> impl Iterator<Item = Collider> {
    (0..6).map(move |side| {
        let (axis, upper) = (side / 2, side % 2 == 1);
        let (corner, sign) = if upper { (domain.max, -1.0) } else { (domain.min, 1.0) };
        Collider {
            name: format!("domain-{}-{}", if upper { "max" } else { "min" }, ["x", "y", "z"][axis]),
            shape: Shape::Plane(Plane { point: Vec3::ZERO, normal: sign * Vec3::AXES[axis] }),
            rest: RigidPose::at(DVec3::from_array(corner)),
            motion: geometry::Motion::Still,
            contact: contact(domain.wall),
            friction: domain.friction as f32,
        }
    })
}
