//! Collisions of free bodies conserve momentum.

use crate::trial::Trial;
use glam::DVec3;

/// Advances a trial of approaching bodies and compares its momentum in every step.
fn assert_momentum_conserved(mut trial: Trial, steps: usize) {
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
    assert!(met, "the bodies did not meet");
}

#[test]
fn crossing_rods_conserve_momentum() {
    for friction in [0.0, 0.4] {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.05 * DVec3::Z, DVec3::ZERO, friction);
        trial.add_rod(0.005 * DVec3::Y, 0.05 * DVec3::new(1.0, 0.1, 0.3), DVec3::new(0.3, -1.0, 0.2), friction);
        assert_momentum_conserved(trial, 60);
    }
}

#[test]
fn parallel_rods_conserve_momentum() {
    for friction in [0.0, 0.4] {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.05 * DVec3::Z, DVec3::ZERO, friction);
        trial.add_rod(0.004 * DVec3::Y, 0.05 * DVec3::new(0.0, 0.02, 1.0), DVec3::new(0.0, -0.5, 0.3), friction);
        assert_momentum_conserved(trial, 60);
    }
}

#[test]
fn a_ball_and_rods_conserve_momentum() {
    for friction in [0.0, 0.4] {
        let mut trial = Trial::new(DVec3::ZERO);
        trial.add_rod(DVec3::ZERO, 0.05 * DVec3::Z, DVec3::ZERO, friction);
        trial.add_rod(0.01 * DVec3::X, 0.05 * DVec3::new(0.1, 0.0, 1.0), DVec3::ZERO, friction);
        trial.add_ball(DVec3::new(0.004, 0.02, 0.01), 0.008, DVec3::new(0.2, -1.0, 0.1), friction);
        assert_momentum_conserved(trial, 60);
    }
}
