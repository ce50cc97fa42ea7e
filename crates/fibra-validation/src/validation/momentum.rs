//! A free, spinning and vibrating block: linear and angular momentum must be conserved.

use super::Check;
use super::scenario::{Scenario, block, jelly};
use fibra_core::geometry::RigidPose;
use fibra_core::mat3::Mat3;
use glam::{DVec3, Vec3};

/// Number of steps in both cases.
const STEPS: usize = 2000;

/// Drift of the linear momentum, relative to the sum of `m |v|`.
pub fn linear() -> Result<Vec<Check>, String> {
    let Flight { before, after, .. } = fly(STEPS)?;
    let drift = (after.linear - before.linear).length() / before.magnitude;
    let name = "mpm-momentum-linear".to_owned();
    let (measured, expected) = (after.linear.length(), before.linear.length());
    Ok(vec![Check { name, measured, expected, error: drift, tolerance: 1e-5 }])
}

/// Drift of the angular momentum about the center of mass, relative to its initial value.
pub fn angular() -> Result<Vec<Check>, String> {
    let Flight { before, after } = fly(STEPS)?;
    let drift = (after.angular - before.angular).length() / before.angular.length();
    let name = "mpm-momentum-angular".to_owned();
    let (measured, expected) = (after.angular.length(), before.angular.length());
    Ok(vec![Check { name, measured, expected, error: drift, tolerance: 1e-3 }])
}

struct Flight {
    before: Momenta,
    after: Momenta,
}

fn fly(steps: usize) -> Result<Flight, String> {
    let mut block = tumbling_block()?;
    let before = Momenta::of(&block);
    for _ in 0..steps {
        block.step(f64::INFINITY)?;
    }
    Ok(Flight { before, after: Momenta::of(&block) })
}

/// A block stretched along x by 15 % and compressed along y by 10 %, spinning about an axis that is not a principal
/// axis.
fn tumbling_block() -> Result<Scenario, String> {
    const STRETCH: [f32; 3] = [1.15, 0.9, 1.0];
    let spin = Vec3::new(3.0, 8.0, -5.0);
    let flight = Vec3::new(0.7, -0.3, 0.4);
    let half_extents = Vec3::new(0.2, 0.15, 0.1);
    let mut block = Scenario::new(0.05, block(half_extents, RigidPose::IDENTITY, jelly(1e5, 0.3))?)?;
    block.params.gravity = [0.0; 3];
    let p = &mut block.state.particles;
    for i in 0..p.len() {
        let x = Vec3::from(p.x[i]) * Vec3::from(STRETCH);
        p.x[i] = x.to_array();
        p.v[i] = (flight + spin.cross(x)).to_array();
        p.c[i] = Mat3::from_rows([0.0, -spin.z, spin.y, spin.z, 0.0, -spin.x, -spin.y, spin.x, 0.0]);
        p.f[i] = Mat3::diagonal(STRETCH[0], STRETCH[1], STRETCH[2]);
    }
    Ok(block)
}

/// Momenta of a block.
struct Momenta {
    /// Linear momentum [kg m/s].
    linear: DVec3,
    /// Angular momentum about the center of mass [kg m^2/s].
    angular: DVec3,
    /// Sum of `m |v|` [kg m/s].
    magnitude: f64,
}

impl Momenta {
    /// The affine velocity of a particle also has angular momentum: `m sum_i w_i (x_i - x_p) x C (x_i - x_p)`, summed
    /// over the nodes of the particle. Quadratic splines have the second moment `dx^2 / 4` along each axis, so the sum
    /// is `m dx^2 / 4` times the axial vector of `C - C^T` [Jiang2015].
    fn of(block: &Scenario) -> Momenta {
        let center = block.center_of_mass();
        let moment = 0.25 * f64::from(block.params.dx).powi(2);
        let angular = block.mass_weighted(|p| {
            let c = &block.state.particles.c[p];
            let turn = Vec3::new(c.zy - c.yz, c.xz - c.zx, c.yx - c.xy).as_dvec3();
            (block.position(p) - center).cross(block.velocity(p)) + moment * turn
        });
        Momenta {
            linear: block.mass_weighted(|p| block.velocity(p)),
            angular,
            magnitude: block.mass_weighted(|p| DVec3::X * block.velocity(p).length()).x,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_flight_keeps_both_momenta() {
        let Flight { before, after } = fly(100).unwrap();
        assert!((after.linear - before.linear).length() < 1e-5 * before.magnitude);
        assert!((after.angular - before.angular).length() < 1e-4 * before.angular.length());
    }
}
