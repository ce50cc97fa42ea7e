//! Shape functions tabulated at fixed places of the rest state, and sums over them.
//!
//! A place has up to ten rows: the displacement, its three derivatives along the axes of the place and its six second
//! derivatives. Unknowns of a sample lie component after component, each with all shape functions: x of all, y of all, z of all.

use crate::gmls::{Derivatives, MOST_FUNCTIONS, Order, Sample, shape_functions, shape_values};
use fibra_core::simd::dispatch;
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// What a place reads of a displacement, at most: value, first and second derivatives.
pub const MOST_ROWS: usize = 10;

/// Displacement and derivatives at a place, one vector per row.
pub type Readings = [DVec3; MOST_ROWS];

/// A place in the rest state and the axes that derivatives are taken along.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Where it is [m].
    pub place: DVec3,
    /// Columns of a rotation.
    pub axes: DMat3,
}

/// Lists of numbers, one list per key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    first: Vec<usize>,
    entries: Vec<u32>,
}

impl Lists {
    /// Takes up lists in the order of their keys.
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

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The list of a key.
    pub fn of(&self, key: usize) -> &[u32] {
        &self.entries[self.range(key)]
    }

    /// Where the list of a key lies among all entries.
    pub fn range(&self, key: usize) -> std::ops::Range<usize> {
        self.first[key]..self.first[key + 1]
    }

    /// For each number below `count`, in order, where it occurs: keys and places among all entries.
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

/// Shape functions at many places.
#[derive(Clone, Debug)]
pub struct Table {
    functions: usize,
    rows: usize,
    supports: Lists,
    /// For each place and each sample of its support: row after row, all functions of the sample.
    values: Vec<f64>,
    /// For each sample, the places it has influence at, and where.
    places: Vec<Vec<[u32; 2]>>,
}

impl Table {
    /// Tabulates `rows` rows (1: values, 4: with gradients, 10: with second derivatives) at places with the given supports.
    pub fn new(order: Order, rows: usize, sites: &[Site], supports: Lists, samples: &[Sample]) -> Table {
        let functions = order.functions();
        let tabulate = |site: usize| {
            let around: Vec<Sample> = supports.of(site).iter().map(|&sample| samples[sample as usize]).collect();
            if rows == 1 {
                let mut values = Vec::new();
                shape_values(order, sites[site].place, &around, &mut values);
                return values;
            }
            let mut shapes: Vec<Derivatives> = Vec::new();
            shape_functions(order, sites[site].place, &around, &mut shapes);
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
        let places = supports.occurrences(samples.len());
        Table { functions, rows, supports, values: values.concat(), places }
    }

    /// Number of places.
    pub fn len(&self) -> usize {
        self.supports.len()
    }

    /// Whether there are no places.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Shape functions per sample.
    pub fn functions(&self) -> usize {
        self.functions
    }

    /// Rows per place.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The samples with influence at a place.
    pub fn support(&self, site: usize) -> &[u32] {
        self.supports.of(site)
    }

    /// The supports of all places.
    pub fn supports(&self) -> &Lists {
        &self.supports
    }

    /// The places at which a sample has influence, each with its position for [`Table::block`].
    pub fn places_of(&self, sample: usize) -> &[[u32; 2]] {
        &self.places[sample]
    }

    /// Shape functions of one sample at one place, row after row.
    pub fn block(&self, at: usize) -> &[f64] {
        let size = self.rows * self.functions;
        &self.values[at * size..(at + 1) * size]
    }

    /// Shape functions of all samples of a place's support, one block after another.
    pub fn blocks(&self, site: usize) -> &[f64] {
        let size = self.rows * self.functions;
        let range = self.supports.range(site);
        &self.values[range.start * size..range.end * size]
    }

    /// Displacement and derivatives at a place.
    pub fn read(&self, site: usize, unknowns: &[f64]) -> Readings {
        read(self, site, unknowns)
    }

    /// Adds to the forces on all unknowns what acts on the displacement at a place.
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

    /// Adds to the forces on a sample's unknowns what acts on the readings of all its places.
    pub fn add_forces(&self, sample: usize, on_readings: &[Readings], forces: &mut [f64]) {
        add_forces(self, sample, on_readings, forces);
    }
}

dispatch! {
    fn read[; for V](table: &Table, site: usize, unknowns: &[f64]) -> Readings {
        match table.functions {
            4 => read_functions::<4>(table, site, unknowns),
            _ => read_functions::<MOST_FUNCTIONS>(table, site, unknowns),
        }
    }
}

#[inline(always)]
fn read_functions<const N: usize>(table: &Table, site: usize, unknowns: &[f64]) -> Readings {
    let (shapes, _) = table.blocks(site).as_chunks::<N>();
    let (unknowns, _) = unknowns.as_chunks::<N>();
    let mut readings = [DVec3::ZERO; MOST_ROWS];
    for (row, reading) in readings.iter_mut().enumerate().take(table.rows) {
        // A sum per function, so that the machine need not wait for one.
        let mut sums = [[0.0; N]; 3];
        for (&sample, shapes) in table.support(site).iter().zip(shapes.chunks_exact(table.rows)) {
            let of_sample = &unknowns[sample as usize * 3..][..3];
            for (sums, unknowns) in sums.iter_mut().zip(of_sample) {
                for ((sum, shape), unknown) in sums.iter_mut().zip(&shapes[row]).zip(unknowns) {
                    *sum += shape * unknown;
                }
            }
        }
        *reading = DVec3::from_array(sums.map(|sums| sums.iter().sum()));
    }
    readings
}

dispatch! {
    fn add_forces[; for V](table: &Table, sample: usize, on_readings: &[Readings], forces: &mut [f64]) {
        match table.functions {
            4 => add_forces_on::<4>(table, sample, on_readings, forces),
            _ => add_forces_on::<MOST_FUNCTIONS>(table, sample, on_readings, forces),
        }
    }
}

#[inline(always)]
fn add_forces_on<const N: usize>(table: &Table, sample: usize, on_readings: &[Readings], forces: &mut [f64]) {
    let mut sums = [[0.0; N]; 3];
    for &[site, at] in table.places_of(sample) {
        let loads = &on_readings[site as usize];
        let (rows, _) = table.block(at as usize).as_chunks::<N>();
        for (load, shapes) in loads.iter().zip(rows) {
            for (sums, load) in sums.iter_mut().zip(load.to_array()) {
                sums.iter_mut().zip(shapes).for_each(|(sum, shape)| *sum += load * shape);
            }
        }
    }
    forces.iter_mut().zip(sums.as_flattened()).for_each(|(force, sum)| *force += sum);
}

/// The unknowns of a displacement that is linear in space: `shift + gradient x`.
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

const _: () = assert!(MOST_ROWS == MOST_FUNCTIONS);
