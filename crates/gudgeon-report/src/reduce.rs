//! Rows of an output, as many as a page can carry.
//!
//! Where rows are too many, the page has of each of n equal parts of the time the smallest and the largest value,
//! each at its own instant; all rows around the extremes and the largest impacts; and all of the last period.

use std::ops::Range;

/// Rows on either side of an extreme or an impact that are kept.
const AROUND: usize = 40;

/// Numbers of the rows that are kept, rising. `whole` are stretches of time that are kept in full.
pub fn chosen(t: &[f64], values: &[f64], most: usize, whole: &[(f64, f64)]) -> Vec<usize> {
    if t.len() <= most {
        return (0..t.len()).collect();
    }
    let mut keep = Vec::with_capacity(most);
    let room = most / 2;
    for index in [extreme(values, false), extreme(values, true)].into_iter().flatten() {
        keep.extend(around(index, t.len()));
    }
    for (from, to) in whole {
        let part = t.partition_point(|t| t < from)..t.partition_point(|t| t <= to);
        if keep.len() + part.len() <= room {
            keep.extend(part);
        }
    }
    let parts = most.saturating_sub(keep.len()).max(8) / 2;
    keep.extend(ends_and_parts(t, values, parts));
    keep.sort_unstable();
    keep.dedup();
    keep
}

fn around(index: usize, rows: usize) -> Range<usize> {
    index.saturating_sub(AROUND)..(index + AROUND + 1).min(rows)
}

fn extreme(values: &[f64], largest: bool) -> Option<usize> {
    let finite = values.iter().enumerate().filter(|(_, value)| value.is_finite());
    let sign = if largest { 1.0 } else { -1.0 };
    finite.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1))).map(|(index, _)| index)
}

/// First and last row, and the rows of smallest and largest value in each of some parts.
fn ends_and_parts(t: &[f64], values: &[f64], parts: usize) -> Vec<usize> {
    let (Some(first), Some(last)) = (t.first(), t.last()) else { return Vec::new() };
    let width = (last - first) / parts as f64;
    let mut out = vec![0, t.len() - 1];
    let mut from = 0;
    for part in 1..=parts {
        let end = if part == parts { f64::INFINITY } else { first + width * part as f64 };
        let to = from + t[from..].partition_point(|t| *t < end);
        let inside = &values[from..to];
        let ends = [extreme(inside, false), extreme(inside, true)].into_iter().flatten();
        out.extend(ends.map(|index| from + index));
        // A gap is seen as one.
        out.extend(inside.iter().position(|value| !value.is_finite()).map(|i| from + i));
        from = to;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_stretches_are_kept_with_their_times() {
        let t: Vec<f64> = (0..1_000_000).map(|i| f64::from(i) * 1e-6).collect();
        let mut values: Vec<f64> = t.iter().map(|t| (900.0 * t).sin()).collect();
        values[345_678] = 7.0;
        values[345_680] = -9.0;
        let kept = chosen(&t, &values, 2000, &[(0.5, 0.5002), (0.9, 1.0)]);
        assert!(kept.len() <= 2100, "{}", kept.len());
        assert!([345_678, 345_680, 345_679, 0, 999_999].iter().all(|i| kept.contains(i)));
        assert!((500_000..500_200).all(|i| kept.contains(&i)));
        assert!(!(900_000..=999_999).all(|i| kept.contains(&i)), "too long a stretch");
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]));
    }

    #[test]
    fn few_rows_stay_and_gaps_are_seen() {
        assert_eq!(chosen(&[0.0, 1.0], &[f64::NAN, 1.0], 10, &[]), [0, 1]);
        let t: Vec<f64> = (0..1000).map(f64::from).collect();
        let mut values = vec![1.0; 1000];
        values[600] = f64::NAN;
        assert!(chosen(&t, &values, 100, &[]).contains(&600));
        assert!(chosen(&t, &vec![f64::NAN; 1000], 100, &[]).len() > 2);
    }
}
