//! The same fall, simulated near the origin of the world and far from it.

use super::Check;
use super::scenario::{Scenario, jelly_ball};
use fibra_core::geometry::Contact;
use glam::{DVec3, Vec3};

/// A fall one kilometer from the origin along every axis.
pub fn positive() -> Result<Vec<Check>, String> {
    compare("mpm-far-origin", DVec3::splat(1000.0))
}

/// A fall one kilometer from the origin along every negative axis.
pub fn negative() -> Result<Vec<Check>, String> {
    compare("mpm-far-origin-negative", DVec3::splat(-1000.0))
}

/// Compares the trajectories of the center of mass, each relative to its own start. The error is the
/// largest distance between the two trajectories, relative to the height of the fall.
fn compare(name: &str, shift: DVec3) -> Result<Vec<Check>, String> {
    let near = drop(DVec3::ZERO)?;
    let far = drop(shift)?;
    let fallen = |path: &[DVec3]| path.iter().map(|x| -x.y).fold(0.0, f64::max);
    let apart = near.iter().zip(&far).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
    let (measured, expected) = (fallen(&far), fallen(&near));
    Ok(vec![Check { name: name.to_owned(), measured, expected, error: apart / expected, tolerance: 1e-3 }])
}

/// Positions of the center of mass relative to its start [m], for a ball that falls on a floor and bounces.
///
/// The shift is a whole number of cells except for rounding, so that the floor always passes through nodes. This
/// matters because the depth to which the ball sinks depends on the position of the floor between two nodes, near the
/// origin as well as far from it.
fn drop(shift: DVec3) -> Result<Vec<DVec3>, String> {
    let mut ball = Scenario::new(0.025, jelly_ball(shift + DVec3::new(0.1, 0.4, -0.1))?)?;
    ball.add_plane(shift, Vec3::Y, Contact::Separating, 0.3)?;
    let begin = ball.center_of_mass();
    let mut path = Vec::new();
    for k in 1..=30 {
        ball.advance(0.01 * f64::from(k))?;
        path.push(ball.center_of_mass() - begin);
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    #[test]
    fn falling_far_from_the_origin_matches_falling_at_the_origin() {
        for check in super::positive().unwrap().into_iter().chain(super::negative().unwrap()) {
            assert!(check.passes(), "{check:?}");
        }
    }
}
