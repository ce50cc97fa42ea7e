//! Loading of many strands from a file.

use super::Timed;
use fibra_core::geometry::generate::{Hairstyle, StrandPoints};
use fibra_exchange::HairFile;
use fibra_run::methods::hair::HairSimulation;
use fibra_scene::Scene;
use fibra_scene::setup::set_up_hair;
use std::path::Path;
use std::time::Instant;

/// Number of strands, each of 16 points.
const STRANDS: u32 = 100_000;
const POINTS: u32 = 16;

/// Loads a file of 100,000 strands, of which all, half or a fiftieth are simulated and the rest are render strands.
pub fn run() -> Result<Vec<Timed>, String> {
    let folder = std::env::temp_dir().join(format!("fibra-bench-hair-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let file = folder.join("strands.hair");
    let timed = write(&file).and_then(|()| {
        let parts = [("all", STRANDS), ("half", STRANDS / 2), ("guides", STRANDS / 50)];
        parts.into_iter().map(|(part, simulated)| load(part, simulated, &file)).collect()
    });
    std::fs::remove_dir_all(&folder).map_err(|error| format!("cannot remove {}: {error}", folder.display()))?;
    timed
}

fn write(file: &Path) -> Result<(), String> {
    let points = StrandPoints::Total(STRANDS * POINTS);
    let strands = Hairstyle { strands: STRANDS, points, ..Hairstyle::short() }.build().map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    HairFile::from_strands(&strands, 1.0).map_err(|e| e.to_string())?.write(&mut bytes).map_err(|e| e.to_string())?;
    std::fs::write(file, bytes).map_err(|e| e.to_string())
}

fn load(part: &str, simulated: u32, file: &Path) -> Result<Timed, String> {
    let interpolated = STRANDS - simulated;
    let strands = if interpolated > 0 {
        format!(", strands = {simulated}, interpolated = {interpolated}")
    } else {
        String::new()
    };
    let scene = format!(
        "title = \"Strands\"\nmethod = \"hair\"\ntime = {{ frames = 1, fps = 24 }}\n[hair]\n[[object]]\nname = \"hair\"\n\
         shape.hair-file = {{ file = {:?}{strands} }}\nmaterial.hair = {{}}\n",
        file.display().to_string()
    );
    let start = Instant::now();
    let loaded = Scene::load(&scene, None, &[]).map_err(|error| error.render(false))?;
    let setup = set_up_hair(&loaded).map_err(|error| error.render(false))?;
    let simulation = HairSimulation::new(setup);
    let seconds = start.elapsed().as_secs_f64();
    let found = simulation.sim().strands().len();
    if found != simulated as usize {
        return Err(format!("{found} strands are simulated instead of {simulated}"));
    }
    Ok(Timed { part: part.to_owned(), items: STRANDS as usize, steps: 1, seconds, ..Timed::default() })
}
