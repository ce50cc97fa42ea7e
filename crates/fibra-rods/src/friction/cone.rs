//! The friction cone, projections onto it, and residuals of Coulomb's law.
//!
//! Vectors of a contact are ordered normal, tangent, tangent.

use glam::{DVec2, DVec3};

/// Returns the tangential part.
pub fn tangent(v: DVec3) -> DVec2 {
    DVec2::new(v.y, v.z)
}

/// Returns the vector with the given normal and tangential parts.
pub fn join(normal: f64, tangent: DVec2) -> DVec3 {
    DVec3::new(normal, tangent.x, tangent.y)
}

/// Projects onto the disk of the given radius around zero; returns zero if the radius is negative.
pub fn project_disk(radius: f64, y: DVec2) -> DVec2 {
    let length = y.length();
    if length <= radius {
        y
    } else if radius > 0.0 {
        y * (radius / length)
    } else {
        DVec2::ZERO
    }
}

/// Projects onto the cone `|r_T| <= mu r_N`.
pub fn project_cone(mu: f64, r: DVec3) -> DVec3 {
    let (normal, tangential) = (r.x, tangent(r));
    let length = tangential.length();
    if length <= mu * normal {
        r
    } else if mu * length <= -normal {
        // `r` is in the polar cone, whose points project to zero. With mu = 0, this covers every r_N <= 0.
        DVec3::ZERO
    } else {
        // `r` projects onto the lateral surface of the cone. The tangential length is positive here, because otherwise
        // one of the tests above would have succeeded.
        let height = (normal + mu * length) / (1.0 + mu * mu);
        join(height, tangential * (mu * height / length))
    }
}

/// Returns `u + mu |u_T| n`. In this variable, Coulomb's law requires velocity and impulse to be orthogonal elements of dual cones [DeSaxce1998].
pub fn de_saxce(mu: f64, u: DVec3) -> DVec3 {
    DVec3::new(u.x + mu * tangent(u).length(), u.y, u.z)
}

/// Returns the natural map `r - P_K(r - u - mu |u_T| n)`: zero if and only if `u` and `r` satisfy Coulomb's law.
pub fn natural_map(mu: f64, u: DVec3, r: DVec3) -> DVec3 {
    r - project_cone(mu, r - de_saxce(mu, u))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fibra_core::random::CounterRng;

    fn random_vector(rng: &CounterRng, i: u64) -> DVec3 {
        2.0 * rng.uniform_in_cube([i, 0, 0]) - DVec3::ONE
    }

    /// Projection onto a closed convex cone splits a vector into orthogonal parts in the cone and its polar (Moreau).
    #[test]
    fn projections_split_vectors_into_orthogonal_parts() {
        let rng = CounterRng::new(1);
        for i in 0..2000 {
            let mu = [0.0, 1e-9, 0.3, 1.0, 7.0][i as usize % 5];
            let v = random_vector(&rng, i);
            let inside = project_cone(mu, v);
            let polar = v - inside;
            assert!(tangent(inside).length() <= mu * inside.x * (1.0 + 1e-14) + 1e-15, "{mu} {v}");
            assert!(mu * tangent(polar).length() <= -polar.x + 1e-15 * (1.0 + mu), "{mu} {v}");
            assert!(inside.dot(polar).abs() < 1e-15, "{mu} {v}");
        }
    }

    #[test]
    fn disk_projections_for_all_radii() {
        let y = DVec2::new(3.0, 4.0);
        assert_eq!(project_disk(6.0, y), y);
        assert_eq!(project_disk(2.5, y), DVec2::new(1.5, 2.0));
        assert_eq!(project_disk(0.0, y), DVec2::ZERO);
        assert_eq!(project_disk(-1.0, y), DVec2::ZERO);
    }

    #[test]
    fn the_natural_map_vanishes_for_admissible_pairs_only() {
        let mu = 0.5;
        let admissible = [
            ([1.0, 2.0, 3.0], [0.0; 3]),
            ([0.0; 3], [2.0, 0.6, -0.8]),
            ([0.0, 3.0, -4.0], [2.0, -0.6, 0.8]),
            ([0.0; 3], [0.0; 3]),
        ];
        for (u, r) in admissible {
            assert!(natural_map(mu, u.into(), r.into()).length() < 1e-15, "{u:?} {r:?}");
        }
        let inadmissible = [
            ([-1.0, 0.0, 0.0], [0.0; 3]),
            ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
            ([0.0, 1.0, 0.0], [2.0, 1.0, 0.0]),
            ([0.0, 1.0, 0.0], [2.0, -0.9, 0.0]),
            ([0.0; 3], [2.0, 1.1, 0.0]),
        ];
        for (u, r) in inadmissible {
            assert!(natural_map(mu, u.into(), r.into()).length() > 0.05, "{u:?} {r:?}");
        }
    }
}
