//! Sums along the length of a tilted journal.
//!
//! e and ν are linear in z. Where one of them passes the centre at a small distance its direction turns
//! within that distance, and with it the film of a slice: as a function of z it is analytic only that far.
//! With z = middle + reach sinh t the direction turns evenly in t, and Gauss points in t sum it.

use nalgebra::Vector2;

use super::gauss::Gauss;

/// Nearer to the centre than this is through it.
const THROUGH: f64 = 1e-6;
/// Longest piece in t: z grows a hundredfold on it, and the fifth power of z is still summed to 1e-13.
const PIECE: f64 = 4.6;

/// Where a vector that is linear in z passes the centre, and at which distance in z.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub middle: f64,
    reach: f64,
}

impl Turn {
    pub fn of(pair: &[Vector2<f64>; 2]) -> Self {
        let (slope, middle) = ((pair[1] - pair[0]) * 0.5, (pair[1] + pair[0]) * 0.5);
        let over = 1.0 / slope.norm_squared();
        if !over.is_finite() {
            return Self { middle: -1.0, reach: f64::INFINITY }; // it is the same everywhere
        }
        let reach = (slope.perp(&middle) * over).abs();
        // One that goes through the centre has one direction on either side.
        let reach = if reach < THROUGH { f64::INFINITY } else { reach };
        Self { middle: -slope.dot(&middle) * over, reach }
    }

    /// How far it is from a stretch.
    fn away(&self, from: f64, to: f64) -> f64 {
        (self.middle - to).max(from - self.middle).max(0.0).hypot(self.reach)
    }
}

/// Points and weights on a stretch, drawn to the turn that is nearest. From the distance 2 on none matters,
/// and the detour over t would cost digits.
pub fn points<'a>(
    turns: &[Turn],
    from: f64,
    to: f64,
    gauss: &'a Gauss,
) -> impl Iterator<Item = (f64, f64)> + use<'a> {
    let away = turns.iter().map(|turn| (turn.away(from, to), *turn));
    let near = away.filter(|(away, _)| *away < 2.0).min_by(|a, b| a.0.total_cmp(&b.0));
    let near = near.map(|(_, turn)| turn);
    let t = |z: f64| near.map_or(z, |turn| ((z - turn.middle) / turn.reach).asinh());
    let (from, to) = (t(from), t(to));
    let pieces = ((to - from) / PIECE).ceil();
    let at = move |k: f64| from + (to - from) * k / pieces;
    let pieces = (0..pieces as usize).map(|k| k as f64);
    pieces.flat_map(move |k| gauss.on(at(k), at(k + 1.0))).map(move |(t, w)| match near {
        Some(turn) => (turn.middle + turn.reach * t.sinh(), w * turn.reach * t.cosh()),
        None => (t, w),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ of a direction that turns within `distance`.
    #[test]
    fn directions_that_turn_fast_are_summed() {
        let gauss = Gauss::new(16);
        for distance in [10.0, 1.0, 0.1, 1e-3, 1e-5, 1e-9, 0.0] {
            let pair = [Vector2::new(-0.7, distance), Vector2::new(1.3, distance)];
            let turn = Turn::of(&pair);
            let cuts = [-1.0, turn.middle, 1.0];
            let sum: f64 = cuts
                .windows(2)
                .flat_map(|part| points(&[turn], part[0], part[1], &gauss))
                .map(|(z, w)| w * (pair[0] + (pair[1] - pair[0]) * (0.5 * (1.0 + z))).normalize().x)
                .sum();
            let exact = pair[1].norm() - pair[0].norm();
            assert!((sum - exact).abs() < 1e-10, "{distance}: {sum} is not {exact}");
        }
    }
}
