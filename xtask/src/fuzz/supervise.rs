//! The process that the user starts: another one does the work, so that a crash is a finding too.

use std::process::Command;
use std::time::{Duration, Instant};

use super::Generator;
use super::case::{Case, Stage};
use super::judge::{catch_panics, judge};
use super::options::Options;
use super::report::write;
use super::workers::{TRACE, Work};

/// Runs the fuzzer; returns whether nothing was found.
pub fn fuzz(arguments: &[String]) -> Result<bool, String> {
    let options = Options::parse(arguments)?;
    if let Some((stage, index)) = options.show {
        print!("{}", Generator::new(options.seed).case(stage, index).text);
        return Ok(true);
    }
    if let Some((stage, path)) = &options.file {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read `{}`: {error}", path.display()))?;
        let verdict = judge(&Case::of_file(path, text), *stage, options.limit);
        println!("{:?} in {:.3} s {:?}", verdict.fate, verdict.seconds, verdict.finding);
        return Ok(verdict.finding.is_none());
    }
    let made = std::fs::create_dir_all(&options.folder);
    made.map_err(|error| format!("cannot create `{}`: {error}", options.folder.display()))?;
    if options.inside { Ok(work(&options)) } else { watch(&options, arguments) }
}

/// Both stages, one after the other.
fn work(options: &Options) -> bool {
    catch_panics();
    let mut clean = true;
    for (stage, goal) in [(Stage::Read, options.inputs), (Stage::Run, options.runs)] {
        if goal == 0 {
            continue;
        }
        let start = Instant::now();
        let work = Work::new(stage, options);
        work.run(|count, time| progress(stage, count, goal, time));
        let tally = work.tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        print!("{}", tally.text(stage, options.limit, start.elapsed(), &options.folder));
        clean &= tally.is_clean();
    }
    clean
}

fn progress(stage: Stage, count: u64, goal: u64, time: Duration) {
    let rate = count as f64 / time.as_secs_f64();
    eprintln!("{stage:?}: {count} of {goal}, {rate:.0} per second");
}

/// Starts the worker process; inputs that crash it are kept as they are.
fn watch(options: &Options, arguments: &[String]) -> Result<bool, String> {
    clear_traces(options);
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = Command::new(program).arg("fuzz").args(arguments).arg("--inside").status();
    let status = status.map_err(|error| format!("cannot start the worker: {error}"))?;
    match status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        Some(code) => Err(format!("the worker ended with {code}")),
        None => {
            println!("finding: crash ({status}) at one of");
            for (stage, index) in traces(options) {
                let case = Generator::new(options.seed).case(stage, index);
                println!("  {}", write(&options.folder, stage, "crash", index, &case));
            }
            Ok(false)
        }
    }
}

fn trace_files(options: &Options) -> impl Iterator<Item = std::path::PathBuf> {
    let entries = std::fs::read_dir(&options.folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(TRACE))
    })
}

fn clear_traces(options: &Options) {
    for path in trace_files(options) {
        let _ = std::fs::remove_file(path);
    }
}

/// Stage and number of the inputs that the workers were at.
fn traces(options: &Options) -> Vec<(Stage, u64)> {
    let one = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let stage = if name.contains("Run") { Stage::Run } else { Stage::Read };
        let bytes: [u8; 8] = std::fs::read(&path).ok()?.try_into().ok()?;
        Some((stage, u64::from_le_bytes(bytes)))
    };
    let found: Vec<(Stage, u64)> = trace_files(options).filter_map(one).collect();
    let last = found.iter().any(|(stage, _)| *stage == Stage::Run);
    let stage = if last { Stage::Run } else { Stage::Read };
    found.into_iter().filter(|(own, _)| *own == stage).collect()
}
