//! Scene files: what one may say, how it is read, and what is wrong with it.
//!
//! | module | holds |
//! |---|---|
//! | [`model`] | the scene as structs: [`Scene`], [`Time`], [`Domain`], [`Object`], [`Camera`] |
//! | [`mpm`], [`shape`], [`material`], [`collider`], [`expect`] | its parts |

pub mod collider;
pub mod expect;
pub mod material;
pub mod model;
pub mod mpm;
pub mod shape;

pub use collider::{Collider, Keyframes, Motion, Recorded, Spin};
pub use expect::{Expect, Quantity};
pub use material::{Elastic, Fluid, Goo, Material, Sand, Snow};
pub use model::{Camera, Contact, Domain, Method, Object, Scene, Time, Vec3};
pub use mpm::{Kernel, Mpm, Pattern, Transfer};
pub use shape::{Capsule, Cuboid, Cylinder, Mesh, Plane, Shape, Sphere};
