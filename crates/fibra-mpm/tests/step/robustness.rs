//! Invalid and extreme scenes: a step returns a valid state or an error that names the particle, and never panics.

use crate::scene::{JELLY, KERNELS, OBJECTS, SAND, TRANSFERS, WATER, add, add_cube, advance, params, places};
use fibra_core::mat3::Mat3;
use fibra_mpm::internals::params::{Kernel, Params, Transfer};
use fibra_mpm::internals::state::State;
use fibra_mpm::internals::step::{StepError, start, step};
use fibra_mpm::internals::workspace::Workspace;
use std::collections::BTreeSet;

const APIC: Transfer = Transfer::Apic { damping: 0.0 };

/// Every kernel with every transfer.
fn all_params(dx: f32) -> impl Iterator<Item = Params> {
    KERNELS.into_iter().flat_map(move |kernel| TRANSFERS.map(|transfer| params(dx, kernel, transfer)))
}

#[test]
fn no_particles() {
    for params in all_params(0.1) {
        let mut state = State::default();
        start(&params, &mut state);
        advance(&params, &mut state, &mut Workspace::default(), 3).unwrap();
        assert_eq!((state.steps, state.particles.len()), (3, 0));
    }
}

/// A single particle and two coincident ones in free fall follow `v = g t` and `x = g t (t + dt) / 2`.
#[test]
fn single_and_coincident_particles_fall_freely() {
    for params in all_params(0.1) {
        let params = Params { gravity: [0.0, -9.81, 0.0], ..params };
        for object in 0..OBJECTS {
            for count in [1, 2] {
                let mut state = State::default();
                let at = [0.123, -0.456, 0.789];
                (0..count).for_each(|_| add(&mut state, object, at, [0.0; 3], 1e-4));
                start(&params, &mut state);
                let steps = 50;
                advance(&params, &mut state, &mut Workspace::default(), steps).unwrap();
                let t = state.time;
                let fall = -0.5 * 9.81 * t * (t + t / steps as f64);
                for i in 0..count {
                    let (x, v) = (state.particles.x[i], state.particles.v[i]);
                    assert!((f64::from(v[1]) + 9.81 * t).abs() < 1e-4 * 9.81 * t, "{object}: {v:?} after {t} s");
                    assert!((f64::from(x[1] - at[1]) - fall).abs() < 1e-5, "{object}: at {x:?} after {t} s");
                    assert!([0, 2].iter().all(|&k| v[k].abs() < 1e-5 && (x[k] - at[k]).abs() < 1e-5));
                }
            }
        }
    }
}

#[test]
fn material_at_rest_without_gravity_stays_unchanged() {
    for params in all_params(0.1) {
        let mut state = State::default();
        (0..OBJECTS).for_each(|o| add_cube(&params, &mut state, o, [3.0 * o as f32, -1.0, 0.0], 2, [0.0; 3]));
        start(&params, &mut state);
        let before = state.particles.clone();
        advance(&params, &mut state, &mut Workspace::default(), 5).unwrap();
        let places = places(&state);
        for (id, &at) in places.iter().enumerate() {
            assert_eq!(state.particles.x[at], before.x[id]);
            assert_eq!(state.particles.v[at], [0.0; 3]);
        }
    }
}

#[test]
fn a_very_fast_particle_shortens_the_step() {
    for speed in [1e3f32, 1e6, 1e9] {
        let params = params(0.1, Kernel::Quadratic, APIC);
        let mut state = State::default();
        add_cube(&params, &mut state, JELLY, [0.0; 3], 2, [0.0; 3]);
        add(&mut state, SAND, [0.3, 5.0, 0.3], [0.0, speed, 0.0], 1e-4);
        start(&params, &mut state);
        let mut work = Workspace::default();
        for _ in 0..20 {
            let dt = step(&params, &mut state, &mut work, 1.0).unwrap();
            let cells = dt * f64::from(speed / params.dx);
            assert!(cells < 0.4001, "{cells} cells in a step");
        }
        let fastest = state.particles.v.iter().map(|v| v[1]).fold(0.0, f32::max);
        assert!((fastest / speed - 1.0).abs() < 1e-3, "{fastest} m/s of {speed}");
    }
}

#[test]
fn speed_that_requires_a_step_below_the_minimum_is_an_error() {
    for speed in [1e13f32, 1e30, f32::MAX] {
        let params = params(0.1, Kernel::Quadratic, APIC);
        let mut state = State::default();
        add(&mut state, JELLY, [0.0; 3], [0.0, speed, 0.0], 1e-4);
        start(&params, &mut state);
        let error = step(&params, &mut state, &mut Workspace::default(), 1.0).unwrap_err();
        assert!(matches!(error, StepError::TooShort(_)), "{speed}: {error}");
        assert_eq!(error.stage(), "time step");
    }
}

/// A body of jelly (particles 0 to 63), another object (64 to 127), and a separate drop (128) far from both.
fn bodies(params: &Params, other: u32) -> State {
    let mut state = State::default();
    add_cube(params, &mut state, JELLY, [0.0; 3], 2, [0.0, -1.0, 0.0]);
    add_cube(params, &mut state, other, [2.0, 0.0, 0.0], 2, [0.0, -1.0, 0.0]);
    add(&mut state, WATER, [3.0, 3.0, 3.0], [0.0; 3], 1e-4);
    state
}

/// A NaN deformation makes the stress of its own particle invalid in the next step, before any neighbor is affected.
#[test]
fn the_error_for_a_nan_deformation_names_the_particle() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for entry in [0, 5] {
            // Water does not depend on its deformation gradient.
            for (victim, other) in (0..OBJECTS).filter(|&o| o != WATER).flat_map(|o| [(37usize, o), (99, o)]) {
                let params = params(0.1, Kernel::Quadratic, APIC);
                let mut state = bodies(&params, other);
                start(&params, &mut state);
                let mut work = Workspace::default();
                advance(&params, &mut state, &mut work, 3).unwrap();
                let at = places(&state)[victim];
                let mut f = state.particles.f[at].to_rows();
                f[entry] = bad;
                state.particles.f[at] = Mat3::from_rows(f);
                let error = advance(&params, &mut state, &mut work, 1).unwrap_err();
                let object = if victim < 64 { JELLY } else { other };
                let expected = StepError::NotFinite { id: victim as u32, object, quantity: "stress" };
                assert_eq!(error, expected, "{bad} in entry {entry}");
                assert_eq!(error.stage(), "g2p");
            }
        }
    }
}

/// The error for a NaN velocity names the particle if it shares no node with a particle of smaller id. Otherwise the error may name a
/// particle that was affected through the grid in the same step.
#[test]
fn the_error_for_a_nan_velocity_names_the_particle() {
    for params in all_params(0.1) {
        for bad in [f32::NAN, f32::INFINITY, -f32::INFINITY] {
            for (victim, object) in [(0u32, JELLY), (128, WATER)] {
                let mut state = bodies(&params, SAND);
                start(&params, &mut state);
                let mut work = Workspace::default();
                advance(&params, &mut state, &mut work, 2).unwrap();
                let at = places(&state)[victim as usize];
                state.particles.v[at][2] = bad;
                let error = advance(&params, &mut state, &mut work, 1).unwrap_err();
                assert_eq!(error, StepError::NotFinite { id: victim, object, quantity: "velocity" }, "{bad}");
            }
            let mut state = bodies(&params, SAND);
            start(&params, &mut state);
            let mut work = Workspace::default();
            advance(&params, &mut state, &mut work, 2).unwrap();
            let at = places(&state)[100];
            let origin = state.particles.x[at];
            state.particles.v[at][0] = bad;
            let StepError::NotFinite { id, quantity, .. } = advance(&params, &mut state, &mut work, 1).unwrap_err()
            else {
                panic!("unexpected error");
            };
            // Two particles share a node if they are closer than the width of the spline.
            let named = state.particles.x[places(&state)[id as usize]];
            let near = (1..3).all(|k| named[k].is_nan() || (named[k] - origin[k]).abs() < 4.0 * params.dx);
            assert!(near && quantity == "velocity" && id < 128, "{id} at {named:?} for {origin:?}");
        }
    }
}

#[test]
fn a_nan_position_is_an_error() {
    for params in all_params(0.1) {
        let mut state = bodies(&params, SAND);
        state.particles.x[128][1] = f32::NAN;
        start(&params, &mut state);
        let error = advance(&params, &mut state, &mut Workspace::default(), 1).unwrap_err();
        assert!(matches!(error, StepError::NotFinite { .. }), "{error}");
    }
}

#[test]
fn a_position_outside_the_grid_range_is_an_error() {
    for far in [1e9f32, -1e9, 1e30, f32::INFINITY, f32::NEG_INFINITY] {
        for axis in 0..3 {
            let params = params(0.1, Kernel::Quadratic, APIC);
            let mut state = bodies(&params, SAND);
            state.particles.x[77][axis] = far;
            let position = state.particles.x[77];
            start(&params, &mut state);
            let error = advance(&params, &mut state, &mut Workspace::default(), 1).unwrap_err();
            assert_eq!(error, StepError::OutOfReach { id: 77, object: SAND, position });
            assert_eq!(error.stage(), "sort");
        }
    }
}

/// A particle moves from inside the range of the grid to outside.
#[test]
fn leaving_the_grid_range_is_an_error() {
    let mut params = params(0.1, Kernel::Quadratic, APIC);
    // At this distance the spacing of `f32` values is a fraction of a cell; only long steps can move the particle.
    params.limits.cfl = 1e6;
    params.limits.max_dt = 1.0;
    params.limits.sound_cfl = 1e9;
    let mut state = State::default();
    add(&mut state, WATER, [4.19e5, 0.0, 0.0], [500.0, 0.0, 0.0], 1e-4);
    start(&params, &mut state);
    let error = advance(&params, &mut state, &mut Workspace::default(), 10).unwrap_err();
    assert!(matches!(error, StepError::OutOfReach { id: 0, object: WATER, .. }), "{error}");
}

/// One particle in each of many blocks, spread over a box of 2e5 cells. The grid allocates nodes for the particles' blocks and their
/// neighbors, not for the box, which would have 8e15 nodes.
#[test]
fn memory_scales_with_the_particles() {
    let params = params(0.1, Kernel::Quadratic, APIC);
    let mut state = State::default();
    let mut occupied = BTreeSet::new();
    let rng = fibra_core::random::CounterRng::new(9);
    for i in 0..3000u64 {
        let cell = [0, 1, 2].map(|k| (2e5 * (rng.uniform(&[i, k]) - 0.5)).floor());
        let x = cell.map(|c| ((c + 0.25) * 0.1) as f32);
        add(&mut state, (i % u64::from(OBJECTS)) as u32, x, [0.0, -1.0, 0.0], 1e-4);
        occupied.insert(cell.map(|c| (c / 4.0).floor() as i64));
    }
    start(&params, &mut state);
    let mut work = Workspace::default();
    advance(&params, &mut state, &mut work, 3).unwrap();
    assert!(occupied.len() > 2990);
    let blocks = work.grid.node_count() / 64;
    assert!(blocks <= 27 * 3000 && blocks > 26 * 3000, "{blocks} blocks");
    assert!(work.grid.nodes.len() == blocks && work.grid.old.is_empty());
    assert!(state.particles.v.iter().all(|v| (v[1] + 1.0).abs() < 1e-3));
}
