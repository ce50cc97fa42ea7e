//! Tests of anisotropic laws: prescribed moduli, stress as the derivative of an energy, the mapped yield surface, and identity
//! maps that reproduce the isotropic law.

use super::oracle::{Draw, condition, lame, largest, narrow, static_response, stress, wide, wide_symmetric};
use crate::anisotropy::{Anisotropy, BadAnisotropy, Elasticity, FlowRule, Matrix6, Orthotropic, StressMap};
use crate::law::{Batch, LANES, Law, Response};
use crate::{Anisotropic, CorotatedLinear, FixedCorotated, Fluid, Goo, Lame, Material, NeoHookean, Sand, Snow, Tissue};
use fibra_core::mat3::{Mat3, Sym3};
use glam::{DMat3, DVec3};

/// Every law that can be made anisotropic.
pub(super) fn laws() -> [Material; 7] {
    let lame = lame();
    [
        Material::CorotatedLinear(CorotatedLinear { lame }),
        Material::FixedCorotated(FixedCorotated { lame }),
        Material::NeoHookean(NeoHookean { lame }),
        Material::Snow(Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 }),
        Material::Sand(Sand::new(lame, 0.6, 0.0, true)),
        Material::Goo(Goo { lame, yield_stress: 1000.0, viscosity: 5.0 }),
        Material::Tissue(Tissue { lame, critical_shear: 0.1, softening: 1.0 }),
    ]
}

/// The same laws with parameters for which they do not yield.
pub(super) fn elastic_laws() -> [Material; 7] {
    let lame = lame();
    [
        Material::CorotatedLinear(CorotatedLinear { lame }),
        Material::FixedCorotated(FixedCorotated { lame }),
        Material::NeoHookean(NeoHookean { lame }),
        Material::Snow(Snow { lame, critical_compression: 0.9, critical_stretch: 20.0, hardening: 10.0 }),
        Material::Sand(Sand::new(lame, 0.6, 1e8, true)),
        Material::Goo(Goo { lame, yield_stress: 1e9, viscosity: 5.0 }),
        Material::Tissue(Tissue { lame, critical_shear: 1e3, softening: 1.0 }),
    ]
}

fn hay() -> Orthotropic {
    Orthotropic {
        youngs_moduli: [2e5, 5e4, 8e5],
        poisson_ratios: [0.05, 0.1, 0.35],
        reverse_poisson_ratios: None,
        shear_moduli: Some([6e4, 1e5, 3e4]),
    }
}

pub(super) fn hay_map() -> Anisotropy {
    Anisotropy { elasticity: Elasticity::Orthotropic(hay()), stress_map: StressMap::Scales([0.8, 1.1, 1.4]) }
}

/// A stiffness and a stress map without material symmetry.
pub(super) fn crystal() -> Anisotropy {
    crystal_of(&hay())
}

/// A stiffness near the given one and a stress map, without material symmetry.
pub(super) fn crystal_of(moduli: &Orthotropic) -> Anisotropy {
    let draw = Draw::new(81);
    let noise = |at: u64, size: f64| {
        let a = Matrix6(std::array::from_fn(|i| {
            std::array::from_fn(|j| draw.between([-size, size], &[at, i as u64, j as u64]))
        }));
        a.add(&a.transpose())
    };
    Anisotropy {
        elasticity: Elasticity::General(moduli.stiffness().unwrap().add(&noise(1, 8e3)).upper()),
        stress_map: StressMap::General(Matrix6::IDENTITY.add(&noise(2, 0.06)).upper()),
    }
}

pub(super) fn wrap(law: &Material, wanted: &Anisotropy) -> Material {
    Material::Anisotropic(Anisotropic::new(law, wanted).unwrap().into())
}

/// Returns the response to a prescribed deformation.
pub(super) fn response(material: &Material, f: &Mat3, memory: f32, dt: f32) -> Response {
    let mut batch = Batch::default();
    for (to, from) in batch.f.iter_mut().zip(f.to_rows()) {
        to[0] = from;
    }
    batch.memory[0] = memory;
    material.respond(&mut batch, 1, dt);
    let [xx, yy, zz, yz, xz, xy] = batch.tau.map(|row| row[0]);
    Response {
        f: Mat3::from_rows(batch.f.map(|row| row[0])),
        tau: Sym3 { xx, yy, zz, yz, xz, xy },
        memory: batch.memory[0],
        modulus: batch.modulus[0],
    }
}

/// Applies a scalar function to the eigenvalues of a symmetric positive matrix, found by Jacobi rotations: `V f(s) V^T`, for example with `f = ln`.
pub(super) fn function(s: DMat3, of: impl Fn(f64) -> f64) -> DMat3 {
    let (mut s, mut v) = (s, DMat3::IDENTITY);
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let angle = 0.5 * f64::atan2(2.0 * s.col(q)[p], s.col(p)[p] - s.col(q)[q]);
            let axis = [DVec3::Z, DVec3::NEG_Y, DVec3::X][p + q - 1];
            let turn = DMat3::from_axis_angle(axis, angle);
            s = turn.transpose() * s * turn;
            v *= turn;
        }
    }
    v * DMat3::from_diagonal(DVec3::new(of(s.x_axis.x), of(s.y_axis.y), of(s.z_axis.z))) * v.transpose()
}

/// Hencky's strain on the material's axes.
pub(super) fn strain(f: DMat3) -> DMat3 {
    function(f.transpose() * f, |c| 0.5 * c.ln())
}

const ROOT: f64 = std::f64::consts::SQRT_2;

pub(super) fn mandel(s: DMat3) -> [f64; 6] {
    [s.x_axis.x, s.y_axis.y, s.z_axis.z, ROOT * s.z_axis.y, ROOT * s.z_axis.x, ROOT * s.y_axis.x]
}

pub(super) fn matrix(m: [f64; 6]) -> DMat3 {
    let [xx, yy, zz, yz, xz, xy] = [m[0], m[1], m[2], m[3] / ROOT, m[4] / ROOT, m[5] / ROOT];
    DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
}

pub(super) fn stiffness(wanted: &Anisotropy) -> Matrix6 {
    match &wanted.elasticity {
        Elasticity::Same => Matrix6::isotropic(&lame()),
        Elasticity::Orthotropic(moduli) => moduli.stiffness().unwrap(),
        Elasticity::General(upper) => Matrix6::symmetric(upper),
    }
}

pub(super) fn stress_map(wanted: &Anisotropy) -> Matrix6 {
    match &wanted.stress_map {
        StressMap::Scales([a, b, c]) => Matrix6::diagonal([a * a, b * b, c * c, b * c, a * c, a * b]),
        StressMap::General(upper) => Matrix6::symmetric(upper),
    }
}

#[test]
fn identity_maps_are_the_isotropic_law() {
    let draw = Draw::new(82);
    let same = Anisotropy { elasticity: Elasticity::Same, stress_map: StressMap::Scales([1.0; 3]) };
    let moduli = Anisotropy { elasticity: Elasticity::Orthotropic(Orthotropic::isotropic(1e5, 0.3)), ..same };
    for law in laws().iter().chain(&elastic_laws()) {
        for wanted in [same, moduli] {
            let wrapped = wrap(law, &wanted);
            for index in 0..120 {
                let f = draw.deformation([[0.99, 1.01], [0.9, 1.1], [0.6, 1.6]][index as usize % 3], index);
                let memory = law.initial_memory() + draw.between([0.0, 0.02], &[index, 3]) as f32;
                let (a, b) = (response(law, &f, memory, 1e-3), response(&wrapped, &f, memory, 1e-3));
                let scale = f64::from(lame().wave_modulus()).max(largest(wide_symmetric(&a.tau)));
                let off = largest(wide_symmetric(&a.tau) - wide_symmetric(&b.tau)) / scale;
                assert!(off < 4e-6 * condition(wide(&f)), "{law:?}: stress off by {off:e} at {f:?}");
                let off = largest(wide(&a.f) - wide(&b.f));
                assert!(off < 3e-6 * condition(wide(&f)), "{law:?}: F off by {off:e} at {f:?}");
                assert!((a.memory - b.memory).abs() < 1e-5, "{law:?}: {} and {}", a.memory, b.memory);
                let third = [1.0 / 3.0; 3];
                let (e, g) = (law.energy(&a.f, a.memory, third), wrapped.energy(&a.f, a.memory, third));
                assert!((e - g).abs() < 1e-4 * e + 1e-1, "{law:?}: {e} and {g} J/m^3");
            }
        }
    }
}

/// Measures the stress for small extensions along each axis and small shears in each plane. The inverse of that stiffness gives
/// the strain under each single stress component.
#[test]
fn moduli_equal_the_prescribed_ones() {
    let eps = 2e-3f64;
    for law in elastic_laws().into_iter().chain(super::exchanged::pairs(elastic_laws()).map(|(_, _, law)| law)) {
        let material = wrap(&law, &hay_map());
        // The stress for a strain, averaged over both signs to cancel even terms.
        let tau = |strain: [f64; 6]| -> [f64; 6] {
            let at = |sign: f64| {
                let f = function(matrix(strain.map(|e| sign * eps * e)), f64::exp);
                mandel(wide_symmetric(&response(&material, &narrow(f), law.initial_memory(), 0.0).tau))
            };
            let (plus, minus) = (at(1.0), at(-1.0));
            std::array::from_fn(|k| 0.5 * (plus[k] - minus[k]) / eps)
        };
        let unit = |k: usize| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 });
        let measured = Matrix6(std::array::from_fn(|k| tau(unit(k)))).transpose();
        let compliance = measured.inverse().0;
        let Orthotropic { youngs_moduli: e, poisson_ratios: nu, .. } = hay();
        for i in 0..3 {
            let youngs = 1.0 / compliance[i][i];
            assert!((youngs / e[i] - 1.0).abs() < 2e-3, "{law:?}: E_{} is {youngs}, not {}", i + 1, e[i]);
            let shear = 0.5 / compliance[3 + i][3 + i];
            let wanted = hay().shear_moduli()[i];
            assert!((shear / wanted - 1.0).abs() < 2e-3, "{law:?}: shear modulus {i} is {shear}, not {wanted}");
            let [a, b] = [[1, 2], [0, 2], [0, 1]][i];
            let poisson = -compliance[b][a] / compliance[a][a];
            assert!((poisson - nu[i]).abs() < 2e-3, "{law:?}: nu {i} is {poisson}, not {}", nu[i]);
        }
    }
}

/// Checks the stress against the energy, for a law that is linear in Hencky's strain or has no yield surface.
fn check_stress(law: &Material, wanted: &Anisotropy, psi: &dyn Fn(DMat3) -> f64) {
    let draw = Draw::new(83);
    let material = wrap(law, wanted);
    let modulus = stiffness(wanted).wave_modulus();
    for index in 0..150 {
        let f = draw.deformation([[0.99, 1.01], [0.8, 1.25], [0.5, 2.0]][index as usize % 3], index);
        let r = response(&material, &f, 0.0, 0.0);
        assert!(largest(wide(&r.f) - wide(&f)) < 2e-6 * condition(wide(&f)), "{law:?}: {f:?} flowed");
        let exact = stress(psi, wide(&f));
        let off = largest(wide_symmetric(&r.tau) - exact);
        let allowed = 6e-6 * condition(wide(&f)) * modulus.max(largest(exact));
        assert!(off < allowed, "{law:?}: stress off by {off:e} Pa, tolerance {allowed:e}, at {f:?}");
        let energy = f64::from(material.energy(&f, 0.0, [1.0 / 3.0; 3]));
        let slack = allowed * (1.0 + largest(exact) / modulus) + 1e-5 * psi(wide(&f));
        assert!((energy - psi(wide(&f))).abs() < slack, "{law:?}: {energy} J/m^3, not {}", psi(wide(&f)));
        // A rotation in space rotates the stress. A rotation of the material axes is a different deformation.
        let q = draw.rotation(index, 5);
        let turned = wide_symmetric(&response(&material, &narrow(q * wide(&f)), 0.0, 0.0).tau);
        let off = largest(turned - q * wide_symmetric(&r.tau) * q.transpose());
        assert!(off < 2.0 * allowed, "{law:?}: not frame indifferent by {off:e} Pa");
    }
}

#[test]
fn stress_is_the_derivative_of_an_energy() {
    let Lame { mu, lambda } = lame();
    let (mu, lambda) = (f64::from(mu), f64::from(lambda));
    for wanted in [hay_map(), crystal()] {
        let c = stiffness(&wanted);
        let quadratic = |f: DMat3| {
            let e = mandel(strain(f));
            0.5 * c.apply(&e).iter().zip(&e).map(|(a, b)| a * b).sum::<f64>()
        };
        let [linear, corotated, rubber, _, sand, goo, tissue] = elastic_laws();
        for law in [sand, goo, tissue] {
            check_stress(&law, &wanted, &quadratic);
        }
        let congruence = Matrix6::isotropic(&lame()).congruence_to(&c);
        let inside = |strain: DMat3| matrix(congruence.apply(&mandel(strain)));
        let polar = |f: DMat3| inside(function(f.transpose() * f, f64::sqrt) - DMat3::IDENTITY);
        let trace = |s: DMat3| s.x_axis.x + s.y_axis.y + s.z_axis.z;
        let shear = |s: DMat3| mu * mandel(s).iter().map(|e| e * e).sum::<f64>();
        check_stress(&linear, &wanted, &|f| shear(polar(f)) + 0.5 * lambda * trace(polar(f)).powi(2));
        let growth = |f: DMat3| (polar(f) + DMat3::IDENTITY).determinant() - 1.0;
        check_stress(&corotated, &wanted, &|f| shear(polar(f)) + 0.5 * lambda * growth(f).powi(2));
        let sinh = |f: DMat3| inside(function(f.transpose() * f, |c| 0.25 * (c - 1.0 / c)));
        let stretch = |f: DMat3| function(sinh(f), |x| (2.0 * x + (1.0 + 4.0 * x * x).sqrt()).sqrt());
        check_stress(&rubber, &wanted, &|f| super::oracle::neo_hookean(stretch(f), mu, lambda));
    }
}

/// Beyond yield, flow dissipates energy and nearly preserves volume under pressure. After a few steps of flow, the remaining strain, mapped from the
/// material's axes, lies on the isotropic law's yield surface.
#[test]
fn flow_dissipates_and_ends_on_the_mapped_yield_surface() {
    let draw = Draw::new(84);
    let sand = Sand::new(lame(), 0.6, 0.0, false);
    for wanted in [hay_map(), crystal()] {
        let (c, stress_map) = (stiffness(&wanted), stress_map(&wanted));
        let material = wrap(&Material::Sand(sand), &wanted);
        let energy = |f: &Mat3| {
            let e = mandel(strain(wide(f)));
            0.5 * c.apply(&e).iter().zip(&e).map(|(a, b)| a * b).sum::<f64>()
        };
        let mut on_cone = 0;
        for index in 0..300 {
            let start = draw.deformation([[0.98, 1.005], [0.93, 1.03], [0.85, 1.05]][index as usize % 3], index);
            let size = largest(strain(wide(&start)));
            let mut f = start;
            for _ in 0..60 {
                f = response(&material, &f, 0.0, 0.0).f;
            }
            let inside = stress_map.apply(&c.apply(&mandel(strain(wide(&f)))));
            let trace = inside[0] + inside[1] + inside[2];
            let deviator: f64 =
                inside.iter().enumerate().map(|(k, t)| if k < 3 { t - trace / 3.0 } else { *t }).map(|t| t * t).sum();
            let excess = deviator.sqrt() + f64::from(sand.alpha) * trace;
            // Rounding errors, plus an error of third order in the strain where strain and flow are not coaxial.
            let allowed = c.wave_modulus() * (3e-6 + 0.3 * size.powi(3));
            assert!(excess < allowed, "{excess} Pa outside of {allowed} from {start:?}");
            if excess.abs() < allowed && trace < -20.0 * allowed {
                on_cone += 1;
                // Flow in a regular step removes a small part of the strain.
                let trial = draw.deformation([1.0 - 0.05 * size, 1.0 + 0.05 * size], 1000 + index).mul(&f);
                let (before, after) = (energy(&trial), energy(&response(&material, &trial, 0.0, 0.0).f));
                assert!(after <= before * (1.0 + 1e-5), "{before} J/m^3 became {after} from {start:?}");
            }
        }
        assert!(on_cone > 20, "only {on_cone} on the cone");
    }
}

/// The paper's flow ends on the yield surface within one step, and the stress is the derivative of the energy (by finite differences) at the deformation
/// after the flow.
#[test]
fn the_papers_flow_returns_to_the_yield_surface_in_one_step() {
    let draw = Draw::new(88);
    let sand = Sand::new(lame(), 0.6, 0.0, false);
    for wanted in [hay_map(), crystal()] {
        let c = stiffness(&wanted);
        let stress_map = stress_map(&wanted);
        let material = Anisotropic::new(&Material::Sand(sand), &wanted).unwrap().with_flow_rule(FlowRule::Paper);
        let material = Material::Anisotropic(material.into());
        let quadratic = |f: DMat3| {
            let e = mandel(strain(f));
            0.5 * c.apply(&e).iter().zip(&e).map(|(a, b)| a * b).sum::<f64>()
        };
        let mut flowed = 0;
        for index in 0..200 {
            let f = draw.deformation([[0.98, 1.005], [0.93, 1.03]][index as usize % 2], index);
            let size = largest(strain(wide(&f)));
            let r = response(&material, &f, 0.0, 0.0);
            let inside = stress_map.apply(&c.apply(&mandel(strain(wide(&r.f)))));
            let trace = inside[0] + inside[1] + inside[2];
            let deviator: f64 =
                inside.iter().enumerate().map(|(k, t)| if k < 3 { t - trace / 3.0 } else { *t }).map(|t| t * t).sum();
            let excess = deviator.sqrt() + f64::from(sand.alpha) * trace;
            let allowed = c.wave_modulus() * (6e-6 + 0.5 * size.powi(3));
            assert!(excess < allowed, "{excess} Pa outside of {allowed} from {f:?}");
            let off = largest(wide_symmetric(&r.tau) - stress(quadratic, wide(&r.f)));
            assert!(off < 2.0 * allowed, "stress off by {off} Pa, tolerance {}", 2.0 * allowed);
            flowed += usize::from(largest(wide(&r.f) - wide(&f)) > 1e-4);
        }
        assert!(flowed > 50, "only {flowed} flowed");
    }
}

/// The axes stay with the material: plastic flow preserves the polar rotation.
#[test]
fn flow_keeps_the_rotation() {
    let draw = Draw::new(85);
    for law in laws() {
        let material = wrap(&law, &hay_map());
        for index in 0..50 {
            let f = draw.deformation([0.8, 1.2], index);
            let r = response(&material, &f, law.initial_memory(), 1e-3);
            let rotation = |f: DMat3| f * function(f.transpose() * f, |c| 1.0 / c.sqrt());
            let off = largest(rotation(wide(&f)) - rotation(wide(&r.f)));
            assert!(off < 3e-6 * condition(wide(&f)), "{law:?}: rotated by {off:e}");
        }
    }
}

#[test]
fn every_lane_equals_a_single_particle_bitwise_and_stays_finite() {
    let draw = Draw::new(86);
    for law in laws() {
        for wanted in [hay_map(), crystal()] {
            let material = wrap(&law, &wanted);
            for n in [1, 7, 16, 17, LANES] {
                let f = |lane: usize| match lane % 8 {
                    4 => Mat3::ZERO,
                    5 => Mat3::diagonal(1.0, 0.0, 1.0),
                    6 => draw.deformation([0.02, 5.0], lane as u64).mul(&Mat3::diagonal(1.0, 1.0, -1.0)),
                    7 => Mat3::IDENTITY.scale(1e-4),
                    _ => draw.deformation([[1.0, 1.0], [0.99, 1.01], [0.7, 1.4], [0.02, 5.0]][lane % 8], lane as u64),
                };
                let mut batch = Batch { memory: [law.initial_memory(); LANES], ..Batch::default() };
                for lane in 0..LANES {
                    for (to, from) in batch.f.iter_mut().zip(f(lane).to_rows()) {
                        to[lane] = if lane < n { from } else { f32::NAN };
                    }
                }
                material.respond(&mut batch, n, 1e-3);
                for lane in 0..n {
                    let alone = response(&material, &f(lane), law.initial_memory(), 1e-3);
                    assert_eq!(batch.f.map(|row| row[lane]), alone.f.to_rows(), "{law:?}");
                    assert_eq!(batch.tau[5][lane], alone.tau.xy, "{law:?}");
                    let all = batch.f.iter().chain(&batch.tau).map(|row| row[lane]);
                    assert!(all.chain([alone.memory]).all(f32::is_finite), "{law:?}: {alone:?} to {:?}", f(lane));
                    assert!(alone.modulus > 0.0 && alone.modulus.is_finite());
                    // The determinant must not be negative, up to its rounding errors.
                    let flows = !matches!(
                        law,
                        Material::CorotatedLinear(_) | Material::FixedCorotated(_) | Material::NeoHookean(_)
                    );
                    let raised =
                        !flows || f(lane).det() == 0.0 || alone.f.det() > -1e-5 * alone.f.gram_rows().trace().powf(1.5);
                    assert!(raised, "{law:?} maps F = {:?} to {:?}, whose determinant is negative", f(lane), alone.f);
                }
            }
        }
    }
}

#[test]
fn nan_propagates() {
    for law in laws() {
        let f = Mat3 { xy: f32::NAN, ..Mat3::IDENTITY };
        let r = response(&wrap(&law, &hay_map()), &f, law.initial_memory(), 1e-3);
        assert!(!r.tau.to_mat3().to_rows().iter().sum::<f32>().is_finite(), "{law:?} hides the NaN: {r:?}");
    }
}

#[test]
fn indefinite_maps_are_rejected() {
    let jelly = &elastic_laws()[0];
    let refusal = |law: &Material, wanted: &Anisotropy| Anisotropic::new(law, wanted).unwrap_err();
    let scales = Anisotropy { stress_map: StressMap::Scales([1.0, 0.0, 1.0]), ..hay_map() };
    assert_eq!(refusal(jelly, &scales), BadAnisotropy::Scale { axis: 2, value: 0.0 });
    let mut skew = Matrix6::IDENTITY;
    skew.0[1][4] = 1.5;
    let text = refusal(jelly, &Anisotropy { stress_map: StressMap::General(skew.upper()), ..hay_map() }).to_string();
    assert!(text.contains("stress map") && text.contains("row 5"), "{text}");
    let flat = Matrix6::diagonal([1.0, 1.0, 1.0, 1.0, -1.0, 1.0]);
    let text = refusal(jelly, &Anisotropy { elasticity: Elasticity::General(flat.upper()), ..hay_map() }).to_string();
    assert!(text.contains("stiffness") && text.contains("row 5"), "{text}");
    let water = Material::Fluid(Fluid { bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.1 });
    assert_eq!(refusal(&water, &hay_map()), BadAnisotropy::Law { law: "fluid" });
    assert!(Anisotropic::new(&wrap(jelly, &hay_map()), &hay_map()).is_err());
}

/// The energy through identity maps equals `Law::energy`.
#[test]
fn a_strain_law_has_the_energy_of_the_law() {
    let sand = Sand::new(lame(), 0.6, 1e8, false);
    let f = Draw::new(87).deformation([0.8, 1.2], 1);
    let same = Anisotropy { elasticity: Elasticity::Same, stress_map: StressMap::Scales([1.0; 3]) };
    let wrapped = wrap(&Material::Sand(sand), &same);
    let (a, b) = (Law::energy(&sand, &f, 0.0), wrapped.energy(&f, 0.0, [0.0; 3]));
    assert!((a - b).abs() < 1e-5 * a);
    assert!(static_response(&sand, &f, 0.0).modulus > 0.0);
}

/// Random steps that stretch, crush and invert: strains stay bounded and stresses finite.
#[test]
fn thousands_of_rough_steps_stay_finite() {
    let draw = Draw::new(88);
    for law in laws() {
        let material = wrap(&law, &hay_map());
        let mut batch = Batch { memory: [law.initial_memory(); LANES], ..Batch::default() };
        // Laws whose yield surface bounds the strain.
        let yields = matches!(law, Material::Snow(_) | Material::Sand(_));
        for step in 0..3000u64 {
            let rate = draw.matrix([-0.5, 0.5], step).scale([1.0, 30.0, 1000.0][step as usize % 3]);
            for (to, from) in batch.grad_v.iter_mut().zip(rate.to_rows()) {
                to.fill(from);
            }
            // The other laws do not bound the strain, so they start every step at rest.
            if !yields {
                batch.f = Batch::default().f;
            }
            material.respond(&mut batch, LANES, 1e-3);
            let f = batch.f.map(|row| row[0]);
            let sound = f.iter().all(|f| f.abs() < 1e3) && batch.tau.iter().all(|row| row[0].is_finite());
            assert!(sound, "{law:?}: {f:?} after {step} steps");
        }
    }
}

/// Stretches of any magnitude, combined with crushing and inversion. The response may be NaN, but the law must return.
#[test]
fn absurd_deformations_do_not_hang_or_panic() {
    for law in laws() {
        let material = wrap(&law, &hay_map());
        for size in [1e3, 1e8, 1e30, f32::INFINITY] {
            for f in [[size; 3], [size, 1.0, 1.0], [-size, 1e-20, 1.0], [0.0, size, -1.0]] {
                let r = response(&material, &Mat3::diagonal(f[0], f[1], f[2]), law.initial_memory(), 1e-3);
                let finite = r.tau.to_mat3().to_rows().iter().all(|t| t.is_finite());
                assert!(finite || size > 1e4, "{law:?}: {r:?} for {f:?}");
            }
        }
    }
}
