//! A tree of boxes over all shapes, four boxes to a node, that finds what a ray meets in logarithmic time.

use super::shape::{Hit, Ray, Shape};
use glam::{Vec3, Vec4};

/// Shapes in a leaf at most.
const LEAF: usize = 4;

/// Candidate planes per axis when a set of shapes is split.
const BINS: usize = 16;

/// Levels of nodes after which sets are halved by count instead of by cost. Halving needs at most 16 levels more for
/// 2^32 shapes, so the depth, and with it the traversal's stack, is bounded whatever the shapes.
const COST_LEVELS: u32 = 24;

/// Entries the traversal may have to remember: three siblings per level.
const STACK: usize = 3 * (COST_LEVELS as usize + 16) + 1;

/// Sets above this size are built in parallel. The tree does not depend on it.
const PARALLEL: usize = 4096;

/// The tree. Shapes keep the order of its leaves; [`Bvh::id`] leads back to the order given.
pub(super) struct Bvh {
    nodes: Vec<Node>,
    shapes: Vec<Shape>,
    ids: Vec<u32>,
}

/// Four boxes side by side, so that one instruction tests them all.
struct Node {
    /// Lower and upper planes of the four boxes, by axis. A box that is not there is empty and never hit.
    planes: [[Vec4; 2]; 3],
    /// Index of the child node, or of the first shape of a leaf.
    first: [u32; 4],
    /// Number of shapes of a leaf; 0 for a child node.
    count: [u8; 4],
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
    pub fn new(shapes: &[Shape]) -> Bvh {
        let mut items: Vec<Item> = (0..shapes.len() as u32).map(|id| Item::new(&shapes[id as usize], id)).collect();
        let mut nodes = Vec::with_capacity(shapes.len() / 3 + 1);
        if !items.is_empty() {
            let children = children(&mut items, 0, 0);
            flatten(&children, &mut nodes);
        }
        Bvh {
            nodes,
            shapes: items.iter().map(|item| shapes[item.id as usize]).collect(),
            ids: items.iter().map(|item| item.id).collect(),
        }
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

/// A shape while the tree is built.
#[derive(Clone, Copy)]
struct Item {
    low: Vec3,
    high: Vec3,
    id: u32,
}

impl Item {
    fn new(shape: &Shape, id: u32) -> Item {
        let [low, high] = shape.bounds();
        Item { low, high, id }
    }

    /// Twice the middle; the factor does not matter for an order.
    fn centre(&self) -> Vec3 {
        self.low + self.high
    }
}

/// A box.
#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

impl Bounds {
    const EMPTY: Bounds = Bounds { low: Vec3::INFINITY, high: Vec3::NEG_INFINITY };

    fn with(self, low: Vec3, high: Vec3) -> Bounds {
        Bounds { low: self.low.min(low), high: self.high.max(high) }
    }

    /// Half of the surface area [m^2]: proportional to how many rays cross the box.
    fn half_area(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A part of the tree before it is laid out flat.
struct Child {
    bounds: Bounds,
    kind: Kind,
}

enum Kind {
    Leaf { first: u32, count: u8 },
    Inner(Vec<Child>),
}

/// Splits a set in two and each part in two again, then goes on with the up to four parts. `first` is the place of the
/// set's first item in the tree's order.
fn children(items: &mut [Item], first: usize, level: u32) -> Vec<Child> {
    let by_cost = level < COST_LEVELS;
    let parallel = items.len() > PARALLEL;
    let middle = split(items, by_cost);
    let (left, right) = items.split_at_mut(middle);
    let quarters = |half: &mut [Item]| if half.len() > LEAF { split(half, by_cost) } else { half.len() };
    let (left_middle, right_middle) = (quarters(left), quarters(right));
    let (a, b) = left.split_at_mut(left_middle);
    let (c, d) = right.split_at_mut(right_middle);

    let build = |part: &mut [Item], first: usize| child(part, first, level + 1);
    let (a_end, c_end) = (first + left_middle, first + middle + right_middle);
    let parts = if parallel {
        let ((a, b), (c, d)) = rayon::join(
            || rayon::join(|| build(a, first), || build(b, a_end)),
            || rayon::join(|| build(c, first + middle), || build(d, c_end)),
        );
        [a, b, c, d]
    } else {
        [build(a, first), build(b, a_end), build(c, first + middle), build(d, c_end)]
    };
    parts.into_iter().flatten().collect()
}

/// The subtree over a set; none for an empty one.
fn child(items: &mut [Item], first: usize, level: u32) -> Option<Child> {
    let bounds = items.iter().fold(Bounds::EMPTY, |sum, item| sum.with(item.low, item.high));
    let kind = match items.len() {
        0 => return None,
        count @ 1..=LEAF => Kind::Leaf { first: first as u32, count: count as u8 },
        _ => Kind::Inner(children(items, first, level)),
    };
    Some(Child { bounds, kind })
}

/// Reorders a set into two parts and returns where the second begins.
///
/// By cost: the plane among [`BINS`] per axis with the least sum of (number of shapes) x (area of their box), the
/// surface area heuristic. Otherwise, or when all centres coincide, halves.
fn split(items: &mut [Item], by_cost: bool) -> usize {
    let centres = items.iter().fold(Bounds::EMPTY, |sum, item| sum.with(item.centre(), item.centre()));
    let extent = centres.high - centres.low;
    let half = items.len() / 2;
    if items.len() <= 2 || extent.max_element() <= 0.0 {
        return half;
    }
    if !by_cost {
        let axis = extent.max_position();
        let key = |item: &Item| (item.centre()[axis], item.id);
        items.select_nth_unstable_by(half, |a, b| {
            let ((a, a_id), (b, b_id)) = (key(a), key(b));
            a.total_cmp(&b).then(a_id.cmp(&b_id))
        });
        return half;
    }
    let scale = extent.map(|size| if size > 0.0 { BINS as f32 * 0.9999 / size } else { 0.0 });
    let bin = |item: &Item| ((item.centre() - centres.low) * scale).to_array().map(|x| (x as usize).min(BINS - 1));
    let mut bins = [[(Bounds::EMPTY, 0u32); BINS]; 3];
    for item in items.iter() {
        for (axis, bin) in bin(item).into_iter().enumerate() {
            let (bounds, count) = &mut bins[axis][bin];
            *bounds = bounds.with(item.low, item.high);
            *count += 1;
        }
    }
    let mut best = (f32::INFINITY, 0, 0);
    for axis in 0..3 {
        let mut above = [0.0; BINS];
        let mut sum = (Bounds::EMPTY, 0);
        for plane in (1..BINS).rev() {
            let (bounds, count) = bins[axis][plane];
            sum = (sum.0.with(bounds.low, bounds.high), sum.1 + count);
            above[plane] = if sum.1 == 0 { f32::INFINITY } else { sum.0.half_area() * sum.1 as f32 };
        }
        let mut sum = (Bounds::EMPTY, 0);
        for plane in 1..BINS {
            let (bounds, count) = bins[axis][plane - 1];
            sum = (sum.0.with(bounds.low, bounds.high), sum.1 + count);
            let cost = sum.0.half_area() * sum.1 as f32 + above[plane];
            if sum.1 > 0 && cost < best.0 {
                best = (cost, axis, plane);
            }
        }
    }
    let (cost, axis, plane) = best;
    if cost == f32::INFINITY {
        return half;
    }
    let mut middle = 0;
    for i in 0..items.len() {
        if bin(&items[i])[axis] < plane {
            items.swap(i, middle);
            middle += 1;
        }
    }
    middle
}

/// Lays a node and all below it out in depth-first order and returns its index.
fn flatten(children: &[Child], nodes: &mut Vec<Node>) -> u32 {
    let index = nodes.len();
    let mut planes = [[[f32::INFINITY; 4], [f32::NEG_INFINITY; 4]]; 3];
    for (lane, child) in children.iter().enumerate() {
        for axis in 0..3 {
            planes[axis][0][lane] = child.bounds.low[axis];
            planes[axis][1][lane] = child.bounds.high[axis];
        }
    }
    let planes = planes.map(|axis| axis.map(Vec4::from_array));
    nodes.push(Node { planes, first: [0; 4], count: [0; 4] });
    for (lane, child) in children.iter().enumerate() {
        let (first, count) = match &child.kind {
            Kind::Leaf { first, count } => (*first, *count),
            Kind::Inner(children) => (flatten(children, nodes), 0),
        };
        nodes[index].first[lane] = first;
        nodes[index].count[lane] = count;
    }
    index as u32
}

#[cfg(test)]
mod tests {
    use super::super::sampler::Random;
    use super::*;

    fn random_shapes(random: &mut Random, count: usize, size: f32) -> Vec<Shape> {
        (0..count)
            .map(|k| {
                let at = random.vector();
                match k % 3 {
                    0 => Shape::Sphere { centre: at, radius: random.between(0.1, 1.0) * size },
                    1 => Shape::cone(
                        [at, at + 4.0 * size * random.vector()],
                        [random.between(0.1, 0.5) * size, random.between(0.1, 0.5) * size],
                    ),
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
        let bvh = Bvh::new(shapes);
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
        let same = vec![Shape::Sphere { centre: Vec3::ONE, radius: 0.5 }; 1000];
        compare(&same, &mut random, 200);
        // Each next to a far larger one: the cost split peels off one at a time, which the depth limit must stop.
        let drawn_out: Vec<Shape> = (0..240)
            .map(|k| 1.4f32.powi(k - 200))
            .map(|x| Shape::Sphere { centre: Vec3::splat(x), radius: 0.1 * x })
            .collect();
        compare(&drawn_out, &mut random, 200);
    }
}
