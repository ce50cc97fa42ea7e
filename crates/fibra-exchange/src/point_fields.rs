//! Scalar fields of points in a file.

/// A scalar that each point of a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointField {
    /// The name in the file.
    pub name: &'static str,
    /// Whether it must be above 0. It must always be finite.
    pub positive: bool,
}
