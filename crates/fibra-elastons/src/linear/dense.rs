//! Dense kernels of a front. They split matrices recursively down to tiles of a fixed size, each computed by one thread, so that results
//! are bitwise identical for any number of threads.

use std::ops::AddAssign;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltError, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::traits::RealField;
use faer::{Accum, ColMut, ColRef, MatMut, MatRef, Par};
use rayon::join;

/// Storage type of a factor.
pub type Stored = f32;

/// Types in which the elimination can be computed.
pub trait Working: RealField + Copy + AddAssign + Into<f64> {
    const ZERO: Self;
    const MINUS_ONE: Self;
    /// In a matrix with unit diagonal, pivots below this value are rounding errors.
    const ROUNDING: f64;

    fn round(value: f64) -> Self;
}

impl Working for f32 {
    const ZERO: f32 = 0.0;
    const MINUS_ONE: f32 = -1.0;
    const ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

    fn round(value: f64) -> f32 {
        value as f32
    }
}

impl Working for f64 {
    const ZERO: f64 = 0.0;
    const MINUS_ONE: f64 = -1.0;
    const ROUNDING: f64 = 4.0 * f64::EPSILON;

    fn round(value: f64) -> f64 {
        value
    }
}

/// Rows and columns of a tile: large enough for efficient kernels, small enough for several threads.
const TILE: usize = 384;
/// Number of values of a tile in a matrix-vector product.
const VECTOR_TILE: usize = 1 << 17;
/// Triangular systems up to this size are solved directly.
const SMALL: usize = 64;

/// Split position: near the middle, a multiple of the block size of the matrix multiplication kernels.
fn half(size: usize) -> usize {
    (size / 2).next_multiple_of(48)
}

/// Computes `A = L L^T` in the lower triangle. On error, returns the index of a pivot that is not positive.
pub fn cholesky<W: Working>(mut a: MatMut<'_, W>) -> Result<(), usize> {
    let n = a.nrows();
    if n <= TILE {
        let mut memory = MemBuffer::new(cholesky_in_place_scratch::<W>(n, Par::Seq, Default::default()));
        let done = cholesky_in_place(a, Default::default(), Par::Seq, MemStack::new(&mut memory), Default::default());
        return done.map(|_| ()).map_err(|LltError::NonPositivePivot { index }| index);
    }
    let (mut a00, _, mut a10, mut a11) = a.as_mut().split_at_mut(half(n), half(n));
    cholesky(a00.as_mut())?;
    solve_right(a10.as_mut(), a00.as_ref());
    subtract_square(a11.as_mut(), Accum::Add, a10.as_ref());
    cholesky(a11).map_err(|index| half(n) + index)
}

/// `B = B L^-T`
pub fn solve_right<W: Working>(b: MatMut<'_, W>, l: MatRef<'_, W>) {
    let n = b.nrows();
    if n <= TILE {
        solve_lower_triangular_in_place(l, b.transpose_mut(), Par::Seq);
        return;
    }
    let (top, bottom) = b.split_at_row_mut(half(n));
    join(|| solve_right(top, l), || solve_right(bottom, l));
}

/// `C = C - B B^T`, or `C = -B B^T`, in the lower triangle.
pub fn subtract_square<W: Working>(c: MatMut<'_, W>, accum: Accum, b: MatRef<'_, W>) {
    let n = c.nrows();
    if n <= TILE {
        let whole = BlockStructure::Rectangular;
        triangular::matmul(
            c,
            BlockStructure::TriangularLower,
            accum,
            b,
            whole,
            b.transpose(),
            whole,
            W::MINUS_ONE,
            Par::Seq,
        );
        return;
    }
    let (c00, _, c10, c11) = c.split_at_mut(half(n), half(n));
    let (b0, b1) = b.split_at_row(half(n));
    join(
        || subtract_product(c10, accum, b1, b0),
        || join(|| subtract_square(c00, accum, b0), || subtract_square(c11, accum, b1)),
    );
}

/// `C = C - A B^T`, or `C = -A B^T`.
fn subtract_product<W: Working>(c: MatMut<'_, W>, accum: Accum, a: MatRef<'_, W>, b: MatRef<'_, W>) {
    let (rows, columns) = (c.nrows(), c.ncols());
    if rows.max(columns) <= TILE {
        matmul(c, accum, a, b.transpose(), W::MINUS_ONE, Par::Seq);
    } else if rows >= columns {
        let (c0, c1) = c.split_at_row_mut(half(rows));
        let (a0, a1) = a.split_at_row(half(rows));
        join(|| subtract_product(c0, accum, a0, b), || subtract_product(c1, accum, a1, b));
    } else {
        let (c0, c1) = c.split_at_col_mut(half(columns));
        let (b0, b1) = b.split_at_row(half(columns));
        join(|| subtract_product(c0, accum, a, b0), || subtract_product(c1, accum, a, b1));
    }
}

/// `x = L^-1 x`
pub fn solve_lower(l: MatRef<'_, Stored>, x: ColMut<'_, Stored>) {
    let n = l.nrows();
    if n <= SMALL {
        solve_lower_triangular_in_place(l, x.as_mat_mut(), Par::Seq);
        return;
    }
    let (l00, _, l10, l11) = l.split_at(half(n), half(n));
    let (mut x0, mut x1) = x.split_at_row_mut(half(n));
    solve_lower(l00, x0.as_mut());
    subtract_from_vector(x1.as_mut(), l10, x0.as_ref());
    solve_lower(l11, x1);
}

/// `x = L^-T x`
pub fn solve_lower_transposed(l: MatRef<'_, Stored>, x: ColMut<'_, Stored>) {
    let n = l.nrows();
    if n <= SMALL {
        solve_upper_triangular_in_place(l.transpose(), x.as_mat_mut(), Par::Seq);
        return;
    }
    let (l00, _, l10, l11) = l.split_at(half(n), half(n));
    let (mut x0, mut x1) = x.split_at_row_mut(half(n));
    solve_lower_transposed(l11, x1.as_mut());
    subtract_from_vector(x0.as_mut(), l10.transpose(), x1.as_ref());
    solve_lower_transposed(l00, x0);
}

/// `y = y - A x`
pub fn subtract_from_vector(y: ColMut<'_, Stored>, a: MatRef<'_, Stored>, x: ColRef<'_, Stored>) {
    let n = y.nrows();
    if n * x.nrows() <= VECTOR_TILE || n <= SMALL {
        matmul(y.as_mat_mut(), Accum::Add, a, x.as_mat(), -1.0, Par::Seq);
        return;
    }
    let (y0, y1) = y.split_at_row_mut(half(n));
    let (a0, a1) = a.split_at_row(half(n));
    join(|| subtract_from_vector(y0, a0, x), || subtract_from_vector(y1, a1, x));
}
