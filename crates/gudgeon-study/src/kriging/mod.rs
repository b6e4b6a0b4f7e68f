//! Kriging: a model of a response y(x) from a few samples, with the variance of its error.
//!
//!   Y(x) = f(x)ᵀ β + G(x),   cov(G(x), G(x′)) = σ² Π ρ(θₖ, |xₖ − x′ₖ|)                     (1)
//!
//! | symbol | meaning |
//! |---|---|
//! | x | inputs, transformed and scaled: [`Transform`], [`Scaling`] |
//! | f, β | terms of the trend and their coefficients: [`Trend`] |
//! | ρ, θ, α | correlation and its parameters: [`Correlation`] |
//! | R, r(x) | correlations among the samples, and of x with the samples |
//! | K | R, plus nugget, jitter and known noise on the diagonal |
//! | F | rows f(xᵢ)ᵀ of the samples |
//!
//! The best linear unbiased prediction and its variance (universal Kriging; zhang Eq. 15 is the
//! constant trend):
//!
//!   ŷ(x) = fᵀβ + rᵀ K⁻¹ (y − Fβ)                                                            (2)
//!   s²(x) = σ² [1 − rᵀ K⁻¹ r + uᵀ (Fᵀ K⁻¹ F)⁻¹ u],   u = f − Fᵀ K⁻¹ r                        (3)
//!
//! s² is the variance of the underlying response; noise of another observation is not in it. It takes
//! θ, α and σ² as if they were known, so it is too small where samples are few.
//!
//! ```
//! use gudgeon_study::kriging::{Kriging, Settings};
//!
//! let inputs: Vec<[f64; 1]> = (0..8).map(|i| [f64::from(i)]).collect();
//! let responses: Vec<f64> = inputs.iter().map(|x| x[0].sin()).collect();
//! let model = Kriging::fit(&inputs, &responses, &Settings::default())?;
//! let at = model.predict(&[2.5])?;
//! assert!((at.mean - 2.5f64.sin()).abs() < 0.02);
//! # Ok::<(), gudgeon_study::kriging::KrigingError>(())
//! ```

mod error;
mod follow;
mod layout;
mod likelihood;
mod model;
mod predict;
mod problem;
mod scale;
mod search;
mod settings;
mod shape;
mod store;
mod undecided;
mod validate;

#[cfg(test)]
mod gradient_tests;

pub use error::{KrigingError, Labels, Warning};
pub use model::{Kriging, Report};
pub use predict::Prediction;
pub use settings::{
    Correlation, Exponents, HyperParameters, Nugget, Parameters, Scaling, Search, Settings,
    Transform, Trend,
};
pub use validate::{Folds, Refit, Validation};
