//! Measures as a study file would write them.

use std::fmt;

use gudgeon::modal::About;

use super::output::difference;
use super::{JournalValue, LawValue, Measure, Statistic, ledger};

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Output { output, statistic: Statistic::Percentile(p) } => {
                write!(f, "percentile({output}, {p})")
            }
            Self::Output { output, statistic } => write!(f, "{}({output})", statistic.name()),
            Self::First { output, less, above } => {
                write!(f, "first({}, {above:?})", difference(output, less.as_deref()))
            }
            Self::At { output, time } => write!(f, "at({output}, {time:?})"),
            Self::Impacts { contact, field, statistic } => {
                write!(f, "{}({contact}.impacts.{})", statistic.name(), field.name())
            }
            Self::Nth { contact, field, number } => {
                write!(f, "nth({contact}.impacts.{}, {number})", field.name())
            }
            Self::ImpactCount(contact) => write!(f, "count({contact}.impacts)"),
            Self::CountAll(contact) => write!(f, "count_all({contact}.impacts)"),
            Self::ContactFraction(contact) => write!(f, "contact_fraction({contact})"),
            Self::Journal { joint, value } => match value {
                JournalValue::LeftBearing => write!(f, "left_bearing({joint})"),
                JournalValue::MaxMisalignment => write!(f, "max_misalignment({joint})"),
                JournalValue::Share(situation) => write!(f, "share({joint}, {})", situation.name()),
            },
            Self::Law { joint, value: LawValue::ForceAt(depth) } => {
                write!(f, "force_at({joint}, {depth:?})")
            }
            Self::Law { joint, value: LawValue::FrictionAt(speed) } => {
                write!(f, "friction_at({joint}, {speed:?})")
            }
            Self::Law { joint, value: LawValue::EffectiveRestitution } => {
                write!(f, "effective_restitution({joint})")
            }
            Self::Mode { value, number, about } => match about {
                About::Equilibrium => write!(f, "{}({number})", value.name()),
                _ => write!(f, "{}({number}, {})", value.name(), about.name()),
            },
            Self::Rest { output } => write!(f, "rest({output})"),
            Self::Energy { kind, name } => {
                ledger::write(f, *kind, name.as_deref().unwrap_or_default())
            }
        }
    }
}
