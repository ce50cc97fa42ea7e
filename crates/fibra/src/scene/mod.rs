//! Scene files: what one may say, how it is read, and what is wrong with it.
//!
//! [`Scene::load`] is the way in: it finds the text (a [`builtin`] scene, a file), parses it into a tree that remembers
//! where each value was written, lays the preset and the `--set` options over it, decodes the tree into the [`model`] and
//! checks what types cannot say. Whatever is wrong comes back as a [`SceneError`], which points at the characters that
//! were typed.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | the scene as structs: [`Scene`], [`Time`], [`Domain`], [`Object`], [`Camera`] |
//! | [`mpm`], [`rods`], [`hair`], [`elastons`], [`material`], [`collider`], [`pin`], [`blade`], [`expect`] | its parts |
//! | [`anisotropy`], [`axes`], [`alignment`] | what differs with direction in a material, its axes, and how its grains lie |
//! | [`object_shape`], [`shape`], [`surface`], [`curve`], [`knit`], [`strand_shape`], [`hair_shape`], [`cloud_shape`] | shapes: all that objects may have; solids; surfaces; curves; knitted ones; those for rods; those for hair; clouds for elastons |
//! | [`grains`] | grains by which solids are drawn |
//! | [`builtin`] | the scenes and meshes inside the program |
//! | [`extent`], [`memory`] | how large shapes are, and whether they fit into memory |

pub mod alignment;
pub mod anisotropy;
pub mod axes;
pub mod blade;
pub mod builtin;
mod check;
pub mod cloud_shape;
pub mod collider;
pub mod curve;
mod decode;
pub mod deforming;
pub mod elastons;
mod error;
pub mod expect;
pub mod extent;
pub mod figure;
pub mod grains;
pub mod hair;
pub mod hair_shape;
pub mod knit;
mod load;
pub mod material;
pub mod memory;
mod merge;
pub mod model;
pub mod mpm;
pub mod object_shape;
pub mod pin;
pub mod rods;
mod schema;
pub mod shape;
pub mod strand_shape;
mod suggest;
pub mod surface;
mod tree;

pub use alignment::Alignment;
pub use anisotropy::{Anisotropy, AxisParameters, Orientation};
pub use axes::{Axes, Extent};
pub use blade::Blade;
pub use cloud_shape::{CloudFile, CloudShape};
pub use collider::{Collider, Dance, Keyframes, Motion, RandomPoses, Recorded, Spin};
pub use deforming::{DeformingMesh, Shawl};
pub use elastons::{
    ElastonContact, ElastonGrading, ElastonMaterial, ElastonOrder, ElastonPlasticity, ElastonResampling,
    ElastonSampling, Elastons, RectangularSection,
};
pub use error::{Problem, SceneError};
pub use expect::{Expect, Quantity};
pub use figure::{Figure, FigurePart};
pub use grains::{GrainShape, Grains};
pub use hair::{Bangs, Hair, HairBetween, HairMaterial};
pub use load::LoadedScene;
pub use material::Material;
pub use model::{Camera, Contact, Domain, Method, Object, Scene, Settings, Time, Vec3};
pub use mpm::{Integrator, Kernel, Mpm, Pattern, Transfer};
pub use object_shape::{Form, ObjectShape};
pub use pin::{Hold, Pin, Pull};
pub use rods::{ContactSolver, NaturalShape, Rigid, Rod, RodModel, Rods};
pub use schema::schema;
pub use shape::{Capsule, Cuboid, Cylinder, Mesh, Plane, Shape, Sphere};
