//! The meshes of a file: triangles, morph targets and skinning weights.

use super::container::Contents;
use super::document::Primitive;
use crate::error::Fault;
use crate::recording::MAX_ELEMENTS;
use glam::{DMat4, DVec3};
use std::collections::HashMap;

/// Limit on the number of morph displacements and joint weights of all vertices together: large numbers of zeros take only a few bytes in a file.
const MAX_INFLUENCES: usize = 1 << 26;

/// Joints per vertex in one set of attributes (`JOINTS_n`, `WEIGHTS_n`).
const JOINTS_PER_SET: usize = 4;

/// Limit on the number of attribute sets.
const MAX_SETS: usize = 8;

/// A mesh with the vertices of all its primitives. Vertices that agree in all attributes are merged, so that a closed body is closed.
#[derive(Default)]
pub(super) struct MeshData {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// Displacement of each vertex by each morph target. [targets][vertices]
    pub targets: Vec<Vec<DVec3>>,
    /// Joints and weights of each vertex; empty without a skin.
    pub joints: Vec<Vec<(usize, f64)>>,
    /// Number of joint weights of all vertices.
    pairs: usize,
}

/// The size of meshes, or the remaining budget for reading them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MeshSize {
    vertices: usize,
    triangles: usize,
    influences: usize,
}

impl Default for MeshSize {
    fn default() -> Self {
        Self { vertices: MAX_ELEMENTS, triangles: MAX_ELEMENTS, influences: MAX_INFLUENCES }
    }
}

impl MeshSize {
    /// Returns the budget minus `used`, or an error if `used` exceeds the budget.
    fn without(self, used: Self, place: &str) -> Result<Self, Fault> {
        let left = |most: usize, used: usize, limit: usize, what: &str| {
            most.checked_sub(used).ok_or_else(|| {
                let problem = format!("with its {used} {what}, all meshes together exceed the limit of {limit}");
                Fault::new(place, problem, "select a part with `prim`, or export less at a time")
            })
        };
        Ok(Self {
            vertices: left(self.vertices, used.vertices, MAX_ELEMENTS, "vertices")?,
            triangles: left(self.triangles, used.triangles, MAX_ELEMENTS, "triangles")?,
            influences: left(
                self.influences,
                used.influences,
                MAX_INFLUENCES,
                "morph displacements and joint weights",
            )?,
        })
    }
}

impl MeshData {
    /// Reads a mesh and subtracts its size from `budget`.
    pub fn read(contents: &Contents, index: usize, budget: &mut MeshSize) -> Result<Self, Fault> {
        let mesh = &contents.document.meshes[index];
        let mut data = Self::default();
        let mut known: HashMap<Vec<u64>, u32> = HashMap::new();
        for (number, primitive) in mesh.primitives.iter().enumerate() {
            let place = format!("meshes[{index}].primitives[{number}]");
            let mode = primitive.mode.unwrap_or(4);
            // Points and lines have no surface.
            if mode < 4 {
                continue;
            }
            // The upper bound is known before reading, the actual size only after merging vertices.
            budget.without(size_bound(contents, primitive, mode)?, &place)?;
            let before = data.size();
            data.add(contents, primitive, mode, &place, &mut known)?;
            let after = data.size();
            let added = MeshSize {
                vertices: after.vertices - before.vertices,
                triangles: after.triangles - before.triangles,
                influences: after.influences - before.influences,
            };
            *budget = budget.without(added, &place)?;
        }
        Ok(data)
    }

    /// Returns the size of the mesh.
    fn size(&self) -> MeshSize {
        let vertices = self.positions.len();
        MeshSize { vertices, triangles: self.triangles.len(), influences: vertices * self.targets.len() + self.pairs }
    }

    /// Returns the estimated cost of evaluating the mesh for a frame, as an equivalent number of computed values.
    pub fn cost(&self) -> usize {
        self.size().vertices + self.size().influences
    }

    fn add(
        &mut self,
        contents: &Contents,
        primitive: &Primitive,
        mode: u32,
        place: &str,
        known: &mut HashMap<Vec<u64>, u32>,
    ) -> Result<(), Fault> {
        let reject = |problem: String| Fault::new(place, problem, "the file is damaged; export it again");
        let vectors = |accessor: usize| -> Result<Vec<DVec3>, Fault> {
            let numbers = contents.numbers(accessor)?;
            Ok(numbers.elements::<3>(place)?.iter().map(|vector| DVec3::from_array(*vector)).collect())
        };
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            return Err(reject("it has no POSITION".to_owned()));
        };
        let positions = vectors(positions)?;
        let count = positions.len();
        let targets = primitive.targets.len();
        if !self.positions.is_empty() && targets != self.targets.len() {
            return Err(reject("its primitives have different numbers of morph targets".to_owned()));
        }
        let mut influences = Vec::with_capacity(targets);
        for target in &primitive.targets {
            let own = match target.get("POSITION") {
                Some(&accessor) => vectors(accessor)?,
                None => {
                    contents.spend(3 * count, place)?;
                    vec![DVec3::ZERO; count]
                }
            };
            if own.len() != count {
                return Err(reject(format!("a morph target has {} vertices instead of {count}", own.len())));
            }
            influences.push(own);
        }
        self.targets.resize_with(targets, Vec::new);
        let joints = joints(contents, primitive, count, place)?;
        let is_skinned = !joints.is_empty();
        if !self.positions.is_empty() && is_skinned == self.joints.is_empty() {
            return Err(reject("only some of the mesh's primitives have joints".to_owned()));
        }

        let mut numbers = Vec::with_capacity(count);
        for vertex in 0..count {
            // Adding zero turns -0.0 into 0.0, so that both have the same key.
            let bits = |vector: DVec3| (vector + DVec3::ZERO).to_array().map(f64::to_bits);
            let mut key = bits(positions[vertex]).to_vec();
            key.extend(influences.iter().flat_map(|influences| bits(influences[vertex])));
            let own_joints = joints.get(vertex).map_or(&[][..], Vec::as_slice);
            key.extend(own_joints.iter().flat_map(|(joint, weight)| [*joint as u64, weight.to_bits()]));
            let next = self.positions.len();
            let merged = *known.entry(key).or_insert(next as u32);
            if merged as usize == next {
                self.positions.push(positions[vertex]);
                self.targets.iter_mut().zip(&influences).for_each(|(all, own)| all.push(own[vertex]));
                if is_skinned {
                    self.pairs += own_joints.len();
                    self.joints.push(own_joints.to_vec());
                }
            }
            numbers.push(merged);
        }

        let corners: Vec<u32> = match primitive.indices {
            None => numbers,
            Some(accessor) => {
                let indices = contents.numbers(accessor)?.values;
                let found: Option<Vec<u32>> =
                    indices.iter().map(|index| numbers.get(*index as usize).copied()).collect();
                found.ok_or_else(|| reject(format!("an index is out of range: there are {count} vertices")))?
            }
        };
        let triangles: Vec<[u32; 3]> = match mode {
            4 if corners.len().is_multiple_of(3) => corners.as_chunks().0.to_vec(),
            4 => return Err(reject(format!("{} indices are not a multiple of 3", corners.len()))),
            5 => {
                let strip = |(index, three): (usize, &[u32])| match index % 2 {
                    0 => [three[0], three[1], three[2]],
                    _ => [three[1], three[0], three[2]],
                };
                corners.windows(3).enumerate().map(strip).collect()
            }
            _ => corners.get(1..).unwrap_or_default().windows(2).map(|two| [corners[0], two[0], two[1]]).collect(),
        };
        // Drops degenerate triangles, which only connect the parts of a strip.
        self.triangles.extend(triangles.into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
        Ok(())
    }
}

/// Returns an upper bound on the size that a primitive adds to its mesh.
fn size_bound(contents: &Contents, primitive: &Primitive, mode: u32) -> Result<MeshSize, Fault> {
    let count = |accessor: Option<usize>| accessor.map_or(Ok(0), |accessor| contents.count(accessor));
    let vertices = count(primitive.attributes.get("POSITION").copied())?;
    let corners = if primitive.indices.is_some() { count(primitive.indices)? } else { vertices };
    let triangles = if mode == 4 { corners / 3 } else { corners.saturating_sub(2) };
    let sets = (0..MAX_SETS).filter(|set| primitive.attributes.contains_key(&format!("JOINTS_{set}"))).count();
    let influences = vertices.saturating_mul(primitive.targets.len() + JOINTS_PER_SET * sets);
    Ok(MeshSize { vertices, triangles, influences })
}

/// Returns the joints and weights of each vertex; empty if there are none. The weights of a vertex add up to 1.
fn joints(
    contents: &Contents,
    primitive: &Primitive,
    count: usize,
    place: &str,
) -> Result<Vec<Vec<(usize, f64)>>, Fault> {
    let mut all: Vec<Vec<(usize, f64)>> = Vec::new();
    for set in 0..MAX_SETS {
        let name = |what: &str| primitive.attributes.get(&format!("{what}_{set}")).copied();
        let (Some(joints), Some(weights)) = (name("JOINTS"), name("WEIGHTS")) else { break };
        let (joints, weights) = (contents.numbers(joints)?, contents.numbers(weights)?);
        let (joints, weights) = (joints.elements::<JOINTS_PER_SET>(place)?, weights.elements::<JOINTS_PER_SET>(place)?);
        if joints.len() != count || weights.len() != count {
            let problem = "the numbers of joints, weights and vertices differ";
            return Err(Fault::new(place, problem, "the file is damaged; export it again"));
        }
        all.resize(count, Vec::new());
        for (vertex, own) in all.iter_mut().enumerate() {
            let pairs = joints[vertex].iter().zip(&weights[vertex]);
            own.extend(pairs.filter(|(_, weight)| **weight != 0.0).map(|(joint, weight)| (*joint as usize, *weight)));
        }
    }
    for own in &mut all {
        let sum: f64 = own.iter().map(|(_, weight)| weight).sum();
        if sum > 0.0 && sum.is_finite() {
            own.iter_mut().for_each(|(_, weight)| *weight /= sum);
        }
    }
    Ok(all)
}

impl MeshData {
    /// Returns the vertex positions, transformed by `matrix` or by the joint matrices of a skin, with the morph targets weighted by `weights`.
    pub fn transformed(&self, matrix: DMat4, weights: &[f64], joints: Option<&[DMat4]>) -> Vec<DVec3> {
        let vertex = |index: usize| {
            let mut position = self.positions[index];
            for (target, weight) in self.targets.iter().zip(weights) {
                position += *weight * target[index];
            }
            let matrix = match (joints, self.joints.get(index)) {
                (Some(joints), Some(own)) if !own.is_empty() => {
                    own.iter().fold(DMat4::ZERO, |sum, (joint, weight)| sum + *weight * joints[*joint])
                }
                _ => matrix,
            };
            matrix.transform_point3(position)
        };
        (0..self.positions.len()).map(vertex).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Returns a file with two primitives, each the same strip of 8 triangles with 10 distinct positions.
    fn contents(more: &str) -> Contents {
        let coordinates: Vec<f32> = (0..10u8).flat_map(|i| [f32::from(i), f32::from(i % 2), 0.0]).collect();
        let bytes: Vec<u8> = coordinates.iter().flat_map(|number| number.to_le_bytes()).collect();
        let primitive = format!(r#"{{"attributes": {{"POSITION": 0}}, "mode": 5{more}}}"#);
        let json = format!(
            r#"{{"asset": {{"version": "2.0"}}, "meshes": [{{"primitives": [{primitive}, {primitive}]}}],
            "accessors": [{{"bufferView": 0, "componentType": 5126, "count": 10, "type": "VEC3"}}],
            "bufferViews": [{{"byteLength": 120}}]}}"#
        );
        let mut contents = Contents::parse(json.as_bytes(), Path::new("a.gltf")).unwrap();
        contents.buffers.push(bytes);
        contents
    }

    #[test]
    fn meshes_stay_within_the_budget() {
        let contents = contents(r#", "targets": [{}, {}]"#);
        let enough = MeshSize { vertices: 20, triangles: 16, influences: 40 };
        let mut budget = enough;
        let data = MeshData::read(&contents, 0, &mut budget).unwrap();
        // Identical vertices are merged.
        assert_eq!((data.positions.len(), data.triangles.len()), (10, 16));
        assert_eq!(budget, MeshSize { vertices: 10, triangles: 0, influences: 20 });
        for (mut budget, part) in [
            (MeshSize { vertices: 19, ..enough }, "with its 10 vertices, all meshes together exceed the limit"),
            (MeshSize { triangles: 15, ..enough }, "with its 8 triangles, all meshes together exceed the limit"),
            (
                MeshSize { influences: 39, ..enough },
                "with its 20 morph displacements and joint weights, all meshes together exceed the limit",
            ),
        ] {
            let fault = MeshData::read(&contents, 0, &mut budget).err().unwrap();
            assert!(fault.place == "meshes[0].primitives[1]" && fault.problem.contains(part), "{fault:?}");
        }
    }

    #[test]
    fn zeros_of_morph_targets_are_counted() {
        let contents = contents(r#", "targets": [{}]"#);
        contents.numbers_left.set(100);
        let fault = MeshData::read(&contents, 0, &mut MeshSize::default()).err().unwrap();
        assert!(
            fault.place == "meshes[0].primitives[1]" && fault.problem.contains("numbers per file is exceeded"),
            "{fault:?}"
        );
    }
}
