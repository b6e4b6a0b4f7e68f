//! Tools for developing Gudgeon, called as `cargo xtask TOOL`.

mod drift;
mod fuzz;
mod kills;

use std::path::Path;
use std::process::ExitCode;

use kills::Bench;

const USAGE: &str = "usage: cargo xtask TOOL

tools:
  drift OLD NEW [NAME…] [--all] [-- ARGUMENTS]
      run two builds of `gudgeon` over all shipped models and studies, or those named,
      and print which digits of their results moved; ARGUMENTS go to every run of a model
  kills N [PROGRAM] [--seed S]
      kill (SIGKILL) N runs and N studies of `target/release/gudgeon`, or PROGRAM, at random
      moments, and check that nothing is lost
  fuzz N [--runs M] [--seed S] [--jobs J] [--limit SECONDS] [--out FOLDER]
      read N mutated models and studies and render their messages, then assemble and run valid
      ones M times; what goes wrong is made small and written to FOLDER, `target/fuzz`";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((tool, rest)) if tool == "drift" => drift::drift(rest),
        Some((tool, rest)) if tool == "kills" => kill(rest),
        Some((tool, rest)) if tool == "fuzz" => fuzz::fuzz(rest),
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(same) => ExitCode::from(u8::from(!same)),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

/// Reads what `kills` is asked for and runs both campaigns; true where nothing was lost.
fn kill(arguments: &[String]) -> Result<bool, String> {
    let (mut plain, mut seed) = (Vec::new(), 1);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--seed" => seed = number(rest.next())?,
            _ => plain.push(argument),
        }
    }
    let kills = number(plain.first().copied())? as usize;
    let program = plain.get(1).map_or("target/release/gudgeon", |path| path.as_str());
    let program = Path::new(program).canonicalize().map_err(|e| format!("{program}: {e}"))?;
    let scratch = std::env::temp_dir().join(format!("gudgeon-kills-{}", std::process::id()));
    let runs = kills::runs::runs(&mut Bench::new(&program, &scratch.join("runs"), seed)?, kills);
    told("runs", &runs);
    let mut bench = Bench::new(&program, &scratch.join("studies"), seed)?;
    let studies = kills::studies::studies(&mut bench, kills);
    told("studies", &studies);
    let lost = runs.is_err() || studies.is_err();
    if lost {
        eprintln!("what is left is in {}", scratch.display());
    } else {
        let _ = std::fs::remove_dir_all(&scratch); // a folder of temporary files
    }
    Ok(!lost)
}

fn number(text: Option<&String>) -> Result<u64, String> {
    text.and_then(|text| text.parse().ok()).ok_or(USAGE.to_owned())
}

fn told(what: &str, counts: &Result<kills::Counts, String>) {
    match counts {
        Ok(counts) => println!("{what}: {counts}"),
        Err(error) => println!("{what}: {error}"),
    }
}
