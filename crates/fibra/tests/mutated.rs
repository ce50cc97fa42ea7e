//! Mutation tests: damaged scenes and checkpoints cause no panic, no hang and no unbounded allocation. See
//! `fibra-exchange/tests/formats/mutated.rs` for the other formats.

#[path = "../../fibra-exchange/tests/mutation/mod.rs"]
mod mutation;

use fibra_core::tensor_file::TensorFile;
use fibra_run::simulation_of;
use fibra_scene::{Scene, builtin};
use mutation::{Counting, how_many, survive};
use std::cell::RefCell;

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn scenes_survive() {
    scenes(how_many(false));
}

#[test]
fn checkpoints_survive() {
    checkpoints(how_many(false));
}

#[test]
#[ignore = "reads 100,000 files"]
fn scenes_survive_thoroughly() {
    scenes(how_many(true));
}

#[test]
#[ignore = "reads 100,000 files"]
fn checkpoints_survive_thoroughly() {
    checkpoints(how_many(true));
}

fn scenes(count: u64) {
    let files: Vec<Vec<u8>> = builtin::SCENES.iter().map(|scene| scene.text.as_bytes().to_vec()).collect();
    // The line break marks the source as text rather than a file name.
    survive("scenes", &files, count, |bytes| Scene::load(&(String::from_utf8_lossy(bytes) + "\n"), None, &[]).is_ok());
}

/// A scene with a few points for each method.
const SCENES: [&str; 4] = [
    r#"title = "Jelly and cloth"
    method = "mpm"
    time = { frames = 1 }
    mpm = { dx = 0.1 }
    object = [
        { name = "ball", shape.sphere = { center = [0, 1, 0], radius = 0.15 }, material.snow = {} },
        { name = "cloth", shape.sheet = { center = [0, 0.5, 0], width = 0.3, depth = 0.3 }, material.cloth = { density = 2, youngs_modulus = 400, poisson_ratio = 0.3, normal_stiffness = 800, friction_angle = 0 } },
    ]
    collider = [{ name = "ground", shape.plane = { point = [0, 0, 0], normal = [0, 1, 0] } }]
    "#,
    r#"title = "A rope"
    method = "rods"
    time = { frames = 1 }
    rods = { spacing = 0.02 }
    object = [{ name = "rope", shape.strands = { curves = [[[0, 0, 0], [0.1, 0, 0]]] }, material.rod = { model = "discrete-elastic", radius = 0.003, density = 1000, youngs_modulus = 1e6, friction = 0.1 } }]
    "#,
    r#"title = "Some hair"
    method = "hair"
    time = { frames = 1 }
    hair = {}
    object = [{ name = "hair", shape.hairstyle = { strands = 2, points = 12 }, material.hair = {} }]
    "#,
    r#"title = "A shell"
    method = "elastons"
    time = { frames = 1 }
    elastons = { spacing = 0.05 }
    object = [{ name = "shell", shape.sheet = { center = [0, 0, 0], width = 0.2, depth = 0.2 }, material.elastic = { density = 1000, youngs_modulus = 1e6, thickness = 0.02 } }]
    "#,
];

fn checkpoints(count: u64) {
    for scene in SCENES {
        let loaded = Scene::load(scene, None, &[]).unwrap();
        let mut simulation = simulation_of(&loaded).unwrap();
        simulation.step(1e-3).unwrap_or_else(|failure| panic!("{}", failure.what));
        let mut bytes = Vec::new();
        simulation.save().write_to(&mut bytes).unwrap();
        let simulation = RefCell::new(simulation);
        survive(&format!("checkpoint of {}", loaded.scene.method.name()), &[bytes], count, |bytes| {
            let Ok(file) = TensorFile::from_bytes(bytes) else { return false };
            let mut simulation = simulation.borrow_mut();
            let accepted = simulation.load(&file).is_ok();
            if accepted {
                // A state that was accepted can be inspected.
                simulation.frame(0);
                simulation.quantities();
            }
            accepted
        });
    }
}
