//! Splits elastons whose material points a cut has separated, one per part [Martin2010, Sec. 10].

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use crate::elaston::{Elaston, elastons};
use crate::law::Strains;
use crate::world::Matter;
use glam::DMat3;

/// Splits elastons whose material points are separated. `before` has the links before the cut. `severed` are the
/// material points that have lost any links. The first part keeps the index of the elaston. Returns whether any elaston
/// was split.
///
/// A cell may consist of several parts that are connected only through other cells. If the cut does not divide such a
/// cell further, only parts in different connected components are split.
///
/// `strains` are strains of each elaston; the parts get those of the whole elaston.
pub fn split_elastons(
    matter: &mut Matter,
    mut strains: [&mut Vec<Strains>; 2],
    before: &Connectivity,
    severed: &[u32],
) -> bool {
    let components = matter.links.components();
    let mut cells = vec![Vec::new(); matter.elastons.len()];
    for (piece, &owner) in matter.owners.iter().enumerate() {
        cells[owner as usize].push(piece as u32);
    }
    let mut touched = vec![false; cells.len()];
    severed.iter().for_each(|&piece| touched[matter.owners[piece as usize] as usize] = true);
    let mut marks = vec![false; matter.owners.len()];
    let mut split = false;
    for (cell, pieces) in cells.iter().enumerate() {
        let mut parts = by_component(pieces, &components);
        if touched[cell] {
            let apart = matter.links.parts(pieces, &mut marks);
            if apart.len() > before.parts(pieces, &mut marks).len() {
                parts = apart;
            }
        }
        if parts.len() > 1 {
            replace(matter, &mut strains, cell, &parts);
            split = true;
        }
    }
    split
}

/// Groups material points by connected component.
fn by_component(pieces: &[u32], components: &[u32]) -> Vec<Vec<u32>> {
    let component = |piece: &u32| components[*piece as usize];
    let mut sorted = pieces.to_vec();
    sorted.sort_by_key(component);
    sorted.chunk_by(|one, other| component(one) == component(other)).map(<[u32]>::to_vec).collect()
}

fn replace(matter: &mut Matter, strains: &mut [&mut Vec<Strains>; 2], cell: usize, parts: &[Vec<u32>]) {
    let whole = matter.elastons[cell];
    let of_whole = strains.each_ref().map(|strains| strains[cell]);
    for (k, part) in parts.iter().enumerate() {
        let made = elaston_of(&matter.cloud, part);
        let of_part = of_whole.map(|strains| strains_in(&strains, &whole, &made));
        if k == 0 {
            matter.elastons[cell] = made;
            strains.iter_mut().zip(of_part).for_each(|(strains, of_part)| strains[cell] = of_part);
        } else {
            part.iter().for_each(|&piece| matter.owners[piece as usize] = matter.elastons.len() as u32);
            matter.elastons.push(made);
            strains.iter_mut().zip(of_part).for_each(|(strains, of_part)| strains.push(of_part));
        }
    }
}

fn elaston_of(cloud: &Cloud, pieces: &[u32]) -> Elaston {
    let at = || pieces.iter().map(|&piece| piece as usize);
    let part = Cloud {
        points: at().map(|piece| cloud.points[piece]).collect(),
        radii: at().map(|piece| cloud.radii[piece]).collect(),
        volumes: at().map(|piece| cloud.volumes[piece]).collect(),
        spreads: at().map(|piece| cloud.spreads[piece]).collect(),
    };
    elastons(&part, &vec![0; pieces.len()], 1)[0]
}

/// Returns the strains of a part of an elaston, at the center and along the axes of the part. The strains of the whole
/// elaston define a linear strain field, which is evaluated there.
fn strains_in(strains: &Strains, whole: &Elaston, part: &Elaston) -> Strains {
    let offset = whole.axes.transpose() * (part.center - whole.center);
    let turn = part.axes.transpose() * whole.axes;
    let turned = |strain: DMat3| turn * strain * turn.transpose();
    let along = |direction: [f64; 3]| (0..3).fold(DMat3::ZERO, |sum, k| sum + strains.bending[k] * direction[k]);
    Strains {
        membrane: turned(strains.membrane + along(offset.to_array())),
        bending: std::array::from_fn(|k| turned(along(turn.row(k).to_array()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use glam::{DQuat, DVec3};

    #[test]
    fn a_part_has_the_same_strain_field() {
        let axes = |angle: f64| DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), angle));
        let elaston = |center: DVec3, angle: f64| Elaston { center, axes: axes(angle), sides: DVec3::ONE, volume: 1.0 };
        let whole = elaston(DVec3::new(1.0, 2.0, 3.0), 0.4);
        let part = elaston(DVec3::new(1.1, 1.8, 3.05), 1.3);
        let strain = |k: f64| DMat3::from_cols_array(&[k, 0.1, 0.2, 0.1, -k, 0.3 * k, 0.2, 0.3 * k, 0.5]);
        let field = Strains { membrane: strain(0.1), bending: [strain(0.5), strain(-1.0), strain(2.0)] };
        let seen = strains_in(&field, &whole, &part);
        let at = |strains: &Strains, elaston: &Elaston, place: DVec3| {
            let offset = elaston.axes.transpose() * (place - elaston.center);
            let sum = (0..3).fold(strains.membrane, |sum, k| sum + strains.bending[k] * offset[k]);
            elaston.axes * sum * elaston.axes.transpose()
        };
        for place in [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 2.0, -1.0)] {
            assert_relative_eq!(at(&seen, &part, place), at(&field, &whole, place), epsilon = 1e-13);
        }
    }
}
