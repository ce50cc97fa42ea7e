//! Particles of objects: fills solids, keeps meshes unchanged, and rejects overlaps.

use super::geometry::Geometry;
use super::material::{fabric, mesh};
use super::overlaps::{MOST_INSIDE, Obstacles};
use super::shape::Body;
use super::{alignment, axes};
use crate::{LoadedScene, Mpm, Pattern, SceneError};
use fibra_core::geometry::sampling::{self, Samples, SamplingError};
use fibra_core::geometry::{CurveMesh, TriangleMesh};
use fibra_core::random::CounterRng;
use fibra_mpm::internals::builder::{Builder, StartMotion};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Initial content of an object.
pub(super) enum Content {
    /// Particles that fill a solid.
    Points(Samples),
    /// Cloth.
    Surface(TriangleMesh),
    /// Fibers.
    Curves(CurveMesh),
}

impl Content {
    /// Returns the positions of the points or vertices [m].
    pub(super) fn positions(&self) -> &[DVec3] {
        match self {
            Content::Points(samples) => &samples.points,
            Content::Surface(mesh) => mesh.vertices(),
            Content::Curves(mesh) => mesh.points(),
        }
    }

    /// Returns the number of particles: points, or vertices and elements.
    fn particles(&self) -> usize {
        let elements = match self {
            Content::Points(_) => 0,
            Content::Surface(mesh) => mesh.triangles().len(),
            Content::Curves(mesh) => mesh.segments().len(),
        };
        self.positions().len() + elements
    }
}

/// Fills solids with particles, and keeps meshes unchanged.
pub(super) fn fill(loaded: &LoadedScene, mpm: &Mpm, geometries: Vec<Geometry>) -> Result<Vec<Content>, SceneError> {
    let mut contents = Vec::new();
    let mut total = 0u64;
    for (index, geometry) in geometries.into_iter().enumerate() {
        let content = match geometry {
            Geometry::Solid(body) => Content::Points(fill_solid(loaded, mpm, index, &body)?),
            Geometry::Surface(mesh) => Content::Surface(mesh),
            Geometry::Curves(mesh) => Content::Curves(mesh),
        };
        total += content.particles() as u64;
        if total > u64::from(u32::MAX) {
            return Err(loaded.error_at(
                &format!("object.{index}.shape"),
                "there are more particles than 32-bit indices allow",
                "use a larger `mpm.dx`",
            ));
        }
        contents.push(content);
    }
    Ok(contents)
}

fn fill_solid(loaded: &LoadedScene, mpm: &Mpm, index: usize, body: &Body) -> Result<Samples, SceneError> {
    let pattern = match mpm.pattern {
        Pattern::Lattice => sampling::Pattern::Lattice,
        Pattern::Jittered => sampling::Pattern::Jittered,
    };
    let seed = CounterRng::new(mpm.seed).bits(&[index as u64]);
    let spacing = particle_spacing(mpm);
    sampling::fill(&body.shape, spacing, &body.pose, seed, pattern).map_err(|error| {
        let remedy = match error {
            SamplingError::Empty { .. } => "make the shape larger, or `mpm.dx` smaller",
            _ => "make the shape smaller, or `mpm.dx` larger",
        };
        let message = format!("`{{}}` cannot be filled with particles: {error}");
        loaded.error_at(&format!("object.{index}.shape"), &message, remedy)
    })
}

/// Returns the initial distance between neighboring particles [m].
pub fn particle_spacing(mpm: &Mpm) -> f64 {
    mpm.dx / f64::from(mpm.particles_per_cell).cbrt()
}

/// Rejects objects that start inside a collider or outside the domain.
pub(super) fn check_overlaps(obstacles: &Obstacles, contents: &[Content], origin: DVec3) -> Result<(), SceneError> {
    for (index, content) in contents.iter().enumerate() {
        let points: Vec<Vec3> = content.positions().par_iter().map(|point| (*point - origin).as_vec3()).collect();
        let allowed = |collider: Option<&str>| if collider.is_some() { MOST_INSIDE } else { 0.0 };
        obstacles.check(index, &points, allowed, |overlap| match overlap.collider {
            Some(collider) => (
                format!(
                    "{:.0} % of object `{}` starts inside collider `{collider}`",
                    overlap.percent(),
                    overlap.object
                ),
                "move one of the two, or make the collider smaller",
            ),
            None => (format!("object `{}` starts outside the domain", overlap.object), "move it, or widen the domain"),
        })?;
    }
    Ok(())
}

/// Adds the objects to the state, in scene order. Returns the index of the first point or vertex of each object.
pub(super) fn add(
    loaded: &LoadedScene,
    contents: &[Content],
    affine: bool,
    builder: &mut Builder,
) -> Result<Vec<u32>, SceneError> {
    let mut first_numbers = Vec::new();
    for (index, (object, content)) in loaded.scene.objects.iter().zip(contents).enumerate() {
        let motion = StartMotion {
            velocity: DVec3::from_array(object.velocity),
            spin: DVec3::from_array(object.angular_velocity),
            center: DVec3::from_array(object.shape.center()),
            affine,
        };
        let (number, density) = (index as u32, object.material.density());
        let fabric = fabric(&object.material);
        let added = match content {
            // Each particle has an equal fraction of the exact volume, so that the object has its exact mass.
            Content::Points(samples) => {
                let numbers = builder.add_points(number, &samples.points, samples.particle_volume(), density, &motion);
                axes::orient(loaded, index, &samples.points, numbers.start, builder)?;
                alignment::align(loaded, index, &samples.points, numbers.start, builder)?;
                Ok(numbers)
            }
            Content::Surface(mesh) => builder.add_surface(number, mesh.vertices(), mesh.triangles(), &fabric, &motion),
            Content::Curves(mesh) => builder.add_curves(number, mesh.points(), mesh.segments(), &fabric, &motion),
        };
        let numbers = added.map_err(|error| {
            let message = format!("object `{}` cannot be simulated: {error}", object.name);
            loaded.error_at(&format!("object.{index}.shape"), &message, "remove the element or give it an extent")
        })?;
        let (first, properties) = (numbers.start, mesh(&object.material));
        match content {
            Content::Points(_) => {}
            Content::Surface(mesh) => {
                builder.bend_surface(first, mesh.vertices(), mesh.triangles(), &properties, density);
            }
            Content::Curves(mesh) => builder.bend_curves(first, mesh.points(), mesh.segments(), &properties, density),
        }
        first_numbers.push(first);
    }
    Ok(first_numbers)
}
