//! A film at a given state of its journal, instead of a run.
//!
//! | value | meaning |
//! |---|---|
//! | `film.F_xi`, `film.F_eta` | force on the journal in bearing axes, N |
//! | `film.M_xi`, `film.M_eta` | moment on the journal about the middle of the bearing, N m |
//! | `film.load`, `film.attitude` | size of the load the film bears; angle from it to the eccentricity, in the sense of rotation |
//! | `film.short.…` | the same of a short film of the same oil and gap |

use gudgeon::film::{Film, FilmForce, FilmModel, JournalState};
use gudgeon::model::Model;

use super::reference::FilmState;
use super::runner::Named;

const VALUES: [&str; 6] = ["F_xi", "F_eta", "M_xi", "M_eta", "load", "attitude"];
const SHORT: &str = "short.";

/// The names of all values.
pub fn names() -> Vec<String> {
    ["", SHORT].iter().flat_map(|prefix| VALUES.map(|name| format!("{prefix}{name}"))).collect()
}

/// What the film of a joint does to its journal.
pub fn evaluate(model: &Model, asked: &FilmState) -> Result<Named, String> {
    let joint = model.joints.iter().find(|joint| joint.name == asked.joint);
    let lubricant = joint.and_then(|joint| joint.clearance.as_ref()?.film.as_ref());
    let film = &lubricant.ok_or_else(|| format!("no film in a joint `{}`", asked.joint))?.film;
    let short = Film::new(film.shape, FilmModel::Short);
    let state = journal(asked, film.shape.clearance);
    let mut values = Vec::new();
    for (film, prefix) in [(film, ""), (&short, SHORT)] {
        let force = film.force(&state, &mut film.work()).map_err(|error| error.to_string())?;
        let named = VALUES.iter().zip(numbers(&force, &state));
        values.extend(named.map(|(name, value)| (format!("{prefix}{name}"), value)));
    }
    Ok(values)
}

/// The state in SI.
fn journal(asked: &FilmState, clearance: f64) -> JournalState {
    let [xa, ya, xw, yw] = asked.place.map(|part| part * clearance);
    let [ua, va, uw, vw] = asked.rate;
    JournalState {
        place: [[xa, ya].into(), [xw, yw].into()],
        rate: [[ua, va].into(), [uw, vw].into()],
        omega: asked.omega,
    }
}

/// In the order of `VALUES`.
fn numbers(force: &FilmForce, state: &JournalState) -> [f64; 6] {
    let (load, e) = (-force.f, (state.place[0] + state.place[1]) * 0.5);
    let across = (load.x * e.y - load.y * e.x) * state.omega.signum();
    let attitude = across.atan2(load.dot(&e));
    [force.f.x, force.f.y, force.m.x, force.m.y, load.norm(), attitude]
}

#[cfg(test)]
mod tests {
    use gudgeon_model::{Overrides, shipped};

    use super::*;

    fn asked(joint: &str, place: [f64; 4]) -> Result<Named, String> {
        let loaded =
            shipped::load(shipped::find("journal_bearing").unwrap(), &Overrides::default());
        let state = FilmState { joint: joint.into(), place, rate: [0.0; 4], omega: -10.0 };
        evaluate(&loaded.ok().unwrap().model, &state)
    }

    #[test]
    fn attitude_is_positive_in_the_sense_of_rotation() {
        let values = asked("bearing", [0.3, 0.4, 0.3, 0.4]).unwrap();
        let value = |name: &str| values.iter().find(|(other, _)| other == name).unwrap().1;
        let expected = (std::f64::consts::PI * 0.75_f64.sqrt() / 2.0).atan();
        assert!((value("attitude") - expected).abs() < 1e-9);
        // The film of the model is a short one.
        assert_eq!(value("load"), value("short.load"));
        assert!(values.iter().map(|(name, _)| name).eq(&names()));
    }

    #[test]
    fn journals_without_a_film_are_refused() {
        for (joint, place, why) in [
            ("pin", [0.0; 4], "no film in a joint `pin`"),
            ("bearing", [0.0, 0.0, 1.0, 0.0], "the journal touches the bearing"),
            ("bearing", [f64::NAN; 4], "the journal touches the bearing"),
        ] {
            let error = asked(joint, place).unwrap_err();
            assert!(error.starts_with(why), "{error}");
        }
    }
}
