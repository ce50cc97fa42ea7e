//! Free bodies that meet share their momentum and lose none of it.

use crate::trial::Trial;
use glam::DVec3;

/// Steps a trial of bodies on their way to each other and compares its momentum in every step.
fn is_conserved(mut trial: Trial, steps: usize) {
    let before = trial.momentum();
    let size: f64 = trial.state.bodies.iter().flat_map(|body| body.point_velocities()).map(DVec3::length).sum();
    assert!(size > 0.0);
    let mut met = false;
    for _ in 0..steps {
        trial.step();
        let now = trial.momentum();
        assert!(now.distance(before) < 1e-11 * before.length(), "{now} from {before}");
        met |= trial.state.contacts.iter().any(|touch| touch.force != DVec3::ZERO);
    }
    assert!(met, "they did not meet");
}

#[test]
fn crossing_rods() {
    for friction in [0.0, 0.4] {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.05 * DVec3::Z, DVec3::ZERO, friction);
        trial.add_rod(0.005 * DVec3::Y, 0.05 * DVec3::new(1.0, 0.1, 0.3), DVec3::new(0.3, -1.0, 0.2), friction);
        is_conserved(trial, 60);
    }
}

#[test]
fn rods_side_by_side() {
    for friction in [0.0, 0.4] {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.05 * DVec3::Z, DVec3::ZERO, friction);
        trial.add_rod(0.004 * DVec3::Y, 0.05 * DVec3::new(0.0, 0.02, 1.0), DVec3::new(0.0, -0.5, 0.3), friction);
        is_conserved(trial, 60);
    }
}

#[test]
fn a_ball_and_rods() {
    for friction in [0.0, 0.4] {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.05 * DVec3::Z, DVec3::ZERO, friction);
        trial.add_rod(0.01 * DVec3::X, 0.05 * DVec3::new(0.1, 0.0, 1.0), DVec3::ZERO, friction);
        trial.add_ball(DVec3::new(0.004, 0.02, 0.01), 0.008, DVec3::new(0.2, -1.0, 0.1), friction);
        is_conserved(trial, 60);
    }
}
