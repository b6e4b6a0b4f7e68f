//! Prescribed velocities that no motion has: G v + g_t = 0 without a solution.
//!
//! In least squares what is left, r = G v + g_t, is a state of stress, Gᵀ r = 0, of all joints and
//! drivers that contradict each other. Where all rows but those of one owner can hold, these are off by
//!
//!   r_J |r|²/|r_J|²                                                                        (1)
//!
//! because rᵀ (G v + g_t) = |r|² whatever v is.

use super::AssemblyError;
use super::close::row_scale;
use super::gaps::Gap;
use super::motion::Rates;
use crate::system::compile::RowSource;
use crate::system::{Curvature, Squares, System, Terms};

/// Rows that are off by less than this share of the largest hold.
const HOLDS: f64 = 1e-6;
/// How often least squares are solved again for what rounding and damping left.
const AGAIN: usize = 4;

/// Joints and drivers whose prescribed velocities cannot all be: each that may be left out for all
/// the others to hold, and by how much it is off then. Drivers, where there are such, for joints
/// prescribe nothing. Where there is no such one, those that are off in the nearest motion.
pub(super) fn contradiction(system: &System, q: &[f64]) -> AssemblyError {
    let mut least = Least::new(system, q);
    let left = least.left_over(&[]);
    let largest = left.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut owners = system.owners();
    owners.retain(|owner| system.rows_of(*owner).any(|row| left[row].abs() > HOLDS * largest));
    owners.sort_by_key(|owner| match *owner {
        RowSource::Driver(id) => (0, id.0),
        RowSource::Joint(id) => (1, id.0),
        RowSource::Body(id) => (2, id.0),
    });
    let mut alone = |owner: &RowSource| {
        let own: Vec<usize> = system.rows_of(*owner).collect();
        let rest = least.left_over(&own);
        let holds = |row: usize| own.contains(&row) || rest[row].abs() <= HOLDS * largest;
        let by = square(&left) / square(&own.iter().map(|&row| left[row]).collect::<Vec<_>>());
        (0..rest.len()).all(holds).then(|| off(system, *owner, &left, by)) // (1)
    };
    let drivers = owners.iter().take_while(|owner| matches!(owner, RowSource::Driver(_))).count();
    let (drivers, joints) = owners.split_at(drivers);
    let mut gaps: Vec<Gap> = drivers.iter().filter_map(&mut alone).collect();
    if gaps.is_empty() {
        gaps = joints.iter().filter_map(&mut alone).collect();
    }
    let others_hold = !gaps.is_empty();
    if !others_hold {
        let named = if drivers.is_empty() { joints } else { drivers };
        gaps = named.iter().map(|owner| off(system, *owner, &left, 1.0)).collect();
    }
    AssemblyError::Contradiction { gaps, others_hold }
}

fn square(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

/// By how much an owner is off, in its own unit: so many times what is left of its worst row.
fn off(system: &System, owner: RowSource, left: &[f64], times: f64) -> Gap {
    let worst = |a: &usize, b: &usize| left[*a].abs().total_cmp(&left[*b].abs());
    let row = system.rows_of(owner).max_by(worst).expect("owners have rows");
    Gap::of_row(system, row, (times * left[row]).abs() * row_scale(system, row))
}

/// The velocities nearest to all that is prescribed.
struct Least<'s> {
    squares: Squares<'s>,
    /// g_t, rows in units of the size.
    prescribed: Vec<f64>,
}

impl<'s> Least<'s> {
    fn new(system: &'s System, q: &[f64]) -> Self {
        let mut squares = Squares::new(system);
        squares.gaps(q);
        let rates = Rates::new(system, q).at(&vec![0.0; system.layout.v]);
        let scaled = rates.iter().enumerate().map(|(row, rate)| rate / row_scale(system, row));
        let prescribed = scaled.collect();
        Self { squares, prescribed }
    }

    /// G v + g_t of the velocities that come nearest to all rows but some.
    fn left_over(&mut self, without: &[usize]) -> Vec<f64> {
        let mut left = self.prescribed.clone();
        let mut terms = Terms::plain(left.len());
        without.iter().for_each(|&row| terms.weights[row] = 0.0);
        for round in 0..AGAIN {
            let stress = terms.stress(&left);
            if round == 0 && !self.squares.factor(&terms, &stress, Curvature::First, 0.0) {
                return left;
            }
            let v = self.squares.solve(&self.squares.gradient(&stress));
            let by = self.squares.change(&v);
            left.iter_mut().zip(by).for_each(|(left, by)| *left -= by);
        }
        left
    }
}
