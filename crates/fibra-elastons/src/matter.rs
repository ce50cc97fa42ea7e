//! Construction of the rest shape from point clouds: samples, elastons and connectivity [Martin2010, Sec. 9.1].

use crate::cloud::Cloud;
use crate::connectivity::{Connectivity, TooManyLinks};
use crate::discretization::Uncovered;
use crate::elaston::{Elaston, elastons};
use crate::gmls::Sample;
use crate::sampling::{Clusters, sample};
pub use crate::sampling::{SampleError, count_apart};
use crate::support::support_radii;
use crate::world::Matter;
use glam::DVec3;

/// A body: material points that are connected where their spheres overlap. Bodies are not connected with each other.
#[derive(Clone, Debug)]
pub struct Body {
    /// Material points of the body.
    pub cloud: Cloud,
    /// Object of each material point.
    pub objects: Vec<u32>,
    /// Number of samples [-].
    pub samples: usize,
    /// Number of elastons [-].
    pub elastons: usize,
    /// Relative sample and elaston spacing at each material point [-]; `None`: uniform.
    pub grading: Option<Vec<f64>>,
}

/// Reason why a body cannot be sampled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyFlaw {
    /// The spheres of the body's cloud overlap too much.
    #[error(transparent)]
    Links(#[from] TooManyLinks),
    /// The samples of the body cannot be chosen.
    #[error("samples: {0}")]
    Samples(SampleError),
    /// The supports of the samples do not cover the body.
    #[error(transparent)]
    Uncovered(#[from] Uncovered),
    /// The elastons of the body cannot be chosen.
    #[error("elastons: {0}")]
    Elastons(SampleError),
}

impl Matter {
    /// Samples bodies one after the other. `support` is the support radius in sample spacings [-]. An error includes the index of the body.
    pub fn sample(bodies: &[Body], support: f64) -> Result<Matter, (usize, BodyFlaw)> {
        let mut matter = Matter::default();
        let mut links = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let sample = || {
                let connectivity = Connectivity::new(&body.cloud)?;
                Ok((Sampling::new(body, &connectivity, support)?, connectivity))
            };
            let (sampling, connectivity) = sample().map_err(|flaw| (index, flaw))?;
            matter.append(body, sampling, &connectivity, &mut links);
        }
        matter.links = Connectivity::from_lists(links);
        Ok(matter)
    }

    fn append(&mut self, body: &Body, sampling: Sampling, connectivity: &Connectivity, links: &mut Vec<Vec<u32>>) {
        let Sampling { samples, anchors, elastons, owners } = sampling;
        let (piece, elaston) = (self.cloud.points.len() as u32, self.elastons.len() as u32);
        let linked =
            (0..connectivity.len()).map(|at| connectivity.neighbors(at).iter().map(|&to| to + piece).collect());
        links.extend(linked);
        self.cloud.append(body.cloud.clone());
        self.objects.extend_from_slice(&body.objects);
        self.samples.extend(samples);
        self.anchors.extend(anchors.into_iter().map(|anchor| anchor + piece));
        self.elastons.extend(elastons);
        self.owners.extend(owners.into_iter().map(|owner| owner + elaston));
    }

    /// Numbers of samples and elastons of an object. A sample belongs to the object of its anchor, an elaston to the
    /// object of its first material point.
    pub fn counts(&self, object: u32) -> [usize; 2] {
        let own = |piece: u32| self.objects[piece as usize] == object;
        let samples = self.anchors.iter().filter(|&&anchor| own(anchor)).count();
        let mut first_pieces = vec![u32::MAX; self.elastons.len()];
        for (piece, &owner) in self.owners.iter().enumerate().rev() {
            first_pieces[owner as usize] = piece as u32;
        }
        [samples, first_pieces.iter().filter(|&&piece| own(piece)).count()]
    }

    /// Material points of an object, in ascending order.
    pub fn pieces_of(&self, object: u32) -> impl Iterator<Item = usize> + '_ {
        (0..self.objects.len()).filter(move |&piece| self.objects[piece] == object)
    }
}

/// Samples and elastons of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// The samples.
    pub samples: Vec<Sample>,
    /// For each sample, the nearest material point of its cell.
    pub anchors: Vec<u32>,
    /// The elastons.
    pub elastons: Vec<Elaston>,
    /// Elaston of each material point.
    pub owners: Vec<u32>,
}

impl Sampling {
    /// Samples a body with the given connectivity.
    pub fn new(body: &Body, connectivity: &Connectivity, support: f64) -> Result<Sampling, BodyFlaw> {
        let cloud = &body.cloud;
        let components = connectivity.components();
        let grading = body.grading.as_deref();
        let coarse = sample(cloud, &components, body.samples, grading, &[]).map_err(BodyFlaw::Samples)?;
        // Sample positions are the first elaston positions.
        let given = if body.elastons >= body.samples { coarse.centers.as_slice() } else { &[] };
        let fine = sample(cloud, &components, body.elastons, grading, given).map_err(BodyFlaw::Elastons)?;
        let elastons = elastons(cloud, &fine.owner, fine.centers.len());
        let centers: Vec<DVec3> = elastons.iter().map(|elaston| elaston.center).collect();
        let radii = support_radii(cloud, connectivity, &coarse, &centers, support);
        let anchors = anchors(cloud, &coarse);
        let place = |(&position, radius): (&DVec3, f64)| Sample { position, radius };
        let samples = coarse.centers.iter().zip(radii).map(place).collect();
        Ok(Sampling { samples, anchors, elastons, owners: fine.owner })
    }
}

/// For each sample, the nearest material point of its cell.
fn anchors(cloud: &Cloud, clusters: &Clusters) -> Vec<u32> {
    let mut anchors = vec![(f64::INFINITY, 0); clusters.centers.len()];
    for (piece, (&owner, &point)) in clusters.owner.iter().zip(&cloud.points).enumerate() {
        let anchor = &mut anchors[owner as usize];
        let distance = point.distance_squared(clusters.centers[owner as usize]);
        if distance < anchor.0 {
            *anchor = (distance, piece as u32);
        }
    }
    anchors.into_iter().map(|(_, piece)| piece).collect()
}
