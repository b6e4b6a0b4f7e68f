//! How thin films became, and what they cost.

use crate::results::FilmReport;
use crate::system::{Plant, System};

pub(super) struct FilmLog {
    reports: Vec<FilmReport>,
}

impl FilmLog {
    pub fn new(system: &System) -> Self {
        let report = |film: &crate::system::compile::FilmElement| FilmReport {
            joint: film.joint,
            name: system.model.joints[film.joint.0].name.clone(),
            thinnest: f64::INFINITY,
            t: 0.0,
            angle: 0.0,
            clearance: film.lubricant.film.shape.clearance,
            roughness: film.lubricant.roughness,
            hybrid: film.lubricant.hybrid,
        };
        Self { reports: system.films.iter().map(report).collect() }
    }

    /// At the end of a step, where the plant was just evaluated.
    pub fn after_step(&mut self, plant: &Plant, t: f64) {
        for (report, film) in self.reports.iter_mut().zip(&plant.work.films) {
            if film.now.thickness < report.thinnest {
                report.thinnest = film.now.thickness;
                report.angle = film.now.force.min_film_angle;
                report.t = t;
            }
        }
    }

    pub fn finish(self) -> Vec<FilmReport> {
        self.reports
    }
}
