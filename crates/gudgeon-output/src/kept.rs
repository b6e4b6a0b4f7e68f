//! What becomes of a result whose place a newer attempt has taken.
//!
//! An incomplete attempt (failed, interrupted) does not cost the last complete result: that is kept
//! beside it as `run.complete`, and goes when a complete result stands at the path again. What the
//! user has put into a folder stays at the path.

use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::Disk;

use crate::names::{Attempt, Place};
use crate::run_json::{KEPT, KILLED, Mark};

const WHY: &str = "\
This is the last complete result. A later run did not get to its end and has taken its place; this
folder is removed when one does. Move it away to keep it.
";

/// Removes `old`, which the folder at the place has replaced, or keeps it as the last complete one.
pub(crate) fn settle(disk: &Disk, place: &Place, attempt: &Attempt, old: &Path) -> io::Result<()> {
    let target = place.target();
    let Some(mark) = Mark::read(disk, old)? else {
        // nothing of ours: an empty folder, or one that someone else has put there just now
        return match disk.names(old)?.is_empty() {
            true => disk.remove_dir(old),
            false => disk.rename(old, &place.beside("old", &|_| false)),
        };
    };
    disk.carry(old, &target, &|entry| mark.owns(entry))?;
    match is_complete(disk, &target)? {
        Some(false) if mark.is_complete() => keep(disk, place, attempt, old),
        _ => disk.discard(old, &attempt.trash()),
    }
}

/// Moves a complete result beside its place; an older one kept there goes.
fn keep(disk: &Disk, place: &Place, attempt: &Attempt, old: &Path) -> io::Result<()> {
    disk.save(&old.join(KEPT), WHY.as_bytes())?;
    disk.sync_folder(old)?;
    let to = place.beside("complete", &|path| is_kept(disk, path));
    if to.exists() {
        remove_kept(disk, place, attempt, &to)?;
    }
    disk.rename(old, &to)?;
    disk.sync_folder(&place.parent)
}

/// Where the last complete result is kept, while that at the place is not one.
pub(crate) fn kept(disk: &Disk, place: &Place) -> Option<PathBuf> {
    let path = place.beside("complete", &|path| is_kept(disk, path));
    path.exists().then_some(path)
}

/// A complete result at the place makes the kept one superfluous.
pub(crate) fn supersede(disk: &Disk, place: &Place, attempt: &Attempt) -> io::Result<()> {
    match (is_complete(disk, &place.target())?, kept(disk, place)) {
        (Some(true), Some(kept)) => remove_kept(disk, place, attempt, &kept),
        _ => Ok(()),
    }
}

fn remove_kept(disk: &Disk, place: &Place, attempt: &Attempt, kept: &Path) -> io::Result<()> {
    if let Some(mark) = Mark::read(disk, kept)? {
        disk.carry(kept, &place.target(), &|entry| mark.owns(entry))?;
    }
    disk.discard(kept, &attempt.trash())
}

/// Puts the rows of a killed run beside the place; those of an earlier one go.
pub(crate) fn put_killed(disk: &Disk, place: &Place, attempt: &Attempt) -> io::Result<PathBuf> {
    let old = |path: &Path| matches!(Mark::read(disk, path), Ok(Some(mark)) if mark.is(KILLED));
    let to = place.beside("killed", &old);
    if let Some(mark) = Mark::read(disk, &to)? {
        disk.carry(&to, &attempt.folder, &|entry| mark.owns(entry))?;
        disk.discard(&to, &attempt.trash())?;
    }
    disk.rename(&attempt.folder, &to)?;
    disk.sync_folder(&place.parent)?;
    Ok(to)
}

/// Whether a folder is one that [`keep`] has put there.
fn is_kept(disk: &Disk, path: &Path) -> bool {
    path.join(KEPT).is_file()
        && matches!(Mark::read(disk, path), Ok(Some(mark)) if mark.is_complete())
}

/// `None` where there is no result.
fn is_complete(disk: &Disk, folder: &Path) -> io::Result<Option<bool>> {
    Ok(Mark::read(disk, folder)?.map(|mark| mark.is_complete()))
}
