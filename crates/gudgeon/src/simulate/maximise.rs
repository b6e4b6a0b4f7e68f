//! The largest value of a quantity inside a step.

use super::nodes::{Hiding, KRONROD, LOBATTO};

/// Parts of a step are halved so many times at most.
pub(super) const DEEPEST: usize = 3;
/// Halving a part must make it clearer by this factor to be repeated: a corner never gets clear.
pub(super) const CLEARER: f64 = 0.25;

/// How closely a top is placed, as a share of where it is looked for: a smooth one is flat, so that its
/// height is then near rounding; at a corner the height is as exact as the place.
const SMOOTH: f64 = 1e-6;
const CORNER: f64 = 1e-10;
/// Evaluations that the top of a polynomial is given to become that of the output.
const SMOOTH_LOOKS: usize = 4;
/// Distance of the places that a parabola at the top of a polynomial goes through.
const NEAR: f64 = 2e-4;

/// Whether a quantity with these values at Lobatto's nodes of a step may exceed `record` inside.
pub(super) fn may_exceed(values: &[f64; 4], record: f64) -> bool {
    LOBATTO.may_exceed(values, record).is_some()
}

/// Place and value of the top of `f` in [from, to], if it exceeds `record`.
pub(super) fn top<E>(
    (from, to): (f64, f64),
    record: f64,
    f: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<(f64, f64)>, E> {
    top_of_part((from, to), record, f, DEEPEST, f64::INFINITY)
}

fn top_of_part<E>(
    (from, to): (f64, f64),
    record: f64,
    f: &mut impl FnMut(f64) -> Result<f64, E>,
    deeper: usize,
    blur: f64,
) -> Result<Option<(f64, f64)>, E> {
    let place = |x: f64| from + x * (to - from);
    let mut values = [0.0; 7];
    let mut best = None;
    let mut record = record;
    for (value, x) in values.iter_mut().zip(KRONROD.places) {
        *value = f(place(x))?;
        if *value > record {
            (record, best) = (*value, Some((place(x), *value)));
        }
    }
    let Some(hiding) = KRONROD.may_exceed(&values, record) else { return Ok(best) };
    if !hiding.resolved && deeper > 0 && hiding.blur < CLEARER * blur {
        let middle = place(0.5);
        for half in [(from, middle), (middle, to)] {
            if let Some(found) = top_of_part(half, record, f, deeper - 1, hiding.blur)? {
                (record, best) = (found.1, Some(found));
            }
        }
        return Ok(best);
    }
    let found = locate(hiding, &values, |x| f(place(x)))?;
    Ok(if found.1 > record { Some((place(found.0), found.1)) } else { best })
}

/// Place and value of the top that hides between Kronrod's nodes.
pub(super) fn locate<E>(
    hiding: Hiding,
    values: &[f64; 7],
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    if hiding.resolved
        && let Some(found) = locate_smooth(hiding, values, &mut f)?
    {
        return Ok(found);
    }
    let Hiding { from, about, to, resolved, .. } = hiding;
    maximise(from, about, to, if resolved { SMOOTH } else { CORNER }, f)
}

/// The top of the polynomial through the nodes, corrected by the values found there:
///
///   f(x) ≈ p(x) + r(x) w(x),   r = (f − p)/w, constant after one of them, linear after two
///
/// `None` where that does not come to rest.
fn locate_smooth<E>(
    Hiding { from, about, to, .. }: Hiding,
    values: &[f64; 7],
    f: &mut impl FnMut(f64) -> Result<f64, E>,
) -> Result<Option<(f64, f64)>, E> {
    let p = |x: f64| KRONROD.polynomial(values, x).0;
    let Some(mut x) = vertex(&p, about, 0.25 * (to - from)).and_then(|x| vertex(&p, x, NEAR))
    else {
        return Ok(None);
    };
    let mut best = (x, f64::NEG_INFINITY);
    let mut before: Option<(f64, f64)> = None;
    for _ in 0..SMOOTH_LOOKS {
        if !(from..to).contains(&x) {
            return Ok(None);
        }
        let height = f(x)?;
        if height > best.1 {
            best = (x, height);
        }
        let (below, w) = KRONROD.polynomial(values, x);
        let r = if w != 0.0 { (height - below) / w } else { 0.0 };
        let slope = before.map_or(0.0, |(at, other)| (r - other) / (x - at));
        let corrected = |place: f64| {
            let (p, w) = KRONROD.polynomial(values, place);
            p + (r + slope * (place - x)) * w
        };
        let Some(next) = vertex(&corrected, x, NEAR) else { return Ok(None) };
        if (next - x).abs() < 0.1 * SMOOTH {
            return Ok(Some(best));
        }
        before = Some((x, r));
        x = next;
    }
    Ok(None)
}

/// Where a parabola through a function at `x` and at `d` on both sides has its top, if it has one.
fn vertex(f: &impl Fn(f64) -> f64, x: f64, d: f64) -> Option<f64> {
    let (left, middle, right) = (f(x - d), f(x), f(x + d));
    let bend = 2.0 * middle - left - right;
    (bend > 0.0).then(|| x + 0.5 * d * (right - left) / bend)
}

/// Place and value of a local maximum in [a, c], found from the place b by parabolas through the
/// three best points, kept by golden section, to a share of the interval.
fn maximise<E>(
    a: f64,
    b: f64,
    c: f64,
    share: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    const GOLDEN: f64 = 0.381_966_011_250_105;
    let (mut low, mut high) = (a, c);
    let mut x = b;
    let (mut w, mut v) = (x, x);
    let mut fx = f(x)?;
    let (mut fw, mut fv) = (fx, fx);
    let (mut step, mut before): (f64, f64) = (0.0, 0.0);
    let tolerance = share * (c - a);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if (x - middle).abs() + 0.5 * (high - low) <= 2.0 * tolerance {
            break;
        }
        // Vertex of the parabola through x, w, v.
        let r = (x - w) * (fx - fv);
        let q = (x - v) * (fx - fw);
        let p = (x - v) * q - (x - w) * r;
        let denominator = 2.0 * (q - r);
        let parabola = if denominator != 0.0 { -p / denominator } else { f64::INFINITY };
        let inside = x + parabola > low && x + parabola < high;
        let next = if inside && parabola.abs() < 0.5 * before.abs() {
            before = step;
            parabola
        } else {
            before = if x < middle { high - x } else { low - x };
            GOLDEN * before
        };
        step = if next.abs() >= tolerance { next } else { tolerance.copysign(next) };
        let u = x + step;
        let fu = f(u)?;
        if fu >= fx {
            if u < x {
                high = x
            } else {
                low = x
            }
            (v, fv, w, fw, x, fx) = (w, fw, x, fx, u, fu);
        } else {
            if u < x {
                low = u
            } else {
                high = u
            }
            if fu >= fw || w == x {
                (v, fv, w, fw) = (w, fw, u, fu);
            } else if fu >= fv || v == x || v == w {
                (v, fv) = (u, fu);
            }
        }
    }
    Ok((x, fx))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn top_of(f: impl Fn(f64) -> f64) -> (f64, f64) {
        top((0.0, 1.0), f64::NEG_INFINITY, &mut |x| Ok::<_, ()>(f(x))).unwrap().unwrap()
    }

    #[test]
    fn finds_the_top_of_smooth_functions() {
        let (x, y) = top_of(|x| (-(x - 0.3) * (x - 0.3)).exp() * 5.0);
        assert!((x - 0.3).abs() < 1e-5 && (y - 5.0).abs() < 1e-12, "{x} {y}");
        let (x, y) = top_of(|x| (3.0 * x).sin());
        assert!(
            (3.0 * x - std::f64::consts::FRAC_PI_2).abs() < 1e-5 && (y - 1.0).abs() < 1e-12,
            "{x} {y}"
        );
    }

    #[test]
    fn finds_the_larger_of_several_tops_and_the_edge_of_a_jump() {
        let waves = |x: f64| (18.0 * x).sin() * (1.0 + x);
        let sampled = (0..=100_000).map(|i| waves(f64::from(i) * 1e-5)).fold(0.0, f64::max);
        let (_, y) = top_of(waves);
        assert!((y - sampled).abs() < 1e-7, "{y} {sampled}");
        // An angle that passes π.
        let wrapped = |x: f64| (2.9 + x).sin().atan2((2.9 + x).cos());
        let (_, y) = top_of(wrapped);
        assert!((y - std::f64::consts::PI).abs() < 1e-9, "{y}");
        // A corner.
        let (_, y) = top_of(|x| 1.0 - (x - 0.37).abs());
        assert!((y - 1.0).abs() < 1e-9, "{y}");
    }

    #[test]
    fn nothing_is_found_below_the_record() {
        let f = &mut |x: f64| Ok::<_, ()>(x.sin());
        assert_eq!(top((0.0, 1.0), 0.9, f), Ok(None));
    }
}
