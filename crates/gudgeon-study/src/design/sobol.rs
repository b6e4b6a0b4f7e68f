//! The sequence of Sobol': points that fill the cube evenly, for averages over many variables.
//!
//! Coordinate j of point i is x_ij = ⊕_b g_b v_bj, the sum without carry of the direction numbers v_bj
//! over the bits b set in the Gray code g = i ⊕ ⌊i/2⌋ (Antonov, Saleev 1979): from one point to the
//! next a single direction number enters. With m_b = v_b 2^b,
//!
//!   m_b = 2 a₁ m_{b−1} ⊕ … ⊕ 2^{s−1} a_{s−1} m_{b−s+1} ⊕ 2^s m_{b−s} ⊕ m_{b−s}     (1)
//!
//! continues the published initial numbers. Full strength needs 2^k points from the start.
//!
//! A digital shift adds the same random bits without carry to every point of a coordinate: the
//! sequence keeps its evenness, several seeds give independent estimates, and no point lies on the
//! border, which quantiles of unbounded distributions need. Reference: Joe, Kuo 2008; Owen 1998.

use super::sobol_table::PRIMITIVE;
use super::{DesignError, check_size};
use gudgeon::random::Random;

const BITS: usize = 52;

/// A Sobol' sequence in a given number of dimensions.
#[derive(Clone, Debug)]
pub struct Sobol {
    /// v of each dimension, as multiples of 2⁻⁵².
    directions: Vec<[u64; BITS]>,
    shift: Vec<u64>,
    shifted: bool,
    state: Vec<u64>,
    index: u64,
}

/// The first `points` of the sequence, with a digital shift if there is a seed.
pub fn sobol(
    points: usize,
    dimension: usize,
    seed: Option<u64>,
) -> Result<Vec<Vec<f64>>, DesignError> {
    check_size(points, dimension)?;
    Ok(Sobol::new(dimension, seed)?.take(points).collect())
}

impl Sobol {
    /// The largest number of dimensions.
    pub const DIMENSIONS: usize = PRIMITIVE.len() + 1;

    pub fn new(dimension: usize, seed: Option<u64>) -> Result<Self, DesignError> {
        check_size(1, dimension)?;
        if dimension > Self::DIMENSIONS {
            return Err(DesignError::TooManyDimensions { dimension, limit: Self::DIMENSIONS });
        }
        let shift = match seed {
            None => vec![0; dimension],
            Some(seed) => {
                let mut random = Random::new(seed);
                (0..dimension).map(|_| random.next() >> (64 - BITS)).collect()
            }
        };
        let directions = (0..dimension).map(directions).collect();
        let state = vec![0; dimension];
        Ok(Self { directions, shift, shifted: seed.is_some(), state, index: 0 })
    }
}

impl Iterator for Sobol {
    type Item = Vec<f64>;

    fn next(&mut self) -> Option<Vec<f64>> {
        // The middle of the last bit's interval when shifted: never 0, never 1.
        let middle = if self.shifted { 0.5 } else { 0.0 };
        let unit = |(x, s): (&u64, &u64)| ((x ^ s) as f64 + middle) / (1u64 << BITS) as f64;
        let point = self.state.iter().zip(&self.shift).map(unit).collect();
        let bit = self.index.trailing_ones() as usize;
        for (x, v) in self.state.iter_mut().zip(&self.directions) {
            *x ^= v[bit];
        }
        self.index += 1;
        Some(point)
    }
}

/// Direction numbers of a dimension counted from 0; that of dimension 0 is van der Corput's.
fn directions(dimension: usize) -> [u64; BITS] {
    let mut m = [1u64; BITS];
    if dimension > 0 {
        let (coefficients, initial) = PRIMITIVE[dimension - 1];
        let s = initial.len();
        for (to, &from) in m.iter_mut().zip(initial) {
            *to = u64::from(from);
        }
        for b in s..BITS {
            m[b] = m[b - s] ^ (m[b - s] << s); // (1)
            for r in 1..s {
                if coefficients >> (s - 1 - r) & 1 == 1 {
                    m[b] ^= m[b - r] << r;
                }
            }
        }
    }
    std::array::from_fn(|b| m[b] << (BITS - 1 - b))
}

#[cfg(test)]
mod tests {
    use super::super::measure::centred_discrepancy;
    use super::*;

    #[test]
    fn first_points_as_published() {
        let points = sobol(6, 3, None).unwrap();
        let expected = [
            [0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25],
            [0.25, 0.75, 0.75],
            [0.375, 0.375, 0.625],
            [0.875, 0.875, 0.125],
        ];
        assert_eq!(points, expected.map(|p| p.to_vec()));
    }

    /// Values of another implementation on the same table (SciPy's `qmc.Sobol`, unscrambled).
    #[test]
    fn a_late_point_in_many_dimensions() {
        let points = sobol(1024, 128, None).unwrap();
        let chosen = [0, 1, 2, 3, 4, 10, 40, 127].map(|k| points[777][k]);
        let expected = [
            0.6923828125,
            0.9365234375,
            0.1630859375,
            0.2744140625,
            0.6357421875,
            0.7451171875,
            0.7216796875,
            0.1181640625,
        ];
        assert_eq!(chosen, expected);
        assert_eq!(points[777].iter().sum::<f64>(), 63.498046875);
        let first: Vec<Vec<f64>> = points[..64].iter().map(|p| p[..3].to_vec()).collect();
        let squared = centred_discrepancy(&first).powi(2);
        assert!((squared - 0.0005947820123695102).abs() < 1e-15, "{squared}");
    }

    /// What the table must satisfy: primitive polynomials, none twice, and odd m_b < 2^b.
    #[test]
    fn the_table_is_sound() {
        let mut seen = std::collections::BTreeSet::new();
        for &(inner, initial) in PRIMITIVE {
            let s = initial.len();
            let polynomial = 1u32 << s | inner << 1 | 1;
            assert!(seen.insert(polynomial), "{polynomial} stands twice");
            // Primitive: the powers of x modulo the polynomial return to 1 after 2^s − 1, not before.
            let times_x =
                |p: &u32| Some(if p >> (s - 1) & 1 == 1 { p << 1 ^ polynomial } else { p << 1 });
            let order = std::iter::successors(Some(1u32), times_x).skip(1).position(|p| p == 1);
            assert_eq!(order, Some((1 << s) - 2), "{polynomial}");
            assert!(initial.iter().enumerate().all(|(b, &m)| m % 2 == 1 && m < 2 << b));
        }
    }

    /// In each dimension 2^k points fall one into each of 2^k equal intervals, shifted or not.
    #[test]
    fn every_dimension_is_stratified() {
        for seed in [None, Some(3), Some(4)] {
            let points = sobol(1024, Sobol::DIMENSIONS, seed).unwrap();
            for k in 0..Sobol::DIMENSIONS {
                let mut cells: Vec<usize> =
                    points.iter().map(|p| (p[k] * 1024.0) as usize).collect();
                cells.sort_unstable();
                assert!(cells.iter().enumerate().all(|(i, &c)| i == c), "dimension {k}");
            }
        }
    }

    #[test]
    fn sixteen_points_in_the_plane_form_a_net() {
        // One point per box of the 4 × 4 grid.
        let points = sobol(16, 2, None).unwrap();
        let mut boxes: Vec<usize> =
            points.iter().map(|p| (p[0] * 4.0) as usize * 4 + (p[1] * 4.0) as usize).collect();
        boxes.sort_unstable();
        assert!(boxes.iter().enumerate().all(|(i, &b)| i == b));
    }

    #[test]
    fn limits_are_told() {
        let wish = sobol(1, Sobol::DIMENSIONS + 1, None);
        assert!(matches!(wish, Err(DesignError::TooManyDimensions { limit: 128, .. })));
    }
}
