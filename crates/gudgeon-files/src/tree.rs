//! Whole folders.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::Disk;

impl Disk {
    /// Brings everything below a folder to the disk; tells the path of what could not be.
    pub fn sync_tree(&self, folder: &Path) -> Result<(), (PathBuf, io::Error)> {
        let at = |path: &Path| {
            let path = path.to_owned();
            move |error| (path, error)
        };
        for name in self.names(folder).map_err(at(folder))? {
            let path = folder.join(name);
            if is_folder(&path) {
                self.sync_tree(&path)?;
            } else {
                self.sync_file(&path).map_err(at(&path))?;
            }
        }
        self.sync_folder(folder).map_err(at(folder))
    }

    /// Removes a folder with everything in it; of a link to one, the link alone.
    pub fn remove_dir_all(&self, folder: &Path) -> io::Result<()> {
        if folder.is_symlink() {
            return self.remove_file(folder);
        }
        for name in self.names(folder)? {
            let path = folder.join(name);
            if is_folder(&path) {
                self.remove_dir_all(&path)?;
            } else {
                self.remove_file(&path)?;
            }
        }
        self.remove_dir(folder)
    }

    /// Removes a folder so that it is whole or gone under its name; a kill in between leaves the
    /// rest under `trash`.
    pub fn discard(&self, folder: &Path, trash: &Path) -> io::Result<()> {
        if trash.exists() {
            self.remove_dir_all(trash)?;
        }
        self.rename(folder, trash)?;
        self.remove_dir_all(trash)
    }

    /// Moves from one folder to another what is not ours, that is, what `owns` does not say yes to.
    /// A name that is taken there gets `.old` added.
    pub fn carry(&self, from: &Path, to: &Path, owns: &dyn Fn(&Path) -> bool) -> io::Result<()> {
        self.carry_below(from, to, Path::new(""), owns)
    }

    fn carry_below(
        &self,
        from: &Path,
        to: &Path,
        below: &Path,
        owns: &dyn Fn(&Path) -> bool,
    ) -> io::Result<()> {
        for name in self.names(&from.join(below))? {
            let place = below.join(&name);
            let path = from.join(&place);
            if !owns(&place) {
                // on a full disk a file can be moved, but no folder made
                if !to.join(below).is_dir() {
                    self.create_dir_all(&to.join(below))?;
                }
                self.rename(&path, &free_name(&to.join(&place)))?;
            } else if is_folder(&path) {
                self.carry_below(from, to, &place, owns)?;
            }
        }
        Ok(())
    }
}

/// The path itself if nothing is there, else one with `.old` added.
pub fn free_name(path: &Path) -> PathBuf {
    let with = |ending: String| {
        let mut name: OsString = path.as_os_str().to_owned();
        name.push(ending);
        PathBuf::from(name)
    };
    let endings = std::iter::once(String::new())
        .chain(std::iter::once(".old".to_owned()))
        .chain((2..).map(|n: u32| format!(".old-{n}")));
    let taken = |path: &PathBuf| path.symlink_metadata().is_ok();
    endings.map(with).find(|path| !taken(path)).unwrap_or_else(|| path.to_owned())
}

/// Whether a disk is mounted at a folder, as far as the system can tell.
#[cfg(target_os = "linux")]
pub fn is_mount_point(folder: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    statx(CWD, folder, AtFlags::NO_AUTOMOUNT, StatxFlags::empty())
        .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
pub fn is_mount_point(_: &Path) -> bool {
    false
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_dir())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("gudgeon-files-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    #[cfg(unix)]
    #[test]
    fn behind_links_nothing_is_removed() {
        let scratch = scratch("links");
        let (mine, kept) = (scratch.join("mine"), scratch.join("kept"));
        fs::create_dir(&mine).unwrap();
        fs::write(mine.join("a"), "").unwrap();
        std::os::unix::fs::symlink(&mine, &kept).unwrap();
        Disk::real().discard(&kept, &scratch.join("trash")).unwrap();
        assert_eq!(Disk::real().names(&scratch).unwrap(), ["mine"]);
        assert!(mine.join("a").exists());
        fs::remove_dir_all(scratch).unwrap();
    }

    #[test]
    fn a_full_disk_takes_files_that_move() {
        use crate::faults::{Fault, Faults};
        let scratch = scratch("full");
        for folder in ["from", "to"] {
            fs::create_dir(scratch.join(folder)).unwrap();
        }
        fs::write(scratch.join("from/notes"), "mine").unwrap();
        let full = Disk::failing(&Faults::new(Fault::Full, 1).share());
        full.carry(&scratch.join("from"), &scratch.join("to"), &|_| false).unwrap();
        assert!(scratch.join("to/notes").exists());
        fs::remove_dir_all(scratch).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn mount_points_are_known() {
        assert!(is_mount_point(Path::new("/proc")));
        let scratch = scratch("mount");
        assert!(!is_mount_point(&scratch) && !is_mount_point(&scratch.join("nothing")));
        fs::remove_dir_all(scratch).unwrap();
    }
}
