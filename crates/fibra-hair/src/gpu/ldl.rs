//! Solves many band systems on a device at once.

use crate::gpu::band::{BEYOND, DIAGONAL, QUAD, RHS, ROW, Rows, factor, substitute};
use crate::gpu::team::{Member, TEAM, Teams};
use crate::random_band::RandomBand;
use cubecl::prelude::*;
use fibra_gpu::launch::cubes;
use fibra_gpu::{Buffer, DeviceError, Gpu};

/// Teams per block (CubeCL: cube): two fill a warp (CubeCL: plane) of 32.
const TEAMS_PER_BLOCK: u32 = 2;

/// Systems of the same size, and their solutions after [`Systems::solve`].
pub struct Systems<R: Runtime> {
    gpu: Gpu<R>,
    teams: Teams,
    /// Rows of all systems, system by system: see [`band`](crate::gpu::band).
    band: Buffer<f32>,
    /// Factors at the same offsets, with solutions in place of right-hand sides.
    solved: Buffer<f32>,
    systems: usize,
    rows: usize,
    rounds: usize,
}

impl<R: Runtime> Systems<R> {
    /// Uploads systems to a device; all have as many rows as the first.
    pub fn upload(gpu: &Gpu<R>, systems: &[RandomBand]) -> Systems<R> {
        let teams = Teams::on(gpu, TEAMS_PER_BLOCK);
        let rows = systems.first().map_or(0, RandomBand::rows);
        let rounds = rows.div_ceil(TEAM as usize);
        let (padded, row) = (rounds * TEAM as usize, ROW as usize);
        let count = systems.len().next_multiple_of(teams.per_cube as usize);
        let mut band = vec![0.0; count * padded * row + BEYOND as usize];
        for (number, system) in band.chunks_exact_mut((padded * row).max(1)).enumerate() {
            for (i, to) in system.chunks_exact_mut(row).enumerate() {
                match systems.get(number).filter(|_| i < rows) {
                    None => to[DIAGONAL as usize] = 1.0,
                    Some(from) => {
                        let first = i.saturating_sub(DIAGONAL as usize);
                        (first..=i).for_each(|j| to[DIAGONAL as usize + j - i] = from.entry(i, j));
                        to[RHS as usize] = from.rhs[i];
                    }
                }
            }
        }
        let solved = gpu.empty(band.len());
        Systems { gpu: gpu.clone(), teams, band: gpu.upload(&band), solved, systems: systems.len(), rows, rounds }
    }

    /// Launches the solve of all systems.
    pub fn solve(&self) {
        if self.systems == 0 || self.rounds == 0 {
            return;
        }
        let count = cubes(self.systems.div_ceil(self.teams.per_cube as usize));
        // SAFETY: there are rows for all threads of `count` blocks, and a thread stays within the rows of its team.
        unsafe {
            solve::launch_unchecked::<R>(
                &self.gpu.client,
                count,
                self.teams.cube_dim(),
                self.band.arg(),
                self.solved.arg(),
                self.systems as u32,
                self.rounds as u32,
                self.teams,
            );
        }
    }

    /// Downloads the solutions of [`Systems::solve`], by system.
    pub fn solutions(&self) -> Result<Vec<Vec<f32>>, DeviceError> {
        let (row, padded) = (ROW as usize, self.rounds * TEAM as usize);
        let band = self.solved.read(&self.gpu)?;
        let of = |system: &[f32]| system.chunks_exact(row).take(self.rows).map(|row| row[RHS as usize]).collect();
        Ok(band.chunks_exact((padded * row).max(1)).take(self.systems).map(of).collect())
    }
}

#[cube(launch_unchecked)]
fn solve(from: &Array<f32>, to: &mut Array<f32>, systems: u32, rounds: u32, #[comptime] teams: Teams) {
    let mut member = Member::this(teams);
    // A launch may have more blocks than needed; all threads of a block must exit together.
    if CUBE_POS as u32 * teams.per_cube < systems {
        let system = CUBE_POS as u32 * teams.per_cube + UNIT_POS / TEAM;
        let numbers = rounds * comptime!(TEAM * ROW);
        let rows = Rows {
            first: system as usize * numbers as usize,
            rounds,
            most_rounds: rounds,
            quad: comptime!(QUAD * ROW),
        };
        let mut band = to.to_slice_mut();
        factor::<ReadOnly>(&from.to_slice(), &mut band, &rows, &mut member);
        sync_cube();
        sync_storage();
        substitute(&mut band, &rows, &mut member);
    }
}
