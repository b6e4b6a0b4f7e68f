//! Explicit Runge–Kutta methods as data.
//!
//!   k_i = f(t + c_i h, y + h Σ_j a_ij k_j),   y₁ = y + h Σ_j a_sj k_j,   k_s = f(t + h, y₁)
//!
//! Rows are sparse lists of (stage, coefficient). The dense output has one form for every method:
//! with x = θ and F₀ = y₁ − y, F₁ = h k_0 − F₀, F₂ = 2F₀ − h (k_0 + k_s), F₃₊ᵢ = h Σ_j d_ij k_j,
//!
//!   y(t + θh) = y + x (F₀ + (1−x) (F₁ + x (F₂ + (1−x) (F₃ + …))))
//!
//! which is the cubic Hermite polynomial when there are no rows d.

mod dop853;

pub use dop853::DOP853;

/// Sparse row of coefficients: (stage, value).
pub type Row = &'static [(usize, f64)];

#[derive(Clone, Copy, Debug)]
pub enum ErrorRule {
    /// A fixed-step method: no estimate.
    None,
    /// h Σ e_j k_j.
    Embedded(Row),
    /// err₅²/√(err₅² + 0.01 err₃²): the two estimates of Dormand–Prince 8(5,3).
    FifthThird { fifth: Row, third: Row },
}

#[derive(Debug)]
pub struct Tableau {
    pub name: &'static str,
    pub order: u32,
    /// s: number of stages before k_s = f(t + h, y₁).
    pub stages: usize,
    /// c_i of all stages, the one at the new point and those of the dense output included.
    pub nodes: &'static [f64],
    /// a_ij likewise; row s gives y₁.
    pub rows: &'static [Row],
    pub error: ErrorRule,
    /// d_ij of the dense output.
    pub dense: &'static [Row],
    /// d_ij of the best solution inside a step that needs no further stages.
    pub sketch: &'static [Row],
}

impl Tableau {
    /// Stages including k_s and those of the dense output.
    pub fn all_stages(&self) -> usize {
        self.rows.len()
    }

    /// Order of the error estimate that controls the step.
    pub fn error_order(&self) -> f64 {
        match self.error {
            ErrorRule::None => f64::INFINITY,
            ErrorRule::Embedded(_) => f64::from(self.order),
            ErrorRule::FifthThird { .. } => 8.0,
        }
    }

    /// Whether the error estimate needs k_s.
    pub fn error_uses_new_point(&self) -> bool {
        matches!(self.error, ErrorRule::Embedded(row) if row.iter().any(|&(j, _)| j == self.stages))
    }
}

/// Dormand and Prince 5(4) with Shampine's fourth-order dense output (Hairer, Nørsett, Wanner I,
/// section II.6).
pub static DOPRI5: Tableau = Tableau {
    name: "dopri5",
    order: 5,
    stages: 6,
    nodes: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    rows: &[
        &[],
        &[(0, 0.2)],
        &[(0, 3.0 / 40.0), (1, 9.0 / 40.0)],
        &[(0, 44.0 / 45.0), (1, -56.0 / 15.0), (2, 32.0 / 9.0)],
        &[
            (0, 19372.0 / 6561.0),
            (1, -25360.0 / 2187.0),
            (2, 64448.0 / 6561.0),
            (3, -212.0 / 729.0),
        ],
        &[
            (0, 9017.0 / 3168.0),
            (1, -355.0 / 33.0),
            (2, 46732.0 / 5247.0),
            (3, 49.0 / 176.0),
            (4, -5103.0 / 18656.0),
        ],
        &[
            (0, 35.0 / 384.0),
            (2, 500.0 / 1113.0),
            (3, 125.0 / 192.0),
            (4, -2187.0 / 6784.0),
            (5, 11.0 / 84.0),
        ],
    ],
    error: ErrorRule::Embedded(&[
        (0, 71.0 / 57600.0),
        (2, -71.0 / 16695.0),
        (3, 71.0 / 1920.0),
        (4, -17253.0 / 339200.0),
        (5, 22.0 / 525.0),
        (6, -1.0 / 40.0),
    ]),
    dense: &DOPRI5_INSIDE,
    sketch: &DOPRI5_INSIDE,
};

static DOPRI5_INSIDE: [Row; 1] = [&[
    (0, -12715105075.0 / 11282082432.0),
    (2, 87487479700.0 / 32700410799.0),
    (3, -10690763975.0 / 1880347072.0),
    (4, 701980252875.0 / 199316789632.0),
    (5, -1453857185.0 / 822651844.0),
    (6, 69997945.0 / 29380423.0),
]];

/// The classical method of order 4 at a fixed step.
pub static RK4: Tableau = Tableau {
    name: "rk4",
    order: 4,
    stages: 4,
    nodes: &[0.0, 0.5, 0.5, 1.0, 1.0],
    rows: &[
        &[],
        &[(0, 0.5)],
        &[(1, 0.5)],
        &[(2, 1.0)],
        &[(0, 1.0 / 6.0), (1, 1.0 / 3.0), (2, 1.0 / 3.0), (3, 1.0 / 6.0)],
    ],
    error: ErrorRule::None,
    dense: &[],
    sketch: &[],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_sum_to_their_nodes() {
        for tableau in [&DOP853, &DOPRI5, &RK4] {
            for (row, node) in tableau.rows.iter().zip(tableau.nodes) {
                let sum: f64 = row.iter().map(|r| r.1).sum();
                assert!((sum - node).abs() < 1e-13, "{}: {sum} is not {node}", tableau.name);
            }
        }
    }

    #[test]
    fn weights_integrate_polynomials_up_to_their_order() {
        for tableau in [&DOP853, &DOPRI5, &RK4] {
            for power in 0..tableau.order as i32 {
                let sum: f64 = tableau.rows[tableau.stages]
                    .iter()
                    .map(|&(j, b)| b * tableau.nodes[j].powi(power))
                    .sum();
                let exact = 1.0 / f64::from(power + 1);
                assert!((sum - exact).abs() < 1e-13, "{} degree {power}", tableau.name);
            }
        }
    }

    #[test]
    fn error_estimates_vanish_on_constants() {
        for tableau in [&DOP853, &DOPRI5] {
            let rows: Vec<Row> = match tableau.error {
                ErrorRule::Embedded(row) => vec![row],
                ErrorRule::FifthThird { fifth, third } => vec![fifth, third],
                ErrorRule::None => vec![],
            };
            for row in rows {
                let sum: f64 = row.iter().map(|r| r.1).sum();
                assert!(sum.abs() < 1e-13, "{}: {sum}", tableau.name);
            }
        }
    }
}
