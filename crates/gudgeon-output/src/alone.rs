//! A file by itself, outside of result folders.

use std::path::Path;

use gudgeon_files::Disk;

use crate::error::OutputError;

/// Writes a text: afterwards the old file is there or the new one, never half of it.
pub fn save(path: &Path, text: &str) -> Result<(), OutputError> {
    let disk = Disk::real();
    let mut new = path.as_os_str().to_owned();
    new.push(".partial");
    let new = Path::new(&new);
    let written = disk.save(new, text.as_bytes()).map_err(OutputError::io("write", path));
    let moved =
        written.and_then(|()| disk.rename(new, path).map_err(OutputError::io("replace", path)));
    if moved.is_err() {
        let _ = disk.remove_file(new); // reported by the error
    }
    moved
}
