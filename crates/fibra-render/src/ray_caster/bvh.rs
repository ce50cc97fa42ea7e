//! A bounding volume hierarchy (BVH) with four boxes per node.

use super::bvh_build::build;
use super::shape::{Hit, Ray, Shape};
use glam::Vec4;

/// Depth from which sets are split at the median instead of by cost. Median splits need at most 16 more levels for 2^32 shapes, so
/// the depth and the traversal stack are bounded for all inputs.
pub(super) const COST_LEVELS: u32 = 24;

/// Size of the traversal stack: three siblings per level.
const STACK: usize = 3 * (COST_LEVELS as usize + 16) + 1;

/// The tree. Shapes are stored in the order of the leaves; [`Bvh::id`] returns the original index.
pub(super) struct Bvh {
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    ids: Vec<u32>,
}

/// A node with four boxes, which SIMD instructions test together.
pub(super) struct Node {
    /// Lower and upper planes of the four boxes, by axis. Unused boxes are empty and never hit.
    pub planes: [[Vec4; 2]; 3],
    /// Index of the child node, or of the first shape of a leaf.
    pub first: [u32; 4],
    /// Number of shapes of a leaf; 0 for a child node.
    pub count: [u8; 4],
}

/// The nearest hit of a ray.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub hit: Hit,
    /// Index of the shape in the order of the tree.
    pub index: u32,
}

impl Bvh {
    /// Builds the tree. All shapes must be finite.
    pub fn new(mut shapes: Vec<Shape>) -> Bvh {
        let (nodes, ids) = build(&shapes);
        reorder(&mut shapes, &ids);
        Bvh { nodes, shapes, ids }
    }

    /// Returns the index of a shape in the list from which the tree was built.
    pub fn id(&self, index: u32) -> usize {
        self.ids[index as usize] as usize
    }

    /// Returns the shape with an index in the order of the tree.
    pub fn shape(&self, index: u32) -> &Shape {
        &self.shapes[index as usize]
    }

    /// Returns the nearest hit at a distance in `near..far`.
    pub fn nearest(&self, ray: &Ray, near: f32, far: f32) -> Option<Nearest> {
        let slabs = Slabs::new(ray);
        let mut best: Option<Nearest> = None;
        let mut far = far;
        let mut stack = [(0u32, 0f32); STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        stack[0] = (0, near);
        while height > 0 {
            height -= 1;
            let (node, entry) = stack[height];
            if entry >= far {
                continue;
            }
            let node = &self.nodes[node as usize];
            let (mut mask, entries) = slabs.intersect(node, near, far);
            // Leaves are tested immediately, because a hit shortens the ray. Nodes are pushed with the nearest on top.
            let base = height;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let (first, count, entry) = (node.first[lane], node.count[lane], entries[lane]);
                if count > 0 {
                    for index in first..first + u32::from(count) {
                        if let Some(hit) = self.shapes[index as usize].hit(ray, near, far) {
                            far = hit.t;
                            best = Some(Nearest { hit, index });
                        }
                    }
                } else {
                    let mut slot = height;
                    while slot > base && stack[slot - 1].1 < entry {
                        stack[slot] = stack[slot - 1];
                        slot -= 1;
                    }
                    stack[slot] = (first, entry);
                    height += 1;
                }
            }
        }
        best
    }

    /// Returns whether the ray hits any shape at a distance in `near..far`.
    pub fn blocked(&self, ray: &Ray, near: f32, far: f32) -> bool {
        let slabs = Slabs::new(ray);
        let mut stack = [0u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            let (mut mask, _) = slabs.intersect(node, near, far);
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let (first, count) = (node.first[lane], node.count[lane]);
                if count > 0 {
                    let leaf = &self.shapes[first as usize..first as usize + usize::from(count)];
                    if leaf.iter().any(|shape| shape.hit(ray, near, far).is_some()) {
                        return true;
                    }
                } else {
                    stack[height] = first;
                    height += 1;
                }
            }
        }
        false
    }
}

/// Permutes the shapes in place, cycle by cycle: shape `order[k]` moves to index `k`.
fn reorder(shapes: &mut [Shape], order: &[u32]) {
    let mut moved = vec![false; shapes.len()];
    for start in 0..shapes.len() {
        let (first, mut to) = (shapes[start], start);
        while !moved[to] {
            moved[to] = true;
            let from = order[to] as usize;
            shapes[to] = if from == start { first } else { shapes[from] };
            to = from;
        }
    }
}

/// A ray prepared for the slab test.
struct Slabs {
    origin: [Vec4; 3],
    inverse: [Vec4; 3],
    /// For each axis, the plane that the ray crosses first.
    first: [usize; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Slabs {
        // A component of exactly 0 could give 0 times infinity, so it is replaced by a negligibly small one.
        let inverse = ray.direction.to_array().map(|d| 1.0 / if d.abs() < 1e-12 { 1e-12f32.copysign(d) } else { d });
        Slabs {
            origin: ray.origin.to_array().map(Vec4::splat),
            inverse: inverse.map(Vec4::splat),
            first: inverse.map(|i| usize::from(i < 0.0)),
        }
    }

    /// Returns a mask of the node's boxes that the ray crosses within `near..far`, and the entry distances.
    #[inline]
    fn intersect(&self, node: &Node, near: f32, far: f32) -> (u32, [f32; 4]) {
        let mut entry = Vec4::splat(near);
        let mut exit = Vec4::splat(f32::INFINITY);
        for axis in 0..3 {
            let [enter, leave] = [self.first[axis], 1 - self.first[axis]]
                .map(|side| (node.planes[axis][side] - self.origin[axis]) * self.inverse[axis]);
            entry = entry.max(enter);
            exit = exit.min(leave);
        }
        // The factor covers the rounding errors of differences and products, so that no grazed box is missed.
        exit = (exit * 1.000_001).min(Vec4::splat(far));
        (entry.cmple(exit).bitmask(), entry.to_array())
    }
}

#[cfg(test)]
mod tests {
    use super::super::brick::Brick;
    use super::super::sampler::Random;
    use super::*;
    use glam::{Quat, Vec3};

    fn random_shapes(random: &mut Random, count: usize, size: f32) -> Vec<Shape> {
        (0..count)
            .map(|k| {
                let at = random.vector();
                match k % 4 {
                    0 => Shape::Sphere { center: at, radius: random.between(0.1, 1.0) * size },
                    1 => Shape::cone(
                        [at, at + 4.0 * size * random.vector()],
                        [random.between(0.1, 0.5) * size, random.between(0.1, 0.5) * size],
                    ),
                    2 => Shape::Brick(Brick::new(
                        at,
                        Quat::from_scaled_axis(random.vector()),
                        size * Vec3::new(random.between(0.1, 1.0), 0.2, random.between(0.5, 2.0)),
                    )),
                    _ => Shape::Triangle {
                        corner: at,
                        edges: [3.0 * size * random.vector(), 3.0 * size * random.vector()],
                    },
                }
            })
            .collect()
    }

    fn brute_force(shapes: &[Shape], ray: &Ray, near: f32, far: f32) -> Option<(f32, usize)> {
        let hits = shapes.iter().enumerate().filter_map(|(id, s)| s.hit(ray, near, far).map(|hit| (hit.t, id)));
        hits.min_by(|a, b| a.0.total_cmp(&b.0))
    }

    fn compare(shapes: &[Shape], random: &mut Random, rays: usize) -> usize {
        let bvh = Bvh::new(shapes.to_vec());
        let mut hits = 0;
        for k in 0..rays {
            let origin = if k % 2 == 0 { 4.0 * random.vector() } else { random.vector() };
            let mut direction = (random.vector() - 0.5 * origin).normalize();
            if k % 16 == 0 {
                direction = Vec3::AXES[k / 16 % 3];
            }
            let ray = Ray { origin, direction };
            let far = if k % 3 == 0 { random.between(0.1, 3.0) } else { f32::INFINITY };
            let expected = brute_force(shapes, &ray, 1e-4, far);
            let found = bvh.nearest(&ray, 1e-4, far);
            // Shapes at equal distances are interchangeable, but the distances must be bitwise equal.
            assert_eq!(found.map(|n| n.hit.t), expected.map(|e| e.0), "ray {k}");
            assert_eq!(bvh.blocked(&ray, 1e-4, far), expected.is_some(), "ray {k}");
            if let Some(found) = found {
                let again = shapes[bvh.id(found.index)].hit(&ray, 1e-4, far).unwrap();
                assert_eq!(again, found.hit);
                hits += 1;
            }
        }
        hits
    }

    #[test]
    fn hits_agree_with_brute_force() {
        let mut random = Random::new(11);
        let mut hits = 0;
        for (count, size) in [(0, 0.1), (1, 0.5), (2, 0.5), (5, 0.3), (40, 0.2), (3000, 0.03), (9000, 0.01)] {
            let shapes = random_shapes(&mut random, count, size);
            hits += compare(&shapes, &mut random, 400);
        }
        assert!(hits > 250, "{hits}");
    }

    #[test]
    fn coincident_shapes_and_geometric_series_are_supported() {
        let mut random = Random::new(12);
        let same = vec![Shape::Sphere { center: Vec3::ONE, radius: 0.5 }; 1000];
        compare(&same, &mut random, 200);
        // In a geometric series of sizes, splits by cost separate one shape at a time; the depth limit must stop this.
        let series: Vec<Shape> = (0..240)
            .map(|k| 1.4f32.powi(k - 200))
            .map(|x| Shape::Sphere { center: Vec3::splat(x), radius: 0.1 * x })
            .collect();
        compare(&series, &mut random, 200);
    }
}
