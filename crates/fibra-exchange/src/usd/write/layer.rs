//! A layer under construction: prims, their attributes, and the values of the attributes in each frame.
//!
//! Values are written to the file immediately. Memory holds only their offsets and the last value of each attribute. A value that repeats the previous one
//! is not written again, and an attribute that never changes has no time samples.

use super::crate_file::{CrateWriter, Spec, SpecKind, Type, Value};
use bytemuck::Pod;
use std::io::{self, Seek, Write};

/// A layer under construction.
pub(super) struct Layer<W> {
    pub(super) file: CrateWriter<W>,
    /// All prims: the root first, and every parent before its children.
    prims: Vec<Prim>,
    attributes: Vec<Attribute>,
    /// Time codes of the frames written so far.
    times: Vec<f64>,
}

/// Index of a prim in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrimId(usize);

/// Index of an attribute that may change from frame to frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AttributeId(usize);

struct Prim {
    name: String,
    fields: Vec<(&'static str, Value)>,
    children: Vec<usize>,
    properties: Vec<Property>,
}

enum Property {
    Constant { name: String, fields: Vec<(&'static str, Value)> },
    Varying(usize),
    Relationship { name: &'static str, target: usize },
}

struct Attribute {
    name: String,
    kind: &'static Kind,
    fields: Vec<(&'static str, Value)>,
    /// One value per frame.
    values: Vec<Value>,
    last: Vec<u8>,
}

/// The type of an attribute.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    name: &'static str,
    stored: Type,
    is_array: bool,
}

macro_rules! kinds {
    ($($constant:ident = $name:literal, $stored:ident, $is_array:literal;)*) => {
        $(pub(super) const $constant: Kind = Kind { name: $name, stored: Type::$stored, is_array: $is_array };)*
    };
}

impl Kind {
    kinds! {
        COLORS = "color3f[]", Vec3f, true;
        DOUBLE = "double", Double, false;
        DOUBLE3 = "double3", Vec3d, false;
        FLOATS = "float[]", Float, true;
        FLOAT3 = "float3", Vec3f, false;
        FLOAT3S = "float3[]", Vec3f, true;
        INTS = "int[]", Int, true;
        INT64S = "int64[]", Int64, true;
        NORMALS = "normal3f[]", Vec3f, true;
        POINTS = "point3f[]", Vec3f, true;
        QUATF = "quatf", Quatf, false;
        QUATHS = "quath[]", Quath, true;
        VECTORS = "vector3f[]", Vec3f, true;
    }
}

impl<W: Write + Seek> Layer<W> {
    pub(super) const ROOT: PrimId = PrimId(0);

    pub(super) fn new(out: W) -> io::Result<Layer<W>> {
        let root = Prim { name: String::new(), fields: Vec::new(), children: Vec::new(), properties: Vec::new() };
        Ok(Layer { file: CrateWriter::new(out)?, prims: vec![root], attributes: Vec::new(), times: Vec::new() })
    }

    /// Adds a metadata field to a prim. Fields of the root apply to the layer.
    pub(super) fn add_field(&mut self, prim: PrimId, field: &'static str, value: Value) {
        self.prims[prim.0].fields.push((field, value));
    }

    /// Adds a prim below `parent`. Its name must be valid and differ from those of its siblings.
    pub(super) fn prim(&mut self, parent: PrimId, name: &str, schema: &str) -> PrimId {
        let id = self.prims.len();
        let fields = vec![("specifier", Value::def()), ("typeName", self.file.token(schema))];
        self.prims.push(Prim { name: name.to_owned(), fields, children: Vec::new(), properties: Vec::new() });
        self.prims[parent.0].children.push(id);
        PrimId(id)
    }

    /// Adds an attribute that is constant over time.
    pub(super) fn constant<T: Pod>(
        &mut self,
        prim: PrimId,
        name: &str,
        kind: &'static Kind,
        value: &[T],
    ) -> io::Result<()> {
        let value = self.value(kind, bytemuck::cast_slice(value))?;
        self.add_constant(prim, name, kind.name, value, &[]);
        Ok(())
    }

    /// Adds a primvar or width that is constant over time and over the prim.
    pub(super) fn constant_everywhere<T: Pod>(
        &mut self,
        prim: PrimId,
        name: &str,
        kind: &'static Kind,
        value: T,
    ) -> io::Result<()> {
        let value = self.value(kind, bytemuck::bytes_of(&value))?;
        let interpolation = ("interpolation", self.file.token("constant"));
        self.add_constant(prim, name, kind.name, value, &[interpolation]);
        Ok(())
    }

    /// Adds a uniform attribute of type token, such as `subdivisionScheme`.
    pub(super) fn token(&mut self, prim: PrimId, name: &str, token: &str) {
        let value = self.file.token(token);
        self.add_constant(prim, name, "token", value, &[("variability", Value::uniform())]);
    }

    /// Sets the order of a prim's transform operations.
    pub(super) fn transformations(&mut self, prim: PrimId, names: &[&str]) -> io::Result<()> {
        let value = self.file.token_array(names)?;
        self.add_constant(prim, "xformOpOrder", "token[]", value, &[("variability", Value::uniform())]);
        Ok(())
    }

    /// Adds a uniform Boolean attribute, such as `doubleSided`.
    pub(super) fn flag(&mut self, prim: PrimId, name: &str, value: bool) {
        self.add_constant(prim, name, "bool", Value::bool(value), &[("variability", Value::uniform())]);
    }

    /// Adds a custom string attribute, which belongs to no schema.
    pub(super) fn custom_string(&mut self, prim: PrimId, name: &str, text: &str) {
        let value = self.file.string(text);
        self.add_constant(prim, name, "string", value, &[("custom", Value::bool(true))]);
    }

    fn add_constant(&mut self, prim: PrimId, name: &str, kind: &str, value: Value, more: &[(&'static str, Value)]) {
        let mut fields = vec![("typeName", self.file.token(kind)), ("default", value)];
        fields.extend(more);
        self.prims[prim.0].properties.push(Property::Constant { name: name.to_owned(), fields });
    }

    /// Adds a relationship from one prim to another.
    pub(super) fn relationship(&mut self, prim: PrimId, name: &'static str, target: PrimId) {
        self.prims[prim.0].properties.push(Property::Relationship { name, target: target.0 });
    }

    /// Adds an attribute that may change from frame to frame. In earlier frames it is an empty array.
    pub(super) fn varying(&mut self, prim: PrimId, name: &str, kind: &'static Kind) -> AttributeId {
        let id = self.attributes.len();
        self.attributes.push(Attribute {
            name: name.to_owned(),
            kind,
            fields: vec![("typeName", self.file.token(kind.name))],
            values: vec![Value::empty_array(kind.stored); self.times.len()],
            last: Vec::new(),
        });
        self.prims[prim.0].properties.push(Property::Varying(id));
        AttributeId(id)
    }

    /// Adds a metadata field to an attribute.
    pub(super) fn add_attribute_field(&mut self, attribute: AttributeId, field: &'static str, value: Value) {
        self.attributes[attribute.0].fields.push((field, value));
    }

    /// Sets the value of an attribute in the current frame.
    pub(super) fn set<T: Pod>(&mut self, attribute: AttributeId, value: &[T]) -> io::Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(value);
        let Attribute { kind, values, last, .. } = &self.attributes[attribute.0];
        debug_assert_eq!(values.len(), self.times.len(), "an attribute is set once per frame");
        let same = values.last().filter(|_| last[..] == *bytes).copied();
        let stored = match same {
            Some(value) => value,
            None => self.value(kind, bytes)?,
        };
        let attribute = &mut self.attributes[attribute.0];
        attribute.values.push(stored);
        if same.is_none() {
            attribute.last.clear();
            attribute.last.extend(bytes);
        }
        Ok(())
    }

    /// Sets the value of an attribute in all earlier frames, in place of an empty array.
    pub(super) fn set_before<T: Pod>(&mut self, attribute: AttributeId, value: &[T]) -> io::Result<()> {
        if !self.times.is_empty() {
            let stored = self.value(self.attributes[attribute.0].kind, bytemuck::cast_slice(value))?;
            self.attributes[attribute.0].values.fill(stored);
        }
        Ok(())
    }

    fn value(&mut self, kind: &Kind, bytes: &[u8]) -> io::Result<Value> {
        if kind.is_array { self.file.array(kind.stored, bytes) } else { self.file.scalar(kind.stored, bytes) }
    }

    /// Ends a frame. Attributes that were not set keep their previous values.
    pub(super) fn end_frame(&mut self, time: f64) {
        self.times.push(time);
        for Attribute { kind, values, .. } in &mut self.attributes {
            let value = values.last().copied().unwrap_or_else(|| Value::empty_array(kind.stored));
            values.resize(self.times.len(), value);
        }
    }

    /// Returns the time codes of the frames written so far.
    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }

    /// Writes the specs of all prims and properties, and completes the file.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let times = self.file.times(&self.times)?;
        let mut indices = vec![0u32; self.prims.len()];
        self.number(0, &mut 0, &mut indices);
        let mut specs = Vec::new();
        self.add_specs(0, times, &indices, &mut specs)?;
        self.file.finish(&specs)
    }

    /// Assigns path indices to a prim and its descendants, in the order in which [`Layer::add_specs`] writes them.
    fn number(&self, prim: usize, next: &mut u32, indices: &mut [u32]) {
        indices[prim] = *next;
        *next += 1 + self.prims[prim].properties.len() as u32;
        for &child in &self.prims[prim].children {
            self.number(child, next, indices);
        }
    }

    /// Appends the specs of a prim, its properties and its descendants.
    fn add_specs(&mut self, prim: usize, times: Value, indices: &[u32], specs: &mut Vec<Spec>) -> io::Result<()> {
        let place = specs.len();
        let Prim { name, mut fields, children, properties } = std::mem::replace(
            &mut self.prims[prim],
            Prim { name: String::new(), fields: Vec::new(), children: Vec::new(), properties: Vec::new() },
        );
        if !properties.is_empty() {
            let attributes = &self.attributes;
            let names: Vec<&str> = properties.iter().map(|property| property.name(attributes)).collect();
            fields.push(("properties", self.file.names(&names)?));
        }
        if !children.is_empty() {
            let names: Vec<&str> = children.iter().map(|&child| self.prims[child].name.as_str()).collect();
            fields.push(("primChildren", self.file.names(&names)?));
        }
        let kind = if prim == 0 { SpecKind::Root } else { SpecKind::Prim };
        specs.push(Spec { kind, name, subtree: 1, has_sibling: false, fields });

        let (mut left, last_child) = (properties.len() + children.len(), children.last().copied());
        for property in properties {
            left -= 1;
            let (kind, name, fields) = match property {
                Property::Constant { name, fields } => (SpecKind::Attribute, name, fields),
                Property::Varying(attribute) => {
                    let (name, fields) = self.varying_fields(attribute, times)?;
                    (SpecKind::Attribute, name, fields)
                }
                Property::Relationship { name, target } => {
                    let targets = self.file.targets(&[indices[target]])?;
                    let fields = vec![("variability", Value::uniform()), ("targetPaths", targets)];
                    (SpecKind::Relationship, name.to_owned(), fields)
                }
            };
            specs.push(Spec { kind, name, subtree: 1, has_sibling: left > 0, fields });
        }
        for child in children {
            let start = specs.len();
            self.add_specs(child, times, indices, specs)?;
            specs[start].has_sibling = Some(child) != last_child;
        }
        specs[place].subtree = specs.len() - place;
        Ok(())
    }

    /// Returns the name and the fields of an attribute that may change. It has time samples only if it did change.
    fn varying_fields(&mut self, attribute: usize, times: Value) -> io::Result<(String, Vec<(&'static str, Value)>)> {
        let attribute = &mut self.attributes[attribute];
        let (name, mut fields) = (std::mem::take(&mut attribute.name), std::mem::take(&mut attribute.fields));
        match attribute.values[..] {
            [] => {}
            [first, ref others @ ..] if others.iter().all(|value| *value == first) => fields.push(("default", first)),
            ref values => fields.push(("timeSamples", self.file.samples(times, values)?)),
        }
        Ok((name, fields))
    }
}

impl Property {
    fn name<'a>(&'a self, attributes: &'a [Attribute]) -> &'a str {
        match self {
            Property::Constant { name, .. } => name,
            Property::Varying(attribute) => &attributes[*attribute].name,
            Property::Relationship { name, .. } => name,
        }
    }
}
