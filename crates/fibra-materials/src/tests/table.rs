//! Checks of every row of the table of materials.

use crate::law::{Batch, ElasticBatch};
use crate::{ANISOTROPIC, MaterialSpec};
use serde_json::{Value, json};

/// Returns the parameters of a material as JSON.
fn parameters(spec: &MaterialSpec) -> serde_json::Map<String, Value> {
    serde_json::to_value(spec).unwrap()[spec.name()].as_object().unwrap().clone()
}

#[test]
fn defaults_are_valid_and_an_empty_table_reads_as_defaults() {
    for spec in MaterialSpec::defaults() {
        assert_eq!(spec.check(), [], "{}", spec.name());
        let empty: MaterialSpec = serde_json::from_value(json!({ spec.name(): {} })).unwrap();
        assert_eq!(empty, spec);
        assert_eq!(spec.law().name(), spec.name());
        assert_eq!(spec.law().element_kind(), spec.element_kind());
    }
}

#[test]
fn every_number_is_checked_by_its_name() {
    for spec in MaterialSpec::defaults() {
        for (field, value) in parameters(&spec) {
            if value.is_number() {
                let bad: MaterialSpec = serde_json::from_value(json!({ spec.name(): { &field: -1e30 } })).unwrap();
                let faults = bad.check();
                assert_eq!(faults.iter().map(|fault| fault.field).collect::<Vec<_>>(), [field], "{}", spec.name());
                assert!(faults[0].to_string().contains(faults[0].field), "{}", faults[0]);
            }
        }
    }
}

/// The documentation of a number contains its default and the unit that error messages use.
#[test]
fn documentation_agrees_with_defaults_and_checks() {
    let schema = schemars::schema_for!(MaterialSpec).to_value();
    let variants = schema["oneOf"].as_array().unwrap();
    for spec in MaterialSpec::defaults() {
        let variant = variants.iter().find(|variant| variant["properties"].get(spec.name()).is_some()).unwrap();
        let reference = variant["properties"][spec.name()]["$ref"].as_str().unwrap();
        let structure = schema.pointer(reference.trim_start_matches('#')).unwrap();
        for (field, value) in parameters(&spec) {
            let Some(value) = value.as_f64() else { continue };
            let text = structure["properties"][&field]["description"].as_str().unwrap();
            let default = text.rsplit("Default: ").next().unwrap();
            let digits = default.split([',', ' ']).next().unwrap().trim_end_matches('.');
            assert_eq!(digits.parse(), Ok(value), "{}.{field}: {text}", spec.name());
            let bad: MaterialSpec = serde_json::from_value(json!({ spec.name(): { &field: -1e30 } })).unwrap();
            let remedy = &bad.check()[0].remedy;
            let unit = &remedy[remedy.rfind('[').unwrap()..];
            assert!(text.contains(unit), "{}.{field} lacks {unit}: {text}", spec.name());
        }
    }
}

/// Compares the stress at the default parameters with a finite difference of the energy.
#[test]
fn stress_is_the_derivative_of_the_energy() {
    for spec in MaterialSpec::defaults() {
        let law = spec.law();
        let f = [0.97, 0.02, -0.01, 0.015, 0.95, 0.01, -0.02, 0.01, 0.96];
        let direction = [0.3, -0.5, 0.2, 0.4, 0.6, -0.1, 0.2, -0.3, -0.4];
        let mut batch = ElasticBatch { memory: [law.initial_memory(); crate::law::LANES], ..ElasticBatch::default() };
        let step = 2e-3f32;
        for (lane, by) in [0.0, step, -step].into_iter().enumerate() {
            (0..9).for_each(|e| batch.f[e][lane] = f[e] + by * direction[e]);
        }
        law.energies(&mut batch, 3);
        law.piola(&mut batch, 3);
        let difference = (batch.energy[1] - batch.energy[2]) / (2.0 * step);
        let slope: f32 = (0..9).map(|e| batch.piola[e][0] * direction[e]).sum();
        assert!((difference - slope).abs() < 0.01 * slope.abs(), "{}: {difference} and {slope}", spec.name());
    }
}

/// A law that does not respond would leave the modulus of the batch unchanged.
#[test]
fn every_law_responds() {
    for spec in MaterialSpec::defaults() {
        let (law, mut batch) = (spec.law(), Batch::default());
        law.respond(&mut batch, 1, 1e-4);
        assert!(batch.modulus[0] > 0.0, "{}", spec.name());
        batch.modulus[0] = 0.0;
        law.respond_elements(&mut batch, 1);
        assert_eq!(batch.modulus[0] > 0.0, spec.element_kind().is_some(), "{}", spec.name());
    }
}

#[test]
fn anisotropic_materials_are_those_with_a_strain_law() {
    for spec in MaterialSpec::defaults() {
        let listed = ANISOTROPIC.contains(&spec.name());
        assert_eq!(spec.moduli().is_some(), listed, "{}", spec.name());
        assert_eq!(spec.law().mapped_law().is_some(), listed, "{}", spec.name());
    }
}
