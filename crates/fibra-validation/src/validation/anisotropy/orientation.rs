//! Alignment of grains: the orientation tensor stays valid for any flow, and simple shear aligns grains with the flow.

use super::super::Check;
use super::{Strength, laws, needles};
use fibra_core::mat3::Mat3;
use fibra_core::random::CounterRng;
use fibra_mpm::law::Batch;
use fibra_mpm::materials::{Anisotropic, Material};
use glam::{DMat3, DVec3};

/// Checks the trace and extreme eigenvalues of the orientation tensor, and the direction of sheared grains.
pub fn run() -> Result<Vec<Check>, String> {
    let mut rows = tumbled()?;
    rows.extend(sheared()?);
    Ok(rows)
}

/// Grains in sand.
struct Grains {
    material: Anisotropic,
    batch: Batch,
}

impl Grains {
    fn new(elongation: f64, start: [f64; 3]) -> Result<Grains, String> {
        let (_, sand) = laws(Strength::Weak)
            .into_iter()
            .find(|(name, _)| *name == "sand")
            .ok_or("sand is missing from the laws")?;
        let material = Anisotropic::of_grains(&sand, &needles(elongation, start)).map_err(|e| e.to_string())?;
        let mut batch = Batch::default();
        for (to, from) in batch.alignment.iter_mut().zip(material.initial_alignment()) {
            to[0] = from;
        }
        batch.memory[0] = Material::Anisotropic(material.clone().into()).initial_memory();
        Ok(Grains { material, batch })
    }

    fn step(&mut self, velocity_gradient: &Mat3, dt: f32) {
        for (to, from) in self.batch.grad_v.iter_mut().zip(velocity_gradient.to_rows()) {
            to[0] = from;
        }
        self.material.respond(&mut self.batch, 1, dt);
    }

    /// Eigenvalues of the orientation tensor.
    fn alignment(&self) -> [f64; 3] {
        self.batch.alignment.map(|row| f64::from(row[0]))
    }

    /// Principal direction of the grains: the major axis of the orientation tensor, rotated by the deformation
    /// gradient. Elastic strain makes the result approximate.
    fn direction(&self) -> DVec3 {
        let f = Mat3::from_rows(self.batch.f.map(|row| row[0]));
        let w = self.alignment();
        let most = (0..3).fold(0, |most, a| if w[a] > w[most] { a } else { most });
        DVec3::from([f.column_x(), f.column_y(), f.column_z()][most].map(f64::from)).normalize()
    }
}

/// Takes 10,000 random steps, with velocity gradients from small to very large, for needles and for disks. Checks that
/// the trace stays 1 and all eigenvalues stay in `[0, 1]`.
fn tumbled() -> Result<Vec<Check>, String> {
    let rng = CounterRng::new(6);
    let (mut trace, mut least, mut most) = (1.0f64, 1.0f64, 0.0f64);
    for elongation in [1.0, 0.5, -1.0] {
        let mut grains = Grains::new(elongation, [0.1, 0.2, 0.7])?;
        for step in 0..10_000u64 {
            let rate = [1.0, 30.0, 1000.0][step as usize % 3];
            let entry = |k: usize| (rate * (rng.uniform(&[step, k as u64]) - 0.5)) as f32;
            grains.step(&Mat3::from_rows(std::array::from_fn(entry)), 1e-3);
            let w = grains.alignment();
            let sum: f64 = w.iter().sum();
            // This form of the comparison keeps NaN.
            trace = if (sum - 1.0).abs() <= (trace - 1.0).abs() { trace } else { sum };
            least = w.iter().fold(least, |least, &w| if w >= least { least } else { w });
            most = w.iter().fold(most, |most, &w| if w <= most { most } else { w });
        }
    }
    Ok(vec![
        Check::relative("aniso-orientation-trace", trace, 1.0, 1e-6),
        Check {
            error: if least >= 0.0 { 0.0 } else { least.abs() },
            ..Check::relative("aniso-orientation-least", least, 0.0, 0.0)
        },
        Check::at_most("aniso-orientation-most", most, 1.0),
    ])
}

/// Needles in sheared sand. For elongation `l = 1`, grains rotate like material lines. The orientation tensor is then
/// `G Pi G^T` divided by its trace, where `G` is the deformation gradient and `Pi` the initial orientation tensor. Its
/// principal axis approaches the flow direction. The checks compare the angle to the flow [deg] after a shear of 1, 2
/// and 6, for grains that start across the flow.
fn sheared() -> Result<Vec<Check>, String> {
    let start = [0.1, 0.8, 0.1];
    let mut grains = Grains::new(1.0, start)?;
    let (rate, dt) = (1.0f64, 1e-3);
    let mut rows = Vec::new();
    for n in 1..=6000u32 {
        // Sheared sand dilates. A volume change keeps the pressure at 20 Pa.
        let tau = grains.batch.tau.map(|row| row[0]);
        let pressure = -(tau[0] + tau[1] + tau[2]) / 3.0;
        let spread = 10.0 * (pressure - 20.0) / 1e5;
        grains.step(&Mat3 { xy: rate as f32, ..Mat3::IDENTITY.scale(spread) }, dt as f32);
        let shear = rate * dt * f64::from(n);
        if [1000, 2000, 6000].contains(&n) {
            let g = DMat3::from_cols(DVec3::X, DVec3::new(shear, 1.0, 0.0), DVec3::Z);
            let pi = g * DMat3::from_diagonal(DVec3::from(start)) * g.transpose();
            // Principal direction of the 2x2 block in the plane of shear.
            let exact = 0.5 * f64::atan2(2.0 * pi.x_axis.y, pi.x_axis.x - pi.y_axis.y);
            let along = grains.direction();
            let found = f64::atan2(along.y, along.x);
            let found = if found > std::f64::consts::FRAC_PI_2 { found - std::f64::consts::PI } else { found };
            let name = format!("aniso-orientation-shear-{}", n / 1000);
            let error = (found - exact).abs().to_degrees();
            rows.push(Check {
                name,
                measured: found.to_degrees(),
                expected: exact.to_degrees(),
                error,
                tolerance: 1.0,
            });
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    #[test]
    fn orientation_tensor_stays_valid_and_aligns_with_the_flow() {
        assert!(super::run().unwrap().iter().all(super::Check::passes));
    }
}
