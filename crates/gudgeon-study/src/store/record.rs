//! Finished samples and their bytes in the journal.

use super::Plan;

/// A finished sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub index: usize,
    /// The design in physical values.
    pub point: Vec<f64>,
    pub outcome: SampleOutcome,
    /// What is to be known about the values.
    pub notes: Vec<String>,
    /// Not part of the result: it differs from run to run.
    pub cpu_seconds: f64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum SampleOutcome {
    /// The values of the responses; one that is not a number is missing.
    Done(Vec<f64>),
    /// Why there are none.
    Failed(String),
    /// The sample took more CPU time than the limit, s.
    TimedOut { limit: f64 },
}

impl SampleOutcome {
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }

    pub fn values(&self) -> Option<&[f64]> {
        if let Self::Done(values) = self { Some(values) } else { None }
    }

    /// `done`, `failed` or `timed out`.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Done(_) => "done",
            Self::Failed(_) => "failed",
            Self::TimedOut { .. } => "timed out",
        }
    }

    /// Why a sample has no values; empty if it has.
    pub fn cause(&self) -> String {
        match self {
            Self::Done(_) => String::new(),
            Self::Failed(cause) => cause.clone(),
            Self::TimedOut { limit } => format!("more than {limit} s of CPU time"),
        }
    }
}

const DONE: u8 = 0;
const FAILED: u8 = 1;
const TIMED_OUT: u8 = 2;
/// Added to these where the number of the study follows; journals of before have none.
const OF_A_STUDY: u8 = 16;

impl Record {
    /// Numbers of variables and values, those of a sample without values as asked for.
    pub(super) fn width(&self, plan: &Plan) -> (usize, usize) {
        let values = self.outcome.values().map_or(plan.values.len(), <[f64]>::len);
        (self.point.len(), values)
    }

    /// Whether it may be a sample of a study.
    pub(super) fn fits(&self, plan: &Plan) -> bool {
        self.width(plan) == (plan.variables.len(), plan.values.len())
    }

    /// The bytes of a sample of a study, which is known by a number: see `journal::number`.
    pub(super) fn encode(&self, study: u64) -> Vec<u8> {
        let mut out = Vec::new();
        push_u64(&mut out, self.index as u64);
        push_numbers(&mut out, &self.point);
        let kind = match &self.outcome {
            SampleOutcome::Done(_) => DONE,
            SampleOutcome::Failed(_) => FAILED,
            SampleOutcome::TimedOut { .. } => TIMED_OUT,
        };
        out.push(kind + OF_A_STUDY);
        push_u64(&mut out, study);
        match &self.outcome {
            SampleOutcome::Done(values) => push_numbers(&mut out, values),
            SampleOutcome::Failed(cause) => push_text(&mut out, cause),
            SampleOutcome::TimedOut { limit } => push_number(&mut out, *limit),
        }
        push_number(&mut out, self.cpu_seconds);
        push_u64(&mut out, self.notes.len() as u64);
        self.notes.iter().for_each(|note| push_text(&mut out, note));
        out
    }

    /// A sample and the number of its study, where it has one.
    pub(super) fn decode(bytes: &[u8]) -> Option<(Self, Option<u64>)> {
        let mut reader = Reader(bytes);
        let index = usize::try_from(reader.u64()?).ok()?;
        let point = reader.numbers()?;
        let kind = reader.take(1)?[0];
        let (kind, study) = match kind.checked_sub(OF_A_STUDY) {
            Some(kind) => (kind, Some(reader.u64()?)),
            None => (kind, None),
        };
        let outcome = match kind {
            DONE => SampleOutcome::Done(reader.numbers()?),
            FAILED => SampleOutcome::Failed(reader.text()?),
            TIMED_OUT => SampleOutcome::TimedOut { limit: reader.number()? },
            _ => return None,
        };
        let cpu_seconds = reader.number()?;
        let count = reader.u64()?;
        let notes = (0..count).map(|_| reader.text()).collect::<Option<Vec<String>>>()?;
        let record = Self { index, point, outcome, notes, cpu_seconds };
        reader.0.is_empty().then_some((record, study))
    }
}

pub(super) fn push_u64(out: &mut Vec<u8>, value: u64) {
    out.extend(value.to_le_bytes());
}

fn push_number(out: &mut Vec<u8>, value: f64) {
    push_u64(out, value.to_bits());
}

fn push_numbers(out: &mut Vec<u8>, values: &[f64]) {
    push_u64(out, values.len() as u64);
    values.iter().for_each(|value| push_number(out, *value));
}

pub(super) fn push_text(out: &mut Vec<u8>, text: &str) {
    push_u64(out, text.len() as u64);
    out.extend(text.as_bytes());
}

/// Takes values off the front of some bytes; `None` where they end too early.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (front, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(front)
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// A number of parts of at least one byte each.
    pub fn count(&mut self) -> Option<usize> {
        usize::try_from(self.u64()?).ok().filter(|n| *n <= self.0.len())
    }

    fn number(&mut self) -> Option<f64> {
        self.u64().map(f64::from_bits)
    }

    fn numbers(&mut self) -> Option<Vec<f64>> {
        let n = self.count()?;
        (0..n).map(|_| self.number()).collect()
    }

    pub fn text(&mut self) -> Option<String> {
        let n = self.count()?;
        String::from_utf8(self.take(n)?.to_vec()).ok()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn records() -> Vec<Record> {
        let record = |index, outcome| Record {
            index,
            point: vec![1.5, -0.0, f64::MIN_POSITIVE],
            outcome,
            notes: vec!["W0301".into(), String::new()],
            cpu_seconds: 0.25,
        };
        vec![
            record(0, SampleOutcome::Done(vec![0.1 + 0.2, f64::INFINITY])),
            record(7, SampleOutcome::Failed("body `crank` is lost: 3 µm\n\"left\"".into())),
            record(usize::MAX, SampleOutcome::TimedOut { limit: 1e-3 }),
            record(1, SampleOutcome::Done(vec![])),
        ]
    }

    #[test]
    fn records_come_back_to_the_bit() {
        for record in records() {
            assert_eq!(Record::decode(&record.encode(7)), Some((record, Some(7))));
        }
    }

    #[test]
    fn records_without_a_study_are_read() {
        for record in records() {
            let bytes = without_study(&record);
            assert_eq!(Record::decode(&bytes), Some((record, None)));
        }
    }

    /// The bytes that journals had before samples said of which study they are.
    pub(in super::super) fn without_study(record: &Record) -> Vec<u8> {
        let mut bytes = record.encode(7);
        let kind = 8 + 8 + 8 * record.point.len();
        bytes[kind] -= OF_A_STUDY;
        bytes.drain(kind + 1..kind + 9);
        bytes
    }

    #[test]
    fn shortened_and_lengthened_records_are_refused() {
        for record in records() {
            let mut bytes = record.encode(7);
            for cut in 0..bytes.len() {
                assert_eq!(Record::decode(&bytes[..cut]), None);
            }
            bytes.push(0);
            assert_eq!(Record::decode(&bytes), None);
        }
    }

    #[test]
    fn absurd_lengths_are_refused_without_asking_for_memory() {
        let mut bytes = 0u64.to_le_bytes().to_vec();
        bytes.extend(u64::MAX.to_le_bytes());
        assert_eq!(Record::decode(&bytes), None);
    }
}
