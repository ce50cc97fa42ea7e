//! A ball of jelly in free fall for one second.

use super::Check;
use super::scenario::{G, Scenario, jelly_ball};
use glam::DVec3;

/// Symplectic Euler adds `g dt` to the velocity, then `v dt` to the position. After steps `dt_1 ... dt_n`, the drop is
/// `g sum_k dt_k (dt_1 + ... + dt_k) = g t^2 / 2 + g sum_k dt_k^2 / 2`: the exact fall plus the first-order error of
/// the integrator. Lateral motion must be zero. Errors are relative to the drop.
pub fn run() -> Result<Vec<Check>, String> {
    fall(1.0, "mpm-freefall")
}

fn fall(duration: f64, name: &str) -> Result<Vec<Check>, String> {
    let mut ball = Scenario::new(0.05, jelly_ball(DVec3::ZERO)?)?;
    let begin = ball.center_of_mass();
    let mut squares = 0.0;
    while ball.state.time < duration {
        squares += ball.step(duration)?.powi(2);
    }
    let drop = 0.5 * G * (duration * duration + squares);
    let moved = ball.center_of_mass() - begin;
    let sideways = moved.x.hypot(moved.z);
    Ok(vec![
        Check::relative(name, -moved.y, drop, 1e-4),
        Check {
            name: format!("{name}-sideways"),
            measured: sideways,
            expected: 0.0,
            error: sideways / drop,
            tolerance: 1e-4,
        },
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_short_fall_follows_the_integrator() {
        for check in super::fall(0.1, "short").unwrap() {
            assert!(check.passes(), "{check:?}");
        }
    }
}
