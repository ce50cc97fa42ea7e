//! Internal forces and moments of a super-helix.
//!
//! Moments are elastic and viscous: stiffness times curvature. An inextensible rod has no elastic forces, so forces follow from equilibrium, without
//! inertia: the force at a cut is the sum of the loads beyond it. A held root takes the moment that balances these loads.

use super::SuperHelix;
use crate::internal_loads::{InternalLoads, PointLoads};
use crate::rod::Hold;
use glam::DVec3;

impl SuperHelix {
    /// Returns the internal loads in equilibrium with the weight, the contacts and the forces on the tip.
    pub(super) fn loads_in_equilibrium(&self, loads: &PointLoads) -> InternalLoads {
        let points = self.centerline.len();
        let mass = self.line_density() * self.state.shape.element_length / self.samples as f64;
        let tip = match self.params.ends[1].hold {
            Hold::Free => loads.tip.force,
            _ => self.state.tip_force,
        };
        let load = |i: usize| {
            let lumped = if i == 0 || i + 1 == points { 0.5 * mass } else { mass };
            lumped * loads.gravity + loads.contacts.get(i).copied().unwrap_or_default()
        };
        let mut forces = vec![DVec3::ZERO; points - 1];
        let mut beyond = tip;
        for segment in (0..points - 1).rev() {
            beyond += load(segment + 1);
            forces[segment] = beyond;
        }
        let mut moments: Vec<DVec3> = (0..points).map(|i| self.elastic_moment(i)).collect();
        let ends = &self.params.ends;
        if ends[1].hold != Hold::Clamped {
            moments[points - 1] = loads.tip.moment;
            // sum of e_k x p_k: the moment of all loads beyond the root.
            let edges = self.centerline.windows(2).map(|p| p[1] - p[0]);
            moments[0] = loads.tip.moment + edges.zip(&forces).map(|(e, p)| e.cross(*p)).sum::<DVec3>();
        }
        if ends[0].hold != Hold::Clamped {
            moments[0] = DVec3::ZERO;
        }
        InternalLoads { forces, moments, end_masses: [0.5 * mass; 2] }
    }

    /// Returns the elastic and viscous moment at a point of the centerline [N m], the mean of both elements between elements.
    fn elastic_moment(&self, point: usize) -> DVec3 {
        let shape = &self.state.shape;
        let (element, sample) = (point / self.samples, point % self.samples);
        let damping = self.params.material.internal_damping;
        let stiffness = self.stiffness() / shape.element_length;
        let moment = |element: usize, sample: usize| {
            let strain = shape.curvatures[element] - self.natural[element] + damping * self.own_rates(element);
            let s = shape.element_length * sample as f64 / self.samples as f64;
            shape.frame_at(&self.chain, element, s) * (stiffness * strain)
        };
        match (element, sample) {
            (0, 0) => moment(0, 0),
            (element, 0) if element == self.natural.len() => moment(element - 1, self.samples),
            (element, 0) => 0.5 * (moment(element - 1, self.samples) + moment(element, 0)),
            (element, sample) => moment(element, sample),
        }
    }
}
