//! VTK's XML PolyData (`.vtp`) with the arrays appended as raw bytes, and the `.pvd` that gives a series its times.

use super::is_far;
use fibra_core::frame::Frame;

/// A frame as a `.vtp` file. Every point is a vertex cell too, which ParaView's filters want.
pub fn encode(frame: &Frame) -> Vec<u8> {
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
    let connectivity = arrays.add("Int64", "connectivity", 1, (0..count as i64).flat_map(i64::to_le_bytes));
    let offsets = arrays.add("Int64", "offsets", 1, (1..=count as i64).flat_map(i64::to_le_bytes));

    let time = frame.time;
    let head = format!(
        r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData>
<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">{time}</DataArray></FieldData>
<Piece NumberOfPoints="{count}" NumberOfVerts="{count}" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="0">
<Points>
{points}</Points>
<Verts>
{connectivity}{offsets}</Verts>
<PointData Vectors="velocity">
{data}</PointData>
</Piece>
</PolyData>
<AppendedData encoding="raw">
_"#
    );
    let mut file = head.into_bytes();
    file.extend(arrays.bytes);
    file.extend(b"\n</AppendedData>\n</VTKFile>\n");
    file
}

/// The `.pvd` of a series of files with their times [s].
pub fn series(files: &[(f64, String)]) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for (time, file) in files {
        text += &format!("<DataSet timestep=\"{time}\" part=\"0\" file=\"{}\"/>\n", escape(file));
    }
    text + "</Collection>\n</VTKFile>\n"
}

/// The arrays that follow the XML, each preceded by its length.
#[derive(Default)]
struct Appended {
    bytes: Vec<u8>,
}

impl Appended {
    /// Appends an array and returns the element that refers to it.
    fn add(&mut self, kind: &str, name: &str, components: usize, values: impl Iterator<Item = u8>) -> String {
        let offset = self.bytes.len();
        self.bytes.extend([0; size_of::<u64>()]);
        let start = self.bytes.len();
        self.bytes.extend(values);
        let length = (self.bytes.len() - start) as u64;
        self.bytes[offset..start].copy_from_slice(&length.to_le_bytes());
        format!(
            "<DataArray type=\"{kind}\" Name=\"{}\" NumberOfComponents=\"{components}\" format=\"appended\" offset=\"{offset}\"/>\n",
            escape(name)
        )
    }
}

/// Text for inside an XML attribute; control characters, which XML does not allow, become spaces.
fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::tests::sample;
    use super::*;

    /// The value of `key="..."` in an element.
    fn field<'a>(element: &'a str, key: &str) -> &'a str {
        let (_, rest) = element.split_once(&format!(" {key}=\"")).unwrap();
        rest.split_once('"').unwrap().0
    }

    /// Every array the XML names must lie in the appended part with the length its type and size ask for.
    #[test]
    fn arrays_are_where_the_xml_says() {
        for (origin, point_type) in [([0.0; 3], "Float32"), ([1e6, 0.0, 0.0], "Float64")] {
            let file = encode(&sample(origin));
            let start = file.windows(2).position(|pair| pair == b"\n_").unwrap() + 2;
            let xml = std::str::from_utf8(&file[..start]).unwrap();
            let data = &file[start..];
            assert!(file.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
            assert!(xml.contains(r#"NumberOfPoints="2" NumberOfVerts="2""#) && xml.contains(">0.125</DataArray>"));

            let elements: Vec<&str> = xml.lines().filter(|line| line.contains("format=\"appended\"")).collect();
            let names: Vec<&str> = elements.iter().map(|element| field(element, "Name")).collect();
            assert_eq!(names, ["points", "connectivity", "offsets", "velocity", "object", "a &lt;b&gt; "]);
            assert_eq!(field(elements[0], "type"), point_type);
            for element in elements {
                let width = if field(element, "type").ends_with("64") { 8 } else { 4 };
                let components: usize = field(element, "NumberOfComponents").parse().unwrap();
                let offset: usize = field(element, "offset").parse().unwrap();
                let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap());
                assert_eq!(length as usize, 2 * components * width, "{element}");
                assert!(offset + 8 + length as usize <= data.len());
            }
        }
    }

    #[test]
    fn a_series_lists_files_with_times() {
        let text = series(&[(0.0, "0000.vtp".to_owned()), (1.0 / 24.0, "0001.vtp".to_owned())]);
        assert!(text.contains("<DataSet timestep=\"0.041666666666666664\" part=\"0\" file=\"0001.vtp\"/>"), "{text}");
    }
}
