//! Tools for developing Gudgeon, called as `cargo xtask TOOL`.

mod drift;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask TOOL

tools:
  drift OLD NEW [NAME…] [--all] [-- ARGUMENTS]
      run two builds of `gudgeon` over all shipped models and studies, or those named,
      and print which digits of their results moved; ARGUMENTS go to every run of a model";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first() {
        Some((tool, rest)) if tool == "drift" => drift::drift(rest),
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
