//! `method` of `[run]` and the keys that belong to it.

use gudgeon::run::{Index, Method};

use super::run::check_positive;
use crate::diagnostic::Diagnostic;
use crate::reader::{Context, Reader};
use crate::units::Dimension;

/// Baumgarte's α and β where the file gives none, 1/s.
const BAUMGARTE: f64 = 5.0;
/// ρ∞ and HHT's α where the file gives none.
const RHO: f64 = 0.8;
const HHT: f64 = 0.1;

/// Keys of all methods.
const KEYS: &[&str] = &["step", "alpha", "beta", "gamma", "rho", "index"];

fn keys_of(method: &str) -> &'static [&'static str] {
    match method {
        "rk4" => &["step", "alpha", "beta"],
        "generalized-alpha" => &["rho", "index", "step"],
        "hht" => &["alpha", "index", "step"],
        "newmark" => &["beta", "gamma", "index", "step"],
        "radau5" => &["step"],
        "bdf" => &["index", "step"],
        _ => &[],
    }
}

pub(super) fn read(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Method> {
    let name = match reader.get("method") {
        Some(_) => reader.choice(cx, "method")?.value,
        None => "auto",
    };
    refuse_other_keys(cx, reader, name);
    let step = reader.quantity(cx, "step");
    check_positive(cx, "step", step, "write a time such as \"10 us\"");
    let step = step.map(|step| step.value);
    Some(match name {
        "dop853" => Method::Dop853,
        "dopri5" => Method::Dopri5,
        "rk4" => return rk4(cx, reader, step),
        "generalized-alpha" => {
            let rho = number(cx, reader, "rho", RHO, 0.0, 1.0);
            let index = index(cx, reader);
            Method::GeneralizedAlpha { rho: rho?, index: index?, step }
        }
        "hht" => {
            let alpha = number(cx, reader, "alpha", HHT, 0.0, 1.0 / 3.0);
            let index = index(cx, reader);
            Method::Hht { alpha: alpha?, index: index?, step }
        }
        "newmark" => {
            let beta = number(cx, reader, "beta", 0.25, 0.01, 0.5);
            let gamma = number(cx, reader, "gamma", 0.5, 0.5, 1.0);
            let index = index(cx, reader);
            Method::Newmark { beta: beta?, gamma: gamma?, index: index?, step }
        }
        "radau5" => Method::Radau5 { step },
        "bdf" => Method::Bdf { index: index(cx, reader)?, step },
        _ => Method::Auto,
    })
}

fn refuse_other_keys(cx: &mut Context<'_>, reader: &Reader<'_>, name: &str) {
    for key in KEYS.iter().filter(|key| !keys_of(name).contains(key)) {
        let Some((found, _)) = reader.entry(key) else { continue };
        let owners: Vec<String> = ["rk4", "generalized-alpha", "hht", "newmark", "radau5", "bdf"]
            .into_iter()
            .filter(|method| keys_of(method).contains(key))
            .map(|method| format!("`{method}`"))
            .collect();
        let message = format!("method `{name}` has no `{key}`");
        let label = format!("belongs to {}", owners.join(", "));
        let help = match keys_of(name) {
            [] => format!("remove it: `{name}` has no keys of its own"),
            own => format!("remove it: keys of `{name}` are {}", own.join(", ")),
        };
        cx.report(Diagnostic::error("G0906", message).at(found.span, label).help(help));
    }
}

fn rk4(cx: &mut Context<'_>, reader: &Reader<'_>, step: Option<f64>) -> Option<Method> {
    let mut baumgarte = |key| match reader.get(key) {
        Some(_) => Some(reader.quantity_in(cx, key, Dimension::FREQUENCY)?.value),
        None => Some(BAUMGARTE),
    };
    let (alpha, beta) = (baumgarte("alpha"), baumgarte("beta"));
    if reader.get("step").is_none() {
        let place = reader.get("method").map_or(reader.span, |node| node.span);
        let diagnostic = Diagnostic::error("G0906", "method `rk4` needs `step`")
            .at(place, "steps are fixed")
            .help("add `step = \"1 us\"` to `[run]`, or `--set \"run.step=1 us\"`");
        cx.report(diagnostic);
    }
    Some(Method::Rk4 { step: step?, alpha: alpha?, beta: beta? })
}

/// A plain number within bounds, or its default.
fn number(
    cx: &mut Context<'_>,
    reader: &Reader<'_>,
    key: &str,
    default: f64,
    low: f64,
    high: f64,
) -> Option<f64> {
    if reader.get(key).is_none() {
        return Some(default);
    }
    let value = reader.quantity_in(cx, key, Dimension::NUMBER)?;
    if (low..=high).contains(&value.value) {
        return Some(value.value);
    }
    let high = if high == 1.0 / 3.0 { "1/3".to_owned() } else { high.to_string() };
    let message = format!("`{key}` must lie between {low} and {high}");
    let label = format!("{} given", value.value);
    cx.report(Diagnostic::error("G0906", message).at(value.span, label));
    None
}

fn index(cx: &mut Context<'_>, reader: &Reader<'_>) -> Option<Index> {
    if reader.get("index").is_none() {
        return Some(Index::Two);
    }
    let value = reader.quantity(cx, "index")?;
    match value.value {
        2.0 => Some(Index::Two),
        3.0 => Some(Index::Three),
        _ => {
            let message = "`index` must be 2 or 3";
            let diagnostic = Diagnostic::error("G0906", message)
                .at(value.span, "not known")
                .help("2 holds positions and velocities, 3 positions only");
            cx.report(diagnostic);
            None
        }
    }
}
