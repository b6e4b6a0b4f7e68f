//! The commands that README.md shows work as they stand.
//!
//! Blocks of `sh` behind the comment `<!-- tested -->` are run line by line in a folder that holds a
//! copy of `models/`; `cargo run --release --` stands for the program.

use std::fs;
use std::path::Path;

use crate::common::Scratch;

const MARK: &str = "<!-- tested -->";
/// Fewer commands than this means that a mark was lost.
const LEAST: usize = 12;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Lines of all marked blocks, without blank lines and comments.
fn commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for part in text.split(MARK).skip(1) {
        let block = part.trim_start().strip_prefix("```sh\n").expect("a block of sh behind a mark");
        let (block, _) = block.split_once("```").expect("the block ends");
        let lines = block.lines().map(str::trim);
        commands.extend(
            lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned),
        );
    }
    commands
}

/// Words of a command as a shell splits them: quotes group, ` #` begins a comment.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in command.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None if c == '#' && word.is_none() => break,
            None => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote stays open: {command}");
    words.extend(word);
    words
}

/// Arguments for the program.
fn arguments(command: &str) -> Vec<String> {
    let own = ["gudgeon ", "cargo run --release -- "];
    let rest = own.iter().find_map(|start| command.strip_prefix(start));
    words(rest.unwrap_or_else(|| panic!("no command of this program: {command}")))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// First words of the lines about an optimum; numbers differ from platform to platform.
fn labels(text: &str) -> Vec<&str> {
    let from = text.find("  ga on the surrogate: ").expect("an optimum");
    let lines = text[from..].lines().take_while(|line| line.starts_with("  "));
    let first = |line| str::split_whitespace(line).next();
    lines.filter_map(first).filter(|word| *word != "warning:").collect()
}

#[test]
fn the_commands_of_the_readme_work() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let commands = commands(&text);
    assert!(commands.len() >= LEAST, "only {} commands are tested", commands.len());
    let scratch = Scratch::new();
    copy(&root().join("models"), &scratch.path.join("models"));
    for command in &commands {
        let arguments = arguments(command);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let finished = scratch.gudgeon(&arguments);
        let code = finished.code();
        assert_eq!(code, Some(0), "{command}\n{}{}", finished.stdout(), finished.stderr());
        if arguments == ["study", "zhang_example_1"] {
            assert_eq!(labels(&text), labels(&finished.stdout()), "{command}");
        }
    }
    assert!(scratch.path.join("results/slider_crank/run.json").is_file());
}

#[test]
fn lines_are_split_as_a_shell_does() {
    let line = "gudgeon run m.toml --set \"clearance=0.2 mm\" --law 'pin=flores' # why";
    let expected = ["run", "m.toml", "--set", "clearance=0.2 mm", "--law", "pin=flores"];
    assert_eq!(arguments(line), expected);
    assert_eq!(arguments("cargo run --release -- schema"), ["schema"]);
}
