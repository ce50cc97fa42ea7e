//! Compares scenes with the tables of the papers that they reproduce: [Jiang2017, Table 2] (elements, particles, cells and steps of the preset `paper`),
//! [Bertails2011, Table I], [Huang2023, Tables 1 and 2], [Schreck2020, Table 1] and [Martin2010, Table 1].

use super::geometry::{Geometry, geometry};
use super::{hair, set_up_elastons, set_up_hair};
use crate::model::rods::RodModel;
use crate::{Material, Scene};
use fibra_elastons::internals::gmls::Order;
use fibra_hair::HairSettings;
use glam::DVec3;

/// Scene, elements, all particles, largest step [s], cell size [m].
const TABLE_2: [(&str, f64, f64, f64, f64); 16] = [
    ("cloth-curtain", 1.78e6, 2.67e6, 7e-5, 2.2e-3),
    ("cloth-curtain-x3", 1.39e6, 2.09e6, 7e-5, 2.2e-3),
    ("cloth-ball", 2.00e6, 3.00e6, 1e-4, 1.5e-3),
    ("cloth-twister", 1.14e6, 1.71e6, 7e-5, 3e-3),
    ("knit-sweater", 0.27e6, 0.54e6, 1e-4, 1e-2),
    ("knit-poncho", 0.30e6, 0.61e6, 5e-5, 1.6e-2),
    ("knit-twister", 0.31e6, 0.62e6, 2e-4, 1.6e-2),
    ("knit-curtain", 0.31e6, 0.62e6, 1e-4, 4e-3),
    ("knit-anisotropy", 0.31e6, 0.62e6, 5e-5, 7e-4),
    ("shag-carpet", 0.48e6, 0.97e6, 1e-4, 1e-2),
    ("tearing-fiber", 1.04e6, 2.15e6, 1e-4, 3.2e-2),
    ("hair-tubes", 0.38e6, 0.76e6, 2e-4, 7e-3),
    ("curtain-goo", 0.07e6, 2.59e6, 2e-4, 7.5e-3),
    ("cloth-slime", 0.04e6, 1.88e6, 2e-4, 1.2e-2),
    ("curtain-sand", 0.06e6, 2.90e6, 2e-4, 7.2e-3),
    ("cloth-sand", 0.16e6, 7.23e6, 1e-4, 5e-3),
];

#[test]
fn paper_presets_have_the_sizes_of_the_paper() {
    for (name, elements, particles, max_dt, dx) in TABLE_2 {
        let loaded = Scene::load(name, Some("paper"), &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let scene = &loaded.scene;
        let mpm = scene.mpm.as_ref().unwrap();
        assert_eq!((scene.time.max_dt, mpm.dx, scene.time.cfl), (Some(max_dt), dx, 0.3), "{name}");
        let (mut made, mut total) = (0.0, 0.0);
        for object in 0..scene.objects.len() {
            let geometry = geometry(&loaded, object).unwrap_or_else(|e| panic!("{}", e.render(false)));
            made += match &geometry {
                Geometry::Solid(_) => 0.0,
                Geometry::Surface(mesh) => mesh.triangles().len() as f64,
                Geometry::Curves(mesh) => mesh.segments().len() as f64,
            };
            // Particles of solids are estimated from the volume; the solids are not filled.
            let amount = geometry.amount();
            total += amount.mesh_particles + amount.volume / dx.powi(3) * f64::from(mpm.particles_per_cell);
        }
        for (what, ours, paper) in [("elements", made, elements), ("particles", total, particles)] {
            assert!((ours / paper - 1.0).abs() < 0.15, "{name}: {ours} {what}, the paper has {paper}");
        }
    }
}

/// Fibers in the same cell move together, so that they stretch where they should slide past each other. A finer grid must therefore not put many more
/// fibers into a cell.
#[test]
fn paper_presets_have_about_as_many_fibers_per_cell_as_their_scenes() {
    for name in ["tearing-fiber", "fiber-pile", "friction-pile", "hair-tubes"] {
        let [own, paper] = [None, Some("paper")].map(|preset| fibers_per_cell(name, preset));
        assert!(paper < 2.2 * own, "{name}: {own} fibers per cell, with the preset {paper}");
    }
}

/// Returns the mean number of fibers of the first object through a face of a cell, from their total length and their bounding box.
fn fibers_per_cell(name: &str, preset: Option<&str>) -> f64 {
    let loaded = Scene::load(name, preset, &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let Ok(Geometry::Curves(mesh)) = geometry(&loaded, 0) else { panic!("{name} starts with curves") };
    let low = mesh.points().iter().copied().reduce(DVec3::min).unwrap();
    let high = mesh.points().iter().copied().reduce(DVec3::max).unwrap();
    let dx = loaded.scene.mpm.as_ref().unwrap().dx;
    mesh.lengths().sum::<f64>() * dx * dx / (high - low).element_product()
}

/// Scene of [Schreck2020], particles and grains of each object, largest step [s].
const TABLE_1: [(&str, f64, f64, f64); 4] = [
    ("column-repose", 1e4, 1e5, 2e-4),
    ("fiber-bundle", 1e4, 1e5, 2e-4),
    ("slope-alignment", 5e4, 2e5, 1e-3),
    ("dump-truck", 5e4, 2e5, 2.5e-4),
];

#[test]
fn paper_presets_have_as_many_grains_as_the_paper() {
    for (name, particles, grains, max_dt) in TABLE_1 {
        let loaded = Scene::load(name, Some("paper"), &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let scene = &loaded.scene;
        let mpm = scene.mpm.as_ref().unwrap();
        assert_eq!(scene.time.max_dt, Some(max_dt), "{name}");
        for (index, object) in scene.objects.iter().enumerate() {
            let geometry = geometry(&loaded, index).unwrap_or_else(|e| panic!("{}", e.render(false)));
            let ours = geometry.amount().volume / mpm.dx.powi(3) * f64::from(mpm.particles_per_cell);
            let each = f64::from(object.grains.as_ref().unwrap().per_particle);
            for (what, ours, paper) in [("particles", ours, particles), ("grains", ours * each, grains)] {
                assert!((ours / paper - 1.0).abs() < 0.15, "{name}: {ours} {what}, the paper has {paper}");
            }
        }
    }
}

/// Scene and preset, model, [rods, elements per rod (nodes for chains)], friction coefficient, step [s].
type RodsRow = ([&'static str; 2], RodModel, [usize; 2], f64, f64);

const TABLE_I: [RodsRow; 9] = [
    (["plectoneme", ""], RodModel::SuperHelix, [1, 20], 0.0, 0.011),
    // The step of this scene is smaller than the paper's; a comment in the scene explains why.
    (["tight-knot", "paper"], RodModel::SuperHelix, [1, 20], 0.0, 0.002),
    (["wavy-hair", "frictionless"], RodModel::SuperHelix, [84, 8], 0.0, 0.011),
    (["wavy-hair", ""], RodModel::SuperHelix, [84, 8], 0.3, 0.011),
    (["self-stacking", ""], RodModel::Corde, [1, 256], 0.3, 2.5e-4),
    (["spaghetti-7", ""], RodModel::Corde, [7, 16], 0.3, 1e-4),
    (["spaghetti-31", ""], RodModel::MassSpring, [31, 16], 0.3, 1e-3),
    (["spaghetti-76", ""], RodModel::MassSpring, [76, 22], 0.3, 1e-3),
    (["spaghetti-76", "frictionless"], RodModel::MassSpring, [76, 22], 0.0, 1e-3),
];

#[test]
fn scenes_of_rods_have_the_sizes_of_the_paper() {
    for ([name, preset], model, [rods, elements], friction, dt) in TABLE_I {
        let preset = (!preset.is_empty()).then_some(preset);
        let loaded = Scene::load(name, preset, &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let scene = &loaded.scene;
        let Material::Rod(rod) = &scene.objects[0].material else { panic!("{name} is not made of rods") };
        assert_eq!((rod.model, rod.friction, scene.rods.as_ref().unwrap().dt), (model, friction, dt), "{name}");
        assert!(scene.colliders.iter().all(|collider| collider.friction == friction), "{name}");
        // Steps divide a frame equally and are not much smaller than the limit.
        let steps = 1.0 / (scene.time.fps * dt);
        assert!((steps - 1e-6).ceil() < 1.25 * steps, "{name}: {steps} steps in a frame");
        let Ok(Geometry::Curves(mesh)) = geometry(&loaded, 0) else { panic!("{name} has no curves") };
        let strands = mesh.strands().unwrap();
        assert_eq!(strands.len(), rods, "{name}");
        for strand in strands {
            let made = match model {
                RodModel::SuperHelix => rod.elements as usize,
                RodModel::MassSpring => strand.points.len(),
                RodModel::Corde | RodModel::DiscreteElastic => strand.points.len() - 1,
            };
            assert_eq!(made, elements, "{name}");
        }
    }
}

/// Scene, strands, particles, sub-steps.
const HAIR_TABLE_1: [(&str, usize, usize, u32); 4] = [
    ("dance", 2076, 27_114, 3),
    ("random-trajectory", 2076, 27_114, 2),
    ("substepping", 2076, 27_114, 3),
    ("long-hair", 1053, 43_262, 3),
];

#[test]
fn scenes_of_hair_have_the_sizes_of_the_paper() {
    for (name, strands, particles, substeps) in HAIR_TABLE_1 {
        let loaded = Scene::load(name, None, &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let settings = hair::settings(loaded.scene.hair.as_ref().unwrap(), HairSettings::default().strands.gravity);
        let step = HairSettings::default().step;
        assert!((settings.step / step - 1.0).abs() < 1e-6, "{name}");
        assert_eq!(HairSettings { step, ..settings }, HairSettings { substeps, ..HairSettings::default() }, "{name}");
        let made = set_up_hair(&loaded).unwrap_or_else(|e| panic!("{}", e.render(false)));
        assert_eq!((made.sim.strands().len(), made.sim.positions().len()), (strands, particles), "{name}");
    }
}

/// Scene and preset, elastons, samples, and the order that gives the number of unknowns.
type ElastonsRow = ([&'static str; 2], usize, usize, Order);

const ELASTONS_TABLE_1: [ElastonsRow; 11] = [
    (["cube-cut", "paper"], 2688, 50, Order::Second),
    (["flag", "paper"], 5670, 1490, Order::Second),
    (["flag", "low"], 4020, 434, Order::Second),
    (["plant", "paper"], 1390, 501, Order::Second),
    (["wire-dog", "paper"], 630, 88, Order::Second),
    (["fish", "paper"], 5000, 540, Order::First),
    (["cylinder-buckling", "paper"], 2805, 528, Order::Second),
    (["elaston-plectoneme", "paper"], 100, 30, Order::Second),
    (["helical-perversion", "paper"], 1200, 400, Order::Second),
    (["plastic-cuboid", "paper"], 4000, 117, Order::First),
    (["squeeze-bunnies", "paper"], 800, 160, Order::First),
];

#[test]
fn paper_presets_have_as_many_elastons_as_the_paper() {
    for ([name, preset], elastons, samples, order) in ELASTONS_TABLE_1 {
        let loaded = Scene::load(name, Some(preset), &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let made = set_up_elastons(&loaded).unwrap_or_else(|e| panic!("{}", e.render(false)));
        let matter = &made.sim.state().matter;
        let sizes = (matter.elastons.len(), matter.samples.len(), made.sim.params().order);
        assert_eq!(sizes, (elastons, samples, order), "{name}");
    }
}
