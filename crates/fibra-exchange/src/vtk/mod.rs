//! Export to VTK's XML PolyData (`.vtp`), with arrays appended as raw bytes, and to the `.pvd` file that lists a time series.

use crate::world::is_far;
use crate::xml::escape_xml;
use fibra_core::frame::Frame;
use fibra_core::geometry::polylines;

/// Encodes a frame as a `.vtp` file. Triangles become polygons, curves become polylines, and every other point becomes a vertex cell, because ParaView's
/// filters need cells.
pub(crate) fn encode(frame: &Frame) -> Vec<u8> {
    let count = frame.points.len();
    let mut arrays = Appended::default();
    let points = if is_far(frame) {
        arrays.add("Float64", "points", 3, (0..count).flat_map(|p| frame.world_point(p)).flat_map(f64::to_le_bytes))
    } else {
        arrays.add("Float32", "points", 3, frame.points.iter().flatten().flat_map(|x| x.to_le_bytes()))
    };
    let mut data =
        arrays.add("Float32", "velocity", 3, frame.velocities.iter().flatten().flat_map(|v| v.to_le_bytes()));
    data += &arrays.add("UInt32", "object", 1, frame.object.iter().flat_map(|o| o.to_le_bytes()));
    for attribute in &frame.attributes {
        data += &arrays.add("Float32", &attribute.name, 1, attribute.values.iter().flat_map(|v| v.to_le_bytes()));
    }
    let is_vertex = frame.vertices();
    let lone: Vec<[u32; 1]> = (0u32..).zip(&is_vertex).filter(|(_, joined)| !**joined).map(|(p, _)| [p]).collect();
    let curves = polylines(&frame.segments);
    let verts = arrays.cells("Verts", &lone);
    let lines = arrays.cells("Lines", &curves);
    let polys = arrays.cells("Polys", &frame.triangles);
    let [lone, curves, triangles] = [lone.len(), curves.len(), frame.triangles.len()];

    let time = frame.time;
    let header = format!(
        r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData>
<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{time}</DataArray></FieldData>
<Piece NumberOfPoints="{count}" NumberOfVerts="{lone}" NumberOfLines="{curves}" NumberOfStrips="0" NumberOfPolys="{triangles}">
<Points>
{points}</Points>
{verts}{lines}{polys}<PointData Vectors="velocity">
{data}</PointData>
</Piece>
</PolyData>
<AppendedData encoding="raw">
_"#
    );
    let mut file = header.into_bytes();
    file.extend(arrays.bytes);
    file.extend(b"\n</AppendedData>\n</VTKFile>\n");
    file
}

/// Returns the `.pvd` file that lists a series of files with their times [s].
pub(crate) fn series(files: &[(f64, String)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in files {
        text += &format!("<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>\n", escape_xml(file));
    }
    text + "</Collection>\n</VTKFile>\n"
}

/// The arrays after the XML, each preceded by its length.
#[derive(Default)]
struct Appended {
    bytes: Vec<u8>,
}

impl Appended {
    /// Appends an array and returns the XML element that refers to it.
    fn add(&mut self, kind: &str, name: &str, components: usize, values: impl Iterator<Item = u8>) -> String {
        let offset = self.bytes.len();
        self.bytes.extend([0; size_of::<u64>()]);
        let start = self.bytes.len();
        self.bytes.extend(values);
        let length = (self.bytes.len() - start) as u64;
        self.bytes[offset..start].copy_from_slice(&length.to_le_bytes());
        format!(
            "<DataArray type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>\n",
            escape_xml(name)
        )
    }

    /// Appends cells of one kind, each given by its points, and returns their XML element.
    fn cells(&mut self, kind: &str, cells: &[impl AsRef<[u32]>]) -> String {
        let points = cells.iter().flat_map(|cell| cell.as_ref());
        let connectivity = self.add("Int64", "connectivity", 1, points.flat_map(|p| i64::from(*p).to_le_bytes()));
        let ends = cells.iter().scan(0i64, |end, cell| {
            *end += cell.as_ref().len() as i64;
            Some(*end)
        });
        let offsets = self.add("Int64", "offsets", 1, ends.flat_map(i64::to_le_bytes));
        format!("<{kind}>\n{connectivity}{offsets}</{kind}>\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_frames::{sample, woven};

    /// Returns the value of `key="..."` in an element.
    fn field<'a>(element: &'a str, key: &str) -> &'a str {
        let (_, rest) = element.split_once(&format!(" {key}=\"")).unwrap();
        rest.split_once('"').unwrap().0
    }

    /// A parsed array. `name` consists of the name of the XML section and the name of the array.
    struct Array {
        name: String,
        kind: String,
        components: usize,
        bytes: Vec<u8>,
    }

    /// Returns the XML of a file and its arrays.
    fn parsed(file: &[u8]) -> (String, Vec<Array>) {
        let start = file.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
        let xml = std::str::from_utf8(&file[..start]).unwrap();
        let data = file[start..].strip_suffix(b"\n</AppendedData>\n</VTKFile>\n").unwrap();
        let mut section = "";
        let mut covered = 0;
        let mut arrays = Vec::new();
        for line in xml.lines() {
            if !line.starts_with("<DataArray") {
                section = line.trim_matches(['<', '>']).split(' ').next().unwrap();
            } else if line.contains("format=\"appended\"") {
                let offset: usize = field(line, "offset").parse().unwrap();
                let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap()) as usize;
                covered += 8 + length;
                arrays.push(Array {
                    name: format!("{section} {}", field(line, "Name")),
                    kind: field(line, "type").to_owned(),
                    components: field(line, "NumberOfComponents").parse().unwrap(),
                    bytes: data[offset + 8..offset + 8 + length].to_vec(),
                });
            }
        }
        assert_eq!(covered, data.len(), "there must be no gaps between the arrays");
        (xml.to_owned(), arrays)
    }

    /// Every array in the XML must be in the appended data, with the length given by its type and size.
    #[test]
    fn array_offsets_and_lengths_match_the_xml() {
        for (origin, point_type) in [([0.0; 3], "Float32"), ([1e6, 0.0, 0.0], "Float64")] {
            let (xml, arrays) = parsed(&encode(&sample(origin)));
            assert!(xml.contains(r#"NumberOfPoints="2" NumberOfVerts="2" NumberOfLines="0""#), "{xml}");
            assert!(xml.contains(">0.125</DataArray>"));
            let names: Vec<&str> = arrays.iter().map(|array| array.name.as_str()).collect();
            let data = ["PointData velocity", "PointData object", "PointData a &lt;b&gt; "];
            assert_eq!((names[0], &names[7..]), ("Points points", &data[..]));
            assert_eq!(arrays[0].kind, point_type);
            for Array { name, kind, components, bytes } in &arrays {
                let width = if kind.ends_with("64") { 8 } else { 4 };
                let count = if name.starts_with("Lines") || name.starts_with("Polys") { 0 } else { 2 };
                assert_eq!(bytes.len(), count * components * width, "{name}");
            }
        }
    }

    #[test]
    fn cloth_is_polygons_threads_are_lines_and_grains_are_vertices() {
        let (xml, arrays) = parsed(&encode(&woven()));
        assert!(xml.contains(
            r#"NumberOfPoints="8" NumberOfVerts="1" NumberOfLines="1" NumberOfStrips="0" NumberOfPolys="2""#
        ));
        let cells = |name: &str| -> Vec<i64> {
            let array = arrays.iter().find(|array| array.name == name).unwrap();
            assert_eq!(array.kind, "Int64");
            array.bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().unwrap())).collect()
        };
        assert_eq!((cells("Verts connectivity"), cells("Verts offsets")), (vec![4], vec![1]));
        assert_eq!((cells("Lines connectivity"), cells("Lines offsets")), (vec![5, 6, 7], vec![3]));
        assert_eq!((cells("Polys connectivity"), cells("Polys offsets")), (vec![0, 1, 2, 2, 1, 3], vec![3, 6]));
    }

    #[test]
    fn a_series_lists_files_with_times() {
        let text = series(&[(0.0, "0000.vtp".to_owned()), (1.0 / 24.0, "0001.vtp".to_owned())]);
        assert!(text.contains("<DataSet timestep=\"0.041666666666666664\" part=\"0\" file=\"0001.vtp\"/>"), "{text}");
    }
}
