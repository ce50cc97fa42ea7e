//! Anisotropic materials in a step: identity maps have no effect, and results do not depend on the directions of the world's axes.

use crate::scene::{DENSITY, add_cube, params, places};
use fibra_core::mat3::Mat3;
use fibra_mpm::internals::params::{Kernel, Object, Params, Substance, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{start, step};
use fibra_mpm::internals::workspace::Workspace;
use fibra_mpm::materials::anisotropy::{Anisotropy, AxisParameters, Elasticity, Orientation, Orthotropic, StressMap};
use fibra_mpm::materials::{Anisotropic, Lame, Material, Tissue};

const APIC: Transfer = Transfer::Apic { damping: 0.0 };

/// One object of each law that can be anisotropic.
fn materials() -> Vec<Material> {
    let params = params(0.1, Kernel::Quadratic, APIC);
    let tissue = Tissue { lame: Lame::new(1e5, 0.3), critical_shear: 0.02, softening: 1.0 };
    let solids = params.substances.into_iter().map(|substance| substance.material);
    solids.filter(|m| !matches!(m, Material::Fluid(_))).chain([Material::Tissue(tissue)]).collect()
}

fn with(material: Material) -> Params {
    Params {
        objects: vec![Object { name: "cube".to_owned(), material: 0 }],
        substances: vec![Substance { material, density: DENSITY }],
        ..params(0.1, Kernel::Quadratic, APIC)
    }
}

/// A cube that is twisted and compressed. Its velocity is a linear field, on axes rotated by `turn`.
fn cube(params: &Params, turn: &Mat3) -> State {
    let mut state = State::default();
    add_cube(params, &mut state, 0, [-2.0; 3], 4, [0.0; 3]);
    let p = &mut state.particles;
    let field = Mat3::from_rows([-1.0, 2.5, 0.4, -0.8, -0.5, 1.5, 0.9, -1.2, -0.7]);
    for i in 0..p.len() {
        // Rotated about a node, so that a quarter turn maps the grid onto itself.
        p.v[i] = turn.mul_vec(field.mul_vec(p.x[i]));
        p.x[i] = turn.mul_vec(p.x[i]);
        p.c[i] = turn.mul(&field).mul_transpose(turn);
        p.f[i] = *turn;
    }
    start(params, &mut state);
    state
}

fn advance(params: &Params, state: &mut State, steps: usize, dt: f64) {
    let mut work = Workspace::default();
    for n in 1..=steps {
        let until = n as f64 * dt;
        while state.time < until {
            step(params, state, &mut work, until).unwrap();
        }
    }
}

fn hay() -> Anisotropy {
    let moduli = Orthotropic {
        youngs_moduli: [1e5, 5e4, 2e5],
        poisson_ratios: [0.1, 0.1, 0.3],
        reverse_poisson_ratios: None,
        shear_moduli: None,
    };
    Anisotropy { elasticity: Elasticity::Orthotropic(moduli), stress_map: StressMap::Scales([0.8, 0.9, 1.4]) }
}

fn needles() -> Orientation {
    let axis = |youngs_modulus, scale| AxisParameters { youngs_modulus, poisson_ratio: 0.3, scale };
    Orientation {
        elongation: 0.9,
        along: axis(2e5, 1.4),
        across: axis(5e4, 0.8),
        mixed: axis(1e5, 1.0),
        start: [0.1, 0.2, 0.7],
    }
}

/// Returns the largest distance between particles of the same id [m], with the second state rotated.
fn distance(a: &State, b: &State, turn: &Mat3) -> f32 {
    let (at_a, at_b) = (places(a), places(b));
    let apart = |id: usize| {
        let (x, y) = (a.particles.x[at_a[id]], turn.mul_vec(b.particles.x[at_b[id]]));
        (0..3).map(|k| (x[k] - y[k]).powi(2)).sum::<f32>().sqrt()
    };
    (0..at_a.len()).map(apart).fold(0.0, f32::max)
}

/// Size of the cube, the scale of errors [m].
const SIZE: f32 = 0.4;

#[test]
fn identity_maps_give_the_isotropic_run() {
    for law in materials() {
        for elasticity in [Elasticity::Same, Elasticity::Orthotropic(Orthotropic::isotropic(1e5, 0.3))] {
            let same = Anisotropy { elasticity, stress_map: StressMap::Scales([1.0; 3]) };
            let wrapped = Material::Anisotropic(Anisotropic::new(&law, &same).unwrap().into());
            let run = |material: Material| {
                let params = with(material);
                let mut state = cube(&params, &Mat3::IDENTITY);
                advance(&params, &mut state, 200, 2e-4);
                state
            };
            let (plain, mapped) = (run(law.clone()), run(wrapped));
            assert_eq!((plain.steps, mapped.steps), (200, 200));
            let off = distance(&plain, &mapped, &Mat3::IDENTITY) / SIZE;
            assert!(off < 1e-6, "{law:?}: error of {off:e} times its size after 200 steps");
        }
    }
}

/// A quarter turn maps the grid onto itself, so the two runs differ only in the material's axes.
#[test]
fn rotating_scene_and_material_rotates_the_result() {
    let quarter = Mat3::from_rows([0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    for law in materials() {
        let wrapped = Anisotropic::new(&law, &hay()).unwrap();
        let grains = Anisotropic::of_grains(&law, &needles()).unwrap();
        for material in [wrapped, grains] {
            let params = with(Material::Anisotropic(material.into()));
            let run = |turn: &Mat3| {
                let mut state = cube(&params, turn);
                advance(&params, &mut state, 100, 2e-4);
                state
            };
            let off = distance(&run(&quarter), &run(&Mat3::IDENTITY), &quarter) / SIZE;
            assert!(off < 1e-3, "{law:?}: error of {off:e} times its size");
        }
    }
}

/// The axes of a rigidly rotating cube rotate with it, and nothing else changes.
#[test]
fn axes_rotate_with_the_material() {
    let law = Material::Anisotropic(Anisotropic::new(&materials()[0], &hay()).unwrap().into());
    let params = with(law);
    let mut state = cube(&params, &Mat3::IDENTITY);
    let p = &mut state.particles;
    let spin = Mat3::from_rows([0.0, -2.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    for i in 0..p.len() {
        p.v[i] = spin.mul_vec(p.x[i]);
        p.c[i] = spin;
    }
    start(&params, &mut state);
    advance(&params, &mut state, 500, 4e-4);
    // 2 rad/s for 0.2 s.
    let (sin, cos) = 0.4f32.sin_cos();
    let p = &state.particles;
    let mean = |of: fn(&Mat3) -> f32| p.f.iter().map(of).sum::<f32>() / p.len() as f32;
    assert!((mean(|f| f.xx) - cos).abs() < 5e-3 && (mean(|f| f.yx) - sin).abs() < 5e-3);
}
