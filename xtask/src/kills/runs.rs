//! Runs that replace one another at one path.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::folder::{Content, names, result};
use super::{Bench, Counts, kill};

const MODEL: &str = include_str!("../../../models/slider_crank/model.toml");

/// A run, and what it leaves when nobody disturbs it.
struct Kind {
    arguments: &'static [&'static str],
    code: i32,
    content: Content,
    wall: Duration,
    /// From its first picture to its end.
    ending: Duration,
}

/// Two complete runs, one that fails on its way, a long one.
const KINDS: [(&[&str], i32); 4] = [
    (&["run", "model.toml", "--until", "0.1 rev", "--measure-from", "0.05 rev"], 0),
    (&["run", "model.toml", "--until", "0.2 rev", "--measure-from", "0.05 rev"], 0),
    (&["run", "fails.toml", "--ideal", "pin", "--until", "0.3 rev", "--measure-from", "0"], 1),
    (&["run", "model.toml", "--until", "30 rev", "--no-baseline"], 0),
];
const FAILS: usize = 2;
const LONG: usize = 3;

pub fn runs(bench: &mut Bench, kills: usize) -> Result<Counts, String> {
    let fails =
        MODEL.replace("frames.small_end = \"60 mm, 0\"", "frames.small_end = \"-20 mm, 0\"");
    for (name, text) in [("model.toml", MODEL), ("fails.toml", &fails[..])] {
        fs::write(bench.folder.join(name), text).map_err(|error| error.to_string())?;
    }
    let kinds: Vec<Kind> = KINDS.iter().map(|k| reference(bench, k)).collect::<Result<_, _>>()?;
    let mut counts = Counts::default();
    run(bench, &kinds[0])?;
    for number in 0..kills {
        let victim = match bench.unit() {
            x if x < 0.04 => LONG,
            x if x < 0.3 => FAILS,
            x => usize::from(x < 0.65),
        };
        one(bench, &kinds, victim, &mut counts)
            .map_err(|error| format!("kill {number} of {}: {error}", KINDS[victim].0.join(" ")))?;
    }
    Ok(counts)
}

fn path(bench: &Bench, name: &str) -> PathBuf {
    bench.folder.join(name)
}

/// Runs a kind undisturbed.
fn reference(bench: &Bench, kind: &(&'static [&'static str], i32)) -> Result<Kind, String> {
    let (arguments, code) = *kind;
    let out = [arguments, &["--out", "reference"]].concat();
    let clock = Instant::now();
    let mut child = bench.start(&out)?;
    let begins = wait_for_picture(bench, ".reference.partial-", &mut child);
    child.wait().map_err(|error| error.to_string())?;
    let (wall, ending) = (clock.elapsed(), begins.map_or(Duration::ZERO, |at| at.elapsed()));
    let content = result(&path(bench, "reference"))?;
    fs::remove_dir_all(path(bench, "reference")).map_err(|error| error.to_string())?;
    Ok(Kind { arguments, code, content, wall, ending })
}

fn run(bench: &Bench, kind: &Kind) -> Result<String, String> {
    let arguments = [kind.arguments, &["--out", "out"]].concat();
    let (output, _) = bench.complete(&arguments, kind.code)?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// When the first picture is there; nothing if the child has ended.
fn wait_for_picture(
    bench: &Bench,
    prefix: &str,
    child: &mut std::process::Child,
) -> Option<Instant> {
    while child.try_wait().ok()?.is_none() {
        let all = names(&bench.folder).ok()?;
        let partial = all.iter().find(|name| name.starts_with(prefix) && !name.contains(".lock"));
        if partial.is_some_and(|name| path(bench, name).join("plot.svg").exists()) {
            return Some(Instant::now());
        }
        std::thread::sleep(Duration::from_micros(50));
    }
    None
}

/// One kill, what it left, and the run after it.
fn one(
    bench: &mut Bench,
    kinds: &[Kind],
    victim: usize,
    counts: &mut Counts,
) -> Result<(), String> {
    let known = |folder: &Path| -> Result<usize, String> {
        let found = result(folder)?;
        let same = kinds.iter().position(|kind| kind.content == found);
        same.ok_or_else(|| format!("{} has other bytes than any run", folder.display()))
    };
    let (out, complete) = (path(bench, "out"), path(bench, "out.complete"));
    let before = known(&out)?;
    let kept_before = if complete.exists() { Some(known(&complete)?) } else { None };
    let kind = &kinds[victim];
    let arguments = [kind.arguments, &["--out", "out"]].concat();
    let mut child = bench.start(&arguments)?;
    let at_exchange = bench.unit() < 0.8 && victim != LONG;
    if at_exchange {
        wait_for_picture(bench, ".out.partial-", &mut child);
        std::thread::sleep(kind.ending.mul_f64(1.1 * bench.unit()));
    } else {
        std::thread::sleep(kind.wall.mul_f64(1.1 * bench.unit()));
    }
    counts.kills += 1;
    counts.alive += usize::from(kill(child)?);
    let after = known(&out)?;
    if after != before && after != victim {
        return Err("the path holds neither the old nor the new result".into());
    }
    *(if after == before { &mut counts.old } else { &mut counts.new }) += 1;
    let next = if bench.unit() < 0.4 { FAILS } else { usize::from(bench.unit() < 0.5) };
    let said = run(bench, &kinds[next])?;
    counts.salvaged += usize::from(said.contains("rows up to"));
    counts.finished += usize::from(said.contains("at its very end"));
    if known(&out)? != next {
        return Err("the next run left another result than its own".into());
    }
    // The last complete result: of the killed run, the one before, or the one kept then.
    let mut candidates: Vec<usize> = [before, victim].into_iter().filter(|k| *k != FAILS).collect();
    candidates.extend(kept_before.filter(|_| before == FAILS));
    match (next == FAILS, complete.exists()) {
        (false, true) => return Err("a complete result left the kept one there".into()),
        (true, false) if !candidates.is_empty() => {
            return Err("the last complete result is gone".into());
        }
        (true, true) if !candidates.contains(&known(&complete)?) => {
            return Err("another complete result is kept".into());
        }
        _ => {}
    }
    check_killed(bench, kinds)?;
    let hidden: Vec<String> =
        names(&bench.folder)?.into_iter().filter(|name| name.starts_with('.')).collect();
    if hidden.is_empty() { Ok(()) } else { Err(format!("the next run left {hidden:?}")) }
}

/// Salvaged rows are the first of a run, with a record and a parquet file.
fn check_killed(bench: &Bench, kinds: &[Kind]) -> Result<(), String> {
    let folder = path(bench, "out.killed");
    if !folder.exists() {
        return Ok(());
    }
    let found = result(&folder)?;
    let record: Value = serde_json::from_slice(&found["run.json"]).map_err(|e| e.to_string())?;
    let (rows, parquet) = (&found["series.csv"], &found["series.parquet"]);
    let begins = |kind: &Kind| kind.content["series.csv"].starts_with(rows);
    let whole = rows.ends_with(b"\n") && kinds.iter().any(begins);
    let is_parquet = parquet.starts_with(b"PAR1") && parquet.ends_with(b"PAR1");
    let lines = rows.iter().filter(|byte| **byte == b'\n').count() as u64;
    let told = record["status"] == "killed" && record["rows"].as_u64() == Some(lines - 1);
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())?;
    if whole && is_parquet && told { Ok(()) } else { Err("out.killed is not whole".into()) }
}
