//! The scene reference: all tables and keys of scene files as a Markdown page, generated from the JSON schema.

use super::schema::schema;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sections of the page: title, and the types that they begin with. A type is described in the first section that uses it, unless another
/// section begins with it.
const SECTIONS: [(&str, &[&str]); 10] = [
    ("Top level", &["Scene", "Time", "Domain", "Camera", "Expect"]),
    ("Method `mpm`", &["Mpm"]),
    ("Method `rods`", &["Rods"]),
    ("Method `hair`", &["Hair"]),
    ("Method `elastons`", &["Elastons"]),
    ("Objects", &["Object"]),
    ("Shapes", &["ObjectShape", "Shape", "SurfaceShape", "CurveShape", "CloudShape"]),
    ("Materials", &["Material"]),
    ("Anisotropy", &["Anisotropy"]),
    ("Colliders, blades and motion", &["Collider", "Blade", "Motion"]),
];

/// Keys of the types at which sections begin, and of types that are used under several names.
const PATHS: [(&str, &str); 20] = [
    ("Scene", ""),
    ("Time", "time"),
    ("Domain", "domain"),
    ("Camera", "camera"),
    ("Expect", "expect"),
    ("Mpm", "mpm"),
    ("Rods", "rods"),
    ("Hair", "hair"),
    ("Elastons", "elastons"),
    ("Object", "object"),
    ("ObjectShape", "shape"),
    ("Shape", "shape"),
    ("SurfaceShape", "shape"),
    ("CurveShape", "shape"),
    ("CloudShape", "shape"),
    ("Material", "material"),
    ("Anisotropy", "anisotropy"),
    ("Collider", "collider"),
    ("Blade", "blade"),
    ("Motion", "motion"),
];

/// Headings of types that share a key or are used under several keys.
const HEADINGS: [(&str, &str); 9] = [
    ("Scene", "Keys at the top of the file"),
    ("ObjectShape", "Shapes of objects"),
    ("Shape", "Solids"),
    ("SurfaceShape", "Surfaces"),
    ("CurveShape", "Curves"),
    ("CloudShape", "Clouds"),
    ("Contact", "Contact conditions"),
    ("Yarn", "Yarn of knits"),
    ("AxisParameters", "Parameters along one axis"),
];

const INTRODUCTION: &str = "# Scene reference

This page is generated from the schema of scene files. To update it, run `fibra schema --markdown > docs/scene-reference.md`.

A scene file is written in TOML. All quantities are in SI units: m, kg, s, Pa. The y axis points up.
`fibra schema` prints the same information as a JSON schema, which editors use for completion. `fibra check` checks a scene file.

In the tables below, a key without a default is required. `[-]` is the unit of a number without a dimension.
A choice such as `shape` or `material` is a table with one key, the name of the variant: `shape.sphere = { radius = 0.1 }`.
";

/// Returns the scene reference as a Markdown page.
pub fn scene_reference() -> String {
    let schema: Value = serde_json::from_str(&schema()).unwrap_or_default();
    let page = Page::new(&schema);
    let mut text = INTRODUCTION.to_owned();
    text += "\n## Contents\n";
    for (title, types) in &page.sections {
        let _ = write!(text, "\n- [{title}](#{}):", slug(title));
        let links = types.iter().map(|name| format!("[{}](#{})", page.heading(name), page.anchor(name)));
        let _ = write!(text, " {}", links.collect::<Vec<_>>().join(", "));
    }
    for (title, types) in &page.sections {
        let _ = write!(text, "\n\n## {title}");
        types.iter().for_each(|name| page.write_type(&mut text, name));
    }
    text.push('\n');
    text
}

/// The types of the schema, arranged in sections.
struct Page<'a> {
    types: BTreeMap<&'a str, &'a Value>,
    sections: Vec<(&'static str, Vec<&'a str>)>,
    /// Dotted key of each type.
    paths: BTreeMap<&'a str, String>,
}

impl<'a> Page<'a> {
    fn new(schema: &'a Value) -> Self {
        let definitions = schema["$defs"].as_object();
        let mut types: BTreeMap<&str, &Value> =
            definitions.into_iter().flatten().map(|(name, value)| (name.as_str(), value)).collect();
        types.insert("Scene", schema);
        let mut paths: BTreeMap<&str, String> = BTreeMap::new();
        for (name, path) in PATHS {
            if let Some((&name, _)) = types.get_key_value(name) {
                paths.insert(name, path.to_owned());
            }
        }
        let mut page = Self { types, sections: Vec::new(), paths };
        for (title, roots) in SECTIONS {
            let mut found = Vec::new();
            roots.iter().for_each(|root| page.collect(root, &mut found));
            page.sections.push((title, found));
        }
        page
    }

    /// Appends a type and the types it uses that are not yet in a section, in order of use.
    fn collect(&mut self, name: &str, found: &mut Vec<&'a str>) {
        let Some((&name, &value)) = self.types.get_key_value(name) else { return };
        found.push(name);
        let path = self.paths.get(name).cloned().unwrap_or_default();
        for (key, used) in uses(value) {
            if self.paths.contains_key(used) {
                continue;
            }
            let own = if path.is_empty() || key.is_empty() { format!("{path}{key}") } else { format!("{path}.{key}") };
            self.paths.insert(used, own);
            self.collect(used, found);
        }
    }

    /// Returns the heading of a type, as Markdown.
    fn heading(&self, name: &str) -> String {
        match HEADINGS.iter().find(|(own, _)| *own == name) {
            Some((_, heading)) => (*heading).to_owned(),
            None => format!("`{}`", self.paths.get(name).map_or(name, String::as_str)),
        }
    }

    fn anchor(&self, name: &str) -> String {
        match HEADINGS.iter().find(|(own, _)| *own == name) {
            Some((_, heading)) => slug(heading),
            None => slug(&self.paths.get(name).map_or(name, String::as_str).replace('.', " ")),
        }
    }

    fn write_type(&self, text: &mut String, name: &str) {
        let value = self.types[name];
        let (anchor, heading) = (self.anchor(name), self.heading(name));
        // `slug` drops dots without a separator, so a heading with dots gets an explicit anchor.
        if anchor != slug(&heading) {
            let _ = write!(text, "\n\n<a id=\"{anchor}\"></a>");
        }
        let _ = write!(text, "\n\n### {heading}\n");
        if name != "Scene" {
            let _ = write!(text, "\n{}\n", one_line(&value["description"]));
        }
        if let Some(variants) = value["oneOf"].as_array().or(value["anyOf"].as_array()) {
            self.write_variants(text, variants);
        } else if let Some(keys) = value["properties"].as_object() {
            let required: Vec<&str> =
                value["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            self.write_keys(text, keys, &required);
        }
    }

    fn write_variants(&self, text: &mut String, variants: &[Value]) {
        text.push_str("\n| value | description |\n|---|---|");
        for variant in variants {
            let description = cell(&one_line(&variant["description"]));
            let written = if let Some(name) = variant["const"].as_str() {
                format!("`\"{name}\"`")
            } else if let Some((name, content)) = variant["properties"].as_object().and_then(|keys| keys.iter().next())
            {
                match reference(content) {
                    Some(used) => format!("[`{name}`](#{})", self.anchor(used)),
                    None => format!("`{name}` = {}", self.kind(content)),
                }
            } else if let Some(used) = reference(variant) {
                format!("[{}](#{})", self.heading(used), self.anchor(used))
            } else {
                self.kind(variant)
            };
            let _ = write!(text, "\n| {written} | {description} |");
        }
    }

    fn write_keys(&self, text: &mut String, keys: &Map<String, Value>, required: &[&str]) {
        text.push_str("\n| key | type | unit | range | default | description |\n|---|---|---|---|---|---|");
        // Required keys first, each group in alphabetical order.
        let (first, rest): (Vec<_>, Vec<_>) = keys.iter().partition(|(key, _)| required.contains(&key.as_str()));
        for (key, value) in first.into_iter().chain(rest) {
            let Described { text: description, unit, range, default } =
                Described::parse(&one_line(&value["description"]));
            let default = match default {
                Some(default) => default,
                None if required.contains(&key.as_str()) => "required".to_owned(),
                None => default_value(&value["default"]),
            };
            let columns = [format!("`{key}`"), self.kind(value), unit, range, default, description];
            let _ = write!(text, "\n| {} |", columns.map(|column| cell(&column)).join(" | "));
        }
    }

    /// Returns the type of a value in words, with links.
    fn kind(&self, value: &Value) -> String {
        if let Some(used) = reference(value) {
            return format!("[{}](#{})", self.heading(used), self.anchor(used));
        }
        let word = match &value["type"] {
            Value::String(word) => word.as_str(),
            // A type or null: the key is optional.
            Value::Array(words) => words.first().and_then(Value::as_str).unwrap_or_default(),
            _ => "",
        };
        match word {
            "array" => {
                let items = self.kind(&value["items"]);
                let plural = |word: String| if items.contains('[') || word.ends_with('s') { word } else { word + "s" };
                match value["maxItems"].as_u64() {
                    Some(count) if value["minItems"].as_u64() == Some(count) => plural(format!("{count} {items}")),
                    _ if items.starts_with(|c: char| c.is_ascii_digit()) => format!("list of [{items}]"),
                    _ => plural(format!("list of {items}")),
                }
            }
            "object" => "table".to_owned(),
            word => word.to_owned(),
        }
    }
}

/// Returns the types that a type uses, each with its key.
fn uses(value: &Value) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for variant in ["oneOf", "anyOf"].iter().flat_map(|list| value[*list].as_array()).flatten() {
        found.extend(reference(variant).map(|used| ("", used)));
        found.extend(uses(variant));
    }
    for (key, property) in value["properties"].as_object().into_iter().flatten() {
        found.extend(reference(property).or_else(|| reference(&property["items"])).map(|used| (key.as_str(), used)));
    }
    found
}

/// Returns the type that a value refers to, directly or as an optional value.
fn reference(value: &Value) -> Option<&str> {
    if let Some(name) = value["$ref"].as_str() {
        return name.strip_prefix("#/$defs/");
    }
    let options = value["anyOf"].as_array()?;
    let [first, second] = options.as_slice() else { return None };
    if second["type"] == "null" { first["$ref"].as_str()?.strip_prefix("#/$defs/") } else { None }
}

/// The description of a key, split into its parts.
#[derive(Debug, PartialEq)]
struct Described {
    text: String,
    unit: String,
    range: String,
    /// The default; `None` if the description names none.
    default: Option<String>,
}

impl Described {
    /// Splits `Text, range [unit]. Default: value.`; the range, the unit and the default are optional.
    fn parse(description: &str) -> Self {
        let (before, default) = match description.split_once("Default: ") {
            Some((before, default)) => (before.trim(), Some(default.trim_end_matches('.').to_owned())),
            None => (description, None),
        };
        let mut text = before.to_owned();
        let (mut unit, mut range) = (String::new(), String::new());
        if let Some((start, end)) = find_unit(before) {
            unit = before[start + 1..end - 1].to_owned();
            text = format!("{}{}", before[..start].trim_end(), &before[end..]);
            // The range precedes the unit, with an optional remark in parentheses between them.
            let head = before[..start].trim_end();
            let (head, remark) = match head.rfind(" (") {
                Some(at) if head.ends_with(')') => head.split_at(at),
                _ => (head, ""),
            };
            if let Some(at) = head.rfind(", ").filter(|at| is_range(&head[at + 2..])) {
                range = head[at + 2..].to_owned();
                text = format!("{}{remark}{}", &head[..at], &before[end..]);
            }
        }
        Self { text, unit, range, default }
    }
}

/// Returns the range of bytes of the only unit in brackets, such as `[kg/m^3]`, outside code.
fn find_unit(text: &str) -> Option<(usize, usize)> {
    const UNITS: [&str; 16] = [
        "-", "m", "s", "deg", "rad", "Pa", "N", "N m", "N m^2", "kg/m^3", "1/s", "N/m", "Pa s", "rad/s", "m/s", "m/s^2",
    ];
    let mut found = None;
    for unit in UNITS {
        for (start, unit) in text.match_indices(&format!("[{unit}]")) {
            let is_code = text[..start].matches('`').count() % 2 == 1;
            match found {
                _ if is_code => {}
                None => found = Some((start, start + unit.len())),
                // If there are two units, each belongs to a part of the text.
                Some(_) => return None,
            }
        }
    }
    found
}

/// Returns whether the end of a description is a range.
fn is_range(text: &str) -> bool {
    let text = text.strip_prefix("each ").unwrap_or(text);
    let starts = ["above ", "below ", "at least ", "at most ", "0 or above", "0 to 1", "from `"];
    let from_number =
        text.strip_prefix("from ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '-'));
    from_number || text == "of any nonzero length" || starts.iter().any(|start| text.starts_with(start))
}

/// Formats the default in the schema, for keys whose description names none.
fn default_value(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Array(list) if list.is_empty() => "none".to_owned(),
        Value::Object(_) => "all defaults".to_owned(),
        value => format!("`{value}`"),
    }
}

/// Joins the lines of a description.
fn one_line(description: &Value) -> String {
    description.as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes text for a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Returns the anchor that mdBook and repository browsers make from a heading.
fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c)).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_split() {
        let parse = |text| {
            let Described { text, unit, range, default } = Described::parse(text);
            [text, unit, range, default.unwrap_or_else(|| "-".to_owned())]
        };
        assert_eq!(parse("Density, above 0 [kg/m^3]. Default: 1000."), ["Density.", "kg/m^3", "above 0", "1000"]);
        assert_eq!(
            parse("Courant number, above 0 and below 1 (method `mpm`) [-]. Default: 0.4."),
            ["Courant number (method `mpm`).", "-", "above 0 and below 1", "0.4"]
        );
        assert_eq!(parse("Smallest step [s]: then it stops."), ["Smallest step: then it stops.", "s", "", "-"]);
        assert_eq!(parse("From `[m]` to 3 [m], and [s]."), ["From `[m]` to 3 [m], and [s].", "", "", "-"]);
        assert_eq!(parse("A title."), ["A title.", "", "", "-"]);
    }

    #[test]
    fn every_type_of_the_schema_is_described_once() {
        let schema: Value = serde_json::from_str(&schema()).unwrap();
        let page = Page::new(&schema);
        let mut listed: Vec<&str> = page.sections.iter().flat_map(|(_, types)| types.clone()).collect();
        listed.sort_unstable();
        assert_eq!(listed, page.types.keys().copied().collect::<Vec<_>>());
        let mut anchors: Vec<String> = listed.iter().map(|name| page.anchor(name)).collect();
        anchors.sort();
        anchors.dedup();
        assert_eq!(anchors.len(), listed.len());
    }
}
