//! Workers take inputs one by one; the watch looks after those that do not come back.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::Generator;
use super::case::Stage;
use super::judge::{Fate, Finding, judge};
use super::options::Options;
use super::report::Tally;

/// Workers that may be lost to inputs that hang.
const LOST: usize = 16;

/// The work of one stage.
pub struct Work {
    generator: Generator,
    stage: Stage,
    options: Options,
    next: AtomicU64,
    /// Inputs counted against the goal.
    counted: AtomicU64,
    finished: AtomicUsize,
    pub tally: Mutex<Tally>,
}

/// What a worker is doing.
struct Slot {
    index: AtomicU64,
    /// Milliseconds since the start of the stage; 0 while it is between inputs.
    since: AtomicU64,
    lost: AtomicBool,
}

impl Work {
    pub fn new(stage: Stage, options: &Options) -> Arc<Self> {
        Arc::new(Self {
            generator: Generator::new(options.seed),
            stage,
            options: options.clone(),
            next: AtomicU64::new(0),
            counted: AtomicU64::new(0),
            finished: AtomicUsize::new(0),
            tally: Mutex::new(Tally::default()),
        })
    }

    /// Does all of it; returns when no input is left but those that hang.
    pub fn run(self: &Arc<Self>, progress: impl Fn(u64, Duration)) {
        let start = Instant::now();
        let mut slots: Vec<Arc<Slot>> =
            (0..self.options.jobs).map(|number| self.spawn(number, start)).collect();
        let mut told = Instant::now();
        loop {
            std::thread::sleep(Duration::from_millis(20));
            let lost = slots.iter().filter(|slot| slot.lost.load(Ordering::Relaxed)).count();
            if self.finished.load(Ordering::Acquire) + lost >= slots.len() || lost > LOST {
                break;
            }
            for number in 0..slots.len() {
                if self.is_lost(&slots[number], start) {
                    slots.push(self.spawn(slots.len(), start));
                }
            }
            if told.elapsed() > Duration::from_secs(10) {
                told = Instant::now();
                progress(self.counted.load(Ordering::Relaxed), start.elapsed());
            }
        }
    }

    /// Whether a worker hangs, which is reported once.
    fn is_lost(&self, slot: &Slot, start: Instant) -> bool {
        let since = slot.since.load(Ordering::Acquire);
        let now = start.elapsed().as_millis() as u64;
        let patience = (1e3 * self.options.patience) as u64;
        let hangs = since > 0 && now.saturating_sub(since) > patience;
        if !hangs || slot.lost.swap(true, Ordering::Relaxed) {
            return false;
        }
        let index = slot.index.load(Ordering::Relaxed);
        let case = self.generator.case(self.stage, index);
        let finding = Finding { kind: "hang", about: format!("input {index}") };
        self.tally().keep(index, case, finding);
        true
    }

    fn tally(&self) -> std::sync::MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn goal(&self) -> u64 {
        match self.stage {
            Stage::Read => self.options.inputs,
            Stage::Run => self.options.runs,
        }
    }

    fn spawn(self: &Arc<Self>, number: usize, start: Instant) -> Arc<Slot> {
        let (index, since, lost) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(false));
        let slot = Arc::new(Slot { index, since, lost });
        let (work, own) = (Arc::clone(self), Arc::clone(&slot));
        std::thread::spawn(move || {
            let mut trace = Trace::create(&work.options.folder, number, work.stage);
            work.go(&own, start, &mut trace);
            if !own.lost.load(Ordering::Relaxed) {
                work.finished.fetch_add(1, Ordering::Release);
            }
        });
        slot
    }

    fn go(&self, slot: &Slot, start: Instant, trace: &mut Trace) {
        while self.counted.load(Ordering::Relaxed) < self.goal() {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if self.stage == Stage::Read && index >= self.goal() {
                return;
            }
            slot.index.store(index, Ordering::Relaxed);
            slot.since.store(1 + start.elapsed().as_millis() as u64, Ordering::Release);
            trace.at(index);
            let case = self.generator.case(self.stage, index);
            let verdict = judge(&case, self.stage, self.options.limit);
            slot.since.store(0, Ordering::Release);
            if slot.lost.load(Ordering::Relaxed) {
                return;
            }
            let ran = matches!(verdict.fate, Fate::Done | Fate::Failed | Fate::Stopped);
            if self.stage == Stage::Read || ran {
                self.counted.fetch_add(1, Ordering::Relaxed);
            }
            self.tally().count(index, case, verdict);
        }
    }
}

/// The number of the present input on disk, so that it is known after a crash of the process.
struct Trace(Option<File>);

/// Beginning of the names of these files.
pub const TRACE: &str = "at-";

impl Trace {
    fn create(folder: &Path, number: usize, stage: Stage) -> Self {
        Self(File::create(folder.join(format!("{TRACE}{stage:?}-{number}"))).ok())
    }

    fn at(&mut self, index: u64) {
        if let Some(file) = &mut self.0 {
            let _ = file.rewind().and_then(|()| file.write_all(&index.to_le_bytes()));
        }
    }
}
