//! Writhe of closed polygons, and the linking number of a closed rod.

use glam::DVec3;
use std::f64::consts::TAU;

/// Returns the writhe of a closed polygon: its mean signed number of self-crossings over all directions of view [-]. For a polygon, Gauss's double
/// integral is a sum of solid angles over pairs of segments [Klenin2000, Method 1a].
pub fn writhe(points: &[DVec3]) -> f64 {
    // Each pair of segments occurs twice in the double integral, 1 / (4 pi) of the sum over ordered pairs.
    pairs(points.len()).map(|(i, j)| solid_angle(segment(points, i), segment(points, j))).sum::<f64>() / TAU
}

/// Returns the linking number of two closed polygons that do not intersect [-], Gauss's double integral.
pub fn linking_number(a: &[DVec3], b: &[DVec3]) -> f64 {
    let of = |i: usize| (0..b.len()).map(|j| solid_angle(segment(a, i), segment(b, j))).sum::<f64>();
    (0..a.len()).map(of).sum::<f64>() / (2.0 * TAU)
}

/// Returns all pairs of segments that are not neighbors. Neighbors are coplanar and contribute nothing.
fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i + 2..count).filter(move |&j| (j + 1) % count != i).map(move |j| (i, j)))
}

fn segment(points: &[DVec3], i: usize) -> [DVec3; 2] {
    [points[i], points[(i + 1) % points.len()]]
}

/// Returns the signed solid angle of the directions in which two segments cross [sr]. The vectors from a point of one segment to a point of the other span
/// a spherical quadrilateral, which consists of two triangles.
fn solid_angle([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let [ac, ad, bd, bc] = [c - a, d - a, d - b, c - b].map(|v| v.normalize_or_zero());
    triangle(ac, bd, ad) + triangle(ac, bc, bd)
}

/// Returns the signed solid angle of a triangle with the given directions of its corners [sr] [Oosterom1983].
fn triangle(a: DVec3, b: DVec3, c: DVec3) -> f64 {
    2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve on a torus of radii 1 and `tube` that winds `p` times around the axis and `q` times around the tube.
    fn torus(p: f64, q: f64, tube: f64, count: usize) -> Vec<DVec3> {
        let point = |i: usize| {
            let a = TAU * i as f64 / count as f64;
            let r = 1.0 + tube * (q * a).cos();
            DVec3::new(r * (p * a).cos(), r * (p * a).sin(), tube * (q * a).sin())
        };
        (0..count).map(point).collect()
    }

    #[test]
    fn planar_curves_do_not_writhe_and_mirror_images_writhe_in_opposite_ways() {
        assert!(writhe(&torus(1.0, 0.0, 0.3, 50)).abs() < 1e-13);
        let knot = torus(2.0, 3.0, 0.4, 120);
        let mirrored: Vec<DVec3> = knot.iter().map(|x| DVec3::new(x.x, x.y, -x.z)).collect();
        assert!((writhe(&knot) + writhe(&mirrored)).abs() < 1e-12);
        // The ideal trefoil has a writhe of 3.4 [Katritch1996]; a knot on a torus is close to it.
        assert!((writhe(&knot).abs() - 3.4).abs() < 0.5, "{}", writhe(&knot));
    }

    /// A curve that winds `q` times around the core of a torus is linked with it `q` times.
    #[test]
    fn linking_numbers_of_torus_curves_are_integers() {
        let core = torus(1.0, 0.0, 0.0, 40);
        for q in [-2.0, 1.0, 3.0] {
            let link = linking_number(&core, &torus(1.0, q, 0.3, 90));
            assert!((link.abs() - f64::abs(q)).abs() < 1e-10, "{link} {q}");
            let opposite = linking_number(&core, &torus(1.0, -q, 0.3, 90));
            assert!((link + opposite).abs() < 1e-10);
        }
    }
}
