//! What one number can be taken of a run: statistics of outputs and of impacts.

use crate::results::Impact;

/// Of an output, over the measuring window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    Max,
    Min,
    /// When these are met, s.
    TimeOfMax,
    TimeOfMin,
    AbsMax,
    Rms,
    Mean,
    /// At the end of the run.
    Final,
    /// Largest minus smallest value.
    Range,
    /// In percent, 0 to 100.
    Percentile(f64),
    /// At the start of the run.
    Start,
    /// Of the largest magnitudes of every whole turn of the driver.
    Turns(TurnStatistic),
}

/// Over turns of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnStatistic {
    Median,
    Max,
    Min,
}

/// Of a field, over impacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactStatistic {
    Sum,
    Max,
    Mean,
    Min,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactField {
    /// All the energy that an impact cost, friction included.
    Loss,
    FrictionLoss,
    PeakForce,
    PeakDepth,
    SpeedIn,
    SpeedOut,
    Restitution,
    Duration,
    /// When it begins.
    Time,
}

impl Statistic {
    /// All that take no number.
    pub const PLAIN: [Self; 13] = [
        Self::Max,
        Self::Min,
        Self::TimeOfMax,
        Self::TimeOfMin,
        Self::AbsMax,
        Self::Rms,
        Self::Mean,
        Self::Final,
        Self::Range,
        Self::Start,
        Self::Turns(TurnStatistic::Median),
        Self::Turns(TurnStatistic::Max),
        Self::Turns(TurnStatistic::Min),
    ];

    /// Whether it is an instant, whatever the output is.
    pub fn is_time(self) -> bool {
        matches!(self, Self::TimeOfMax | Self::TimeOfMin)
    }

    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Min => "min",
            Self::TimeOfMax => "time_of_max",
            Self::TimeOfMin => "time_of_min",
            Self::AbsMax => "abs_max",
            Self::Rms => "rms",
            Self::Mean => "mean",
            Self::Final => "final",
            Self::Range => "range",
            Self::Percentile(_) => "percentile",
            Self::Start => "start",
            Self::Turns(TurnStatistic::Median) => "turn_median",
            Self::Turns(TurnStatistic::Max) => "turn_max",
            Self::Turns(TurnStatistic::Min) => "turn_min",
        }
    }
}

impl ImpactStatistic {
    pub const ALL: [Self; 4] = [Self::Sum, Self::Max, Self::Mean, Self::Min];

    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::Min => "min",
        }
    }

    /// `None` where there is nothing to take it of.
    pub fn of(self, values: &[f64]) -> Option<f64> {
        let sum: f64 = values.iter().sum();
        match self {
            Self::Sum => Some(sum + 0.0), // an empty sum is −0
            Self::Mean => (!values.is_empty()).then(|| sum / values.len() as f64),
            Self::Max => values.iter().copied().reduce(f64::max),
            Self::Min => values.iter().copied().reduce(f64::min),
        }
    }
}

impl TurnStatistic {
    /// `None` where there is no turn.
    pub fn of(self, mut values: Vec<f64>) -> Option<f64> {
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        match self {
            Self::Min => values.first().copied(),
            Self::Max => values.last().copied(),
            Self::Median if values.len() % 2 == 1 => Some(values[middle]),
            Self::Median => Some(0.5 * (values.get(middle)? + values[middle - 1])),
        }
    }
}

impl ImpactField {
    pub const ALL: [Self; 9] = [
        Self::Loss,
        Self::FrictionLoss,
        Self::PeakForce,
        Self::PeakDepth,
        Self::SpeedIn,
        Self::SpeedOut,
        Self::Restitution,
        Self::Duration,
        Self::Time,
    ];

    /// Its word in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::FrictionLoss => "friction_loss",
            Self::PeakForce => "peak_force",
            Self::PeakDepth => "peak_depth",
            Self::SpeedIn => "speed_in",
            Self::SpeedOut => "speed_out",
            Self::Restitution => "restitution",
            Self::Duration => "duration",
            Self::Time => "t",
        }
    }

    /// `None` where a lasting contact does not have it yet.
    pub fn of(self, impact: &Impact) -> Option<f64> {
        match self {
            Self::Loss => Some(impact.loss + impact.friction_loss),
            Self::FrictionLoss => Some(impact.friction_loss),
            Self::PeakForce => Some(impact.peak_force),
            Self::PeakDepth => Some(impact.peak_depth),
            Self::SpeedIn => Some(impact.speed_in),
            Self::SpeedOut => impact.speed_out,
            Self::Restitution => impact.restitution(),
            Self::Duration => impact.t_out.map(|out| out - impact.t),
            Self::Time => Some(impact.t),
        }
    }

    /// SI unit; empty for numbers.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Loss | Self::FrictionLoss => "J",
            Self::PeakForce => "N",
            Self::PeakDepth => "m",
            Self::SpeedIn | Self::SpeedOut => "m/s",
            Self::Restitution => "",
            Self::Duration | Self::Time => "s",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_turns_of_even_and_odd_number() {
        use TurnStatistic::{Max, Median, Min};
        for (values, [median, max, min]) in
            [(vec![3.0, 1.0, 2.0], [2.0, 3.0, 1.0]), (vec![8.0, 1.0, 2.0, 3.0], [2.5, 8.0, 1.0])]
        {
            let found = [Median, Max, Min].map(|statistic| statistic.of(values.clone()));
            assert_eq!(found, [Some(median), Some(max), Some(min)]);
        }
        assert_eq!([Median, Max, Min].map(|statistic| statistic.of(Vec::new())), [None; 3]);
    }

    #[test]
    fn every_statistic_has_a_word_of_its_own() {
        let words: std::collections::BTreeSet<&str> =
            Statistic::PLAIN.iter().map(|statistic| statistic.name()).collect();
        assert_eq!(words.len(), Statistic::PLAIN.len());
    }
}
