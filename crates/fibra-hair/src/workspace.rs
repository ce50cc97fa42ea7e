//! Scratch of a step: vertices on their way between strands and grid.

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

/// Particles a task takes without splitting further.
const PARTICLES_PER_TASK: usize = 4096;

/// Scratch: dropping it changes no result.
pub(crate) struct Workspace {
    pub strands: StrandWorkspace,
    pub grid: GridWorkspace,
    /// Colliders within reach of the hair.
    pub colliders: Vec<PlacedCollider>,
    /// Per vertex, after the last step [m].
    pub positions: Vec<Vec3>,
    /// What each step of the grid adds to the velocities, per vertex [m/s].
    changes: Vec<Vec3>,
    pinned: Vec<PinnedVertex>,
    /// Index of each vertex among the particles, and whether it is valid since the last sort.
    places: Vec<u32>,
    places_are_current: bool,
}

/// A vertex that moves with the head, as it was when the step of the strands began.
#[derive(Clone, Copy, Debug)]
struct PinnedVertex {
    vertex: u32,
    /// [m]
    from: Vec3,
    /// [m/s]
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

    /// Forgets what was derived from another state.
    pub fn invalidate(&mut self) {
        self.grid.grid_is_current = false;
        self.places_are_current = false;
    }

    /// Reads the positions of the vertices.
    pub fn update_positions(&mut self, strands: &Strands, state: &StrandState) {
        strands.read_positions(state, &mut self.positions);
    }

    /// Moves particles to the strands' vertices.
    pub fn load(&mut self, strands: &Strands, from: &StrandState, params: &GridParams, grid: &mut GridState) {
        strands.read_changes(from, &mut self.changes);
        for pinned in &mut self.pinned {
            (pinned.from, pinned.velocity) = strands.vertex(from, pinned.vertex as usize);
        }
        let p = &mut grid.particles;
        let particles = p.x.par_iter_mut().zip(&mut p.v).zip(&p.id).with_min_len(PARTICLES_PER_TASK);
        particles.for_each(|((to_x, to_v), &id)| {
            let (x, v) = strands.vertex(from, id as usize);
            (*to_x, *to_v) = (x.to_array(), v.to_array());
        });
        // The last settling may have moved vertices out of their tiles.
        grid.extremes.drifted |= has_drifted(params, grid);
    }

    /// Places the colliders within reach where they are after a share of a step.
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

    /// Adds a share of the strands' change of velocity to the particles.
    pub fn accelerate(&self, grid: &mut GridState, share: f32) {
        let p = &mut grid.particles;
        let particles = p.v.par_iter_mut().zip(&p.id).with_min_len(PARTICLES_PER_TASK);
        particles.for_each(|(v, &id)| *v = (Vec3::from(*v) + share * self.changes[id as usize]).to_array());
    }

    /// Sorts particles by the blocks of the grid.
    pub fn sort(&mut self, params: &GridParams, grid: &mut GridState) -> Result<(), HairError> {
        self.places_are_current &= !grid.extremes.drifted && !grid.runs.is_empty();
        sort(params, grid, &mut self.grid).map_err(|_| HairError::OutOfReach)
    }

    /// Moves pinned vertices with the head, `t` after the step of the strands began [s].
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

    /// Moves the strands' vertices to the particles.
    pub fn store(&self, strands: &Strands, to: &mut StrandState, grid: &GridState) {
        let (p, places) = (&grid.particles, &self.places);
        strands.write(to, |vertex| {
            let place = places[vertex] as usize;
            (Vec3::from(p.x[place]), Vec3::from(p.v[place]))
        });
    }
}

/// A ball that hair does not leave within a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundingBall {
    /// [m]
    center: Vec3,
    /// [m]
    radius: f32,
}

impl BoundingBall {
    /// Around particles that move for `h` [s], and the cells [m] that they reach.
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
        let way = 2.0 * h * fastest.sqrt();
        BoundingBall { center: 0.5 * (low + high), radius: 0.5 * low.distance(high) + way + 8.0 * cell }
    }
}

/// The most blocks of the grid that strands can be in, and those with their neighbors: the blocks within the reach of the longest strand
/// around the head. Strands that are not pinned can leave it.
pub(crate) fn most_blocks(strands: &Strands, positions: &[Vec3], settings: &HairSettings) -> (usize, usize) {
    let center = strands.initial_state().head.translation.as_vec3();
    let reach = |strand: usize| {
        let points = &positions[strands.vertices(strand)];
        let length: f32 = points.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
        points[0].distance(center) + length * (1.0 + settings.strands.slack)
    };
    let radius = (0..strands.len()).map(reach).fold(0.0, f32::max);
    // A block that the ball touches is within a ball larger by its diagonal.
    let within = |margin: f32| {
        let blocks = radius / (4.0 * settings.grid.cell) + 1.75 + margin;
        (4.2 * blocks.powi(3)) as usize
    };
    let occupied = within(0.0).min(strands.vertex_count());
    (occupied, within(1.75).min(27 * occupied))
}
