//! The meshes of curves and surfaces: the vertices of each element, rest shapes, bending and pins. Constant during a run.

use crate::bending::Bending;
use fibra_core::geometry::Motion;
use fibra_materials::kind::Kind;
use glam::DVec3;
use std::ops::Range;

/// The meshes of all curves and surfaces of a run. Particles are identified by id ([`crate::state::Particles::id`]).
#[derive(Clone, Debug, Default)]
pub struct Meshes {
    /// Id of the first element particle; points and vertices have smaller ids. Element `e` of this mesh is
    /// particle `first_element + e`.
    pub first_element: u32,
    /// Id ranges of the vertices and elements, in ascending order. All other particles are points.
    pub ranges: Vec<(Range<u32>, Kind)>,
    /// Vertices of each element; for a segment, the second vertex is repeated.
    pub corners: Vec<[u32; 3]>,
    /// Rest shapes, which map deformed edges to deformed material directions. Read them with [`Meshes::rest_of`]: a segment that follows
    /// its mesh stores its rest shape in the scalar of its particle. Such segments have no entry here if they come last.
    pub rest: Vec<RestShape>,
    /// Hinges and joints.
    pub bending: Bending,
    /// Pinned vertices.
    pub pins: Vec<Pin>,
}

/// An element's rest shape, as coefficients that map its edges `e1 = x1 - x0`, `e2 = x2 - x0` to the deformed material directions:
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

/// Vertices with a prescribed motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The vertices, with their world positions at time 0 [m].
    pub vertices: Vec<(u32, DVec3)>,
    /// Motion of the vertices.
    pub motion: Motion,
    /// World position at time 0 of the point about which the motion rotates [m].
    pub pivot: DVec3,
    /// When the vertices are released [s]; infinite for never.
    pub release: f64,
}

impl Meshes {
    /// Whether there are surface elements that follow their mesh.
    pub fn has_surfaces(&self) -> bool {
        self.ranges.iter().any(|(_, kind)| *kind == Kind::Surface)
    }

    /// Returns the kind of a particle at time 0 by its id, or `None` for a point. Pinned vertices count as vertices.
    pub fn kind_of(&self, id: u32) -> Option<Kind> {
        let at = self.ranges.partition_point(|(range, _)| range.end <= id);
        self.ranges.get(at).filter(|(range, _)| range.contains(&id)).map(|(_, kind)| *kind)
    }

    /// Returns the rest shape of an element. For a segment that follows its mesh it is the particle's scalar `along`; other shapes are
    /// looked up by id.
    #[inline(always)]
    pub fn rest_of(&self, kind: Kind, id: u32, along: f32) -> RestShape {
        match kind {
            Kind::Curve => RestShape { along, shear: 0.0, across: 0.0 },
            _ => self.rest[(id - self.first_element) as usize],
        }
    }
}

impl RestShape {
    /// Computes the deformed material directions [-] of an element from its edges [m]. The map is linear, so it also maps changes of edges to
    /// changes of directions.
    #[inline(always)]
    pub fn directions(&self, [e1, e2]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let RestShape { along, shear, across } = *self;
        [
            [along * e1[0], along * e1[1], along * e1[2]],
            [shear * e1[0] + across * e2[0], shear * e1[1] + across * e2[1], shear * e1[2] + across * e2[2]],
        ]
    }

    /// Computes the derivatives of an energy with respect to the edges [N] from those with respect to the material directions [J].
    #[inline(always)]
    pub fn edge_pulls(&self, [p1, p2]: [[f32; 3]; 2]) -> [[f32; 3]; 2] {
        let RestShape { along, shear, across } = *self;
        [
            [along * p1[0] + shear * p2[0], along * p1[1] + shear * p2[1], along * p1[2] + shear * p2[2]],
            [across * p2[0], across * p2[1], across * p2[2]],
        ]
    }
}
