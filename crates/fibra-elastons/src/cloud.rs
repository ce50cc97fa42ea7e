//! The material as a cloud of small pieces [Martin2010, Sec. 9].

use glam::{DMat3, DVec3};

/// Pieces of material. A piece is a ball where it touches others or is connected to them; its volume and its extent
/// make mass and stiffness.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Where the pieces are [m].
    pub points: Vec<DVec3>,
    /// Radii of their balls [m]. Pieces whose balls overlap hang together.
    pub radii: Vec<f64>,
    /// Their volumes [m^3].
    pub volumes: Vec<f64>,
    /// Second moments of each piece about its own point, per volume [m^2]: `s^2 / 12` times the identity for a cube of side `s`.
    pub spreads: Vec<DMat3>,
}
