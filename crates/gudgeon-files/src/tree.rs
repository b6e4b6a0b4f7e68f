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

    /// Removes a folder with everything in it.
    pub fn remove_dir_all(&self, folder: &Path) -> io::Result<()> {
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
                self.create_dir_all(&to.join(below))?;
                self.rename(&path, &free(&to.join(&place)))?;
            } else if is_folder(&path) {
                self.carry_below(from, to, &place, owns)?;
            }
        }
        Ok(())
    }
}

/// The path itself if nothing is there, else one with `.old` added.
fn free(path: &Path) -> PathBuf {
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

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_dir())
}
