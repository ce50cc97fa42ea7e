//! Hair to be drawn that follows the hair that is simulated: each strand is carried by the three guides nearest to it
//! [Huang2023, Sec. 5; Yuksel2010].
//!
//! A guide carries what is near it as a body does: where a vertex of the guide has gone from `g_rest` to `g` and turned by
//! `R`, a point of the strand goes from `x_rest` to `g + R (x_rest - g_rest)`. Along a segment of the guide the two
//! vertices share the point; beyond its tip, the tip has it alone. This is the *single-strand* scheme when the nearest
//! guide does it, which keeps locks together, and the *multi-strand* scheme when the three do it by their weights, which
//! fills the room between guides. The two are blended. At rest, and in any rigid motion, all of them are exact.
//!
//! Points of strand and guide belong together that are as far from their roots, measured along the hair: by shares of
//! the length, short strands beside long guides would be stretched. `R` turns with the head first, then by the smallest
//! angle that brings the guide's direction to where it is: it needs no frames, but does not see the guide twist.

mod choose;
mod frame;
mod nearest;
mod parts;

use super::StrandSet;
use crate::simd::dispatch;
use frame::{BlendedFrame, GuideFrame, turn_after};
use glam::{DVec3, Mat3A, Quat, Vec3, Vec3A};
use nearest::{GUIDES, NearestGuides};
use parts::for_each_part;
use rayon::prelude::*;

/// How much of the single-strand scheme there is, the rest being the multi-strand one [-], each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandBlend {
    /// At the root.
    pub root: f32,
    /// At the tip; in between by the share of the length.
    pub tip: f32,
}

impl Default for StrandBlend {
    /// Roots fill the skin, tips gather in locks.
    fn default() -> Self {
        Self { root: 0.0, tip: 0.6 }
    }
}

/// Strands, and how guides carry them.
#[derive(Clone, Debug, PartialEq)]
pub struct GuidedStrands {
    /// Rest positions of the guides [m]. [guide vertices]
    guide_points: Vec<Vec3>,
    /// The first vertex of each guide, and the number of all. [guides + 1]
    guide_offsets: Vec<u32>,
    /// Rest directions of the guides, of length 1. [guide vertices]
    guide_directions: Vec<Vec3>,
    /// Which of the strands given each is. [strands]
    order: Vec<u32>,
    nearest: Vec<NearestGuides>,
    points: Vec<GuidedPoint>,
    offsets: Vec<u32>,
}

/// A point of a strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GuidedPoint {
    /// Where it is at rest [m].
    pub rest: Vec3,
    /// What its guides have of it.
    pub guides: [OnGuide; GUIDES],
}

/// What a guide has of a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnGuide {
    /// The vertex before the point.
    pub vertex: u32,
    /// What it and the next have of the point [-]; the sum over all guides is 1.
    pub shares: [f32; 2],
}

/// How each vertex of the guides carries what is near it [m]. Scratch for [`GuidedStrands::place`].
#[derive(Clone, Debug, Default)]
pub struct GuideFrames {
    frames: Vec<GuideFrame>,
}

impl GuidedStrands {
    /// Finds the guides of each strand, both at rest.
    ///
    /// Strands of the same guides are put side by side (see [`order`](Self::order)): as long as a guide is at hand for
    /// one of them, it is for the others.
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

    /// Number of strands.
    pub fn len(&self) -> usize {
        self.nearest.len()
    }

    /// Whether there are no strands; never so.
    pub fn is_empty(&self) -> bool {
        self.nearest.is_empty()
    }

    /// Which of the strands given each is. [strands]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The first point of each strand, followed by the number of all points. [strands + 1]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The points of all strands, one strand after the other.
    pub fn points(&self) -> &[GuidedPoint] {
        &self.points
    }

    /// Rest positions of the guides [m]. [guide vertices]
    pub fn guide_points(&self) -> &[Vec3] {
        &self.guide_points
    }

    /// Rest directions of the guides, of length 1. [guide vertices]
    pub fn guide_directions(&self) -> &[Vec3] {
        &self.guide_directions
    }

    /// The first vertex of each guide, followed by the number of all vertices. [guides + 1]
    pub fn guide_offsets(&self) -> &[u32] {
        &self.guide_offsets
    }

    /// The three guides of a strand, the nearest first. Where there are fewer guides, the nearest is named again.
    pub fn guides(&self, strand: usize) -> [u32; 3] {
        self.nearest[strand].guides
    }

    /// The weights of the three guides in the multi-strand scheme [-]: none negative, their sum 1.
    pub fn weights(&self, strand: usize) -> [f32; 3] {
        self.nearest[strand].weights
    }

    /// Places every point of the strands [m], one strand after the other, given the guides' points [m] and how the head has
    /// turned since rest.
    ///
    /// Takes no memory after the first call with a workspace.
    ///
    /// # Panics
    /// If `guides` or `placed` have another number of points than the guides or strands at rest.
    pub fn place(&self, guides: &[Vec3], head: Quat, workspace: &mut GuideFrames, placed: &mut [Vec3]) {
        assert_eq!(guides.len(), self.guide_points.len(), "points of guides");
        assert_eq!(placed.len(), self.points.len(), "points of strands");
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

    /// How the vertices of a guide carry what is near them.
    fn find_frames(&self, guide: usize, guides: &[Vec3], head: Mat3A, frames: &mut [GuideFrame]) {
        let range = self.guide_offsets[guide] as usize..self.guide_offsets[guide + 1] as usize;
        let now = guides[range.clone()].iter().zip(directions(&guides[range.clone()]));
        let rest = self.guide_points[range.clone()].iter().zip(&self.guide_directions[range]);
        for ((frame, (&position, direction)), (&rest, &rest_direction)) in frames.iter_mut().zip(now).zip(rest) {
            let turn = turn_after(head, rest_direction.into(), direction.into());
            *frame = GuideFrame::new(turn, Vec3A::from(position) - turn * Vec3A::from(rest));
        }
    }
}

dispatch! {
    /// Places the points of a strand. The frames are blended before they carry a point:
    /// `sum w (A x + b) = (sum w A) x + sum w b`.
    fn place_points[; for V](points: &[GuidedPoint], frames: &[GuideFrame], placed: &mut [Vec3]) {
        for (placed, GuidedPoint { rest, guides: [a, b, c] }) in placed.iter_mut().zip(points) {
            let a = BlendedFrame::<V>::of_segment(frames, a.vertex, &a.shares);
            let b = BlendedFrame::<V>::of_segment(frames, b.vertex, &b.shares);
            let c = BlendedFrame::<V>::of_segment(frames, c.vertex, &c.shares);
            *placed = a.add(b).add(c).carry(rest);
        }
    }
}

/// The points of one strand.
fn guided_points(
    points: &[DVec3],
    nearest: &NearestGuides,
    blend: StrandBlend,
    guides: &StrandSet,
    arcs_of_guides: &[Vec<f64>],
) -> Vec<GuidedPoint> {
    let own = arcs(points);
    let length = own[own.len() - 1];
    let guided = |(point, &arc): (&DVec3, &f64)| {
        let single = blend.root + (blend.tip - blend.root) * (arc / length) as f32;
        let on_guide = |k: usize| {
            let guide = nearest.guides[k] as usize;
            let weight = (1.0 - single) * nearest.weights[k] + if k == 0 { single } else { 0.0 };
            let (segment, towards_next) = place_on(&arcs_of_guides[guide], arc);
            let next = weight * towards_next as f32;
            OnGuide { vertex: guides.offsets()[guide] + segment as u32, shares: [weight - next, next] }
        };
        GuidedPoint { rest: point.as_vec3(), guides: std::array::from_fn(on_guide) }
    };
    points.iter().zip(&own).map(guided).collect()
}

/// How far each point of a broken line is from its start, along it [m].
fn arcs(points: &[DVec3]) -> Vec<f64> {
    let steps = points.windows(2).map(|pair| pair[0].distance(pair[1]));
    let sums = steps.scan(0.0, |sum, step| {
        *sum += step;
        Some(*sum)
    });
    [0.0].into_iter().chain(sums).collect()
}

/// The segment of a broken line that is so far along it [m], and the share of the segment before that; the tip beyond it.
fn place_on(arcs: &[f64], arc: f64) -> (usize, f64) {
    let segment = arcs.partition_point(|&a| a <= arc).clamp(1, arcs.len() - 1) - 1;
    let share = (arc - arcs[segment]) / (arcs[segment + 1] - arcs[segment]);
    (segment, share.clamp(0.0, 1.0))
}

/// The direction of a broken line at each of its points, of length 1: the mean of the segments beside it.
fn directions(points: &[Vec3]) -> impl Iterator<Item = Vec3> {
    // Segments crushed to a point have no direction; any will do.
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
