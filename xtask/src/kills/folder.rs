//! Folders by their content.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

/// All files of a folder but those that may differ from run to run.
pub type Content = BTreeMap<String, Vec<u8>>;

/// Reads a folder and the folders in it.
pub fn content(folder: &Path) -> Result<Content, String> {
    let mut files = Content::new();
    for name in names(folder)? {
        let path = folder.join(&name);
        if path.is_dir() {
            let inner = content(&path)?.into_iter();
            files.extend(inner.map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else if !["study.journal", "study.lock", "timing.csv", "kept.txt"].contains(&&name[..]) {
            let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            files.insert(name, bytes);
        }
    }
    Ok(files)
}

/// The content of a result of a run: its record without the one object that may differ, and every
/// file that it lists.
pub fn result(folder: &Path) -> Result<Content, String> {
    let mut files = content(folder)?;
    let text = files.get("run.json").ok_or(format!("{} has no record", folder.display()))?;
    let mut record: Value = serde_json::from_slice(text)
        .map_err(|error| format!("{}: half a record: {error}", folder.display()))?;
    for file in record["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if !files.contains_key(file) {
            return Err(format!("{} lacks {file}", folder.display()));
        }
    }
    if let Some(record) = record.as_object_mut() {
        record.shift_remove("environment");
    }
    files.insert("run.json".into(), record.to_string().into_bytes());
    Ok(files)
}

pub fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}
