//! Outputs at times that measures ask for.

use super::Measure;

/// Times that rise, and all outputs at those that were reached.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Instants {
    times: Vec<f64>,
    values: Vec<Vec<f64>>,
}

impl Instants {
    pub(super) fn of<'a>(measures: impl Iterator<Item = &'a Measure>) -> Self {
        let time = |measure: &Measure| match measure {
            Measure::At { time, .. } => Some(*time),
            _ => None,
        };
        let mut times: Vec<f64> = measures.filter_map(time).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        Self { times, values: Vec::new() }
    }

    /// The next time; infinity for none.
    pub(super) fn next(&self) -> f64 {
        self.times.get(self.values.len()).copied().unwrap_or(f64::INFINITY)
    }

    /// Takes the outputs at the next time.
    pub(super) fn take(&mut self, values: &[f64]) {
        self.values.push(values.to_vec());
    }

    /// All outputs at one of the times, if it was reached.
    pub fn at(&self, time: f64) -> Option<&[f64]> {
        let index = self.times.iter().position(|other| *other == time)?;
        self.values.get(index).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_taken_in_order_and_once() {
        let at = |time| Measure::At { output: "slider.position.x".into(), time };
        let mut instants = Instants::of([at(0.4), at(0.2), at(0.4)].iter());
        assert_eq!(instants.next(), 0.2);
        instants.take(&[1.0]);
        assert_eq!(instants.next(), 0.4);
        assert_eq!(instants.at(0.4), None, "not reached");
        instants.take(&[2.0]);
        assert_eq!(instants.next(), f64::INFINITY);
        assert_eq!((instants.at(0.2), instants.at(0.4)), (Some(&[1.0][..]), Some(&[2.0][..])));
    }
}
