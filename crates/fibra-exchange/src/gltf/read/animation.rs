//! Animations of nodes and morph target weights.

use super::container::Contents;
use crate::error::Fault;
use crate::rotation::slerp;
use glam::{DMat4, DQuat, DVec3};
use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

/// Limit on the total size of all keyframes [numbers], with shared accessors counted once. Also the limit on the total number of values
/// that all channels animate.
const MAX_NUMBERS: usize = 1 << 26;

/// Estimated cost per frame of the keyframe search of a channel, as an equivalent number of computed values.
const SEARCH_COST: usize = 16;

/// The animated property of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Path {
    Translation,
    Rotation,
    Scale,
    Weights,
}

/// The interpolation between two keyframes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Interpolation {
    Step,
    Linear,
    Cubic,
}

/// One animated property of one node.
struct Channel {
    node: usize,
    path: Path,
    interpolation: Interpolation,
    keys: Rc<Keys>,
    /// Values of each keyframe. Cubic keyframes have the in-tangent, the value and the out-tangent.
    values: Rc<Vec<f64>>,
    width: usize,
}

/// The times of keyframes.
struct Keys {
    /// Sorted, at least one [s].
    times: Vec<f64>,
    /// The shortest time between two keyframes [s].
    finest: f64,
}

/// A cache of keyframe times and values by accessor: channels that share an accessor read and store it once.
struct Shared<'a> {
    contents: &'a Contents,
    keys: HashMap<usize, Rc<Keys>>,
    values: HashMap<usize, Rc<Vec<f64>>>,
    /// Remaining budget [numbers].
    left: usize,
}

/// The channels of all animations in a file, on one common time axis.
pub(super) struct Animations {
    channels: Vec<Channel>,
}

/// The decomposed local transform of a node, and the weights of its mesh's morph targets.
#[derive(Clone)]
pub(super) struct Pose<'a> {
    pub matrix: Option<DMat4>,
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
    /// Borrowed from the mesh or node unless they are animated.
    pub weights: Cow<'a, [f64]>,
}

impl Pose<'_> {
    /// Returns the transform from the node's frame to its parent's.
    pub fn transform(&self) -> DMat4 {
        let unit = self.rotation.length();
        let rotation = if unit > 0.0 && unit.is_finite() { self.rotation / unit } else { DQuat::IDENTITY };
        let composed = DMat4::from_scale_rotation_translation(self.scale, rotation, self.translation);
        self.matrix.unwrap_or(composed)
    }
}

impl Animations {
    pub fn read(contents: &Contents) -> Result<Self, Fault> {
        let mut channels = Vec::new();
        let mut shared = Shared { contents, keys: HashMap::new(), values: HashMap::new(), left: MAX_NUMBERS };
        let mut changed = 0usize;
        for (number, animation) in contents.document.animations.iter().enumerate() {
            for (index, channel) in animation.channels.iter().enumerate() {
                let place = format!("animations[{number}].channels[{index}]");
                let reject = |problem: String| Fault::new(&place, problem, "the file is damaged; export it again");
                let Some(node) = channel.target.node else { continue };
                let target = contents.document.nodes.get(node);
                let target = target.ok_or_else(|| reject(format!("there is no node {node}")))?;
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
                let sampler = sampler.ok_or_else(|| reject(format!("there is no sampler {}", channel.sampler)))?;
                let interpolation = match sampler.interpolation.as_deref() {
                    None | Some("LINEAR") => Interpolation::Linear,
                    Some("STEP") => Interpolation::Step,
                    Some("CUBICSPLINE") => Interpolation::Cubic,
                    Some(other) => return Err(reject(format!("the interpolation `{other}` is unknown"))),
                };
                let keys = shared.keys(sampler.input, &place)?;
                let values = shared.values(sampler.output, &place)?;
                let (count, parts) = (keys.times.len(), if interpolation == Interpolation::Cubic { 3 } else { 1 });
                if group == 0 || values.len() != count * parts * group {
                    return Err(reject(format!("{} values do not match {count} keyframes", values.len())));
                }
                // Each node has its own weights, even if all nodes share one mesh with many morph targets.
                changed += group;
                if changed > MAX_NUMBERS {
                    let problem = format!("the limit of {MAX_NUMBERS} animated numbers is exceeded");
                    return Err(Fault::new(&place, problem, "export fewer nodes or morph targets"));
                }
                channels.push(Channel { node, path, interpolation, keys, values, width: group });
            }
        }
        Ok(Self { channels })
    }

    /// Returns the times of the first and the last keyframe, and the shortest time between two keyframes [s].
    pub fn range(&self) -> Option<(f64, f64, f64)> {
        let keys = || self.channels.iter().map(|channel| &channel.keys);
        let first = keys().map(|keys| keys.times[0]).reduce(f64::min)?;
        let last = keys().map(|keys| keys.times[keys.times.len() - 1]).reduce(f64::max)?;
        Some((first, last, keys().map(|keys| keys.finest).fold(f64::INFINITY, f64::min)))
    }

    /// Drops the channels of nodes that are not needed.
    pub fn retain(&mut self, is_needed: &[bool]) {
        self.channels.retain(|channel| is_needed[channel.node]);
    }

    /// Returns the estimated cost of a frame, as an equivalent number of computed values.
    pub fn cost(&self) -> usize {
        self.channels.iter().map(|channel| channel.width + SEARCH_COST).sum()
    }

    /// Sets the poses of animated nodes at a time [s]. If several animations affect the same property, the last one wins.
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
        let reject = |problem: &str| Fault::new(place, problem, "the file is damaged; export it again");
        let times = self.numbers(accessor, place)?;
        if times.is_empty() {
            return Err(reject("it has no keyframes"));
        }
        if times.iter().any(|t| !t.is_finite()) || !times.is_sorted() {
            return Err(reject("its times are not sorted"));
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
            let problem = format!("the keyframes of all animations exceed the limit of {MAX_NUMBERS} numbers");
            Fault::new(place, problem, "export fewer keyframes")
        })?;
        Ok(self.contents.numbers(accessor)?.values)
    }
}

impl Channel {
    /// Returns the value at a time [s]; constant before the first keyframe and after the last.
    fn at(&self, t: f64) -> Vec<f64> {
        let width = self.width;
        let key = |key: usize, part: usize| {
            let at = match self.interpolation {
                Interpolation::Cubic => (3 * key + part) * width,
                _ => key * width,
            };
            &self.values[at..at + width]
        };
        let times = &self.keys.times;
        let after = times.partition_point(|time| *time <= t);
        let Some(before) = after.checked_sub(1) else { return key(0, 1).to_vec() };
        if after == times.len() || self.interpolation == Interpolation::Step {
            return key(before, 1).to_vec();
        }
        let span = times[after] - times[before];
        let fraction = (t - times[before]) / span;
        match (self.interpolation, self.path) {
            (Interpolation::Linear, Path::Rotation) => {
                let [from, to] = [before, after].map(|index| DQuat::from_slice(key(index, 1)));
                slerp(from, to, fraction).to_array().to_vec()
            }
            (Interpolation::Linear, _) => {
                key(before, 1).iter().zip(key(after, 1)).map(|(a, b)| a + fraction * (b - a)).collect()
            }
            _ => {
                // Cubic Hermite interpolation, with tangents per second.
                let (s2, s3) = (fraction * fraction, fraction * fraction * fraction);
                let weights = [
                    2.0 * s3 - 3.0 * s2 + 1.0,
                    span * (s3 - 2.0 * s2 + fraction),
                    3.0 * s2 - 2.0 * s3,
                    span * (s3 - s2),
                ];
                let parts = [key(before, 1), key(before, 2), key(after, 1), key(after, 0)];
                (0..width).map(|i| (0..4).map(|part| weights[part] * parts[part][i]).sum()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(interpolation: Interpolation, values: &[f64]) -> Channel {
        let keys = Rc::new(Keys { times: vec![1.0, 3.0], finest: 2.0 });
        Channel { node: 0, path: Path::Weights, interpolation, keys, values: Rc::new(values.to_vec()), width: 1 }
    }

    #[test]
    fn keyframes_are_interpolated_and_held_at_the_ends() {
        for (interpolation, values) in [
            (Interpolation::Step, &[2.0, 6.0][..]),
            (Interpolation::Linear, &[2.0, 6.0]),
            (Interpolation::Cubic, &[9.0, 2.0, 0.0, 0.0, 6.0, 9.0]),
        ] {
            let channel = channel(interpolation, values);
            for (t, value) in [(0.0, 2.0), (1.0, 2.0), (3.0, 6.0), (9.0, 6.0)] {
                assert!((channel.at(t)[0] - value).abs() < 1e-12, "{interpolation:?} {t}");
            }
            let middle = if interpolation == Interpolation::Step { 2.0 } else { 4.0 };
            assert!((channel.at(2.0)[0] - middle).abs() < 1e-12, "{interpolation:?}");
        }
        // If both tangents have the slope of the straight line, the cubic is that line.
        let line = channel(Interpolation::Cubic, &[2.0, 2.0, 2.0, 2.0, 6.0, 2.0]);
        assert!((line.at(1.5)[0] - 3.0).abs() < 1e-12);
    }
}
