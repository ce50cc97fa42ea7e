//! Compares USD files written by Pixar's library with the values that the library reads from them (`data/make_usd_fixtures.py`).

use crate::data;
use fibra_exchange::{
    CurveImport, DeformingImport, read_animation, read_curves, read_deforming, read_mesh, read_strands,
};
use serde_json::Value;
use std::path::PathBuf;

/// Returns the positions [m] that Pixar's library reads for a prim's points at a time [time codes].
fn expected(file: &str, prim: &str, time: &str) -> Vec<[f64; 3]> {
    let text = std::fs::read_to_string(data("expected.json")).unwrap();
    let table: Value = serde_json::from_str(&text).unwrap();
    serde_json::from_value(table[file][prim][time].clone()).unwrap()
}

#[track_caller]
fn assert_close(found: &[glam::DVec3], wanted: &[[f64; 3]], what: &str) {
    assert_eq!(found.len(), wanted.len(), "{what}");
    for (found, wanted) in found.iter().zip(wanted) {
        // Points and some operations are stored in 32 bits.
        let error = found.distance(glam::DVec3::from_array(*wanted));
        assert!(error < 1e-5 * found.length().max(0.01), "{what}: {found} instead of {wanted:?}");
    }
}

#[test]
fn animated_meshes_match_pixars_library() {
    for file in ["animated.usda", "animated.usdc", "animated_plain.usdc"] {
        // Two frames for each time code, so that some are between the file's samples.
        let recording = read_animation(data(file), Some("/World/Arm/Cube"), Some(48.0)).unwrap();
        assert_eq!((recording.frames.len(), recording.triangles.len(), recording.fps), (9, 12, 48.0));
        for (time, frame) in [("1", 0), ("2", 2), ("2.5", 3), ("3", 4), ("4", 6), ("5", 8)] {
            let wanted = expected(file, "/World/Arm/Cube", time);
            assert_close(&recording.frames[frame], &wanted, &format!("{file} at {time}"));
        }
        // The scale of -3 along z mirrors the mesh; the reader flips its triangles.
        let mesh = read_mesh(data(file), None).unwrap();
        assert!(signed_volume(mesh.vertices(), mesh.triangles()) > 0.0);
        let default = read_animation(data(file), None, None).unwrap();
        assert_eq!((default.frames.len(), default.fps), (5, 24.0));
    }
}

fn signed_volume(vertices: &[glam::DVec3], triangles: &[[u32; 3]]) -> f64 {
    triangles.iter().map(|t| t.map(|i| vertices[i as usize])).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

#[test]
fn composition_matches_pixars_library() {
    let file = "arcs.usda";
    let all = read_animation(data(file), None, None).unwrap();
    assert_eq!((all.frames.len(), all.triangles.len()), (21, 36), "the invisible mesh is skipped");
    for time in [0, 4, 7, 14, 20] {
        let prims = ["/World/Loaded/Cube", "/World/Seen/Cube", "/World/Choice/Cube"];
        let wanted: Vec<_> = prims.iter().flat_map(|prim| expected(file, prim, &time.to_string())).collect();
        assert_close(&all.frames[time], &wanted, &format!("{file} at {time}"));
    }
    let hidden = read_mesh(data(file), Some("/World/Hidden")).unwrap();
    assert_close(hidden.vertices(), &expected(file, "/World/Hidden", "0"), "a selected prim may be invisible");
}

#[test]
fn sublayers_with_other_rates_keep_their_timing() {
    let file = "rates.usda";
    let recording = read_animation(data(file), None, None).unwrap();
    assert_eq!((recording.frames.len(), recording.fps), (31, 24.0));
    for time in [0, 5, 10, 20, 30] {
        let wanted = expected(file, "/World/Cube", &time.to_string());
        assert_close(&recording.frames[time], &wanted, &format!("{file} at {time}"));
    }
}

/// Writes a text file in a new folder.
fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.usda");
    std::fs::write(&path, format!("#usda 1.0\n( metersPerUnit = 1 )\n{text}")).unwrap();
    (folder, path)
}

#[test]
fn triangles_without_area_are_dropped() {
    // A square, a face with a repeated corner, and a face with collinear corners.
    let faces = "int[] faceVertexCounts = [4, 3, 3]\n int[] faceVertexIndices = [0,1,2,3, 0,1,1, 0,4,1]";
    let start = "(0,0,0), (1,0,0), (1,1,0), (0,1,0), (0.5,0,0)";
    let mesh = |end: &str| {
        written(&format!(
            "def Mesh \"A\" {{\n {faces}\n point3f[] points.timeSamples = {{ 0: [{start}], 24: [{end}] }}\n}}"
        ))
    };
    // At the end, two corners of the square coincide.
    let (_folder, path) = mesh("(0,0,0), (1,0,0), (1,0,0), (0,1,0), (0.5,0,0)");
    assert_eq!(read_mesh(&path, None).unwrap().triangles(), [[0, 1, 2], [0, 2, 3]]);
    let recording = read_animation(&path, None, None).unwrap();
    assert_eq!((recording.triangles.len(), recording.frames.len()), (2, 25));
    let import = DeformingImport { prim: None, scale: 2.0, fps: None, thickness: 0.01 };
    let body = read_deforming(path.to_str().unwrap(), &import).unwrap();
    assert!(body.places(1.0)[2].distance(glam::Vec3::new(2.0, 0.0, 0.0)) < 1e-6);
    let center = body.center().as_vec3();
    for x in [glam::Vec3::new(2.0, 0.0, 1.0), glam::Vec3::new(2.0, 0.0, 0.0), glam::Vec3::new(0.2, 0.2, 0.5)] {
        let found = body.at(1.0).query(x - center);
        assert!((found.distance - x.z).abs() < 1e-5 && found.normal.is_normalized(), "{x}: {found:?}");
    }
    let (_folder, path) = mesh("(0,0,0), (1,0,0), (nan,0,0), (0,1,0), (0.5,0,0)");
    let message = read_deforming(path.to_str().unwrap(), &import).unwrap_err().to_string();
    assert!(message.contains("a.usda, frame 1: vertex 2 is at"), "{message}");
}

#[test]
fn prototypes_of_instances_are_skipped() {
    const FACE: &str = "point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]\n int[] faceVertexCounts = [3]\n \
        int[] faceVertexIndices = [0,1,2]";
    let (_folder, path) = written(&format!(
        "def \"W\" {{\n def Mesh \"Own\" {{ {FACE} }}\n def PointInstancer \"Grains\" {{\n def Mesh \"Grain\" {{ {FACE} }}\n }}\n}}"
    ));
    let count = |prim: Option<&str>| read_mesh(&path, prim).unwrap().triangles().len();
    assert_eq!([None, Some("/W"), Some("/W/Grains"), Some("/W/Grains/Grain")].map(count), [1; 4]);
    let message = read_curves(&path, None, &CurveImport { scale: 1.0, spacing: 0.1 }).unwrap_err().to_string();
    assert!(message.contains("PointInstancer /W/Grains") && !message.contains("Grains/Grain"), "{message}");
}

/// Writes files to a new folder.
fn folder_of(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), format!("#usda 1.0\n{text}")).unwrap();
    }
    folder
}

/// The faces of a mesh of one triangle.
const TRIANGLE: &str = "int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0,1,2]";

#[test]
fn the_referring_prim_selects_the_variants() {
    let sized = |size: u32| format!("{{ point3f[] points = [(0,0,0), ({size},0,0), (0,1,0)] }}");
    let character = |kind: &str| {
        format!(
            "{kind} \"Char\" ( variants = {{ string size = \"small\" }} variantSets = [\"size\", \"size\"] ) {{\n {TRIANGLE}\n \
             variantSet \"size\" = {{ \"small\" {} \"large\" {} }}\n}}\n",
            sized(1),
            sized(2)
        )
    };
    let large = "variants = { string size = \"large\" }";
    let scene = format!(
        "( metersPerUnit = 1 subLayers = [@below.usda@] )\n{}
         def Mesh \"A\" ( references = @char.usda@ {large} ) {{}}
         def Mesh \"B\" ( payload = @char.usda@ {large} ) {{}}
         def Mesh \"C\" ( inherits = </Char> {large} ) {{}}
         def Mesh \"D\" ( references = @char.usda@ variants = {{ string other = \"x\" }} ) {{}}
         def Mesh \"E\" ( references = @char.usda@ variants = {{ string other = \"x\" }} ) {{}}
         def Mesh \"F\" ( references = @between.usda@ {large} ) {{}}",
        character("class")
    );
    let folder = folder_of(&[
        ("char.usda", &format!("( defaultPrim = \"Char\" )\n{}", character("def"))),
        ("between.usda", "( defaultPrim = \"B\" )\ndef \"B\" ( references = @char.usda@ ) {}"),
        ("below.usda", &format!("over \"E\" ( {large} ) {{}}")),
        ("scene.usda", &scene),
    ]);
    let widths = ["/A", "/B", "/C", "/D", "/E", "/F"]
        .map(|prim| read_mesh(folder.path().join("scene.usda"), Some(prim)).unwrap().vertices()[1].x);
    assert_eq!(widths, [2.0, 2.0, 2.0, 1.0, 2.0, 2.0]);
}

#[test]
fn many_variant_sets_are_visited_once_each() {
    let chosen: String = (0..20_000).map(|i| format!("string s{i} = \"a\"\n")).collect();
    let sets: String = (0..20_000).map(|i| format!("\"s{i}\", ")).collect();
    let (_folder, path) = written(&format!(
        "def Mesh \"M\" ( variants = {{ {chosen} }} variantSets = [{sets}] ) {{\n {TRIANGLE}\n variantSet \"s19999\" = \
         {{ \"a\" {{ point3f[] points = [(0,0,0), (3,0,0), (0,1,0)] }} }}\n}}"
    ));
    assert_eq!(read_mesh(&path, None).unwrap().vertices()[1].x, 3.0);
}

#[test]
fn references_in_sublayers_with_other_rates_keep_their_timing() {
    let mesh = |name: &str| {
        format!(
            "def Mesh \"{name}\" {{\n {TRIANGLE}\n point3f[] points.timeSamples = {{ 0: [(0,0,0), (1,0,0), (0,1,0)], \
             48: [(0,0,0), (49,0,0), (0,1,0)] }}\n}}\n"
        )
    };
    let below = format!(
        "( timeCodesPerSecond = 48 )\n{}
         def \"Other\" ( references = @part.usda@ ) {{}}
         def \"Same\" ( references = </Own> ) {{}}
         def \"Later\" ( references = </Own> (offset = 3; scale = 2) ) {{}}",
        mesh("Own")
    );
    let folder = folder_of(&[
        ("part.usda", &format!("( defaultPrim = \"P\" timeCodesPerSecond = 48 )\n{}", mesh("P"))),
        ("below.usda", &below),
        ("plain.usda", "( timeCodesPerSecond = 24 metersPerUnit = 1 subLayers = [@below.usda@] )"),
        (
            "moved.usda",
            "( timeCodesPerSecond = 24 metersPerUnit = 1 subLayers = [@below.usda@ (offset = 10; scale = 3)] )",
        ),
    ]);
    // The first and last time codes according to Pixar's library.
    for (file, prim, start, end) in [
        ("plain.usda", "/Other", 0.0, 24.0),
        ("plain.usda", "/Same", 0.0, 24.0),
        ("plain.usda", "/Later", 3.0, 51.0),
        ("moved.usda", "/Other", 10.0, 82.0),
        ("moved.usda", "/Same", 10.0, 82.0),
        ("moved.usda", "/Later", 23.0, 167.0),
    ] {
        let recording = read_animation(folder.path().join(file), Some(prim), Some(24.0)).unwrap();
        assert_eq!(recording.frames.len() as f64, end - start + 1.0, "{file} {prim}");
        assert_eq!(recording.frames.last().unwrap()[1].x, 49.0, "{file} {prim}");
    }
}

#[test]
fn list_edits_prepend_add_and_append() {
    let part = |name: &str, size: u32| {
        format!("def Mesh \"{name}\" {{\n {TRIANGLE}\n point3f[] points = [(0,0,0), ({size},0,0), (0,1,0)]\n}}\n")
    };
    for (lists, width) in [
        ("append references = </One> prepend references = </Two>", 2.0),
        ("add references = </One> append references = </Two>", 1.0),
        ("prepend references = </One> append references = None", 1.0),
        ("prepend references = </One> references = </Two>", 2.0),
        // The last list of the same kind wins.
        ("prepend references = </One> prepend references = </Two>", 2.0),
    ] {
        let (_folder, path) = written(&format!("{}{}def \"A\" ( {lists} ) {{}}", part("One", 1), part("Two", 2)));
        assert_eq!(read_mesh(&path, Some("/A")).unwrap().vertices()[1].x, width, "{lists}");
    }
    let many = "prepend references = </One>\n".repeat(200_000);
    let (_folder, path) = written(&format!("{}def \"A\" ( {many} ) {{}}", part("One", 1)));
    assert_eq!(read_mesh(&path, Some("/A")).unwrap().triangles().len(), 1);
}

#[test]
fn relocates_and_splines_are_skipped() {
    let (_folder, path) = written(&format!(
        "def \"W\" ( relocates = {{ <A>: <B>, </W/\u{e4}>: <> }} ) {{\n double x.spline = {{ bezier, pre: held, \
         1: 2.5; post curve (0.5, 1), # }} {{\n 2: 3 & 4 {{ string \u{e4} = \"}}\" }} }}\n \
         def Mesh \"M\" {{\n {TRIANGLE}\n point3f[] points = [(0,0,0), (1,0,0), (0,1,0)]\n }}\n}}"
    ));
    assert_eq!(read_mesh(&path, None).unwrap().triangles().len(), 1);
    let (_folder, path) = written("def \"W\" ( relocates = { <A>: { <B> ) {}");
    assert!(read_mesh(&path, None).unwrap_err().to_string().contains("the file ends here"));
}

#[test]
fn clip_templates_with_too_many_digits_are_rejected() {
    let (_folder, path) = written(&format!(
        "def \"W\" ( clips = {{ dictionary default = {{\n string primPath = \"/W\"\n \
         asset templateAssetPath = @a.{}.usd@\n double templateStartTime = 0\n double templateEndTime = 3\n }} }} ) {{}}",
        "#".repeat(65_536)
    ));
    let message = read_mesh(&path, None).unwrap_err().to_string();
    assert!(message.contains("/W, clips `default`"), "{message}");
}

#[test]
fn clips_of_too_many_prims_are_rejected() {
    let set = "string primPath = \"/W\"\n asset templateAssetPath = @a.#.usd@\n double templateStartTime = 0\n \
        double templateEndTime = 900000";
    let sets: String = (0..1000).map(|i| format!("dictionary s{i} = {{ {set} }}\n")).collect();
    let prims: String = (0..300).map(|i| format!("def \"P{i}\" {{}}\n")).collect();
    let (_folder, path) = written(&format!("def \"W\" ( clips = {{ {sets} }} ) {{ {prims} }}"));
    let message = read_mesh(&path, Some("/W")).unwrap_err().to_string();
    assert!(message.contains("create too many prims"), "{message}");
}

#[test]
fn strands_with_too_few_points_are_dropped_and_counted() {
    for (kind, counts, dropped) in
        [("linear", "2, 1, 3, 0", 2), ("cubic", "4, 1, 1", 2), ("cubic", "3, 3", 2), ("linear", "6", 0)]
    {
        let (_folder, path) = written(&format!(
            "def BasisCurves \"H\" {{\n uniform token type = \"{kind}\"\n int[] curveVertexCounts = [{counts}]\n \
             point3f[] points = [(0,0,0), (1,0,0), (2,1,0), (3,0,0), (4,0,0), (5,1,0)]\n}}"
        ));
        let read = read_strands(&path, None, 1.0);
        if counts == "3, 3" {
            assert!(read.unwrap_err().to_string().contains("no strands"));
        } else {
            let (strands, repairs) = read.unwrap();
            assert_eq!(repairs.strands_without_length, dropped, "{kind} {counts}");
            assert_eq!(strands.len(), counts.split(", ").count() - dropped);
        }
        // `read_curves` rejects curves that `read_strands` drops.
        let curves = read_curves(&path, None, &CurveImport { scale: 1.0, spacing: 0.1 });
        assert_eq!(curves.is_ok(), dropped == 0, "{kind} {counts}");
    }
}

#[test]
fn value_clips_match_pixars_library() {
    for file in ["clips.usda", "clips.usdc", "clips_listed.usdc"] {
        let recording = read_animation(data(file), None, Some(60.0)).unwrap();
        assert_eq!(recording.frames.len(), 7);
        let times: &[(&str, usize)] = if file == "clips.usdc" {
            &[("0", 0), ("1", 2), ("2", 4), ("3", 6)]
        } else {
            &[("0", 0), ("1", 2), ("1.5", 3), ("3", 6)]
        };
        for (time, frame) in times {
            assert_close(&recording.frames[*frame], &expected(file, "/Run/Cloth", time), &format!("{file} at {time}"));
        }
    }
}

#[test]
fn curves_of_each_basis_are_read() {
    let import = CurveImport { scale: 1.0, spacing: 0.05 };
    for file in ["curves.usda", "curves.usdc"] {
        for (prim, closed) in [("linear_none_nonperiodic", false), ("linear_none_periodic", true)] {
            let prim = format!("/Hair/{prim}");
            let wanted = expected(file, &prim, "0");
            let mesh = read_curves(data(file), Some(&prim), &import).unwrap();
            assert_eq!(mesh.points().len() == mesh.segments().len(), closed);
            let length: f64 = mesh.lengths().sum();
            let corners: Vec<glam::DVec3> = wanted.iter().map(|p| glam::DVec3::from_array(*p)).collect();
            let mut exact: f64 = corners.windows(2).map(|pair| pair[0].distance(pair[1])).sum();
            if closed {
                exact += corners[0].distance(corners[6]);
            }
            // Resampling shortens the curve at its corners.
            assert!((length - exact).abs() < 0.02 * exact, "{prim}: {length} {exact}");
        }
        for prim in ["cubic_bspline_pinned", "cubic_catmullRom_pinned", "cubic_bezier_nonperiodic"] {
            let prim = format!("/Hair/{prim}");
            let wanted = expected(file, &prim, "0");
            let (strands, repairs) = read_strands(data(file), Some(&prim), 1.0).unwrap();
            assert!(repairs.is_empty() && strands.len() == 1);
            let points = strands.strand(0);
            assert_close(&[points[0], points[points.len() - 1]], &[wanted[0], wanted[6]], &prim);
            if prim.contains("catmullRom") {
                // The curve passes through every control point.
                for wanted in &wanted {
                    let wanted = glam::DVec3::from_array(*wanted);
                    assert!(points.iter().any(|point| point.distance(wanted) < 1e-6), "{prim}");
                }
            }
        }
        for prim in ["cubic_bspline_nonperiodic", "cubic_catmullRom_nonperiodic"] {
            let (strands, _) = read_strands(data(file), Some(&format!("/Hair/{prim}")), 1.0).unwrap();
            assert_eq!(strands.points().len(), 4 * 8 + 1, "{prim}");
        }
        let closed = read_strands(data(file), Some("/Hair/cubic_bezier_periodic"), 1.0).unwrap_err().to_string();
        assert!(closed.contains("it is closed"), "{closed}");
        let all = read_curves(data(file), None, &import).unwrap();
        assert_eq!(all.points().len() - all.segments().len(), 6, "six of ten curves are open");
    }
}

#[test]
fn errors_name_the_file_and_the_location() {
    let message = |file: &str, prim: Option<&str>| read_mesh(data(file), prim).unwrap_err().to_string();
    let none = message("curves.usda", None);
    assert!(none.contains("curves.usda") && none.contains("no visible Mesh") && none.contains("BasisCurves"), "{none}");
    let missing = message("arcs.usda", Some("/World/Shirt"));
    assert!(missing.contains("no prim `/World/Shirt`") && missing.contains("/World/Seen"), "{missing}");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    for (text, part) in [
        ("hello", "its first bytes are neither `#usda` nor `PXR-USDC`"),
        ("#usda 1.0\ndef Mesh \"A\" {\n  int[] faceVertexCounts = [3\n", "line 4: the file ends here"),
        ("#usda 1.0\ndef Mesh \"A\" {\n  point3f[] points = [(0,0,0), (1,0)]\n}", "groups of 3"),
        (
            "#usda 1.0\ndef Mesh \"A\" {\n  point3f[] points = [(0,0,0)]\n int[] faceVertexCounts = [3]\n int[] faceVertexIndices = [0,0,7]\n}",
            "uses point 7",
        ),
        ("#usda 1.0\n(\n  upAxis = \"W\"\n)", "`upAxis` is W"),
        ("#usda 1.0\ndef \"A\" ( references = @a.usda@</A> ) {}", "form a cycle"),
        ("#usda 1.0\ndef \"A\" ( references = @b.usda@</A> ) {}", "b.usda"),
        (
            "#usda 1.0\ndef \"A\" ( references = @/dev/zero@</A> ) {}",
            "/dev/zero: this USD file format is not supported",
        ),
        ("#usda 1.0\ndef \"A\" {\n  def \"B\" ( references = </A> ) {}\n}", "deep"),
    ] {
        let path = write("a.usda", text);
        let message = read_mesh(&path, None).unwrap_err().to_string();
        assert!(message.contains("usda") && message.contains(part), "{text}: {message}");
    }
    let odd = read_mesh(write("a.stl", ""), None).unwrap_err().to_string();
    assert!(odd.contains("a.stl") && odd.contains(".glb"), "{odd}");
}
