//! A mistake of the program itself: nothing raw on the terminal, but what to report; what was
//! written stays, and the exit code is that of a failure.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::terminal::{Paint, Terminal};

/// The code of the message.
const CODE: &str = "G1109";

/// The first panic of a command, whatever thread it was in.
static FIRST: Mutex<Option<Fault>> = Mutex::new(None);

/// Where and how the program failed.
#[derive(Clone, Debug, PartialEq)]
struct Fault {
    message: String,
    /// File, line and column.
    place: String,
}

impl Fault {
    fn of(info: &PanicHookInfo<'_>) -> Fault {
        let payload = info.payload();
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Fault {
            message: text.unwrap_or_else(|| "no message".to_owned()),
            place: info.location().map_or("an unknown place".to_owned(), |place| place.to_string()),
        }
    }
}

/// Does the work of a command. Should it panic, that is reported once, as text and as the answer.
pub fn guarded(terminal: &Terminal, work: impl FnOnce() -> Exit) -> Exit {
    let before = panic::take_hook();
    panic::set_hook(Box::new(|info| {
        if let Ok(mut first) = FIRST.lock() {
            first.get_or_insert_with(|| Fault::of(info));
        }
    }));
    let done = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(before);
    let first = FIRST.lock().ok().and_then(|mut first| first.take());
    done.unwrap_or_else(|_| {
        let fault = first.unwrap_or(Fault {
            message: "no message".to_owned(),
            place: "an unknown place".to_owned(),
        });
        terminal.tell(&text(&fault, &command(terminal), terminal.error_paint()));
        terminal.answer(&answer(&fault));
        Exit::Failed
    })
}

/// What the user typed.
fn command(terminal: &Terminal) -> String {
    let word = |word: String| match word.contains(char::is_whitespace) {
        true => format!("\"{word}\""),
        false => word,
    };
    let given = terminal.arguments().into_iter().map(word);
    std::iter::once("gudgeon".to_owned()).chain(given).collect::<Vec<_>>().join(" ")
}

fn summary(fault: &Fault) -> String {
    format!("a mistake of the program stopped it: {}", fault.message)
}

fn help() -> String {
    format!(
        "nothing is wrong with what you did; please report this at {}/issues, with these lines and \
         the model file",
        env!("CARGO_PKG_REPOSITORY")
    )
}

/// Where partial results are: rows of a run, or the samples of a study.
fn kept() -> &'static str {
    "rows written so far, which the next run into the same folder puts into `….killed` beside it; samples \
     of a study, which `--resume` goes on with"
}

fn version() -> String {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{} ({system}, {machine})", env!("CARGO_PKG_VERSION"))
}

fn text(fault: &Fault, command: &str, paint: Paint) -> String {
    format!(
        "{}: {}\n  place    {}\n  command  {command}\n  version  {}\n  kept     {}\n  = help: {}\n",
        paint.error(&format!("error[{CODE}]")),
        summary(fault),
        fault.place,
        version(),
        kept(),
        help(),
    )
}

fn answer(fault: &Fault) -> Value {
    json!({ "status": Exit::Failed.status(), "errors": [{
        "code": CODE,
        "file": null,
        "line": null,
        "column": null,
        "message": summary(fault),
        "place": fault.place,
        "version": version(),
        "help": help(),
    }]})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interrupt::Interrupt;

    /// Panics of all threads share one hook, so that the tests take turns.
    static TURN: Mutex<()> = Mutex::new(());

    #[test]
    fn a_panic_is_a_failure_with_a_message() {
        let _turn = TURN.lock().unwrap();
        let terminal = Terminal::new(false, Interrupt::without_signals(false));
        assert_eq!(guarded(&terminal, || panic!("row {} of 3", 4)), Exit::Failed);
        assert_eq!(guarded(&terminal, || Exit::Refused), Exit::Refused);
    }

    #[test]
    fn a_panic_of_another_thread_is_the_one_that_is_reported() {
        let _turn = TURN.lock().unwrap();
        let terminal = Terminal::new(false, Interrupt::without_signals(false));
        let exit = guarded(&terminal, || {
            std::thread::scope(|scope| {
                scope.spawn(|| panic!("in a worker"));
            });
            Exit::Done
        });
        assert_eq!(exit, Exit::Failed);
    }

    #[test]
    fn a_panic_that_was_dealt_with_is_no_failure() {
        let _turn = TURN.lock().unwrap();
        let exit = guarded(&Terminal::new(false, Interrupt::without_signals(false)), || {
            assert!(panic::catch_unwind(|| panic!("a sample")).is_err());
            Exit::Done
        });
        assert_eq!(exit, Exit::Done);
        assert_eq!(*FIRST.lock().unwrap(), None);
    }

    #[test]
    fn the_report_says_what_to_send() {
        let fault = Fault { message: "index 4 of 3".into(), place: "src/x.rs:7:9".into() };
        let text = text(&fault, "gudgeon run model.toml", Paint::NONE);
        for part in ["error[G1109]", "index 4 of 3", "src/x.rs:7:9", "gudgeon run model.toml"] {
            assert!(text.contains(part), "{text}");
        }
        for part in ["version  0.", ".killed", "/issues", "the model file"] {
            assert!(text.contains(part), "{text}");
        }
        let answer = answer(&fault);
        assert_eq!(answer["status"], "failed");
        assert_eq!(answer["errors"][0]["place"], "src/x.rs:7:9");
    }
}
