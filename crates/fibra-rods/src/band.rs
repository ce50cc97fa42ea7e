//! Symmetric band matrices and their Cholesky factors. Nodes of a chain couple only with their neighbors, so solving takes time
//! linear in the chain's length. A dense matrix is a band matrix of full width.

use glam::DVec3;

/// A symmetric matrix whose entries `(i, j)` vanish for `|i - j| > width`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymmetricBand {
    n: usize,
    width: usize,
    /// Row by row, from `j = i - width` to the diagonal `j = i`; entries with `j < 0` are zero.
    rows: Vec<f64>,
}

/// The matrix is not positive definite: the pivot of a row is not positive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the matrix is not positive definite at row {row}")]
pub struct NotPositive {
    /// The row.
    pub row: usize,
}

/// The factor `L` of `A = L L^T`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BandFactor(SymmetricBand);

impl SymmetricBand {
    /// Returns a matrix of zeros.
    pub fn zeros(n: usize, width: usize) -> SymmetricBand {
        let width = width.min(n.saturating_sub(1));
        SymmetricBand { n, width, rows: vec![0.0; n * (width + 1)] }
    }

    /// Resets to a matrix of zeros of the given size, reusing its memory.
    pub fn reset(&mut self, n: usize, width: usize) {
        self.n = n;
        self.width = width.min(n.saturating_sub(1));
        self.rows.clear();
        self.rows.resize(n * (self.width + 1), 0.0);
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.n
    }

    /// Whether the matrix has no rows.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Half-bandwidth: the largest distance of a nonzero entry from the diagonal.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the entry `(i, j)`, which is zero outside the band.
    pub fn get(&self, i: usize, j: usize) -> f64 {
        let (i, j) = (i.max(j), i.min(j));
        if i - j > self.width { 0.0 } else { self.rows[self.at(i, j)] }
    }

    /// Adds to the entries `(i, j)` and `(j, i)`, which share their storage.
    ///
    /// # Panics
    /// If the entry is outside the band.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let (i, j) = (i.max(j), i.min(j));
        assert!(i < self.n && i - j <= self.width, "entry ({i}, {j}) outside the band of width {}", self.width);
        let at = self.at(i, j);
        self.rows[at] += value;
    }

    /// Adds `factor` times a matrix of the same size and width.
    ///
    /// # Panics
    /// If the matrices differ in shape.
    pub fn add_scaled(&mut self, factor: f64, other: &SymmetricBand) {
        assert_eq!((self.n, self.width), (other.n, other.width), "matrices differ in shape");
        self.rows.iter_mut().zip(&other.rows).for_each(|(a, b)| *a += factor * b);
    }

    /// `out += factor A x`.
    pub fn multiply_add(&self, factor: f64, x: &[f64], out: &mut [f64]) {
        for i in 0..self.n {
            let (from, row) = self.row(i);
            let mut sum = row[row.len() - 1] * x[i];
            for (j, a) in (from..i).zip(row) {
                sum += a * x[j];
                out[j] += factor * a * x[i];
            }
            out[i] += factor * sum;
        }
    }

    /// Computes the Cholesky factor.
    pub fn factor(mut self) -> Result<BandFactor, NotPositive> {
        self.factor_in_place()?;
        Ok(BandFactor(self))
    }

    fn factor_in_place(&mut self) -> Result<(), NotPositive> {
        let stride = self.width + 1;
        for i in 0..self.n {
            let from = i.saturating_sub(self.width);
            for j in from..=i {
                // Rows i and j share the columns from `shared` on.
                let shared = from.max(j.saturating_sub(self.width));
                let (before, current) = self.rows.split_at_mut(i * stride);
                let mine = shared + self.width - i;
                let others = shared + self.width - j;
                let length = j - shared;
                if j < i {
                    let row_j = &before[j * stride..(j + 1) * stride];
                    let dot = dot(&current[mine..mine + length], &row_j[others..others + length]);
                    let at = j + self.width - i;
                    current[at] = (current[at] - dot) / row_j[self.width];
                } else {
                    let dot = dot(&current[mine..mine + length], &current[mine..mine + length]);
                    let pivot = current[self.width] - dot;
                    if !(pivot > 0.0 && pivot.is_finite()) {
                        return Err(NotPositive { row: i });
                    }
                    current[self.width] = pivot.sqrt();
                }
            }
        }
        Ok(())
    }

    fn at(&self, i: usize, j: usize) -> usize {
        i * (self.width + 1) + self.width + j - i
    }

    /// Returns the first column of a row within the band, and the row's entries from there to the diagonal.
    fn row(&self, i: usize) -> (usize, &[f64]) {
        let from = i.saturating_sub(self.width);
        (from, &self.rows[self.at(i, from)..=self.at(i, i)])
    }
}

impl BandFactor {
    /// Replaces the factor by the factor of another matrix, reusing its memory. After an error the factor is invalid.
    pub fn update(&mut self, matrix: &SymmetricBand) -> Result<(), NotPositive> {
        (self.0.n, self.0.width) = (matrix.n, matrix.width);
        self.0.rows.clone_from(&matrix.rows);
        self.0.factor_in_place()
    }

    /// Replaces the right-hand side `b` by the solution of `A x = b`.
    pub fn solve(&self, b: &mut [f64]) {
        let l = &self.0;
        for i in 0..l.n {
            let (from, row) = l.row(i);
            let dot = dot(&row[..i - from], &b[from..i]);
            b[i] = (b[i] - dot) / row[i - from];
        }
        for i in (0..l.n).rev() {
            let (from, row) = l.row(i);
            let x = b[i] / row[row.len() - 1];
            b[i] = x;
            b[from..i].iter_mut().zip(row).for_each(|(b, l)| *b -= l * x);
        }
    }

    /// Solves for three right-hand sides at once, in place. Their entries before `first` must be zero.
    pub fn solve_three(&self, b: &mut [DVec3], first: usize) {
        let l = &self.0;
        for i in first..l.n {
            let from = i.saturating_sub(l.width).max(first);
            let row = &l.rows[l.at(i, from)..=l.at(i, i)];
            let dot = row.iter().zip(&b[from..i]).fold(DVec3::ZERO, |sum, (l, b)| sum + *l * *b);
            b[i] = (b[i] - dot) / row[i - from];
        }
        for i in (0..l.n).rev() {
            let (from, row) = l.row(i);
            let x = b[i] / row[row.len() - 1];
            b[i] = x;
            b[from..i].iter_mut().zip(row).for_each(|(b, l)| *b -= *l * x);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pseudo-random numbers between -1 and 1.
    fn noise(seed: usize) -> f64 {
        ((seed as f64 * 12.9898).sin() * 43758.5453).fract()
    }

    fn sample(n: usize, width: usize) -> SymmetricBand {
        let mut a = SymmetricBand::zeros(n, width);
        for i in 0..n {
            for j in i.saturating_sub(width)..=i {
                a.add(i, j, if i == j { 2.0 * (width + 1) as f64 } else { noise(31 * i + j) });
            }
        }
        a
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        for (n, width) in [(1, 0), (2, 5), (7, 0), (20, 3), (20, 19), (60, 10)] {
            let a = sample(n, width);
            let x: Vec<f64> = (0..n).map(noise).collect();
            let mut b = vec![0.0; n];
            a.multiply_add(1.0, &x, &mut b);
            a.clone().factor().unwrap().solve(&mut b);
            let mut reused = sample(9, 4).factor().unwrap();
            reused.update(&a).unwrap();
            assert_eq!(Ok(reused), a.clone().factor());
            assert!(x.iter().zip(&b).all(|(x, b)| (x - b).abs() < 1e-12), "{n} {width}");
            assert_eq!(a.get(0, n - 1), a.get(n - 1, 0));
        }
    }

    #[test]
    fn solving_three_right_hand_sides_at_once_matches_separate_solves() {
        let (n, first) = (30, 12);
        let factor = sample(n, 5).factor().unwrap();
        let mut three: Vec<DVec3> = (0..n)
            .map(|i| if i < first { DVec3::ZERO } else { DVec3::from_array([i, i + 100, i + 200].map(noise)) })
            .collect();
        let one: [Vec<f64>; 3] = std::array::from_fn(|axis| {
            let mut b: Vec<f64> = three.iter().map(|b| b[axis]).collect();
            factor.solve(&mut b);
            b
        });
        factor.solve_three(&mut three, first);
        for (i, b) in three.iter().enumerate() {
            assert!((0..3).all(|axis| (b[axis] - one[axis][i]).abs() < 1e-14));
        }
    }

    #[test]
    fn indefinite_matrix_reports_the_row_of_its_pivot() {
        let mut a = sample(5, 2);
        a.add(3, 3, -100.0);
        assert_eq!(a.factor(), Err(NotPositive { row: 3 }));
    }
}
