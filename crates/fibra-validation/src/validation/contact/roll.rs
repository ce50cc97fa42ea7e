//! A rod rolls like a solid cylinder: down inclines, and after a sideways slide.

use super::super::Check;
use super::{GRAVITY, ROUGH, Trial, collider};
use crate::validation::rods::TWISTING;
use fibra_core::geometry::{Plane, Shape};
use fibra_rods::End;
use fibra_rods::RodMaterial;
use fibra_rods::internals::body::Body;
use fibra_rods::internals::rod::RodParams;
use glam::{DVec3, Vec3};

/// Coefficient of friction between the rod and the plane [-].
const FRICTION: f64 = 0.4;
/// Simulated time [s].
const TIME: f64 = 0.5;
/// Angles of the inclines [degrees].
const ANGLES: [f64; 3] = [10.0, 30.0, 45.0];
/// Initial speed of the sideways slide [m/s].
const SLIDE: f64 = 2.0;

/// A rod on the plane `y = 0`, along z, for one rod model.
fn rod_on_plane(build: crate::validation::rods::Build, gravity: DVec3, velocity: DVec3) -> Result<Trial, String> {
    let radius = 5e-3;
    let material = RodMaterial {
        radius,
        density: 1000.0,
        youngs_modulus: 1e8,
        poisson_ratio: 0.3,
        internal_damping: 1e-3,
        ..RodMaterial::default()
    };
    let points = (0..=10).map(|i| DVec3::new(0.0, radius, 0.02 * f64::from(i))).collect();
    let ends = [End::free(), End::free()];
    let params = RodParams { material, points, natural: None, closed: false, velocity, ends };
    let body = Body::Rod(build(params).map_err(|error| error.to_string())?);
    let plane = collider(Shape::Plane(Plane { point: Vec3::ZERO, normal: Vec3::Y }), FRICTION);
    Ok(Trial::new(1e-3, gravity, body, ROUGH, plane))
}

/// A rod lies across an incline of angle `a`. It rolls with the acceleration `2/3 g sin a` up to `tan a = 3 mu` and slips on steeper inclines. A rod
/// that slides sideways at `v` rolls on at `2/3 v`.
pub fn roll() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for (model, build) in TWISTING {
        for degrees in ANGLES {
            let angle = degrees.to_radians();
            let gravity = GRAVITY * DVec3::new(angle.sin(), -angle.cos(), 0.0);
            let mut trial = rod_on_plane(build, gravity, DVec3::ZERO)?;
            trial.run(TIME)?;
            let rolls = angle.tan() <= 3.0 * FRICTION;
            let acceleration =
                if rolls { 2.0 / 3.0 * angle.sin() } else { angle.sin() - FRICTION * angle.cos() } * GRAVITY;
            let name = format!("contact-roll-{model}-{degrees}");
            checks.push(Check::relative(&name, trial.velocity().x, acceleration * TIME, 0.01));
        }
        let mut trial = rod_on_plane(build, -GRAVITY * DVec3::Y, SLIDE * DVec3::X)?;
        trial.run(TIME)?;
        let name = format!("contact-roll-{model}-slide");
        checks.push(Check::relative(&name, trial.velocity().x, 2.0 / 3.0 * SLIDE, 0.01));
    }
    Ok(checks)
}
