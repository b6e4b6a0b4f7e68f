//! Temporary folders for the tests of this crate.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own, removed at the end of the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    #[allow(dead_code, reason = "every test file uses its part")]
    pub(crate) fn new() -> Scratch {
        Scratch::below(&std::env::temp_dir())
    }

    /// On a disk in memory, where there is one: for tests with very many files.
    #[allow(dead_code, reason = "every test file uses its part")]
    pub(crate) fn in_memory() -> Scratch {
        let memory = Path::new("/dev/shm");
        Scratch::below(&if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() })
    }

    fn below(folder: &Path) -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("gudgeon-output-{}-{number}", std::process::id());
        let path = folder.join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("temporary folder");
        Scratch(path)
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
