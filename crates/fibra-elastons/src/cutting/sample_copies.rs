//! Samples whose support a cut has divided are copied, one copy per part [Martin2010, Sec. 10], [Molino2004].
//!
//! Not every part gets a copy, because the unknowns of a sample without elastons of its own are undetermined. Copies
//! are kept in descending order of the amount of material they influence, as long as each copy can be matched with two
//! elastons of its own. Material that would otherwise be left uncovered always gets its best copy.

use super::matching::Matching;
use crate::gmls::Sample;
use crate::table::Table;
use crate::world::Matter;
use glam::DVec3;
use std::cmp::Ordering;

/// Minimum weight of a sample at an elaston for the elaston to determine the sample's unknowns [-]. The weight has this
/// value at 64% of the support radius. Beyond this distance, second derivatives of the sample would be almost
/// undetermined.
const DETERMINED: f64 = 0.2;

/// Weight at which a single sample suffices to cover a position [-]. The weight has this value at 90% of the support
/// radius.
const COVERED: f64 = 6.859e-3;

/// A copy of a sample, restricted to one part of its support.
pub struct SampleCopy {
    /// The original sample.
    pub source: u32,
    /// The material point of the part that is nearest to the sample.
    pub anchor: u32,
    /// Material points of the part.
    pieces: Vec<u32>,
    /// Volume of these material points, weighted by the sample [m^3].
    weight: f64,
    /// Whether the part is the whole support.
    whole: bool,
}

/// Returns the samples after a cut, in the order of their originals; `None` if nothing changes. `table` has the
/// supports before the cut. `severed` are the material points that have lost links.
pub fn split_samples(matter: &Matter, table: &Table, severed: &[u32]) -> Option<Vec<SampleCopy>> {
    let copies = copies(matter, table, severed);
    if copies.iter().all(|copy| copy.whole) {
        return None;
    }
    let candidates: Vec<Vec<u32>> = copies.iter().map(|copy| elastons_of(matter, copy)).collect();
    let mut order: Vec<u32> = (0..copies.len() as u32).collect();
    let heavier = |one: &u32, other: &u32| -> Ordering {
        let [one, other] = [*one, *other].map(|copy| &copies[copy as usize]);
        other.whole.cmp(&one.whole).then(other.weight.total_cmp(&one.weight))
    };
    order.sort_by(heavier);

    let mut kept = vec![false; copies.len()];
    // Matchings with one and with two elastons per sample.
    let mut single = Matching::new(candidates.clone(), matter.elastons.len());
    let mut double = Matching::new(candidates, matter.elastons.len());
    for &copy in &order {
        let both = double.augment(copy) && double.augment(copy);
        if !both && !copies[copy as usize].whole {
            double.remove(copy);
            continue;
        }
        single.augment(copy);
        kept[copy as usize] = true;
    }
    cover(matter, &copies, &mut kept, &mut single);
    Some(copies.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(copy, _)| copy).collect())
}

/// All samples, one copy per part of their support.
fn copies(matter: &Matter, table: &Table, severed: &[u32]) -> Vec<SampleCopy> {
    let mut touched = vec![false; matter.samples.len()];
    for &piece in severed {
        table.support(piece as usize).iter().for_each(|&sample| touched[sample as usize] = true);
    }
    let mut marks = vec![false; matter.owners.len()];
    let mut copies = Vec::with_capacity(matter.samples.len());
    for (source, sample) in matter.samples.iter().enumerate() {
        let pieces: Vec<u32> = table.points_of(source).iter().map(|&[piece, _]| piece).collect();
        let parts = if touched[source] { matter.links.parts(&pieces, &mut marks) } else { vec![pieces] };
        let whole = parts.len() == 1;
        for pieces in parts {
            let at = |piece: u32| sample.weight(matter.cloud.points[piece as usize]);
            let nearer = |best: u32, &piece: &u32| if at(piece) > at(best) { piece } else { best };
            let anchor = if whole { matter.anchors[source] } else { pieces.iter().fold(pieces[0], nearer) };
            let weight = pieces.iter().map(|&piece| matter.cloud.volumes[piece as usize] * at(piece)).sum();
            copies.push(SampleCopy { source: source as u32, anchor, pieces, weight, whole });
        }
    }
    copies
}

/// Elastons that determine a sample's unknowns.
fn elastons_of(matter: &Matter, copy: &SampleCopy) -> Vec<u32> {
    let sample = &matter.samples[copy.source as usize];
    let mut elastons: Vec<u32> = copy.pieces.iter().map(|&piece| matter.owners[piece as usize]).collect();
    elastons.sort_unstable();
    elastons.dedup();
    elastons.retain(|&elaston| sample.weight(matter.elastons[elaston as usize].center) > DETERMINED);
    elastons
}

/// Keeps more copies until every elaston, material point and surface vertex is covered.
fn cover(matter: &Matter, copies: &[SampleCopy], kept: &mut [bool], single: &mut Matching) {
    let mut near = vec![Vec::new(); matter.owners.len()];
    for (index, copy) in copies.iter().enumerate() {
        copy.pieces.iter().for_each(|&piece| near[piece as usize].push(index as u32));
    }
    let mut of_elastons = vec![Vec::new(); matter.elastons.len()];
    for (piece, &owner) in matter.owners.iter().enumerate() {
        of_elastons[owner as usize].extend_from_slice(&near[piece]);
    }
    let mut cover_at = |position: DVec3, near: &[u32]| cover_position(matter, copies, position, near, kept, single);
    for (elaston, near) in matter.elastons.iter().zip(&mut of_elastons) {
        near.sort_unstable();
        near.dedup();
        cover_at(elaston.center, near);
    }
    for (&point, near) in matter.cloud.points.iter().zip(&near) {
        cover_at(point, near);
    }
    for (&vertex, &piece) in matter.surface.vertices.iter().zip(&matter.surface.pieces) {
        cover_at(vertex, &near[piece as usize]);
    }
}

/// Keeps one more copy if the copies already kept have too little weight at a position. Chooses the copy with the
/// largest weight there, preferably among copies with determined unknowns.
fn cover_position(
    matter: &Matter,
    copies: &[SampleCopy],
    position: DVec3,
    near: &[u32],
    kept: &mut [bool],
    single: &mut Matching,
) {
    let sample = |copy: u32| -> &Sample { &matter.samples[copies[copy as usize].source as usize] };
    let weight = |copy: u32| sample(copy).weight(position);
    let present = near.iter().filter(|&&copy| kept[copy as usize]).map(|&copy| weight(copy)).fold(0.0, f64::max);
    if present >= COVERED {
        return;
    }
    let mut absent: Vec<u32> =
        near.iter().copied().filter(|&copy| !kept[copy as usize] && weight(copy) > present).collect();
    absent.sort_by(|&one, &other| weight(other).total_cmp(&weight(one)));
    let determined = absent.iter().copied().find(|&copy| single.augment(copy));
    let last_resort = absent.first().copied().filter(|_| present == 0.0);
    if let Some(copy) = determined.or(last_resort) {
        kept[copy as usize] = true;
    }
}
