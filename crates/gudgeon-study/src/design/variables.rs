//! What a variable may be, and what a coordinate of the unit cube means for it.
//!
//! | scale    | from u to the value                       | back                          |
//! |----------|-------------------------------------------|-------------------------------|
//! | linear   | low + u (high − low)                      | (x − low)/(high − low)        |
//! | log      | low (high/low)^u                          | ln(x/low)/ln(high/low)        |
//! | integer  | low + j, j = ⌊u n⌋, n = high − low + 1    | (j + ½)/n                     |
//! | choice   | j = ⌊u n⌋, n names                        | (j + ½)/n                     |
//!
//! The maps rise with u and meet `low` at 0 and `high` at 1 exactly; u outside [0, 1] counts as the
//! nearer end. Of integers and choices every value owns an equal share of [0, 1], and back and forth
//! gives the same value exactly. A choice is a number in the vectors of values, its index.

use gudgeon_model::ranges::Scale;

use super::distribution::Distribution;

/// The values of a variable: chosen from a range, or given by chance.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Range(Range),
    Distribution(Distribution),
}

impl Values {
    /// The value at a coordinate of the unit cube.
    pub fn value(&self, u: f64) -> f64 {
        match self {
            Values::Range(range) => range.value(u),
            Values::Distribution(distribution) => distribution.quantile(u),
        }
    }

    /// The smallest and largest value; indices for choices, `None` where one of them is infinite.
    pub fn bounds(&self) -> Option<(f64, f64)> {
        match self {
            Values::Range(range) => Some(range.bounds()),
            Values::Distribution(distribution) => distribution.bounds(),
        }
    }

    /// A value in the middle; the first of a choice.
    pub fn middle(&self) -> f64 {
        match self {
            Values::Range(range) => range.middle(),
            Values::Distribution(distribution) => distribution.middle(),
        }
    }

    /// The values that can be chosen from, if these are all.
    pub fn choices(&self) -> Option<&[Choice]> {
        match self {
            Values::Range(Range::Choice(choices)) => Some(choices),
            _ => None,
        }
    }

    /// How many values there are, if they can be counted.
    pub fn count(&self) -> Option<usize> {
        match self {
            Values::Range(range) => range.count(),
            Values::Distribution(_) => None,
        }
    }

    /// How values lie between the ends.
    pub fn scale(&self) -> Scale {
        match self {
            Values::Range(Range::Log { .. }) => Scale::Log,
            _ => Scale::Linear,
        }
    }

    pub fn is_integer(&self) -> bool {
        matches!(self, Values::Range(Range::Integer { .. }))
    }
}

/// Values that a designer or a search may choose.
#[derive(Clone, Debug, PartialEq)]
pub enum Range {
    Linear { low: f64, high: f64 },
    Log { low: f64, high: f64 },
    Integer { low: i64, high: i64 },
    Choice(Vec<Choice>),
}

/// One of a few values.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A word, such as the name of a law.
    Text(String),
    /// A value in SI.
    Number(f64),
}

impl std::fmt::Display for Choice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Choice::Text(text) => f.write_str(text),
            Choice::Number(number) => write!(f, "{number}"),
        }
    }
}

/// What is wrong with a range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RangeError {
    #[error("the range is inverted, {low} is above {high}")]
    Inverted { low: f64, high: f64 },
    #[error("the range is empty, it begins and ends at {value}")]
    Empty { value: f64 },
    #[error("bounds must be finite numbers")]
    NotFinite,
    #[error("a logarithmic range needs positive bounds, not {low}")]
    LogNotPositive { low: f64 },
    #[error("an integer range needs whole bounds below 2⁵³, not {bound}")]
    NotWhole { bound: f64 },
    #[error("a choice needs at least two values")]
    TooFewChoices,
    #[error("the choice `{choice}` stands twice")]
    ChoiceTwice { choice: Choice },
    #[error("a study needs at least one variable")]
    None,
}

const WHOLE: f64 = (1u64 << 53) as f64;

impl Range {
    pub fn linear(low: f64, high: f64) -> Result<Self, RangeError> {
        check_ends(low, high)?;
        Ok(Self::Linear { low, high })
    }

    pub fn log(low: f64, high: f64) -> Result<Self, RangeError> {
        check_ends(low, high)?;
        if low <= 0.0 {
            return Err(RangeError::LogNotPositive { low });
        }
        Ok(Self::Log { low, high })
    }

    /// Whole numbers from `low` to `high`, both included.
    pub fn integer(low: f64, high: f64) -> Result<Self, RangeError> {
        check_ends(low, high)?;
        if let Some(&bound) = [low, high].iter().find(|b| b.fract() != 0.0 || b.abs() >= WHOLE) {
            return Err(RangeError::NotWhole { bound });
        }
        Ok(Self::Integer { low: low as i64, high: high as i64 })
    }

    pub fn choice(choices: Vec<Choice>) -> Result<Self, RangeError> {
        if choices.len() < 2 {
            return Err(RangeError::TooFewChoices);
        }
        if let Some(i) = (1..choices.len()).find(|&i| choices[..i].contains(&choices[i])) {
            return Err(RangeError::ChoiceTwice { choice: choices[i].clone() });
        }
        Ok(Self::Choice(choices))
    }

    /// A choice of words.
    pub fn words(words: &[&str]) -> Result<Self, RangeError> {
        Self::choice(words.iter().map(|word| Choice::Text((*word).to_owned())).collect())
    }

    /// The smallest and largest value; indices of a choice.
    pub fn bounds(&self) -> (f64, f64) {
        match self {
            Self::Linear { low, high } | Self::Log { low, high } => (*low, *high),
            Self::Integer { low, high } => (*low as f64, *high as f64),
            Self::Choice(choices) => (0.0, (choices.len() - 1) as f64),
        }
    }

    fn middle(&self) -> f64 {
        match self {
            Self::Linear { low, high } | Self::Log { low, high } => low + 0.5 * (high - low),
            Self::Integer { low, high } => {
                let (low, high) = (*low as f64, *high as f64);
                (low + 0.5 * (high - low)).floor()
            }
            Self::Choice(_) => 0.0,
        }
    }

    /// How many values an integer or choice has; none for continuous variables.
    pub fn count(&self) -> Option<usize> {
        match self {
            Self::Integer { low, high } => Some((high - low) as usize + 1),
            Self::Choice(choices) => Some(choices.len()),
            Self::Linear { .. } | Self::Log { .. } => None,
        }
    }

    /// The value at `u`.
    pub fn value(&self, u: f64) -> f64 {
        match self {
            Self::Linear { low, high } => between(u, *low, *high, |u| low + u * (high - low)),
            Self::Log { low, high } => {
                between(u, *low, *high, |u| (low.ln() + u * (high.ln() - low.ln())).exp())
            }
            Self::Integer { low, .. } => (low + self.cell(u) as i64) as f64,
            Self::Choice(_) => self.cell(u) as f64,
        }
    }

    /// The coordinate of a value; values beyond the range count as its nearer end.
    pub fn unit(&self, value: f64) -> f64 {
        match self {
            Self::Linear { low, high } => ((value - low) / (high - low)).clamp(0.0, 1.0),
            Self::Log { low, high } => {
                let value = value.clamp(*low, *high);
                ((value.ln() - low.ln()) / (high.ln() - low.ln())).clamp(0.0, 1.0)
            }
            Self::Integer { low, .. } => self.centre((value - *low as f64).round()),
            Self::Choice(_) => self.centre(value.round()),
        }
    }

    /// The coordinate that stands for all of the same value: the middle of the cell of an integer or
    /// choice, and `u` itself, brought into [0, 1], of a continuous variable.
    pub fn snap(&self, u: f64) -> f64 {
        match self.count() {
            Some(_) => self.centre(self.cell(u) as f64),
            None => u.clamp(0.0, 1.0),
        }
    }

    /// Coordinates of `wanted` levels for factorial designs: both ends and even steps between them,
    /// or all values of an integer or choice if there are no more than `wanted`.
    pub fn levels(&self, wanted: usize) -> Vec<f64> {
        let count = self.count().map_or(wanted, |n| n.min(wanted));
        let place = |j: usize| if count < 2 { 0.5 } else { j as f64 / (count - 1) as f64 };
        (0..count).map(|j| self.snap(place(j))).collect()
    }

    fn cell(&self, u: f64) -> usize {
        let n = self.count().unwrap_or(1);
        ((u.clamp(0.0, 1.0) * n as f64) as usize).min(n - 1)
    }

    fn centre(&self, cell: f64) -> f64 {
        let n = self.count().unwrap_or(1) as f64;
        (cell.clamp(0.0, n - 1.0) + 0.5) / n
    }
}

/// `map` of u with the ends met exactly. Every step rounds monotonically, hence so does the whole.
fn between(u: f64, low: f64, high: f64, map: impl Fn(f64) -> f64) -> f64 {
    if u <= 0.0 {
        low
    } else if u >= 1.0 {
        high
    } else {
        map(u).clamp(low, high)
    }
}

fn check_ends(low: f64, high: f64) -> Result<(), RangeError> {
    if !low.is_finite() || !high.is_finite() || !(high - low).is_finite() {
        Err(RangeError::NotFinite)
    } else if low > high {
        Err(RangeError::Inverted { low, high })
    } else if low == high {
        Err(RangeError::Empty { value: low })
    } else {
        Ok(())
    }
}

/// The ranges of the variables of a search, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranges(Vec<Range>);

impl Ranges {
    pub fn new(ranges: Vec<Range>) -> Result<Self, RangeError> {
        if ranges.is_empty() { Err(RangeError::None) } else { Ok(Self(ranges)) }
    }

    /// Continuous variables with linear ranges, for mathematical problems.
    pub fn bounds(ranges: &[(f64, f64)]) -> Result<Self, RangeError> {
        Self::new(ranges.iter().map(|r| Range::linear(r.0, r.1)).collect::<Result<_, _>>()?)
    }

    pub fn as_slice(&self) -> &[Range] {
        &self.0
    }

    pub fn dimension(&self) -> usize {
        self.0.len()
    }

    /// Physical values at a point of the unit cube.
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        self.0.iter().zip(point).map(|(v, &u)| v.value(u)).collect()
    }

    /// The point of the unit cube of physical values.
    pub fn units(&self, values: &[f64]) -> Vec<f64> {
        self.0.iter().zip(values).map(|(v, &x)| v.unit(x)).collect()
    }

    /// [`Range::snap`] of every coordinate, in place.
    pub fn snap(&self, point: &mut [f64]) {
        self.0.iter().zip(point).for_each(|(v, u)| *u = v.snap(*u));
    }

    /// Whether there is no integer and no choice among them.
    pub fn continuous(&self) -> bool {
        self.0.iter().all(|v| v.count().is_none())
    }
}
