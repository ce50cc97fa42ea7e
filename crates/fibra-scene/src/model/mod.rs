//! The scene data model: structs with their keys, defaults and units.
//!
//! | module | contents |
//! |---|---|
//! | [`scene`] | the top level: [`Scene`], [`Time`], [`Domain`], [`Object`], [`Camera`] |
//! | [`mpm`], [`rods`], [`hair`], [`elastons`] | settings of the methods |
//! | [`material`], [`collider`], [`pin`], [`blade`], [`expect`], [`grains`] | parts of objects and of the scene |
//! | [`anisotropy`], [`axes`], [`alignment`] | anisotropic materials, their axes, and the alignment of their grains |
//! | [`object_shape`], [`shape`], [`surface`], [`curve`], [`knit`], [`strand_shape`], [`hair_shape`], [`cloud_shape`], [`deforming`], [`figure`] | shapes |
//! | [`extent`], [`memory`] | volumes and bounding boxes of shapes; memory estimates |

pub mod alignment;
pub mod anisotropy;
pub mod axes;
pub mod blade;
pub mod cloud_shape;
pub mod collider;
pub mod curve;
pub mod deforming;
pub mod elastons;
pub mod expect;
pub mod extent;
pub mod figure;
pub mod grains;
pub mod hair;
pub mod hair_shape;
pub mod knit;
pub mod material;
pub mod memory;
pub mod mpm;
pub mod object_shape;
pub mod pin;
pub mod rod_section;
pub mod rod_statics;
pub mod rods;
pub mod scene;
pub mod shape;
pub mod strand_shape;
pub mod surface;

pub use alignment::Alignment;
pub use anisotropy::{Anisotropy, AxisParameters, FlowRule, Orientation};
pub use axes::{Axes, Extent};
pub use blade::Blade;
pub use cloud_shape::{CloudFile, CloudShape};
pub use collider::{Collider, Dance, Keyframes, Motion, RandomPoses, Recorded, Spin};
pub use deforming::{DeformingMesh, Shawl};
pub use elastons::{
    ElastonContact, ElastonGrading, ElastonMaterial, ElastonOrder, ElastonPlasticity, ElastonResampling,
    ElastonSampling, Elastons, RectangularSection,
};
pub use expect::{Expect, Quantity};
pub use figure::{Figure, FigurePart};
pub use grains::{GrainShape, Grains};
pub use hair::{Bangs, Hair, HairBetween, HairMaterial};
pub use material::Material;
pub use mpm::{Integrator, Kernel, Mpm, Pattern, Transfer};
pub use object_shape::{Form, ObjectShape};
pub use pin::{Hold, Pin, Pull};
pub use rod_section::{RodSection, SectionSize, SectionStiffness};
pub use rod_statics::{Continuation, RodAnalysis, RodOutput};
pub use rods::{ContactSolver, NaturalShape, Rigid, Rod, RodModel, Rods};
pub use scene::{Camera, Contact, Domain, Method, Object, Scene, Settings, Time, Vec3};
pub use shape::{Capsule, Cuboid, Cylinder, Mesh, Plane, Shape, ShapeSource, Sphere};
