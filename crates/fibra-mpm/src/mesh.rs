//! The meshes of curves and surfaces: which vertices an element joins, its rest shape, what holds vertices, and springs
//! against bending. Constant during a run.

use fibra_core::geometry::Motion;
use fibra_materials::kind::Kind;
use glam::DVec3;
use std::ops::Range;

/// The meshes of all curves and surfaces of a run. Particles are named by their numbers ([`crate::state::Particles::id`]).
#[derive(Clone, Debug, Default)]
pub struct Meshes {
    /// Number of the first element particle; points and vertices have smaller numbers. Element `e` of this mesh is
    /// particle `first_element + e`.
    pub first_element: u32,
    /// Which particles are vertices and elements, in the order of their numbers. All others are points.
    pub ranges: Vec<(Range<u32>, Kind)>,
    /// Vertices of each element; a segment's third equals its second.
    pub corners: Vec<[u32; 3]>,
    /// What turns deformed edges into deformed material directions, up to the last element whose shape is not all in its
    /// particle's scalar; read through [`Meshes::rest_of`].
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

impl Meshes {
    /// Whether there are surfaces whose elements follow their mesh.
    pub fn has_surfaces(&self) -> bool {
        self.ranges.iter().any(|(_, kind)| *kind == Kind::Surface)
    }

    /// What a particle stands for at time 0, by its number, unless it is a point. Held vertices count as vertices.
    pub fn kind_of(&self, id: u32) -> Option<Kind> {
        let at = self.ranges.partition_point(|(range, _)| range.end <= id);
        self.ranges.get(at).filter(|(range, _)| range.contains(&id)).map(|(_, kind)| *kind)
    }

    /// Rest shape of an element. That of a segment which follows its mesh is all in its particle's scalar, `along`; others are
    /// looked up by their number.
    #[inline(always)]
    pub fn rest_of(&self, kind: Kind, id: u32, along: f32) -> RestShape {
        match kind {
            Kind::Curve => RestShape { along, shear: 0.0, across: 0.0 },
            _ => self.rest[(id - self.first_element) as usize],
        }
    }
}

impl RestShape {
    /// The deformed material directions within an element with the given edges [m] [-]. Linear: changes of edges give changes of
    /// directions.
    #[inline(always)]
    pub fn directions(&self, [e1, e2]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let RestShape { along, shear, across } = *self;
        [
            [along * e1[0], along * e1[1], along * e1[2]],
            [shear * e1[0] + across * e2[0], shear * e1[1] + across * e2[1], shear * e1[2] + across * e2[2]],
        ]
    }

    /// Derivatives of an energy by the edges [N], from those by the material directions [J].
    #[inline(always)]
    pub fn edge_pulls(&self, [p1, p2]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let RestShape { along, shear, across } = *self;
        [
            [along * p1[0] + shear * p2[0], along * p1[1] + shear * p2[1], along * p1[2] + shear * p2[2]],
            [across * p2[0], across * p2[1], across * p2[2]],
        ]
    }
}

impl Spring {
    /// Force on the end at `x` when the other is at `other` [m] [N].
    #[inline(always)]
    pub fn force(&self, x: [f32; 3], other: [f32; 3]) -> [f32; 3] {
        let (d, length) = self.span(x, other);
        let k = self.stiffness * (1.0 - self.rest_length / length);
        d.map(|d| k * d)
    }

    /// Energy [J] of the spring between ends at `x` and `other` [m].
    pub fn energy(&self, x: [f32; 3], other: [f32; 3]) -> f32 {
        let (_, length) = self.span(x, other);
        0.5 * self.stiffness * (length - self.rest_length).powi(2)
    }

    /// Change of [`Spring::force`] when the other end moves by `shift` relative to this one [m] [N].
    pub fn force_change(&self, x: [f32; 3], other: [f32; 3], shift: [f32; 3]) -> [f32; 3] {
        let (d, length) = self.span(x, other);
        // f = k (1 - L / l) d, and d(1 / l) = -(d . shift) / l^3.
        let slack = self.rest_length / length;
        let along = slack * (d[0] * shift[0] + d[1] * shift[1] + d[2] * shift[2]) / (length * length);
        std::array::from_fn(|a| self.stiffness * ((1.0 - slack) * shift[a] + along * d[a]))
    }

    /// The way to the other end and its length [m], which is held above zero.
    #[inline(always)]
    fn span(&self, x: [f32; 3], other: [f32; 3]) -> ([f32; 3], f32) {
        let d: [f32; 3] = std::array::from_fn(|a| other[a] - x[a]);
        let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
        (d, length.max(1e-6 * self.rest_length))
    }
}
