//! What can go wrong while results are written: always a path, mostly an error of the system.

use std::io;
use std::path::{Path, PathBuf};

use parquet::errors::ParquetError;

use crate::exchange::Obstacle;
use crate::folder::Committed;

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
    /// A result is there that cannot change places with another one.
    #[error("`{path}` {why}", path = .path.display(), why = said(*.obstacle))]
    NotReplaceable { path: PathBuf, obstacle: Obstacle },
    /// The run record lacks the key by which a later run recognises the folder.
    #[error("run record for `{path}` is no object with the key `gudgeon`", path = .path.display())]
    Unmarked { path: PathBuf },
    /// The finished folder could not take its place, and waits under another name; so does the
    /// `old` one, where that could not be put back.
    #[error("cannot move the result to `{path}`: {source}", path = .path.display())]
    NotMoved { path: PathBuf, kept: PathBuf, old: Option<PathBuf>, source: io::Error },
    /// The disk was too full for all of a result; what there is stands at its place.
    #[error("{source}")]
    Shortened { committed: Committed, source: Box<OutputError> },
    /// The result could not be written whole; what there is waits for the next start.
    #[error("{source}")]
    NotFinished { path: PathBuf, kept: PathBuf, source: Box<OutputError> },
    /// A row does not fit the table.
    #[error("row of {given} values for the {expected} columns of `{path}`", path = .path.display())]
    RowLength { path: PathBuf, given: usize, expected: usize },
    /// A table that cannot be read back.
    #[error("`{path}` is damaged: {why}", path = .path.display())]
    Damaged { path: PathBuf, why: String },
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
            OutputError::NotFinished { source, .. } | OutputError::Shortened { source, .. } => {
                return source.is_full();
            }
            _ => return false,
        };
        matches!(kind, StorageFull | QuotaExceeded | FileTooLarge)
    }

    /// Where the result is that the error is about, if it is at its place.
    pub fn committed(&self) -> Option<&Committed> {
        if let OutputError::Shortened { committed, .. } = self { Some(committed) } else { None }
    }

    /// What the user can do about it.
    pub fn help(&self) -> String {
        match self {
            OutputError::NotAResult { .. } => {
                "choose another folder with `--out`, or move this one away".into()
            }
            OutputError::BadName { .. } => "give a folder such as `results/my_run`".into(),
            OutputError::NotReplaceable { path, obstacle } => way_around(*obstacle, path),
            OutputError::NotMoved { path, kept, old, .. } => {
                let new = format!("the result is kept in `{}`", kept.display());
                match old {
                    Some(old) => format!(
                        "{new}; the one before it waits in `{}`: the next run to `{}` puts it back",
                        old.display(),
                        path.display()
                    ),
                    None => new,
                }
            }
            OutputError::Shortened { source, .. } => source.help(),
            OutputError::NotFinished { path, kept, source } => {
                let room = if source.is_full() { "make room on the disk; " } else { "" };
                format!(
                    "{room}what there is waits in `{}`: the next run to `{}` puts it right",
                    kept.display(),
                    path.display()
                )
            }
            OutputError::Io { .. } if self.is_full() => {
                "free some space, or choose a folder on another disk with `--out`".into()
            }
            OutputError::Io { source, .. } => refused(source.kind()).into(),
            OutputError::Damaged { .. } => {
                "run the model again; `series.csv` beside it, if it is whole, is read once this file is gone".into()
            }
            OutputError::Unmarked { .. } | OutputError::RowLength { .. } => {
                "this is a mistake of the program; please report it".into()
            }
        }
    }
}

fn said(obstacle: Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Current => "is the folder you are in, which a new result would replace",
        Obstacle::Mounted => "is where a disk is mounted, which a new result cannot replace",
        Obstacle::Protected => "is protected against writing",
    }
}

fn way_around(obstacle: Obstacle, path: &Path) -> String {
    match obstacle {
        Obstacle::Current | Obstacle::Mounted => {
            format!("give a folder inside it, such as `--out {}`", path.join("run").display())
        }
        Obstacle::Protected => {
            "choose another folder with `--out`, or allow writing to this one".into()
        }
    }
}

/// What to do where the system refuses an operation.
fn refused(kind: io::ErrorKind) -> &'static str {
    use io::ErrorKind::{
        AlreadyExists, InvalidFilename, NotADirectory, NotFound, PermissionDenied,
        ReadOnlyFilesystem,
    };
    match kind {
        PermissionDenied => {
            "a result needs the right to write into the folder that holds it: choose another one \
             with `--out`, or change its rights"
        }
        ReadOnlyFilesystem => {
            "this disk can only be read: choose a folder on another one with `--out`"
        }
        NotADirectory | AlreadyExists => {
            "something on the way there is no folder: choose another path with `--out`"
        }
        NotFound => "no folder can be made there: choose another path with `--out`",
        InvalidFilename => "choose a shorter or plainer name with `--out`",
        _ => "choose another folder with `--out`, or put right what the system says",
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

#[cfg(test)]
mod tests {
    use super::*;

    /// One of every kind, and of the kinds of the system's own errors.
    fn errors() -> Vec<OutputError> {
        use io::ErrorKind;
        let path = || PathBuf::from("results/run");
        let system = [
            ErrorKind::AlreadyExists,
            ErrorKind::InvalidFilename,
            ErrorKind::NotADirectory,
            ErrorKind::NotFound,
            ErrorKind::PermissionDenied,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::StorageFull,
            ErrorKind::Other,
        ];
        let io = |kind: ErrorKind| OutputError::io("create", &path())(kind.into());
        let obstacles = [Obstacle::Current, Obstacle::Mounted, Obstacle::Protected];
        let full = || Box::new(io(ErrorKind::StorageFull));
        let committed = Committed { path: path(), complete: None };
        let mut all: Vec<OutputError> = system.into_iter().map(io).collect();
        all.extend(
            obstacles.map(|obstacle| OutputError::NotReplaceable { path: path(), obstacle }),
        );
        all.extend([
            OutputError::NotAResult { path: path() },
            OutputError::BadName { path: path() },
            OutputError::Unmarked { path: path() },
            OutputError::NotMoved {
                path: path(),
                kept: "results/run.unsaved".into(),
                old: Some("results/.run.partial-1-0.previous".into()),
                source: ErrorKind::Other.into(),
            },
            OutputError::Shortened { committed, source: full() },
            OutputError::NotFinished { path: path(), kept: path(), source: full() },
            OutputError::RowLength { path: path(), given: 1, expected: 2 },
        ]);
        all
    }

    #[test]
    fn every_error_names_its_path_and_says_what_to_do() {
        for error in errors() {
            let (text, help) = (error.to_string(), error.help());
            assert!(text.contains("`results/run`"), "{text}");
            assert!(help.len() > 20 && !help.ends_with('.'), "{text}: {help}");
        }
    }

    #[test]
    fn an_old_result_that_could_not_be_put_back_is_told() {
        let moved = |error: &OutputError| matches!(error, OutputError::NotMoved { .. });
        let error = errors().into_iter().find(moved).expect("one");
        let expected = "the result is kept in `results/run.unsaved`; the one before it waits in \
                        `results/.run.partial-1-0.previous`: the next run to `results/run` puts it \
                        back";
        assert_eq!(error.help(), expected);
    }
}
