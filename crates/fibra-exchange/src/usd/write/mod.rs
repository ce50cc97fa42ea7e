//! Export of runs as USD: one `.usdc` file with the whole run as a stage.
//!
//! ```text
//! /NAME                             Xform at the run's origin; in meters, y up
//!   objects/OBJECT/surface          Mesh: triangles, with normals
//!                  curves           BasisCurves: linear, with widths
//!                  points           Points: all points outside triangles and segments
//!                  grains           PointInstancer of a capsule or a box
//!   colliders/BODY                  Sphere, Capsule or Mesh, animated
//! ```
//! The time code of a sample is the frame number. Attributes that change are sampled at every frame; constant attributes are written once. Velocities [m/s]
//! are standard attributes, and the run's own attributes are primvars. Each frame is written immediately, so memory holds about two frames.

mod bodies;
mod coding;
mod crate_file;
mod layer;
mod names;
mod objects;
#[cfg(test)]
mod tests;

use crate::layout::Layout;
use bodies::BodyPrim;
use fibra_core::appearance::Appearance;
use fibra_core::frame::Frame;
use layer::{AttributeId, Kind, Layer, PrimId};
use names::{valid_name, valid_names};
use objects::ObjectPrims;
use std::io::{self, Seek, Write};

/// Writes a stage frame by frame.
pub struct StageWriter<W> {
    layer: Layer<W>,
    appearance: Appearance,
    root: PrimId,
    origin: AttributeId,
    objects: Vec<ObjectPrims>,
    /// Colliders and heads. Created with the first frame, because its extent determines the size of the squares that represent planes.
    bodies: Vec<Option<BodyPrim>>,
    layout: Layout,
}

/// The reason why a stage cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum StageError {
    /// The operating system reported an error.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// A frame refers to an object that does not exist in the scene.
    #[error("frame {frame} refers to object {object}, but the scene has only {available} objects")]
    NoObject {
        /// The frame's number.
        frame: u32,
        /// The object's index.
        object: usize,
        /// The number of objects in the scene.
        available: usize,
    },
    /// The frames are not in increasing order.
    #[error("frame {frame} was added after frame {before}; frames must be added in increasing order")]
    Order {
        /// The frame's number.
        frame: u32,
        /// The number of the previous frame.
        before: f64,
    },
    /// The frame rate is not positive and finite [1/s].
    #[error("the frame rate is {0} frames per second; it must be finite and above 0")]
    Rate(f64),
}

impl<W: Write + Seek> StageWriter<W> {
    /// Begins a stage. The root prim is named `name`; characters that USD does not allow are replaced by underscores.
    pub fn new(out: W, name: &str, appearance: Appearance) -> Result<StageWriter<W>, StageError> {
        let rate = appearance.frames_per_second;
        if !(rate.is_finite() && rate > 0.0) {
            return Err(StageError::Rate(rate));
        }
        let mut layer = Layer::new(out)?;
        let name = valid_name(name);
        let written_by = format!("Written by fibra {}", env!("CARGO_PKG_VERSION"));
        let fields = [
            ("documentation", layer.file.string(&written_by)),
            ("defaultPrim", layer.file.token(&name)),
            ("upAxis", layer.file.token("Y")),
            ("metersPerUnit", layer.file.double(1.0)?),
            ("timeCodesPerSecond", layer.file.double(rate)?),
            ("framesPerSecond", layer.file.double(rate)?),
        ];
        for (field, value) in fields {
            layer.add_field(Layer::<W>::ROOT, field, value);
        }
        let root = layer.prim(Layer::<W>::ROOT, &name, "Xform");
        let kind = layer.file.token("component");
        layer.add_field(root, "kind", kind);
        let origin = layer.varying(root, "xformOp:translate", &Kind::DOUBLE3);
        layer.transformations(root, &["xformOp:translate"])?;

        let parent = layer.prim(root, "objects", "Scope");
        let names = valid_names(appearance.objects.iter().map(|object| object.name.as_str()));
        let prims =
            names.iter().zip(&appearance.objects).map(|(name, look)| ObjectPrims::new(&mut layer, parent, name, look));
        let objects = prims.collect();
        Ok(StageWriter { layer, appearance, root, origin, objects, bodies: Vec::new(), layout: Layout::default() })
    }

    /// Adds the next frame.
    pub fn add(&mut self, frame: &Frame) -> Result<(), StageError> {
        let time = f64::from(frame.index);
        match self.layer.times().last() {
            None => self.add_bodies(frame)?,
            Some(&before) if before >= time => return Err(StageError::Order { frame: frame.index, before }),
            Some(_) => {}
        }
        let layout_changed = self.layer.times().is_empty() || !self.layout.fits(frame);
        if layout_changed {
            let available = self.objects.len();
            let no_object = |object| StageError::NoObject { frame: frame.index, object, available };
            self.layout = Layout::of(frame, available).map_err(no_object)?;
        }
        self.layer.set(self.origin, &[frame.origin])?;
        for ((prims, look), layout) in self.objects.iter_mut().zip(&self.appearance.objects).zip(&self.layout.objects) {
            prims.set(&mut self.layer, look, frame, layout, layout_changed)?;
        }
        for ((prim, look), pose) in self.bodies.iter().zip(&self.appearance.bodies).zip(&frame.colliders) {
            if let Some(prim) = prim {
                prim.set(&mut self.layer, look, frame, pose)?;
            }
        }
        self.layer.end_frame(time);
        Ok(())
    }

    fn add_bodies(&mut self, frame: &Frame) -> io::Result<()> {
        let bodies = &self.appearance.bodies;
        if bodies.is_empty() {
            return Ok(());
        }
        let parent = self.layer.prim(self.root, "colliders", "Scope");
        let names = valid_names(bodies.iter().map(|body| body.name.as_str()));
        for ((look, name), pose) in bodies.iter().zip(&names).zip(&frame.colliders) {
            self.bodies.push(BodyPrim::new(&mut self.layer, (parent, name), look, frame, pose)?);
        }
        Ok(())
    }

    /// Returns the number of bytes written so far.
    pub fn bytes(&self) -> u64 {
        self.layer.file.position()
    }

    /// Completes the stage and returns the output.
    pub fn finish(mut self) -> Result<W, StageError> {
        let times = self.layer.times();
        if let (Some(&first), Some(&last)) = (times.first(), times.last()) {
            for (field, time) in [("startTimeCode", first), ("endTimeCode", last)] {
                let value = self.layer.file.double(time)?;
                self.layer.add_field(Layer::<W>::ROOT, field, value);
            }
        }
        Ok(self.layer.finish()?)
    }
}
