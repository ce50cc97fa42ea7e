//! Tables of shape functions at fixed evaluation points of the rest shape, and sums over these points.
//!
//! An evaluation point has up to ten rows: the displacement, its three derivatives along the axes of the point, and its
//! six second derivatives. Unknowns of a sample are stored component by component, each component with all shape
//! functions: x of all, y of all, z of all.

use crate::gmls::{Derivatives, MAX_FUNCTIONS, Order, Sample, shape_functions, shape_values};
use fibra_core::simd::dispatch;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Maximum number of rows of an evaluation point: value, first and second derivatives.
pub const MAX_ROWS: usize = 10;

/// Displacement (or velocity) and its derivatives at an evaluation point, one vector per row.
pub type FieldValues = [DVec3; MAX_ROWS];

/// An evaluation point, with the axes of its derivatives.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Rest position [m].
    pub position: DVec3,
    /// The axes: columns of a rotation.
    pub axes: DMat3,
}

/// Lists of indices, one per key, in CSR form.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    first: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    /// Concatenates lists in the order of their keys.
    pub fn new<'a>(lists: impl IntoIterator<Item = &'a [u32]>) -> Lists {
        let mut made = Lists { first: vec![0], entries: Vec::new() };
        for list in lists {
            made.entries.extend_from_slice(list);
            made.first.push(made.entries.len());
        }
        made
    }

    /// Number of keys.
    pub fn len(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list of a key.
    pub fn of(&self, key: usize) -> &[u32] {
        &self.entries[self.range(key)]
    }

    /// Range of a key's list among all entries.
    pub fn range(&self, key: usize) -> std::ops::Range<usize> {
        self.first[key]..self.first[key + 1]
    }

    /// For each index below `count`, its occurrences: keys and positions among all entries.
    pub fn occurrences(&self, count: usize) -> Vec<Vec<[u32; 2]>> {
        let mut occurrences = vec![Vec::new(); count];
        for key in 0..self.len() {
            for at in self.range(key) {
                occurrences[self.entries[at] as usize].push([key as u32, at as u32]);
            }
        }
        occurrences
    }
}

/// Shape functions at many evaluation points.
#[derive(Clone, Debug)]
pub struct Table {
    functions: usize,
    rows: usize,
    supports: Lists,
    /// For each evaluation point and each sample of its support: row after row, all shape functions of the sample.
    values: Vec<f64>,
    /// For each sample, the evaluation points in its support, with the positions of their blocks in the table.
    points_of_samples: Vec<Vec<[u32; 2]>>,
}

impl Table {
    /// Tabulates `rows` rows (1: values, 4: with gradients, 10: with second derivatives) at evaluation points with the given supports.
    pub fn new(order: Order, rows: usize, sites: &[Site], supports: Lists, samples: &[Sample]) -> Table {
        let functions = order.functions();
        let tabulate = |site: usize| {
            let around: Vec<Sample> = supports.of(site).iter().map(|&sample| samples[sample as usize]).collect();
            if rows == 1 {
                let mut values = Vec::new();
                shape_values(order, sites[site].position, &around, &mut values);
                return values;
            }
            let mut shapes: Vec<Derivatives> = Vec::new();
            shape_functions(order, sites[site].position, &around, &mut shapes);
            let mut values = vec![0.0; around.len() * rows * functions];
            for (at, shape) in shapes.iter().enumerate() {
                let Derivatives { value, gradient: g, hessian: h } = shape.along(&sites[site].axes);
                let all = [value, g.x, g.y, g.z, h[0], h[1], h[2], h[3], h[4], h[5]];
                let (sample, function) = (at / functions, at % functions);
                for (row, &entry) in all.iter().enumerate().take(rows) {
                    values[(sample * rows + row) * functions + function] = entry;
                }
            }
            values
        };
        let values: Vec<Vec<f64>> = (0..sites.len()).into_par_iter().map(tabulate).collect();
        let points_of_samples = supports.occurrences(samples.len());
        Table { functions, rows, supports, values: values.concat(), points_of_samples }
    }

    /// Number of evaluation points.
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Whether there are no evaluation points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of shape functions per sample.
    pub fn functions(&self) -> usize {
        self.functions
    }

    /// Number of rows per evaluation point.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Samples that influence an evaluation point.
    pub fn support(&self, site: usize) -> &[u32] {
        self.supports.of(site)
    }

    /// Supports of all evaluation points.
    pub fn supports(&self) -> &Lists {
        &self.supports
    }

    /// Evaluation points that a sample influences, each with its position for [`Table::block`].
    pub fn points_of(&self, sample: usize) -> &[[u32; 2]] {
        &self.points_of_samples[sample]
    }

    /// Shape functions of one sample at one evaluation point, row after row.
    pub fn block(&self, at: usize) -> &[f64] {
        let size = self.rows * self.functions;
        &self.values[at * size..(at + 1) * size]
    }

    /// Shape functions of all samples in the support of an evaluation point, one block after another.
    pub fn blocks(&self, site: usize) -> &[f64] {
        let size = self.rows * self.functions;
        let range = self.supports.range(site);
        &self.values[range.start * size..range.end * size]
    }

    /// Evaluates displacement and derivatives at an evaluation point.
    pub fn read(&self, site: usize, unknowns: &[f64]) -> FieldValues {
        read(self, site, unknowns)
    }

    /// Adds a force at an evaluation point to the forces on all unknowns that influence this point.
    pub fn add_load(&self, site: usize, load: DVec3, forces: &mut [f64]) {
        let n = self.functions;
        for (&sample, block) in self.support(site).iter().zip(self.blocks(site).chunks_exact(self.rows * n)) {
            let forces = &mut forces[sample as usize * 3 * n..][..3 * n];
            for component in 0..3 {
                for (force, shape) in forces[component * n..][..n].iter_mut().zip(block) {
                    *force += load[component] * shape;
                }
            }
        }
    }

    /// Adds the generalized forces at all evaluation points of a sample to the forces on its unknowns.
    pub fn add_forces(&self, sample: usize, generalized_forces: &[FieldValues], forces: &mut [f64]) {
        add_forces(self, sample, generalized_forces, forces);
    }
}

dispatch! {
    fn read[; for V](table: &Table, site: usize, unknowns: &[f64]) -> FieldValues {
        match table.functions {
            4 => read_functions::<4>(table, site, unknowns),
            _ => read_functions::<MAX_FUNCTIONS>(table, site, unknowns),
        }
    }
}

#[inline(always)]
fn read_functions<const N: usize>(table: &Table, site: usize, unknowns: &[f64]) -> FieldValues {
    let (shapes, _) = table.blocks(site).as_chunks::<N>();
    let (unknowns, _) = unknowns.as_chunks::<N>();
    let mut field = [DVec3::ZERO; MAX_ROWS];
    for (row, value) in field.iter_mut().enumerate().take(table.rows) {
        // Independent sums per function avoid a serial dependency.
        let mut sums = [[0.0; N]; 3];
        for (&sample, shapes) in table.support(site).iter().zip(shapes.chunks_exact(table.rows)) {
            let of_sample = &unknowns[sample as usize * 3..][..3];
            for (sums, unknowns) in sums.iter_mut().zip(of_sample) {
                for ((sum, shape), unknown) in sums.iter_mut().zip(&shapes[row]).zip(unknowns) {
                    *sum += shape * unknown;
                }
            }
        }
        *value = DVec3::from_array(sums.map(|sums| sums.iter().sum()));
    }
    field
}

dispatch! {
    fn add_forces[; for V](table: &Table, sample: usize, generalized_forces: &[FieldValues], forces: &mut [f64]) {
        match table.functions {
            4 => add_forces_on::<4>(table, sample, generalized_forces, forces),
            _ => add_forces_on::<MAX_FUNCTIONS>(table, sample, generalized_forces, forces),
        }
    }
}

#[inline(always)]
fn add_forces_on<const N: usize>(table: &Table, sample: usize, generalized_forces: &[FieldValues], forces: &mut [f64]) {
    let mut sums = [[0.0; N]; 3];
    for &[site, at] in table.points_of(sample) {
        let loads = &generalized_forces[site as usize];
        let (rows, _) = table.block(at as usize).as_chunks::<N>();
        for (load, shapes) in loads.iter().zip(rows) {
            for (sums, load) in sums.iter_mut().zip(load.to_array()) {
                sums.iter_mut().zip(shapes).for_each(|(sum, shape)| *sum += load * shape);
            }
        }
    }
    forces.iter_mut().zip(sums.as_flattened()).for_each(|(force, sum)| *force += sum);
}

/// Unknowns of a linear displacement field: `shift + gradient x`.
pub fn linear_field(order: Order, samples: &[Sample], shift: DVec3, gradient: DMat3) -> Vec<f64> {
    let n = order.functions();
    let mut unknowns = vec![0.0; samples.len() * 3 * n];
    for (sample, unknowns) in samples.iter().zip(unknowns.chunks_exact_mut(3 * n)) {
        let value = shift + gradient * sample.position;
        for component in 0..3 {
            unknowns[component * n] = value[component];
            for axis in 0..3 {
                unknowns[component * n + 1 + axis] = sample.scale() * gradient.col(axis)[component];
            }
        }
    }
    unknowns
}

const _: () = assert!(MAX_ROWS == MAX_FUNCTIONS);
