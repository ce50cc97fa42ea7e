//! Particle data on the device: all quantities in one array, component by component, so that neighboring threads read neighboring
//! numbers.

use crate::params::Params;
use crate::state::{Particles, State};
use bytemuck::cast_slice;
use cubecl::prelude::*;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, DeviceError, Gpu};
use fibra_materials::kind::{Group, Kind};

/// First component of the position. The quantities are those of [`Particles`].
pub const X: u32 = 0;
/// First component of the velocity.
pub const V: u32 = 3;
/// First component of the affine velocity.
pub const C: u32 = 6;
/// First component of the deformation gradient.
pub const F: u32 = 15;
/// First component of the stress.
pub const TAU: u32 = 24;
/// Component of the internal variable.
pub const MEMORY: u32 = 30;
/// Component of the mass.
pub const MASS: u32 = 31;
/// Component of the rest volume.
pub const VOLUME: u32 = 32;
/// First component of the mesh force; exists only if there are meshes.
pub const PULL: u32 = 33;
/// First component of the grains' alignment; exists only if a material has oriented grains.
pub const ALIGNMENT: u32 = 36;

/// Number of components of a particle that has all quantities.
pub const MOST_COMPONENTS: u32 = ALIGNMENT + 3;

const UNITS: u32 = 256;

/// The particles, in the order of the last sort.
#[derive(Clone, Debug)]
pub struct DeviceParticles {
    /// Number of particles.
    pub n: usize,
    /// Number of components per particle.
    pub components: u32,
    /// Component `c` of particle `i` is at index `c n + i`.
    pub fields: Buffer<f32>,
    /// [`Group`] of each particle.
    pub group: Buffer<u32>,
    /// Id of each particle.
    pub id: Buffer<u32>,
    /// Index of each particle in the order of the last sort, by id.
    pub place: Buffer<u32>,
}

impl DeviceParticles {
    /// Uploads the particles of a state.
    pub fn upload<R: Runtime>(gpu: &Gpu<R>, params: &Params, state: &State) -> DeviceParticles {
        let p = &state.particles;
        let n = p.len();
        let components = match (p.alignment.is_empty(), p.pull.is_empty()) {
            (false, _) => MOST_COMPONENTS,
            (true, false) => PULL + 3,
            (true, true) => PULL,
        };
        let mut fields = vec![0.0; n * components as usize];
        let mut put = |first: u32, parts: usize, from: &[f32]| {
            for (i, numbers) in from.chunks(parts).enumerate() {
                for (part, number) in numbers.iter().enumerate() {
                    fields[(first as usize + part) * n + i] = *number;
                }
            }
        };
        put(X, 3, cast_slice(&p.x));
        put(V, 3, cast_slice(&p.v));
        put(C, 9, cast_slice(&p.c));
        put(F, 9, cast_slice(&p.f));
        put(TAU, 6, cast_slice(&p.tau));
        put(MEMORY, 1, &p.memory);
        put(MASS, 1, &p.mass);
        put(VOLUME, 1, &p.volume);
        put(PULL, 3, cast_slice(&p.pull));
        put(ALIGNMENT, 3, cast_slice(&p.alignment));
        let group = p
            .object
            .iter()
            .zip(&p.kind)
            .map(|(&object, &kind)| Group { material: params.objects[object as usize].material, kind }.number());
        let group: Vec<u32> = group.collect();
        let mut place = vec![0u32; n];
        p.id.iter().enumerate().for_each(|(at, &id)| place[id as usize] = at as u32);
        DeviceParticles {
            n,
            components,
            fields: gpu.upload(&fields),
            group: gpu.upload(&group),
            id: gpu.upload(&p.id),
            place: gpu.upload(&place),
        }
    }

    /// Downloads the particles into `p`, whose ids and objects define the object of each particle.
    pub fn download<R: Runtime>(&self, gpu: &Gpu<R>, p: &mut Particles) -> Result<(), DeviceError> {
        let n = self.n;
        let (fields, group, id) = (self.fields.read(gpu)?, self.group.read(gpu)?, self.id.read(gpu)?);
        let mut object = vec![0; n];
        p.id.iter().zip(&p.object).for_each(|(&id, &of)| object[id as usize] = of);
        let take = |first: u32, parts: usize, to: &mut [f32]| {
            for (i, numbers) in to.chunks_mut(parts).enumerate() {
                for (part, number) in numbers.iter_mut().enumerate() {
                    *number = fields[(first as usize + part) * n + i];
                }
            }
        };
        use bytemuck::cast_slice_mut as cast;
        take(X, 3, cast(&mut p.x));
        take(V, 3, cast(&mut p.v));
        take(C, 9, cast(&mut p.c));
        take(F, 9, cast(&mut p.f));
        take(TAU, 6, cast(&mut p.tau));
        take(MEMORY, 1, &mut p.memory);
        take(MASS, 1, &mut p.mass);
        take(VOLUME, 1, &mut p.volume);
        take(PULL, 3, cast(&mut p.pull));
        take(ALIGNMENT, 3, cast(&mut p.alignment));
        p.object = id.iter().map(|&id| object[id as usize]).collect();
        p.kind = group.iter().map(|&group| Group::of_number(group).kind).collect();
        p.id = id;
        Ok(())
    }

    /// Reorders the particles; entry `i` of `order` is the old index of the particle whose new index is `i`.
    pub fn reorder<R: Runtime>(&mut self, gpu: &Gpu<R>, order: &Buffer<u32>) {
        let fields = gpu.empty(self.fields.len());
        let (group, id) = (gpu.empty(self.n), gpu.empty(self.n));
        reorder::launch::<R>(
            &gpu.client,
            cubes_for(self.n, UNITS),
            CubeDim::new_1d(UNITS),
            order.arg(),
            self.fields.arg(),
            self.group.arg(),
            self.id.arg(),
            fields.arg(),
            group.arg(),
            id.arg(),
            self.place.arg(),
            self.components,
        );
        (self.fields, self.group, self.id) = (fields, group, id);
    }
}

#[cube(launch)]
fn reorder(
    order: &Array<u32>,
    fields: &Array<f32>,
    group: &Array<u32>,
    id: &Array<u32>,
    new_fields: &mut Array<f32>,
    new_group: &mut Array<u32>,
    new_id: &mut Array<u32>,
    place: &mut Array<u32>,
    #[comptime] components: u32,
) {
    let i = ABSOLUTE_POS;
    let n = order.len();
    if i < n {
        let from = order[i] as usize;
        new_group[i] = group[from];
        let number = id[from];
        new_id[i] = number;
        place[number as usize] = i as u32;
        #[unroll]
        for c in 0..components {
            new_fields[c as usize * n + i] = fields[c as usize * n + from];
        }
    }
}

/// Reads a matrix of a particle, in row-major order.
#[cube]
pub(super) fn read_mat3(fields: &Array<f32>, #[comptime] first: u32, n: usize, i: usize) -> Mat3 {
    let at = first as usize * n + i;
    Mat3 {
        xx: fields[at],
        xy: fields[at + n],
        xz: fields[at + 2 * n],
        yx: fields[at + 3 * n],
        yy: fields[at + 4 * n],
        yz: fields[at + 5 * n],
        zx: fields[at + 6 * n],
        zy: fields[at + 7 * n],
        zz: fields[at + 8 * n],
    }
}

#[cube]
pub(super) fn write_mat3(fields: &mut Array<f32>, #[comptime] first: u32, n: usize, i: usize, m: &Mat3) {
    let at = first as usize * n + i;
    fields[at] = m.xx;
    fields[at + n] = m.xy;
    fields[at + 2 * n] = m.xz;
    fields[at + 3 * n] = m.yx;
    fields[at + 4 * n] = m.yy;
    fields[at + 5 * n] = m.yz;
    fields[at + 6 * n] = m.zx;
    fields[at + 7 * n] = m.zy;
    fields[at + 8 * n] = m.zz;
}

/// Reads the stress of a particle.
#[cube]
pub(super) fn read_stress(fields: &Array<f32>, n: usize, i: usize) -> Sym3 {
    let at = TAU as usize * n + i;
    Sym3 {
        xx: fields[at],
        yy: fields[at + n],
        zz: fields[at + 2 * n],
        yz: fields[at + 3 * n],
        xz: fields[at + 4 * n],
        xy: fields[at + 5 * n],
    }
}

#[cube]
pub(super) fn write_stress(fields: &mut Array<f32>, n: usize, i: usize, tau: &Sym3) {
    let at = TAU as usize * n + i;
    fields[at] = tau.xx;
    fields[at + n] = tau.yy;
    fields[at + 2 * n] = tau.zz;
    fields[at + 3 * n] = tau.yz;
    fields[at + 4 * n] = tau.xz;
    fields[at + 5 * n] = tau.xy;
}

/// Reads a vector of a particle.
#[cube]
pub(super) fn read_vec3(fields: &Array<f32>, #[comptime] first: u32, n: usize, i: usize) -> Vector3 {
    let at = first as usize * n + i;
    Vector3 { x: fields[at], y: fields[at + n], z: fields[at + 2 * n] }
}

#[cube]
pub(super) fn write_vec3(fields: &mut Array<f32>, #[comptime] first: u32, n: usize, i: usize, v: Vector3) {
    let at = first as usize * n + i;
    fields[at] = v.x;
    fields[at + n] = v.y;
    fields[at + 2 * n] = v.z;
}

/// Returns the kind of a particle from its group.
#[cube]
pub(super) fn kind_of(group: u32) -> u32 {
    group % comptime!(Kind::COUNT)
}

/// Returns the material of a particle from its group.
#[cube]
pub(super) fn material_of(group: u32) -> u32 {
    group / comptime!(Kind::COUNT)
}

/// Discriminants of kinds, for comparison in kernels.
pub(super) const POINT: u32 = Kind::Point as u32;
pub(super) const VERTEX: u32 = Kind::Vertex as u32;
pub(super) const HELD: u32 = Kind::Held as u32;
pub(super) const CURVE: u32 = Kind::Curve as u32;
pub(super) const SURFACE: u32 = Kind::Surface as u32;
