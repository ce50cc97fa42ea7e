//! Compares the solvers on many frictional contact problems. All solvers start from zero and must reach an error of
//! 1e-8. Run with `--nocapture` for the table.

mod problems;

use fibra_rods::friction::auto::{AutoParams, solve_auto};
use fibra_rods::friction::continuation::solve_continuation;
use fibra_rods::friction::gauss_seidel::solve_gauss_seidel;
use fibra_rods::friction::interior_point::{MAX_ITERATIONS, solve_interior_point};
use fibra_rods::friction::newton::{NewtonParams, solve_newton};
use fibra_rods::friction::problem::FrictionProblem;
use fibra_rods::friction::report::SolveReport;
use glam::DVec3;

const TOLERANCE: f64 = 1e-8;

type Solver = fn(&FrictionProblem, &mut [DVec3]) -> SolveReport;

const SOLVERS: [(&str, Solver); 5] = [
    ("newton", |problem, r| solve_newton(problem, r, TOLERANCE, &NewtonParams::default())),
    ("gauss-seidel", |problem, r| solve_gauss_seidel(problem, r, TOLERANCE, 1000)),
    ("continuation", |problem, r| solve_continuation(problem, r, TOLERANCE, 1000)),
    ("interior", |problem, r| solve_interior_point(problem, r, TOLERANCE, MAX_ITERATIONS)),
    ("auto", |problem, r| solve_auto(problem, r, TOLERANCE, &AutoParams::default())),
];

/// Solves all problems with all solvers, prints the results, and returns the number of problems that each solved.
///
/// # Panics
/// Panics if a report does not match its impulses.
fn compare(family: &str, problems: &[(String, FrictionProblem)]) -> [usize; SOLVERS.len()] {
    let mut solved = [0; SOLVERS.len()];
    for (name, problem) in problems {
        let n = problem.contacts();
        let mut line = format!("{family:8} {name:18} {n:4}");
        for (count, (solver, solve)) in solved.iter_mut().zip(SOLVERS) {
            let mut r = vec![DVec3::ZERO; n];
            let report = solve(problem, &mut r);
            let mut u = vec![DVec3::ZERO; n];
            problem.velocities(&r, &mut u);
            assert_eq!(report.error, problem.error(&u, &r), "{solver} {name}");
            assert_eq!(report.met, report.error <= TOLERANCE, "{solver} {name}");
            assert_eq!(report.contacts, n);
            *count += usize::from(report.met);
            let mark = if report.met { ' ' } else { '!' };
            line += &format!(
                " |{mark}{solver} {:4} {:7.1e} {:5.0} ms",
                report.iterations,
                report.error,
                1e3 * report.seconds
            );
        }
        println!("{line}");
    }
    println!("{family}: solved {solved:?} of {}", problems.len());
    solved
}

#[test]
fn random_mechanisms_are_solved() {
    let mut set = Vec::new();
    for (n, nu) in [10, 30, 100].into_iter().flat_map(|n| [0.3, 0.7, 1.0, 1.5].map(|nu| (n, nu))) {
        for mu in [0.0, 0.3, 1.0] {
            set.push((format!("nu {nu} mu {mu}"), problems::random(n, nu, mu, n as u64)));
        }
    }
    set.push(("nu 1.5 mu 0.6".to_owned(), problems::random(300, 1.5, 0.6, 1)));
    let [_, _, continuation, _, auto] = compare("random", &set);
    assert_eq!([continuation, auto], [set.len(); 2]);
}

#[test]
fn brick_walls_are_solved() {
    let mut set = Vec::new();
    for (width, height) in [(1, 5), (1, 12), (3, 3), (4, 5)] {
        for (mu, push) in [0.3, 0.7].into_iter().flat_map(|mu| [0.0, 0.1, 1.0].map(|push| (mu, push))) {
            set.push((format!("{width}x{height} mu {mu} {push}"), problems::wall(width, height, mu, push)));
        }
    }
    let [.., auto] = compare("wall", &set);
    assert_eq!(auto, set.len());
}

#[test]
fn packed_balls_are_solved() {
    let mut set = Vec::new();
    for (seed, mu) in (0..3).flat_map(|seed| [0.1, 0.3, 0.5, 0.8].map(|mu| (seed, mu))) {
        set.push((format!("3^3 mu {mu}"), problems::balls(3, mu, seed)));
    }
    set.push(("4^3 mu 0.5".to_owned(), problems::balls(4, 0.5, 2)));
    let [.., auto] = compare("balls", &set);
    assert_eq!(auto, set.len());
}

#[test]
fn a_wedged_body_is_solved() {
    let mut set = Vec::new();
    for (n, mu) in [10, 30, 100].into_iter().flat_map(|n| [0.0, 0.1, 0.8].map(|mu| (n, mu))) {
        set.push((format!("mu {mu}"), problems::wedged(n, mu, n as u64)));
    }
    let [.., auto] = compare("wedged", &set);
    assert_eq!(auto, set.len());
}

/// Path following is worth its cost only if Newton's method fails. On such problems it must succeed on its own.
#[test]
fn path_following_succeeds_where_newton_fails() {
    let set = vec![
        ("wall 1x20 mu 0.7".to_owned(), problems::wall(1, 20, 0.7, 1.0)),
        ("balls 3^3 mu 0.8".to_owned(), problems::balls(3, 0.8, 2)),
    ];
    let [newton, gauss_seidel, continuation, ..] = compare("hard", &set);
    assert_eq!([newton, gauss_seidel, continuation], [0, 0, 2]);
}

#[test]
fn a_solution_as_start_needs_no_iterations() {
    let problem = problems::random(30, 0.7, 0.5, 5);
    let mut r = vec![DVec3::ZERO; 30];
    solve_auto(&problem, &mut r, TOLERANCE, &AutoParams::default());
    let before = r.clone();
    for (solver, solve) in SOLVERS {
        let report = solve(&problem, &mut r);
        assert!(report.met && report.iterations == 0, "{solver}: {report:?}");
        assert_eq!(r, before, "{solver}");
    }
}

#[test]
fn bad_starting_points_are_harmless() {
    let problem = problems::random(10, 0.7, 0.5, 5);
    for start in [DVec3::NAN, DVec3::splat(1e300), DVec3::splat(-1e9)] {
        for (solver, solve) in SOLVERS {
            let mut r = vec![start; 10];
            let report = solve(&problem, &mut r);
            assert!(r.iter().all(|r| r.is_finite()) && report.error.is_finite(), "{solver}: {report:?}");
        }
        let mut r = vec![start; 10];
        assert!(solve_auto(&problem, &mut r, TOLERANCE, &AutoParams::default()).met, "{start}");
    }
}

/// The problem is large enough for parallel factorization and products.
#[test]
fn solutions_do_not_depend_on_the_number_of_threads() {
    let problem = problems::random(600, 1.2, 0.3, 4);
    let solve = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut r = vec![DVec3::ZERO; problem.contacts()];
        let report = pool.install(|| solve_auto(&problem, &mut r, TOLERANCE, &AutoParams::default()));
        assert!(report.met, "{report:?}");
        r
    };
    assert_eq!(solve(1), solve(3));
}

/// Gyroscopic torques make `W` unsymmetric.
#[test]
fn problems_of_spinning_bodies_are_solved() {
    let mut set = Vec::new();
    for (spin, mu) in [0.03, 0.3].into_iter().flat_map(|spin| [0.3, 0.7].map(|mu| (spin, mu))) {
        set.push((format!("spin {spin} mu {mu}"), problems::wall_of_bricks(3, 4, mu, 0.1).spinning(spin)));
    }
    let [.., auto] = compare("spinning", &set);
    assert_eq!(auto, set.len());
}
