//! PLY, the polygon file format: a text header that declares elements and their properties, then their values as text
//! or binary.

mod header;
mod read;
mod write;

pub(super) use read::{parse, parse_fields};
pub use write::write_points_ply;
