//! Compares the factorization with the general sparse factorization of faer, in time and in results:
//! `cargo test --release -p fibra-elastons faer -- --ignored --nocapture`.

use super::tests::{matrix_of_cliques, random_vector, with_threads};
use super::{Arithmetic, Factor, Symbolic};
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::solvers::{Llt, SymbolicLlt};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};
use glam::DVec3;
use std::time::Instant;

/// Samples of a shell, coupled where they are at most two spacings apart, and their positions.
fn shell(edge: usize) -> (Vec<Vec<u32>>, Vec<DVec3>) {
    let at = |i: usize, j: usize| (i * edge + j) as u32;
    let clique = |i: usize, j: usize| {
        let near = |k: usize| k.saturating_sub(1)..(k + 2).min(edge);
        near(i).flat_map(|i| near(j).map(move |j| at(i, j))).collect()
    };
    let positions = (0..edge * edge).map(|k| DVec3::new((k / edge) as f64, (k % edge) as f64, 0.0)).collect();
    ((0..edge * edge).map(|k| clique(k / edge, k % edge)).collect(), positions)
}

/// The shortest of several wall times [s], with the last result.
fn best<T>(mut work: impl FnMut() -> T) -> (f64, T) {
    let mut result = None;
    let mut least = f64::INFINITY;
    for _ in 0..5 {
        let begun = Instant::now();
        result = Some(work());
        least = least.min(begun.elapsed().as_secs_f64());
    }
    (least, result.unwrap())
}

#[test]
#[ignore = "measures time"]
fn is_compared_with_faer() {
    for (edge, block) in [(12, 12), (24, 12), (24, 30)] {
        let (cliques, positions) = shell(edge);
        let matrix = matrix_of_cliques(edge * edge, block, &cliques, 4, 1.0, 7);
        let (pattern, n) = (matrix.pattern().clone(), matrix.unknowns());
        let mut triplets = Vec::new();
        for column in 0..pattern.samples() {
            for (&row, index) in pattern.column(column).iter().zip(pattern.blocks_of(column)) {
                for (entry, &value) in matrix.block(index).iter().enumerate() {
                    let (i, j) = (row as usize * block + entry % block, column * block + entry / block);
                    if i >= j {
                        triplets.push(Triplet::new(i, j, value));
                    }
                }
            }
        }
        let sparse = SparseColMat::try_new_from_triplets(n, n, &triplets).unwrap();
        let rhs = random_vector(n, 3);

        let (faer_symbolic_s, faer_symbolic) = best(|| SymbolicLlt::try_new(sparse.symbolic(), Side::Lower).unwrap());
        let (faer_s, faer) =
            best(|| Llt::try_new_with_symbolic(faer_symbolic.clone(), sparse.as_ref(), Side::Lower).unwrap());
        let mut right = Mat::from_fn(n, 1, |i, _| rhs[i]);
        let (faer_solve_s, ()) = best(|| {
            (0..n).for_each(|i| right[(i, 0)] = rhs[i]);
            faer.solve_in_place(right.as_mut());
        });

        let (symbolic_s, symbolic) = best(|| Symbolic::new(pattern.clone(), block, &positions));
        let mut found = rhs.clone();
        println!("{edge} x {edge} samples, blocks of {block}: {n} unknowns");
        println!("  faer: symbolic {faer_symbolic_s:.4} s, factor {faer_s:.4} s, solve {faer_solve_s:.5} s");
        for threads in [1, 2] {
            for arithmetic in [Arithmetic::Double, Arithmetic::Single] {
                let mut factor = Factor::default();
                let (factor_s, ()) =
                    with_threads(threads, || best(|| factor.factorize(&symbolic, &matrix, arithmetic).unwrap()));
                let (solve_s, ()) = with_threads(threads, || {
                    best(|| {
                        found.copy_from_slice(&rhs);
                        factor.solve_in_place(&symbolic, &mut found);
                    })
                });
                println!(
                    "  ours, {arithmetic:?}, {threads} threads: symbolic {symbolic_s:.4} s, factor {factor_s:.4} s ({:.2} times as fast), solve {solve_s:.5} s",
                    faer_s / factor_s
                );
            }
        }
        let size = (0..n).map(|i| right[(i, 0)].abs()).fold(0.0, f64::max);
        let error = (0..n).map(|i| (found[i] - right[(i, 0)]).abs()).fold(0.0, f64::max);
        assert!(error < 1e-3 * size, "{error} {size}");
    }
}
