//! Which digits of the results differ between two builds of the program.
//!
//! Both builds run every shipped model and study; the JSON objects they print and the rows they
//! write are compared number by number (`compare.rs`, `rows.rs`). Numbers of the solver (steps,
//! evaluations) are costs, not results, and are shown apart. Exit code 0: no digit moved.

mod compare;
mod rows;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use compare::Comparison;
use serde_json::Value;

/// What the command line asks for.
struct Request {
    builds: [PathBuf; 2],
    /// Names of models and studies; all shipped ones if empty.
    names: Vec<String>,
    /// Every moved number instead of the worst of each case.
    all: bool,
    /// Passed to every run of a model.
    arguments: Vec<String>,
}

/// One model or study that both builds run.
struct Case {
    name: String,
    command: &'static str,
    folder: PathBuf,
}

/// Compares two builds; true where no digit moved.
pub fn drift(arguments: &[String]) -> Result<bool, String> {
    let request = read(arguments)?;
    let cases = cases(&request)?;
    let scratch = std::env::temp_dir().join(format!("gudgeon-drift-{}", std::process::id()));
    let mut same = true;
    for case in &cases {
        let comparison = compare_case(case, &request, &scratch)?;
        println!("{}", comparison.text(&case.name, request.all));
        same &= comparison.same();
    }
    // Only scratch files are lost if this fails.
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(same)
}

fn read(arguments: &[String]) -> Result<Request, String> {
    let (own, passed) = match arguments.iter().position(|argument| argument == "--") {
        Some(place) => (&arguments[..place], arguments[place + 1..].to_vec()),
        None => (arguments, Vec::new()),
    };
    let all = own.iter().any(|argument| argument == "--all");
    let mut words = own.iter().filter(|argument| *argument != "--all");
    if let Some(unknown) = words.clone().find(|word| word.starts_with('-')) {
        return Err(format!("error: unknown option `{unknown}`\n\n{}", crate::USAGE));
    }
    let (Some(old), Some(new)) = (words.next(), words.next()) else {
        return Err(crate::USAGE.to_owned());
    };
    let build = |path: &String| {
        std::fs::canonicalize(path).map_err(|error| format!("error: `{path}`: {error}"))
    };
    let names = words.cloned().collect();
    Ok(Request { builds: [build(old)?, build(new)?], names, all, arguments: passed })
}

/// Shipped models and studies, in alphabetical order, models first.
fn cases(request: &Request) -> Result<Vec<Case>, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut cases = Vec::new();
    for (kind, command) in [("models", "run"), ("studies", "study")] {
        let listing = std::fs::read_dir(root.join(kind)).map_err(|e| format!("error: {e}"))?;
        let mut files: Vec<PathBuf> = Vec::new();
        for folder in listing.flatten() {
            let inside = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
            files.extend(inside.map(|entry| entry.path()).filter(|path| is_case(path, command)));
        }
        files.sort();
        cases.extend(files.into_iter().map(|file| Case {
            name: name_of(&file),
            command,
            folder: file,
        }));
    }
    let known: Vec<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    if let Some(unknown) = request.names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(format!("error: no model or study `{unknown}`; known: {}", known.join(", ")));
    }
    cases.retain(|case| request.names.is_empty() || request.names.contains(&case.name));
    Ok(cases)
}

/// `model.toml` of a model, any `*study.toml` of a study.
fn is_case(path: &Path, command: &str) -> bool {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    if command == "run" { file == "model.toml" } else { file.ends_with("study.toml") }
}

/// The folder's name, and the file's where it is not the folder's main one.
fn name_of(file: &Path) -> String {
    let part =
        |path: Option<&std::ffi::OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
    let folder = part(file.parent().and_then(Path::file_name));
    let stem = part(file.file_name());
    match stem.trim_end_matches(".toml").trim_end_matches("study").trim_end_matches('.') {
        "" | "model" => folder,
        other => format!("{folder}/{other}"),
    }
}

fn compare_case(case: &Case, request: &Request, scratch: &Path) -> Result<Comparison, String> {
    let mut objects = Vec::new();
    let mut tables = Vec::new();
    for (i, build) in request.builds.iter().enumerate() {
        let out = scratch.join(format!("{}-{i}", case.name.replace('/', "-")));
        objects.push(execute(case, build, &request.arguments, &out)?);
        tables.push(rows::read(&out.join("series.csv")));
    }
    let mut comparison = Comparison::default();
    comparison.values("", &objects[0], &objects[1]);
    if let [Some(old), Some(new)] = &tables[..] {
        rows::compare(old, new, &mut comparison);
    }
    Ok(comparison)
}

/// The JSON object that one build prints for one case.
fn execute(case: &Case, build: &Path, arguments: &[String], out: &Path) -> Result<Value, String> {
    let mut command = Command::new(build);
    command.arg(case.command).arg(&case.folder).arg("--json").arg("--out").arg(out);
    match case.command {
        "run" => command.args(arguments),
        _ => command.arg("--no-plots"),
    };
    let output = command.stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("error: `{}`: {error}", build.display()))?;
    serde_json::from_slice(&output.stdout)
        .map_err(|error| format!("error: `{}` of `{}`: {error}", case.command, case.name))
}
