//! `A = L D L^T` of symmetric band matrices, each factored and solved by a [team](crate::gpu::team) [Huang2023, Alg. 2].
//!
//! Unit `l` of a team keeps row `i = l (mod 16)` in registers, the entry of column `j` in register `j (mod 16)`: rows and registers are rings, and nothing
//! moves while the band does. To eliminate column `j` the units show each other their entries in it, and each takes its multiple of the row of the
//! pivot out of its own: one exchange, one reciprocal and one product are all that has to happen one after the other. The next rows
//! are on their way from memory meanwhile.
//!
//! Rows lie one after the other, [`ROW`] numbers each: entries of the columns `i - 10 ..= i`, the right-hand side, and what the pivot is at least. A row
//! that is in registers makes place for the column of `-L` that it is the pivot of: entries of the rows `i + 1 ..= i + 10`.
//! There are as many as fill whole rounds of a team; those that are too many are rows of the identity.

use crate::band::HALF_BANDWIDTH;
use crate::gpu::team::{Member, TEAM};
use cubecl::prelude::*;

/// Numbers of a row in memory.
pub(crate) const ROW: u32 = 13;
/// Place of the diagonal entry in a row.
pub(crate) const DIAGONAL: u32 = HALF_BANDWIDTH as u32;
/// Place of the right-hand side in a row.
pub(crate) const RHS: u32 = 11;
/// Place of the least pivot in a row.
pub(crate) const LEAST: u32 = 12;
/// Rows that lie together: those of a vertex.
pub(crate) const QUAD: u32 = 4;
/// Numbers after the last row that are read, but not used: units read so that they use different banks, even where they need nothing.
pub(crate) const BEYOND: u32 = TEAM - ROW;

/// Least pivot, as a share of the diagonal entry: see [`band`](crate::band).
const LEAST_SHARE: f32 = 1e-6;

const BAND: u32 = HALF_BANDWIDTH as u32;

/// Where the rows of a system are, and how many.
#[derive(CubeType, Clone, Copy)]
pub(crate) struct Rows {
    /// Place of the first.
    pub first: usize,
    /// Rounds of a team that the system has.
    pub rounds: u32,
    /// Rounds of the longest system in the cube.
    pub most_rounds: u32,
    /// Distance of the rows of a vertex from those of the next: at least four times [`ROW`].
    #[cube(comptime)]
    pub quad: u32,
}

#[cube]
impl Rows {
    /// Where the row of a lane in a round is.
    fn at(&self, lane: u32, round: u32) -> usize {
        let quads = round * comptime!(TEAM / QUAD) + lane / QUAD;
        self.first + (quads * comptime!(self.quad) + (lane % QUAD) * ROW) as usize
    }

    /// The same, or where the first row is if the system has no such round.
    fn place(&self, lane: u32, round: u32) -> Place {
        let there = round < self.rounds;
        let round = select(there, round, 0u32);
        Place { at: self.at(lane, round), round: self.at(0u32, round), lane, there }
    }
}

/// Where a row is.
#[derive(CubeType, Clone, Copy)]
struct Place {
    at: usize,
    /// Where the first row of the round is.
    round: usize,
    lane: u32,
    /// Whether the system has it.
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
    /// The row of a place, or one that is zero where the system has no more: nothing is read there, since others are writing meanwhile.
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
            let share = LEAST_SHARE * band[place.at + DIAGONAL as usize];
            least = f32::max(share, band[place.at + LEAST as usize]);
            rhs = band[place.at + RHS as usize];
        }
        Row { entries, rhs, least }
    }

    /// Eliminates the columns `from..to` of a round and writes those of `-L`; right-hand sides become those of `D^-1 L^-1 b`.
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
            member.show(own, rhs, turn);
            let inverse = 1.0f32 / member.first_of(own, u, turn);
            // Rows below the pivot that the band reaches, counted from 0. The others must not be touched: some have yet to be reached.
            let below = (lane + comptime!(2 * TEAM - 1 - u)) % TEAM;
            let reached = below < BAND;
            let minus_l = select(reached, own * -inverse, 0.0f32);
            // Beyond the diagonal there are registers to spare, and around the ring those of columns that are done.
            #[unroll]
            for b in 1..BAND + 1 {
                let s = comptime!((u + b) % TEAM);
                self.entries[s as usize] += minus_l * member.first_of(own, s, turn);
            }
            self.rhs = select(is_pivot, rhs * inverse, rhs + minus_l * member.second_of(rhs, u, turn));
            if reached && place.there {
                let column = place.round + comptime!(u / QUAD * quad + u % QUAD * ROW) as usize;
                band[column + below as usize] = minus_l;
            }
        }
    }

    /// In the lanes `from..to`, whose rows are done: stores their right-hand sides and goes on with the next.
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

/// Place in the memory of a lane's row of what is in register `s`: the diagonal is in the lane's own.
#[cube]
fn entry_of(s: u32, lane: u32) -> u32 {
    (s + comptime!(TEAM + DIAGONAL) - lane) % TEAM
}

/// From a matrix and its right-hand side the factor `-L` and `D^-1 L^-1 b`, in the same places of other memory or of the same. All units of the
/// cube call it together.
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
    // A round writes where rows were that all have read.
    member.meet();
    for round in 0..rows.most_rounds {
        let place = rows.place(lane, round);
        let next = Row::load::<IO>(from, &rows.place(lane, round + 1));
        // A row that is done is in nobody's way until the row six further down is the pivot, whose band reaches the row to come.
        row.eliminate(band, &place, member, quad, 0u32, 6u32);
        row.swap(&next, band, &place, 0u32, 6u32);
        row.eliminate(band, &place, member, quad, 6u32, 12u32);
        row.swap(&next, band, &place, 6u32, 12u32);
        row.eliminate(band, &place, member, quad, 12u32, 16u32);
        row.swap(&next, band, &place, 12u32, 16u32);
        member.meet();
    }
}

/// Columns of `-L` for the rows of a round, zero where the band does not reach: for rows below a lane's own the lane's of this round, for those
/// above the lane's of the round before.
#[cube]
fn load_columns(band: &Slice<f32, ReadWrite>, rows: &Rows, lane: u32, round: u32, there: bool) -> Array<f32> {
    let before = there && round > 0;
    let at = rows.at(lane, select(there, round, 0u32));
    let at_before = rows.at(lane, select(before, round - 1, 0u32));
    let mut columns = Array::<f32>::new(16usize);
    #[unroll]
    for u in 0..TEAM {
        // How far the row is below the column, less one.
        let below = (comptime!(2 * TEAM - 1 + u) - lane) % TEAM;
        let is_later = lane < u;
        let reached = below < BAND && select(is_later, there, before);
        let entry = band[select(is_later, at, at_before) + below as usize];
        columns[u as usize] = select(reached, entry, 0.0f32);
    }
    columns
}

/// Replaces `D^-1 L^-1 b`, of a matrix that is factored, by the solution. All units of the cube call it together, after what was stored is
/// there for all to see.
#[cube]
pub(crate) fn substitute(band: &mut Slice<f32, ReadWrite>, rows: &Rows, member: &mut Member) {
    let lane = member.lane;
    // Systems that are shorter than others of their cube begin late.
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
            member.show(x, 0.0f32, turn);
            let known = member.first_of(x, u, turn);
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
