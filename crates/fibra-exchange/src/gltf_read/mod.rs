//! Reading glTF 2.0: the triangles of a scene, with node, target and skin animation.
//!
//! The reader is our own because every accessor of a damaged or hostile file must be checked before it is used.

mod accessor;
mod animation;
mod container;
mod document;
mod geometry;

use crate::error::Fault;
use crate::recording::{Clock, MOST_AT_ONCE, Recording};
use crate::{ImportError, file};
use animation::{Movement, Pose};
use container::Contents;
use geometry::MeshData;
use glam::{DMat4, DQuat, DVec3};
use std::path::{Path, PathBuf};

/// Frames per second where the file's keys are further apart [1/s]; between keys nodes turn, which vertices follow in straight lines.
const USUAL_FPS: f64 = 60.0;

/// Most frames per second that keys can ask for [1/s].
const MOST_FPS: f64 = 240.0;

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
    skin: Option<Bones>,
}

/// The joints of a skin, and the matrices into their frames.
struct Bones {
    joints: Vec<usize>,
    inverse_binds: Vec<DMat4>,
}

impl GltfScene {
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        Self::parse(&file::read(path)?, path)
    }

    /// A scene from the contents of a file; its buffers may be beside `path`.
    pub fn parse(bytes: &[u8], path: &Path) -> Result<Self, ImportError> {
        let contents = Contents::parse(bytes, path)?;
        let (parents, order) = tree(&contents).map_err(|fault| fault.in_file(path))?;
        Ok(Self { path: path.to_owned(), contents, parents, order })
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
        let document = &self.contents.document;
        let placed = self.placed(self.chosen(node)?)?;
        let mut meshes: Vec<Option<MeshData>> = (0..document.meshes.len()).map(|_| None).collect();
        let (mut vertices, mut triangles) = (0usize, 0usize);
        for placed in &placed {
            if meshes[placed.mesh].is_none() {
                meshes[placed.mesh] = Some(MeshData::read(&self.contents, placed.mesh)?);
            }
            let data = meshes[placed.mesh].as_ref();
            vertices += data.map_or(0, |data| data.positions.len());
            triangles += data.map_or(0, |data| data.triangles.len());
            let bones = placed.skin.as_ref().map_or(0, |bones| bones.joints.len());
            let most = data.iter().flat_map(|data| &data.joints).flatten().map(|(joint, _)| *joint).max();
            if let (Some(joint), Some(_)) = (most.filter(|joint| *joint >= bones), &placed.skin) {
                let problem = format!("its mesh uses joint {joint}, but its skin has {bones}");
                return Err(Fault::new(format!("nodes[{}]", placed.node), problem, "export it again"));
            }
            if vertices.max(triangles) > MOST_AT_ONCE {
                let problem = format!("all nodes together have more than {MOST_AT_ONCE} vertices or triangles");
                return Err(Fault::new("nodes", problem, "choose one of them with `prim`"));
            }
        }
        let movement = Movement::read(&self.contents)?;
        let rest: Vec<Pose> = (0..document.nodes.len()).map(|node| self.pose(node)).collect();
        let (start, end, finest) = movement.range().unwrap_or((0.0, 0.0, f64::INFINITY));
        let fps = fps.unwrap_or_else(|| (1.0 / finest).clamp(USUAL_FPS, MOST_FPS));
        let clock = Clock::new(if only_start { 0.0 } else { end - start }, fps, vertices)?;

        let mut triangles = Vec::new();
        let mut frames = Vec::with_capacity(clock.frames());
        for second in clock.times() {
            let poses = movement.at(start + second, &rest);
            let worlds = self.worlds(&poses);
            let mut frame = Vec::new();
            for Placed { node, mesh, skin } in &placed {
                let Some(data) = &meshes[*mesh] else { continue };
                let world = worlds[*node];
                let joints: Option<Vec<DMat4>> = skin.as_ref().map(|bones| {
                    bones.joints.iter().zip(&bones.inverse_binds).map(|(joint, bind)| worlds[*joint] * *bind).collect()
                });
                if frames.is_empty() {
                    let first = frame.len() as u32;
                    let mirrored = world.determinant() < 0.0 && joints.is_none();
                    triangles.extend(data.triangles.iter().map(|triangle| {
                        let [a, b, c] = triangle.map(|corner| first + corner);
                        if mirrored { [a, c, b] } else { [a, b, c] }
                    }));
                }
                frame.extend(data.placed(world, &poses[*node].weights, joints.as_deref()));
            }
            frames.push(frame);
        }
        Ok(Recording::new(triangles, frames, fps))
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
            let skin = document.nodes[node].skin.map(|skin| self.bones(skin)).transpose()?;
            placed.push(Placed { node, mesh, skin });
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
                numbers.groups::<16>(&place)?.iter().map(DMat4::from_cols_array).collect()
            }
        };
        if inverse_binds.len() < skin.joints.len() {
            return Err(refuse("there are fewer inverse bind matrices than joints"));
        }
        Ok(Bones { joints: skin.joints.clone(), inverse_binds })
    }

    /// A node as the file has it.
    fn pose(&self, index: usize) -> Pose {
        let node = &self.contents.document.nodes[index];
        let mesh = node.mesh.and_then(|mesh| self.contents.document.meshes.get(mesh));
        Pose {
            matrix: node.matrix.map(|matrix| DMat4::from_cols_array(&matrix)),
            translation: node.translation.map_or(DVec3::ZERO, DVec3::from_array),
            rotation: node.rotation.map_or(DQuat::IDENTITY, DQuat::from_array),
            scale: node.scale.map_or(DVec3::ONE, DVec3::from_array),
            weights: node.weights.clone().or(mesh.map(|mesh| mesh.weights.clone())).unwrap_or_default(),
        }
    }

    /// The matrices from all nodes to the world.
    fn worlds(&self, poses: &[Pose]) -> Vec<DMat4> {
        let mut worlds = vec![DMat4::IDENTITY; poses.len()];
        for &node in &self.order {
            let above = self.parents[node].map_or(DMat4::IDENTITY, |parent| worlds[parent]);
            worlds[node] = above * poses[node].transform();
        }
        worlds
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
