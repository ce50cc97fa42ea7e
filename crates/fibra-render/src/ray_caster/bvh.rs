//! A tree of boxes over all shapes, four boxes to a node, that finds what a ray meets in logarithmic time.

use super::bvh_build::build;
use super::shape::{Hit, Ray, Shape};
use glam::Vec4;

/// Levels of nodes after which sets are halved by count instead of by cost. Halving needs at most 16 levels more for
/// 2^32 shapes, so the depth, and with it the traversal's stack, is bounded whatever the shapes.
pub(super) const COST_LEVELS: u32 = 24;

/// Entries the traversal may have to remember: three siblings per level.
const STACK: usize = 3 * (COST_LEVELS as usize + 16) + 1;

/// The tree. Shapes keep the order of its leaves; [`Bvh::id`] leads back to the order given.
pub(super) struct Bvh {
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    ids: Vec<u32>,
}

/// Four boxes side by side, so that one instruction tests them all.
pub(super) struct Node {
    /// Lower and upper planes of the four boxes, by axis. A box that is not there is empty and never hit.
    pub planes: [[Vec4; 2]; 3],
    /// Index of the child node, or of the first shape of a leaf.
    pub first: [u32; 4],
    /// Number of shapes of a leaf; 0 for a child node.
    pub count: [u8; 4],
}

/// The nearest meeting of a ray with all shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Nearest {
    pub hit: Hit,
    /// Place of the shape in the tree's order.
    pub place: u32,
}

impl Bvh {
    /// Builds the tree. All shapes must be finite.
    pub fn new(mut shapes: Vec<Shape>) -> Bvh {
        let (nodes, ids) = build(&shapes);
        reorder(&mut shapes, &ids);
        Bvh { nodes, shapes, ids }
    }

    /// Index of a shape in the list the tree was built from.
    pub fn id(&self, place: u32) -> usize {
        self.ids[place as usize] as usize
    }

    /// The shape at a place in the tree's order.
    pub fn shape(&self, place: u32) -> &Shape {
        &self.shapes[place as usize]
    }

    /// The first meeting at a distance in `near..far`.
    pub fn nearest(&self, ray: &Ray, near: f32, far: f32) -> Option<Nearest> {
        let slabs = Slabs::new(ray);
        let mut best: Option<Nearest> = None;
        let mut far = far;
        let mut stack = [(0u32, 0f32); STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        stack[0] = (0, near);
        while height > 0 {
            height -= 1;
            let (index, entry) = stack[height];
            if entry >= far {
                continue;
            }
            let node = &self.nodes[index as usize];
            let (mut mask, entries) = slabs.meet(node, near, far);
            // Leaves are tried at once, since a hit cuts the ray short; nodes are kept, the nearest on top.
            let base = height;
            while mask != 0 {
                let lane = mask.trailing_zeros() as usize;
                mask &= mask - 1;
                let (first, count, entry) = (node.first[lane], node.count[lane], entries[lane]);
                if count > 0 {
                    for place in first..first + u32::from(count) {
                        if let Some(hit) = self.shapes[place as usize].hit(ray, near, far) {
                            far = hit.t;
                            best = Some(Nearest { hit, place });
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

    /// Whether anything lies at a distance in `near..far`.
    pub fn blocked(&self, ray: &Ray, near: f32, far: f32) -> bool {
        let slabs = Slabs::new(ray);
        let mut stack = [0u32; STACK];
        let mut height = usize::from(!self.nodes.is_empty());
        while height > 0 {
            height -= 1;
            let node = &self.nodes[stack[height] as usize];
            let (mut mask, _) = slabs.meet(node, near, far);
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

/// Moves shape `order[place]` to each `place`, round after round of shapes that change places, with no room for a copy.
fn reorder(shapes: &mut [Shape], order: &[u32]) {
    let mut moved = vec![false; shapes.len()];
    for start in 0..shapes.len() {
        let (first, mut place) = (shapes[start], start);
        while !moved[place] {
            moved[place] = true;
            let from = order[place] as usize;
            shapes[place] = if from == start { first } else { shapes[from] };
            place = from;
        }
    }
}

/// A ray in the form the box test wants.
struct Slabs {
    origin: [Vec4; 3],
    inverse: [Vec4; 3],
    /// For each axis, which of the two planes the ray meets first.
    first: [usize; 3],
}

impl Slabs {
    fn new(ray: &Ray) -> Slabs {
        // A direction of exactly 0 would make 0 times infinity; one so small that it makes no difference does not.
        let inverse = ray.direction.to_array().map(|d| 1.0 / if d.abs() < 1e-12 { 1e-12f32.copysign(d) } else { d });
        Slabs {
            origin: ray.origin.to_array().map(Vec4::splat),
            inverse: inverse.map(Vec4::splat),
            first: inverse.map(|i| usize::from(i < 0.0)),
        }
    }

    /// Which of a node's boxes the ray crosses within `near..far`, and where it enters each.
    #[inline]
    fn meet(&self, node: &Node, near: f32, far: f32) -> (u32, [f32; 4]) {
        let mut entry = Vec4::splat(near);
        let mut exit = Vec4::splat(f32::INFINITY);
        for axis in 0..3 {
            let [enter, leave] = [self.first[axis], 1 - self.first[axis]]
                .map(|side| (node.planes[axis][side] - self.origin[axis]) * self.inverse[axis]);
            entry = entry.max(enter);
            exit = exit.min(leave);
        }
        // The factor covers the rounding of both differences and products, so that no grazed box is lost.
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
            // Equal distances may come from either shape; the distance itself must agree to the bit.
            assert_eq!(found.map(|n| n.hit.t), expected.map(|e| e.0), "ray {k}");
            assert_eq!(bvh.blocked(&ray, 1e-4, far), expected.is_some(), "ray {k}");
            if let Some(found) = found {
                let again = shapes[bvh.id(found.place)].hit(&ray, 1e-4, far).unwrap();
                assert_eq!(again, found.hit);
                hits += 1;
            }
        }
        hits
    }

    #[test]
    fn the_tree_finds_what_brute_force_finds() {
        let mut random = Random::new(11);
        let mut hits = 0;
        for (count, size) in [(0, 0.1), (1, 0.5), (2, 0.5), (5, 0.3), (40, 0.2), (3000, 0.03), (9000, 0.01)] {
            let shapes = random_shapes(&mut random, count, size);
            hits += compare(&shapes, &mut random, 400);
        }
        assert!(hits > 250, "{hits}");
    }

    #[test]
    fn crowded_and_drawn_out_sets_build_and_answer() {
        let mut random = Random::new(12);
        let same = vec![Shape::Sphere { center: Vec3::ONE, radius: 0.5 }; 1000];
        compare(&same, &mut random, 200);
        // Each next to a far larger one: the cost split peels off one at a time, which the depth limit must stop.
        let drawn_out: Vec<Shape> = (0..240)
            .map(|k| 1.4f32.powi(k - 200))
            .map(|x| Shape::Sphere { center: Vec3::splat(x), radius: 0.1 * x })
            .collect();
        compare(&drawn_out, &mut random, 200);
    }
}
