//! Frictional contact problems between the fibers of a bundle that is compressed. They are given by `W`, as other programs give
//! them, so the solvers can be compared. The Python script that generated the problems for other solvers used NumPy's random numbers; this
//! one uses the same numbers, so the problems are the same up to rounding.

use super::Timed;
use super::pcg64::{Normal, Pcg64};
use faer::linalg::solvers::{Llt, SolveCore};
use faer::{Conj, Mat, Side};
use fibra_rods::friction::auto::{AutoParams, solve_auto};
use fibra_rods::friction::problem::{Block, FrictionProblem};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;
use std::f64::consts::{PI, TAU};

/// Number of fibers, and of nodes of each.
const FIBERS: usize = 76;
const NODES: usize = 22;
/// Coefficient of friction.
const FRICTION: f64 = 0.3;
/// Stiffness times the squared time step, relative to the mass of a node: stretching, tension, bending, and of the clamps of the first two nodes.
const STRETCHING: f64 = 1e3;
const TENSION: f64 = 1.0;
const BENDING: f64 = 10.0;
const CLAMP: f64 = 1e3;
/// Distance within which two nodes may be in contact.
const REACH: f64 = 2.0;
/// Largest allowed error of a solution, measured by the natural map [-].
const ERROR: f64 = 1e-8;
/// Number of times each problem is solved; the fastest solution counts.
const REPEATS: usize = 3;

/// Solves the nine problems.
pub fn run() -> Result<Vec<Timed>, String> {
    let cases = [500, 1000, 1800].into_iter().flat_map(|contacts| (0..3).map(move |seed| (contacts, seed)));
    cases.map(|(contacts, seed)| timed(contacts, seed)).collect()
}

fn timed(contacts: usize, seed: usize) -> Result<Timed, String> {
    let problem = pile(contacts, seed)?;
    let solve = || {
        let mut r = vec![DVec3::ZERO; contacts];
        solve_auto(&problem, &mut r, ERROR, &AutoParams::default())
    };
    let report = solve();
    let seconds = (1..REPEATS).map(|_| solve().seconds).fold(report.seconds, f64::min);
    let details = vec![
        ("iterations", report.iterations as f64),
        ("error", report.error),
        ("met", f64::from(report.met)),
        ("blocks", problem.stored_blocks() as f64),
    ];
    Ok(Timed { part: format!("{contacts}-{seed}"), items: contacts, steps: 1, seconds, details, ..Timed::default() })
}

/// Returns the pile of a seed: `W = J A^-1 J^T` with the matrix `A` of each fiber, and `b = J A^-1 v`.
pub fn pile(contacts: usize, seed: usize) -> Result<FrictionProblem, String> {
    let mut rng = Pcg64::seed_1000_plus(seed);
    let normal = Normal::default();
    let fibers = fibers(&mut rng, &normal);
    let nodes: Vec<DVec3> = fibers.concat();
    let factors = fibers.iter().map(|fiber| factor(fiber)).collect::<Option<Vec<_>>>();
    let factors = factors.ok_or("the matrix of a fiber is not positive definite")?;
    let free = free_velocities(&mut rng, &normal, &nodes, &factors);
    let pairs = pairs(&mut rng, &nodes, contacts)?;

    let axes: Vec<DMat3> = pairs.iter().map(|&[a, b]| axes((nodes[a] - nodes[b]).normalize())).collect();
    let b = pairs.iter().zip(&axes).map(|(&[a, b], axes)| *axes * (free[a] - free[b])).collect();
    let mut touching = vec![Vec::new(); FIBERS];
    for (contact, pair) in pairs.iter().enumerate() {
        for (node, sign) in pair.iter().zip([1.0, -1.0]) {
            touching[node / NODES].push((contact, node % NODES, sign));
        }
    }
    let mut blocks: BTreeMap<(usize, usize), DMat3> = BTreeMap::new();
    for (factor, touching) in factors.iter().zip(&touching) {
        let mut inverse = Mat::<f64>::identity(3 * NODES, 3 * NODES);
        factor.solve_in_place_with_conj(Conj::No, inverse.as_mut());
        for &(row, i, row_sign) in touching {
            for &(column, j, column_sign) in touching {
                let entry = |k: usize| DVec3::from_array([0, 1, 2].map(|l| inverse[(3 * i + l, 3 * j + k)]));
                let mobility = DMat3::from_cols(entry(0), entry(1), entry(2));
                *blocks.entry((row, column)).or_insert(DMat3::ZERO) +=
                    row_sign * column_sign * axes[row] * mobility * axes[column].transpose();
            }
        }
    }
    let blocks: Vec<Block> = blocks.into_iter().map(|((row, column), matrix)| Block { row, column, matrix }).collect();
    FrictionProblem::new(vec![FRICTION; contacts], b, &blocks).map_err(|error| error.to_string())
}

/// Returns the nodes of wavy fibers whose roots lie on a disk and which converge toward their tips.
fn fibers(rng: &mut Pcg64, normal: &Normal) -> Vec<Vec<DVec3>> {
    let roots: Vec<[f64; 2]> = (0..FIBERS)
        .map(|fiber| {
            let k = fiber as f64 + 0.5;
            let (radius, angle) = (0.9 * k.sqrt() * 0.55, PI * (1.0 + 5f64.sqrt()) * k);
            let x = radius * angle.cos() + 0.08 * normal.sample(rng);
            [x, radius * angle.sin() + 0.08 * normal.sample(rng)]
        })
        .collect();
    let fiber = |root: [f64; 2]| {
        let (amplitude, phase, length) = (rng.uniform(0.2, 0.7), rng.uniform(0.0, TAU), rng.uniform(6.0, 14.0));
        let x: Vec<f64> = (0..NODES).map(|_| 0.05 * normal.sample(rng)).collect();
        let y: Vec<f64> = (0..NODES).map(|_| 0.05 * normal.sample(rng)).collect();
        let node = |s: usize| {
            let squeeze = 1.0 - 0.35 * s as f64 / (NODES - 1) as f64;
            let angle = TAU * s as f64 / length + phase;
            DVec3::new(
                root[0] * squeeze + amplitude * (angle.cos() - phase.cos()) + x[s],
                root[1] * squeeze + amplitude * (angle.sin() - phase.sin()) + y[s],
                -0.95 * s as f64,
            )
        };
        (0..NODES).map(node).collect()
    };
    roots.into_iter().map(fiber).collect()
}

/// Factors the matrix of an implicit step of a fiber, with unit masses.
fn factor(fiber: &[DVec3]) -> Option<Llt<f64>> {
    let mut a = Mat::<f64>::identity(3 * NODES, 3 * NODES);
    let mut add = |i: usize, j: usize, matrix: DMat3| {
        for k in 0..9 {
            a[(3 * i + k % 3, 3 * j + k / 3)] += matrix.col(k / 3)[k % 3];
        }
    };
    (0..2).for_each(|i| add(i, i, CLAMP * DMat3::IDENTITY));
    for i in 0..NODES - 1 {
        let t = (fiber[i + 1] - fiber[i]).normalize();
        let along = DMat3::from_cols(t * t.x, t * t.y, t * t.z);
        let stiffness = STRETCHING * along + TENSION * (DMat3::IDENTITY - along);
        for (p, q, sign) in [(i, i, 1.0), (i + 1, i + 1, 1.0), (i, i + 1, -1.0), (i + 1, i, -1.0)] {
            add(p, q, sign * stiffness);
        }
    }
    for i in 1..NODES - 1 {
        let curvature = [(i - 1, 1.0), (i, -2.0), (i + 1, 1.0)];
        for (p, left) in curvature {
            curvature.into_iter().for_each(|(q, right)| add(p, q, BENDING * left * right * DMat3::IDENTITY));
        }
    }
    Llt::new(a.as_ref(), Side::Lower).ok()
}

/// Returns the velocities of a bundle that is compressed and falls, after a step without contact.
fn free_velocities(rng: &mut Pcg64, normal: &Normal, nodes: &[DVec3], factors: &[Llt<f64>]) -> Vec<DVec3> {
    let mut v: Vec<DVec3> = nodes.iter().map(|_| 0.3 * DVec3::from_array([0; 3].map(|_| normal.sample(rng)))).collect();
    let radius = nodes.iter().map(|x| x.truncate().length() + 1e-9).fold(0.0, f64::max);
    for (i, (v, x)) in v.iter_mut().zip(nodes).enumerate() {
        *v -= DVec3::new(4.0 * x.x / radius, 4.0 * x.y / radius, 0.5);
        if i % NODES < 2 {
            *v = DVec3::ZERO;
        }
    }
    for (v, factor) in v.chunks_exact_mut(NODES).zip(factors) {
        let mut rhs = Mat::from_fn(3 * NODES, 1, |i, _| v[i / 3][i % 3]);
        factor.solve_in_place_with_conj(Conj::No, rhs.as_mut());
        (0..3 * NODES).for_each(|i| v[i / 3][i % 3] = rhs[(i, 0)]);
    }
    v
}

/// Returns a random half of the closest pairs of nodes of different fibers.
fn pairs(rng: &mut Pcg64, nodes: &[DVec3], contacts: usize) -> Result<Vec<[usize; 2]>, String> {
    let movable = |node: usize| node % NODES >= 2;
    let mut near = Vec::new();
    for a in (0..nodes.len()).filter(|&node| movable(node)) {
        for b in (a + 1..nodes.len()).filter(|&node| movable(node) && node / NODES != a / NODES) {
            let distance = nodes[a].distance(nodes[b]);
            if distance <= REACH {
                near.push((distance, [a, b]));
            }
        }
    }
    near.sort_by(|a, b| a.0.total_cmp(&b.0));
    if near.len() < 2 * contacts {
        return Err(format!("the bundle has only {} pairs of close nodes", near.len()));
    }
    let mut chosen = rng.permutation(2 * contacts);
    chosen.truncate(contacts);
    chosen.sort_unstable();
    Ok(chosen.into_iter().map(|at| near[at].1).collect())
}

/// Returns the matrix whose rows are the normal and two tangents.
fn axes(normal: DVec3) -> DMat3 {
    let tangent = normal.cross(if normal.x.abs() < 0.7 { DVec3::X } else { DVec3::Y }).normalize();
    DMat3::from_cols(normal, tangent, normal.cross(tangent)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the Python script.
    #[test]
    fn piles_match_the_script() {
        for (contacts, seed, blocks, trace, speeds) in [
            (500, 0, 14642, 458.232683023061, -176.321684930640),
            (1000, 1, 57812, 902.523943546295, -438.137848120304),
            (1800, 2, 177050, 1587.330608524347, -726.708909286752),
        ] {
            let problem = pile(contacts, seed).unwrap();
            assert_eq!(problem.stored_blocks(), blocks);
            let diagonal = |i: usize| problem.diagonal(i);
            let sum: f64 = (0..contacts).map(|i| (0..3).map(|k| diagonal(i).col(k)[k]).sum::<f64>()).sum();
            assert!((sum - trace).abs() < 1e-9 * trace, "{sum} {trace}");
            let sum: f64 = problem.b().iter().map(|b| b.dot(DVec3::new(1.0, 2.0, 3.0))).sum();
            assert!((sum - speeds).abs() < 1e-8 * speeds.abs(), "{sum} {speeds}");
        }
    }
}
