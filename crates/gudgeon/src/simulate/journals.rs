//! How journals lie in their bearings over time, and whether they stay there.

use crate::math::spatial::Axis;
use crate::model::{Axial, Form, JointId};
use crate::results::JournalReport;
use crate::system::{Plant, System};

pub(super) struct JournalLog {
    reports: Vec<JournalReport>,
    /// Half the length of each bore, where the journal may slide out of it.
    bores: Vec<Option<f64>>,
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
        Self { reports, bores }
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
            let shift = axis.dot(&(b.frame.p - a.frame.p)).abs();
            if bore.is_some_and(|half| shift > half) {
                report.left_bearing.get_or_insert(t);
            }
        }
    }

    pub fn finish(mut self) -> Vec<JournalReport> {
        for report in &mut self.reports {
            let sum: f64 = report.shares.iter().sum();
            if sum > 0.0 {
                report.shares.iter_mut().for_each(|share| *share /= sum);
            }
        }
        self.reports
    }
}
