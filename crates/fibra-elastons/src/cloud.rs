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

impl Cloud {
    /// Volume of all pieces [m^3].
    pub fn volume(&self) -> f64 {
        self.volumes.iter().sum()
    }

    /// Centre of mass [m].
    pub fn centre(&self) -> DVec3 {
        // Relative to one of the points, so that a cloud far away loses no digits.
        let Some(&origin) = self.points.first() else { return DVec3::ZERO };
        let weighted = self.points.iter().zip(&self.volumes).map(|(&point, &volume)| volume * (point - origin));
        origin + weighted.sum::<DVec3>() / self.volume()
    }

    /// Second moment about the centre, per volume [m^2].
    pub fn second_moment(&self) -> DMat3 {
        let centre = self.centre();
        let whole = self.points.iter().zip(&self.spreads).zip(&self.volumes).fold(
            DMat3::ZERO,
            |sum, ((&point, &spread), &volume)| {
                let arm = point - centre;
                sum + (spread + DMat3::from_cols(arm.x * arm, arm.y * arm, arm.z * arm)) * volume
            },
        );
        whole * (1.0 / self.volume())
    }

    /// Takes up the pieces of another cloud after its own.
    pub fn append(&mut self, mut other: Self) {
        self.points.append(&mut other.points);
        self.radii.append(&mut other.radii);
        self.volumes.append(&mut other.volumes);
        self.spreads.append(&mut other.spreads);
    }
}
