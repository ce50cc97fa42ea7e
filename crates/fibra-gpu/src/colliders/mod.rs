//! Bodies that push material, on the device: what [`fibra_core::geometry::Collider`] is on the host.
//!
//! ```text
//! let mut colliders = DeviceColliders::new(&gpu, scene_colliders)?;
//! // For each frame, from t0 to t1:
//! colliders.begin_span(&gpu, [t0, t1], origin);
//! // For each step, when a kernel has set clock[0] to the share of the frame that will be done:
//! colliders.place(&gpu, &clock);
//! grid_kernel::launch(.., colliders.shapes(), colliders.placed(), colliders.count());
//! ```
//!
//! Kernels hand the two arrays on to [`contact_velocity`], [`push_out`] and the other functions of [`contact`].
//!
//! | module | does |
//! |---|---|
//! | [`contact`] | what kernels call: the nearest surface, the response to it |
//! | `shapes`, `sampled_distance`, `surface` | distance and normal of each shape in its own axes |
//! | [`motion_table`], `bisect`, `place` | motion during a frame, and poses at the end of a step |
//! | `deformation` | the same for the vertices of meshes that deform |
//! | `pack`, `layout` | what is where in the arrays |

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
    ALL_OTHERS, ANY, BodyPoint, Hit, NUMBERED, Pushed, contact_velocity, is_within, may_be_within, nearest,
    nearest_within, point_of_body, push_out, respond, respond_to,
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

/// Units per cube of the kernel that places colliders: most scenes have fewer colliders.
const UNITS: u32 = 32;

/// Colliders on a device.
#[derive(Clone, Debug)]
pub struct DeviceColliders {
    /// What moves; empty where the host places the colliders.
    colliders: Vec<Collider>,
    count: u32,
    shapes: Buffer<f32>,
    placed: Buffer<f32>,
    motion: Option<Motions>,
}

/// Tables of how colliders move during a span of time.
#[derive(Clone, Debug)]
struct Motions {
    rigid: Buffer<f32>,
    /// Of each collider that deforms: which one it is, and how.
    deforming: Vec<(usize, Buffer<f32>)>,
}

impl DeviceColliders {
    /// Colliders that the device moves: at time 0, relative to the world's origin, until [`DeviceColliders::place`].
    pub fn new<R: Runtime>(gpu: &Gpu<R>, colliders: Vec<Collider>) -> Result<Self, ColliderError> {
        let placed: Vec<PlacedCollider> = colliders.iter().map(|body| body.place(0.0, DVec3::ZERO)).collect();
        let shapes = pack_shapes(&colliders.iter().map(Body::from).collect::<Vec<_>>())?;
        Ok(Self { colliders, ..Self::with(gpu, &shapes, &placed) })
    }

    /// Colliders that the host moves: where they are, until [`DeviceColliders::set_placed`].
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

    /// Replaces the motions of colliders that the device moves, in their order, from the next [`DeviceColliders::begin_span`] on.
    pub fn set_motions(&mut self, motions: impl IntoIterator<Item = Motion>) {
        self.colliders.iter_mut().zip(motions).for_each(|(collider, motion)| collider.motion = motion);
    }

    /// Tells the device how its colliders move from one time to another [s], relative to the run origin [m].
    pub fn begin_span<R: Runtime>(&mut self, gpu: &Gpu<R>, span: [f64; 2], origin: DVec3) {
        let deforms = |collider: &Collider| matches!(collider.shape, Shape::Deforming(_));
        if self.colliders.iter().all(|collider| matches!(collider.motion, Motion::Still) && !deforms(collider)) {
            // Once is enough.
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

    /// Moves the colliders to where they are when the share `clock[0]` of the span is done (an `f32`, by its bits), from 0 to 1, with all else that the device was told
    /// to do. Without a span they stay where they are.
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

    /// Puts the colliders somewhere: as many as there are, with the same shapes, in the same order.
    pub fn set_placed<R: Runtime>(&mut self, gpu: &Gpu<R>, placed: &[PlacedCollider]) {
        assert_eq!(placed.len(), self.count as usize, "colliders do not come and go");
        self.placed = gpu.upload(&pack_placed(placed));
    }

    /// How many there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The array `shapes`, as an argument of a kernel.
    pub fn shapes<R: Runtime>(&self) -> ArrayArg<R> {
        self.shapes.arg()
    }

    /// The array `placed`, as an argument of a kernel.
    pub fn placed<R: Runtime>(&self) -> ArrayArg<R> {
        self.placed.arg()
    }
}
