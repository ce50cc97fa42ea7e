//! Loads a scene: finds the text, parses it, merges preset and options, decodes and checks it.

pub mod builtin;
pub(crate) mod decode;
mod error;
mod material_library;
mod merge;
mod reference;
mod schema;
pub(crate) mod suggest;
mod tree;

pub use error::{Problem, SceneError};
pub use material_library::{material_presets, material_presets_markdown};
pub use reference::scene_reference;
pub use schema::schema;

use crate::check::{Finding, check};
use crate::model::Scene;
use decode::decode;
use material_library::fill_in_presets;
use merge::{find_preset, merge, parse_set, take_presets};
use miette::NamedSource;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use suggest::nearest;
use tree::{Node, Text};

/// Largest scene file that is read [B]; a larger file is most likely not a scene.
const MAX_BYTES: u64 = 16 << 20;

/// Largest absolute value of a number [-]. Computations use 32-bit floats (up to 3.4e38), and squares of lengths must fit.
const LARGEST_NUMBER: f64 = 1e18;

/// A scene that is complete and checked, with absolute file paths.
#[derive(Clone, Debug)]
pub struct LoadedScene {
    /// The scene itself.
    pub scene: Scene,
    /// The name of the scene: its built-in name, or the file name without extension.
    pub name: String,
    /// The folder of the scene file; none for built-in scenes and for scenes given as text.
    pub base_dir: Option<PathBuf>,
    /// The values with their source locations, for problems found after loading.
    tree: Node,
}

impl Scene {
    /// Loads the scene given by `source`: a built-in scene, a file, or, if it contains a line break, the text itself.
    ///
    /// Then merges the `preset` into the scene, and after it each of `sets` (`key.path=value`).
    pub fn load(source: &str, preset: Option<&str>, sets: &[String]) -> Result<LoadedScene, SceneError> {
        let found = find(source)?;
        let mut root = Node::parse_document(&found.text)?;
        let presets = take_presets(&mut root)?;
        // Presets that are not selected are decoded too, so that errors in them show early.
        for (_, unused) in presets.iter().filter(|(name, _)| Some(name.as_str()) != preset) {
            let mut variant = root.clone();
            merge(&mut variant, unused.node.clone())?;
            fill_in_presets(&mut variant)?;
            decode::<Scene>(&variant)?;
        }
        if let Some(name) = preset {
            merge(&mut root, find_preset(&presets, name)?.node.clone())?;
        }
        for set in sets {
            merge(&mut root, parse_set("--set", set)?)?;
        }
        fill_in_presets(&mut root)?;
        let mut scene: Scene = decode(&root)?;
        SceneError::from_problems(absurd_numbers(&root))?;
        scene.files_mut().for_each(|file| make_absolute(file, found.base_dir.as_deref()));
        let loaded = LoadedScene { scene, name: found.name, base_dir: found.base_dir, tree: root };
        let problems = check(&loaded.scene).iter().map(|finding| loaded.problem_of(finding)).collect();
        SceneError::from_problems(problems)?;
        Ok(loaded)
    }

    /// Reads the resolved scene of an earlier run from its `text` (see [`LoadedScene::to_resolved_toml`]). Errors refer to the text by
    /// `name`.
    ///
    /// The scene was checked before that run and is not checked again: a second check would also test whether the scene fits into this
    /// machine's memory.
    pub fn read_resolved(name: &str, text: &str) -> Result<Scene, SceneError> {
        Ok(decode(&Node::parse_document(&NamedSource::new(name, Arc::from(text)))?)?)
    }
}

impl LoadedScene {
    /// Returns an error for a problem found after loading, such as an open mesh. The error points at the line of the value
    /// at a dotted `path` (list elements by index, as in `object.0.shape`). The last `{}` in the message stands for the
    /// path.
    pub fn error_at(&self, path: &str, message: &str, remedy: &str) -> SceneError {
        let finding = Finding {
            path: path.to_owned(),
            message: message.to_owned(),
            label: "here".to_owned(),
            remedy: remedy.to_owned(),
        };
        self.problem_of(&finding).into()
    }

    /// Returns whether the value at a path is set, by the file, a preset or an option, instead of being a default.
    pub(crate) fn is_set(&self, path: &str) -> bool {
        let parent = path.rsplit_once('.').map_or("", |(parent, _)| parent);
        !std::ptr::eq(self.tree.deepest(path), self.tree.deepest(parent))
    }

    /// Returns the scene as a complete file: defaults filled in, preset and options applied, file paths absolute.
    pub fn to_resolved_toml(&self) -> String {
        // Every part of a scene can be written as TOML, so this cannot fail.
        let body = toml::to_string(&self.scene).unwrap_or_else(|error| format!("# {error}\n"));
        format!("# The scene as it was run: presets and options applied, defaults filled in.\n{body}")
    }

    fn problem_of(&self, finding: &Finding) -> Problem {
        // The path comes after any name chosen by the user, so the last `{}` is the placeholder.
        let message = match finding.message.rsplit_once("{}") {
            Some((before, after)) => format!("{before}{}{after}", self.tree.readable(&finding.path)),
            None => finding.message.clone(),
        };
        let place = self.tree.deepest(&finding.path).origin.place();
        Problem::new(message).at(place, finding.label.as_str()).remedy(finding.remedy.as_str())
    }
}

/// The text of a scene and its origin.
struct Found {
    text: Text,
    name: String,
    base_dir: Option<PathBuf>,
}

fn find(source: &str) -> Result<Found, SceneError> {
    if source.contains('\n') {
        return Ok(Found {
            text: NamedSource::new("scene", Arc::from(source)),
            name: "scene".to_owned(),
            base_dir: None,
        });
    }
    if let Some(scene) = builtin::scene(source) {
        let text = NamedSource::new(format!("{source} (built in)"), Arc::from(scene.text));
        return Ok(Found { text, name: source.to_owned(), base_dir: None });
    }
    let path = Path::new(source);
    let text = read(path)?;
    let name = path.file_stem().map_or_else(|| "scene".to_owned(), |stem| stem.to_string_lossy().into_owned());
    let base_dir = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned));
    Ok(Found { text: NamedSource::new(source, Arc::from(text)), name, base_dir })
}

fn read(path: &Path) -> Result<String, Problem> {
    let shown = path.display();
    let mut bytes = Vec::new();
    let outcome = std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    match outcome {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(no_such_scene(path)),
        Err(error) => {
            return Err(Problem::new(format!("cannot read the scene file `{shown}`: {error}"))
                .remedy("give the path of a readable TOML file"));
        }
        Ok(_) if bytes.len() as u64 > MAX_BYTES => {
            return Err(Problem::new(format!("`{shown}` is larger than 16 MiB, so it is not a scene file"))
                .remedy("use a TOML file; meshes and recordings belong in separate files"));
        }
        Ok(_) => {}
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
        Problem::new(format!("`{shown}`, line {line}: this is not UTF-8 text")).remedy("save the scene file as UTF-8")
    })
}

fn no_such_scene(path: &Path) -> Problem {
    let typed = path.to_string_lossy();
    let names = || builtin::SCENES.iter().map(|scene| scene.name);
    let stem = path.file_stem().map_or_else(|| typed.clone(), |stem| stem.to_string_lossy());
    let near = match nearest(&stem, names()) {
        Some(near) => format!("did you mean `{near}`? "),
        None => String::new(),
    };
    Problem::new(format!("there is no scene `{typed}`: neither a file nor a built-in scene has this name"))
        .remedy(format!("{near}`fibra scenes` lists the built-in scenes"))
}

/// Returns a problem for every NaN, infinity and number too large to compute with.
fn absurd_numbers(root: &Node) -> Vec<Problem> {
    let mut problems = Vec::new();
    root.for_each_float("", &mut |path, value| {
        if value.abs() <= LARGEST_NUMBER {
            return;
        }
        let label = if value.is_finite() { "too large" } else { "not finite" };
        problems.push(
            Problem::new(format!("`{}` must be a finite number of at most {LARGEST_NUMBER:e}", root.readable(path)))
                .at(root.deepest(path).origin.place(), label)
                .remedy("write a finite number in SI units"),
        );
    });
    problems
}

/// Makes a file path absolute, relative to the folder of the scene file or, if there is none, to the current folder.
fn make_absolute(file: &mut String, base_dir: Option<&Path>) {
    let joined = base_dir.map_or_else(|| PathBuf::from(&*file), |base| base.join(&*file));
    // This fails only for an empty name or a deleted current folder. The check that the file exists
    // then reports the field.
    if let Ok(absolute) = std::path::absolute(joined) {
        *file = absolute.to_string_lossy().into_owned();
    }
}
