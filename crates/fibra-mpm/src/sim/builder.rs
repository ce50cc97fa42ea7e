//! [`MpmBuilder`]: builds a simulation from objects, colliders and pins.

use super::error::{MpmError, PinProblem};
use super::object::{Content, MpmObject, MpmPin, check_pose};
use super::settings::MpmSettings;
use super::{ColliderId, MpmSim, ObjectId, PinId};
use crate::builder::{Builder, Fabric, StartMotion};
use crate::params::{Integrator, Object, Params, Substance, Transfer};
use fibra_core::geometry::{Collider, sampling};
use fibra_core::random::CounterRng;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Largest distance from the origin [cells]. At this distance, a 32-bit coordinate still resolves a hundredth of a cell.
const FARTHEST: f64 = 131_072.0;

/// Collects objects, colliders and pins; [`MpmBuilder::build`] checks them and creates the particles.
///
/// Ids are numbered in the order of addition. Ids of one builder are invalid in a simulation from another builder.
#[derive(Clone, Debug)]
pub struct MpmBuilder {
    settings: MpmSettings,
    objects: Vec<MpmObject>,
    colliders: Vec<Collider>,
    pins: Vec<MpmPin>,
}

impl MpmBuilder {
    pub(super) fn new(settings: MpmSettings) -> MpmBuilder {
        MpmBuilder { settings, objects: Vec::new(), colliders: Vec::new(), pins: Vec::new() }
    }

    /// Adds an object. Its points or vertices come after those of earlier objects.
    pub fn add_object(&mut self, object: MpmObject) -> ObjectId {
        self.objects.push(object);
        ObjectId(self.objects.len() - 1)
    }

    /// Adds a collider. Coupling is one-way: objects do not push it.
    pub fn add_collider(&mut self, collider: Collider) -> ColliderId {
        self.colliders.push(collider);
        ColliderId(self.colliders.len() - 1)
    }

    /// Pins vertices of a surface or of curves.
    pub fn add_pin(&mut self, pin: MpmPin) -> PinId {
        self.pins.push(pin);
        PinId(self.pins.len() - 1)
    }

    /// Builds the simulation at time 0.
    pub fn build(self) -> Result<MpmSim, MpmError> {
        self.settings.check()?;
        self.colliders.iter().try_for_each(check_collider)?;
        let mut particles = Builder::new(self.settings.origin);
        let mut ranges = Vec::with_capacity(self.objects.len());
        let mut count = 0;
        for (index, object) in self.objects.iter().enumerate() {
            object.check()?;
            let (range, elements) = self.add_particles(index, object, &mut particles)?;
            count += range.len() + elements;
            if u32::try_from(count).is_err() {
                return Err(MpmError::TooManyParticles { count });
            }
            ranges.push(range);
        }
        self.add_pins(&ranges, &mut particles)?;
        let (state, meshes) = particles.finish();
        let (objects, substances) = self.substances()?;
        let MpmSettings { dx, kernel, transfer, gravity, integrator, limits, origin, .. } = self.settings;
        let params = Params {
            dx: dx as f32,
            kernel,
            transfer,
            gravity: gravity.as_vec3().to_array(),
            integrator,
            limits,
            objects,
            substances,
            meshes,
            grains: Vec::new(),
            colliders: self.colliders,
            origin,
        };
        Ok(MpmSim::from_parts(params, state))
    }

    /// Adds the particles of one object; returns the ids of its points or vertices, and its number of elements.
    fn add_particles(
        &self,
        index: usize,
        object: &MpmObject,
        to: &mut Builder,
    ) -> Result<(Range<u32>, usize), MpmError> {
        let name = || object.name.clone();
        let require = |count: usize, what| match count {
            0 => Err(MpmError::Empty { object: name(), what }),
            _ => Ok(()),
        };
        let (number, density) = (index as u32, object.material.density());
        let properties = object.material.mesh();
        let fabric = Fabric { density, section: properties.section, follows_mesh: properties.follows_mesh };
        let bad_element = |source| MpmError::Element { object: name(), source };
        match &object.content {
            Content::Solid { shape, pose } => {
                // The seed depends on the index, as in scenes: objects of the same shape get different particles.
                let seed = CounterRng::new(self.settings.seed).bits(&[index as u64]);
                let spacing = self.settings.particle_spacing();
                let samples = sampling::fill(shape, spacing, pose, seed, self.settings.pattern)
                    .map_err(|source| MpmError::Sampling { object: name(), source })?;
                self.check_reach(object, &samples.points)?;
                let motion = self.motion(object, pose.apply(shape.center()));
                let range = to.add_points(number, &samples.points, samples.particle_volume(), density, &motion);
                orient(object, range.clone(), to);
                Ok((range, 0))
            }
            Content::Points { points, volume } => {
                require(points.len(), "points")?;
                self.check_reach(object, points)?;
                let range = to.add_points(number, points, *volume, density, &self.motion(object, mean(points)));
                orient(object, range.clone(), to);
                Ok((range, 0))
            }
            Content::Surface(mesh) => {
                let (vertices, triangles) = (mesh.vertices(), mesh.triangles());
                require(triangles.len(), "triangles")?;
                self.check_mesh(object, vertices, triangles.as_flattened())?;
                let motion = self.motion(object, mean(vertices));
                let range = to.add_surface(number, vertices, triangles, &fabric, &motion).map_err(bad_element)?;
                to.bend_surface(range.start, vertices, triangles, &properties, density);
                Ok((range, triangles.len()))
            }
            Content::Curves(mesh) => {
                let (vertices, segments) = (mesh.points(), mesh.segments());
                require(segments.len(), "segments")?;
                self.check_mesh(object, vertices, segments.as_flattened())?;
                let motion = self.motion(object, mean(vertices));
                let range = to.add_curves(number, vertices, segments, &fabric, &motion).map_err(bad_element)?;
                to.bend_curves(range.start, vertices, segments, &properties, density);
                Ok((range, segments.len()))
            }
        }
    }

    fn motion(&self, object: &MpmObject, center: DVec3) -> StartMotion {
        let affine = matches!(self.settings.transfer, Transfer::Apic { .. });
        StartMotion { velocity: object.velocity, spin: object.spin, center, affine }
    }

    /// Rejects vertices without mass, and vertices too far from the origin.
    fn check_mesh(&self, object: &MpmObject, vertices: &[DVec3], corners: &[u32]) -> Result<(), MpmError> {
        let mut used = vec![false; vertices.len()];
        corners.iter().filter_map(|&corner| used.get_mut(corner as usize).map(|used| *used = true)).count();
        if let Some(vertex) = used.iter().position(|used| !used) {
            return Err(MpmError::LooseVertex { object: object.name.clone(), vertex });
        }
        self.check_reach(object, vertices)
    }

    fn check_reach(&self, object: &MpmObject, points: &[DVec3]) -> Result<(), MpmError> {
        let reach = |point: &DVec3| (*point - self.settings.origin).abs().max_element() / self.settings.dx;
        let cells = points.iter().map(reach).fold(0.0, f64::max);
        if cells <= FARTHEST {
            return Ok(());
        }
        Err(MpmError::TooFar { object: object.name.clone(), cells, allowed: FARTHEST })
    }

    fn add_pins(&self, ranges: &[Range<u32>], to: &mut Builder) -> Result<(), MpmError> {
        let mut pinned: Vec<Vec<bool>> = vec![Vec::new(); ranges.len()];
        for (index, pin) in self.pins.iter().enumerate() {
            let bad = |problem| MpmError::Pin { pin: index, problem };
            let ObjectId(object) = pin.object;
            let range = ranges.get(object).ok_or(unknown("object", object, ranges.len()))?;
            let positions = match &self.objects[object].content {
                Content::Surface(mesh) => mesh.vertices(),
                Content::Curves(mesh) => mesh.points(),
                Content::Solid { .. } | Content::Points { .. } => return Err(bad(PinProblem::NoMesh)),
            };
            if pin.vertices.is_empty() {
                return Err(bad(PinProblem::Empty));
            }
            if pin.release.is_nan() || pin.release <= 0.0 {
                return Err(bad(PinProblem::Release { release: pin.release }));
            }
            pinned[object].resize(positions.len(), false);
            for &vertex in &pin.vertices {
                match pinned[object].get_mut(vertex) {
                    None => return Err(bad(PinProblem::NoVertex { vertex, count: positions.len() })),
                    Some(true) => return Err(bad(PinProblem::Twice { vertex })),
                    Some(free) => *free = true,
                }
            }
            let held: Vec<DVec3> = pin.vertices.iter().map(|&vertex| positions[vertex]).collect();
            let numbers: Vec<u32> = pin.vertices.iter().map(|&vertex| range.start + vertex as u32).collect();
            let pivot = pin.motion.pivot(pin.pivot.unwrap_or_else(|| mean(&held)));
            to.add_pin(&numbers, pin.motion.clone(), pivot, pin.release);
        }
        Ok(())
    }

    /// Returns the objects and their materials. Equal materials are merged, so that their particles are processed together.
    fn substances(&self) -> Result<(Vec<Object>, Vec<Substance>), MpmError> {
        let mut substances: Vec<Substance> = Vec::new();
        let mut share = |object: &MpmObject| {
            let (material, density) = (object.material.law().clone(), object.material.density() as f32);
            let substance = Substance { material, density };
            let known = substances.iter().position(|known| *known == substance);
            known.unwrap_or_else(|| {
                substances.push(substance);
                substances.len() - 1
            })
        };
        let is_implicit = matches!(self.settings.integrator, Integrator::Implicit(_));
        let object = |object: &MpmObject| match is_implicit && !object.material.law().has_derivatives() {
            true => Err(MpmError::WrongMaterial {
                object: object.name.clone(),
                needs: "a law with energy derivatives for implicit steps, or explicit steps",
            }),
            false => Ok(Object { name: object.name.clone(), material: share(object) as u32 }),
        };
        let objects = self.objects.iter().map(object).collect::<Result<_, _>>()?;
        Ok((objects, substances))
    }
}

/// Returns the error for an id of another simulation.
pub(super) fn unknown(what: &'static str, index: usize, count: usize) -> MpmError {
    MpmError::UnknownId { what, index, count }
}

fn check_collider(collider: &Collider) -> Result<(), MpmError> {
    check_pose(&collider.rest)?;
    if collider.friction >= 0.0 && collider.friction.is_finite() {
        return Ok(());
    }
    Err(MpmError::Collider {
        collider: collider.name.clone(),
        field: "friction",
        value: collider.friction.into(),
        allowed: "not negative and finite [-]",
    })
}

fn orient(object: &MpmObject, range: Range<u32>, to: &mut Builder) {
    if let Some(axes) = object.axes {
        let axes = DMat3::from_quat(axes);
        to.orient(range, |_| axes);
    }
}

fn mean(points: &[DVec3]) -> DVec3 {
    points.iter().sum::<DVec3>() / points.len() as f64
}
