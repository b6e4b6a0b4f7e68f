//! The variables of a study as axes of the unit cube, and the points of its design.

use gudgeon_model::study::{Design, DesignMethod, Scale, Study, Variable, VariableKind};
use gudgeon_study::design::distribution::Distribution;
use gudgeon_study::design::maximin::Effort;
use gudgeon_study::design::variables::{Variable as Range, Variables};
use gudgeon_study::design::{Filling, factorial_of};

/// What every coordinate of the unit cube means.
#[derive(Debug)]
pub struct Space {
    axes: Vec<Axis>,
}

#[derive(Debug)]
enum Axis {
    Range(Range),
    Spread(Distribution),
}

impl Space {
    pub fn new(study: &Study) -> Result<Space, String> {
        Ok(Space { axes: study.variables.iter().map(axis).collect::<Result<_, _>>()? })
    }

    pub fn dimension(&self) -> usize {
        self.axes.len()
    }

    /// Values at a point of the unit cube: SI, or the index of a choice.
    pub fn values(&self, point: &[f64]) -> Vec<f64> {
        let value = |(axis, u): (&Axis, &f64)| match axis {
            Axis::Range(range) => range.value(*u),
            Axis::Spread(distribution) => distribution.quantile(*u),
        };
        self.axes.iter().zip(point).map(value).collect()
    }

    /// What a search varies: there are no distributions in it.
    pub fn ranges(&self) -> Result<Variables, String> {
        let range = |axis: &Axis| match axis {
            Axis::Range(range) => Ok(range.clone()),
            Axis::Spread(_) => Err("a distribution cannot be searched".to_owned()),
        };
        let ranges = self.axes.iter().map(range).collect::<Result<Vec<_>, _>>()?;
        Variables::new(ranges).map_err(|error| error.to_string())
    }

    /// The points of a design.
    pub fn design(&self, design: &Design, seed: u64) -> Result<Vec<Vec<f64>>, String> {
        let filling = match &design.method {
            DesignMethod::File { points } => return Ok(points.clone()),
            DesignMethod::Factorial { levels } => return self.factorial(levels),
            DesignMethod::Lhs { optimise: true, .. } => Filling::LatinMaximin(Effort::default()),
            DesignMethod::Lhs { centred: true, .. } => Filling::LatinCentred,
            DesignMethod::Lhs { .. } => Filling::LatinRandom,
            DesignMethod::Sobol => Filling::SobolShifted,
            DesignMethod::MonteCarlo => Filling::MonteCarlo,
        };
        let points = filling.sample(design.samples, self.dimension(), seed);
        let points = points.map_err(|error| error.to_string())?;
        Ok(points.iter().map(|point| self.values(point)).collect())
    }

    fn factorial(&self, levels: &[usize]) -> Result<Vec<Vec<f64>>, String> {
        let of = |(axis, count): (&Axis, &usize)| match axis {
            Axis::Range(range) => range.levels(*count),
            Axis::Spread(_) => Vec::new(),
        };
        let axes: Vec<Vec<f64>> = self.axes.iter().zip(levels).map(of).collect();
        let points = factorial_of(&axes).map_err(|error| error.to_string())?;
        Ok(points.iter().map(|point| self.values(point)).collect())
    }
}

fn axis(variable: &Variable) -> Result<Axis, String> {
    let name = variable.name.as_str();
    let range = match &variable.kind {
        VariableKind::Range { low, high, integer: true, .. } => Range::integer(name, *low, *high),
        VariableKind::Range { low, high, scale: Scale::Log, .. } => Range::log(name, *low, *high),
        VariableKind::Range { low, high, .. } => Range::linear(name, *low, *high),
        VariableKind::Choice(choices) => {
            let names: Vec<String> = choices.iter().map(|c| variable.choice_shown(c)).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            Range::choice(name, &names)
        }
        kind => return spread(name, kind).map(Axis::Spread),
    };
    range.map(Axis::Range).map_err(|error| error.to_string())
}

fn spread(name: &str, kind: &VariableKind) -> Result<Distribution, String> {
    let distribution = match *kind {
        VariableKind::Normal { mean, std, limits: None } => {
            Distribution::Normal { mean, deviation: std }
        }
        VariableKind::Normal { mean, std, limits: Some((low, high)) } => {
            Distribution::Truncated { mean, deviation: std, low, high }
        }
        VariableKind::Uniform { low, high } => Distribution::Uniform { low, high },
        VariableKind::Triangular { low, mode, high } => {
            Distribution::Triangular { low, mode, high }
        }
        VariableKind::Range { .. } | VariableKind::Choice(_) => unreachable!("a range"),
    };
    distribution.check(name).map_err(|error| error.to_string())?;
    Ok(distribution)
}
