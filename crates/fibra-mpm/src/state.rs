//! The contents of a checkpoint: particles, their runs from the last sort, time, and the bounds on the next time step.

use crate::bending::RodFrames;
use crate::display_grains::{Grain, GrainLag};
use crate::split::{Merge, Split};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_core::particle_sort::{Order, Run};
use fibra_materials::kind::Kind;

/// The particles, one array per quantity, in the order of the last sort.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Particles {
    /// Positions relative to the run origin [m].
    pub x: Vec<[f32; 3]>,
    /// Velocities [m/s].
    pub v: Vec<[f32; 3]>,
    /// Affine velocities `C` [1/s]; zero unless the transfer is affine.
    pub c: Vec<Mat3>,
    /// Elastic deformation gradients [-]. For anisotropic materials the initial value is the rotation whose columns are the material axes.
    /// For elements: the deformed material directions `d = F^E D`.
    pub f: Vec<Mat3>,
    /// Kirchhoff stresses [Pa], which the grid uses in the next step. Zero for vertices and surfaces, which use `pull` instead.
    pub tau: Vec<Sym3>,
    /// Mesh forces in addition to `tau`; empty if there are no meshes. For a vertex: the force of its elements [N]. For an element: the
    /// derivative of its energy with respect to one material direction [J], the first direction for a curve and the third for a surface.
    pub pull: Vec<[f32; 3]>,
    /// Internal scalar variable of the constitutive model. For elements that follow their mesh, it is the rest-shape coefficient
    /// [`along`](crate::mesh::RestShape::along), the inverse rest length of the first edge [1/m].
    pub memory: Vec<f32>,
    /// Eigenvalues of the orientation tensors of rotating grains, along the material axes [-]; empty if no material has rotating grains.
    pub alignment: Vec<[f32; 3]>,
    /// Masses [kg].
    pub mass: Vec<f32>,
    /// Rest volumes [m^3]; zero for vertices, since their elements hold all of the volume.
    pub volume: Vec<f32>,
    /// Kind of each particle.
    pub kind: Vec<Kind>,
    /// Object index of each particle.
    pub object: Vec<u32>,
    /// Id of each particle, as stored in frames; never changes.
    pub id: Vec<u32>,
}

/// Value for grains that start with the initial alignment of their material.
pub(crate) const UNSET_ALIGNMENT: [f32; 3] = [0.0; 3];

/// Mutable views of the fields that a step changes after the transfer to the grid, for one range of particles.
#[derive(Debug)]
pub struct ParticlesMut<'a> {
    /// Positions.
    pub x: &'a mut [[f32; 3]],
    /// Velocities.
    pub v: &'a mut [[f32; 3]],
    /// Affine velocities.
    pub c: &'a mut [Mat3],
    /// Deformation gradients.
    pub f: &'a mut [Mat3],
    /// Stresses.
    pub tau: &'a mut [Sym3],
    /// Internal scalar variables of the constitutive models.
    pub memory: &'a mut [f32],
    /// Alignments of grains, or empty.
    pub alignment: &'a mut [[f32; 3]],
}

impl Split for ParticlesMut<'_> {
    fn split_at(self, n: usize) -> (Self, Self) {
        let (x, x2) = self.x.split_at_mut(n);
        let (v, v2) = self.v.split_at_mut(n);
        let (c, c2) = self.c.split_at_mut(n);
        let (f, f2) = self.f.split_at_mut(n);
        let (tau, tau2) = self.tau.split_at_mut(n);
        let (memory, memory2) = self.memory.split_at_mut(n);
        let (alignment, alignment2) = self.alignment.split_at_mut(n.min(self.alignment.len()));
        (
            ParticlesMut { x, v, c, f, tau, memory, alignment },
            ParticlesMut { x: x2, v: v2, c: c2, f: f2, tau: tau2, memory: memory2, alignment: alignment2 },
        )
    }
}

/// Buffers for reordering particles.
#[derive(Debug, Default)]
pub struct ReorderScratch {
    /// Buffer for every field except the kinds; larger fields are reordered in parts.
    pub(crate) vectors: Vec<[f32; 3]>,
    kinds: Vec<Kind>,
}

impl Particles {
    /// Returns the number of particles.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there are no particles.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Returns views for the last stages of a step.
    pub fn as_mut(&mut self) -> ParticlesMut<'_> {
        ParticlesMut {
            x: &mut self.x,
            v: &mut self.v,
            c: &mut self.c,
            f: &mut self.f,
            tau: &mut self.tau,
            memory: &mut self.memory,
            alignment: &mut self.alignment,
        }
    }

    /// Returns the allocated memory [bytes].
    fn bytes(&self) -> usize {
        bytes_of(&self.x)
            + bytes_of(&self.v)
            + bytes_of(&self.c)
            + bytes_of(&self.f)
            + bytes_of(&self.tau)
            + bytes_of(&self.pull)
            + bytes_of(&self.memory)
            + bytes_of(&self.alignment)
            + bytes_of(&self.mass)
            + bytes_of(&self.volume)
            + bytes_of(&self.kind)
            + bytes_of(&self.object)
            + bytes_of(&self.id)
    }

    /// Reorders every field.
    pub fn reorder(&mut self, order: &Order, scratch: &mut ReorderScratch) {
        order.apply(&mut self.x, &mut scratch.vectors);
        order.apply(&mut self.v, &mut scratch.vectors);
        if !self.pull.is_empty() {
            order.apply(&mut self.pull, &mut scratch.vectors);
        }
        if !self.alignment.is_empty() {
            order.apply(&mut self.alignment, &mut scratch.vectors);
        }
        order.apply(&mut self.kind, &mut scratch.kinds);
        let buffer = &mut scratch.vectors[..];
        order.apply_in_parts(bytemuck::cast_slice_mut(&mut self.c), 3, buffer);
        order.apply_in_parts(bytemuck::cast_slice_mut(&mut self.f), 3, buffer);
        order.apply_in_parts(bytemuck::cast_slice_mut(&mut self.tau), 2, buffer);
        let numbers = bytemuck::cast_slice_mut::<[f32; 3], f32>(buffer);
        for field in [&mut self.memory, &mut self.mass, &mut self.volume] {
            order.apply_in_parts(field, 1, numbers);
        }
        let indices = bytemuck::cast_slice_mut::<f32, u32>(numbers);
        for field in [&mut self.object, &mut self.id] {
            order.apply_in_parts(field, 1, indices);
        }
    }
}

/// Bounds on the next time step from the particles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Extremes {
    /// Speed of the fastest particle [m/s].
    pub speed: f32,
    /// Speed of the fastest wave [m/s].
    pub wave_speed: f32,
    /// Whether a particle has left the reach of its tile, so that all must be sorted.
    pub drifted: bool,
    /// Whether a velocity or a stress is not finite.
    pub broken: bool,
}

/// Keeps the worse value of each field.
impl Merge for Extremes {
    fn merge(self, o: Extremes) -> Extremes {
        Extremes {
            speed: self.speed.max(o.speed),
            wave_speed: self.wave_speed.max(o.wave_speed),
            drifted: self.drifted | o.drifted,
            broken: self.broken | o.broken,
        }
    }
}

/// Returns the allocated memory of a vector, used or not [bytes].
pub(crate) fn bytes_of<T>(v: &Vec<T>) -> usize {
    v.capacity() * size_of::<T>()
}

/// Everything needed to continue a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Simulated time [s].
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
    /// The particles.
    pub particles: Particles,
    /// Runs of particles by block and group, from the last sort; empty before the first.
    pub runs: Vec<Run>,
    /// Bounds on the next time step from the particles.
    pub extremes: Extremes,
    /// Material frames of curves that bend.
    pub rods: RodFrames,
    /// Display-only grains, object by object; usually empty.
    pub grains: Vec<Grain>,
    /// For each grain: 1 if it is in free flight, 0 if it moves with the material.
    pub flying: Vec<u32>,
    /// Accumulated motion that the grains still have to apply.
    pub grain_lag: GrainLag,
}

impl State {
    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        self.particles.bytes() + bytes_of(&self.runs) + bytes_of(&self.grains) + bytes_of(&self.flying)
    }
}

impl ReorderScratch {
    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.vectors) + bytes_of(&self.kinds)
    }
}
