//! Strands side by side: what is constant of up to [`LANES`] strands, and how they are.

use crate::joint::{Joint, RestJoint};
use crate::lanes::{LANES, Lanes, Lanes3, get3};
use glam::Vec3;

/// Mass of what is held [kg], and its inertia [kg m^2]: so large beside hair that no impulse moves it, and its rows of the system
/// decouple exactly in `f32`.
pub const HELD: f32 = 1e20;

/// What is constant of the strands of a group. Those with fewer vertices than the longest are filled up with ones that are held and joined
/// by nothing.
#[derive(Clone, Debug)]
pub struct Group {
    /// Vertices of the longest strand.
    pub vertices: usize,
    /// Per vertex [kg].
    pub mass: Vec<Lanes>,
    /// Per vertex, of the edge that begins there, about itself [kg m^2].
    pub inertia: Vec<Lanes>,
    /// Rest length per edge [m].
    pub length: Vec<Lanes>,
    /// Cosine of the sharpest bend that is let from the edge before, per edge [-]; -1 for the first.
    pub least_cosine: Vec<Lanes>,
    /// `EA / l` per edge [N/m].
    pub stretching: Vec<Lanes>,
    /// Per vertex between two edges.
    pub joints: Vec<JointLanes>,
    /// One for strands of which nothing is held, zero for others [-].
    pub flying: Lanes,
    /// Vertices that move with the head.
    pub held_vertices: Vec<Held>,
    /// Edges between such vertices.
    pub held_edges: Vec<Held>,
}

/// A vertex or an edge of one strand that moves with the head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// Which of the strand's.
    pub index: usize,
    /// The strand.
    pub lane: usize,
    /// Position of the vertex [m], or first director of the edge, in the frame of the head.
    pub home: Vec3,
}

/// Joints at rest.
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
    /// Joints that join nothing.
    pub const ABSENT: JointLanes =
        JointLanes { bending: Lanes::ZERO, twisting: Lanes::ZERO, curvature: [Lanes::ZERO; 4] };

    /// The joint of one strand.
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
    /// A group of strands that have so many vertices at most; all are absent so far.
    pub fn absent(vertices: usize) -> Group {
        Group {
            vertices,
            mass: vec![Lanes([HELD; LANES]); vertices],
            inertia: vec![Lanes([HELD; LANES]); vertices],
            length: vec![Lanes::ONE; vertices - 1],
            least_cosine: vec![Lanes([-1.0; LANES]); vertices - 1],
            stretching: vec![Lanes::ZERO; vertices - 1],
            joints: vec![JointLanes::ABSENT; vertices.saturating_sub(2)],
            flying: Lanes::ZERO,
            held_vertices: Vec::new(),
            held_edges: Vec::new(),
        }
    }

    /// Unknowns of a strand: three of each vertex and the angle of the edge that begins there. (The last has no edge; its angle is
    /// held.)
    pub fn unknowns(&self) -> usize {
        4 * self.vertices
    }
}

/// How the strands of a group are.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupState {
    /// Per vertex [m].
    pub position: Vec<Lanes3>,
    /// Per vertex [m/s].
    pub velocity: Vec<Lanes3>,
    /// What elasticity, gravity and drag want to add to the velocity, per vertex [m/s].
    pub change: Vec<Lanes3>,
    /// Tangent per edge, as it was when its director was carried there last.
    pub tangent: Vec<Lanes3>,
    /// First material director per edge.
    pub director: Vec<Lanes3>,
    /// Turning of the material about each edge [rad/s].
    pub spin: Vec<Lanes>,
    /// Twist per joint, full turns counted [rad].
    pub twist: Vec<Lanes>,
}

impl GroupState {
    /// Strands that are absent: straight lines.
    pub fn absent(vertices: usize) -> GroupState {
        let line = |i: usize| [Lanes([0.01 * i as f32; LANES]), Lanes::ZERO, Lanes::ZERO];
        GroupState {
            position: (0..vertices).map(line).collect(),
            velocity: vec![Lanes::ZERO3; vertices],
            change: vec![Lanes::ZERO3; vertices],
            tangent: vec![[Lanes::ONE, Lanes::ZERO, Lanes::ZERO]; vertices - 1],
            director: vec![[Lanes::ZERO, Lanes::ONE, Lanes::ZERO]; vertices - 1],
            spin: vec![Lanes::ZERO; vertices - 1],
            twist: vec![Lanes::ZERO; vertices.saturating_sub(2)],
        }
    }

    /// An edge of one strand [m].
    #[inline(always)]
    pub fn edge(&self, i: usize, lane: usize) -> Vec3 {
        get3(&self.position[i + 1], lane) - get3(&self.position[i], lane)
    }

    /// The joint of one strand between edges `i` and `i + 1`.
    #[inline(always)]
    pub fn joint(&self, i: usize, lane: usize) -> Joint {
        Joint {
            edges: [self.edge(i, lane), self.edge(i + 1, lane)],
            directors: [get3(&self.director[i], lane), get3(&self.director[i + 1], lane)],
            twist: self.twist[i][lane],
        }
    }
}
