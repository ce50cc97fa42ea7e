//! Public view of the contacts of the last step.

use super::RodSim;
use super::ids::{BallId, BodyId, ColliderId, RodId};
use crate::body::Body;
use crate::contact::ContactKey;
use crate::world::Touch;
use glam::DVec3;

/// A contact that transmits a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactForce {
    /// The body that the force acts on; the opposite force acts on `b`.
    pub a: BodyId,
    /// The other body, or the collider. A rod can touch itself.
    pub b: BodyId,
    /// Contact point on the surface of `a` [m].
    pub position: DVec3,
    /// Unit normal from `b` to `a`.
    pub normal: DVec3,
    /// Force on `a`: normal force and friction [N].
    pub force: DVec3,
}

impl RodSim {
    /// Returns the contacts of the last step. Nearby bodies that transmit no force are left out.
    ///
    /// ```
    /// use fibra_core::geometry::Collider;
    /// use fibra_rods::{BallInput, BodyId, RodSettings, RodSim};
    /// use glam::DVec3;
    ///
    /// let mut sim = RodSim::new(RodSettings::default())?;
    /// let ball = sim.add_ball(BallInput { center: DVec3::new(0.0, 0.01, 0.0), ..BallInput::default() })?;
    /// let floor = sim.add_collider(Collider::ground(0.0).friction(0.3))?;
    /// sim.advance(0.1)?;
    /// let contact = sim.contacts()[0];
    /// assert_eq!((contact.a, contact.b), (BodyId::Ball(ball), BodyId::Collider(floor)));
    /// let weight = 9.81 * sim.quantities()["mass"];
    /// assert!((contact.force.y - weight).abs() < 0.01 * weight);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn contacts(&self) -> Vec<ContactForce> {
        let touching = self.state.contacts.iter().filter(|touch| touch.force != DVec3::ZERO);
        touching.filter_map(|touch| self.contact(touch)).collect()
    }

    fn contact(&self, touch: &Touch) -> Option<ContactForce> {
        let Touch { key: ContactKey { a, b }, share, normal, force } = *touch;
        let body = self.state.bodies.get(a[0] as usize)?;
        let (points, feature) = (body.points(), a[1] as usize);
        // In contacts with colliders, indices count the points first, then the segments.
        let against_collider = b[0] == ContactKey::COLLIDER;
        let line = match feature.checked_sub(points.len()) {
            None if against_collider => points[feature],
            Some(segment) if against_collider => on_segment(body, segment, share),
            _ => on_segment(body, feature, share),
        };
        let position = self.params.settings.origin + line - body.radius() * normal;
        let other = match against_collider {
            true => BodyId::Collider(ColliderId(b[1] as usize)),
            false => self.body_id(b[0] as usize)?,
        };
        Some(ContactForce { a: self.body_id(a[0] as usize)?, b: other, position, normal, force })
    }

    fn body_id(&self, index: usize) -> Option<BodyId> {
        self.state.bodies.get(index).map(|body| match body {
            Body::Rod(_) => BodyId::Rod(RodId(index)),
            Body::Ball(_) => BodyId::Ball(BallId(index)),
        })
    }
}

fn on_segment(body: &Body, segment: usize, share: f64) -> DVec3 {
    let [from, to] = body.ends_of(segment).map(|end| body.points()[end]);
    from.lerp(to, share)
}
