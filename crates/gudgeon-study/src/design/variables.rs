//! Design variables: what a coordinate of the unit cube means.
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
//! gives the same value exactly. A choice is a number in the vectors of values, that of its name.

/// A variable of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    name: String,
    kind: Kind,
}

/// The range of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    Linear { low: f64, high: f64 },
    Log { low: f64, high: f64 },
    Integer { low: i64, high: i64 },
    Choice(Vec<String>),
}

/// What is wrong with a variable.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VariableError {
    #[error("`{name}`: the range is inverted, {low} is above {high}")]
    Inverted { name: String, low: f64, high: f64 },
    #[error("`{name}`: the range is empty, it begins and ends at {value}")]
    Empty { name: String, value: f64 },
    #[error("`{name}`: bounds must be finite numbers")]
    NotFinite { name: String },
    #[error("`{name}`: a logarithmic range needs positive bounds, not {low}")]
    LogNotPositive { name: String, low: f64 },
    #[error("`{name}`: an integer range needs whole bounds below 2⁵³, not {bound}")]
    NotWhole { name: String, bound: f64 },
    #[error("`{name}`: a choice needs at least two names")]
    TooFewChoices { name: String },
    #[error("`{name}`: the choice `{choice}` stands twice")]
    ChoiceTwice { name: String, choice: String },
    #[error("there are two variables `{name}`")]
    NameTwice { name: String },
    #[error("a study needs at least one variable")]
    None,
}

const WHOLE: f64 = (1u64 << 53) as f64;

impl Variable {
    pub fn linear(name: &str, low: f64, high: f64) -> Result<Self, VariableError> {
        check_range(name, low, high)?;
        Ok(Self { name: name.into(), kind: Kind::Linear { low, high } })
    }

    pub fn log(name: &str, low: f64, high: f64) -> Result<Self, VariableError> {
        check_range(name, low, high)?;
        if low <= 0.0 {
            return Err(VariableError::LogNotPositive { name: name.into(), low });
        }
        Ok(Self { name: name.into(), kind: Kind::Log { low, high } })
    }

    /// Whole numbers from `low` to `high`, both included.
    pub fn integer(name: &str, low: f64, high: f64) -> Result<Self, VariableError> {
        check_range(name, low, high)?;
        if let Some(&bound) = [low, high].iter().find(|b| b.fract() != 0.0 || b.abs() >= WHOLE) {
            return Err(VariableError::NotWhole { name: name.into(), bound });
        }
        let kind = Kind::Integer { low: low as i64, high: high as i64 };
        Ok(Self { name: name.into(), kind })
    }

    pub fn choice(name: &str, choices: &[&str]) -> Result<Self, VariableError> {
        if choices.len() < 2 {
            return Err(VariableError::TooFewChoices { name: name.into() });
        }
        if let Some(i) = (1..choices.len()).find(|&i| choices[..i].contains(&choices[i])) {
            let choice = choices[i].into();
            return Err(VariableError::ChoiceTwice { name: name.into(), choice });
        }
        let names = choices.iter().map(|&c| c.to_owned()).collect();
        Ok(Self { name: name.into(), kind: Kind::Choice(names) })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// How many values an integer or choice has; none for continuous variables.
    pub fn count(&self) -> Option<usize> {
        match &self.kind {
            Kind::Integer { low, high } => Some((high - low) as usize + 1),
            Kind::Choice(names) => Some(names.len()),
            Kind::Linear { .. } | Kind::Log { .. } => None,
        }
    }

    /// The value at `u`.
    pub fn value(&self, u: f64) -> f64 {
        match &self.kind {
            Kind::Linear { low, high } => between(u, *low, *high, |u| low + u * (high - low)),
            Kind::Log { low, high } => {
                between(u, *low, *high, |u| (low.ln() + u * (high.ln() - low.ln())).exp())
            }
            Kind::Integer { low, .. } => (low + self.cell(u) as i64) as f64,
            Kind::Choice(_) => self.cell(u) as f64,
        }
    }

    /// The coordinate of a value; values beyond the range count as its nearer end.
    pub fn unit(&self, value: f64) -> f64 {
        match &self.kind {
            Kind::Linear { low, high } => ((value - low) / (high - low)).clamp(0.0, 1.0),
            Kind::Log { low, high } => {
                let value = value.clamp(*low, *high);
                ((value.ln() - low.ln()) / (high.ln() - low.ln())).clamp(0.0, 1.0)
            }
            Kind::Integer { low, .. } => self.centre((value - *low as f64).round()),
            Kind::Choice(_) => self.centre(value.round()),
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

    /// The name of a choice's value; none for numbers.
    pub fn choice_name(&self, value: f64) -> Option<&str> {
        match &self.kind {
            Kind::Choice(names) => names.get(value as usize).map(String::as_str),
            _ => None,
        }
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

fn check_range(name: &str, low: f64, high: f64) -> Result<(), VariableError> {
    let name = || name.to_owned();
    if !low.is_finite() || !high.is_finite() || !(high - low).is_finite() {
        Err(VariableError::NotFinite { name: name() })
    } else if low > high {
        Err(VariableError::Inverted { name: name(), low, high })
    } else if low == high {
        Err(VariableError::Empty { name: name(), value: low })
    } else {
        Ok(())
    }
}

/// The variables of a study, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Variables(Vec<Variable>);

impl Variables {
    pub fn new(variables: Vec<Variable>) -> Result<Self, VariableError> {
        if variables.is_empty() {
            return Err(VariableError::None);
        }
        let twice = |i: &usize| variables[..*i].iter().any(|v| v.name == variables[*i].name);
        if let Some(i) = (1..variables.len()).find(twice) {
            return Err(VariableError::NameTwice { name: variables[i].name.clone() });
        }
        Ok(Self(variables))
    }

    /// Continuous variables `x1`, `x2`, … with linear ranges, for mathematical problems.
    pub fn bounds(ranges: &[(f64, f64)]) -> Result<Self, VariableError> {
        let variable =
            |(i, r): (usize, &(f64, f64))| Variable::linear(&format!("x{}", i + 1), r.0, r.1);
        Self::new(ranges.iter().enumerate().map(variable).collect::<Result<_, _>>()?)
    }

    pub fn as_slice(&self) -> &[Variable] {
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

    /// [`Variable::snap`] of every coordinate, in place.
    pub fn snap(&self, point: &mut [f64]) {
        self.0.iter().zip(point).for_each(|(v, u)| *u = v.snap(*u));
    }

    /// Whether there is no integer and no choice among them.
    pub fn continuous(&self) -> bool {
        self.0.iter().all(|v| v.count().is_none())
    }
}
