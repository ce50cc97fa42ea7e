//! The meshes of a file: triangles, and what each vertex follows.

use super::container::Contents;
use super::document::Primitive;
use crate::error::Fault;
use crate::recording::MOST_AT_ONCE;
use glam::{DMat4, DVec3};
use std::collections::HashMap;

/// Most targets and joints of all vertices together, so that a few bytes cannot stand for endless zeros.
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
    /// How many joints all vertices follow.
    pairs: usize,
}

/// How much may still be read into meshes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Room {
    vertices: usize,
    triangles: usize,
    moves: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self { vertices: MOST_AT_ONCE, triangles: MOST_AT_ONCE, moves: MOST_MOVES }
    }
}

impl Room {
    /// What is left beside something that is read; refused where that is too much.
    fn without(self, used: Self, place: &str) -> Result<Self, Fault> {
        let left = |most: usize, used: usize, what: &str| {
            most.checked_sub(used).ok_or_else(|| {
                let problem = format!("its {used} {what} are too many, with those before it");
                Fault::new(place, problem, "choose a part with `prim`, or export less at a time")
            })
        };
        Ok(Self {
            vertices: left(self.vertices, used.vertices, "vertices")?,
            triangles: left(self.triangles, used.triangles, "triangles")?,
            moves: left(self.moves, used.moves, "targets and joints of all vertices")?,
        })
    }
}

impl MeshData {
    /// Reads a mesh, and takes what it needs from `room`.
    pub fn read(contents: &Contents, index: usize, room: &mut Room) -> Result<Self, Fault> {
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
            // What a primitive may add is known before it is read, what it does add only afterwards.
            room.without(needed(contents, primitive, mode)?, &place)?;
            let before = data.size();
            data.add(contents, primitive, mode, &place, &mut known)?;
            let after = data.size();
            let added = Room {
                vertices: after.vertices - before.vertices,
                triangles: after.triangles - before.triangles,
                moves: after.moves - before.moves,
            };
            *room = room.without(added, &place)?;
        }
        Ok(data)
    }

    /// What the mesh takes.
    fn size(&self) -> Room {
        let vertices = self.positions.len();
        Room { vertices, triangles: self.triangles.len(), moves: vertices * self.targets.len() + self.pairs }
    }

    /// About the numbers that each frame of the mesh takes.
    pub fn work(&self) -> usize {
        self.size().vertices + self.size().moves
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
        let mut moves = Vec::with_capacity(targets);
        for target in &primitive.targets {
            let own = match target.get("POSITION") {
                Some(&accessor) => places(accessor)?,
                None => {
                    contents.spend(3 * count, place)?;
                    vec![DVec3::ZERO; count]
                }
            };
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
                    self.pairs += own_joints.len();
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

/// The most that a primitive can add to its mesh.
fn needed(contents: &Contents, primitive: &Primitive, mode: u32) -> Result<Room, Fault> {
    let count = |accessor: Option<usize>| accessor.map_or(Ok(0), |accessor| contents.count(accessor));
    let vertices = count(primitive.attributes.get("POSITION").copied())?;
    let corners = if primitive.indices.is_some() { count(primitive.indices)? } else { vertices };
    let triangles = if mode == 4 { corners / 3 } else { corners.saturating_sub(2) };
    let sets = (0..MOST_SETS).filter(|set| primitive.attributes.contains_key(&format!("JOINTS_{set}"))).count();
    let moves = vertices.saturating_mul(primitive.targets.len() + PER_SET * sets);
    Ok(Room { vertices, triangles, moves })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// Two primitives of the same strip of 10 different places and 8 triangles.
    fn contents(more: &str) -> Contents {
        let places: Vec<f32> = (0..10u8).flat_map(|i| [f32::from(i), f32::from(i % 2), 0.0]).collect();
        let bytes: Vec<u8> = places.iter().flat_map(|number| number.to_le_bytes()).collect();
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
    fn meshes_take_no_more_than_there_is_room_for() {
        let contents = contents(r#", "targets": [{}, {}]"#);
        let enough = Room { vertices: 20, triangles: 16, moves: 40 };
        let mut room = enough;
        let data = MeshData::read(&contents, 0, &mut room).unwrap();
        // Vertices that are the same are kept once.
        assert_eq!((data.positions.len(), data.triangles.len()), (10, 16));
        assert_eq!(room, Room { vertices: 10, triangles: 0, moves: 20 });
        for (mut room, part) in [
            (Room { vertices: 19, ..enough }, "its 10 vertices are too many"),
            (Room { triangles: 15, ..enough }, "its 8 triangles are too many"),
            (Room { moves: 39, ..enough }, "its 20 targets and joints of all vertices are too many"),
        ] {
            let fault = MeshData::read(&contents, 0, &mut room).err().unwrap();
            assert!(fault.place == "meshes[0].primitives[1]" && fault.problem.contains(part), "{fault:?}");
        }
    }

    #[test]
    fn zeros_of_targets_are_counted() {
        let contents = contents(r#", "targets": [{}]"#);
        contents.numbers_left.set(100);
        let fault = MeshData::read(&contents, 0, &mut Room::default()).err().unwrap();
        assert!(
            fault.place == "meshes[0].primitives[1]" && fault.problem.contains("numbers are read in all"),
            "{fault:?}"
        );
    }
}
