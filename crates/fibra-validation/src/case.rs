//! Work that is started by name.

/// A validation case or a benchmark.
pub struct Case<R> {
    /// Name on the command line.
    pub name: &'static str,
    /// What is compared or timed, in one line.
    pub about: &'static str,
    /// Does the work; an error says why there is no result.
    pub run: R,
}
