//! Runs the binary in a folder of its own.
#![allow(dead_code, reason = "every test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// The shipped slider-crank, which the tests run and spoil.
pub const SLIDER_CRANK: &str = include_str!("../../../../../models/slider_crank/model.toml");

/// The shipped journal bearing, whose film is drawn at two instants.
pub const JOURNAL_BEARING: &str = include_str!("../../../../../models/journal_bearing/model.toml");

/// A four-bar in space that needs the play of its joint C.
pub const TILTED: &str = include_str!("tilted_four_bar.toml");

/// The same without tilt and play: its loop is redundant.
pub fn parallel() -> String {
    let from = TILTED.find("clearance.bearing_radius").unwrap();
    let to = TILTED.find("[drivers.motor]").unwrap();
    let text = [&TILTED[..from], &TILTED[to..]].concat();
    let text =
        text.replace("\"C.V.eccentricity\", \"C.misalignment\", ", "\"C.contact_force.z\", ");
    text.replace("loops = { C = [1] }\n", "").replace("tilt = \"1 deg\"", "tilt = 0")
}

/// A parallelogram that starts with all its bars in one line.
pub const IN_LINE: &str = r#"
format = 1
[bodies]
ground = { frames = { d = "2 m, 0" } }
a = { frames = { o = "0, 0", e = "1 m, 0" }, shape = { rod = "1 kg", from = "o", to = "e" } }
b = { frames = { o = "0, 0", e = "2 m, 0" }, shape = { rod = "1 kg", from = "o", to = "e" } }
c = { frames = { o = "0, 0", e = "1 m, 0" }, shape = { rod = "1 kg", from = "o", to = "e" } }
[joints]
A = { type = "revolute", between = ["ground", "a.o"] }
B = { type = "revolute", between = ["a.e", "b.o"] }
C = { type = "revolute", between = ["b.e", "c.e"] }
D = { type = "revolute", between = ["ground.d", "c.o"] }
[run]
until = "1 ms"
outputs = ["a.angle"]
"#;

/// A rod that flies freely in a wide bearing, which takes some fifty steps; held by an ideal joint it turns
/// a million times.
pub const FREE: &str = r#"
format = 1
[bodies.rod]
frames = { o = "0, 0", e = "2 mm, 0" }
shape = { rod = "1 kg", from = "o", to = "e" }
[joints.pivot]
type = "revolute"
between = ["ground", "rod.o"]
clearance = { bearing_radius = "2e4 m", radial = "1e4 m", contact = { law = "hertz", stiffness = "1e9 N/m^1.5" } }
[start]
rod.angular_velocity = "100 rad/s"
[run]
until = "1e5 s"
outputs = ["rod.angular_velocity"]
"#;

/// Flags for a run of a few milliseconds.
pub const SHORT: [&str; 4] = ["--until", "0.3 rev", "--measure-from", "0.05 rev"];

/// A folder that is removed at the end of the test.
pub struct Scratch {
    pub path: PathBuf,
}

impl Scratch {
    pub fn new() -> Scratch {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cli-{}-{number}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Scratch { path }
    }

    /// A folder with the slider-crank as `model.toml`.
    pub fn with_model() -> Scratch {
        let scratch = Scratch::new();
        scratch.write("model.toml", SLIDER_CRANK);
        scratch
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        fs::write(self.path.join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap()
    }

    /// Names of everything in the folder, hidden files too.
    pub fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.path).unwrap();
        let mut names: Vec<String> =
            entries.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gudgeon"));
        command.current_dir(&self.path).args(arguments).env_remove("COLUMNS");
        command
    }

    pub fn gudgeon(&self, arguments: &[&str]) -> Finished {
        Finished(self.command(arguments).output().unwrap())
    }

    /// `gudgeon run model.toml` with short times and more flags.
    pub fn run(&self, flags: &[&str]) -> Finished {
        self.gudgeon(&[&["run", "model.toml"], &SHORT[..], flags].concat())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Sends a signal such as `INT` to a command. Where the tests themselves were started with the signal
/// ignored, as in the background of a script, commands ignore it too: then they are asked to terminate.
#[cfg(unix)]
pub fn send(child: &std::process::Child, signal: &str) {
    let bit = match signal {
        "HUP" => 0,
        "INT" => 1,
        _ => 14,
    };
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    let heard = if mask >> bit & 1 == 1 { "TERM" } else { signal };
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-s", heard, &id]).status().unwrap().success());
}

/// A command that has ended.
pub struct Finished(pub Output);

impl Finished {
    pub fn code(&self) -> Option<i32> {
        self.0.status.code()
    }

    pub fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }

    /// The one JSON object on standard output.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.0.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.stdout(), self.stderr()))
    }

    /// Asserts the exit code and shows what was said if it differs.
    #[track_caller]
    pub fn exits(self, code: i32) -> Finished {
        assert_eq!(self.code(), Some(code), "{}{}", self.stdout(), self.stderr());
        self
    }
}
