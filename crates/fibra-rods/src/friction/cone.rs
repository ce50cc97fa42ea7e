//! The friction cone, projections on it, and how far a velocity and an impulse are from obeying Coulomb's law.
//!
//! Vectors of a contact are ordered normal, tangent, tangent.

use glam::{DVec2, DVec3};

/// Tangential part.
pub fn tangent(v: DVec3) -> DVec2 {
    DVec2::new(v.y, v.z)
}

/// A vector from its normal and its tangential part.
pub fn join(normal: f64, tangent: DVec2) -> DVec3 {
    DVec3::new(normal, tangent.x, tangent.y)
}

/// The nearest point of the disk of the given radius about zero; zero if the radius is negative.
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

/// The nearest point of the cone `|r_T| <= mu r_N`.
pub fn project_cone(mu: f64, r: DVec3) -> DVec3 {
    let (normal, sideways) = (r.x, tangent(r));
    let length = sideways.length();
    if length <= mu * normal {
        r
    } else if mu * length <= -normal {
        // In the polar cone: zero is nearest. With mu = 0 this takes every r_N <= 0.
        DVec3::ZERO
    } else {
        // On the mantle. The length is positive here: were it zero, one of the tests above would have held.
        let height = (normal + mu * length) / (1.0 + mu * mu);
        join(height, sideways * (mu * height / length))
    }
}

/// The change of variables `u + mu |u_T| n`, with which Coulomb's law says that velocity and impulse are orthogonal elements of
/// dual cones [DeSaxce1998].
pub fn de_saxce(mu: f64, u: DVec3) -> DVec3 {
    DVec3::new(u.x + mu * tangent(u).length(), u.y, u.z)
}

/// The natural map `r - P_K(r - u - mu |u_T| n)`: zero if and only if `u` and `r` obey Coulomb's law.
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

    /// A projection on a closed convex cone is what splits a vector into orthogonal parts in the cone and its polar (Moreau).
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
    fn disks_of_any_radius() {
        let y = DVec2::new(3.0, 4.0);
        assert_eq!(project_disk(6.0, y), y);
        assert_eq!(project_disk(2.5, y), DVec2::new(1.5, 2.0));
        assert_eq!(project_disk(0.0, y), DVec2::ZERO);
        assert_eq!(project_disk(-1.0, y), DVec2::ZERO);
    }

    #[test]
    fn the_natural_map_vanishes_for_lawful_pairs_only() {
        let mu = 0.5;
        let lawful = [
            ([1.0, 2.0, 3.0], [0.0; 3]),
            ([0.0; 3], [2.0, 0.6, -0.8]),
            ([0.0, 3.0, -4.0], [2.0, -0.6, 0.8]),
            ([0.0; 3], [0.0; 3]),
        ];
        for (u, r) in lawful {
            assert!(natural_map(mu, u.into(), r.into()).length() < 1e-15, "{u:?} {r:?}");
        }
        let unlawful = [
            ([-1.0, 0.0, 0.0], [0.0; 3]),
            ([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]),
            ([0.0, 1.0, 0.0], [2.0, 1.0, 0.0]),
            ([0.0, 1.0, 0.0], [2.0, -0.9, 0.0]),
            ([0.0; 3], [2.0, 1.1, 0.0]),
        ];
        for (u, r) in unlawful {
            assert!(natural_map(mu, u.into(), r.into()).length() > 0.05, "{u:?} {r:?}");
        }
    }
}
