//! Two free rods collide with friction. Contact impulses act on both rods at the same point of their surfaces, so the angular momentum is conserved.

use super::super::Check;
use super::Trial;
use crate::validation::rods::{Build, TWISTING};
use fibra_rods::internals::body::Body;
use fibra_rods::internals::rod::RodParams;
use fibra_rods::{End, RodMaterial, Surface};
use glam::DVec3;

/// Radius of the rods [m].
const RADIUS: f64 = 4e-3;

fn rod(build: Build, middle: DVec3, half: DVec3, velocity: DVec3) -> Result<Body, String> {
    let material = RodMaterial {
        radius: RADIUS,
        density: 1000.0,
        youngs_modulus: 1e8,
        poisson_ratio: 0.3,
        internal_damping: 1e-3,
        ..RodMaterial::default()
    };
    let points = (-5..=5).map(|i| middle + 0.2 * f64::from(i) * half).collect();
    let ends = [End::free(), End::free()];
    let params = RodParams { material, points, natural: None, closed: false, velocity, ends };
    Ok(Body::Rod(build(params).map_err(|error| error.to_string())?))
}

/// A rod hits another rod across, away from the middles of both. Each model must conserve the total angular momentum.
pub fn spin() -> Result<Vec<Check>, String> {
    TWISTING
        .iter()
        .map(|&(model, build)| {
            let below = rod(build, DVec3::ZERO, 0.1 * DVec3::X, DVec3::ZERO)?;
            let above = DVec3::new(0.03, 2.0 * RADIUS + 2e-3, 0.05);
            let above = rod(build, above, DVec3::new(0.02, 0.0, 0.1), DVec3::new(0.3, -0.5, 0.2))?;
            let surface = Surface { friction: 0.5, restitution: 0.0 };
            let mut trial = Trial::of_bodies(1e-3, vec![below, above], surface);
            let before = trial.angular_momentum();
            trial.run(0.2)?;
            let touched = trial.state.statistics.contact_steps > 0;
            let drift = (trial.angular_momentum() - before).length() / before.length();
            // Without a contact, the case tests nothing.
            let error = if touched { drift } else { f64::INFINITY };
            let name = format!("contact-spin-{model}");
            Ok(Check { name, measured: drift, expected: 0.0, error, tolerance: 1e-6 })
        })
        .collect()
}
