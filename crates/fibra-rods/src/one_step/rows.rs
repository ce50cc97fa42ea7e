//! Contacts as rows of the one-step problem: `u = J v + w` for the velocities, `v = v_free + M^-1 J^T r` for the impulses.

use crate::band::{BandFactor, SymmetricBand};
use crate::body::Body;
use crate::contact::{Contact, Side};
use crate::friction::one_contact::OneContact;
use crate::rod::PointMotion;
use glam::{DMat3, DVec3};

/// Gaps within this share of the thinner radius count as closed and are left alone, so that what rests is not moved by rounding [-].
const SLOP: f64 = 1e-3;
/// Share of an overlap that a step takes back [-].
const RECOVERY: f64 = 0.5;

/// A body's step without contact, factored.
#[derive(Clone, Debug, Default)]
pub struct FreeBody {
    /// `M + dt B + dt^2 K`.
    pub operator: SymmetricBand,
    /// Its factor.
    pub factor: BandFactor,
    /// Velocities without contact.
    pub velocities: Vec<f64>,
}

/// One contact of an island. Vectors are in the contact's own axes: normal, tangent, tangent.
#[derive(Clone, Debug)]
pub struct Row {
    /// Coulomb's coefficient of friction [-].
    pub mu: f64,
    /// What is added to `J v`: motion that is prescribed, less what the gap allows and the rebound asks for [m/s].
    pub shift: DVec3,
    /// Its own block of `J M^-1 J^T` [1/kg].
    pub block: DMat3,
    /// Its solution when the others wait.
    pub alone: OneContact,
    /// Scale from velocities to impulses: the inverse of the block's mean diagonal entry [kg].
    pub rho: f64,
    /// Columns of `J`: one stretch of consecutive unknowns for each body in contact.
    pub jacobian: Vec<Stretch>,
    /// Columns of `(M^-1 J^T)^T`: one stretch for each body, all of its unknowns.
    pub response: Vec<Stretch>,
}

/// Values of consecutive unknowns of the island.
#[derive(Clone, Debug, PartialEq)]
pub struct Stretch {
    /// The first unknown.
    pub first: usize,
    /// A vector in the contact's axes for each.
    pub columns: Vec<DVec3>,
}

/// Bodies of an island and where their unknowns begin in it.
#[derive(Clone, Debug)]
pub struct Numbering {
    /// First unknown of each body of the scene; only those of the island have meaning.
    pub first: Vec<usize>,
    /// Number of unknowns.
    pub unknowns: usize,
}

impl Row {
    /// Makes the row of a contact in a step of `dt` [s].
    pub fn new(contact: &Contact, bodies: &[Body], free: &[FreeBody], numbering: &Numbering, dt: f64) -> Row {
        let axes = DMat3::from_cols_array_2d(&contact.axes().map(|axis| axis.to_array())).transpose();
        let motion = |side: &Side| bodies[side.body].motion_of(side.at, side.arm);
        let sides: Vec<(usize, f64, PointMotion)> = [(Some(contact.a), 1.0), (contact.b, -1.0)]
            .into_iter()
            .filter_map(|(side, sign)| side.map(|side| (side.body, sign, motion(&side))))
            .collect();
        let mut drift = -contact.surface_velocity;
        let mut before = drift;
        let mut jacobian = Vec::new();
        let mut response: Vec<Stretch> = Vec::new();
        for (body, sign, motion) in &sides {
            drift += *sign * motion.drift;
            let now = &bodies[*body].velocities()[motion.first..];
            before += *sign * motion.columns.iter().zip(now).fold(motion.drift, |sum, (column, v)| sum + *v * *column);
            // What is held as a whole has no unknowns, and no number of its own.
            if bodies[*body].unknowns() == 0 {
                continue;
            }
            let columns: Vec<DVec3> = motion.columns.iter().map(|column| *sign * (axes * *column)).collect();
            let first = numbering.first[*body];
            let caused = respond(&free[*body].factor, bodies[*body].unknowns(), motion.first, &columns);
            match response.iter_mut().find(|known| known.first == first) {
                // A body in touch with itself answers to both.
                Some(known) => known.columns.iter_mut().zip(caused).for_each(|(sum, more)| *sum += more),
                None => response.push(Stretch { first, columns: caused }),
            }
            jacobian.push(Stretch { first: first + motion.first, columns });
        }
        let block = own_block(&jacobian, &response);
        let mean = block.to_cols_array_2d().iter().enumerate().map(|(i, column)| column[i]).sum::<f64>() / 3.0;
        let mut shift = axes * drift;
        shift.x += allowance(contact, bodies, contact.normal.dot(before), dt);
        Row {
            mu: contact.friction,
            shift,
            block,
            alone: OneContact::new(contact.friction, &block),
            rho: if mean > 0.0 { 1.0 / mean } else { 1.0 },
            jacobian,
            response,
        }
    }

    /// Relative velocity, for the velocities of the island.
    pub fn velocity(&self, v: &[f64]) -> DVec3 {
        self.shift + self.change(v)
    }

    /// By how much it changes with the velocities: `J v` alone. Less rounding than the difference of two relative velocities.
    pub fn change(&self, v: &[f64]) -> DVec3 {
        self.jacobian.iter().fold(DVec3::ZERO, |sum, stretch| {
            let mine = &v[stretch.first..stretch.first + stretch.columns.len()];
            stretch.columns.iter().zip(mine).fold(sum, |sum, (column, v)| sum + *v * *column)
        })
    }

    /// Adds the velocities that an impulse causes.
    pub fn push(&self, impulse: DVec3, v: &mut [f64]) {
        for stretch in &self.response {
            let mine = &mut v[stretch.first..stretch.first + stretch.columns.len()];
            stretch.columns.iter().zip(mine).for_each(|(column, v)| *v += column.dot(impulse));
        }
    }
}

/// `J M^-1 J^T` of a contact with itself.
fn own_block(jacobian: &[Stretch], response: &[Stretch]) -> DMat3 {
    let mut block = DMat3::ZERO;
    for stretch in jacobian {
        let covers =
            |response: &&Stretch| (response.first..response.first + response.columns.len()).contains(&stretch.first);
        let Some(response) = response.iter().find(covers) else { continue };
        let caused = &response.columns[stretch.first - response.first..];
        for (column, caused) in stretch.columns.iter().zip(caused) {
            block += DMat3::from_cols(*column * caused.x, *column * caused.y, *column * caused.z);
        }
    }
    // Symmetric but for rounding.
    0.5 * (block + block.transpose())
}

/// `M^-1 J^T` for one body.
fn respond(factor: &BandFactor, unknowns: usize, first: usize, columns: &[DVec3]) -> Vec<DVec3> {
    let mut caused = vec![DVec3::ZERO; unknowns];
    caused[first..first + columns.len()].copy_from_slice(columns);
    factor.solve_three(&mut caused, first);
    caused
}

/// What is added to the normal velocity [m/s], so that zero is the end of what is allowed: open gaps may close, overlaps open slowly,
/// and hits rebound [Bertails2011, Eq. 5]. `before` is the normal velocity before the step.
fn allowance(contact: &Contact, bodies: &[Body], before: f64, dt: f64) -> f64 {
    let thinner = contact.b.map_or(f64::INFINITY, |b| bodies[b.body].radius()).min(bodies[contact.a.body].radius());
    let slop = SLOP * thinner;
    let closing = match contact.gap {
        gap if gap > slop => (gap - slop) / dt,
        gap if gap < -slop => RECOVERY * (gap + slop) / dt,
        _ => 0.0,
    };
    // A hit happens in the step in which the gap would close.
    let rebound = contact.restitution * -before;
    if rebound > 0.0 && contact.gap + dt * before < slop { -rebound } else { closing }
}
