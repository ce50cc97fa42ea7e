//! Preconditioned conjugate gradients [Saad2003, Alg. 9.1].

use rayon::prelude::*;

/// Chunk length of vector operations. Sums depend on the chunk length, so it is the same for any number of threads.
const CHUNK: usize = 4096;

/// Stopping criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Tolerance of the residual relative to the right-hand side, in the norm of the preconditioner [-].
    pub tolerance: f64,
    /// Maximum number of iterations.
    pub max_iterations: usize,
}

/// Result of a solve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Number of iterations done, each with one product and one application of the preconditioner.
    pub iterations: usize,
    /// Residual relative to the right-hand side, in the norm of the preconditioner [-].
    pub residual: f64,
    /// Whether the residual is within the tolerance.
    pub converged: bool,
}

/// Vectors that are reused between calls.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    residual: Vec<f64>,
    preconditioned: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<f64>,
    partial_sums: Vec<f64>,
}

/// Solves `A x = rhs`, starting from the value of `x`. `operator` writes `A` times its first argument to its second
/// argument. `preconditioner` writes an approximate inverse of `A` times its first argument. Both must be symmetric and
/// positive definite, the preconditioner up to rounding. Norms are those of the preconditioner `M^-1`:
/// `sqrt(r . M^-1 r)`. A nonzero initial value costs one more application of the preconditioner.
///
/// Also stops early, with the current `x`, if the operator turns out not to be positive definite.
pub fn conjugate_gradients(
    operator: impl Fn(&[f64], &mut [f64]),
    preconditioner: impl Fn(&[f64], &mut [f64]),
    rhs: &[f64],
    x: &mut [f64],
    stop: Stop,
    workspace: &mut Workspace,
) -> Outcome {
    let Workspace { residual: r, preconditioned: z, direction: p, product, partial_sums } = workspace;
    let sums = partial_sums;
    for vector in [&mut *r, z, p, product] {
        vector.resize(rhs.len(), 0.0);
    }
    let starts_at_zero = x.iter().all(|&x| x == 0.0);
    let mut reference = 0.0;
    r.copy_from_slice(rhs);
    if !starts_at_zero {
        preconditioner(rhs, z);
        reference = dot(rhs, z, sums);
        operator(x, product);
        add(r, -1.0, product);
    }
    preconditioner(r, z);
    let mut length = dot(r, z, sums);
    if starts_at_zero {
        reference = length;
    }
    // If the right-hand side is zero, only an exact solution counts as converged.
    let relative = |length: f64| if length == 0.0 { 0.0 } else { (length.abs() / reference).sqrt() };
    p.copy_from_slice(z);
    let mut iterations = 0;
    while relative(length) > stop.tolerance && iterations < stop.max_iterations {
        operator(p, product);
        let curvature = dot(p, product, sums);
        let step = length / curvature;
        if !(curvature > 0.0 && step.is_finite()) {
            break;
        }
        iterations += 1;
        add(x, step, p);
        add(r, -step, product);
        preconditioner(r, z);
        // Computes `z . (r - r_before) / (r_before . z_before)`. For an exact preconditioner `z . r_before = 0`. With
        // rounding, this form keeps directions conjugate [Notay2000].
        let keep = -step * dot(z, product, sums) / length;
        length = dot(r, z, sums);
        p.par_chunks_mut(CHUNK).zip(z.par_chunks(CHUNK)).for_each(|(p, z)| {
            p.iter_mut().zip(z).for_each(|(p, z)| *p = z + keep * *p);
        });
    }
    let residual = relative(length);
    Outcome { iterations, residual, converged: residual <= stop.tolerance }
}

/// Dot product: sums of chunks, added in order.
fn dot(a: &[f64], b: &[f64], sums: &mut Vec<f64>) -> f64 {
    sums.resize(a.len().div_ceil(CHUNK), 0.0);
    sums.par_iter_mut().zip(a.par_chunks(CHUNK)).zip(b.par_chunks(CHUNK)).for_each(|((sum, a), b)| {
        let (a, a_rest) = a.as_chunks::<4>();
        let (b, b_rest) = b.as_chunks::<4>();
        let mut four = [0.0; 4];
        for (a, b) in a.iter().zip(b) {
            (0..4).for_each(|i| four[i] += a[i] * b[i]);
        }
        let rest: f64 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
        *sum = (four[0] + four[1]) + (four[2] + four[3]) + rest;
    });
    sums.iter().sum()
}

/// `a += factor b`
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    a.par_chunks_mut(CHUNK).zip(b.par_chunks(CHUNK)).for_each(|(a, b)| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += factor * b);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::tests::{random_matrix, random_vector, with_threads};

    const STOP: Stop = Stop { tolerance: 1e-12, max_iterations: 500 };

    fn copy(from: &[f64], to: &mut [f64]) {
        to.copy_from_slice(from);
    }

    #[test]
    fn solution_is_bitwise_identical_for_any_number_of_threads() {
        let matrix = random_matrix(500, 12, 7);
        let wanted = random_vector(matrix.unknowns(), 2);
        let mut rhs = vec![0.0; wanted.len()];
        matrix.multiply(&wanted, &mut rhs);
        for start in [0.0, 1.0] {
            let solve = |threads| {
                let mut x = vec![start; rhs.len()];
                let mut workspace = Workspace::default();
                let outcome = with_threads(threads, || {
                    conjugate_gradients(|x, y| matrix.multiply(x, y), copy, &rhs, &mut x, STOP, &mut workspace)
                });
                (x, outcome)
            };
            let (x, outcome) = solve(1);
            assert!(outcome.converged && outcome.residual <= 1e-12 && outcome.iterations < 500, "{outcome:?}");
            assert!(x.iter().zip(&wanted).all(|(x, wanted)| (x - wanted).abs() < 1e-9));
            assert_eq!((x.clone(), outcome), solve(2));
            assert_eq!((x, outcome), solve(3));
        }
    }

    #[test]
    fn a_diagonal_of_two_values_takes_two_iterations() {
        let scale = |x: &[f64], y: &mut [f64]| (0..6).for_each(|i| y[i] = x[i] * if i < 2 { 1.0 } else { 5.0 });
        let mut x = [0.0; 6];
        let outcome = conjugate_gradients(scale, copy, &[5.0; 6], &mut x, STOP, &mut Workspace::default());
        assert_eq!((outcome.iterations, outcome.converged), (2, true));
        approx::assert_relative_eq!(x[..], [5.0, 5.0, 1.0, 1.0, 1.0, 1.0][..], max_relative = 1e-13);
    }

    #[test]
    fn zero_right_hand_side_and_invalid_operators() {
        let workspace = &mut Workspace::default();
        let mut x = [0.0; 3];
        let outcome = conjugate_gradients(copy, copy, &[0.0; 3], &mut x, STOP, workspace);
        assert_eq!(outcome, Outcome { iterations: 0, residual: 0.0, converged: true });
        let negative = |x: &[f64], y: &mut [f64]| (0..3).for_each(|i| y[i] = -x[i]);
        let outcome = conjugate_gradients(negative, copy, &[1.0; 3], &mut x, STOP, workspace);
        assert_eq!(outcome, Outcome { iterations: 0, residual: 1.0, converged: false });
        let outcome = conjugate_gradients(copy, copy, &[f64::NAN, 1.0, 1.0], &mut x, STOP, workspace);
        assert!(!outcome.converged);
    }
}
