//! Files on disk: what is read, and what is refused.
//!
//! Pipes and devices would block or never end, so that a file names regular ones only. The command
//! line may name a stream that is open already: `/dev/stdin`, or what `<(…)` of a shell stands for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::diagnostic::{Diagnostic, nearest};
use crate::load::Resolver;

/// Files larger than this are not read.
const LARGEST: u64 = 64 << 20;

/// Folders of streams that the process has open.
const STREAMS: [&str; 3] = ["/dev/stdin", "/dev/fd", "/proc/self/fd"];

/// Files on disk, relative to the file that names them.
pub struct Disk {
    /// Paths that are no text, by what messages show instead.
    paths: RefCell<HashMap<String, PathBuf>>,
}

impl Disk {
    /// Where the first file is `path`.
    pub fn at(path: &Path) -> Self {
        let disk = Self { paths: RefCell::default() };
        disk.show(path);
        disk
    }

    /// The text for a path; one that is no text itself is remembered.
    fn show(&self, path: &Path) -> String {
        let shown = path.display().to_string();
        if path.to_str().is_none() {
            self.paths.borrow_mut().insert(shown.clone(), path.to_owned());
        }
        shown
    }

    /// What `name` in the file `from` means.
    fn path(&self, from: &str, name: &str) -> PathBuf {
        let from = self.paths.borrow().get(from).cloned().unwrap_or_else(|| from.into());
        from.parent().map_or(PathBuf::from(name), |folder| folder.join(name))
    }
}

impl Resolver for Disk {
    fn read(&self, from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        let path = self.path(from, name);
        let text = read(&path, is_regular)?;
        Ok((self.show(&path), text))
    }

    fn read_data(&self, from: &str, name: &str) -> Result<(String, Vec<u8>), Box<Diagnostic>> {
        let path = self.path(from, name);
        let bytes = read_bytes(&path, is_regular, "data").map_err(|diagnostic| {
            match near(&path).filter(|_| !path.exists()) {
                Some(near) => Box::new(diagnostic.help(format!("did you mean `{near}`?"))),
                None => diagnostic,
            }
        })?;
        Ok((self.show(&path), bytes))
    }
}

/// The file in the folder of another whose name is nearest to its name.
fn near(path: &Path) -> Option<String> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.take(10_000);
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    let name = path.file_name()?.to_str()?;
    nearest(name, names.iter().map(String::as_str)).map(str::to_owned)
}

/// Reads a file that the command line names.
pub fn read_given(path: &Path) -> Result<String, Box<Diagnostic>> {
    let is_stream = STREAMS.iter().any(|folder| path.starts_with(folder));
    read(path, |found| is_stream || is_regular(found))
}

fn is_regular(found: &Metadata) -> bool {
    found.is_file()
}

/// The first file of a folder that could be meant, by name; `model.toml` in a folder of it, else.
fn first_inside(folder: &Path) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?;
    let all: Vec<PathBuf> = entries.take(10_000).filter_map(|e| Some(e.ok()?.path())).collect();
    let file = |path: &PathBuf| path.extension().is_some_and(|e| e == "toml") && path.is_file();
    let files = all.iter().filter(|path| file(path)).min().cloned();
    files.or_else(|| all.iter().map(|path| path.join("model.toml")).filter(file).min())
}

fn read(path: &Path, may: impl Fn(&Metadata) -> bool) -> Result<String, Box<Diagnostic>> {
    let bytes = read_bytes(path, may, "model")?;
    let shown = path.display();
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let message = format!("`{shown}` is not UTF-8 text (line {line})");
        Box::new(Diagnostic::error("G0002", message).help("save the file with the encoding UTF-8"))
    })
}

fn read_bytes(
    path: &Path,
    may: impl Fn(&Metadata) -> bool,
    kind: &str,
) -> Result<Vec<u8>, Box<Diagnostic>> {
    let shown = path.display();
    let cannot = |error: std::io::Error| {
        let diagnostic = Diagnostic::error("G0001", format!("cannot read `{shown}`: {error}"));
        match error.kind() {
            std::io::ErrorKind::NotFound => Box::new(diagnostic.help("check the path of the file")),
            std::io::ErrorKind::PermissionDenied => {
                Box::new(diagnostic.help("ask its owner for the right to read it, or copy it"))
            }
            _ => Box::new(diagnostic.help("check the path, the links on it and the disk")),
        }
    };
    let found = std::fs::metadata(path).map_err(cannot)?;
    if found.is_dir() {
        let help = match first_inside(path) {
            Some(file) => format!("give a file, such as `{}`", file.display()),
            None => format!(
                "give a file; there is no `{}`, nor another `.toml` file in it",
                path.join("model.toml").display()
            ),
        };
        let message = format!("`{shown}` is a folder");
        return Err(Box::new(Diagnostic::error("G0001", message).help(help)));
    }
    if !may(&found) {
        let message = format!("`{shown}` is a pipe or a device, not a file");
        let help = "name a file; the command line takes `/dev/stdin`, too";
        return Err(Box::new(Diagnostic::error("G0001", message).help(help)));
    }
    let file = File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > LARGEST {
        let message = format!("`{shown}` is larger than 64 MB");
        let help = format!("is this a {kind} file?");
        return Err(Box::new(Diagnostic::error("G0003", message).help(help)));
    }
    Ok(bytes)
}
