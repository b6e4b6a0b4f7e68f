//! Selectors: where in a run a value stands.
//!
//! | selector | value |
//! |---|---|
//! | `extremes.OUTPUT.min`, `.max`, `.abs_max`, `.rms`, `.mean` | over the measuring window |
//! | `spread.OUTPUT.abs_max`, … | of an ensemble: standard deviation over mean |
//! | `impacts.N.t`, `.speed_in`, `.speed_out`, `.peak_force`, `.restitution`, `.loss` | impact N, counted from 1 |
//! | `impacts.CONTACT.N.t`, … | impact N of a joint (`bearing`) or of one of its spots (`bearing.V`) |
//! | `contacts.CONTACT.impacts`, `.fraction` | number of impacts, share of the window in contact |
//! | `journals.JOINT.left_bearing`, `.max_misalignment`, `.free`, `.one_base`, `.one_side`, `.opposite_sides` | of a journal in space: when it slid out, tilt, shares of the window |
//! | `start.OUTPUT`, `final.OUTPUT` | at the first and last instant |
//! | `first.OUTPUT.above.X`, `first.A-B.above.X` | when the magnitude of an output, or of the difference of two, first exceeds X |
//! | `turns.OUTPUT.median`, `.max`, `.min` | of the largest magnitudes of every turn, see `turns` |
//! | `learned.NAME` | of a Kriging model, see `learn` |
//! | `film.NAME`, `film.short.NAME` | of a film at a state of its journal, see `film` |
//! | `law.JOINT.force_at_10um`, `.effective_restitution` | of the contact law alone, without a run |
//!
//! Of an ensemble a value is the mean over its runs, and one of `turns` that of all turns of all runs.

use gudgeon::ensemble::Spread;
use gudgeon::model::Model;
use gudgeon::results::{Extreme, Impact, JournalReport};

use super::film;
use super::runner::{Needs, Outcome, Ran, Rows, Run};
use super::turns::{TurnPeaks, TurnStatistic};

/// Indentation of the static forces, m.
const DEPTH: f64 = 1e-5;

#[derive(Clone, Debug, PartialEq)]
pub enum Selector {
    Extreme {
        output: String,
        statistic: Statistic,
    },
    /// Standard deviation over mean of an ensemble.
    Spread {
        output: String,
        statistic: Statistic,
    },
    /// `contact` is a joint or a spot; empty for any.
    Impact {
        contact: String,
        number: usize,
        what: ImpactValue,
    },
    Contact {
        contact: String,
        what: ContactValue,
    },
    Journal {
        joint: String,
        what: JournalValue,
    },
    Start {
        output: String,
    },
    Final {
        output: String,
    },
    First {
        outputs: Vec<String>,
        above: f64,
    },
    Law {
        joint: String,
        what: LawValue,
    },
    /// Of every turn of the driver.
    Turns {
        output: String,
        statistic: TurnStatistic,
    },
    /// Of a Kriging model or a film.
    Named {
        name: String,
    },
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
pub enum JournalValue {
    LeftBearing,
    MaxMisalignment,
    /// Share of one of the four situations.
    Share(usize),
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
        match kind {
            "start" => return Some(Selector::Start { output: rest.to_owned() }),
            "learned" => return Some(Selector::Named { name: rest.to_owned() }),
            "film" => {
                return film::is_known(rest).then(|| Selector::Named { name: rest.to_owned() });
            }
            "final" => return Some(Selector::Final { output: rest.to_owned() }),
            "first" => {
                let (outputs, above) = rest.split_once(".above.")?;
                let outputs: Vec<String> = outputs.split('-').map(str::to_owned).collect();
                let above = above.parse().ok()?;
                return (outputs.len() <= 2).then_some(Selector::First { outputs, above });
            }
            _ => {}
        }
        let (owner, what) = rest.rsplit_once('.')?;
        let name = owner.to_owned();
        Some(match kind {
            "extremes" => Selector::Extreme { output: name, statistic: statistic(what)? },
            "spread" => Selector::Spread { output: name, statistic: statistic(what)? },
            "turns" => Selector::Turns { output: name, statistic: turn_statistic(what)? },
            "impacts" => {
                let (contact, number) = owner.rsplit_once('.').unwrap_or(("", owner));
                let (contact, number) = (contact.to_owned(), number.parse().ok()?);
                Selector::Impact { contact, number, what: impact_value(what)? }
            }
            "contacts" => {
                let what = match what {
                    "impacts" => ContactValue::Impacts,
                    "fraction" => ContactValue::Fraction,
                    _ => return None,
                };
                Selector::Contact { contact: name, what }
            }
            "journals" => Selector::Journal { joint: name, what: journal_value(what)? },
            "law" => {
                let what = match what {
                    "force_at_10um" => LawValue::StaticForce,
                    "effective_restitution" => LawValue::EffectiveRestitution,
                    _ => return None,
                };
                Selector::Law { joint: name, what }
            }
            _ => return None,
        })
    }

    /// What must be known of a run.
    pub fn needs(&self) -> Needs {
        match self {
            Selector::Law { .. } | Selector::Named { .. } => Needs::MODEL,
            Selector::First { .. } => Needs::ROWS,
            Selector::Turns { .. } => Needs::TURNS,
            _ => Needs::RUN,
        }
    }

    /// The value in what came of a case; `None` where it does not exist there.
    pub fn read(&self, outcome: &Outcome) -> Option<Measured> {
        if let Selector::Law { joint, what } = self {
            return single(law(&outcome.model, joint, *what));
        }
        match &outcome.ran {
            Ran::Nothing => None,
            Ran::Named(values) => {
                let Selector::Named { name } = self else { return None };
                single(values.iter().find(|(other, _)| other == name).map(|(_, value)| *value))
            }
            Ran::Once(run) => match self {
                Selector::Spread { .. } => None,
                _ => single(self.in_run(&outcome.model, run)),
            },
            Ran::Ensemble(runs) => {
                let values = runs.iter().map(|run| self.in_run(&outcome.model, run));
                let spread = Spread::of(&values.collect::<Option<Vec<f64>>>()?);
                match self {
                    Selector::Spread { .. } => single(Some(spread.std / spread.mean)),
                    Selector::Turns { output, statistic } => {
                        let all = TurnPeaks::of_all(runs.iter().map(|run| &run.turns));
                        let value = all.value(output, *statistic)?;
                        Some(Measured { value, spread: Some(spread.std) })
                    }
                    _ => Some(Measured { value: spread.mean, spread: Some(spread.std) }),
                }
            }
        }
    }

    fn in_run(&self, model: &Model, Run { report, rows, turns }: &Run) -> Option<f64> {
        match self {
            Selector::Extreme { output, statistic } | Selector::Spread { output, statistic } => {
                report.extremes.iter().find(|e| e.name == *output).map(|e| extreme(e, *statistic))
            }
            Selector::Impact { contact, number, what } => {
                let of_contact = |impact: &&Impact| touches(model, impact, contact);
                let nth = number.checked_sub(1)?;
                report.impacts.iter().filter(of_contact).nth(nth).and_then(|i| impact(i, *what))
            }
            Selector::Contact { contact, what } => {
                let contact = report.contacts.iter().find(|other| other.name == *contact)?;
                Some(match what {
                    ContactValue::Impacts => contact.impacts as f64,
                    ContactValue::Fraction => contact.contact_fraction,
                })
            }
            Selector::Journal { joint, what } => report
                .journals
                .iter()
                .find(|other| other.name == *joint)
                .and_then(|j| journal(j, *what)),
            Selector::Start { output } => rows.values.first()?.1.get(rows.column(output)?).copied(),
            Selector::Final { output } => report.final_values.get(rows.column(output)?).copied(),
            Selector::First { outputs, above } => first_above(rows, outputs, *above),
            Selector::Turns { output, statistic } => turns.value(output, *statistic),
            Selector::Law { .. } | Selector::Named { .. } => None,
        }
    }
}

fn statistic(name: &str) -> Option<Statistic> {
    Some(match name {
        "min" => Statistic::Min,
        "max" => Statistic::Max,
        "abs_max" => Statistic::AbsMax,
        "rms" => Statistic::Rms,
        "mean" => Statistic::Mean,
        _ => return None,
    })
}

fn turn_statistic(name: &str) -> Option<TurnStatistic> {
    Some(match name {
        "median" => TurnStatistic::Median,
        "max" => TurnStatistic::Max,
        "min" => TurnStatistic::Min,
        _ => return None,
    })
}

fn impact_value(name: &str) -> Option<ImpactValue> {
    Some(match name {
        "t" => ImpactValue::Time,
        "speed_in" => ImpactValue::SpeedIn,
        "speed_out" => ImpactValue::SpeedOut,
        "peak_force" => ImpactValue::PeakForce,
        "restitution" => ImpactValue::Restitution,
        "loss" => ImpactValue::Loss,
        _ => return None,
    })
}

fn journal_value(name: &str) -> Option<JournalValue> {
    Some(match name {
        "left_bearing" => JournalValue::LeftBearing,
        "max_misalignment" => JournalValue::MaxMisalignment,
        "free" => JournalValue::Share(0),
        "one_base" => JournalValue::Share(1),
        "one_side" => JournalValue::Share(2),
        "opposite_sides" => JournalValue::Share(3),
        _ => return None,
    })
}

/// Whether an impact belongs to a joint or to one of its spots.
fn touches(model: &Model, impact: &Impact, contact: &str) -> bool {
    let joint = model.joints[impact.joint.0].name.as_str();
    let spot = || contact.strip_prefix(joint).and_then(|rest| rest.strip_prefix('.'));
    contact.is_empty() || contact == joint || spot() == Some(impact.spot)
}

/// When |a − b| first exceeds the bound, straight between rows.
fn first_above(rows: &Rows, outputs: &[String], above: f64) -> Option<f64> {
    let columns: Vec<usize> = outputs.iter().map(|o| rows.column(o)).collect::<Option<_>>()?;
    let size = |values: &[f64]| match columns[..] {
        [a, b] => (values[a] - values[b]).abs(),
        [a, ..] => values[a].abs(),
        [] => 0.0,
    };
    let mut before: Option<(f64, f64)> = None;
    for (t, values) in &rows.values {
        let value = size(values);
        if value > above {
            let Some((t0, v0)) = before else { return Some(*t) };
            return Some(t0 + (t - t0) * (above - v0) / (value - v0));
        }
        before = Some((*t, value));
    }
    None
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

fn journal(journal: &JournalReport, what: JournalValue) -> Option<f64> {
    match what {
        JournalValue::LeftBearing => journal.left_bearing,
        JournalValue::MaxMisalignment => Some(journal.max_misalignment),
        JournalValue::Share(situation) => Some(journal.shares[situation]),
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
        let output = "second.position.y".to_owned();
        assert_eq!(Selector::parse("final.second.position.y"), Some(Selector::Final { output }));
    }

    #[test]
    fn impacts_are_counted_over_all_or_one_contact() {
        let what = ImpactValue::PeakForce;
        for (text, contact, number) in [
            ("impacts.12.peak_force", "", 12),
            ("impacts.pin.3.peak_force", "pin", 3),
            ("impacts.bearing.V.1.peak_force", "bearing.V", 1),
        ] {
            let contact = contact.to_owned();
            assert_eq!(Selector::parse(text), Some(Selector::Impact { contact, number, what }));
        }
    }

    #[test]
    fn a_bound_is_crossed_between_rows() {
        let parsed = Selector::parse("first.j.V.eccentricity-j.W.eccentricity.above.1e-5").unwrap();
        let Selector::First { outputs, above } = parsed else { panic!("{parsed:?}") };
        let rows = Rows {
            names: outputs.clone(),
            values: vec![(0.0, vec![1.0, 1.0]), (1.0, vec![1.0, 1.0 + 4e-5]), (2.0, vec![0.0; 2])],
        };
        let crossed = first_above(&rows, &outputs, above).unwrap();
        assert!((crossed - 0.25).abs() < 1e-9, "{crossed}");
        assert_eq!(first_above(&rows, &outputs, 1.0), None);
        assert_eq!(first_above(&rows, &outputs[..1], 0.5), Some(0.0));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        for text in [
            "extremes",
            "extremes.pin.largest",
            "impacts.first.t",
            "laws.pin.force",
            "first.a-b-c.above.1",
            "first.a.above.much",
            "journals.pin.upside_down",
            "turns.pin.contact_force.mean",
            "film.short.temperature",
        ] {
            assert_eq!(Selector::parse(text), None, "{text}");
        }
    }
}
