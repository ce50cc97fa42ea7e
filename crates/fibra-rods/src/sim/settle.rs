//! Static equilibrium of the rods of a simulation.

use super::RodSim;
use super::error::RodSimError;
use crate::body::Body;
use crate::measures::{inside_colliders, smallest_gap};
use crate::rod::{Hold, Rod, StepContext, StepSystem};
use crate::statics::{Statics, StaticsError};
use glam::DVec3;
use rayon::prelude::*;
use std::f64::consts::TAU;

/// Length of a static step, relative to the slowest period of a rod [-]. In such a step, inertia is negligible.
const PERIODS: f64 = 100.0;
/// Bodies overlap if their distance, divided by the sum of their radii, is below this [-].
const OVERLAP: f64 = 1.0 - 1e-6;

impl RodSim {
    /// Brings all rods to static equilibrium at the current time, and removes all velocities.
    ///
    /// Rods are in equilibrium with their weight, the forces on their ends and their holds. There is no contact: the result is an error if
    /// bodies overlap. Discrete elastic rods reach a stable equilibrium to rounding error: beyond a bifurcation, they follow a stable branch.
    /// Stability is not checked under moments and follower loads, which have no potential.
    ///
    /// ```
    /// use fibra_rods::{End, RodInput, RodSettings, RodSim, RodSimError};
    /// use glam::DVec3;
    ///
    /// let mut sim = RodSim::new(RodSettings::default())?;
    /// let points = (0..=20).map(|i| DVec3::new(0.01 * f64::from(i), 0.0, 0.0)).collect();
    /// let cord = sim.add_rod(RodInput { points, ends: [End::clamped(), End::free()], ..RodInput::default() })?;
    /// sim.settle()?;
    /// assert!(sim.positions_of(cord)?[20].y < -0.05);
    /// assert_eq!(sim.quantities()["kinetic_energy"], 0.0);
    /// # Ok::<(), RodSimError>(())
    /// ```
    pub fn settle(&mut self) -> Result<(), RodSimError> {
        self.settle_at(self.state.time)
    }

    /// Brings all rods to static equilibrium at a time [s], not before the current time. Holds and rails have the poses of that time.
    pub fn settle_at(&mut self, time: f64) -> Result<(), RodSimError> {
        let now = self.state.time;
        if !(time.is_finite() && time >= now) {
            return Err(RodSimError::Until { until: time, time: now });
        }
        if let Some(ball) = self.state.bodies.iter().position(|body| matches!(body, Body::Ball(_))) {
            return Err(RodSimError::StaticBall { ball });
        }
        self.update_drives(time);
        let settings = self.params.settings;
        let statics = Statics { gravity: settings.gravity, time, origin: settings.origin, ..Statics::default() };
        let settled = self.state.bodies.par_iter_mut().enumerate().map(|(rod, body)| match body {
            Body::Rod(this) => {
                settle_rod(&statics, now, this.as_mut()).map_err(|error| RodSimError::Static { rod, error })
            }
            Body::Ball(_) => Ok(()),
        });
        settled.collect::<Vec<_>>().into_iter().collect::<Result<(), RodSimError>>()?;
        self.state.contacts.clear();
        self.state.time = time;
        self.state.steps += 1;
        self.workspace.last = Default::default();
        let gap = smallest_gap(&self.params, &self.state, |_| true);
        let inside = inside_colliders(&self.params, &self.state, 0..self.state.bodies.len());
        if gap < OVERLAP || inside > 0 { Err(RodSimError::StaticContact) } else { Ok(()) }
    }
}

fn settle_rod(statics: &Statics, now: f64, rod: &mut dyn Rod) -> Result<(), StaticsError> {
    if rod.unknowns() == 0 {
        let dt = statics.time - now;
        if dt > 0.0 {
            let context = StepContext { time: now, dt, gravity: statics.gravity, origin: statics.origin };
            rod.form(&context, &mut StepSystem::default());
            rod.advance(&[], &context);
        }
        return Ok(());
    }
    let params = rod.params();
    let free = params.closed || params.ends.iter().all(|end| end.hold_at(statics.time) == Hold::Free);
    let force: DVec3 =
        if params.closed { DVec3::ZERO } else { [0, 1].map(|end| rod.end_load(end, statics.time).force).iter().sum() };
    if free && (statics.gravity != DVec3::ZERO || force != DVec3::ZERO) {
        return Err(StaticsError::NotHeld);
    }
    // Moments and follower loads have no potential, so the stiffness matrix alone does not decide about stability.
    let has_potential = params.closed || params.ends.iter().all(|end| !end.follower && end.moment == DVec3::ZERO);
    let statics = Statics { longest_dt: PERIODS * slowest_period(rod, statics.gravity), ..*statics };
    let settled = if has_potential { statics.settle_stable(rod) } else { statics.settle_exactly(rod) };
    settled.map(|_| ())
}

/// Returns the longer of the period of a cantilever and the period of a pendulum [s].
fn slowest_period(rod: &dyn Rod, gravity: DVec3) -> f64 {
    let material = &rod.params().material;
    let length: f64 = rod.centerline().windows(2).map(|p| p[0].distance(p[1])).sum();
    let [first, second] = material.bending_by_axis();
    let bending = TAU / 3.516 * length * length * (material.density * material.area() / first.min(second)).sqrt();
    let swinging = if gravity == DVec3::ZERO { 0.0 } else { TAU * (length / gravity.length()).sqrt() };
    bending.max(swinging)
}
