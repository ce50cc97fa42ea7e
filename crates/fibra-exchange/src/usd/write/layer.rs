//! A layer being written: prims, their attributes, and the attributes' values from frame to frame.
//!
//! Values go to the file at once; kept are where they lie and, of each attribute, the last one: what stays the same is written once, and what
//! never changes has no samples.

use super::crate_file::{CrateWriter, Spec, SpecKind, Type, Value};
use bytemuck::Pod;
use std::io::{self, Seek, Write};

/// A layer being written.
pub(super) struct Layer<W> {
    pub(super) file: CrateWriter<W>,
    /// The root first, every parent before its children.
    prims: Vec<Prim>,
    attributes: Vec<Attribute>,
    /// Time codes of the frames so far.
    times: Vec<f64>,
}

/// A prim of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PrimId(usize);

/// An attribute of a prim that may change from frame to frame.
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
    /// One for each frame.
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

    /// Says something about a prim or, of the root, about the layer.
    pub(super) fn describe(&mut self, prim: PrimId, field: &'static str, value: Value) {
        self.prims[prim.0].fields.push((field, value));
    }

    /// A new prim below another. Its name must be valid and no sibling's.
    pub(super) fn prim(&mut self, parent: PrimId, name: &str, schema: &str) -> PrimId {
        let id = self.prims.len();
        let fields = vec![("specifier", Value::defines()), ("typeName", self.file.token(schema))];
        self.prims.push(Prim { name: name.to_owned(), fields, children: Vec::new(), properties: Vec::new() });
        self.prims[parent.0].children.push(id);
        PrimId(id)
    }

    /// An attribute of a prim that stays the same.
    pub(super) fn constant<T: Pod>(
        &mut self,
        prim: PrimId,
        name: &str,
        kind: &'static Kind,
        value: &[T],
    ) -> io::Result<()> {
        let value = self.value(kind, bytemuck::cast_slice(value))?;
        self.fixed(prim, name, kind.name, value, &[]);
        Ok(())
    }

    /// A primvar or width that stays the same and is the same everywhere on its prim.
    pub(super) fn everywhere<T: Pod>(
        &mut self,
        prim: PrimId,
        name: &str,
        kind: &'static Kind,
        value: T,
    ) -> io::Result<()> {
        let value = self.value(kind, bytemuck::bytes_of(&value))?;
        let interpolation = ("interpolation", self.file.token("constant"));
        self.fixed(prim, name, kind.name, value, &[interpolation]);
        Ok(())
    }

    /// A token that says how a prim is to be understood.
    pub(super) fn token(&mut self, prim: PrimId, name: &str, token: &str) {
        let value = self.file.token(token);
        self.fixed(prim, name, "token", value, &[("variability", Value::uniform())]);
    }

    /// The order of a prim's transformations.
    pub(super) fn transformations(&mut self, prim: PrimId, names: &[&str]) -> io::Result<()> {
        let value = self.file.token_array(names)?;
        self.fixed(prim, "xformOpOrder", "token[]", value, &[("variability", Value::uniform())]);
        Ok(())
    }

    /// A yes or no that says how a prim is to be understood.
    pub(super) fn flag(&mut self, prim: PrimId, name: &str, value: bool) {
        self.fixed(prim, name, "bool", Value::bool(value), &[("variability", Value::uniform())]);
    }

    /// A text that no schema knows.
    pub(super) fn note(&mut self, prim: PrimId, name: &str, text: &str) {
        let value = self.file.string(text);
        self.fixed(prim, name, "string", value, &[("custom", Value::bool(true))]);
    }

    fn fixed(&mut self, prim: PrimId, name: &str, kind: &str, value: Value, more: &[(&'static str, Value)]) {
        let mut fields = vec![("typeName", self.file.token(kind)), ("default", value)];
        fields.extend(more);
        self.prims[prim.0].properties.push(Property::Constant { name: name.to_owned(), fields });
    }

    /// A relationship of one prim to another.
    pub(super) fn relationship(&mut self, prim: PrimId, name: &'static str, target: PrimId) {
        self.prims[prim.0].properties.push(Property::Relationship { name, target: target.0 });
    }

    /// An attribute that may change. In the frames before, it had nothing in it.
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

    /// Says something about an attribute.
    pub(super) fn remark(&mut self, attribute: AttributeId, field: &'static str, value: Value) {
        self.attributes[attribute.0].fields.push((field, value));
    }

    /// The value of an attribute in the frame that is being written.
    pub(super) fn set<T: Pod>(&mut self, attribute: AttributeId, value: &[T]) -> io::Result<()> {
        let bytes: &[u8] = bytemuck::cast_slice(value);
        let Attribute { kind, values, last, .. } = &self.attributes[attribute.0];
        debug_assert_eq!(values.len(), self.times.len(), "one value for each frame");
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

    /// The value of an attribute in all frames before this one, if it is not to have been nothing.
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

    /// Ends a frame. Attributes that were not set stay as they were.
    pub(super) fn end_frame(&mut self, time: f64) {
        self.times.push(time);
        for Attribute { kind, values, .. } in &mut self.attributes {
            let value = values.last().copied().unwrap_or_else(|| Value::empty_array(kind.stored));
            values.resize(self.times.len(), value);
        }
    }

    /// Time codes of the frames so far.
    pub(super) fn times(&self) -> &[f64] {
        &self.times
    }

    /// Writes what everything is and ends the file.
    pub(super) fn finish(mut self) -> io::Result<W> {
        let times = self.file.times(&self.times)?;
        let mut indices = vec![0u32; self.prims.len()];
        self.number(0, &mut 0, &mut indices);
        let mut specs = Vec::new();
        self.add_specs(0, times, &indices, &mut specs)?;
        self.file.finish(&specs)
    }

    /// Numbers the paths as [`Layer::add_specs`] will write them.
    fn number(&self, prim: usize, next: &mut u32, indices: &mut [u32]) {
        indices[prim] = *next;
        *next += 1 + self.prims[prim].properties.len() as u32;
        for &child in &self.prims[prim].children {
            self.number(child, next, indices);
        }
    }

    /// The specifications of a prim, its properties and its children.
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
        specs.push(Spec { kind, name, family: 1, has_sibling: false, fields });

        let (mut left, last_child) = (properties.len() + children.len(), children.last().copied());
        for property in properties {
            left -= 1;
            let (kind, name, fields) = match property {
                Property::Constant { name, fields } => (SpecKind::Attribute, name, fields),
                Property::Varying(attribute) => {
                    let (name, fields) = self.course(attribute, times)?;
                    (SpecKind::Attribute, name, fields)
                }
                Property::Relationship { name, target } => {
                    let targets = self.file.targets(&[indices[target]])?;
                    let fields = vec![("variability", Value::uniform()), ("targetPaths", targets)];
                    (SpecKind::Relationship, name.to_owned(), fields)
                }
            };
            specs.push(Spec { kind, name, family: 1, has_sibling: left > 0, fields });
        }
        for child in children {
            let start = specs.len();
            self.add_specs(child, times, indices, specs)?;
            specs[start].has_sibling = Some(child) != last_child;
        }
        specs[place].family = specs.len() - place;
        Ok(())
    }

    /// Name and fields of an attribute that could change: samples if it did.
    fn course(&mut self, attribute: usize, times: Value) -> io::Result<(String, Vec<(&'static str, Value)>)> {
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
