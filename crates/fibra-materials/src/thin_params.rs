//! Options shared by cloth and fibers.

use super::parameters::ParameterCheck;
use crate::law::ContactModel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Contact of cloth and fibers with themselves and with other objects: the comparison of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SelfContact {
    /// Repulsion under pressure, Coulomb friction, free separation.
    #[default]
    Frictional,
    /// Elastic in every direction: objects that touch stick together.
    Elastic,
    /// Resists only its own stretching: objects that touch clump together.
    Absent,
}

/// Source of the deformation of cloth and fibers: the comparison of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deformation {
    /// Stretching from the mesh, contact from the grid: never breaks.
    #[default]
    Hybrid,
    /// Everything from the grid, as in plain MPM: breaks when stretched by more than a cell.
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

/// Checks the parameters that cloth and fibers have in common.
pub(super) fn check_thin(check: &mut ParameterCheck, shear_stiffness: f64, friction_angle: f64) {
    check.within("shear_stiffness", shear_stiffness, 0.0.., "Pa");
    check.within("friction_angle", friction_angle, 0.0..90.0, "deg");
}
