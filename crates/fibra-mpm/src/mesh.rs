//! The meshes of curves and surfaces: which vertices an element joins, its rest shape, what holds vertices, and springs
//! against bending. Constant during a run.

use fibra_core::geometry::Motion;
use glam::DVec3;

/// The meshes of all curves and surfaces of a run. Particles are named by their numbers ([`crate::state::Particles::id`]).
#[derive(Clone, Debug, Default)]
pub struct Meshes {
    /// Number of the first element particle; points and vertices have smaller numbers. Element `e` of this mesh is
    /// particle `first_element + e`.
    pub first_element: u32,
    /// Vertices of each element; a segment's third equals its second.
    pub corners: Vec<[u32; 3]>,
    /// What turns deformed edges into deformed material directions, see [`RestShape`].
    pub rest: Vec<RestShape>,
    /// Springs between vertices.
    pub springs: Vec<Spring>,
    /// What holds vertices.
    pub pins: Vec<Pin>,
}

/// An element's rest shape, as the factors of its edges `e1 = x1 - x0`, `e2 = x2 - x0` in the deformed material directions:
/// `d1 = along * e1` and, for triangles, `d2 = shear * e1 + across * e2` [1/m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RestShape {
    /// `1 / |E1|`.
    pub along: f32,
    /// `-(E1 . E2) / (|E1|^2 h)`, with `h` the height over `E1`; 0 for segments.
    pub shear: f32,
    /// `1 / h`; 0 for segments.
    pub across: f32,
}

/// A spring between two vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The two vertices.
    pub ends: [u32; 2],
    /// Length without force [m].
    pub rest_length: f32,
    /// Force per elongation [N/m].
    pub stiffness: f32,
}

/// Vertices that move as told instead of with the grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The vertices, with where they are at time 0 in the world [m].
    pub vertices: Vec<(u32, DVec3)>,
    /// How they move.
    pub motion: Motion,
    /// The point that the motion's rotations turn about, at time 0 [m].
    pub pivot: DVec3,
    /// When they are let go [s]; infinite for never.
    pub release: f64,
}
