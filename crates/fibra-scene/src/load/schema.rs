//! The JSON schema of scene files, for completion and validation in editors.

use super::material_library::names_of_kind;
use crate::model::scene::Scene;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Returns the JSON schema of a scene file.
pub fn schema() -> String {
    let mut schema = SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<Scene>();
    // Presets are merged into the scene before decoding, so the struct has no field for them.
    if let Some(properties) = schema.get_mut("properties").and_then(|value| value.as_object_mut()) {
        properties.insert(
            "preset".to_owned(),
            json!({
                "description": "Named changes to the scene, chosen with `--preset NAME`: `[preset.NAME]` holds the keys that \
                    differ. Objects, colliders and blades are addressed by name, as in `[preset.NAME.object.ball]`; other lists are replaced.",
                "type": "object",
                "additionalProperties": { "type": "object" },
            }),
        );
    }
    add_material_presets(&mut schema);
    format!("{:#}\n", schema.as_value())
}

/// Adds the key `preset` to the tables that the material library can fill in: the values of the preset replace this key
/// before decoding.
fn add_material_presets(schema: &mut Schema) {
    let Some(definitions) = schema.get_mut("$defs").and_then(Value::as_object_mut) else { return };
    let variants =
        definitions.get("Material").and_then(|material| material["oneOf"].as_array()).cloned().unwrap_or_default();
    let kinds = variants.iter().filter_map(|variant| variant["properties"].as_object()?.iter().next());
    let mut tables: BTreeMap<String, Vec<String>> =
        BTreeMap::from([("HairStrand".to_owned(), names_of_kind("strand"))]);
    for (kind, value) in kinds {
        if let Some(table) = value["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            tables.entry(table.to_owned()).or_default().extend(names_of_kind(kind));
        }
    }
    for (table, names) in tables.into_iter().filter(|(_, names)| !names.is_empty()) {
        if let Some(properties) = definitions.get_mut(&table).and_then(|table| table["properties"].as_object_mut()) {
            let description = "Name of a real material, which fills in the keys that are not set (`fibra materials` lists the names). Default: none.";
            properties
                .insert("preset".to_owned(), json!({ "description": description, "type": "string", "enum": names }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field of every table has a description.
    #[test]
    fn every_field_is_described() {
        let schema: Value = serde_json::from_str(&schema()).unwrap();
        let definitions = schema["$defs"].as_object().unwrap();
        let mut fields = 0;
        for (table, definition) in definitions.iter().chain([(&"scene".to_owned(), &schema)]) {
            for (field, value) in definition["properties"].as_object().into_iter().flatten() {
                assert!(value["description"].is_string(), "{table}.{field} is not described");
                fields += 1;
            }
        }
        assert!(fields > 80, "only {fields} fields");
    }
}
