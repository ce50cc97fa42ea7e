//! The system of a step, `(M + h^2 H) dv = impulses`, of the strands of a group [Huang2023, Eq. 2].
//!
//! It is solved for the change `dv` from trial velocities rather than for velocities: rounding in the solution, which a stiff matrix makes large, is in
//! proportion to `dv` alone. Strands that are held somewhere keep their velocities for trial, so that `dv` vanishes at rest; strands that are free
//! fall for trial, so that `dv` vanishes in flight. Impulses follow from rates of change of edges, which are exactly zero when a
//! strand moves as a whole. What is held has its new velocity for trial and a huge mass.

use crate::band::{BandSystem, Column};
use crate::group::{Group, GroupState, HELD};
use crate::joint::{JointRates, JointSystem};
use crate::lanes::{LANES, Lanes, Lanes3, get3};
use crate::stretch::StretchedEdge;
use glam::{Mat3, Vec3};

/// Unknowns of an edge with its vertices: `x0 theta0 x1`.
const EDGE: usize = 7;
/// Unknowns of a joint: `x0 theta0 x1 theta1 x2`.
const JOINT: usize = 11;

/// Trial velocities of a group.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Per vertex [m/s].
    pub velocity: Vec<Lanes3>,
    /// Per vertex, of the edge that begins there [rad/s].
    pub spin: Vec<Lanes>,
    /// How much faster gravity and drag alone would have it at the end of the step, with drag acting on the trial velocity; per vertex [m/s].
    pub gain: Vec<Lanes3>,
    /// The same of the spin [rad/s].
    pub spin_gain: Vec<Lanes>,
}

impl Trial {
    /// Room for strands of up to so many vertices.
    pub fn with_capacity(vertices: usize) -> Trial {
        Trial {
            velocity: vec![Lanes::ZERO3; vertices],
            spin: vec![Lanes::ZERO; vertices],
            gain: vec![Lanes::ZERO3; vertices],
            spin_gain: vec![Lanes::ZERO; vertices],
        }
    }

    #[inline(always)]
    fn edge_rate(&self, i: usize, lane: usize) -> Vec3 {
        get3(&self.velocity[i + 1], lane) - get3(&self.velocity[i], lane)
    }
}

/// Fills the system of a step of length `h` [s]; masses count `inertia` times (drag makes it more than one).
#[inline(always)]
pub fn assemble(group: &Group, state: &GroupState, trial: &Trial, system: &mut BandSystem, h: f32, inertia: f32) {
    let diagonal = |j: usize| {
        let mass = if j % 4 < 3 { &group.mass[j / 4] } else { &group.inertia[j / 4] };
        Lanes(mass.0.map(|mass| inertia * mass))
    };
    system.reset(diagonal, group.unknowns());
    let free = |mass: f32| if mass < HELD { mass } else { 0.0 };
    for i in 0..group.vertices {
        if let Some((_, rhs)) = system.window::<4>(4 * i) {
            for lane in 0..LANES {
                add_vector(rhs, 0, free(group.mass[i][lane]) * get3(&trial.gain[i], lane), lane);
                rhs[3][lane] += free(group.inertia[i][lane]) * trial.spin_gain[i][lane];
            }
        }
    }
    for i in 0..group.vertices - 1 {
        if let Some((columns, rhs)) = system.window::<EDGE>(4 * i) {
            add_edge(group, state, trial, h, i, columns, rhs);
        }
    }
    for i in 0..group.joints.len() {
        if let Some((columns, rhs)) = system.window::<JOINT>(4 * i) {
            add_joint(group, state, trial, h, i, columns, rhs);
        }
    }
}

#[inline(always)]
fn add_edge(
    group: &Group,
    state: &GroupState,
    trial: &Trial,
    h: f32,
    i: usize,
    columns: &mut [Column; EDGE],
    rhs: &mut [Lanes; EDGE],
) {
    let (length, stiffness) = (&group.length[i], &group.stretching[i]);
    for lane in 0..LANES {
        let edge = StretchedEdge { edge: state.edge(i, lane), length: length[lane], stiffness: stiffness[lane] };
        let (impulse, matrix) = edge.system(trial.edge_rate(i, lane), h);
        add_vector(rhs, 0, -impulse, lane);
        add_vector(rhs, 4, impulse, lane);
        add_diagonal_block(columns, 0, matrix, lane);
        add_block(columns, 4, 0, -matrix, lane);
        add_diagonal_block(columns, 4, matrix, lane);
    }
}

#[inline(always)]
fn add_joint(
    group: &Group,
    state: &GroupState,
    trial: &Trial,
    h: f32,
    i: usize,
    columns: &mut [Column; JOINT],
    rhs: &mut [Lanes; JOINT],
) {
    let rest = &group.joints[i];
    let spins = [&trial.spin[i], &trial.spin[i + 1]];
    for lane in 0..LANES {
        let rates = JointRates {
            edges: [trial.edge_rate(i, lane), trial.edge_rate(i + 1, lane)],
            spins: [spins[0][lane], spins[1][lane]],
        };
        let joint = state.joint(i, lane).system(&rest.get(lane), &rates, h);
        add_joint_system(columns, rhs, &joint, lane);
    }
}

/// From edges to vertices: `e = x1 - x0`, `f = x2 - x1`.
#[inline(always)]
fn add_joint_system(columns: &mut [Column; JOINT], rhs: &mut [Lanes; JOINT], joint: &JointSystem, lane: usize) {
    let [e, f] = joint.impulse.edges;
    add_vector(rhs, 0, -e, lane);
    rhs[3][lane] += joint.impulse.angles[0];
    add_vector(rhs, 4, e - f, lane);
    rhs[7][lane] += joint.impulse.angles[1];
    add_vector(rhs, 8, f, lane);

    let [ee, ef, ff] = joint.edges;
    let fe = ef.transpose();
    add_diagonal_block(columns, 0, ee, lane);
    add_block(columns, 4, 0, fe - ee, lane);
    add_block(columns, 8, 0, -fe, lane);
    add_diagonal_block(columns, 4, ee - ef - fe + ff, lane);
    add_block(columns, 8, 4, fe - ff, lane);
    add_diagonal_block(columns, 8, ff, lane);

    let [a, b] = joint.first_angle;
    add_row(columns, 3, 0, -a, lane);
    add_column(columns, 4, 3, a - b, lane);
    add_column(columns, 8, 3, b, lane);
    let [a, b] = joint.second_angle;
    add_row(columns, 7, 0, -a, lane);
    add_row(columns, 7, 4, a - b, lane);
    add_column(columns, 8, 7, b, lane);
    columns[3][0][lane] += joint.angles[0];
    columns[3][4][lane] += joint.angles[1];
    columns[7][0][lane] += joint.angles[2];
}

#[inline(always)]
fn add_vector<const N: usize>(to: &mut [Lanes; N], row: usize, v: Vec3, lane: usize) {
    to[row][lane] += v.x;
    to[row + 1][lane] += v.y;
    to[row + 2][lane] += v.z;
}

/// Adds to three entries of a column below each other.
#[inline(always)]
fn add_column<const N: usize>(to: &mut [Column; N], row: usize, column: usize, v: Vec3, lane: usize) {
    to[column][row - column][lane] += v.x;
    to[column][row + 1 - column][lane] += v.y;
    to[column][row + 2 - column][lane] += v.z;
}

/// Adds to three entries of a row beside each other.
#[inline(always)]
fn add_row<const N: usize>(to: &mut [Column; N], row: usize, column: usize, v: Vec3, lane: usize) {
    to[column][row - column][lane] += v.x;
    to[column + 1][row - column - 1][lane] += v.y;
    to[column + 2][row - column - 2][lane] += v.z;
}

/// Adds a block below the diagonal.
#[inline(always)]
fn add_block<const N: usize>(to: &mut [Column; N], row: usize, column: usize, m: Mat3, lane: usize) {
    add_column(to, row, column, m.x_axis, lane);
    add_column(to, row, column + 1, m.y_axis, lane);
    add_column(to, row, column + 2, m.z_axis, lane);
}

/// Adds the lower half of a symmetric block on the diagonal.
#[inline(always)]
fn add_diagonal_block<const N: usize>(to: &mut [Column; N], row: usize, m: Mat3, lane: usize) {
    add_column(to, row, row, m.x_axis, lane);
    to[row + 1][0][lane] += m.y_axis.y;
    to[row + 1][1][lane] += m.y_axis.z;
    to[row + 2][0][lane] += m.z_axis.z;
}
