//! Indices of the meshes' vertices and elements in the sorted particles. Scratch: rebuilt after every sort.

use crate::mesh::Meshes;
use crate::state::{Particles, bytes_of};
use fibra_core::particle_sort::Run;
use fibra_materials::kind::Group;
use rayon::prelude::*;

/// Mesh adjacency by place. A particle's place is its index in the sorted particles.
#[derive(Debug, Default)]
pub struct Links {
    /// Place of each particle, by id; empty if there are no meshes.
    place: Vec<u32>,
    /// By place. For an element: the places of its vertices. For a vertex: the range of its elements.
    around: Vec<[u32; 3]>,
    /// Elements of each vertex, as `4 place + corner`, in the order of their places; see [`Corner`].
    elements: Vec<u32>,
}

/// Position of a vertex in its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corner {
    /// First vertex of a segment.
    SegmentStart = 0,
    /// First vertex of a triangle.
    TriangleFirst = 1,
    /// Second vertex of a segment or triangle.
    Second = 2,
    /// Third vertex of a triangle.
    Third = 3,
}

impl Corner {
    /// Returns the force on the vertex, as coefficients of the derivatives of the element's energy with respect to its first and second edge.
    /// A table instead of branches, since the branch predictor cannot guess the corner.
    #[inline(always)]
    pub fn shares(self) -> [f32; 2] {
        const SHARES: [[f32; 2]; 4] = [[1.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [0.0, -1.0]];
        SHARES[self as usize]
    }

    /// Returns whether the vertex is the first of its element.
    pub fn is_first(self) -> bool {
        matches!(self, Corner::SegmentStart | Corner::TriangleFirst)
    }
}

impl Links {
    /// Rebuilds all indices.
    pub fn rebuild(&mut self, meshes: &Meshes, p: &Particles, runs: &[Run]) {
        if meshes.corners.is_empty() {
            return;
        }
        let n = p.len();
        self.place.resize(n, 0);
        for (at, &id) in p.id.iter().enumerate() {
            self.place[id as usize] = at as u32;
        }
        let place = &self.place;
        self.around.resize(n, [0; 3]);
        self.around.par_iter_mut().zip(&p.id).zip(&p.kind).with_min_len(4096).for_each(|((around, &id), kind)| {
            *around = match kind.is_element() {
                true => meshes.corners[(id - meshes.first_element) as usize].map(|v| place[v as usize]),
                false => [0; 3],
            };
        });
        self.list_elements(runs);
    }

    /// Lists the elements of each vertex with a counting sort: counts, prefix sum, fill.
    fn list_elements(&mut self, runs: &[Run]) {
        let meshed = |run: &&Run| Group::of_number(run.group).kind.is_element();
        let elements = || runs.iter().filter(meshed).flat_map(|run| run.start..run.end);
        for element in elements() {
            for vertex in distinct(self.around[element as usize]) {
                self.around[vertex as usize][1] += 1;
            }
        }
        let mut next = 0;
        for run in runs.iter().filter(|run| Group::of_number(run.group).kind.is_vertex()) {
            for around in &mut self.around[run.start as usize..run.end as usize] {
                let count = around[1];
                *around = [next, next, 0];
                next += count;
            }
        }
        self.elements.resize(next as usize, 0);
        for element in elements() {
            let corners = self.around[element as usize];
            let first = if corners[1] == corners[2] { Corner::SegmentStart } else { Corner::TriangleFirst };
            for (vertex, corner) in distinct(corners).zip([first, Corner::Second, Corner::Third]) {
                let end = &mut self.around[vertex as usize][1];
                self.elements[*end as usize] = 4 * element + corner as u32;
                *end += 1;
            }
        }
    }

    /// Returns the place of a particle, by id.
    pub fn place_of(&self, id: u32) -> usize {
        self.place[id as usize] as usize
    }

    /// Returns the places of an element's vertices; a segment's third equals its second.
    #[inline(always)]
    pub fn corners(&self, element: usize) -> [usize; 3] {
        self.around[element].map(|place| place as usize)
    }

    /// Iterates over the elements of a vertex: their places, and the vertex's corner in each.
    #[inline(always)]
    pub fn elements_of(&self, vertex: usize) -> impl Iterator<Item = (usize, Corner)> {
        const CORNERS: [Corner; 4] = [Corner::SegmentStart, Corner::TriangleFirst, Corner::Second, Corner::Third];
        let [from, to, _] = self.around[vertex];
        self.elements[from as usize..to as usize].iter().map(|code| ((code / 4) as usize, CORNERS[(code % 4) as usize]))
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.place) + bytes_of(&self.around) + bytes_of(&self.elements)
    }
}

/// Returns the vertices of an element without the duplicate that pads a segment.
fn distinct([a, b, c]: [u32; 3]) -> impl Iterator<Item = u32> {
    [a, b, c].into_iter().take(if b == c { 2 } else { 3 })
}
