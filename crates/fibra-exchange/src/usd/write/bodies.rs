//! Colliders and heads as animated prims: `Sphere`, `Capsule` and `Mesh`. Meshes of deforming colliders have animated points.

use super::layer::{AttributeId, Kind, Layer, PrimId};
use crate::shapes::{bounds, deformed, plane_in_body};
use fibra_core::appearance::{BodyAppearance, BodyShape};
use fibra_core::frame::{Frame, Pose};
use glam::Vec3;
use std::io::{self, Seek, Write};

/// The prim of a body.
pub(super) struct BodyPrim {
    translation: AttributeId,
    rotation: AttributeId,
    /// Attributes that change if the body deforms.
    deforming: Option<DeformingAttributes>,
}

/// The attributes of a deforming mesh that change from frame to frame.
struct DeformingAttributes {
    points: AttributeId,
    velocities: AttributeId,
    extent: AttributeId,
}

impl BodyPrim {
    /// Adds the prim of a body with the given pose in the first frame. Returns `None` if the body is invisible.
    pub(super) fn new<W: Write + Seek>(
        layer: &mut Layer<W>,
        (parent, name): (PrimId, &str),
        look: &BodyAppearance,
        first: &Frame,
        pose: &Pose,
    ) -> io::Result<Option<BodyPrim>> {
        let schema = match &look.shape {
            BodyShape::Unseen => return Ok(None),
            BodyShape::Ball { .. } => "Sphere",
            BodyShape::Capsule { .. } => "Capsule",
            BodyShape::Plane { .. } | BodyShape::Mesh { .. } | BodyShape::Deforming(_) => "Mesh",
        };
        let prim = layer.prim(parent, name, schema);
        let mut deforming = None;
        match &look.shape {
            BodyShape::Unseen => {}
            BodyShape::Ball { radius, .. } => {
                layer.constant(prim, "radius", &Kind::DOUBLE, &[f64::from(*radius)])?;
                layer.constant(prim, "extent", &Kind::FLOAT3S, &bounds(&[[0.0; 3]], *radius))?;
            }
            BodyShape::Capsule { half_height, radius } => {
                layer.token(prim, "axis", "Y");
                layer.constant(prim, "height", &Kind::DOUBLE, &[2.0 * f64::from(*half_height)])?;
                layer.constant(prim, "radius", &Kind::DOUBLE, &[f64::from(*radius)])?;
                let ends = [-half_height, *half_height].map(|y| [0.0, y, 0.0]);
                layer.constant(prim, "extent", &Kind::FLOAT3S, &bounds(&ends, *radius))?;
            }
            BodyShape::Plane { normal } => {
                let square = plane_in_body(*normal, first, pose);
                rigid_mesh(layer, prim, &square, [4].as_slice(), &[0, 1, 2, 3])?;
                layer.flag(prim, "doubleSided", true);
            }
            BodyShape::Mesh { positions, triangles } => {
                rigid_mesh(layer, prim, positions, &vec![3; triangles.len()], triangles.as_flattened())?;
            }
            BodyShape::Deforming(mesh) => {
                faces(layer, prim, &vec![3; mesh.triangles().len()], mesh.triangles().as_flattened())?;
                layer.flag(prim, "doubleSided", true);
                deforming = Some(DeformingAttributes {
                    points: layer.varying(prim, "points", &Kind::POINTS),
                    velocities: layer.varying(prim, "velocities", &Kind::VECTORS),
                    extent: layer.varying(prim, "extent", &Kind::FLOAT3S),
                });
            }
        }
        layer.constant_everywhere(prim, "primvars:displayColor", &Kind::COLORS, look.color.to_array())?;
        let translation = layer.varying(prim, "xformOp:translate", &Kind::DOUBLE3);
        let rotation = layer.varying(prim, "xformOp:orient", &Kind::QUATF);
        layer.transformations(prim, &["xformOp:translate", "xformOp:orient"])?;
        Ok(Some(BodyPrim { translation, rotation, deforming }))
    }

    /// Writes the pose of the body in a frame, and its vertices if it deforms.
    pub(super) fn set<W: Write + Seek>(
        &self,
        layer: &mut Layer<W>,
        look: &BodyAppearance,
        frame: &Frame,
        pose: &Pose,
    ) -> io::Result<()> {
        layer.set(self.translation, &[pose.translation.map(f64::from)])?;
        layer.set(self.rotation, &[pose.rotation])?;
        if let (Some(deforming), BodyShape::Deforming(mesh)) = (&self.deforming, &look.shape) {
            let (points, velocities) = deformed(mesh, frame.time);
            layer.set(deforming.points, &points)?;
            layer.set(deforming.velocities, &velocities)?;
            layer.set(deforming.extent, &bounds(&points, 0.0))?;
        }
        Ok(())
    }
}

fn rigid_mesh<W: Write + Seek>(
    layer: &mut Layer<W>,
    prim: PrimId,
    points: &[Vec3],
    counts: &[i32],
    corners: &[u32],
) -> io::Result<()> {
    let points: Vec<[f32; 3]> = points.iter().map(Vec3::to_array).collect();
    layer.constant(prim, "points", &Kind::POINTS, &points)?;
    layer.constant(prim, "extent", &Kind::FLOAT3S, &bounds(&points, 0.0))?;
    faces(layer, prim, counts, corners)
}

fn faces<W: Write + Seek>(layer: &mut Layer<W>, prim: PrimId, counts: &[i32], corners: &[u32]) -> io::Result<()> {
    layer.token(prim, "subdivisionScheme", "none");
    layer.constant(prim, "faceVertexCounts", &Kind::INTS, counts)?;
    layer.constant(prim, "faceVertexIndices", &Kind::INTS, corners)
}
