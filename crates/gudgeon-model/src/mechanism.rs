//! Mechanisms written in code: the same tables and keys as in a file, the same checks and messages.
//!
//! Values are texts with units, as in files (`"0.1 mm"`, `"=speed"`), or numbers, which are SI.
//!
//! ```
//! use gudgeon_model::{Mechanism, Overrides};
//!
//! let mechanism = Mechanism::planar("slider-crank")
//!     .parameter("clearance", "0.1 mm")
//!     .body("crank").mass(0.3).inertia(1e-4).frame("pin", [0.05, 0.0])
//!     .body("rod").mass("0.21 kg").inertia("2.5e-4 kg m^2")
//!     .frame("big_end", "-60 mm, 0").frame("small_end", "60 mm, 0")
//!     .body("slider").mass(0.14)
//!     .joint("main", "revolute", ["ground", "crank"])
//!     .joint("big_end", "revolute", ["crank.pin", "rod.big_end"])
//!     .joint("guide", "prismatic", ["ground", "slider"])
//!     .joint("pin", "revolute", ["slider", "rod.small_end"]) // bearing, journal
//!     .set("clearance.bearing_radius", "10 mm")
//!     .set("clearance.radial", "=clearance")
//!     .set("clearance.contact.law", "lankarani-nikravesh")
//!     .set("clearance.contact.material", "steel")
//!     .set("clearance.contact.restitution", 0.9)
//!     .driver("motor", "main").set("speed", "2000 rpm")
//!     .start("rod.x", 0.11).start("slider.x", 0.17)
//!     .run("3 rev").outputs(["pin.contact_force", "motor.torque"]);
//! let parsed = mechanism.parse().expect("no mistake in it");
//! let loaded = parsed.load(&Overrides::default()).unwrap_or_else(|failure| panic!("{failure}"));
//! assert_eq!(loaded.model.joints.len(), 4);
//! let loose = Overrides { set: vec![("clearance".into(), "0.2 mm".into())], ..Overrides::default() };
//! assert!(parsed.load(&loose).is_ok());
//! ```

use toml::{Table, Value};

use crate::failure::Failure;
use crate::load::{ParsedModel, Resolver};
use crate::shipped::Embedded;
use crate::spec::{NUMBERS, SI};

/// A mechanism in the making. What is begun last (a body, a joint, …) takes the keys that follow.
#[derive(Clone, Debug)]
pub struct Mechanism {
    name: String,
    root: Table,
    /// The table that keys go to.
    at: Vec<String>,
}

impl Mechanism {
    /// A mechanism in the x–y plane.
    pub fn planar(name: &str) -> Self {
        Self::new(name, "planar")
    }

    pub fn spatial(name: &str) -> Self {
        Self::new(name, "spatial")
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    fn new(name: &str, space: &str) -> Self {
        let empty = Self { name: name.to_owned(), root: Table::new(), at: Vec::new() };
        let empty = empty.set("format", 1_i64).set(NUMBERS, SI);
        empty.at("model").set("name", name).set("space", space)
    }

    /// Begins a table by its path; keys that follow go there.
    pub fn at(mut self, path: &str) -> Self {
        self.at = parts(path);
        self
    }

    /// A key of the table that was begun last, by its path in it.
    pub fn set(mut self, path: &str, value: impl Into<Setting>) -> Self {
        let Setting(value) = value.into();
        let whole: Vec<String> = self.at.iter().cloned().chain(parts(path)).collect();
        insert(&mut self.root, &whole, value);
        self
    }

    /// A parameter; its value can be changed when the mechanism is loaded.
    pub fn parameter(self, name: &str, value: impl Into<Setting>) -> Self {
        self.at("parameters").set(name, value)
    }

    /// `"9.81 m/s^2 along -y"`, or a vector.
    pub fn gravity(self, gravity: impl Into<Setting>) -> Self {
        self.at("model").set("gravity", gravity)
    }

    pub fn body(mut self, name: &str) -> Self {
        self.at = vec!["bodies".to_owned(), name.to_owned()];
        let at = self.at.clone();
        insert(&mut self.root, &at, Value::Table(Table::new()));
        self
    }

    /// Of the body that was begun.
    pub fn mass(self, mass: impl Into<Setting>) -> Self {
        self.set("mass", mass)
    }

    /// Of the body that was begun, about its mass centre.
    pub fn inertia(self, inertia: impl Into<Setting>) -> Self {
        self.set("inertia", inertia)
    }

    /// A frame of the body that was begun, by its origin in the body's axes.
    pub fn frame(self, name: &str, origin: impl Into<Setting>) -> Self {
        self.set(&format!("frames.{name}"), origin)
    }

    /// A joint of a kind such as `revolute` between two frames: bearing, then journal.
    pub fn joint(mut self, name: &str, kind: &str, between: [&str; 2]) -> Self {
        self.at = vec!["joints".to_owned(), name.to_owned()];
        self.set("type", kind).set("between", between)
    }

    /// A driver of a joint; `speed`, `angle` or `displacement` follow.
    pub fn driver(mut self, name: &str, joint: &str) -> Self {
        self.at = vec!["drivers".to_owned(), name.to_owned()];
        self.set("joint", joint)
    }

    /// A force of a kind such as `spring`; its keys follow.
    pub fn force(mut self, name: &str, kind: &str) -> Self {
        self.at = vec!["forces".to_owned(), name.to_owned()];
        self.set("type", kind)
    }

    /// A rough start, such as `rod.x`.
    pub fn start(self, path: &str, value: impl Into<Setting>) -> Self {
        self.at("start").set(path, value)
    }

    /// An output by formula, such as `"= -pump.power / motor.power"`.
    pub fn output(self, name: &str, formula: &str) -> Self {
        self.at("outputs").set(name, formula)
    }

    /// How long it runs: `"3 rev"`, `"20 ms"` or seconds. Other keys of the run follow.
    pub fn run(self, until: impl Into<Setting>) -> Self {
        self.at("run").set("until", until)
    }

    /// What the run reports.
    pub fn outputs<const N: usize>(self, names: [&str; N]) -> Self {
        self.at("run").set("outputs", names)
    }

    /// Reads what was written, to be built with any values of its parameters.
    pub fn parse(&self) -> Result<ParsedModel, Box<Failure>> {
        self.parse_with(&Embedded)
    }

    /// The same where the mechanism uses other files.
    pub fn parse_with(&self, resolver: &dyn Resolver) -> Result<ParsedModel, Box<Failure>> {
        ParsedModel::text(&self.name, &self.text(), resolver)
    }

    /// As a file holds it.
    pub fn text(&self) -> String {
        // Tables of texts, numbers and lists always have a text.
        toml::to_string(&self.root).unwrap_or_default()
    }
}

/// A value of a key.
#[derive(Clone, Debug)]
pub struct Setting(Value);

impl From<f64> for Setting {
    fn from(number: f64) -> Self {
        Self(Value::Float(number))
    }
}

impl From<i64> for Setting {
    fn from(number: i64) -> Self {
        Self(Value::Integer(number))
    }
}

impl From<bool> for Setting {
    fn from(flag: bool) -> Self {
        Self(Value::Boolean(flag))
    }
}

impl From<&str> for Setting {
    fn from(text: &str) -> Self {
        Self(Value::String(text.to_owned()))
    }
}

impl From<String> for Setting {
    fn from(text: String) -> Self {
        Self(Value::String(text))
    }
}

impl<T: Into<Setting>, const N: usize> From<[T; N]> for Setting {
    fn from(list: [T; N]) -> Self {
        Self::from(Vec::from(list))
    }
}

impl<T: Into<Setting>> From<Vec<T>> for Setting {
    fn from(list: Vec<T>) -> Self {
        Self(Value::Array(list.into_iter().map(|item| item.into().0).collect()))
    }
}

fn parts(path: &str) -> Vec<String> {
    path.split('.').map(str::to_owned).collect()
}

/// Puts a value at the end of a path; tables on the way are made.
fn insert(table: &mut Table, path: &[String], value: Value) {
    let Some((key, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        table.insert(key.clone(), value);
        return;
    }
    let inner = table.entry(key.clone()).or_insert_with(|| Value::Table(Table::new()));
    if !inner.is_table() {
        *inner = Value::Table(Table::new());
    }
    if let Value::Table(inner) = inner {
        insert(inner, rest, value);
    }
}
