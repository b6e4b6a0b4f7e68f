//! Axes: a range that shows all data, ticks at 1, 2 or 5 times a power of ten.

use super::log;
use super::svg::LABEL;
use super::unit::{Scale, decade, power_of_ten, with_minus};

/// Numbers are drawn as if they were within ±HUGE.
const HUGE: f64 = 1e300;
/// Below this size a number is drawn as zero.
const TINY: f64 = 1e-290;

/// The finite values seen so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub lo: f64,
    pub hi: f64,
}

impl Range {
    pub(crate) const EMPTY: Range = Range { lo: f64::INFINITY, hi: f64::NEG_INFINITY };

    pub(crate) fn include(&mut self, value: f64) {
        if value.is_finite() {
            self.lo = self.lo.min(value);
            self.hi = self.hi.max(value);
        }
    }

    /// The finite values of a list.
    pub(crate) fn over(values: impl IntoIterator<Item = f64>) -> Range {
        let mut range = Range::EMPTY;
        values.into_iter().for_each(|value| range.include(value));
        range
    }

    /// The largest magnitude.
    pub(crate) fn size(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }
}

/// What an axis shows: numbers in front of a unit, or words by their index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AxisSpec {
    pub name: String,
    pub unit: String,
    pub spacing: Spacing,
    /// Its ends; a little beyond the data unless given.
    pub ends: Option<(f64, f64)>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum Spacing {
    #[default]
    Linear,
    /// By the logarithm. Values that have none are not shown.
    Log,
    Words(Vec<String>),
}

/// Where an axis ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// At the data, for the time.
    Tight,
    /// A little beyond the data, at zero where that is near.
    Padded,
}

/// A tick: where it is and what stands there.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tick {
    pub value: f64,
    pub label: String,
}

/// One axis of a plot.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    range: Range,
    pub scale: Scale,
    pub ticks: Vec<Tick>,
    /// Places go by the logarithm.
    log: bool,
    /// Ticks are numbers, not words.
    pub numbers: bool,
}

impl Axis {
    /// An axis for data in `range` with about `count` ticks.
    pub(crate) fn new(range: Range, unit: &str, fit: Fit, count: usize) -> Axis {
        let range = widen(range, fit);
        let scale = Scale::choose(range.size(), unit);
        let ticks = ticks(range, &scale, count);
        Axis { range, scale, ticks, log: false, numbers: true }
    }

    /// An axis with exactly these ends.
    pub(crate) fn with_scale(range: Range, scale: Scale, count: usize) -> Axis {
        let range = widen(range, Fit::Tight);
        let ticks = ticks(range, &scale, count);
        Axis { range, scale, ticks, log: false, numbers: true }
    }

    /// An axis as wanted for data in `data`.
    pub(crate) fn of(spec: &AxisSpec, data: Range, count: usize) -> Axis {
        let (range, fit) = match spec.ends {
            Some((lo, hi)) => (Range { lo, hi }, Fit::Tight),
            None => (data, Fit::Padded),
        };
        match &spec.spacing {
            Spacing::Words(words) => Axis::of_words(words),
            Spacing::Log if range.lo > 0.0 && range.hi < HUGE => {
                let range = log::widen(range, fit);
                let (ticks, scale) = log::ticks(range, &spec.unit, count).unwrap_or_else(|| {
                    let scale = Scale::choose(range.hi, &spec.unit);
                    (ticks(range, &scale, count), scale)
                });
                Axis { range, scale, ticks, log: true, numbers: true }
            }
            // a pure number of usual size needs no power of ten
            _ if spec.unit.is_empty() && (1e-3..1e5).contains(&range.size()) => {
                let range = widen(range, fit);
                let scale = Scale::choose(1.0, "");
                let ticks = ticks(range, &scale, count);
                Axis { range, scale, ticks, log: false, numbers: true }
            }
            _ => Axis::new(range, &spec.unit, fit, count),
        }
    }

    /// One place of the same width for every word.
    fn of_words(words: &[String]) -> Axis {
        let label = |(i, word): (usize, &String)| Tick { value: i as f64, label: word.clone() };
        let range = Range { lo: -0.5, hi: words.len().max(1) as f64 - 0.5 };
        let ticks = words.iter().enumerate().map(label).collect();
        Axis { range, scale: Scale::choose(1.0, ""), ticks, log: false, numbers: false }
    }

    /// Whether a value has a place on the axis at all.
    pub(crate) fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    /// The position of a value between the positions of the axis' two ends, never outside.
    pub(crate) fn place(&self, value: f64, start: f64, end: f64) -> f64 {
        let value = value.clamp(self.range.lo, self.range.hi);
        if self.log {
            let part = (value / self.range.lo).ln() / (self.range.hi / self.range.lo).ln();
            return start + part * (end - start);
        }
        // halves, so that the difference of two huge numbers stays finite
        let part =
            (value / 2.0 - self.range.lo / 2.0) / (self.range.hi / 2.0 - self.range.lo / 2.0);
        start + part * (end - start)
    }

    /// Whether a value is shown and, up to rounding, between the ends.
    pub(crate) fn holds(&self, value: f64) -> bool {
        let slack = 1e-6 * (self.range.hi / 2.0 - self.range.lo / 2.0);
        self.shows(value) && value >= self.range.lo - slack && value <= self.range.hi + slack
    }

    /// `name [unit]` within a width; what does not fit is taken from the name.
    pub(crate) fn title(&self, name: &str, width: f64) -> String {
        let unit = LABEL.extent(&self.scale.heading("")) + LABEL.extent(" ");
        self.scale.heading(&LABEL.cut(name, width - unit))
    }

    /// Both ends.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.range.lo, self.range.hi)
    }
}

/// A usable range: finite, not empty, with room around the data.
fn widen(data: Range, fit: Fit) -> Range {
    if data.lo > data.hi {
        return Range { lo: 0.0, hi: 1.0 };
    }
    let tame = |v: f64| if v.abs() < TINY { 0.0 } else { v.clamp(-HUGE, HUGE) };
    let Range { lo, hi } = Range { lo: tame(data.lo), hi: tame(data.hi) };
    let size = lo.abs().max(hi.abs());
    // variations below a millionth of the value cannot be labelled; show them as a constant
    if hi - lo <= 1e-6 * size {
        return match fit {
            _ if size == 0.0 && fit == Fit::Padded => Range { lo: -1.0, hi: 1.0 },
            Fit::Tight if size == 0.0 => Range { lo: 0.0, hi: 1.0 },
            _ => Range { lo: lo - 0.1 * size, hi: hi + 0.1 * size },
        };
    }
    if fit == Fit::Tight {
        return Range { lo, hi };
    }
    let room = 0.06 * (hi - lo);
    let at_zero = |near: f64, far: f64| near.abs() < 0.25 * far.abs();
    Range {
        lo: if lo >= 0.0 && at_zero(lo, hi) { 0.0 } else { lo - room },
        hi: if hi <= 0.0 && at_zero(hi, lo) { 0.0 } else { hi + room },
    }
}

/// Ticks at multiples of 1, 2 or 5 times a power of ten within the range, of parts of a turn where it
/// is wide in degrees.
fn ticks(range: Range, scale: &Scale, count: usize) -> Vec<Tick> {
    let (lo, hi) = (scale.apply(range.lo), scale.apply(range.hi));
    let rough = (hi - lo) / count.max(1) as f64;
    let (factor, exponent) = match scale.symbol.as_str() {
        "deg" => part_of_turn(rough),
        _ => None,
    }
    .unwrap_or_else(|| step(rough));
    let step = factor * power_of_ten(exponent);
    let decimals = (-exponent).max(0) as usize;
    let (first, last) = ((lo / step - 1e-9).ceil(), (hi / step + 1e-9).floor());
    let mut out = Vec::new();
    let mut number = first;
    while number <= last && out.len() <= 4 * count {
        let shown = number * step;
        let shown = if number == 0.0 { 0.0 } else { shown };
        // back from the shown number to the value itself, by the way the scale went
        let half = scale.exponent / 2;
        let value = shown * power_of_ten(half) * power_of_ten(scale.exponent - half);
        out.push(Tick { value, label: with_minus(&format!("{shown:.decimals$}")) });
        number += 1.0;
    }
    out
}

/// The usual part of a turn next above `rough` degrees, as `step`.
fn part_of_turn(rough: f64) -> Option<(f64, i32)> {
    let parts = [15.0, 30.0, 45.0, 90.0, 180.0];
    parts.into_iter().find(|part| rough > 7.0 && *part >= 0.99 * rough).map(|part| (part, 0))
}

/// The number of the form 1, 2 or 5 times 10ⁿ nearest to `rough` by ratio, as (factor, n).
fn step(rough: f64) -> (f64, i32) {
    if !(rough > 0.0 && rough.is_finite()) {
        return (1.0, 0);
    }
    let exponent = decade(rough);
    let lead = rough / power_of_ten(exponent);
    // the borders are the geometric means √2, √10, √50
    match lead {
        _ if lead < 1.414 => (1.0, exponent),
        _ if lead < 3.162 => (2.0, exponent),
        _ if lead < 7.071 => (5.0, exponent),
        _ => (1.0, exponent + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64, unit: &str) -> (Vec<String>, String) {
        let axis = Axis::new(Range { lo, hi }, unit, Fit::Padded, 5);
        (axis.ticks.into_iter().map(|t| t.label).collect(), axis.scale.symbol)
    }

    #[test]
    fn ticks_are_round_numbers() {
        let (shown, symbol) = labels(0.0, 18_000.0, "N");
        assert_eq!((shown.join(" "), symbol.as_str()), ("0 5 10 15".into(), "kN"));
        let (shown, symbol) = labels(-0.3, 0.42, "");
        assert_eq!((shown.join(" "), symbol.as_str()), ("−0.2 0.0 0.2 0.4".into(), ""));
        let turn = Axis::new(Range { lo: -180.0, hi: 180.0 }, "deg", Fit::Tight, 8);
        let shown: Vec<_> = turn.ticks.into_iter().map(|tick| tick.label).collect();
        assert_eq!(shown.join(" "), "−180 −135 −90 −45 0 45 90 135 180");
    }

    #[test]
    fn every_range_gives_finite_positions_and_some_ticks() {
        let cases = [
            (f64::INFINITY, f64::NEG_INFINITY),
            (0.0, 0.0),
            (5.0, 5.0),
            (-1e-320, 1e-320),
            (1e-280, 3e-280),
            (-f64::MAX, f64::MAX),
            (1e9, 1e9 + 1e-6),
            (-7e-9, 0.0),
        ];
        for (lo, hi) in cases {
            for fit in [Fit::Tight, Fit::Padded] {
                let axis = Axis::new(Range { lo, hi }, "N", fit, 5);
                assert!((2..=12).contains(&axis.ticks.len()), "{lo:e} {hi:e} {axis:?}");
                for tick in &axis.ticks {
                    let place = axis.place(tick.value, 0.0, 100.0);
                    assert!((0.0..=100.0).contains(&place), "{lo:e} {hi:e} {tick:?}");
                    assert!(tick.label.len() <= 16, "{}", tick.label);
                }
            }
        }
    }

    #[test]
    fn only_finite_values_count() {
        let mut range = Range::EMPTY;
        [1.0, f64::NAN, f64::INFINITY, -2.0].into_iter().for_each(|v| range.include(v));
        assert_eq!(range, Range { lo: -2.0, hi: 1.0 });
    }
}
