//! Bounds on the time step.

use crate::params::Params;
use crate::pins::next_release;
use crate::state::State;
use crate::step_bounds::strictest_bound;

/// The stable time step is below `min_dt`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TooShort {
    /// The stable time step [s].
    pub wanted: f64,
    /// The bound that requires this time step, as a clause.
    pub because: &'static str,
}

/// Computes the largest stable time step [s] from the current particles.
pub fn stable_dt(params: &Params, state: &State) -> Result<f64, TooShort> {
    let (bound, wanted) = strictest_bound(params, state);
    let limits = &params.limits;
    if wanted < limits.min_dt {
        Err(TooShort { wanted, because: bound.because() })
    } else {
        Ok(wanted.min(limits.max_dt))
    }
}

/// Fits a stable step into the time left until `until`. The last two steps split the remaining time evenly, so that no step is tiny.
pub fn fitted_dt(stable: f64, time: f64, until: f64) -> f64 {
    let left = until - time;
    if stable >= left {
        left
    } else if 2.0 * stable > left {
        0.5 * left
    } else {
        stable
    }
}

/// The time interval of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StepSpan {
    /// Length [s].
    pub(crate) dt: f64,
    /// End time [s].
    pub(crate) end: f64,
    /// Whether the step reaches the caller's end time.
    pub(crate) is_last: bool,
}

impl StepSpan {
    /// Returns the next step, of at most `stable` [s]. It ends no later than `until` [s] or the next release of a pin.
    pub(crate) fn fit(params: &Params, state: &State, stable: f64, until: f64) -> StepSpan {
        let limit = until.min(next_release(params, state.time));
        let dt = fitted_dt(stable, state.time, limit);
        // Set the end time exactly: the sum would miss it by rounding.
        let end = if dt == limit - state.time { limit } else { state.time + dt };
        StepSpan { dt, end, is_last: end >= until }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_land_on_the_frame_and_none_is_tiny() {
        for stable in [0.3, 0.1, 0.029, 1.0] {
            let (mut time, until) = (0.0, 1.0);
            let mut shortest = f64::INFINITY;
            while time < until {
                let dt = fitted_dt(stable, time, until);
                assert!(dt > 0.0 && dt <= stable);
                shortest = shortest.min(dt);
                time = if dt == until - time { until } else { time + dt };
            }
            assert_eq!(time, until);
            assert!(shortest > 0.4 * stable);
        }
    }
}
