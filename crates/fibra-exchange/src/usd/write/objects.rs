//! The objects of a run as prims: surfaces as `Mesh`, curves as `BasisCurves`, points as `Points`, grains as `PointInstancer`.

use super::layer::{AttributeId, Kind, Layer, PrimId};
use super::names::valid_names;
use crate::layout::{CurvesLayout, ObjectLayout, Rows, SurfaceLayout};
use crate::shapes::{bounds, capsule_of, curve_radius};
use fibra_core::appearance::{GrainAppearance, ObjectAppearance};
use fibra_core::frame::Frame;
use fibra_core::geometry::smooth_normals;
use half::f16;
use std::io::{self, Seek, Write};

/// The prims of an object. Each is created in the first frame in which it has elements.
pub(super) struct ObjectPrims {
    prim: PrimId,
    surface: Option<SurfacePrim>,
    curves: Option<CurvesPrim>,
    points: Option<PointsPrim>,
    grains: Option<GrainsPrim>,
}

impl ObjectPrims {
    pub(super) fn new<W: Write + Seek>(
        layer: &mut Layer<W>,
        parent: PrimId,
        name: &str,
        look: &ObjectAppearance,
    ) -> ObjectPrims {
        let prim = layer.prim(parent, name, "Xform");
        layer.custom_string(prim, "userProperties:material", &look.material);
        ObjectPrims { prim, surface: None, curves: None, points: None, grains: None }
    }

    /// Writes the elements of the object in a frame. `layout_changed` is whether the layout differs from that of the previous frame.
    pub(super) fn set<W: Write + Seek>(
        &mut self,
        layer: &mut Layer<W>,
        look: &ObjectAppearance,
        frame: &Frame,
        layout: &ObjectLayout,
        layout_changed: bool,
    ) -> io::Result<()> {
        if self.surface.is_none() && !layout.surface.vertices.is_empty() {
            self.surface = Some(SurfacePrim::new(layer, self.prim, look)?);
        }
        if self.curves.is_none() && !layout.curves.vertices.is_empty() {
            self.curves = Some(CurvesPrim::new(layer, self.prim, look, frame, &layout.curves)?);
        }
        if self.points.is_none() && !layout.points.is_empty() {
            self.points = Some(PointsPrim::new(layer, self.prim, look)?);
        }
        if let (None, false, Some(grain)) = (&self.grains, layout.grains.is_empty(), &look.grain) {
            self.grains = Some(GrainsPrim::new(layer, self.prim, look, grain)?);
        }
        if let Some(surface) = &mut self.surface {
            surface.set(layer, frame, &layout.surface, layout_changed)?;
        }
        if let Some(curves) = &mut self.curves {
            curves.set(layer, frame, &layout.curves, layout_changed)?;
        }
        if let Some(points) = &mut self.points {
            points.set(layer, frame, &layout.points, layout_changed)?;
        }
        if let Some(grains) = &mut self.grains {
            grains.set(layer, frame, &layout.grains, layout_changed)?;
        }
        Ok(())
    }
}

/// The attributes common to all prims with points.
struct PointBased {
    prim: PrimId,
    points: AttributeId,
    velocities: AttributeId,
    extent: AttributeId,
    /// The primvar of each attribute of the frames, by name.
    primvars: Vec<(String, AttributeId)>,
    /// Radius around the points, by which `extent` exceeds their bounding box [m].
    margin: f32,
}

impl PointBased {
    fn new<W: Write + Seek>(
        layer: &mut Layer<W>,
        prim: PrimId,
        look: &ObjectAppearance,
        margin: f32,
    ) -> io::Result<PointBased> {
        let points = layer.varying(prim, "points", &Kind::POINTS);
        let velocities = layer.varying(prim, "velocities", &Kind::VECTORS);
        let extent = layer.varying(prim, "extent", &Kind::FLOAT3S);
        layer.set_before(extent, &bounds(&[], 0.0))?;
        layer.constant_everywhere(prim, "primvars:displayColor", &Kind::COLORS, look.color.to_array())?;
        Ok(PointBased { prim, points, velocities, extent, primvars: Vec::new(), margin })
    }

    fn set<W: Write + Seek>(&mut self, layer: &mut Layer<W>, frame: &Frame, rows: &Rows) -> io::Result<()> {
        let points = rows.of(&frame.points);
        layer.set(self.points, &points)?;
        layer.set(self.velocities, &rows.of(&frame.velocities))?;
        layer.set(self.extent, &bounds(&points, self.margin))?;
        for attribute in &frame.attributes {
            let values = rows.of(&attribute.values);
            let known = self.primvars.iter().find(|(name, _)| *name == attribute.name);
            let primvar = match known {
                Some((_, primvar)) => *primvar,
                // The attribute is undefined for this object.
                None if values.iter().all(|value| value.is_nan()) => continue,
                None => self.primvar(layer, &attribute.name, &attribute.unit),
            };
            layer.set(primvar, &values)?;
        }
        for (name, primvar) in &self.primvars {
            if frame.attributes.iter().all(|attribute| attribute.name != *name) {
                layer.set::<f32>(*primvar, &[])?;
            }
        }
        Ok(())
    }

    fn primvar<W: Write + Seek>(&mut self, layer: &mut Layer<W>, name: &str, unit: &str) -> AttributeId {
        let known = self.primvars.iter().map(|(name, _)| name.as_str());
        let names = valid_names(std::iter::once("displayColor").chain(known).chain([name]));
        let primvar = layer.varying(self.prim, &format!("primvars:{}", names[names.len() - 1]), &Kind::FLOATS);
        let (interpolation, unit) = (layer.file.token("vertex"), layer.file.string(&format!("[{unit}]")));
        layer.add_attribute_field(primvar, "interpolation", interpolation);
        layer.add_attribute_field(primvar, "documentation", unit);
        self.primvars.push((name.to_owned(), primvar));
        primvar
    }
}

struct SurfacePrim {
    body: PointBased,
    counts: AttributeId,
    corners: AttributeId,
    normals: AttributeId,
}

impl SurfacePrim {
    fn new<W: Write + Seek>(layer: &mut Layer<W>, parent: PrimId, look: &ObjectAppearance) -> io::Result<SurfacePrim> {
        let prim = layer.prim(parent, "surface", "Mesh");
        layer.flag(prim, "doubleSided", !look.is_skin);
        layer.token(prim, "subdivisionScheme", "none");
        let counts = layer.varying(prim, "faceVertexCounts", &Kind::INTS);
        let corners = layer.varying(prim, "faceVertexIndices", &Kind::INTS);
        let normals = layer.varying(prim, "normals", &Kind::NORMALS);
        let interpolation = layer.file.token("vertex");
        layer.add_attribute_field(normals, "interpolation", interpolation);
        Ok(SurfacePrim { body: PointBased::new(layer, prim, look, 0.0)?, counts, corners, normals })
    }

    fn set<W: Write + Seek>(
        &mut self,
        layer: &mut Layer<W>,
        frame: &Frame,
        surface: &SurfaceLayout,
        layout_changed: bool,
    ) -> io::Result<()> {
        if layout_changed {
            layer.set(self.counts, &vec![3i32; surface.triangles.len()])?;
            layer.set(self.corners, &surface.triangles)?;
        }
        self.body.set(layer, frame, &surface.vertices)?;
        layer.set(self.normals, &smooth_normals(&surface.vertices.of(&frame.points), &surface.triangles))
    }
}

struct CurvesPrim {
    body: PointBased,
    lengths: AttributeId,
}

impl CurvesPrim {
    fn new<W: Write + Seek>(
        layer: &mut Layer<W>,
        parent: PrimId,
        look: &ObjectAppearance,
        frame: &Frame,
        curves: &CurvesLayout,
    ) -> io::Result<CurvesPrim> {
        let radius = curve_radius(look, &curves.vertices.of(&frame.points), &curves.lengths);
        let prim = layer.prim(parent, "curves", "BasisCurves");
        layer.token(prim, "type", "linear");
        layer.token(prim, "wrap", "nonperiodic");
        layer.constant_everywhere(prim, "widths", &Kind::FLOATS, 2.0 * radius)?;
        let lengths = layer.varying(prim, "curveVertexCounts", &Kind::INTS);
        Ok(CurvesPrim { body: PointBased::new(layer, prim, look, radius)?, lengths })
    }

    fn set<W: Write + Seek>(
        &mut self,
        layer: &mut Layer<W>,
        frame: &Frame,
        curves: &CurvesLayout,
        layout_changed: bool,
    ) -> io::Result<()> {
        if layout_changed {
            layer.set(self.lengths, &curves.lengths)?;
        }
        self.body.set(layer, frame, &curves.vertices)
    }
}

struct PointsPrim {
    body: PointBased,
    ids: AttributeId,
}

impl PointsPrim {
    fn new<W: Write + Seek>(layer: &mut Layer<W>, parent: PrimId, look: &ObjectAppearance) -> io::Result<PointsPrim> {
        let prim = layer.prim(parent, "points", "Points");
        if look.grain.is_some() {
            // Grains are drawn instead of these points.
            layer.token(prim, "purpose", "guide");
        }
        if look.point_radius > 0.0 {
            layer.constant_everywhere(prim, "widths", &Kind::FLOATS, 2.0 * look.point_radius)?;
        }
        let ids = layer.varying(prim, "ids", &Kind::INT64S);
        Ok(PointsPrim { body: PointBased::new(layer, prim, look, look.point_radius)?, ids })
    }

    fn set<W: Write + Seek>(
        &mut self,
        layer: &mut Layer<W>,
        frame: &Frame,
        points: &Rows,
        layout_changed: bool,
    ) -> io::Result<()> {
        if layout_changed {
            layer.set(self.ids, &ids(points))?;
        }
        self.body.set(layer, frame, points)
    }
}

struct GrainsPrim {
    positions: AttributeId,
    orientations: AttributeId,
    prototypes: AttributeId,
    ids: AttributeId,
    extent: AttributeId,
    /// Radius of a grain's bounding sphere, by which `extent` exceeds the bounding box of the grain centers [m].
    margin: f32,
}

impl GrainsPrim {
    fn new<W: Write + Seek>(
        layer: &mut Layer<W>,
        parent: PrimId,
        look: &ObjectAppearance,
        grain: &GrainAppearance,
    ) -> io::Result<GrainsPrim> {
        let prim = layer.prim(parent, "grains", "PointInstancer");
        let shape = if grain.is_round {
            let shape = layer.prim(prim, "grain", "Capsule");
            let (radius, reach) = capsule_of(grain);
            layer.token(shape, "axis", "Z");
            layer.constant(shape, "height", &Kind::DOUBLE, &[2.0 * f64::from(reach)])?;
            layer.constant(shape, "radius", &Kind::DOUBLE, &[f64::from(radius)])?;
            layer.constant(
                shape,
                "extent",
                &Kind::FLOAT3S,
                &bounds(&[[0.0, 0.0, -reach], [0.0, 0.0, reach]], radius),
            )?;
            shape
        } else {
            let shape = layer.prim(prim, "grain", "Cube");
            layer.constant(shape, "size", &Kind::DOUBLE, &[1.0])?;
            layer.constant(shape, "extent", &Kind::FLOAT3S, &bounds(&[[0.0; 3]], 0.5))?;
            layer.constant(shape, "xformOp:scale", &Kind::FLOAT3, &[grain.size.to_array()])?;
            layer.transformations(shape, &["xformOp:scale"])?;
            shape
        };
        layer.constant_everywhere(shape, "primvars:displayColor", &Kind::COLORS, look.color.to_array())?;
        layer.relationship(prim, "prototypes", shape);
        let extent = layer.varying(prim, "extent", &Kind::FLOAT3S);
        layer.set_before(extent, &bounds(&[], 0.0))?;
        Ok(GrainsPrim {
            positions: layer.varying(prim, "positions", &Kind::POINTS),
            orientations: layer.varying(prim, "orientations", &Kind::QUATHS),
            prototypes: layer.varying(prim, "protoIndices", &Kind::INTS),
            ids: layer.varying(prim, "ids", &Kind::INT64S),
            extent,
            margin: 0.5 * grain.size.length(),
        })
    }

    fn set<W: Write + Seek>(
        &mut self,
        layer: &mut Layer<W>,
        frame: &Frame,
        grains: &Rows,
        layout_changed: bool,
    ) -> io::Result<()> {
        if layout_changed {
            layer.set(self.prototypes, &vec![0i32; grains.numbers().len()])?;
            layer.set(self.ids, &ids(grains))?;
        }
        let poses = grains.of(&frame.instances);
        let places: Vec<[f32; 3]> = poses.iter().map(|pose| pose.translation).collect();
        let turns: Vec<[u16; 4]> =
            poses.iter().map(|pose| pose.rotation.map(|part| f16::from_f32(part).to_bits())).collect();
        layer.set(self.positions, &places)?;
        layer.set(self.orientations, &turns)?;
        layer.set(self.extent, &bounds(&places, self.margin))
    }
}

/// Returns the ids of points or grains, which stay the same from frame to frame.
fn ids(rows: &Rows) -> Vec<i64> {
    rows.numbers().iter().map(|&number| number.into()).collect()
}
