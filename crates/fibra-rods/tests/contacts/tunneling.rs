//! Bodies that move by ten diameters in a step do not tunnel through obstacles.

use crate::trial::{DT, RADIUS, Trial};
use glam::DVec3;

/// Radius of the balls [m].
const BALL: f64 = 4e-3;
/// Initial distance from the obstacle along the path [m].
const START_DISTANCE: f64 = 0.07;

/// Impact directions: vertical, oblique and grazing, from all sides.
fn directions() -> impl Iterator<Item = DVec3> {
    let slants = [0.0, 25.0, 50.0, 70.0f64].map(f64::to_radians);
    slants.into_iter().flat_map(|slant| {
        (0..5).map(move |k| {
            let side = 1.3 * f64::from(k) + 0.2;
            DVec3::new(slant.sin() * side.cos(), -slant.cos(), slant.sin() * side.sin())
        })
    })
}

/// Returns the height of one polyline above another where they cross in top view [m]; `None` if they do not cross.
fn height_above(a: &[DVec3], b: &[DVec3]) -> Option<f64> {
    let cross = |x: DVec3, y: DVec3| x.x * y.z - x.z * y.x;
    a.windows(2).flat_map(|a| b.windows(2).map(move |b| (a, b))).find_map(|(a, b)| {
        let (along_a, along_b, between) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
        let scale = cross(along_a, along_b);
        let (s, t) = (cross(between, along_b) / scale, cross(between, along_a) / scale);
        let crosses = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
        crosses.then(|| (a[0] + s * along_a).y - (b[0] + t * along_b).y)
    })
}

/// Drops a rod on body 0, also a rod, and checks that it stays above body 0 at the point where they cross.
fn assert_rod_stays_above(mut trial: Trial, direction: DVec3, friction: f64) {
    let velocity = 20.0 * RADIUS / DT * direction;
    trial.add_rod(-START_DISTANCE * direction, 0.2 * DVec3::new(1.0, 0.0, 0.1), velocity, friction);
    let mut met = false;
    // The rods meet in the fourth step. The run ends soon after, because the free ends may meet below the obstacle.
    for _ in 0..7 {
        trial.step();
        let bodies = &trial.state.bodies;
        let height = height_above(bodies[1].points(), bodies[0].points());
        assert!(height.is_none_or(|height| height > 0.0), "{direction}: {height:?} m above");
        met |= trial.state.contacts.iter().any(|touch| touch.force != DVec3::ZERO);
    }
    assert!(met, "{direction}: the rods did not meet");
}

#[test]
fn a_rod_does_not_tunnel_through_a_free_rod() {
    for (direction, friction) in directions().flat_map(|direction| [(direction, 0.0), (direction, 0.5)]) {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.2 * DVec3::Z, DVec3::ZERO, friction);
        assert_rod_stays_above(trial, direction, friction);
    }
}

#[test]
fn a_rod_does_not_tunnel_through_a_thin_fixed_rod() {
    for direction in directions() {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rail(DVec3::ZERO, 0.2 * DVec3::Z, 0.3 * RADIUS, 0.3);
        assert_rod_stays_above(trial, direction, 0.3);
    }
}

#[test]
fn a_rod_does_not_tunnel_through_a_plate() {
    for direction in directions() {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_plate(4.0 * RADIUS, 0.3);
        let velocity = 20.0 * RADIUS / DT * direction;
        // Horizontal, oblique and nearly vertical.
        for (k, half) in [DVec3::X, DVec3::new(0.9, 0.4, 0.2), DVec3::new(0.1, 1.0, 0.0)].into_iter().enumerate() {
            let place = DVec3::new(0.0, 0.0, 0.2 * k as f64 - 0.2);
            trial.add_rod(place + 0.02 * DVec3::Y - START_DISTANCE * direction, 0.02 * half.normalize(), velocity, 0.3);
        }
        for _ in 0..20 {
            trial.step();
            let lowest = trial.points().iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
            assert!(lowest > 0.8 * RADIUS, "{direction}: {lowest}");
        }
    }
}

/// A ball hits the middle of a rod and must be deflected before it passes through.
fn assert_ball_is_deflected(mut trial: Trial, direction: DVec3) {
    let velocity = 20.0 * BALL / DT * direction;
    trial.add_ball(-3.0 * START_DISTANCE * direction, BALL, velocity, 0.3);
    for _ in 0..10 {
        trial.step();
        let ball = trial.state.bodies[1].points()[0];
        let rod = trial.state.bodies[0].points();
        // Beside the rod, the ball may move below the rod's bent-down middle, but it must not pass through the rod.
        let below = height_above(&[ball - DVec3::X, ball + DVec3::X], rod);
        assert!(below.is_none_or(|height| height > 0.0 || off_axis(ball, rod) > BALL), "{direction}: {below:?}");
    }
    let down = trial.state.bodies[1].point_velocities()[0].dot(direction);
    assert!(down < 0.999 * velocity.length(), "{direction}: the ball did not meet the rod");
}

/// Returns the distance from a point to a rod along `z`, perpendicular to `z` [m].
fn off_axis(x: DVec3, rod: &[DVec3]) -> f64 {
    rod.iter().map(|y| (x.x - y.x).hypot(x.y - y.y)).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_ball_does_not_tunnel_through_rods() {
    for direction in directions() {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rail(DVec3::ZERO, 0.2 * DVec3::Z, 0.3 * RADIUS, 0.3);
        assert_ball_is_deflected(trial, direction);
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.2 * DVec3::Z, DVec3::ZERO, 0.3);
        assert_ball_is_deflected(trial, direction);
    }
}

#[test]
fn a_ball_does_not_tunnel_through_a_plate() {
    for direction in directions() {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_plate(4.0 * RADIUS, 0.3);
        trial.add_ball(BALL * DVec3::Y - START_DISTANCE * direction, BALL, 20.0 * BALL / DT * direction, 0.3);
        for _ in 0..5 {
            trial.step();
            let height = trial.points()[0].y;
            assert!(height > 0.99 * BALL, "{direction}: {height}");
        }
    }
}
