//! Transforms of prims: the product of their transform operations.

use super::attribute::Between;
use super::stage::{Prim, Stage};
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use glam::{DMat4, DQuat, DVec3};
use std::rc::Rc;

/// The attribute that lists the transform operations in order.
pub(super) const ORDER: &str = "xformOpOrder";

/// The prefix of an inverted operation.
const INVERSE: &str = "!invert!";

/// The operation that discards the transforms of all ancestors.
const RESET: &str = "!resetXformStack!";

impl Stage {
    /// Returns the matrix from local coordinates of the last prim of `line` to stage coordinates at a time.
    pub fn to_world(&self, line: &[Rc<Prim>], t: f64) -> Result<DMat4, ImportError> {
        let mut matrix = DMat4::IDENTITY;
        for prim in line {
            let (own, resets) = self.own_transform(prim, t)?;
            matrix = if resets { own } else { matrix * own };
        }
        Ok(matrix)
    }

    /// Returns the names of the transform operations of a prim, in order.
    pub fn operations(&self, prim: &Prim) -> Result<Vec<String>, ImportError> {
        Ok(match self.value(prim, ORDER, 0.0, Between::Held)? {
            Some(Value::Words(words)) => words,
            _ => Vec::new(),
        })
    }

    fn own_transform(&self, prim: &Prim, t: f64) -> Result<(DMat4, bool), ImportError> {
        let mut matrix = DMat4::IDENTITY;
        let mut resets = false;
        for name in self.operations(prim)? {
            if name == RESET {
                (matrix, resets) = (DMat4::IDENTITY, true);
                continue;
            }
            let (inverse, name) = name.strip_prefix(INVERSE).map_or((false, name.as_str()), |name| (true, name));
            let operation = self.operation(prim, name, t)?;
            matrix *= if inverse { operation.inverse() } else { operation };
        }
        if matrix.is_finite() {
            return Ok((matrix, resets));
        }
        Err(Fault::new(&prim.path, "its transform is not finite", "correct its xformOps").in_file(self.file()))
    }

    fn operation(&self, prim: &Prim, name: &str, t: f64) -> Result<DMat4, ImportError> {
        let kind = name.split(':').nth(1).unwrap_or_default();
        let between = match kind {
            "orient" => Between::Slerp,
            _ => Between::Linear,
        };
        // An operation without a value is the identity.
        let Some(value) = self.value(prim, name, t, between)? else { return Ok(DMat4::IDENTITY) };
        let numbers = match &value {
            Value::Numbers(numbers) => numbers.as_slice(),
            _ => &[],
        };
        let rotation = |axis: DVec3, degrees: f64| DMat4::from_axis_angle(axis, degrees.to_radians());
        let rotations = |order: &str, angles: [f64; 3]| {
            // `XYZ` rotates about x first, so x is the last factor.
            order.bytes().rev().fold(DMat4::IDENTITY, |product, axis| {
                let axis = usize::from(axis.clamp(b'X', b'Z') - b'X');
                product * rotation(DVec3::AXES[axis], angles[axis])
            })
        };
        match (kind, numbers) {
            ("translate", &[x, y, z]) => Ok(DMat4::from_translation(DVec3::new(x, y, z))),
            ("translateX", &[x]) => Ok(DMat4::from_translation(x * DVec3::X)),
            ("translateY", &[y]) => Ok(DMat4::from_translation(y * DVec3::Y)),
            ("translateZ", &[z]) => Ok(DMat4::from_translation(z * DVec3::Z)),
            ("scale", &[x, y, z]) => Ok(DMat4::from_scale(DVec3::new(x, y, z))),
            ("scaleX", &[x]) => Ok(DMat4::from_scale(DVec3::new(x, 1.0, 1.0))),
            ("scaleY", &[y]) => Ok(DMat4::from_scale(DVec3::new(1.0, y, 1.0))),
            ("scaleZ", &[z]) => Ok(DMat4::from_scale(DVec3::new(1.0, 1.0, z))),
            ("rotateX", &[angle]) => Ok(rotation(DVec3::X, angle)),
            ("rotateY", &[angle]) => Ok(rotation(DVec3::Y, angle)),
            ("rotateZ", &[angle]) => Ok(rotation(DVec3::Z, angle)),
            ("rotateXYZ" | "rotateXZY" | "rotateYXZ" | "rotateYZX" | "rotateZXY" | "rotateZYX", &[x, y, z]) => {
                Ok(rotations(&kind["rotate".len()..], [x, y, z]))
            }
            ("orient", &[w, x, y, z]) => {
                let quaternion = DQuat::from_xyzw(x, y, z, w);
                let length = quaternion.length();
                let valid = length > 0.0 && length.is_finite();
                Ok(DMat4::from_quat(if valid { quaternion / length } else { DQuat::IDENTITY }))
            }
            // USD matrices multiply row vectors: their rows are the columns of a matrix that multiplies column vectors.
            ("transform", _) if numbers.len() == 16 => Ok(DMat4::from_cols_array(&std::array::from_fn(|i| numbers[i]))),
            _ => {
                let problem = format!("the transform operation `{name}` is unknown or has a wrong number of values");
                let remedy = "allowed operations are translate, scale, rotation about axes, orient and transform";
                Err(Fault::new(&prim.path, problem, remedy).in_file(self.file()))
            }
        }
    }
}
