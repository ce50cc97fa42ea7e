//! Sparsity pattern of a symmetric block matrix.

use rayon::prelude::*;

/// Sparsity pattern of a symmetric block matrix: the lower triangle with the diagonal, in CSC form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockPattern {
    /// Start of each column's blocks, followed by the end of the last column.
    starts: Vec<usize>,
    /// Row of each block, ascending within a column: the diagonal first.
    rows: Vec<u32>,
}

impl BlockPattern {
    /// Couples all samples of each clique, and each sample with itself. Samples of a clique must be ascending and below `samples`.
    pub fn from_cliques<'a>(samples: usize, cliques: impl IntoIterator<Item = &'a [u32]>) -> BlockPattern {
        let cliques: Vec<&[u32]> = cliques.into_iter().collect();
        // For each sample, the samples after it in each of its cliques.
        let mut ends = vec![0; samples + 1];
        cliques.iter().copied().flatten().for_each(|&sample| ends[sample as usize + 1] += 1);
        (0..samples).for_each(|sample| ends[sample + 1] += ends[sample]);
        let starts = ends.clone();
        let mut after: Vec<&[u32]> = vec![&[]; ends[samples]];
        for clique in cliques {
            for (place, &sample) in clique.iter().enumerate() {
                let end = &mut ends[sample as usize];
                after[*end] = &clique[place + 1..];
                *end += 1;
            }
        }
        let columns: Vec<Vec<u32>> = (0..samples)
            .into_par_iter()
            .map(|column| {
                let mut rows = vec![column as u32];
                for &more in &after[starts[column]..starts[column + 1]] {
                    rows.extend(more);
                }
                rows.sort_unstable();
                rows.dedup();
                rows
            })
            .collect();
        let mut starts = vec![0];
        starts.extend(columns.iter().scan(0, |end, rows| {
            *end += rows.len();
            Some(*end)
        }));
        BlockPattern { starts, rows: columns.concat() }
    }

    /// Number of samples, that is, of block rows and block columns.
    pub fn samples(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored blocks.
    pub fn blocks(&self) -> usize {
        self.rows.len()
    }

    /// Indices of the blocks of a column.
    pub fn blocks_of(&self, column: usize) -> std::ops::Range<usize> {
        self.starts[column]..self.starts[column + 1]
    }

    /// Rows of a column's blocks, ascending: the column itself first.
    pub fn column(&self, column: usize) -> &[u32] {
        &self.rows[self.blocks_of(column)]
    }

    /// Index of the block at this row and column; `None` for uncoupled samples and above the diagonal.
    pub fn find(&self, row: usize, column: usize) -> Option<usize> {
        let place = self.column(column).binary_search(&u32::try_from(row).ok()?).ok()?;
        Some(self.starts[column] + place)
    }

    /// Neighbors of each sample, ascending.
    pub fn neighbors(&self) -> Vec<Vec<u32>> {
        let mut neighbors = vec![Vec::new(); self.samples()];
        for column in 0..self.samples() {
            // Skips the diagonal, which comes first. Lower neighbors were added by earlier columns, in ascending order.
            for &row in &self.column(column)[1..] {
                neighbors[column].push(row);
                neighbors[row as usize].push(column as u32);
            }
        }
        neighbors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cliques_give_blocks_of_the_lower_triangle() {
        let cliques: [&[u32]; 4] = [&[0, 2, 3], &[2, 3], &[1], &[3, 5]];
        let pattern = BlockPattern::from_cliques(6, cliques);
        assert_eq!(pattern.samples(), 6);
        let columns: [&[u32]; 6] = [&[0, 2, 3], &[1], &[2, 3], &[3, 5], &[4], &[5]];
        assert!((0..6).all(|column| pattern.column(column) == columns[column]));
        assert_eq!(pattern.blocks(), 10);
        assert_eq!(pattern.find(3, 2), Some(5));
        assert_eq!(pattern.find(4, 4), Some(8));
        assert_eq!(pattern.find(2, 3), None);
        assert_eq!(pattern.find(5, 2), None);
        assert_eq!(pattern.neighbors(), [vec![2, 3], vec![], vec![0, 3], vec![0, 2, 5], vec![], vec![3]]);
    }

    #[test]
    fn empty_and_single_sample_patterns() {
        assert_eq!(BlockPattern::from_cliques(0, []).blocks(), 0);
        let one = BlockPattern::from_cliques(1, []);
        assert_eq!((one.blocks(), one.find(0, 0)), (1, Some(0)));
    }
}
