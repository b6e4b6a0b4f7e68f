//! The largest value of a smooth function inside an interval, and of a quantity inside a step.

use gudgeon_dae::{Fault, Integrator};

use crate::system::Plant;

/// Time and value of a top inside the last step, where the values at its start, its middle (by the
/// cheap interpolant) and its end let one expect that may exceed `record`. The state there is left in
/// `y`.
pub(super) fn top_inside(
    plant: &mut Plant,
    ode: &mut Integrator,
    [first, middle, last]: [f64; 3],
    record: f64,
    y: &mut [f64],
    mut value: impl FnMut(&mut Plant, f64, &[f64]) -> Result<f64, Fault>,
) -> Result<Option<(f64, f64)>, Fault> {
    let may_win = |height: &f64| *height + 0.05 * (*height - first).abs() > record;
    if top(first, middle, last).filter(may_win).is_none() {
        return Ok(None);
    }
    let (end, _) = ode.last_extent();
    ode.prepare_dense(plant)?;
    let (place, height) = maximise(0.0, end, |theta| {
        let t = ode.interpolate(theta, y);
        value(plant, t, y)
    })?;
    Ok(Some((ode.interpolate(place, y), height)))
}

/// Place and value of a local maximum in [a, c], found from a middle point by parabolas through the
/// three best points, kept by golden section. Accurate to about 1e-7 of the interval, which is
/// rounding in the value.
pub(super) fn maximise<E>(
    a: f64,
    c: f64,
    mut f: impl FnMut(f64) -> Result<f64, E>,
) -> Result<(f64, f64), E> {
    const GOLDEN: f64 = 0.381_966_011_250_105;
    let (mut low, mut high) = (a, c);
    let mut x = 0.5 * (a + c);
    let (mut w, mut v) = (x, x);
    let mut fx = f(x)?;
    let (mut fw, mut fv) = (fx, fx);
    let (mut step, mut before): (f64, f64) = (0.0, 0.0);
    let tolerance = 1e-7 * (c - a);
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

/// Whether the parabola through three equidistant values has its top inside and above both ends;
/// returns the height of the top.
fn top(first: f64, middle: f64, last: f64) -> Option<f64> {
    let curvature = first - 2.0 * middle + last;
    if middle > first && middle > last {
        let height = middle - 0.125 * (first - last) * (first - last) / curvature;
        return Some(if height.is_finite() { height.max(middle) } else { middle });
    }
    // Rising to or falling from an end, but bent so far that the top may lie inside.
    let shift = 0.5 * (first - last) / curvature;
    (curvature < 0.0 && shift.abs() < 1.2)
        .then(|| middle - 0.125 * (first - last) * (first - last) / curvature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_top_of_smooth_functions() {
        let f = |x: f64| Ok::<_, ()>((-(x - 0.3) * (x - 0.3)).exp() * 5.0);
        let (x, y) = maximise(0.0, 1.0, f).unwrap();
        assert!((x - 0.3).abs() < 1e-6 && (y - 5.0).abs() < 1e-12, "{x} {y}");
        let (x, y) = maximise(0.0, 3.0, |x| Ok::<_, ()>(x.sin())).unwrap();
        assert!(
            (x - std::f64::consts::FRAC_PI_2).abs() < 1e-5 && (y - 1.0).abs() < 1e-12,
            "{x} {y}"
        );
    }

    #[test]
    fn a_monotonous_stretch_has_no_top() {
        assert_eq!(top(0.0, 1.0, 2.0), None);
        assert_eq!(top(0.0, 0.2, 1.0), None);
        assert!(top(0.0, 1.0, 0.9).unwrap() > 1.0);
    }
}
