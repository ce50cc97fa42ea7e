//! Resampling, for bodies that are far from their rest shape after plastic flow, or that touch and merge. The current shape becomes the
//! rest shape, and the elastic strain is kept [Martin2010, Sec. 10, plasticity and merging].

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::discretization::Discretization;
use crate::gmls::{Derivatives, Sample, shape_functions};
use crate::law::{self, Strains, strains};
use crate::matter::{Body, BodyFlaw, Sampling, next_branch};
use crate::momentum::{momenta, restore};
use crate::refinement::refine;
use crate::sphere_pairs::overlapping_pairs;
use crate::table::FieldValues;
use crate::world::{Matter, Params, State, Surface};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// Resamples a state if the resampling interval has passed.
pub(crate) fn resample_if_due(
    params: &Params,
    state: &mut State,
    discretization: &Discretization,
) -> Result<(), BodyFlaw> {
    let Some(resampling) = params.resampling else { return Ok(()) };
    let since = state.time - state.sampled.unwrap_or(0.0);
    if since >= resampling.interval * (1.0 - 1e-9) {
        *state = resample(params, state, discretization, resampling.merge)?;
    }
    Ok(())
}

/// Makes the current shape the rest shape and resamples it. With `merge`, parts whose spheres overlap are connected.
pub fn resample(
    params: &Params,
    state: &State,
    discretization: &Discretization,
    merge: bool,
) -> Result<State, BodyFlaw> {
    let old = Old::new(state, discretization);
    let cloud = old.cloud();
    let links = if merge { merged_links(&state.matter, discretization, &cloud) } else { state.matter.links.clone() };
    let mut matter = sample(params, &state.matter, cloud, links)?;
    let surface = &state.matter.surface;
    let moved = |(at, vertex): (usize, &DVec3)| *vertex + discretization.surface.read(at, &state.displacements)[0];
    matter.surface = Surface {
        vertices: surface.vertices.iter().enumerate().map(moved).collect(),
        pieces: surface.pieces.clone(),
        triangles: surface.triangles.clone(),
        cuts: surface.cuts.clone(),
    };
    let mut new = State::new(params.order, matter);
    new.velocities = old.velocities(params, &new.matter);
    new.plastic = old.plastic_strains(&new.matter);
    new.flowed = old.transferred(&new.matter, |at| state.flowed[at]);
    refine(&mut new.matter);
    let fresh = Discretization::new(params.order, &new.matter, &[])?;
    // Branches keep their own momenta: no force passes between them.
    let branches = new.matter.branches.clone();
    let before = momenta(params, state, discretization, &branches).into_iter().map(Some).collect::<Vec<_>>();
    restore(params, &mut new, &fresh, &branches, &before);
    (new.time, new.steps, new.generation) = (state.time, state.steps, state.generation + 1);
    new.sampled = Some(state.time);
    new.slips.clone_from(&state.slips);
    Ok(new)
}

/// The state before resampling.
struct Old<'a> {
    state: &'a State,
    discretization: &'a Discretization,
    /// Displacement with derivatives, and corotated frame, of each elaston.
    field: Vec<(FieldValues, DMat3)>,
}

impl Old<'_> {
    fn new<'a>(state: &'a State, discretization: &'a Discretization) -> Old<'a> {
        let read = |at: usize| {
            let field = discretization.elastons.read(at, &state.displacements);
            (field, law::frame(&field, &state.matter.elastons[at]))
        };
        let field = (0..state.matter.elastons.len()).into_par_iter().map(read).collect();
        Old { state, discretization, field }
    }

    /// Deformation gradient at an elaston.
    fn gradient(&self, at: usize) -> DMat3 {
        let elaston = &self.state.matter.elastons[at];
        let field = &self.field[at].0;
        let deformed = |axis: usize| elaston.axes.col(axis) + field[1 + axis];
        DMat3::from_cols(deformed(0), deformed(1), deformed(2)) * elaston.axes.transpose()
    }

    /// The material points at their current positions, deformed by the deformation gradients of their elastons.
    fn cloud(&self) -> Cloud {
        let Matter { cloud, owners, .. } = &self.state.matter;
        let place =
            |(at, point): (usize, &DVec3)| *point + self.discretization.pieces.read(at, &self.state.displacements)[0];
        let spread = |(at, spread): (usize, &DMat3)| {
            let gradient = self.gradient(owners[at] as usize);
            gradient * *spread * gradient.transpose()
        };
        Cloud {
            points: cloud.points.iter().enumerate().map(place).collect(),
            spreads: cloud.spreads.iter().enumerate().map(spread).collect(),
            radii: cloud.radii.clone(),
            volumes: cloud.volumes.clone(),
        }
    }

    /// Velocity unknowns of the new samples, interpolated from the old ones.
    fn velocities(&self, params: &Params, new: &Matter) -> Vec<f64> {
        let velocity_unknowns =
            |(sample, &anchor): (&Sample, &u32)| self.velocity_unknowns(params, new, sample, anchor);
        new.samples.iter().zip(&new.anchors).flat_map(velocity_unknowns).collect()
    }

    /// Velocity unknowns of one new sample, from the old velocity field with its derivatives.
    fn velocity_unknowns(&self, params: &Params, new: &Matter, sample: &Sample, anchor: u32) -> Vec<f64> {
        let old = &self.state.matter;
        let inverse = self.gradient(old.owners[anchor as usize] as usize).inverse();
        // Position of the new sample, mapped back to the old rest shape by the deformation at its anchor.
        let rest = old.cloud.points[anchor as usize];
        let place = rest + inverse * (sample.position - new.cloud.points[anchor as usize]);
        let support = self.discretization.pieces.support(anchor as usize);
        let reach = |&&at: &&u32| old.samples[at as usize].weight(place) > 0.0;
        let near: Vec<u32> = support.iter().filter(reach).copied().collect();
        let (place, near) = if near.is_empty() { (rest, support.to_vec()) } else { (place, near) };
        let around: Vec<Sample> = near.iter().map(|&at| old.samples[at as usize]).collect();
        let mut shapes = Vec::new();
        shape_functions(params.order, place, &around, &mut shapes);
        let n = params.order.functions();
        let mut unknowns = vec![0.0; 3 * n];
        for axis in 0..3 {
            let mut sum = Derivatives::default();
            for (at, shape) in shapes.iter().enumerate() {
                let unknown = self.state.velocities[near[at / n] as usize * 3 * n + axis * n + at % n];
                sum.value += unknown * shape.value;
                sum.gradient += unknown * shape.gradient;
                sum.hessian.iter_mut().zip(shape.hessian).for_each(|(sum, part)| *sum += unknown * part);
            }
            // Derivatives with respect to current positions.
            let sum = sum.along(&inverse);
            let own = &mut unknowns[axis * n..][..n];
            own[0] = sum.value;
            (0..3).for_each(|k| own[1 + k] = sample.scale() * sum.gradient[k]);
            if n > 4 {
                (0..6).for_each(|at| own[4 + at] = sample.scale().powi(2) * sum.hessian[at]);
            }
        }
        unknowns
    }

    /// Plastic strains of the new elastons. The new rest shape has no displacement, so the elastic strain to keep is
    /// stored as the negative plastic strain.
    fn plastic_strains(&self, new: &Matter) -> Vec<Strains> {
        self.transferred(new, |at| {
            let (field, frame) = &self.field[at];
            self.state.plastic[at] - strains(field, &self.state.matter.elastons[at], frame)
        })
    }

    /// Strains of the new elastons: the means over their material points of the strains of the old elastons, which are
    /// given in the corotated frames.
    fn transferred(&self, new: &Matter, old: impl Fn(usize) -> Strains + Sync) -> Vec<Strains> {
        let in_space: Vec<Strains> =
            (0..self.field.len()).into_par_iter().map(|at| rotated(&old(at), &self.field[at].1)).collect();
        let mut sums = vec![(Strains::ZERO, 0.0); new.elastons.len()];
        for (piece, &owner) in new.owners.iter().enumerate() {
            let (sum, volume) = &mut sums[owner as usize];
            let share = new.cloud.volumes[piece];
            let own = &in_space[self.state.matter.owners[piece] as usize];
            sum.membrane += own.membrane * share;
            (0..3).for_each(|k| sum.bending[k] += own.bending[k] * share);
            *volume += share;
        }
        let of = |((sum, volume), elaston): (&(Strains, f64), &crate::elaston::Elaston)| {
            let scale = 1.0 / volume;
            let mean = Strains { membrane: sum.membrane * scale, bending: sum.bending.map(|bending| bending * scale) };
            rotated(&mean, &elaston.axes.transpose())
        };
        sums.iter().zip(&new.elastons).map(of).collect()
    }
}

/// Rotates strains into other axes.
fn rotated(strains: &Strains, turn: &DMat3) -> Strains {
    let conjugate = |matrix: &DMat3| *turn * *matrix * turn.transpose();
    let bending = strains.bending.map(|bending| conjugate(&bending));
    let along = |k: usize| (0..3).fold(DMat3::ZERO, |sum, l| sum + bending[l] * turn.col(l)[k]);
    Strains { membrane: conjugate(&strains.membrane), bending: [along(0), along(1), along(2)] }
}

/// The existing links, and a new link between any two material points of different parts whose spheres overlap now.
fn merged_links(matter: &Matter, discretization: &Discretization, cloud: &Cloud) -> Connectivity {
    let components = &discretization.components;
    let pairs = overlapping_pairs(&cloud.points, &cloud.radii, |a, b| components[a] != components[b]);
    let mut lists: Vec<Vec<u32>> =
        (0..matter.links.len()).map(|piece| matter.links.neighbors(piece).to_vec()).collect();
    for [a, b] in pairs {
        lists[a as usize].push(b);
        lists[b as usize].push(a);
    }
    lists.iter_mut().for_each(|list| list.sort_unstable());
    Connectivity::from_lists(lists)
}

/// Samples all bodies, with as many samples and elastons as their objects have.
fn sample(params: &Params, old: &Matter, cloud: Cloud, links: Connectivity) -> Result<Matter, BodyFlaw> {
    let objects = &old.objects;
    let groups = groups(params.objects.len(), objects, &links);
    let count = groups.iter().max().map_or(0, |&last| last as usize + 1);
    let is_held = permanently_held(params, objects.len());
    let mut matter = Matter {
        objects: objects.clone(),
        gradings: old.gradings.clone(),
        owners: vec![0; objects.len()],
        branches: vec![0; objects.len()],
        ..Matter::default()
    };
    let mut first_branch = 0;
    for group in 0..count as u32 {
        let pieces: Vec<u32> =
            (0..objects.len() as u32).filter(|&piece| groups[objects[piece as usize] as usize] == group).collect();
        let own = links.induced(&pieces);
        let members = || params.objects.iter().zip(&groups).filter(|(_, of)| **of == group).map(|(object, _)| object);
        let samples = members().map(|object| object.samples).sum::<usize>().clamp(1, pieces.len());
        let elastons = members().map(|object| object.elastons).sum::<usize>().clamp(samples, pieces.len());
        let pick = |piece: &u32| *piece as usize;
        let body = Body {
            cloud: Cloud {
                points: pieces.iter().map(|piece| cloud.points[pick(piece)]).collect(),
                radii: pieces.iter().map(|piece| cloud.radii[pick(piece)]).collect(),
                volumes: pieces.iter().map(|piece| cloud.volumes[pick(piece)]).collect(),
                spreads: pieces.iter().map(|piece| cloud.spreads[pick(piece)]).collect(),
            },
            objects: pieces.iter().map(|piece| objects[pick(piece)]).collect(),
            samples,
            elastons,
            grading: Some(pieces.iter().map(|piece| old.gradings[pick(piece)]).collect()),
        };
        let held: Vec<bool> = pieces.iter().map(|piece| is_held[pick(piece)]).collect();
        let sampling = Sampling::new(&body, &own, &held, params.support)?;
        let first = matter.elastons.len() as u32;
        for (at, &piece) in pieces.iter().enumerate() {
            matter.owners[piece as usize] = first + sampling.owners[at];
            matter.branches[piece as usize] = first_branch + sampling.branches[at];
        }
        first_branch += next_branch(&sampling.branches);
        matter.samples.extend(sampling.samples);
        matter.anchors.extend(sampling.anchors.iter().map(|&anchor| pieces[anchor as usize]));
        matter.elastons.extend(sampling.elastons);
    }
    matter.cloud = cloud;
    matter.links = links;
    Ok(matter)
}

/// Whether each material point is in a hold without end.
fn permanently_held(params: &Params, pieces: usize) -> Vec<bool> {
    let mut held = vec![false; pieces];
    for hold in params.holds.iter().filter(|hold| hold.is_permanent()) {
        hold.pieces.iter().for_each(|&piece| held[piece as usize] = true);
    }
    held
}

/// Group of each object: objects with connected material points are in the same group.
fn groups(count: usize, objects: &[u32], links: &Connectivity) -> Vec<u32> {
    let mut groups: Vec<u32> = (0..count as u32).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (piece, &object) in objects.iter().enumerate() {
            for &other in links.neighbors(piece) {
                let (a, b) = (groups[object as usize], groups[objects[other as usize] as usize]);
                if a != b {
                    let (low, high) = (a.min(b), a.max(b));
                    groups.iter_mut().filter(|group| **group == high).for_each(|group| *group = low);
                    changed = true;
                }
            }
        }
    }
    let mut names: Vec<u32> = groups.clone();
    names.sort_unstable();
    names.dedup();
    let rank = |group: &u32| names.partition_point(|name| name < group) as u32;
    groups.iter().map(rank).collect()
}
