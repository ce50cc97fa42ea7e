//! Layout of the arrays that describe colliders.
//!
//! Two arrays of `f32` describe all colliders, because devices bind few arrays at once. `shapes` is constant; `placed` is
//! rewritten in every step. Integers are stored as `f32` values, which are exact up to 2^24. They are not stored as bits: the
//! bits of small integers are denormal `f32`, which devices may flush to zero.

/// Number of values per collider at the start of `shapes`. The next four constants are offsets among these values.
pub(super) const HEADER: usize = 16;
/// The collider's [`Kind`](super::shapes::Kind).
pub(super) const KIND: usize = 0;
/// The collider's contact condition: one of the constants below.
pub(super) const CONTACT: usize = 1;
/// The coefficient of friction [-].
pub(super) const FRICTION: usize = 2;
/// The parameters of the collider's shape.
pub(super) const SIZES: usize = 3;

/// Alignment of the parts of both arrays after the headers. Offsets are counted in parts, so that they stay exact in larger arrays.
pub(super) const PART: usize = 16;
/// Largest integer that is guaranteed to be exact.
pub(super) const LARGEST: usize = 1 << 24;

/// Depth of the layer behind an open deforming surface [m]. This constant and the next six are offsets among the parameters of a deforming
/// surface.
pub(super) const THICKNESS: usize = 0;
/// Whether the surface has no border.
pub(super) const CLOSED: usize = 1;
/// Number of triangles.
pub(super) const TRIANGLES: usize = 2;
/// Number of tree nodes.
pub(super) const NODES: usize = 3;
/// Number of vertices.
pub(super) const VERTICES: usize = 4;
/// Index of the part of `shapes` where the topology starts. The topology holds, in this order: [`NODE`] numbers for each node, the corners
/// of each triangle, the triangles across the opposite edges (-1 at a border), [`FAN`] numbers for each vertex, and the triangles around
/// vertices.
pub(super) const TOPOLOGY: usize = 5;
/// Index of the part of `placed` where the moving shape starts. The shape holds [`CORNERS`] numbers for each triangle, then the lower and
/// upper corner of each node's box [m].
pub(super) const MOVED: usize = 6;

/// Number of values per tree node: first triangle, one past the last, and the next node after its subtree.
pub(super) const NODE: usize = 3;
/// Number of values per vertex: start and end of its triangles in the list of triangles around vertices, and whether it is on a border.
pub(super) const FAN: usize = 3;
/// Number of values per triangle: positions of its corners [m], then their velocities [m/s].
pub(super) const CORNERS: usize = 18;

/// Contact: the material moves with the body.
pub(super) const STICKY: u32 = 0;
/// Contact: the material slides along the body and cannot leave it.
pub(super) const SLIP: u32 = 1;
/// Contact: the material slides along the body and may leave it.
pub(super) const SEPARATING: u32 = 2;

/// Number of values per collider at the start of `placed`. The next five constants are offsets among these values.
pub(super) const PLACED: usize = 24;
/// Rotation from the shape's axes to the world's, column by column.
pub(super) const ROTATION: usize = 0;
/// Position of the shape's center [m].
pub(super) const CENTER: usize = 9;
/// Position of the pivot of the motion [m].
pub(super) const PIVOT: usize = 12;
/// Velocity of the pivot [m/s].
pub(super) const LINEAR: usize = 15;
/// Angular velocity [rad/s].
pub(super) const ANGULAR: usize = 18;
