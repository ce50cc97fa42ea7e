//! Scratch buffers of a step. Dropping them changes no result: they are rebuilt from the state.

use crate::bending::{BendForces, Bends};
use crate::element_contact::Push;
use crate::implicit::ImplicitScratch;
use crate::links::Links;
use crate::state::{ReorderScratch, bytes_of};
use crate::tile::Node;
use fibra_core::block_grid::BlockGrid;
use fibra_core::block_key::{BLOCK_NODES, BlockKey};
use fibra_core::particle_sort::{Run, Sorter};
use fibra_core::stage_clock::StageClock;
use fibra_core::stages;
use std::time::Instant;

/// Nodes of one block.
pub type Block = [Node; BLOCK_NODES];

/// The sparse grid with its values.
#[derive(Debug, Default)]
pub struct Grid {
    /// The blocks of the grid and their neighbors.
    pub topology: BlockGrid,
    /// Momentum and mass during p2g, velocity and mass afterwards. [blocks]
    pub nodes: Vec<Block>,
    /// For FLIP and SFLIP: impulse of the internal forces during p2g, velocity before forces afterwards.
    pub old: Vec<Block>,
    /// Particle runs of each occupied block, as a range of the state's runs.
    pub runs_of: Vec<[u32; 2]>,
    /// Blocks with particles.
    occupied: Vec<BlockKey>,
}

impl Grid {
    /// Rebuilds the topology for sorted particles.
    pub fn rebuild(&mut self, runs: &[Run]) {
        let occupied = &mut self.occupied;
        occupied.clear();
        self.runs_of.clear();
        for (i, run) in runs.iter().enumerate() {
            let i = i as u32;
            if occupied.last() == Some(&run.key) {
                self.runs_of.last_mut().expect("a block for every key")[1] = i + 1;
            } else {
                occupied.push(run.key);
                self.runs_of.push([i, i + 1]);
            }
        }
        self.topology.rebuild(occupied);
    }

    /// Reserves memory for this many occupied blocks and blocks in total.
    fn reserve(&mut self, occupied: usize, blocks: usize) {
        self.topology.reserve(occupied, blocks);
        self.nodes.reserve(blocks);
        self.old.reserve(blocks);
        self.runs_of.reserve(occupied);
        self.occupied.reserve(occupied);
    }

    /// Returns the allocated memory [bytes].
    pub fn bytes(&self) -> usize {
        bytes_of(&self.nodes)
            + bytes_of(&self.old)
            + bytes_of(&self.runs_of)
            + bytes_of(&self.occupied)
            + self.topology.bytes()
    }

    /// Returns the number of nodes in the grid.
    pub fn node_count(&self) -> usize {
        self.topology.keys.len() * BLOCK_NODES
    }
}

stages! {
    /// Stages of a step, in order. The names appear in `run.json` and in the documentation.
    pub enum Stage {
        /// Sorts particles by grid block, when one has drifted too far.
        Sort = "sort",
        /// Transfers mass, momentum and the impulse of internal forces to the grid.
        P2g = "p2g",
        /// Velocities, gravity and collisions, or the implicit solve.
        GridUpdate = "grid_update",
        /// Interpolates velocities, moves particles, updates deformations, return mapping, stress.
        G2p = "g2p",
        /// Pins, elements of meshes, and forces on their vertices.
        Elements = "elements",
        /// Display-only grains.
        Grains = "grains",
    }
}

/// Scratch buffers and stage timers.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The grid.
    pub grid: Grid,
    /// Computes the order of the particles.
    pub sorter: Sorter,
    /// Output buffer for the runs of a sort.
    pub(crate) runs: Vec<Run>,
    /// Reordering buffers.
    pub reorder: ReorderScratch,
    /// Indices of the meshes' vertices and elements in the sorted particles.
    pub links: Links,
    /// Hinges and joints by place.
    pub bends: Bends,
    /// Their forces.
    pub bend_forces: BendForces,
    /// Derivatives of each element's energy with respect to its first edge and, if there are surfaces, its second edge [N]; interleaved per
    /// particle. [particles * edges]
    pub edge_pulls: Vec<[f32; 3]>,
    /// Changes of vertices whose elements cut through colliders. [particles]
    pub(crate) pushes: Vec<Push>,
    /// Scratch of implicit steps; its `effort` counts their iterations.
    pub implicit: ImplicitScratch,
    /// Whether the grid topology and the links match the state's runs.
    pub grid_is_current: bool,
    /// Wall time spent in each stage.
    pub clock: StageClock<Stage>,
}

impl Workspace {
    /// Reserves memory so that steps do not allocate: for `particles` points of one material, in up to `occupied` blocks, or up to `blocks`
    /// blocks including neighbors.
    pub fn reserve(&mut self, particles: usize, occupied: usize, blocks: usize) {
        self.sorter.reserve(particles, occupied);
        self.runs.reserve(occupied);
        self.grid.reserve(occupied, blocks);
    }

    /// Returns the allocated memory that scales with the particles [bytes].
    pub fn particle_bytes(&self) -> usize {
        self.reorder.bytes()
            + self.links.bytes()
            + self.bends.bytes()
            + self.bend_forces.bytes()
            + bytes_of(&self.edge_pulls)
            + bytes_of(&self.pushes)
            + self.implicit.particle_bytes()
    }

    /// Runs one stage and adds its time to the clock.
    pub fn timed<T>(&mut self, stage: Stage, work: impl FnOnce(&mut Workspace) -> T) -> T {
        let started = Instant::now();
        let out = work(self);
        self.clock.add(stage, started.elapsed());
        out
    }
}
