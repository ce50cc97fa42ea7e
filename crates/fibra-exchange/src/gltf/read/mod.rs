//! Reading glTF 2.0: the triangles of a scene, with node, target and skin animation.
//!
//! The reader is our own because every accessor of a damaged or hostile file must be checked before it is used.

mod accessor;
mod animation;
mod container;
mod document;
mod geometry;

use crate::error::Fault;
use crate::formats::Source;
use crate::recording::{Clock, MOST_AT_ONCE, Recording};
use crate::{ImportError, file};
use animation::{Movement, Pose};
use container::Contents;
use geometry::{MeshData, Room};
use glam::{DMat4, DQuat, DVec3};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Frames per second where the file's keys are further apart [1/s]; between keys nodes turn, which vertices follow in straight lines.
const USUAL_FPS: f64 = 60.0;

/// Most frames per second that keys can ask for [1/s].
const MOST_FPS: f64 = 240.0;

/// What a node's or a joint's matrix takes in each frame, counted in numbers.
const MATRIX: usize = 16;

/// An opened file.
pub(crate) struct GltfScene {
    path: PathBuf,
    contents: Contents,
    /// The node that each node hangs from.
    parents: Vec<Option<usize>>,
    /// Nodes of the scene, parents before their children.
    order: Vec<usize>,
}

/// A mesh where a node puts it.
struct Placed {
    node: usize,
    mesh: usize,
    skin: Option<usize>,
}

/// What is there to be placed; what many nodes use is there once.
struct Parts {
    placed: Vec<Placed>,
    meshes: HashMap<usize, MeshData>,
    skins: HashMap<usize, Bones>,
}

/// The joints of a skin, and the matrices into their frames.
struct Bones {
    joints: Vec<usize>,
    inverse_binds: Vec<DMat4>,
}

impl GltfScene {
    /// Opens a file, or takes its contents.
    pub fn of(source: &Source) -> Result<Self, ImportError> {
        match source.bytes {
            Some(bytes) => Self::parse(bytes, source.path),
            None => Self::parse(&file::read(source.path)?, source.path),
        }
    }

    /// A scene from the contents of a file; its buffers may be beside `path`.
    fn parse(bytes: &[u8], path: &Path) -> Result<Self, ImportError> {
        let contents = Contents::parse(bytes, path)?;
        let (parents, order) = tree(&contents).map_err(|fault| fault.in_file(path))?;
        Ok(Self { path: path.to_owned(), contents, parents, order })
    }

    /// The files of the buffers that a file names.
    pub fn files_named_by(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
        container::named_buffers(&file::read(path)?, path)
    }

    /// All meshes at the start, as a recording of one frame.
    pub fn mesh(&self, node: Option<&str>) -> Result<Recording, ImportError> {
        self.record(node, None, true).map_err(|fault| fault.in_file(&self.path))
    }

    /// All meshes from the first key to the last, at `fps` frames per second [1/s].
    pub fn animation(&self, node: Option<&str>, fps: Option<f64>) -> Result<Recording, ImportError> {
        self.record(node, fps, false).map_err(|fault| fault.in_file(&self.path))
    }

    fn record(&self, node: Option<&str>, fps: Option<f64>, only_start: bool) -> Result<Recording, Fault> {
        let parts = self.parts(node)?;
        let mut movement = Movement::read(&self.contents)?;
        let (start, end, finest) = movement.range().unwrap_or((0.0, 0.0, f64::INFINITY));
        let fps = fps.unwrap_or_else(|| (1.0 / finest).clamp(USUAL_FPS, MOST_FPS));
        let is_needed = self.needed(&parts);
        movement.keep(&is_needed);
        let order: Vec<usize> = self.order.iter().copied().filter(|node| is_needed[*node]).collect();
        let work = parts.work() + movement.work() + MATRIX * order.len();
        let clock = Clock::new(if only_start { 0.0 } else { end - start }, fps, parts.vertices(), work)?;

        let mut poses: Vec<Pose> = (0..is_needed.len()).map(|node| self.pose(node)).collect();
        let mut worlds = vec![DMat4::IDENTITY; poses.len()];
        let mut triangles = Vec::new();
        let mut frames = Vec::with_capacity(clock.frames());
        for second in clock.times() {
            movement.pose(start + second, &mut poses);
            for &node in &order {
                let above = self.parents[node].map_or(DMat4::IDENTITY, |parent| worlds[parent]);
                worlds[node] = above * poses[node].transform();
            }
            if frames.is_empty() {
                triangles = parts.triangles(&worlds);
            }
            frames.push(parts.frame(&poses, &worlds));
        }
        Ok(Recording::new(triangles, frames, fps))
    }

    /// The meshes of a node and those below it, with their skins.
    fn parts(&self, node: Option<&str>) -> Result<Parts, Fault> {
        let placed = self.placed(self.chosen(node)?)?;
        let (mut meshes, mut skins) = (HashMap::new(), HashMap::new());
        let mut room = Room::default();
        let (mut vertices, mut triangles) = (0usize, 0usize);
        for Placed { node, mesh, skin } in &placed {
            if !meshes.contains_key(mesh) {
                meshes.insert(*mesh, MeshData::read(&self.contents, *mesh, &mut room)?);
            }
            let data = &meshes[mesh];
            vertices += data.positions.len();
            triangles += data.triangles.len();
            if vertices.max(triangles) > MOST_AT_ONCE {
                let problem = format!("all nodes together have more than {MOST_AT_ONCE} vertices or triangles");
                return Err(Fault::new("nodes", problem, "choose one of them with `prim`"));
            }
            let Some(skin) = skin else { continue };
            if !skins.contains_key(skin) {
                skins.insert(*skin, self.bones(*skin)?);
            }
            let bones = skins[skin].joints.len();
            let most = data.joints.iter().flatten().map(|(joint, _)| *joint).max();
            if let Some(joint) = most.filter(|joint| *joint >= bones) {
                let problem = format!("its mesh uses joint {joint}, but its skin has {bones}");
                return Err(Fault::new(format!("nodes[{node}]"), problem, "export it again"));
            }
        }
        Ok(Parts { placed, meshes, skins })
    }

    /// Which nodes' matrices are needed: those with meshes, joints, and all above them.
    fn needed(&self, parts: &Parts) -> Vec<bool> {
        let mut is_needed = vec![false; self.parents.len()];
        let joints = parts.skins.values().flat_map(|bones| &bones.joints);
        parts.placed.iter().map(|placed| &placed.node).chain(joints).for_each(|node| is_needed[*node] = true);
        for &node in self.order.iter().rev() {
            if let Some(parent) = self.parents[node].filter(|_| is_needed[node]) {
                is_needed[parent] = true;
            }
        }
        is_needed
    }

    /// The nodes at or below those of a name, or all of the scene.
    fn chosen(&self, name: Option<&str>) -> Result<Vec<usize>, Fault> {
        let nodes = &self.contents.document.nodes;
        let Some(name) = name else { return Ok(self.order.clone()) };
        let mut is_chosen = vec![false; nodes.len()];
        for &node in &self.order {
            is_chosen[node] = nodes[node].name == name || self.parents[node].is_some_and(|parent| is_chosen[parent]);
        }
        let chosen: Vec<usize> = self.order.iter().copied().filter(|node| is_chosen[*node]).collect();
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        let names: Vec<&str> = self.order.iter().map(|node| nodes[*node].name.as_str()).take(8).collect();
        let problem = format!("there is no node `{name}`; there are {}", names.join(", "));
        Err(Fault::new("nodes", problem, "write the name of a node"))
    }

    /// The meshes of nodes.
    fn placed(&self, nodes: Vec<usize>) -> Result<Vec<Placed>, Fault> {
        let document = &self.contents.document;
        let mut placed = Vec::new();
        for node in nodes {
            let Some(mesh) = document.nodes[node].mesh else { continue };
            if mesh >= document.meshes.len() {
                return Err(Fault::new(
                    format!("nodes[{node}]"),
                    format!("there is no mesh {mesh}"),
                    "export it again",
                ));
            }
            placed.push(Placed { node, mesh, skin: document.nodes[node].skin });
        }
        if placed.is_empty() {
            return Err(Fault::new("nodes", "none of them has a mesh", "choose a node at or above one that has"));
        }
        Ok(placed)
    }

    fn bones(&self, index: usize) -> Result<Bones, Fault> {
        let place = format!("skins[{index}]");
        let refuse = |problem: &str| Fault::new(&place, problem, "the file is damaged; export it again");
        let document = &self.contents.document;
        let skin = document.skins.get(index).ok_or_else(|| refuse("there is no such skin"))?;
        if skin.joints.iter().any(|joint| *joint >= document.nodes.len()) {
            return Err(refuse("a joint is no node"));
        }
        let inverse_binds = match skin.inverse_bind_matrices {
            None => vec![DMat4::IDENTITY; skin.joints.len()],
            Some(accessor) => {
                let numbers = self.contents.numbers(accessor)?;
                let needed = numbers.groups::<16>(&place)?.iter().take(skin.joints.len());
                needed.map(DMat4::from_cols_array).collect()
            }
        };
        if inverse_binds.len() < skin.joints.len() {
            return Err(refuse("there are fewer inverse bind matrices than joints"));
        }
        Ok(Bones { joints: skin.joints.clone(), inverse_binds })
    }

    /// A node as the file has it.
    fn pose(&self, index: usize) -> Pose<'_> {
        let node = &self.contents.document.nodes[index];
        let mesh = node.mesh.and_then(|mesh| self.contents.document.meshes.get(mesh));
        Pose {
            matrix: node.matrix.map(|matrix| DMat4::from_cols_array(&matrix)),
            translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
            rotation: node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
            scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
            weights: Cow::Borrowed(node.weights.as_ref().or(mesh.map(|mesh| &mesh.weights)).map_or(&[], Vec::as_slice)),
        }
    }
}

impl Parts {
    fn data(&self) -> impl Iterator<Item = (&Placed, &MeshData)> {
        self.placed.iter().map(|placed| (placed, &self.meshes[&placed.mesh]))
    }

    fn vertices(&self) -> usize {
        self.data().map(|(_, data)| data.positions.len()).sum()
    }

    /// About the numbers that each frame takes.
    fn work(&self) -> usize {
        let bones: usize = self.skins.values().map(|bones| bones.joints.len()).sum();
        self.data().map(|(_, data)| data.work()).sum::<usize>() + MATRIX * bones
    }

    /// All triangles, right side out where nodes mirror them at the start.
    fn triangles(&self, worlds: &[DMat4]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        let mut first = 0;
        for (placed, data) in self.data() {
            let mirrored = worlds[placed.node].determinant() < 0.0 && placed.skin.is_none();
            triangles.extend(data.triangles.iter().map(|triangle| {
                let [a, b, c] = triangle.map(|corner| first + corner);
                if mirrored { [a, c, b] } else { [a, b, c] }
            }));
            first += data.positions.len() as u32;
        }
        triangles
    }

    /// Where all vertices are.
    fn frame(&self, poses: &[Pose], worlds: &[DMat4]) -> Vec<DVec3> {
        let matrices = |bones: &Bones| -> Vec<DMat4> {
            bones.joints.iter().zip(&bones.inverse_binds).map(|(joint, bind)| worlds[*joint] * *bind).collect()
        };
        let skins: HashMap<usize, Vec<DMat4>> =
            self.skins.iter().map(|(skin, bones)| (*skin, matrices(bones))).collect();
        let mut frame = Vec::with_capacity(self.vertices());
        for (placed, data) in self.data() {
            let joints = placed.skin.map(|skin| skins[&skin].as_slice());
            frame.extend(data.placed(worlds[placed.node], &poses[placed.node].weights, joints));
        }
        frame
    }
}

/// The parents of all nodes, and the nodes of the scene with parents before their children.
fn tree(contents: &Contents) -> Result<(Vec<Option<usize>>, Vec<usize>), Fault> {
    let document = &contents.document;
    let count = document.nodes.len();
    let mut parents = vec![None; count];
    for (index, node) in document.nodes.iter().enumerate() {
        for &child in &node.children {
            let problem = match parents.get_mut(child) {
                Some(parent @ None) if child != index => {
                    *parent = Some(index);
                    continue;
                }
                Some(_) => format!("its child {child} hangs from another node too"),
                None => format!("its child {child} does not exist"),
            };
            return Err(Fault::new(format!("nodes[{index}]"), problem, "the file is damaged; export it again"));
        }
    }
    let scene = document.scene.or(Some(0)).and_then(|scene| document.scenes.get(scene));
    let mut waiting: Vec<usize> = match scene {
        Some(scene) => scene.nodes.iter().rev().copied().collect(),
        None => (0..count).rev().filter(|node| parents[*node].is_none()).collect(),
    };
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    while let Some(node) = waiting.pop() {
        match seen.get_mut(node) {
            Some(seen @ false) => *seen = true,
            _ => {
                return Err(Fault::new(
                    "scenes",
                    format!("node {node} does not exist or is there twice"),
                    "export it again",
                ));
            }
        }
        order.push(node);
        waiting.extend(document.nodes[node].children.iter().rev());
    }
    Ok((parents, order))
}
