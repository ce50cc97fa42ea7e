//! Factors symmetric band matrices as `A = L D L^T` and solves them, each by one [team](crate::gpu::team) [Huang2023, Alg. 2].
//!
//! Thread `l` of a team keeps row `i = l (mod 16)` in registers, with the entry of column `j` in register `j (mod 16)`. Rows and registers are ring
//! buffers, so no data moves as the band advances. To eliminate column `j`, the threads exchange their entries in it, and each subtracts its multiple
//! of the pivot row from its own row. The critical path is one exchange, one reciprocal and one product. The next rows are prefetched from memory
//! meanwhile.
//!
//! Rows are contiguous, [`ROW`] values each: the entries of columns `i - 10 ..= i`, the right-hand side, and the lower bound of the pivot. Once a row
//! is in registers, its memory receives the column of `-L` of its pivot: the entries of rows `i + 1 ..= i + 10`. The number of rows is padded with
//! rows of the identity to a multiple of 16. A *round* is a group of 16 consecutive rows, one per thread.

use crate::band::HALF_BANDWIDTH;
use crate::gpu::team::{Member, TEAM};
use cubecl::prelude::*;

/// Values per row in memory.
pub(crate) const ROW: u32 = 13;
/// Offset of the diagonal entry in a row.
pub(crate) const DIAGONAL: u32 = HALF_BANDWIDTH as u32;
/// Offset of the right-hand side in a row.
pub(crate) const RHS: u32 = 11;
/// Offset of the pivot's lower bound in a row.
pub(crate) const LEAST: u32 = 12;
/// Rows per vertex, stored together.
pub(crate) const QUAD: u32 = 4;
/// Values after the last row that are read but not used. Reading them lets the threads access different banks.
pub(crate) const BEYOND: u32 = TEAM - ROW;

/// Minimum pivot, relative to the diagonal entry: see [`band`](crate::band).
const MIN_RELATIVE_PIVOT: f32 = 1e-6;

const BAND: u32 = HALF_BANDWIDTH as u32;

/// Location and number of the rows of a system.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Rows {
    /// Offset of the first row.
    pub first: usize,
    /// Number of rounds of this system.
    pub rounds: u32,
    /// Maximum number of rounds of the systems in the block.
    pub most_rounds: u32,
    /// Stride between the rows of consecutive vertices: at least four times [`ROW`].
    #[cube(comptime)]
    pub quad: u32,
}

#[cube]
impl Rows {
    /// Returns the offset of a lane's row in a round.
    fn at(&self, lane: u32, round: u32) -> usize {
        let quads = round * comptime!(TEAM / QUAD) + lane / QUAD;
        self.first + (quads * comptime!(self.quad) + (lane % QUAD) * ROW) as usize
    }

    /// Returns the location of a lane's row in a round, or the first row if the system has no such round.
    fn place(&self, lane: u32, round: u32) -> Place {
        let there = round < self.rounds;
        let round = select(there, round, 0u32);
        Place { at: self.at(lane, round), round: self.at(0u32, round), lane, there }
    }
}

/// Location of a row.
#[derive(CubeType, Clone, Copy)]
struct Place {
    at: usize,
    /// Offset of the first row of the round.
    round: usize,
    lane: u32,
    /// Whether the system has this row.
    there: bool,
}

/// A row in registers.
#[derive(CubeType)]
struct Row {
    /// Entry of column `j` at `j (mod 16)`.
    entries: Array<f32>,
    rhs: f32,
    least: f32,
}

#[cube]
impl Row {
    /// Loads a row, or zeros if the system has no such row. In that case it reads nothing, since other threads may be writing there.
    fn load<IO: SliceVisibility>(band: &Slice<f32, IO>, place: &Place) -> Row {
        let mut entries = Array::<f32>::new(16usize);
        let mut rhs = f32::new(0.0);
        let mut least = f32::new(1.0);
        #[unroll]
        for s in 0..TEAM {
            entries[s as usize] = f32::new(0.0);
        }
        if place.there {
            #[unroll]
            for s in 0..TEAM {
                let k = entry_of(s, place.lane);
                let entry = band[place.at + k as usize];
                entries[s as usize] = select(k <= DIAGONAL, entry, 0.0f32);
            }
            let share = MIN_RELATIVE_PIVOT * band[place.at + DIAGONAL as usize];
            least = f32::max(share, band[place.at + LEAST as usize]);
            rhs = band[place.at + RHS as usize];
        }
        Row { entries, rhs, least }
    }

    /// Eliminates the columns `from..to` of a round and writes the columns of `-L`. Right-hand sides become those of `D^-1 L^-1 b`.
    fn eliminate(
        &mut self,
        band: &mut Slice<f32, ReadWrite>,
        place: &Place,
        member: &mut Member,
        #[comptime] quad: u32,
        #[comptime] from: u32,
        #[comptime] to: u32,
    ) {
        let lane = member.lane;
        #[unroll]
        for u in from..to {
            let turn = comptime!(u % 2);
            let is_pivot = lane == u;
            let before = self.entries[u as usize];
            let own = select(is_pivot, f32::max(before, self.least), before);
            let rhs = self.rhs;
            member.publish(own, rhs, turn);
            let inverse = 1.0f32 / member.published_first(own, u, turn);
            // Distance below the pivot, counted from 0, for rows within the band. Other rows must not change: some are yet to be eliminated.
            let below = (lane + comptime!(2 * TEAM - 1 - u)) % TEAM;
            let reached = below < BAND;
            let minus_l = select(reached, own * -inverse, 0.0f32);
            // Registers beyond the diagonal are unused, and those that wrap around belong to eliminated columns.
            #[unroll]
            for b in 1..BAND + 1 {
                let s = comptime!((u + b) % TEAM);
                self.entries[s as usize] += minus_l * member.published_first(own, s, turn);
            }
            self.rhs = select(is_pivot, rhs * inverse, rhs + minus_l * member.published_second(rhs, u, turn));
            if reached && place.there {
                let column = place.round + comptime!(u / QUAD * quad + u % QUAD * ROW) as usize;
                band[column + below as usize] = minus_l;
            }
        }
    }

    /// Stores the right-hand sides of the finished rows in the lanes `from..to` and loads their next rows.
    fn swap(
        &mut self,
        next: &Row,
        band: &mut Slice<f32, ReadWrite>,
        place: &Place,
        #[comptime] from: u32,
        #[comptime] to: u32,
    ) {
        if place.lane >= from && place.lane < to {
            if place.there {
                band[place.at + RHS as usize] = self.rhs;
            }
            #[unroll]
            for s in 0..TEAM {
                self.entries[s as usize] = next.entries[s as usize];
            }
            self.rhs = next.rhs;
            self.least = next.least;
        }
    }
}

/// Returns the offset of register `s` in the memory of a lane's row. The diagonal is in the lane's own register.
#[cube]
fn entry_of(s: u32, lane: u32) -> u32 {
    (s + comptime!(TEAM + DIAGONAL) - lane) % TEAM
}

/// Replaces a matrix and its right-hand side by the factor `-L` and `D^-1 L^-1 b`, at the same offsets of the same or another buffer. All threads of
/// the block must call it.
#[cube]
pub(crate) fn factor<IO: SliceVisibility>(
    from: &Slice<f32, IO>,
    band: &mut Slice<f32, ReadWrite>,
    rows: &Rows,
    member: &mut Member,
) {
    let lane = member.lane;
    let quad = comptime!(rows.quad);
    let mut row = Row::load::<IO>(from, &rows.place(lane, 0u32));
    // Wait until all threads have read their rows, because the first round overwrites them.
    member.sync_block();
    for round in 0..rows.most_rounds {
        let place = rows.place(lane, round);
        let next = Row::load::<IO>(from, &rows.place(lane, round + 1));
        // A new row is not needed until six pivots after it replaces a finished row, so finished rows are replaced in groups.
        row.eliminate(band, &place, member, quad, 0u32, 6u32);
        row.swap(&next, band, &place, 0u32, 6u32);
        row.eliminate(band, &place, member, quad, 6u32, 12u32);
        row.swap(&next, band, &place, 6u32, 12u32);
        row.eliminate(band, &place, member, quad, 12u32, 16u32);
        row.swap(&next, band, &place, 12u32, 16u32);
        member.sync_block();
    }
}

/// Loads columns of `-L` for the rows of a round, zero outside the band. Rows below the lane's own row use its column of this round; rows above it
/// use its column of the previous round.
#[cube]
fn load_columns(band: &Slice<f32, ReadWrite>, rows: &Rows, lane: u32, round: u32, there: bool) -> Array<f32> {
    let before = there && round > 0;
    let at = rows.at(lane, select(there, round, 0u32));
    let at_before = rows.at(lane, select(before, round - 1, 0u32));
    let mut columns = Array::<f32>::new(16usize);
    #[unroll]
    for u in 0..TEAM {
        // Distance of the row below the column, minus one.
        let below = (comptime!(2 * TEAM - 1 + u) - lane) % TEAM;
        let is_later = lane < u;
        let reached = below < BAND && select(is_later, there, before);
        let entry = band[select(is_later, at, at_before) + below as usize];
        columns[u as usize] = select(reached, entry, 0.0f32);
    }
    columns
}

/// Replaces `D^-1 L^-1 b` of a factored matrix by the solution. All threads of the block must call it, after the stored values are visible to all.
#[cube]
pub(crate) fn substitute(band: &mut Slice<f32, ReadWrite>, rows: &Rows, member: &mut Member) {
    let lane = member.lane;
    // Systems that are shorter than others in their block start later.
    let last = rows.most_rounds - 1;
    let mut columns = load_columns(band, rows, lane, last, last < rows.rounds);
    let mut x = load_rhs(band, rows, lane, last);
    for done in 0..rows.most_rounds {
        let round = last - done;
        let more = round > 0;
        let before = select(more, round - 1, 0u32);
        let next_columns = load_columns(band, rows, lane, before, more && before < rows.rounds);
        let next_x = load_rhs(band, rows, lane, before);
        let mut found = x;
        #[unroll]
        for k in 0..TEAM {
            let u = comptime!(TEAM - 1 - k);
            let turn = comptime!(u % 2);
            found = select(lane == u, x, found);
            member.publish(x, 0.0f32, turn);
            let known = member.published_first(x, u, turn);
            x = select(lane == u, next_x, x + columns[u as usize] * known);
        }
        if round < rows.rounds {
            band[rows.at(lane, round) + RHS as usize] = found;
        }
        #[unroll]
        for u in 0..TEAM {
            columns[u as usize] = next_columns[u as usize];
        }
    }
}

#[cube]
fn load_rhs(band: &Slice<f32, ReadWrite>, rows: &Rows, lane: u32, round: u32) -> f32 {
    let place = rows.place(lane, round);
    select(place.there, band[place.at + RHS as usize], 0.0f32)
}
