//! Kills (SIGKILL) the command at random moments, and looks at what is left.
//!
//! `runs` kills runs that replace one another at one path, most of them while the folders are
//! exchanged; `studies` kills studies among their samples and searches. After every kill the path
//! holds a whole result, and the next command ends well and gives the bytes of an undisturbed one.
//! Moments come from a seed; what they meet depends on the machine.

mod folder;
pub mod runs;
pub mod studies;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// What a campaign did.
#[derive(Debug, Default)]
pub struct Counts {
    pub kills: usize,
    /// Kills that met a living process.
    pub alive: usize,
    /// After the kill: the old result stood there, or the new one.
    pub old: usize,
    pub new: usize,
    /// Kills after which rows were salvaged, or a finished result was put in its place.
    pub salvaged: usize,
    pub finished: usize,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { kills, alive, old, new, salvaged, finished } = self;
        write!(
            f,
            "{kills} kills, {alive} met a living process; {old} left the old result, {new} the new \
             one; rows were salvaged {salvaged} times, a finished result was put in its place {finished} times"
        )
    }
}

/// `gudgeon` and the folder it works in.
pub struct Bench {
    pub program: PathBuf,
    pub folder: PathBuf,
    random: u64,
}

impl Bench {
    pub fn new(program: &Path, folder: &Path, seed: u64) -> Result<Bench, String> {
        std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        Ok(Bench { program: program.to_owned(), folder: folder.to_owned(), random: seed })
    }

    /// A number from 0 to 1 (SplitMix64).
    fn unit(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(arguments);
        command
    }

    /// Runs a command to its end and checks its exit code.
    fn complete(&self, arguments: &[&str], code: i32) -> Result<(Output, Duration), String> {
        let clock = Instant::now();
        let output = self.command(arguments).output().map_err(|error| error.to_string())?;
        if output.status.code() == Some(code) {
            return Ok((output, clock.elapsed()));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("{arguments:?} ended with {} instead of {code}: {said}", output.status))
    }

    fn start(&self, arguments: &[&str]) -> Result<Child, String> {
        let mut command = self.command(arguments);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().map_err(|error| error.to_string())
    }
}

/// Kills a child; whether it was still alive.
fn kill(mut child: Child) -> Result<bool, String> {
    let ended = child.try_wait().map_err(|error| error.to_string())?;
    child.kill().map_err(|error| error.to_string())?;
    let status = child.wait().map_err(|error| error.to_string())?;
    Ok(ended.is_none() && status.code().is_none())
}
