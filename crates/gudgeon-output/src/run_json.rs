//! `run.json`, the record of a run, and the mark by which a later run knows the folder as ours.
//!
//! The caller assembles the record. Three rules hold: the key `gudgeon` marks the folder, `status`
//! says what became of the run, and times, dates and paths are in the one object `environment`, which
//! comparisons leave out. Numbers that are not finite become `null` (`serde_json::Value` cannot hold
//! them).

use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::Disk;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::error::OutputError;

/// File name of the record.
pub const RUN_JSON: &str = "run.json";
/// In a complete result that was kept when a later attempt took its place.
pub(crate) const KEPT: &str = "kept.txt";
/// The record of a run that has not ended.
pub(crate) const RUNNING: &str = "running";
/// That of one that was killed.
pub(crate) const KILLED: &str = "killed";
const COMPLETE: &str = "ok";

/// What a later run reads of a record: that it is ours, what became of it, and which entries of the
/// folder it wrote.
#[derive(Deserialize)]
pub(crate) struct Mark {
    #[serde(rename = "gudgeon")]
    #[expect(dead_code, reason = "its presence is what counts")]
    key: IgnoredAny,
    status: Option<Value>,
    files: Option<Vec<String>>,
}

impl Mark {
    /// The mark of `folder`, `None` where there is none that can be understood.
    pub(crate) fn read(disk: &Disk, folder: &Path) -> io::Result<Option<Mark>> {
        match disk.read(&folder.join(RUN_JSON)) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
            Err(error) if absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether an entry of the folder was written by the run; others are the user's, but for the
    /// note of a folder that is kept.
    pub(crate) fn owns(&self, entry: &Path) -> bool {
        let ours = |file: &str| Path::new(file) == entry;
        ours(RUN_JSON)
            || entry == partial(Path::new(RUN_JSON))
            || self.files.iter().flatten().any(|file| ours(file))
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.status.as_ref().is_none_or(|status| status == COMPLETE)
    }

    pub(crate) fn is(&self, status: &str) -> bool {
        self.status.as_ref().is_some_and(|known| known == status)
    }
}

fn absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// The text of a record: keys in the order given, two spaces per level, a final line end.
pub fn to_text(run: &Value) -> String {
    format!("{run:#}\n")
}

/// Whether a value can be a record.
pub(crate) fn marked(folder: &Path, run: &Value) -> Result<Map<String, Value>, OutputError> {
    match run {
        Value::Object(record) if record.contains_key("gudgeon") => Ok(record.clone()),
        _ => Err(OutputError::Unmarked { path: folder.join(RUN_JSON) }),
    }
}

/// Writes the record so that the old or the new one is there, and brings it to the disk; the list
/// `files` of everything in the folder is added at its end. Answers with the text.
pub(crate) fn write(
    disk: &Disk,
    folder: &Path,
    mut record: Map<String, Value>,
) -> Result<String, OutputError> {
    let path = folder.join(RUN_JSON);
    let new = partial(&path);
    let mut files = vec![RUN_JSON.to_owned()];
    for name in disk.names(folder).map_err(OutputError::io("read", folder))? {
        files.push(name.to_string_lossy().into_owned());
    }
    files.retain(|name| !new.ends_with(name));
    files.sort();
    files.dedup();
    record.insert("files".to_owned(), Value::from(files));
    let text = to_text(&Value::Object(record));
    disk.save(&new, text.as_bytes()).map_err(OutputError::io("write", &path))?;
    disk.rename(&new, &path).map_err(OutputError::io("replace", &path))?;
    disk.sync_folder(folder).map_err(OutputError::io("save", folder))?;
    Ok(text)
}

/// Where a record is written before it takes its place.
fn partial(path: &Path) -> PathBuf {
    path.with_extension("json.partial")
}

/// What tells one record from another: FNV-1a of its text.
pub(crate) fn fingerprint(text: &[u8]) -> String {
    let start = 0xcbf2_9ce4_8422_2325u64;
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.iter().fold(start, step))
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
