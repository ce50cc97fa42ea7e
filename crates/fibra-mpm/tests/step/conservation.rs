//! Conservation by the transfers: mass, momentum, angular momentum, constant and affine velocity fields.

use crate::naive::{vector, wide};
use crate::scene::{JELLY, KERNELS, TRANSFERS, add_cube, node_index, params, random_cloud};
use fibra_core::mat3::{Mat3, Sym3};
use fibra_mpm::internals::g2p::g2p;
use fibra_mpm::internals::grid_update::grid_update;
use fibra_mpm::internals::p2g::p2g;
use fibra_mpm::internals::params::{Kernel, Params, Transfer};
use fibra_mpm::internals::sort::sort;
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::workspace::{Block, Grid, Workspace};
use glam::{DMat3, DVec3};

const DT: f32 = 1e-3;

/// Returns every node's position [m], vector and mass.
fn nodes<'a>(
    params: &'a Params,
    grid: &'a Grid,
    blocks: &'a [Block],
) -> impl Iterator<Item = (DVec3, DVec3, f64)> + 'a {
    blocks.iter().enumerate().flat_map(move |(b, nodes)| {
        nodes.iter().enumerate().map(move |(n, node)| {
            let x = DVec3::from_array(node_index(grid, b, n).map(f64::from)) * f64::from(params.dx);
            (x, vector([node[0], node[1], node[2]]), f64::from(node[3]))
        })
    })
}

fn sorted_cloud(params: &Params) -> (State, Workspace) {
    let (mut state, mut work) = (random_cloud(params, 600), Workspace::default());
    sort(params, &mut state, &mut work).unwrap();
    (state, work)
}

fn without_stress(state: &mut State) {
    state.particles.tau.fill(Sym3::default());
}

/// Returns `sum m v`, and `sum |m v|` as the scale of errors.
fn momentum(state: &State) -> (DVec3, f64) {
    let p = &state.particles;
    (0..p.len())
        .map(|i| vector(p.v[i]) * f64::from(p.mass[i]))
        .fold((DVec3::ZERO, 0.0), |(sum, size), q| (sum + q, size + q.length()))
}

/// Returns `sum m x cross v` plus the angular momentum of the affine velocities, `m (dx^2 / b) axial(C)` [Jiang2015].
fn angular_momentum(params: &Params, state: &State, b: f64) -> (DVec3, f64) {
    let p = &state.particles;
    let inertia = f64::from(params.dx).powi(2) / b;
    let mut total = (DVec3::ZERO, 0.0);
    for i in 0..p.len() {
        let c = p.c[i];
        let axial = vector([c.zy - c.yz, c.xz - c.zx, c.yx - c.xy]);
        let l = (vector(p.x[i]).cross(vector(p.v[i])) + inertia * axial) * f64::from(p.mass[i]);
        total = (total.0 + l, total.1 + l.length());
    }
    total
}

#[test]
fn mass_and_momentum_are_transferred_completely() {
    for kernel in KERNELS {
        for transfer in TRANSFERS {
            let params = params(0.1, kernel, transfer);
            let (state, mut work) = sorted_cloud(&params);
            p2g(&params, &state, &mut work.grid, DT);
            let mass: f64 = state.particles.mass.iter().map(|&m| f64::from(m)).sum();
            let (exact, size) = momentum(&state);
            let (on_grid, on_grid_mass) = nodes(&params, &work.grid, &work.grid.nodes)
                .fold((DVec3::ZERO, 0.0), |(q, mass), (_, v, m)| (q + v, mass + m));
            assert!((on_grid_mass / mass - 1.0).abs() < 1e-6, "mass {on_grid_mass}, not {mass}");
            // The impulse of internal forces is part of the transferred momentum; it sums to zero.
            let error = (on_grid - exact).length() / size;
            assert!(error < 2e-6, "{kernel:?} {transfer:?}: momentum error {error:e}");
        }
    }
}

/// Action and reaction: `sum f_i = 0`, and `sum x_i cross f_i = 0` because Kirchhoff stresses are symmetric.
#[test]
fn internal_forces_have_zero_sum_and_zero_torque() {
    for kernel in KERNELS {
        let params = params(0.1, kernel, Transfer::Flip { ratio: 1.0 });
        let (state, mut work) = sorted_cloud(&params);
        p2g(&params, &state, &mut work.grid, DT);
        let (mut sum, mut torque, mut size, mut lever) = (DVec3::ZERO, DVec3::ZERO, 0.0, 0.0);
        for (x, impulse, _) in nodes(&params, &work.grid, &work.grid.old) {
            sum += impulse;
            torque += x.cross(impulse);
            size += impulse.length();
            lever += x.length() * impulse.length();
        }
        assert!(sum.length() < 2e-6 * size, "{kernel:?}: {sum} of {size}");
        assert!(torque.length() < 2e-6 * lever, "{kernel:?}: {torque} of {lever}");
    }
}

#[test]
fn every_transfer_preserves_constant_velocity() {
    let v = [1.5f32, -0.25, 0.75];
    for kernel in KERNELS {
        for transfer in TRANSFERS {
            let params = params(0.1, kernel, transfer);
            let (mut state, mut work) = sorted_cloud(&params);
            without_stress(&mut state);
            state.particles.v.fill(v);
            state.particles.c.fill(Mat3::ZERO);
            let before = state.particles.clone();
            p2g(&params, &state, &mut work.grid, DT);
            grid_update(&params, &[], &mut work.grid, DT);
            g2p(&params, &mut state, &work.grid, DT);
            let p = &state.particles;
            for i in 0..p.len() {
                assert!((vector(p.v[i]) - vector(v)).length() < 2e-6, "{kernel:?} {transfer:?}: {:?}", p.v[i]);
                let moved = vector(p.x[i]) - vector(before.x[i]) - vector(v) * f64::from(DT);
                assert!(moved.length() < 2e-7, "{kernel:?} {transfer:?}: error {moved}");
                // Velocities that differ by 1e-6 across a cell have a gradient of this size.
                let gradient = wide(&p.c[i]).to_cols_array().iter().fold(0.0f64, |m, c| m.max(c.abs()));
                assert!(gradient < 1e-4, "{kernel:?} {transfer:?}: {gradient}");
            }
        }
    }
}

/// `v = A x + b` is unchanged by the transfers to the grid and back if the second moment of the spline is constant, and changes
/// deformations by `I + dt A`.
#[test]
fn the_affine_transfer_preserves_affine_velocity() {
    let a = Mat3::from_rows([1.0, -3.0, 0.5, 2.0, -0.5, 1.5, -1.0, 0.25, 0.75]);
    let b = DVec3::new(0.3, -0.8, 0.5);
    for kernel in [Kernel::Quadratic, Kernel::Cubic] {
        let params = params(0.1, kernel, Transfer::Apic { damping: 0.0 });
        let (mut state, mut work) = sorted_cloud(&params);
        without_stress(&mut state);
        let field = |x: [f32; 3]| wide(&a) * vector(x) + b;
        let p = &mut state.particles;
        p.c.fill(a);
        p.f.fill(Mat3::IDENTITY);
        for i in 0..p.len() {
            p.v[i] = field(p.x[i]).as_vec3().to_array();
        }
        let before = state.particles.clone();
        p2g(&params, &state, &mut work.grid, DT);
        grid_update(&params, &[], &mut work.grid, DT);
        for (x, v, m) in nodes(&params, &work.grid, &work.grid.nodes) {
            let expected = wide(&a) * x + b;
            // Nodes at the boundary have weights down to 1e-7, with large relative rounding errors.
            assert!(m < 1e-6 || (v - expected).length() < 1e-4, "{kernel:?}: {v} at {x}, not {expected}");
        }
        g2p(&params, &mut state, &work.grid, DT);
        let p = &state.particles;
        for i in 0..p.len() {
            let off = (vector(p.v[i]) - field(before.x[i])).length();
            assert!(off < 1e-5, "{kernel:?}: velocity error {off:e}");
            let close =
                |m: DMat3, n: DMat3, tolerance: f64| (m - n).to_cols_array().iter().all(|e| e.abs() < tolerance);
            assert!(close(wide(&p.c[i]), wide(&a), 2e-4), "{kernel:?}: {:?}", p.c[i]);
            let f = DMat3::IDENTITY + wide(&a) * f64::from(DT);
            assert!(p.object[i] != JELLY || close(wide(&p.f[i]), f, 1e-6), "{kernel:?}: {:?}", p.f[i]);
        }
    }
}

/// The affine transfer conserves angular momentum, with stress and with damping. Damping does not change the skew part.
#[test]
fn the_affine_transfer_conserves_angular_momentum() {
    for (kernel, b) in [(Kernel::Quadratic, 4.0), (Kernel::Cubic, 3.0)] {
        for damping in [0.0, 350.0, 1e6] {
            let params = params(0.1, kernel, Transfer::Apic { damping });
            let (mut state, mut work) = sorted_cloud(&params);
            let (l, size) = angular_momentum(&params, &state, b);
            let (q, speed) = momentum(&state);
            p2g(&params, &state, &mut work.grid, DT);
            let on_grid = nodes(&params, &work.grid, &work.grid.nodes).fold(DVec3::ZERO, |l, (x, v, _)| l + x.cross(v));
            assert!((on_grid - l).length() < 2e-6 * size, "{kernel:?}: {on_grid} on the grid, not {l}");
            grid_update(&params, &[], &mut work.grid, DT);
            g2p(&params, &mut state, &work.grid, DT);
            let (after, _) = angular_momentum(&params, &state, b);
            assert!((after - l).length() < 2e-6 * size, "{kernel:?} {damping}: {after}, not {l} ({size})");
            let (after, _) = momentum(&state);
            assert!((after - q).length() < 2e-6 * speed, "{kernel:?} {damping}: {after}, not {q}");
        }
    }
}

/// Returns the logarithm of the factor by which the kinetic energy of a shear wave, 16 cells long, changes within 20 ms. There is no stress.
fn log_decay(damping: f32, dt: f32) -> f64 {
    let params = params(0.1, Kernel::Quadratic, Transfer::Apic { damping });
    let (mut state, mut work) = (State::default(), Workspace::default());
    add_cube(&params, &mut state, JELLY, [0.0; 3], 16, [0.0; 3]);
    let wave = std::f32::consts::TAU / 1.6;
    let p = &mut state.particles;
    for i in 0..p.len() {
        let phase = wave * p.x[i][1];
        p.v[i] = [1e-3 * phase.sin(), 0.0, 0.0];
        p.c[i] = Mat3 { xy: 1e-3 * wave * phase.cos(), ..Mat3::ZERO };
    }
    let energy = |state: &State| {
        let p = &state.particles;
        (0..p.len()).map(|i| f64::from(p.mass[i]) * vector(p.v[i]).length_squared()).sum::<f64>()
    };
    let before = energy(&state);
    sort(&params, &mut state, &mut work).unwrap();
    for _ in 0..(0.02 / dt).round() as u32 {
        without_stress(&mut state);
        p2g(&params, &state, &mut work.grid, dt);
        grid_update(&params, &[], &mut work.grid, dt);
        g2p(&params, &mut state, &work.grid, dt);
    }
    (energy(&state) / before).ln()
}

/// Damping was a fraction per step, so that half the step doubled it.
#[test]
fn damping_per_second_is_independent_of_the_step() {
    let by_damping = |dt: f32| log_decay(50.0, dt) - log_decay(0.0, dt);
    let (coarse, fine) = (by_damping(1e-3), by_damping(5e-4));
    println!("{coarse} {fine}");
    assert!(coarse < -0.01, "{coarse}");
    assert!((coarse / fine - 1.0).abs() < 0.05, "{coarse} and {fine}");
}
