//! What can go wrong with the folder of a study.

use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error(
        "cannot save results to `{}`: {source}; {}: make room on the disk and resume",
        path.display(), finished(*safe)
    )]
    Append { path: PathBuf, safe: usize, source: io::Error },
    #[error("`{}` is in use by another process", folder.display())]
    InUse { folder: PathBuf },
    #[error(
        "`{}` holds a study already",
        folder.display()
    )]
    Exists { folder: PathBuf },
    #[error(
        "`{}` is not of a study: take an empty folder so that nothing is overwritten",
        path.display()
    )]
    Foreign { path: PathBuf },
    #[error(
        "`{}` holds the results of another study: {reason}",
        folder.display()
    )]
    OtherStudy { folder: PathBuf, reason: String },
    /// Samples are not those that the design of the study asks for.
    #[error(
        "`{}` holds samples of another design, of another version of the program perhaps",
        folder.display()
    )]
    OtherDesign { folder: PathBuf },
    /// Behind the damage `samples` of the study are whole, and `others` of which nobody knows.
    #[error(
        "`{}` is no journal of a study, or its beginning is damaged{}",
        path.display(), behind(*samples, *others)
    )]
    NotAJournal { path: PathBuf, samples: usize, others: usize },
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
    #[error("`{}` is the folder you are in, and its study would move away", folder.display())]
    Current { folder: PathBuf },
    #[error("{missing} samples are not finished, sample {first} is the first of them")]
    Incomplete { missing: usize, first: usize },
}

fn behind(samples: usize, others: usize) -> String {
    match (samples, others) {
        (0, 0) => String::new(),
        (0, 1) => "; 1 sample behind it is whole, but not shown to be of this study".into(),
        (0, _) => {
            format!("; {others} samples behind it are whole, but not shown to be of this study")
        }
        (1, _) => "; 1 sample behind it is whole".into(),
        _ => format!("; {samples} samples behind it are whole"),
    }
}

fn finished(samples: usize) -> String {
    match samples {
        0 => "no sample is finished".into(),
        1 => "1 sample is finished and safe".into(),
        _ => format!("{samples} samples are finished and safe"),
    }
}

impl StoreError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.into(), source }
    }
}
