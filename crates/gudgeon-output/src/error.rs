//! What can go wrong while results are written: always a path, mostly an error of the system.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

/// An error of the result folder or of one of its files.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The system refused an operation.
    #[error("cannot {action} `{path}`: {source}", path = .path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// The folder holds something that is not ours; it is left alone.
    #[error("`{path}` exists and is no result of gudgeon", path = .path.display())]
    NotAResult { path: PathBuf },
    /// The path cannot name a folder (`/`, an empty path).
    #[error("`{path}` cannot be the name of a result folder", path = .path.display())]
    BadName { path: PathBuf },
    /// The run record lacks the key by which a later run recognises the folder.
    #[error("run record for `{path}` is no object with the key `gudgeon`", path = .path.display())]
    Unmarked { path: PathBuf },
    /// The finished folder could not take its place, and waits under another name.
    #[error("cannot move the result to `{path}`: {source}", path = .path.display())]
    NotMoved { path: PathBuf, kept: PathBuf, source: io::Error },
    /// The result could not be written whole; what there is waits for the next start.
    #[error("{source}")]
    NotFinished { path: PathBuf, kept: PathBuf, source: Box<OutputError> },
    /// A row does not fit the table.
    #[error("row of {given} values for the {expected} columns of `{path}`", path = .path.display())]
    RowLength { path: PathBuf, given: usize, expected: usize },
}

impl OutputError {
    /// Adds the action and the path to an error of the system; for use in `map_err`.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
        let path = path.to_owned();
        move |source| OutputError::Io { action, path, source }
    }

    /// As [`OutputError::io`], for what the parquet writer returns.
    pub(crate) fn parquet(path: &Path) -> impl FnOnce(ParquetError) -> OutputError {
        let path = path.to_owned();
        move |error| OutputError::Io { action: "write", path, source: into_io(error) }
    }

    /// Whether there is no room for more.
    pub fn is_full(&self) -> bool {
        use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
        let kind = match self {
            OutputError::Io { source, .. } => source.kind(),
            OutputError::NotFinished { source, .. } => return source.is_full(),
            _ => return false,
        };
        matches!(kind, StorageFull | QuotaExceeded | FileTooLarge)
    }

    /// What the user can do about it, where there is something to say.
    pub fn help(&self) -> Option<String> {
        match self {
            OutputError::NotAResult { .. } => {
                Some("choose another folder with `--out`, or move this one away".into())
            }
            OutputError::BadName { .. } => Some("give a folder such as `results/my_run`".into()),
            OutputError::NotMoved { kept, .. } => {
                Some(format!("the result is kept in `{}`", kept.display()))
            }
            OutputError::NotFinished { path, kept, source } => {
                let room = if source.is_full() { "make room on the disk; " } else { "" };
                Some(format!(
                    "{room}what there is waits in `{}`: the next run to `{}` puts it right",
                    kept.display(),
                    path.display()
                ))
            }
            OutputError::Io { .. } if self.is_full() => {
                Some("free some space, or choose a folder on another disk with `--out`".into())
            }
            _ => None,
        }
    }
}

/// The system's own error where the parquet writer merely passed one on.
fn into_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
