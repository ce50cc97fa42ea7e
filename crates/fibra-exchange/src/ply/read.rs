//! Reading of the vertices and faces of a PLY file. Other elements and properties are skipped.

use super::header::{Element, Encoding, Header, Kind, Number, Property};
use crate::error::Fault;
use crate::point_fields::PointField;
use crate::polygons::{RawMesh, fan};
use glam::DVec3;

const VERTEX_REMEDY: &str = "an element `vertex` needs the properties x, y and z, all finite";
const FACE_REMEDY: &str = "an element `face` needs a list `vertex_indices` of at least three indices, counted from 0, of vertices in the file";
const NUMBER_REMEDY: &str = "write the file again, or correct this number";

/// Parses vertices and faces. Polygons are split into triangle fans.
pub fn parse(bytes: &[u8]) -> Result<RawMesh, Fault> {
    let header = Header::parse(bytes)?;
    let mut values = Values::after(&header, bytes);
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for element in &header.elements {
        values.element = &element.name;
        // Without properties there is nothing to read; a huge count would only waste time.
        if element.properties.is_empty() {
            continue;
        }
        match element.name.as_str() {
            "vertex" => read_vertices(&mut values, element, &mut vertices)?,
            "face" => {
                let count = header.elements.iter().find(|e| e.name == "vertex").map_or(0, |e| e.count);
                read_faces(&mut values, element, count, &mut triangles)?;
            }
            _ => skip_element(&mut values, element)?,
        }
    }
    Ok((vertices, triangles))
}

/// Parses scalar properties of the vertices. For each field, returns one value per vertex, or `None` if there is no such property.
pub fn parse_fields(bytes: &[u8], fields: &[PointField]) -> Result<Vec<Option<Vec<f64>>>, Fault> {
    let header = Header::parse(bytes)?;
    let mut values = Values::after(&header, bytes);
    for element in header.elements.iter().filter(|element| !element.properties.is_empty()) {
        values.element = &element.name;
        if element.name == "vertex" {
            return read_fields(&mut values, element, fields);
        }
        skip_element(&mut values, element)?;
    }
    Ok(vec![None; fields.len()])
}

fn read_fields(values: &mut Values, element: &Element, fields: &[PointField]) -> Result<Vec<Option<Vec<f64>>>, Fault> {
    let field_of = |property: &Property| match property.kind {
        Kind::Scalar(number) => fields.iter().position(|field| field.name == property.name).map(|at| (at, number)),
        Kind::List { .. } => None,
    };
    let mut columns = vec![None; fields.len()];
    for (at, _) in element.properties.iter().filter_map(field_of) {
        columns[at] = Some(Vec::new());
    }
    for index in 0..element.count {
        values.index = index;
        for property in &element.properties {
            let Some((at, number)) = field_of(property) else {
                values.skip(property.kind)?;
                continue;
            };
            let value = values.next(number)?;
            let PointField { name, positive } = fields[at];
            if !value.is_finite() || (positive && value <= 0.0) {
                let remedy = if positive { "it must be a finite number above 0" } else { "it must be a finite number" };
                return Err(values.fault(format!("`{name}` of vertex {index} is {value}"), remedy));
            }
            columns[at].get_or_insert_default().push(value);
        }
    }
    Ok(columns)
}

fn read_vertices(values: &mut Values, element: &Element, vertices: &mut Vec<DVec3>) -> Result<(), Fault> {
    let axis_of = |property: &Property| match (property.name.as_str(), property.kind) {
        ("x", Kind::Scalar(number)) => Some((0, number)),
        ("y", Kind::Scalar(number)) => Some((1, number)),
        ("z", Kind::Scalar(number)) => Some((2, number)),
        _ => None,
    };
    if element.properties.iter().filter_map(axis_of).count() < 3 {
        return Err(values.fault("the vertices lack a coordinate".into(), VERTEX_REMEDY));
    }
    // The vector grows with the values read; it is never allocated from the count in the header.
    for index in 0..element.count {
        values.index = index;
        let mut position = DVec3::ZERO;
        for property in &element.properties {
            match axis_of(property) {
                Some((axis, number)) => position[axis] = values.next(number)?,
                None => values.skip(property.kind)?,
            }
        }
        if !position.is_finite() {
            return Err(values.fault(format!("vertex {index} is not finite"), VERTEX_REMEDY));
        }
        vertices.push(position);
    }
    Ok(())
}

fn read_faces(
    values: &mut Values,
    element: &Element,
    vertex_count: u64,
    triangles: &mut Vec<[u32; 3]>,
) -> Result<(), Fault> {
    let corners_of = |property: &Property| match (property.name.as_str(), property.kind) {
        ("vertex_indices" | "vertex_index", Kind::List { count, item }) => Some((count, item)),
        _ => None,
    };
    if !element.properties.iter().any(|property| corners_of(property).is_some()) {
        return Err(values.fault("the faces have no list of corners".into(), FACE_REMEDY));
    }
    let mut polygon = Vec::new();
    for index in 0..element.count {
        values.index = index;
        for property in &element.properties {
            let Some((count, item)) = corners_of(property) else {
                values.skip(property.kind)?;
                continue;
            };
            polygon.clear();
            for _ in 0..values.next_count(count)? {
                let corner = values.next(item)?;
                // The range check also rejects NaN; the comparison rejects fractions.
                if !(0.0..vertex_count as f64).contains(&corner) || corner != f64::from(corner as u32) {
                    let problem = format!("face {index} uses vertex {corner}, but the file has {vertex_count}");
                    return Err(values.fault(problem, FACE_REMEDY));
                }
                polygon.push(corner as u32);
            }
            if polygon.len() < 3 {
                let problem = format!("face {index} has {} corners", polygon.len());
                return Err(values.fault(problem, FACE_REMEDY));
            }
            triangles.extend(fan(&polygon));
        }
    }
    Ok(())
}

fn skip_element(values: &mut Values, element: &Element) -> Result<(), Fault> {
    for index in 0..element.count {
        values.index = index;
        for property in &element.properties {
            values.skip(property.kind)?;
        }
    }
    Ok(())
}

/// The stream of numbers after the header. `f64` represents all types exactly.
struct Values<'a> {
    bytes: &'a [u8],
    /// Offset of the next byte.
    at: usize,
    /// Line of the next byte, for text files.
    line: usize,
    encoding: Encoding,
    /// The element being read, for errors.
    element: &'a str,
    index: u64,
}

impl<'a> Values<'a> {
    fn after(header: &Header, bytes: &'a [u8]) -> Self {
        let (at, line) = (header.bytes, header.lines + 1);
        Self { bytes, at, line, encoding: header.encoding, element: "vertex", index: 0 }
    }

    fn next(&mut self, number: Number) -> Result<f64, Fault> {
        let encoding = self.encoding;
        macro_rules! binary {
            ($type:ty) => {{
                let raw = self.take()?;
                Ok(match encoding {
                    Encoding::LittleEndian => <$type>::from_le_bytes(raw),
                    _ => <$type>::from_be_bytes(raw),
                } as f64)
            }};
        }
        match (encoding, number) {
            (Encoding::Ascii, _) => self.next_word(),
            (_, Number::I8) => binary!(i8),
            (_, Number::U8) => binary!(u8),
            (_, Number::I16) => binary!(i16),
            (_, Number::U16) => binary!(u16),
            (_, Number::I32) => binary!(i32),
            (_, Number::U32) => binary!(u32),
            (_, Number::F32) => binary!(f32),
            (_, Number::F64) => binary!(f64),
        }
    }

    /// Returns the next number as the length of a list.
    fn next_count(&mut self, number: Number) -> Result<u64, Fault> {
        let count = self.next(number)?;
        if !(0.0..=f64::from(u32::MAX)).contains(&count) || count.fract() != 0.0 {
            return Err(self.fault(format!("a list has the length {count}"), NUMBER_REMEDY));
        }
        Ok(count as u64)
    }

    fn skip(&mut self, kind: Kind) -> Result<(), Fault> {
        match kind {
            Kind::Scalar(number) => self.next(number).map(drop),
            Kind::List { count, item } => {
                for _ in 0..self.next_count(count)? {
                    self.next(item)?;
                }
                Ok(())
            }
        }
    }

    fn take<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let Some(raw) = self.bytes[self.at..].first_chunk() else { return Err(self.ends_early()) };
        self.at += N;
        Ok(*raw)
    }

    fn next_word(&mut self) -> Result<f64, Fault> {
        let rest = &self.bytes[self.at..];
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.line += rest[..blank].iter().filter(|&&byte| byte == b'\n').count();
        let word = rest[blank..].split(u8::is_ascii_whitespace).next().unwrap_or_default();
        self.at += blank + word.len();
        if word.is_empty() {
            return Err(self.ends_early());
        }
        std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).ok_or_else(|| {
            let start: String = String::from_utf8_lossy(word).chars().take(24).collect();
            self.fault(format!("`{start}` is not a number"), NUMBER_REMEDY)
        })
    }

    fn ends_early(&self) -> Fault {
        let problem = format!("the file ends inside {} {}", self.element, self.index);
        self.fault(problem, "the header declares more values; copy or write the file again")
    }

    fn fault(&self, problem: String, remedy: &'static str) -> Fault {
        let place = match self.encoding {
            Encoding::Ascii => format!("line {}", self.line),
            _ => format!("byte {} ({} {})", self.at, self.element, self.index),
        };
        Fault::new(place, problem, remedy)
    }
}

#[cfg(test)]
mod tests {
    use crate::ply::{parse_mesh, write_ply};
    use crate::test_meshes::octahedron;
    use fibra_core::geometry::TriangleMesh;
    use glam::DVec3;

    fn read(bytes: &[u8]) -> Result<TriangleMesh, String> {
        parse_mesh(bytes, "m.ply").map_err(|e| e.to_string())
    }

    const ASCII: &str = "ply\r\nformat ascii 1.0\ncomment a square\nelement vertex 4\nproperty uchar red\n\
        property double z\nproperty list int float weights\nproperty float y\nproperty int x\nelement edge 1\n\
        property int a\nelement face 1\nproperty list uchar int vertex_indices\nproperty float area\nend_header\n\
        9 0 2 7 7 0 0\n9 0 0 0 1\n9 0 1 nan 1 1\n9 0 0 1e0 0\n5\n4 0 1 2 3 1.0\n";

    #[test]
    fn ascii_files_with_extra_properties_in_any_order_are_read() {
        let mesh = read(ASCII.as_bytes()).unwrap();
        assert_eq!(mesh.vertices(), [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y]);
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3]]);
    }

    #[test]
    fn binary_files_of_both_byte_orders_and_all_types_are_read() {
        for big in [false, true] {
            let order = if big { "big" } else { "little" };
            let mut file = format!(
                "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty short x\nproperty ushort skipped\n\
                 property float y\nproperty double z\nelement face 1\nproperty char flag\n\
                 property list uint ushort vertex_index\nend_header\n"
            )
            .into_bytes();
            let mut put = |little: &[u8]| {
                let mut raw = little.to_vec();
                if big {
                    raw.reverse();
                }
                file.extend(raw);
            };
            for [x, y, z] in [[0, 0, 0], [-300, 0, 0], [0, 2, 1]] {
                put(&(x as i16).to_le_bytes());
                put(&7u16.to_le_bytes());
                put(&(y as f32).to_le_bytes());
                put(&f64::from(z).to_le_bytes());
            }
            put(&[0xff]);
            put(&3u32.to_le_bytes());
            for i in 0..3u16 {
                put(&i.to_le_bytes());
            }
            let mesh = read(&file).unwrap();
            assert_eq!(mesh.vertices(), [DVec3::ZERO, -300.0 * DVec3::X, DVec3::new(0.0, 2.0, 1.0)]);
            let cut = read(&file[..file.len() - 1]).unwrap_err();
            assert!(cut.contains("(face 0): the file ends inside face 0"), "{cut}");
        }
    }

    #[test]
    fn written_meshes_round_trip() {
        let mesh = octahedron();
        let mut bytes = Vec::new();
        write_ply(&mesh, &mut bytes).unwrap();
        assert_eq!(read(&bytes).unwrap(), mesh);
    }

    #[test]
    fn errors_name_location_and_remedy() {
        let cases = [
            ("ply", "", "line 1: not a PLY file"),
            ("ascii", "utf8", "line 2: unknown format"),
            ("format ascii 1.0", "comment", "line 15: the header has no format"),
            ("element vertex 4", "element vertex -4", "line 4: the number of elements"),
            ("property double z", "property quad z", "line 6: not a valid property declaration"),
            ("property double z", "property double x", "line 9: a property is declared twice"),
            ("property int x", "property int u", "line 16: the vertices lack a coordinate"),
            ("vertex_indices", "corners", "line 20: the faces have no list"),
            ("end_header", "the_end", "line 15: not a valid header line"),
            ("9 0 0 0 1\n", "9 0 0 nan 1\n", "line 17: vertex 1 is not finite"),
            ("9 0 0 0 1\n", "9 0 0 zero 1\n", "line 17: `zero` is not a number"),
            ("4 0 1 2 3", "2 0 1", "line 21: face 0 has 2 corners"),
            ("4 0 1 2 3", "4 0 1 2 4", "line 21: face 0 uses vertex 4, but the file has 4"),
            ("4 0 1 2 3", "4 0 1 2 2.5", "line 21: face 0 uses vertex 2.5"),
            ("4 0 1 2 3", "-1", "line 21: a list has the length -1"),
            ("element vertex 4", "element vertex 18446744073709551615", "line 22: the file ends inside vertex"),
        ];
        for (from, to, message) in cases {
            let error = read(ASCII.replacen(from, to, 1).as_bytes()).unwrap_err();
            assert!(error.starts_with("m.ply, ") && error.contains(message), "{from} -> {to}: {error}");
        }
    }

    #[test]
    fn huge_counts_allocate_no_memory() {
        let header = "ply\nformat binary_little_endian 1.0\nelement nothing 18446744073709551615\n\
            element vertex 18446744073709551615\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
        let error = read(header.as_bytes()).unwrap_err();
        assert!(error.contains("ends inside vertex 0"), "{error}");
    }
}
