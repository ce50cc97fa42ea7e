//! Evaluation of the attributes of prims at a time.

use super::clips::Clips;
use super::layer::Layer;
use super::stage::{Prim, Source, Stage};
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use crate::rotation::slerp;
use glam::DQuat;

/// Interpolation between two samples.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Between {
    /// The earlier sample is held.
    Held,
    /// Linear interpolation.
    Linear,
    /// Interpolation of quaternions along the shortest arc.
    Slerp,
}

impl Stage {
    /// Returns the value of an attribute at a time [time codes], if it has one.
    pub fn value(&self, prim: &Prim, name: &str, t: f64, between: Between) -> Result<Option<Value>, ImportError> {
        for source in &prim.sources {
            match source {
                Source::Site { stack, path, time } => {
                    let path = format!("{path}.{name}");
                    for (layer, own_time) in self.layers(*stack) {
                        let t = time.after(own_time).inverse(t);
                        let found = match sampled(layer, &path, t, between)? {
                            None => layer.field(&path, "default")?,
                            found => found,
                        };
                        match found {
                            None => {}
                            Some(Value::Blocked) => return Ok(None),
                            found => return Ok(found),
                        }
                    }
                }
                Source::Clips { clips, path, time } => {
                    if let Some(value) = clipped(clips, &format!("{path}.{name}"), time.inverse(t), between)? {
                        return Ok(Some(value).filter(|value| *value != Value::Blocked));
                    }
                }
            }
        }
        Ok(None)
    }

    /// Returns the times of an attribute's samples [time codes]; empty for a constant attribute.
    pub fn times(&self, prim: &Prim, name: &str) -> Result<Vec<f64>, ImportError> {
        for source in &prim.sources {
            match source {
                Source::Site { stack, path, time } => {
                    let path = format!("{path}.{name}");
                    for (layer, own_time) in self.layers(*stack) {
                        let time = time.after(own_time);
                        if let Some(samples) = layer.samples(&path)? {
                            return Ok(samples.times().map(|t| time.apply(t)).collect());
                        }
                        if layer.has_field(&path, "default") {
                            return Ok(Vec::new());
                        }
                    }
                }
                Source::Clips { clips, path, time } => {
                    let (layer, _) = clips.at(clips.first_time())?;
                    if layer.samples(&format!("{path}.{name}"))?.is_some() {
                        return Ok(clips.times().into_iter().map(|t| time.apply(t)).collect());
                    }
                }
            }
        }
        Ok(Vec::new())
    }

    /// Returns the numbers of an attribute, in groups of `width`.
    pub fn numbers(
        &self,
        prim: &Prim,
        name: &str,
        t: f64,
        between: Between,
        width: usize,
    ) -> Result<Option<Vec<f64>>, ImportError> {
        match self.value(prim, name, t, between)? {
            None => Ok(None),
            Some(Value::Numbers(numbers)) if numbers.len().is_multiple_of(width) => Ok(Some(numbers)),
            // The element type of an empty list in a text file is unknown.
            Some(Value::Words(words)) if words.is_empty() => Ok(Some(Vec::new())),
            Some(_) => {
                let problem = format!("`{name}` does not consist of numbers in groups of {width}");
                Err(Fault::new(&prim.path, problem, "export it again").in_file(self.file()))
            }
        }
    }

    /// Returns the first word of an attribute.
    pub fn word(&self, prim: &Prim, name: &str, t: f64) -> Result<Option<String>, ImportError> {
        Ok(self.value(prim, name, t, Between::Held)?.as_ref().and_then(Value::word).map(str::to_owned))
    }
}

/// Returns the value that value clips have for an attribute, if any. `t` is a time of the layer that refers to the
/// clips.
fn clipped(clips: &Clips, path: &str, t: f64, between: Between) -> Result<Option<Value>, ImportError> {
    let (layer, own_t) = clips.at(t)?;
    let value = sampled(&layer, path, own_t, between)?;
    let (Some(samples), Some(value), false) = (layer.samples(path)?, &value, between == Between::Held) else {
        return Ok(value);
    };
    // After the last sample of a clip, the value is interpolated to the first sample of the next clip.
    let last = samples.time(samples.len() - 1);
    let (Some(next), true) = (clips.next_start(t), last < own_t) else { return Ok(Some(value.clone())) };
    let from = clips.time_of(t, last);
    let (layer, own_t) = clips.at(next)?;
    let Some(after) = sampled(&layer, path, own_t, between)? else { return Ok(Some(value.clone())) };
    Ok(Some(interpolated(value.clone(), after, (t - from) / (next - from), between)))
}

/// Returns the interpolated value of an attribute's time samples at a time of the layer, if there are samples.
fn sampled(layer: &Layer, path: &str, t: f64, between: Between) -> Result<Option<Value>, ImportError> {
    let Some(samples) = layer.samples(path)? else { return Ok(None) };
    if samples.len() == 0 {
        return Ok(None);
    }
    // Samples are sorted by time.
    let (mut low, mut high) = (0, samples.len());
    while low < high {
        let middle = (low + high) / 2;
        if samples.time(middle) <= t { low = middle + 1 } else { high = middle }
    }
    let before = low.saturating_sub(1);
    let value = layer.sample(path, &samples, before)?;
    let (from, after) = (samples.time(before), before + 1);
    if between == Between::Held || t <= from || after == samples.len() {
        return Ok(Some(value));
    }
    let share = (t - from) / (samples.time(after) - from);
    let next = layer.sample(path, &samples, after)?;
    Ok(Some(interpolated(value, next, share, between)))
}

/// Interpolates between two values; returns the first if they cannot be interpolated.
fn interpolated(from: Value, to: Value, share: f64, between: Between) -> Value {
    match (from, to) {
        (Value::Numbers(a), Value::Numbers(b)) if a.len() == b.len() => Value::Numbers(match between {
            Between::Slerp if a.len() == 4 => {
                // Quaternions have the real part first.
                let [from, to] = [&a, &b].map(|q| DQuat::from_xyzw(q[1], q[2], q[3], q[0]));
                let DQuat { x, y, z, w } = slerp(from, to, share);
                vec![w, x, y, z]
            }
            Between::Slerp => a,
            _ => a.iter().zip(&b).map(|(a, b)| a + share * (b - a)).collect(),
        }),
        (from, _) => from,
    }
}
