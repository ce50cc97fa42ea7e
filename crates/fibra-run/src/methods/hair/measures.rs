//! What there is of hair, in numbers: the room it takes up, masses and energies, stretch, and whether it is in the head.

use fibra_core::geometry::PlacedCollider;
use fibra_hair::sim::HairSim;
use glam::{DVec3, Vec3};
use std::ops::Range;

/// The room that hair takes up [m^3]: of all cubes of side `cell` [m] about the multiples of it, those that have a point in them.
pub fn occupied_volume(points: impl Iterator<Item = Vec3>, cell: f32) -> f64 {
    let mut cubes: Vec<[i32; 3]> = points.map(|point| (point / cell).round().as_ivec3().to_array()).collect();
    cubes.sort_unstable();
    cubes.dedup();
    cubes.len() as f64 * f64::from(cell).powi(3)
}

/// Which vertices belong to some strands.
pub fn vertices(sim: &HairSim, strands: &Range<usize>) -> Range<usize> {
    let (first, last) = (sim.strands().vertices(strands.start), sim.strands().vertices(strands.end - 1));
    first.start..last.end
}

/// Where the free vertices among some are, relative to the run origin [m].
pub fn free_points<'a>(sim: &'a HairSim, vertices: Range<usize>) -> impl Iterator<Item = Vec3> + 'a {
    let held = &sim.strands().held()[vertices.clone()];
    sim.positions()[vertices].iter().zip(held).filter(|(_, held)| !**held).map(|(point, _)| *point)
}

/// Number of free vertices among some that are deeper than `depth` [m] in a body, and number of all of them.
pub fn inside(sim: &HairSim, vertices: Range<usize>, depth: f32) -> (usize, usize) {
    let bodies: Vec<PlacedCollider> = sim.placed_bodies().collect();
    let deep = |x: Vec3| bodies.iter().any(|body| body.signed_distance(x) < -depth);
    free_points(sim, vertices).fold((0, 0), |(inside, all), x| (inside + usize::from(deep(x)), all + 1))
}

/// Lengths of the segments of some strands [m].
pub fn segment_lengths<'a>(sim: &'a HairSim, strands: Range<usize>) -> impl Iterator<Item = f32> + 'a {
    strands.flat_map(|strand| {
        sim.positions()[sim.strands().vertices(strand)].windows(2).map(|ends| ends[0].distance(ends[1]))
    })
}

/// Sums over vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass, relative to the run origin [m].
    pub centre: DVec3,
    /// Momentum [kg m/s].
    pub momentum: DVec3,
    /// Kinetic energy [J].
    pub kinetic_energy: f64,
}

/// Velocities of all vertices [m/s].
pub fn velocities(sim: &HairSim) -> Vec<Vec3> {
    let mut velocities = vec![Vec3::ZERO; sim.positions().len()];
    sim.read_velocities(&mut velocities);
    velocities
}

/// Sums over some vertices.
pub fn totals(sim: &HairSim, vertices: Range<usize>) -> Totals {
    let velocities = velocities(sim);
    let mut totals = Totals::default();
    for vertex in vertices {
        let (mass, v) = (f64::from(sim.strands().masses()[vertex]), velocities[vertex].as_dvec3());
        totals.mass += mass;
        totals.centre += mass * sim.positions()[vertex].as_dvec3();
        totals.momentum += mass * v;
        totals.kinetic_energy += 0.5 * mass * v.length_squared();
    }
    totals.centre /= totals.mass;
    totals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_points_takes_up_its_volume() {
        let points = (0..8000).map(|k| 0.005 * Vec3::new((k % 20) as f32, (k / 20 % 20) as f32, (k / 400) as f32));
        // Cubes of 1 cm about multiples of 1 cm, and points every half of it: 11 along each axis.
        let volume = occupied_volume(points.map(|point| point - Vec3::splat(0.002)), 0.01);
        assert!((volume / 1e-3 - 1.0).abs() < 0.01, "{volume}");
        assert_eq!(occupied_volume([Vec3::splat(-3.2); 4].into_iter(), 1.0), 1.0);
    }
}
