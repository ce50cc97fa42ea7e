//! The choices that cloth and fibers share.

use super::parameters::ParameterCheck;
use crate::law::ContactModel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How cloth and fibers meet themselves and others: the comparison of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SelfContact {
    /// Pushes when pressed, slides against Coulomb friction, comes apart freely.
    #[default]
    Frictional,
    /// Elastic in every direction: what touches sticks.
    Elastic,
    /// Resists nothing but its own stretching: what touches clumps together.
    Absent,
}

/// Where the deformation of cloth and fibers comes from: the comparison of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deformation {
    /// Stretching from the mesh, contact from the grid: never breaks.
    #[default]
    Hybrid,
    /// All from the grid, as in plain MPM: breaks when stretched past a cell.
    Mpm,
}

impl From<SelfContact> for ContactModel {
    fn from(contact: SelfContact) -> ContactModel {
        match contact {
            SelfContact::Frictional => ContactModel::Frictional,
            SelfContact::Elastic => ContactModel::Elastic,
            SelfContact::Absent => ContactModel::Absent,
        }
    }
}

/// Checks what cloth and fibers have in common.
pub(super) fn check_thin(
    check: &mut ParameterCheck,
    shear_stiffness: f64,
    friction_angle: f64,
    bending_stiffness: f64,
) {
    check.within("shear_stiffness", shear_stiffness, 0.0.., "Pa");
    check.within("friction_angle", friction_angle, 0.0..90.0, "deg");
    check.within("bending_stiffness", bending_stiffness, 0.0.., "N/m");
}
