//! A law evaluated on many lanes gives bitwise the same result as on one lane, whatever the idle lanes contain.

use super::oracle::{Draw, lame};
use crate::law::{
    Batch, ContactModel, ElasticBatch, ElementLaw, ElementResponse, ImplicitLaw, LANES, Law, Response, Trial,
};
use crate::{
    Cloth, CorotatedLinear, Fiber, FixedCorotated, Fluid, Goo, Material, NeoHookean, Sand, Slime, Snow, Tissue,
};
use fibra_core::mat3::Mat3;

fn materials() -> Vec<Material> {
    let lame = lame();
    let snow = Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 };
    let contacts = [ContactModel::Frictional, ContactModel::Elastic, ContactModel::Absent];
    let fibers = contacts.map(|contact| Material::Fiber(Fiber::new(1e6, 1e4, lame, 0.4, contact)));
    let cloths = contacts.map(|contact| Material::Cloth(Cloth::new(lame, 1e5, 1e4, 0.4, contact)));
    let solids = [
        Material::CorotatedLinear(CorotatedLinear { lame }),
        Material::FixedCorotated(FixedCorotated { lame }),
        Material::NeoHookean(NeoHookean { lame }),
        Material::Snow(snow),
        Material::Sand(Sand::new(lame, 0.6, 0.0, true)),
        Material::Sand(Sand::new(lame, 0.6, 500.0, false)),
        Material::Fluid(Fluid { bulk_modulus: 2e5, gamma: 7.0, viscosity: 0.1 }),
        Material::Slime(Slime {
            shear_modulus: 2e4,
            relaxation_time: 0.05,
            liquid: Fluid { bulk_modulus: 2e5, gamma: 7.0, viscosity: 0.1 },
        }),
        Material::Goo(Goo { lame, yield_stress: 100.0, viscosity: 5.0 }),
        Material::Goo(Goo { lame, yield_stress: 100.0, viscosity: 0.0 }),
        Material::Tissue(Tissue { lame, critical_shear: 0.05, softening: 2.0 }),
    ];
    [&solids[..], &fibers, &cloths].concat()
}

/// The response of one particle, compiled without vectors.
#[inline(never)]
fn alone(material: &Material, f: &Mat3, grad_v: &Mat3, memory: f32, dt: f32) -> Response {
    let trial = Trial { f: f.add(&grad_v.mul(f).scale(dt)), grad_v: *grad_v, memory, dt };
    with_law!(material, law => Law::respond(law, &trial), _wrapped => unreachable!("has tests of its own"), _own => unreachable!("has tests of its own"))
}

fn bits_of(r: &Response) -> Vec<u32> {
    let t = r.tau;
    let scalars = [t.xx, t.yy, t.zz, t.yz, t.xz, t.xy, r.memory, r.modulus];
    r.f.to_rows().iter().chain(&scalars).map(|x| x.to_bits()).collect()
}

fn bits_in(batch: &Batch, lane: usize) -> Vec<u32> {
    let column = |rows: &[[f32; LANES]]| rows.iter().map(|r| r[lane].to_bits()).collect::<Vec<_>>();
    let scalars = [batch.memory[lane].to_bits(), batch.modulus[lane].to_bits()];
    [column(&batch.f), column(&batch.tau), scalars.to_vec()].concat()
}

#[test]
fn every_lane_of_every_batch_size_equals_a_single_particle_bitwise() {
    let draw = Draw::new(21);
    let dt = 1e-3;
    // Deformations from rest to flattened, inverted and collapsed ones. All must give the same result in a batch.
    let ranges = [[1.0, 1.0], [0.99, 1.01], [0.7, 1.4], [0.02, 5.0]];
    let mut idle = 0;
    for (m, material) in materials().iter().enumerate() {
        for n in (1..=LANES).chain([LANES; 16]) {
            idle += 1;
            let mut batch = Batch::default();
            let particles: Vec<(Mat3, Mat3, f32)> = (0..LANES as u64)
                .map(|lane| {
                    let index = (m as u64 * 100 + idle) * 100 + lane;
                    let mut f = draw.deformation(ranges[lane as usize % 4], index);
                    match lane {
                        29 => f = f.mul(&Mat3::diagonal(1.0, 1.0, -1.0)),
                        30 => f = Mat3::diagonal(1.0, 0.0, 1.0),
                        31 => f = Mat3::ZERO,
                        _ => {}
                    }
                    let memory = material.initial_memory() + draw.between([0.0, 0.02], &[index, 1]) as f32;
                    (f, draw.matrix([-30.0, 30.0], index), memory)
                })
                .collect();
            for lane in 0..LANES {
                let (f, grad_v, memory) = &particles[lane];
                // Idle lanes may contain arbitrary values of an earlier batch, including NaN and infinity.
                let junk = [f32::NAN, f32::INFINITY, 0.0, -1e30][lane % 4];
                for e in 0..9 {
                    batch.f[e][lane] = if lane < n { f.to_rows()[e] } else { junk };
                    batch.grad_v[e][lane] = if lane < n { grad_v.to_rows()[e] } else { junk };
                }
                batch.memory[lane] = if lane < n { *memory } else { junk };
            }
            material.respond(&mut batch, n, dt);
            for lane in 0..n {
                let (f, grad_v, memory) = &particles[lane];
                let expected = bits_of(&alone(material, f, grad_v, *memory, dt));
                assert_eq!(bits_in(&batch, lane), expected, "{material:?}, lane {lane} of {n}");
            }
        }
    }
}

/// The response of one element, compiled without vectors.
#[inline(never)]
fn element_alone(material: &Material, d: &Mat3) -> Option<ElementResponse> {
    match material {
        Material::Fiber(law) => Some(ElementLaw::respond(law, d)),
        Material::Cloth(law) => Some(ElementLaw::respond(law, d)),
        _ => None,
    }
}

#[test]
fn every_lane_equals_a_single_element_bitwise() {
    let draw = Draw::new(23);
    let ranges = [[1.0, 1.0], [0.99, 1.01], [0.7, 1.4], [0.02, 5.0]];
    for material in materials() {
        for n in 1..=LANES {
            let d: Vec<Mat3> = (0..LANES).map(|l| draw.deformation(ranges[l % 4], (n * LANES + l) as u64)).collect();
            let mut batch = Batch::default();
            for lane in 0..LANES {
                for e in 0..9 {
                    batch.f[e][lane] = if lane < n { d[lane].to_rows()[e] } else { f32::NAN };
                }
            }
            let untouched = batch.clone();
            material.respond_elements(&mut batch, n);
            for lane in 0..n {
                let Some(r) = element_alone(&material, &d[lane]) else {
                    assert_eq!(material.element_kind(), None);
                    assert_eq!(bits_in(&batch, lane), bits_in(&untouched, lane));
                    continue;
                };
                let alone = Response { f: r.d, tau: r.tau, memory: batch.memory[lane], modulus: r.modulus };
                assert_eq!(bits_in(&batch, lane), bits_of(&alone), "{material:?}, lane {lane} of {n}");
                assert_eq!(batch.piola.map(|row| row[lane]), r.piola.to_rows());
            }
        }
    }
}

/// The elastic derivatives of one particle, compiled without vectors: energy, stress, and change of the stress.
#[inline(never)]
fn elastic_alone(material: &Material, f: &Mat3, memory: f32, change: &Mat3) -> (f32, Mat3, Mat3) {
    with_law!(material, law => (
        Law::energy(law, f, memory),
        ImplicitLaw::piola(law, f, memory),
        ImplicitLaw::piola_change(law, f, memory, change)
    ), _wrapped => unreachable!("has tests of its own"), _own => unreachable!("has tests of its own"))
}

/// Every lane equals a single particle bitwise, and all results are finite for any deformation that an implicit step may try.
#[test]
fn elastic_derivatives_equal_a_single_particle_and_are_finite() {
    let draw = Draw::new(24);
    let ranges = [[1.0, 1.0], [0.99, 1.01], [0.7, 1.4], [0.02, 5.0]];
    for material in materials() {
        for round in 0..8u64 {
            let mut batch = ElasticBatch { memory: [material.initial_memory(); LANES], ..ElasticBatch::default() };
            let trial = |lane: usize| match lane {
                29 => draw.deformation([0.1, 2.0], round).mul(&Mat3::diagonal(1.0, 1.0, -1.0)),
                30 => Mat3::diagonal(1.0, 0.0, 1.0),
                31 => Mat3::ZERO,
                _ => draw.deformation(ranges[lane % 4], 100 * round + lane as u64),
            };
            let change = |lane: usize| draw.matrix([-1.0, 1.0], 100 * round + lane as u64);
            for lane in 0..LANES {
                for e in 0..9 {
                    batch.f[e][lane] = trial(lane).to_rows()[e];
                    batch.change[e][lane] = change(lane).to_rows()[e];
                }
            }
            material.energies(&mut batch, LANES);
            material.piola(&mut batch, LANES);
            let piola = batch.piola;
            material.piola_change(&mut batch, LANES);
            for lane in 0..LANES {
                let (energy, p, h) = elastic_alone(&material, &trial(lane), batch.memory[lane], &change(lane));
                assert_eq!(batch.energy[lane], energy, "{material:?}");
                assert_eq!(piola.map(|row| row[lane]), p.to_rows(), "{material:?}");
                assert_eq!(batch.piola.map(|row| row[lane]), h.to_rows(), "{material:?}");
                let all = [energy].into_iter().chain(p.to_rows()).chain(h.to_rows());
                assert!(
                    all.into_iter().all(f32::is_finite),
                    "{material:?}: {energy}, {p:?}, {h:?} at {:?}",
                    trial(lane)
                );
            }
        }
    }
}

/// Collapsed, inverted and huge deformations: every law returns finite values.
#[test]
fn responses_are_finite_for_any_deformation() {
    let draw = Draw::new(22);
    for material in materials() {
        let response = |f: Mat3, memory: f32| {
            let trial = Trial { f, grad_v: Mat3::ZERO, memory, dt: 1e-3 };
            with_law!(&material, law => Law::respond(law, &trial), _wrapped => unreachable!("has tests of its own"), _own => unreachable!("has tests of its own"))
        };
        let mut hard = vec![
            Mat3::ZERO,
            Mat3::IDENTITY.scale(-1.0),
            Mat3::IDENTITY.scale(100.0),
            Mat3::IDENTITY.scale(1e-4),
            Mat3::from_rows([1.0; 9]),
            Mat3::diagonal(1.0, 0.0, 0.0),
        ];
        hard.extend((0..200).map(|i| draw.deformation([1e-3, 30.0], i)));
        hard.extend((0..200).map(|i| draw.matrix([-3.0, 3.0], i)));
        for f in hard {
            let r = response(f, material.initial_memory());
            let sound = bits_of(&r).into_iter().all(|b| f32::from_bits(b).is_finite());
            assert!(sound && r.modulus > 0.0, "{material:?} returns {r:?} for {f:?}");
            let energy = material.energy(&r.f, r.memory, [1.0 / 3.0; 3]);
            assert!(energy.is_finite() && energy >= -1e-2, "{material:?} stores {energy} J/m^3 in {f:?}");
        }
    }
}

/// Non-finite input gives non-finite stress, despite any maxima and clamps in between: a step detects errors by the stress. A
/// liquid ignores `F` and resets it.
#[test]
fn no_law_hides_non_finite_input() {
    for material in materials() {
        let finite = |f: Mat3, grad_v: Mat3, memory: f32| {
            let r = with_law!(
                &material,
                law => Law::respond(law, &Trial { f, grad_v, memory, dt: 1e-3 }),
                _wrapped => unreachable!("has tests of its own"), _own => unreachable!("has tests of its own")
            );
            r.tau.to_mat3().to_rows().iter().all(|t| t.is_finite())
        };
        let (whole, start) = (Mat3::IDENTITY, material.initial_memory());
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            for entry in 0..9 {
                let mut f = whole.to_rows();
                f[entry] = bad;
                let fluid = matches!(material, Material::Fluid(_));
                assert_eq!(finite(Mat3::from_rows(f), Mat3::ZERO, start), fluid, "{material:?}: {bad} at {entry}");
            }
        }
        if matches!(material, Material::Sand(_) | Material::Fluid(_) | Material::Slime(_)) {
            assert!(!finite(whole, Mat3::ZERO, f32::NAN), "{material:?}");
        }
    }
}
