//! Solves a frictional contact problem `u = W r + b` given as a matrix: two contacts of unit mass, one sticking and one sliding.

use fibra_rods::friction::auto::{AutoParams, solve_auto};
use fibra_rods::friction::problem::{Block, FrictionProblem, ProblemError};
use glam::{DMat3, DVec3};

fn main() -> Result<(), ProblemError> {
    // Vectors are ordered normal, tangent, tangent. Without impulses, both contacts close at 1 m/s; one slides slowly, the other fast.
    let b = vec![DVec3::new(-1.0, 0.2, 0.0), DVec3::new(-1.0, 2.0, 0.0)];
    let block = |row, column, scale: f64| Block { row, column, matrix: scale * DMat3::IDENTITY };
    let w = [block(0, 0, 1.0), block(0, 1, 0.1), block(1, 0, 0.1), block(1, 1, 1.0)];
    let problem = FrictionProblem::new(vec![0.5, 0.5], b, &w)?;
    let mut impulses = vec![DVec3::ZERO; problem.contacts()];
    let report = solve_auto(&problem, &mut impulses, 1e-10, &AutoParams::default());
    let mut velocities = impulses.clone();
    problem.velocities(&impulses, &mut velocities);
    for (r, u) in impulses.iter().zip(&velocities) {
        println!("impulse {r:.4} N s, velocity {u:.4} m/s");
    }
    println!("solved: {}, error {:.1e} after {} iterations", report.met, report.error, report.iterations);
    Ok(())
}
