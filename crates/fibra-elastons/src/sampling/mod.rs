//! Choosing where samples and elastons are: farthest points, then Lloyd's relaxation [Martin2010, Sec. 9.1].
//!
//! Differences from the paper. Each body is sampled on its own, so that no cell reaches over to another body nearby.
//! Lloyd's iteration is given momentum, since alone it needs a number of iterations that grows with the square of the
//! samples in a row. Pieces on the border of two cells count for both in parts, since otherwise the iteration stalls as
//! soon as no piece changes sides, far from even spacing.

mod count;
mod farthest;
mod lloyd;
mod shares;

pub use count::count_apart;

use crate::cloud::Cloud;
use fibra_core::geometry::PointTree;
use glam::{DMat3, DVec3};
use thiserror::Error;

/// Pieces shared out among centers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    /// Where the centers are [m].
    pub centers: Vec<DVec3>,
    /// For each piece the index of its center. Every center has a piece.
    pub owner: Vec<u32>,
}

/// Why a cloud cannot be sampled.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SampleError {
    /// More centers than pieces.
    #[error("{count} centers are wanted of {points} points; use at most as many, or a finer cloud")]
    TooMany {
        /// How many are wanted.
        count: usize,
        /// How many points there are.
        points: usize,
    },
    /// Fewer centers than bodies, or than are given.
    #[error("{count} centers are wanted, but {least} are needed: one for each body that is apart, and each given one")]
    TooFew {
        /// How many are wanted.
        count: usize,
        /// How many it takes.
        least: usize,
    },
    /// More centers are given to a body than it has pieces.
    #[error("{given} of the given centers are nearest to a body of {points} points; give at most as many")]
    Crowded {
        /// How many are given to it.
        given: usize,
        /// How many points it has.
        points: usize,
    },
    /// The grading has another length than the cloud.
    #[error("the grading has {gradings} values for {points} points; give one for each")]
    GradingLength {
        /// How many values there are.
        gradings: usize,
        /// How many points there are.
        points: usize,
    },
    /// A grading that is no relative spacing.
    #[error("the grading of point {point} is {value}; it must be positive and finite")]
    BadGrading {
        /// The point, counted from 0.
        point: usize,
        /// Its grading [-].
        value: f64,
    },
    /// A given center is not finite.
    #[error("given center {center} is not finite")]
    BadCenter {
        /// The center, counted from 0.
        center: usize,
    },
}

/// The pieces of one body, and the relative spacing wanted at them.
struct Body {
    /// Which pieces of the cloud they are.
    pieces: Vec<u32>,
    points: Vec<DVec3>,
    volumes: Vec<f64>,
    spreads: Vec<DMat3>,
    gradings: Vec<f64>,
    /// Centers that are given, as indices, and how many there shall be in all.
    given: Vec<usize>,
    count: usize,
}

/// Chooses `count` centers, the first of them those `given` [m], in bodies numbered by `components` (as
/// [`crate::connectivity::Connectivity::components`] does; they need not be the cloud's own).
///
/// Bodies have centers in proportion to their volumes, and at least one. The `grading` is the relative spacing wanted
/// at each point [-]: twice as much, twice as far apart. Given centers move like others; they keep their places in the
/// order.
pub fn sample(
    cloud: &Cloud,
    components: &[u32],
    count: usize,
    grading: Option<&[f64]>,
    given: &[DVec3],
) -> Result<Clusters, SampleError> {
    check(cloud, count, grading, given)?;
    let mut bodies = bodies(cloud, components, grading, given);
    shares::share_out(&mut bodies, count, given.len())?;

    let mut clusters = Clusters { centers: vec![DVec3::ZERO; count], owner: vec![0; cloud.points.len()] };
    let mut next = given.len();
    for body in &bodies {
        let fresh = body.count - body.given.len();
        let names: Vec<usize> = body.given.iter().copied().chain(next..next + fresh).collect();
        next += fresh;
        let start = body.given.iter().map(|&i| given[i]).collect();
        let relaxed = lloyd::relax(body, farthest::extend(body, start));
        for (&name, &center) in names.iter().zip(&relaxed.centers) {
            clusters.centers[name] = center;
        }
        for (&piece, &owner) in body.pieces.iter().zip(&relaxed.owner) {
            clusters.owner[piece as usize] = names[owner as usize] as u32;
        }
    }
    Ok(clusters)
}

fn check(cloud: &Cloud, count: usize, grading: Option<&[f64]>, given: &[DVec3]) -> Result<(), SampleError> {
    let points = cloud.points.len();
    if count > points {
        return Err(SampleError::TooMany { count, points });
    }
    if let Some(values) = grading {
        if values.len() != points {
            return Err(SampleError::GradingLength { gradings: values.len(), points });
        }
        if let Some(point) = values.iter().position(|&value| !(value > 0.0 && value.is_finite())) {
            return Err(SampleError::BadGrading { point, value: values[point] });
        }
    }
    match given.iter().position(|center| !center.is_finite()) {
        Some(center) => Err(SampleError::BadCenter { center }),
        None => Ok(()),
    }
}

fn bodies(cloud: &Cloud, components: &[u32], grading: Option<&[f64]>, given: &[DVec3]) -> Vec<Body> {
    let count = components.iter().map(|&c| c as usize + 1).max().unwrap_or(0);
    let mut pieces = vec![Vec::new(); count];
    for (piece, &component) in components.iter().enumerate() {
        pieces[component as usize].push(piece as u32);
    }
    let mut owned = vec![Vec::new(); count];
    if !given.is_empty() && count > 0 {
        let tree = PointTree::new(&cloud.points);
        let equal = tree.scales(&vec![1.0; cloud.points.len()]);
        for (i, &center) in given.iter().enumerate() {
            let (_, nearest) = tree.nearest_two(center, &equal, None)[0];
            owned[components[nearest as usize] as usize].push(i);
        }
    }
    let body = |(pieces, given): (Vec<u32>, Vec<usize>)| {
        let each = |i: &u32| *i as usize;
        Body {
            points: pieces.iter().map(|i| cloud.points[each(i)]).collect(),
            volumes: pieces.iter().map(|i| cloud.volumes[each(i)]).collect(),
            spreads: pieces.iter().map(|i| cloud.spreads[each(i)]).collect(),
            gradings: pieces.iter().map(|i| grading.map_or(1.0, |values| values[each(i)])).collect(),
            count: 0,
            pieces,
            given,
        }
    };
    pieces.into_iter().zip(owned).filter(|(pieces, _)| !pieces.is_empty()).map(body).collect()
}

#[cfg(test)]
mod tests;
