//! Full factorial designs: every combination of the levels of the variables.
//!
//! A variable of m > 1 levels takes j/(m − 1), j = 0 … m − 1, so both ends of its range are met; a
//! single level lies in the middle. Integer and choice variables are sampled by the middle of their
//! cells, for which [`super::variables::Range::levels`] gives the coordinates.

use super::{DesignError, check_size};

/// More points than this are refused: no study of simulations is that large.
const LIMIT: usize = 10_000_000;

/// The number of points of a full factorial design.
pub fn factorial_size(levels: &[usize]) -> Result<usize, DesignError> {
    check_size(1, levels.len())?;
    if let Some(variable) = levels.iter().position(|&m| m == 0) {
        return Err(DesignError::NoLevels { variable });
    }
    let product = levels.iter().try_fold(1usize, |n, &m| n.checked_mul(m));
    product
        .filter(|&n| n <= LIMIT)
        .ok_or_else(|| DesignError::TooManyPoints { levels: levels.to_vec(), limit: LIMIT })
}

/// All combinations of the levels, the last variable running fastest.
pub fn factorial(levels: &[usize]) -> Result<Vec<Vec<f64>>, DesignError> {
    let axes: Vec<Vec<f64>> = levels.iter().map(|&m| axis(m)).collect();
    factorial_of(&axes)
}

/// All combinations of given coordinates per variable, the last variable running fastest.
pub fn factorial_of(axes: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, DesignError> {
    let levels: Vec<usize> = axes.iter().map(Vec::len).collect();
    let points = factorial_size(&levels)?;
    let row = |i: usize| {
        let mut rest = i;
        let mut point = vec![0.0; axes.len()];
        for (x, axis) in point.iter_mut().zip(axes).rev() {
            *x = axis[rest % axis.len()];
            rest /= axis.len();
        }
        point
    };
    Ok((0..points).map(row).collect())
}

fn axis(levels: usize) -> Vec<f64> {
    match levels {
        1 => vec![0.5],
        m => (0..m).map(|j| j as f64 / (m - 1) as f64).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixed_levels_in_order() {
        let points = factorial(&[2, 1, 3]).unwrap();
        let expected = [
            [0.0, 0.5, 0.0],
            [0.0, 0.5, 0.5],
            [0.0, 0.5, 1.0],
            [1.0, 0.5, 0.0],
            [1.0, 0.5, 0.5],
            [1.0, 0.5, 1.0],
        ];
        assert_eq!(points, expected.map(|row| row.to_vec()));
    }

    #[test]
    fn impossible_designs_are_refused() {
        assert_eq!(factorial(&[3, 0]), Err(DesignError::NoLevels { variable: 1 }));
        assert!(matches!(factorial(&[]), Err(DesignError::Empty { .. })));
        assert!(matches!(factorial(&[10; 30]), Err(DesignError::TooManyPoints { .. })));
    }
}
