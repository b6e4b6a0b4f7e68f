//! Curves of any number of points, reduced to what a picture can show. Values that are not finite leave gaps.

use super::axis::Range;
use super::envelope::Envelope;
use super::path::Path;

/// A curve over time: first, lowest, highest and last value of each of 1800 parts.
pub fn over_time(t: &[f64], values: &[f64]) -> Vec<(f64, f64)> {
    let range = Range::over(t.iter().copied());
    if range == Range::EMPTY {
        return Vec::new();
    }
    // An instant alone has a width, too.
    let end = if range.hi > range.lo { range.hi } else { range.lo + 1.0 };
    let mut envelope = Envelope::new(range.lo, end, 1);
    t.iter().zip(values).for_each(|(t, value)| envelope.push(*t, &[*value]));
    envelope.points(0)
}

/// A curve y over x of any course, within a thousandth of its width and height.
pub fn along_path(x: &[f64], y: &[f64]) -> Vec<(f64, f64)> {
    let [across, up] = [x, y].map(|values| Scaling::of(Range::over(values.iter().copied())));
    let mut path = Path::new(1.0);
    x.iter().zip(y).for_each(|(x, y)| path.push(across.down(*x), up.down(*y)));
    path.runs(|x, y| (across.up(x), up.up(y))).join(&(f64::NAN, f64::NAN))
}

/// From a range to −1 … 1 and back.
struct Scaling {
    middle: f64,
    half: f64,
}

impl Scaling {
    fn of(range: Range) -> Scaling {
        if range == Range::EMPTY {
            return Scaling { middle: 0.0, half: 1.0 };
        }
        let half = range.hi / 2.0 - range.lo / 2.0;
        Scaling { middle: range.lo + half, half: if half > 0.0 { half } else { 1.0 } }
    }

    fn down(&self, value: f64) -> f64 {
        (value - self.middle) / self.half
    }

    fn up(&self, value: f64) -> f64 {
        self.middle + value * self.half
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_curves_become_short_and_keep_their_extremes() {
        let t: Vec<f64> = (0..200_000).map(|i| f64::from(i) * 1e-5).collect();
        let mut values: Vec<f64> = t.iter().map(|t| (40.0 * t).sin()).collect();
        values[77_777] = 9.0;
        let curve = over_time(&t, &values);
        assert!(curve.len() <= 4 * 1800 && curve.contains(&(t[77_777], 9.0)), "{}", curve.len());
    }

    #[test]
    fn a_path_stays_within_a_thousandth_of_each_axis() {
        let angle = |i: i32| f64::from(i) * 1e-3;
        let x: Vec<f64> = (0..100_000).map(|i| 5.0 + 1e-4 * angle(i).cos()).collect();
        let y: Vec<f64> = (0..100_000).map(|i| 2e6 * angle(i).sin()).collect();
        let path = along_path(&x, &y);
        assert!(path.len() < 2000, "{}", path.len());
        // Turns that lie on earlier ones are left out, with gaps in their place.
        for (x, y) in path.into_iter().filter(|(x, _)| x.is_finite()) {
            let off = (((x - 5.0) / 1e-4).hypot(y / 2e6) - 1.0).abs();
            assert!(off < 2e-3, "{x} {y}");
        }
    }

    #[test]
    fn gaps_and_nothing_are_kept() {
        assert!(over_time(&[], &[]).is_empty() && along_path(&[], &[]).is_empty());
        assert_eq!(over_time(&[1.0], &[2.0]), [(1.0, 2.0)]);
        let broken = along_path(&[0.0, 1.0, f64::NAN, 2.0, 3.0], &[0.0; 5]);
        assert_eq!(broken.iter().filter(|(x, _)| x.is_nan()).count(), 1, "{broken:?}");
    }
}
