//! Compares every law on every device with the CPU, on random states, through the table of a scene.
//!
//! On software Vulkan most results are bitwise equal to the CPU's. CUDA's square roots and divisions are not correctly rounded, and
//! crushed states magnify the error. On an H200, errors were up to 6e-6 for isotropic laws and up to 2e-4 for crushed states.

#![cfg(feature = "gpu")]
#![allow(missing_docs)]

use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3};
use fibra_core::random::CounterRng;
use fibra_gpu::launch::cubes_for;
use fibra_gpu::{Gpu, on_every_device};
use fibra_mpm::internals::gpu::laws::{LawSet, LawTable, respond, respond_element};
use fibra_mpm::internals::params::Substance;
use fibra_mpm::law::{Batch, ContactModel, LANES, Law, Response, Trial};
use fibra_mpm::materials::anisotropy::*;
use fibra_mpm::materials::*;

/// Number of particles per substance and size.
const EACH: usize = 1024;
const DT: f32 = 1e-3;

/// Size of the deformations, and the allowed difference between device and CPU. Differences of stress are relative to the wave modulus,
/// others are absolute [-].
#[derive(Clone, Copy, Debug)]
struct Size {
    strain: f32,
    crushed: bool,
    allowed: f32,
}

const SIZES: [Size; 4] = [
    Size { strain: 1e-3, crushed: false, allowed: 2e-6 },
    Size { strain: 0.1, crushed: false, allowed: 2e-5 },
    Size { strain: 0.5, crushed: false, allowed: 2e-5 },
    Size { strain: 0.5, crushed: true, allowed: 2e-4 },
];

/// Largest error attributed to rounding, as a multiple of the CPU's own sensitivity to rounding of the deformation.
const SPREAD: f32 = 20.0;

/// Number of values per particle, in the input and in the output. Component `c` of particle `i` of `n` is at index `c n + i`.
const IN: usize = 22;
const OUT: usize = 32;

#[cube]
fn get(from: &Array<f32>, at: usize, n: usize) -> Mat3 {
    Mat3 {
        xx: from[at],
        xy: from[at + n],
        xz: from[at + 2 * n],
        yx: from[at + 3 * n],
        yy: from[at + 4 * n],
        yz: from[at + 5 * n],
        zx: from[at + 6 * n],
        zy: from[at + 7 * n],
        zz: from[at + 8 * n],
    }
}

#[cube]
fn put(to: &mut Array<f32>, at: usize, n: usize, m: &Mat3) {
    to[at] = m.xx;
    to[at + n] = m.xy;
    to[at + 2 * n] = m.xz;
    to[at + 3 * n] = m.yx;
    to[at + 4 * n] = m.yy;
    to[at + 5 * n] = m.yz;
    to[at + 6 * n] = m.zx;
    to[at + 7 * n] = m.zy;
    to[at + 8 * n] = m.zz;
}

#[cube(launch)]
fn responses(
    input: &Array<f32>,
    substance: &Array<u32>,
    law: &Array<u32>,
    first: &Array<u32>,
    table: &Array<f32>,
    output: &mut Array<f32>,
    dt: f32,
    #[comptime] laws: LawSet,
    #[comptime] elements: bool,
) {
    let n = substance.len();
    if ABSOLUTE_POS < n {
        let i = ABSOLUTE_POS;
        let own = substance[i] as usize;
        let f = get(input, i, n);
        let grad_v = get(input, i + 9 * n, n);
        if elements {
            let response = respond_element(&f, law[own], first[own] as usize, table, laws);
            put(output, i, n, &response.d);
            put(output, i + 9 * n, n, &response.tau.to_mat3());
            output[i + 19 * n] = response.modulus;
            put(output, i + 23 * n, n, &response.piola);
        } else {
            let trial = Trial { f: f.add(&grad_v.mul(&f).scale(dt)), grad_v, memory: input[i + 18 * n], dt };
            let alignment = Diag3 { x: input[i + 19 * n], y: input[i + 20 * n], z: input[i + 21 * n] };
            let aligned = respond(&trial, &alignment, law[own], first[own] as usize, table, laws);
            put(output, i, n, &aligned.response.f);
            put(output, i + 9 * n, n, &aligned.response.tau.to_mat3());
            output[i + 18 * n] = aligned.response.memory;
            output[i + 19 * n] = aligned.response.modulus;
            output[i + 20 * n] = aligned.alignment.x;
            output[i + 21 * n] = aligned.alignment.y;
            output[i + 22 * n] = aligned.alignment.z;
        }
    }
}

/// The input state of a particle.
#[derive(Clone, Copy, Debug, Default)]
struct Particle {
    f: Mat3,
    grad_v: Mat3,
    memory: f32,
    alignment: [f32; 3],
}

impl Particle {
    /// Creates a random particle. A crushed particle is compressed along one axis by a random factor in the range `crush`.
    fn random(material: &Material, size: &Size, crush: [f32; 2], index: u64) -> Particle {
        let rng = CounterRng::new(11);
        let uniform = |k: u64| 2.0 * rng.uniform(&[index, k]) as f32 - 1.0;
        let matrix = |first: u64, of: f32| Mat3::from_rows(std::array::from_fn(|k| of * uniform(first + k as u64)));
        let rotation = fibra_core::decompose::polar(&matrix(0, 1.0)).r;
        let strained = Mat3::IDENTITY.add(&matrix(9, size.strain));
        let squeeze = if size.crushed { crush[0] + 0.5 * (crush[1] - crush[0]) * (1.0 + uniform(40)) } else { 1.0 };
        let f = rotation.mul(&strained).mul(&Mat3::diagonal(1.0, squeeze, 1.0));
        let weights = [0, 1, 2].map(|k| 1.1 + uniform(41 + k));
        let sum: f32 = weights.iter().sum();
        Particle {
            f,
            grad_v: matrix(18, size.strain / DT * 0.2),
            memory: material.initial_memory() + 0.1 * size.strain * uniform(30),
            alignment: weights.map(|w| w / sum),
        }
    }

    fn numbers(&self) -> [f32; IN] {
        let mut numbers = [0.0; IN];
        numbers[..9].copy_from_slice(&self.f.to_rows());
        numbers[9..18].copy_from_slice(&self.grad_v.to_rows());
        numbers[18] = self.memory;
        numbers[19..].copy_from_slice(&self.alignment);
        numbers
    }
}

/// Computes the CPU's responses of up to [`LANES`] particles of one material.
fn exact(material: &Material, particles: &[Particle], elements: bool) -> Vec<[f32; OUT]> {
    let mut batch = Batch::default();
    for (l, p) in particles.iter().enumerate() {
        for (k, (f, g)) in p.f.to_rows().into_iter().zip(p.grad_v.to_rows()).enumerate() {
            (batch.f[k][l], batch.grad_v[k][l]) = (f, g);
        }
        batch.memory[l] = p.memory;
        (0..3).for_each(|k| batch.alignment[k][l] = p.alignment[k]);
    }
    if elements {
        material.respond_elements(&mut batch, particles.len());
    } else {
        material.respond(&mut batch, particles.len(), DT);
    }
    (0..particles.len()).map(|l| response_of(&batch, l, elements)).collect()
}

fn response_of(batch: &Batch, l: usize, elements: bool) -> [f32; OUT] {
    let mut out = [0.0; OUT];
    (0..9).for_each(|k| out[k] = batch.f[k][l]);
    for (k, of) in [0, 5, 4, 5, 1, 3, 4, 3, 2].into_iter().enumerate() {
        out[9 + k] = batch.tau[of][l];
    }
    out[19] = batch.modulus[l];
    if elements {
        (0..9).for_each(|k| out[23 + k] = batch.piola[k][l]);
    } else {
        out[18] = batch.memory[l];
        (0..3).for_each(|k| out[20 + k] = batch.alignment[k][l]);
    }
    out
}

/// Returns the difference between two deformations. The material axes of grains with nearly equal eigenvalues are not defined. For grains,
/// the function therefore compares `F F^T` and the orientation tensor in the world frame.
fn deformation_difference(found: &[f32; OUT], wanted: &[f32; OUT], grains: bool) -> f32 {
    let f = |of: &[f32; OUT]| Mat3::from_rows(std::array::from_fn(|k| of[k]));
    let seen = |of: &[f32; OUT]| {
        let orientation = f(of).conjugate_diag(&Diag3 { x: of[20], y: of[21], z: of[22] });
        [f(of).gram_rows().to_mat3(), orientation.to_mat3()]
    };
    let apart = |a: Mat3, b: Mat3| {
        let scale = b.to_rows().iter().fold(1.0f32, |a, b| a.max(b.abs()));
        a.sub(&b).to_rows().iter().fold(0.0f32, |a, b| if b.abs() <= a { a } else { b.abs() }) / scale
    };
    if grains {
        let ([a, b], [c, d]) = (seen(found), seen(wanted));
        apart(a, c).max(apart(b, d))
    } else {
        apart(f(found), f(wanted))
    }
}

/// Returns the largest difference and the name of its quantity.
fn difference(found: &[f32; OUT], wanted: &[f32; OUT], grains: bool) -> (f32, &'static str) {
    let largest = |range: std::ops::Range<usize>| {
        range.map(|k| (found[k] - wanted[k]).abs()).fold(0.0f32, |a, b| if b <= a { a } else { b })
    };
    let modulus = wanted[19];
    [
        (deformation_difference(found, wanted, grains), "deformation"),
        (largest(9..18) / modulus, "stress"),
        (largest(18..19) / (1.0 + wanted[18].abs()), "memory"),
        // Errors of the modulus are weighted by 0.1, because it only bounds the time step.
        (0.1 * largest(19..20) / modulus, "modulus"),
        (largest(20..23), "alignment"),
        (largest(23..OUT) / modulus, "pull"),
    ]
    .into_iter()
    .max_by(|a, b| a.0.total_cmp(&b.0))
    .unwrap_or((0.0, "nothing"))
}

/// Returns the largest difference between the CPU's responses to deformations that differ by rounding errors.
fn sensitivity(material: &Material, particle: &Particle, elements: bool) -> f32 {
    let rng = CounterRng::new(13);
    let moved = |l: usize| {
        let rows = particle.f.to_rows();
        let entry = |k: usize| rows[k] * (1.0 + 1.2e-7 * (2.0 * rng.uniform(&[l as u64, k as u64]) as f32 - 1.0));
        Particle { f: Mat3::from_rows(std::array::from_fn(entry)), ..*particle }
    };
    let responses = exact(material, &(0..LANES).map(moved).collect::<Vec<_>>(), elements);
    responses.iter().map(|a| difference(a, &responses[0], material.has_grains()).0).fold(0.0, f32::max)
}

/// Returns a factor on the allowed errors of [`SIZES`] for a material: maps and the axes of grains add rounding errors.
fn slack(name: &str, material: &Material) -> f32 {
    match material {
        Material::Anisotropic(_) if is_barrier(name) => 10.0,
        Material::Anisotropic(_) => 5.0,
        _ => 1.0,
    }
}

/// Returns whether the law is neo-Hookean. Its mapped strain grows as the inverse square of a particle's width, so powers of the strain lose all
/// digits.
fn is_barrier(name: &str) -> bool {
    name.starts_with("neo-Hookean,")
}

/// Compares device and CPU for every substance and size.
fn check<R: Runtime>(gpu: &Gpu<R>, materials: &[(&str, Material)], elements: bool) {
    let substances: Vec<Substance> =
        materials.iter().map(|(_, material)| Substance { material: material.clone(), density: 1e3 }).collect();
    let table = LawTable::new(&substances).unwrap();
    let mut particles = Vec::new();
    let mut owners = Vec::new();
    for (s, (name, material)) in materials.iter().enumerate() {
        let crush = if is_barrier(name) { [0.2, 0.6] } else { [-0.03, 0.03] };
        for (k, size) in SIZES.iter().enumerate() {
            particles.extend((0..EACH).map(|i| Particle::random(material, size, crush, (k * EACH + i) as u64)));
            owners.extend(std::iter::repeat_n(s as u32, EACH));
        }
    }
    let n = particles.len();
    let mut input = vec![0.0; IN * n];
    for (i, particle) in particles.iter().enumerate() {
        particle.numbers().into_iter().enumerate().for_each(|(c, x)| input[c * n + i] = x);
    }
    let output = gpu.upload(&vec![0.0f32; OUT * n]);
    responses::launch::<R>(
        &gpu.client,
        cubes_for(n, 64),
        CubeDim::new_1d(64),
        gpu.upload(&input).arg(),
        gpu.upload(&owners).arg(),
        gpu.upload(&table.law).arg(),
        gpu.upload(&table.first).arg(),
        gpu.upload(&table.numbers).arg(),
        output.arg(),
        DT,
        table.kinds,
        elements,
    );
    let found = output.read(gpu).unwrap();
    let mut too_far = Vec::new();
    for (s, (name, material)) in materials.iter().enumerate() {
        for (k, size) in SIZES.iter().enumerate() {
            let (start, allowed) = ((s * SIZES.len() + k) * EACH, slack(name, material) * size.allowed);
            let (mut worst, mut same, mut magnified) = ((0.0, "nothing", 0), 0, 0);
            for from in (start..start + EACH).step_by(LANES) {
                for (l, wanted) in exact(material, &particles[from..from + LANES], elements).into_iter().enumerate() {
                    let got: [f32; OUT] = std::array::from_fn(|c| found[c * n + from + l]);
                    let (off, what) = difference(&got, &wanted, material.has_grains());
                    let off = if off.is_nan() { f32::INFINITY } else { off };
                    same += usize::from(got == wanted);
                    // The law's sensitivity to rounding explains the difference. In such states, results differ between machines.
                    if off > allowed && off <= SPREAD * sensitivity(material, &particles[from + l], elements) {
                        magnified += 1;
                        continue;
                    }
                    if off > worst.0 {
                        worst = (off, what, from + l);
                    }
                }
            }
            let (off, what, at) = worst;
            let crushed = if size.crushed { "crushed" } else { "" };
            println!(
                "{name:28} strain {:5} {crushed:7} {what} error {off:.1e}, {same} of {EACH} bitwise equal, {magnified} ill-conditioned",
                size.strain,
            );
            if off > allowed {
                too_far.push(format!("{name}: {what} off by {off:e} at {size:?}: {:?}", particles[at]));
            }
        }
    }
    assert!(too_far.is_empty(), "{}", too_far.join("\n"));
}

fn lame() -> Lame {
    Lame::new(1e5, 0.3)
}

fn isotropic() -> Vec<(&'static str, Material)> {
    let lame = lame();
    vec![
        ("corotated linear", Material::CorotatedLinear(CorotatedLinear { lame })),
        ("fixed corotated", Material::FixedCorotated(FixedCorotated { lame })),
        ("neo-Hookean", Material::NeoHookean(NeoHookean { lame })),
        ("snow", Material::Snow(Snow { lame, critical_compression: 0.025, critical_stretch: 0.0075, hardening: 10.0 })),
        ("sand", Material::Sand(Sand::new(lame, 0.6, 0.0, true))),
        ("cohesive sand", Material::Sand(Sand::new(lame, 0.5, 500.0, false))),
        ("fluid", Material::Fluid(Fluid { bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.3 })),
        (
            "slime",
            Material::Slime(Slime {
                shear_modulus: 2e4,
                relaxation_time: 0.01,
                liquid: Fluid { bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.3 },
            }),
        ),
        ("goo", Material::Goo(Goo { lame, yield_stress: 2e3, viscosity: 30.0 })),
        ("tissue", Material::Tissue(Tissue { lame, critical_shear: 0.1, softening: 2.0 })),
    ]
}

/// Every solid, granular material and liquid of the table, with default parameters. New materials are included automatically.
fn defaults() -> Vec<(&'static str, Material)> {
    let solids = MaterialSpec::defaults().into_iter().filter(|spec| spec.element_kind().is_none());
    solids.map(|spec| (spec.name(), spec.law())).collect()
}

#[test]
fn defaults_of_the_table_match_the_cpu() {
    on_every_device!(gpu => {
        println!("{}", gpu.name());
        check(&gpu, &defaults(), false);
    });
}

/// Laws from other crates have no kernel.
#[test]
fn custom_laws_are_an_error_on_devices() {
    #[derive(Clone, Copy)]
    struct Own(FixedCorotated);
    impl Law for Own {
        fn respond(&self, trial: &Trial) -> Response {
            self.0.respond(trial)
        }
        fn energy(&self, f: &Mat3, memory: f32) -> f32 {
            self.0.energy(f, memory)
        }
    }
    let own = Material::custom(Own(FixedCorotated { lame: lame() }));
    let error = LawTable::new(&[Substance { material: own, density: 1e3 }]).unwrap_err();
    assert!(error.to_string().contains("Own has no kernel"), "{error}");
}

/// Kernels for one law have no branch; kernels for all laws select one.
#[test]
fn isotropic_laws_match_the_cpu() {
    on_every_device!(gpu => {
        println!("{}", gpu.name());
        check(&gpu, &isotropic(), false);
        for law in isotropic() {
            check(&gpu, &[law], false);
        }
    });
}

fn of_elements() -> Vec<(&'static str, Material)> {
    let fiber = |contact| Material::Fiber(Fiber::new(2e5, 4e4, lame(), 0.5, contact));
    let cloth = |contact| Material::Cloth(Cloth::new(lame(), 8e4, 3e4, 0.4, contact));
    vec![
        ("fiber", fiber(ContactModel::Frictional)),
        ("fiber with elastic contact", fiber(ContactModel::Elastic)),
        ("fiber without contact", fiber(ContactModel::Absent)),
        ("cloth", cloth(ContactModel::Frictional)),
        ("cloth with elastic contact", cloth(ContactModel::Elastic)),
        ("cloth without contact", cloth(ContactModel::Absent)),
    ]
}

#[test]
fn elements_and_points_of_fibers_and_cloth_match_the_cpu() {
    on_every_device!(gpu => {
        for elements in [true, false] {
            println!("{}, {}", gpu.name(), if elements { "elements" } else { "points" });
            check(&gpu, &of_elements(), elements);
            for law in of_elements() {
                check(&gpu, &[law], elements);
            }
        }
    });
}

/// Every law with plastic flow and every elastic model, without maps.
fn exchanged() -> Vec<(&'static str, Material)> {
    let models = [ElasticModel::Hencky, ElasticModel::FixedCorotated, ElasticModel::CorotatedLinear];
    let pairs = |(name, law): &(&str, Material)| -> Vec<(&'static str, Material)> {
        let pair = |model| -> Option<(&'static str, Material)> {
            Some((format!("{name}, {model:?}").leak(), law.with_elasticity(model)?))
        };
        models.into_iter().filter_map(pair).collect()
    };
    isotropic().iter().flat_map(pairs).collect()
}

/// Every law that can be anisotropic: with orthotropic maps, with general maps, and with oriented grains.
fn anisotropic() -> Vec<(&'static str, Material)> {
    let hay = Orthotropic {
        youngs_moduli: [2e5, 5e4, 8e5],
        poisson_ratios: [0.05, 0.1, 0.35],
        reverse_poisson_ratios: None,
        shear_moduli: Some([6e4, 1e5, 3e4]),
    };
    let blocks =
        Anisotropy { elasticity: Elasticity::Orthotropic(hay), stress_map: StressMap::Scales([0.8, 1.1, 1.4]) };
    let rng = CounterRng::new(5);
    let noise = |at: u64, size: f64| {
        let entry = |i: usize, j: usize| size * (2.0 * rng.uniform(&[at, i as u64, j as u64]) - 1.0);
        let a = Matrix6(std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j))));
        a.add(&a.transpose())
    };
    let crystal = Anisotropy {
        elasticity: Elasticity::General(hay.stiffness().unwrap().add(&noise(1, 8e3)).upper()),
        stress_map: StressMap::General(Matrix6::IDENTITY.add(&noise(2, 0.06)).upper()),
    };
    let axis = |youngs_modulus, poisson_ratio, scale| AxisParameters { youngs_modulus, poisson_ratio, scale };
    let grains = Orientation {
        elongation: 0.7,
        along: axis(5e5, 0.1, 0.8),
        across: axis(1e5, 0.4, 1.4),
        mixed: axis(2e5, 0.3, 1.0),
        start: [0.1, 0.2, 0.7],
    };
    let wrapped = |name: &str, law: &Material| -> Vec<(&'static str, Material)> {
        let named = |what: &str| -> &'static str { format!("{name}, {what}").leak() };
        [
            (named("planes"), Anisotropic::new(law, &blocks)),
            (named("crystal"), Anisotropic::new(law, &crystal)),
            (named("grains"), Anisotropic::of_grains(law, &grains)),
            (named("paper's flow"), Anisotropic::new(law, &blocks).map(|law| law.with_flow_rule(FlowRule::Paper))),
        ]
        .into_iter()
        .map(|(name, law)| (name, Material::Anisotropic(law.unwrap().into())))
        .collect()
    };
    let mut laws = isotropic();
    laws.retain(|(name, _)| !["fluid", "slime", "cohesive sand"].contains(name));
    laws.extend(exchanged().into_iter().step_by(4));
    laws.iter().flat_map(|(name, law)| wrapped(name, law)).collect()
}

#[test]
fn laws_with_exchanged_elasticity_match_the_cpu() {
    on_every_device!(gpu => {
        println!("{}", gpu.name());
        check(&gpu, &exchanged(), false);
    });
}

#[test]
fn anisotropic_laws_match_the_cpu() {
    on_every_device!(gpu => {
        println!("{}", gpu.name());
        for law in anisotropic() {
            check(&gpu, &[law], false);
        }
        // Several anisotropic laws in one kernel, together with isotropic ones.
        let mut some: Vec<_> = anisotropic().into_iter().step_by(4).collect();
        some.extend(isotropic().into_iter().step_by(3));
        some.extend(of_elements().into_iter().step_by(4));
        check(&gpu, &some, false);
    });
}
