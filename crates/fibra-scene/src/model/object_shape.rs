//! Initial shapes of objects: solids filled with particles, surfaces for cloth, curves for fibers, clouds for elastons.

use super::cloud_shape::CloudShape;
use super::curve::CurveShape;
use super::extent;
use super::memory::Amount;
use super::scene::Vec3;
use super::shape::Shape;
use super::surface::SurfaceShape;
use schemars::JsonSchema;
use serde::de::value::StringDeserializer;
use serde::de::{DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, VariantAccess, Visitor};
use serde::{Deserialize, Serialize, forward_to_deserialize_any};
use std::fmt::{Display, Formatter, Result as FmtResult};

/// Default length of cloth and fiber elements, in grid cells [-]. The method works best if no element is longer than a cell
/// [Jiang2017, Sec. 6.1]. The diagonal of a square of 0.7 cells is just shorter than a cell.
pub(crate) const LENGTH_IN_CELLS: f64 = 0.7;

/// The names of surfaces, then curves, then clouds.
const OTHERS: &[&str] = &[
    "sheet",
    "curtain",
    "bear",
    "surface-mesh",
    "tube",
    "strands",
    "hair-tube",
    "carpet",
    "fiber-bundle",
    "knit",
    "knit-tube",
    "sweater",
    "poncho",
    "rod-bundle",
    "scalp",
    "overhand-knot",
    "loop-rails",
    "curve-file",
    "hairstyle",
    "hair-file",
    "helix",
    "cloud",
];
/// The names of all shapes: solids, then [`OTHERS`].
const NAMES: &[&str] = &{
    let mut names = [""; FIRST_SURFACE + OTHERS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = if i < FIRST_SURFACE { Shape::NAMES[i] } else { OTHERS[i - FIRST_SURFACE] };
        i += 1;
    }
    names
};
const FIRST_SURFACE: usize = Shape::NAMES.len();
const FIRST_CURVES: usize = FIRST_SURFACE + 5;
const FIRST_CLOUD: usize = FIRST_CURVES + 16;

/// Initial shape of an object, written as `shape.NAME = { ... }`: a solid, a surface for cloth, curves for fibers, rods and hair, or a cloud of
/// pieces. Method `elastons` accepts all shapes.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum ObjectShape {
    /// A solid. Shapes that are for colliders only are not allowed.
    Solid(Shape),
    /// A triangulated surface.
    Surface(SurfaceShape),
    /// Polylines.
    Curves(CurveShape),
    /// Points with radii.
    Cloud(CloudShape),
}

/// Kind of a shape: solid, surface, curves or cloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A volume.
    Solid,
    /// An area.
    Surface,
    /// Curves.
    Curves,
    /// Points with radii.
    Cloud,
}

impl Form {
    /// Returns the names of the shapes of this form that objects may have.
    pub fn shapes(self) -> &'static [&'static str] {
        match self {
            Form::Solid => &NAMES[Shape::FOR_COLLIDERS..FIRST_SURFACE],
            Form::Surface => &NAMES[FIRST_SURFACE..FIRST_CURVES],
            Form::Curves => &NAMES[FIRST_CURVES..FIRST_CLOUD],
            Form::Cloud => &NAMES[FIRST_CLOUD..],
        }
    }
}

impl Display for Form {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str(match self {
            Form::Solid => "a solid",
            Form::Surface => "a surface",
            Form::Curves => "curves",
            Form::Cloud => "a cloud",
        })
    }
}

impl ObjectShape {
    /// Returns the form of the shape.
    pub fn form(&self) -> Form {
        match self {
            ObjectShape::Solid(_) => Form::Solid,
            ObjectShape::Surface(_) => Form::Surface,
            ObjectShape::Curves(_) => Form::Curves,
            ObjectShape::Cloud(_) => Form::Cloud,
        }
    }

    /// Returns the name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            ObjectShape::Solid(shape) => shape.name(),
            ObjectShape::Surface(shape) => shape.name(),
            ObjectShape::Curves(shape) => shape.name(),
            ObjectShape::Cloud(CloudShape::Cloud(_)) => "cloud",
        }
    }

    /// Returns the center of the initial rotation [m].
    pub fn center(&self) -> Vec3 {
        match self {
            ObjectShape::Solid(shape) => shape.center(),
            ObjectShape::Surface(shape) => shape.place()[0],
            ObjectShape::Curves(shape) => shape.place()[0],
            ObjectShape::Cloud(CloudShape::Cloud(cloud)) => cloud.translate,
        }
    }

    /// Estimates the amount of material of the shape as far as known before generation. `length` [m] is the default element length.
    pub(crate) fn amount(&self, length: f64) -> Amount {
        match self {
            ObjectShape::Solid(shape) => Amount { volume: extent::volume(shape).unwrap_or(0.0), ..Amount::default() },
            ObjectShape::Surface(shape) => Amount { mesh_particles: shape.particles(length), ..Amount::default() },
            ObjectShape::Curves(shape) => Amount { mesh_particles: shape.particles(length), ..Amount::default() },
            ObjectShape::Cloud(_) => Amount::default(),
        }
    }

    /// Returns the name of the file to read, if there is one.
    pub(crate) fn file_mut(&mut self) -> Option<&mut String> {
        match self {
            ObjectShape::Solid(shape) => shape.file_mut(),
            ObjectShape::Surface(shape) => shape.file_mut(),
            ObjectShape::Cloud(CloudShape::Cloud(cloud)) => Some(&mut cloud.file),
            ObjectShape::Curves(CurveShape::CurveFile(curves)) => Some(&mut curves.file),
            ObjectShape::Curves(CurveShape::HairFile(hair)) => Some(&mut hair.file),
            _ => None,
        }
    }
}

/// Written by hand, because serde's `untagged` loses the source position of values.
impl<'de> Deserialize<'de> for ObjectShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ObjectShape, D::Error> {
        deserializer.deserialize_enum("ObjectShape", NAMES, AnyShape)
    }
}

struct AnyShape;

impl<'de> Visitor<'de> for AnyShape {
    type Value = ObjectShape;

    fn expecting(&self, f: &mut Formatter<'_>) -> FmtResult {
        f.write_str("a shape")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<ObjectShape, A::Error> {
        let (name, values) = access.variant_seed(KnownName)?;
        let form =
            [Form::Surface, Form::Curves, Form::Cloud].into_iter().find(|form| form.shapes().contains(&name.as_str()));
        let named = Named { name, values };
        match form.unwrap_or(Form::Solid) {
            Form::Solid => Shape::deserialize(named).map(ObjectShape::Solid),
            Form::Surface => SurfaceShape::deserialize(named).map(ObjectShape::Surface),
            Form::Curves => CurveShape::deserialize(named).map(ObjectShape::Curves),
            Form::Cloud => CloudShape::deserialize(named).map(ObjectShape::Cloud),
        }
    }
}

/// Reads one of [`NAMES`].
struct KnownName;

impl<'de> DeserializeSeed<'de> for KnownName {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let name = String::deserialize(deserializer)?;
        if NAMES.contains(&name.as_str()) { Ok(name) } else { Err(D::Error::unknown_variant(&name, NAMES)) }
    }
}

/// An enum variant whose name has already been read.
struct Named<A> {
    name: String,
    values: A,
}

impl<'de, A: VariantAccess<'de>> Deserializer<'de> for Named<A> {
    type Error = A::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, A::Error> {
        visitor.visit_enum(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, A: VariantAccess<'de>> EnumAccess<'de> for Named<A> {
    type Error = A::Error;
    type Variant = A;

    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, A), A::Error> {
        let name: StringDeserializer<A::Error> = self.name.into_deserializer();
        Ok((seed.deserialize(name)?, self.values))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::schema_for;

    /// Returns the variant names in the schema of an enum.
    fn names<T: JsonSchema>() -> Vec<String> {
        let schema = serde_json::to_value(schema_for!(T)).unwrap();
        let alternatives = schema["oneOf"].as_array().unwrap();
        alternatives.iter().map(|one| one["required"][0].as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn shape_names_match_the_enum_schemas() {
        assert_eq!(names::<Shape>(), Shape::NAMES);
        assert_eq!(names::<SurfaceShape>(), Form::Surface.shapes());
        assert_eq!(names::<CurveShape>(), Form::Curves.shapes());
        assert_eq!(names::<CloudShape>(), Form::Cloud.shapes());
    }
}
