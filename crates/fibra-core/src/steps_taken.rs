//! Number and lengths of the time steps of one call.

/// Number and lengths of the time steps that one call took: one on the CPU, several on a GPU.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepsTaken {
    /// Number of steps [-].
    pub count: u64,
    /// Length of the shortest step [s].
    pub shortest: f64,
    /// Length of the longest step [s].
    pub longest: f64,
}

impl StepsTaken {
    /// No steps.
    pub const NONE: StepsTaken = StepsTaken { count: 0, shortest: f64::INFINITY, longest: 0.0 };

    /// A single step of `dt` [s].
    pub fn single(dt: f64) -> StepsTaken {
        StepsTaken { count: 1, shortest: dt, longest: dt }
    }

    /// Adds later steps.
    pub fn add(&mut self, later: StepsTaken) {
        self.count += later.count;
        (self.shortest, self.longest) = (self.shortest.min(later.shortest), self.longest.max(later.longest));
    }
}
