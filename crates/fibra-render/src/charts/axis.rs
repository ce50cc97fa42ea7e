//! Axes of charts: ticks, labels, and the position of a value.

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    /// Smallest and largest value, or their base-10 logarithms.
    range: [f64; 2],
    logarithmic: bool,
    /// Values with a tick mark.
    pub(super) ticks: Vec<f64>,
}

/// Approximate number of intervals between ticks.
const INTERVALS: f64 = 5.0;
/// Values of a larger magnitude are ignored, and values below `1 / LARGEST` count as zero. Otherwise, the distance between ticks would overflow or
/// underflow.
const LARGEST: f64 = 1e300;
/// Maximum number of decades on a logarithmic axis. Values below the axis are assumed to be rounding errors.
const DECADES: f64 = 16.0;

impl Axis {
    /// Creates an axis that contains all values. Values that are not finite, or not positive on a logarithmic axis, are ignored.
    pub(super) fn enclosing(values: impl Iterator<Item = f64>, logarithmic: bool) -> Axis {
        let scaled = values.map(|value| if logarithmic { value.log10() } else { value });
        let (mut low, mut high) = scaled
            .filter(|value| value.abs() < LARGEST)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if logarithmic {
            (low, high) = (low.max(high - DECADES).floor(), high.ceil().max(low.floor() + 1.0));
            let step = ((high - low) / INTERVALS).ceil();
            let count = ((high - low) / step).floor() as i32;
            let ticks = (0..=count).map(|k| 10f64.powf(low + f64::from(k) * step)).collect();
            return Axis { range: [low, high], logarithmic, ticks };
        }
        // Values that differ only by rounding errors are drawn as a constant.
        let size = low.abs().max(high.abs());
        let is_zero = size < 1.0 / LARGEST;
        if high - low <= 1e-9 * size || is_zero {
            let margin = if is_zero { 1.0 } else { 0.1 * size };
            (low, high) = (low - margin, high + margin);
        }
        let step = round_step((high - low) / INTERVALS);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let ticks = (0..=(last - first) as i32).map(|k| (first + f64::from(k)) * step).collect();
        Axis { range: [first * step, last * step], logarithmic, ticks }
    }

    /// Creates a time axis, which starts at 0 and ends at the last time.
    pub(super) fn of_times(values: impl Iterator<Item = f64> + Clone) -> Axis {
        let last = values.clone().fold(0.0, f64::max);
        let axis = Axis::enclosing(values.chain([0.0]), false);
        if last <= 0.0 {
            return axis;
        }
        let ticks = axis.ticks.into_iter().filter(|tick| *tick <= last * (1.0 + 1e-9)).collect();
        Axis { range: [0.0, last], ticks, ..axis }
    }

    /// Returns the label of a tick, with enough digits to distinguish it from its neighbors.
    pub(super) fn label(&self, tick: f64) -> String {
        let step = match self.ticks[..] {
            [first, second, ..] if !self.logarithmic => second - first,
            _ => tick,
        };
        label(tick, step)
    }

    /// Returns the position of a value, from 0 at the start of the axis to 1 at its end.
    pub(super) fn position(&self, value: f64) -> Option<f64> {
        let scaled = if self.logarithmic { value.log10() } else { value };
        let position = (scaled - self.range[0]) / (self.range[1] - self.range[0]);
        position.is_finite().then(|| position.clamp(0.0, 1.0))
    }
}

/// Rounds up to 1, 2 or 5 times a power of ten.
fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9)).unwrap_or(10.0);
    factor * power
}

/// Formats a value with enough digits to distinguish values that differ by `step`; uses exponents for very large and small values.
pub(super) fn label(value: f64, step: f64) -> String {
    let power_of = |number: f64| number.abs().log10().floor().clamp(-308.0, 308.0) as i32;
    if value == 0.0 {
        return "0".to_owned();
    }
    if !(1e-3..1e5).contains(&value.abs()) {
        let digits = (power_of(value) - power_of(step)).clamp(2, 15) as usize;
        let text = format!("{value:.digits$e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{power}", short(digits));
    }
    let decimals = (1 - power_of(step)).clamp(0, 15) as usize;
    short(&format!("{value:.decimals$}")).to_owned()
}

/// Removes trailing zeros from a decimal number.
fn short(digits: &str) -> &str {
    match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_and_enclose_the_values() {
        let axis = Axis::enclosing([0.13, 4.71].into_iter(), false);
        assert_eq!(axis.ticks, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(axis.position(2.5), Some(0.5));
        assert_eq!(axis.position(f64::NAN), None);
        let flat = Axis::enclosing([3.0, 3.0].into_iter(), false);
        assert!((flat.position(3.0).unwrap() - 0.5).abs() < 0.3);
        assert!(Axis::enclosing(std::iter::empty(), false).position(0.5).is_some());
    }

    #[test]
    fn powers_of_ten_are_evenly_spaced() {
        let axis = Axis::enclosing([1e-8, 3e-5, 0.0].into_iter(), true);
        assert_eq!(axis.position(1e-8), Some(0.0));
        assert_eq!(axis.position(1e-6), Some(0.5));
        assert_eq!(axis.position(0.0), None);
        assert!(axis.ticks.iter().all(|tick| axis.position(*tick).is_some()));
    }

    #[test]
    fn labels_are_short() {
        let labels = [0.0, 0.5, -2.0, 1500.0, 1e-7, 2.5e6].map(|value| label(value, value));
        assert_eq!(labels, ["0", "0.5", "-2", "1500", "1e-7", "2.5e6"]);
    }

    #[test]
    fn tick_labels_differ() {
        for [low, high] in [
            [0.0, 1.0],
            [1.000e-5, 1.004e-5],
            [123_400.0, 123_440.0],
            [0.00123, 0.001_230_1],
            [-7e-9, 3e12],
            [99.2, 99.9],
        ] {
            let axis = Axis::enclosing([low, high].into_iter(), false);
            let mut labels: Vec<String> = axis.ticks.iter().map(|tick| axis.label(*tick)).collect();
            labels.dedup();
            assert_eq!(labels.len(), axis.ticks.len(), "{labels:?}");
            assert!(labels.iter().all(|label| label.len() < 12), "{labels:?}");
        }
    }

    #[test]
    fn tiny_and_huge_values_have_few_ticks() {
        for values in [[-3e-323, 3e-323], [-1.7e308, 1.7e308], [f64::NAN, f64::INFINITY], [1e-310, 1e-309]] {
            for logarithmic in [false, true] {
                let axis = Axis::enclosing(values.into_iter(), logarithmic);
                assert!((1..20).contains(&axis.ticks.len()), "{values:?}: {}", axis.ticks.len());
            }
        }
    }
}
