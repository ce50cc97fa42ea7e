//! Animations: what nodes do as time goes by.

use super::container::Contents;
use crate::error::Fault;
use crate::rotation::turned;
use glam::{DMat4, DQuat, DVec3};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Most numbers of all keys together, those that several channels share counted once; and most that all channels change.
const MOST_NUMBERS: usize = 1 << 26;

/// What a channel takes in each frame beside its numbers, counted in numbers: the search for its keys.
const SEARCH: usize = 16;

/// What a channel changes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// What lies between two keys.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Between {
    Step,
    Linear,
    Cubic,
}

/// One property of one node over time.
struct Channel {
    node: usize,
    path: Path,
    between: Between,
    keys: Rc<Keys>,
    /// Numbers of each key; of cubic ones the slope before it, the value, the slope after it.
    values: Rc<Vec<f64>>,
    width: usize,
}

/// When keys are.
struct Keys {
    /// Sorted, at least one [s].
    times: Vec<f64>,
    /// The shortest time between two [s].
    finest: f64,
}

/// Keys and values by accessor: many channels can share them, and each must cost its memory and its time once.
struct Shared<'a> {
    contents: &'a Contents,
    keys: HashMap<usize, Rc<Keys>>,
    values: HashMap<usize, Rc<Vec<f64>>>,
    /// How many numbers may still be kept.
    left: usize,
}

/// All movement in a file, which its animations share one clock for.
pub(super) struct Movement {
    channels: Vec<Channel>,
}

/// A node's own transform, taken apart, and the weights of its mesh's targets.
#[derive(Clone)]
pub(super) struct Pose<'a> {
    pub matrix: Option<DMat4>,
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
    /// Those of a mesh are there once, however many nodes have it.
    pub weights: Cow<'a, [f64]>,
}

impl Pose<'_> {
    /// From the node's frame to its parent's.
    pub fn transform(&self) -> DMat4 {
        let unit = self.rotation.length();
        let rotation = if unit > 0.0 && unit.is_finite() { self.rotation / unit } else { DQuat::IDENTITY };
        let made = DMat4::from_scale_rotation_translation(self.scale, rotation, self.translation);
        self.matrix.unwrap_or(made)
    }
}

impl Movement {
    pub fn read(contents: &Contents) -> Result<Self, Fault> {
        let mut channels = Vec::new();
        let mut shared = Shared { contents, keys: HashMap::new(), values: HashMap::new(), left: MOST_NUMBERS };
        let mut changed = 0usize;
        for (number, animation) in contents.document.animations.iter().enumerate() {
            for (index, channel) in animation.channels.iter().enumerate() {
                let place = format!("animations[{number}].channels[{index}]");
                let refuse = |problem: String| Fault::new(&place, problem, "the file is damaged; export it again");
                let Some(node) = channel.target.node else { continue };
                let target = contents.document.nodes.get(node);
                let target = target.ok_or_else(|| refuse(format!("there is no node {node}")))?;
                let (path, group) = match channel.target.path.as_str() {
                    "translation" => (Path::Translation, 3),
                    "rotation" => (Path::Rotation, 4),
                    "scale" => (Path::Scale, 3),
                    "weights" => {
                        let mesh = target.mesh.and_then(|mesh| contents.document.meshes.get(mesh));
                        let targets =
                            mesh.and_then(|mesh| mesh.primitives.first()).map_or(0, |first| first.targets.len());
                        (Path::Weights, targets)
                    }
                    _ => continue,
                };
                let sampler = animation.samplers.get(channel.sampler);
                let sampler = sampler.ok_or_else(|| refuse(format!("there is no sampler {}", channel.sampler)))?;
                let between = match sampler.interpolation.as_deref() {
                    None | Some("LINEAR") => Between::Linear,
                    Some("STEP") => Between::Step,
                    Some("CUBICSPLINE") => Between::Cubic,
                    Some(other) => return Err(refuse(format!("the interpolation `{other}` is unknown"))),
                };
                let keys = shared.keys(sampler.input, &place)?;
                let values = shared.values(sampler.output, &place)?;
                let (count, parts) = (keys.times.len(), if between == Between::Cubic { 3 } else { 1 });
                if group == 0 || values.len() != count * parts * group {
                    return Err(refuse(format!("{} values do not make {count} keys", values.len())));
                }
                // Each node has weights of its own, even where all of them share one list of many targets.
                changed += group;
                if changed > MOST_NUMBERS {
                    let problem = format!("with it more than {MOST_NUMBERS} numbers change at once");
                    return Err(Fault::new(&place, problem, "export fewer nodes or targets at a time"));
                }
                channels.push(Channel { node, path, between, keys, values, width: group });
            }
        }
        Ok(Self { channels })
    }

    /// When the first and the last key is, and the shortest time between two keys [s].
    pub fn range(&self) -> Option<(f64, f64, f64)> {
        let keys = || self.channels.iter().map(|channel| &channel.keys);
        let first = keys().map(|keys| keys.times[0]).reduce(f64::min)?;
        let last = keys().map(|keys| keys.times[keys.times.len() - 1]).reduce(f64::max)?;
        Some((first, last, keys().map(|keys| keys.finest).fold(f64::INFINITY, f64::min)))
    }

    /// Forgets what other nodes do.
    pub fn keep(&mut self, is_needed: &[bool]) {
        self.channels.retain(|channel| is_needed[channel.node]);
    }

    /// About the numbers that each frame takes.
    pub fn work(&self) -> usize {
        self.channels.iter().map(|channel| channel.width + SEARCH).sum()
    }

    /// Puts nodes into their poses at a time [s]; what no channel moves stays. A later animation of the same property counts.
    pub fn pose(&self, t: f64, poses: &mut [Pose]) {
        for channel in &self.channels {
            let value = channel.at(t);
            let pose = &mut poses[channel.node];
            match (channel.path, value.as_slice()) {
                (Path::Translation, &[x, y, z]) => pose.translation = DVec3::new(x, y, z),
                (Path::Rotation, &[x, y, z, w]) => pose.rotation = DQuat::from_xyzw(x, y, z, w),
                (Path::Scale, &[x, y, z]) => pose.scale = DVec3::new(x, y, z),
                _ => pose.weights = Cow::Owned(value),
            }
            if channel.path != Path::Weights {
                pose.matrix = None;
            }
        }
    }
}

impl Shared<'_> {
    fn keys(&mut self, accessor: usize, place: &str) -> Result<Rc<Keys>, Fault> {
        if let Some(keys) = self.keys.get(&accessor) {
            return Ok(Rc::clone(keys));
        }
        let refuse = |problem: &str| Fault::new(place, problem, "the file is damaged; export it again");
        let times = self.numbers(accessor, place)?;
        if times.is_empty() {
            return Err(refuse("it has no keys"));
        }
        if times.iter().any(|t| !t.is_finite()) || !times.is_sorted() {
            return Err(refuse("its times are not sorted"));
        }
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
        let finest = gaps.filter(|gap| *gap > 1e-5).fold(f64::INFINITY, f64::min);
        let keys = Rc::new(Keys { times, finest });
        self.keys.insert(accessor, Rc::clone(&keys));
        Ok(keys)
    }

    fn values(&mut self, accessor: usize, place: &str) -> Result<Rc<Vec<f64>>, Fault> {
        if let Some(values) = self.values.get(&accessor) {
            return Ok(Rc::clone(values));
        }
        let values = Rc::new(self.numbers(accessor, place)?);
        self.values.insert(accessor, Rc::clone(&values));
        Ok(values)
    }

    fn numbers(&mut self, accessor: usize, place: &str) -> Result<Vec<f64>, Fault> {
        self.left = self.left.checked_sub(self.contents.total(accessor)?).ok_or_else(|| {
            let problem = format!("with its keys there are more than {MOST_NUMBERS} numbers in all animations");
            Fault::new(place, problem, "export fewer keys at a time")
        })?;
        Ok(self.contents.numbers(accessor)?.values)
    }
}

impl Channel {
    /// The value at a time [s]; held before the first key and after the last.
    fn at(&self, t: f64) -> Vec<f64> {
        let width = self.width;
        let key = |key: usize, part: usize| {
            let at = match self.between {
                Between::Cubic => (3 * key + part) * width,
                _ => key * width,
            };
            &self.values[at..at + width]
        };
        let times = &self.keys.times;
        let after = times.partition_point(|time| *time <= t);
        let Some(before) = after.checked_sub(1) else { return key(0, 1).to_vec() };
        if after == times.len() || self.between == Between::Step {
            return key(before, 1).to_vec();
        }
        let span = times[after] - times[before];
        let share = (t - times[before]) / span;
        match (self.between, self.path) {
            (Between::Linear, Path::Rotation) => {
                let [from, to] = [before, after].map(|index| DQuat::from_slice(key(index, 1)));
                turned(from, to, share).to_array().to_vec()
            }
            (Between::Linear, _) => {
                key(before, 1).iter().zip(key(after, 1)).map(|(a, b)| a + share * (b - a)).collect()
            }
            _ => {
                // Hermite's cubic, with slopes per second.
                let (s2, s3) = (share * share, share * share * share);
                let weights =
                    [2.0 * s3 - 3.0 * s2 + 1.0, span * (s3 - 2.0 * s2 + share), 3.0 * s2 - 2.0 * s3, span * (s3 - s2)];
                let parts = [key(before, 1), key(before, 2), key(after, 1), key(after, 0)];
                (0..width).map(|i| (0..4).map(|part| weights[part] * parts[part][i]).sum()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(between: Between, values: &[f64]) -> Channel {
        let keys = Rc::new(Keys { times: vec![1.0, 3.0], finest: 2.0 });
        Channel { node: 0, path: Path::Weights, between, keys, values: Rc::new(values.to_vec()), width: 1 }
    }

    #[test]
    fn keys_are_met_and_held() {
        for (between, values) in [
            (Between::Step, &[2.0, 6.0][..]),
            (Between::Linear, &[2.0, 6.0]),
            (Between::Cubic, &[9.0, 2.0, 0.0, 0.0, 6.0, 9.0]),
        ] {
            let channel = channel(between, values);
            for (t, value) in [(0.0, 2.0), (1.0, 2.0), (3.0, 6.0), (9.0, 6.0)] {
                assert!((channel.at(t)[0] - value).abs() < 1e-12, "{between:?} {t}");
            }
            let middle = if between == Between::Step { 2.0 } else { 4.0 };
            assert!((channel.at(2.0)[0] - middle).abs() < 1e-12, "{between:?}");
        }
        // With both slopes of the straight line the cubic is that line.
        let line = channel(Between::Cubic, &[2.0, 2.0, 2.0, 2.0, 6.0, 2.0]);
        assert!((line.at(1.5)[0] - 3.0).abs() < 1e-12);
    }
}
