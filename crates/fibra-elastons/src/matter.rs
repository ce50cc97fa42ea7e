//! The rest state made from clouds: samples, elastons and what hangs together [Martin2010, Sec. 9.1].

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

/// A body: pieces that hang together where their balls overlap, and with no other body.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its pieces.
    pub cloud: Cloud,
    /// Index of the object each piece belongs to.
    pub objects: Vec<u32>,
    /// Number of samples [-].
    pub samples: usize,
    /// Number of elastons [-].
    pub elastons: usize,
    /// Relative spacing of samples and elastons wanted at each piece [-]; none: even.
    pub grading: Option<Vec<f64>>,
}

/// Why a body cannot be sampled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BodyFlaw {
    /// Its cloud overlaps too much.
    #[error(transparent)]
    Links(#[from] TooManyLinks),
    /// Its samples cannot be placed.
    #[error("samples: {0}")]
    Samples(SampleError),
    /// Its samples do not reach all of it.
    #[error(transparent)]
    Uncovered(#[from] Uncovered),
    /// Its elastons cannot be placed.
    #[error("elastons: {0}")]
    Elastons(SampleError),
}

impl Matter {
    /// Samples bodies one after the other; `support` is the samples' radius of influence in distances between them [-].
    /// An error names the body.
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

    /// Numbers of samples and elastons of an object: each counts for the object of its anchor or its first piece.
    pub fn counts(&self, object: u32) -> [usize; 2] {
        let own = |piece: u32| self.objects[piece as usize] == object;
        let samples = self.anchors.iter().filter(|&&anchor| own(anchor)).count();
        let mut first_pieces = vec![u32::MAX; self.elastons.len()];
        for (piece, &owner) in self.owners.iter().enumerate().rev() {
            first_pieces[owner as usize] = piece as u32;
        }
        [samples, first_pieces.iter().filter(|&&piece| own(piece)).count()]
    }

    /// The pieces of an object, in order.
    pub fn pieces_of(&self, object: u32) -> impl Iterator<Item = usize> + '_ {
        (0..self.objects.len()).filter(move |&piece| self.objects[piece] == object)
    }
}

/// Where the samples and elastons of a body are.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// The samples.
    pub samples: Vec<Sample>,
    /// The piece of each sample's cell that is nearest to it.
    pub anchors: Vec<u32>,
    /// The elastons.
    pub elastons: Vec<Elaston>,
    /// The elaston each piece belongs to.
    pub owners: Vec<u32>,
}

impl Sampling {
    /// Samples a body whose pieces hang together as given.
    pub fn new(body: &Body, connectivity: &Connectivity, support: f64) -> Result<Sampling, BodyFlaw> {
        let cloud = &body.cloud;
        let components = connectivity.components();
        let grading = body.grading.as_deref();
        let coarse = sample(cloud, &components, body.samples, grading, &[]).map_err(BodyFlaw::Samples)?;
        // Elastons begin at the samples.
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

/// For each sample the piece of its cell that is nearest.
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
