//! Islands without contact between them are independent.

use crate::trial::{DT, GRAVITY, RADIUS, Trial};
use fibra_rods::SolverSettings;
use fibra_rods::internals::one_step::rows::{Numbering, Row};
use fibra_rods::internals::one_step::solve::IslandProblem;
use fibra_rods::internals::rod::StepContext;
use glam::DVec3;

/// Crossed rods falling on a plate.
fn add_heap(trial: &mut Trial, place: DVec3, rods: u32) {
    for k in 0..rods {
        let angle = 0.3 + 1.1 * f64::from(k);
        let middle = place + DVec3::new(0.001 * f64::from(k), 0.0012 + 0.0025 * f64::from(k), 0.0);
        trial.add_rod(middle, 0.03 * DVec3::new(angle.cos(), 0.0, angle.sin()), DVec3::ZERO, 0.3);
    }
}

fn on_plate() -> Trial {
    let mut trial = Trial::new(GRAVITY);
    trial.add_plate(0.01, 0.3);
    trial.params.settings.solver.tolerance = 1e-10;
    trial
}

/// Distant heaps do not affect each other: the tolerance holds for each contact, however many there are.
#[test]
fn distant_heaps_move_independently() {
    let places = [DVec3::new(-0.25, 0.0, 0.0), DVec3::new(0.25, 0.0, 0.125)];
    let mut both = on_plate();
    add_heap(&mut both, places[0], 4);
    add_heap(&mut both, places[1], 5);
    both.steps(120);
    let mut separate = Vec::new();
    for (place, rods) in places.into_iter().zip([4, 5]) {
        let mut trial = on_plate();
        add_heap(&mut trial, place, rods);
        trial.steps(120);
        separate.extend(trial.points());
    }
    let difference = both.points().iter().zip(&separate).map(|(x, y)| x.distance(*y)).fold(0.0, f64::max);
    assert!(difference < 1e-6 * RADIUS, "{difference} m");
}

/// Solving two islands as one problem gives the same solution.
#[test]
fn joint_and_separate_island_solutions_agree() {
    let mut trial = on_plate();
    add_heap(&mut trial, DVec3::new(-0.25, 0.0, 0.0), 4);
    add_heap(&mut trial, DVec3::new(0.25, 0.0, 0.125), 5);
    trial.steps(60);
    let prepared = trial.prepare();
    assert!(prepared.islands.len() > 1);
    let settings = SolverSettings { tolerance: 1e-10, ..Default::default() };
    let bodies = &trial.state.bodies;
    let mut apart: Vec<Vec<f64>> = prepared.free.iter().map(|free| free.velocities.clone()).collect();
    for (i, (island, numbering, rows)) in prepared.islands.iter().enumerate() {
        let problem = prepared.problem(i);
        let (v, report) = problem.solve(&settings, &mut vec![DVec3::ZERO; rows.len()]);
        assert_eq!(report.unsolved, 0);
        for &body in &island.bodies {
            let first = numbering.first[body];
            apart[body] = v[first..first + bodies[body].unknowns()].to_vec();
        }
    }
    let mut numbering = Numbering { first: Vec::new(), unknowns: 0 };
    for body in bodies {
        numbering.first.push(numbering.unknowns);
        numbering.unknowns += body.unknowns();
    }
    let context = StepContext { time: trial.state.time, dt: DT, gravity: GRAVITY, origin: DVec3::ZERO };
    let row = |contact| Row::new(contact, bodies, &prepared.free, &numbering, &context);
    let rows: Vec<Row> = prepared.contacts.iter().map(row).collect();
    let all: Vec<usize> = (0..bodies.len()).collect();
    let unit = prepared.problem(0).unit;
    let start = prepared.free.iter().flat_map(|free| free.velocities.clone()).collect();
    let together =
        IslandProblem { rows: &rows, bodies: &all, free: &prepared.free, numbering: &numbering, unit, start };
    let (v, report) = together.solve(&settings, &mut vec![DVec3::ZERO; rows.len()]);
    assert_eq!(report.unsolved, 0);
    let difference = v.iter().zip(apart.concat()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(difference < 1e-9, "{difference} m/s");
}
