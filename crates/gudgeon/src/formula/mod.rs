//! Functions of several quantities, made of pieces: what expressions of the state become.
//!
//!   y = f(x; p),   ∂y/∂x        x inputs, p pieces                                          (1)
//!
//! A formula is a list of steps, each of which writes one register from those before it. Where it is made
//! of pieces (conditions, magnitudes, cells of tables) it has *sites*: a site looks at a register, and its
//! piece p says on which side of zero, or between which levels, that register counts as being. With
//! p held the formula is smooth; p is memory of the mechanism, changed by events only (`switches`).
//!
//! Derivatives are exact: one sweep from the last register back to the inputs gives all of (1).
//!
//! | site | piece p | holds while |
//! |---|---|---|
//! | sign of g  | 1, 0                              | g ≥ 0, g ≤ 0 |
//! | whole of g | ⌊g⌋                               | p ≤ g ≤ p + 1 |
//! | cell of g  | number of the cell of a curve     | g between the ends of the cell |
//!
//! Whole parts and cells hold a little farther, by rounding of g: an angle that a driver prescribes may come
//! back by its last bit.

mod compose;
mod curve;
mod left;
mod root;
mod smooth;
mod surface;

pub use curve::{Curve, Interpolation, Knots, Outside};
pub use left::{Input, Left};
pub use smooth::Smooth;
pub use surface::Surface;

use curve::ROUNDING;
use smooth::{power, power_slope};

/// Number of a register or site.
pub type Place = u32;

/// Most steps a formula may have.
pub const MAX_STEPS: usize = 1024;
/// Most inputs a formula may have.
pub const MAX_INPUTS: usize = 32;

/// Writes one register from those before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    Constant(f64),
    Input(Place),
    Add(Place, Place),
    Multiply(Place, Place),
    Divide(Place, Place),
    /// A factor times a register.
    Scale(f64, Place),
    /// A register plus a number.
    Shift(f64, Place),
    /// A register to a constant power.
    Power(Place, f64),
    PowerOf(Place, Place),
    Smooth(Smooth, Place),
    /// y, x
    Atan2(Place, Place),
    Hypot(Place, Place),
    /// The second register where the piece of a sign site is 1, else the third.
    Choose(Place, Place, Place),
    /// The piece of a site as a number.
    Whole(Place),
    /// A curve at a register, in the cell that a site holds.
    Curve {
        curve: Place,
        x: Place,
        site: Place,
    },
    /// A surface over two registers, in the cells that two sites hold.
    Surface {
        surface: Place,
        at: [Place; 2],
        sites: [Place; 2],
    },
}

/// Where a formula is made of pieces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Site {
    /// Side of zero of a register.
    Sign(Place),
    /// Whole part of a register.
    Whole(Place),
    /// Cell of a curve in which a register lies.
    Cell { curve: Place, x: Place },
    /// Cell of a surface along its first or second input.
    Band { surface: Place, axis: usize, x: Place },
}

impl Site {
    /// The same with its register renamed.
    fn renamed(self, name: impl Fn(Place) -> Place) -> Self {
        match self {
            Self::Sign(x) => Self::Sign(name(x)),
            Self::Whole(x) => Self::Whole(name(x)),
            Self::Cell { curve, x } => Self::Cell { curve, x: name(x) },
            Self::Band { surface, axis, x } => Self::Band { surface, axis, x: name(x) },
        }
    }

    /// The register it looks at.
    fn watched(&self) -> usize {
        match *self {
            Self::Sign(x) | Self::Whole(x) => x as usize,
            Self::Cell { x, .. } | Self::Band { x, .. } => x as usize,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    steps: Vec<Step>,
    sites: Vec<Site>,
    curves: Vec<Curve>,
    surfaces: Vec<Surface>,
}

/// Calls `with` with as many registers as a formula needs, none of them on the heap.
macro_rules! registers {
    ($count:expr, $with:expr) => {
        match $count {
            0..=16 => $with(&mut [0.0; 16]),
            17..=64 => $with(&mut [0.0; 64]),
            65..=256 => $with(&mut [0.0; 256]),
            _ => $with(&mut [0.0; MAX_STEPS]),
        }
    };
}

impl Formula {
    /// Adds a step and says where its value will be; a formula that has [`MAX_STEPS`] steps takes no more
    /// and is [`too long`](Self::is_too_long).
    pub fn push(&mut self, step: Step) -> Place {
        self.steps.push(step);
        (self.steps.len() - 1) as Place
    }

    pub fn push_site(&mut self, site: Site) -> Place {
        self.sites.push(site);
        (self.sites.len() - 1) as Place
    }

    /// Adds a curve at a register.
    pub fn push_curve(&mut self, curve: Curve, x: Place) -> Place {
        let number = self.curves.len() as Place;
        self.curves.push(curve);
        let site = self.push_site(Site::Cell { curve: number, x });
        self.push(Step::Curve { curve: number, x, site })
    }

    /// Adds a surface over two registers.
    pub fn push_surface(&mut self, surface: Surface, at: [Place; 2]) -> Place {
        let number = self.surfaces.len() as Place;
        self.surfaces.push(surface);
        let mut band =
            |axis: usize| self.push_site(Site::Band { surface: number, axis, x: at[axis] });
        let sites = [band(0), band(1)];
        self.push(Step::Surface { surface: number, at, sites })
    }

    pub fn is_too_long(&self) -> bool {
        self.steps.len() > MAX_STEPS
    }

    /// How many pieces it has in memory.
    pub fn sites(&self) -> usize {
        self.sites.len()
    }

    /// Whether its value depends on an input, on some pieces.
    pub fn reads(&self, input: usize) -> bool {
        self.dependent(input).last().is_some_and(|last| *last)
            || self.sites.iter().any(|site| self.dependent(input)[site.watched()])
    }

    /// Whether pieces depend on an input.
    pub fn sites_read(&self, input: usize) -> bool {
        let dependent = self.dependent(input);
        self.sites.iter().any(|site| dependent[site.watched()])
    }

    /// Registers that depend on an input.
    fn dependent(&self, input: usize) -> Vec<bool> {
        let mut out: Vec<bool> = Vec::with_capacity(self.steps.len());
        for step in &self.steps {
            let own = match *step {
                Step::Input(i) => i as usize == input,
                Step::Whole(site) => out[self.sites[site as usize].watched()],
                _ => step.sources().any(|place| out[place as usize]),
            };
            out.push(own);
        }
        out
    }

    /// The value at `inputs`, on the given pieces; where these have none, as x^1.5 beyond x = 0, on those
    /// that hold there: steps reach a little beyond the end of a piece before it is located.
    pub fn value(&self, inputs: &[f64], pieces: &[i32]) -> f64 {
        let value = self.value_on(inputs, pieces);
        if value.is_nan() && !self.sites.is_empty() {
            return self.on_own_pieces(inputs, |own| self.value_on(inputs, own));
        }
        value
    }

    /// Calls `with` with the pieces that hold at `inputs`.
    pub fn on_own_pieces<R>(&self, inputs: &[f64], with: impl FnOnce(&[i32]) -> R) -> R {
        let mut own = [0; MAX_STEPS];
        let own = &mut own[..self.sites.len()];
        self.find_pieces(inputs, own);
        with(own)
    }

    fn value_on(&self, inputs: &[f64], pieces: &[i32]) -> f64 {
        let last = self.steps.len() - 1;
        registers!(self.steps.len(), |r: &mut [f64]| {
            self.fill(inputs, pieces, r);
            r[last]
        })
    }

    /// The value at `inputs` on the pieces that hold there, for formulas without memory; NaN where a piece
    /// is undefined or a table left that must not be.
    pub fn value_now(&self, inputs: &[f64]) -> f64 {
        let last = self.steps.len() - 1;
        registers!(self.steps.len(), |r: &mut [f64]| {
            let found = |site: Place, r: &[f64]| {
                let site = site as usize;
                let piece = self.piece(site, r)?;
                (!self.is_outside(site, piece)).then_some(piece)
            };
            self.fill_with(inputs, found, r);
            r[last]
        })
    }

    /// Whether a piece lies beyond the ends of a table that must not be left.
    fn is_outside(&self, site: usize, piece: i32) -> bool {
        match self.sites[site] {
            Site::Sign(_) | Site::Whole(_) => false,
            Site::Cell { curve, .. } => self.curves[curve as usize].knots().leaves(piece),
            Site::Band { surface, axis, .. } => {
                self.surfaces[surface as usize].axis(axis).leaves(piece)
            }
        }
    }

    /// The value and, in `out`, its derivatives by the inputs; on pieces as [`value`](Self::value).
    pub fn gradient(&self, inputs: &[f64], pieces: &[i32], out: &mut [f64]) -> f64 {
        let value = self.gradient_on(inputs, pieces, out);
        if value.is_nan() && !self.sites.is_empty() {
            return self.on_own_pieces(inputs, |own| self.gradient_on(inputs, own, out));
        }
        value
    }

    fn gradient_on(&self, inputs: &[f64], pieces: &[i32], out: &mut [f64]) -> f64 {
        let count = self.steps.len();
        out.fill(0.0);
        registers!(count, |r: &mut [f64]| registers!(count, |weights: &mut [f64]| {
            self.fill(inputs, pieces, r);
            weights[count - 1] = 1.0;
            for i in (0..count).rev() {
                if weights[i] != 0.0 {
                    self.pull_back(i, pieces, r, weights, out);
                }
            }
            r[count - 1]
        }))
    }

    /// Two values per site that are positive while its piece holds: towards lower and towards higher pieces.
    pub fn switches(&self, inputs: &[f64], pieces: &[i32], out: &mut [f64]) {
        registers!(self.steps.len(), |r: &mut [f64]| {
            self.fill(inputs, pieces, r);
            for ((site, piece), out) in self.sites.iter().zip(pieces).zip(out.chunks_exact_mut(2)) {
                let values = self.distances(site, *piece, r);
                // What is not defined is no event.
                out.copy_from_slice(&values.map(|x| if x.is_nan() { 1.0 } else { x }));
            }
        });
    }

    /// The pieces that hold at `inputs`. A site that reads others comes after them.
    pub fn find_pieces(&self, inputs: &[f64], pieces: &mut [i32]) {
        registers!(self.steps.len(), |r: &mut [f64]| {
            for i in 0..self.sites.len() {
                self.fill(inputs, pieces, r);
                pieces[i] = self.piece(i, r).unwrap_or_default();
            }
        });
    }

    /// The piece of a site by the registers before it; none where what it looks at is undefined.
    fn piece(&self, site: usize, r: &[f64]) -> Option<i32> {
        let at = |place: Place| Some(r[place as usize]).filter(|x| !x.is_nan());
        Some(match self.sites[site] {
            Site::Sign(g) => i32::from(at(g)? >= 0.0),
            Site::Whole(g) => at(g)?.floor() as i32,
            Site::Cell { curve, x } => self.curves[curve as usize].cell(at(x)?),
            Site::Band { surface, axis, x } => {
                self.surfaces[surface as usize].axis(axis).cell(at(x)?)
            }
        })
    }

    /// The piece behind the lower or upper end of another.
    pub fn next_piece(&self, site: usize, piece: i32, upper: bool) -> i32 {
        match self.sites[site] {
            Site::Sign(_) => i32::from(upper),
            Site::Whole(_) | Site::Cell { .. } | Site::Band { .. } if upper => {
                piece.saturating_add(1)
            }
            Site::Whole(_) | Site::Cell { .. } | Site::Band { .. } => piece.saturating_sub(1),
        }
    }

    /// The first table that must not be left and was, among those that the value follows from: branches
    /// that are not taken may be anywhere.
    pub fn left(&self, inputs: &[f64], pieces: &[i32]) -> Option<Left> {
        let count = self.steps.len();
        registers!(count, |r: &mut [f64]| registers!(count, |live: &mut [f64]| {
            self.fill(inputs, pieces, r);
            live[count - 1] = 1.0;
            for i in (0..count).rev() {
                if live[i] != 0.0 {
                    self.each_operand(i, pieces, &mut |place: Place| live[place as usize] = 1.0);
                }
            }
            (0..count).filter(|i| live[*i] != 0.0).find_map(|i| self.left_at(i, pieces, r))
        }))
    }

    fn left_at(&self, i: usize, pieces: &[i32], r: &[f64]) -> Option<Left> {
        match self.steps[i] {
            Step::Curve { curve, x, site } => {
                let knots = self.curves[curve as usize].knots();
                knots.left(pieces[site as usize], r[x as usize])
            }
            Step::Surface { surface, at, sites } => (0..2).find_map(|axis| {
                let knots = self.surfaces[surface as usize].axis(axis);
                knots.left(pieces[sites[axis] as usize], r[at[axis] as usize])
            }),
            _ => None,
        }
    }

    /// Visits the registers that a step reads on the given pieces, and those its sites look at.
    fn each_operand(&self, i: usize, pieces: &[i32], visit: &mut dyn FnMut(Place)) {
        let looked_at = |site: Place| match self.sites[site as usize] {
            Site::Sign(g) | Site::Whole(g) => g,
            Site::Cell { x, .. } | Site::Band { x, .. } => x,
        };
        match self.steps[i] {
            Step::Constant(_) | Step::Input(_) => {}
            Step::Scale(_, a) | Step::Shift(_, a) | Step::Power(a, _) | Step::Smooth(_, a) => {
                visit(a);
            }
            Step::Add(a, b)
            | Step::Multiply(a, b)
            | Step::Divide(a, b)
            | Step::PowerOf(a, b)
            | Step::Atan2(a, b)
            | Step::Hypot(a, b) => [a, b].into_iter().for_each(visit),
            Step::Choose(site, yes, no) => {
                visit(looked_at(site));
                visit(if pieces[site as usize] > 0 { yes } else { no });
            }
            Step::Whole(site) => visit(looked_at(site)),
            Step::Curve { x, .. } => visit(x),
            Step::Surface { at, .. } => at.into_iter().for_each(visit),
        }
    }

    fn distances(&self, site: &Site, piece: i32, r: &[f64]) -> [f64; 2] {
        match *site {
            Site::Sign(g) if piece > 0 => [r[g as usize], 1.0],
            Site::Sign(g) => [1.0, -r[g as usize]],
            Site::Whole(g) => {
                let (g, low) = (r[g as usize], f64::from(piece));
                let slack = ROUNDING * g.abs().max(1.0);
                [g - low + slack, low + 1.0 - g + slack]
            }
            Site::Cell { curve, x } => {
                self.curves[curve as usize].knots().margins(piece, r[x as usize])
            }
            Site::Band { surface, axis, x } => {
                self.surfaces[surface as usize].axis(axis).margins(piece, r[x as usize])
            }
        }
    }

    fn fill(&self, inputs: &[f64], pieces: &[i32], r: &mut [f64]) {
        self.fill_with(inputs, |site, _| Some(pieces[site as usize]), r);
    }

    /// Fills the registers; `piece` finds that of a site from those before it, if there is one.
    #[inline]
    fn fill_with(
        &self,
        inputs: &[f64],
        piece: impl Fn(Place, &[f64]) -> Option<i32>,
        r: &mut [f64],
    ) {
        for (i, step) in self.steps.iter().enumerate() {
            let at = |place: Place| r[place as usize];
            let piece = |site: Place| piece(site, r);
            let value = match *step {
                Step::Constant(value) => value,
                Step::Input(input) => inputs[input as usize],
                Step::Add(a, b) => at(a) + at(b),
                Step::Multiply(a, b) => at(a) * at(b),
                Step::Divide(a, b) => at(a) / at(b),
                Step::Scale(factor, a) => factor * at(a),
                Step::Shift(by, a) => by + at(a),
                Step::Power(a, n) => power(at(a), n),
                Step::PowerOf(a, b) => at(a).powf(at(b)),
                Step::Smooth(function, a) => function.value(at(a)),
                Step::Atan2(y, x) => at(y).atan2(at(x)),
                Step::Hypot(a, b) => at(a).hypot(at(b)),
                Step::Choose(site, yes, no) => {
                    piece(site).map_or(f64::NAN, |piece| at(if piece > 0 { yes } else { no }))
                }
                Step::Whole(site) => piece(site).map_or(f64::NAN, f64::from),
                Step::Curve { curve, x, site } => piece(site)
                    .map_or(f64::NAN, |cell| self.curves[curve as usize].at(at(x), cell).0),
                Step::Surface { surface, at: [x, y], sites: [a, b] } => {
                    piece(a).zip(piece(b)).map_or(f64::NAN, |(a, b)| {
                        self.surfaces[surface as usize].at([at(x), at(y)], [a, b]).0
                    })
                }
            };
            r[i] = value;
        }
    }

    /// Hands the weight of register `i` down to those it was made of.
    fn pull_back(&self, i: usize, pieces: &[i32], r: &[f64], weights: &mut [f64], out: &mut [f64]) {
        let weight = weights[i];
        let at = |place: Place| r[place as usize];
        let mut add = |place: Place, slope: f64| weights[place as usize] += weight * slope;
        match self.steps[i] {
            Step::Constant(_) | Step::Whole(_) => {}
            Step::Input(input) => out[input as usize] += weight,
            Step::Add(a, b) => {
                add(a, 1.0);
                add(b, 1.0);
            }
            Step::Multiply(a, b) => {
                add(a, at(b));
                add(b, at(a));
            }
            Step::Divide(a, b) => {
                add(a, 1.0 / at(b));
                add(b, -r[i] / at(b));
            }
            Step::Scale(factor, a) => add(a, factor),
            Step::Shift(_, a) => add(a, 1.0),
            Step::Power(a, n) => add(a, power_slope(at(a), n)),
            Step::PowerOf(a, b) => {
                add(a, at(b) * at(a).powf(at(b) - 1.0));
                add(b, r[i] * at(a).ln());
            }
            Step::Smooth(function, a) => add(a, function.derivatives(at(a))[1]),
            Step::Atan2(y, x) => {
                let square = at(x) * at(x) + at(y) * at(y);
                add(y, at(x) / square);
                add(x, -at(y) / square);
            }
            Step::Hypot(a, b) => {
                let share = |x: f64| if r[i] > 0.0 { x / r[i] } else { 0.0 };
                add(a, share(at(a)));
                add(b, share(at(b)));
            }
            Step::Choose(site, yes, no) => {
                add(if pieces[site as usize] > 0 { yes } else { no }, 1.0);
            }
            Step::Curve { curve, x, site } => {
                add(x, self.curves[curve as usize].at(at(x), pieces[site as usize]).1);
            }
            Step::Surface { surface, at: [x, y], sites } => {
                let cells = sites.map(|site| pieces[site as usize]);
                let (_, slopes) = self.surfaces[surface as usize].at([at(x), at(y)], cells);
                add(x, slopes[0]);
                add(y, slopes[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests;
