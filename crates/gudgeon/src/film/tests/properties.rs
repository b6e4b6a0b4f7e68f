//! What every film must do, at many states.

use nalgebra::{Rotation2, SVector, Vector2};

use super::*;

/// A plain generator of numbers in (−1, 1), so that failures repeat.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn pair(&mut self) -> Vector2<f64> {
        Vector2::new(self.roll(), self.roll())
    }

    /// A journal somewhere within 0.93 c, aligned or tilted, with rates of the order of ω.
    pub fn state(&mut self, omega: f64) -> JournalState {
        let c = TIAN.clearance;
        let speed = 3.0 * c;
        let place = [self.pair() * (0.65 * c), self.pair() * (0.65 * c)];
        let rate = [self.pair() * speed, self.pair() * speed];
        if self.roll() > 0.0 {
            JournalState::aligned(place[0], rate[0], omega)
        } else {
            JournalState { place, rate, omega }
        }
    }
}

fn finite(supply: Supply, cavitation: Cavitation) -> FilmModel {
    FilmModel::Finite(FiniteFilm { supply, cavitation, ..FiniteFilm::default() })
}

pub fn all_models() -> Vec<FilmModel> {
    use Cavitation::*;
    let mut out = convex_models();
    out.extend([
        FilmModel::ShortExact(HalfSommerfeld),
        FilmModel::Long(HalfSommerfeld, Supply::None),
        FilmModel::Long(HalfSommerfeld, Supply::WidestGap),
        finite(Supply::WidestGap, HalfSommerfeld),
        finite(Supply::None, HalfSommerfeld),
    ]);
    out
}

/// Models whose force is minus the gradient of a convex function of v.
fn convex_models() -> Vec<FilmModel> {
    use Cavitation::*;
    let groove = |angle| Groove { angle, width: 0.3, pressure: 0.0 };
    vec![
        FilmModel::Short,
        FilmModel::ShortExact(Reynolds),
        FilmModel::Long(Reynolds, Supply::None),
        FilmModel::Long(Reynolds, Supply::WidestGap),
        finite(Supply::WidestGap, Reynolds),
        finite(Supply::None, Reynolds),
        finite(Supply::Grooves(vec![groove(-1.5), groove(1.5)]), Reynolds),
    ]
}

/// Generalised force and rate: F, M against ė_P and the spin of the axis.
fn force(film: &Film, state: &JournalState, work: &mut FilmWork) -> SVector<f64, 4> {
    let f = film.force(state, work).unwrap();
    SVector::from([f.f.x, f.f.y, f.m.x, f.m.y])
}

fn rate(state: &JournalState) -> SVector<f64, 4> {
    let mid = (state.rate[0] + state.rate[1]) * 0.5;
    let slope = (state.rate[1] - state.rate[0]) / TIAN.length;
    SVector::from([mid.x, mid.y, -slope.y, slope.x])
}

/// At one place and ω. Theory promises it for convex models; half-Sommerfeld films do so, too.
#[test]
fn faster_approach_is_resisted_more() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let (mut work, mut dice) = (film.work(), Dice(7));
        for _ in 0..200 {
            let one = dice.state(5.0);
            let mut two = one;
            two.rate = [dice.pair() * 6e-4, dice.pair() * 6e-4];
            let df = force(&film, &one, &mut work) - force(&film, &two, &mut work);
            let dv = rate(&one) - rate(&two);
            assert!(df.dot(&dv) <= 0.0, "{:?} {one:?} {two:?}", film.model);
        }
    }
}

/// 2π μ ω R³ B/c of a journal in the centre, whatever the model; grooves take their arc away.
#[test]
fn a_centred_journal_has_petroffs_torque() {
    for model in all_models() {
        let grooved: f64 = match &model {
            FilmModel::Finite(FiniteFilm { supply: Supply::Grooves(grooves), .. }) => {
                grooves.iter().map(|groove| groove.width).sum()
            }
            _ => 0.0,
        };
        let film = Film::new(TIAN, model);
        let mut dice = Dice(23);
        for _ in 0..20 {
            let omega = 50.0 * dice.roll();
            let still = state([0.0; 4], [0.0; 4], omega);
            let got = film.force(&still, &mut film.work()).unwrap();
            let FilmShape { viscosity, radius, length, clearance } = TIAN;
            let arc = std::f64::consts::TAU - grooved;
            let petroff = arc * viscosity * omega * radius.powi(3) * length / clearance;
            close(got.torque, -petroff, 1e-12);
            close(got.bearing_torque, petroff, 1e-12);
            close(got.shear, petroff * omega, 1e-12);
        }
    }
}

#[test]
fn a_film_without_rotation_only_damps() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let (mut work, mut dice) = (film.work(), Dice(3));
        for _ in 0..200 {
            let state = dice.state(0.0);
            let power = force(&film, &state, &mut work).dot(&rate(&state));
            assert!(power < 0.0, "{:?} {state:?}: {power}", film.model);
        }
    }
}

#[test]
fn turning_mirroring_and_swapping_ends_change_nothing() {
    for model in all_models() {
        let film = Film::new(TIAN, model.clone());
        let (mut work, mut dice) = (film.work(), Dice(11));
        for _ in 0..40 {
            let s = dice.state(4.0);
            let f = force(&film, &s, &mut work);
            let size = f.fixed_rows::<2>(0).norm();
            let near = |got: SVector<f64, 4>, f: SVector<f64, 4>, what: &str| {
                let d = got - f;
                let error = d.fixed_rows::<2>(0).norm() + d.fixed_rows::<2>(2).norm() / TIAN.length;
                assert!(error < 1e-7 * size, "{what} {model:?} {s:?}: {error:e} of {size:e}");
            };
            let turn = Rotation2::new(1.0);
            let by = |v: Vector2<f64>| turn * v;
            let turned = JournalState { place: s.place.map(by), rate: s.rate.map(by), ..s };
            let a = turn * Vector2::new(f[0], f[1]);
            let m = turn * Vector2::new(f[2], f[3]);
            let grooved = matches!(&model, FilmModel::Finite(film) if matches!(film.supply, Supply::Grooves(_)));
            if !grooved {
                let expected = SVector::from([a.x, a.y, m.x, m.y]);
                near(force(&film, &turned, &mut work), expected, "turned");
            }
            let flip = |v: Vector2<f64>| Vector2::new(v.x, -v.y);
            let mirrored =
                JournalState { place: s.place.map(flip), rate: s.rate.map(flip), omega: -s.omega };
            let expected = SVector::from([f[0], -f[1], -f[2], f[3]]);
            near(force(&film, &mirrored, &mut work), expected, "mirrored");
            let swapped =
                JournalState { place: [s.place[1], s.place[0]], rate: [s.rate[1], s.rate[0]], ..s };
            let expected = SVector::from([f[0], f[1], -f[2], -f[3]]);
            near(force(&film, &swapped, &mut work), expected, "swapped");
        }
    }
}

#[test]
fn a_slight_tilt_changes_little() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let (mut work, mut dice) = (film.work(), Dice(5));
        for _ in 0..40 {
            let mut s = dice.state(4.0);
            s = JournalState::aligned(s.place[0], s.rate[0], s.omega);
            let f = force(&film, &s, &mut work);
            let mut tilted = s;
            tilted.place[0] += Vector2::new(1e-9, -2e-9) * TIAN.clearance;
            let d = force(&film, &tilted, &mut work) - f;
            assert!(d.norm() < 1e-6 * f.norm(), "{:?} {s:?}: {d:?}", film.model);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_calls_before() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let (mut used, mut dice) = (film.work(), Dice(13));
        for _ in 0..60 {
            let s = dice.state(4.0);
            let (a, b) = (force(&film, &s, &mut used), force(&film, &s, &mut film.work()));
            assert_eq!(a, b, "{:?} {s:?}", film.model);
        }
    }
}

/// Answers are kept for the next question about the same state: none of them may differ from a fresh one.
#[test]
fn forces_and_derivatives_may_be_asked_for_in_any_order() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let (mut used, mut dice) = (film.work(), Dice(19));
        for _ in 0..12 {
            let (s, other) = (dice.state(4.0), dice.state(4.0));
            let fresh = film.tangent(&s, &mut film.work()).unwrap();
            let what = format!("{:?} {s:?}", film.model);
            assert_eq!(film.force(&s, &mut used).unwrap(), fresh.0, "{what}");
            assert_eq!(film.tangent(&s, &mut used).unwrap(), fresh, "{what}");
            assert_eq!(film.tangent(&s, &mut used).unwrap(), fresh, "{what}");
            film.tangent(&other, &mut used).unwrap();
            assert_eq!(film.force(&s, &mut used).unwrap(), fresh.0, "{what}");
            assert_eq!(film.tangent(&s, &mut used).unwrap(), fresh, "{what}");
        }
    }
}

/// At rest a film bears nothing and its derivative damps, whatever came before.
#[test]
fn a_film_at_rest_is_ready_to_damp() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let (mut used, mut dice) = (film.work(), Dice(17));
        for tilt in [0.0, 0.3] {
            let moving = dice.state(4.0);
            film.force(&moving, &mut used).unwrap();
            let rest = state([0.4, 0.1, 0.4 - tilt, 0.1 + tilt], [0.0; 4], 0.0);
            let (force, after) = film.tangent(&rest, &mut used).unwrap();
            let (_, fresh) = film.tangent(&rest, &mut film.work()).unwrap();
            assert_eq!(after, fresh, "{:?}", film.model);
            assert_eq!((force.f.norm(), force.m.norm()), (0.0, 0.0), "{:?}", film.model);
            let translation =
                after.by_rate.fixed_view::<2, 2>(0, 0) + after.by_rate.fixed_view::<2, 2>(0, 2);
            let damping = -(translation + translation.transpose()) * 0.5;
            assert!(damping.symmetric_eigenvalues().min() > 0.0, "{:?} {damping}", film.model);
        }
    }
}

#[test]
fn special_states_give_finite_answers() {
    for model in all_models() {
        let film = Film::new(TIAN, model);
        let mut work = film.work();
        for s in [
            state([0.0; 4], [0.0; 4], 0.0),
            state([0.0; 4], [0.0; 4], 10.0),
            state([0.0; 4], [1.0, 0.0, 1.0, 0.0], 0.0),
            state([0.5, 0.0, 0.5, 0.0], [0.0; 4], 0.0),
            state([0.5, 0.0, -0.5, 0.0], [0.0; 4], 10.0),
            state([0.5, 0.0, -0.5, 0.0], [0.0; 4], 0.0),
            state([0.0; 4], [1.0, 0.0, -1.0, 0.0], 0.0),
            state([0.0, 0.0, 0.0, 0.8], [0.0, 0.0, 0.0, 1.0], 0.0),
            state([0.999, 0.0, 0.999, 0.0], [1.0, 1.0, 1.0, 1.0], 10.0),
            state([0.999, 0.0, -0.99, 0.0], [1.0, 1.0, 0.0, 1.0], 10.0),
        ] {
            let (force, tangent) = film.tangent(&s, &mut work).unwrap();
            let fine = force.f.iter().chain(force.m.iter()).all(|x| x.is_finite())
                && force.torque.is_finite()
                && tangent.by_place.iter().chain(tangent.by_rate.iter()).all(|x| x.is_finite());
            assert!(fine, "{:?} {s:?}: {force:?} {tangent:?}", film.model);
        }
    }
}

#[test]
fn a_touching_journal_has_no_film() {
    let film = Film::new(TIAN, FilmModel::Short);
    let touching = film.force(&state([0.2, 0.0, 0.0, -1.0], [0.0; 4], 1.0), &mut film.work());
    let error = touching.unwrap_err();
    assert_eq!((error.min_film, error.place), (0.0, 0.02));
    close(error.angle, -std::f64::consts::FRAC_PI_2, 1e-12);
}
