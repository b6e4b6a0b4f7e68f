//! Help and version where asked for, else a wrong use of the command line.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use gudgeon_model::diagnostic::nearest;
use gudgeon_model::shipped;
use gudgeon_model::text::visible;
use serde_json::json;

use crate::exit::Exit;

const COMMANDS: [&str; 10] = [
    "run",
    "compare",
    "check",
    "new",
    "reproduce",
    "study",
    "plot",
    "report",
    "schema",
    "completions",
];

/// Words for commands that people know from elsewhere.
const WORDS: &[(&str, &[&str])] = &[
    ("run", &["simulate", "sim", "solve", "start", "execute", "exec", "go"]),
    ("check", &["validate", "verify", "lint", "info", "show", "test", "inspect"]),
    ("new", &["init", "create", "copy", "make"]),
    ("new --list", &["list", "ls", "models", "studies", "examples"]),
    ("study", &["optimise", "optimize", "sweep", "doe", "sample", "design"]),
    ("plot", &["draw", "chart", "graph", "figure", "svg"]),
    ("completions", &["completion", "complete"]),
];

/// Says what is wrong, in text and with `--json` as an object, and gives the exit code.
pub fn report(mut error: clap::Error, arguments: &[String]) -> Exit {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    let word = no_command(&error);
    let near = word.as_deref().and_then(|word| nearest(word, COMMANDS));
    let mut tip = word.as_deref().and_then(suggestion);
    match (&tip, near) {
        (Some(tip), _) => {
            let tip = ContextValue::StyledStrs(vec![tip.clone().into()]);
            error.insert(ContextKind::Suggested, tip);
        }
        // One alone: others that are far from the word would be shown beside it.
        (None, Some(near)) => {
            let nearest = ContextValue::Strings(vec![near.to_owned()]);
            error.insert(ContextKind::SuggestedSubcommand, nearest);
            tip = Some(format!("did you mean `gudgeon {near}`?"));
        }
        (None, None) => {}
    }
    print(&error);
    if asked {
        return Exit::Done;
    }
    if arguments.iter().any(|argument| argument == "--json") {
        let text = error.render().to_string();
        let message = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or("");
        let help = tip.unwrap_or_else(|| "`gudgeon --help` lists all commands and options".into());
        let answer = json!({ "status": Exit::Refused.status(), "errors": [{
            "code": "G1100",
            "file": null,
            "line": null,
            "column": null,
            "message": message.trim(),
            "help": help,
        }]});
        let _ = writeln!(std::io::stdout(), "{answer}");
    }
    Exit::Refused
}

/// The word in place of a command that is none.
fn no_command(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => Some(word.clone()),
        _ => None,
    }
}

/// What a word that is no command means where it is none misspelt.
fn suggestion(word: &str) -> Option<String> {
    let folded = word.to_lowercase();
    if let Some((command, _)) = WORDS.iter().find(|(_, words)| words.contains(&&folded[..])) {
        return Some(format!("did you mean `gudgeon {command}`?"));
    }
    let path = Path::new(word);
    let is_study = word.ends_with("study.toml")
        || path.join("study.toml").is_file()
        || (!path.exists() && gudgeon_study::shipped::find_study(word).is_some());
    let is_model = word.ends_with(".toml") || path.exists() || shipped::find(word).is_some();
    match (is_study, is_model) {
        (true, _) => Some(format!("a command comes first: `gudgeon study {word}`")),
        (false, true) => Some(format!("a command comes first: `gudgeon run {word}`")),
        (false, false) => None,
    }
}

/// Prints what is wrong with the arguments, which the message repeats: without colours if they hold
/// what would act on a terminal. A closed stream is no reason to fail twice.
fn print(error: &clap::Error) {
    let plain = error.render().to_string();
    let _ = match visible(&plain) {
        Cow::Borrowed(_) => error.print(),
        Cow::Owned(text) => write!(std::io::stderr(), "{text}"),
    };
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::Args;

    #[test]
    fn models_studies_and_other_words_get_their_command() {
        let tip = |word: &str| suggestion(word).unwrap_or_default();
        assert!(tip("simulate").contains("`gudgeon run`"));
        assert!(tip("Validate").contains("`gudgeon check`"));
        assert!(tip("model.toml").contains("`gudgeon run model.toml`"));
        assert!(tip("slider_crank").contains("`gudgeon run slider_crank`"));
        assert!(tip("branin_ego").contains("`gudgeon study branin_ego`"));
        assert!(tip("my.study.toml").contains("`gudgeon study my.study.toml`"));
        assert_eq!(suggestion("qwertz"), None);
    }

    #[test]
    fn words_are_no_commands() {
        assert!(WORDS.iter().all(|(_, words)| words.iter().all(|word| !COMMANDS.contains(word))));
        let all: Vec<String> =
            Args::command().get_subcommands().map(|each| each.get_name().to_owned()).collect();
        assert!(COMMANDS.iter().all(|known| all.iter().any(|name| name == known)), "{all:?}");
        assert_eq!(all.len(), COMMANDS.len(), "{all:?}");
    }
}
