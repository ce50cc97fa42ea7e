//! Animations: what nodes do as time goes by.

use super::container::Contents;
use crate::error::Fault;
use crate::rotation::turned;
use glam::{DMat4, DQuat, DVec3};

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
    /// When its keys are [s].
    times: Vec<f64>,
    /// Numbers of each key; of cubic ones the slope before it, the value, the slope after it.
    values: Vec<f64>,
    width: usize,
}

/// All movement in a file, which its animations share one clock for.
pub(super) struct Movement {
    channels: Vec<Channel>,
}

/// A node's own transform, taken apart, and the weights of its mesh's targets.
#[derive(Clone)]
pub(super) struct Pose {
    pub matrix: Option<DMat4>,
    pub translation: DVec3,
    pub rotation: DQuat,
    pub scale: DVec3,
    pub weights: Vec<f64>,
}

impl Pose {
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
                let times = contents.numbers(sampler.input)?.values;
                let values = contents.numbers(sampler.output)?.values;
                let keys = if between == Between::Cubic { 3 } else { 1 };
                if group == 0 || times.is_empty() || values.len() != times.len() * keys * group {
                    return Err(refuse(format!("{} values do not make {} keys", values.len(), times.len())));
                }
                if times.iter().any(|t| !t.is_finite()) || !times.is_sorted() {
                    return Err(refuse("its times are not sorted".to_owned()));
                }
                channels.push(Channel { node, path, between, times, values, width: group });
            }
        }
        Ok(Self { channels })
    }

    /// When the first and the last key is, and the shortest time between two keys [s].
    pub fn range(&self) -> Option<(f64, f64, f64)> {
        let first = self.channels.iter().map(|channel| channel.times[0]).reduce(f64::min)?;
        let last = self.channels.iter().map(|channel| channel.times[channel.times.len() - 1]).reduce(f64::max)?;
        let gaps = self.channels.iter().flat_map(|channel| channel.times.windows(2).map(|pair| pair[1] - pair[0]));
        Some((first, last, gaps.filter(|gap| *gap > 1e-5).fold(f64::INFINITY, f64::min)))
    }

    /// The poses of all nodes at a time [s], given their poses at rest. A later animation of the same property counts.
    pub fn at(&self, t: f64, rest: &[Pose]) -> Vec<Pose> {
        let mut poses = rest.to_vec();
        for channel in &self.channels {
            let value = channel.at(t);
            let pose = &mut poses[channel.node];
            match (channel.path, value.as_slice()) {
                (Path::Translation, &[x, y, z]) => pose.translation = DVec3::new(x, y, z),
                (Path::Rotation, &[x, y, z, w]) => pose.rotation = DQuat::from_xyzw(x, y, z, w),
                (Path::Scale, &[x, y, z]) => pose.scale = DVec3::new(x, y, z),
                _ => pose.weights = value,
            }
            if channel.path != Path::Weights {
                pose.matrix = None;
            }
        }
        poses
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
        let after = self.times.partition_point(|time| *time <= t);
        let Some(before) = after.checked_sub(1) else { return key(0, 1).to_vec() };
        if after == self.times.len() || self.between == Between::Step {
            return key(before, 1).to_vec();
        }
        let span = self.times[after] - self.times[before];
        let share = (t - self.times[before]) / span;
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
        Channel { node: 0, path: Path::Weights, between, times: vec![1.0, 3.0], values: values.to_vec(), width: 1 }
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
