//! What one number can be taken of a run: statistics of outputs and of impacts.

use crate::results::Impact;

/// Of an output, over the measuring window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Statistic {
    Max,
    Min,
    AbsMax,
    Rms,
    Mean,
    /// At the end of the run.
    Final,
    /// Largest minus smallest value.
    Range,
    /// In percent, 0 to 100.
    Percentile(f64),
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
}

impl ImpactStatistic {
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

impl ImpactField {
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
            Self::Duration => "s",
        }
    }
}
