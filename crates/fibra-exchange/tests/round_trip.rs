//! What is written and read back is the same.

use fibra_core::geometry::{CurveImport, HairFile, StrandSet, TriangleMesh};
use fibra_exchange::{read_curves, read_deforming, read_mesh, read_strands};
use glam::{DVec3, Vec3};
use std::fs::File;
use std::path::PathBuf;

fn data(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name)
}

/// A closed mesh with odd coordinates.
fn mesh() -> TriangleMesh {
    let read = read_mesh(data("skin.glb"), None).unwrap();
    let odd = read.vertices().iter().map(|x| *x / 3.0 + DVec3::new(0.1, 1e-9, 7.0)).collect();
    TriangleMesh::new(odd, read.triangles().to_vec()).unwrap()
}

#[test]
fn meshes_come_back_from_obj_and_ply() {
    let folder = tempfile::tempdir().unwrap();
    let (obj, ply) = (folder.path().join("a.obj"), folder.path().join("a.ply"));
    mesh().write_obj(&mut File::create(&obj).unwrap()).unwrap();
    mesh().write_ply(&mut File::create(&ply).unwrap()).unwrap();
    for path in [obj, ply] {
        assert_eq!(read_mesh(&path, None).unwrap(), mesh(), "{}", path.display());
    }
}

#[test]
fn a_sequence_of_files_moves_as_its_frames_do() {
    let folder = tempfile::tempdir().unwrap();
    for frame in 0..3 {
        let moved = mesh().vertices().iter().map(|x| *x + f64::from(frame) * DVec3::Y).collect();
        let mesh = TriangleMesh::new(moved, mesh().triangles().to_vec()).unwrap();
        mesh.write_obj(&mut File::create(folder.path().join(format!("walk_{frame:04}.obj"))).unwrap()).unwrap();
    }
    let name = folder.path().join("walk_####.obj").display().to_string();
    let import = fibra_exchange::DeformingImport { prim: None, scale: 2.0, fps: Some(10.0), thickness: 0.01 };
    let body = read_deforming(&name, &import).unwrap();
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    body.vertices(0.15, &mut positions, &mut velocities);
    for ((position, velocity), rest) in positions.iter().zip(&velocities).zip(mesh().vertices()) {
        let wanted = 2.0 * *rest + 3.0 * DVec3::Y;
        assert!((body.centre() + position.as_dvec3()).distance(wanted) < 1e-5);
        assert!(velocity.distance(20.0 * Vec3::Y) < 1e-4);
    }
    let slow = read_deforming(&name, &fibra_exchange::DeformingImport { fps: None, ..import }).unwrap_err().to_string();
    assert!(slow.contains("walk_####.obj, fps") && slow.contains("give `fps`"), "{slow}");
}

#[test]
fn hair_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.hair");
    let points = (0..7).map(|i| DVec3::new(f64::from(i) * 0.25, 1.5, f64::from(i * i) * 0.125)).collect();
    let strands = StrandSet::new(points, &[3, 4]).unwrap();
    HairFile::from_strands(&strands, 0.5).unwrap().write(&mut File::create(&path).unwrap()).unwrap();
    let (read, repairs) = read_strands(&path, None, 0.5).unwrap();
    assert!(repairs.is_empty());
    assert_eq!(read, strands);
    let curves = read_curves(&path, None, &CurveImport { scale: 0.5, spacing: 0.1 }).unwrap();
    let (found, wanted): (f64, f64) = (curves.lengths().sum(), strands.lengths().sum());
    assert!((found - wanted).abs() < 0.03 * wanted, "{found} {wanted}");
    let refused = read_strands(&path, Some("/Hair"), 0.5).unwrap_err().to_string();
    assert!(refused.contains("leave out `prim`"), "{refused}");
}
