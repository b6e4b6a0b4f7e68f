//! What is found before the first step: everything that is wrong, with a way out, and nothing written.

use std::fmt;
use std::path::Path;

use gudgeon::assembly::{AssemblyError, NoAcceleration};
use gudgeon::model::{Model, Space, UnevenMasses};
use gudgeon::system::CompileError;
use gudgeon::system::erls::ErlsError;
use gudgeon_model::diagnostic::{Diagnostic, Diagnostics, Severity};
use gudgeon_model::source::Sources;
use gudgeon_model::{Failure, Loaded};
use gudgeon_output::OutputError;
use gudgeon_output::record::{Finding, RefusedRecord, Status};

/// Why something does not start: at least one error.
#[derive(Debug)]
pub struct Refusal {
    sources: Sources,
    diagnostics: Diagnostics,
    /// The file that findings without a place are about.
    file: Option<String>,
}

impl Refusal {
    pub fn new(diagnostic: Diagnostic) -> Refusal {
        let mut diagnostics = Diagnostics::new();
        diagnostics.push(diagnostic);
        Refusal::of(diagnostics)
    }

    /// Several findings, of which one is an error.
    pub fn of(diagnostics: Diagnostics) -> Refusal {
        Refusal { sources: Sources::new(), diagnostics, file: None }
    }

    /// The text that its places are in.
    pub fn within(mut self, name: &str, text: &str) -> Refusal {
        self.sources = Sources::new();
        self.sources.add(name, text);
        self
    }

    /// A mechanism that cannot be assembled, marked where the file defines what is to blame.
    pub fn assembly(error: &AssemblyError, loaded: Loaded) -> Refusal {
        let (code, help) = way_out(error, loaded.model.space);
        let mut diagnostic = Diagnostic::error(code, error.to_string());
        diagnostic = match uneven(error, &loaded.model) {
            Some(masses) => diagnostic.help(masses.help()),
            None => diagnostic.help(help),
        };
        let place = match error {
            AssemblyError::OutOfRange { owner, key, .. } => loaded.place_of(owner, key),
            _ => culprit(error).and_then(|name| loaded.place(name)),
        };
        if let Some(span) = place {
            diagnostic = diagnostic.at(span, "");
        }
        Refusal { sources: loaded.sources, ..Refusal::new(diagnostic) }
    }

    pub fn about(mut self, file: &Path) -> Refusal {
        self.file = Some(file.display().to_string());
        self
    }

    /// Its findings, to be drawn with [`Diagnostics::render`].
    pub fn findings(&self) -> (&Diagnostics, &Sources) {
        (&self.diagnostics, &self.sources)
    }

    /// As scripts read it.
    pub fn record(&self) -> RefusedRecord {
        let more = self.diagnostics.shown().1;
        RefusedRecord {
            status: Status::Invalid,
            errors: findings(&self.sources, &self.diagnostics, self.file.as_deref()),
            more: (more > 0).then_some(more),
        }
    }
}

/// All messages, one after the other.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.diagnostics.render(&self.sources, false).trim_end())
    }
}

impl std::error::Error for Refusal {}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        Refusal { sources: failure.sources, diagnostics: failure.diagnostics, file: None }
    }
}

impl From<OutputError> for Refusal {
    fn from(error: OutputError) -> Refusal {
        Refusal::new(Diagnostic::error("G1101", error.to_string()).help(error.help()))
    }
}

/// Masses that may be why: where rounding hides a body, its motion is lost, too.
fn uneven(error: &AssemblyError, model: &Model) -> Option<UnevenMasses> {
    let suffers = matches!(
        error,
        AssemblyError::NoAcceleration(NoAcceleration::Row { .. } | NoAcceleration::Body { .. })
            | AssemblyError::Lost { .. }
            | AssemblyError::Contradiction { .. }
    );
    suffers.then(|| model.uneven_masses()).flatten()
}

/// Code and help of an assembly that failed.
fn way_out(error: &AssemblyError, space: Space) -> (&'static str, &'static str) {
    match error {
        AssemblyError::CannotClose { gaps, .. }
            if space == Space::Spatial && gaps.first().is_some_and(|gap| gap.is_angle) =>
        {
            (
                "G1201",
                "turn the frames so that the axes are parallel, or give a joint of that loop `clearance`: it takes up a tilt of 2*radial/length",
            )
        }
        AssemblyError::CannotClose { gaps, .. }
            if gaps.first().is_some_and(|gap| gap.limit.is_some()) =>
        {
            (
                "G1201",
                "check lengths and frames of the bodies in that loop, and where drivers start; a clearance takes up no more than its size",
            )
        }
        AssemblyError::CannotClose { .. } => (
            "G1201",
            "check lengths and frames of the bodies in that loop; `[start]` picks the branch",
        ),
        AssemblyError::OpenInSeveralPlaces { .. } => (
            "G1201",
            "no single joint or driver lets all the others close, so more than one loop may be open: check lengths and frames of the bodies at this joint first; `[start]` gives the position to begin from",
        ),
        AssemblyError::ClosesElsewhere { .. } => (
            "G1212",
            "give it and others of its loop a rough `turn` or position in `[start]`, near to where it closes: that picks the branch; bars that start in line pick none",
        ),
        AssemblyError::Contradiction { .. } => (
            "G1202",
            "let drivers prescribe each motion once, or give a joint between them `clearance`",
        ),
        AssemblyError::IdleDriver { .. } => {
            ("G1207", "remove this driver or the one that moves the same chain")
        }
        AssemblyError::Massless { .. } => {
            ("G1203", "give the body this value, or a joint that forbids the motion")
        }
        AssemblyError::Tilted { .. } => (
            "G1208",
            "turn the frames so that the axes are nearer to parallel, shorten the journal or widen its clearance: it takes up a tilt of 2*radial/length",
        ),
        AssemblyError::Lost { .. } => (
            "G1210",
            "joints and drivers forbid this motion: request one that they allow, or remove it from `[start]`",
        ),
        AssemblyError::OutOfRange { unit: "m", .. } => {
            ("G1211", "look for a wrong unit or exponent in its lengths and in `[start]`")
        }
        AssemblyError::OutOfRange { .. } => (
            "G1211",
            "look for a wrong unit or exponent; a body without mass or inertia is written without them",
        ),
        AssemblyError::NoAcceleration(why) => (
            "G1204",
            match why {
                NoAcceleration::Force { .. } => {
                    "look for a wrong unit or exponent in its force, torque, stiffness or lengths"
                }
                NoAcceleration::Speed { .. } => {
                    "look for a wrong unit or exponent in `[start]` and in the speeds of drivers"
                }
                NoAcceleration::Body { .. } => {
                    "look for a wrong unit or exponent in its mass, in forces and in `[start]`"
                }
                NoAcceleration::Row { .. } => {
                    "start a little away from this position, or give every body its mass"
                }
                NoAcceleration::Jammed { .. } => {
                    "lower its friction, make its guide or bearing longer, or push it elsewhere"
                }
                NoAcceleration::Film { .. } => {
                    "start the journal nearer to the centre of its bearing, or let surfaces touch with `model = \"hybrid\"`"
                }
            },
        ),
        AssemblyError::Singular { .. } => (
            "G1209",
            "start a little away from it: give a body of that loop another angle in `[start]`, or drive it there",
        ),
        AssemblyError::Compile(CompileError::Erls(error), _) => erls(error),
        AssemblyError::Compile(CompileError::SameBody(_), _) => {
            ("G1205", "`between` takes frames of two different bodies")
        }
        AssemblyError::Compile(CompileError::NothingToDrive(_), _) => (
            "G1206",
            "drive a coordinate that the joint leaves free: `gudgeon check --outputs` lists them",
        ),
    }
}

/// Code and help where links have no equivalent rigid-link system.
fn erls(error: &ErlsError) -> (&'static str, &'static str) {
    match error {
        ErlsError::Body { .. } => {
            ("G1213", "give all flexible links `method = \"erls\"`, or all `method = \"floating\"`")
        }
        ErlsError::Joint { .. } => {
            ("G1213", "give links `method = \"floating\"`, which takes every joint")
        }
        ErlsError::BesideNode { .. } => (
            "G1213",
            "put its frame at an end of the line or where elements meet, on or beside the line, or give links `method = \"floating\"`",
        ),
        ErlsError::Free { .. } => (
            "G1213",
            "add joints that carry it from the ground, since those with play carry nothing, or give links `method = \"floating\"`",
        ),
        ErlsError::DrivesLoop { .. } => ("G1213", "leave one joint of the loop without a driver"),
        ErlsError::Held { .. } => (
            "G1214",
            "zero a displacement that no joint holds: `zeroed = \"auto\"` chooses, and `gudgeon check` names what it chose",
        ),
        ErlsError::TooMany { .. } => (
            "G1214",
            "zero as many as there are independent coordinates, or write `zeroed = \"auto\"`",
        ),
        ErlsError::TooFew { .. } => {
            ("G1214", "name more of them in `zeroed`, or leave more links to `\"auto\"`")
        }
        ErlsError::Singular { .. } => (
            "G1214",
            "zero displacements across the links that the joints move, as `zeroed = [\"to.y\"]`, or write `zeroed = \"auto\"`",
        ),
    }
}

/// The body, joint or driver that an error is about.
fn culprit(error: &AssemblyError) -> Option<&str> {
    match error {
        AssemblyError::CannotClose { gaps, .. }
        | AssemblyError::OpenInSeveralPlaces { gaps }
        | AssemblyError::Contradiction { gaps, .. } => gaps.first().map(|gap| gap.owner.as_str()),
        AssemblyError::Lost { body, .. } | AssemblyError::ClosesElsewhere { body, .. } => {
            Some(body)
        }
        AssemblyError::IdleDriver { driver } => Some(driver),
        AssemblyError::Massless { body, .. } => Some(body),
        AssemblyError::Tilted { joint, .. } => Some(joint),
        AssemblyError::Singular { rows } => rows.first().map(|row| row.owner.as_str()),
        AssemblyError::NoAcceleration(why) => Some(why.owner()),
        AssemblyError::OutOfRange { owner, .. } => Some(owner),
        AssemblyError::Compile(CompileError::Erls(error), _) => match error {
            ErlsError::Body { body, .. } | ErlsError::Free { body } => Some(body),
            ErlsError::Joint { joint, .. } | ErlsError::BesideNode { joint, .. } => Some(joint),
            ErlsError::DrivesLoop { driver } => Some(driver),
            ErlsError::Held { body, .. } => Some(body),
            ErlsError::Singular { names } => {
                names.first().and_then(|name| Some(name.split_once(':')?.0))
            }
            ErlsError::TooMany { body, .. } | ErlsError::TooFew { body, .. } => Some(body),
        },
        AssemblyError::Compile(_, name) => Some(name),
    }
}

/// Findings with file, line and column, as scripts read them; `file` is for those without a place.
pub fn findings(sources: &Sources, diagnostics: &Diagnostics, file: Option<&str>) -> Vec<Finding> {
    let one = |diagnostic: &Diagnostic| {
        let place = diagnostic.span.map(|span| {
            let (line, column) = sources.line_column(span.file, span.start);
            (sources.name(span.file), line, column)
        });
        Finding {
            code: Some(diagnostic.code.to_owned()),
            file: place.map(|place| place.0).or(file).map(str::to_owned),
            line: place.map(|place| place.1),
            column: place.map(|place| place.2),
            message: diagnostic.message.clone(),
            help: diagnostic.help.clone(),
            severity: (diagnostic.severity == Severity::Note).then(|| "note".to_owned()),
        }
    };
    diagnostics.shown().0.into_iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use gudgeon::assembly::{Gap, RowName};
    use gudgeon::model::{DriverId, JointId};

    use super::*;

    fn gap(is_angle: bool, limit: Option<f64>) -> Vec<Gap> {
        vec![Gap { owner: "pin".into(), row: "x", value: 1e-3, is_angle, limit }]
    }

    /// One error of every kind, and its code.
    fn errors() -> Vec<(AssemblyError, &'static str)> {
        let pin = || "pin".to_owned();
        let row = RowName { owner: pin(), row: "x" };
        let unsolved = AssemblyError::NoAcceleration;
        let without = |why| AssemblyError::Compile(CompileError::Erls(why), "".into());
        vec![
            (AssemblyError::CannotClose { gaps: gap(false, None), untried: Vec::new() }, "G1201"),
            (AssemblyError::CannotClose { gaps: gap(true, None), untried: Vec::new() }, "G1201"),
            (
                AssemblyError::CannotClose { gaps: gap(false, Some(1e-4)), untried: Vec::new() },
                "G1201",
            ),
            (AssemblyError::OpenInSeveralPlaces { gaps: gap(false, None) }, "G1201"),
            (AssemblyError::ClosesElsewhere { body: pin(), by: 1.0, is_angle: true }, "G1212"),
            (AssemblyError::Contradiction { gaps: gap(false, None), others_hold: true }, "G1202"),
            (AssemblyError::Massless { body: pin(), what: "mass" }, "G1203"),
            (unsolved(NoAcceleration::Force { force: pin(), size: 1e300 }), "G1204"),
            (unsolved(NoAcceleration::Speed { body: pin(), speed: 1e200, unit: "m/s" }), "G1204"),
            (unsolved(NoAcceleration::Body { body: pin() }), "G1204"),
            (unsolved(NoAcceleration::Row { owner: pin(), row: "x" }), "G1204"),
            (unsolved(NoAcceleration::Film { joint: pin() }), "G1204"),
            (AssemblyError::Compile(CompileError::SameBody(JointId(0)), "pin".into()), "G1205"),
            (
                AssemblyError::Compile(CompileError::NothingToDrive(DriverId(0)), "pin".into()),
                "G1206",
            ),
            (without(ErlsError::BesideNode { joint: pin(), body: pin() }), "G1213"),
            (without(ErlsError::Free { body: pin() }), "G1213"),
            (without(ErlsError::DrivesLoop { driver: pin() }), "G1213"),
            (without(ErlsError::Joint { joint: pin(), why: "it slides" }), "G1213"),
            (without(ErlsError::Body { body: pin(), why: "it is rigid" }), "G1213"),
            (without(ErlsError::Held { body: pin(), name: "to.x".into(), why: "held" }), "G1214"),
            (without(ErlsError::TooMany { body: pin(), given: 2, mobility: 1 }), "G1214"),
            (without(ErlsError::TooFew { body: pin(), lacking: 1 }), "G1214"),
            (without(ErlsError::Singular { names: vec!["pin: to.x".into()] }), "G1214"),
            (AssemblyError::IdleDriver { driver: pin() }, "G1207"),
            (AssemblyError::Tilted { joint: pin(), tilt: 0.1, limit: 0.01 }, "G1208"),
            (AssemblyError::Singular { rows: vec![row] }, "G1209"),
            (
                AssemblyError::Lost {
                    body: pin(),
                    quantity: "velocity",
                    requested: "1 m/s".into(),
                    assembled: "0".into(),
                },
                "G1210",
            ),
            (
                AssemblyError::OutOfRange {
                    owner: pin(),
                    key: "mass".into(),
                    what: "the mass of body `pin` is".into(),
                    value: 1e-60,
                    unit: "kg",
                },
                "G1211",
            ),
        ]
    }

    #[test]
    fn every_assembly_error_has_a_code_a_culprit_and_a_way_out() {
        for (error, code) in errors() {
            let (found, help) = way_out(&error, Space::Spatial);
            assert_eq!(found, code, "{error}");
            assert!(!help.is_empty() && !error.to_string().is_empty(), "{error}");
            assert_eq!(culprit(&error), Some("pin"), "{error}");
            assert!(error.to_string().contains("`pin`"), "{error}");
        }
    }
}
