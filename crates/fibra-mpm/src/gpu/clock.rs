//! Time on the device: the next step's length, the remaining span, and the particles' extremes. Steps run one after the other without the
//! host. A step has length 0, and every kernel returns immediately, if the span is over, if particles must be sorted, if a value is not
//! finite, or if the stable step is too short.

use crate::params::Params;
use crate::step_bounds::bending_dt;
use crate::timestep::TooShort;
use cubecl::prelude::*;
use fibra_gpu::{Buffer, DeviceError, Gpu};

/// Fraction of the span completed at the end of this step [-].
pub const SHARE: usize = 0;
/// Length of this step [s]; 0 if nothing is to be done.
pub const DT: usize = 1;
/// Time left in the span after this step [s].
pub const LEFT: usize = 2;
/// Length of the span [s].
pub const SPAN: usize = 3;
/// Number of steps in the span so far.
pub const STEPS: usize = 4;
/// Shortest step so far [s].
pub const SHORTEST: usize = 5;
/// Longest step so far [s].
pub const LONGEST: usize = 6;
/// Index, counted from 1, of the bound that required a step below the shortest allowed one; 0 if there is none.
pub const TOO_SHORT: usize = 7;
/// The step length that this bound required [s].
pub const WANTED: usize = 8;
const LEN: usize = 9;

/// Index in the extremes: squared speed of the fastest particle [m^2/s^2].
pub const SPEED2: usize = 0;
/// Squared speed of the fastest wave [m^2/s^2].
pub const WAVE2: usize = 1;
/// 1 if a particle has left the reach of its tile.
pub const DRIFTED: usize = 2;
/// 1 if a velocity or a stress is not finite.
pub const BROKEN: usize = 3;

/// Bounds on the time step, as in [`crate::timestep::stable_dt`].
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Largest distance that a particle may travel in a step [m].
    pub travel: f32,
    /// Largest distance that a wave may travel in a step [m].
    pub sound: f32,
    /// Largest step that viscosity and bending allow [s].
    pub constant: f32,
    /// Longest step [s].
    pub longest: f32,
    /// Shortest step [s].
    pub shortest: f32,
}

impl Bounds {
    /// Returns the bounds for a run's parameters.
    pub fn new(params: &Params) -> Bounds {
        let (limits, dx) = (&params.limits, f64::from(params.dx));
        let viscous = params.substances.iter().map(|s| {
            let nu = f64::from(s.material.explicit_viscosity()) / f64::from(s.density);
            dx * dx / (6.0 * nu).max(1e-30)
        });
        let within = |seconds: f64| seconds.clamp(f64::from(f32::MIN_POSITIVE), 1e30) as f32;
        Bounds {
            travel: limits.cfl * params.dx,
            sound: limits.sound_cfl * params.dx,
            constant: within(viscous.fold(bending_dt(params), f64::min)),
            longest: within(limits.max_dt),
            shortest: within(limits.min_dt),
        }
    }
}

/// Time and extremes on the device.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The values indexed by the constants above, as `u32` bits.
    pub buffer: Buffer<u32>,
    /// Extremes reported by the particles. A separate buffer, because on CUDA even reads of a value that many threads write are serialized.
    pub extremes: Buffer<u32>,
}

/// A snapshot of the clock on the host.
#[derive(Clone, Copy, Debug)]
pub struct Reading {
    /// Time left in the span [s].
    pub left: f32,
    /// Number of steps in the span so far.
    pub steps: u32,
    /// Shortest step [s].
    pub shortest: f32,
    /// Longest step [s].
    pub longest: f32,
    /// Speed of the fastest particle [m/s].
    pub speed: f32,
    /// Speed of the fastest wave [m/s].
    pub wave_speed: f32,
    /// Whether particles must be sorted before the next step.
    pub drifted: bool,
    /// Whether a velocity or a stress is not finite.
    pub broken: bool,
    /// The reason why no step is taken, if the stable time step is below `min_dt`.
    pub too_short: Option<TooShort>,
}

impl Clock {
    /// Starts a span of `span` [s], with the speeds of the fastest particle and of the fastest wave [m/s].
    pub fn start<R: Runtime>(gpu: &Gpu<R>, span: f32, speed: f32, wave_speed: f32) -> Clock {
        let mut bits = [0u32; LEN];
        bits[LEFT] = span.to_bits();
        bits[SPAN] = span.to_bits();
        bits[SHORTEST] = f32::MAX.to_bits();
        let extremes = [(speed * speed).to_bits(), (wave_speed * wave_speed).to_bits(), 0, 0];
        Clock { buffer: gpu.upload(&bits), extremes: gpu.upload(&extremes) }
    }

    /// Creates a clock for steps of fixed length `dt` [s].
    pub fn fixed<R: Runtime>(gpu: &Gpu<R>, dt: f32) -> Clock {
        let mut bits = [0u32; LEN];
        bits[DT] = dt.to_bits();
        Clock { buffer: gpu.upload(&bits), extremes: gpu.upload(&[0; 4]) }
    }

    /// Downloads the clock; waits for all steps launched before.
    pub fn read<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<Reading, DeviceError> {
        let (bits, extremes) = (self.buffer.read(gpu)?, self.extremes.read(gpu)?);
        let number = |at: usize| f32::from_bits(bits[at]);
        let speed_of = |at: usize| f32::from_bits(extremes[at]).sqrt();
        let because = [
            "the fastest particle crosses too many cells",
            "sound crosses too many cells in the stiffest material",
            "viscosity diffuses momentum across a cell, or the stiffest mesh vibrates in bending",
        ];
        let cause = (bits[TOO_SHORT] as usize).checked_sub(1).and_then(|cause| because.get(cause));
        Ok(Reading {
            left: number(LEFT),
            steps: bits[STEPS],
            shortest: number(SHORTEST),
            longest: number(LONGEST),
            speed: speed_of(SPEED2),
            wave_speed: speed_of(WAVE2),
            drifted: extremes[DRIFTED] != 0,
            broken: extremes[BROKEN] != 0,
            too_short: cause.map(|because| TooShort { wanted: f64::from(number(WANTED)), because }),
        })
    }

    /// Launches the kernel that chooses the length of the next step.
    pub fn begin_step<R: Runtime>(&self, gpu: &Gpu<R>, bounds: &Bounds) {
        let Bounds { travel, sound, constant, longest, shortest } = *bounds;
        begin_step::launch::<R>(
            &gpu.client,
            CubeCount::Static(1, 1, 1),
            CubeDim::new_1d(1),
            self.buffer.arg(),
            self.extremes.arg(),
            travel,
            sound,
            constant,
            longest,
            shortest,
        );
    }

    /// Clears the drift flag, after particles were sorted.
    pub fn clear_drift<R: Runtime>(&self, gpu: &Gpu<R>) {
        let one = CubeCount::Static(1, 1, 1);
        clear_drift::launch::<R>(&gpu.client, one, CubeDim::new_1d(1), self.extremes.arg());
    }
}

#[cube(launch)]
fn clear_drift(extremes: &mut Array<u32>) {
    extremes[DRIFTED] = 0u32;
}

#[cube(launch)]
fn begin_step(
    clock: &mut Array<u32>,
    extremes: &mut Array<u32>,
    travel: f32,
    sound: f32,
    constant: f32,
    longest: f32,
    shortest: f32,
) {
    let left = f32::reinterpret(clock[LEFT]);
    let stuck = extremes[DRIFTED] + extremes[BROKEN] + clock[TOO_SHORT];
    let mut dt = 0.0f32;
    if stuck == 0u32 && left > 0.0f32 {
        let tiny = comptime!(1e-30f32);
        let by_speed = travel / f32::sqrt(f32::max(f32::reinterpret(extremes[SPEED2]), tiny));
        let by_sound = sound / f32::sqrt(f32::max(f32::reinterpret(extremes[WAVE2]), tiny));
        let wanted = f32::min(by_speed, f32::min(by_sound, constant));
        if wanted < shortest {
            clock[WANTED] = u32::reinterpret(wanted);
            let mut cause = 3u32;
            if by_sound == wanted {
                cause = 2u32;
            }
            if by_speed == wanted {
                cause = 1u32;
            }
            clock[TOO_SHORT] = cause;
        } else {
            // The last two steps split the remaining time evenly, so that no step is tiny.
            let stable = f32::min(wanted, longest);
            dt = left;
            if stable < left {
                dt = stable;
                if 2.0f32 * stable > left {
                    dt = 0.5f32 * left;
                }
            }
            let rest = left - dt;
            clock[LEFT] = u32::reinterpret(rest);
            clock[SHARE] = u32::reinterpret(1.0f32 - rest / f32::reinterpret(clock[SPAN]));
            clock[STEPS] += 1u32;
            clock[SHORTEST] = u32::reinterpret(f32::min(f32::reinterpret(clock[SHORTEST]), dt));
            clock[LONGEST] = u32::reinterpret(f32::max(f32::reinterpret(clock[LONGEST]), dt));
            // Resets the extremes, which the particles of this step set again.
            extremes[SPEED2] = 0u32;
            extremes[WAVE2] = 0u32;
        }
    }
    clock[DT] = u32::reinterpret(dt);
}

/// Raises a non-negative extreme to at least `to`. All threads of a thread block must call it together. With `planes` (CubeCL's word for warps), each warp
/// sends only its maximum.
#[cube]
pub(super) fn raise(extremes: &Array<Atomic<u32>>, #[comptime] what: usize, to: f32, #[comptime] planes: bool) {
    // The bits of positive floats have the same order as the floats.
    if comptime!(planes) {
        let most = plane_max(to);
        if UNIT_POS_PLANE == 0 {
            extremes[what].fetch_max(u32::reinterpret(most));
        }
    } else {
        extremes[what].fetch_max(u32::reinterpret(to));
    }
}

/// Returns the length of this step [s].
#[cube]
pub(super) fn step_length(clock: &Array<u32>) -> f32 {
    f32::reinterpret(clock[DT])
}
