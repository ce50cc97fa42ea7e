//! Hair from files, from the file to the exported frame.

use super::HairSimulation;
use crate::simulation::Simulation;
use fibra_core::geometry::StrandSet;
use fibra_exchange::hair_file::PerPoint;
use fibra_exchange::writers::Writer;
use fibra_exchange::{FORMATS, HairFile};
use fibra_scene::Scene;
use fibra_scene::setup::set_up_hair;
use glam::DVec3;
use std::path::Path;

const STRANDS: u32 = 40;

/// Strands of 3 to 9 points with different widths, in an order that is not that of their roots.
fn strands() -> StrandSet {
    let count = |strand: u32| 3 + strand * 5 % 7;
    let point = |strand: u32, i: u32| {
        DVec3::new(0.01 * f64::from(strand * 17 % STRANDS), -0.007 * f64::from(i), 0.001 * f64::from(i * i))
    };
    let points = (0..STRANDS).flat_map(|strand| (0..count(strand)).map(move |i| point(strand, i))).collect();
    let counts: Vec<u32> = (0..STRANDS).map(count).collect();
    let widths = (0..counts.iter().sum()).map(|point| 1e-5 * (1 + point % 11) as f32).collect();
    StrandSet::new(points, &counts).unwrap().with_widths(Some(widths))
}

/// Loads a file of these strands in millimeters as hair; `keys` are further keys of the shape.
fn simulation(folder: &Path, keys: &str) -> HairSimulation {
    let file = folder.join("fringe.hair");
    let mut bytes = Vec::new();
    HairFile::from_strands(&strands(), 1e-3).unwrap().write(&mut bytes).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let scene = format!(
        "title = \"Fringe\"\nmethod = \"hair\"\ntime = {{ frames = 1, fps = 24 }}\n[hair]\n[[object]]\nname = \"fringe\"\n\
         shape.hair-file = {{ file = {:?}, scale = 1e-3{keys} }}\nmaterial.hair = {{}}\n",
        file.display().to_string()
    );
    let loaded = Scene::load(&scene, None, &[]).unwrap_or_else(|error| panic!("{}", error.render(false)));
    HairSimulation::new(set_up_hair(&loaded).unwrap_or_else(|error| panic!("{}", error.render(false))))
}

/// Encodes the first frame as a `.hair` file.
fn exported(simulation: &HairSimulation) -> HairFile {
    let format = FORMATS.iter().find(|format| format.name == "hair").unwrap();
    let Some(Writer::Frames(encode)) = format.write_run else { panic!("not written frame by frame") };
    HairFile::parse(&encode(&simulation.frame(0)).unwrap()[0].1, "frame").unwrap()
}

/// Returns the strand of the file with each root, in the order of the roots.
fn indices(roots: impl Iterator<Item = DVec3>) -> Vec<usize> {
    let strands = strands();
    let with_root = |root: DVec3| (0..strands.len()).find(|&strand| strands.strand(strand)[0].distance(root) < 1e-6);
    roots.map(|root| with_root(root).unwrap()).collect()
}

fn roots(file: &HairFile) -> Vec<DVec3> {
    let starts = file.counts().scan(0, |next, count| Some(std::mem::replace(next, *next + count as usize)));
    starts.map(|start| DVec3::from_array(file.points()[start].map(f64::from))).collect()
}

#[test]
fn order_counts_and_widths_of_a_file_survive_to_the_export() {
    let folder = tempfile::tempdir().unwrap();
    let found = exported(&simulation(folder.path(), ""));
    let strands = strands();
    let counts: Vec<u32> = strands.iter().map(|strand| strand.len() as u32).collect();
    assert_eq!(found.counts().collect::<Vec<_>>(), counts);
    for (found, expected) in found.points().iter().zip(strands.points()) {
        assert!(DVec3::from_array(found.map(f64::from)).distance(*expected) < 1e-6, "{found:?} {expected}");
    }
    let PerPoint { own: Some(widths), .. } = &found.looks.thickness else { panic!("one width for all points") };
    for (found, expected) in widths.iter().zip(strands.widths().unwrap()) {
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
    }
}

/// Render strands are those that are not simulated. Both keep the widths of the file.
#[test]
fn no_strand_is_both_simulated_and_interpolated() {
    let folder = tempfile::tempdir().unwrap();
    for (interpolated, expected) in [(12, 22), (1000, 40)] {
        let simulation = simulation(folder.path(), &format!(", strands = 10, interpolated = {interpolated}"));
        let found = exported(&simulation);
        let strands = indices(roots(&found).into_iter());
        let mut distinct = strands.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!((strands.len(), distinct.len()), (expected, expected));
        assert!(strands[..10].is_sorted(), "simulated strands are in file order: {:?}", &strands[..10]);
        let file = self::strands();
        let widths = strands.iter().flat_map(|&strand| &file.widths().unwrap()[file.range(strand)]);
        for (found, expected) in found.looks.thickness.own.as_ref().unwrap().iter().zip(widths) {
            assert!((found / expected - 1.0).abs() < 1e-6, "{found} {expected}");
        }
    }
}

#[test]
fn strands_are_cut_only_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let found = exported(&simulation(folder.path(), ", spacing = 0.002"));
    assert!(found.counts().zip(strands().iter()).all(|(count, strand)| count as usize > 2 * strand.len()));
    let narrow = found.looks.thickness.own.unwrap();
    assert!(narrow.iter().all(|width| (0.9e-5..1.2e-4).contains(width)));
}
