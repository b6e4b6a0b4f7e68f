//! A finished folder takes the place of the old one.
//!
//! Linux and macOS exchange two folders in one system call. Elsewhere, and on file systems without
//! it, the old folder steps aside under a hidden name first; if the program dies between the two
//! renames, the next start puts it back (see `recover`).

use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, is_mount_point};

use crate::names::{Attempt, Place};
use crate::run_json::Mark;

/// What stands at a path where a result is to go.
pub(crate) enum Standing {
    Nothing,
    /// A result of ours, or an empty folder.
    Result,
    Foreign,
}

/// Looks at `path` without touching it.
pub(crate) fn inspect(disk: &Disk, path: &Path) -> io::Result<Standing> {
    let metadata = match path.symlink_metadata() {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
        Err(error) => return Err(error),
    };
    if !metadata.is_dir() {
        return Ok(Standing::Foreign);
    }
    if Mark::read(disk, path)?.is_some() || disk.names(path)?.is_empty() {
        return Ok(Standing::Result);
    }
    Ok(Standing::Foreign)
}

/// Why a folder cannot change places with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The process, and who has started it, are in it: they would stay behind in the old one.
    Current,
    /// A disk is mounted there.
    Mounted,
    /// Its owner has protected it.
    Protected,
}

/// What keeps the folder at a place from being replaced.
pub(crate) fn obstacle(place: &Place) -> Option<Obstacle> {
    let target = place.target();
    let here = std::env::current_dir().and_then(|here| here.canonicalize());
    if here.is_ok_and(|here| here == target) {
        return Some(Obstacle::Current);
    }
    if is_mount_point(&target) {
        return Some(Obstacle::Mounted);
    }
    // On Windows the mark means something else for folders.
    let protected = target.metadata().is_ok_and(|folder| folder.permissions().readonly());
    (cfg!(unix) && protected).then_some(Obstacle::Protected)
}

/// Puts the folder of an attempt at its place; returns where the old one is now, if there was one.
pub(crate) fn install(
    disk: &Disk,
    place: &Place,
    attempt: &Attempt,
) -> io::Result<Option<PathBuf>> {
    let (new, target) = (&attempt.folder, place.target());
    match inspect(disk, &target)? {
        Standing::Nothing => match disk.rename(new, &target) {
            Ok(()) => return Ok(None),
            // another run has finished in the meantime
            Err(_) if matches!(inspect(disk, &target), Ok(Standing::Result)) => {}
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
    match disk.exchange(new, &target) {
        Ok(()) => Ok(Some(new.clone())),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(error),
        Err(_) => two_renames(disk, &target, attempt).map(Some),
    }
}

/// The way without an exchange; returns where the old folder is.
fn two_renames(disk: &Disk, target: &Path, attempt: &Attempt) -> io::Result<PathBuf> {
    let aside = attempt.previous();
    disk.rename(target, &aside)?;
    if let Err(error) = disk.rename(&attempt.folder, target) {
        disk.rename(&aside, target)?;
        return Err(error);
    }
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use gudgeon_files::{Fault, Faults};

    use super::*;
    use crate::scratch::Scratch;

    fn place(scratch: &Scratch) -> Place {
        Place { parent: scratch.to_path_buf(), name: "run".into() }
    }

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
        let without = Faults::new(Fault::Broken, 0).without_exchange().share();
        for disk in [Disk::real(), Disk::failing(&without)] {
            let scratch = Scratch::new();
            let place = place(&scratch);
            let attempt = place.attempt(0);
            result(&place.target(), "old");
            result(&attempt.folder, "new");
            let old = install(&disk, &place, &attempt).unwrap().unwrap();
            assert_eq!((text(&place.target()), text(&old)), ("new".into(), "old".into()));
        }
    }

    #[test]
    fn a_failed_second_rename_puts_the_old_folder_back() {
        let scratch = Scratch::new();
        let place = place(&scratch);
        result(&place.target(), "old");
        two_renames(&Disk::real(), &place.target(), &place.attempt(0)).unwrap_err();
        assert_eq!(text(&place.target()), "old");
    }
}
