//! Where the arrays that describe colliders have what.
//!
//! Two arrays of `f32` tell kernels all about colliders, since devices bind few arrays at once. `shapes` is made once; `placed` is
//! new in every step. Whole numbers are in them as what they count, exact up to 2^24: the bits of small whole numbers are those of
//! denormal `f32`, which devices may take for zero.

/// Numbers per collider at the start of `shapes`.
pub(super) const HEADER: usize = 16;
/// Its [`Kind`](super::shapes::Kind).
pub(super) const KIND: usize = 0;
/// One of the contacts below.
pub(super) const CONTACT: usize = 1;
/// Coulomb's coefficient [-].
pub(super) const FRICTION: usize = 2;
/// What its shape is given by.
pub(super) const SIZES: usize = 3;

/// Parts of both arrays after what each collider has start at multiples of this, so that where they start can be told exactly in more arrays.
pub(super) const PART: usize = 16;
/// Largest whole number that is sure to be exact.
pub(super) const LARGEST: usize = 1 << 24;

/// Of a surface that deforms, from its sizes on: depth of the layer behind it if it is open [m].
pub(super) const THICKNESS: usize = 0;
/// Whether it has no border.
pub(super) const CLOSED: usize = 1;
/// How many triangles it has.
pub(super) const TRIANGLES: usize = 2;
/// How many nodes its tree has.
pub(super) const NODES: usize = 3;
/// How many vertices it has.
pub(super) const VERTICES: usize = 4;
/// In which part of `shapes` its topology starts: [`NODE`] numbers for each node, the corners of each triangle, the triangles beyond the
/// edges opposite these (-1 beyond a border), for each vertex [`FAN`] numbers, and the triangles around vertices.
pub(super) const TOPOLOGY: usize = 5;
/// In which part of `placed` its shape starts: [`CORNERS`] numbers for each triangle, and the lower and upper corner of each node's box [m].
pub(super) const MOVED: usize = 6;

/// Of a node: first triangle, one past the last, and the node that follows all below it.
pub(super) const NODE: usize = 3;
/// Of a vertex: where the triangles around it start and end in their list, and whether a border runs through it.
pub(super) const FAN: usize = 3;
/// Of a triangle: places of its corners [m], then their velocities [m/s].
pub(super) const CORNERS: usize = 18;

/// Contact: the material moves with the body.
pub(super) const STICKY: u32 = 0;
/// Contact: the material slides along the body and cannot leave it.
pub(super) const SLIP: u32 = 1;
/// Contact: the material slides along the body and may leave it.
pub(super) const SEPARATING: u32 = 2;

/// Numbers per collider at the start of `placed`.
pub(super) const PLACED: usize = 24;
/// From the shape's axes to the world's, column by column.
pub(super) const ROTATION: usize = 0;
/// Where the shape's center is [m].
pub(super) const CENTER: usize = 9;
/// Where the pivot of its motion is [m].
pub(super) const PIVOT: usize = 12;
/// Velocity of the pivot [m/s].
pub(super) const LINEAR: usize = 15;
/// Angular velocity [rad/s].
pub(super) const ANGULAR: usize = 18;
