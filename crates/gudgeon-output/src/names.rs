//! The names around a result folder.
//!
//! | name                        | what                                                            |
//! |-----------------------------|-----------------------------------------------------------------|
//! | `run`                       | the newest attempt that came to an end, good or bad             |
//! | `run.complete`              | the last complete result, while the newest attempt is not one   |
//! | `run.killed`                | rows of a run that was killed                                   |
//! | `.run.partial-PID-N`        | an attempt on its way                                           |
//! | `.run.partial-PID-N.lock`   | locked as long as its writer lives; then which record it left   |
//! | `.run.partial-PID-N.note`   | what goes with a complete result that is kept, while there is room |
//! | `.run.partial-PID-N.previous` | the old folder, between two renames                           |
//! | `.run.partial-PID-N.trash`  | a folder that is being removed                                  |

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::Disk;

/// Where a result goes.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub parent: PathBuf,
    pub name: OsString,
}

impl Place {
    pub fn target(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// `run.ending`, `run.ending-2`, …: the first that is free, or that `ours` says yes to.
    pub fn beside(&self, ending: &str, ours: &dyn Fn(&Path) -> bool) -> PathBuf {
        let named = |number: u32| {
            let mut name = self.name.clone();
            name.push(if number < 2 {
                format!(".{ending}")
            } else {
                format!(".{ending}-{number}")
            });
            self.parent.join(name)
        };
        let fits = |path: &PathBuf| path.symlink_metadata().is_err() || ours(path);
        (1..).map(named).find(fits).unwrap_or_else(|| named(1))
    }

    /// Attempt number `number` of this process.
    pub fn attempt(&self, number: u32) -> Attempt {
        self.attempt_of(&format!("{}-{number}", std::process::id()))
    }

    fn attempt_of(&self, id: &str) -> Attempt {
        let mut name = self.prefix();
        name.push(id);
        Attempt { folder: self.parent.join(name) }
    }

    fn prefix(&self) -> OsString {
        let mut prefix = OsString::from(".");
        prefix.push(&self.name);
        prefix.push(".partial-");
        prefix
    }

    /// All attempts that have left something, each once.
    pub fn attempts(&self, disk: &Disk) -> io::Result<Vec<Attempt>> {
        let prefix = self.prefix();
        let id = |name: OsString| id(&name, &prefix).map(str::to_owned);
        let mut ids: Vec<String> = disk.names(&self.parent)?.into_iter().filter_map(id).collect();
        ids.dedup();
        Ok(ids.iter().map(|id| self.attempt_of(id)).collect())
    }
}

/// `PID-N` of a name that belongs to an attempt.
fn id<'a>(name: &'a OsStr, prefix: &OsStr) -> Option<&'a str> {
    let rest = name.as_encoded_bytes().strip_prefix(prefix.as_encoded_bytes())?;
    let rest = std::str::from_utf8(rest).ok()?;
    let (id, ending) = rest.split_once('.').unwrap_or((rest, ""));
    let known = ["", "lock", "note", "previous", "trash"].contains(&ending);
    let is_id = !id.is_empty() && id.bytes().all(|b| b.is_ascii_digit() || b == b'-');
    (known && is_id).then_some(id)
}

/// One run on its way to a place.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub folder: PathBuf,
}

impl Attempt {
    pub fn lock(&self) -> PathBuf {
        self.with("lock")
    }

    pub fn note(&self) -> PathBuf {
        self.with("note")
    }

    pub fn previous(&self) -> PathBuf {
        self.with("previous")
    }

    pub fn trash(&self) -> PathBuf {
        self.with("trash")
    }

    /// Whether all but the lock and the note is gone.
    pub fn is_gone(&self) -> bool {
        [&self.folder, &self.previous(), &self.trash()].into_iter().all(|path| !path.exists())
    }

    /// Removes note and lock, once there is nothing else; what stays goes at the next start.
    pub fn close(&self, disk: &Disk) {
        if self.is_gone() {
            if self.note().exists() {
                let _ = disk.remove_file(&self.note());
            }
            let _ = disk.remove_file(&self.lock());
        }
    }

    fn with(&self, ending: &str) -> PathBuf {
        let mut path = self.folder.as_os_str().to_owned();
        path.push(".");
        path.push(ending);
        path.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_attempts_are_taken() {
        let prefix = OsStr::new(".run.partial-");
        for (name, expected) in [
            (".run.partial-12-0", Some("12-0")),
            (".run.partial-12-0.lock", Some("12-0")),
            (".run.partial-12-0.note", Some("12-0")),
            (".run.partial-12-0.previous", Some("12-0")),
            (".run.partial-12-0.txt", None),
            (".run.partial-", None),
            (".run.partial-notes", None),
            (".runs.partial-1-0", None),
        ] {
            assert_eq!(id(OsStr::new(name), prefix), expected, "{name}");
        }
    }
}
