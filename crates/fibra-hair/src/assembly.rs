//! Assembles the linear system of a step, `(M + h^2 H) dv = impulses`, for the strands of a group [Huang2023, Eq. 2].
//!
//! The unknown is the change `dv` from trial velocities, not the velocities themselves. A stiff matrix amplifies rounding in the solution, and this
//! rounding is proportional to `dv`. The trial velocity of a pinned strand is its current velocity, so `dv` vanishes at rest. The trial velocity of
//! a free strand is that of free fall, so `dv` vanishes in flight. Impulses depend on rates of change of edges, which are exactly zero under
//! rigid translation. Pinned vertices have their new velocity as trial velocity, and a huge mass.

use crate::band::{BandSystem, Column, HALF_BANDWIDTH};
use crate::group::{Group, GroupState, PINNED_MASS};
use crate::lanes::{HALVES, LANES, Lanes, Lanes3, between, get3, window};
use crate::stretch::StretchedEdge;
use fibra_core::rod_joint::{Joint, JointRates, JointSystem};
use fibra_core::simd::Vector;
use glam::{Mat3, Vec3};

/// Unknowns of an edge with its vertices: `x0 theta0 x1`.
const EDGE: usize = 7;
/// Unknowns of a joint: `x0 theta0 x1 theta1 x2`.
const JOINT: usize = 11;

/// Trial velocities of a group.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Velocity per vertex [m/s].
    pub velocity: Vec<Lanes3>,
    /// Spin of the edge that begins at each vertex [rad/s].
    pub spin: Vec<Lanes>,
    /// Remaining velocity change from gravity and drag over the step, beyond the trial velocity; per vertex [m/s]. Zero for free strands.
    pub gain: Vec<Lanes3>,
    /// Spin change over the step, computed like `gain`; per edge [rad/s].
    pub spin_gain: Vec<Lanes>,
}

impl Trial {
    /// Allocates for strands of up to `vertices` vertices.
    pub fn with_capacity(vertices: usize) -> Trial {
        Trial {
            velocity: vec![Lanes::ZERO3; vertices],
            spin: vec![Lanes::ZERO; vertices],
            gain: vec![Lanes::ZERO3; vertices],
            spin_gain: vec![Lanes::ZERO; vertices],
        }
    }
}

/// Fills the system of a step of length `h` [s]. Masses are multiplied by `inertia`, which drag makes larger than one.
#[inline(always)]
pub fn assemble<V: Vector>(
    group: &Group,
    state: &GroupState,
    trial: &Trial,
    system: &mut BandSystem,
    h: f32,
    inertia: f32,
) {
    for i in 0..group.vertices {
        for c in 0..3 {
            add_mass(system, 4 * i + c, &group.mass[i], &trial.gain[i][c], inertia);
        }
        add_mass(system, 4 * i + 3, &group.inertia[i], &trial.spin_gain[i], inertia);
    }
    system.end(group.unknowns());
    let step = Step { group, state, trial, h };
    let mut edge = Contribution::ZERO;
    for i in 0..group.vertices - 1 {
        step.fill_edge(i, &mut edge);
        edge.add_to::<V>(system, 4 * i);
    }
    let mut joint = Contribution::ZERO;
    for i in 0..group.joints.len() {
        step.fill_joint(i, &mut joint);
        joint.add_to::<V>(system, 4 * i);
    }
}

/// Starts a row with its mass and impulse, without elasticity.
#[inline(always)]
fn add_mass(system: &mut BandSystem, row: usize, mass: &Lanes, gain: &Lanes, inertia: f32) {
    let (mut diagonal, mut impulse) = (Lanes::ZERO, Lanes::ZERO);
    for lane in 0..LANES {
        diagonal[lane] = inertia * mass[lane];
        impulse[lane] = gain[lane] * if mass[lane] < PINNED_MASS { mass[lane] } else { 0.0 };
    }
    system.begin_row(row, diagonal, impulse);
}

/// Input of edges and joints in a step.
struct Step<'a> {
    group: &'a Group,
    state: &'a GroupState,
    trial: &'a Trial,
    h: f32,
}

impl Step<'_> {
    #[inline(always)]
    fn fill_edge(&self, i: usize, out: &mut Contribution<EDGE>) {
        let (length, stiffness) = (&self.group.length[i], &self.group.stretching[i]);
        let (x, v) = (window::<_, 2>(&self.state.position, i), window::<_, 2>(&self.trial.velocity, i));
        for lane in 0..LANES {
            let edge = StretchedEdge { edge: between(x, 0, lane), length: length[lane], stiffness: stiffness[lane] };
            let (impulse, matrix) = edge.system(between(v, 0, lane), self.h);
            out.set_vector(0, -impulse, lane);
            out.set_vector(4, impulse, lane);
            out.set_diagonal_block(0, matrix, lane);
            out.set_block(4, 0, -matrix, lane);
            out.set_diagonal_block(4, matrix, lane);
        }
    }

    #[inline(always)]
    fn fill_joint(&self, i: usize, out: &mut Contribution<JOINT>) {
        let (rest, twist) = (&self.group.joints[i], &self.state.twist[i]);
        let (x, v) = (window::<_, 3>(&self.state.position, i), window::<_, 3>(&self.trial.velocity, i));
        let (d, spin) = (window::<_, 2>(&self.state.director, i), window::<_, 2>(&self.trial.spin, i));
        for lane in 0..LANES {
            let joint = Joint {
                edges: [between(x, 0, lane), between(x, 1, lane)],
                directors: [get3(&d[0], lane), get3(&d[1], lane)],
                twist: twist[lane],
            };
            let rates =
                JointRates { edges: [between(v, 0, lane), between(v, 1, lane)], spins: [spin[0][lane], spin[1][lane]] };
            out.set_joint(&joint.system(&rest.get(lane), &rates, self.h), lane);
        }
    }
}

/// Contribution of an edge or a joint to the system, for its `N` unknowns. It is separate from the system so that the compiler can prove that a
/// loop over lanes does not alias its input. Each edge and each joint overwrites all nonzero entries.
struct Contribution<const N: usize> {
    columns: [Column; N],
    rhs: [Lanes; N],
}

impl<const N: usize> Contribution<N> {
    const ZERO: Self = Contribution { columns: [[Lanes::ZERO; HALF_BANDWIDTH + 1]; N], rhs: [Lanes::ZERO; N] };

    #[inline(always)]
    fn add_to<V: Vector>(&self, system: &mut BandSystem, first: usize) {
        let Some((columns, rhs)) = system.window::<N>(first) else { return };
        for half in 0..HALVES {
            for j in 0..N {
                rhs[j].store(half, rhs[j].load::<V>(half).add(self.rhs[j].load(half)));
                for a in 0..N - j {
                    let to = &mut columns[j][a];
                    to.store(half, to.load::<V>(half).add(self.columns[j][a].load(half)));
                }
            }
        }
    }

    #[inline(always)]
    fn set_vector(&mut self, row: usize, v: Vec3, lane: usize) {
        self.rhs[row][lane] = v.x;
        self.rhs[row + 1][lane] = v.y;
        self.rhs[row + 2][lane] = v.z;
    }

    /// Sets three consecutive entries of a column.
    #[inline(always)]
    fn set_column(&mut self, row: usize, column: usize, v: Vec3, lane: usize) {
        self.columns[column][row - column][lane] = v.x;
        self.columns[column][row + 1 - column][lane] = v.y;
        self.columns[column][row + 2 - column][lane] = v.z;
    }

    /// Sets three consecutive entries of a row.
    #[inline(always)]
    fn set_row(&mut self, row: usize, column: usize, v: Vec3, lane: usize) {
        self.columns[column][row - column][lane] = v.x;
        self.columns[column + 1][row - column - 1][lane] = v.y;
        self.columns[column + 2][row - column - 2][lane] = v.z;
    }

    /// Sets a block below the diagonal.
    #[inline(always)]
    fn set_block(&mut self, row: usize, column: usize, m: Mat3, lane: usize) {
        self.set_column(row, column, m.x_axis, lane);
        self.set_column(row, column + 1, m.y_axis, lane);
        self.set_column(row, column + 2, m.z_axis, lane);
    }

    /// Sets the lower half of a symmetric diagonal block.
    #[inline(always)]
    fn set_diagonal_block(&mut self, row: usize, m: Mat3, lane: usize) {
        self.set_column(row, row, m.x_axis, lane);
        self.columns[row + 1][0][lane] = m.y_axis.y;
        self.columns[row + 1][1][lane] = m.y_axis.z;
        self.columns[row + 2][0][lane] = m.z_axis.z;
    }
}

impl Contribution<JOINT> {
    /// Maps edges to vertices: `e = x1 - x0`, `f = x2 - x1`.
    #[inline(always)]
    fn set_joint(&mut self, joint: &JointSystem, lane: usize) {
        let [e, f] = joint.impulse.edges;
        self.set_vector(0, -e, lane);
        self.rhs[3][lane] = joint.impulse.angles[0];
        self.set_vector(4, e - f, lane);
        self.rhs[7][lane] = joint.impulse.angles[1];
        self.set_vector(8, f, lane);

        let [ee, ef, ff] = joint.edges;
        let fe = ef.transpose();
        self.set_diagonal_block(0, ee, lane);
        self.set_block(4, 0, fe - ee, lane);
        self.set_block(8, 0, -fe, lane);
        self.set_diagonal_block(4, ee - ef - fe + ff, lane);
        self.set_block(8, 4, fe - ff, lane);
        self.set_diagonal_block(8, ff, lane);

        let [a, b] = joint.first_angle;
        self.set_row(3, 0, -a, lane);
        self.set_column(4, 3, a - b, lane);
        self.set_column(8, 3, b, lane);
        let [a, b] = joint.second_angle;
        self.set_row(7, 0, -a, lane);
        self.set_row(7, 4, a - b, lane);
        self.set_column(8, 7, b, lane);
        self.columns[3][0][lane] = joint.angles[0];
        self.columns[3][4][lane] = joint.angles[1];
        self.columns[7][0][lane] = joint.angles[2];
    }
}
