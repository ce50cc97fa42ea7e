//! Results are bitwise identical for any number of threads, and after loading a checkpoint.

use crate::scene::*;
use fibra_mpm::internals::state_file;
use fibra_mpm::internals::workspace::Workspace;

#[test]
fn results_do_not_depend_on_the_thread_count() {
    let run = |threads: usize| {
        let (params, mut state) = crowd(f64::INFINITY);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| advance(&params, &mut state, &mut Workspace::default(), 150)).unwrap();
        state
    };
    let alone = run(1);
    assert!(run(2) == alone && run(3) == alone);
}

/// A pin is released during the run.
#[test]
fn a_loaded_state_continues_bit_exactly() {
    let (params, mut state) = crowd(0.05);
    let mut work = Workspace::default();
    for _ in 0..6 {
        advance(&params, &mut state, &mut work, 20).unwrap();
        let file = state_file::save(&state);
        let mut again = state_file::load(&file, &params, state.particles.len()).unwrap();
        assert!(again == state);
        advance(&params, &mut again, &mut Workspace::default(), 20).unwrap();
        advance(&params, &mut state, &mut work, 20).unwrap();
        assert!(again == state);
    }
    assert!(state.time > 0.05, "the pin must be released: {} s", state.time);
}
