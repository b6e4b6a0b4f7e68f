//! How journals lie in their bearings over time, and whether they stay there.

use crate::math::spatial::Axis;
use crate::model::{Axial, Form, JointId, JointKind};
use crate::results::JournalReport;
use crate::system::{Plant, System};
use crate::time::bisect;

pub(super) struct JournalLog {
    reports: Vec<JournalReport>,
    /// Of each of them where the journal may slide out of its bore.
    bores: Vec<Option<Slide>>,
    /// Ideal cylindrical joints whose bearing has a length, and when they left it.
    ideal: Vec<(JointId, Slide, Option<f64>)>,
}

/// How a journal slides along its bearing.
struct Slide {
    /// Of the bearing, m.
    half: f64,
    /// Its place after the last step.
    last: Option<Place>,
}

/// How far a journal is off the middle of its bearing along the axis, and how fast it slides.
#[derive(Clone, Copy)]
struct Place {
    t: f64,
    shift: f64,
    rate: f64,
}

impl JournalLog {
    pub fn new(system: &System) -> Self {
        let (mut reports, mut bores) = (Vec::new(), Vec::new());
        for (i, joint) in system.model.joints.iter().enumerate() {
            let form = joint.clearance.as_ref().map(|clearance| &clearance.form);
            let Some(Form::Journal { bearing_length, axial, .. }) = form else { continue };
            reports.push(JournalReport {
                joint: JointId(i),
                name: joint.name.clone(),
                shares: [0.0; 4],
                max_misalignment: 0.0,
                left_bearing: None,
            });
            bores.push((*axial == Axial::Free).then(|| Slide::new(*bearing_length)));
        }
        let joints = system.model.joints.iter().enumerate();
        let ideal = joints
            .filter(|(_, joint)| joint.clearance.is_none() && joint.kind == JointKind::Cylindrical);
        let ideal = ideal
            .filter_map(|(i, joint)| Some((JointId(i), Slide::new(joint.bearing_length?), None)))
            .collect();
        Self { reports, bores, ideal }
    }

    /// After a step that lasted `dt`, with the plant evaluated at its end.
    pub fn after_step(&mut self, plant: &Plant, t: f64, dt: f64, measuring: bool) {
        for (report, bore) in self.reports.iter_mut().zip(&mut self.bores) {
            let ends = &plant.system.model.joints[report.joint.0];
            let (a, b) = (&plant.work.markers[ends.a.0], &plant.work.markers[ends.b.0]);
            let axis = a.frame.axis(Axis::Z);
            if measuring {
                report.shares[plant.situation(report.joint) as usize] += dt;
                let tilt = axis.cross(&b.frame.axis(Axis::Z)).norm().min(1.0).asin();
                report.max_misalignment = report.max_misalignment.max(tilt);
            }
            let left =
                bore.as_mut().and_then(|bore| bore.leaves(Place::of(plant, report.joint, t)));
            report.left_bearing = report.left_bearing.or(left);
        }
        for (joint, bore, left) in &mut self.ideal {
            *left = left.or(bore.leaves(Place::of(plant, *joint, t)));
        }
    }

    /// Ideal joints that left their bearings, and when.
    pub fn left(&self) -> impl Iterator<Item = (JointId, f64)> + '_ {
        self.ideal.iter().filter_map(|(joint, _, left)| Some((*joint, (*left)?)))
    }

    pub fn finish(&mut self) -> Vec<JournalReport> {
        for report in &mut self.reports {
            let sum: f64 = report.shares.iter().sum();
            if sum > 0.0 {
                report.shares.iter_mut().for_each(|share| *share /= sum);
            }
        }
        std::mem::take(&mut self.reports)
    }
}

impl Slide {
    fn new(length: f64) -> Self {
        Self { half: 0.5 * length, last: None }
    }

    /// When the journal left its bearing on the way to `now`, by the cubic through both places and rates.
    fn leaves(&mut self, now: Place) -> Option<f64> {
        let before = self.last.replace(now);
        if now.shift.abs() <= self.half {
            return None;
        }
        let Some(before) = before.filter(|before| before.shift.abs() < self.half) else {
            return Some(now.t);
        };
        let share = bisect(0.0, 1.0, |share| before.on_the_way(now, share).abs() < self.half);
        Some(before.t + share * (now.t - before.t))
    }
}

impl Place {
    fn of(plant: &Plant, joint: JointId, t: f64) -> Self {
        let ends = &plant.system.model.joints[joint.0];
        let (a, b) = (&plant.work.markers[ends.a.0], &plant.work.markers[ends.b.0]);
        let (axis, arm) = (a.frame.axis(Axis::Z), b.frame.p - a.frame.p);
        let rate = axis.dot(&(b.twist.v - a.twist.v)) + a.twist.w.cross(&axis).dot(&arm);
        Self { t, shift: axis.dot(&arm), rate }
    }

    /// The shift at a share of the time from here to `next`.
    fn on_the_way(self, next: Self, share: f64) -> f64 {
        let (x, rest, duration) = (share, 1.0 - share, next.t - self.t);
        let ends =
            rest * rest * (1.0 + 2.0 * x) * self.shift + x * x * (3.0 - 2.0 * x) * next.shift;
        ends + x * rest * duration * (rest * self.rate - x * next.rate)
    }
}
