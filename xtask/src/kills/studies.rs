//! Studies that are killed and resumed, or begun anew.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::folder::{Content, content, names};
use super::{Bench, Counts, kill};

/// The function of Branin: samples, a surrogate, a search that runs more of them, indices.
const STUDY: &str = r#"
format = 1
[study]
seed = 1
[variables]
x = { from = -5, to = 10 }
y = { from = 0, to = 15 }
[design]
method = "lhs"
samples = 30
[responses]
branin = "(y - 5.1 / (4 * pi^2) * x^2 + 5 / pi * x - 6)^2 + 10 * (1 - 1 / (8 * pi)) * cos(x) + 10"
[surrogate]
[optimise]
minimise = ["branin"]
on = "simulator"
evaluations = 60
"#;

pub fn studies(bench: &mut Bench, kills: usize) -> Result<Counts, String> {
    fs::write(bench.folder.join("s.toml"), STUDY).map_err(|error| error.to_string())?;
    let whole = ["study", "s.toml", "--jobs", "1", "--out", "reference"];
    let (_, wall) = bench.complete(&whole, 0)?;
    let reference = content(&bench.folder.join("reference"))?;
    let mut counts = Counts::default();
    while counts.kills < kills {
        let number = counts.kills;
        let anew = bench.unit() < 0.2 && bench.folder.join("out/study.json").exists();
        let done = match anew {
            true => begun_anew(bench, wall, &reference, &mut counts),
            false => resumed(bench, wall, kills, &reference, &mut counts),
        };
        done.map_err(|error| format!("kill {number}: {error}"))?;
    }
    Ok(counts)
}

fn same(folder: &Path, reference: &Content) -> Result<(), String> {
    let found = content(folder)?;
    if !found.keys().eq(reference.keys()) {
        return Err(format!("{}: {:?}", folder.display(), found.keys()));
    }
    match found.iter().find(|(name, bytes)| reference[*name] != **bytes) {
        Some((name, _)) => Err(format!("{}: {name} has other bytes", folder.display())),
        None => Ok(()),
    }
}

fn killed(
    bench: &mut Bench,
    flags: &[&str],
    wall: Duration,
    counts: &mut Counts,
) -> Result<(), String> {
    let jobs = if bench.unit() < 0.5 { "1" } else { "2" };
    let arguments = [&["study", "s.toml", "--out", "out", "--jobs", jobs], flags].concat();
    let child = bench.start(&arguments)?;
    std::thread::sleep(wall.mul_f64(1.05 * bench.unit()));
    counts.kills += 1;
    counts.alive += usize::from(kill(child)?);
    Ok(())
}

/// A study from its beginning, killed up to three times, then resumed.
fn resumed(
    bench: &mut Bench,
    wall: Duration,
    kills: usize,
    reference: &Content,
    counts: &mut Counts,
) -> Result<(), String> {
    let out = bench.folder.join("out");
    if out.exists() {
        fs::remove_dir_all(&out).map_err(|error| error.to_string())?;
    }
    let times = 1 + (3.0 * bench.unit()) as usize;
    for _ in 0..times.min(kills - counts.kills) {
        killed(bench, &["--resume"], wall, counts)?;
        let is_new = out.join("study.json").exists();
        *(if is_new { &mut counts.new } else { &mut counts.old }) += 1;
    }
    bench.complete(&["study", "s.toml", "--out", "out", "--resume"], 0)?;
    same(&out, reference)
}

/// Whether a folder is beside that of the studies, hidden or not.
fn is_beside(name: &str) -> bool {
    name.trim_start_matches('.').starts_with("out.")
}

/// A complete study is begun anew, and killed in that: it is there until the new one is complete.
fn begun_anew(
    bench: &mut Bench,
    wall: Duration,
    reference: &Content,
    counts: &mut Counts,
) -> Result<(), String> {
    let (out, kept) = (bench.folder.join("out"), bench.folder.join("out.complete"));
    killed(bench, &["--overwrite"], wall, counts)?;
    let stands = same(&out, reference);
    *(if kept.exists() { &mut counts.old } else { &mut counts.new }) += 1;
    if stands.is_err() {
        same(&kept, reference).map_err(|error| format!("the complete study is gone: {error}"))?;
    }
    bench.complete(&["study", "s.toml", "--out", "out", "--overwrite"], 0)?;
    same(&out, reference)?;
    let left: Vec<String> =
        names(&bench.folder)?.into_iter().filter(|name| is_beside(name)).collect();
    if left.is_empty() { Ok(()) } else { Err(format!("a complete study left {left:?}")) }
}
