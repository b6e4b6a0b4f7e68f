//! How journals lie in their bearings over time, and whether they stay there.

use crate::math::spatial::Axis;
use crate::model::{Axial, Form, JointId, JointKind};
use crate::results::JournalReport;
use crate::system::{Plant, System};

pub(super) struct JournalLog {
    reports: Vec<JournalReport>,
    /// Half the length of each bore, where the journal may slide out of it.
    bores: Vec<Option<f64>>,
    /// Ideal cylindrical joints whose bearing has a length, its half, and when they left it.
    ideal: Vec<(JointId, f64, Option<f64>)>,
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
            bores.push((*axial == Axial::Free).then_some(0.5 * bearing_length));
        }
        let joints = system.model.joints.iter().enumerate();
        let ideal = joints
            .filter(|(_, joint)| joint.clearance.is_none() && joint.kind == JointKind::Cylindrical);
        let ideal = ideal
            .filter_map(|(i, joint)| Some((JointId(i), 0.5 * joint.bearing_length?, None)))
            .collect();
        Self { reports, bores, ideal }
    }

    /// After a step that lasted `dt`, with the plant evaluated at its end.
    pub fn after_step(&mut self, plant: &Plant, t: f64, dt: f64, measuring: bool) {
        for (report, bore) in self.reports.iter_mut().zip(&self.bores) {
            let ends = &plant.system.model.joints[report.joint.0];
            let (a, b) = (&plant.work.markers[ends.a.0], &plant.work.markers[ends.b.0]);
            let axis = a.frame.axis(Axis::Z);
            if measuring {
                report.shares[plant.situation(report.joint) as usize] += dt;
                let tilt = axis.cross(&b.frame.axis(Axis::Z)).norm().min(1.0).asin();
                report.max_misalignment = report.max_misalignment.max(tilt);
            }
            if bore.is_some_and(|half| shift(plant, report.joint) > half) {
                report.left_bearing.get_or_insert(t);
            }
        }
        for (joint, half, left) in &mut self.ideal {
            if left.is_none() && shift(plant, *joint) > *half {
                *left = Some(t);
            }
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

/// By how much the journal is off the middle of its bearing, along the axis.
fn shift(plant: &Plant, joint: JointId) -> f64 {
    let ends = &plant.system.model.joints[joint.0];
    let (a, b) = (&plant.work.markers[ends.a.0], &plant.work.markers[ends.b.0]);
    a.frame.axis(Axis::Z).dot(&(b.frame.p - a.frame.p)).abs()
}
