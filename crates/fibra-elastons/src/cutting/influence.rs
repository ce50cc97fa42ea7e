//! Samples whose influence a cut has parted are copied, one for each part [Martin2010, Sec. 10], [Molino2004].
//!
//! Not every part deserves a copy: the unknowns of samples that have no elastons for themselves are undetermined. So
//! copies are made in the order of the material they influence, as long as each can have two elastons that no other
//! counts on. What is then left without influence has its best copy in any case.

use super::claims::Claims;
use crate::gmls::Sample;
use crate::table::Table;
use crate::world::Matter;
use glam::DVec3;
use std::cmp::Ordering;

/// Least weight of a sample at an elaston that determines its unknowns [-]: at 64% of the radius. Farther away it has so
/// little say that its second derivatives could take any value.
const DETERMINED: f64 = 0.2;

/// Weight of a sample at a place that it alone suffices for [-]: at 90% of the radius.
const COVERED: f64 = 6.859e-3;

/// A sample restricted to a part of what it had influence on.
pub struct Share {
    /// The sample.
    pub source: u32,
    /// A piece of the part, the one nearest to the sample.
    pub anchor: u32,
    /// The pieces of the part.
    pieces: Vec<u32>,
    /// Their volume, each times the sample's weight there [m^3].
    weight: f64,
    /// Whether this is all the sample had influence on.
    whole: bool,
}

/// The samples after a cut, in the order of their sources; none: they are as before. `table` tells their influence on
/// the pieces before, `severed` are the pieces that have lost links.
pub fn share_samples(matter: &Matter, table: &Table, severed: &[u32]) -> Option<Vec<Share>> {
    let shares = shares(matter, table, severed);
    if shares.iter().all(|share| share.whole) {
        return None;
    }
    let wishes: Vec<Vec<u32>> = shares.iter().map(|share| elastons_of(matter, share)).collect();
    let mut order: Vec<u32> = (0..shares.len() as u32).collect();
    let heavier = |one: &u32, other: &u32| -> Ordering {
        let [one, other] = [*one, *other].map(|share| &shares[share as usize]);
        other.whole.cmp(&one.whole).then(other.weight.total_cmp(&one.weight))
    };
    order.sort_by(heavier);

    let mut kept = vec![false; shares.len()];
    // Each with one elaston for itself, and with two.
    let mut single = Claims::new(wishes.clone(), matter.elastons.len());
    let mut double = Claims::new(wishes, matter.elastons.len());
    for &share in &order {
        let both = double.claim(share) && double.claim(share);
        if !both && !shares[share as usize].whole {
            double.withdraw(share);
            continue;
        }
        single.claim(share);
        kept[share as usize] = true;
    }
    cover(matter, &shares, &mut kept, &mut single);
    Some(shares.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(share, _)| share).collect())
}

/// All samples, by the parts of what they had influence on.
fn shares(matter: &Matter, table: &Table, severed: &[u32]) -> Vec<Share> {
    let mut touched = vec![false; matter.samples.len()];
    for &piece in severed {
        table.support(piece as usize).iter().for_each(|&sample| touched[sample as usize] = true);
    }
    let mut marks = vec![false; matter.owners.len()];
    let mut shares = Vec::with_capacity(matter.samples.len());
    for (source, sample) in matter.samples.iter().enumerate() {
        let pieces: Vec<u32> = table.places_of(source).iter().map(|&[piece, _]| piece).collect();
        let parts = if touched[source] { matter.links.parts(&pieces, &mut marks) } else { vec![pieces] };
        let whole = parts.len() == 1;
        for pieces in parts {
            let at = |piece: u32| sample.weight(matter.cloud.points[piece as usize]);
            let nearer = |best: u32, &piece: &u32| if at(piece) > at(best) { piece } else { best };
            let anchor = if whole { matter.anchors[source] } else { pieces.iter().fold(pieces[0], nearer) };
            let weight = pieces.iter().map(|&piece| matter.cloud.volumes[piece as usize] * at(piece)).sum();
            shares.push(Share { source: source as u32, anchor, pieces, weight, whole });
        }
    }
    shares
}

/// The elastons that determine a sample's unknowns.
fn elastons_of(matter: &Matter, share: &Share) -> Vec<u32> {
    let sample = &matter.samples[share.source as usize];
    let mut elastons: Vec<u32> = share.pieces.iter().map(|&piece| matter.owners[piece as usize]).collect();
    elastons.sort_unstable();
    elastons.dedup();
    elastons.retain(|&elaston| sample.weight(matter.elastons[elaston as usize].center) > DETERMINED);
    elastons
}

/// Keeps more samples until there is one with influence on every elaston, piece and vertex of the surface.
fn cover(matter: &Matter, shares: &[Share], kept: &mut [bool], single: &mut Claims) {
    let mut near = vec![Vec::new(); matter.owners.len()];
    for (index, share) in shares.iter().enumerate() {
        share.pieces.iter().for_each(|&piece| near[piece as usize].push(index as u32));
    }
    let mut of_elastons = vec![Vec::new(); matter.elastons.len()];
    for (piece, &owner) in matter.owners.iter().enumerate() {
        of_elastons[owner as usize].extend_from_slice(&near[piece]);
    }
    let mut site = |place: DVec3, near: &[u32]| cover_site(matter, shares, place, near, kept, single);
    for (elaston, near) in matter.elastons.iter().zip(&mut of_elastons) {
        near.sort_unstable();
        near.dedup();
        site(elaston.center, near);
    }
    for (&point, near) in matter.cloud.points.iter().zip(&near) {
        site(point, near);
    }
    for (&vertex, &piece) in matter.surface.vertices.iter().zip(&matter.surface.pieces) {
        site(vertex, &near[piece as usize]);
    }
}

/// Keeps one more of the samples near a place if those that are kept have too little influence there: the one with most,
/// preferably one whose unknowns are determined.
fn cover_site(matter: &Matter, shares: &[Share], place: DVec3, near: &[u32], kept: &mut [bool], single: &mut Claims) {
    let sample = |share: u32| -> &Sample { &matter.samples[shares[share as usize].source as usize] };
    let weight = |share: u32| sample(share).weight(place);
    let present = near.iter().filter(|&&share| kept[share as usize]).map(|&share| weight(share)).fold(0.0, f64::max);
    if present >= COVERED {
        return;
    }
    let mut absent: Vec<u32> =
        near.iter().copied().filter(|&share| !kept[share as usize] && weight(share) > present).collect();
    absent.sort_by(|&one, &other| weight(other).total_cmp(&weight(one)));
    let determined = absent.iter().copied().find(|&share| single.claim(share));
    let last_resort = absent.first().copied().filter(|_| present == 0.0);
    if let Some(share) = determined.or(last_resort) {
        kept[share as usize] = true;
    }
}
