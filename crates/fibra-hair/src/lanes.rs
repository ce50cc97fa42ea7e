//! Numbers of several strands side by side. Loops over them are what the compiler vectorizes.

use fibra_core::simd::Vector;
use glam::Vec3;
use std::ops::{Index, IndexMut};

/// Strands that are worked on together: the `f32` in the widest vector.
pub const LANES: usize = 16;

/// Numbers in a [`Vector`].
const HALF: usize = 8;
/// Vectors in [`Lanes`].
pub const HALVES: usize = LANES / HALF;

/// One number of each strand of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Lanes(pub [f32; LANES]);

/// One vector of each strand of a group, component by component.
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
    /// Half of the numbers, as a vector of the machine.
    #[inline(always)]
    pub fn load<V: Vector>(&self, half: usize) -> V {
        V::load(&self.0.as_chunks::<HALF>().0[half])
    }

    /// Sets half of the numbers.
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

/// The vector of one strand.
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

/// The vector from one vertex of a strand to the next.
#[inline(always)]
pub fn between<const N: usize>(vertices: &[Lanes3; N], first: usize, lane: usize) -> Vec3 {
    get3(&vertices[first + 1], lane) - get3(&vertices[first], lane)
}

/// `N` items from `first` on, of which a loop over lanes need not check that they are there: with checks inside, it is not vectorized.
///
/// # Panics
/// When there are not so many.
#[inline(always)]
pub fn window<T, const N: usize>(all: &[T], first: usize) -> &[T; N] {
    all[first..].first_chunk().expect("the window is inside")
}
