//! Outputs of lubricant films.

use nalgebra::{Vector2, Vector3};

use super::evaluate::{component, ends, reaction};
use super::quantities::{Entry, scalar, vector};
use super::{Component, FilmQuantity, Source};
use crate::film::Lubricated;
use crate::math::spatial::Axis;
use crate::model::{JointId, Model, Space};
use crate::system::Plant;

pub(super) fn entries(model: &Model, i: usize) -> Vec<Entry> {
    use FilmQuantity::*;
    let any = |quantity| Source::Film(i, quantity);
    let with: fn(Source, Component) -> Source = |source, component| match source {
        Source::Film(i, Force(_)) => Source::Film(i, Force(component)),
        Source::Film(i, Moment(_)) => Source::Film(i, Moment(component)),
        other => other,
    };
    let angle = "angle of the thinnest film in axes of the bearing";
    let attitude = "angle from the load to the eccentricity, in the sense of rotation";
    let torque = "torque of the film on the journal about its axis";
    let loss = "power lost to shear and pumping";
    let m = Component::Magnitude;
    let mut entries = vec![
        scalar("film_thickness", "m", "thickness of the film where it is thinnest", any(Thickness)),
        scalar("film_angle", "rad", angle, any(ThicknessAngle)),
        scalar("eccentricity_ratio", "", "eccentricity over clearance", any(EccentricityRatio)),
        scalar("attitude", "rad", attitude, any(Attitude)),
        vector("film_force", "N", "force of the film on the journal", with, any(Force(m))),
        scalar("film_torque", "N m", torque, any(Torque)),
        scalar("peak_pressure", "Pa", "highest pressure in the film", any(PeakPressure)),
        scalar("power_loss", "W", loss, any(PowerLoss)),
        scalar("oil_flow", "m^3/s", "oil that leaves through both ends", any(Flow)),
    ];
    if model.space == Space::Spatial {
        let moment = "moment of the film on the journal about the bearing's centre";
        entries.push(vector("film_moment", "N m", moment, with, any(Moment(m))));
    }
    entries
}

/// Value at the last evaluated point.
pub(super) fn value(plant: &Plant, joint: usize, quantity: FilmQuantity) -> f64 {
    let Some(index) = plant.system.film_of(JointId(joint)) else {
        return match quantity {
            FilmQuantity::Force(c) => component(&reaction(plant, joint).f, c),
            _ => 0.0,
        };
    };
    let film = &plant.work.films[index];
    let Lubricated { force, pair, eccentricity, thickness, .. } = &film.now;
    match quantity {
        FilmQuantity::Thickness => *thickness,
        FilmQuantity::ThicknessAngle => force.min_film_angle,
        FilmQuantity::EccentricityRatio => *eccentricity,
        FilmQuantity::Attitude => {
            // Both surfaces draw oil into the wedge.
            let (a, b) = ends(plant, joint);
            attitude(&film.now, a.frame.axis(Axis::Z).dot(&(a.twist.w + b.twist.w)))
        }
        FilmQuantity::Force(c) => component(&pair.b.f, c),
        FilmQuantity::Moment(c) => {
            let (a, _) = ends(plant, joint);
            component(&(a.frame.r * Vector3::new(force.m.x, force.m.y, 0.0)), c)
        }
        FilmQuantity::Torque => force.torque,
        FilmQuantity::PeakPressure => {
            let lubricant = &plant.system.films[index].lubricant;
            let work = &mut *film.work.borrow_mut();
            lubricant.field(&film.now, work).map_or(f64::NAN, |field| field.peak().pressure)
        }
        FilmQuantity::PowerLoss => force.shear + force.pumping,
        FilmQuantity::Flow => force.leakage,
    }
}

/// The load is what the film bears: minus its force. A centred or unloaded journal has no attitude.
fn attitude(now: &Lubricated, spin: f64) -> f64 {
    let e = now.state.place[0] + now.state.place[1];
    let load = -now.force.f;
    if e == Vector2::zeros() || load == Vector2::zeros() {
        return 0.0;
    }
    let sense = if spin < 0.0 { -1.0 } else { 1.0 };
    (sense * load.perp(&e)).atan2(load.dot(&e))
}
