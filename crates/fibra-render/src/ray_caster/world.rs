//! A picture prepared for rendering: its shapes are validated and stored in a tree, which returns the surface that a ray hits.

use super::brick;
use super::bvh::{Bvh, Nearest};
use super::camera::View;
use super::picture::{Brick, Finish, Ground, Picture};
use super::shape::{Ray, Shape};
use fibra_core::geometry::smooth_normals;
use glam::Vec3;
use rayon::prelude::*;

/// Numbers of shapes that were drawn and skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of spheres, capsules, bricks, segments and triangles drawn.
    pub drawn: usize,
    /// Skipped because a position or radius is not finite or exceeds 1e12 m.
    pub not_finite: usize,
    /// Skipped because they are degenerate: a radius that is not positive, or a triangle without area.
    pub degenerate: usize,
    /// Segments and triangles skipped because a vertex index is out of range.
    pub bad_index: usize,
}

/// Largest coordinate [m] for which areas and squares of lengths stay finite.
const MAX_COORDINATE: f32 = 1e12;

/// Minimum radius of a strand in the image [pixels]. Thinner strands would fall between the samples and appear as dots.
const STRAND_PIXELS: f32 = 0.35;

/// The element of the picture that a shape represents.
#[derive(Clone, Copy)]
enum Source {
    Sphere(u32),
    Capsule(u32),
    Brick(u32),
    Segment { curves: u32, segment: u32 },
    Triangle { mesh: u32, triangle: u32 },
}

/// Why a shape is skipped.
enum Rejection {
    NotFinite,
    Degenerate,
    BadIndex,
}

/// The picture in a form for ray casting.
pub(super) struct World<'a> {
    picture: &'a Picture,
    bvh: Bvh,
    sources: Vec<Source>,
    /// Tangents of the curves. [curves][vertices]
    tangents: Vec<Vec<Vec3>>,
    /// Computed unit normals of the meshes without normals. [meshes][vertices]
    normals: Vec<Vec<Vec3>>,
    ground: Option<Ground>,
    view: View,
}

/// A visible point with the data for shading.
pub(super) struct Surface {
    pub point: Vec3,
    /// Origin for secondary rays, offset so that they do not hit the surface itself.
    pub outside: Vec3,
    /// Origin for secondary rays on the inner side, for solids: a ray that starts inside leaves them without a hit.
    pub inside: Option<Vec3>,
    /// Unit shading normal, facing the eye.
    pub normal: Vec3,
    /// Linear RGB.
    pub color: Vec3,
    pub finish: Finish,
    /// The strand, for surfaces with [`Finish::Fiber`].
    pub strand: Option<Strand>,
    /// Distance from the eye [m] if this is the ground.
    pub ground: Option<f32>,
}

/// A strand near a visible point.
pub(super) struct Strand {
    /// Unit direction along the strand.
    pub tangent: Vec3,
    /// Point of the axis nearest to the visible point.
    pub axis: Vec3,
    /// Distance from the axis to the origins of secondary rays [m].
    pub radius: f32,
}

impl<'a> World<'a> {
    pub fn new(picture: &'a Picture, view: View) -> (World<'a>, Stats) {
        let mut shapes = Shapes::with_capacity(picture);
        for (i, sphere) in (0u32..).zip(&picture.spheres) {
            let shape = check_ball(sphere.center, sphere.radius)
                .map(|()| Shape::Sphere { center: sphere.center, radius: sphere.radius });
            shapes.add(shape, Source::Sphere(i));
        }
        for (i, capsule) in (0u32..).zip(&picture.capsules) {
            shapes.add(strand(&view, capsule.ends, capsule.radii, capsule.finish), Source::Capsule(i));
        }
        for (i, brick) in (0u32..).zip(&picture.bricks) {
            shapes.add(check_brick(brick), Source::Brick(i));
        }
        for (c, curves) in (0u32..).zip(&picture.curves) {
            for (i, ends) in (0u32..).zip(&curves.segments) {
                let shape = match ends.map(|end| curves.positions.get(end as usize).copied()) {
                    [Some(a), Some(b)] => strand(&view, [a, b], [curves.radius; 2], curves.finish),
                    _ => Err(Rejection::BadIndex),
                };
                shapes.add(shape, Source::Segment { curves: c, segment: i });
            }
        }
        for (m, mesh) in (0u32..).zip(&picture.meshes) {
            for (i, triangle) in (0u32..).zip(&mesh.triangles) {
                let corners = triangle.map(|corner| mesh.positions.get(corner as usize).copied());
                shapes.add(check_triangle(corners), Source::Triangle { mesh: m, triangle: i });
            }
        }
        let Shapes { shapes, sources, stats } = shapes;
        let tangents = picture.curves.par_iter().map(|curves| curves.tangents());
        let normals = picture.meshes.par_iter().map(|mesh| {
            if mesh.normals.len() == mesh.positions.len() {
                Vec::new()
            } else {
                smooth_normals(&mesh.positions, &mesh.triangles)
            }
        });
        let ground = picture.ground.and_then(|ground| {
            let normal = ground.normal.try_normalize()?;
            ground.point.is_finite().then_some(Ground { normal, ..ground })
        });
        let (tangents, normals) = (tangents.collect(), normals.collect());
        let world = World { picture, bvh: Bvh::new(shapes), sources, tangents, normals, ground, view };
        (world, stats)
    }

    /// Returns the ground, with a unit normal.
    pub fn ground(&self) -> Option<&Ground> {
        self.ground.as_ref()
    }

    pub fn picture(&self) -> &Picture {
        self.picture
    }

    pub fn view(&self) -> &View {
        &self.view
    }

    /// Returns the first surface that a ray hits; `None` for the sky.
    pub fn first_hit(&self, ray: &Ray) -> Option<Surface> {
        let floor = self.ground.as_ref().and_then(|ground| hit_ground(ground, ray));
        match self.bvh.nearest(ray, 0.0, floor.unwrap_or(f32::INFINITY)) {
            Some(nearest) => Some(self.surface(ray, &nearest)),
            None => floor.zip(self.ground.as_ref()).map(|(t, ground)| {
                let point = ray.at(t);
                Surface {
                    point,
                    outside: point + lift(point, t) * ground.normal,
                    inside: None,
                    normal: ground.normal,
                    color: ground.color,
                    finish: Finish::Matte,
                    strand: None,
                    ground: Some(t),
                }
            }),
        }
    }

    /// Returns whether a shape blocks the ray.
    pub fn blocked(&self, ray: &Ray) -> bool {
        self.bvh.blocked(ray, 0.0, f32::INFINITY)
    }

    /// Returns whether the ray hits the ground from above.
    pub fn hits_ground(&self, ray: &Ray) -> bool {
        self.ground.as_ref().is_some_and(|ground| hit_ground(ground, ray).is_some())
    }

    fn surface(&self, ray: &Ray, nearest: &Nearest) -> Surface {
        let shape = self.bvh.shape(nearest.index);
        let point = ray.at(nearest.hit.t);
        let towards_eye = |normal: Vec3| if normal.dot(ray.direction) > 0.0 { -normal } else { normal };
        let flat = towards_eye(shape.normal(point));
        let lift = lift(point, nearest.hit.t) * flat;
        let mut surface = Surface {
            point,
            outside: point + lift,
            inside: None,
            normal: flat,
            color: Vec3::ONE,
            finish: Finish::Matte,
            strand: None,
            ground: None,
        };
        match self.sources[self.bvh.id(nearest.index)] {
            Source::Sphere(i) => {
                let sphere = &self.picture.spheres[i as usize];
                surface.inside = Some(point - lift);
                (surface.color, surface.finish) = (sphere.color, sphere.finish);
            }
            Source::Capsule(i) => {
                let capsule = &self.picture.capsules[i as usize];
                surface.inside = Some(point - lift);
                (surface.color, surface.finish) = (capsule.color, capsule.finish);
                surface.set_strand(shape, None);
            }
            Source::Brick(i) => {
                let brick = &self.picture.bricks[i as usize];
                surface.inside = Some(point - lift);
                (surface.color, surface.finish) = (brick.color, brick.finish);
            }
            Source::Segment { curves: c, segment } => {
                let curves = &self.picture.curves[c as usize];
                let ends = curves.segments[segment as usize].map(|end| end as usize);
                let colored = curves.vertex_colors.len() == curves.positions.len();
                surface.color = if colored { curves.vertex_colors[ends[0]] } else { curves.color };
                surface.finish = curves.finish;
                surface.inside = Some(point - lift);
                surface.set_strand(shape, Some(ends.map(|end| self.tangents[c as usize][end])));
            }
            Source::Triangle { mesh: m, triangle } => {
                let mesh = &self.picture.meshes[m as usize];
                let corners = mesh.triangles[triangle as usize].map(|i| i as usize);
                let [v, w] = nearest.hit.weights;
                let weights = [1.0 - v - w, v, w];
                let blend = |values: &[Vec3]| (0..3).map(|k| weights[k] * values[corners[k]]).sum::<Vec3>();
                let computed = &self.normals[m as usize];
                let normals = if computed.is_empty() { &mesh.normals } else { computed };
                let colored = mesh.vertex_colors.len() == mesh.positions.len();
                let front = if colored { blend(&mesh.vertex_colors) } else { mesh.color };
                let from_behind = shape.normal(point).dot(ray.direction) > 0.0;
                surface.color = mesh.back_color.filter(|_| from_behind).unwrap_or(front);
                surface.finish = mesh.finish;
                if let Some(mut smooth) = blend(normals).try_normalize() {
                    // Orient the smooth normal like the geometric one, which faces the ray.
                    let side = if smooth.dot(flat) < 0.0 { -1.0 } else { 1.0 };
                    smooth *= side;
                    surface.normal = smooth;
                    let positions = corners.map(|i| mesh.positions[i]);
                    let rounded = rounded_point(point, weights, positions, corners.map(|i| side * normals[i]));
                    surface.outside += (rounded - point).project_onto_normalized(flat);
                }
            }
        }
        surface
    }
}

impl Surface {
    /// Sets strand and normal of a fiber from the shape and the tangents of its curve at both ends.
    fn set_strand(&mut self, shape: &Shape, directions: Option<[Vec3; 2]>) {
        let (Finish::Fiber, Some([start, end])) = (self.finish, shape.axis()) else { return };
        let Some(straight) = (end - start).try_normalize() else { return };
        let directions = directions.unwrap_or([straight; 2]).map(|direction| {
            let direction = direction.normalize_or(straight);
            if direction.dot(straight) < 0.0 { -direction } else { direction }
        });
        // The cross-section is interpolated between the two ends. Adjacent segments have the same cross-section at their common end, so the
        // corners of the curve are not visible in the shading. The signed distances from both ends give the interpolation parameter.
        let [behind, ahead] = [(self.point - start).dot(directions[0]), (end - self.point).dot(directions[1])];
        let reach = (behind / (behind + ahead).max(f32::MIN_POSITIVE)).clamp(0.0, 1.0);
        let tangent = directions[0].lerp(directions[1], reach).normalize_or(straight);
        let axis = start.lerp(end, reach);
        // The round cap at the tip of a strand keeps its own normal.
        let across = self.normal.reject_from_normalized(tangent);
        if across.length_squared() > 0.25 {
            self.normal = across.normalize();
        }
        self.strand = Some(Strand { tangent, axis, radius: self.outside.distance(axis) });
    }
}

impl Strand {
    /// Returns a unit vector across the strand at which light does not graze the surface: `outward`, or the nearest such vector
    /// toward the light. Grazing rays would hit the adjacent segment wherever the curve bends.
    pub fn towards_light(&self, outward: Vec3, light: Vec3) -> Vec3 {
        /// Sine of the smallest allowed angle between light and surface [-].
        const MIN_SINE: f32 = 0.35;
        let across = |vector: Vec3| vector.reject_from_normalized(self.tangent).try_normalize();
        let (Some(outward), Some(light)) = (across(outward), across(light)) else { return outward };
        if outward.dot(light) > MIN_SINE {
            return outward;
        }
        let flat = light.cross(self.tangent);
        MIN_SINE * light + (1.0 - MIN_SINE * MIN_SINE).sqrt().copysign(outward.dot(flat)) * flat
    }
}

/// Shapes for the tree, with statistics of skipped shapes.
struct Shapes {
    shapes: Vec<Shape>,
    sources: Vec<Source>,
    stats: Stats,
}

impl Shapes {
    fn with_capacity(picture: &Picture) -> Shapes {
        let segments: usize = picture.curves.iter().map(|curves| curves.segments.len()).sum();
        let triangles: usize = picture.meshes.iter().map(|mesh| mesh.triangles.len()).sum();
        let count = picture.spheres.len() + picture.capsules.len() + picture.bricks.len() + segments + triangles;
        Shapes { shapes: Vec::with_capacity(count), sources: Vec::with_capacity(count), stats: Stats::default() }
    }

    fn add(&mut self, shape: Result<Shape, Rejection>, source: Source) {
        match shape {
            Ok(shape) => {
                self.shapes.push(shape);
                self.sources.push(source);
                self.stats.drawn += 1;
            }
            Err(Rejection::NotFinite) => self.stats.not_finite += 1,
            Err(Rejection::Degenerate) => self.stats.degenerate += 1,
            Err(Rejection::BadIndex) => self.stats.bad_index += 1,
        }
    }
}

/// Returns the hull of two balls. Fibers are widened to the minimum visible radius.
fn strand(view: &View, ends: [Vec3; 2], radii: [f32; 2], finish: Finish) -> Result<Shape, Rejection> {
    for (center, radius) in ends.into_iter().zip(radii) {
        check_ball(center, radius)?;
    }
    let seen = |end: usize| match finish {
        Finish::Fiber => radii[end].max(STRAND_PIXELS * view.pixel * view.depth(ends[end])),
        _ => radii[end],
    };
    Ok(Shape::cone(ends, [seen(0), seen(1)]))
}

/// Projects a point from its flat triangle to the curved surface that the vertex normals represent [Hanika2021]. Shadow rays that
/// start from the flat triangles of a coarse mesh would give a jagged shadow edge at the terminator.
fn rounded_point(point: Vec3, weights: [f32; 3], corners: [Vec3; 3], normals: [Vec3; 3]) -> Vec3 {
    let raised = |k: usize| point - (point - corners[k]).dot(normals[k]).min(0.0) * normals[k];
    (0..3).map(|k| weights[k] * raised(k)).sum()
}

/// Returns the distance at which a ray hits the ground from above.
fn hit_ground(ground: &Ground, ray: &Ray) -> Option<f32> {
    let descent = -ray.direction.dot(ground.normal);
    let height = (ray.origin - ground.point).dot(ground.normal);
    let t = height / descent;
    (descent > 0.0 && height > 0.0 && t.is_finite()).then_some(t)
}

/// Returns the offset of secondary rays from a surface [m], which exceeds the rounding errors of a point at distance `t`.
fn lift(point: Vec3, t: f32) -> f32 {
    4e-6 * (point.abs().max_element() + t)
}

fn check_brick(brick: &Brick) -> Result<Shape, Rejection> {
    let Brick { center, rotation, half_extents, .. } = *brick;
    check_point(center)?;
    check_point(half_extents)?;
    let rotation = rotation.normalize();
    if !rotation.is_finite() {
        return Err(Rejection::NotFinite);
    }
    match half_extents.cmpgt(Vec3::ZERO).all() {
        true => Ok(Shape::Brick(brick::Brick::new(center, rotation, half_extents))),
        false => Err(Rejection::Degenerate),
    }
}

fn check_point(point: Vec3) -> Result<(), Rejection> {
    if point.abs().cmple(Vec3::splat(MAX_COORDINATE)).all() { Ok(()) } else { Err(Rejection::NotFinite) }
}

fn check_ball(center: Vec3, radius: f32) -> Result<(), Rejection> {
    check_point(center)?;
    check_point(Vec3::splat(radius))?;
    if radius > 0.0 { Ok(()) } else { Err(Rejection::Degenerate) }
}

fn check_triangle(corners: [Option<Vec3>; 3]) -> Result<Shape, Rejection> {
    let [Some(a), Some(b), Some(c)] = corners else {
        return Err(Rejection::BadIndex);
    };
    for corner in [a, b, c] {
        check_point(corner)?;
    }
    let edges = [b - a, c - a];
    if edges[0].cross(edges[1]).length_squared() > 0.0 {
        Ok(Shape::Triangle { corner: a, edges })
    } else {
        Err(Rejection::Degenerate)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sampler::Random;
    use super::*;

    #[test]
    fn light_directions_never_graze_a_strand() {
        let mut random = Random::new(21);
        for case in 0..500 {
            let [tangent, outward, light] = [(); 3].map(|()| random.vector().normalize());
            // For vectors nearly along the strand, the direction across it has large rounding errors.
            if [outward, light].iter().any(|vector| vector.dot(tangent).abs() > 0.95) {
                continue;
            }
            let strand = Strand { tangent, axis: Vec3::ZERO, radius: 1.0 };
            let side = strand.towards_light(outward, light);
            let across = |vector: Vec3| vector.reject_from_normalized(tangent).normalize();
            let steepness = side.dot(across(light));
            assert!((side.length() - 1.0).abs() < 1e-5 && side.dot(tangent).abs() < 1e-5, "case {case}");
            assert!(steepness > 0.34, "case {case}: {steepness}");
            if across(outward).dot(across(light)) > 0.36 {
                assert!(side.distance(across(outward)) < 1e-5, "case {case}: the direction of steep light has changed");
            }
        }
        // Opposite to the light, both sides are equally near; light along the strand has no direction across it.
        let strand = Strand { tangent: Vec3::X, axis: Vec3::ZERO, radius: 1.0 };
        assert!(strand.towards_light(Vec3::NEG_Y, Vec3::Y).y > 0.34);
        assert_eq!(strand.towards_light(Vec3::Y, Vec3::X), Vec3::Y);
    }
}
