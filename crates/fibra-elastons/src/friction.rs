//! Coulomb friction with sticking: an elastic slider at each contact.
//!
//! A contact at rest is a spring along the surface, as stiff as the contact along its normal. Its displacement `s` is the
//! *slip*. It carries the load without creeping. At the limit of Coulomb's law, `|k s| = mu N`, the contact slides and
//! the slip stays at the limit.

use crate::cloud::outer;
use glam::{DMat3, DVec3};

/// Other side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Partner {
    /// A collider, by its index.
    Collider(u32),
    /// A material point.
    Piece(u32),
}

/// Slip of a contact, kept from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slip {
    /// The material point.
    pub piece: u32,
    /// Other side of the contact.
    pub partner: Partner,
    /// Elastic displacement of the material point along the surface, relative to its partner [m].
    pub displacement: DVec3,
}

/// The slip of a contact; zero for a new contact. `slips` are in ascending order of material point and partner.
pub fn slip_of(slips: &[Slip], piece: u32, partner: Partner) -> DVec3 {
    let key = |slip: &Slip| (slip.piece, slip.partner);
    match slips.binary_search_by(|slip| key(slip).cmp(&(piece, partner))) {
        Ok(at) => slips[at].displacement,
        Err(_) => DVec3::ZERO,
    }
}

/// Part of a vector along a surface with a unit normal.
pub fn along_surface(v: DVec3, normal: DVec3) -> DVec3 {
    v - normal * v.dot(normal)
}

/// Normal direction, stiffness and friction of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Unit normal, toward the material point.
    pub normal: DVec3,
    /// Penetration depth [m].
    pub depth: f64,
    /// Contact stiffness [N/m].
    pub stiffness: f64,
    /// Coefficient of friction [-].
    pub friction: f64,
}

impl Surface {
    /// Maximum slip after a step of `dt` [s] at a relative velocity [m/s]: that of Coulomb's law [m].
    fn slip_limit(&self, relative: DVec3, dt: f64) -> f64 {
        self.friction * (self.depth - dt * relative.dot(self.normal)).max(0.0)
    }

    /// Impulse on the material point in a step of `dt` [s], as `impulse - resistance (v - partner)` for the unknown velocity
    /// `v`: returns `impulse` [N s] and `resistance` [kg]. `slip` is the slip before the step, and `relative` the velocity
    /// relative to the partner before the step.
    ///
    /// ```text
    /// normal:      dt k (depth - dt v.n)
    /// tangential: -dt min(k, mu N / |s*|) (s + dt v_t),   s* = s + dt v_t before the step
    /// ```
    ///
    /// The tangential impulse equals that of Coulomb's law if the velocity does not change in the step.
    pub fn impulse(&self, slip: DVec3, relative: DVec3, dt: f64) -> (DVec3, DMat3) {
        let slip = along_surface(slip, self.normal);
        let next = (slip + dt * along_surface(relative, self.normal)).length();
        let spring = (self.slip_limit(relative, dt) / next.max(f64::MIN_POSITIVE)).min(1.0) * self.stiffness;
        let across = DMat3::IDENTITY - outer(self.normal);
        let resistance = outer(self.normal) * (dt * dt * self.stiffness) + across * (dt * dt * spring);
        (self.normal * (dt * self.stiffness * self.depth) - slip * (dt * spring), resistance)
    }

    /// Slip after a step of `dt` [s] with the relative velocity `relative` at its end [m].
    pub fn next_slip(&self, slip: DVec3, relative: DVec3, dt: f64) -> DVec3 {
        let next = along_surface(slip + dt * relative, self.normal);
        next.clamp_length_max(self.slip_limit(relative, dt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SURFACE: Surface = Surface { normal: DVec3::Y, depth: 1e-3, stiffness: 1e4, friction: 0.5 };

    #[test]
    fn a_sliding_contact_obeys_coulombs_law() {
        for slip in [DVec3::ZERO, DVec3::X * 5e-4, DVec3::new(1e-4, 0.0, -4e-4)] {
            let v = DVec3::new(0.3, 0.0, 0.0);
            let dt = 0.01;
            let (impulse, resistance) = SURFACE.impulse(slip, v, dt);
            let total = impulse - resistance * v;
            assert!((total.y - dt * 10.0).abs() < 1e-12);
            assert!((along_surface(total, DVec3::Y).length() - 0.5 * dt * 10.0).abs() < 1e-12);
            let next = SURFACE.next_slip(slip, v, dt);
            assert!((next.length() - 5e-4).abs() < 1e-15 && next.x > 0.0);
        }
    }

    /// A mass of 1 kg on a spring-like contact is pushed along the surface by a constant force below the limit of 5 N.
    #[test]
    fn a_pushed_contact_comes_to_rest_and_slides_beyond_the_limit() {
        let end = |push: f64| {
            let (mut slip, mut v) = (DVec3::ZERO, DVec3::ZERO);
            let dt = 0.005;
            for _ in 0..2000 {
                let (impulse, resistance) = SURFACE.impulse(slip, v, dt);
                let along = (v.x + dt * push + impulse.x) / (1.0 + resistance.x_axis.x);
                v = DVec3::X * along;
                slip = SURFACE.next_slip(slip, v, dt);
            }
            (slip.x, v.x)
        };
        let (slip, v) = end(2.0);
        assert!(v.abs() < 1e-12 && (slip - 2e-4).abs() < 1e-12, "{slip}, {v}");
        // 10 s beyond the limit: v = (6 - 5) N / 1 kg * 10 s, except for the start.
        let (slip, v) = end(6.0);
        assert!((slip - 5e-4).abs() < 1e-15 && (v - 10.0).abs() < 0.1, "{slip}, {v}");
    }
}
