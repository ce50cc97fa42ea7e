//! The determinant of a knot. It is an invariant: it does not change while a closed curve moves without passing through
//! itself. It is 1 for a ring, 3 for a trefoil (a closed overhand knot) and 5 for a figure-eight knot.
//!
//! The determinant is the absolute value of the Alexander polynomial at -1. It is computed from the crossings of the
//! curve's projection along any direction. Undercrossings divide the curve into arcs. Each crossing gives an equation
//! `2 over - before - after = 0` between the arcs that meet at this crossing. The knot determinant is the determinant
//! of this system with any one equation and any one arc removed.

use glam::DVec3;

/// A crossing in the projection of a closed curve.
struct Crossing {
    /// Position of the lower strand, as a curve parameter in segments.
    under: f64,
    /// Position of the upper strand, as a curve parameter in segments.
    over: f64,
}

/// The determinant of the knot formed by a closed polygon, from its projection along a direction. The projection must
/// be in general position: no two vertices or crossings coincide.
pub fn knot_determinant(points: &[DVec3], direction: DVec3) -> f64 {
    let crossings = crossings(points, direction);
    let n = crossings.len();
    // Arc i ends where the curve passes under crossing i, and arc i + 1 begins there.
    let arc_at = |place: f64| crossings.partition_point(|crossing| crossing.under < place) % n.max(1);
    let mut equations = vec![vec![0.0; n]; n];
    for (i, crossing) in crossings.iter().enumerate() {
        equations[i][arc_at(crossing.over)] += 2.0;
        equations[i][i] -= 1.0;
        equations[i][(i + 1) % n] -= 1.0;
    }
    equations.pop();
    equations.iter_mut().for_each(|row| row.truncate(n - 1));
    determinant(equations).abs().round()
}

/// All crossings, in the order of their undercrossings along the curve.
fn crossings(points: &[DVec3], direction: DVec3) -> Vec<Crossing> {
    let away = direction.normalize();
    let (right, up) = away.any_orthonormal_pair();
    let seen: Vec<DVec3> = points.iter().map(|x| DVec3::new(x.dot(right), x.dot(up), x.dot(away))).collect();
    let ends = |segment: usize| [seen[segment], seen[(segment + 1) % seen.len()]];
    let mut found = Vec::new();
    for i in 0..seen.len() {
        for j in i + 1..seen.len() {
            let ([a, b], [c, d]) = (ends(i), ends(j));
            let cross = |x: DVec3, y: DVec3| x.x * y.y - x.y * y.x;
            let scale = cross(b - a, d - c);
            let (s, t) = (cross(c - a, d - c) / scale, cross(c - a, b - a) / scale);
            // Neighbors meet only at their common vertex, and parallel segments never cross.
            let neighbors = j == i + 1 || (i == 0 && j == seen.len() - 1);
            if neighbors || !((0.0..1.0).contains(&s) && (0.0..1.0).contains(&t)) {
                continue;
            }
            let (first, second) = (i as f64 + s, j as f64 + t);
            // The strand further away is the lower strand.
            let first_is_over = a.lerp(b, s).z < c.lerp(d, t).z;
            let (over, under) = if first_is_over { (first, second) } else { (second, first) };
            found.push(Crossing { under, over });
        }
    }
    found.sort_by(|x, y| x.under.total_cmp(&y.under));
    found
}

/// Determinant of a matrix, by Gaussian elimination with partial pivoting.
fn determinant(mut a: Vec<Vec<f64>>) -> f64 {
    let n = a.len();
    let mut product = 1.0;
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap_or(k);
        a.swap(k, pivot);
        product *= if pivot == k { a[k][k] } else { -a[k][k] };
        if product == 0.0 {
            return 0.0;
        }
        let row = a[k].clone();
        for below in &mut a[k + 1..] {
            let share = below[k] / row[k];
            below.iter_mut().zip(&row).skip(k).for_each(|(x, y)| *x -= share * y);
        }
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;
    use std::f64::consts::TAU;

    fn closed(curve: impl Fn(f64) -> [f64; 3]) -> Vec<DVec3> {
        (0..120).map(|i| DVec3::from_array(curve(TAU * f64::from(i) / 120.0))).collect()
    }

    /// The determinant, which must be the same for 40 directions.
    fn determinant_of(points: &[DVec3]) -> f64 {
        let rng = CounterRng::new(3);
        let from = |k: u64| knot_determinant(points, rng.uniform_in_cube([k, 0, 0]) - DVec3::splat(0.5));
        let first = from(0);
        (1..40).for_each(|k| assert_eq!(from(k), first, "from direction {k}"));
        first
    }

    /// A torus knot that winds `around` times around the axis and `through` times through the hole.
    fn torus(around: f64, through: f64) -> Vec<DVec3> {
        closed(|t| {
            let radius = 2.0 + (through * t).cos();
            [radius * (around * t).cos(), radius * (around * t).sin(), (through * t).sin()]
        })
    }

    #[test]
    fn unknots_have_determinant_one() {
        assert_eq!(determinant_of(&closed(|t| [t.cos(), t.sin(), 0.1 * (3.0 * t).sin()])), 1.0);
        // A coiled curve, with crossings in every projection.
        assert_eq!(determinant_of(&torus(1.0, 7.0)), 1.0);
        assert_eq!(determinant_of(&closed(|t| [t.cos(), (2.0 * t).sin(), 0.3 * (5.0 * t + 1.0).cos()])), 1.0);
    }

    #[test]
    fn known_knots_have_their_determinants() {
        assert_eq!(determinant_of(&torus(2.0, 3.0)), 3.0);
        assert_eq!(determinant_of(&torus(2.0, 5.0)), 5.0);
        // The torus knot with seven crossings has determinant 7. The one with eight crossings has determinant 3.
        assert_eq!(determinant_of(&torus(2.0, 7.0)), 7.0);
        assert_eq!(determinant_of(&torus(3.0, 4.0)), 3.0);
        let eight = closed(|t| {
            let radius = 2.0 + (2.0 * t).cos();
            [radius * (3.0 * t).cos(), radius * (3.0 * t).sin(), (4.0 * t).sin()]
        });
        assert_eq!(determinant_of(&eight), 5.0);
    }

    #[test]
    fn mirroring_and_perturbing_preserve_the_determinant() {
        let rng = CounterRng::new(5);
        let shaken =
            |(i, x): (usize, &DVec3)| *x * DVec3::new(1.0, 1.0, -1.0) + 0.1 * rng.uniform_in_cube([i as u64, 0, 0]);
        let knot: Vec<DVec3> = torus(2.0, 3.0).iter().enumerate().map(shaken).collect();
        assert_eq!(determinant_of(&knot), 3.0);
    }

    #[test]
    fn curves_without_crossings_are_not_knotted() {
        assert_eq!(knot_determinant(&closed(|t| [t.cos(), t.sin(), 0.0]), DVec3::Z), 1.0);
        assert_eq!(knot_determinant(&[DVec3::ZERO, DVec3::X, DVec3::Y], DVec3::Z), 1.0);
    }
}
