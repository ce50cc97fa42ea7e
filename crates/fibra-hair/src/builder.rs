//! Builder for [`HairSim`]: adds strands and colliders one by one.

use crate::collider::{ColliderId, HairCollider};
use crate::error::HairError;
use crate::settings::HairSettings;
use crate::sim::HairSim;
use crate::strands::StrandInput;
use fibra_core::geometry::RigidPose;

/// Builder of a [`HairSim`]; see [`HairSim::builder`].
///
/// ```
/// use fibra_core::geometry::{RigidPose, Shape};
/// use fibra_hair::{HairCollider, HairSettings, HairSim, StrandInput};
/// use glam::Vec3;
///
/// let mut builder = HairSim::builder(HairSettings::default());
/// let points = (0..10).map(|i| Vec3::new(0.0, 0.1 + 0.01 * i as f32, 0.0)).collect();
/// builder.add_strand(StrandInput { points, pinned: 2, ..StrandInput::default() });
/// let skull = builder.add_collider(HairCollider { on_head: true, ..HairCollider::new(Shape::sphere(0.1)?) });
/// assert_eq!(skull.index(), 0);
/// let mut hair = builder.build()?;
/// hair.advance(&RigidPose::IDENTITY, 1.0 / 60.0)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HairBuilder {
    settings: HairSettings,
    head: RigidPose,
    strands: Vec<StrandInput>,
    colliders: Vec<HairCollider>,
}

impl HairBuilder {
    pub(crate) fn new(settings: HairSettings) -> HairBuilder {
        HairBuilder { settings, head: RigidPose::IDENTITY, strands: Vec::new(), colliders: Vec::new() }
    }

    /// Sets the initial pose of the head, relative to the run origin. Strand points are given for this pose.
    pub fn head(&mut self, pose: RigidPose) -> &mut Self {
        self.head = pose;
        self
    }

    /// Adds a strand. Its vertices are numbered after those of earlier strands.
    pub fn add_strand(&mut self, strand: StrandInput) -> &mut Self {
        self.strands.push(strand);
        self
    }

    /// Adds a collider. Returns its identifier.
    pub fn add_collider(&mut self, collider: HairCollider) -> ColliderId {
        self.colliders.push(collider);
        ColliderId(self.colliders.len() - 1)
    }

    /// Validates all input and builds the hair.
    pub fn build(self) -> Result<HairSim, HairError> {
        HairSim::new(self.settings, self.head, &self.strands, self.colliders)
    }
}
