//! A rope with an overhand knot, pulled with ten times the force that tightens the knot. The rope must not pass through
//! itself.

use super::Check;
use super::knot_determinant::knot_determinant;
use super::rods_scene::RodsScene;
use fibra_rods::internals::body::Body;
use fibra_rods::internals::contact::segments::{closest_shares, point_on};
use glam::DVec3;
use std::f64::consts::FRAC_PI_2;

/// Smallest allowed self-distance, relative to the diameter [-].
const LEAST: f64 = 0.95;
/// Largest self-distance at which two parts of the rope count as touching, relative to the diameter [-].
const TOUCHING: f64 = 1.02;
/// Projection directions for the knot determinant, chosen so that no vertices or crossings coincide.
const DIRECTIONS: [DVec3; 2] = [DVec3::new(0.11, 0.23, 1.0), DVec3::new(0.37, 1.0, -0.29)];

/// Measures the smallest self-distance of the rope and the determinant of its knot, which must stay 3, after every
/// step.
pub fn run() -> Result<Vec<Check>, String> {
    let mut scene = RodsScene::load("tight-knot", Some("hard"), &[])?;
    let mut least = f64::INFINITY;
    let (mut smallest, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    scene.run(|simulation| {
        let rope = &simulation.sim().state().bodies[0];
        least = least.min(least_distance(rope));
        for direction in DIRECTIONS {
            let determinant = knot_determinant(&closed(rope.points()), direction);
            (smallest, largest) = (smallest.min(determinant), largest.max(determinant));
        }
        false
    })?;
    let kept = |name: &str, measured: f64| Check {
        name: name.to_owned(),
        measured,
        expected: 3.0,
        error: (measured - 3.0).abs(),
        tolerance: 0.0,
    };
    Ok(vec![
        Check::above("contact-knot-distance", least, LEAST),
        Check::at_most("contact-knot-touches", least, TOUCHING),
        kept("contact-knot-type-least", smallest),
        kept("contact-knot-type-most", largest),
    ])
}

/// Smallest distance between two points of a rope that are not neighbors, relative to the diameter [-]. Points are
/// neighbors if their distance along the rope is less than half a turn of the tightest bend, pi/2 diameters.
fn least_distance(rope: &Body) -> f64 {
    let diameter = 2.0 * rope.radius();
    let ends = |segment: usize| rope.ends_of(segment).map(|end| rope.points()[end]);
    let lengths: Vec<f64> = (0..rope.segments()).map(|segment| ends(segment)[0].distance(ends(segment)[1])).collect();
    let mut least = f64::INFINITY;
    for i in 0..rope.segments() {
        // Arc length from the start of segment i to the start of segment j.
        let mut along = lengths[i];
        for j in i + 1..rope.segments() {
            let [s, t] = closest_shares(ends(i), ends(j));
            if along - s * lengths[i] + t * lengths[j] > FRAC_PI_2 * diameter {
                least = least.min(point_on(ends(i), s).distance(point_on(ends(j), t)));
            }
            along += lengths[j];
        }
    }
    least / diameter
}

/// The rope, closed to a loop. Its ends are extended far outward and joined far away from the rope.
fn closed(points: &[DVec3]) -> Vec<DVec3> {
    let (Some(&first), Some(&last)) = (points.first(), points.last()) else { return Vec::new() };
    let length: f64 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
    let out = 10.0 * length * (last - first).normalize();
    let beside = 10.0 * length * out.any_orthonormal_vector();
    let mut loop_ = points.to_vec();
    loop_.extend([last + out, last + out + beside, first - out + beside, first - out]);
    loop_
}
