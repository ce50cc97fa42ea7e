//! Round trips: files that Fibra writes are read back unchanged.

use crate::data;
use fibra_core::appearance::{Appearance, BodyAppearance, BodyShape, ObjectAppearance};
use fibra_core::frame::{Frame, Pose};
use fibra_core::geometry::{StrandSet, TriangleMesh};
use fibra_exchange::writers::write_obj;
use fibra_exchange::{
    CurveImport, HairFile, StageWriter, encode_glb, read_animation, read_curves, read_deforming, read_mesh,
    read_strands, write_mesh,
};
use glam::{DVec3, Vec3};
use std::fs::File;
use std::path::Path;

/// Returns a closed mesh whose coordinates have no short decimal form.
fn mesh() -> TriangleMesh {
    let read = read_mesh(data("skin.glb"), None).unwrap();
    let odd = read.vertices().iter().map(|x| *x / 3.0 + DVec3::new(0.1, 1e-9, 7.0)).collect();
    TriangleMesh::new(odd, read.triangles().to_vec()).unwrap()
}

#[test]
fn obj_and_ply_meshes_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let (obj, ply) = (folder.path().join("a.obj"), folder.path().join("a.ply"));
    write_mesh(&mesh(), &obj).unwrap();
    write_mesh(&mesh(), &ply).unwrap();
    for path in [obj, ply] {
        assert_eq!(read_mesh(&path, None).unwrap(), mesh(), "{}", path.display());
    }
}

#[test]
fn file_sequences_are_interpolated_between_frames() {
    let folder = tempfile::tempdir().unwrap();
    for frame in 0..3 {
        let moved = mesh().vertices().iter().map(|x| *x + f64::from(frame) * DVec3::Y).collect();
        let mesh = TriangleMesh::new(moved, mesh().triangles().to_vec()).unwrap();
        write_obj(&mesh, &mut File::create(folder.path().join(format!("walk_{frame:04}.obj"))).unwrap()).unwrap();
    }
    let name = folder.path().join("walk_####.obj").display().to_string();
    let import = fibra_exchange::DeformingImport { prim: None, scale: 2.0, fps: Some(10.0), thickness: 0.01 };
    let body = read_deforming(&name, &import).unwrap();
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    body.vertices(0.15, &mut positions, &mut velocities);
    for ((position, velocity), rest) in positions.iter().zip(&velocities).zip(mesh().vertices()) {
        let wanted = 2.0 * *rest + 3.0 * DVec3::Y;
        assert!((body.center() + position.as_dvec3()).distance(wanted) < 1e-5);
        assert!(velocity.distance(20.0 * Vec3::Y) < 1e-4);
    }
    let message =
        read_deforming(&name, &fibra_exchange::DeformingImport { fps: None, ..import }).unwrap_err().to_string();
    assert!(message.contains("walk_####.obj, fps") && message.contains("set `fps`"), "{message}");
}

#[test]
fn hair_files_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hair");
    let points = (0..7).map(|i| DVec3::new(f64::from(i) * 0.25, 1.5, f64::from(i * i) * 0.125)).collect();
    let widths = (1..8).map(|i| 1e-4 * i as f32).collect();
    let strands = StrandSet::new(points, &[3, 4]).unwrap().with_widths(Some(widths));
    HairFile::from_strands(&strands, 0.5).unwrap().write(&mut File::create(&path).unwrap()).unwrap();
    let (read, repairs) = read_strands(&path, None, 0.5).unwrap();
    assert!(repairs.is_empty());
    assert_eq!(read, strands);
    let curves = read_curves(&path, None, &CurveImport { scale: 0.5, spacing: 0.1 }).unwrap();
    let (found, wanted): (f64, f64) = (curves.lengths().sum(), strands.lengths().sum());
    assert!((found - wanted).abs() < 0.03 * wanted, "{found} {wanted}");
    let message = read_strands(&path, Some("/Hair"), 0.5).unwrap_err().to_string();
    assert!(message.contains("remove `prim`"), "{message}");
}

/// Returns the appearance of a run with cloth, a thread and a moving wedge, far from the world's origin.
fn appearance() -> Appearance {
    let object = |name: &str| ObjectAppearance {
        name: name.to_owned(),
        material: "cloth".to_owned(),
        color: Vec3::splat(0.5),
        point_radius: 0.01,
        turns: false,
        curve_radius: Some(0.002),
        is_skin: false,
        grain: None,
    };
    let wedge = BodyShape::Mesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    };
    let wedge = BodyAppearance { name: "wedge".to_owned(), color: Vec3::splat(0.4), shape: wedge };
    Appearance { frames_per_second: 30.0, objects: vec![object("cloth"), object("thread")], bodies: vec![wedge] }
}

fn frame(index: u32) -> Frame {
    let t = index as f32 / 30.0;
    Frame {
        index,
        time: f64::from(index) / 30.0,
        origin: [1000.0, 0.0, -2000.5],
        object: vec![0, 0, 0, 0, 1, 1, 1],
        points: (0..7).map(|k| [k as f32 / 3.0, t * k as f32, if k % 2 == 1 { 1.0 } else { t }]).collect(),
        velocities: vec![[0.0, 1.0, 0.0]; 7],
        segments: vec![[4, 5], [5, 6]],
        triangles: vec![[0, 1, 2], [2, 1, 3]],
        colliders: vec![Pose { translation: [0.0, t, 3.0], rotation: [0.0, 0.0, 0.6, 0.8] }],
        ..Frame::default()
    }
}

fn world(frame: &Frame, points: std::ops::Range<usize>) -> Vec<DVec3> {
    points.map(|point| DVec3::from_array(frame.world_point(point))).collect()
}

#[test]
fn usd_runs_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.usdc");
    let mut stage = StageWriter::new(File::create(&path).unwrap(), "run", appearance()).unwrap();
    for index in 0..5 {
        stage.add(&frame(index)).unwrap();
    }
    stage.finish().unwrap();

    let cloth = read_animation(&path, Some("/run/objects/cloth"), None).unwrap();
    assert_eq!((cloth.frames.len(), cloth.fps), (5, 30.0));
    assert_eq!(cloth.triangles, frame(0).triangles);
    for (index, found) in (0..).zip(&cloth.frames) {
        assert_eq!(*found, world(&frame(index), 0..4), "frame {index}");
    }
    let wedge = read_animation(&path, Some("/run/colliders/wedge"), None).unwrap();
    for (index, found) in (0..).zip(&wedge.frames) {
        let corner = DVec3::from_array(frame(index).in_world(frame(index).colliders[0].translation));
        // Rotated by the quaternion (0, 0, 0.6, 0.8), x goes to (0.28, 0.96, 0).
        for (place, wanted) in [(0, corner), (1, corner + DVec3::new(0.28, 0.96, 0.0)), (3, corner + DVec3::Z)] {
            assert!(found[place].distance(wanted) < 1e-5, "frame {index}: {} {wanted}", found[place]);
        }
    }
    let (strands, repairs) = read_strands(&path, Some("/run/objects/thread"), 1.0).unwrap();
    assert!(repairs.is_empty() && strands.len() == 1);
    assert_eq!(strands.strand(0), world(&frame(0), 4..7));
}

#[test]
fn glb_frames_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("frame.glb");
    std::fs::write(&path, encode_glb(&frame(3), &appearance()).unwrap()).unwrap();
    let read = read_mesh(&path, Some("cloth surface")).unwrap();
    assert_eq!(read.triangles().len(), 2);
    for wanted in world(&frame(3), 0..4) {
        let nearest = read.vertices().iter().map(|found| found.distance(wanted)).fold(f64::INFINITY, f64::min);
        // Translations of glTF nodes are rounded to 32 bits.
        assert!(nearest < 2e-4, "{wanted} {nearest}");
    }
}

#[test]
fn meshes_are_written_as_obj_and_ply_only() {
    let message = write_mesh(&mesh(), "a.glb").unwrap_err().to_string();
    assert_eq!(message, "cannot write a.glb: meshes cannot be written as `glb`; supported formats are .ply and .obj");
    assert!(write_mesh(&mesh(), "a.stl").unwrap_err().to_string().contains("as `stl`"));
}

#[test]
fn third_party_cloth_is_accepted() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/cloth/cloth_6400.obj");
    if !file.is_file() {
        eprintln!("skipped: there is no {}", file.display());
        return;
    }
    let cloth = read_mesh(file, None).unwrap().into_cloth().unwrap();
    assert_eq!(cloth.vertices().len(), 6400);
}
