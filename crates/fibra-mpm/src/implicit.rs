//! Backward Euler on the grid: solves for velocities that satisfy the momentum equation with the forces at the end of the step.
//!
//! The unknowns `v` are the velocities of all nodes with mass. The solution is a stationary point of `E(v) = 1/2 sum_i m_i |v_i - v_i^n -
//! dt g|^2 + Phi(v)`, where `Phi` is the elastic energy after a step with `v` ([`crate::internal_force`]). The solver is Newton's method
//! with Hessian-vector products of `M + d^2 Phi / dv^2` and MINRES for the linear systems [Jiang2017, Sec. 4.4], plus a line search on `E`.
//! MINRES is needed because far from rest the Hessian can be indefinite. The return mapping runs at the end of the step, which keeps the
//! Hessian symmetric.

use crate::grid_update::{SMALLEST_MASS, collide, velocity};
use crate::grid_vector::{BlockSums, EMPTY, GridVector, clear_empty_blocks, dot};
use crate::implicit_contacts::Contacts;
use crate::internal_force::{InternalForce, System};
use crate::minres::{Krylov, Stop, minres};
use crate::params::{Implicit, Params};
use crate::state::{State, bytes_of};
use crate::workspace::{Block, Workspace};
use fibra_core::geometry::PlacedCollider;
use fibra_core::simd::dispatch;
use rayon::prelude::*;
use std::ops::RangeInclusive;

/// Scratch of implicit steps.
#[derive(Debug, Default)]
pub struct ImplicitScratch {
    force: InternalForce,
    krylov: Krylov,
    blocks: BlockSums,
    contacts: Contacts,
    /// Velocities without internal forces and contact, with masses.
    free: GridVector,
    /// Trial velocities of the line search, with masses.
    trial: GridVector,
    /// Derivative of `E` with respect to the velocities [kg m/s].
    residual: GridVector,
    /// Iteration counts so far.
    pub effort: Effort,
}

/// Iteration counts of the solves of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Effort {
    /// Newton iterations.
    pub newton_iterations: u64,
    /// Iterations of the linear solver, each with one Hessian-vector product.
    pub linear_iterations: u64,
    /// Evaluations of energy and forces.
    pub evaluations: u64,
    /// Steps whose solve did not reach the tolerance.
    pub unconverged_steps: u64,
    /// Residual at the end of the last step, relative as in [`Implicit::tolerance`] [-].
    pub residual: f64,
}

impl ImplicitScratch {
    /// Returns the allocated memory that scales with the particles [bytes].
    pub fn particle_bytes(&self) -> usize {
        self.force.bytes()
    }

    /// Returns the allocated memory that scales with the grid [bytes].
    pub fn grid_bytes(&self) -> usize {
        self.krylov.bytes() + bytes_of(&self.free) + bytes_of(&self.trial) + bytes_of(&self.residual)
    }
}

/// Turns grid momentum into the velocities at the end of a step of `dt` [s], which ends at time `end` [s].
pub fn implicit_update(
    params: &Params,
    settings: &Implicit,
    colliders: &[PlacedCollider],
    state: &State,
    work: &mut Workspace,
    (dt, end): (f32, f64),
) {
    let Workspace { grid, links, bends, implicit, .. } = work;
    let mut nodes = std::mem::take(&mut grid.nodes);
    implicit.free_motion(params, &mut nodes, &mut grid.old, dt);
    implicit.contacts.find(params.dx, colliders, &grid.topology.keys, &mut nodes);
    let system = System { params, state, grid, links, bends, dt };
    implicit.force.begin(system, end);
    implicit.solve(system, settings, &mut nodes);
    implicit.contacts.stop_reversed(&mut nodes);
    // Resolve collisions of nodes that were not in contact before the solve.
    nodes.par_iter_mut().zip(&grid.topology.keys).with_min_len(16).for_each(|(nodes, &key)| {
        collide(params.dx, colliders, key, nodes);
    });
    grid.nodes = nodes;
}

/// Newton iterations that update the contact states. Iteration 0 is excluded: at the initial guess, only the contacts have slowed the material, so
/// their impulses would carry the whole load. Later iterations are excluded because friction and contact pressure depend on each other, and repeated
/// updates need not converge.
const CONTACT_UPDATES: RangeInclusive<u32> = 1..=2;
/// Largest relative tolerance of a linear solve [-].
const LOOSEST: f64 = 0.25;
/// Smallest step length of the line search [-]. If even this one fails, only rounding errors are left.
const SHORTEST: f32 = 1.0 / 64.0;
/// Required fraction of the decrease predicted by the slope (Armijo condition) [-].
const ARMIJO: f64 = 1e-4;
/// Relative rounding error of the energy [-]. It is large because strains are small differences of large numbers.
const ENERGY_NOISE: f64 = 1e-5;

impl ImplicitScratch {
    /// Stores the velocities after gravity alone in `nodes` and `free`. Stores the velocities before gravity in `old` if the transfer needs them.
    ///
    /// Gravity is included here because an iterative solve leaves part of every residual. If gravity were part of the residual, bodies would fall and
    /// swing slightly too slowly. Internal forces sum to zero, and so does every vector that the solver derives from them, so their remaining
    /// residual does not change the momentum.
    fn free_motion(&mut self, params: &Params, nodes: &mut [Block], old: &mut [Block], dt: f32) {
        let gravity = params.gravity.map(|g| g * dt);
        let ImplicitScratch { free, trial, krylov, blocks, .. } = self;
        free.resize(nodes.len(), EMPTY);
        trial.resize(nodes.len(), EMPTY);
        krylov.resize(nodes.len());
        blocks.filled.resize(nodes.len(), false);
        if !old.is_empty() {
            old.par_iter_mut().zip(&*nodes).with_min_len(16).for_each(|(old, nodes)| {
                *old = nodes.map(|node| velocity(node, [0.0; 3]));
            });
        }
        let all = (&mut *nodes, free, &mut blocks.filled).into_par_iter().with_min_len(16);
        all.for_each(|(nodes, free, filled)| {
            for node in nodes.iter_mut() {
                // Nodes too light to have a velocity are excluded from the solve.
                *node = if node[3] > SMALLEST_MASS { velocity(*node, gravity) } else { [0.0; 4] };
            }
            *filled = nodes.iter().any(|node| node[3] > 0.0);
            *free = *nodes;
        });
        // Clear values of earlier steps in blocks that this step does not write but its Hessian-vector products read.
        krylov.clear_outside(&blocks.filled);
        clear_empty_blocks(trial, &blocks.filled);
    }

    /// Runs Newton's method from the given velocities.
    fn solve(&mut self, system: System<'_>, settings: &Implicit, v: &mut GridVector) {
        let mut energy = self.evaluate(system, v);
        let weight = self.weight(system);
        let mut scale = None;
        let mut last = f64::INFINITY;
        let mut gain = f64::INFINITY;
        let most = settings.newton_iterations.max(1);
        for iteration in 0..=most {
            if CONTACT_UPDATES.contains(&iteration) {
                self.contacts.update(&self.residual, v);
            }
            let norm = self.hold_residual(v);
            let scale = *scale.get_or_insert(norm.max(weight));
            let target = f64::from(settings.tolerance) * scale;
            self.effort.residual = if scale > 0.0 { norm / scale } else { 0.0 };
            if norm <= target {
                return;
            }
            // If neither residual nor energy changes any more, the remaining residual is rounding error.
            let stuck = norm > 0.9 * last && gain < ENERGY_NOISE * energy.abs();
            if stuck || iteration == most {
                break;
            }
            // Solve the linear system as accurately as the nonlinear solve needs, with a margin for the nonlinearity.
            let stop = Stop { iterations: settings.linear_iterations, tolerance: (0.8 * target / norm).min(LOOSEST) };
            let ImplicitScratch { force, krylov, blocks, contacts, .. } = self;
            let solved = minres(krylov, blocks, stop, |change, product| {
                let along = force.differentiate(system, change, product);
                contacts.project(product);
                along
            });
            self.effort.linear_iterations += u64::from(solved.iterations);
            self.effort.newton_iterations += 1;
            let Some(found) = self.line_search(system, v, energy, norm) else { break };
            (energy, gain) = found;
            last = norm;
            if self.contacts.stop_reversed(v) {
                energy = self.evaluate(system, v);
            }
        }
        self.effort.unconverged_steps += 1;
    }

    /// Returns `E` at the velocities `v` [J] and stores its derivative in `residual`.
    fn evaluate(&mut self, system: System<'_>, v: &[Block]) -> f64 {
        self.effort.evaluations += 1;
        let elastic = self.force.evaluate(system, v, &mut self.residual);
        let kinetic = self.blocks.sum((&mut self.residual, v, &self.free), |(r, v, free)| add_inertia(r, v, free));
        elastic + kinetic
    }

    /// Returns the norm of gravity's impulse in the step: the lower bound of the residual scale.
    fn weight(&mut self, system: System<'_>) -> f64 {
        let mass = self.blocks.sum(&self.free, |free| free.iter().map(|node| f64::from(node[3])).sum());
        let g: f64 = system.params.gravity.iter().map(|&g| f64::from(g).powi(2)).sum();
        f64::from(system.dt) * (mass * g).sqrt()
    }

    /// Removes the constrained directions from the residual and passes it to the linear solver; returns its norm.
    fn hold_residual(&mut self, v: &[Block]) -> f64 {
        let ImplicitScratch { contacts, residual, krylov, blocks, .. } = self;
        contacts.hold(residual);
        blocks.sum((&mut krylov.basis, &*residual, v), |(b, r, v)| right_hand_side(b, r, v)).sqrt()
    }

    /// Moves `v` along the linear solver's solution, with a step length for which `E` decreases; returns the new `E` and the decrease. Friction
    /// counts as a constant force here, and the decrease includes its work. Replaces the residual, whose norm is `norm`, by the residual at
    /// the new `v`.
    fn line_search(&mut self, system: System<'_>, v: &mut GridVector, energy: f64, norm: f64) -> Option<(f64, f64)> {
        let ImplicitScratch { krylov, blocks, residual, .. } = self;
        let mut slope = blocks.sum((&*residual, &krylov.solution), |(r, p)| dot(r, p));
        if slope >= 0.0 || slope.is_nan() {
            // Not a descent direction: the Hessian is far from definite here. Use the negative preconditioned residual instead.
            blocks.update((&mut krylov.solution, &*residual, &*v), |(p, r, v)| {
                right_hand_side(p, r, v);
            });
            slope = -norm * norm;
        }
        let start = energy - self.contacts.friction_work(v);
        let mut trial = std::mem::take(&mut self.trial);
        let mut length = 1.0f32;
        let found = loop {
            self.blocks
                .update((&mut trial, &*v, &self.krylov.solution), |(trial, v, p)| step_along(trial, v, p, length));
            let energy = self.evaluate(system, &trial);
            let end = energy - self.contacts.friction_work(&trial);
            let along = (&self.residual, &self.krylov.solution);
            let end_slope =
                self.blocks.sum(along, |(r, p)| dot(r, p)) - self.contacts.friction_work(&self.krylov.solution);
            let decreased = end <= start + ARMIJO * f64::from(length) * slope;
            // Near the solution, energies differ by less than their rounding error; slopes are still accurate [Hager2005, Eq. 4].
            let level = end <= start + ENERGY_NOISE * energy.abs() && end_slope <= (2.0 * ARMIJO - 1.0) * slope;
            if decreased || level {
                break Some((energy, start - end));
            }
            length *= 0.5;
            if length < SHORTEST {
                break None;
            }
        };
        if found.is_some() {
            std::mem::swap(v, &mut trial);
        }
        self.trial = trial;
        found
    }
}

dispatch! {
    /// Adds the momentum `m (v - free)` to the residual; returns the kinetic energy of that motion.
    fn add_inertia[; for _V](r: &mut Block, v: &Block, free: &Block) -> f64 {
        let mut sums = [0.0f64; 3];
        for ((r, v), free) in r.iter_mut().zip(v).zip(free) {
            for k in 0..3 {
                let change = v[k] - free[k];
                r[k] += free[3] * change;
                sums[k] += f64::from(free[3] * change * change);
            }
        }
        0.5 * (sums[0] + sums[1] + sums[2])
    }
}

dispatch! {
    /// Computes `b = -M^-1 r` with masses as fourth components; returns its squared norm.
    fn right_hand_side[; for _V](b: &mut Block, r: &Block, v: &Block) -> f64 {
        let mut sums = [0.0f64; 3];
        for ((b, r), v) in b.iter_mut().zip(r).zip(v) {
            let m = v[3];
            let inverse = if m > 0.0 { 1.0 / m } else { 0.0 };
            for k in 0..3 {
                b[k] = -r[k] * inverse;
                sums[k] += f64::from(m * b[k] * b[k]);
            }
            b[3] = m;
        }
        sums[0] + sums[1] + sums[2]
    }
}

dispatch! {
    fn step_along[; for _V](trial: &mut Block, v: &Block, p: &Block, length: f32) {
        for ((trial, v), p) in trial.iter_mut().zip(v).zip(p) {
            *trial = [v[0] + length * p[0], v[1] + length * p[1], v[2] + length * p[2], v[3]];
        }
    }
}
