//! Percentiles over time.
//!
//! Between two rows an output is taken as straight, so that the share of time below a level x is
//!
//!   F(x) = Σ hᵢ sᵢ(x) / Σ hᵢ,   s = clamp((x − low)/(high − low), 0, 1)              (1)
//!
//! with step hᵢ from row to row and low, high the values at its ends. The percentile p is the x with
//! F(x) = p/100, found by halving: F may jump where the output rests. A run that names no interval of
//! recording has a row at the end of every step and more in between, close enough for (1).

/// The value that is not exceeded for `p` % of the time along points (time, value); `None` with fewer
/// than two of them.
pub(super) fn percentile(points: &[(f64, f64)], p: f64) -> Option<f64> {
    // Pieces at whose ends the output has no value do not count.
    let present = |ends: &&[(f64, f64)]| ends.iter().all(|(_, value)| !value.is_nan());
    let pieces = points.windows(2).filter(present).map(|ends| Piece::new(ends[0], ends[1]));
    let pieces: Vec<Piece> = pieces.filter(|piece| piece.time > 0.0).collect();
    level(&pieces, p / 100.0)
}

struct Piece {
    time: f64,
    low: f64,
    high: f64,
}

impl Piece {
    fn new((from, a): (f64, f64), (to, b): (f64, f64)) -> Self {
        Self { time: to - from, low: a.min(b), high: a.max(b) }
    }

    /// Time below a level.
    fn below(&self, level: f64) -> f64 {
        if level >= self.high {
            self.time
        } else if level <= self.low {
            0.0
        } else {
            self.time * (level - self.low) / (self.high - self.low)
        }
    }
}

/// The lowest level with a share of the time below it.
fn level(pieces: &[Piece], share: f64) -> Option<f64> {
    let mut low = pieces.iter().map(|piece| piece.low).reduce(f64::min)?;
    let mut high = pieces.iter().map(|piece| piece.high).reduce(f64::max)?;
    let total: f64 = pieces.iter().map(|piece| piece.time).sum();
    let is_enough = |level| pieces.iter().map(|p| p.below(level)).sum::<f64>() >= share * total;
    if is_enough(low) {
        return Some(low);
    }
    loop {
        let middle = 0.5 * low + 0.5 * high;
        if middle <= low || middle >= high {
            return Some(high);
        }
        if is_enough(middle) { high = middle } else { low = middle }
    }
}
