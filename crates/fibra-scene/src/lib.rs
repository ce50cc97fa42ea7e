//! Scene files of Fibra: data model, parser, validation, and setup of the simulation.
//!
//! [`Scene::load`] finds the text (a built-in scene or a file) and parses it into a tree that records the source location of each value. It then merges the
//! preset and the `--set` options, decodes the tree into the [`model`] and checks constraints that types cannot express. Every problem is a
//! [`SceneError`] that points at its source location. [`setup::set_up`] then builds the initial state of a simulation.
//!
//! ```
//! use fibra_scene::Scene;
//! use fibra_scene::setup::{Setup, set_up};
//!
//! let loaded = Scene::load("jelly-drop", None, &["mpm.dx=0.05".to_owned()])?;
//! assert_eq!(loaded.scene.objects[0].material.name(), "neo-hookean");
//! let Setup::Mpm(mpm) = set_up(&loaded)? else { panic!("jelly-drop is a scene of particles") };
//! assert_eq!(mpm.sim.params().dx, 0.05);
//! # Ok::<(), fibra_scene::SceneError>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | [`model`] | the scene as structs, with defaults and units |
//! | `load` | from text to a checked scene; errors with source locations; [`builtin`] scenes; the JSON [`schema`] |
//! | `check` | constraints that types cannot express: ranges, references between parts, sizes |
//! | [`setup`] | from a scene to the particles, rods, strands or clouds of a simulation |
//! | [`appearance`] | colors, sizes and shapes, for images, the viewer and export |

pub mod appearance;
mod check;
mod load;
pub mod model;
pub mod setup;

pub use load::builtin;
pub use load::{
    LoadedScene, Problem, SceneError, material_presets, material_presets_markdown, scene_reference, schema,
};
pub use model::*;
