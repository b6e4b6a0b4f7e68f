//! A path of equilibria over a parameter p, past its limit points.
//!
//! The unknowns are displacements u from the last point, in the size of the mechanism and radians, reactions and
//! π = (p − p₀)/Δ, Δ the range of p. A point of the path is found from a prediction along the tangent τ by
//! Newton's steps across it,
//!
//!   K u + Gᵀ λ = f + f_π dπ,   G u = −g − g_π dπ,   τ_u · u/b + τ_π dπ = 0                   (1)
//!
//! b the number of bodies; f_π and g_π are differences of two mechanisms beside. With u = u₀ + z dπ both parts have
//! the same matrix. Where τ_π changes its sign lies a limit point, found by τ_π(s) = 0 in the arc length s.

use super::balance::{Balance, Steady};
use super::coordinates::Chords;
use super::newton::{Effort, Search};
use super::{EquilibriumError, Prepared};
use crate::modal::is_stable;
use crate::model::Model;
use crate::system::System;

/// The mechanism at a value of the parameter.
pub type Family<'f> = &'f dyn Fn(f64) -> Result<Model, String>;

/// First and longest step of s, and where a path that cannot be followed ends.
const FIRST: f64 = 0.02;
const LONGEST: f64 = 0.08;
const SHORTEST: f64 = 1e-9;
const POINTS: usize = 20_000;
const NEWTONS: usize = 12;
/// Part of the range of p between the mechanisms of differences.
const APART: f64 = 1e-5;
const ARRIVED: f64 = 1e-10;

/// A vector by displacement and one by row.
type Halves = (Vec<f64>, Vec<f64>);
/// One of Newton's steps of (1), dπ and its largest displacement.
type Across = (super::newton::Step, f64, f64);

/// A point of a path.
#[derive(Clone, Debug)]
pub struct PathPoint {
    /// The parameter, SI.
    pub value: f64,
    /// State and reactions.
    pub y: Vec<f64>,
    pub lambda: Vec<f64>,
    pub stable: Option<bool>,
    /// The parameter turns back here.
    pub limit: bool,
    /// One of the values that were asked for.
    pub requested: bool,
}

/// A path and why it ended, where that is not its last value.
#[derive(Debug)]
pub struct Path {
    pub points: Vec<PathPoint>,
    pub ended: Option<EquilibriumError>,
    pub steps: usize,
}

/// Where a path is, and where it leads.
#[derive(Clone, Debug)]
struct At {
    pi: f64,
    y: Vec<f64>,
    lambda: Vec<f64>,
    /// τ_u and τ_π.
    tangent: (Vec<f64>, f64),
    stable: Option<bool>,
}

struct Tracer<'f, 'e> {
    family: Family<'f>,
    steady: Steady,
    from: f64,
    span: f64,
    effort: &'e mut Effort<'e>,
    steps: usize,
    bodies: f64,
}

/// Follows the equilibria of a family from the first value to the last. `start` is the equilibrium at the first.
pub(super) fn follow<'f, 'e>(
    family: Family<'f>,
    values: &[f64],
    start: (&Balance, Steady),
    effort: &'e mut Effort<'e>,
) -> Path {
    let (from, to) = (values[0], values[values.len() - 1]);
    let (balance, steady) = start;
    let bodies = balance.system().bodies.len().max(1) as f64;
    let mut tracer = Tracer { family, steady, from, span: to - from, effort, steps: 0, bodies };
    let begin = At {
        pi: 0.0,
        y: balance.y.clone(),
        lambda: balance.lambda.clone(),
        tangent: (vec![0.0; balance.unit.len()], 1.0),
        stable: None,
    };
    let mut points = Vec::new();
    let ended = tracer.trace(begin, values, &mut points).err();
    Path { points, ended, steps: tracer.steps }
}

impl Tracer<'_, '_> {
    fn trace(
        &mut self,
        begin: At,
        values: &[f64],
        points: &mut Vec<PathPoint>,
    ) -> Result<(), EquilibriumError> {
        let mut at = self.correct(&begin, 0.0)?.ok_or(EquilibriumError::NotFinite)?;
        if at.tangent.1 < 0.0 {
            at.tangent.1 = -at.tangent.1;
            at.tangent.0.iter_mut().for_each(|u| *u = -*u);
        }
        points.push(self.point(&at, false, true));
        let wanted: Vec<f64> = values.iter().map(|value| (value - self.from) / self.span).collect();
        let mut step = FIRST;
        while points.len() < POINTS {
            let next = loop {
                match self.correct(&at, step)? {
                    Some(next) if turns_slowly(&at, &next, self.bodies) => break next,
                    _ if step < SHORTEST => return Err(self.lost(&at)),
                    _ => step *= 0.5,
                }
            };
            let ended = self.between(&at, &next, step, &wanted, points)?;
            if ended || next.pi < -1.0 {
                return Ok(());
            }
            points.push(self.point(&next, false, false));
            at = next;
            step = (1.6 * step).min(LONGEST);
        }
        Err(self.lost(&at))
    }

    /// Limit points and values that were asked for between two points, in their order; whether the last value is
    /// reached.
    fn between(
        &mut self,
        at: &At,
        next: &At,
        step: f64,
        wanted: &[f64],
        points: &mut Vec<PathPoint>,
    ) -> Result<bool, EquilibriumError> {
        let mut found: Vec<(f64, At, bool)> = Vec::new();
        let mut cuts = vec![(0.0, at.clone()), (step, next.clone())];
        if (at.tangent.1 < 0.0) != (next.tangent.1 < 0.0) {
            let limit = self.root(at, (at.tangent.1, next.tangent.1, step), |at| at.tangent.1)?;
            if let Some((s, limit)) = limit {
                cuts.insert(1, (s, limit.clone()));
                found.push((s, limit, true));
            }
        }
        let last = wanted.len() - 1;
        let mut ended = None;
        for pair in cuts.windows(2) {
            let (low, high) = (pair[0].1.pi, pair[1].1.pi);
            for (i, &value) in wanted.iter().enumerate() {
                let (before, after) = (low - value, high - value);
                if before == 0.0 || (before < 0.0) == (after < 0.0) {
                    continue;
                }
                let (from, length) = (pair[0].0, pair[1].0 - pair[0].0);
                let root = self.root(&pair[0].1, (before, after, length), |at| at.pi - value)?;
                let Some((s, mut there)) = root else { continue };
                there.pi = value;
                if i == last && before < 0.0 {
                    ended = Some(from + s);
                }
                found.push((from + s, there, false));
            }
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (s, at, limit) in found {
            if ended.is_some_and(|end| s > end) {
                break;
            }
            points.push(self.point(&at, limit, !limit));
        }
        Ok(ended.is_some())
    }

    /// Where a function along the path, known at both ends of a step, passes zero.
    fn root(
        &mut self,
        at: &At,
        (mut low, mut high, step): (f64, f64, f64),
        value: impl Fn(&At) -> f64,
    ) -> Result<Option<(f64, At)>, EquilibriumError> {
        let (mut a, mut b) = (0.0, step);
        let mut best = None;
        for round in 0..60 {
            // False position, halved where it stays on one side.
            let share = if round % 3 == 2 { 0.5 } else { low / (low - high) };
            let s = a + (b - a) * share.clamp(1e-3, 1.0 - 1e-3);
            let Some(there) = self.correct(at, s)? else { return Ok(best) };
            let now = value(&there);
            best = Some((s, there));
            if now == 0.0 || (b - a) < 1e-14 * step || now.abs() < 1e-14 {
                break;
            }
            match (now < 0.0) == (low < 0.0) {
                true => (a, low) = (s, now),
                false => (b, high) = (s, now),
            }
        }
        Ok(best)
    }

    fn system(&self, pi: f64) -> Result<System, EquilibriumError> {
        let value = self.from + pi * self.span;
        let failed = |cause: String| EquilibriumError::NoModel { value, cause };
        let model = (self.family)(value).map_err(failed)?;
        System::compile(&Prepared::model(&model)).map_err(|error| failed(error.to_string()))
    }

    /// (f − Gᵀλ, g) of a mechanism beside, scaled.
    fn beside(&self, at: &At, pi: f64) -> Result<Option<Halves>, EquilibriumError> {
        let system = self.system(pi)?;
        let Ok(mut balance) = Balance::new(&system, at.y.clone(), self.steady) else {
            return Ok(None);
        };
        balance.lambda.copy_from_slice(&at.lambda);
        Ok(Some((balance.imbalance(), balance.terms.gaps.clone())))
    }

    /// The point of the path a step of s further on, with its tangent; none where Newton's steps lose it.
    fn correct(&mut self, from: &At, s: f64) -> Result<Option<At>, EquilibriumError> {
        let mut at = from.clone();
        at.pi += s * from.tangent.1;
        let mut ahead: Vec<f64> = from.tangent.0.iter().map(|u| s * u).collect();
        for _ in 0..NEWTONS {
            self.effort.goes_on()?;
            self.steps += 1;
            let system = self.system(at.pi)?;
            let Ok(mut balance) = Balance::new(&system, at.y.clone(), self.steady) else {
                return Ok(None);
            };
            balance.lambda.copy_from_slice(&at.lambda);
            balance.displace(&ahead, 1.0);
            ahead.fill(0.0);
            if balance.evaluate().is_err() {
                return Ok(None);
            }
            balance.find_dependent();
            at.y.copy_from_slice(&balance.y);
            let Ok(mut search) = Search::new(&mut balance) else { return Ok(None) };
            let Some(next) = self.across(&mut search, &at, from)? else { return Ok(None) };
            let (by, change, size) = next;
            at.pi += change;
            if size.max(change.abs()) > 0.5 {
                return Ok(None);
            }
            drop(search);
            balance.displace(&by.by, 1.0);
            balance.lambda.copy_from_slice(&by.lambda);
            at.lambda.copy_from_slice(&by.lambda);
            at.y.copy_from_slice(&balance.y);
            if size < ARRIVED && change.abs() < ARRIVED {
                return self.arrive(at, from);
            }
        }
        Ok(None)
    }

    /// One of Newton's steps of (1): the step, dπ and the largest displacement.
    fn across(
        &mut self,
        search: &mut Search,
        at: &At,
        from: &At,
    ) -> Result<Option<Across>, EquilibriumError> {
        let Ok(pencil) = search.balance.pencil(Chords::LeftOut) else { return Ok(None) };
        let s = (1e-14 * pencil.fastest()).sqrt();
        let Some(mut step) = search.step(&pencil, s) else { return Ok(None) };
        let Some((z, reactions)) = self.slope(search, &pencil, s, at)? else { return Ok(None) };
        let dot =
            |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() / self.bodies;
        let (tangent, along) = (&from.tangent.0, from.tangent.1);
        let change = -dot(tangent, &step.by) / (dot(tangent, &z) + along);
        if !change.is_finite() {
            return Ok(None);
        }
        step.by.iter_mut().zip(&z).for_each(|(u, z)| *u += change * z);
        step.lambda.iter_mut().zip(&reactions).for_each(|(l, r)| *l += change * r);
        let size = step.by.iter().fold(0.0f64, |most, u| most.max(u.abs()));
        Ok(Some((step, change, size)))
    }

    /// z and its reactions.
    fn slope(
        &mut self,
        search: &mut Search,
        pencil: &crate::pencil::Pencil,
        s: f64,
        at: &At,
    ) -> Result<Option<Halves>, EquilibriumError> {
        let sides = (self.beside(at, at.pi + APART)?, self.beside(at, at.pi - APART)?);
        let (Some(plus), Some(minus)) = sides else { return Ok(None) };
        let change = |a: &[f64], b: &[f64]| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * APART)).collect()
        };
        let force = change(&plus.0, &minus.0);
        let mut gaps = change(&plus.1, &minus.1);
        gaps.iter_mut().zip(&pencil.row_scale).for_each(|(gap, scale)| *gap *= -scale);
        Ok(search.solved(pencil, s, &force, &gaps).map(|step| (step.by, step.lambda)))
    }

    /// The tangent and the stability of a point that was found.
    fn arrive(&mut self, mut at: At, from: &At) -> Result<Option<At>, EquilibriumError> {
        let system = self.system(at.pi)?;
        let Ok(mut balance) = Balance::new(&system, at.y.clone(), self.steady) else {
            return Ok(None);
        };
        balance.lambda.copy_from_slice(&at.lambda);
        let Ok(mut search) = Search::new(&mut balance) else { return Ok(None) };
        let Ok(pencil) = search.balance.pencil(Chords::LeftOut) else { return Ok(None) };
        let s = (1e-14 * pencil.fastest()).sqrt();
        if search.factors.factor(&pencil, s).is_err() {
            return Ok(None);
        }
        let Some((z, _)) = self.slope(&mut search, &pencil, s, &at)? else { return Ok(None) };
        let length = (z.iter().map(|z| z * z).sum::<f64>() / self.bodies + 1.0).sqrt();
        let ahead = z.iter().zip(&from.tangent.0).map(|(a, b)| a * b).sum::<f64>() / self.bodies
            + from.tangent.1;
        let sign = if ahead < 0.0 { -1.0 } else { 1.0 };
        at.tangent = (z.iter().map(|z| sign * z / length).collect(), sign / length);
        at.stable = is_stable(&pencil);
        at.y.copy_from_slice(&balance.y);
        Ok(Some(at))
    }

    fn point(&self, at: &At, limit: bool, requested: bool) -> PathPoint {
        PathPoint {
            value: self.from + at.pi * self.span,
            y: at.y.clone(),
            lambda: at.lambda.clone(),
            // At a limit point one direction is held by nothing.
            stable: at.stable.filter(|_| !limit),
            limit,
            requested,
        }
    }

    fn lost(&self, at: &At) -> EquilibriumError {
        EquilibriumError::PathLost { value: self.from + at.pi * self.span }
    }
}

/// Whether the tangents at both ends of a step point the same way, within some 20 degrees.
fn turns_slowly(at: &At, next: &At, bodies: f64) -> bool {
    let part = at.tangent.0.iter().zip(&next.tangent.0).map(|(a, b)| a * b).sum::<f64>() / bodies;
    part + at.tangent.1 * next.tangent.1 > 0.94
}
