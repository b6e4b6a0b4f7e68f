//! What the command line of the fuzzer asks for.

use std::path::PathBuf;

use super::case::Stage;

#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Inputs to read and render.
    pub inputs: u64,
    /// Runs to make of valid ones.
    pub runs: u64,
    pub seed: u64,
    pub jobs: usize,
    /// CPU time of a run, s.
    pub limit: f64,
    /// Wall time after which an input hangs, s: long, because other work may slow the machine down.
    pub patience: f64,
    /// Where findings go.
    pub folder: PathBuf,
    /// One input to print instead.
    pub show: Option<(Stage, u64)>,
    /// A file to judge instead.
    pub file: Option<(Stage, PathBuf)>,
    /// Whether this is the process that works, watched by another one.
    pub inside: bool,
}

pub const USAGE: &str =
    "usage: cargo xtask fuzz N [--runs M] [--seed S] [--jobs J] [--limit SECONDS] [--patience SECONDS] [--out FOLDER]
       cargo xtask fuzz --show read|run INDEX [--seed S]
       cargo xtask fuzz --file read|run FILE [--limit SECONDS]";

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let folder = PathBuf::from("target/fuzz");
        let (inputs, runs, seed, limit, patience) = (0, 0, 1, 0.03, 60.0);
        let (show, file, inside) = (None, None, false);
        let mut options =
            Self { inputs, runs, seed, jobs, limit, patience, folder, show, file, inside };
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut next =
                || rest.next().ok_or_else(|| format!("`{argument}` needs a value\n{USAGE}"));
            match argument.as_str() {
                "--runs" => options.runs = count(next()?)?,
                "--seed" => options.seed = count(next()?)?,
                "--jobs" => options.jobs = (count(next()?)? as usize).clamp(1, 256),
                "--limit" => options.limit = number(next()?)?,
                "--patience" => options.patience = number(next()?)?,
                "--out" => options.folder = next()?.into(),
                "--inside" => options.inside = true,
                "--show" => options.show = Some((stage(next()?)?, count(next()?)?)),
                "--file" => options.file = Some((stage(next()?)?, next()?.into())),
                other => options.inputs = count(other)?,
            }
        }
        match options.inputs + options.runs > 0 || options.show.is_some() || options.file.is_some()
        {
            true => Ok(options),
            false => Err(USAGE.to_owned()),
        }
    }
}

fn stage(text: &str) -> Result<Stage, String> {
    match text {
        "read" => Ok(Stage::Read),
        "run" => Ok(Stage::Run),
        other => Err(format!("there is no stage `{other}`\n{USAGE}")),
    }
}

fn number(text: &str) -> Result<f64, String> {
    let value: Option<f64> = text.parse().ok();
    value.filter(|v| v.is_finite()).ok_or_else(|| format!("`{text}` is no number\n{USAGE}"))
}

/// A whole number, also written as `1e7`.
fn count(text: &str) -> Result<u64, String> {
    text.parse().or_else(|_| number(text).map(|value| value as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_may_be_powers_of_ten() {
        let words: Vec<String> = ["1e7", "--runs", "1e5", "--seed", "3"].map(str::to_owned).into();
        let options = Options::parse(&words).unwrap();
        assert_eq!((options.inputs, options.runs, options.seed), (10_000_000, 100_000, 3));
        assert!(Options::parse(&[]).is_err());
    }
}
