//! Where a law leaves its range, and results that need care.
//!
//! | code | when | why |
//! |---|---|---|
//! | W0301 | the largest abs(δ̇)/δ̇⁽⁻⁾ exceeds 1.5 | hysteresis factors are derived for impacts that never move faster than they began |
//! | W0302 | a contact lasts longer than 20 estimated impacts | its damping runs on the speed of the last impact, so the state depends on history |
//! | W0303 | δ exceeds a tenth of the clearance (power law) | Hertz' half-spaces need an indentation small against the gap of radii |
//! | W0304 | impact speed above 1e-5 √(E/ρ) | Love's limit of elastic impact: above it contacts leave permanent marks |
//! | W0305 | the onset floor acted | the law divided by the floor, not by the closing speed |
//! | W0306 | a prescribed velocity jumps | the bodies take it at once, by an impulse no force shows |
//! | W0307 | the pivot ratio of a row falls below 1e-6, at the end of a step or inside | at a change point reactions grow without bound and the branch is undecided |
//! | W0308 | a body without mass or inertia is moved by drivers | its inertia forces are missing |
//! | W0309 | an output is a reaction of a redundant loop | only some combination of such reactions is determined |
//! | W0310 | the middle of a journal without axial hold leaves its bore, or an ideal cylindrical joint its `length` | contacts are computed as if the bore went on |
//! | W0311 | a film is thinner than the roughness, or than a hundredth of the clearance | surfaces touch, deform and heat the oil there |
//! | W0312 | a short film is longer than its diameter, a long one shorter than two | each leaves out the flow of oil that is the greater one there |
//! | W0313 | an instant of `pressure_at` lies behind the end of the run | what was asked for is missing |
//! | W0314 | the energy balance is off by more than 1 % of the energy turned over | steps were too long for what happened in them |
//! | W0315 | start and request differ by more than 1 % (`assembly/request.rs`) | joints and drivers forbid what was requested, so another motion is computed |
//! | W0322 | δ exceeds a tenth of the journal's radius, of half a slider's width, or of half a bearing's length (flanges) | no law holds so deep, and at the whole of it the run fails |
//! | W0323 | a prescribed position jumps by less than 1e-3 of the size or rad | the bodies take it at once; a larger jump fails |
//! | W0324 | the ideal mechanism locks on its way (`assembly/foresee.rs`) | only a clearance lets the motion through, by force |
//! | W0326 | reactions of a joint with friction are not unique (`frictions.rs`) | the load, and with it the friction, depends on how redundant joints share it |
//! | W0327 | the loss of LuGre bristles is negative in a run | a law without passivity feeds the motion until it diverges |
//! | W0328 | the same law, at any speed (`check`) | the speed up to which it cannot happen |
//! | W0330 | a table is looked up outside of it at the start (`check`) | a run ends there before it begins |
//! | W0331 | a strain of a flexible link falls below −0.1 or exceeds 0.2 (`flexible.rs`) | St. Venant and Kirchhoff's law softens in strong compression; no material is linear in strong tension |
//! | W0332 | strains of outer fibres above 0.01 or deflections above a tenth of a link (`linear.rs`) | its theory is linear |
//! | W0333 | modes left out below 3 over the shortest contact (`modes.rs`) | impacts excite them |
//! | W0325 | the run ends before its measuring window begins | nothing is measured, which only the run could tell |
//! | W0317 | oil enters a film at the widest gap | that line jumps to the other side where the journal passes the centre, and the force with it |
//! | W0318 | a journal turns in a long Reynolds film without supply | such a ring never breaks: it has no force along e, and journals whirl |

use std::f64::consts::TAU;

use super::jumps::PositionJump;
use crate::assembly::{Assembly, Requested, WARNED};
use crate::clearance::contact::impact_duration;
use crate::clearance::geometry::Spot;
use crate::film::{Cavitation, FilmModel, Lubricant, Supply};
use crate::formula::Left;
use crate::model::JointId;
use crate::results::Ledger;
use crate::results::{
    ContactReport, FilmReport, FlexibleReport, Impact, JournalReport, Status, Warning,
};
use crate::run::RunSpec;
use crate::sensor::Sensor;
use crate::system::{Plant, System};

const RATE_RATIO: f64 = 1.5;
const LASTING: f64 = 20.0;
const DEEP: f64 = 0.1;
const LOVE: f64 = 1e-5;

/// Pivot ratio of a row below which a position counts as singular.
pub(super) const SINGULAR: f64 = 1e-6;

/// What a run noticed besides its contacts.
#[derive(Default)]
pub(super) struct Notes {
    /// Times and drivers whose prescribed velocity jumped.
    pub jumps: Vec<(f64, String)>,
    /// Time, driver and size of the first prescribed position that jumped a little.
    pub position_jump: Option<(f64, PositionJump)>,
    /// Smallest pivot ratio of a row below [`SINGULAR`], its time and the row.
    pub weakest: Option<(f64, f64, usize)>,
}

/// Warnings about the mechanism as a whole.
pub(super) fn of_mechanism(assembly: &Assembly, spec: &RunSpec, notes: &Notes) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut warn = |code, joint: &str, message: String, help: &'static str| {
        let known = warnings.iter().any(|w| w.code == code && w.joint == joint);
        if !known {
            warnings.push(Warning { code, joint: joint.to_owned(), message, help: help.into() });
        }
    };
    if let Some((first, driver)) = notes.jumps.first() {
        let message = match notes.jumps.len() {
            1 => format!("the prescribed velocity jumps at t = {first:.6} s"),
            n => format!("the prescribed velocity jumps {n} times, first at t = {first:.6} s"),
        };
        let help =
            "forces are infinite there and not shown; use `step` or `spline` for a smooth motion";
        warn("W0306", driver, message, help);
    }
    if let Some((t, jump)) = &notes.position_jump {
        let message = format!(
            "the prescribed position jumps by {:.2e} {} at t = {t:.6} s",
            jump.by, jump.unit
        );
        let help = "the bodies take it at once, by an impulse no force shows; let the pieces of the motion meet";
        warn("W0323", &jump.driver, message, help);
    }
    if let Some((pivot_ratio, t, row)) = notes.weakest {
        let message = format!(
            "the mechanism is in a singular position at t = {t:.6} s (pivot ratio {pivot_ratio:.0e}): reactions and the branch after it are not determined"
        );
        let help = "keep the motion away from change points; do not trust extremes of forces";
        warn("W0307", assembly.system.row_owner(row), message, help);
    }
    for (body, what) in &assembly.report.massless {
        let message =
            format!("no {what} given, and only drivers fix the motion: inertia forces are missing");
        warn("W0308", body, message, "give the body this value if forces matter");
    }
    let report = &assembly.report;
    for joint in &report.indeterminate {
        let name = &assembly.system.model.joints[joint.joint.0].name;
        let of_joint = |output: &&Sensor| output.reads_doubtful(joint.joint, assembly);
        let outputs: Vec<&str> =
            spec.outputs.iter().filter(of_joint).map(|output| output.name.as_str()).collect();
        if !outputs.is_empty() {
            let message = format!("not unique, for its loop is redundant: {}", outputs.join(", "));
            let help = "free a direction that `gudgeon check` names, or give a joint play";
            warn("W0309", name, message, help);
        }
    }
    warnings
}

/// Bodies whose start is reported; `gudgeon check` lists all.
const STARTS: usize = 8;

/// Warnings about requests of `[start]` that were not met, one for each body or joint.
pub fn of_start(assembly: &Assembly) -> Vec<Warning> {
    let mut departures = assembly.departures();
    departures.retain(|request| request.difference > WARNED);
    let both = |request: &Requested| {
        let (requested, assembled) =
            (request.text(&request.requested), request.text(&request.assembled));
        format!("{} {requested} requested, {assembled} assembled", request.quantity.name())
    };
    let help = "joints and drivers forbid the rest, or a clearance starts centred (give `JOINT.offset`): correct `[start]`; `gudgeon check` shows all requests that were not met";
    let warning = |joint: &str, message: String| Warning {
        code: "W0315",
        joint: joint.to_owned(),
        message,
        help: help.into(),
    };
    let groups: Vec<&[Requested]> = departures.chunk_by(|a, b| a.owner == b.owner).collect();
    let one = |group: &&[Requested]| {
        let list: Vec<String> = group.iter().map(both).collect();
        warning(&group[0].owner, format!("the start is not as requested: {}", list.join("; ")))
    };
    let mut warnings: Vec<Warning> = groups.iter().take(STARTS).map(one).collect();
    if groups.len() > STARTS {
        let message = format!("{} more starts are not as requested", groups.len() - STARTS);
        warnings.push(warning("", message));
    }
    warnings
}

/// Tables outside of which the motion would start, so that a run ends before it begins.
pub fn of_tables(assembly: &Assembly) -> Vec<Warning> {
    let (system, y) = (&assembly.system, &assembly.state());
    let mut plant = Plant::new(system);
    plant.enter_interval(0.0);
    plant.find_modes(0.0, y);
    let of_state = plant.left_table(0.0, y).map(|(function, left)| {
        let function = system.model.functions[function].name.clone();
        (function, left)
    });
    let of_time = super::kinks::left_table(&system.model, 0.0, 0.0);
    let warning = |(function, left): (String, Left)| Warning {
        code: "W0330",
        joint: String::new(),
        message: format!("at the start {function} looks up {left}"),
        help: super::failure::OUTSIDE.into(),
    };
    of_state.into_iter().chain(of_time).map(warning).collect()
}

/// Warnings about contact laws.
pub(super) fn of_contacts(
    system: &System,
    contacts: &[ContactReport],
    impacts: &[Impact],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (element, report) in system.contacts.iter().zip(contacts) {
        let mut warn = |code, message: String, help: &'static str| {
            warnings.push(Warning { code, joint: report.name.clone(), message, help: help.into() });
        };
        let clearance = &element.clearance;
        let damped = clearance.normal.reads_impact_speed();
        if damped && report.max_rate_ratio > RATE_RATIO {
            let ratio = report.max_rate_ratio;
            let ratio = if ratio < 1e4 { format!("{ratio:.1}") } else { format!("{ratio:.1e}") };
            let message = format!(
                "the indentation rate reached {ratio} times the impact speed it is damped by"
            );
            warn(
                "W0301",
                message,
                "forces of weak touches followed by strong motion are too high; raise `onset_floor` or compare with `--law hertz`",
            );
        }
        if damped && let Some(message) = lasting_contact(system, element, report, impacts) {
            warn(
                "W0302",
                message,
                "the steady state depends on the last impact; compare an `--ensemble` or another law",
            );
        }
        let depth = report.max_depth / clearance.radial;
        let hertzian = clearance.normal.is_power();
        // The gap of a guide or flange is no difference of radii.
        if hertzian && element.spot.is_round() && depth > DEEP {
            let message =
                format!("the indentation reached {:.0} % of the clearance", 100.0 * depth);
            let help = match element.spot {
                Spot::Ball => "Hertz' contact is for indentations small against the clearance",
                _ => {
                    "Hertz' contact is for indentations small against the clearance; compare with `--law elastic-foundation`"
                }
            };
            warn("W0303", message, help);
        }
        let deepest = element.spot.deepest(clearance);
        let share = report.max_depth / deepest.depth;
        if share > DEEP {
            let message = format!("the indentation reached {share:.2} of {}", deepest.reference);
            warn(
                "W0322",
                message,
                "contact laws are for indentations small against the surfaces: the contact is too soft for its load, or the mechanism is forced",
            );
        }
        if let Some(materials) = &clearance.materials {
            let wave = |m: &crate::model::Material| (m.young / m.density).sqrt();
            let limit = LOVE * wave(&materials[0]).min(wave(&materials[1]));
            if report.max_impact_speed > limit {
                let message = format!(
                    "the impact speed reached {:.3} m/s, {:.1} times the limit of elastic impact ({:.3} m/s)",
                    report.max_impact_speed,
                    report.max_impact_speed / limit,
                    limit
                );
                warn(
                    "W0304",
                    message,
                    "real surfaces would yield: take a lower restitution for such speeds",
                );
            }
        }
        if report.floored_impacts > 0 {
            let message = format!(
                "the onset floor of {:.1e} m/s acted in {} of {} impacts",
                clearance.onset_floor, report.floored_impacts, report.impacts
            );
            warn(
                "W0305",
                message,
                "`onset_floor` bounds the damping of slow touches; it matters little if they carry little force",
            );
        }
    }
    warnings
}

/// Warnings about journals that leave their bearings.
pub(super) fn of_journals(
    system: &System,
    journals: &[JournalReport],
    ideal: impl Iterator<Item = (JointId, f64)>,
) -> Vec<Warning> {
    let warning = |joint: &str, t: f64, help: &'static str| Warning {
        code: "W0310",
        joint: joint.to_owned(),
        message: format!("the journal slid out of its bearing at t = {t:.6} s"),
        help: help.into(),
    };
    let left = |journal: &JournalReport| {
        let help = "nothing holds it along its axis: write `axial = \"fixed\"` or give an `axial_clearance`";
        Some(warning(&journal.name, journal.left_bearing?, help))
    };
    let ideal = ideal.map(|(joint, t)| {
        let help = "nothing holds it along its axis: hold it by another joint, or correct `length`";
        warning(&system.model.joints[joint.0].name, t, help)
    });
    journals.iter().filter_map(left).chain(ideal).collect()
}

/// Warnings about flexible links strained beyond the range of their law; `when` they were, by the time.
pub(crate) fn of_links(links: &[FlexibleReport], when: impl Fn(f64) -> String) -> Vec<Warning> {
    let crushed = |link: &FlexibleReport| {
        let first = link.crushed?;
        Some(Warning {
            code: "W0331",
            joint: link.name.clone(),
            message: format!(
                "the strain is {:.3} {}, {:.4} m along the link: {}",
                first.value,
                when(first.t),
                first.distance,
                match first.value < 0.0 {
                    true => "below -0.1 its law softens",
                    false => "above 0.2 no linear law holds",
                }
            ),
            help: "a stiffer link or a lower load; beyond, forces are those of St. Venant and Kirchhoff's law, not of a real material".into(),
        })
    };
    let linear = |link: &FlexibleReport| link.linear.warnings(&link.name, &when);
    links.iter().filter_map(crushed).chain(links.iter().flat_map(linear)).collect()
}

/// Share of the clearance below which smooth surfaces are no longer rigid and smooth.
const THIN: f64 = 0.01;

/// Largest length over diameter of a short film, smallest of a long one.
const SHORT: f64 = 1.0;
const LONG: f64 = 2.0;

/// Warnings about films outside their range.
pub(crate) fn of_films(system: &System, films: &[FilmReport]) -> Vec<Warning> {
    let thin = |film: &FilmReport| {
        let (limit, what) = match film.roughness {
            Some(_) if film.hybrid => return None,
            Some(height) if height > THIN * film.clearance => (height, "the roughness"),
            _ => (THIN * film.clearance, "1 % of the clearance"),
        };
        (film.thinnest < limit).then(|| Warning {
            code: "W0311",
            joint: film.name.clone(),
            message: format!(
                "the film is {:.3e} m thick at t = {:.6} s, less than {what} ({limit:.3e} m)",
                film.thinnest, film.t
            ),
            help: "forces there are not those of rough or elastic surfaces; try `model = \"hybrid\"` with `roughness`".into(),
        })
    };
    let shaped = system.films.iter().zip(films).filter_map(|(film, report)| {
        let (message, help) = wrong_shape(&film.lubricant)?;
        Some(Warning { code: "W0312", joint: report.name.clone(), message, help: help.into() })
    });
    let supplied = system.films.iter().zip(films).filter_map(|(film, report)| {
        let (code, message, help) = doubtful_supply(&film.lubricant.film.model, report.turned)?;
        Some(Warning {
            code,
            joint: report.name.clone(),
            message: message.to_owned(),
            help: help.into(),
        })
    });
    films.iter().filter_map(thin).chain(shaped).chain(supplied).collect()
}

/// What is wrong with where oil enters, for a journal that turned by so many radians.
fn doubtful_supply(
    model: &FilmModel,
    turned: f64,
) -> Option<(&'static str, &'static str, &'static str)> {
    match model {
        FilmModel::Long(_, Supply::WidestGap) => {}
        FilmModel::Finite(film) if film.supply == Supply::WidestGap => {}
        FilmModel::Long(Cavitation::Reynolds, Supply::None) if turned > TAU => {
            return Some((
                "W0318",
                "a long film without supply never breaks by `reynolds`: it bears across the eccentricity only, and journals whirl",
                "write `cavitation = \"half-sommerfeld\"` or `model = \"finite\"`",
            ));
        }
        _ => return None,
    }
    Some((
        "W0317",
        "`supply = \"widest-gap\"` makes the force jump where a journal that is squeezed passes the centre",
        "leave it out, or give `grooves`, where the journal may come there",
    ))
}

/// Why the model of a film does not fit its length.
fn wrong_shape(lubricant: &Lubricant) -> Option<(String, &'static str)> {
    let shape = &lubricant.film.shape;
    let slender = shape.length / (2.0 * shape.radius);
    let message = match lubricant.film.model {
        FilmModel::Short | FilmModel::ShortExact(_) if slender > SHORT => format!(
            "a short film takes no flow around into account, but its length is {slender:.2} of its diameter"
        ),
        FilmModel::Long(..) if slender < LONG => format!(
            "a long film takes no flow along into account, but its length is {slender:.2} of its diameter"
        ),
        _ => return None,
    };
    let help = if lubricant.hybrid {
        "forces are too high; compare with `pressure = \"finite\"`"
    } else {
        "forces are too high; compare with `model = \"finite\"`"
    };
    Some((message, help))
}

/// Share of all the energy that was turned over which may be lost to the integration.
const LEAK: f64 = 1e-2;

/// A balance that does not close: steps were too long for what happened in them.
pub(super) fn of_balance(energy: &Ledger) -> Vec<Warning> {
    let turned: f64 = energy.lines.iter().map(|line| line.value.abs()).sum();
    let off = energy.residual.abs() / (turned + energy.peak_kinetic);
    if off.is_nan() || off <= LEAK {
        return Vec::new();
    }
    let message = format!("{:.1} % of the energy turned over is unaccounted for", 100.0 * off);
    let help = "forces and motion are not to be trusted: take a smaller `rtol` or `step`";
    vec![Warning { code: "W0314", joint: String::new(), message, help: help.into() }]
}

/// Instants for which the run was too short; one that failed says so itself.
pub(super) fn of_fields(missed: usize, status: &Status) -> Vec<Warning> {
    if missed == 0 || *status != Status::Done {
        return Vec::new();
    }
    let message = match missed {
        1 => "an instant of `pressure_at` was not reached".to_owned(),
        n => format!("{n} instants of `pressure_at` were not reached"),
    };
    let help = "the run ended before; see `until`";
    vec![Warning { code: "W0313", joint: String::new(), message, help: help.into() }]
}

/// A run that is done before its measuring window; one that failed says so itself.
pub(super) fn of_window(window: Option<f64>, status: &Status) -> Vec<Warning> {
    if window.is_some() || *status != Status::Done {
        return Vec::new();
    }
    vec![not_measured()]
}

/// The measuring window was not reached.
pub(crate) fn not_measured() -> Warning {
    let message = "the run ended before its measuring window began: nothing is measured".to_owned();
    let help = "the joint of `measure_from` has not turned so far; begin earlier, or run longer";
    Warning { code: "W0325", joint: String::new(), message, help: help.into() }
}

fn lasting_contact(
    system: &System,
    element: &crate::system::compile::ContactElement,
    report: &ContactReport,
    impacts: &[Impact],
) -> Option<String> {
    let lightest = system.bodies.iter().map(|b| 1.0 / b.inverse[0]).fold(f64::INFINITY, f64::min);
    let (longest, speed) = impacts
        .iter()
        .filter(|i| (i.joint, i.spot) == (report.joint, report.spot))
        .map(|i| (i.t_out.map_or(report.longest_contact, |out| out - i.t), i.speed_in))
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let used = speed.max(element.clearance.onset_floor);
    let typical = impact_duration(&element.clearance, lightest, report.max_impact_speed);
    (longest > LASTING * typical).then(|| {
        format!(
            "a contact lasted {:.3e} s, {:.0} times an impact, on the frozen impact speed {:.3e} m/s",
            longest,
            longest / typical,
            used
        )
    })
}
