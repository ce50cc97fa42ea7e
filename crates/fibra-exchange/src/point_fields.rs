//! Numbers that the points of a file may have.

/// A number that each point of a file may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointField {
    /// The name in the file.
    pub name: &'static str,
    /// Whether it must be above 0; it must be finite anyway.
    pub positive: bool,
}
