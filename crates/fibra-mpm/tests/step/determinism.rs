//! Results are bitwise identical for any number of threads, after any interruption, and with other material far away.

use crate::scene::{JELLY, SAND, WATER, add, add_cube, advance, params, places};
use fibra_core::geometry::{Collider, Contact, Keyframes, Motion, RigidPose, Shape, Spin};
use fibra_mpm::internals::params::{Kernel, Params, Transfer};
use fibra_mpm::internals::state::{Particles, State};
use fibra_mpm::internals::step::start;
use fibra_mpm::internals::workspace::Workspace;
use glam::{DQuat, DVec3, Vec3};

const STEPS: usize = 200;

/// Jelly, sand and water fall on a spinning sphere and on a floor that moves up.
fn mixed(transfer: Transfer) -> (Params, State) {
    let mut params = params(0.05, Kernel::Quadratic, transfer);
    params.gravity = [0.0, -9.81, 0.0];
    let body = |name: &str, shape: Shape, at: DVec3, motion: Motion, contact: Contact| Collider {
        name: name.into(),
        shape,
        rest: RigidPose::at(at),
        motion,
        contact,
        friction: 0.4,
    };
    let spin = Motion::Spin(Spin::new(DVec3::new(0.2, 1.0, 0.1), 20.0, None).unwrap());
    let lift = Keyframes::new(vec![0.0, 1.0], vec![DVec3::ZERO, DVec3::Y * 0.5], vec![DQuat::IDENTITY; 2]).unwrap();
    let floor = Shape::plane(Vec3::ZERO, Vec3::Y).unwrap();
    params.colliders = vec![
        body("ball", Shape::sphere(0.16).unwrap(), DVec3::new(0.0, -0.2, 0.0), spin, Contact::Sticky),
        body("floor", floor, DVec3::new(0.0, -0.25, 0.0), Motion::Keyframes(lift), Contact::Separating),
    ];
    let mut state = State::default();
    add_cube(&params, &mut state, JELLY, [-2.0, -0.5, -2.0], 4, [0.0, -3.0, 0.5]);
    add_cube(&params, &mut state, SAND, [-7.0, -2.0, -2.0], 4, [1.0, -3.0, 0.0]);
    add_cube(&params, &mut state, WATER, [3.0, -2.0, -2.0], 4, [-1.0, -3.0, 0.0]);
    start(&params, &mut state);
    (params, state)
}

/// The mixed scene without gravity and colliders: three cubes collide.
fn collision() -> (Params, State) {
    let (mut params, state) = mixed(Transfer::Apic { damping: 0.0 });
    params.gravity = [0.0; 3];
    params.colliders.clear();
    (params, state)
}

fn run(params: &Params, state: &mut State, steps: usize, threads: usize) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| advance(params, state, &mut Workspace::default(), steps)).unwrap();
}

#[test]
fn results_do_not_depend_on_the_thread_count() {
    for transfer in [Transfer::Apic { damping: 100.0 }, Transfer::Sflip { ratio: 0.95, trap_breaking: [0.0, 1.0] }] {
        let (params, start) = mixed(transfer);
        let mut one = start.clone();
        run(&params, &mut one, STEPS, 1);
        for threads in [2, 3] {
            let mut many = start.clone();
            run(&params, &mut many, STEPS, threads);
            assert_eq!(one, many, "{transfer:?} with {threads} threads");
        }
        let fell = one.particles.x.iter().any(|x| x[1] < -0.15);
        assert!(fell && one.steps == STEPS as u64, "nothing moved in the scene");
    }
}

/// The workspace contains nothing that a result depends on; the state contains everything.
#[test]
fn a_fresh_workspace_and_a_cloned_state_continue_bit_exactly() {
    let (params, start) = mixed(Transfer::Flip { ratio: 0.9 });
    let mut unbroken = start.clone();
    run(&params, &mut unbroken, STEPS, 2);

    let mut state = start;
    let mut work = Workspace::default();
    for _ in 0..10 {
        advance(&params, &mut state, &mut work, STEPS / 20).unwrap();
        let mut copy = state.clone();
        advance(&params, &mut copy, &mut Workspace::default(), STEPS / 20).unwrap();
        advance(&params, &mut state, &mut work, STEPS / 20).unwrap();
        assert_eq!(copy, state);
        work = Workspace::default();
    }
    assert_eq!(unbroken, state);
}

/// Dropping the workspace after any step changes no result.
#[test]
fn a_fresh_workspace_in_every_step_changes_nothing() {
    for transfer in [Transfer::Apic { damping: 100.0 }, Transfer::Flip { ratio: 0.9 }] {
        let (params, start) = mixed(transfer);
        let (mut kept, mut fresh, mut work) = (start.clone(), start, Workspace::default());
        for step in 1..=STEPS {
            advance(&params, &mut kept, &mut work, 1).unwrap();
            advance(&params, &mut fresh, &mut Workspace::default(), 1).unwrap();
            assert_eq!(kept, fresh, "{transfer:?}, step {step}");
        }
    }
}

/// Sorting early changes the order of summation for particles that changed block, so results differ by rounding only.
#[test]
fn sorting_early_changes_only_rounding() {
    let (params, mut state) = mixed(Transfer::Apic { damping: 0.0 });
    advance(&params, &mut state, &mut Workspace::default(), 1).unwrap();
    assert!(!state.extremes.drifted);
    let mut again = state.clone();
    again.runs.clear();
    advance(&params, &mut state, &mut Workspace::default(), 1).unwrap();
    advance(&params, &mut again, &mut Workspace::default(), 1).unwrap();
    let (a, b) = (places(&state), places(&again));
    for id in 0..a.len() {
        let (x, y) = (state.particles.x[a[id]], again.particles.x[b[id]]);
        assert!((0..3).all(|k| (x[k] - y[k]).abs() < 1e-6 * params.dx), "particle {id}: {x:?} and {y:?}");
    }
}

fn shuffled(p: &Particles) -> Particles {
    // 257 shares no factor with the count, so the walk visits every particle.
    let n = p.len();
    assert!(!n.is_multiple_of(257));
    let order: Vec<usize> = (0..n).map(|i| i * 257 % n).collect();
    fn pick<T: Copy>(field: &[T], order: &[usize]) -> Vec<T> {
        order.iter().map(|&i| field[i]).collect()
    }
    Particles {
        x: pick(&p.x, &order),
        v: pick(&p.v, &order),
        c: pick(&p.c, &order),
        f: pick(&p.f, &order),
        tau: pick(&p.tau, &order),
        pull: Vec::new(),
        memory: pick(&p.memory, &order),
        alignment: Vec::new(),
        mass: pick(&p.mass, &order),
        volume: pick(&p.volume, &order),
        kind: pick(&p.kind, &order),
        object: pick(&p.object, &order),
        id: pick(&p.id, &order),
    }
}

/// Another particle order changes the order of summation at nodes. Results differ by rounding, which contact and plasticity
/// amplify. After 60 steps positions still agree to a thousandth of a cell.
#[test]
fn the_particle_order_changes_only_rounding() {
    let (params, mut state) = mixed(Transfer::Apic { damping: 0.0 });
    let mut other = State { particles: shuffled(&state.particles), ..state.clone() };
    advance(&params, &mut state, &mut Workspace::default(), 60).unwrap();
    advance(&params, &mut other, &mut Workspace::default(), 60).unwrap();
    let (a, b) = (places(&state), places(&other));
    let mut worst = 0.0f32;
    for id in 0..a.len() {
        let (x, y) = (state.particles.x[a[id]], other.particles.x[b[id]]);
        worst = (0..3).fold(worst, |worst, k| worst.max((x[k] - y[k]).abs()));
        assert_eq!(state.particles.object[a[id]], other.particles.object[b[id]]);
    }
    assert!(worst < 1e-3 * params.dx, "positions differ by {worst} m");
}

/// Particles at rest far away add blocks throughout the block order, and change no bit elsewhere.
#[test]
fn blocks_far_away_change_nothing() {
    let (params, mut alone) = collision();
    let mut crowd = alone.clone();
    let n = alone.particles.len();
    for i in 0..60 {
        let far = |k: i32| (((i * k) % 41 - 20) * 40 + 20 * (i % 2) + 10) as f32 * params.dx;
        let x = [far(7), far(11), 25.0 + far(13)];
        add(&mut crowd, [JELLY, SAND, WATER][i as usize % 3], x, [0.0; 3], 1e-5);
    }
    start(&params, &mut crowd);
    assert_eq!(alone.extremes, crowd.extremes);
    let (mut work, mut crowded_work) = (Workspace::default(), Workspace::default());
    advance(&params, &mut alone, &mut work, 100).unwrap();
    advance(&params, &mut crowd, &mut crowded_work, 100).unwrap();
    assert!(crowded_work.grid.node_count() > work.grid.node_count() + 60 * 64 * 20);
    assert_eq!(alone.extremes, crowd.extremes);
    let (a, b) = (places(&alone), places(&crowd));
    let (p, q) = (&alone.particles, &crowd.particles);
    for id in 0..n {
        let (i, j) = (a[id], b[id]);
        assert_eq!((p.x[i], p.v[i], p.c[i], p.f[i]), (q.x[j], q.v[j], q.c[j], q.f[j]), "particle {id}");
        assert_eq!((p.tau[i], p.memory[i]), (q.tau[j], q.memory[j]), "particle {id}");
    }
    assert!((n..q.len()).all(|id| q.v[b[id]] == [0.0; 3]), "a distant particle moved");
}
