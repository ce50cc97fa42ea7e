//! Errors of a simulation.

use crate::builder::BadElement;
#[cfg(feature = "gpu")]
use crate::gpu::sim::DeviceRunError;
use crate::materials::BadParameter;
use crate::step::StepError;
use fibra_core::geometry::sampling::SamplingError;

/// Error: a simulation cannot be built, changed or advanced.
#[derive(Clone, Debug, thiserror::Error)]
pub enum MpmError {
    /// A setting is out of range.
    #[error("`{field}` is {value}; it must be {allowed}")]
    Setting {
        /// Name of the field.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed, with its unit.
        allowed: &'static str,
    },
    /// A property of an object is out of range.
    #[error("`{field}` of object `{object}` is {value}; it must be {allowed}")]
    Object {
        /// Name of the object.
        object: String,
        /// Name of the property.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed, with its unit.
        allowed: &'static str,
    },
    /// A property of a collider is out of range.
    #[error("`{field}` of collider `{collider}` is {value}; it must be {allowed}")]
    Collider {
        /// Name of the collider.
        collider: String,
        /// Name of the property.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed, with its unit.
        allowed: &'static str,
    },
    /// An object has no points, or no elements.
    #[error("object `{object}` has no {what}; it needs at least one")]
    Empty {
        /// Name of the object.
        object: String,
        /// The missing items: points, triangles or segments.
        what: &'static str,
    },
    /// A vertex has no element and therefore no mass.
    #[error("vertex {vertex} of object `{object}` belongs to no element and has no mass; remove it")]
    LooseVertex {
        /// Name of the object.
        object: String,
        /// The vertex.
        vertex: usize,
    },
    /// A shape cannot be filled with particles.
    #[error("object `{object}` cannot be filled with particles: {source}")]
    Sampling {
        /// Name of the object.
        object: String,
        /// The reason.
        source: SamplingError,
    },
    /// A mesh has an element that cannot be simulated.
    #[error("object `{object}` cannot be simulated: {source}")]
    Element {
        /// Name of the object.
        object: String,
        /// The error of the element.
        source: BadElement,
    },
    /// A parameter of an object's material is out of range.
    #[error("material `{material}` of object `{object}`: {source}")]
    Material {
        /// Name of the object.
        object: String,
        /// Name of the material.
        material: &'static str,
        /// The parameter, with its value and what is allowed.
        source: Box<BadParameter>,
    },
    /// The material cannot be used for this kind of object.
    #[error("object `{object}` needs {needs}")]
    WrongMaterial {
        /// Name of the object.
        object: String,
        /// Which materials are allowed.
        needs: &'static str,
    },
    /// There are too many particles for 32-bit ids.
    #[error("there are {count} particles; at most {} are possible", u32::MAX)]
    TooManyParticles {
        /// Number of particles.
        count: usize,
    },
    /// A point is so far from the origin that 32-bit coordinates cannot resolve its position within a cell.
    #[error(
        "object `{object}` extends to {cells:.1e} cells from `origin`; at most {allowed:.1e} cells are allowed: set `origin` near the objects, or increase `dx`"
    )]
    TooFar {
        /// Name of the object.
        object: String,
        /// Distance from the origin along an axis [cells].
        cells: f64,
        /// Largest allowed distance [cells].
        allowed: f64,
    },
    /// A pin is invalid.
    #[error("pin {pin} {problem}")]
    Pin {
        /// Index of the pin, in the order in which pins were added.
        pin: usize,
        /// The problem.
        problem: PinProblem,
    },
    /// A pose is not finite, or its quaternion is not a unit quaternion.
    #[error(
        "a pose has the translation {translation:?} m and a quaternion of length {length}; it must be finite, with length 1"
    )]
    Pose {
        /// Translation [m].
        translation: [f64; 3],
        /// Length of the quaternion [-].
        length: f64,
    },
    /// An id does not belong to this simulation.
    #[error("there is no {what} {index} in this simulation; it has {count}")]
    UnknownId {
        /// Object, collider or pin.
        what: &'static str,
        /// Index in the id.
        index: usize,
        /// Number of such items.
        count: usize,
    },
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A GPU cannot run this simulation, or has failed.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(DeviceRunError),
}

#[cfg(feature = "gpu")]
impl From<DeviceRunError> for MpmError {
    fn from(error: DeviceRunError) -> Self {
        match error {
            DeviceRunError::Step(error) => MpmError::Step(error),
            other => MpmError::Device(other),
        }
    }
}

/// Problem of a pin.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PinProblem {
    /// The pin has no vertices.
    #[error("has no vertices; it needs at least one")]
    Empty,
    /// The pinned object has no mesh.
    #[error("refers to an object without a mesh; only vertices of surfaces and curves can be pinned")]
    NoMesh,
    /// A vertex index is out of range.
    #[error("refers to vertex {vertex}, but its object has {count} vertices")]
    NoVertex {
        /// The vertex.
        vertex: usize,
        /// Number of vertices of the object.
        count: usize,
    },
    /// A vertex is pinned already.
    #[error("refers to vertex {vertex}, which is pinned already")]
    Twice {
        /// The vertex.
        vertex: usize,
    },
    /// The release time is not after 0 s.
    #[error("has the release time {release} s; it must be after 0 s")]
    Release {
        /// Release time [s].
        release: f64,
    },
}
