//! A film: its oil and gap, its model, and the evaluation of both.

use nalgebra::{Vector2, Vector4};

use super::finite::{self, Cavitation, FiniteFilm, FiniteWork, Groove, Supply};
use super::gauss::Gauss;
use super::response::{self, Response, Want};
use super::state::*;
use super::{long, shear, short, short_exact};

/// How the pressure is found.
#[derive(Clone, Debug, PartialEq)]
pub enum FilmModel {
    /// Pressure falls off along ζ only, by tian Eq. 38.
    Short,
    /// The same equation solved exactly for a tilted journal.
    ShortExact(Cavitation),
    /// Pressure changes around the circle only; no grooves.
    Long(Cavitation, Supply),
    /// Pressure in θ and ζ on a grid.
    Finite(FiniteFilm),
}

/// A film of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Film {
    pub shape: FilmShape,
    pub model: FilmModel,
    pub shear: Shear,
    pub moments: Moments,
}

/// Whether the oil's shear by rotation, the first terms of T_J and T_B in (6), is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shear {
    Counted,
    /// Left out, as in papers whose films have radial forces alone.
    Ignored,
}

/// Sign of the moment of the pressure about the middle of the bearing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Moments {
    /// That of the pressure, which resists tipping.
    #[default]
    OfPressure,
    /// The opposite, as tian prints it in Eqs. 41 and 42.
    Printed,
}

/// Memory for evaluations, made once per joint.
#[derive(Clone, Debug)]
pub struct FilmWork {
    gauss: Gauss,
    pub(super) rules: short_exact::Rules,
    pub(super) finite: Option<FiniteWork>,
    /// The last answer: integrators ask for derivatives where they have just asked for forces.
    last: Option<(Ends, Want, Response)>,
}

impl Film {
    pub fn new(shape: FilmShape, model: FilmModel) -> Self {
        Self { shape, model, shear: Shear::Counted, moments: Moments::OfPressure }
    }

    pub fn work(&self) -> FilmWork {
        let finite = match &self.model {
            FilmModel::Finite(film) => Some(FiniteWork::new(&self.shape, film)),
            _ => None,
        };
        FilmWork {
            gauss: Gauss::new(short::POINTS),
            rules: short_exact::Rules::default(),
            last: None,
            finite,
        }
    }

    /// Force, torques, losses and leakage.
    pub fn force(&self, state: &JournalState, work: &mut FilmWork) -> Result<FilmForce, Touching> {
        let ends = self.ends(state)?;
        let answer = self.read(self.response(&ends, work, Want::Force));
        let shear = self.sheared(&ends, work);
        Ok(response::force(&self.shape, state, &ends, &answer, &shear))
    }

    /// The same with all derivatives.
    pub fn tangent(
        &self,
        state: &JournalState,
        work: &mut FilmWork,
    ) -> Result<(FilmForce, FilmTangent), Touching> {
        let ends = self.ends(state)?;
        let answer = self.read(self.response(&ends, work, Want::Tangent));
        let shear = self.sheared(&ends, work);
        let force = response::force(&self.shape, state, &ends, &answer, &shear);
        Ok((force, response::tangent(&self.shape, state, &answer, &shear)))
    }

    /// The response with the moments as they are read. Forces at the ends that are exchanged have the same sum and the opposite
    /// moment, and their power is still what the film takes or gives.
    fn read(&self, mut answer: Response) -> Response {
        if self.moments == Moments::Printed {
            for i in 0..2 {
                answer.q.swap_rows(i, i + 2);
                answer.by_e.swap_rows(i, i + 2);
                answer.by_nu.swap_rows(i, i + 2);
            }
        }
        answer
    }

    /// ∫∫ dθ dζ/h of (6) and its derivative, none where shear is ignored.
    fn sheared(&self, ends: &Ends, work: &FilmWork) -> (f64, Vector4<f64>) {
        match self.shear {
            Shear::Counted => shear::integral(ends, self.grooves(), &work.gauss),
            Shear::Ignored => (0.0, Vector4::zeros()),
        }
    }

    fn grooves(&self) -> &[Groove] {
        match &self.model {
            FilmModel::Finite(FiniteFilm { supply: Supply::Grooves(grooves), .. }) => grooves,
            _ => &[],
        }
    }

    /// e/c and v/c of a journal that nowhere touches.
    pub(super) fn ends(&self, state: &JournalState) -> Result<Ends, Touching> {
        let ends = state.scaled(self.shape.clearance);
        let (e, end) = ends.widest();
        if e < 1.0 {
            return Ok(ends);
        }
        let e_end: Vector2<f64> = ends.e[end];
        Err(Touching {
            min_film: self.shape.clearance * (1.0 - e),
            angle: e_end.y.atan2(e_end.x),
            place: self.shape.length * (end as f64 - 0.5),
        })
    }

    fn response(&self, ends: &Ends, work: &mut FilmWork, want: Want) -> Response {
        match &work.last {
            Some((at, had, answer)) if at == ends && (*had == want || want == Want::Force) => {
                *answer
            }
            _ => {
                let answer = self.evaluate(ends, work, want);
                work.last = Some((*ends, want, answer));
                answer
            }
        }
    }

    fn evaluate(&self, ends: &Ends, work: &mut FilmWork, want: Want) -> Response {
        match &self.model {
            FilmModel::Short => short::response(&self.shape, ends, &work.gauss, want),
            FilmModel::ShortExact(cavitation) => {
                short_exact::response(&self.shape, *cavitation, ends, &work.rules, want)
            }
            FilmModel::Long(cavitation, supply) => {
                long::response(&self.shape, (*cavitation, supply), ends, &work.gauss, want)
            }
            FilmModel::Finite(film) => {
                let work = work.finite.as_mut().expect("made by `work` of this film");
                finite::response(&self.shape, film, ends, work, want)
            }
        }
    }
}
