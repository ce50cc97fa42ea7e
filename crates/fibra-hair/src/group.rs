//! Groups: constants and state of up to [`LANES`] strands, one per SIMD lane.

use crate::lanes::{LANES, Lanes, Lanes3, get3};
use fibra_core::rod_joint::{Joint, RestJoint};
use glam::Vec3;

/// Mass of pinned vertices [kg] and inertia of pinned edges [kg m^2]. The value is so large that no impulse moves them, and that their rows of the
/// system decouple exactly in `f32`.
pub const PINNED_MASS: f32 = 1e20;

/// Constants of the strands of a group. Strands with fewer vertices than the longest are padded with pinned vertices without stiffness.
#[derive(Clone, Debug)]
pub struct Group {
    /// Number of vertices of the longest strand.
    pub vertices: usize,
    /// Mass per vertex [kg].
    pub mass: Vec<Lanes>,
    /// Moment of inertia of the edge that begins at each vertex, about its own axis [kg m^2].
    pub inertia: Vec<Lanes>,
    /// Rest length per edge [m].
    pub length: Vec<Lanes>,
    /// Cosine of the sharpest bend allowed between an edge and the one before, per edge [-]; -1 for the first.
    pub min_cosine: Vec<Lanes>,
    /// `EA / l` per edge [N/m].
    pub stretching: Vec<Lanes>,
    /// One joint per vertex between two edges.
    pub joints: Vec<JointLanes>,
    /// One for strands without pinned vertices, zero for others [-].
    pub flying: Lanes,
    /// Pinned vertices, which move with the head.
    pub pinned_vertices: Vec<Pinned>,
    /// Edges between pinned vertices.
    pub pinned_edges: Vec<Pinned>,
}

/// A pinned vertex or edge of one strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pinned {
    /// Index of the vertex or edge within the strand.
    pub index: usize,
    /// Lane of the strand.
    pub lane: usize,
    /// Position of the vertex [m], or first director of the edge, in the head's frame.
    pub home: Vec3,
}

/// Stiffness and rest shape of joints.
#[derive(Clone, Debug)]
pub struct JointLanes {
    /// `EI / (2 l)` [J].
    pub bending: Lanes,
    /// `GJ / l` [J].
    pub twisting: Lanes,
    /// Material curvatures at rest [-].
    pub curvature: [Lanes; 4],
}

impl JointLanes {
    /// Joints without stiffness.
    pub const ABSENT: JointLanes =
        JointLanes { bending: Lanes::ZERO, twisting: Lanes::ZERO, curvature: [Lanes::ZERO; 4] };

    /// Returns the joint of one strand.
    #[inline(always)]
    pub fn get(&self, lane: usize) -> RestJoint {
        let [a, b, c, d] = &self.curvature;
        RestJoint {
            bending: self.bending[lane],
            twisting: self.twisting[lane],
            curvature: [a[lane], b[lane], c[lane], d[lane]],
        }
    }

    /// Sets the joint of one strand.
    pub fn set(&mut self, lane: usize, rest: &RestJoint) {
        self.bending[lane] = rest.bending;
        self.twisting[lane] = rest.twisting;
        (0..4).for_each(|k| self.curvature[k][lane] = rest.curvature[k]);
    }
}

impl Group {
    /// Returns a group of empty lanes for strands with at most `vertices` vertices.
    pub fn absent(vertices: usize) -> Group {
        Group {
            vertices,
            mass: vec![Lanes([PINNED_MASS; LANES]); vertices],
            inertia: vec![Lanes([PINNED_MASS; LANES]); vertices],
            length: vec![Lanes::ONE; vertices - 1],
            min_cosine: vec![Lanes([-1.0; LANES]); vertices - 1],
            stretching: vec![Lanes::ZERO; vertices - 1],
            joints: vec![JointLanes::ABSENT; vertices.saturating_sub(2)],
            flying: Lanes::ZERO,
            pinned_vertices: Vec::new(),
            pinned_edges: Vec::new(),
        }
    }

    /// Returns the number of unknowns per strand: three per vertex and the angle of the edge that begins there. The last vertex has no edge, and its
    /// angle is pinned.
    pub fn unknowns(&self) -> usize {
        4 * self.vertices
    }
}

/// State of the strands of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupState {
    /// Position per vertex [m].
    pub position: Vec<Lanes3>,
    /// Velocity per vertex [m/s].
    pub velocity: Vec<Lanes3>,
    /// Tangent per edge at the last update of its director.
    pub tangent: Vec<Lanes3>,
    /// First material director per edge.
    pub director: Vec<Lanes3>,
    /// Spin of the material frame about each edge [rad/s].
    pub spin: Vec<Lanes>,
    /// Twist per joint, including full turns [rad].
    pub twist: Vec<Lanes>,
    /// Largest ratio of edge length to rest length that the steps so far reached, before lengths were limited [-].
    pub stretch: Lanes,
    /// Largest distance by which limits on lengths and bends moved a vertex at the end of a step so far, before vertices were projected out of
    /// colliders [m].
    pub correction: Lanes,
}

impl GroupState {
    /// Returns straight lines at rest, for empty lanes.
    pub fn absent(vertices: usize) -> GroupState {
        let line = |i: usize| [Lanes([0.01 * i as f32; LANES]), Lanes::ZERO, Lanes::ZERO];
        GroupState {
            position: (0..vertices).map(line).collect(),
            velocity: vec![Lanes::ZERO3; vertices],
            tangent: vec![[Lanes::ONE, Lanes::ZERO, Lanes::ZERO]; vertices - 1],
            director: vec![[Lanes::ZERO, Lanes::ONE, Lanes::ZERO]; vertices - 1],
            spin: vec![Lanes::ZERO; vertices - 1],
            twist: vec![Lanes::ZERO; vertices.saturating_sub(2)],
            stretch: Lanes::ONE,
            correction: Lanes::ZERO,
        }
    }

    /// Returns an edge of one strand [m].
    #[inline(always)]
    pub fn edge(&self, i: usize, lane: usize) -> Vec3 {
        get3(&self.position[i + 1], lane) - get3(&self.position[i], lane)
    }

    /// Returns the joint of one strand between edges `i` and `i + 1`.
    #[inline(always)]
    pub fn joint(&self, i: usize, lane: usize) -> Joint {
        Joint {
            edges: [self.edge(i, lane), self.edge(i + 1, lane)],
            directors: [get3(&self.director[i], lane), get3(&self.director[i + 1], lane)],
            twist: self.twist[i][lane],
        }
    }
}
