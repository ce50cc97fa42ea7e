//! Benchmarks of steps, contact solvers, linear solvers, pictures and export.

mod anisotropy;
mod elastons;
mod export;
mod fabric;
mod friction;
mod friction_piles;
#[cfg(feature = "gpu")]
pub mod gpu;
mod hair;
mod hair_ldl;
mod hair_load;
mod mpm_steps;
pub mod pcg64;
pub mod peer_block;
mod pictures;
mod rods;
mod rods_scaling;
mod stiff_curtain;

use fibra_mpm::materials::MeshProperties;
use peer_block::{Matter, Order, PEER_COUNTS};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// A benchmark, timed in the current thread pool.
pub type Case = crate::Case<fn() -> Result<Vec<Timed>, String>>;

/// All benchmarks, in the order they run.
pub const CASES: &[Case] = &[
    Case {
        name: "mpm-jelly",
        about: "step of a falling block of jelly, 201,840 particles in lattice order (workload of a published comparison of simulators)",
        run: || Timed::alone(jelly()),
    },
    Case {
        name: "mpm-jelly-shuffled",
        about: "step of a falling block of jelly, 201,840 particles in random order",
        run: || Timed::alone(jelly_shuffled()),
    },
    Case {
        name: "mpm-sand",
        about: "step of a falling block of sand, 201,840 particles in lattice order (workload of a published comparison of simulators)",
        run: || Timed::alone(sand()),
    },
    Case {
        name: "mpm-sand-shuffled",
        about: "step of a falling block of sand, 201,840 particles in random order",
        run: || Timed::alone(sand_shuffled()),
    },
    Case {
        name: "mpm-cloth",
        about: "step of four falling layers of cloth, 271,204 particles",
        run: || Timed::alone(fabric::cloth(MeshProperties::NONE)),
    },
    Case {
        name: "mpm-cloth-bending",
        about: "the step of `mpm-cloth` for sheets that resist bending",
        run: || Timed::alone(fabric::cloth(MeshProperties { bending_stiffness: 1e-9, ..MeshProperties::NONE })),
    },
    Case {
        name: "mpm-fiber",
        about: "step of a falling bundle of hair, 257,600 particles",
        run: || Timed::alone(fabric::fibers(MeshProperties::NONE)),
    },
    Case {
        name: "mpm-fiber-bending",
        about: "the step of `mpm-fiber` for hair that resists bending and twisting",
        run: || {
            let bending = MeshProperties { bending_stiffness: 1e-9, twisting_stiffness: 1e-9, ..MeshProperties::NONE };
            Timed::alone(fabric::fibers(bending))
        },
    },
    Case {
        name: "mpm-implicit",
        about: "implicit step of a stiff curtain, 7,601 particles, ten times as long as an explicit step",
        run: || Timed::alone(fabric::implicit()),
    },
    Case {
        name: "mpm-stiff-curtain",
        about: "first half second of the scene cloth-curtain with preset stiff, 8,459 particles, with implicit and explicit steps: time per simulated second [s], and RMS distance of the vertices from a run with half the explicit step [m]",
        run: stiff_curtain::run,
    },
    Case {
        name: "mpm-aniso",
        about: "step of a falling block, 64,000 particles, for each law with anisotropic maps, and ratio of its time to that of the isotropic law",
        run: anisotropy::run,
    },
    Case {
        name: "mpm-scaling-10k",
        about: "step of a falling block of jelly, 10,648 particles in random order",
        run: || Timed::alone(scaling_10k()),
    },
    Case {
        name: "mpm-scaling-100k",
        about: "step of a falling block of jelly, 97,336 particles in random order",
        run: || Timed::alone(scaling_100k()),
    },
    Case {
        name: "mpm-scaling-1m",
        about: "step of a falling block of jelly, 1,000,000 particles in random order",
        run: || Timed::alone(scaling_1m()),
    },
    Case {
        name: "mpm-scaling-4m",
        about: "step of a falling block of jelly, 4,096,000 particles in random order",
        run: || Timed::alone(scaling_4m()),
    },
    Case {
        name: "rods-spaghetti-31",
        about: "mean time per step over the whole scene spaghetti-31",
        run: || Timed::alone(rods::scene("spaghetti-31")),
    },
    Case {
        name: "rods-spaghetti-76",
        about: "mean time per step over the whole scene spaghetti-76",
        run: || Timed::alone(rods::scene("spaghetti-76")),
    },
    Case {
        name: "rods-wavy-hair",
        about: "mean time per step over the whole scene wavy-hair",
        run: || Timed::alone(rods::scene("wavy-hair")),
    },
    Case {
        name: "rods-scaling",
        about: "step of bundles of 3 to 120 rods falling on a plate (items are contacts), and exponent of the time as a function of the number of contacts",
        run: rods_scaling::run,
    },
    Case {
        name: "friction-500",
        about: "solution of problems with about 500 contacts from spaghetti-76 at impact, while settling and at rest, from zero impulses to an error of 1e-8",
        run: || friction::problems(500, 20),
    },
    Case {
        name: "friction-1000",
        about: "solution of problems with about 1000 contacts from spaghetti-76 at impact, while settling and at rest, from zero impulses to an error of 1e-8",
        run: || friction::problems(1000, 32),
    },
    Case {
        name: "friction-piles",
        about: "solution of nine problems given by W, with 500, 1000 and 1800 contacts between 76 fibers, from zero impulses to an error of 1e-8",
        run: friction_piles::run,
    },
    Case {
        name: "hair-ldl",
        about: "solution of 300 to 30,000 band systems of 400 unknowns on one thread (items are systems), and speedup over faer",
        run: hair_ldl::run,
    },
    Case {
        name: "hair-load",
        about: "loading of a file of 100,000 strands, of which all, half or a fiftieth are simulated (each loading counts as one step)",
        run: hair_load::run,
    },
    Case {
        name: "hair-dance",
        about: "time per frame of short hair on a dancing figure with 69,200 render strands (each frame counts as one step), and each stage's share of that time",
        run: hair::dance,
    },
    Case {
        name: "hair-long",
        about: "time per frame of long hair with 35,100 render strands (each frame counts as one step), and each stage's share of that time",
        run: hair::long,
    },
    Case {
        name: "elaston-flag",
        about: "step of flags with up to 1,490 samples (items are elastons), and the time to precompute, assemble and solve",
        run: elastons::flag,
    },
    Case {
        name: "elaston-buckling",
        about: "step of a buckling cylinder with 528 samples (items are elastons), and the time to precompute, assemble and solve",
        run: elastons::buckling,
    },
    Case {
        name: "render-200k",
        about: "1280x720 picture of 200,000 grains (each picture counts as one step)",
        run: || Timed::alone(pictures::grains()),
    },
    Case {
        name: "render-hair",
        about: "1280x720 picture of 300,000 hair segments (each picture counts as one step)",
        run: || Timed::alone(pictures::hair()),
    },
    Case {
        name: "render-cloth",
        about: "1280x720 picture of 301,056 triangles of cloth (each picture counts as one step)",
        run: || Timed::alone(pictures::cloth()),
    },
    Case {
        name: "export-usd",
        about: "export of 100 frames of 1,000,000 points to USD (each frame counts as one step), throughput and peak memory; needs 6 GB of temporary files",
        run: || Timed::alone(export::usd()),
    },
];

fn jelly() -> Result<Timed, String> {
    peer_block::time(Matter::Jelly, PEER_COUNTS, Order::Lattice)
}

fn jelly_shuffled() -> Result<Timed, String> {
    peer_block::time(Matter::Jelly, PEER_COUNTS, Order::Shuffled)
}

fn sand() -> Result<Timed, String> {
    peer_block::time(Matter::Sand, PEER_COUNTS, Order::Lattice)
}

fn sand_shuffled() -> Result<Timed, String> {
    peer_block::time(Matter::Sand, PEER_COUNTS, Order::Shuffled)
}

fn scaling_10k() -> Result<Timed, String> {
    peer_block::time(Matter::Jelly, [22; 3], Order::Shuffled)
}

fn scaling_100k() -> Result<Timed, String> {
    peer_block::time(Matter::Jelly, [46; 3], Order::Shuffled)
}

fn scaling_1m() -> Result<Timed, String> {
    peer_block::time(Matter::Jelly, [100; 3], Order::Shuffled)
}

fn scaling_4m() -> Result<Timed, String> {
    peer_block::time(Matter::Jelly, [160; 3], Order::Shuffled)
}

/// Timing result. On the CPU, the time is the best of several repeats, to exclude other load. On a GPU, it is the
/// median.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// Suffix that this part adds to the benchmark's name; empty for the main or only part.
    pub part: String,
    /// Number of particles, vertices, elastons or contacts.
    pub items: usize,
    /// Number of steps timed.
    pub steps: u64,
    /// Wall time of all steps of the best (CPU) or median (GPU) repeat [s].
    pub seconds: f64,
    /// Memory use of the method, if it was measured.
    pub memory: Option<Memory>,
    /// Further results, by name.
    pub details: Vec<(&'static str, f64)>,
}

/// Memory use of a method.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// Memory of state and workspace arrays that grow with the number of particles, per particle [bytes].
    pub bytes_per_item: f64,
    /// Memory of the grid and of arrays that grow with the grid, per node [bytes].
    pub bytes_per_node: f64,
    /// Number of grid nodes.
    pub nodes: usize,
}

/// A benchmark's result, as printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Name of the benchmark.
    pub name: String,
    /// Name of the device.
    pub device: String,
    /// Number of worker threads.
    pub threads: usize,
    /// Number of particles, vertices, elastons or contacts.
    pub items: usize,
    /// Number of steps timed.
    pub steps: u64,
    /// Wall time per item and step [ns].
    pub ns_per_item_step: f64,
    /// Wall time per step [s].
    pub seconds_per_step: f64,
    /// Memory use of the method, if it was measured.
    #[serde(flatten)]
    pub memory: Option<Memory>,
    /// Further results, by name.
    #[serde(flatten)]
    pub details: BTreeMap<&'static str, f64>,
}

impl Timed {
    /// Wraps the result of a benchmark that has only one part.
    fn alone(timed: Result<Timed, String>) -> Result<Vec<Timed>, String> {
        Ok(vec![timed?])
    }

    /// Calls `step` `warm_up` times untimed. Then times `repeats` rounds of `steps` calls and returns the fastest
    /// round.
    pub fn best_of<E: ToString>(
        items: usize,
        [warm_up, repeats, steps]: [u64; 3],
        mut step: impl FnMut() -> Result<(), E>,
    ) -> Result<Timed, String> {
        let mut run = |count: u64| -> Result<f64, String> {
            let start = Instant::now();
            for _ in 0..count {
                step().map_err(|error| error.to_string())?;
            }
            Ok(start.elapsed().as_secs_f64())
        };
        run(warm_up)?;
        let mut seconds = f64::INFINITY;
        for _ in 0..repeats {
            seconds = seconds.min(run(steps)?);
        }
        Ok(Timed { items, steps, seconds, ..Timed::default() })
    }

    /// Converts the result to a record with the time per step and the time per item and step.
    pub fn record(&self, name: &str, device: &str) -> Record {
        let seconds_per_step = self.seconds / self.steps as f64;
        Record {
            name: if self.part.is_empty() { name.to_owned() } else { format!("{name}-{}", self.part) },
            device: device.to_owned(),
            threads: rayon::current_num_threads(),
            items: self.items,
            steps: self.steps,
            ns_per_item_step: seconds_per_step * 1e9 / self.items as f64,
            seconds_per_step,
            memory: self.memory,
            details: self.details.iter().copied().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_divides_time_by_items_and_steps() {
        let timed = Timed { items: 1000, steps: 10, seconds: 2.0, ..Timed::default() };
        let record = timed.record("toy", "cpu");
        assert_eq!((record.seconds_per_step, record.ns_per_item_step), (0.2, 2e5));
        assert_eq!(
            (record.name.as_str(), Timed { part: "big".into(), ..timed }.record("toy", "cpu").name.as_str()),
            ("toy", "toy-big")
        );
    }
}
