//! Choice of sample and elaston positions: farthest-point sampling, then Lloyd relaxation [Martin2010, Sec. 9.1].
//!
//! Differences from the paper: Each body is sampled separately, so that no cell extends to another body nearby. Lloyd
//! relaxation has momentum, because without momentum the number of iterations grows with the square of the number of
//! samples in a row. Material points on the boundary of two cells are divided between the cells. Otherwise the
//! iteration stalls as soon as no material point changes cells, while the spacing is still far from uniform. If a
//! Euclidean cell would contain material on both sides of a gap, cells grow along the links instead (`connected`).

mod apportion;
mod connected;
mod count;
mod farthest;
mod lloyd;

pub use count::count_apart;

use crate::cloud::Cloud;
use crate::connectivity::Connectivity;
use fibra_core::geometry::PointTree;
use glam::{DMat3, DVec3};
use thiserror::Error;

/// A partition of material points into Voronoi cells.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Clusters {
    /// Centers of the cells [m].
    pub centers: Vec<DVec3>,
    /// Index of the center of each material point. No cell is empty.
    pub owner: Vec<u32>,
}

/// Reason why a cloud cannot be sampled.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SampleError {
    /// More centers than material points.
    #[error("{count} centers are requested for {points} points; use at most as many, or a denser cloud")]
    TooMany {
        /// Requested number of centers.
        count: usize,
        /// Number of points.
        points: usize,
    },
    /// Fewer centers than bodies, or fewer than the given centers.
    #[error(
        "{count} centers are requested, but at least {least} are needed: all given centers, and one per separate body"
    )]
    TooFew {
        /// Requested number of centers.
        count: usize,
        /// Minimum number.
        least: usize,
    },
    /// A body has more given centers than material points.
    #[error("{given} of the given centers are nearest to a body of {points} points; use at most as many")]
    Crowded {
        /// Number of centers given for the body.
        given: usize,
        /// Number of points of the body.
        points: usize,
    },
    /// The grading and the cloud differ in length.
    #[error("the grading has {gradings} values for {points} points; use one per point")]
    GradingLength {
        /// Number of values.
        gradings: usize,
        /// Number of points.
        points: usize,
    },
    /// A grading that is not positive and finite.
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

/// The material points of one body, with their relative spacing.
struct Body {
    /// Indices in the cloud.
    pieces: Vec<u32>,
    points: Vec<DVec3>,
    volumes: Vec<f64>,
    spreads: Vec<DMat3>,
    gradings: Vec<f64>,
    /// Indices of the given centers, and the total number of centers.
    given: Vec<usize>,
    count: usize,
}

/// Chooses `count` centers, starting with the `given` ones [m]. `components` is the body of each point, numbered as in
/// [`crate::connectivity::Connectivity::components`]. Bodies need not be the connected components of the cloud.
///
/// Each body gets centers in proportion to its volume, and at least one. `grading` is the relative spacing at each
/// point [-]: if it is twice as large, centers are twice as far apart. Given centers move like the others, but keep
/// their indices.
///
/// With `links`, which must connect each body, cells are connected.
pub fn sample(
    cloud: &Cloud,
    components: &[u32],
    count: usize,
    grading: Option<&[f64]>,
    given: &[DVec3],
    links: Option<&Connectivity>,
) -> Result<Clusters, SampleError> {
    check(cloud, count, grading, given)?;
    let mut bodies = bodies(cloud, components, grading, given);
    apportion::apportion(&mut bodies, count, given.len())?;

    let mut clusters = Clusters { centers: vec![DVec3::ZERO; count], owner: vec![0; cloud.points.len()] };
    let mut next = given.len();
    for body in &bodies {
        let fresh = body.count - body.given.len();
        let names: Vec<usize> = body.given.iter().copied().chain(next..next + fresh).collect();
        next += fresh;
        let start = body.given.iter().map(|&i| given[i]).collect();
        let relaxed = relaxed(body, start, links);
        for (&name, &center) in names.iter().zip(&relaxed.centers) {
            clusters.centers[name] = center;
        }
        for (&piece, &owner) in body.pieces.iter().zip(&relaxed.owner) {
            clusters.owner[piece as usize] = names[owner as usize] as u32;
        }
    }
    Ok(clusters)
}

/// Chooses and relaxes the centers of a body. Cells grow along the links only if the Euclidean cells are not connected,
/// because Euclidean cells take less time.
fn relaxed(body: &Body, given: Vec<DVec3>, links: Option<&Connectivity>) -> Clusters {
    let euclidean = lloyd::relax(body, farthest::extend(body, given.clone()), None);
    let own = links.map(|links| links.induced(&body.pieces));
    match own {
        Some(own) if !connected::are_connected(&own, &euclidean) => {
            lloyd::relax(body, connected::extend(body, &own, given), Some(&own))
        }
        _ => euclidean,
    }
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
