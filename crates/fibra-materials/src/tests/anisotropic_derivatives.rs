//! Derivatives of the energies of anisotropic laws for the implicit integrator, against finite differences of energies in `f64`.

use super::anisotropic::{
    crystal_of, elastic_laws, function, hay_map, mandel, matrix, stiffness, strain, stress_map, wrap,
};
use super::exchanged::pairs;
use super::oracle::{
    Draw, condition, corotated_linear, fixed_corotated, gradient, gradient_change, hencky, lame, largest, neo_hookean,
    wide,
};
use crate::anisotropy::{Anisotropy, AxisParameters, Elasticity, Matrix6, Orientation, Orthotropic, StressMap};
use crate::law::ElasticBatch;
use crate::{Anisotropic, ElasticModel, Material};
use fibra_core::mat3::Mat3;
use glam::{DMat3, DVec3};

type Energy = Box<dyn Fn(DMat3) -> f64>;

fn dot(a: [f64; 6], b: [f64; 6]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The energy of a law with plastic flow: the model's own energy at the fictitious strain, with the wanted stiffness.
fn flowing(model: ElasticModel, wanted: &Anisotropy) -> Energy {
    let (mu, lambda) = (f64::from(lame().mu), f64::from(lame().lambda));
    let (isotropic, wanted_stiffness) = (Matrix6::isotropic(&lame()), stiffness(wanted));
    let inward = isotropic.inverse().mul(&stress_map(wanted)).mul(&wanted_stiffness);
    Box::new(move |f| {
        let outside = mandel(strain(f));
        let inside = inward.apply(&outside);
        let stretched = function(matrix(inside), f64::exp);
        let own = match model {
            ElasticModel::Hencky => hencky(stretched, mu, lambda),
            ElasticModel::FixedCorotated => fixed_corotated(stretched, mu, lambda),
            ElasticModel::CorotatedLinear => corotated_linear(stretched, mu, lambda),
        };
        own + 0.5 * (dot(outside, wanted_stiffness.apply(&outside)) - dot(inside, isotropic.apply(&inside)))
    })
}

/// The energy of a law without plastic flow: its own energy at the strain that the congruence maps.
fn elastic(name: &str, wanted: &Anisotropy) -> Energy {
    let (mu, lambda) = (f64::from(lame().mu), f64::from(lame().lambda));
    let congruence = Matrix6::isotropic(&lame()).congruence_to(&stiffness(wanted));
    let inside = move |strain: DMat3| matrix(congruence.apply(&mandel(strain)));
    let polar = move |f: DMat3| inside(function(f.transpose() * f, f64::sqrt) - DMat3::IDENTITY);
    let shear = move |s: DMat3| mu * dot(mandel(s), mandel(s));
    match name {
        "corotated-linear" => Box::new(move |f| {
            let s = polar(f);
            shear(s) + 0.5 * lambda * (s.x_axis.x + s.y_axis.y + s.z_axis.z).powi(2)
        }),
        "fixed-corotated" => Box::new(move |f| {
            let s = polar(f);
            shear(s) + 0.5 * lambda * ((s + DMat3::IDENTITY).determinant() - 1.0).powi(2)
        }),
        _ => Box::new(move |f| {
            let x = inside(function(f.transpose() * f, |c| 0.25 * (c - 1.0 / c)));
            neo_hookean(function(x, |x| (2.0 * x + (1.0 + 4.0 * x * x).sqrt()).sqrt()), mu, lambda)
        }),
    }
}

/// Every anisotropic law with its energy.
fn cases(wanted: &Anisotropy) -> Vec<(String, Material, Energy)> {
    let own = elastic_laws().into_iter().map(|law| {
        let energy = match law.name() {
            "snow" => flowing(ElasticModel::FixedCorotated, wanted),
            "sand" | "goo" | "tissue" => flowing(ElasticModel::Hencky, wanted),
            name => elastic(name, wanted),
        };
        (law.name().to_owned(), wrap(&law, wanted), energy)
    });
    let exchanged = pairs(elastic_laws()).map(|(law, model, material)| {
        (format!("{} with {model:?}", law.name()), wrap(&material, wanted), flowing(model, wanted))
    });
    own.chain(exchanged).collect()
}

/// Computes energy, derivative and Hessian-vector product of one particle.
fn derivatives(material: &Material, f: &Mat3, alignment: [f32; 3], change: &Mat3) -> (f64, DMat3, DMat3) {
    let mut batch = ElasticBatch { memory: [material.initial_memory(); crate::law::LANES], ..ElasticBatch::default() };
    for e in 0..9 {
        (batch.f[e][0], batch.change[e][0]) = (f.to_rows()[e], change.to_rows()[e]);
    }
    (0..3).for_each(|k| batch.alignment[k][0] = alignment[k]);
    let piola = |batch: &ElasticBatch| wide(&Mat3::from_rows(batch.piola.map(|row| row[0])));
    material.energies(&mut batch, 1);
    material.piola(&mut batch, 1);
    let gradient = piola(&batch);
    material.piola_change(&mut batch, 1);
    (f64::from(batch.energy[0]), gradient, piola(&batch))
}

fn states() -> Vec<Mat3> {
    let draw = Draw::new(95);
    let mut states = vec![Mat3::IDENTITY, Mat3::diagonal(0.9, 0.9, 0.9), Mat3::diagonal(1.1, 0.8, 0.8)];
    for (r, range) in [[0.99, 1.01], [0.8, 1.25], [0.6, 1.6]].into_iter().enumerate() {
        states.extend((0..20).map(|i| draw.deformation(range, 1000 * r as u64 + i)));
    }
    for i in 0..12 {
        let gap = [1e-6, 1e-4, 2e-3, 1e-2][i as usize % 4];
        for s in [[1.2, 0.85, 0.85 + gap], [0.9, 0.9 + gap, 1.1], [0.8, 0.8 + gap, 0.8]] {
            states.push(draw.stretched(s, 10_000 + i));
        }
    }
    states
}

fn check(name: &str, material: &Material, alignment: [f32; 3], psi: &Energy, stiffness: f64) {
    let draw = Draw::new(96);
    for (index, f) in states().iter().enumerate() {
        let index = index as u64;
        let (a, b) = (draw.matrix([-1.0, 1.0], 2 * index), draw.matrix([-1.0, 1.0], 2 * index + 1));
        let (energy, piola, along_a) = derivatives(material, f, alignment, &a);
        let wide_f = wide(f);
        let scale = |exact: DMat3| condition(wide_f).powi(2) * largest(exact).max(stiffness);
        let exact = gradient(psi, wide_f);
        let (off, allowed) = (largest(piola - exact), 8e-6 * scale(exact));
        assert!(off < allowed, "{name}: derivative off by {off:e} Pa, tolerance {allowed:e}, at {f:?}");
        let off = (energy - psi(wide_f)).abs();
        assert!(off < allowed + 1e-4 * energy, "{name}: energy off by {off:e} J/m^3 at {f:?}");
        let exact = gradient_change(psi, wide_f, wide(&a), 5e-5);
        let (off, allowed) = (largest(along_a - exact), 3e-5 * scale(exact));
        assert!(off < allowed, "{name}: Hessian off by {off:e} Pa, tolerance {allowed:e}, at {f:?}");
        let along_b = derivatives(material, f, alignment, &b).2;
        let inner = |a: DMat3, b: DMat3| (0..3).map(|k| a.col(k).dot(b.col(k))).sum::<f64>();
        let off = (inner(wide(&b), along_a) - inner(wide(&a), along_b)).abs();
        assert!(off < allowed, "{name}: Hessian not symmetric by {off:e} Pa, tolerance {allowed:e}, at {f:?}");
    }
}

#[test]
fn energies_derivatives_and_hessians_are_consistent() {
    // Laws that are not linear in their strain magnify rounding errors of `F` by the cube of the strain map, so the maps are moderate.
    let moduli = Orthotropic {
        youngs_moduli: [1e5, 7e4, 1.6e5],
        poisson_ratios: [0.2, 0.15, 0.3],
        reverse_poisson_ratios: None,
        shear_moduli: None,
    };
    let planes =
        Anisotropy { elasticity: Elasticity::Orthotropic(moduli), stress_map: StressMap::Scales([0.9, 1.0, 1.2]) };
    for wanted in [planes, crystal_of(&moduli)] {
        let stiffness = stiffness(&wanted).wave_modulus();
        for (name, material, psi) in cases(&wanted) {
            check(&name, &material, [1.0 / 3.0; 3], &psi, stiffness);
        }
    }
}

/// Grains with an alignment have the derivatives of the fixed maps that follow from it.
#[test]
fn grains_have_the_derivatives_of_their_maps() {
    let axis = |youngs_modulus, scale| AxisParameters { youngs_modulus, poisson_ratio: 0.3, scale };
    let grains = Orientation {
        elongation: 1.0,
        along: axis(2e5, 1.4),
        across: axis(5e4, 0.8),
        mixed: axis(1e5, 1.0),
        start: [0.0, 0.0, 1.0],
    };
    let same = |scales| Anisotropy {
        elasticity: Elasticity::Orthotropic(Orthotropic {
            youngs_moduli: [5e4, 5e4, 2e5],
            // The mean of the two ratios, scaled by the moduli.
            poisson_ratios: [0.15, 0.15, 0.3],
            reverse_poisson_ratios: None,
            shear_moduli: None,
        }),
        stress_map: StressMap::Scales(scales),
    };
    let [.., sand, _, _] = elastic_laws();
    let material = Material::from(Anisotropic::of_grains(&sand, &grains).unwrap());
    let wanted = same([0.8, 0.8, 1.4]);
    check(
        "grains",
        &material,
        [0.0, 0.0, 1.0],
        &flowing(ElasticModel::Hencky, &wanted),
        stiffness(&wanted).wave_modulus(),
    );
}

/// Crushed and inverted particles have finite derivatives.
#[test]
fn derivatives_of_crushed_particles_are_finite() {
    let change = Mat3::from_rows([0.3, -0.5, 0.2, 0.4, 0.6, -0.1, 0.2, -0.3, -0.4]);
    for (name, material, _) in cases(&hay_map()) {
        for s in [[1.2, 0.9, 0.03], [1.2, 0.9, 0.0], [1.2, 0.9, -0.03], [1.3, 0.8, -0.3], [0.0, 0.0, 0.0]] {
            let f = DMat3::from_diagonal(DVec3::from_array(s));
            let (energy, piola, product) = derivatives(&material, &super::oracle::narrow(f), [1.0 / 3.0; 3], &change);
            assert!(energy.is_finite() && piola.is_finite() && product.is_finite(), "{name} at {s:?}");
        }
    }
}
