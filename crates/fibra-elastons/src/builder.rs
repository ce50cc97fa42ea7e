//! Collection and validation of the initial conditions of a simulation.

use crate::cloud::Cloud;
use crate::error::{ElastonError, OutOfRange};
use crate::matter::Body;
use crate::object::{ElastonObject, FilledObject, ObjectId, check_pose};
use crate::settings::ElastonSettings;
use crate::sim::ElastonSim;
use crate::world::{Blade, Hold, Matter, Params, State, Substance, Surface};
use fibra_core::geometry::{
    Bounds, Collider, Contact, Motion, PlacedCollider, RigidPose, RigidVelocity, Shape, TriangleMesh,
};
use glam::DVec3;

/// The simulation origin is the world origin if all objects are within this distance of it. The unit of the distance is
/// the smallest spacing of material points [-].
const NEAR_ORIGIN: f64 = 1000.0;

/// Handle of a hold: material points with a prescribed position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HoldId(pub(crate) usize);

/// Handle of a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ColliderId(pub(crate) usize);

/// Collects objects, holds, colliders and blades. Created by [`ElastonSim::builder`].
///
/// ```
/// use fibra_core::geometry::RigidPose;
/// use fibra_elastons::{ElastonSettings, ElastonSim, ElastonObject};
/// use glam::DVec3;
///
/// let mut builder = ElastonSim::builder(ElastonSettings::default());
/// let stem = builder.add(ElastonObject::wire(vec![DVec3::ZERO, DVec3::Y], 0.02, 0.02))?;
/// let leaf = ElastonObject::cuboid(DVec3::new(0.4, 0.01, 0.3), RigidPose::at(DVec3::Y), 0.05);
/// builder.add(leaf.joined_to(stem))?;
/// builder.hold(stem, |x| x.y < 0.1)?;
/// builder.add_floor(-0.1, 0.5)?;
/// let sim = builder.build()?;
/// assert_eq!(sim.quantities()["parts"], 1.0);
/// # Ok::<(), fibra_elastons::ElastonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ElastonBuilder {
    settings: ElastonSettings,
    objects: Vec<FilledObject>,
    holds: Vec<HoldSpec>,
    colliders: Vec<Collider>,
    blades: Vec<Blade>,
}

#[derive(Clone, Debug)]
struct HoldSpec {
    object: usize,
    /// Indices of the material points, in the order of the object.
    pieces: Vec<usize>,
    frame: RigidPose,
    motion: Motion,
    until: f64,
}

impl ElastonBuilder {
    pub(crate) fn new(settings: ElastonSettings) -> ElastonBuilder {
        ElastonBuilder { settings, objects: Vec::new(), holds: Vec::new(), colliders: Vec::new(), blades: Vec::new() }
    }

    /// Adds an object.
    pub fn add(&mut self, object: ElastonObject) -> Result<ObjectId, ElastonError> {
        if let Some(other) = object.joined_to {
            self.object(other)?;
        }
        let index = self.objects.len();
        self.objects.push(object.fill(index)?);
        Ok(ObjectId(index))
    }

    /// Returns the world positions of an object's material points, in the order of the object [m].
    pub fn pieces(&self, object: ObjectId) -> Result<&[DVec3], ElastonError> {
        Ok(&self.object(object)?.cloud.points)
    }

    /// Adds a hold of those material points of an object for whose positions [m] `inside` returns true. The frame of the hold is at the
    /// centroid of these points and has the world axes.
    ///
    /// Material points are the centers of cells. The outermost points lie half a spacing inside the surface, and the
    /// free part begins about half a spacing beyond the last held point.
    pub fn hold(&mut self, object: ObjectId, inside: impl Fn(DVec3) -> bool) -> Result<HoldId, ElastonError> {
        let points = &self.object(object)?.cloud.points;
        let pieces: Vec<usize> = (0..points.len()).filter(|&piece| inside(points[piece])).collect();
        self.hold_pieces(object, &pieces)
    }

    /// Adds a hold of an object's material points inside a shape. The frame of the hold is the frame of the shape.
    pub fn hold_region(&mut self, object: ObjectId, region: &Shape, pose: &RigidPose) -> Result<HoldId, ElastonError> {
        check_pose(pose)?;
        let still = RigidVelocity::default();
        let placed = PlacedCollider::new(region, pose, &still, pose.translation, Contact::Separating, 0.0);
        let inside = |x: DVec3| placed.signed_distance((x - pose.translation).as_vec3()) <= 0.0;
        let id = self.hold(object, inside)?;
        self.holds[id.0].frame = *pose;
        Ok(id)
    }

    /// Adds a hold of material points given by their indices within the object. The frame of the hold is at the centroid of these points
    /// and has the world axes.
    pub fn hold_pieces(&mut self, object: ObjectId, pieces: &[usize]) -> Result<HoldId, ElastonError> {
        let points = &self.object(object)?.cloud.points;
        if let Some(&index) = pieces.iter().find(|&&piece| piece >= points.len()) {
            return Err(ElastonError::Unknown { what: "material point", index, count: points.len() });
        }
        if pieces.is_empty() {
            return Err(ElastonError::EmptyHold { object: object.0 });
        }
        let mut pieces = pieces.to_vec();
        pieces.sort_unstable();
        pieces.dedup();
        let others = self.holds.iter().filter(|hold| hold.object == object.0);
        for piece in others.flat_map(|hold| &hold.pieces) {
            if pieces.binary_search(piece).is_ok() {
                return Err(ElastonError::SharedPiece { object: object.0, piece: *piece });
            }
        }
        let centroid = pieces.iter().map(|&piece| points[piece]).sum::<DVec3>() / pieces.len() as f64;
        let frame = RigidPose::at(centroid);
        self.holds.push(HoldSpec { object: object.0, pieces, frame, motion: Motion::Still, until: f64::INFINITY });
        Ok(HoldId(self.holds.len() - 1))
    }

    /// Prescribes the motion of a hold. Rotations are about the origin of its frame unless the motion has a pivot.
    pub fn set_hold_motion(&mut self, hold: HoldId, motion: Motion) -> Result<(), ElastonError> {
        self.hold_spec(hold)?.motion = motion;
        Ok(())
    }

    /// Releases a hold at a time [s].
    pub fn release_hold_at(&mut self, hold: HoldId, time: f64) -> Result<(), ElastonError> {
        OutOfRange::not_negative("release time", time, "0 s or later")?;
        self.hold_spec(hold)?.until = time;
        Ok(())
    }

    /// Adds a collider.
    pub fn add_collider(&mut self, collider: Collider) -> Result<ColliderId, ElastonError> {
        check_pose(&collider.rest)?;
        OutOfRange::not_negative("friction", f64::from(collider.friction), "0 or above")?;
        self.colliders.push(collider);
        Ok(ColliderId(self.colliders.len() - 1))
    }

    /// Adds a horizontal floor at a height [m] with a coefficient of friction [-].
    pub fn add_floor(&mut self, height: f64, friction: f32) -> Result<ColliderId, ElastonError> {
        self.add_collider(Collider { name: "floor".to_owned(), ..Collider::ground(height).friction(friction) })
    }

    /// Adds a blade: a moving surface that cuts the material it passes through, from time `from` to time `until` [s].
    /// The surface is given in world coordinates at time 0. Rotations are about the center of the surface's bounding
    /// box unless the motion has a pivot.
    pub fn add_blade(
        &mut self,
        surface: TriangleMesh,
        motion: Motion,
        from: f64,
        until: f64,
    ) -> Result<(), ElastonError> {
        OutOfRange::not_negative("blade.from", from, "0 s or later")?;
        OutOfRange::unless(until > from, "blade.until", until, "later than `blade.from`, in s")?;
        let middle = surface.bounds().center();
        self.blades.push(Blade { surface, motion: motion.about(middle), from, until });
        Ok(())
    }

    /// Samples all objects and creates the simulation at time 0.
    pub fn build(mut self) -> Result<ElastonSim, ElastonError> {
        self.settings.check()?;
        if self.objects.is_empty() {
            return Err(ElastonError::NoObjects);
        }
        let origin = self.settings.origin.unwrap_or_else(|| self.default_origin());
        self.check_overlaps(origin)?;
        let (matter, starts) = self.sample(origin)?;
        let substances = (0..self.objects.len()).map(|object| self.substance(object, &matter)).collect();
        let holds = self.holds.iter().map(|hold| hold.build(starts[hold.object], &matter)).collect();
        let settings = &self.settings;
        let params = Params {
            gravity: settings.gravity,
            origin,
            dt: settings.dt,
            order: settings.order,
            support: settings.support,
            mass_damping: settings.mass_damping,
            stiffness_damping: settings.stiffness_damping,
            hold_stiffness: settings.hold_stiffness,
            objects: substances,
            holds,
            colliders: std::mem::take(&mut self.colliders),
            contact: settings.contact,
            blades: std::mem::take(&mut self.blades),
            resampling: settings.resampling,
        };
        let mut state = State::new(params.order, matter);
        for (index, FilledObject { object, cloud, .. }) in self.objects.iter().enumerate() {
            let motion = [object.velocity, object.angular_velocity, cloud.center() - origin];
            state.set_rigid_velocity(params.order, index as u32, motion);
        }
        let frames = self.holds.iter().map(|hold| hold.frame).collect();
        Ok(ElastonSim::start(params, state, frames)?)
    }

    fn object(&self, object: ObjectId) -> Result<&FilledObject, ElastonError> {
        let unknown = ElastonError::Unknown { what: "object", index: object.0, count: self.objects.len() };
        self.objects.get(object.0).ok_or(unknown)
    }

    fn hold_spec(&mut self, hold: HoldId) -> Result<&mut HoldSpec, ElastonError> {
        let unknown = ElastonError::Unknown { what: "hold", index: hold.0, count: self.holds.len() };
        self.holds.get_mut(hold.0).ok_or(unknown)
    }

    /// Returns the world origin if all objects are near it, and otherwise the center of the objects. Coordinates must be
    /// small, because collider queries are in single precision.
    fn default_origin(&self) -> DVec3 {
        let bounds = Bounds::around(self.objects.iter().flat_map(|object| object.cloud.points.iter().copied()));
        let spacing = self.objects.iter().map(|object| object.spacing).fold(f64::INFINITY, f64::min);
        let farthest = bounds.min.abs().max(bounds.max.abs()).max_element();
        if farthest <= NEAR_ORIGIN * spacing { DVec3::ZERO } else { bounds.center() }
    }

    /// Rejects material points that start inside a collider and do not belong to a hold.
    fn check_overlaps(&self, origin: DVec3) -> Result<(), ElastonError> {
        for (collider, body) in self.colliders.iter().enumerate() {
            let placed = body.place(0.0, origin);
            for (object, filled) in self.objects.iter().enumerate() {
                let is_held = |piece: usize| {
                    let own = self.holds.iter().filter(|hold| hold.object == object);
                    own.into_iter().any(|hold| hold.pieces.binary_search(&piece).is_ok())
                };
                for (piece, &position) in filled.cloud.points.iter().enumerate() {
                    if placed.signed_distance((position - origin).as_vec3()) < 0.0 && !is_held(piece) {
                        return Err(ElastonError::InsideCollider { object, piece, position, collider });
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the rest shape, and for each object the index of its first material point.
    fn sample(&self, origin: DVec3) -> Result<(Matter, Vec<usize>), ElastonError> {
        let (mut bodies, mut firsts, mut places): (Vec<Body>, Vec<usize>, Vec<[usize; 2]>) = Default::default();
        for (index, filled) in self.objects.iter().enumerate() {
            let number = filled.object.joined_to.map_or(bodies.len(), |other| places[other.0][0]);
            if number == bodies.len() {
                firsts.push(index);
                let (cloud, objects, grading) = (Cloud::default(), Vec::new(), Some(Vec::new()));
                bodies.push(Body { cloud, objects, samples: 0, elastons: 0, grading });
            }
            let body = &mut bodies[number];
            places.push([number, body.cloud.points.len()]);
            let mut cloud = filled.cloud.clone();
            cloud.points.iter_mut().for_each(|point| *point -= origin);
            body.cloud.append(cloud);
            let pieces = body.cloud.points.len();
            body.objects.resize(pieces, index as u32);
            body.samples += filled.samples;
            body.elastons += filled.elastons;
            // Objects with a smaller spacing than the first object of their body are also sampled more densely.
            let relative = filled.spacing / self.objects[firsts[number]].spacing;
            body.grading.iter_mut().for_each(|grading| grading.resize(pieces, relative));
        }
        let mut offsets = vec![0; bodies.len()];
        for body in 1..bodies.len() {
            offsets[body] = offsets[body - 1] + bodies[body - 1].cloud.points.len();
        }
        let starts: Vec<usize> = places.iter().map(|[body, first]| offsets[*body] + first).collect();
        let permanent = self.holds.iter().filter(|hold| hold.until == f64::INFINITY);
        let held: Vec<u32> =
            permanent.flat_map(|hold| hold.pieces.iter().map(|piece| (starts[hold.object] + piece) as u32)).collect();
        let mut matter = Matter::sample_held(&bodies, &held, self.settings.support)
            .map_err(|(body, source)| ElastonError::Sampling { object: firsts[body], source })?;
        for (filled, &start) in self.objects.iter().zip(&starts) {
            let own = &matter.cloud.points[start..start + filled.cloud.points.len()];
            if let Some(skin) = &filled.skin {
                let skin = Surface::new(skin, own, origin);
                matter.surface.append(skin, start as u32);
            }
        }
        Ok((matter, starts))
    }

    fn substance(&self, object: usize, matter: &Matter) -> Substance {
        let material = &self.objects[object].object.material;
        let [samples, elastons] = matter.counts(object as u32);
        Substance {
            elasticity: material.elasticity(),
            density: material.density,
            plasticity: material.plasticity,
            samples,
            elastons,
            section: self.objects[object].object.section(),
        }
    }
}

impl HoldSpec {
    /// Builds the hold of an object whose material points start at index `first`.
    fn build(&self, first: usize, matter: &Matter) -> Hold {
        let pieces: Vec<u32> = self.pieces.iter().map(|piece| (first + piece) as u32).collect();
        Hold {
            starts: pieces.iter().map(|&piece| matter.cloud.points[piece as usize]).collect(),
            pieces,
            motion: self.motion.clone().about(self.frame.translation),
            until: self.until,
        }
    }
}
