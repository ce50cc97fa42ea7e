//! Validation cases and benchmarks, which are selected by name.

/// A validation case or a benchmark.
pub struct Case<R> {
    /// Name on the command line.
    pub name: &'static str,
    /// Description of what is compared or timed, in one line.
    pub about: &'static str,
    /// Function that runs the case and returns its result, or an error message.
    pub run: R,
}
