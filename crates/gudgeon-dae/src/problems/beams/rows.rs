//! Rows between beams, and those that hold frames.

/// Coordinates of a node.
pub(super) const NODE: usize = 12;
/// Strains of a frame: pairs of its vectors.
pub(super) const STRAINS: [(usize, usize); 6] = [(3, 3), (6, 6), (9, 9), (3, 6), (3, 9), (6, 9)];

/// A row of g.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    /// q_i − q_j, or q_i alone.
    Tie(usize, Option<usize>),
    /// The product of the vectors at i and j, or half of what their square is beyond 1.
    Dot(usize, usize),
}

/// Hinges about z at the start of every beam, and rigid frames at both ends.
pub(super) fn rows(count: usize, nodes: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for beam in 0..count {
        let (first, last) = (beam * nodes * NODE, ((beam + 1) * nodes - 1) * NODE);
        let before = first.checked_sub(NODE);
        rows.extend((0..3).map(|k| Row::Tie(first + k, before.map(|before| before + k))));
        match before {
            Some(before) => rows.extend([3, 6].map(|k| Row::Dot(before + 9, first + k))),
            None => rows.extend([5, 8].map(|k| Row::Tie(first + k, None))),
        }
        for node in [first, last] {
            rows.extend(STRAINS.map(|(i, j)| Row::Dot(node + i, node + j)));
        }
    }
    rows
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A strain of a frame.
pub(super) fn strain(x: &[f64], i: usize, j: usize) -> f64 {
    let product = dot(&x[i..], &x[j..]);
    if i == j { 0.5 * (product - 1.0) } else { product }
}

impl Row {
    pub fn gap(self, q: &[f64]) -> f64 {
        match self {
            Self::Tie(i, j) => q[i] - j.map_or(0.0, |j| q[j]),
            Self::Dot(i, j) => strain(q, i, j),
        }
    }

    /// Calls with the column and the value of every entry of G; those of one column add up.
    pub fn each(self, q: &[f64], mut f: impl FnMut(usize, f64)) {
        match self {
            Self::Tie(i, j) => {
                f(i, 1.0);
                j.into_iter().for_each(|j| f(j, -1.0));
            }
            Self::Dot(i, j) => {
                let share = if i == j { 0.5 } else { 1.0 };
                for k in 0..3 {
                    f(i + k, share * q[j + k]);
                    f(j + k, share * q[i + k]);
                }
            }
        }
    }

    /// The second derivative along v.
    pub fn bias(self, v: &[f64]) -> f64 {
        match self {
            Self::Tie(..) => 0.0,
            Self::Dot(i, j) if i == j => dot(&v[i..], &v[i..]),
            Self::Dot(i, j) => 2.0 * dot(&v[i..], &v[j..]),
        }
    }

    /// Calls with the second derivatives times a factor.
    pub fn curve(self, factor: f64, mut f: impl FnMut(usize, usize, f64)) {
        if let Self::Dot(i, j) = self {
            let share = if i == j { 0.5 } else { 1.0 };
            for k in 0..3 {
                f(i + k, j + k, share * factor);
                f(j + k, i + k, share * factor);
            }
        }
    }
}
