//! Measures of hair: volume, mass, energy, stretch and penetration.

use crate::sim::HairSim;
use fibra_core::Quantities;
use fibra_core::geometry::PlacedCollider;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// Returns the total volume of the cubes of side `cell` [m], centered at multiples of `cell`, that contain a point [m^3].
pub fn occupied_volume(points: impl Iterator<Item = Vec3>, cell: f32) -> f64 {
    let mut cubes: Vec<[i32; 3]> = points.map(|point| (point / cell).round().as_ivec3().to_array()).collect();
    cubes.sort_unstable();
    cubes.dedup();
    cubes.len() as f64 * f64::from(cell).powi(3)
}

/// Returns the volume of the grid cells that contain free vertices [m^3].
pub fn volume(sim: &HairSim, vertices: Range<usize>) -> f64 {
    occupied_volume(free_points(sim, vertices), sim.settings().grid.cell)
}

/// Returns the vertex indices of a range of strands.
pub fn vertices(sim: &HairSim, strands: &Range<usize>) -> Range<usize> {
    let (first, last) = (sim.strands().vertices(strands.start), sim.strands().vertices(strands.end - 1));
    first.start..last.end
}

/// Returns the positions of the free vertices in a range, relative to the run origin [m].
pub fn free_points<'a>(sim: &'a HairSim, vertices: Range<usize>) -> impl Iterator<Item = Vec3> + 'a {
    let pinned = &sim.strands().pinned()[vertices.clone()];
    sim.positions()[vertices].iter().zip(pinned).filter(|(_, pinned)| !**pinned).map(|(point, _)| *point)
}

/// Returns the number of free vertices in a range that are deeper than `depth` [m] inside a collider, and the number of free vertices.
pub fn inside(sim: &HairSim, vertices: Range<usize>, depth: f32) -> (usize, usize) {
    let colliders: Vec<PlacedCollider> = sim.placed_colliders().collect();
    let deep = |x: Vec3| colliders.iter().any(|collider| collider.signed_distance(x) < -depth);
    free_points(sim, vertices).fold((0, 0), |(inside, all), x| (inside + usize::from(deep(x)), all + 1))
}

/// Returns the fraction of the free vertices in a range that are deeper than half a cell inside a collider [-].
pub fn deep_inside(sim: &HairSim, vertices: Range<usize>) -> f64 {
    let (inside, all) = inside(sim, vertices, 0.5 * sim.settings().grid.cell);
    inside as f64 / all.max(1) as f64
}

/// Returns the segment lengths of a range of strands [m].
pub fn segment_lengths<'a>(sim: &'a HairSim, strands: Range<usize>) -> impl Iterator<Item = f32> + 'a {
    let lengths = |points: &'a [Vec3]| points.windows(2).map(|ends| ends[0].distance(ends[1]));
    strands.flat_map(move |strand| lengths(&sim.positions()[sim.strands().vertices(strand)]))
}

/// Returns the largest ratio of edge length to rest length that a range of strands reached in the steps so far, before lengths were limited [-].
pub fn reached_stretch(sim: &HairSim, strands: Range<usize>) -> f64 {
    largest(strands.map(|strand| sim.strands().reached_stretch(&sim.state().strands, strand)))
}

/// Returns the largest distance by which limits on lengths and bends moved a vertex of a range of strands at the end of a step so far [m].
pub fn length_correction(sim: &HairSim, strands: Range<usize>) -> f64 {
    largest(strands.map(|strand| sim.strands().length_correction(&sim.state().strands, strand)))
}

fn largest(values: impl Iterator<Item = f32>) -> f64 {
    values.map(f64::from).fold(0.0, f64::max)
}

/// Sums over vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Mass [kg].
    pub mass: f64,
    /// Center of mass, relative to the run origin [m].
    pub center: DVec3,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Kinetic energy [J].
    pub kinetic_energy: f64,
}

/// Sums over a range of vertices.
pub fn totals(sim: &HairSim, vertices: Range<usize>) -> Totals {
    let velocities = sim.velocities();
    let mut totals = Totals::default();
    for vertex in vertices {
        let (mass, v) = (f64::from(sim.strands().masses()[vertex]), velocities[vertex].as_dvec3());
        totals.mass += mass;
        totals.center += mass * sim.positions()[vertex].as_dvec3();
        totals.momentum += mass * v;
        totals.kinetic_energy += 0.5 * mass * v.length_squared();
    }
    totals.center /= totals.mass;
    totals
}

/// See [`HairSim::quantities`].
pub(crate) fn quantities(sim: &HairSim) -> Quantities {
    let strands = sim.strands();
    let all = 0..strands.vertex_count();
    let totals = totals(sim, all.clone());
    let elastic = (0..strands.len()).map(|strand| strands.elastic_energy(&sim.state().strands, strand));
    let gravity = sim.settings().strands.gravity.as_dvec3();
    Quantities::from([
        ("mass", totals.mass),
        ("momentum_x", totals.momentum.x),
        ("momentum_y", totals.momentum.y),
        ("momentum_z", totals.momentum.z),
        ("kinetic_energy", totals.kinetic_energy),
        ("elastic_energy", elastic.map(f64::from).sum()),
        ("gravitational_energy", -totals.mass * gravity.dot(totals.center)),
        ("max_stretch", reached_stretch(sim, 0..strands.len())),
        ("length_correction", length_correction(sim, 0..strands.len())),
        ("deep_inside", deep_inside(sim, all.clone())),
        ("volume", volume(sim, all)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_points_occupies_its_volume() {
        let points = (0..8000).map(|k| 0.005 * Vec3::new((k % 20) as f32, (k / 20 % 20) as f32, (k / 400) as f32));
        // Cubes of 1 cm centered at multiples of 1 cm, and points at half that spacing: 11 along each axis.
        let volume = occupied_volume(points.map(|point| point - Vec3::splat(0.002)), 0.01);
        assert!((volume / 1e-3 - 1.0).abs() < 0.01, "{volume}");
        assert_eq!(occupied_volume([Vec3::splat(-3.2); 4].into_iter(), 1.0), 1.0);
    }
}
