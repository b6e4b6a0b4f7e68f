//! Columns of a body that something moves with: up to two runs of neighbours.

use std::ops::Range;

/// Two runs of columns, the first before the second; either may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Support {
    runs: [Range<usize>; 2],
}

impl Support {
    pub fn run(run: Range<usize>) -> Self {
        let end = run.end;
        Self { runs: [run, end..end] }
    }

    pub fn pair(first: Range<usize>, second: Range<usize>) -> Self {
        Self { runs: [first, second] }
    }

    pub fn len(&self) -> usize {
        self.runs[0].len() + self.runs[1].len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Its runs that are not empty.
    pub fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.runs.iter().filter(|run| !run.is_empty()).cloned()
    }

    /// The same with what belongs to each of values by column.
    pub fn parts<'a>(
        &'a self,
        values: &'a [f64],
    ) -> impl Iterator<Item = (Range<usize>, &'a [f64])> + 'a {
        let first = self.runs[0].len();
        let starts = [0, first];
        let runs = self.runs.iter().cloned().zip(starts);
        runs.filter(|(run, _)| !run.is_empty()).map(move |(run, start)| {
            let values = &values[start..start + run.len()];
            (run, values)
        })
    }

    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.runs.iter().cloned().flatten()
    }

    pub fn contains(&self, column: usize) -> bool {
        self.runs.iter().any(|run| run.contains(&column))
    }

    /// As many columns further on.
    pub fn shifted(&self, by: usize) -> Self {
        Self { runs: self.runs.clone().map(|run| run.start + by..run.end + by) }
    }
}
