//! Construction of the rest shape from point clouds: samples, elastons and connectivity [Martin2010, Sec. 9.1].

use crate::branches::branches;
use crate::cloud::Cloud;
use crate::connectivity::{Connectivity, TooManyLinks};
use crate::discretization::Uncovered;
use crate::elaston::{Elaston, elastons};
use crate::gmls::Sample;
use crate::sampling::{Clusters, sample};
pub use crate::sampling::{SampleError, count_apart};
use crate::support::support_radii;
use crate::world::Matter;
use fibra_core::geometry::PointTree;
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

impl Body {
    /// Relative spacing at each material point [-].
    fn gradings(&self) -> Vec<f64> {
        self.grading.clone().unwrap_or_else(|| vec![1.0; self.cloud.points.len()])
    }
}

/// Lowest number that is not a branch yet.
pub(crate) fn next_branch(branches: &[u32]) -> u32 {
    branches.iter().max().map_or(0, |&last| last + 1)
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
        Self::sample_held(bodies, &[], support)
    }

    /// Like [`Matter::sample`], for bodies with permanently held material points `held`, numbered over all bodies. Material on
    /// different sides of held material is sampled separately.
    pub fn sample_held(bodies: &[Body], held: &[u32], support: f64) -> Result<Matter, (usize, BodyFlaw)> {
        let count = bodies.iter().map(|body| body.cloud.points.len()).sum();
        let mut is_held = vec![false; count];
        held.iter().for_each(|&piece| is_held[piece as usize] = true);
        let mut matter = Matter::default();
        let mut links = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let first = matter.cloud.points.len();
            let held = &is_held[first..first + body.cloud.points.len()];
            let sample = || {
                let connectivity = Connectivity::new(&body.cloud)?;
                Ok((Sampling::new(body, &connectivity, held, support)?, connectivity))
            };
            let (sampling, connectivity) = sample().map_err(|flaw| (index, flaw))?;
            matter.append(body, sampling, &connectivity, &mut links);
        }
        matter.links = Connectivity::from_lists(links);
        Ok(matter)
    }

    fn append(&mut self, body: &Body, sampling: Sampling, connectivity: &Connectivity, links: &mut Vec<Vec<u32>>) {
        let Sampling { samples, anchors, elastons, owners, branches } = sampling;
        let (piece, elaston) = (self.cloud.points.len() as u32, self.elastons.len() as u32);
        let linked =
            (0..connectivity.len()).map(|at| connectivity.neighbors(at).iter().map(|&to| to + piece).collect());
        links.extend(linked);
        self.cloud.append(body.cloud.clone());
        self.objects.extend_from_slice(&body.objects);
        self.gradings.extend(body.gradings());
        let branch = next_branch(&self.branches);
        self.branches.extend(branches.into_iter().map(|own| own + branch));
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
    /// Branch of each material point.
    pub branches: Vec<u32>,
}

impl Sampling {
    /// Samples a body with the given connectivity. `held` are the permanently held material points.
    ///
    /// Each branch has at least one sample and one elaston, even if the body has fewer.
    pub fn new(body: &Body, connectivity: &Connectivity, held: &[bool], support: f64) -> Result<Sampling, BodyFlaw> {
        let cloud = &body.cloud;
        let branches = branches(connectivity, &cloud.points, held);
        let links = connectivity.retain(|i, j| branches[i] == branches[j]);
        let components = links.components();
        let parts = next_branch(&components) as usize;
        let grading = body.grading.as_deref();
        let coarse = sample(cloud, &components, body.samples.max(parts), grading, &[], Some(&links))
            .map_err(BodyFlaw::Samples)?;
        let anchors = anchors(cloud, &coarse);
        // Sample positions are the first elaston positions.
        let given = if body.elastons >= body.samples {
            inner_centers(cloud, &components, &coarse, &anchors)
        } else {
            Vec::new()
        };
        let fine = sample(cloud, &components, body.elastons.max(parts), grading, &given, Some(&links))
            .map_err(BodyFlaw::Elastons)?;
        let elastons = elastons(cloud, &fine.owner, fine.centers.len());
        let centers = elastons.iter().map(|elaston| elaston.center).collect();
        let cells = Clusters { centers, owner: fine.owner };
        let radii = support_radii(cloud, &links, &coarse, &cells, support);
        let place = |(&position, radius): (&DVec3, f64)| Sample { position, radius };
        let samples = coarse.centers.iter().zip(radii).map(place).collect();
        Ok(Sampling { samples, anchors, elastons, owners: cells.owner, branches })
    }
}

/// Centers of cells. A center next to another body is replaced by the anchor of its cell.
fn inner_centers(cloud: &Cloud, components: &[u32], clusters: &Clusters, anchors: &[u32]) -> Vec<DVec3> {
    let tree = PointTree::new(&cloud.points);
    let inner = |(&center, &anchor): (&DVec3, &u32)| {
        let nearest = tree.nearest::<1>(center)[0].1 as usize;
        let anchor = anchor as usize;
        if components[nearest] == components[anchor] { center } else { cloud.points[anchor] }
    };
    clusters.centers.iter().zip(anchors).map(inner).collect()
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
