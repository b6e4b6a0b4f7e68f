//! What makes a run long or its tables large, told before it starts.

use gudgeon::model::ForceKind;
use gudgeon::time::TimeFunction;

use super::Builder;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::run::{Every, Until};
use crate::source::Span;
use crate::spec::Spec;
use crate::units::Dimension;
use crate::values::shown;

/// More rows, or more kinks of a function, are warned of.
const MANY_ROWS: f64 = 1e6;
const MANY_KINKS: f64 = 1e5;
/// A number of a row in `series.csv` and in `series.parquet`, bytes.
const BYTES: f64 = 19.0 + 8.0;

impl Builder<'_> {
    /// Warns of an interval that gives very many rows.
    pub(super) fn check_rows(
        &self,
        cx: &mut Context<'_>,
        reader: &Reader<'_>,
        (until, every): (Until, Every),
        outputs: usize,
    ) {
        let (Until::Time(end), Every::Interval(interval)) = (until, every) else { return };
        let rows = end / interval;
        let Some(node) = reader.get("every").filter(|_| rows > MANY_ROWS && interval > 0.0) else {
            return;
        };
        let bytes = rows * BYTES * (outputs + 1) as f64;
        let message = format!("`every` asks for {rows:.1e} rows, tables of up to {}", size(bytes));
        let diagnostic = Diagnostic::warning("G0915", message)
            .at(node.span, format!("{}, over {}", shown(interval, Dimension::TIME), shown(end, Dimension::TIME)))
            .help("leave `every` out for 2000 rows, or give a longer one; extremes are located between rows");
        cx.report(diagnostic);
    }

    /// Warns of functions of time with very many kinks.
    pub(super) fn check_kinks(&self, cx: &mut Context<'_>, spec: &Spec<'_>, until: Until) {
        let Until::Time(end) = until else { return };
        let mut told = |name: &str, span: Span, functions: &[TimeFunction]| {
            let rates = functions.iter().map(|function| kinks_per_second(function, end));
            let rate = rates.fold(0.0, f64::max);
            if rate * end > MANY_KINKS {
                cx.report(dense(name, span, rate, end));
            }
        };
        for driver in &self.model.drivers {
            let place = spec.drivers.iter().find(|spec| spec.name.text == driver.name);
            if let Some(place) = place {
                told(&driver.name, place.name.span, std::slice::from_ref(&driver.motion));
            }
        }
        for force in &self.model.forces {
            let functions = match &force.kind {
                ForceKind::Point { components, .. } | ForceKind::Distributed { components, .. } => {
                    &components[..]
                }
                ForceKind::Torque { torque, .. } => std::slice::from_ref(torque),
                ForceKind::Spring { .. }
                | ForceKind::TorsionSpring { .. }
                | ForceKind::Bushing { .. } => continue,
            };
            let place = spec.forces.iter().find(|spec| spec.name.text == force.name);
            if let Some(place) = place {
                told(&force.name, place.name.span, functions);
            }
        }
    }
}

fn dense(name: &str, span: Span, rate: f64, end: f64) -> Diagnostic {
    let kinks = rate * end;
    let message = format!(
        "a function of time in `{name}` has some {rate:.1e} kinks per second, {kinks:.1e} in this run"
    );
    Diagnostic::warning("G0914", message)
        .at(span, "the run stops at every kink of `abs`, `min`, `max`, `if` and the like")
        .help("write a smooth function instead, such as its mean over a period, or end the run sooner")
}

/// Of a function whose kinks are not found at once; 0 of all others.
fn kinks_per_second(function: &TimeFunction, end: f64) -> f64 {
    let first = function.stretch(0.0, end);
    if first >= end {
        return 0.0;
    }
    let rate = |from: f64| {
        let mut found = Vec::new();
        let to = function.stretch(from, end);
        function.kinks(from, to, &mut found);
        found.len() as f64 / (to - from)
    };
    rate(0.0).max(rate(end - first))
}

/// Bytes for people.
fn size(bytes: f64) -> String {
    let units = [(1e12, "TB"), (1e9, "GB"), (1e6, "MB")];
    let (factor, unit) = units.into_iter().find(|(f, _)| bytes >= *f).unwrap_or((1e6, "MB"));
    let digits = if bytes < 1e15 {
        format!("{:.2}", bytes / factor)
    } else {
        format!("{:.1e}", bytes / factor)
    };
    format!("{digits} {unit}")
}
