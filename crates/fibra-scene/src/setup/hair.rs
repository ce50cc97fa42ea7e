//! Setup of method `hair`.

use super::hair_strands::{Grown, grown};
use super::moving::Moving;
use super::overlaps::{MOST_INSIDE, Obstacles};
use super::pin::region;
use super::rejected::too_large;
use super::{collider, origin};
use crate::model::memory::{self, Amount};
use crate::{Hair, HairBetween, HairMaterial, LoadedScene, Material, NaturalShape, SceneError};
use fibra_core::geometry::{
    Bounds, Collider, Contact, GuidedStrands, RigidPose, Shape, StrandBlend, StrandFlaw, StrandSet,
};
use fibra_hair::{
    Between, GridSettings, HairCollider, HairError, HairSettings, HairSim, HeadLimits, RestShape, StrandError,
    StrandInput, StrandMaterial, StrandParams,
};
use glam::{DVec3, Vec3};
use std::ops::Range;

/// The head and the colliders.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The run origin [m].
    pub origin: DVec3,
    /// The head.
    pub head: Moving,
    /// The colliders, in the same order as the first bodies of the simulation.
    pub bodies: Vec<Moving>,
    /// Number of colliders that belong to the scene and are written to frames; walls of the domain follow them.
    pub shown_colliders: usize,
    /// Whether the last of the simulation's bodies is the skin of the head, which is written to frames after the colliders.
    pub has_skin: bool,
}

/// An object of the scene.
pub struct HairObject {
    /// The name.
    pub name: String,
    /// Range of the object's strands among the simulated strands.
    pub strands: Range<usize>,
    /// The render strands, interpolated from the simulated strands.
    pub drawn: Option<GuidedStrands>,
    /// Width at each point of the simulated strands, then of the render strands [m], if a file gives it.
    pub widths: Option<Vec<f32>>,
}

/// Initial state of a scene of hair.
pub struct HairSetup {
    /// The strands and their colliders.
    pub sim: HairSim,
    /// The hair objects, in the order of their strands.
    pub objects: Vec<HairObject>,
    /// The head and the colliders, with their motions.
    pub surroundings: Surroundings,
    /// Warnings for the user, one line each.
    pub warnings: Vec<String>,
}

/// Sets up a scene of hair at its start.
pub(super) fn set_up(loaded: &LoadedScene, hair: &Hair) -> Result<HairSetup, SceneError> {
    let scene = &loaded.scene;
    let motion = collider::motion(loaded, "hair.head", "the head", &hair.head.motion)?;
    let rest = super::geometry::pose([hair.head.position, hair.head.rotate_degrees]);
    let head = Moving { rest, motion, deforms: None };
    let at_start = head.at(0.0, DVec3::ZERO);

    let grown: Vec<Grown> =
        (0..scene.objects.len()).map(|object| grown(loaded, object, &at_start)).collect::<Result<_, _>>()?;
    let points = |set: &StrandSet| set.points().len() as f64;
    let amount = |grown: &Grown| Amount {
        mesh_particles: 2.0 * points(&grown.strands) + grown.drawn.as_ref().map_or(0.0, points),
        ..Amount::default()
    };
    let strands = || grown.iter().flat_map(|grown| grown.strands.iter().zip(grown.strands.lengths()));
    let reach = strands().map(|(points, length)| points[0].distance(at_start.translation) + length);
    let all: f64 = grown.iter().map(|grown| points(&grown.strands)).sum();
    let blocks = memory::hair_blocks(all, reach.fold(0.0, f64::max), hair.grid.cell);
    memory::check_hair(grown.iter().map(amount).sum(), blocks, memory::installed()).map_err(|refusal| {
        let boxes = grown.iter().map(|grown| Bounds::around(grown.strands.points().iter().copied()));
        too_large(loaded, "object", &refusal, boxes)
    })?;
    let colliders = collider::colliders(loaded)?;
    let everything = grown.iter().flat_map(|grown| grown.strands.points().iter().copied());
    let origin = origin::run_origin(loaded, everything.chain([at_start.translation]))?;

    let (mut inputs, mut objects, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
    let obstacles = Obstacles::new(loaded, &colliders, origin);
    for (index, grown) in grown.into_iter().enumerate() {
        let Material::Hair(material) = &scene.objects[index].material else {
            // Loading rejects objects that are not hair.
            return Err(loaded.error_at(
                &format!("object.{index}.material"),
                "this is not hair",
                "use material `hair`",
            ));
        };
        let name = scene.objects[index].name.clone();
        let first = inputs.len();
        inputs.extend(strand_inputs(loaded, index, material, &grown.strands, origin)?);
        check_overlaps(&obstacles, index, &inputs[first..])?;
        if !grown.repairs.is_empty() {
            warnings.push(format!("the hair of `{name}` was repaired: {}", grown.repairs));
        }
        let flawed = |flaw: StrandFlaw| {
            loaded.error_at(&format!("object.{index}.shape"), &flaw.to_string(), "change the sizes of the shape")
        };
        let drawn = match &grown.drawn {
            None => None,
            Some(drawn) => {
                let guides = grown.strands.mapped(|point| point - origin).map_err(flawed)?;
                let [root, tip] = [hair.blend.root, hair.blend.tip].map(|share| share as f32);
                let strands = drawn.mapped(|point| point - origin).map_err(flawed)?;
                Some(GuidedStrands::new(&guides, &strands, StrandBlend { root, tip }))
            }
        };
        let widths = widths(&grown, drawn.as_ref());
        objects.push(HairObject { name, strands: first..inputs.len(), drawn, widths });
    }

    let shown_colliders = colliders.len() - 6 * usize::from(scene.domain.is_some());
    let (mut bodies, movings): (Vec<HairCollider>, Vec<Moving>) =
        colliders.into_iter().map(|c| body(c, origin)).unzip();
    let has_skin = scene.head_has_skin();
    if has_skin {
        bodies.push(skin(loaded, hair)?);
    }
    let settings = settings(hair, scene.gravity.map(|g| g as f32).into());
    let sim =
        HairSim::new(settings, head.at(0.0, origin), &inputs, bodies).map_err(|error| scene_error(loaded, error))?;
    let surroundings = Surroundings { origin, head, bodies: movings, shown_colliders, has_skin };
    Ok(HairSetup { sim, objects, surroundings, warnings })
}

/// Converts the scene's settings to the settings of the simulation.
pub(super) fn settings(hair: &Hair, gravity: Vec3) -> HairSettings {
    let (strand, grid) = (&hair.strand, &hair.grid);
    HairSettings {
        material: StrandMaterial {
            radius: strand.radius as f32,
            density: strand.density as f32,
            stretching_modulus: strand.stretching_modulus as f32,
            bending_modulus: strand.bending_modulus as f32,
            shear_modulus: strand.shear_modulus as f32,
        },
        strands: StrandParams {
            gravity,
            drag: hair.drag as f32,
            follow: hair.follow as f32,
            slack: hair.slack as f32,
            limits: HeadLimits {
                displacement: hair.head.max_displacement as f32,
                rotation: hair.head.max_rotation as f32,
            },
        },
        grid: GridSettings {
            cell: grid.cell as f32,
            young_modulus: grid.youngs_modulus as f32,
            poisson_ratio: grid.poisson_ratio as f32,
            between: match grid.between {
                HairBetween::Sand => Between::Sand { friction_angle: (grid.friction_angle as f32).to_radians() },
                HairBetween::Fluid => Between::Fluid,
            },
            flip_ratio: grid.flip_ratio as f32,
            trap_breaking: grid.trap_breaking.map(|share| share as f32),
        },
        step: hair.step as f32,
        substeps: hair.substeps,
    }
}

/// Returns the strands of an object, relative to the run origin.
fn strand_inputs(
    loaded: &LoadedScene,
    index: usize,
    material: &HairMaterial,
    strands: &StrandSet,
    origin: DVec3,
) -> Result<Vec<StrandInput>, SceneError> {
    let path = format!("object.{index}.material.hair");
    let bangs = match &material.bangs {
        Some(bangs) => Some((region(loaded, &format!("{path}.bangs"), &bangs.region, origin)?, bangs.pinned)),
        None => None,
    };
    let mut caught = false;
    let mut input = |strand: &[DVec3]| {
        let points: Vec<Vec3> = strand.iter().map(|point| (*point - origin).as_vec3()).collect();
        let pinned = match &bangs {
            Some((region, pinned)) if region.signed_distance(points[0]) <= 0.0 => {
                caught = true;
                *pinned
            }
            _ => material.pinned,
        };
        let rest = match material.natural {
            NaturalShape::AsMade => RestShape::Start,
            NaturalShape::Straight => RestShape::Straight,
        };
        // A strand shorter than its pinned part is pinned as a whole.
        StrandInput { pinned: (pinned as usize).min(points.len()), points, rest, ..StrandInput::default() }
    };
    let inputs = strands.iter().map(&mut input).collect();
    if bangs.is_some() && !caught {
        let message =
            format!("`{{}}` pins nothing: no root of `{}` is inside its region", loaded.scene.objects[index].name);
        return Err(loaded.error_at(&format!("{path}.bangs"), &message, "move the region, or make it larger"));
    }
    Ok(inputs)
}

/// Rejects an object if most of its points start inside a collider.
fn check_overlaps(obstacles: &Obstacles, index: usize, strands: &[StrandInput]) -> Result<(), SceneError> {
    let free: Vec<Vec3> = strands.iter().flat_map(|strand| &strand.points[strand.pinned..]).copied().collect();
    obstacles.check(
        index,
        &free,
        |_| MOST_INSIDE,
        |overlap| {
            let (object, percent) = (overlap.object, overlap.percent());
            let message = format!("{percent:.0} % of object `{object}` starts inside a collider or wall");
            (message, "move one of the two, or make the collider smaller")
        },
    )
}

/// Returns a collider at its initial pose, and its motion.
fn body(collider: Collider, origin: DVec3) -> (HairCollider, Moving) {
    let Collider { shape, rest, motion, contact, friction, .. } = collider;
    let now = shape.at(0.0);
    let deforms = if let Shape::Deforming(mesh) = shape { Some(mesh) } else { None };
    let moving = Moving { rest, motion, deforms };
    (HairCollider { shape: now, pose: moving.center_at(0.0, origin), on_head: false, contact, friction }, moving)
}

/// Returns the head's skin.
fn skin(loaded: &LoadedScene, hair: &Hair) -> Result<HairCollider, SceneError> {
    let half_axes = 0.5 * DVec3::from_array(hair.head.size);
    let shape = Shape::ellipsoid(half_axes.as_vec3()).map_err(|problem| {
        loaded.error_at("hair.head.size", &format!("the head cannot be generated: {problem}"), "change its size")
    })?;
    Ok(HairCollider {
        shape,
        pose: RigidPose::IDENTITY,
        on_head: true,
        contact: Contact::Separating,
        friction: hair.head.friction as f32,
    })
}

/// Returns the widths of the simulated strands, then of the render strands in the order in which they are stored [m].
fn widths(grown: &Grown, drawn: Option<&GuidedStrands>) -> Option<Vec<f32>> {
    let mut widths = grown.strands.widths()?.to_vec();
    if let (Some(strands), Some(drawn)) = (&grown.drawn, drawn) {
        let of_drawn = strands.widths()?;
        widths.extend(drawn.order().iter().flat_map(|&strand| &of_drawn[strands.range(strand as usize)]));
    }
    Some(widths)
}

/// Converts a hair error to a scene error at the value to change.
fn scene_error(loaded: &LoadedScene, error: HairError) -> SceneError {
    let (path, remedy) = match &error {
        HairError::Strands(StrandError::OutOfRange { what: "step of the grid", .. }) => {
            ("hair.step", "lower `hair.step` or `hair.grid.youngs_modulus`, or use larger cells")
        }
        HairError::Strands(StrandError::OutOfRange { .. }) => {
            ("hair", "write a number within the range of 32-bit floats")
        }
        _ => ("object", "change the shape, or the spacing of its points"),
    };
    loaded.error_at(path, &format!("the hair cannot be simulated: {error}"), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::geometry::generate::Head;

    /// The scene's defaults are bit-identical to the library's, which are the paper's.
    #[test]
    fn defaults_are_those_of_the_library() {
        assert_eq!(settings(&Hair::default(), Vec3::new(0.0, -9.81, 0.0)), HairSettings::default());
        let blend = Hair::default().blend;
        assert_eq!(StrandBlend { root: blend.root as f32, tip: blend.tip as f32 }, StrandBlend::default());
        assert_eq!(0.5 * DVec3::from_array(Hair::default().head.size), Head::ADULT.half_axes);
    }
}
