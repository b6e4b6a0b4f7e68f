//! What can go wrong with the folder of a study.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "cannot save results to `{}`: {source}; the {safe} samples announced so far are safe, free some space or repair the disk and resume",
        path.display()
    )]
    Append { path: PathBuf, safe: usize, source: io::Error },
    #[error("`{}` is in use by another process", folder.display())]
    InUse { folder: PathBuf },
    #[error(
        "`{}` holds a study already: resume it, or take another folder",
        folder.display()
    )]
    Exists { folder: PathBuf },
    #[error(
        "`{}` is not of a study: take an empty folder so that nothing is overwritten",
        path.display()
    )]
    Foreign { path: PathBuf },
    #[error(
        "`{}` holds the results of another study: {reason}; take another folder, or remove this one to start afresh",
        folder.display()
    )]
    OtherStudy { folder: PathBuf, reason: String },
    #[error("`{}` is no journal of a study, or its beginning is damaged", path.display())]
    NotAJournal { path: PathBuf },
    #[error(
        "`{}` has journal format {found}; this version of the program reads format {known}",
        path.display()
    )]
    Version { path: PathBuf, found: u32, known: u32 },
    #[error(
        "sample {index} has {} variables and {} values, the study {} and {}",
        found.0, found.1, expected.0, expected.1
    )]
    Width { index: usize, found: (usize, usize), expected: (usize, usize) },
    #[error("{missing} samples are not finished, sample {first} is the first of them")]
    Incomplete { missing: usize, first: usize },
}

impl StoreError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.into(), source }
    }
}
