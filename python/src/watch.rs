//! Work without the interpreter's lock, which signals, tokens and callbacks may end.
//!
//! The work runs on a thread of its own. The calling thread wakes every [`TICK`], takes the lock, lets
//! Python handle its signals and reports progress. Whatever exception comes of that, Ctrl-C first of all,
//! cancels the work; what it has until then is answered beside the exception.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};
use std::time::Duration;

use gudgeon::progress::Progress;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// Time between two looks at signals.
const TICK: Duration = Duration::from_millis(30);
/// Stack of the thread that works, as large as that of a main thread.
const STACK: usize = 8 << 20;

/// Ends runs and studies that it was passed to, from any thread.
#[pyclass(frozen, module = "gudgeon")]
#[derive(Default)]
pub struct Cancel {
    pub flag: Arc<AtomicBool>,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel::default()
    }

    /// Asks the work to end; it keeps what it has.
    fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to end.
    #[getter]
    fn cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    fn __repr__(&self) -> &'static str {
        if self.cancelled() { "<Cancel: cancelled>" } else { "<Cancel>" }
    }
}

/// How far the work is.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Told {
    part: &'static str,
    share: f64,
    left: Option<f64>,
}

/// Watches one piece of work.
pub struct Watch {
    cancelled: Arc<AtomicBool>,
    token: Option<Arc<AtomicBool>>,
    told: Mutex<Told>,
}

impl Watch {
    fn new(token: Option<Arc<AtomicBool>>) -> Watch {
        let told = Told { part: "", share: 0.0, left: None };
        Watch { cancelled: Arc::default(), token, told: Mutex::new(told) }
    }

    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the work should end, for those who ask after it.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.cancelled.clone()
    }

    fn told(&self) -> Told {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Watch {
    fn is_cancelled(&self) -> bool {
        if self.token.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            self.cancel();
        }
        self.cancelled.load(Ordering::Relaxed)
    }

    fn begin(&self, part: &'static str) {
        *self.told.lock().unwrap_or_else(PoisonError::into_inner) =
            Told { part, share: 0.0, left: None };
    }

    fn report(&self, share: f64) {
        self.report_left(share, None);
    }

    fn report_left(&self, share: f64, left: Option<f64>) {
        // Reports come with every step; the reader may hold the lock for a moment.
        if let Ok(mut told) = self.told.try_lock() {
            (told.share, told.left) = (share, left);
        }
    }
}

/// What work answers, and the exception that has ended it early.
pub type Worked<T> = (T, Option<PyErr>);

/// Does the work. `progress` is called with the part of the work, the share that is done and the seconds
/// left where they are known.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    token: Option<Arc<AtomicBool>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<Worked<T>> {
    let watch = Watch::new(token);
    let (mut ended, over) = (None, AtomicBool::new(false));
    let done = py.detach(|| {
        std::thread::scope(|scope| {
            let (waiting, watch, over) = (thread::current(), &watch, &over);
            let task = move || {
                let done = catch_unwind(AssertUnwindSafe(|| work(watch)));
                over.store(true, Ordering::Release);
                waiting.unpark();
                done
            };
            let working = Builder::new().stack_size(STACK).spawn_scoped(scope, task)?;
            let mut shown = watch.told();
            while !over.load(Ordering::Acquire) {
                // Without spinning, as channels would: most runs take milliseconds.
                thread::park_timeout(TICK);
                if ended.is_some() || over.load(Ordering::Acquire) {
                    continue;
                }
                let told = watch.told();
                let news = progress.filter(|_| told != shown);
                shown = told;
                if let Err(error) = Python::attach(|py| look(py, news, told)) {
                    watch.cancel();
                    ended = Some(error);
                }
            }
            Ok::<_, std::io::Error>(working.join().unwrap_or_else(|panic| resume_unwind(panic)))
        })
    });
    match done.map_err(|error| PyRuntimeError::new_err(format!("no thread to work on: {error}")))? {
        Ok(done) => Ok((done, ended)),
        Err(panic) => Err(failed(&*panic)),
    }
}

/// Handles signals and tells the progress.
fn look(py: Python<'_>, progress: Option<&Py<PyAny>>, told: Told) -> PyResult<()> {
    py.check_signals()?;
    match progress {
        Some(progress) => progress.call1(py, (told.part, told.share, told.left)).map(drop),
        None => Ok(()),
    }
}

/// A mistake of the program.
fn failed(panic: &(dyn std::any::Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PyRuntimeError::new_err(format!(
        "a mistake of the program stopped it: {text}; nothing is wrong with what you did: please report \
         it at {}/issues with the model",
        env!("CARGO_PKG_REPOSITORY")
    ))
}
