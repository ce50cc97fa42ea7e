//! What hair bumps into: bodies that whoever runs the simulation moves.

use crate::error::HairError;
use fibra_core::geometry::{Contact, PlacedCollider, RigidPose, RigidVelocity, Shape};
use glam::{DVec3, Vec3};
use std::sync::Arc;

/// A body to bump into.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its shape, in its own frame. One that deforms is a [`Shape::Deformed`].
    pub shape: Shape,
    /// Where it is at the start, relative to the run origin; of a body on the head, relative to the head.
    pub pose: RigidPose,
    /// Whether it moves with the head.
    pub on_head: bool,
    /// What happens to hair that touches it.
    pub contact: Contact,
    /// Coulomb's coefficient of friction [-].
    pub friction: f32,
}

/// A body on its way.
#[derive(Clone, Debug)]
pub(crate) struct MovingBody {
    pub body: Body,
    /// Where it is now, where it was when the advance began, and where it is to be when it ends. Of no use for a body on the head.
    pub now: RigidPose,
    pub from: RigidPose,
    pub to: RigidPose,
    /// The same of the vertices of a mesh that deforms, in the body's frame [m]; empty until they are told.
    vertices: [Vec<Vec3>; 2],
    /// Scratch: where they are [m], how fast they move [m/s].
    moving: [Vec<Vec3>; 2],
}

/// Steady motion from one pose to another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub from: RigidPose,
    pub to: RigidPose,
    /// How long it takes [s].
    pub dt: f64,
}

impl Way {
    /// Where the body is after a share of the way, and how fast.
    fn at(&self, share: f64) -> (RigidPose, RigidVelocity) {
        let pose = self.from.towards(&self.to, share);
        let mut velocity = RigidVelocity::between(&self.from, &self.to, self.dt);
        velocity.pivot = pose.translation;
        (pose, velocity)
    }
}

impl MovingBody {
    /// Takes up a body at its start.
    pub fn new(body: Body) -> MovingBody {
        let pose = body.pose;
        MovingBody { body, now: pose, from: pose, to: pose, vertices: Default::default(), moving: Default::default() }
    }

    /// Where the vertices of a mesh that deforms are to be at the end of the next advance [m]. When told for the first time, they are there at once.
    pub fn move_vertices(&mut self, to: &[Vec3]) -> Result<(), HairError> {
        if self.vertices[0].is_empty() {
            return self.place_vertices(to);
        }
        self.check(to)?;
        self.vertices[1].copy_from_slice(to);
        Ok(())
    }

    /// Puts the vertices of a mesh that deforms somewhere [m].
    pub fn place_vertices(&mut self, at: &[Vec3]) -> Result<(), HairError> {
        self.check(at)?;
        for field in self.vertices.iter_mut().chain(&mut self.moving) {
            field.clear();
            field.extend_from_slice(at);
        }
        self.deform(1.0, 1.0);
        Ok(())
    }

    fn check(&self, vertices: &[Vec3]) -> Result<(), HairError> {
        let expected = match &self.body.shape {
            Shape::Deformed(mesh) => mesh.vertex_count(),
            _ => 0,
        };
        let given = vertices.len();
        if given == expected { Ok(()) } else { Err(HairError::VertexCount { vertices: expected, given }) }
    }

    /// Ends an advance.
    pub fn arrive(&mut self) {
        (self.now, self.from) = (self.to, self.to);
        let [from, to] = &mut self.vertices;
        from.copy_from_slice(to);
    }

    /// Deforms the mesh as it is after a share of its way, which takes `dt` [s]. Nobody else may hold it, or it is copied.
    pub fn deform(&mut self, share: f32, dt: f32) {
        let (Shape::Deformed(mesh), [from, to]) = (&mut self.body.shape, &self.vertices) else { return };
        if from.is_empty() {
            return;
        }
        let [positions, velocities] = &mut self.moving;
        for (i, (from, to)) in from.iter().zip(to).enumerate() {
            (positions[i], velocities[i]) = (from.lerp(*to, share), (*to - *from) / dt);
        }
        // As many as there are vertices.
        let _ = Arc::make_mut(mesh).set_vertices(positions, velocities);
    }

    /// Its way until a share of the advance is done, which takes `dt` [s].
    pub fn way(&self, share: f64, dt: f64) -> Way {
        Way { from: self.now, to: self.from.towards(&self.to, share), dt }
    }

    /// The body after a share of the head's way and of its own.
    pub fn place(&self, head: &Way, own: &Way, share: f64) -> PlacedCollider {
        let Body { shape, pose, on_head, contact, friction } = &self.body;
        let (at, velocity) = if *on_head {
            let (head, mut velocity) = head.at(share);
            let at = RigidPose { translation: head.apply(pose.translation), rotation: head.rotation * pose.rotation };
            velocity.pivot = head.translation;
            (at, velocity)
        } else {
            own.at(share)
        };
        PlacedCollider::new(shape, &at, &velocity, DVec3::ZERO, *contact, *friction)
    }
}
