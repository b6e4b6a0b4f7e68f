//! A study begins anew where another one has its results.
//!
//! A complete study steps aside as `<name>.complete` and goes when the new one is complete, as with
//! runs; one that was not complete goes at once. What the user has put into the folder stays.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use gudgeon_files::{Disk, free_name};

use super::owned::{KEPT, Owned, RECORD, has_note, read_record};
use super::{JOURNAL, LOCK, StoreError, files};

const WHY: &str = "\
This is the last complete study. One that was begun anew in its place is not complete yet; this
folder is removed when it is. Move it away to keep it.
";

/// Clears a folder for a study that begins anew.
pub fn overwrite(disk: &Disk, folder: &Path) -> Result<(), StoreError> {
    let shown = folder;
    let folder = &behind_links(folder);
    let lock = files::claim(disk, folder)?;
    tidy(disk, folder);
    let cleared = StoreError::io("clear", folder);
    match is_complete(disk, folder) {
        Ok(true) if is_current(folder) => Err(StoreError::Current { folder: shown.into() }),
        Ok(true) => step_aside(disk, folder),
        Ok(false) => clear(disk, folder).map_err(cleared),
        Err(error) => Err(cleared(error)),
    }?;
    drop(lock);
    Ok(())
}

/// Removes the complete study that [`overwrite`] has kept, once the one at `folder` is complete.
pub fn supersede(disk: &Disk, folder: &Path) -> Result<(), StoreError> {
    let Some(old) = kept(folder) else { return Ok(()) };
    let removed = match is_complete(disk, folder) {
        Ok(true) => remove_kept(disk, &old, &behind_links(folder)),
        other => other.map(drop),
    };
    removed.map_err(StoreError::io("remove", &old))
}

/// Where the last complete study is, while the one at `folder` is not.
pub fn kept(folder: &Path) -> Option<PathBuf> {
    let path = place(folder);
    has_note(&path).then_some(path)
}

/// Removes what one who was killed while he began anew has left: a study that was being removed, and
/// the note in one that had not moved yet. What cannot be removed now is tried again.
pub(super) fn tidy(disk: &Disk, folder: &Path) {
    let trash = trash(&behind_links(folder));
    if trash.is_dir() {
        let _ = disk.remove_dir_all(&trash);
    }
    if has_note(folder) {
        let _ = disk.remove_file(&folder.join(KEPT));
    }
}

/// `<name>.complete`, or with a number where something else has that name.
fn place(folder: &Path) -> PathBuf {
    let folder = behind_links(folder);
    let named = |number: u32| match number {
        1 => beside(&folder, "", ".complete"),
        _ => beside(&folder, "", &format!(".complete-{number}")),
    };
    let is_free = |path: &PathBuf| path.symlink_metadata().is_err();
    let fits = |path: &PathBuf| is_free(path) || has_note(path) && is_study(path);
    (1..).map(named).find(fits).unwrap_or_else(|| named(1))
}

/// Where a kept study is removed, so that half of one never has a name that counts.
fn trash(folder: &Path) -> PathBuf {
    beside(folder, ".", ".complete.trash")
}

fn beside(folder: &Path, before: &str, behind: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(folder.file_name().unwrap_or_default());
    name.push(behind);
    folder.with_file_name(name)
}

/// A link to a folder stays a link: the folder behind it is meant. So it is with `.`, which has no
/// name of its own.
fn behind_links(folder: &Path) -> PathBuf {
    let plain: PathBuf = folder.components().collect(); // without a slash at its end
    if plain.file_name().is_some() && !plain.is_symlink() {
        return plain;
    }
    plain.canonicalize().unwrap_or(plain)
}

fn is_current(folder: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let here = std::env::current_dir().ok().and_then(|here| real(&here));
    here.is_some() && here == real(folder)
}

fn is_study(folder: &Path) -> bool {
    folder.join(JOURNAL).is_file()
}

/// Whether the study at `folder` has got to its end.
pub fn is_complete(disk: &Disk, folder: &Path) -> io::Result<bool> {
    let record = read_record(disk, folder)?.unwrap_or_default();
    Ok(is_study(folder) && record["gudgeon"].is_string() && record["status"] == "ok")
}

/// Moves a complete study beside its place. An older one there goes.
fn step_aside(disk: &Disk, folder: &Path) -> Result<(), StoreError> {
    let to = place(folder);
    let note = folder.join(KEPT);
    if to.exists() {
        remove_kept(disk, &to, folder).map_err(StoreError::io("remove", &to))?;
    }
    if note.exists() && !has_note(folder) {
        // a file of the user
        disk.rename(&note, &free_name(&note)).map_err(StoreError::io("move", &note))?;
    }
    let noted = disk.save(&note, WHY.as_bytes());
    if let Err(error) = noted.and_then(|()| disk.rename(folder, &to)) {
        if has_note(folder) {
            let _ = disk.remove_file(&note); // else at the next start
        }
        return Err(StoreError::io("clear", folder)(error));
    }
    // The lock says that what has no journal yet is the folder of a study.
    let lock = match files::claim(disk, folder) {
        Ok(lock) => lock,
        Err(error) => {
            // Another one may have begun there in the meantime.
            if !matches!(error, StoreError::InUse { .. }) {
                put_back(disk, &to, folder);
            }
            return Err(error);
        }
    };
    // What cannot be carried now is so when the kept one is removed.
    let _ =
        Owned::of(disk, &to).and_then(|owned| disk.carry(&to, folder, &|place| owned.has(place)));
    let _ = disk.sync_folder(folder.parent().unwrap_or(folder));
    drop(lock);
    Ok(())
}

/// Undoes the move of a study in whose place no new one can begin. Should that fail, too, it stays
/// where complete ones are kept.
fn put_back(disk: &Disk, kept: &Path, folder: &Path) {
    if folder.exists() {
        let _ = disk.remove_dir(folder); // an empty one
    }
    if disk.rename(kept, folder).is_ok() {
        let _ = disk.remove_file(&folder.join(KEPT));
    }
}

/// Removes a complete study that was kept; what the user has put there goes to `folder`.
fn remove_kept(disk: &Disk, kept: &Path, folder: &Path) -> io::Result<()> {
    let owned = Owned::of(disk, kept)?;
    disk.carry(kept, folder, &|place| owned.has(place))?;
    disk.discard(kept, &trash(folder))
}

/// Removes what is ours from a folder, the record and then the journal last: until then it can be
/// repeated, for they tell what is ours.
fn clear(disk: &Disk, folder: &Path) -> io::Result<()> {
    let owned = Owned::of(disk, folder)?;
    remove_ours(disk, folder, Path::new(""), &owned)?;
    for path in [RECORD, JOURNAL].map(|name| folder.join(name)) {
        if path.exists() {
            disk.remove_file(&path)?;
        }
    }
    Ok(())
}

fn remove_ours(disk: &Disk, folder: &Path, below: &Path, owned: &Owned) -> io::Result<()> {
    for name in disk.names(&folder.join(below))? {
        let place = below.join(&name);
        let path = folder.join(&place);
        let stays = [RECORD, JOURNAL, LOCK].into_iter().any(|file| place == Path::new(file));
        if stays || !owned.has(&place) {
            continue;
        }
        if path.symlink_metadata().is_ok_and(|data| data.is_dir()) {
            remove_ours(disk, folder, &place, owned)?;
            if disk.names(&path)?.is_empty() {
                disk.remove_dir(&path)?;
            }
        } else {
            disk.remove_file(&path)?;
        }
    }
    Ok(())
}
