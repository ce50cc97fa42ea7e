//! Intersection of rays with spheres, rounded cones, triangles and [`Brick`]s.
//!
//! Spheres and cones are solids that are hit only from outside: a ray that starts inside leaves without a hit. Overlapping grains
//! and the joints of a strand therefore cast no shadows on points inside them, and the camera may be inside a particle.

use super::brick::Brick;
use glam::Vec3;

/// A ray with a unit direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub origin: Vec3,
    pub direction: Vec3,
}

impl Ray {
    pub fn at(&self, t: f32) -> Vec3 {
        self.origin + t * self.direction
    }
}

/// A shape in a form that is optimized for intersection tests.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Sphere {
        center: Vec3,
        radius: f32,
    },
    /// The convex hull of a ball with `radius` at `start` and one with `radius - sine * length` at `start + length * axis`. `sine` is the
    /// sine of the angle between side and axis.
    Cone {
        start: Vec3,
        axis: Vec3,
        length: f32,
        radius: f32,
        sine: f32,
    },
    Triangle {
        corner: Vec3,
        edges: [Vec3; 2],
    },
    Brick(Brick),
}

/// An intersection of a ray with a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hit {
    /// Distance along the ray [m].
    pub t: f32,
    /// Barycentric weights of the second and third corner of a triangle; unused for other shapes.
    pub weights: [f32; 2],
}

impl Shape {
    /// Creates the convex hull of two balls, or only the larger ball if it contains the other.
    pub fn cone(ends: [Vec3; 2], radii: [f32; 2]) -> Shape {
        let offset = ends[1] - ends[0];
        let length = offset.length();
        let shrink = radii[0] - radii[1];
        if length <= shrink.abs() * (1.0 + 1e-5) || length < f32::MIN_POSITIVE {
            let larger = if shrink >= 0.0 { 0 } else { 1 };
            return Shape::Sphere { center: ends[larger], radius: radii[larger] };
        }
        Shape::Cone { start: ends[0], axis: offset / length, length, radius: radii[0], sine: shrink / length }
    }

    /// Returns the lower and upper corner of the bounding box.
    pub fn bounds(&self) -> [Vec3; 2] {
        match *self {
            Shape::Sphere { center, radius } => [center - radius, center + radius],
            Shape::Cone { start, axis, length, radius, sine } => {
                let (end, end_radius) = (start + length * axis, radius - sine * length);
                [(start - radius).min(end - end_radius), (start + radius).max(end + end_radius)]
            }
            Shape::Triangle { corner, edges: [ab, ac] } => {
                let (low, high) = (ab.min(ac).min(Vec3::ZERO), ab.max(ac).max(Vec3::ZERO));
                [corner + low, corner + high]
            }
            Shape::Brick(brick) => [brick.center() - brick.reach(), brick.center() + brick.reach()],
        }
    }

    /// Returns the end points of a cone's axis.
    pub fn axis(&self) -> Option<[Vec3; 2]> {
        match *self {
            Shape::Cone { start, axis, length, .. } => Some([start, start + length * axis]),
            Shape::Sphere { .. } | Shape::Triangle { .. } | Shape::Brick(_) => None,
        }
    }

    /// Returns the first hit at a distance in `near..far`.
    #[inline]
    pub fn hit(&self, ray: &Ray, near: f32, far: f32) -> Option<Hit> {
        let t = match *self {
            Shape::Sphere { center, radius } => hit_sphere(ray, center, radius),
            Shape::Cone { start, axis, length, radius, sine } => hit_cone(ray, start, axis, length, radius, sine),
            Shape::Brick(brick) => brick.hit(ray),
            Shape::Triangle { corner, edges } => {
                return hit_triangle(ray, corner, edges).filter(|hit| hit.t > near && hit.t < far);
            }
        };
        t.filter(|&t| t > near && t < far).map(|t| Hit { t, weights: [0.0; 2] })
    }

    /// Returns the unit normal at a point of the surface: outward for solids, with arbitrary sign for a triangle.
    pub fn normal(&self, point: Vec3) -> Vec3 {
        match *self {
            Shape::Sphere { center, .. } => (point - center).normalize_or(Vec3::Y),
            Shape::Cone { start, axis, length, radius, sine } => {
                let along = (point - start).dot(axis);
                let s = foot(along, radius, sine).clamp(0.0, length);
                (point - start - s * axis).normalize_or(Vec3::Y)
            }
            Shape::Triangle { edges: [ab, ac], .. } => ab.cross(ac).normalize_or(Vec3::Y),
            Shape::Brick(brick) => brick.normal(point),
        }
    }
}

/// Returns the position on the axis of the ball that touches the cone's surface at height `along` the axis.
///
/// The ball at `s` touches the side at height `y = s + r(s) sine`, with `r(s) = radius - s sine`, so
/// `y = s (1 - sine^2) + radius sine`.
fn foot(along: f32, radius: f32, sine: f32) -> f32 {
    (along - radius * sine) / (1.0 - sine * sine)
}

/// Returns the distance at which a ray enters a ball.
#[inline]
fn hit_sphere(ray: &Ray, center: Vec3, radius: f32) -> Option<f32> {
    // Measured from the point of the ray nearest to the center: b^2 - c would lose all precision for distant grains.
    let to_center = center - ray.origin;
    let nearest = to_center.dot(ray.direction);
    let miss = to_center - nearest * ray.direction;
    let discriminant = radius * radius - miss.length_squared();
    (discriminant >= 0.0).then(|| nearest - discriminant.sqrt())
}

/// Returns the distance at which a ray enters a rounded cone.
///
/// With `q = o + t d - start`, `y = q.axis` and `cosine^2 = 1 - sine^2`, the side is
/// `cosine^2 (|q|^2 - y^2) = (radius - y sine)^2`. Collecting powers of `t` gives `a t^2 + 2 b t + c = 0` with
/// `a = cosine^2 - d_y^2`, `b = cosine^2 o.d - o_y d_y + radius sine d_y`,
/// `c = cosine^2 |o|^2 - o_y^2 + 2 radius sine o_y - radius^2`.
#[inline]
fn hit_cone(ray: &Ray, start: Vec3, axis: Vec3, length: f32, radius: f32, sine: f32) -> Option<f32> {
    let middle = start + 0.5 * length * axis;
    let shift = (middle - ray.origin).dot(ray.direction);
    // From here on, `t` is relative to the point of the ray nearest to the middle; see `hit_sphere` for the reason.
    let origin = ray.at(shift) - start;
    // Most rays miss the bounding sphere of the cone.
    let reach = 0.5 * length + radius.max(radius - sine * length);
    if (origin - 0.5 * length * axis).length_squared() > reach * reach {
        return None;
    }
    let (o_y, d_y) = (origin.dot(axis), ray.direction.dot(axis));
    let o_d = origin.dot(ray.direction);
    let cosine2 = 1.0 - sine * sine;
    let a = cosine2 - d_y * d_y;
    let b = cosine2 * o_d - o_y * d_y + radius * sine * d_y;
    let c = cosine2 * origin.length_squared() - o_y * o_y + 2.0 * radius * sine * o_y - radius * radius;
    let discriminant = b * b - a * c;
    if a.abs() > 1e-7 && discriminant >= 0.0 {
        let root = discriminant.sqrt();
        // For a ray steeper than the side (a < 0), either root can be the entry; the other one lies on the mirror image of the cone.
        for t in [(-b - root) / a, (-b + root) / a] {
            let s = foot(o_y + t * d_y, radius, sine);
            let outwards = origin + t * ray.direction - s * axis;
            if (0.0..=length).contains(&s) && outwards.dot(ray.direction) < 0.0 {
                return Some(shift + t);
            }
        }
    }
    // Only the exposed part of each ball counts: below its tangent circle at the start, above it at the end.
    let ball = |along: f32, radius_there: f32| {
        let center = along * axis;
        let t = hit_sphere(&Ray { origin, direction: ray.direction }, center, radius_there)?;
        Some((t, foot(o_y + t * d_y, radius, sine)))
    };
    let first = ball(0.0, radius).filter(|&(_, s)| s <= 0.0);
    let hit = first.or_else(|| ball(length, radius - sine * length).filter(|&(_, s)| s >= length));
    hit.map(|(t, _)| shift + t)
}

/// Returns the hit of a ray on a triangle, from either side.
#[inline]
fn hit_triangle(ray: &Ray, corner: Vec3, [ab, ac]: [Vec3; 2]) -> Option<Hit> {
    // A small overlap closes the gaps that rounding errors would leave along shared edges.
    const OVERLAP: f32 = 1e-5;
    let normal = ab.cross(ac);
    let slope = -ray.direction.dot(normal);
    let inverse = 1.0 / slope;
    let to_origin = ray.origin - corner;
    let moment = to_origin.cross(ray.direction);
    let v = ac.dot(moment) * inverse;
    let w = -ab.dot(moment) * inverse;
    // Written so that NaN, which occurs for a ray in the plane of the triangle, fails every comparison.
    if v >= -OVERLAP && w >= -OVERLAP && v + w <= 1.0 + OVERLAP {
        return Some(Hit { t: to_origin.dot(normal) * inverse, weights: [v, w] });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::sampler::Random;
    use super::*;

    const FAR: f32 = f32::INFINITY;

    fn ray(origin: Vec3, toward: Vec3) -> Ray {
        Ray { origin, direction: (toward - origin).normalize() }
    }

    #[test]
    fn a_sphere_is_hit_on_its_near_side_and_only_from_outside() {
        let sphere = Shape::Sphere { center: Vec3::new(0.0, 0.0, 5.0), radius: 1.0 };
        let axis_ray = ray(Vec3::ZERO, Vec3::Z);
        assert!((sphere.hit(&axis_ray, 0.0, FAR).unwrap().t - 4.0).abs() < 1e-6);
        let chord = Ray { origin: Vec3::new(0.6, 0.0, 0.0), direction: Vec3::Z };
        assert!((sphere.hit(&chord, 0.0, FAR).unwrap().t - 4.2).abs() < 1e-6);
        let inside = Ray { origin: Vec3::new(0.0, 0.0, 5.0), direction: Vec3::Z };
        assert_eq!(sphere.hit(&inside, 0.0, FAR), None);
        assert_eq!(sphere.hit(&axis_ray, 0.0, 3.9), None);
    }

    #[test]
    fn a_distant_grain_has_an_exact_outline() {
        let (radius, distance) = (1e-3f32, 300.0f32);
        let grain = Shape::Sphere { center: Vec3::new(0.0, 0.0, distance), radius };
        for (offset, expected) in [(0.98, true), (1.02, false)] {
            let ray = Ray { origin: Vec3::new(offset * radius, 0.0, 0.0), direction: Vec3::Z };
            assert_eq!(grain.hit(&ray, 0.0, FAR).is_some(), expected, "at {offset} radii");
        }
    }

    /// Returns the distance from a point to the hull of two balls: the minimum over many interpolated balls.
    fn distance_to_hull(point: Vec3, ends: [Vec3; 2], radii: [f32; 2]) -> f32 {
        (0..=1000)
            .map(|k| k as f32 / 1000.0)
            .map(|s| point.distance(ends[0].lerp(ends[1], s)) - (radii[0] + s * (radii[1] - radii[0])))
            .fold(f32::INFINITY, f32::min)
    }

    #[test]
    fn cone_hits_are_on_the_hull_and_misses_are_outside() {
        let mut random = Random::new(1);
        let mut hits = 0;
        for case in 0..1500 {
            let ends = [random.vector(), random.vector()];
            let radii = [random.between(0.02, 0.5), random.between(0.02, 0.5)];
            let shape = Shape::cone(ends, radii);
            let ray = ray(4.0 * random.vector().normalize(), 1.2 * random.vector());
            if let Some(hit) = shape.hit(&ray, 0.0, FAR) {
                hits += 1;
                let point = ray.at(hit.t);
                assert!(distance_to_hull(point, ends, radii).abs() < 1e-4, "case {case}");
                // The hit is the entry: just before it the ray is outside, and the normal faces the ray.
                assert!(distance_to_hull(ray.at(hit.t - 0.02), ends, radii) > 0.0, "case {case}");
                let normal = shape.normal(point);
                assert!(normal.dot(ray.direction) < 1e-3);
                let (out, inwards) = (point + 1e-2 * normal, point - 1e-2 * normal);
                assert!((distance_to_hull(out, ends, radii) - 1e-2).abs() < 2e-4, "case {case}");
                assert!(distance_to_hull(inwards, ends, radii) < 0.0);
            } else {
                let gap = (0..400).map(|k| distance_to_hull(ray.at(0.02 * k as f32), ends, radii));
                assert!(gap.fold(f32::INFINITY, f32::min) > -2e-3, "case {case}");
            }
        }
        assert!(hits > 200, "{hits}");
    }

    #[test]
    fn a_very_thin_capsule_is_hit_across_its_whole_width() {
        let radius = 4e-5;
        let ends = [Vec3::new(-0.01, 0.0, 3.0), Vec3::new(0.01, 0.0, 3.0)];
        let shape = Shape::cone(ends, [radius; 2]);
        for (offset, expected) in [(0.0, true), (0.95, true), (-0.95, true), (1.05, false)] {
            let ray = Ray { origin: Vec3::new(0.004, offset * radius, 0.0), direction: Vec3::Z };
            assert_eq!(shape.hit(&ray, 0.0, FAR).is_some(), expected, "at {offset} radii");
        }
    }

    #[test]
    fn rays_from_inside_a_cone_have_no_hit() {
        let shape = Shape::cone([Vec3::ZERO, Vec3::Y], [0.3, 0.2]);
        let mut random = Random::new(2);
        for _ in 0..200 {
            let origin = Vec3::Y * random.between(0.0, 1.0) + 0.1 * random.vector();
            assert_eq!(shape.hit(&ray(origin, origin + random.vector()), 0.0, FAR), None);
        }
    }

    #[test]
    fn triangle_hits_are_at_the_target_of_the_ray() {
        let mut random = Random::new(3);
        for _ in 0..1000 {
            let [a, b, c] = [(); 3].map(|()| random.vector());
            if (b - a).cross(c - a).length() < 0.1 {
                continue;
            }
            let triangle = Shape::Triangle { corner: a, edges: [b - a, c - a] };
            let (v, w) = (random.between(-0.5, 1.2), random.between(-0.5, 1.2));
            let aim = a + v * (b - a) + w * (c - a);
            let ray = ray(3.0 * random.vector().normalize(), aim);
            if ray.direction.dot(triangle.normal(aim)).abs() < 0.05 {
                continue;
            }
            let margin = v.min(w).min(1.0 - v - w);
            match triangle.hit(&ray, 0.0, FAR) {
                Some(hit) => {
                    assert!(margin > -1e-3 && ray.at(hit.t).distance(aim) < 1e-4);
                    assert!((hit.weights[0] - v).abs() + (hit.weights[1] - w).abs() < 1e-3);
                }
                None => assert!(margin < 1e-3),
            }
        }
    }

    #[test]
    fn bounding_boxes_contain_all_hits() {
        let mut random = Random::new(4);
        for _ in 0..2000 {
            let ends = [random.vector(), random.vector()];
            let radii = [random.between(0.01, 0.4), random.between(0.01, 0.4)];
            let shapes = [
                Shape::cone(ends, radii),
                Shape::Sphere { center: ends[0], radius: radii[0] },
                Shape::Triangle { corner: ends[0], edges: [ends[1], random.vector()] },
            ];
            for shape in shapes {
                let ray = ray(4.0 * random.vector().normalize(), random.vector());
                let [low, high] = shape.bounds();
                if let Some(hit) = shape.hit(&ray, 0.0, FAR) {
                    let point = ray.at(hit.t);
                    assert!(point.cmpge(low - 1e-4).all() && point.cmple(high + 1e-4).all());
                }
            }
        }
    }
}
