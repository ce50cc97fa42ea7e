//! Contact never adds energy.

use crate::trial::{DENSITY, GRAVITY, RADIUS, Trial};
use fibra_rods::internals::body::Body;
use glam::DVec3;
use std::f64::consts::PI;

/// Total energy of all rods [J].
fn energy(trial: &Trial) -> f64 {
    let of = |body: &Body| match body {
        Body::Rod(rod) => {
            let energy = rod.energy(GRAVITY);
            energy.kinetic + energy.elastic + energy.gravitational
        }
        Body::Ball(_) => 0.0,
    };
    trial.state.bodies.iter().map(of).sum()
}

/// Drops a bundle of seven parallel, slightly tilted rods on a plate. Regression: half of each overlap was given back as velocity.
#[test]
fn a_dropped_bundle_never_gains_energy() {
    let mut trial = Trial::new(GRAVITY);
    trial.add_plate(0.01, 0.3);
    let half = 0.05 * DVec3::new(1.0, 0.04, 0.0).normalize();
    let height = 0.02;
    let pitch = 2.2 * RADIUS;
    let mut places = vec![DVec3::ZERO];
    places.extend((0..6).map(|k| {
        let angle = PI / 3.0 * f64::from(k);
        pitch * DVec3::new(0.0, angle.sin(), angle.cos())
    }));
    for place in places {
        trial.add_rod(height * DVec3::Y + place, half, DVec3::ZERO, 0.3);
    }
    let mass = 7.0 * DENSITY * PI * RADIUS * RADIUS * 0.1;
    let drop = mass * 9.81 * height;
    let (mut before, mut worst, mut contacts) = (energy(&trial), f64::NEG_INFINITY, 0);
    for _ in 0..300 {
        trial.step();
        let now = energy(&trial);
        worst = worst.max(now - before);
        before = now;
        contacts = contacts.max(trial.workspace.last.contacts);
    }
    assert!(contacts > 50, "{contacts}");
    assert!(worst < 1e-6 * drop, "a step adds {} of the energy of the drop", worst / drop);
}
