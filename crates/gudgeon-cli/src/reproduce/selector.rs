//! Selectors: where in a run a value stands.
//!
//! | selector | value |
//! |---|---|
//! | `extremes.OUTPUT.min`, `.max`, `.abs_max`, `.rms`, `.mean` | over the measuring window; of an ensemble its mean |
//! | `impacts.N.t`, `.speed_in`, `.speed_out`, `.peak_force`, `.restitution`, `.loss` | impact N, counted from 1 |
//! | `contacts.JOINT.impacts`, `.fraction` | number of impacts, share of the window in contact |
//! | `start.OUTPUT` | at the first instant |
//! | `law.JOINT.force_at_10um`, `.effective_restitution` | of the contact law alone, without a run |

use gudgeon::model::Model;
use gudgeon::results::{Extreme, Impact, RunReport};

use super::runner::{Outcome, Ran};

/// Indentation of the static forces, m.
const DEPTH: f64 = 1e-5;

#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    Extreme { output: String, statistic: Statistic },
    Impact { number: usize, what: ImpactValue },
    Contact { joint: String, what: ContactValue },
    Start { output: String },
    Law { joint: String, what: LawValue },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    Min,
    Max,
    AbsMax,
    Rms,
    Mean,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImpactValue {
    Time,
    SpeedIn,
    SpeedOut,
    PeakForce,
    Restitution,
    Loss,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactValue {
    Impacts,
    Fraction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LawValue {
    StaticForce,
    EffectiveRestitution,
}

/// A value and, for an ensemble, its standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub value: f64,
    pub spread: Option<f64>,
}

impl Selector {
    pub fn parse(text: &str) -> Option<Selector> {
        let (kind, rest) = text.split_once('.')?;
        if kind == "start" {
            return Some(Selector::Start { output: rest.to_owned() });
        }
        let (owner, what) = rest.rsplit_once('.')?;
        Some(match kind {
            "extremes" => {
                let statistic = match what {
                    "min" => Statistic::Min,
                    "max" => Statistic::Max,
                    "abs_max" => Statistic::AbsMax,
                    "rms" => Statistic::Rms,
                    "mean" => Statistic::Mean,
                    _ => return None,
                };
                Selector::Extreme { output: owner.to_owned(), statistic }
            }
            "impacts" => {
                let what = match what {
                    "t" => ImpactValue::Time,
                    "speed_in" => ImpactValue::SpeedIn,
                    "speed_out" => ImpactValue::SpeedOut,
                    "peak_force" => ImpactValue::PeakForce,
                    "restitution" => ImpactValue::Restitution,
                    "loss" => ImpactValue::Loss,
                    _ => return None,
                };
                Selector::Impact { number: owner.parse().ok()?, what }
            }
            "contacts" => {
                let what = match what {
                    "impacts" => ContactValue::Impacts,
                    "fraction" => ContactValue::Fraction,
                    _ => return None,
                };
                Selector::Contact { joint: owner.to_owned(), what }
            }
            "law" => {
                let what = match what {
                    "force_at_10um" => LawValue::StaticForce,
                    "effective_restitution" => LawValue::EffectiveRestitution,
                    _ => return None,
                };
                Selector::Law { joint: owner.to_owned(), what }
            }
            _ => return None,
        })
    }

    /// Whether a run is needed to know the value.
    pub fn needs_run(&self) -> bool {
        !matches!(self, Selector::Law { .. })
    }

    /// The value in what came of a case; `None` where it does not exist there.
    pub fn read(&self, outcome: &Outcome) -> Option<Measured> {
        if let Selector::Law { joint, what } = self {
            return single(law(&outcome.model, joint, *what));
        }
        match &outcome.ran {
            Ran::Nothing => None,
            Ran::Once { report, start } => single(self.in_report(report, start)),
            Ran::Ensemble(report) => {
                let Selector::Extreme { output, statistic } = self else { return None };
                let extreme = report.extremes.iter().find(|e| e.name == *output)?;
                let spread = match statistic {
                    Statistic::Min => extreme.min,
                    Statistic::Max => extreme.max,
                    Statistic::AbsMax => extreme.abs_max,
                    Statistic::Rms => extreme.rms,
                    Statistic::Mean => return None,
                };
                Some(Measured { value: spread.mean, spread: Some(spread.std) })
            }
        }
    }

    fn in_report(&self, report: &RunReport, start: &[(String, f64)]) -> Option<f64> {
        match self {
            Selector::Extreme { output, statistic } => {
                report.extremes.iter().find(|e| e.name == *output).map(|e| extreme(e, *statistic))
            }
            Selector::Impact { number, what } => {
                report.impacts.get(number.checked_sub(1)?).and_then(|i| impact(i, *what))
            }
            Selector::Contact { joint, what } => {
                let contact = report.contacts.iter().find(|contact| contact.name == *joint)?;
                Some(match what {
                    ContactValue::Impacts => contact.impacts as f64,
                    ContactValue::Fraction => contact.contact_fraction,
                })
            }
            Selector::Start { output } => {
                start.iter().find(|(name, _)| name == output).map(|(_, value)| *value)
            }
            Selector::Law { .. } => None,
        }
    }
}

fn single(value: Option<f64>) -> Option<Measured> {
    value.map(|value| Measured { value, spread: None })
}

fn extreme(extreme: &Extreme, statistic: Statistic) -> f64 {
    match statistic {
        Statistic::Min => extreme.min,
        Statistic::Max => extreme.max,
        Statistic::AbsMax => extreme.abs_max().0,
        Statistic::Rms => extreme.rms,
        Statistic::Mean => extreme.mean,
    }
}

fn impact(impact: &Impact, what: ImpactValue) -> Option<f64> {
    match what {
        ImpactValue::Time => Some(impact.t),
        ImpactValue::SpeedIn => Some(impact.speed_in),
        ImpactValue::SpeedOut => impact.speed_out,
        ImpactValue::PeakForce => Some(impact.peak_force),
        ImpactValue::Restitution => impact.restitution(),
        ImpactValue::Loss => Some(impact.loss),
    }
}

fn law(model: &Model, joint: &str, what: LawValue) -> Option<f64> {
    let joint = model.joints.iter().find(|other| other.name == joint)?;
    let law = joint.clearance.as_ref()?.normal;
    Some(match what {
        LawValue::StaticForce => law.elastic.force(DEPTH).0,
        LawValue::EffectiveRestitution => law.effective_restitution(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_with_dots_are_kept_whole() {
        let output = "slider.acceleration.x".to_owned();
        let statistic = Statistic::AbsMax;
        let parsed = Selector::parse("extremes.slider.acceleration.x.abs_max");
        assert_eq!(parsed, Some(Selector::Extreme { output, statistic }));
        let parsed = Selector::parse("impacts.12.peak_force");
        assert_eq!(parsed, Some(Selector::Impact { number: 12, what: ImpactValue::PeakForce }));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for text in ["extremes", "extremes.pin.largest", "impacts.first.t", "laws.pin.force"] {
            assert_eq!(Selector::parse(text), None, "{text}");
        }
    }
}
