//! The meshes of curves and surfaces on the device: vertices of elements, elements of vertices, bending and pins. All refer to particles by id, so
//! sorting particles changes nothing here.

use super::bending::DeviceBending;
use crate::bending::Bends;
use crate::links::Corner;
use crate::mesh::{Meshes, Pin};
use crate::state::State;
use cubecl::prelude::*;
use fibra_core::geometry::{Collider, Contact, RigidPose, Shape, Sphere};
use fibra_gpu::colliders::{ColliderError, DeviceColliders};
use fibra_gpu::{Buffer, Gpu};

/// Meshes on a device.
#[derive(Clone, Debug)]
pub(super) struct DeviceMeshes {
    /// Id of the first element; vertices have smaller ids.
    pub(super) first_element: u32,
    /// Three vertex ids per element.
    pub(super) corners: Buffer<u32>,
    /// Rest shapes, as three numbers per element; see [`crate::mesh::RestShape`].
    pub(super) rest: Buffer<f32>,
    /// Three numbers for each point or vertex, by id: the start of its entries in `around`, the start of its entries in `bends`, and its index in
    /// `holds`. The index is counted from 1 and is 0 if the vertex is not pinned. A final entry holds the ends of the last ranges.
    pub(super) vertex: Buffer<u32>,
    /// Elements of each vertex, as `4 element + corner`; see [`Corner`].
    pub(super) around: Buffer<u32>,
    /// Hinges and joints of each vertex, as the codes of [`Bends`].
    pub(super) bends: Buffer<u32>,
    /// Hinges and joints.
    pub(super) bending: DeviceBending,
    /// Positions of pinned vertices in the frame of their pin [m], and the index of the pin.
    pub(super) holds: Buffer<f32>,
    /// The pins' motions, as colliders.
    pub(super) pins: DeviceColliders,
    /// Derivatives of each element's energy with respect to its edges [N], as six numbers per element.
    pub(super) edge_pulls: Buffer<f32>,
    /// Changes of vertices whose elements cut through colliders: displacement [m] and change of velocity [m/s], by vertex id.
    pub(super) pushes: Buffer<f32>,
}

/// Number of values per vertex in [`DeviceMeshes::vertex`].
pub(super) const VERTEX_NUMBERS: usize = 3;
/// Number of values per vertex in [`DeviceMeshes::pushes`].
pub(super) const PUSH_NUMBERS: usize = 6;
/// Number of values per pinned vertex in [`DeviceMeshes::holds`].
pub(super) const HOLD_NUMBERS: usize = 4;

impl DeviceMeshes {
    /// Uploads the meshes of a run whose particles are as in `state`; `None` without elements.
    pub(super) fn upload<R: Runtime>(
        gpu: &Gpu<R>,
        meshes: &Meshes,
        state: &State,
    ) -> Result<Option<DeviceMeshes>, ColliderError> {
        if meshes.corners.is_empty() {
            return Ok(None);
        }
        let p = &state.particles;
        let mut at = vec![0u32; p.len()];
        p.id.iter().enumerate().for_each(|(place, &id)| at[id as usize] = place as u32);
        let rest: Vec<f32> = (0..meshes.corners.len())
            .flat_map(|element| {
                let id = meshes.first_element + element as u32;
                let place = at[id as usize] as usize;
                match p.kind[place].is_element() {
                    true => {
                        let rest = meshes.rest_of(p.kind[place], id, p.memory[place]);
                        [rest.along, rest.shear, rest.across]
                    }
                    false => [0.0; 3],
                }
            })
            .collect();
        let mut around = vec![Vec::new(); p.len()];
        for (element, &corners) in meshes.corners.iter().enumerate() {
            if !p.kind[at[meshes.first_element as usize + element] as usize].is_element() {
                continue;
            }
            let segment = corners[1] == corners[2];
            let first = if segment { Corner::SegmentStart } else { Corner::TriangleFirst };
            let named = corners.iter().zip([first, Corner::Second, Corner::Third]);
            for (&vertex, corner) in named.take(if segment { 2 } else { 3 }) {
                around[vertex as usize].push(4 * element as u32 + corner as u32);
            }
        }
        // By id instead of by place.
        let mut bends = Bends::default();
        bends.rebuild(&meshes.bending, p.len(), |id| id);
        let mut hold_of = vec![0u32; p.len()];
        let mut holds: Vec<f32> = Vec::new();
        for (pin, Pin { vertices, pivot, .. }) in meshes.pins.iter().enumerate() {
            for &(vertex, start) in vertices {
                let [x, y, z] = (start - *pivot).as_vec3().to_array();
                holds.extend([x, y, z, pin as f32]);
                hold_of[vertex as usize] = (holds.len() / HOLD_NUMBERS) as u32;
            }
        }
        let (mut vertex, mut elements_of, mut codes) = (Vec::new(), Vec::new(), Vec::new());
        for id in 0..meshes.first_element as usize {
            vertex.extend([elements_of.len() as u32, codes.len() as u32, hold_of[id]]);
            elements_of.extend(&around[id]);
            codes.extend(bends.codes_of(id));
        }
        vertex.extend([elements_of.len() as u32, codes.len() as u32, 0]);
        let bodies = meshes.pins.iter().map(body_of).collect();
        Ok(Some(DeviceMeshes {
            first_element: meshes.first_element,
            corners: gpu.upload(meshes.corners.as_flattened()),
            rest: gpu.upload(&rest),
            vertex: gpu.upload(&vertex),
            around: gpu.upload(&elements_of),
            bends: gpu.upload(&codes),
            bending: DeviceBending::upload(gpu, &meshes.bending, &state.rods),
            holds: gpu.upload(&holds),
            pins: DeviceColliders::new(gpu, bodies)?,
            edge_pulls: gpu.upload(&vec![0.0; 6 * meshes.corners.len()]),
            pushes: gpu.upload(&vec![0.0; PUSH_NUMBERS * meshes.first_element as usize]),
        }))
    }

    /// Replaces the motions of the pins.
    pub(super) fn set_motions(&mut self, pins: &[Pin]) {
        self.pins.set_motions(pins.iter().map(|pin| body_of(pin).motion));
    }
}

/// Creates a collider that moves like a pin and starts at its pivot. A collider needs a shape; the shape used here is arbitrary.
fn body_of(pin: &Pin) -> Collider {
    Collider {
        name: String::new(),
        shape: Shape::Sphere(Sphere { radius: 1.0 }),
        rest: RigidPose::at(pin.pivot),
        motion: pin.motion.clone().about(pin.pivot),
        contact: Contact::Sticky,
        friction: 0.0,
    }
}
