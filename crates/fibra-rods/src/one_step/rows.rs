//! Contacts as rows of the one-step problem: `u = J v + w` for the velocities, `v = v_free + M^-1 J^T r` for the impulses.

use crate::band::{BandFactor, SymmetricBand};
use crate::body::Body;
use crate::contact::{Contact, Side};
use crate::friction::one_contact::OneContact;
use crate::rod::{Integrator, PointMotion, StepContext};
use glam::{DMat3, DVec3};

/// Gap tolerance, relative to the smaller radius [-]. Smaller gaps and overlaps count as closed and are not corrected,
/// so that rounding does not move bodies at rest.
const GAP_TOLERANCE: f64 = 1e-3;

/// Lower bound of the speed that gravity adds in a step, as a fraction of a radius per step [-]. It applies if there is no
/// gravity.
const MIN_RELATIVE_SPEED: f64 = 1e-3;

/// Factored step of a body without contact.
#[derive(Clone, Debug, Default)]
pub struct FreeBody {
    /// `M + dt B + dt^2 K`.
    pub operator: SymmetricBand,
    /// Cholesky factor of `operator`.
    pub factor: BandFactor,
    /// Velocities at the end of the step, without contact.
    pub velocities: Vec<f64>,
    /// Angular momentum that the step restores [kg m^2/s].
    pub restored: DVec3,
    /// The integrator of the body.
    pub integrator: Integrator,
}

/// One contact of an island. Vectors are in the axes of the contact: normal, tangent, tangent.
#[derive(Clone, Debug)]
pub struct Row {
    /// Coulomb's coefficient of friction [-].
    pub mu: f64,
    /// Offset added to `J v`: the prescribed motion, minus the lower limit of the normal velocity due to the gap or the rebound [m/s].
    pub shift: DVec3,
    /// Diagonal block of `J M^-1 J^T` [1/kg].
    pub block: DMat3,
    /// Solver of this contact alone.
    pub local_solver: OneContact,
    /// Scale from velocities to impulses: the inverse of the block's mean diagonal entry [kg].
    pub rho: f64,
    /// Impulse in one step of the larger of two forces: the weight of the lighter body, and the largest tension in the bodies [N s]. If there is
    /// neither, the weight is that in a small gravity. Errors of the contact are relative to this unit.
    pub unit: f64,
    /// Columns of `J`: one block of consecutive unknowns for each body in contact.
    pub jacobian: Vec<ColumnBlock>,
    /// Columns of `(M^-1 J^T)^T`: one block for each body, with all of its unknowns.
    pub response: Vec<ColumnBlock>,
}

/// Columns of consecutive unknowns of the island.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnBlock {
    /// The first unknown.
    pub first: usize,
    /// One column per unknown, in the axes of the contact.
    pub columns: Vec<DVec3>,
}

/// Numbering of the unknowns of an island.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// First unknown of each body of the scene; valid only for the bodies of the island.
    pub first: Vec<usize>,
    /// Number of unknowns.
    pub unknowns: usize,
}

impl Row {
    /// Builds the row of a contact for a time step.
    pub fn new(
        contact: &Contact,
        bodies: &[Body],
        free: &[FreeBody],
        numbering: &Numbering,
        step: &StepContext,
    ) -> Row {
        let axes = DMat3::from_cols_array_2d(&contact.axes().map(|axis| axis.to_array())).transpose();
        let motion = |side: &Side| bodies[side.body].motion_of(side.at, side.arm);
        let sides: Vec<(usize, f64, PointMotion)> = [(Some(contact.a), 1.0), (contact.b, -1.0)]
            .into_iter()
            .filter_map(|(side, sign)| side.map(|side| (side.body, sign, motion(&side))))
            .collect();
        let StepContext { dt, gravity, .. } = *step;
        let mut drift = -contact.surface_velocity;
        // Relative velocities at the start of the step, and at its end without contact.
        let [mut before, mut free_after] = [drift; 2];
        let mut jacobian = Vec::new();
        let mut response: Vec<ColumnBlock> = Vec::new();
        for (body, sign, motion) in &sides {
            drift += *sign * motion.drift;
            before += *sign * motion.velocity(bodies[*body].velocities());
            free_after += *sign * motion.velocity(&free[*body].velocities);
            // Bodies with a prescribed motion have no unknowns and no numbering.
            if bodies[*body].unknowns() == 0 {
                continue;
            }
            let columns: Vec<DVec3> = motion.columns.iter().map(|column| *sign * (axes * *column)).collect();
            let first = numbering.first[*body];
            let caused = body_response(&free[*body].factor, bodies[*body].unknowns(), motion.first, &columns);
            match response.iter_mut().find(|known| known.first == first) {
                // In self-contact, the body responds to both sides.
                Some(known) => known.columns.iter_mut().zip(caused).for_each(|(sum, more)| *sum += more),
                None => response.push(ColumnBlock { first, columns: caused }),
            }
            jacobian.push(ColumnBlock { first: first + motion.first, columns });
        }
        let block = diagonal_block(&jacobian, &response);
        let mean = block.to_cols_array_2d().iter().enumerate().map(|(i, column)| column[i]).sum::<f64>() / 3.0;
        let rho = if mean > 0.0 { 1.0 / mean } else { 1.0 };
        let least = MIN_RELATIVE_SPEED * contact.thinner_radius(bodies) / dt;
        let movable = sides.iter().filter(|(body, ..)| bodies[*body].unknowns() > 0);
        let mass = movable.map(|(body, ..)| bodies[*body].momenta().mass).fold(f64::INFINITY, f64::min);
        let tension = sides.iter().map(|(body, ..)| bodies[*body].tension()).fold(0.0, f64::max);
        let mut shift = axes * drift;
        let midpoint = sides.iter().any(|(body, ..)| free[*body].integrator == Integrator::Midpoint);
        let normal = [before, free_after].map(|velocity| contact.normal.dot(velocity));
        shift.x += normal_offset(contact, gap_tolerance(contact, bodies), normal, dt, midpoint);
        Row {
            mu: contact.friction,
            shift,
            block,
            local_solver: OneContact::new(contact.friction, &block),
            rho,
            unit: (mass * (dt * gravity.length()).max(least)).max(dt * tension),
            jacobian,
            response,
        }
    }

    /// Returns the relative velocity for the velocities of the island.
    pub fn velocity(&self, v: &[f64]) -> DVec3 {
        self.shift + self.change(v)
    }

    /// Returns `J v` alone: the change of the relative velocity for a change `v` of the velocities. Its rounding error
    /// is smaller than that of the difference between two relative velocities.
    pub fn change(&self, v: &[f64]) -> DVec3 {
        self.jacobian.iter().fold(DVec3::ZERO, |sum, entry| {
            let mine = &v[entry.first..entry.first + entry.columns.len()];
            entry.columns.iter().zip(mine).fold(sum, |sum, (column, v)| sum + *v * *column)
        })
    }

    /// Adds the velocity changes caused by an impulse.
    pub fn apply_impulse(&self, impulse: DVec3, v: &mut [f64]) {
        for entry in &self.response {
            let mine = &mut v[entry.first..entry.first + entry.columns.len()];
            entry.columns.iter().zip(mine).for_each(|(column, v)| *v += column.dot(impulse));
        }
    }
}

/// Returns the diagonal block of `J M^-1 J^T` of a contact.
fn diagonal_block(jacobian: &[ColumnBlock], response: &[ColumnBlock]) -> DMat3 {
    let mut block = DMat3::ZERO;
    for entry in jacobian {
        let covers =
            |response: &&ColumnBlock| (response.first..response.first + response.columns.len()).contains(&entry.first);
        let Some(response) = response.iter().find(covers) else { continue };
        let caused = &response.columns[entry.first - response.first..];
        for (column, caused) in entry.columns.iter().zip(caused) {
            block += DMat3::from_cols(*column * caused.x, *column * caused.y, *column * caused.z);
        }
    }
    // Symmetric up to rounding.
    0.5 * (block + block.transpose())
}

/// Returns `M^-1 J^T` for one body.
fn body_response(factor: &BandFactor, unknowns: usize, first: usize, columns: &[DVec3]) -> Vec<DVec3> {
    let mut caused = vec![DVec3::ZERO; unknowns];
    caused[first..first + columns.len()].copy_from_slice(columns);
    factor.solve_three(&mut caused, first);
    caused
}

/// Returns the gap tolerance of a contact [m].
pub fn gap_tolerance(contact: &Contact, bodies: &[Body]) -> f64 {
    GAP_TOLERANCE * contact.thinner_radius(bodies)
}

/// Returns the offset [m/s] to add to the normal velocity so that its lower limit becomes zero [Bertails2011, Eq. 5]. An
/// open gap may close, and an impact must rebound. Overlapping bodies must not approach; the end of the step moves them
/// apart. The normal velocities are those before the step, and after it without contact.
///
/// With Euler steps, the limit closes the gap exactly. With the midpoint rule, such a velocity would make bodies bounce, because positions advance
/// with the mean velocity. A contact that closes within the step stops the approach instead, and the end of the step moves the bodies apart.
fn normal_offset(contact: &Contact, tolerance: f64, [before, free_after]: [f64; 2], dt: f64, midpoint: bool) -> f64 {
    let gap = contact.gap - tolerance;
    let closing = match midpoint {
        false => gap.max(0.0) / dt,
        true if gap + 0.5 * dt * (before + free_after) > 0.0 => 2.0 * gap / dt + before,
        true => 0.0,
    };
    // An impact happens in the step in which the gap would close.
    let rebound = contact.restitution * -before;
    if rebound > 0.0 && contact.gap + dt * before < tolerance { -rebound } else { closing }
}
