//! What stays open, in words.

use crate::system::System;

/// What stays open when everything else is closed.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    pub owner: String,
    pub row: &'static str,
    /// m or rad; of velocities m/s or rad/s.
    pub value: f64,
    pub is_angle: bool,
    /// What the clearance of a joint takes up, m or rad.
    pub limit: Option<f64>,
}

impl Gap {
    /// The gap of a row.
    pub(super) fn of_row(system: &System, row: usize, value: f64) -> Self {
        let kind = system.rows[row].kind;
        let owner = system.row_owner(row).to_owned();
        Self { owner, row: kind.name(), value, is_angle: kind.is_angle(), limit: None }
    }

    /// As a share of the mechanism's size, or in rad.
    pub(super) fn size(&self, system: &System) -> f64 {
        self.value.abs() / if self.is_angle { 1.0 } else { system.length }
    }
}

/// A length or an angle with its unit.
pub(super) fn measured(value: f64, is_angle: bool) -> String {
    let (value, unit) = if is_angle { (value.to_degrees(), "deg") } else { (1e3 * value, "mm") };
    match value.abs() {
        size if (1e-3..1e7).contains(&size) => format!("{value:.4} {unit}"),
        _ => format!("{value:.4e} {unit}"),
    }
}

/// What stays open and the others of its loop, those that were not looked at among them.
pub(super) fn message(gaps: &[Gap], untried: &[String]) -> String {
    let [worst, others @ ..] = gaps else {
        return "no joint or driver is found that keeps it open".to_owned();
    };
    let within = match worst.limit {
        Some(limit) => format!(", its clearance takes up {}", measured(limit, worst.is_angle)),
        None => String::new(),
    };
    format!(
        "`{}` stays open by {}{within} when all the others are closed{}",
        worst.owner,
        measured(worst.value.abs(), worst.is_angle),
        same_loop(others, untried)
    )
}

/// Mechanisms that stay open in more than one place.
pub(super) fn several_message(gaps: &[Gap]) -> String {
    let Some(worst) = gaps.first() else { return message(gaps, &[]) };
    let size = measured(worst.value.abs(), worst.is_angle);
    let also = match &gaps[1..] {
        [] => String::new(),
        others => format!("; open are also {}", names(others, &[])),
    };
    format!("in the nearest position `{}` is open most, by {size}{also}", worst.owner)
}

/// Names of a list that a reader takes in.
const NAMED: usize = 5;

/// The first names, and the number of the others.
fn names(gaps: &[Gap], more: &[String]) -> String {
    let all = gaps.iter().map(|gap| &gap.owner).chain(more);
    let mut names: Vec<String> = all.take(NAMED).map(|name| format!("`{name}`")).collect();
    match (gaps.len() + more.len()).saturating_sub(NAMED) {
        0 => {}
        more => names.push(format!("{more} more")),
    }
    names.join(", ")
}

/// Joints and drivers that close the mechanism as well, if they are left open in place of the first:
/// all of them are in its loop.
fn same_loop(others: &[Gap], untried: &[String]) -> String {
    match names(others, untried) {
        names if names.is_empty() => names,
        names => format!("; its loop also runs through {names}"),
    }
}

/// A mechanism that closes, but not from where it starts.
pub(super) fn elsewhere_message(body: &str, by: f64, is_angle: bool) -> String {
    match is_angle {
        true => {
            format!("body `{body}` is turned by {} against its start there", measured(by, true))
        }
        false => format!("body `{body}` is {} away from its start there", measured(by, false)),
    }
}

/// The same for prescribed velocities.
pub(super) fn rate_message(gaps: &[Gap], others_hold: bool) -> String {
    let one = |gap: &Gap| {
        let unit = if gap.is_angle { "rad/s" } else { "m/s" };
        format!("`{}` is off by {:.3e} {unit}", gap.owner, gap.value)
    };
    let shown: Vec<String> = gaps.iter().take(3).map(one).collect();
    match (others_hold, gaps.len().saturating_sub(3)) {
        (true, _) => shown.join(", or ") + " when all the others hold",
        (false, 0) => format!("in the nearest motion {}", shown.join(", ")),
        (false, more) => format!("in the nearest motion {}, {more} more", shown.join(", ")),
    }
}
