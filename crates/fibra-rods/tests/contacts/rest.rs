//! Bodies at rest stay at rest.

use crate::trial::{RADIUS, Trial, log_cabin, pile};

/// Returns the largest displacement of any point for each of `steps` steps [m].
fn moves(trial: &mut Trial, steps: usize) -> Vec<f64> {
    let mut before = trial.points();
    let mut moves = Vec::new();
    for _ in 0..steps {
        trial.step();
        let now = trial.points();
        moves.push(now.iter().zip(&before).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max));
        before = now;
    }
    moves
}

#[test]
fn a_stack_of_crossed_rods_neither_drifts_nor_jitters() {
    let mut trial = log_cabin(5);
    // The default tolerance allows motions of 1e-6 radii in a step.
    trial.params.settings.solver.tolerance = 1e-5;
    // Let the stack sag first.
    trial.steps(300);
    let settled = trial.points();
    let moves = moves(&mut trial, 200);
    let worst = moves[150..].iter().copied().fold(0.0, f64::max);
    assert!(worst < 1e-6 * RADIUS, "a point moves by {worst} m in a step");
    let drift = trial.points().iter().zip(&settled).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max);
    assert!(drift < 1e-3 * RADIUS, "a point has moved by {drift} m");
    assert_eq!(trial.state.statistics.unsolved_steps, 0);
}

/// The contact keys are the same in every step.
#[test]
fn contacts_of_a_resting_pile_persist() {
    let mut trial = pile(12, 1000);
    let keys = |trial: &Trial| trial.state.contacts.iter().map(|touch| touch.key).collect::<Vec<_>>();
    let before = keys(&trial);
    assert!(before.len() > 30, "{}", before.len());
    for _ in 0..50 {
        trial.step();
        assert_eq!(keys(&trial), before);
    }
}
