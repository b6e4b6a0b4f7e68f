//! Two free bodies with a film between them, the journal somewhere inside its bearing.

use super::contacts::*;
use super::states::*;
use super::*;
use gudgeon::film::*;
use gudgeon::math::rotation;
use gudgeon::system::System;

pub const LENGTH: f64 = 0.3;

/// A film that fills the gap of the loose joint in `contacts`.
pub fn lubricant(model: FilmModel, hybrid: bool) -> Lubricant {
    let shape =
        FilmShape { viscosity: 0.02, radius: BEARING - GAP, length: LENGTH, clearance: GAP };
    let roughness = hybrid.then_some(0.4 * GAP);
    Lubricant { film: Film::new(shape, model), roughness, hybrid }
}

/// Every model with a closed form or a quadrature, alone and with dry contact below the roughness.
pub fn films() -> Vec<Lubricant> {
    let mut models = vec![FilmModel::Short];
    for cavitation in [Cavitation::HalfSommerfeld, Cavitation::Reynolds] {
        models.extend([
            FilmModel::ShortExact(cavitation),
            FilmModel::Long(cavitation, Supply::None),
            FilmModel::Long(cavitation, Supply::WidestGap),
        ]);
    }
    let all = models.into_iter().flat_map(|model| [(model.clone(), false), (model, true)]);
    all.map(|(model, hybrid)| lubricant(model, hybrid)).collect()
}

/// Films on grids whose lines are drawn so far to the narrow gap.
pub fn finite_films(draw: f64) -> Vec<Lubricant> {
    let groove = |angle| Groove { angle, width: 0.3, pressure: 20.0 };
    [Supply::WidestGap, Supply::None, Supply::Grooves(vec![groove(-1.0), groove(2.0)])]
        .into_iter()
        .map(|supply| FiniteFilm { draw, supply, ..FiniteFilm::default() })
        .flat_map(|film| [(film.clone(), false), (film, true)])
        .map(|(film, hybrid)| lubricant(FilmModel::Finite(film), hybrid))
        .collect()
}

/// Pins in the plane, journals in space.
pub fn filled(space: Space, lubricant: &Lubricant) -> Model {
    let journal =
        Form::Journal { length: 0.4, bearing_length: 0.5, axial: Axial::Free, tilt: Tilt::Free };
    let shape = match space {
        Space::Planar => (space, JointKind::Revolute, Form::Pin),
        Space::Spatial => (space, JointKind::Cylindrical, journal),
    };
    let mut model = loose(shape, NormalLaw::NONE, None);
    model.joints[0].clearance.as_mut().unwrap().film = Some(lubricant.clone());
    model
}

/// A random state with the journal displaced by up to `reach` of the clearance at its middle, tilted a
/// little and slid along its bearing.
pub fn inside(system: &System, random: &mut Random, reach: f64) -> Vec<f64> {
    let mut y = random_state(system, random, 0.3);
    let film = &system.films[0];
    let bearing = placed(system, 0.0, &y).markers[film.a].frame;
    let (size, angle) = (GAP * random.between(0.1, reach), random.between(-3.0, 3.0));
    let spatial = system.model.space == Space::Spatial;
    let along = if spatial { random.between(-0.05, 0.05) } else { 0.0 };
    let place = bearing.p + bearing.r * Vector3::new(size * angle.cos(), size * angle.sin(), along);
    let first = coordinates_of(system, system.attachments[film.b].body - 1);
    let at = &system.attachments[film.b];
    if spatial {
        let tilt = Vector3::from_column_slice(&random.vector(3, 0.2 * GAP / LENGTH));
        let spin = Vector3::new(0.0, 0.0, random.between(-3.0, 3.0));
        let r = bearing.r * rotation::exponential(&tilt) * rotation::exponential(&spin);
        let own = r * at.turn.transpose();
        let centre = place - own * at.offset;
        y[first..first + 3].copy_from_slice(centre.as_slice());
        y[first + 3..first + 7].copy_from_slice(&rotation::quaternion(&own));
    } else {
        let now = placed(system, 0.0, &y).markers[film.b].frame.p;
        y[first] += place.x - now.x;
        y[first + 1] += place.y - now.y;
    }
    y
}
