//! `until`, `measure_from` and `pressure_at`: a time, or the turning of a joint, as a time where it is prescribed.

use std::cmp::Ordering;

use gudgeon::model::{Coordinate, Driver, DriverId, JointId};
use gudgeon::time::{TimeFunction, bisect};

use super::Builder;
use super::drivers::FIRST_HORIZON;
use super::instants::{AT_MOST, Written};
use crate::diagnostic::Diagnostic;
use crate::integral::integrate;
use crate::reader::{At, Context};
use crate::run::Until;
use crate::source::Span;
use crate::tree::Node;
use crate::units::Dimension;
use crate::values;

/// No run is longer than this, s.
const LONGEST: f64 = 1e5;
/// Evaluations of a motion before the search for an angle is given up.
const EVALUATIONS: usize = 100_000;

/// A motion that is known for less than this share of the time is not searched.
const HOPELESS: f64 = 1e-3;

/// Where a run ends.
#[derive(Clone, Copy)]
pub(super) struct End {
    pub when: At<Until>,
    /// The latest time, s, where that is earlier or not known to be later.
    pub at_most: Option<At<f64>>,
}

impl End {
    pub fn at(value: Until, span: Span) -> Self {
        Self { when: At { value, span }, at_most: None }
    }

    /// Where the end is written that an instant is known to come after, or `or_at` it.
    pub fn before(&self, when: Until, or_at: bool) -> Option<Span> {
        let past = |order: Ordering| order.is_gt() || or_at && order.is_eq();
        let time = |latest: At<f64>| At { value: Until::Time(latest.value), span: latest.span };
        let latest = self.at_most.map(time);
        [latest, Some(self.when)].into_iter().flatten().find_map(|end| {
            // Rounding of a time that revolutions became is no reason to refuse the end itself.
            let value = match end.value {
                Until::Time(t) if !or_at => Until::Time(t * (1.0 + 1e-13)),
                other => other,
            };
            order(when, value).is_some_and(past).then_some(end.span)
        })
    }
}

/// Which of two instants comes first, where that is known before the run.
pub(super) fn order(a: Until, b: Until) -> Option<Ordering> {
    match (a, b) {
        (Until::Time(a), Until::Time(b)) => Some(a.total_cmp(&b)),
        (Until::JointAngle { joint: i, angle: a }, Until::JointAngle { joint: j, angle: b }) => {
            (i == j).then(|| a.total_cmp(&b))
        }
        _ => None,
    }
}

impl Builder<'_> {
    /// Reads `until`: an instant, and with a joint the latest time, as `{ pivot = "3 rev", at_most = "10 s" }`.
    pub(super) fn end(&self, cx: &mut Context<'_>, node: &Node) -> Option<End> {
        let written = self.written(cx, "until", node)?;
        let Some(node) = written.at_most else {
            return Some(End {
                when: self.when_within(cx, "until", &written, None)?,
                at_most: None,
            });
        };
        let latest = self.latest(cx, node);
        let when = self.when_within(cx, "until", &written, latest.or(Some(LONGEST)));
        let (mut when, latest) = (when?, latest?);
        let mut at_most = Some(At { value: latest, span: node.span });
        if let Until::Time(time) = when.value {
            at_most = at_most.filter(|latest| latest.value < time);
            when.value = Until::Time(time.min(latest));
        }
        Some(End { when, at_most })
    }

    /// The latest time, s.
    fn latest(&self, cx: &mut Context<'_>, node: &Node) -> Option<f64> {
        let latest = values::quantity(cx, AT_MOST, node, Dimension::TIME)?;
        if latest <= 0.0 {
            let message = format!("`{AT_MOST}` must be later than the start");
            let label = if latest < 0.0 { "negative" } else { "nothing to run" };
            let diagnostic = Diagnostic::error("G0901", message).at(node.span, label);
            cx.report(
                diagnostic.help("write the latest time at which the run ends, such as \"10 s\""),
            );
            return None;
        }
        Some(latest)
    }

    /// Reads a time or an amount of turning.
    pub(super) fn when(&self, cx: &mut Context<'_>, key: &str, node: &Node) -> Option<At<Until>> {
        let written = self.written(cx, key, node)?;
        self.when_within(cx, key, &written, None)
    }

    /// The same where nobody waits longer than `at_most`.
    fn when_within(
        &self,
        cx: &mut Context<'_>,
        key: &str,
        written: &Written<'_>,
        at_most: Option<f64>,
    ) -> Option<At<Until>> {
        let amount = self.amount(cx, key, written)?;
        let (joint, span) = (written.joint, written.amount.span);
        let help = match joint {
            Some(joint) => {
                let example = self.example(cx, key, span, Some(joint.value), false);
                match amount.dimension {
                    Dimension::ANGLE => format!("write {example}: it turns so far in either sense"),
                    _ => format!("write {example}; a time stands alone, without a joint"),
                }
            }
            None => "write a time such as \"20 ms\", or revolutions such as \"3 rev\"".to_owned(),
        };
        let (message, label) = match (amount.dimension, joint) {
            (Dimension::TIME | Dimension::ANGLE, _) if amount.value < 0.0 => {
                (format!("`{key}` cannot be negative"), "negative".to_owned())
            }
            (Dimension::TIME, None) => {
                return Some(At { value: Until::Time(amount.value), span });
            }
            (Dimension::ANGLE, joint) => {
                let value = self.turned_by(cx, (key, span), joint, amount.value, at_most)?;
                return Some(At { value, span });
            }
            (other, joint) => {
                let wanted = if joint.is_some() { "an angle" } else { "a time or an angle" };
                (format!("`{key}` must be {wanted}"), format!("this is {}", other.describe()))
            }
        };
        cx.report(Diagnostic::error("G0901", message).at(span, label).help(help));
        None
    }

    fn turned_by(
        &self,
        cx: &mut Context<'_>,
        (key, span): (&str, Span),
        joint: Option<At<&str>>,
        angle: f64,
        at_most: Option<f64>,
    ) -> Option<Until> {
        let driver = match joint {
            Some(name) => {
                let joint = self.turning(cx, key, name)?;
                match self.driver_of(joint) {
                    Some(driver) => driver,
                    None => return Some(Until::JointAngle { joint, angle }),
                }
            }
            None => self.driven_rotation(cx, key, span)?,
        };
        let time = self.reaches(driver, angle);
        if let (None, Some(latest)) = (time, at_most) {
            let joint = self.model.drivers[driver.0].joint;
            let free = self.model.joints[joint.0].kind.free(self.model.space);
            return Some(match free.contains(&Coordinate::Angle) {
                // The run itself sees whether it gets there.
                true => Until::JointAngle { joint, angle },
                false => Until::Time(f64::max(LONGEST, 2.0 * latest)),
            });
        }
        if time.is_none() {
            let name = &self.model.drivers[driver.0].name;
            let message = format!(
                "driver `{name}` does not turn that far within {LONGEST:e} s, or its speed varies too fast to tell"
            );
            let mut help = "give a time instead, such as \"20 ms\"".to_owned();
            if key == "until" {
                let joint = self.model.drivers[driver.0].joint;
                let joint = &self.model.joints[joint.0].name;
                let example = self.example(cx, key, span, Some(joint), true);
                help.push_str(&format!(", or the latest time as well: {example}"));
            }
            let diagnostic = Diagnostic::error("G0902", message)
                .at(span, format!("asked for by `{key}`"))
                .help(help);
            cx.report(diagnostic);
        }
        time.map(Until::Time)
    }

    /// A joint with one angle: by its kind, or by its driver.
    fn turning(&self, cx: &mut Context<'_>, key: &str, name: At<&str>) -> Option<JointId> {
        let joint = self.joint(cx, name)?;
        let free = self.model.joints[joint.0].kind.free(self.model.space);
        if !free.contains(&Coordinate::Angle) && self.driver_of(joint).is_none() {
            let message = format!("joint `{}` does not turn about one axis", name.value);
            let label = format!("`{key}` counts turns of joints such as revolute ones");
            cx.report(Diagnostic::error("G0901", message).at(name.span, label));
            return None;
        }
        Some(joint)
    }

    /// The driver of a joint's one angle.
    fn driver_of(&self, joint: JointId) -> Option<DriverId> {
        let drives = |driver: &Driver| driver.joint == joint && driver.coordinate.is_angle();
        let mut drivers = (0..self.model.drivers.len()).filter(|i| drives(&self.model.drivers[*i]));
        match (drivers.next(), drivers.next()) {
            (Some(driver), None) => Some(DriverId(driver)),
            _ => None,
        }
    }

    /// The one driver of an angle anywhere; silent if a driver is in error.
    fn driven_rotation(&self, cx: &mut Context<'_>, key: &str, span: Span) -> Option<DriverId> {
        let drivers = self.model.drivers.iter().enumerate();
        let turning: Vec<DriverId> = drivers
            .filter(|(_, driver)| driver.coordinate.is_angle())
            .map(|(i, _)| DriverId(i))
            .collect();
        if let [driver] = turning[..] {
            return Some(driver);
        }
        if turning.is_empty() && self.broken_driver {
            return None;
        }
        let label = match turning.len() {
            0 => "no rotation is driven".to_string(),
            n => format!("{n} rotations are driven"),
        };
        let name = |driver: &DriverId| {
            let joint = self.model.drivers[driver.0].joint;
            self.model.joints[joint.0].name.as_str()
        };
        let example = self.example(cx, key, span, turning.first().map(name), false);
        let message = format!("`{key}` counts revolutions, but of which joint?");
        let help = format!("name the joint, {example}, or give a time such as \"20 ms\"");
        cx.report(Diagnostic::error("G0902", message).at(span, label).help(help));
        None
    }

    /// The first time at which a driver has moved by `distance` from its start, in either sense.
    fn reaches(&self, driver: DriverId, distance: f64) -> Option<f64> {
        let motion = &self.model.drivers[driver.0].motion;
        if distance == 0.0 {
            return Some(0.0);
        }
        if let TimeFunction::Linear { rate, .. } = motion {
            let time = distance / rate.abs();
            return (time <= LONGEST).then_some(time);
        }
        let speed = self.speeds.iter().find(|law| law.driver == driver.0);
        let mut horizon = FIRST_HORIZON;
        while horizon <= LONGEST {
            let (time, inexact) = match speed {
                Some(law) => {
                    let motion = integrate(law.start, law.speed.clone(), horizon);
                    let known = motion.inexact_from.unwrap_or(horizon);
                    if known < HOPELESS * horizon {
                        return None;
                    }
                    let time = first_reach(&motion.function, distance, known);
                    (time, motion.inexact_from.is_some())
                }
                None => (first_reach(motion, distance, horizon), false),
            };
            match time {
                Search::Found(time) => return Some(time),
                Search::NotYet if !inexact => horizon *= 16.0,
                Search::NotYet | Search::GivenUp => return None,
            }
        }
        None
    }
}

enum Search {
    Found(f64),
    NotYet,
    GivenUp,
}

/// Marches with steps that the motion's rates cannot outrun, then bisects.
fn first_reach(motion: &TimeFunction, distance: f64, horizon: f64) -> Search {
    let start = motion.jet(0.0, f64::MIN_POSITIVE).value;
    let short = |t: f64| (motion.jet(t, t).value - start).abs() < distance;
    let mut cuts = motion.cuts(0.0, horizon);
    let Some(mut cut) = cuts.next() else { return Search::NotYet };
    let mut t = 0.0_f64;
    for _ in 0..EVALUATIONS {
        let jet = motion.jet(t, t.next_up());
        let pace = (jet.rate.abs() / distance).max((jet.second.abs() / distance).sqrt());
        let longest = (0.02 * t).max(1e-3 * horizon);
        let to = (t + (0.02 / pace).min(longest)).max(t.next_up()).min(cut);
        if !short(to) {
            return Search::Found(bisect(t, to, short));
        }
        t = to;
        while t >= cut {
            match cuts.next() {
                Some(next) => cut = next,
                None => return Search::NotYet,
            }
        }
    }
    Search::GivenUp
}
