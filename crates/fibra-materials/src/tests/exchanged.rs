//! Tests of laws whose elasticity is exchanged: the flow is that of the law, the stress that of the elastic model.

use super::anisotropic::{elastic_laws, laws, response};
use super::oracle::{
    Draw, condition, corotated_linear, fixed_corotated, hencky, lame, largest, stress, wide, wide_symmetric,
};
use crate::{ElasticModel, Material, MaterialSpec, SandParams, SnowParams};

const MODELS: [ElasticModel; 3] = [ElasticModel::Hencky, ElasticModel::FixedCorotated, ElasticModel::CorotatedLinear];

/// Every pair of a law with plastic flow and an elastic model.
pub(super) fn pairs(laws: [Material; 7]) -> impl Iterator<Item = (Material, ElasticModel, Material)> {
    laws.into_iter().flat_map(|law| {
        MODELS.into_iter().filter_map(move |model| Some((law.clone(), model, law.with_elasticity(model)?)))
    })
}

#[test]
fn laws_with_plastic_flow_have_every_elasticity() {
    let names: Vec<&str> = pairs(laws()).map(|(law, ..)| law.name()).collect();
    assert_eq!(names, [["snow"; 3], ["sand"; 3], ["goo"; 3], ["tissue"; 3]].concat());
}

#[test]
fn the_stress_is_the_derivative_of_the_elastic_models_energy() {
    let (mu, lambda) = (f64::from(lame().mu), f64::from(lame().lambda));
    let draw = Draw::new(91);
    for (law, model, material) in pairs(elastic_laws()) {
        let psi = |f| match model {
            ElasticModel::Hencky => hencky(f, mu, lambda),
            ElasticModel::FixedCorotated => fixed_corotated(f, mu, lambda),
            ElasticModel::CorotatedLinear => corotated_linear(f, mu, lambda),
        };
        for index in 0..60 {
            let f = draw.deformation([[0.99, 1.01], [0.8, 1.25], [0.6, 1.6]][index as usize % 3], index);
            let r = response(&material, &f, law.initial_memory(), 0.0);
            let exact = stress(psi, wide(&f));
            let allowed = 8e-6 * condition(wide(&f)) * f64::from(lame().wave_modulus()).max(largest(exact));
            let off = largest(wide_symmetric(&r.tau) - exact);
            assert!(off < allowed, "{law:?} with {model:?}: stress off by {off:e} Pa, tolerance {allowed:e}, at {f:?}");
            let energy = f64::from(material.energy(&f, law.initial_memory(), [1.0 / 3.0; 3]));
            let off = (energy - psi(wide(&f))).abs();
            assert!(off < allowed + 1e-4 * energy, "{law:?} with {model:?}: energy off by {off:e} J/m^3 at {f:?}");
        }
    }
}

/// The flow does not depend on the elasticity, and a law with its own elastic model is the law.
#[test]
fn the_flow_is_that_of_the_law() {
    let draw = Draw::new(92);
    for (law, model, material) in pairs(laws()) {
        let own = if law.name() == "snow" { ElasticModel::FixedCorotated } else { ElasticModel::Hencky };
        for index in 0..60 {
            let f = draw.deformation([[0.98, 1.02], [0.8, 1.2]][index as usize % 2], index);
            let [a, b] = [&law, &material].map(|law| response(law, &f, law.initial_memory(), 1e-3));
            let off = largest(wide(&a.f) - wide(&b.f));
            assert!(off < 5e-6 * condition(wide(&f)), "{law:?} with {model:?}: F off by {off:e}");
            assert!((a.memory - b.memory).abs() < 2e-5, "{law:?} with {model:?}: {} and {}", a.memory, b.memory);
            let scale = f64::from(lame().wave_modulus()).max(largest(wide_symmetric(&a.tau)));
            let off = largest(wide_symmetric(&a.tau) - wide_symmetric(&b.tau)) / scale;
            assert!(model != own || off < 1e-5 * condition(wide(&f)), "{law:?}: stress off by {off:e}");
        }
    }
}

/// Waves are not faster than the reported modulus: the largest change of stress per strain along an axis.
#[test]
fn the_modulus_bounds_the_stiffness() {
    for (law, model, material) in pairs(elastic_laws()) {
        for s in [0.7f32, 1.0, 1.4] {
            let at =
                |s: f32| response(&material, &fibra_core::mat3::Mat3::diagonal(s, 1.0, 1.0), law.initial_memory(), 0.0);
            let h = 1e-2;
            let piola = |s: f32| at(s).tau.xx / s;
            let stiffness = s * s * (piola(s + h) - piola(s - h)) / (2.0 * h);
            let modulus = at(s).modulus;
            assert!(stiffness < 1.01 * modulus, "{law:?} with {model:?} at {s}: {stiffness} above {modulus} Pa");
        }
    }
}

#[test]
fn parameters_choose_the_elasticity() {
    let plain = MaterialSpec::from(SandParams::default()).law();
    assert!(matches!(plain, Material::Sand(_)));
    let linear = MaterialSpec::from(SandParams { elasticity: ElasticModel::CorotatedLinear, ..SandParams::default() });
    assert_eq!(Some(linear.law()), plain.with_elasticity(ElasticModel::CorotatedLinear));
    assert_ne!(Some(linear.law()), plain.with_elasticity(ElasticModel::FixedCorotated));
    let own = MaterialSpec::from(SnowParams { elasticity: ElasticModel::FixedCorotated, ..SnowParams::default() });
    assert!(matches!(own.law(), Material::Snow(_)));
}
