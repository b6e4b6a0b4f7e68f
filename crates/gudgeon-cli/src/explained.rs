//! Whatever ends with another exit code than 0 says why, under the same key for all commands.

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::exit::Exit;

/// The answer with a list `errors` of at least one message, unless all went well.
pub fn explained(answer: &Value) -> Cow<'_, Value> {
    let is_there = |errors: &Value| errors.as_array().is_some_and(|errors| !errors.is_empty());
    if answer["status"] == Exit::Done.status() || is_there(&answer["errors"]) {
        return Cow::Borrowed(answer);
    }
    let mut answer = answer.clone();
    answer["errors"] = json!([reason(&answer)]);
    Cow::Owned(answer)
}

fn reason(answer: &Value) -> Value {
    match &answer["error"] {
        Value::String(message) => json!({ "message": message, "help": null }),
        Value::Object(error) => json!({ "message": error["message"], "help": error.get("help") }),
        _ if answer["status"] == Exit::Interrupted.status() => {
            let message = "interrupted; what was finished before is kept";
            json!({ "message": message, "help": null })
        }
        _ => json!({
            "message": "the command did not succeed",
            "help": "the text on standard error says more",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_answer_that_is_not_well_has_errors() {
        let message = |answer: Value| explained(&answer)["errors"][0]["message"].clone();
        assert_eq!(message(json!({ "status": "failed", "error": "full" })), "full");
        let error = json!({ "t": 1.0, "message": "no step", "help": "try" });
        let answer = json!({ "status": "failed", "error": error });
        assert_eq!(explained(&answer)["errors"], json!([{ "message": "no step", "help": "try" }]));
        assert!(message(json!({ "status": "interrupted", "error": null })).is_string());
        assert!(message(json!({ "status": "failed", "errors": [] })).is_string());
    }

    #[test]
    fn other_answers_stay_as_they_are() {
        for answer in [json!({ "status": "ok" }), json!({ "status": "invalid", "errors": [1] })] {
            assert_eq!(*explained(&answer), answer);
        }
    }
}
