//! Momentum of each body. It is conserved in steps in which no hold or contact acts on the body, and when samples and
//! elastons change.

use crate::cloud::outer;
use crate::contacts::Contacts;
use crate::discretization::Discretization;
use crate::step_system::Span;
use crate::symmetric_eigen::symmetric_eigen;
use crate::table::linear_field;
use crate::world::{Params, State};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Mass, momenta and inertia of a body.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    mass: f64,
    /// First mass moment [kg m].
    moment: DVec3,
    /// Linear momentum [kg m/s].
    linear: DVec3,
    /// Angular momentum about the origin [kg m^2/s].
    angular: DVec3,
    /// Inertia tensor about the origin [kg m^2].
    inertia: DMat3,
}

impl Momentum {
    const NONE: Momentum =
        Momentum { mass: 0.0, moment: DVec3::ZERO, linear: DVec3::ZERO, angular: DVec3::ZERO, inertia: DMat3::ZERO };

    /// Momentum of a free body (no holds, no contacts) after a step of `dt` [s]. The change of positions has no effect,
    /// because `cross(x + dt v, v) = cross(x, v)`.
    pub fn after(&self, params: &Params, dt: f64) -> Momentum {
        let left = 1.0 / (1.0 + dt * params.mass_damping);
        Momentum {
            linear: (self.linear + dt * self.mass * params.gravity) * left,
            angular: (self.angular + dt * self.moment.cross(params.gravity)) * left,
            ..*self
        }
    }
}

/// Momenta of bodies. `body` is the index of the body of each material point.
pub fn momenta(params: &Params, state: &State, discretization: &Discretization, body: &[u32]) -> Vec<Momentum> {
    let count = body.iter().map(|&body| body as usize + 1).max().unwrap_or(0);
    let of_elaston = |at: usize| {
        let elaston = &state.matter.elastons[at];
        let mut own = Momentum::NONE;
        let mass = params.objects[discretization.substances[at] as usize].density * elaston.volume;
        let displaced = discretization.elastons.read(at, &state.displacements);
        let rates = discretization.elastons.read(at, &state.velocities);
        let place = elaston.center + displaced[0];
        own.mass += mass;
        own.moment += mass * place;
        own.linear += mass * rates[0];
        own.angular += mass * place.cross(rates[0]);
        own.inertia += point_inertia(place) * mass;
        for axis in 0..3 {
            let mass = mass * elaston.sides[axis] * elaston.sides[axis] / 12.0;
            let arm = elaston.axes.col(axis) + displaced[1 + axis];
            own.angular += mass * arm.cross(rates[1 + axis]);
            own.inertia += point_inertia(arm) * mass;
        }
        own
    };
    let parts: Vec<Momentum> =
        (0..state.matter.elastons.len()).into_par_iter().with_min_len(64).map(of_elaston).collect();
    let mut sums = vec![Momentum::NONE; count];
    for (part, body) in parts.iter().zip(bodies_of_elastons(state, body)) {
        let sum = &mut sums[body as usize];
        sum.mass += part.mass;
        sum.moment += part.moment;
        sum.linear += part.linear;
        sum.angular += part.angular;
        sum.inertia += part.inertia;
    }
    sums
}

/// Momenta, after a step, of all free parts: parts without holds and contacts. `None` for parts that are not free;
/// empty if no part is free.
pub(crate) fn free_momenta(
    params: &Params,
    state: &State,
    discretization: &Discretization,
    span: &Span,
    contacts: &Contacts,
) -> Vec<Option<Momentum>> {
    let components = &discretization.components;
    let mut free = vec![true; components.iter().max().map_or(0, |&last| last as usize + 1)];
    let holds = params.holds.iter().zip(&span.holding).filter(|(_, holding)| **holding);
    let held = holds.flat_map(|(hold, _)| &hold.pieces).copied();
    let touched = contacts.as_slice().iter().flat_map(|contact| [Some(contact.piece), contact.other()]).flatten();
    held.chain(touched).for_each(|piece| free[components[piece as usize] as usize] = false);
    if !free.contains(&true) {
        return Vec::new();
    }
    let now = momenta(params, state, discretization, components);
    now.iter().zip(free).map(|(now, free)| free.then(|| now.after(params, span.dt))).collect()
}

/// Restores given momenta of bodies by adding rigid velocity fields.
pub fn restore(
    params: &Params,
    state: &mut State,
    discretization: &Discretization,
    body: &[u32],
    wanted: &[Option<Momentum>],
) {
    let now = momenta(params, state, discretization, body);
    let motion = |(wanted, now): (&Option<Momentum>, &Momentum)| {
        wanted.as_ref().map_or([DVec3::ZERO; 2], |wanted| missing_motion(wanted, now))
    };
    let motions: Vec<[DVec3; 2]> = wanted.iter().zip(&now).map(motion).collect();
    let size = discretization.unknowns_per_sample();
    let n = size / 3;
    for (index, sample) in state.matter.samples.iter().enumerate() {
        let [velocity, spin] = motions[body[state.matter.anchors[index] as usize] as usize];
        let turning = DMat3::from_cols(spin.cross(DVec3::X), spin.cross(DVec3::Y), spin.cross(DVec3::Z));
        // The velocity at rest position X is v + w x (X + u).
        let at_rest = linear_field(params.order, std::slice::from_ref(sample), velocity, turning);
        let displacements = &state.displacements[index * size..][..size];
        let velocities = &mut state.velocities[index * size..][..size];
        for function in 0..n {
            let at = |component: usize| component * n + function;
            let turned = turning * DVec3::from_array([0, 1, 2].map(|component| displacements[at(component)]));
            for component in 0..3 {
                velocities[at(component)] += at_rest[at(component)] + turned[component];
            }
        }
    }
}

/// Velocity at the origin and angular velocity that supply the missing momenta.
fn missing_motion(wanted: &Momentum, now: &Momentum) -> [DVec3; 2] {
    if now.mass <= 0.0 {
        return [DVec3::ZERO; 2];
    }
    let center = now.moment / now.mass;
    let (linear, angular) = (wanted.linear - now.linear, wanted.angular - now.angular);
    let inertia = now.inertia - point_inertia(center) * now.mass;
    let (values, axes) = symmetric_eigen(&inertia);
    let lacking = angular - center.cross(linear);
    // A body without extent perpendicular to an axis has no inertia about this axis.
    let turns = (0..3).filter(|&axis| values[axis] > 1e-9 * values.max_element());
    let spin: DVec3 = turns.map(|axis| axes.col(axis) * (axes.col(axis).dot(lacking) / values[axis])).sum();
    [linear / now.mass - spin.cross(center), spin]
}

/// Inertia tensor of a unit mass at `arm`.
fn point_inertia(arm: DVec3) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer(arm)
}

fn bodies_of_elastons(state: &State, body: &[u32]) -> Vec<u32> {
    let mut of = vec![0; state.matter.elastons.len()];
    for (piece, &owner) in state.matter.owners.iter().enumerate() {
        of[owner as usize] = body[piece];
    }
    of
}
