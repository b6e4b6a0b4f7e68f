//! The normal load that rubs in an ideal joint, from its reaction.
//!
//! The reaction on side b, (f, t) about its marker in axes of side a, is what pressure *and* friction of
//! the surfaces add up to. Loads of the types of joints:
//!
//! | joint | load N along the sliding surface |
//! |---|---|
//! | revolute, cylindrical, screw (axis z, radius R) | √(f_x² + f_y²)/√(1 + μ²) + (r/R) |f_z| + (2/L) √(t_x² + t_y²)  (1) |
//! | prismatic (axis x, length L) | |F₊| + |F₋|,  F± = (f_y, f_z)/2 ± (t_z, −t_y)/L                 (2) |
//! | spherical, universal (radius R) | |f|/√(1 + μ²)                                                (3) |
//! | planar (normal z, radius r) | |f_z|                                                           (4) |
//!
//! In (1) and (3) the resultant leans by the angle of friction against the pressure: with N = |f|/√(1 + μ²)
//! the friction torque μ N R is the one of the friction circle, R μ/√(1 + μ²) |f|. Thrust acts at the
//! mean radius r, a tilting moment as a couple over the length L of the bearing. (2) are the forces on
//! the two ends of the guide. A preload adds to N. Screws carry their thrust f_z along the thread: see
//! `mod.rs`. |x| is rounded to √(x² + ε²), ε a 1e-9 of the weight of the mechanism.

/// How a joint is loaded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Load {
    Journal { thrust: f64, couple: f64 },
    Guide { couple: f64 },
    Ball,
    Plate,
}

/// N, and its derivatives by (f, t) and by μ.
#[derive(Clone, Copy, Debug)]
pub struct Loaded {
    pub value: f64,
    pub slope: [f64; 6],
    pub by_mu: f64,
}

/// |x| of some components, rounded at zero.
fn size<const N: usize>(c: &[f64; 6], of: [usize; N], round: f64) -> (f64, [f64; 6]) {
    let root = (of.iter().map(|&i| c[i] * c[i]).sum::<f64>() + round * round).sqrt();
    let mut slope = [0.0; 6];
    for i in of {
        slope[i] = c[i] / root;
    }
    (root, slope)
}

impl Load {
    /// The load of a reaction in axes of side a, for a coefficient μ.
    pub fn of(&self, c: &[f64; 6], mu: f64, round: f64) -> Loaded {
        let mut out = Loaded { value: 0.0, slope: [0.0; 6], by_mu: 0.0 };
        let mut add = |(value, slope): (f64, [f64; 6]), by: f64| {
            out.value += by * value;
            out.slope.iter_mut().zip(slope).for_each(|(out, slope)| *out += by * slope);
        };
        let lean = 1.0 / (1.0 + mu * mu).sqrt();
        match *self {
            Self::Journal { thrust, couple } => {
                add(size(c, [0, 1], round), lean);
                add(size(c, [2], round), thrust);
                add(size(c, [3, 4], round), couple);
            }
            Self::Guide { couple } => {
                for sign in [1.0, -1.0] {
                    let y = 0.5 * c[1] + sign * couple * c[5];
                    let z = 0.5 * c[2] - sign * couple * c[4];
                    let root = (y * y + z * z + round * round).sqrt();
                    let (y, z) = (y / root, z / root);
                    let slope = [0.0, 0.5 * y, 0.5 * z, 0.0, -sign * couple * z, sign * couple * y];
                    add((root, slope), 1.0);
                }
            }
            Self::Ball => add(size(c, [0, 1, 2], round), lean),
            Self::Plate => add(size(c, [2], round), 1.0),
        }
        let leaning = match self {
            Self::Journal { .. } => size(c, [0, 1], round).0,
            Self::Ball => size(c, [0, 1, 2], round).0,
            Self::Guide { .. } | Self::Plate => 0.0,
        };
        out.by_mu = -mu * lean * lean * lean * leaning;
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_differences() {
        let c = [1.0, -2.0, 0.7, 0.3, 0.4, -0.9];
        for load in [
            Load::Journal { thrust: 0.8, couple: 3.0 },
            Load::Guide { couple: 2.5 },
            Load::Ball,
            Load::Plate,
        ] {
            let at = load.of(&c, 0.2, 1e-3);
            for i in 0..6 {
                let side = |by: f64| {
                    let mut c = c;
                    c[i] += by;
                    load.of(&c, 0.2, 1e-3).value
                };
                let numeric = (side(1e-6) - side(-1e-6)) / 2e-6;
                assert!((at.slope[i] - numeric).abs() < 1e-8, "{load:?} {i}");
            }
        }
    }

    #[test]
    fn a_guide_pushed_off_its_middle_carries_two_edges() {
        // Force F at the arm e from the middle: (F/2)(1 ± 2e/L), together 2 e F/L once e > L/2.
        let (force, arm, length) = (10.0, 0.3, 0.2);
        let c = [0.0, force, 0.0, 0.0, 0.0, force * arm];
        let found = Load::Guide { couple: 1.0 / length }.of(&c, 0.1, 0.0).value;
        assert!((found - 2.0 * arm * force / length).abs() < 1e-12, "{found}");
    }
}
