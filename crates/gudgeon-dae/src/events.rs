//! Finding and locating the fall of switches through zero within a step.
//!
//! A switch is positive while its mode lasts. After a step its values are taken at a few nodes of
//! the cheap interpolant. A negative node, or a dip between nodes whose parabola goes below zero,
//! brackets a crossing; the crossing is then located on the method's own dense output. At the
//! start of a step a switch counts as positive: right after an event its value is zero but for
//! rounding.

/// Nodes within a step, the end included.
pub(crate) const NODES: [f64; 4] = [0.25, 0.5, 0.75, 1.0];

/// A switch below this fraction of its later values is zero but for rounding at the start of a step.
const START: f64 = 1e-9;

/// A crossing of switch `switch` between θ = `from` (positive) and `to` (negative).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bracket {
    pub switch: usize,
    pub from: f64,
    pub to: f64,
}

/// First place where `values` (at θ = 0 and at the nodes) falls below zero; `probe` evaluates the
/// switch between nodes.
pub(crate) fn first_fall(
    values: [f64; 5],
    mut probe: impl FnMut(f64) -> f64,
) -> Option<(f64, f64)> {
    let theta = [0.0, NODES[0], NODES[1], NODES[2], NODES[3]];
    for i in 1..5 {
        if values[i] < 0.0 {
            return Some((theta[i - 1], theta[i]));
        }
        if i == 4 {
            break;
        }
        let (a, b, c) = (values[i - 1], values[i], values[i + 1]);
        // Parabola through three equidistant values; vertex in units of the spacing from the middle.
        let curvature = a - 2.0 * b + c;
        if c < 0.0 || curvature <= 0.0 {
            continue;
        }
        let shift = 0.5 * (a - c) / curvature;
        // Each parabola answers for the half spacings around its middle, the outer ones for the
        // ends of the step too.
        let low = if i == 1 { -1.0 } else { -0.5 };
        let high = if i == 3 { 1.0 } else { 0.5 };
        if !(low..=high).contains(&shift) || (shift < -0.5 && a <= START * c) {
            continue;
        }
        let bottom = b - 0.125 * (a - c) * (a - c) / curvature;
        if bottom < 0.2 * b {
            let place = theta[i] + shift * 0.25;
            if probe(place) < 0.0 {
                return Some((if place > theta[i] { theta[i] } else { theta[i - 1] }, place));
            }
        }
    }
    None
}

/// Root of the first fall that the nodes of the cheap interpolant put between `from` and `to`. Where the
/// function itself has not yet fallen at `to`, a node that is zero but for rounding or the error of the
/// interpolant, the fall comes later: the nodes behind it are tried. `None` where it never falls.
pub(crate) fn locate_from(from: f64, to: f64, mut f: impl FnMut(f64) -> f64) -> Option<f64> {
    let mut from = from;
    let later = NODES.into_iter().filter(|node| *node > to);
    for to in std::iter::once(to).chain(later) {
        if let Some(root) = locate(from, to, &mut f) {
            return Some(root);
        }
        from = to;
    }
    None
}

/// Root of a falling function in (from, to) to rounding: Illinois' rule, kept by bisection.
/// Returns `from` when the function is not positive anywhere near it, `None` when there is no fall.
pub(crate) fn locate(from: f64, to: f64, mut f: impl FnMut(f64) -> f64) -> Option<f64> {
    let (mut a, mut b) = (from, to);
    let mut fb = f(b);
    if fb >= 0.0 {
        return None;
    }
    let mut fa = f(a);
    if fa <= 0.0 {
        // Zero but for rounding at the start of a mode: look for the positive part after it.
        let mut width = b - a;
        loop {
            width *= 0.25;
            if width < 1e-9 {
                return Some(from);
            }
            let value = f(a + width);
            if value > 0.0 {
                (a, fa) = (a + width, value);
                break;
            }
            (b, fb) = (a + width, value);
        }
    }
    let mut side = 0;
    for i in 0..100 {
        if b - a <= 4.0 * f64::EPSILON {
            break;
        }
        let mut x = if i % 8 == 7 { 0.5 * (a + b) } else { (a * fb - b * fa) / (fb - fa) };
        if !(x > a && x < b) {
            x = 0.5 * (a + b);
        }
        let fx = f(x);
        if fx == 0.0 {
            return Some(x);
        }
        if fx > 0.0 {
            if side == 1 {
                fb *= 0.5;
            }
            (a, fa, side) = (x, fx, 1);
        } else {
            if side == -1 {
                fa *= 0.5;
            }
            (b, fb, side) = (x, fx, -1);
        }
    }
    Some(if fa.abs() < fb.abs() { a } else { b })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fall(f: impl Fn(f64) -> f64 + Copy) -> Option<(f64, f64)> {
        let values = [f(0.0), f(NODES[0]), f(NODES[1]), f(NODES[2]), f(NODES[3])];
        first_fall(values, f)
    }

    #[test]
    fn a_fall_through_a_node_is_found_behind_it() {
        // The cheap interpolant sees the node just below zero, the dense output just above.
        let dense = |x: f64| 0.5 - x + 1e-17;
        let (from, to) = first_fall([0.5, 0.25, -1e-19, -0.25, -0.5], dense).unwrap();
        assert_eq!(locate(from, to, dense), None);
        let root = locate_from(from, to, dense).unwrap();
        assert!((root - 0.5).abs() < 1e-14, "{root}");
        assert_eq!(locate_from(0.0, 0.25, |_| 1.0), None);
    }

    #[test]
    fn finds_a_touch_between_nodes() {
        let touch = |x: f64| (x - 0.61) * (x - 0.61) - 1e-3;
        let (from, to) = fall(touch).unwrap();
        let root = locate(from, to, touch).unwrap();
        assert!((root - (0.61 - 1e-3f64.sqrt())).abs() < 1e-14);
    }

    #[test]
    fn ignores_a_near_miss_and_the_zero_at_the_start() {
        assert_eq!(fall(|x| (x - 0.61) * (x - 0.61) + 1e-6), None);
        assert_eq!(fall(|x| x - 1e-18), None);
    }

    #[test]
    fn locates_a_fall_after_a_start_at_zero() {
        let f = |x: f64| x * (0.1 - x) - 1e-17;
        let (from, to) = fall(f).unwrap();
        assert!((locate(from, to, f).unwrap() - 0.1).abs() < 1e-14);
    }

    #[test]
    fn a_switch_that_never_rises_fires_at_once() {
        assert_eq!(locate(0.0, 0.25, |x| -x - 1e-20), Some(0.0));
    }
}
