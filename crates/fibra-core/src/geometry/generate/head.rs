//! The head that hair grows on: an ellipsoid with hair roots.

use super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use crate::geometry::TriangleMesh;
use crate::random::CounterRng;
use glam::{DQuat, DVec3};
use std::f64::consts::{PI, TAU};

/// Rotation between consecutive roots that distributes them uniformly [rad].
const GOLDEN_ANGLE: f64 = TAU * 0.381_966_011_250_105;
/// Maximum displacement of a root relative to the root spacing, which hides the spiral pattern [-].
const JITTER: f64 = 0.25;
/// Height of roots above the skin [m], so that rounding to `f32` moves none below it.
const ROOT_HEIGHT: f64 = 1e-4;

/// An ellipsoid centered at the origin that faces +z, with hair on a cap around its crown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Head {
    /// Half of the width, height and depth [m]. Three equal numbers give a ball.
    pub half_axes: DVec3,
    /// Largest polar angle of a root from the crown [rad]; at most 2. The angle is measured on the unit sphere that is scaled to the
    /// ellipsoid.
    pub cap: f64,
    /// Backward tilt of the crown from the top [rad]; at most 1.
    pub tilt: f64,
}

/// The root of a strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Root {
    /// Position [m].
    pub position: DVec3,
    /// Outward unit normal of the skin.
    pub normal: DVec3,
    /// Fraction of the cap's area that is closer to the crown than this root [-].
    pub share: f64,
}

impl Head {
    /// An adult head with hair from the forehead to the nape.
    pub const ADULT: Self = Self { half_axes: DVec3::new(0.078, 0.115, 0.098), cap: 1.45, tilt: 0.5 };

    pub(super) fn check(&self) -> Result<(), GenerateError> {
        let [x, y, z] = self.half_axes.to_array();
        require_positive([("half_axes.x", x), ("half_axes.y", y), ("half_axes.z", z), ("cap", self.cap)])?;
        // Roots are uniform on the ball; a very thin ellipsoid would cluster them.
        let ratio = self.half_axes.max_element() / self.half_axes.min_element();
        require(ratio <= 4.0, "half_axes", ratio, "the longest must be at most 4 times the shortest")?;
        require(self.cap <= 2.0, "cap", self.cap, "it must be at most 2")?;
        require((0.0..=1.0).contains(&self.tilt), "tilt", self.tilt, "it must be from 0 to 1")
    }

    /// Builds the skin as a closed mesh with edges of about `spacing` [m], for display and collisions. Its vertices are on the ellipsoid,
    /// so the mesh lies inside it.
    pub fn mesh(&self, spacing: f64) -> Result<TriangleMesh, GenerateError> {
        self.check()?;
        require_positive([("spacing", spacing)])?;
        let half_round = PI * self.half_axes.max_element();
        let (rings, around) =
            (segment_count(half_round, spacing).max(4.0), segment_count(2.0 * half_round, spacing).max(6.0));
        require_particle_limit(3.0 * rings * around)?;
        let on_ring = |ring: u32, i: u32| {
            let (radius, height) = (PI * f64::from(ring) / rings).sin_cos();
            let (z, x) = (TAU * f64::from(i) / around).sin_cos();
            self.half_axes * DVec3::new(radius * x, height, radius * z)
        };
        let (rings, around) = (rings as u32, around as u32);
        let mut vertices = vec![self.half_axes * DVec3::Y];
        vertices
            .extend((1..rings).flat_map(|ring| (0..around).map(move |i| (ring, i))).map(|(ring, i)| on_ring(ring, i)));
        vertices.push(self.half_axes * DVec3::NEG_Y);

        let bottom = vertices.len() as u32 - 1;
        let vertex = |ring: u32, i: u32| match ring {
            0 => 0,
            ring if ring == rings => bottom,
            ring => 1 + (ring - 1) * around + i % around,
        };
        let mut triangles = Vec::with_capacity(2 * (rings - 1) as usize * around as usize);
        for ring in 0..rings {
            for i in 0..around {
                let [a, b] = [i, i + 1].map(|i| vertex(ring, i));
                let [c, d] = [i, i + 1].map(|i| vertex(ring + 1, i));
                // The first triangle would be degenerate at the top, the second at the bottom.
                triangles.extend((ring > 0).then_some([a, b, c]));
                triangles.extend((ring + 1 < rings).then_some([b, d, c]));
            }
        }
        Ok(TriangleMesh::new(vertices, triangles)?)
    }

    /// Returns the level function of a point [m]: 1 on the skin, less inside the head [-].
    pub fn level(&self, point: DVec3) -> f64 {
        (point / self.half_axes).length()
    }

    /// Projects a point [m] out of the head with semi-axes enlarged by `clearance` [m]. Points outside are unchanged.
    pub(super) fn outside(&self, point: DVec3, clearance: f64) -> DVec3 {
        let level = (point / (self.half_axes + clearance)).length();
        if level < 1.0 { point / level } else { point }
    }

    /// Returns the largest curvature of the skin [1/m].
    pub(super) fn curvature(&self) -> f64 {
        self.half_axes.max_element() / self.half_axes.min_element().powi(2)
    }

    /// Returns the center of the cap [m].
    pub(super) fn crown(&self) -> DVec3 {
        self.half_axes * (self.leaning() * DVec3::Y)
    }

    /// Returns the rotation from the top to the crown.
    fn leaning(&self) -> DQuat {
        DQuat::from_rotation_x(-self.tilt)
    }

    /// Returns roots distributed uniformly over the cap, from the crown outward.
    pub(super) fn roots(&self, count: u32, random: &CounterRng) -> impl Iterator<Item = Root> {
        let height = 1.0 - self.cap.cos();
        let cell = (TAU * height / f64::from(count)).sqrt();
        (0..count).map(move |i| {
            let share = (f64::from(i) + 0.5) / f64::from(count);
            let [along, across] = [0, 1].map(|k| JITTER * cell * (2.0 * random.uniform(&[u64::from(i), k]) - 1.0));
            // Equal areas of the cap.
            let polar = (1.0 - share * height).acos();
            let angle = GOLDEN_ANGLE * f64::from(i) + across / polar.sin();
            let (sine, cosine) = (polar + along).clamp(0.0, self.cap).sin_cos();
            let direction = self.leaning() * DVec3::new(sine * angle.cos(), cosine, sine * angle.sin());
            let normal = (direction / self.half_axes).normalize();
            Root { position: self.half_axes * direction + ROOT_HEIGHT * normal, normal, share }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_uniform_on_the_cap() {
        let ball = Head { half_axes: DVec3::splat(0.1), cap: 1.5, tilt: 0.4 };
        for head in [ball, Head::ADULT] {
            let roots: Vec<Root> = head.roots(500, &CounterRng::new(3)).collect();
            let on_ball = |root: &Root| root.position / head.half_axes;
            let crown = (head.crown() / head.half_axes).normalize();
            for root in &roots {
                assert!((1.0..1.01).contains(&head.level(root.position)));
                assert!(on_ball(root).angle_between(crown) < head.cap + 0.01);
            }
            // Quarters of the cap have equal areas on the ball.
            let sides = [DVec3::X, crown.cross(DVec3::X)];
            let quarter = |root: &&Root| sides.iter().all(|side| side.dot(on_ball(root)) > 0.0);
            let count = roots.iter().filter(quarter).count();
            assert!((120..=130).contains(&count), "{count}");
            // Neighbors on the spiral are about one cell apart; jitter moves each root by at most 0.35 cells.
            let cell = (TAU * (1.0 - head.cap.cos()) / 500.0).sqrt();
            for (i, root) in roots.iter().enumerate() {
                let others = roots.iter().enumerate().filter(|(j, _)| *j != i);
                let nearest = others.map(|(_, other)| on_ball(other).distance(on_ball(root))).fold(1.0, f64::min);
                assert!((0.3..1.7).contains(&(nearest / cell)), "{}", nearest / cell);
            }
        }
    }

    #[test]
    fn mesh_is_closed_and_fills_the_ellipsoid() {
        let [a, b, c] = Head::ADULT.half_axes.to_array();
        let mesh = Head::ADULT.mesh(0.004).unwrap();
        assert!(mesh.is_closed());
        assert!(mesh.vertices().iter().all(|&p| (Head::ADULT.level(p) - 1.0).abs() < 1e-12));
        // A polygon with n corners omits the fraction (2 pi/n)^2/6 of a disk.
        let left_out = 1.0 - mesh.signed_volume() / (4.0 / 3.0 * PI * a * b * c);
        assert!(left_out > 0.0 && left_out < 1e-3, "{left_out}");
        Head::ADULT.mesh(9.0).unwrap();
        for bad in [0.0, f64::NAN, 1e-9] {
            assert!(Head::ADULT.mesh(bad).is_err());
        }
    }

    #[test]
    fn normals_are_gradients_of_the_level() {
        for root in Head::ADULT.roots(50, &CounterRng::new(1)) {
            let p = root.position;
            let slope = DVec3::from_array(
                DVec3::AXES
                    .map(|axis| (Head::ADULT.level(p + 1e-6 * axis) - Head::ADULT.level(p - 1e-6 * axis)) / 2e-6),
            );
            assert!(slope.angle_between(root.normal) < 1e-3);
        }
    }
}
