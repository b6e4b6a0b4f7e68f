//! The JSON schema of study files, for completion and checks in editors.

use gudgeon_model::schema;
use serde_json::Value;

use crate::file::keys::ROOT;

/// In draft 7, as [`gudgeon_model::schema::schema`] is.
pub fn schema() -> Value {
    schema::of(&ROOT, "Gudgeon study")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn the_schema_of_studies_knows_sections_and_methods() {
        let schema = super::schema();
        assert_eq!(schema["required"], json!(["format", "study", "variables", "responses"]));
        let methods = schema["properties"]["design"]["oneOf"].as_array();
        assert_eq!(methods.map(Vec::len), Some(5));
        let variable = &schema["properties"]["variables"]["additionalProperties"]["properties"];
        assert_eq!(variable["integer"]["type"], "boolean");
        let named = &schema["properties"]["sensitivity"]["properties"]["methods"]["items"];
        assert_eq!(named["enum"], json!(["sobol", "morris"]));
    }
}
