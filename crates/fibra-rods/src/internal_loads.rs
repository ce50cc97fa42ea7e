//! Internal forces and moments of a rod.
//!
//! The energy of a nodal rod is a function of its edges `e_k` and their frames. `p_k = dE/de_k` is the force that edge `k` transmits: the part after the
//! cut pulls the part before it with `p_k`. A rotation of the part after point `i` by `w` changes the energy by `-w . M_i`, with `M_i` the moment that this
//! part exerts on the part before. Only the joint at the point contributes: `M_i = e_i x dE_i/de_i + dE_i/dtheta_i t_i`. In equilibrium, these forces
//! and moments balance the loads to rounding, for any number of segments.

use crate::rod::{EndLoad, Rod, StepContext};
use glam::DVec3;

/// Largest displacement by which the rate of the internal loads is measured, relative to a segment [-].
const RELATIVE_STEP: f64 = 1e-4;
/// Longest time over which the rate of the internal loads is measured [s].
const LONGEST_STEP: f64 = 1e-3;

/// External forces on the points of a rod, for models that obtain internal forces from equilibrium.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PointLoads {
    /// Gravity [m/s^2].
    pub gravity: DVec3,
    /// Contact force on each point [N].
    pub contacts: Vec<DVec3>,
    /// Force and moment on the last end.
    pub tip: EndLoad,
}

/// Internal forces and moments of a rod, in world axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InternalLoads {
    /// Force that the part after each segment exerts on the part before it [N].
    pub forces: Vec<DVec3>,
    /// Moment that the part after each point exerts on the part before it [N m].
    pub moments: Vec<DVec3>,
    /// Masses lumped at the first and the last point [kg].
    pub end_masses: [f64; 2],
}

impl InternalLoads {
    /// Adds `factor` times other loads of the same rod.
    fn add_scaled(&mut self, factor: f64, other: &InternalLoads) {
        self.forces.iter_mut().zip(&other.forces).for_each(|(a, b)| *a += factor * *b);
        self.moments.iter_mut().zip(&other.moments).for_each(|(a, b)| *a += factor * *b);
    }
}

/// Returns the elastic loads of a rod plus the viscous loads of its internal damping: the damping time multiplied by the rate of the elastic loads.
pub(crate) fn with_damping<R: Rod + Clone>(rod: &R, elastic: impl Fn(&R) -> InternalLoads) -> InternalLoads {
    let mut loads = elastic(rod);
    let damping = rod.params().material.internal_damping;
    let shortest = rod.centerline().windows(2).map(|p| p[0].distance(p[1])).fold(f64::INFINITY, f64::min);
    let fastest = rod.velocities().iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    if damping > 0.0 && fastest > 0.0 {
        let h = (RELATIVE_STEP * shortest / fastest).min(LONGEST_STEP);
        let shifted = |h: f64| {
            let mut rod = rod.clone();
            let velocities = rod.velocities().to_vec();
            rod.advance(&velocities, &StepContext { time: 0.0, dt: h, gravity: DVec3::ZERO, origin: DVec3::ZERO });
            elastic(&rod)
        };
        loads.add_scaled(0.5 * damping / h, &shifted(h));
        loads.add_scaled(-0.5 * damping / h, &shifted(-h));
    }
    loads
}
