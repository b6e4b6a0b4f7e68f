//! Dense linear algebra of symmetric positive definite matrices, made for Kriging.
//!
//! A matrix K (n × n) is factored, K = L Lᵀ, inverted and multiplied with thousands of vectors for
//! every model. Everything is built from one product of two *panels* (eight rows of a matrix, stored
//! column by column, see [`lower`]):
//!
//! ```text
//!   T = A Bᵀ,   A and B panels of 8 rows and m columns        (1)
//! ```
//!
//! | step | equation |
//! |---|---|
//! | factor | Lᵢⱼ = (Kᵢⱼ − Σ_{k<j} Lᵢₖ Lⱼₖᵀ) Lⱼⱼ⁻ᵀ |
//! | rows times the inverse factor | Z = B L⁻ᵀ: Zⱼ = (Bⱼ − Σ_{k<j} Zₖ Lⱼₖᵀ) Lⱼⱼ⁻ᵀ |
//! | inverse factor | U = L⁻ᵀ = I L⁻ᵀ, upper triangular, the rows of I as B above |
//! | inverse | K⁻¹ = U Uᵀ |
//!
//! so no matrix is ever copied into another order. The code is generic over the vector unit of the
//! processor, chosen at run time by `fearless_simd`; results are the same bits on every run on one
//! machine, and may differ in the last bits between processors with and without fused multiply-add.

pub mod cholesky;
pub mod lanes;
pub mod least_squares;
pub mod lower;

pub use cholesky::{FactorError, InverseFactor, factor, rows_times_inverse, solve_transposed};
pub use least_squares::{Basis, Dependent};
pub use lower::Lower;

/// Rows of a panel.
pub const ROWS: usize = 8;
/// Entries of a tile: eight rows and eight columns, column by column.
pub const TILE: usize = ROWS * ROWS;

/// Runs `$body` compiled for the vector unit of this processor; `$simd` names it. On x86-64 there are
/// two: AVX2 with fused multiply-add, and the SSE2 that every such processor has. `dispatch!` would
/// make four, for twice the time to compile and no gain with vectors of four.
#[cfg(target_arch = "x86_64")]
macro_rules! vectorised {
    ($simd:ident => $body:expr) => {{
        let level = fearless_simd::Level::new();
        if let Some($simd) = level.as_avx2() {
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $body,
            )
        } else {
            let $simd = level.as_sse2().expect("x86-64 has SSE2");
            fearless_simd::Simd::vectorize(
                $simd,
                #[inline(always)]
                || $body,
            )
        }
    }};
}
#[cfg(not(target_arch = "x86_64"))]
macro_rules! vectorised {
    ($simd:ident => $body:expr) => {
        fearless_simd::dispatch!(fearless_simd::Level::new(), $simd => $body)
    };
}
pub(crate) use vectorised;
