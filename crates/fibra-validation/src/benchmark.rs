//! Benchmarks: how long a step takes per particle, and how long problems of contact take.

mod anisotropy;
mod elastons;
mod export;
mod fabric;
mod friction;
#[cfg(feature = "gpu")]
pub mod gpu;
mod hair;
mod hair_ldl;
mod mpm_steps;
pub mod pcg64;
pub mod peer_block;
mod pictures;
mod rods;
mod rods_scaling;

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
        about: "201,840 particles of jelly, the work other simulators were timed on",
        run: || Timed::alone(jelly()),
    },
    Case {
        name: "mpm-jelly-shuffled",
        about: "the same, particles arriving in random order",
        run: || Timed::alone(jelly_shuffled()),
    },
    Case { name: "mpm-sand", about: "201,840 particles of sand, likewise", run: || Timed::alone(sand()) },
    Case {
        name: "mpm-sand-shuffled",
        about: "the same, particles arriving in random order",
        run: || Timed::alone(sand_shuffled()),
    },
    Case {
        name: "mpm-cloth",
        about: "271,204 particles of cloth in four layers",
        run: || Timed::alone(fabric::cloth()),
    },
    Case { name: "mpm-fiber", about: "257,600 particles of hair in a bundle", run: || Timed::alone(fabric::fibers()) },
    Case {
        name: "mpm-implicit",
        about: "an implicit step of a stiff curtain, ten times as long as an explicit one",
        run: || Timed::alone(fabric::implicit()),
    },
    Case {
        name: "mpm-aniso",
        about: "64,000 particles of each law that fall on the floor, seen through maps, and the ratio to the time without",
        run: anisotropy::run,
    },
    Case { name: "mpm-scaling-10k", about: "jelly, 10,648 particles", run: || Timed::alone(scaling_10k()) },
    Case { name: "mpm-scaling-100k", about: "jelly, 97,336 particles", run: || Timed::alone(scaling_100k()) },
    Case { name: "mpm-scaling-1m", about: "jelly, 1,000,000 particles", run: || Timed::alone(scaling_1m()) },
    Case { name: "mpm-scaling-4m", about: "jelly, 4,096,000 particles", run: || Timed::alone(scaling_4m()) },
    Case {
        name: "rods-spaghetti-31",
        about: "the whole scene spaghetti-31, mean over its steps",
        run: || Timed::alone(rods::scene("spaghetti-31")),
    },
    Case {
        name: "rods-spaghetti-76",
        about: "the whole scene spaghetti-76, mean over its steps",
        run: || Timed::alone(rods::scene("spaghetti-76")),
    },
    Case {
        name: "rods-wavy-hair",
        about: "the whole scene wavy-hair, mean over its steps",
        run: || Timed::alone(rods::scene("wavy-hair")),
    },
    Case {
        name: "rods-scaling",
        about: "a step of bundles of 3 to 160 rods that lie down on a plate (items are contacts), and the exponent of its cost",
        run: rods_scaling::run,
    },
    Case {
        name: "friction-500",
        about: "problems of 500 contacts from spaghetti-76, at impact, settling and at rest, from zero to an error of 1e-8",
        run: || friction::problems(500, 20),
    },
    Case { name: "friction-1000", about: "the same of 1000 contacts", run: || friction::problems(1000, 32) },
    Case {
        name: "hair-ldl",
        about: "300 to 30,000 band systems of 400 unknowns, one thread (items are systems), and how many times as long faer takes",
        run: hair_ldl::run,
    },
    Case {
        name: "hair-dance",
        about: "60 frames of short hair on a dancing figure, 69,200 strands drawn (a step is a frame), and where the time goes",
        run: hair::dance,
    },
    Case { name: "hair-long", about: "the same of long hair, 35,100 strands drawn", run: hair::long },
    Case {
        name: "elaston-flag",
        about: "24 steps of the flag with 1,490 samples (items are elastons), seconds to prepare, assemble and solve, and smaller flags",
        run: elastons::flag,
    },
    Case {
        name: "elaston-buckling",
        about: "the same of the cylinder that buckles, with 528 samples",
        run: elastons::buckling,
    },
    Case {
        name: "render-200k",
        about: "a 1280x720 picture of 200,000 grains (a step is a picture)",
        run: || Timed::alone(pictures::grains()),
    },
    Case { name: "render-hair", about: "the same of 300,000 segments of hair", run: || Timed::alone(pictures::hair()) },
    Case {
        name: "render-cloth",
        about: "the same of 301,056 triangles of cloth",
        run: || Timed::alone(pictures::cloth()),
    },
    Case {
        name: "export-usd",
        about: "100 frames of 1,000,000 points to one USD stage (a step is a frame), bytes of it per second, and memory; 6 GB of temporary files",
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

/// What was timed: the best of several repeats, which is what a quiet machine would give; on a graphics card the median.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timed {
    /// Which part of the benchmark, where it has several; follows its name.
    pub part: String,
    /// Number of particles, vertices, elastons or contacts.
    pub items: usize,
    /// Number of steps timed.
    pub steps: u64,
    /// Wall time of the steps in that repeat [s].
    pub seconds: f64,
    /// What the method holds in memory, where that was measured.
    pub memory: Option<Memory>,
    /// What else was found out, by name.
    pub details: Vec<(&'static str, f64)>,
}

/// What a method holds in memory.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Memory {
    /// State and scratch that grow with the particles, per particle [bytes].
    pub bytes_per_item: f64,
    /// The grid and all that grows with it, per node [bytes].
    pub bytes_per_node: f64,
    /// Nodes of the grid.
    pub nodes: usize,
}

/// A benchmark's result, as printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Record {
    /// Name of the benchmark.
    pub name: String,
    /// Where it was computed.
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
    /// What the method holds in memory, where that was measured.
    #[serde(flatten)]
    pub memory: Option<Memory>,
    /// What else was found out, by name.
    #[serde(flatten)]
    pub details: BTreeMap<&'static str, f64>,
}

impl Timed {
    /// The only part of a benchmark.
    fn alone(timed: Result<Timed, String>) -> Result<Vec<Timed>, String> {
        Ok(vec![timed?])
    }

    /// Times `repeats` times `steps` calls of `step` after `warm_up` of them and keeps the best repeat.
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

    /// The same per step and per item.
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
    fn time_is_shared_among_items_and_steps() {
        let timed = Timed { items: 1000, steps: 10, seconds: 2.0, ..Timed::default() };
        let record = timed.record("toy", "cpu");
        assert_eq!((record.seconds_per_step, record.ns_per_item_step), (0.2, 2e5));
        assert_eq!(
            (record.name.as_str(), Timed { part: "big".into(), ..timed }.record("toy", "cpu").name.as_str()),
            ("toy", "toy-big")
        );
    }
}
