//! Right-hand side of a step: momentum, elastic forces in the current corotated frames, gravity and holds.

use crate::discretization::Discretization;
use crate::elaston::Elaston;
use crate::equations::{EquationCoefficients, gather, hold_loads};
use crate::law::{add_elastic_loads, strain_changes, strains};
use crate::table::{FieldValues, MAX_ROWS};
use crate::world::{Hold, Params, State};
use fibra_core::geometry::RigidState;
use glam::{DMat3, DQuat, DVec3};
use rayon::prelude::*;

/// Inputs of a step.
pub struct StepInputs<'a> {
    /// Time step [s].
    pub dt: f64,
    /// Time at the end of the step [s].
    pub end: f64,
    /// Whether each hold is active.
    pub holding: &'a [bool],
    /// Corotated frame of each elaston.
    pub frames: &'a [DMat3],
}

/// Returns momentum before the step plus the impulse of all forces, the right-hand side for the unknown velocities.
pub fn right_hand_side(
    params: &Params,
    state: &State,
    discretization: &Discretization,
    inputs: &StepInputs,
) -> Vec<f64> {
    let StepInputs { dt, end, holding, frames } = *inputs;
    let matter = &state.matter;
    let table = &discretization.elastons;
    let of_elaston = |at: usize| {
        let elaston = &matter.elastons[at];
        let substance = &params.objects[discretization.substances[at] as usize];
        let rates = table.read(at, &state.velocities);
        let field = table.read(at, &state.displacements);
        let mut loads = [DVec3::ZERO; MAX_ROWS];
        let mass = substance.density * elaston.volume;
        loads[0] = mass * (rates[0] + dt * params.gravity);
        for axis in 0..3 {
            loads[1 + axis] = mass * elaston.sides[axis] * elaston.sides[axis] / 12.0 * rates[1 + axis];
        }
        let elastic = strains(&field, elaston, &frames[at]) - state.plastic[at];
        add_elastic_loads(&substance.elasticity, elaston, &elastic, &frames[at], -dt, &mut loads);
        // The matrix treats the corotated frame as constant, so rigid rotation would count as a change of strain. This
        // term compensates for the current angular velocity. Without it, a strained body would resist rotation.
        let turning = strain_changes(&rotation_rates(&field, &rates, elaston), &frames[at]);
        let stiffness = EquationCoefficients::of_step(params, dt).stiffness;
        add_elastic_loads(&substance.elasticity, elaston, &turning, &frames[at], stiffness, &mut loads);
        loads
    };
    let elastons: Vec<FieldValues> = (0..table.len()).into_par_iter().with_min_len(16).map(of_elaston).collect();
    let of_hold = |index: usize| {
        let scale = if holding[index] { -dt } else { 0.0 };
        hold_loads_at(params, state, discretization, index, end, scale)
    };
    let holds: Vec<Vec<FieldValues>> = (0..params.holds.len()).map(of_hold).collect();
    let mut forces = vec![0.0; state.velocities.len()];
    gather(discretization, &elastons, &holds, &mut forces);
    forces
}

/// Rates of an elaston's displacement derivatives due to its current rigid rotation alone.
fn rotation_rates(field: &FieldValues, rates: &FieldValues, elaston: &Elaston) -> FieldValues {
    let columns = |of: [DVec3; 3]| DMat3::from_cols(of[0], of[1], of[2]);
    let deformed = columns(std::array::from_fn(|axis| elaston.axes.col(axis) + field[1 + axis]));
    let mut rotation_rates = [DVec3::ZERO; MAX_ROWS];
    if deformed.determinant().abs() < 1e-6 {
        // The elaston is degenerate, so its angular velocity is undefined.
        return rotation_rates;
    }
    let gradient = columns([rates[1], rates[2], rates[3]]) * deformed.inverse();
    let spin = 0.5
        * DVec3::new(
            gradient.y_axis.z - gradient.z_axis.y,
            gradient.z_axis.x - gradient.x_axis.z,
            gradient.x_axis.y - gradient.y_axis.x,
        );
    (0..3).for_each(|axis| rotation_rates[1 + axis] = spin.cross(deformed.col(axis)));
    (4..MAX_ROWS).for_each(|row| rotation_rates[row] = spin.cross(field[row]));
    rotation_rates
}

/// Generalized forces of a hold at its material points, multiplied by `scale`. They follow from the deviation of the material points from
/// their target at time `at` [s].
fn hold_loads_at(
    params: &Params,
    state: &State,
    discretization: &Discretization,
    index: usize,
    at: f64,
    scale: f64,
) -> Vec<FieldValues> {
    let (hold, table) = (&params.holds[index], &discretization.holds[index]);
    let target = Target::new(params, hold, state.sampled, at);
    let of_piece = |at: usize| {
        let piece = hold.pieces[at];
        let wanted = target.field(hold.starts[at], state.matter.cloud.points[piece as usize]);
        let mut field = table.read(at, &state.displacements);
        field.iter_mut().zip(wanted).for_each(|(value, wanted)| *value -= wanted);
        hold_loads(params, &state.matter, piece, scale, &field)
    };
    (0..table.len()).into_par_iter().with_min_len(16).map(of_piece).collect()
}

/// Force of a hold on its material points [N].
pub fn hold_force(params: &Params, state: &State, discretization: &Discretization, index: usize) -> DVec3 {
    hold_loads_at(params, state, discretization, index, state.time, -1.0).iter().map(|loads| loads[0]).sum()
}

/// Target of a hold's material points at one time.
pub struct Target {
    state: RigidState,
    /// Center of rotation [m].
    pivot: DVec3,
    /// Target displacement gradient [-].
    gradient: DMat3,
}

impl Target {
    /// The target of a hold at time `at` [s]. It is relative to the rest shape from the last resampling, at time
    /// `sampled` [s], or to the initial rest shape if `sampled` is `None`.
    pub fn new(params: &Params, hold: &Hold, sampled: Option<f64>, at: f64) -> Target {
        let state = hold.motion.at(at);
        let at_rest = sampled.map_or(DQuat::IDENTITY, |sampled| hold.motion.at(sampled).rotation);
        let turn = state.rotation * at_rest.inverse();
        Target {
            state,
            pivot: hold.motion.pivot(DVec3::ZERO) - params.origin,
            gradient: DMat3::from_quat(turn) - DMat3::IDENTITY,
        }
    }

    /// Target position of a material point that started at `start` [m].
    pub fn place(&self, start: DVec3) -> DVec3 {
        self.pivot + self.state.translation + self.state.rotation * (start - self.pivot)
    }

    /// Target displacement and gradient of a material point that started at `start` and has rest position `rest`.
    fn field(&self, start: DVec3, rest: DVec3) -> FieldValues {
        let mut field = [DVec3::ZERO; MAX_ROWS];
        field[0] = self.place(start) - rest;
        (0..3).for_each(|axis| field[1 + axis] = self.gradient.col(axis));
        field
    }
}
