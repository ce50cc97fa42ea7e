//! Bodies at rest stay at rest.

use crate::trial::{GRAVITY, RADIUS, Trial, log_cabin, pile};
use glam::DVec3;

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

/// Where the ends of two parallel rods lie on each other, they touch at both ends of the overlap, which is shorter than a segment. With a single
/// contact, they would tilt.
#[test]
fn parallel_rods_touch_at_both_ends_of_a_short_overlap() {
    let mut trial = Trial::new(GRAVITY);
    let (half, overlap) = (0.05, 0.002);
    trial.add_rod(DVec3::Y * 2.0 * RADIUS, DVec3::X * half, DVec3::ZERO, 0.3);
    for side in [-1.0, 1.0] {
        trial.add_rail(DVec3::X * side * (2.0 * half - overlap), DVec3::X * half, RADIUS, 0.3);
    }
    let mut touching: Vec<f64> = Vec::new();
    for contact in trial.prepare().contacts {
        let (body, at) = (&trial.state.bodies[contact.a.body], contact.a.at);
        let [from, to] = body.ends_of(at.segment).map(|end| body.points()[end]);
        touching.push(from.lerp(to, at.share).x);
    }
    for expected in [-half, overlap - half, half - overlap, half] {
        assert!(touching.iter().any(|x| (x - expected).abs() < 1e-3 * RADIUS), "{expected} is not among {touching:?}");
    }
}
