//! Shape functions of an element and quadrature along it.
//!
//! With ξ = x/l and the vectors of both nodes (Yakoub, Shabana 2001),
//!
//!   r = S₁ r₁ + S₂ r₁ₓ + (1−ξ)(y r₁ᵧ + z r₁_z) + S₅ r₂ + S₆ r₂ₓ + ξ (y r₂ᵧ + z r₂_z)               (1)
//!   S₁ = 1 − 3ξ² + 2ξ³,  S₂ = l(ξ − 2ξ² + ξ³),  S₅ = 3ξ² − 2ξ³,  S₆ = l(ξ³ − ξ²)                    (2)
//!
//! Vectors are in the order r, rₓ [, rᵧ [, r_z]] of the first node, then of the second. Weights have room
//! for 2 × 4 vectors; an element with V vectors per node uses the first 2V of them.

/// Weights of the vectors of an element.
pub type Weights = [f64; 8];

/// Fields of an element that are linear in its vectors, at a place of its line.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub place: Weights,
    /// rₓ, rᵧ, r_z on the line.
    pub gradients: [Weights; 3],
    /// rₓₓ, rᵧₓ, r_zₓ.
    pub slopes: [Weights; 3],
}

impl Shape {
    /// (1) for an element of length l with V vectors per node.
    pub fn at(xi: f64, length: f64, vectors: usize) -> Self {
        let zero = [0.0; 8];
        let mut shape = Self { place: zero, gradients: [zero; 3], slopes: [zero; 3] };
        let second = vectors;
        let (x2, x3) = (xi * xi, xi * xi * xi);
        shape.place[0] = 1.0 - 3.0 * x2 + 2.0 * x3;
        shape.place[1] = length * (xi - 2.0 * x2 + x3);
        shape.place[second] = 3.0 * x2 - 2.0 * x3;
        shape.place[second + 1] = length * (x3 - x2);
        let along = &mut shape.gradients[0];
        along[0] = 6.0 * (x2 - xi) / length;
        along[1] = 1.0 - 4.0 * xi + 3.0 * x2;
        along[second] = -along[0];
        along[second + 1] = 3.0 * x2 - 2.0 * xi;
        let bend = &mut shape.slopes[0];
        bend[0] = (12.0 * xi - 6.0) / (length * length);
        bend[1] = (6.0 * xi - 4.0) / length;
        bend[second] = -bend[0];
        bend[second + 1] = (6.0 * xi - 2.0) / length;
        for across in 1..vectors - 1 {
            shape.gradients[across][across + 1] = 1.0 - xi;
            shape.gradients[across][second + across + 1] = xi;
            shape.slopes[across][across + 1] = -1.0 / length;
            shape.slopes[across][second + across + 1] = 1.0 / length;
        }
        shape
    }
}

/// Places ξ ∈ (0, 1) and weights of Gauss with 1 … 5 points; the sum of the weights is one.
pub fn gauss(points: usize) -> &'static [(f64, f64)] {
    match points {
        0 | 1 => &[(0.5, 1.0)],
        2 => &[(0.211_324_865_405_187_1, 0.5), (0.788_675_134_594_812_9, 0.5)],
        3 => &[
            (0.112_701_665_379_258_31, 0.277_777_777_777_777_8),
            (0.5, 0.444_444_444_444_444_4),
            (0.887_298_334_620_741_7, 0.277_777_777_777_777_8),
        ],
        4 => &[
            (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
            (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
            (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
            (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
        ],
        _ => &[
            (0.046_910_077_030_668_004, 0.118_463_442_528_094_54),
            (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
            (0.5, 0.284_444_444_444_444_44),
            (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
            (0.953_089_922_969_332, 0.118_463_442_528_094_54),
        ],
    }
}

/// The places of both nodes with half of the length each.
pub const NODES: [(f64, f64); 2] = [(0.0, 0.5), (1.0, 0.5)];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrature_is_exact_for_polynomials() {
        for points in 1..=5 {
            for power in 0..2 * points as i32 {
                let sum: f64 = gauss(points).iter().map(|(x, w)| w * x.powi(power)).sum();
                assert!((sum * f64::from(power + 1) - 1.0).abs() < 4e-15, "{points} {power}");
            }
        }
    }

    #[test]
    fn derivatives_of_shapes_agree_with_differences() {
        let (length, h) = (0.3, 1e-5);
        for vectors in 2..=4 {
            let [below, here, above] = [-h, 0.0, h].map(|d| Shape::at(0.37 + d, length, vectors));
            for k in 0..8 {
                let slope = (above.place[k] - below.place[k]) / (2.0 * h * length);
                assert!((slope - here.gradients[0][k]).abs() < 1e-8);
                for axis in 0..3 {
                    let slope =
                        (above.gradients[axis][k] - below.gradients[axis][k]) / (2.0 * h * length);
                    assert!((slope - here.slopes[axis][k]).abs() < 1e-7);
                }
            }
        }
    }
}
