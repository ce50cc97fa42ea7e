//! Farthest-point sampling: each new center is the point farthest from all previous centers.

use super::Body;
use fibra_core::geometry::FarthestPoints;
use glam::DVec3;

/// Adds centers to the given centers up to the count of the body. Without given centers, the first point is the first
/// center.
pub(super) fn extend(body: &Body, mut centers: Vec<DVec3>) -> Vec<DVec3> {
    if centers.is_empty() {
        centers.push(body.points[0]);
    }
    if centers.len() >= body.count {
        return centers;
    }
    let mut field = FarthestPoints::new(&body.points, &body.gradings);
    centers.iter().for_each(|&center| field.add(center));
    while centers.len() < body.count {
        let center = body.points[field.farthest().0];
        field.add(center);
        centers.push(center);
    }
    centers
}
