//! File format of a [`Frame`]: the tensors and metadata of a file under `frames/`.
//!
//! | tensor | shape | contents |
//! |---|---|---|
//! | `points` | `[n, 3]` f32 | positions relative to the origin [m] |
//! | `velocities` | `[n, 3]` f32 | velocities [m/s] |
//! | `object` | `[n]` u32 | index of each point's object |
//! | `attributes.NAME` | `[n]` f32 | a scalar per point; NaN where undefined |
//! | `segments` | `[m, 2]` u32 | end points of each curve segment; absent if there are no curves |
//! | `triangles` | `[m, 3]` u32 | vertices of each surface triangle; absent if there are no surfaces |
//! | `instances` | `[m, 7]` f32 | poses of grains drawn in place of points: translation [m], quaternion x, y, z, w; absent if there are none |
//! | `instance_object` | `[m]` u32 | index of each instance's object, whose `grains` in the scene define shape and size; absent together with `instances` |
//! | `colliders` | `[k, 7]` f32 | translation [m], quaternion x, y, z, w |
//!
//! Metadata: `format`, `format_version`, `fibra_version`, `frame`, `time` [s], `origin` [m] and `units`, the last two as JSON. Readers
//! ignore unknown tensors and keys, so that the format can be extended.

use crate::atomic_file::WriteError;
use crate::frame::{Attribute, Frame, Pose};
use crate::tensor::Tensor;
use crate::tensor_file::{TensorFault, TensorFile, TensorFileError};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const FORMAT: &str = "fibra-frame";
const FORMAT_VERSION: u32 = 1;
const ATTRIBUTE_PREFIX: &str = "attributes.";

impl Frame {
    /// Reads and validates a frame file.
    pub fn read(path: &Path) -> Result<Frame, TensorFileError> {
        let mut frame = Frame::default();
        frame.reread(path, &mut Vec::new())?;
        Ok(frame)
    }

    /// Reads a frame file into this frame, reusing its memory and `buffer`. When many frames are read, allocation would take longer than
    /// reading. After an error, the frame's contents are unspecified.
    pub fn reread(&mut self, path: &Path, buffer: &mut Vec<u8>) -> Result<(), TensorFileError> {
        buffer.clear();
        let read = File::open(path).and_then(|mut file| {
            let length = file.metadata()?.len();
            buffer.reserve_exact(usize::try_from(length).unwrap_or(0));
            file.read_to_end(buffer)
        });
        read.map_err(|source| TensorFileError::Unreadable { path: path.to_owned(), source })?;
        let filled = TensorFile::borrow_bytes(buffer).and_then(|file| self.fill(&file));
        filled.map_err(|fault| fault.in_file(path))
    }

    /// Writes a frame file atomically.
    pub fn write(&self, path: &Path) -> Result<(), WriteError> {
        self.to_tensors().write(path)
    }

    /// Returns the frame as named tensors.
    pub fn to_tensors(&self) -> TensorFile<'_> {
        let colliders: Vec<[f32; 7]> = self.colliders.iter().map(|pose| pose.to_row()).collect();
        let mut tensors = BTreeMap::from([
            ("points".to_owned(), Tensor::rows(&self.points)),
            ("velocities".to_owned(), Tensor::rows(&self.velocities)),
            ("object".to_owned(), Tensor::slice(&self.object)),
            ("colliders".to_owned(), Tensor::new(vec![colliders.len(), 7], colliders.into_flattened())),
        ]);
        if !self.segments.is_empty() {
            tensors.insert("segments".to_owned(), Tensor::rows(&self.segments));
        }
        if !self.triangles.is_empty() {
            tensors.insert("triangles".to_owned(), Tensor::rows(&self.triangles));
        }
        if !self.instances.is_empty() {
            let rows: Vec<[f32; 7]> = self.instances.iter().map(|pose| pose.to_row()).collect();
            tensors.insert("instances".to_owned(), Tensor::new(vec![rows.len(), 7], rows.into_flattened()));
            tensors.insert("instance_object".to_owned(), Tensor::slice(&self.instance_object));
        }
        let mut units = BTreeMap::from([
            ("points".to_owned(), "m".to_owned()),
            ("velocities".to_owned(), "m/s".to_owned()),
            ("time".to_owned(), "s".to_owned()),
            ("origin".to_owned(), "m".to_owned()),
        ]);
        for attribute in &self.attributes {
            let name = format!("{ATTRIBUTE_PREFIX}{}", attribute.name);
            units.insert(name.clone(), attribute.unit.clone());
            tensors.insert(name, Tensor::slice(&attribute.values));
        }
        let metadata = [
            ("format", FORMAT.to_owned()),
            ("format_version", FORMAT_VERSION.to_string()),
            ("fibra_version", env!("CARGO_PKG_VERSION").to_owned()),
            ("frame", self.index.to_string()),
            ("time", self.time.to_string()),
            ("origin", json(&self.origin)),
            ("units", json(&units)),
        ]
        .map(|(key, text)| (key.to_owned(), text));
        TensorFile { metadata: metadata.into(), tensors }
    }

    /// Builds a frame from named tensors. Attributes are sorted by name.
    pub fn from_tensors(file: &TensorFile) -> Result<Frame, TensorFault> {
        let mut frame = Frame::default();
        frame.fill(file)?;
        Ok(frame)
    }

    /// Replaces this frame with the one in the tensors, reusing its memory.
    fn fill(&mut self, file: &TensorFile) -> Result<(), TensorFault> {
        check_format(file)?;
        let units: BTreeMap<String, String> = parse_json(file, "units")?;
        let points = file.rows("points")?;
        for name in ["points", "velocities", "colliders"] {
            file.expect_finite(name)?;
        }
        for name in ["velocities", "object"] {
            file.expect_rows(name, points.len())?;
        }
        let mut old = std::mem::take(&mut self.attributes).into_iter();
        for tensor in file.tensors.keys() {
            if let Some(name) = tensor.strip_prefix(ATTRIBUTE_PREFIX) {
                file.expect_rows(tensor, points.len())?;
                let mut values = old.next().map_or_else(Vec::new, |attribute| attribute.values);
                refill(&mut values, file.values(tensor)?);
                let unit = units.get(tensor).map_or("-", String::as_str).to_owned();
                self.attributes.push(Attribute { name: name.to_owned(), unit, values });
            }
        }
        self.index = file.parsed("frame")?;
        self.time = finite_time(file)?;
        self.origin = parse_json(file, "origin")?;
        refill(&mut self.object, file.values("object")?);
        refill(&mut self.points, points);
        refill(&mut self.velocities, file.rows("velocities")?);
        refill(&mut self.segments, elements(file, "segments", points.len())?);
        refill(&mut self.triangles, elements(file, "triangles", points.len())?);
        (self.instances, self.instance_object) = instances(file)?;
        self.colliders = file.rows("colliders")?.iter().map(Pose::from_row).collect();
        Ok(())
    }
}

fn refill<T: Copy>(values: &mut Vec<T>, new: &[T]) {
    values.clear();
    values.extend_from_slice(new);
}

impl Pose {
    fn to_row(self) -> [f32; 7] {
        let [x, y, z] = self.translation;
        let [i, j, k, w] = self.rotation;
        [x, y, z, i, j, k, w]
    }

    fn from_row(&[x, y, z, i, j, k, w]: &[f32; 7]) -> Pose {
        Pose { translation: [x, y, z], rotation: [i, j, k, w] }
    }
}

fn check_format(file: &TensorFile) -> Result<(), TensorFault> {
    let fault = |key: &str, reason: String| TensorFault::Metadata { key: key.to_owned(), reason };
    let format = file.text("format")?;
    if format != FORMAT {
        return Err(fault("format", format!("is `{format}`, expected `{FORMAT}`")));
    }
    let version: u32 = file.parsed("format_version")?;
    if version > FORMAT_VERSION {
        return Err(fault("format_version", format!("is {version}; this program reads up to {FORMAT_VERSION}")));
    }
    Ok(())
}

/// Returns the point indices of each segment (`N` = 2) or triangle (`N` = 3); empty if the tensor is absent.
fn elements<'a, const N: usize>(
    file: &'a TensorFile,
    name: &str,
    points: usize,
) -> Result<&'a [[u32; N]], TensorFault> {
    if !file.tensors.contains_key(name) {
        return Ok(&[]);
    }
    let elements: &[[u32; N]] = file.rows(name)?;
    let beyond = |corner: &u32| *corner as usize >= points;
    match elements.iter().position(|element| element.iter().any(beyond)) {
        None => Ok(elements),
        Some(row) => {
            let found = format!("{:?}", elements[row]);
            Err(TensorFault::BadIndex { tensor: name.to_owned(), row, found, available: points })
        }
    }
}

/// Returns the pose and the object of each instance; both lists are empty if the tensor is absent.
fn instances(file: &TensorFile) -> Result<(Vec<Pose>, Vec<u32>), TensorFault> {
    if !file.tensors.contains_key("instances") {
        return Ok((Vec::new(), Vec::new()));
    }
    file.expect_finite("instances")?;
    let poses: Vec<Pose> = file.rows("instances")?.iter().map(Pose::from_row).collect();
    file.expect_rows("instance_object", poses.len())?;
    Ok((poses, file.values("instance_object")?.to_vec()))
}

fn finite_time(file: &TensorFile) -> Result<f64, TensorFault> {
    let time: f64 = file.parsed("time")?;
    if time.is_finite() {
        Ok(time)
    } else {
        Err(TensorFault::Metadata { key: "time".to_owned(), reason: format!("cannot be `{time}`") })
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("text and numbers always serialize")
}

fn parse_json<T: DeserializeOwned>(file: &TensorFile, key: &str) -> Result<T, TensorFault> {
    serde_json::from_str(file.text(key)?).map_err(|error| TensorFault::Metadata {
        key: key.to_owned(),
        reason: format!("has an unexpected JSON value: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::Index;

    fn sample() -> Frame {
        Frame {
            index: 12,
            time: 0.1 + 0.2,
            origin: [1000.1, -2e-7, 0.0],
            object: vec![0, 1, 1],
            points: vec![[0.5, -1.0, 1e-30], [2.0, 3.0, 4.0], [0.0, 3.0, 4.0]],
            velocities: vec![[0.0; 3], [1.0, 2.0, 3.0], [0.0; 3]],
            attributes: vec![
                Attribute { name: "pressure".to_owned(), unit: "Pa".to_owned(), values: vec![1.0, 2.0, 3.0] },
                Attribute { name: "volume_ratio".to_owned(), unit: "-".to_owned(), values: vec![1.0, 0.9, 0.8] },
            ],
            segments: vec![[1, 0]],
            triangles: vec![[0, 1, 2], [2, 1, 0]],
            instances: vec![
                Pose { translation: [0.5, 0.0, -1.0], rotation: [0.0, 0.6, 0.0, 0.8] },
                Pose { translation: [0.25, 2.0, 0.0], rotation: [1.0, 0.0, 0.0, 0.0] },
            ],
            instance_object: vec![0, 1],
            colliders: vec![Pose { translation: [1.0, 2.0, 3.0], rotation: [0.0, 0.0, 0.6, 0.8] }],
        }
    }

    #[test]
    fn frames_round_trip_through_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("0012.safetensors");
        for frame in [sample(), Frame::default()] {
            frame.write(&path).unwrap();
            assert_eq!(Frame::read(&path).unwrap(), frame);
            let mut used = sample();
            used.attributes.push(used.attributes[0].clone());
            used.reread(&path, &mut vec![7; 3]).unwrap();
            assert_eq!(used, frame);
        }
    }

    #[test]
    fn frames_without_elements_have_no_tensors_for_them() {
        let points_only =
            Frame { segments: vec![], triangles: vec![], instances: vec![], instance_object: vec![], ..sample() };
        let file = points_only.to_tensors();
        assert!(
            ["segments", "triangles", "instances", "instance_object"]
                .iter()
                .all(|name| !file.tensors.contains_key(*name))
        );
        assert_eq!(Frame::from_tensors(&file).unwrap(), points_only);
        assert_eq!(points_only.vertices(), [false; 3]);
        let one_segment = Frame { segments: vec![[2, 0]], ..points_only };
        assert_eq!(one_segment.vertices(), [true, false, true]);
    }

    #[test]
    fn unknown_tensors_are_ignored() {
        let frame = sample();
        let mut file = frame.to_tensors();
        file.tensors.insert("offsets".to_owned(), Tensor::values([0u32, 2]));
        assert_eq!(Frame::from_tensors(&file).unwrap(), sample());
    }

    #[test]
    fn invalid_frames_are_rejected() {
        type Damage<'a> = &'a dyn Fn(&mut TensorFile);
        let table: &[(&str, Damage, &str)] = &[
            ("other format", &|f| drop(f.metadata.insert("format".into(), "x".into())), "`format` is `x`"),
            ("newer", &|f| drop(f.metadata.insert("format_version".into(), "9".into())), "reads up to 1"),
            ("no time", &|f| drop(f.metadata.remove("time")), "`time` is missing"),
            ("NaN time", &|f| drop(f.metadata.insert("time".into(), "NaN".into())), "cannot be `NaN`"),
            ("short origin", &|f| drop(f.metadata.insert("origin".into(), "[1,2]".into())), "`origin`"),
            ("no points", &|f| drop(f.tensors.remove("points")), "`points` is missing"),
            (
                "NaN point",
                &|f| drop(f.tensors.insert("points".into(), Tensor::rows(&[[0.0, 0.0, f32::NAN]; 3]))),
                "`points` is not finite at element 2",
            ),
            (
                "too few velocities",
                &|f| drop(f.tensors.insert("velocities".into(), Tensor::rows(&[[0.0f32; 3]]))),
                "`velocities` is of shape [1, 3], expected 3 rows",
            ),
            (
                "wide attribute",
                &|f| drop(f.tensors.insert("attributes.pressure".into(), Tensor::rows(&[[0.0f32; 2]; 3]))),
                "`attributes.pressure` is of shape [3, 2], expected [n]",
            ),
            (
                "short attribute",
                &|f| drop(f.tensors.insert("attributes.pressure".into(), Tensor::values([0.0f32]))),
                "`attributes.pressure` is of shape [1], expected 3 rows",
            ),
            (
                "integer attribute",
                &|f| drop(f.tensors.insert("attributes.pressure".into(), Tensor::values([0u32; 3]))),
                "is of type U32, expected F32",
            ),
            (
                "segment beyond the points",
                &|f| drop(f.tensors.insert("segments".into(), Tensor::rows(&[[0u32, 1], [3, 0]]))),
                "`segments` joins points [3, 0] in row 1, but there are only 3 points",
            ),
            (
                "triangle beyond the points",
                &|f| drop(f.tensors.insert("triangles".into(), Tensor::rows(&[[0u32, 1, u32::MAX]]))),
                "`triangles` joins points [0, 1, 4294967295] in row 0",
            ),
            (
                "instances without objects",
                &|f| drop(f.tensors.remove("instance_object")),
                "`instance_object` is missing",
            ),
            (
                "an object too few",
                &|f| drop(f.tensors.insert("instance_object".into(), Tensor::values([0u32]))),
                "`instance_object` is of shape [1], expected 2 rows",
            ),
            (
                "NaN instance",
                &|f| drop(f.tensors.insert("instances".into(), Tensor::rows(&[[f32::NAN; 7]; 2]))),
                "`instances` is not finite",
            ),
            (
                "wide segments",
                &|f| drop(f.tensors.insert("segments".into(), Tensor::rows(&[[0u32, 1, 2]]))),
                "`segments` is of shape [1, 3], expected [n, 2]",
            ),
            (
                "real triangles",
                &|f| drop(f.tensors.insert("triangles".into(), Tensor::rows(&[[0.0f32; 3]]))),
                "`triangles` is of type F32, expected U32",
            ),
        ];
        for (case, damage, expected) in table {
            let frame = sample();
            let mut file = frame.to_tensors();
            damage(&mut file);
            let message = Frame::from_tensors(&file).unwrap_err().to_string();
            assert!(message.contains(expected), "{case}: {message}");
        }
    }

    proptest! {
        #[test]
        fn mutated_files_are_read_or_rejected(changes in proptest::collection::vec((any::<Index>(), any::<u8>()), 1..4)) {
            let mut bytes = Vec::new();
            sample().to_tensors().write_to(&mut bytes).unwrap();
            for (at, value) in changes {
                let at = at.index(bytes.len());
                bytes[at] = value;
            }
            if let Ok(frame) = TensorFile::from_bytes(&bytes).and_then(|file| Frame::from_tensors(&file)) {
                prop_assert_eq!(frame.object.len(), frame.points.len());
                prop_assert_eq!(frame.velocities.len(), frame.points.len());
                prop_assert!(frame.attributes.iter().all(|a| a.values.len() == frame.points.len()));
                prop_assert_eq!(frame.vertices().len(), frame.points.len());
                prop_assert_eq!(frame.first_non_finite(), None);
            }
        }
    }
}
