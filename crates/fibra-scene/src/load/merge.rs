//! Merges presets and `--set` options into a scene.

use super::error::Problem;
use super::suggest::{listed, nearest};
use super::tree::{Entry, Node, Origin, Table, Text, Value};
use miette::NamedSource;
use std::sync::Arc;

/// Keys whose table selects one variant. A change to another variant replaces the table instead of being merged into it.
const CHOICES: [&str; 6] = ["shape", "material", "motion", "region", "axes", "alignment"];

/// Largest number of steps of a `--set` path; the deepest field of a scene has eight.
const MAX_STEPS: usize = 16;

/// Merges `over` into `base`: tables key by key, list elements by name or index; any other value is replaced.
pub(crate) fn merge(base: &mut Node, over: Node) -> Result<(), Problem> {
    match (&mut base.value, over.value) {
        (Value::Table(fields) | Value::Path(fields), Value::Table(changes) | Value::Path(changes)) => {
            for (key, change) in changes {
                let Some(field) = fields.get_mut(&key) else {
                    fields.insert(key, change);
                    continue;
                };
                if CHOICES.contains(&key.as_str()) && is_switch(&field.node, &change.node)? {
                    *field = change;
                } else {
                    merge(&mut field.node, change.node)?;
                }
            }
            Ok(())
        }
        (Value::Array(items), Value::Table(changes) | Value::Path(changes)) => {
            for (key, change) in changes {
                let index = element(items, &key, &change.key)?;
                merge(&mut items[index], change.node)?;
            }
            Ok(())
        }
        (value, change) => {
            *value = change;
            base.origin = over.origin;
            Ok(())
        }
    }
}

/// Returns whether a change selects a different variant than the present one.
///
/// A `--set` path that leads *through* another variant to one of its fields is an error. It is far more likely a
/// mistake than the intent to turn, say, snow into sand with a given density.
fn is_switch(present: &Node, change: &Node) -> Result<bool, Problem> {
    let (Some(present), Some(wanted)) = (present.table(), change.table()) else { return Ok(true) };
    let Some((name, entry)) = wanted.iter().find(|(name, _)| !present.contains_key(*name)) else { return Ok(false) };
    if matches!(entry.node.value, Value::Path(_)) {
        let present = listed(present.keys().map(String::as_str));
        return Err(Problem::new(format!("this is {present}, not `{name}`"))
            .at(entry.key.place(), format!("the scene has {present} here"))
            .remedy(format!(
                "set a field of {present}, or replace it as a whole by `{name}` with `...{name}={{ ... }}`"
            )));
    }
    Ok(true)
}

/// Returns the index of a list element given by its name or its number.
fn element(items: &[Node], key: &str, at: &Origin) -> Result<usize, Problem> {
    let by_name = items.iter().position(|item| item.name() == Some(key));
    let by_index = || key.parse::<usize>().ok().filter(|index| *index < items.len());
    by_name.or_else(by_index).ok_or_else(|| {
        let names: Vec<&str> = items.iter().filter_map(Node::name).collect();
        let remedy = match (names.is_empty(), items.len()) {
            (_, 0) => "the list is empty".to_owned(),
            (true, 1) => "the list has one element, number 0".to_owned(),
            (true, count) => format!("elements go from 0 to {}", count - 1),
            (false, _) => match nearest(key, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? There are {}", listed(names.iter().copied())),
                None => format!("there are {}", listed(names.iter().copied())),
            },
        };
        Problem::new(format!("the list has no element `{key}`")).at(at.place(), "no such element").remedy(remedy)
    })
}

/// Removes the presets from a scene and returns them.
pub(crate) fn take_presets(root: &mut Node) -> Result<Vec<(String, Entry)>, Problem> {
    let Value::Table(fields) = &mut root.value else { return Ok(Vec::new()) };
    let Some(presets) = fields.remove("preset") else { return Ok(Vec::new()) };
    let Value::Table(presets) = presets.node.value else {
        return Err(not_a_table("preset", &presets.node.origin));
    };
    for (name, preset) in &presets {
        if preset.node.table().is_none() {
            return Err(not_a_table(&format!("preset.{name}"), &preset.node.origin));
        }
    }
    Ok(presets.into_iter().collect())
}

fn not_a_table(path: &str, origin: &Origin) -> Problem {
    Problem::new(format!("`{path}` must be a table"))
        .at(origin.place(), "this is not a table")
        .remedy("write `[preset.NAME]` and below it the keys that differ from the scene")
}

/// Returns the preset with this name.
pub(crate) fn find_preset<'a>(presets: &'a [(String, Entry)], wanted: &str) -> Result<&'a Entry, Problem> {
    presets.iter().find(|(name, _)| name == wanted).map(|(_, preset)| preset).ok_or_else(|| {
        let names = || presets.iter().map(|(name, _)| name.as_str());
        let remedy = match nearest(wanted, names()) {
            _ if presets.is_empty() => "leave out `--preset`: the scene has no presets".to_owned(),
            Some(near) => format!("did you mean `{near}`? The scene has {}", listed(names())),
            None => format!("the scene has {}", listed(names())),
        };
        Problem::new(format!("the scene has no preset `{wanted}`")).remedy(remedy)
    })
}

/// Parses the `key.path=value` of an option into a tree that can be merged into the scene. The value is TOML; a bare word is a string.
pub(crate) fn parse_set(option: &str, set: &str) -> Result<Node, Problem> {
    let text: Text = NamedSource::new(option, Arc::from(set));
    let origin = |start: usize, end: usize| Origin { text: text.clone(), span: start..end };
    let Some(equals) = set.find('=') else {
        return Err(Problem::new("`--set` needs a key and a value")
            .at(origin(0, set.len()).place(), "there is no `=` here")
            .remedy("write `--set key.path=value`, e.g. `--set mpm.dx=0.01` or `--set object.ball.velocity=[0,1,0]`"));
    };
    let value_start = equals + 1;
    let value_text = &set[value_start..];
    let leaf = match Node::parse_value(&text, value_start) {
        Ok(node) => node,
        Err(_) if is_bare_word(value_text) => {
            Node { origin: origin(value_start, set.len()), value: Value::String(value_text.trim().to_owned()) }
        }
        Err(problem) => return Err(problem),
    };

    let mut steps = Vec::new();
    let mut start = 0;
    for step in set[..equals].split('.') {
        steps.push((step.trim(), origin(start, start + step.len())));
        start += step.len() + 1;
    }
    if steps.len() > MAX_STEPS || steps.iter().any(|(step, _)| step.is_empty()) {
        return Err(Problem::new("this is not a key path")
            .at(origin(0, equals).place(), "not a path")
            .remedy("write keys separated by dots, e.g. `object.ball.material.sand.density`"));
    }
    Ok(steps.into_iter().rev().fold(leaf, |node, (step, key)| Node {
        origin: key.clone(),
        value: Value::Path(Table::from([(step.to_owned(), Entry { key, node })])),
    }))
}

fn is_bare_word(text: &str) -> bool {
    let word = text.trim();
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-./:".contains(c))
}
