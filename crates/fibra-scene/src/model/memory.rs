//! Estimates the memory of a scene and rejects scenes that do not fit into memory.

use super::elastons::Elastons;
use super::mpm::Mpm;
use super::rods::Rods;
use std::iter::Sum;

/// Memory per particle, workspace included [B].
pub const BYTES_PER_PARTICLE: f64 = 250.0;
/// Memory per display grain, in the state and in a frame [B].
pub const BYTES_PER_GRAIN: f64 = 120.0;
/// Memory per grid node [B].
pub const BYTES_PER_NODE: f64 = 40.0;
/// Allocated grid nodes per cell of material: two, because blocks at the surface are partly empty [-].
pub const NODES_PER_CELL: f64 = 2.0;
/// Grid nodes per vertex or element of a mesh [-]: a flat sheet has 6 vertices plus elements per cell, surrounded by 4 to 8 nodes.
pub const NODES_PER_MESH_PARTICLE: f64 = 1.5;
/// Memory per point or segment of a rod in a step, with the contacts around it [B].
pub const BYTES_PER_ROD_PARTICLE: f64 = 8000.0;
/// Memory per vertex or segment of hair, with the grid around it [B].
pub const BYTES_PER_HAIR_PARTICLE: f64 = 600.0;
/// Memory per reserved grid block of hair [B].
const BYTES_PER_HAIR_BLOCK: f64 = 2048.0;
/// Memory per piece of elastons, with its fraction of a sample and of the matrix [B].
pub const BYTES_PER_PIECE: f64 = 20_000.0;
/// Largest number of particles: indices have 32 bits.
const MAX_PARTICLES: f64 = u32::MAX as f64;

/// Why a scene is too large. The error is shown beside the value to change, such as `mpm.dx`.
#[derive(Clone, Debug, PartialEq)]
pub struct TooLarge {
    /// The memory that the scene needs and the memory installed.
    pub message: String,
    /// A short note beside the value.
    pub label: String,
    /// How to make the scene fit.
    pub remedy: String,
}

/// Returns the installed memory of this machine [B], if known.
pub fn installed() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Amount of material, estimated before generation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Amount {
    /// Volume to be filled with particles [m^3].
    pub volume: f64,
    /// Number of vertices and elements of meshes [-].
    pub mesh_particles: f64,
    /// Volume filled with particles, times the number of display grains per particle [m^3].
    pub grain_volume: f64,
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::default(), |a, b| Amount {
            volume: a.volume + b.volume,
            mesh_particles: a.mesh_particles + b.mesh_particles,
            grain_volume: a.grain_volume + b.grain_volume,
        })
    }
}

/// Rejects a scene whose objects together need more memory than `available`.
pub fn check(amount: Amount, mpm: &Mpm, available: Option<u64>) -> Result<(), TooLarge> {
    let cells = amount.volume / mpm.dx.powi(3);
    let points = cells * f64::from(mpm.particles_per_cell);
    let particles = points + amount.mesh_particles;
    let nodes = cells * NODES_PER_CELL + amount.mesh_particles * NODES_PER_MESH_PARTICLE;
    let grains = amount.grain_volume / mpm.dx.powi(3) * f64::from(mpm.particles_per_cell);
    let bytes = particles * BYTES_PER_PARTICLE + nodes * BYTES_PER_NODE + grains * BYTES_PER_GRAIN;
    let available = available.map_or(f64::INFINITY, |bytes| bytes as f64);
    let excess = (bytes / available).max(particles / MAX_PARTICLES);
    if excess <= 1.0 {
        return Ok(());
    }
    let limit = if bytes > available {
        format!("need {} of memory, but this machine has {}", in_units(bytes), in_units(available))
    } else {
        format!("exceed the limit of {MAX_PARTICLES:.1e} particles")
    };
    Err(TooLarge {
        message: format!("the scene is too large: about {particles:.1e} particles {limit}"),
        label: "too fine".to_owned(),
        remedy: if amount.mesh_particles > points {
            "use a larger `spacing` for cloth and fibers, or make the objects smaller".to_owned()
        } else {
            // Memory is proportional to the inverse cube of dx.
            format!("`mpm.dx = {}` [m] would fit, or make the objects smaller", round_up(mpm.dx * excess.cbrt()))
        },
    })
}

/// Rejects rods that together need more memory than `available`.
pub fn check_rods(amount: Amount, rods: &Rods, available: Option<u64>) -> Result<(), TooLarge> {
    let bytes = amount.mesh_particles * BYTES_PER_ROD_PARTICLE;
    let available = available.map_or(f64::INFINITY, |bytes| bytes as f64);
    let excess = (bytes / available).max(amount.mesh_particles / MAX_PARTICLES);
    if excess <= 1.0 {
        return Ok(());
    }
    Err(TooLarge {
        message: format!(
            "the scene is too large: about {:.1e} points and segments of rods need {} of memory",
            amount.mesh_particles,
            in_units(bytes)
        ),
        label: "too fine".to_owned(),
        remedy: format!("`rods.spacing = {}` [m] would fit, or use fewer rods", round_up(rods.spacing * excess)),
    })
}

/// Returns an upper bound on the number of grid blocks that hair reserves. The hair has `points` points within `reach`
/// [m] of the head, and the cells of the grid have width `cell` [m].
pub fn hair_blocks(points: f64, reach: f64, cell: f64) -> f64 {
    // The blocks within reach, but at most 27 for each point: its own and its neighbors.
    (4.2 * (reach / (4.0 * cell) + 3.5).powi(3)).min(27.0 * points)
}

/// Rejects hair that needs more memory than `available` [B]. The `blocks` grid blocks that are reserved for the hair are included.
pub fn check_hair(amount: Amount, blocks: f64, available: Option<u64>) -> Result<(), TooLarge> {
    let bytes = amount.mesh_particles * BYTES_PER_HAIR_PARTICLE + blocks * BYTES_PER_HAIR_BLOCK;
    let available = available.map_or(f64::INFINITY, |bytes| bytes as f64);
    if bytes <= available && amount.mesh_particles <= MAX_PARTICLES {
        return Ok(());
    }
    Err(TooLarge {
        message: format!(
            "the scene is too large: about {:.1e} points and segments of hair need {} of memory",
            amount.mesh_particles,
            in_units(bytes)
        ),
        label: "too much hair".to_owned(),
        remedy: "use fewer strands or fewer points per strand".to_owned(),
    })
}

/// Rejects elastons that need more memory than `available`.
pub fn check_elastons(amount: Amount, elastons: &Elastons, available: Option<u64>) -> Result<(), TooLarge> {
    // Meshes have two or three vertices and elements per piece.
    let pieces = amount.volume / elastons.spacing.powi(3) + 0.5 * amount.mesh_particles;
    let bytes = pieces * BYTES_PER_PIECE;
    let available = available.map_or(f64::INFINITY, |bytes| bytes as f64);
    let excess = (bytes / available).max(pieces / MAX_PARTICLES);
    if excess <= 1.0 {
        return Ok(());
    }
    Err(TooLarge {
        message: format!(
            "the scene is too large: about {pieces:.1e} pieces of material need {} of memory",
            in_units(bytes)
        ),
        label: "too fine".to_owned(),
        // For thin objects this spacing is still too small: the next check rejects them again.
        remedy: format!(
            "use a larger spacing, `{}` [m] or more, or make the objects smaller",
            round_up(elastons.spacing * excess.cbrt())
        ),
    })
}

fn in_units(bytes: f64) -> String {
    let gibibytes = bytes / f64::from(1u32 << 30);
    if gibibytes < 1e4 { format!("{gibibytes:.1} GiB") } else { format!("{gibibytes:.1e} GiB") }
}

/// Rounds up to two significant digits.
fn round_up(value: f64) -> f64 {
    let exponent = value.log10().floor() as i32 - 1;
    // Dividing by a positive power of ten keeps numbers like 0.023 short.
    let scaled = |power: i32| if power < 0 { value * 10f64.powi(-power) } else { value / 10f64.powi(power) };
    let digits = scaled(exponent).ceil();
    if exponent < 0 { digits / 10f64.powi(-exponent) } else { digits * 10f64.powi(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mpm(dx: f64) -> Mpm {
        toml::from_str(&format!("dx = {dx}")).unwrap()
    }

    fn solid(volume: f64) -> Amount {
        Amount { volume, ..Amount::default() }
    }

    #[test]
    fn meshes_are_counted() {
        let fits = Amount { mesh_particles: 3e6, ..Amount::default() };
        assert_eq!(check(fits, &mpm(0.01), Some(1 << 30)), Ok(()));
        let sheets = [fits, Amount { volume: 0.1, ..fits }].into_iter().sum();
        let error = check(sheets, &mpm(0.01), Some(1 << 30)).unwrap_err();
        assert!(error.message.contains("about 6.8e6 particles"), "{}", error.message);
        assert!(error.remedy.contains("larger `spacing`"), "{}", error.remedy);
    }

    #[test]
    fn rejects_scenes_that_do_not_fit_and_suggests_a_dx_that_does() {
        let gibibyte = 1 << 30;
        assert_eq!(check(solid(1.0), &mpm(0.02), Some(gibibyte)), Ok(()));
        let error = check(solid(1.0), &mpm(0.001), Some(gibibyte)).unwrap_err();
        assert_eq!(
            error.message,
            "the scene is too large: about 8.0e9 particles need 1937.2 GiB of memory, but this machine has 1.0 GiB"
        );
        assert_eq!(error.remedy, "`mpm.dx = 0.013` [m] would fit, or make the objects smaller");
        assert_eq!(check(solid(1.0), &mpm(0.013), Some(gibibyte)), Ok(()));
    }

    #[test]
    fn display_grains_are_counted() {
        let drawn = |per_particle: f64| Amount { grain_volume: per_particle, ..solid(1.0) };
        assert_eq!(check(drawn(0.0), &mpm(0.015), Some(1 << 30)), Ok(()));
        assert!(check(drawn(10.0), &mpm(0.015), Some(1 << 30)).is_err());
    }

    #[test]
    fn rods_are_counted() {
        let rods: Rods = toml::from_str("spacing = 0.001").unwrap();
        let points = |count| Amount { mesh_particles: count, ..Amount::default() };
        assert_eq!(check_rods(points(1e5), &rods, Some(1 << 30)), Ok(()));
        let error = check_rods(points(1e6), &rods, Some(1 << 30)).unwrap_err();
        assert!(error.remedy.contains("`rods.spacing = 0.0075`"), "{}", error.remedy);
        assert!(check_rods(points(1e10), &rods, None).is_err());
    }

    #[test]
    fn hair_is_counted() {
        let points = |count| Amount { mesh_particles: count, ..Amount::default() };
        assert_eq!(check_hair(points(1e6), 0.0, Some(1 << 30)), Ok(()));
        assert!(check_hair(points(1e7), 0.0, Some(1 << 30)).is_err() && check_hair(points(1e10), 0.0, None).is_err());
        // Few points that are far apart need many blocks: 86 m instead of 86 cm.
        let blocks = |reach| hair_blocks(3e6, reach, 0.01);
        assert_eq!(check_hair(points(1e6), blocks(0.86), Some(1 << 30)), Ok(()));
        assert!(check_hair(points(1e6), blocks(86.0), Some(1 << 34)).is_err());
    }

    #[test]
    fn elastons_are_counted() {
        let elastons: Elastons = toml::from_str("spacing = 0.01").unwrap();
        assert_eq!(check_elastons(solid(0.01), &elastons, Some(1 << 30)), Ok(()));
        let error = check_elastons(solid(1.0), &elastons, Some(1 << 30)).unwrap_err();
        assert!(error.remedy.contains("`0.027` [m]"), "{}", error.remedy);
        assert!(check_elastons(solid(1e9), &elastons, None).is_err());
    }

    #[test]
    fn particle_count_is_limited_even_if_the_memory_is_unknown() {
        assert_eq!(check(solid(1.0), &mpm(0.002), None), Ok(()));
        assert!(check(solid(1.0), &mpm(0.001), None).unwrap_err().message.contains("exceed the limit"));
        assert!(check(solid(1e300), &mpm(1e-3), None).is_err());
    }
}
