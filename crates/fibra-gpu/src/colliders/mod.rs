//! Colliders on the device: the counterpart of [`fibra_core::geometry::Collider`] on the host.
//!
//! ```text
//! let mut colliders = DeviceColliders::new(&gpu, scene_colliders)?;
//! // For each frame, from t0 to t1:
//! colliders.begin_span(&gpu, [t0, t1], origin);
//! // For each step, after a kernel has set clock[0] to the fraction of the frame at the end of the step:
//! colliders.place(&gpu, &clock);
//! grid_kernel::launch(.., colliders.shapes(), colliders.placed(), colliders.count());
//! ```
//!
//! Kernels pass the two arrays to [`contact_velocity`], [`project_out`] and the other functions of [`contact`].
//!
//! | module | contents |
//! |---|---|
//! | [`contact`] | functions for kernels: nearest surface, contact response |
//! | `shapes`, `sampled_distance`, `surface` | distance and normal of each shape in its own axes |
//! | [`motion_table`], `bisect`, `place` | motion during a frame, and poses at the end of a step |
//! | `deformation` | motion of the vertices of deforming meshes |
//! | `pack`, `layout` | layout of the arrays |

mod bisect;
pub mod contact;
mod deformation;
mod layout;
pub mod motion_table;
mod pack;
mod place;
mod sampled_distance;
mod shapes;
mod surface;

pub use contact::{
    ALL_OTHERS, ANY, BodyPoint, Hit, NUMBERED, Projected, angular_velocity_of_body, contact_velocity, is_within,
    may_be_within, nearest, nearest_within, point_of_body, project_out, respond, respond_to,
};
pub use motion_table::MotionTable;
pub use pack::ColliderError;

use crate::buffer::Buffer;
use crate::device::Gpu;
use crate::launch::{cubes, cubes_for};
use cubecl::Runtime;
use cubecl::prelude::{ArrayArg, CubeDim};
use deformation::deformation_table;
use fibra_core::geometry::{Collider, Motion, PlacedCollider, Shape};
use glam::DVec3;
use pack::{Body, pack_placed, pack_shapes};

/// Number of threads per thread block of the kernel that places colliders. It is small because most scenes have few colliders.
const UNITS: u32 = 32;

/// Colliders on a device.
#[derive(Clone, Debug)]
pub struct DeviceColliders {
    /// The colliders with their motions; empty if the host sets their poses.
    colliders: Vec<Collider>,
    count: u32,
    shapes: Buffer<f32>,
    placed: Buffer<f32>,
    motion: Option<Motions>,
}

/// Tables of the colliders' motion during a time span.
#[derive(Clone, Debug)]
struct Motions {
    rigid: Buffer<f32>,
    /// Index and table of each deforming collider.
    deforming: Vec<(usize, Buffer<f32>)>,
}

impl DeviceColliders {
    /// Creates colliders that the device moves. Their poses are those at time 0, relative to the world's origin, until [`DeviceColliders::place`].
    pub fn new<R: Runtime>(gpu: &Gpu<R>, colliders: Vec<Collider>) -> Result<Self, ColliderError> {
        let placed: Vec<PlacedCollider> = colliders.iter().map(|body| body.place(0.0, DVec3::ZERO)).collect();
        let shapes = pack_shapes(&colliders.iter().map(Body::from).collect::<Vec<_>>())?;
        Ok(Self { colliders, ..Self::with(gpu, &shapes, &placed) })
    }

    /// Creates colliders that the host moves, with the given poses until [`DeviceColliders::set_placed`].
    pub fn of_placed<R: Runtime>(gpu: &Gpu<R>, placed: &[PlacedCollider]) -> Result<Self, ColliderError> {
        let shapes = pack_shapes(&placed.iter().map(Body::from).collect::<Vec<_>>())?;
        Ok(Self::with(gpu, &shapes, placed))
    }

    fn with<R: Runtime>(gpu: &Gpu<R>, shapes: &[f32], placed: &[PlacedCollider]) -> Self {
        Self {
            colliders: Vec::new(),
            count: placed.len() as u32,
            shapes: gpu.upload(shapes),
            placed: gpu.upload(&pack_placed(placed)),
            motion: None,
        }
    }

    /// Replaces the motions of colliders that the device moves, in order, from the next [`DeviceColliders::begin_span`] on.
    pub fn set_motions(&mut self, motions: impl IntoIterator<Item = Motion>) {
        self.colliders.iter_mut().zip(motions).for_each(|(collider, motion)| collider.motion = motion);
    }

    /// Uploads the motion of the colliders between two times [s], relative to the run origin [m].
    pub fn begin_span<R: Runtime>(&mut self, gpu: &Gpu<R>, span: [f64; 2], origin: DVec3) {
        let deforms = |collider: &Collider| matches!(collider.shape, Shape::Deforming(_));
        if self.colliders.iter().all(|collider| matches!(collider.motion, Motion::Still) && !deforms(collider)) {
            // The poses of colliders at rest are computed once per span instead of once per step.
            let placed: Vec<_> = self.colliders.iter().map(|collider| collider.place(span[0], origin)).collect();
            (self.placed, self.motion) = (gpu.upload(&pack_placed(&placed)), None);
            return;
        }
        let deforming = self.colliders.iter().enumerate().filter_map(|(index, collider)| match &collider.shape {
            Shape::Deforming(mesh) => Some((index, gpu.upload(&deformation_table(mesh, span)))),
            _ => None,
        });
        let rigid = MotionTable::new(&self.colliders, span, origin);
        self.motion = Some(Motions { rigid: gpu.upload(rigid.numbers()), deforming: deforming.collect() });
    }

    /// Moves the colliders to their poses at the fraction `clock[0]` of the span, from 0 to 1 (the bits of an `f32`). The launch is ordered with the other
    /// launches on the device. Without a span the colliders do not move.
    pub fn place<R: Runtime, T: bytemuck::Pod>(&self, gpu: &Gpu<R>, clock: &Buffer<T>) {
        let Some(Motions { rigid, deforming }) = self.motion.as_ref().filter(|_| self.count > 0) else { return };
        let client = &gpu.client;
        place::place_colliders::launch::<R>(
            client,
            cubes_for(self.count as usize, UNITS),
            CubeDim::new_1d(UNITS),
            rigid.arg(),
            clock.arg_as::<f32, R>(),
            self.placed.arg(),
            self.count,
        );
        for (index, table) in deforming {
            let Some(mesh) = pack::surface(&self.colliders[*index].shape) else { continue };
            deformation::move_corners::launch::<R>(
                client,
                cubes_for(mesh.triangles().len(), UNITS),
                CubeDim::new_1d(UNITS),
                self.shapes.arg(),
                table.arg(),
                clock.arg_as::<f32, R>(),
                self.placed.arg(),
                *index as u32,
                mesh.vertex_count() as u32,
            );
            deformation::fit_boxes::launch::<R>(
                client,
                cubes(mesh.nodes().len()),
                CubeDim::new_1d(deformation::BOX_UNITS),
                self.shapes.arg(),
                self.placed.arg(),
                *index as u32,
            );
        }
    }

    /// Sets the poses of all colliders. Their number, shapes and order must be unchanged.
    pub fn set_placed<R: Runtime>(&mut self, gpu: &Gpu<R>, placed: &[PlacedCollider]) {
        assert_eq!(placed.len(), self.count as usize, "the number of colliders is constant");
        self.placed = gpu.upload(&pack_placed(placed));
    }

    /// Returns the number of colliders.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the array `shapes` as a kernel argument.
    pub fn shapes<R: Runtime>(&self) -> ArrayArg<R> {
        self.shapes.arg()
    }

    /// Returns the array `placed` as a kernel argument.
    pub fn placed<R: Runtime>(&self) -> ArrayArg<R> {
        self.placed.arg()
    }
}
