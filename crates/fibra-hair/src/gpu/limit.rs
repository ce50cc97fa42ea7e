//! Limits lengths and bends of strands, in kernels: [`limit_shape`](crate::settle).
//!
//! Each vertex moves with those before it, so one thread processes a strand from the root to the tip. Work that does not depend on the previous
//! vertex is kept out of this sequential loop. The team finds the first edge that violates a limit, and the thread starts there. The values of the
//! next edge are prefetched. The first threads of a block process one strand each, so that they share warps.

use crate::gpu::settle::{Plan, position, put, sync_block};
use crate::gpu::strands::{StrandOf, TANGENT};
use crate::gpu::team::{Reduction, TEAM, TeamReduction};
use crate::gpu::vector::get;
use cubecl::prelude::*;
use fibra_gpu::vector::{Vector3, pick};

/// Offset of the rest length of the edge after a vertex. The stored length is negative if that edge ends in a pinned vertex.
pub(crate) const REST: u32 = 3;
/// Offset of the cosine of the sharpest bend allowed before that edge.
pub(crate) const LEAST: u32 = 4;

/// Marker for no edge: larger than any index.
const NONE: u32 = 1 << 30;

/// Square of the length of the shortest edge [m^2].
const SHORTEST: f32 = 1e-30;

/// Current state of an edge.
#[derive(CubeType, Clone, Copy)]
struct Edge {
    along: Vector3,
    length: f32,
    inverse_length: f32,
}

#[cube]
impl Edge {
    fn between(from: Vector3, to: Vector3) -> Edge {
        let along = to.minus(from);
        let square = f32::max(along.dot(along), SHORTEST);
        let inverse_length = f32::inverse_sqrt(square);
        Edge { along, length: square * inverse_length, inverse_length }
    }

    /// Returns the direction of the edge. A nearly vanished edge keeps its previous direction.
    fn direction(&self, rest: f32, state: &Array<f32>, n: usize, vertex: usize) -> Vector3 {
        let mut x = self.inverse_length * self.along.x;
        let mut y = self.inverse_length * self.along.y;
        let mut z = self.inverse_length * self.along.z;
        if self.length < 1e-3f32 * rest {
            let tangent = get(state, n, TANGENT, vertex);
            x = tangent.x;
            y = tangent.y;
            z = tangent.z;
        }
        Vector3::new(x, y, z)
    }

    /// Returns the length of the edge, clamped to the allowed range.
    fn allowed(&self, rest: f32, slack: f32) -> f32 {
        f32::min(f32::max(self.length, (1.0f32 - slack) * rest), (1.0f32 + slack) * rest)
    }
}

/// Returns the direction of the edge after the vertex `vertex`, which is at `at` in shared memory.
#[cube]
fn direction_at(
    work: &Slice<f32, ReadWrite>,
    at: usize,
    state: &Array<f32>,
    n: usize,
    vertex: usize,
    #[comptime] longest: usize,
) -> Vector3 {
    let edge = Edge::between(position(work, at, longest), position(work, at + 1, longest));
    edge.direction(f32::abs(work[at + comptime!(REST as usize) * longest]), state, n, vertex)
}

/// Returns the first edge of a strand that violates a limit. The team searches together.
#[cube]
fn first_violation(
    work: &Slice<f32, ReadWrite>,
    reduction: &mut TeamReduction,
    state: &Array<f32>,
    strand: &StrandOf,
    slack: f32,
    n: usize,
    requested: bool,
    #[comptime] plan: Plan,
) -> u32 {
    let longest = comptime!(plan.longest as usize);
    let first = (UNIT_POS / TEAM) as usize * comptime!(plan.strand() as usize);
    let mut own = u32::new(comptime!(NONE as i64));
    for pass in 0..strand.most.div_ceil(TEAM) {
        let i = pass * TEAM + UNIT_POS % TEAM;
        if requested && i + 1 < strand.count {
            let at = first + i as usize;
            let signed = work[at + comptime!(REST as usize) * longest];
            let least = work[at + comptime!(LEAST as usize) * longest];
            let edge = Edge::between(position(work, at, longest), position(work, at + 1, longest));
            let rest = f32::abs(signed);
            let toward = edge.direction(rest, state, n, strand.vertex(i));
            let before = u32::max(i, 1u32) - 1;
            let previous = direction_at(work, first + before as usize, state, n, strand.vertex(before), longest);
            let cosine = select(i > 0, toward.dot(previous), 0.0f32);
            let wrong = signed > 0.0f32 && (cosine < least || edge.allowed(rest, slack) != edge.length);
            own = select(wrong, u32::min(own, i), own);
        }
    }
    reduction.reduce(own, Reduction::Min, 0u32)
}

/// Limits edge lengths and bends of strands whose teams request it. Each vertex that moves is moved relative to the vertices before it. All threads of
/// the block must call this function.
#[cube]
pub(crate) fn limit(
    work: &mut Slice<f32, ReadWrite>,
    begins: &mut SharedMemory<u32>,
    reduction: &mut TeamReduction,
    table: &Array<u32>,
    state: &Array<f32>,
    own: &StrandOf,
    slack: f32,
    n: usize,
    requested: bool,
    #[comptime] plan: Plan,
) {
    let longest = comptime!(plan.longest as usize);
    let wrong = first_violation(work, reduction, state, own, slack, n, requested, plan);
    let lane = UNIT_POS % TEAM;
    if lane == 0 {
        begins[(UNIT_POS / TEAM) as usize] = wrong;
    }
    sync_block(plan);
    if UNIT_POS < comptime!(plan.teams.per_cube) {
        let strand = StrandOf::team(table, 0u32, UNIT_POS, comptime!(plan.teams.per_cube));
        let first = UNIT_POS as usize * comptime!(plan.strand() as usize);
        let edges = select(strand.count > 0, strand.count - 1, 0u32);
        let begin = u32::min(begins[UNIT_POS as usize], edges);
        let start = first + begin as usize;
        let from = position(work, start, longest);
        let to = position(work, start + 1, longest);
        let before = u32::max(begin, 1u32) - 1;
        let previous = direction_at(work, first + before as usize, state, n, strand.vertex(before), longest);
        let mut x = from.x + 0.0f32;
        let mut y = from.y + 0.0f32;
        let mut z = from.z + 0.0f32;
        let mut previous_x = select(begin > 0, previous.x, 0.0f32);
        let mut previous_y = select(begin > 0, previous.y, 0.0f32);
        let mut previous_z = select(begin > 0, previous.z, 0.0f32);
        let mut end_x = to.x + 0.0f32;
        let mut end_y = to.y + 0.0f32;
        let mut end_z = to.z + 0.0f32;
        let mut signed = work[start + comptime!(REST as usize) * longest] + 0.0f32;
        let mut least = work[start + comptime!(LEAST as usize) * longest] + 0.0f32;
        for i in begin..edges {
            let at = first + i as usize;
            // After the last edge, this reads unrelated values.
            let next_end = position(work, at + 2, longest);
            let next_signed = work[at + 1 + comptime!(REST as usize) * longest];
            let next_least = work[at + 1 + comptime!(LEAST as usize) * longest];
            let from = Vector3::new(x, y, z);
            let end = Vector3::new(end_x, end_y, end_z);
            let previous = Vector3::new(previous_x, previous_y, previous_z);
            let edge = Edge::between(from, end);
            let rest = f32::abs(signed);
            let free = signed > 0.0f32;
            let allowed = edge.allowed(rest, slack);
            let straight = edge.direction(rest, state, n, strand.vertex(i));
            let cosine = straight.dot(previous);
            let sharp = free && cosine < least;
            let wrong = sharp || (free && allowed != edge.length);
            let mut towards_x = straight.x + 0.0f32;
            let mut towards_y = straight.y + 0.0f32;
            let mut towards_z = straight.z + 0.0f32;
            if sharp {
                let across = straight.minus(previous.times(cosine));
                let sine = f32::sqrt(1.0f32 - least * least);
                // Length at least 1e-6.
                let per_length = f32::inverse_sqrt(f32::max(across.dot(across), 1e-12f32));
                let bent = previous.times(least).plus(across.times(sine * per_length));
                towards_x = bent.x;
                towards_y = bent.y;
                towards_z = bent.z;
            }
            let right = from.plus(Vector3::new(towards_x, towards_y, towards_z).times(allowed));
            let moved = pick(wrong, right, end);
            if wrong {
                put(work, at + 1, longest, moved);
            }
            x = moved.x;
            y = moved.y;
            z = moved.z;
            previous_x = towards_x;
            previous_y = towards_y;
            previous_z = towards_z;
            end_x = next_end.x;
            end_y = next_end.y;
            end_z = next_end.z;
            signed = next_signed;
            least = next_least;
        }
    }
}
