//! Small cuboids at which stretch, shear, bending and twist are measured [Martin2010, Sec. 6].

use glam::{DMat3, DVec3};

/// One integration point: a cuboid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elaston {
    /// Its centre in the rest state [m].
    pub centre: DVec3,
    /// Its axes in the rest state: the columns of a rotation.
    pub axes: DMat3,
    /// Lengths of its sides along the axes [m].
    pub sides: DVec3,
    /// Its volume [m^3], the exact one of the material it stands for.
    pub volume: f64,
}
