//! Workspace of a step: transfers vertices between strands and grid.

use crate::collider::{MovingCollider, RigidPath};
use crate::error::HairError;
use crate::settings::HairSettings;
use crate::step::StepPlan;
use crate::strands::{StrandState, StrandWorkspace, Strands};
use fibra_core::geometry::PlacedCollider;
use fibra_mpm::internals::params::Params as GridParams;
use fibra_mpm::internals::sort::{has_drifted, sort};
use fibra_mpm::internals::state::{Particles, State as GridState};
use fibra_mpm::internals::workspace::Workspace as GridWorkspace;
use glam::Vec3;
use rayon::prelude::*;

/// Minimum number of particles per parallel task.
const PARTICLES_PER_TASK: usize = 4096;

/// Workspace. It affects no results.
pub(crate) struct Workspace {
    pub strands: StrandWorkspace,
    pub grid: GridWorkspace,
    /// Colliders that overlap the bounding ball of the hair.
    pub colliders: Vec<PlacedCollider>,
    /// Vertex positions after the last step [m].
    pub positions: Vec<Vec3>,
    /// Predicted velocity change over a strand step, per vertex [m/s].
    changes: Vec<Vec3>,
    pinned: Vec<PinnedVertex>,
    /// Particle index of each vertex, and whether these indices are still valid after the last sort.
    places: Vec<u32>,
    places_are_current: bool,
}

/// A pinned vertex at the start of a strand step.
#[derive(Clone, Copy, Debug)]
struct PinnedVertex {
    vertex: u32,
    /// Position [m].
    from: Vec3,
    /// Velocity [m/s].
    velocity: Vec3,
}

impl Workspace {
    /// Allocates everything that steps need.
    pub fn new(strands: &Strands, colliders: usize, positions: Vec<Vec3>) -> Workspace {
        let n = strands.vertex_count();
        let pinned = strands.pinned().iter().enumerate().filter(|(_, pinned)| **pinned);
        let vertex = |(vertex, _): (usize, &bool)| PinnedVertex {
            vertex: vertex as u32,
            from: Vec3::ZERO,
            velocity: Vec3::ZERO,
        };
        Workspace {
            strands: strands.workspace(),
            grid: GridWorkspace::default(),
            colliders: Vec::with_capacity(colliders),
            positions,
            changes: vec![Vec3::ZERO; n],
            pinned: pinned.map(vertex).collect(),
            places: vec![0; n],
            places_are_current: false,
        }
    }

    /// Invalidates everything derived from another state.
    pub fn invalidate(&mut self) {
        self.grid.grid_is_current = false;
        self.places_are_current = false;
    }

    /// Updates the vertex positions from the strands.
    pub fn update_positions(&mut self, strands: &Strands, state: &StrandState) {
        strands.read_positions(state, &mut self.positions);
    }

    /// Copies vertex positions and velocities to the particles.
    pub fn load(&mut self, strands: &Strands, from: &StrandState, params: &GridParams, grid: &mut GridState) {
        strands.read_changes(&self.strands, &mut self.changes);
        for pinned in &mut self.pinned {
            (pinned.from, pinned.velocity) = strands.vertex(from, pinned.vertex as usize);
        }
        let p = &mut grid.particles;
        let particles = p.x.par_iter_mut().zip(&mut p.v).zip(&p.id).with_min_len(PARTICLES_PER_TASK);
        particles.for_each(|((to_x, to_v), &id)| {
            let (x, v) = strands.vertex(from, id as usize);
            (*to_x, *to_v) = (x.to_array(), v.to_array());
        });
        // The previous settle stage may have moved vertices out of their tiles.
        grid.extremes.drifted |= has_drifted(params, grid);
    }

    /// Moves the colliders to their poses at a fraction `share` of a step, and keeps those that overlap the ball `reach` around the hair.
    pub fn place_colliders(
        &mut self,
        colliders: &mut [MovingCollider],
        head_path: &RigidPath,
        plan: &StepPlan,
        share: f64,
        reach: BoundingBall,
    ) {
        self.colliders.clear();
        for collider in colliders {
            let placed = collider.placed_during(head_path, plan, share);
            if placed.is_within(reach.center, reach.radius) {
                self.colliders.push(placed);
            }
        }
    }

    /// Adds a fraction of the predicted velocity change to the particles.
    pub fn accelerate(&self, grid: &mut GridState, share: f32) {
        let p = &mut grid.particles;
        let particles = p.v.par_iter_mut().zip(&p.id).with_min_len(PARTICLES_PER_TASK);
        particles.for_each(|(v, &id)| *v = (Vec3::from(*v) + share * self.changes[id as usize]).to_array());
    }

    /// Sorts particles by grid block.
    pub fn sort(&mut self, params: &GridParams, grid: &mut GridState) -> Result<(), HairError> {
        self.places_are_current &= !grid.extremes.drifted && !grid.runs.is_empty();
        sort(params, grid, &mut self.grid).map_err(|_| HairError::OutOfReach)
    }

    /// Moves pinned vertices with the head, `t` after the start of the strand step [s].
    pub fn hold(&mut self, grid: &mut GridState, t: f32) {
        let p = &mut grid.particles;
        if !self.places_are_current {
            p.id.iter().enumerate().for_each(|(place, &id)| self.places[id as usize] = place as u32);
            self.places_are_current = true;
        }
        for pinned in &self.pinned {
            let place = self.places[pinned.vertex as usize] as usize;
            p.x[place] = (pinned.from + t * pinned.velocity).to_array();
            p.v[place] = pinned.velocity.to_array();
        }
    }

    /// Copies particle positions and velocities back to the vertices.
    pub fn store(&self, strands: &Strands, to: &mut StrandState, grid: &GridState) {
        let (p, places) = (&grid.particles, &self.places);
        strands.write(to, |vertex| {
            let place = places[vertex] as usize;
            (Vec3::from(p.x[place]), Vec3::from(p.v[place]))
        });
    }
}

/// A ball that contains all hair throughout a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundingBall {
    /// Center [m].
    center: Vec3,
    /// Radius [m].
    radius: f32,
}

impl BoundingBall {
    /// Returns a ball that contains the particles while they move for `h` [s], and all grid cells that they touch. `cell` is the width of a cell [m].
    pub fn around(particles: &Particles, h: f32, cell: f32) -> BoundingBall {
        let of_one = |(x, v): (&[f32; 3], &[f32; 3])| {
            let x = Vec3::from(*x);
            (x, x, Vec3::from(*v).length_squared())
        };
        let nothing = || (Vec3::INFINITY, Vec3::NEG_INFINITY, 0.0f32);
        let both = |a: (Vec3, Vec3, f32), b: (Vec3, Vec3, f32)| (a.0.min(b.0), a.1.max(b.1), a.2.max(b.2));
        let all = particles.x.par_iter().zip(&particles.v).with_min_len(PARTICLES_PER_TASK);
        let (low, high, fastest) = all.map(of_one).reduce(nothing, both);
        // Velocities may double within the step.
        let displacement = 2.0 * h * fastest.sqrt();
        BoundingBall { center: 0.5 * (low + high), radius: 0.5 * low.distance(high) + displacement + 8.0 * cell }
    }
}

/// Returns upper bounds of the number of grid blocks with vertices, and of the number including their neighbors. Counts the blocks within reach of
/// the longest strand around the head; free strands can leave this region.
pub(crate) fn most_blocks(strands: &Strands, positions: &[Vec3], settings: &HairSettings) -> (usize, usize) {
    let center = strands.initial_state().head.translation.as_vec3();
    let reach = |strand: usize| {
        let points = &positions[strands.vertices(strand)];
        let length: f32 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        points[0].distance(center) + length * (1.0 + settings.strands.slack)
    };
    let radius = (0..strands.len()).map(reach).fold(0.0, f32::max);
    // A block that touches the ball lies within a ball that is larger by the block's diagonal.
    let within = |margin: f32| {
        let blocks = radius / (4.0 * settings.grid.cell) + 1.75 + margin;
        (4.2 * blocks.powi(3)) as usize
    };
    let occupied = within(0.0).min(strands.vertex_count());
    (occupied, within(1.75).min(27 * occupied))
}
