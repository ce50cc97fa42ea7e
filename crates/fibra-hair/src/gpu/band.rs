//! `A = L D L^T` of symmetric band matrices, each factored and solved by a [team](crate::gpu::team) [Huang2023, Alg. 2].
//!
//! Unit `l` of a team keeps row `i = l (mod 16)` in registers, the entry of column `j` in register `j (mod 16)`: rows and registers are rings, and nothing
//! moves while the band does. To eliminate column `j` the units show each other their entries in it, and each takes its multiple of the row of the
//! pivot out of its own: one exchange, one reciprocal and one product are all that has to happen one after the other. The next rows
//! are on their way from memory meanwhile.
//!
//! Rows lie one after the other, [`ROW`] numbers each: entries of the columns `i - 10 ..= i`, the right-hand side, and what the pivot is at least.
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
/// Registers of a row that hold nothing.
const SPARE: u32 = TEAM - BAND - 1;

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
        Place { at: self.at(lane, select(there, round, 0u32)), lane, there }
    }
}

/// Where a row is.
#[derive(CubeType, Clone, Copy)]
struct Place {
    at: usize,
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
    /// The row of a place, or one that is zero where the system has no more.
    fn load<IO: SliceVisibility>(band: &Slice<f32, IO>, place: &Place) -> Row {
        let there = place.there;
        let mut entries = Array::<f32>::new(16usize);
        #[unroll]
        for s in 0..TEAM {
            let k = entry_of(s, place.lane);
            let entry = band[place.at + k as usize];
            entries[s as usize] = select(there && k <= DIAGONAL, entry, 0.0f32);
        }
        let share = LEAST_SHARE * band[place.at + DIAGONAL as usize];
        let least = f32::max(share, band[place.at + LEAST as usize]);
        let rhs = band[place.at + RHS as usize];
        Row { entries, rhs: select(there, rhs, 0.0f32), least: select(there, least, 1.0f32) }
    }

    /// Writes the row of `-L` and the right-hand side.
    fn store(&self, band: &mut Slice<f32, ReadWrite>, place: &Place) {
        if place.there {
            #[unroll]
            for s in 0..TEAM {
                let k = entry_of(s, place.lane);
                if k < DIAGONAL {
                    band[place.at + k as usize] = self.entries[s as usize];
                }
            }
            band[place.at + RHS as usize] = self.rhs;
        }
    }

    /// Eliminates the columns `from..to` of a round; rows become those of `-L`, right-hand sides those of `D^-1 L^-1 b`.
    fn eliminate(&mut self, member: &mut Member, #[comptime] from: u32, #[comptime] to: u32) {
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
            // Rows below the pivot that the band reaches. The others must not be touched: some are done and wait to be stored.
            let below = (lane + comptime!(TEAM - u)) % TEAM;
            let reached = below > 0 && below <= BAND;
            let minus_l = select(reached, own * -inverse, 0.0f32);
            // Beyond the diagonal there are five registers to spare. What is further lies around the ring, where columns are done.
            let minus_l_of_far = select(below > SPARE, minus_l, 0.0f32);
            #[unroll]
            for b in 1..BAND + 1 {
                let s = comptime!((u + b) % TEAM);
                let pivot_row = member.first_of(own, s, turn);
                if comptime!(b <= SPARE + 1) {
                    self.entries[s as usize] += minus_l * pivot_row;
                } else {
                    self.entries[s as usize] += minus_l_of_far * pivot_row;
                }
            }
            self.entries[u as usize] = select(reached, minus_l, before);
            self.rhs = select(is_pivot, rhs * inverse, rhs + minus_l * member.second_of(rhs, u, turn));
        }
    }

    /// In the lanes `from..to`, whose rows are done: stores them and goes on with the next.
    fn swap(
        &mut self,
        next: &Row,
        band: &mut Slice<f32, ReadWrite>,
        place: &Place,
        #[comptime] from: u32,
        #[comptime] to: u32,
    ) {
        if place.lane >= from && place.lane < to {
            self.store(band, place);
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
    let mut row = Row::load::<IO>(from, &rows.place(lane, 0u32));
    for round in 0..rows.most_rounds {
        let place = rows.place(lane, round);
        let next = Row::load::<IO>(from, &rows.place(lane, round + 1));
        // A row that is done is in nobody's way until the row six further down is the pivot, whose band reaches the row to come.
        row.eliminate(member, 0u32, 6u32);
        row.swap(&next, band, &place, 0u32, 6u32);
        row.eliminate(member, 6u32, 12u32);
        row.swap(&next, band, &place, 6u32, 12u32);
        row.eliminate(member, 12u32, 16u32);
        row.swap(&next, band, &place, 12u32, 16u32);
    }
}

/// Column of `-L` in a lane for the rows of a round, zero where the band does not reach.
#[cube]
fn load_columns(band: &Slice<f32, ReadWrite>, rows: &Rows, lane: u32, round: u32, there: bool) -> Array<f32> {
    let mut columns = Array::<f32>::new(16usize);
    #[unroll]
    for u in 0..TEAM {
        // How far the row is below the column.
        let below = (comptime!(TEAM + u) - lane) % TEAM;
        let reached = there && below > 0 && below <= BAND;
        let at = rows.at(u, select(there, round, 0u32));
        let entry = band[at + (DIAGONAL - u32::min(below, DIAGONAL)) as usize];
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
