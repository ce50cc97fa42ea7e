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
mod nearest;
mod parts;

use super::StrandSet;
use glam::{Affine3A, DVec3, Mat3A, Quat, Vec3, Vec3A};
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
    nearest: Vec<NearestGuides>,
    points: Vec<GuidedPoint>,
    offsets: Vec<u32>,
}

/// A point of a strand.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GuidedPoint {
    /// Where it is at rest [m].
    rest: Vec3,
    /// Share of the strand's length between the root and it [-].
    share: f32,
    /// The vertex of each guide before it.
    vertices: [u32; GUIDES],
    /// How far it is towards the next vertex of each [-]: 0 to 1.
    towards_next: [f32; GUIDES],
}

/// How each vertex of the guides carries what is near it [m]. Scratch for [`GuidedStrands::place`].
#[derive(Clone, Debug, Default)]
pub struct GuideFrames {
    frames: Vec<Affine3A>,
}

impl GuidedStrands {
    /// Finds the guides of each strand, both at rest.
    pub fn new(guides: &StrandSet, strands: &StrandSet) -> Self {
        let nearest = nearest::nearest_guides(guides, strands);
        let arcs: Vec<Vec<f64>> = guides.iter().map(arcs).collect();
        let points = (0..strands.len())
            .into_par_iter()
            .flat_map_iter(|strand| guided_points(strands.strand(strand), &nearest[strand], guides, &arcs))
            .collect();
        let guide_points: Vec<Vec3> = guides.points().iter().map(|p| p.as_vec3()).collect();
        let ranges = (0..guides.len()).map(|guide| guides.range(guide));
        let guide_directions = ranges.flat_map(|range| directions(&guide_points[range])).collect();
        let (guide_offsets, offsets) = (guides.offsets().to_vec(), strands.offsets().to_vec());
        Self { guide_points, guide_offsets, guide_directions, nearest, points, offsets }
    }

    /// Number of strands.
    pub fn len(&self) -> usize {
        self.nearest.len()
    }

    /// Whether there are no strands; never so.
    pub fn is_empty(&self) -> bool {
        self.nearest.is_empty()
    }

    /// The first point of each strand, followed by the number of all points. [strands + 1]
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The three guides of a strand, the nearest first. Where there are fewer guides, the nearest is named again.
    pub fn guides(&self, strand: usize) -> [u32; 3] {
        self.nearest[strand].guides
    }

    /// The weights of the three guides in the multi-strand scheme [-]: none negative, their sum 1.
    pub fn weights(&self, strand: usize) -> [f32; 3] {
        self.nearest[strand].weights
    }

    /// Places every point of the strands [m], given the guides' points [m] and how the head has turned since rest.
    ///
    /// Takes no memory after the first call with a workspace.
    ///
    /// # Panics
    /// If `guides` or `placed` have another number of points than the guides or strands at rest.
    pub fn place(
        &self,
        guides: &[Vec3],
        head: Quat,
        blend: StrandBlend,
        workspace: &mut GuideFrames,
        placed: &mut [Vec3],
    ) {
        assert_eq!(guides.len(), self.guide_points.len(), "points of guides");
        assert_eq!(placed.len(), self.points.len(), "points of strands");
        workspace.frames.resize(guides.len(), Affine3A::IDENTITY);
        for_each_part(&self.guide_offsets, &mut workspace.frames, &|guide, frames| {
            self.find_frames(guide, guides, head, frames);
        });
        let frames = &workspace.frames[..];
        for_each_part(&self.offsets, placed, &|strand, placed| self.place_strand(strand, frames, blend, placed));
    }

    /// How the vertices of a guide carry what is near them.
    fn find_frames(&self, guide: usize, guides: &[Vec3], head: Quat, frames: &mut [Affine3A]) {
        let range = self.guide_offsets[guide] as usize..self.guide_offsets[guide + 1] as usize;
        let now = guides[range.clone()].iter().zip(directions(&guides[range.clone()]));
        let rest = self.guide_points[range.clone()].iter().zip(&self.guide_directions[range]);
        for ((frame, (&position, direction)), (&rest, &rest_direction)) in frames.iter_mut().zip(now).zip(rest) {
            let turn = Mat3A::from_quat(Quat::from_rotation_arc(head * rest_direction, direction) * head);
            *frame = Affine3A { matrix3: turn, translation: Vec3A::from(position) - turn * Vec3A::from(rest) };
        }
    }

    /// Places the points of a strand. Its guides' frames are blended before they carry a point: `sum w (A x + b) = (sum w A) x + sum w b`.
    fn place_strand(&self, strand: usize, frames: &[Affine3A], blend: StrandBlend, placed: &mut [Vec3]) {
        let weights = self.nearest[strand].weights;
        let points = &self.points[self.offsets[strand] as usize..self.offsets[strand + 1] as usize];
        for (placed, point) in placed.iter_mut().zip(points) {
            let single = blend.root + (blend.tip - blend.root) * point.share;
            let (mut turn, mut shift) = (Mat3A::ZERO, Vec3A::ZERO);
            for k in 0..GUIDES {
                let weight = (1.0 - single) * weights[k] + if k == 0 { single } else { 0.0 };
                let to = weight * point.towards_next[k];
                let vertex = point.vertices[k] as usize;
                for (share, frame) in [weight - to, to].into_iter().zip(&frames[vertex..vertex + 2]) {
                    turn += frame.matrix3 * share;
                    shift += frame.translation * share;
                }
            }
            *placed = (turn * Vec3A::from(point.rest) + shift).into();
        }
    }
}

/// The points of one strand.
fn guided_points(
    points: &[DVec3],
    nearest: &NearestGuides,
    guides: &StrandSet,
    arcs_of_guides: &[Vec<f64>],
) -> Vec<GuidedPoint> {
    let own = arcs(points);
    let length = own[own.len() - 1];
    let guided = |(point, &arc): (&DVec3, &f64)| {
        let places = nearest.guides.map(|guide| {
            let (segment, towards_next) = place_on(&arcs_of_guides[guide as usize], arc);
            (guides.offsets()[guide as usize] + segment as u32, towards_next as f32)
        });
        GuidedPoint {
            rest: point.as_vec3(),
            share: (arc / length) as f32,
            vertices: places.map(|place| place.0),
            towards_next: places.map(|place| place.1),
        }
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
    let last = points.len() - 1;
    (0..=last).map(move |i| match i {
        0 => segment(0),
        i if i == last => segment(last - 1),
        i => (segment(i - 1) + segment(i)).normalize_or(segment(i)),
    })
}

#[cfg(test)]
mod tests;
