//! `run.json`, the record of a run, and the mark by which a later run knows the folder as ours.
//!
//! The caller assembles the record. Two rules hold: the key `gudgeon` marks the folder, and times,
//! dates and paths are in the one object `environment`, which comparisons leave out. Numbers that
//! are not finite become `null` (`serde_json::Value` cannot hold them).

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::error::OutputError;

/// File name of the record.
pub const RUN_JSON: &str = "run.json";

/// What a later run reads of a record: that it is ours, and which entries of the folder are.
#[derive(Deserialize)]
pub(crate) struct Mark {
    #[serde(rename = "gudgeon")]
    #[expect(dead_code, reason = "its presence is what counts")]
    key: IgnoredAny,
    files: Option<Vec<String>>,
}

impl Mark {
    /// The mark of `folder`, `None` where there is none that can be read.
    pub(crate) fn read(folder: &Path) -> Option<Mark> {
        let file = File::open(folder.join(RUN_JSON)).ok()?;
        serde_json::from_reader(BufReader::new(file)).ok()
    }

    /// Whether an entry of the folder was written by the run; others are the user's.
    pub(crate) fn owns(&self, entry: &str) -> bool {
        entry == RUN_JSON || self.files.iter().flatten().any(|file| file == entry)
    }
}

/// The text of a record: keys in the order given, two spaces per level, a final line end.
pub fn to_text(run: &Value) -> String {
    format!("{run:#}\n")
}

/// Writes the record, with the list `files` of everything in the folder added at its end.
pub(crate) fn write(folder: &Path, run: &Value) -> Result<(), OutputError> {
    let path = folder.join(RUN_JSON);
    let mut record = match run {
        Value::Object(record) if record.contains_key("gudgeon") => record.clone(),
        _ => return Err(OutputError::Unmarked { path }),
    };
    let mut files = vec![RUN_JSON.to_owned()];
    for entry in fs::read_dir(folder).map_err(OutputError::io("read", folder))? {
        let entry = entry.map_err(OutputError::io("read", folder))?;
        files.push(entry.file_name().to_string_lossy().into_owned());
    }
    files.sort();
    files.dedup();
    record.insert("files".to_owned(), Value::from(files));
    fs::write(&path, to_text(&Value::Object(record))).map_err(OutputError::io("write", &path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn text_keeps_the_order_and_has_null_for_what_is_not_finite() {
        let run = json!({"gudgeon": "0.1.0", "b": [1.5, f64::NAN], "a": {"max": f64::INFINITY}});
        insta::assert_snapshot!(to_text(&run), @r#"
        {
          "gudgeon": "0.1.0",
          "b": [
            1.5,
            null
          ],
          "a": {
            "max": null
          }
        }
        "#);
    }
}
