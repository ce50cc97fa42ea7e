//! Builds the bounding volume hierarchy in parallel with the surface area heuristic. The result is deterministic.

use super::bvh::{COST_LEVELS, Node};
use super::shape::Shape;
use glam::{Vec3, Vec4};

/// Maximum number of shapes in a leaf.
const LEAF: usize = 4;

/// Number of bins per axis when a set of shapes is split.
const BINS: usize = 16;

/// Sets above this size are built in parallel. The tree does not depend on this value.
const PARALLEL: usize = 4096;

/// Returns the nodes of the tree, starting with the root, and the shape indices in the order of the leaves.
pub(super) fn build(shapes: &[Shape]) -> (Vec<Node>, Vec<u32>) {
    let mut items: Vec<Item> = (0..).zip(shapes).map(|(id, shape)| Item::new(shape, id)).collect();
    let root = if items.is_empty() { Vec::new() } else { children(&mut items, 0, 0) };
    let ids = items.iter().map(|item| item.id).collect();
    // Free this memory before the next step, because there may be millions of shapes.
    drop(items);
    let mut nodes = Vec::new();
    if !root.is_empty() {
        flatten(root, &mut nodes);
    }
    (nodes, ids)
}

/// Bounding box and index of a shape during the construction.
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

    /// Returns twice the center; the factor does not affect the order.
    fn center(&self) -> Vec3 {
        self.low + self.high
    }
}

/// An axis-aligned bounding box.
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

    /// Returns half the surface area [m^2], which is proportional to the probability that a ray crosses the box.
    fn half_area(&self) -> f32 {
        let size = (self.high - self.low).max(Vec3::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A subtree before it is flattened.
struct Child {
    bounds: Bounds,
    kind: Kind,
}

enum Kind {
    Leaf { first: u32, count: u8 },
    Inner(Vec<Child>),
}

/// Splits a set into up to four parts and builds their subtrees. `first` is the index of the set's first item in the order of the
/// tree.
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

/// Builds the subtree of a set; `None` for an empty set.
fn child(items: &mut [Item], first: usize, level: u32) -> Option<Child> {
    let bounds = items.iter().fold(Bounds::EMPTY, |sum, item| sum.with(item.low, item.high));
    let kind = match items.len() {
        0 => return None,
        count @ 1..=LEAF => Kind::Leaf { first: first as u32, count: count as u8 },
        _ => Kind::Inner(children(items, first, level)),
    };
    Some(Child { bounds, kind })
}

/// Partitions a set into two parts and returns the start of the second.
///
/// With `by_cost`, uses the surface area heuristic: among the planes between [`BINS`] bins per axis, chooses the plane for
/// which the sum of (number of shapes) x (area of their box) over both parts is smallest. Otherwise, or if all centers
/// coincide, splits into halves.
fn split(items: &mut [Item], by_cost: bool) -> usize {
    let centers = items.iter().fold(Bounds::EMPTY, |sum, item| sum.with(item.center(), item.center()));
    let extent = centers.high - centers.low;
    let half = items.len() / 2;
    if items.len() <= 2 || extent.max_element() <= 0.0 {
        return half;
    }
    if !by_cost {
        let axis = extent.max_position();
        let key = |item: &Item| (item.center()[axis], item.id);
        items.select_nth_unstable_by(half, |a, b| {
            let ((a, a_id), (b, b_id)) = (key(a), key(b));
            a.total_cmp(&b).then(a_id.cmp(&b_id))
        });
        return half;
    }
    let scale = extent.map(|size| if size > 0.0 { BINS as f32 * 0.9999 / size } else { 0.0 });
    let bin = |item: &Item| ((item.center() - centers.low) * scale).to_array().map(|x| (x as usize).min(BINS - 1));
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

/// Stores a node and its descendants in depth-first order and returns the index of the node.
fn flatten(children: Vec<Child>, nodes: &mut Vec<Node>) -> u32 {
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
    for (lane, child) in children.into_iter().enumerate() {
        let (first, count) = match child.kind {
            Kind::Leaf { first, count } => (first, count),
            Kind::Inner(children) => (flatten(children, nodes), 0),
        };
        nodes[index].first[lane] = first;
        nodes[index].count[lane] = count;
    }
    index as u32
}
