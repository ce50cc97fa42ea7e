//! Render strands interpolated from simulated guide strands: each strand follows its three nearest guides [Huang2023, Sec. 5; Yuksel2010].
//!
//! A guide vertex moves nearby points as a rigid body. If the vertex has moved from `g_rest` to `g` and rotated by `R`, a strand point
//! moves from `x_rest` to `g + R (x_rest - g_rest)`. Along a guide segment, the two vertices are interpolated; beyond the guide's tip, only
//! the tip is used. The *single-strand* scheme uses the nearest guide and keeps locks together. The *multi-strand* scheme uses the weighted
//! sum of three guides and fills the space between them. The two schemes are blended. The result is exact at rest and under rigid motion.
//!
//! Points of the strand and of its guide correspond if they have the same arc length from their roots. Using fractions of the length instead would
//! stretch short strands next to long guides. `R` is the head's rotation followed by the smallest rotation that aligns the guide's
//! direction. This choice of `R` needs no material frames, but ignores the guide's twist.

mod choose;
mod frame;
mod nearest;
mod parts;

use super::StrandSet;
use crate::simd::dispatch;
use frame::{BlendedFrame, GuideFrame, align_rotation};
use glam::{DVec3, Mat3A, Quat, Vec3, Vec3A};
use nearest::{GUIDES, NearestGuides};
use parts::for_each_part;
use rayon::prelude::*;

/// Weight of the single-strand scheme [-], from 0 to 1; the multi-strand scheme has the remaining weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandBlend {
    /// At the root.
    pub root: f32,
    /// At the tip. Between root and tip, the weight varies linearly with arc length.
    pub tip: f32,
}

impl Default for StrandBlend {
    /// Returns a blend that is multi-strand at the root, so that roots cover the skin, and mostly single-strand at the tip, so that tips
    /// form locks.
    fn default() -> Self {
        Self { root: 0.0, tip: 0.6 }
    }
}

/// Render strands and their interpolation weights on guides.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidedStrands {
    /// Rest positions of the guides [m]. [guide vertices]
    guide_points: Vec<Vec3>,
    /// Index of the first vertex of each guide, and the total number. [guides + 1]
    guide_offsets: Vec<u32>,
    /// Rest directions of the guides, unit vectors. [guide vertices]
    guide_directions: Vec<Vec3>,
    /// Input index of each strand. [strands]
    order: Vec<u32>,
    nearest: Vec<NearestGuides>,
    points: Vec<GuidedPoint>,
    offsets: Vec<u32>,
}

/// A point of a render strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuidedPoint {
    /// Rest position [m].
    pub rest: Vec3,
    /// The interpolation weights on each guide.
    pub guides: [GuideWeights; GUIDES],
}

/// Interpolation weights of a point on one guide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuideWeights {
    /// First vertex of the guide segment.
    pub vertex: u32,
    /// Weights of this vertex and of the next one [-]; the sum over all guides is 1.
    pub shares: [f32; 2],
}

/// The affine frame of each guide vertex [m]. Workspace for [`GuidedStrands::place`].
#[derive(Clone, Debug, Default)]
pub struct GuideFrames {
    frames: Vec<GuideFrame>,
}

impl GuidedStrands {
    /// Finds the guides of each strand. Guides and strands are given in their rest shape.
    ///
    /// Strands with the same guides are stored next to each other (see [`order`](Self::order)), so that they share the guides' data in the
    /// cache.
    pub fn new(guides: &StrandSet, strands: &StrandSet, blend: StrandBlend) -> Self {
        let found = nearest::nearest_guides(guides, strands);
        let mut order: Vec<u32> = (0..strands.len() as u32).collect();
        order.sort_by_key(|&strand| found[strand as usize].guides);
        let arcs: Vec<Vec<f64>> = guides.iter().map(arcs).collect();
        let guided = |&strand: &u32| {
            let strand = strand as usize;
            guided_points(strands.strand(strand), &found[strand], blend, guides, &arcs)
        };
        let points = order.par_iter().flat_map_iter(guided).collect();
        let nearest = order.iter().map(|&strand| found[strand as usize]).collect();
        let ends = order.iter().scan(0, |end, &strand| {
            *end += strands.strand(strand as usize).len() as u32;
            Some(*end)
        });
        let offsets = [0].into_iter().chain(ends).collect();
        let guide_points: Vec<Vec3> = guides.points().iter().map(|p| p.as_vec3()).collect();
        let ranges = (0..guides.len()).map(|guide| guides.range(guide));
        let guide_directions = ranges.flat_map(|range| directions(&guide_points[range])).collect();
        let guide_offsets = guides.offsets().to_vec();
        Self { guide_points, guide_offsets, guide_directions, order, nearest, points, offsets }
    }

    /// Returns the number of strands.
    pub fn len(&self) -> usize {
        self.nearest.len()
    }

    /// Returns whether there are no strands. Always false, because a set has at least one strand.
    pub fn is_empty(&self) -> bool {
        self.nearest.is_empty()
    }

    /// Returns the input index of each strand. [strands]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the index of the first point of each strand, followed by the total number of points. [strands + 1]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// Returns the points of all strands, strand by strand.
    pub fn points(&self) -> &[GuidedPoint] {
        &self.points
    }

    /// Returns the rest positions of the guides [m]. [guide vertices]
    pub fn guide_points(&self) -> &[Vec3] {
        &self.guide_points
    }

    /// Returns the rest directions of the guides, unit vectors. [guide vertices]
    pub fn guide_directions(&self) -> &[Vec3] {
        &self.guide_directions
    }

    /// Returns the index of the first vertex of each guide, followed by the total number of vertices. [guides + 1]
    pub fn guide_offsets(&self) -> &[u32] {
        &self.guide_offsets
    }

    /// Returns the three guides of a strand, nearest first. If there are fewer guides, the nearest is repeated.
    pub fn guides(&self, strand: usize) -> [u32; 3] {
        self.nearest[strand].guides
    }

    /// Returns the weights of the three guides in the multi-strand scheme [-]. They are nonnegative and sum to 1.
    pub fn weights(&self, strand: usize) -> [f32; 3] {
        self.nearest[strand].weights
    }

    /// Computes the positions of all strand points [m], strand by strand, from the guides' points [m] and the head's rotation since rest.
    ///
    /// Allocates nothing after the first call with a workspace.
    ///
    /// # Panics
    /// If `guides` or `placed` differ in length from the guides or strands at rest.
    pub fn place(&self, guides: &[Vec3], head: Quat, workspace: &mut GuideFrames, placed: &mut [Vec3]) {
        assert_eq!(guides.len(), self.guide_points.len(), "number of guide points");
        assert_eq!(placed.len(), self.points.len(), "number of strand points");
        workspace.frames.resize(guides.len(), GuideFrame::default());
        let head = Mat3A::from_quat(head);
        for_each_part(&self.guide_offsets, &mut workspace.frames, &|guide, frames| {
            self.find_frames(guide, guides, head, frames);
        });
        let frames = &workspace.frames[..];
        for_each_part(&self.offsets, placed, &|strand, placed| {
            let points = &self.points[self.offsets[strand] as usize..self.offsets[strand + 1] as usize];
            place_points(points, frames, placed);
        });
    }

    /// Computes the affine frames of the vertices of a guide.
    fn find_frames(&self, guide: usize, guides: &[Vec3], head: Mat3A, frames: &mut [GuideFrame]) {
        let range = self.guide_offsets[guide] as usize..self.guide_offsets[guide + 1] as usize;
        let now = guides[range.clone()].iter().zip(directions(&guides[range.clone()]));
        let rest = self.guide_points[range.clone()].iter().zip(&self.guide_directions[range]);
        for ((frame, (&position, direction)), (&rest, &rest_direction)) in frames.iter_mut().zip(now).zip(rest) {
            let turn = align_rotation(head, rest_direction.into(), direction.into());
            *frame = GuideFrame::new(turn, Vec3A::from(position) - turn * Vec3A::from(rest));
        }
    }
}

dispatch! {
    /// Computes the positions of the points of a strand. Frames are blended before they are applied: `sum w (A x + b) = (sum w A) x + sum w
    /// b`.
    fn place_points[; for V](points: &[GuidedPoint], frames: &[GuideFrame], placed: &mut [Vec3]) {
        for (placed, GuidedPoint { rest, guides: [a, b, c] }) in placed.iter_mut().zip(points) {
            let a = BlendedFrame::<V>::of_segment(frames, a.vertex, &a.shares);
            let b = BlendedFrame::<V>::of_segment(frames, b.vertex, &b.shares);
            let c = BlendedFrame::<V>::of_segment(frames, c.vertex, &c.shares);
            *placed = a.add(b).add(c).carry(rest);
        }
    }
}

/// Computes the points of one strand with their weights.
fn guided_points(
    points: &[DVec3],
    nearest: &NearestGuides,
    blend: StrandBlend,
    guides: &StrandSet,
    guide_arcs: &[Vec<f64>],
) -> Vec<GuidedPoint> {
    let own = arcs(points);
    let length = own[own.len() - 1];
    let guided = |(point, &arc): (&DVec3, &f64)| {
        let single = blend.root + (blend.tip - blend.root) * (arc / length) as f32;
        let guide_weights = |k: usize| {
            let guide = nearest.guides[k] as usize;
            let weight = (1.0 - single) * nearest.weights[k] + if k == 0 { single } else { 0.0 };
            let (segment, towards_next) = locate(&guide_arcs[guide], arc);
            let next = weight * towards_next as f32;
            GuideWeights { vertex: guides.offsets()[guide] + segment as u32, shares: [weight - next, next] }
        };
        GuidedPoint { rest: point.as_vec3(), guides: std::array::from_fn(guide_weights) }
    };
    points.iter().zip(&own).map(guided).collect()
}

/// Returns the arc length from the start of a polyline to each of its points [m].
fn arcs(points: &[DVec3]) -> Vec<f64> {
    let steps = points.windows(2).map(|pair| pair[0].distance(pair[1]));
    let sums = steps.scan(0.0, |sum, step| {
        *sum += step;
        Some(*sum)
    });
    [0.0].into_iter().chain(sums).collect()
}

/// Returns the segment of a polyline at an arc length [m], and the position within the segment from 0 to 1. Clamps to the tip.
fn locate(arcs: &[f64], arc: f64) -> (usize, f64) {
    let segment = arcs.partition_point(|&a| a <= arc).clamp(1, arcs.len() - 1) - 1;
    let share = (arc - arcs[segment]) / (arcs[segment + 1] - arcs[segment]);
    (segment, share.clamp(0.0, 1.0))
}

/// Returns the unit tangent of a polyline at each of its points: the mean of the adjacent segments' directions.
fn directions(points: &[Vec3]) -> impl Iterator<Item = Vec3> {
    // Segments of zero length have no direction; use an arbitrary one.
    let segment = |i: usize| (points[i + 1] - points[i]).normalize_or(Vec3::NEG_Y);
    let mut before = segment(0);
    (0..points.len()).map(move |i| {
        let after = if i + 1 < points.len() { segment(i) } else { before };
        let mean = (before + after).normalize_or(after);
        before = after;
        mean
    })
}

#[cfg(test)]
mod tests;
