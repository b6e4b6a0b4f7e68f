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

use crate::clearance::contact::impact_duration;
use crate::clearance::normal::Elastic;
use crate::results::{ContactReport, Impact, Warning};
use crate::system::System;

const RATE_RATIO: f64 = 1.5;
const LASTING: f64 = 20.0;
const DEEP: f64 = 0.1;
const LOVE: f64 = 1e-5;

pub(super) fn of(
    system: &System,
    contacts: &[ContactReport],
    impacts: &[Impact],
    jumps: &[f64],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if let Some(first) = jumps.first() {
        let message = match jumps.len() {
            1 => format!("a prescribed velocity jumps at t = {first:.6} s"),
            n => format!("prescribed velocities jump {n} times, first at t = {first:.6} s"),
        };
        let joint = system.model.drivers.first().map_or(String::new(), |d| d.name.clone());
        let help =
            "forces are infinite there and not shown; use `step` or `spline` for a smooth motion";
        warnings.push(Warning { code: "W0306", joint, message, help });
    }
    for (element, report) in system.contacts.iter().zip(contacts) {
        let mut warn = |code, message: String, help| {
            warnings.push(Warning { code, joint: report.name.clone(), message, help });
        };
        let clearance = &element.clearance;
        let damped = clearance.normal.factor() > 0.0;
        if damped && report.max_rate_ratio > RATE_RATIO {
            let message = format!(
                "the indentation rate reached {:.1} times the impact speed it is damped by",
                report.max_rate_ratio
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
        if matches!(clearance.normal.elastic, Elastic::Power { .. }) && depth > DEEP {
            let message =
                format!("the indentation reached {:.0} % of the clearance", 100.0 * depth);
            warn(
                "W0303",
                message,
                "Hertz' contact is for indentations small against the clearance; compare with `--law elastic-foundation`",
            );
        }
        if let Some(materials) = &clearance.materials {
            let wave = |m: &crate::model::Material| (m.young / m.density).sqrt();
            let limit = LOVE * wave(&materials[0]).min(wave(&materials[1]));
            if report.max_impact_speed > limit {
                let message = format!(
                    "the impact speed reached {:.3} m/s, {:.0} times the limit of elastic impact ({:.3} m/s)",
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

fn lasting_contact(
    system: &System,
    element: &crate::system::compile::ContactElement,
    report: &ContactReport,
    impacts: &[Impact],
) -> Option<String> {
    let lightest = system.bodies.iter().map(|b| 1.0 / b.inverse[0]).fold(f64::INFINITY, f64::min);
    let (longest, speed) = impacts
        .iter()
        .filter(|i| i.joint == element.joint)
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
