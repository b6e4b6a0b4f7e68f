//! JSON schemas of model and other files, for completion and checks in editors.
//!
//! Printed from the lists of keys that the readers use. It cannot say everything: dimensions,
//! references and ranges are checked by `gudgeon check`.

use serde_json::{Map, Value, json};

use crate::keys::{Key, Keys, Kind, Need, Tagged};
use crate::spec::ROOT;
use crate::units::Dimension;

/// The schema of model files, in draft 7, which editors for TOML understand.
pub fn schema() -> Value {
    of(&ROOT, "Gudgeon model")
}

/// The schema of files whose root is a table with these keys.
pub fn of(root: &Keys, title: &str) -> Value {
    let mut schema = table(root, None);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!(title);
    schema
}

/// An object with fixed keys; `tag` fixes the value of one of them.
fn table(keys: &Keys, tag: Option<(&str, &str)>) -> Value {
    let mut properties = Map::new();
    for key in keys.keys {
        let value = match tag {
            Some((name, value)) if name == key.name => json!({ "const": value }),
            _ => kind(&key.kind),
        };
        properties.insert(key.name.into(), described(value, key));
    }
    let required: Vec<&str> =
        keys.keys.iter().filter(|key| key.need == Need::Required).map(|key| key.name).collect();
    json!({
        "description": keys.about,
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn described(mut value: Value, key: &Key) -> Value {
    value["description"] = json!(key.about);
    value
}

fn kind(kind_: &Kind) -> Value {
    match kind_ {
        Kind::Text => json!({ "type": "string" }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::Any => json!({}),
        Kind::Number => json!({ "type": ["number", "string"] }),
        Kind::Count => json!({ "type": "integer", "minimum": 1 }),
        Kind::Quantity(dimension) | Kind::Function(dimension) => {
            let units = dimension.common_units();
            with_unit(units.first().map(|unit| format!("1 {unit}")))
        }
        Kind::Varies(example) => {
            json!({ "type": ["string", "number"], "examples": [example] })
        }
        Kind::Vector(dimension) | Kind::Functions(dimension) => vector(*dimension, 2),
        Kind::Triple(dimension) => vector(*dimension, 3),
        Kind::Matrix(size) => {
            let row = json!({
                "type": "array", "items": { "type": ["number", "string"] },
                "minItems": 3, "maxItems": size
            });
            let row = json!({ "anyOf": [{ "type": "string" }, row] });
            json!({ "type": "array", "items": row, "minItems": 3, "maxItems": size })
        }
        Kind::Choice(names) => json!({ "enum": names }),
        Kind::List(item) => json!({ "type": "array", "items": kind(item) }),
        Kind::Table(keys) => table(keys, None),
        Kind::Tagged(tagged) => variants(tagged),
        Kind::Named(item) => json!({ "type": "object", "additionalProperties": kind(item) }),
        Kind::Either(kinds) => {
            json!({ "anyOf": kinds.iter().map(kind).collect::<Vec<_>>() })
        }
    }
}

/// A text, or a list of at least `least` and at most three components.
fn vector(dimension: Dimension, least: usize) -> Value {
    let component = if dimension.is_number() { kind(&Kind::Number) } else { with_unit(None) };
    let list = json!({
        "type": "array", "items": component, "minItems": least, "maxItems": 3
    });
    json!({ "anyOf": [{ "type": "string" }, list] })
}

/// A text with a unit, an expression, or a bare zero.
fn with_unit(example: Option<String>) -> Value {
    let mut text = json!({ "type": "string" });
    if let Some(example) = example {
        text["examples"] = json!([example]);
    }
    json!({ "anyOf": [text, { "const": 0 }] })
}

fn variants(tagged: &Tagged) -> Value {
    let variants: Vec<Value> =
        tagged.variants.iter().map(|(name, keys)| table(keys, Some((tagged.tag, name)))).collect();
    json!({ "description": tagged.about, "oneOf": variants })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_knows_sections_tags_and_required_keys() {
        let schema = schema();
        let joint = &schema["properties"]["joints"]["additionalProperties"];
        assert_eq!(joint["required"], json!(["type", "between"]));
        let film = &joint["properties"]["film"];
        assert_eq!(film["required"], json!(["model", "viscosity"]));
        let instants = &schema["properties"]["run"]["properties"]["pressure_at"];
        assert_eq!(instants["items"]["anyOf"][0]["examples"], json!(["thinnest"]));
        let laws = &joint["properties"]["clearance"]["properties"]["contact"]["properties"]["law"];
        assert_eq!(laws["enum"].as_array().map(Vec::len), Some(10));
        let types = &joint["properties"]["type"]["enum"];
        assert!(types.as_array().is_some_and(|types| types.contains(&json!("universal"))));
        let axis = &joint["properties"]["axis"]["anyOf"];
        assert_eq!(axis[0]["enum"][4], "z");
        let list = &axis[1]["anyOf"][1];
        assert_eq!((&list["minItems"], &list["maxItems"]), (&json!(2), &json!(3)));
        let body = &schema["properties"]["bodies"]["additionalProperties"]["properties"];
        let matrix = &body["inertia"]["anyOf"][2];
        assert_eq!(matrix["required"], json!(["xx", "yy", "zz"]));
        let forces = &schema["properties"]["forces"]["additionalProperties"]["oneOf"];
        let all = forces.as_array().expect("kinds of forces");
        let bushing = all.iter().find(|force| force["properties"]["type"]["const"] == "bushing");
        let rows = &bushing.expect("a bushing")["properties"]["stiffness_matrix"];
        let row = &rows["items"]["anyOf"][1];
        assert_eq!((&rows["minItems"], &row["maxItems"]), (&json!(3), &json!(6)));
        let friction = &joint["properties"]["friction"]["oneOf"];
        assert_eq!(friction[1]["properties"]["law"]["const"], "three-zone");
    }
}
