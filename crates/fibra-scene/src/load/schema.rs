//! The JSON schema of scene files, for completion and validation in editors.

use crate::model::scene::Scene;
use schemars::generate::SchemaSettings;
use serde_json::json;

/// Returns the JSON schema of a scene file.
pub fn schema() -> String {
    let mut schema = SchemaSettings::draft2020_12().for_deserialize().into_generator().into_root_schema_for::<Scene>();
    // Presets are merged into the scene before decoding, so the struct has no field for them.
    if let Some(properties) = schema.get_mut("properties").and_then(|value| value.as_object_mut()) {
        properties.insert(
            "preset".to_owned(),
            json!({
                "description": "Named changes to the scene, chosen with `--preset NAME`: `[preset.NAME]` holds the keys that \
                    differ. Objects and colliders are addressed by name, as in `[preset.NAME.object.ball]`; other lists are replaced.",
                "type": "object",
                "additionalProperties": { "type": "object" },
            }),
        );
    }
    format!("{:#}\n", schema.as_value())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

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
