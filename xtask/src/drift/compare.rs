//! Two JSON objects, number by number.
//!
//! The digits two numbers a, b share are −log₁₀(|a − b| / s). The scale s is max(|a|, |b|); where a
//! number belongs to a quantity whose size stands beside it, as a mean beside its extremes, a final
//! value with its extremes or an energy with the peak kinetic energy, s is that size, so that rounding of
//! a value near zero does not count as lost digits. Instants of extremes are counted apart: a periodic
//! motion has many equal peaks, and which of them is the largest is a matter of rounding.

use serde_json::{Map, Value};

/// Keys whose values differ from run to run or are costs.
const LEFT_OUT: [&str; 6] = ["environment", "cpu_seconds", "cpu", "seconds", "result", "results"];
/// Keys that describe cost and are counted apart.
const COSTS: [&str; 15] = [
    "steps",
    "rejected",
    "faults",
    "evaluations",
    "projections",
    "events",
    "rows",
    "factorisations",
    "iterations",
    "tangents",
    "leaps",
    "drift",
    "residual",
    "residual_max",
    "residual_relative",
];

/// A number that moved.
struct Moved {
    path: String,
    old: f64,
    new: f64,
    digits: f64,
}

/// What differs between two results.
#[derive(Default)]
pub struct Comparison {
    numbers: usize,
    moved: Vec<Moved>,
    instants: usize,
    costs: Vec<String>,
    texts: Vec<String>,
}

impl Comparison {
    pub fn same(&self) -> bool {
        self.moved.is_empty() && self.texts.is_empty()
    }

    /// Compares two values that stand at the same path.
    pub fn values(&mut self, path: &str, old: &Value, new: &Value) {
        self.scaled(path, old, new, 0.0);
    }

    fn scaled(&mut self, path: &str, old: &Value, new: &Value, scale: f64) {
        match (old, new) {
            (Value::Object(old), Value::Object(new)) => self.objects(path, old, new, scale),
            (Value::Array(old), Value::Array(new)) => {
                if old.len() != new.len() {
                    self.texts.push(format!("{path}: {} entries, now {}", old.len(), new.len()));
                }
                for (i, (old, new)) in old.iter().zip(new).enumerate() {
                    self.scaled(&format!("{path}[{i}]"), old, new, scale);
                }
            }
            (Value::Number(a), Value::Number(b)) => {
                let (a, b) = (a.as_f64().unwrap_or(f64::NAN), b.as_f64().unwrap_or(f64::NAN));
                self.number(path, a, b, scale);
            }
            _ if old != new => {
                self.texts.push(format!("{path}: {}, now {}", brief(old), brief(new)))
            }
            _ => {}
        }
    }

    fn objects(
        &mut self,
        path: &str,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        scale: f64,
    ) {
        for key in old.keys().filter(|key| !new.contains_key(*key)) {
            self.texts.push(format!("{}: gone", join(path, key)));
        }
        for key in new.keys().filter(|key| !old.contains_key(*key)) {
            self.costs.push(format!("{} is new", join(path, key)));
        }
        let size = scale.max(size_of(old)).max(size_of(new));
        for (key, value) in old.iter().filter(|(key, _)| !LEFT_OUT.contains(&key.as_str())) {
            let Some(other) = new.get(key) else { continue };
            let path = join(path, key);
            if COSTS.contains(&key.as_str()) {
                if value != other {
                    self.costs.push(format!("{path} {} → {}", brief(value), brief(other)));
                }
                continue;
            }
            if key.starts_with("t_") && old.contains_key("abs_max") {
                self.instants += usize::from(value != other);
            } else if key == "final" {
                self.finals(&path, value, other, old.get("extremes"));
            } else {
                self.scaled(&path, value, other, if key == "t" { 0.0 } else { size });
            }
        }
    }

    /// Final values, each at the size of its extremes.
    fn finals(&mut self, path: &str, old: &Value, new: &Value, extremes: Option<&Value>) {
        for (key, value) in old.as_object().into_iter().flatten() {
            let extreme = extremes.and_then(|all| all.get(key)).and_then(Value::as_object);
            let other = new.get(key).unwrap_or(&Value::Null);
            self.scaled(&join(path, key), value, other, extreme.map_or(0.0, size_of));
        }
    }

    /// Compares two numbers whose quantity has the size `scale`, zero where none is known.
    pub fn number(&mut self, path: &str, old: f64, new: f64, scale: f64) {
        self.numbers += 1;
        if old == new || (old.is_nan() && new.is_nan()) {
            return;
        }
        let scale = scale.max(old.abs()).max(new.abs());
        let digits = (-((old - new).abs() / scale).log10()).max(0.0);
        let digits = if digits.is_nan() { 0.0 } else { digits };
        self.moved.push(Moved { path: path.to_owned(), old, new, digits });
    }

    /// Notes a difference that is no number.
    pub fn note(&mut self, text: String) {
        self.costs.push(text);
    }

    /// The lines of the report for one case.
    pub fn text(&self, name: &str, all: bool) -> String {
        let mut worst: Vec<&Moved> = self.moved.iter().collect();
        worst.sort_by(|a, b| a.digits.total_cmp(&b.digits));
        let mut lines = vec![match worst.first() {
            None if self.same() => format!("{name:36} same, {} numbers", self.numbers),
            None => format!("{name:36} {} texts differ", self.texts.len()),
            Some(first) => format!(
                "{name:36} {} of {} numbers moved, {:.1} digits are left",
                self.moved.len(),
                self.numbers,
                first.digits
            ),
        }];
        let shown = if all { worst.len() } else { 3 };
        for moved in worst.iter().take(shown) {
            let (old, new) = (moved.old, moved.new);
            lines.push(format!("    {:4.1}  {}  {old:e} → {new:e}", moved.digits, moved.path));
        }
        if self.instants > 0 {
            lines.push(format!("          instants of {} extremes moved", self.instants));
        }
        let shown = if all { usize::MAX } else { 3 };
        for texts in [&self.texts, &self.costs] {
            lines.extend(texts.iter().take(shown).map(|text| format!("          {text}")));
            if texts.len() > shown {
                lines.push(format!("          and {} more", texts.len() - shown));
            }
        }
        lines.join("\n")
    }
}

/// The size of the quantity that an object describes: its largest value for extremes, the peak kinetic
/// energy for energies, zero elsewhere.
fn size_of(object: &Map<String, Value>) -> f64 {
    let number = |key: &str| object.get(key).and_then(Value::as_f64).map_or(0.0, f64::abs);
    number("abs_max").max(number("peak_kinetic"))
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

fn brief(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(60) {
        Some((place, _)) => format!("{}…", &text[..place]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compared(old: Value, new: Value) -> Comparison {
        let mut comparison = Comparison::default();
        comparison.values("", &old, &new);
        comparison
    }

    #[test]
    fn digits_count_from_the_first_that_differs() {
        let comparison = compared(json!({ "x": 1.0 }), json!({ "x": 1.001 }));
        assert!((comparison.moved[0].digits - 3.0).abs() < 0.01);
        assert!(compared(json!({ "x": [1, 2.5] }), json!({ "x": [1, 2.5] })).same());
    }

    #[test]
    fn means_are_judged_by_the_size_of_their_quantity() {
        let extreme = |mean: f64| json!({ "abs_max": 100.0, "mean": mean, "t_max": 1.0 });
        let comparison = compared(extreme(1e-9), extreme(-1e-9));
        assert!(comparison.moved[0].digits > 10.0);
    }

    #[test]
    fn costs_and_environment_are_no_results_but_lost_keys_are() {
        assert!(compared(json!({ "steps": 10 }), json!({ "steps": 12, "new": 1 })).same());
        assert!(compared(json!({ "cpu_seconds": 1.0 }), json!({ "cpu_seconds": 2.0 })).same());
        assert!(!compared(json!({ "status": "ok" }), json!({})).same());
        assert!(!compared(json!({ "status": "ok" }), json!({ "status": "failed" })).same());
    }
}
