//! SIMD lanes: values of several strands, one strand per lane. The compiler vectorizes loops over lanes.

use fibra_core::simd::Vector;
use glam::Vec3;
use std::ops::{Index, IndexMut};

/// Strands per group: the number of `f32` in the widest vector.
pub const LANES: usize = 16;

/// Values in a [`Vector`].
const HALF: usize = 8;
/// Vectors in [`Lanes`].
pub const HALVES: usize = LANES / HALF;

/// One value per strand of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

/// One 3D vector per strand of a group, as structure of arrays.
pub type Lanes3 = [Lanes; 3];

impl Lanes {
    /// Zero for every strand.
    pub const ZERO: Lanes = Lanes([0.0; LANES]);
    /// One for every strand.
    pub const ONE: Lanes = Lanes([1.0; LANES]);
    /// Zero vectors.
    pub const ZERO3: Lanes3 = [Lanes::ZERO; 3];
}

impl Lanes {
    /// Loads half of the lanes as a SIMD vector.
    #[inline(always)]
    pub fn load<V: Vector>(&self, half: usize) -> V {
        V::load(&self.0.as_chunks::<HALF>().0[half])
    }

    /// Stores half of the lanes.
    #[inline(always)]
    pub fn store<V: Vector>(&mut self, half: usize, value: V) {
        value.store(&mut self.0.as_chunks_mut::<HALF>().0[half]);
    }
}

impl Index<usize> for Lanes {
    type Output = f32;

    #[inline(always)]
    fn index(&self, lane: usize) -> &f32 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for Lanes {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut f32 {
        &mut self.0[lane]
    }
}

/// Returns the vector of one strand.
#[inline(always)]
pub fn get3(from: &Lanes3, lane: usize) -> Vec3 {
    Vec3::new(from[0][lane], from[1][lane], from[2][lane])
}

/// Sets the vector of one strand.
#[inline(always)]
pub fn set3(to: &mut Lanes3, lane: usize, value: Vec3) {
    to[0][lane] = value.x;
    to[1][lane] = value.y;
    to[2][lane] = value.z;
}

/// Returns the vector from one vertex of a strand to the next.
#[inline(always)]
pub fn between<const N: usize>(vertices: &[Lanes3; N], first: usize, lane: usize) -> Vec3 {
    get3(&vertices[first + 1], lane) - get3(&vertices[first], lane)
}

/// Returns `N` items starting at `first` as an array. A loop over lanes then needs no bounds checks, which would prevent vectorization.
///
/// # Panics
/// Panics if fewer than `N` items remain.
#[inline(always)]
pub fn window<T, const N: usize>(all: &[T], first: usize) -> &[T; N] {
    all[first..].first_chunk().expect("the window is within the slice")
}
