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

/// How the note begins, by which it is told from a file of the user with its name.
const FIRST: &str = "This is the last complete result.";
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
    carry(disk, (old, &mark), &target)?;
    match is_complete(disk, &target)? {
        Some(false) if mark.is_complete() => keep(disk, place, attempt, old),
        _ => disk.discard(old, &attempt.trash()),
    }
}

/// Writes what is to go with a complete result, should this attempt displace it: when that happens
/// the disk may be full, and a file can be moved, but none made.
pub(crate) fn prepare_note(disk: &Disk, attempt: &Attempt) {
    let _ = disk.write(&attempt.note(), WHY.as_bytes()); // else it is tried again then
}

/// Puts the note into a folder that is to be kept, which is known by it.
fn explain(disk: &Disk, attempt: &Attempt, old: &Path) -> io::Result<()> {
    let path = old.join(KEPT);
    if !path.is_file() && disk.rename(&attempt.note(), &path).is_err() {
        disk.write(&path, WHY.as_bytes())?;
    }
    // without this a power cut may cost the note, not the result
    let _ = disk.sync_file(&path).and_then(|()| disk.sync_folder(old));
    Ok(())
}

/// Moves a complete result beside its place; an older one kept there goes.
fn keep(disk: &Disk, place: &Place, attempt: &Attempt, old: &Path) -> io::Result<()> {
    explain(disk, attempt, old)?;
    let to = place.beside("complete", &|path| is_kept(disk, path));
    if to.exists() {
        remove_kept(disk, place, attempt, &to)?;
    }
    disk.rename(old, &to)?;
    disk.sync_folder(&place.parent)
}

/// Where the last complete result is, while that at the place is not one. One that could not be
/// moved beside it waits for the next start where the attempt has left it.
pub(crate) fn last_complete(disk: &Disk, place: &Place, attempt: &Attempt) -> Option<PathBuf> {
    let holds_one = |path: &Path| matches!(is_complete(disk, path), Ok(Some(true)));
    if holds_one(&place.target()) {
        return None;
    }
    let left = [attempt.folder.clone(), attempt.previous()];
    left.into_iter().find(|path| holds_one(path)).or_else(|| kept(disk, place))
}

/// Where a complete result is kept.
fn kept(disk: &Disk, place: &Place) -> Option<PathBuf> {
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
        carry(disk, (kept, &mark), &place.target())?;
    }
    disk.discard(kept, &attempt.trash())
}

/// Puts the rows of a killed run beside the place; those of an earlier one go.
pub(crate) fn put_killed(disk: &Disk, place: &Place, attempt: &Attempt) -> io::Result<PathBuf> {
    let old = |path: &Path| matches!(Mark::read(disk, path), Ok(Some(mark)) if mark.is(KILLED));
    let to = place.beside("killed", &old);
    if let Some(mark) = Mark::read(disk, &to)? {
        carry(disk, (&to, &mark), &attempt.folder)?;
        disk.discard(&to, &attempt.trash())?;
    }
    disk.rename(&attempt.folder, &to)?;
    disk.sync_folder(&place.parent)?;
    Ok(to)
}

/// Whether a folder is one that [`keep`] has put there.
fn is_kept(disk: &Disk, path: &Path) -> bool {
    has_note(disk, path) && matches!(Mark::read(disk, path), Ok(Some(mark)) if mark.is_complete())
}

/// Whether there is a note of ours in a folder; a power cut may have cost its words.
fn has_note(disk: &Disk, folder: &Path) -> bool {
    let path = folder.join(KEPT);
    let is_ours = |text: Vec<u8>| text.is_empty() || text.starts_with(FIRST.as_bytes());
    path.is_file() && disk.read(&path).is_ok_and(is_ours)
}

/// Moves what the user has put into a result to another folder.
fn carry(disk: &Disk, (from, mark): (&Path, &Mark), to: &Path) -> io::Result<()> {
    let noted = has_note(disk, from);
    disk.carry(from, to, &|entry| mark.owns(entry) || (noted && entry == Path::new(KEPT)))
}

/// `None` where there is no result.
fn is_complete(disk: &Disk, folder: &Path) -> io::Result<Option<bool>> {
    Ok(Mark::read(disk, folder)?.map(|mark| mark.is_complete()))
}
