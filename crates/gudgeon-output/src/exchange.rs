//! A finished folder takes the place of the old one.
//!
//! Linux and macOS exchange two folders in one system call. Elsewhere, and on file systems without
//! it, the old folder steps aside under a hidden name first; if the program dies between the two
//! renames, [`recover`] puts it back at the next start.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::run_json::Mark;

/// What stands at a path where a result is to go.
pub(crate) enum Standing {
    Nothing,
    /// A result of ours, or an empty folder.
    Result,
    Foreign,
}

/// Looks at `path` without touching it.
pub(crate) fn inspect(path: &Path) -> io::Result<Standing> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
        Err(error) => return Err(error),
    };
    if !metadata.is_dir() {
        return Ok(Standing::Foreign);
    }
    if Mark::read(path).is_some() || fs::read_dir(path)?.next().is_none() {
        return Ok(Standing::Result);
    }
    Ok(Standing::Foreign)
}

/// Puts `new` at `target`; returns where the old folder is now, if there was one.
pub(crate) fn install(new: &Path, target: &Path) -> io::Result<Option<PathBuf>> {
    match inspect(target)? {
        Standing::Nothing => match fs::rename(new, target) {
            Ok(()) => return Ok(None),
            // another run has finished in the meantime
            Err(_) if matches!(inspect(target), Ok(Standing::Result)) => {}
            Err(error) => return Err(error),
        },
        Standing::Result => {}
        Standing::Foreign => {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "something else is there now",
            ));
        }
    }
    match exchange(new, target) {
        Ok(()) => Ok(Some(new.to_owned())),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Err(_) => two_renames(new, target).map(Some),
    }
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn exchange(new: &Path, target: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, new, CWD, target, RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// The way without an exchange; returns where the old folder is.
fn two_renames(new: &Path, target: &Path) -> io::Result<PathBuf> {
    let aside = aside(target);
    if aside.exists() {
        retire(&aside, target)?;
    }
    fs::rename(target, &aside)?;
    if let Err(error) = fs::rename(new, target) {
        fs::rename(&aside, target)?;
        return Err(error);
    }
    Ok(aside)
}

/// Where the old folder waits between the two renames.
fn aside(target: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(target.file_name().unwrap_or_default());
    name.push(".previous");
    target.with_file_name(name)
}

/// Undoes half an exchange that a killed run has left behind.
pub(crate) fn recover(target: &Path) -> io::Result<()> {
    let aside = aside(target);
    if !aside.exists() {
        return Ok(());
    }
    match inspect(target)? {
        Standing::Nothing => fs::rename(&aside, target),
        Standing::Result => retire(&aside, target),
        Standing::Foreign => Ok(()),
    }
}

/// Removes a folder that `target` has replaced; what the user had put into it moves to `target`.
pub(crate) fn retire(old: &Path, target: &Path) -> io::Result<()> {
    if let Some(mark) = Mark::read(old).filter(|_| target.is_dir()) {
        for entry in fs::read_dir(old)? {
            let name = entry?.file_name();
            let to = target.join(&name);
            if !mark.owns(&name.to_string_lossy()) && fs::symlink_metadata(&to).is_err() {
                fs::rename(old.join(&name), to)?;
            }
        }
    }
    fs::remove_dir_all(old)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    fn result(path: &Path, text: &str) {
        fs::create_dir(path).unwrap();
        fs::write(path.join("run.json"), r#"{"gudgeon": 1, "files": ["run.json", "a"]}"#).unwrap();
        fs::write(path.join("a"), text).unwrap();
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path.join("a")).unwrap()
    }

    #[test]
    fn both_ways_replace_the_old_folder() {
        let exchanges: [fn(&Path, &Path) -> io::Result<PathBuf>; 2] =
            [|new, target| install(new, target).map(Option::unwrap), two_renames];
        for exchange in exchanges {
            let scratch = Scratch::new();
            let (new, target) = (scratch.join("new"), scratch.join("run"));
            result(&target, "old");
            fs::write(target.join("notes.txt"), "the user's").unwrap();
            result(&new, "new");
            let old = exchange(&new, &target).unwrap();
            assert_eq!((text(&target), text(&old)), ("new".into(), "old".into()));
            retire(&old, &target).unwrap();
            assert!(!old.exists() && target.join("notes.txt").exists());
            assert_eq!(fs::read_dir(&*scratch).unwrap().count(), 1);
        }
    }

    #[test]
    fn half_an_exchange_is_undone_at_the_next_start() {
        let scratch = Scratch::new();
        let target = scratch.join("run");
        result(&aside(&target), "old");
        recover(&target).unwrap();
        assert_eq!(text(&target), "old");

        result(&aside(&target), "older");
        recover(&target).unwrap();
        assert_eq!(text(&target), "old");
        assert!(!aside(&target).exists());
    }

    #[test]
    fn a_failed_second_rename_puts_the_old_folder_back() {
        let scratch = Scratch::new();
        let target = scratch.join("run");
        result(&target, "old");
        two_renames(&scratch.join("missing"), &target).unwrap_err();
        assert_eq!(text(&target), "old");
    }
}
