//! Reading of glTF 2.0: the triangles of a scene, with node, morph target and skeletal animation.
//!
//! No glTF library is used because every accessor of a damaged or hostile file must be checked before use.

mod accessor;
mod animation;
mod container;
mod document;
mod geometry;

use crate::error::Fault;
use crate::formats::Source;
use crate::recording::{Clock, MAX_ELEMENTS, Recording};
use crate::{ImportError, file};
use animation::{Animations, Pose};
use container::Contents;
use geometry::{MeshData, MeshSize};
use glam::{DMat4, DQuat, DVec3};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Lowest default frame rate [1/s]. Between frames, vertices move in straight lines, so a lower rate would distort rotations.
const MIN_DEFAULT_FPS: f64 = 60.0;

/// Highest default frame rate, for closely spaced keyframes [1/s].
const MAX_DEFAULT_FPS: f64 = 240.0;

/// Estimated cost per frame of the matrix of a node or joint, as an equivalent number of computed values.
const MATRIX_COST: usize = 16;

/// An opened file.
pub(crate) struct GltfScene {
    path: PathBuf,
    contents: Contents,
    /// The parent of each node.
    parents: Vec<Option<usize>>,
    /// Nodes of the scene, parents before their children.
    order: Vec<usize>,
}

/// A mesh that a node instantiates.
struct MeshInstance {
    node: usize,
    mesh: usize,
    skin: Option<usize>,
}

/// The mesh instances to read. Meshes and skins that many nodes share are stored once.
struct Parts {
    instances: Vec<MeshInstance>,
    meshes: HashMap<usize, MeshData>,
    skins: HashMap<usize, Bones>,
}

/// The joints of a skin with their inverse bind matrices.
struct Bones {
    joints: Vec<usize>,
    inverse_binds: Vec<DMat4>,
}

impl GltfScene {
    /// Parses a file, or its contents if they are already in memory.
    pub fn of(source: &Source) -> Result<Self, ImportError> {
        match source.bytes {
            Some(bytes) => Self::parse(bytes, source.path),
            None => Self::parse(&file::read(source.path)?, source.path),
        }
    }

    /// Parses the contents of a file. Paths of external buffers are relative to `path`.
    fn parse(bytes: &[u8], path: &Path) -> Result<Self, ImportError> {
        let contents = Contents::parse(bytes, path)?;
        let (parents, order) = tree(&contents).map_err(|fault| fault.in_file(path))?;
        Ok(Self { path: path.to_owned(), contents, parents, order })
    }

    /// Returns the files of the buffers that a file refers to.
    pub fn files_named_by(path: &Path) -> Result<Vec<PathBuf>, ImportError> {
        container::named_buffers(&file::read(path)?, path)
    }

    /// Returns all meshes at the start as a recording of one frame.
    pub fn mesh(&self, node: Option<&str>) -> Result<Recording, ImportError> {
        self.record(node, None, true).map_err(|fault| fault.in_file(&self.path))
    }

    /// Returns all meshes from the first keyframe to the last, at `fps` frames per second [1/s].
    pub fn animation(&self, node: Option<&str>, fps: Option<f64>) -> Result<Recording, ImportError> {
        self.record(node, fps, false).map_err(|fault| fault.in_file(&self.path))
    }

    fn record(&self, node: Option<&str>, fps: Option<f64>, only_start: bool) -> Result<Recording, Fault> {
        let parts = self.parts(node)?;
        let mut animations = Animations::read(&self.contents)?;
        let (start, end, finest) = animations.range().unwrap_or((0.0, 0.0, f64::INFINITY));
        let fps = fps.unwrap_or_else(|| (1.0 / finest).clamp(MIN_DEFAULT_FPS, MAX_DEFAULT_FPS));
        let is_needed = self.needed(&parts);
        animations.retain(&is_needed);
        let order: Vec<usize> = self.order.iter().copied().filter(|node| is_needed[*node]).collect();
        let cost = parts.cost() + animations.cost() + MATRIX_COST * order.len();
        let clock = Clock::new(if only_start { 0.0 } else { end - start }, fps, parts.vertices(), cost)?;

        let mut poses: Vec<Pose> = (0..is_needed.len()).map(|node| self.pose(node)).collect();
        let mut worlds = vec![DMat4::IDENTITY; poses.len()];
        let mut triangles = Vec::new();
        let mut frames = Vec::with_capacity(clock.frames());
        for second in clock.times() {
            animations.pose(start + second, &mut poses);
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

    /// Reads the meshes and skins of a node and its descendants.
    fn parts(&self, node: Option<&str>) -> Result<Parts, Fault> {
        let instances = self.instances(self.chosen(node)?)?;
        let (mut meshes, mut skins) = (HashMap::new(), HashMap::new());
        let mut budget = MeshSize::default();
        let (mut vertices, mut triangles) = (0usize, 0usize);
        for MeshInstance { node, mesh, skin } in &instances {
            if !meshes.contains_key(mesh) {
                meshes.insert(*mesh, MeshData::read(&self.contents, *mesh, &mut budget)?);
            }
            let data = &meshes[mesh];
            vertices += data.positions.len();
            triangles += data.triangles.len();
            if vertices.max(triangles) > MAX_ELEMENTS {
                let problem = format!("all nodes together have more than {MAX_ELEMENTS} vertices or triangles");
                return Err(Fault::new("nodes", problem, "select one of them with `prim`"));
            }
            let Some(skin) = skin else { continue };
            if !skins.contains_key(skin) {
                skins.insert(*skin, self.bones(*skin)?);
            }
            let bones = skins[skin].joints.len();
            let highest = data.joints.iter().flatten().map(|(joint, _)| *joint).max();
            if let Some(joint) = highest.filter(|joint| *joint >= bones) {
                let problem = format!("its mesh uses joint {joint}, but its skin has {bones} joints");
                return Err(Fault::new(format!("nodes[{node}]"), problem, "export it again"));
            }
        }
        Ok(Parts { instances, meshes, skins })
    }

    /// Returns whether the matrix of each node is needed: nodes with meshes, joints, and the ancestors of both.
    fn needed(&self, parts: &Parts) -> Vec<bool> {
        let mut is_needed = vec![false; self.parents.len()];
        let joints = parts.skins.values().flat_map(|bones| &bones.joints);
        parts.instances.iter().map(|instances| &instances.node).chain(joints).for_each(|node| is_needed[*node] = true);
        for &node in self.order.iter().rev() {
            if let Some(parent) = self.parents[node].filter(|_| is_needed[node]) {
                is_needed[parent] = true;
            }
        }
        is_needed
    }

    /// Returns the nodes of this name and their descendants, or all nodes of the scene.
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
        let problem = format!("there is no node `{name}`; the first nodes are {}", names.join(", "));
        Err(Fault::new("nodes", problem, "give the name of an existing node"))
    }

    /// Returns the mesh instances of nodes.
    fn instances(&self, nodes: Vec<usize>) -> Result<Vec<MeshInstance>, Fault> {
        let document = &self.contents.document;
        let mut instances = Vec::new();
        for node in nodes {
            let Some(mesh) = document.nodes[node].mesh else { continue };
            if mesh >= document.meshes.len() {
                return Err(Fault::new(
                    format!("nodes[{node}]"),
                    format!("there is no mesh {mesh}"),
                    "export it again",
                ));
            }
            instances.push(MeshInstance { node, mesh, skin: document.nodes[node].skin });
        }
        if instances.is_empty() {
            return Err(Fault::new(
                "nodes",
                "none of them has a mesh",
                "select a node with a mesh, or an ancestor of one",
            ));
        }
        Ok(instances)
    }

    fn bones(&self, index: usize) -> Result<Bones, Fault> {
        let place = format!("skins[{index}]");
        let reject = |problem: &str| Fault::new(&place, problem, "the file is damaged; export it again");
        let document = &self.contents.document;
        let skin = document.skins.get(index).ok_or_else(|| reject("there is no such skin"))?;
        if skin.joints.iter().any(|joint| *joint >= document.nodes.len()) {
            return Err(reject("a joint does not exist"));
        }
        let inverse_binds = match skin.inverse_bind_matrices {
            None => vec![DMat4::IDENTITY; skin.joints.len()],
            Some(accessor) => {
                let numbers = self.contents.numbers(accessor)?;
                let needed = numbers.elements::<16>(&place)?.iter().take(skin.joints.len());
                needed.map(DMat4::from_cols_array).collect()
            }
        };
        if inverse_binds.len() < skin.joints.len() {
            return Err(reject("there are fewer inverse bind matrices than joints"));
        }
        Ok(Bones { joints: skin.joints.clone(), inverse_binds })
    }

    /// Returns the pose of a node without animation.
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
    fn data(&self) -> impl Iterator<Item = (&MeshInstance, &MeshData)> {
        self.instances.iter().map(|instances| (instances, &self.meshes[&instances.mesh]))
    }

    fn vertices(&self) -> usize {
        self.data().map(|(_, data)| data.positions.len()).sum()
    }

    /// Returns the estimated cost of a frame, as an equivalent number of computed values.
    fn cost(&self) -> usize {
        let bones: usize = self.skins.values().map(|bones| bones.joints.len()).sum();
        self.data().map(|(_, data)| data.cost()).sum::<usize>() + MATRIX_COST * bones
    }

    /// Returns all triangles. Triangles of nodes that mirror their mesh at the start are flipped, so that they face outward.
    fn triangles(&self, worlds: &[DMat4]) -> Vec<[u32; 3]> {
        let mut triangles = Vec::new();
        let mut first = 0;
        for (instances, data) in self.data() {
            let mirrored = worlds[instances.node].determinant() < 0.0 && instances.skin.is_none();
            triangles.extend(data.triangles.iter().map(|triangle| {
                let [a, b, c] = triangle.map(|corner| first + corner);
                if mirrored { [a, c, b] } else { [a, b, c] }
            }));
            first += data.positions.len() as u32;
        }
        triangles
    }

    /// Returns the positions of all vertices.
    fn frame(&self, poses: &[Pose], worlds: &[DMat4]) -> Vec<DVec3> {
        let matrices = |bones: &Bones| -> Vec<DMat4> {
            bones.joints.iter().zip(&bones.inverse_binds).map(|(joint, bind)| worlds[*joint] * *bind).collect()
        };
        let skins: HashMap<usize, Vec<DMat4>> =
            self.skins.iter().map(|(skin, bones)| (*skin, matrices(bones))).collect();
        let mut frame = Vec::with_capacity(self.vertices());
        for (instances, data) in self.data() {
            let joints = instances.skin.map(|skin| skins[&skin].as_slice());
            frame.extend(data.transformed(worlds[instances.node], &poses[instances.node].weights, joints));
        }
        frame
    }
}

/// Returns the parents of all nodes, and the nodes of the scene with parents before their children.
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
                Some(_) => format!("its child {child} has more than one parent"),
                None => format!("its child {child} does not exist"),
            };
            return Err(Fault::new(format!("nodes[{index}]"), problem, "the file is damaged; export it again"));
        }
    }
    let scene = document.scene.or(Some(0)).and_then(|scene| document.scenes.get(scene));
    let mut stack: Vec<usize> = match scene {
        Some(scene) => scene.nodes.iter().rev().copied().collect(),
        None => (0..count).rev().filter(|node| parents[*node].is_none()).collect(),
    };
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    while let Some(node) = stack.pop() {
        match seen.get_mut(node) {
            Some(seen @ false) => *seen = true,
            _ => {
                return Err(Fault::new(
                    "scenes",
                    format!("node {node} does not exist or occurs twice"),
                    "export it again",
                ));
            }
        }
        order.push(node);
        stack.extend(document.nodes[node].children.iter().rev());
    }
    Ok((parents, order))
}
