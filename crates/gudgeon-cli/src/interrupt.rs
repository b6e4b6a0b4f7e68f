//! Ctrl-C, the request to terminate, and a terminal that goes away.
//!
//! | stage | the first signal | the second |
//! |---|---|---|
//! | nothing is written yet: reading, assembling | ends the program at once | |
//! | working | is seen by the work, which keeps what it has | ends the program at once |
//! | telling: all is safe on the disk | ends the program if nobody reads what it says | |
//!
//! Signals are heard on a thread of their own. The stage is changed and the one answer of `--json` is
//! written under one lock, so that there is exactly one answer, whoever comes first. Signals that were
//! ignored when the program started stay ignored, as `nohup` and shell scripts expect.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError, mpsc};
use std::time::{Duration, Instant};

use gudgeon::progress::Progress;
use serde_json::json;

use crate::exit::Exit;

/// How long a program that tells its results may take to end by itself, and how long an exit waits for
/// an answer that is being written.
const TELLING: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_millis(200);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Reading,
    Working,
    Telling,
    Answered,
}

#[derive(Debug)]
struct Shared {
    requested: AtomicBool,
    json: bool,
    stage: Mutex<Stage>,
}

/// Whether the user wants the program to end; clones are of the same wish.
#[derive(Clone, Debug)]
pub struct Interrupt {
    shared: Arc<Shared>,
}

impl Progress for Interrupt {
    fn is_cancelled(&self) -> bool {
        self.shared.requested.load(Ordering::Relaxed)
    }
}

impl Interrupt {
    /// Listens from now on. Where the system has no signals, a run cannot be stopped early.
    pub fn listen(json: bool) -> Interrupt {
        let interrupt = Interrupt::without_signals(json);
        let heard = interrupt.clone();
        system::listen(move || heard.hear());
        interrupt
    }

    /// Hears nothing.
    pub fn without_signals(json: bool) -> Interrupt {
        let (requested, stage) = (AtomicBool::new(false), Mutex::new(Stage::Reading));
        Interrupt { shared: Arc::new(Shared { requested, json, stage }) }
    }

    /// From here on results may be lost: an interruption is left to the work.
    pub fn leave_to_work(&self) {
        *self.stage() = Stage::Working;
    }

    /// From here on there is nothing to lose any more, and nothing to wait for but the reader.
    pub fn tell(&self) {
        let mut stage = self.stage();
        if *stage == Stage::Working {
            *stage = Stage::Telling;
        }
    }

    /// Lets the answer be written under the lock that this gives; there is no other afterwards.
    pub fn answer(&self) -> impl Drop + '_ {
        let mut stage = self.stage();
        *stage = Stage::Answered;
        stage
    }

    fn stage(&self) -> MutexGuard<'_, Stage> {
        self.shared.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The stage, unless an answer is being written that nobody reads.
    fn stage_soon(&self) -> Option<MutexGuard<'_, Stage>> {
        let asked = Instant::now();
        loop {
            match self.shared.stage.try_lock() {
                Ok(stage) => return Some(stage),
                Err(TryLockError::Poisoned(stage)) => return Some(stage.into_inner()),
                Err(TryLockError::WouldBlock) if asked.elapsed() > PATIENCE => return None,
                Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
    }

    /// What a signal does.
    fn hear(&self) {
        if self.shared.requested.swap(true, Ordering::Relaxed) {
            self.exit_at_once("interrupted twice: the program ended at once");
        }
        match self.stage_soon() {
            Some(stage) if *stage == Stage::Reading => {
                self.exit("interrupted before the first step: nothing was changed");
            }
            Some(stage) if *stage == Stage::Working => return,
            _ => {}
        }
        std::thread::sleep(TELLING);
        self.exit_at_once("interrupted while the results were told");
    }

    fn exit_at_once(&self, message: &'static str) -> ! {
        match self.stage_soon() {
            Some(stage) if *stage != Stage::Answered => self.exit(message),
            _ => std::process::exit(i32::from(Exit::Interrupted.code())),
        }
    }

    /// Answers and ends the program; the caller holds the lock on the stage.
    fn exit(&self, message: &'static str) -> ! {
        let json = self.shared.json;
        let (done, answered) = mpsc::channel();
        // Streams that nobody reads, or that another thread waits for, are no reason to stay.
        std::thread::spawn(move || {
            let _ = writeln!(io::stderr(), "{message}");
            if json {
                let _ = writeln!(io::stdout(), "{}", answer(message));
            }
            let _ = done.send(());
        });
        let _ = answered.recv_timeout(PATIENCE);
        std::process::exit(i32::from(Exit::Interrupted.code()))
    }
}

fn answer(message: &str) -> serde_json::Value {
    let place = json!(null);
    let error = json!({ "code": "G1112", "file": place, "line": place, "column": place,
        "message": message, "help": "run the command again" });
    json!({ "status": Exit::Interrupted.status(), "errors": [error] })
}

#[cfg(unix)]
mod system {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    /// Calls `hear` for every signal that asks the program to end and was not ignored at its start.
    pub fn listen(hear: impl Fn() + Send + 'static) {
        let taken = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        let Ok(mut signals) = Signals::new(taken) else { return };
        let thread = std::thread::Builder::new().name("signals".into());
        // Without a thread signals would be swallowed.
        if thread.spawn(move || signals.forever().for_each(|_| hear())).is_err() {
            std::process::exit(1);
        }
    }

    /// By the list that Linux keeps; elsewhere a terminal that goes away keeps its default, which
    /// is to end the program, or nothing under `nohup`.
    fn is_ignored(signal: i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        ignored(&status).map_or(signal == SIGHUP, |mask| mask >> (signal - 1) & 1 == 1)
    }

    /// The mask in the line `SigIgn` of `/proc/self/status`.
    fn ignored(status: &str) -> Option<u64> {
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(mask.trim(), 16).ok()
    }

    #[cfg(test)]
    mod tests {
        use super::ignored;

        #[test]
        fn the_mask_of_ignored_signals_is_read() {
            let status = "Name:\tgudgeon\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n";
            assert_eq!(ignored(status), Some(0x1001));
            assert_eq!(ignored("Name:\tgudgeon\n"), None);
        }
    }
}

#[cfg(windows)]
mod system {
    /// Calls `hear` for every Ctrl-C and Ctrl-Break.
    pub fn listen(hear: impl Fn() + Send + 'static) {
        let _ = ctrlc::set_handler(hear); // without it Ctrl-C ends the program as ever
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    /// There are no signals to hear.
    pub fn listen(_hear: impl Fn() + Send + 'static) {}
}
