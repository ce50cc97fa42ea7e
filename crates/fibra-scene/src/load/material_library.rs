//! The library of real materials: numbers with sources, chosen in a scene by `preset = "NAME"`.
//!
//! A preset fills in the keys that the scene leaves out, before the scene is decoded. The resolved scene of a run therefore holds plain numbers.

use super::error::Problem;
use super::suggest::{listed, nearest};
use super::tree::{Entry, Node, Table, Text, Value};
use miette::NamedSource;
use serde_json::{Value as Json, json};
use std::fmt::Write;
use std::sync::Arc;

/// Key that selects a material of the library.
const PRESET: &str = "preset";

/// Name of the table `[hair.strand]` in the library.
const STRAND: &str = "strand";

/// A material of the library.
struct LibraryMaterial {
    name: String,
    about: String,
    /// The values, by material kind of the scene format.
    kinds: Vec<(String, Table)>,
}

/// Fills in the presets of a scene: of each object's material and of `hair.strand`.
pub(crate) fn fill_in_presets(root: &mut Node) -> Result<(), Problem> {
    let mut library = None;
    let Value::Table(fields) = &mut root.value else { return Ok(()) };
    if let Some(Value::Array(objects)) = fields.get_mut("object").map(|entry| &mut entry.node.value) {
        for (index, object) in objects.iter_mut().enumerate() {
            let name = object.name().map_or_else(|| index.to_string(), str::to_owned);
            let Some(material) = object.table_mut().and_then(|object| object.get_mut("material")) else { continue };
            for (kind, entry) in material.node.table_mut().into_iter().flatten() {
                fill_in(&mut library, kind, &format!("object.{name}.material.{kind}"), &mut entry.node)?;
            }
        }
    }
    let hair = fields.get_mut("hair").and_then(|hair| hair.node.table_mut());
    if let Some(strand) = hair.and_then(|hair| hair.get_mut(STRAND)) {
        fill_in(&mut library, STRAND, "hair.strand", &mut strand.node)?;
    }
    Ok(())
}

/// Replaces the key `preset` of one table by those values of the preset whose keys the table does not set. Parses the library when it is first
/// needed.
fn fill_in(library: &mut Option<Vec<LibraryMaterial>>, kind: &str, path: &str, node: &mut Node) -> Result<(), Problem> {
    let Some(table) = node.table_mut() else { return Ok(()) };
    let Some(chosen) = table.remove(PRESET) else { return Ok(()) };
    let library = library.get_or_insert_with(read_library);
    let names = || library.iter().filter(|material| material.values(kind).is_some()).map(|found| found.name.as_str());
    let Value::String(wanted) = &chosen.node.value else {
        return Err(Problem::new(format!("`{path}.{PRESET}` must be a name"))
            .at(chosen.node.origin.place(), "this is not text")
            .remedy(allowed(names())));
    };
    let found = library.iter().find(|material| material.name == *wanted).and_then(|material| material.values(kind));
    let Some(values) = found else {
        let near = nearest(wanted, names()).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        return Err(Problem::new(format!("`{path}.{PRESET}` is not a preset of `{kind}`"))
            .at(chosen.node.origin.place(), "unknown preset")
            .remedy(format!("{near}{}", allowed(names()))));
    };
    for (key, entry) in values {
        if !table.contains_key(key) {
            table.insert(key.clone(), Entry { key: entry.key.clone(), node: value_and_source(&entry.node).0.clone() });
        }
    }
    Ok(())
}

fn allowed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names = listed(names);
    if names.is_empty() {
        "leave it out: no material of the library is of this kind".to_owned()
    } else {
        format!("allowed are {names}")
    }
}

impl LibraryMaterial {
    fn values(&self, kind: &str) -> Option<&Table> {
        self.kinds.iter().find(|(name, _)| name == kind).map(|(_, values)| values)
    }
}

/// Parses the library, sorted by name.
fn read_library() -> Vec<LibraryMaterial> {
    let text: Text =
        NamedSource::new("material_library.toml (built in)", Arc::from(include_str!("material_library.toml")));
    let Ok(Node { value: Value::Table(materials), .. }) = Node::parse_document(&text) else {
        unreachable!("the library is a TOML table; a test reads it")
    };
    let read = |(name, entry): (String, Entry)| {
        let Value::Table(fields) = entry.node.value else { unreachable!("`{name}` is a table; a test reads it") };
        let mut material = LibraryMaterial { name, about: String::new(), kinds: Vec::new() };
        for (key, entry) in fields {
            match entry.node.value {
                Value::String(about) => material.about = about,
                Value::Table(values) => material.kinds.push((key, values)),
                _ => unreachable!("`{}.{key}` is text or a table; a test reads it", material.name),
            }
        }
        material
    };
    materials.into_iter().map(read).collect()
}

/// Splits `[value, source]`.
fn value_and_source(node: &Node) -> (&Node, &str) {
    match &node.value {
        Value::Array(pair) => match &pair[..] {
            [value, Node { value: Value::String(source), .. }] => (value, source),
            _ => unreachable!("an entry of the library is `[value, source]`; a test reads all"),
        },
        _ => unreachable!("an entry of the library is `[value, source]`; a test reads all"),
    }
}

fn number(node: &Node) -> f64 {
    match node.value {
        Value::Integer(value) => value as f64,
        Value::Float(value) => value,
        _ => f64::NAN,
    }
}

/// Returns the materials of the library: an array of `{ "name", "about", "materials": { KIND: { KEY: { "value", "source" } } } }`.
///
/// A scene chooses one with `material.KIND.preset = "NAME"`; the kind `strand` belongs in `[hair.strand]`.
pub fn material_presets() -> Json {
    let values = |table: &Table| -> Json {
        let entry = |(key, entry): (&String, &Entry)| {
            let (value, source) = value_and_source(&entry.node);
            (key.clone(), json!({ "value": number(value), "source": source }))
        };
        Json::Object(table.iter().map(entry).collect())
    };
    let material = |found: &LibraryMaterial| {
        let kinds: serde_json::Map<_, _> =
            found.kinds.iter().map(|(kind, table)| (kind.clone(), values(table))).collect();
        json!({ "name": found.name, "about": found.about, "materials": kinds })
    };
    read_library().iter().map(material).collect()
}

/// Returns the page `docs/materials.md`.
pub fn material_presets_markdown() -> String {
    let mut page = PAGE_HEADER.to_owned();
    for material in read_library() {
        let _ = write!(page, "\n## {}\n\n{}.\n", material.name, material.about);
        for (kind, values) in &material.kinds {
            let path = if kind == STRAND { "hair.strand".to_owned() } else { format!("material.{kind}") };
            let _ =
                write!(page, "\n`{path}.preset = \"{}\"`\n\n| key | value | source |\n|---|---|---|\n", material.name);
            for (key, entry) in values {
                let (value, source) = value_and_source(&entry.node);
                let _ = writeln!(page, "| `{key}` [{}] | {} | {source} |", unit(key), short(number(value)));
            }
        }
    }
    page
}

const PAGE_HEADER: &str = "\
# Materials

<!-- Generated by `fibra materials --markdown > docs/materials.md`. -->

Real materials by name. A preset fills in the keys that the scene does not set, so every number can be overridden:

```toml,part
[[object]]
name = \"scarf\"
shape.sheet = { center = [0, 1, 0], width = 0.3, depth = 0.3 }
material.cloth = { preset = \"silk\", friction_angle = 20 }
```

`fibra materials` lists them. Sources in brackets are keys of `REFERENCES.bib`. Numbers marked *chosen* have no source: they are typical values, or allow
long time steps. Explicit MPM steps are proportional to `1 / sqrt(youngs_modulus)`; divide the modulus of a stiff fabric by 10 or 100 for a quick preview.
Keys that a table does not list keep their defaults ([scene reference](scene-reference.md)).
";

/// Returns the unit of a key of the library.
fn unit(key: &str) -> &'static str {
    match key {
        "density" => "kg/m^3",
        "thickness" | "radius" => "m",
        "friction_angle" => "deg",
        "viscosity" => "Pa s",
        key if key.ends_with("modulus") || key.ends_with("stiffness") || key == "cohesion" => "Pa",
        _ => "-",
    }
}

/// Formats a number, in scientific notation if it is large or small.
fn short(value: f64) -> String {
    if value == 0.0 || (1e-3..1e5).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// Returns the names of the presets of a kind of material.
pub(crate) fn names_of_kind(kind: &str) -> Vec<String> {
    read_library()
        .into_iter()
        .filter(|material| material.values(kind).is_some())
        .map(|material| material.name)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Material, Scene};

    /// Returns a scene with one object whose material has the given kind and keys.
    fn scene(kind: &str, keys: &str) -> String {
        let (method, settings, shape) = match kind {
            "cloth" => ("mpm", "[mpm]\ndx = 0.02", "sheet = { center = [0, 1, 0], width = 0.3, depth = 0.3 }"),
            "fiber" => ("mpm", "[mpm]\ndx = 0.02", "strands = { curves = [[[0, 1, 0], [0.3, 1, 0]]] }"),
            "rod" => ("rods", "[rods]\nspacing = 0.02", "strands = { curves = [[[0, 1, 0], [0.3, 1, 0]]] }"),
            "elastic" => {
                ("elastons", "[elastons]\nspacing = 0.02", "box = { center = [0, 1, 0], size = [0.1, 0.1, 0.1] }")
            }
            "strand" => ("hair", "", "hairstyle = { style = \"short\", strands = 20 }"),
            _ => ("mpm", "[mpm]\ndx = 0.02", "box = { center = [0, 1, 0], size = [0.1, 0.1, 0.1] }"),
        };
        let (strand, material) = if kind == "strand" {
            (format!("[hair.strand]\n{}\n", keys.replace(", ", "\n")), "hair = {}".to_owned())
        } else {
            (String::new(), format!("{kind} = {{ {keys} }}"))
        };
        format!(
            "title = \"t\"\nmethod = \"{method}\"\n[time]\nframes = 1\n{settings}\n{strand}[[object]]\nname = \"thing\"\nshape.{shape}\nmaterial.{material}\n"
        )
    }

    /// Every entry of the library has a source for each number and makes a valid scene with exactly these numbers.
    #[test]
    fn every_preset_is_valid() {
        let library = material_presets();
        let mut count = 0;
        for material in library.as_array().unwrap() {
            assert!(material["about"].as_str().is_some_and(|about| !about.is_empty()));
            for (kind, values) in material["materials"].as_object().unwrap() {
                let name = material["name"].as_str().unwrap();
                let loaded = Scene::load(&scene(kind, &format!("preset = \"{name}\"")), None, &[]);
                let loaded = loaded.unwrap_or_else(|error| panic!("{name}.{kind}: {error:?}"));
                let resolved: toml::Table = toml::from_str(&loaded.to_resolved_toml()).unwrap();
                let table = match kind.as_str() {
                    STRAND => &resolved["hair"]["strand"],
                    kind => &resolved["object"][0]["material"][kind],
                };
                for (key, entry) in values.as_object().unwrap() {
                    assert_eq!(table[key].as_float(), entry["value"].as_f64(), "{name}.{kind}.{key}");
                    assert!(entry["source"].as_str().unwrap().len() > 5, "{name}.{kind}.{key} has no source");
                }
                assert!(table.get(PRESET).is_none());
                count += 1;
            }
        }
        assert!(count >= 20, "{count}");
    }

    /// Keys of the scene take precedence over keys of the preset; `--set` can select presets too.
    #[test]
    fn keys_of_the_scene_win() {
        let text = scene("cloth", "preset = \"silk\", friction_angle = 33");
        let cloth = |sets: &[String]| match Scene::load(&text, None, sets).unwrap().scene.objects.remove(0).material {
            Material::Cloth(cloth) => cloth,
            other => panic!("{other:?}"),
        };
        let silk = cloth(&[]);
        assert_eq!((silk.friction_angle, silk.thickness), (33.0, 1.6e-4));
        let denim = cloth(&["object.thing.material.cloth.preset=denim".to_owned()]);
        assert_eq!((denim.friction_angle, denim.thickness), (33.0, 7e-4));
    }

    /// Unknown names are errors that list the presets of that material only.
    #[test]
    fn unknown_presets_are_errors() {
        let message = |kind: &str, keys: &str| format!("{:?}", Scene::load(&scene(kind, keys), None, &[]).unwrap_err());
        let text = message("cloth", "preset = \"sikl\"");
        assert!(text.contains("object.thing.material.cloth.preset") && text.contains("silk"), "{text}");
        assert!(!text.contains("honey"), "{text}");
        assert!(message("goo", "preset = \"honey\"").contains("no material of the library"));
        assert!(message("cloth", "preset = 3").contains("must be a name"));
    }

    /// Every bibliography key that the library cites exists.
    #[test]
    fn sources_are_in_the_bibliography() {
        let bibliography = include_str!("../../../../REFERENCES.bib");
        for cited in include_str!("material_library.toml").split('[').skip(1) {
            let key: String = cited.chars().take_while(char::is_ascii_alphanumeric).collect();
            if key.len() > 6 && key.chars().rev().take(4).all(|digit| digit.is_ascii_digit()) {
                assert!(bibliography.contains(&format!("{{{key},")), "{key} is not in REFERENCES.bib");
            }
        }
    }

    #[test]
    fn the_page_is_current() {
        let page = include_str!("../../../../docs/materials.md");
        assert!(page == material_presets_markdown(), "run `fibra materials --markdown > docs/materials.md`");
    }
}
