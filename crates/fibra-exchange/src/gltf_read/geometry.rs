//! The meshes of a file: triangles, and what each vertex follows.

use super::container::Contents;
use super::document::Primitive;
use crate::error::Fault;
use glam::{DMat4, DVec3};
use std::collections::HashMap;

/// Most vertices that targets are counted for, so that a few bytes cannot stand for endless zeros.
const MOST_MOVES: usize = 1 << 26;

/// Bones that a vertex follows, in one set of attributes.
const PER_SET: usize = 4;

/// Deepest number of such sets.
const MOST_SETS: usize = 8;

/// A mesh with the vertices of all its primitives; those that agree in everything are one, so that a closed body is closed.
#[derive(Default)]
pub(super) struct MeshData {
    pub positions: Vec<DVec3>,
    pub triangles: Vec<[u32; 3]>,
    /// How far each target moves each vertex. [targets][vertices]
    pub targets: Vec<Vec<DVec3>>,
    /// Which joints each vertex follows, and how much; empty without a skin.
    pub joints: Vec<Vec<(usize, f64)>>,
}

impl MeshData {
    pub fn read(contents: &Contents, index: usize) -> Result<Self, Fault> {
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
            data.add(contents, primitive, mode, &place, &mut known)?;
        }
        Ok(data)
    }

    fn add(
        &mut self,
        contents: &Contents,
        primitive: &Primitive,
        mode: u32,
        place: &str,
        known: &mut HashMap<Vec<u64>, u32>,
    ) -> Result<(), Fault> {
        let refuse = |problem: String| Fault::new(place, problem, "the file is damaged; export it again");
        let places = |accessor: usize| -> Result<Vec<DVec3>, Fault> {
            let numbers = contents.numbers(accessor)?;
            Ok(numbers.groups::<3>(place)?.iter().map(|place| DVec3::from_array(*place)).collect())
        };
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            return Err(refuse("it has no POSITION".to_owned()));
        };
        let positions = places(positions)?;
        let count = positions.len();
        let targets = primitive.targets.len();
        if !self.positions.is_empty() && targets != self.targets.len() {
            return Err(refuse("its primitives differ in their targets".to_owned()));
        }
        if targets.saturating_mul(count) > MOST_MOVES {
            return Err(refuse(format!("{targets} targets of {count} vertices are too much")));
        }
        let mut moves = Vec::with_capacity(targets);
        for target in &primitive.targets {
            let own =
                target.get("POSITION").map_or_else(|| Ok(vec![DVec3::ZERO; count]), |&accessor| places(accessor))?;
            if own.len() != count {
                return Err(refuse(format!("a target has {} vertices instead of {count}", own.len())));
            }
            moves.push(own);
        }
        self.targets.resize_with(targets, Vec::new);
        let joints = joints(contents, primitive, count, place)?;
        let is_skinned = !joints.is_empty();
        if !self.positions.is_empty() && is_skinned == self.joints.is_empty() {
            return Err(refuse("only some of the mesh's primitives have joints".to_owned()));
        }

        let mut numbers = Vec::with_capacity(count);
        for vertex in 0..count {
            // Zeros of either sign are the same place.
            let bits = |place: DVec3| (place + DVec3::ZERO).to_array().map(f64::to_bits);
            let mut key = bits(positions[vertex]).to_vec();
            key.extend(moves.iter().flat_map(|moves| bits(moves[vertex])));
            let own_joints = joints.get(vertex).map_or(&[][..], Vec::as_slice);
            key.extend(own_joints.iter().flat_map(|(joint, weight)| [*joint as u64, weight.to_bits()]));
            let next = self.positions.len();
            let place = *known.entry(key).or_insert(next as u32);
            if place as usize == next {
                self.positions.push(positions[vertex]);
                self.targets.iter_mut().zip(&moves).for_each(|(all, own)| all.push(own[vertex]));
                if is_skinned {
                    self.joints.push(own_joints.to_vec());
                }
            }
            numbers.push(place);
        }

        let corners: Vec<u32> = match primitive.indices {
            None => numbers,
            Some(accessor) => {
                let indices = contents.numbers(accessor)?.values;
                let found: Option<Vec<u32>> =
                    indices.iter().map(|index| numbers.get(*index as usize).copied()).collect();
                found.ok_or_else(|| refuse(format!("an index is not below {count}, the number of vertices")))?
            }
        };
        let triangles: Vec<[u32; 3]> = match mode {
            4 if corners.len().is_multiple_of(3) => corners.as_chunks().0.to_vec(),
            4 => return Err(refuse(format!("{} indices make no triangles", corners.len()))),
            5 => {
                let strip = |(index, three): (usize, &[u32])| match index % 2 {
                    0 => [three[0], three[1], three[2]],
                    _ => [three[1], three[0], three[2]],
                };
                corners.windows(3).enumerate().map(strip).collect()
            }
            _ => corners.get(1..).unwrap_or_default().windows(2).map(|two| [corners[0], two[0], two[1]]).collect(),
        };
        // Triangles whose corners became one were only there to join others.
        self.triangles.extend(triangles.into_iter().filter(|[a, b, c]| a != b && b != c && c != a));
        Ok(())
    }
}

/// The joints and weights of each vertex, weights adding up to 1; empty where there are none.
fn joints(
    contents: &Contents,
    primitive: &Primitive,
    count: usize,
    place: &str,
) -> Result<Vec<Vec<(usize, f64)>>, Fault> {
    let mut all: Vec<Vec<(usize, f64)>> = Vec::new();
    for set in 0..MOST_SETS {
        let name = |what: &str| primitive.attributes.get(&format!("{what}_{set}")).copied();
        let (Some(joints), Some(weights)) = (name("JOINTS"), name("WEIGHTS")) else { break };
        let (joints, weights) = (contents.numbers(joints)?, contents.numbers(weights)?);
        let (joints, weights) = (joints.groups::<PER_SET>(place)?, weights.groups::<PER_SET>(place)?);
        if joints.len() != count || weights.len() != count {
            let problem = "there are not as many joints or weights as vertices";
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
    /// Where the vertices are, in the frame of `matrix`, with so much of each target, and with the joints' matrices where there
    /// is a skin.
    pub fn placed(&self, matrix: DMat4, weights: &[f64], joints: Option<&[DMat4]>) -> Vec<DVec3> {
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
