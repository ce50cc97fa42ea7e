//! Wall time spent in each named stage of a method's step.
//!
//! Every method declares its stages once, with [`stages!`](crate::stages): the same names appear in `run.json`, in error messages, in the
//! benchmarks and in the documentation.

use std::marker::PhantomData;
use std::time::{Duration, Instant};

/// The stages of a method's step. Declare an implementation with [`stages!`](crate::stages).
pub trait Stage: Copy + 'static {
    /// All stages, in the order of a step.
    const ALL: &'static [Self];

    /// Name of the stage, as in `run.json`.
    fn name(self) -> &'static str;

    /// Position of the stage in [`Stage::ALL`].
    fn index(self) -> usize;
}

/// Declares the stages of a step, in order, with their names.
///
/// ```
/// fibra_core::stages! {
///     /// Stages of an example.
///     pub enum ExampleStage {
///         /// Finds neighbors.
///         Search = "search",
///         /// Moves everything.
///         Advance = "advance",
///     }
/// }
/// use fibra_core::stage_clock::{Stage, StageClock};
///
/// let mut clock = StageClock::<ExampleStage>::default();
/// let answer = clock.time(ExampleStage::Advance, || 6 * 7);
/// assert_eq!(answer, 42);
/// assert_eq!(clock.seconds()[0], ("search", 0.0));
/// assert_eq!(ExampleStage::ALL.len(), 2);
/// ```
#[macro_export]
macro_rules! stages {
    ($(#[$meta:meta])* $visibility:vis enum $name:ident { $($(#[$stage_meta:meta])* $stage:ident = $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $name {
            $($(#[$stage_meta])* $stage,)+
        }

        impl $crate::stage_clock::Stage for $name {
            const ALL: &'static [Self] = &[$(Self::$stage,)+];

            fn name(self) -> &'static str {
                match self {
                    $(Self::$stage => $text,)+
                }
            }

            fn index(self) -> usize {
                self as usize
            }
        }
    };
}

/// Accumulates the wall time of each stage of type `S`.
#[derive(Clone, Debug)]
pub struct StageClock<S> {
    spent: Vec<Duration>,
    stages: PhantomData<S>,
}

impl<S: Stage> Default for StageClock<S> {
    fn default() -> Self {
        StageClock { spent: vec![Duration::ZERO; S::ALL.len()], stages: PhantomData }
    }
}

impl<S: Stage> StageClock<S> {
    /// Runs `work` and adds its time to `stage`.
    pub fn time<T>(&mut self, stage: S, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = work();
        self.add(stage, started.elapsed());
        result
    }

    /// Adds an externally measured time to `stage`.
    pub fn add(&mut self, stage: S, spent: Duration) {
        self.spent[stage.index()] += spent;
    }

    /// Returns the name and the accumulated wall time [s] of each stage, in the order of a step.
    pub fn seconds(&self) -> Vec<(&'static str, f64)> {
        S::ALL.iter().map(|stage| (stage.name(), self.spent[stage.index()].as_secs_f64())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    stages! {
        enum Two {
            First = "first",
            Second = "second",
        }
    }

    #[test]
    fn time_goes_to_the_named_stage() {
        let mut clock = StageClock::default();
        clock.add(Two::Second, Duration::from_millis(250));
        clock.add(Two::Second, Duration::from_millis(500));
        assert_eq!(clock.time(Two::First, || 7), 7);
        let seconds = clock.seconds();
        assert_eq!(seconds[1], ("second", 0.75));
        assert!(seconds[0].0 == "first" && seconds[0].1 < 0.5);
        assert_eq!((Two::First.index(), Two::Second.name()), (0, "second"));
    }
}
