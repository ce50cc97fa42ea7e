//! Tables of a rest shape: the supports and shape functions at all evaluation points.

use crate::gmls::Order;
use crate::influence::influences;
use crate::symmetric_eigen::symmetric_eigen;
use crate::table::{Lists, Site, Table};
use crate::world::{Hold, Matter};
use glam::DMat3;
use rayon::prelude::*;

/// All tables that depend only on the rest shape.
pub struct Discretization {
    /// Displacement with first and second derivatives at the elastons, along their axes.
    pub elastons: Table,
    /// Displacement at the material points.
    pub pieces: Table,
    /// Displacement at the vertices of the render surface.
    pub surface: Table,
    /// Displacement and its gradient at the material points of each hold.
    pub holds: Vec<Table>,
    /// Object that determines the material of each elaston: the object with the largest share of the elaston's volume.
    pub substances: Vec<u32>,
    /// Connected component of each material point.
    pub components: Vec<u32>,
    /// Whether each material point is thinner than its sphere, as in sheets and wires.
    pub thin: Vec<bool>,
}

/// An evaluation point outside the support of every sample.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} {index} is outside the support of every sample; use more samples, or a larger elastons.support")]
pub struct Uncovered {
    /// Kind of evaluation point.
    pub what: &'static str,
    /// Index of the evaluation point.
    pub index: usize,
}

impl Discretization {
    /// Tabulates the shape functions at all evaluation points.
    pub fn new(order: Order, matter: &Matter, holds: &[Hold]) -> Result<Self, Uncovered> {
        let samples = &matter.samples;
        let influences = influences(matter);
        let cloud = &matter.cloud;
        let piece_sites: Vec<Site> =
            cloud.points.iter().map(|&position| Site { position, axes: DMat3::IDENTITY }).collect();
        let elastons = {
            let sites: Vec<Site> =
                matter.elastons.iter().map(|elaston| Site { position: elaston.center, axes: elaston.axes }).collect();
            let supports = elaston_supports(matter, &influences);
            covered("elaston", &supports)?;
            Table::new(order, 10, &sites, supports, samples)
        };
        covered("material point", &influences)?;
        let surface = {
            let vertices = &matter.surface.vertices;
            let sites: Vec<Site> = vertices.iter().map(|&position| Site { position, axes: DMat3::IDENTITY }).collect();
            let reach = |vertex: usize| -> Vec<u32> {
                let near = influences.of(matter.surface.pieces[vertex] as usize).iter().copied();
                near.filter(|&sample| samples[sample as usize].weight(vertices[vertex]) > 0.0).collect()
            };
            let supports: Vec<Vec<u32>> = (0..vertices.len()).map(reach).collect();
            let supports = Lists::new(supports.iter().map(Vec::as_slice));
            covered("surface vertex", &supports)?;
            Table::new(order, 1, &sites, supports, samples)
        };
        let hold = |hold: &Hold| {
            let sites: Vec<Site> = hold.pieces.iter().map(|&piece| piece_sites[piece as usize]).collect();
            let supports = Lists::new(hold.pieces.iter().map(|&piece| influences.of(piece as usize)));
            Table::new(order, 4, &sites, supports, samples)
        };
        let holds = holds.iter().map(hold).collect();
        let pieces = Table::new(order, 1, &piece_sites, influences, samples);
        Ok(Discretization {
            elastons,
            pieces,
            surface,
            holds,
            substances: substances(matter),
            components: matter.links.components(),
            thin: thin(matter),
        })
    }

    /// Number of unknowns per sample.
    pub fn unknowns_per_sample(&self) -> usize {
        3 * self.elastons.functions()
    }

    /// Sets of mutually coupled samples: one set per elaston and per held material point.
    pub fn cliques(&self) -> impl Iterator<Item = &[u32]> {
        let of = |table: &Table| 0..table.len();
        let elastons = of(&self.elastons).map(|site| self.elastons.support(site));
        let holds = self.holds.iter().flat_map(move |hold| of(hold).map(|site| hold.support(site)));
        elastons.chain(holds)
    }
}

fn covered(what: &'static str, supports: &Lists) -> Result<(), Uncovered> {
    match (0..supports.len()).find(|&key| supports.of(key).is_empty()) {
        Some(index) => Err(Uncovered { what, index }),
        None => Ok(()),
    }
}

/// Samples that influence each elaston: those that influence any of its material points and whose support contains its
/// center.
fn elaston_supports(matter: &Matter, influences: &Lists) -> Lists {
    let mut lists = vec![Vec::new(); matter.elastons.len()];
    for (piece, &owner) in matter.owners.iter().enumerate() {
        lists[owner as usize].extend_from_slice(influences.of(piece));
    }
    for (list, elaston) in lists.iter_mut().zip(&matter.elastons) {
        list.sort_unstable();
        list.dedup();
        list.retain(|&sample| matter.samples[sample as usize].weight(elaston.center) > 0.0);
    }
    Lists::new(lists.iter().map(Vec::as_slice))
}

/// Half of the smallest side of a thin material point, relative to the radius of its sphere: at most this much [-]. In a
/// lattice of cubes, it is 0.83.
const THIN: f64 = 0.7;

fn thin(matter: &Matter) -> Vec<bool> {
    let cloud = &matter.cloud;
    let is_thin = |(spread, radius): (&DMat3, &f64)| {
        let least = symmetric_eigen(spread).0.min_element().max(0.0);
        // A uniform bar of length s has the variance s^2 / 12.
        (3.0 * least).sqrt() < THIN * radius
    };
    cloud.spreads.par_iter().zip(&cloud.radii).with_min_len(256).map(is_thin).collect()
}

fn substances(matter: &Matter) -> Vec<u32> {
    let mut shares: Vec<Vec<(u32, f64)>> = vec![Vec::new(); matter.elastons.len()];
    for (piece, &owner) in matter.owners.iter().enumerate() {
        let (object, volume) = (matter.objects[piece], matter.cloud.volumes[piece]);
        let shares = &mut shares[owner as usize];
        match shares.iter_mut().find(|(known, _)| *known == object) {
            Some((_, sum)) => *sum += volume,
            None => shares.push((object, volume)),
        }
    }
    let most = |shares: &Vec<(u32, f64)>| {
        let larger = |a: (u32, f64), b: &(u32, f64)| if b.1 > a.1 { *b } else { a };
        shares.iter().fold((0, 0.0), larger).0
    };
    shares.iter().map(most).collect()
}
