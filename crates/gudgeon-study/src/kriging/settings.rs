//! What a user chooses about a Kriging model. Every choice is stored with the model.

use serde::{Deserialize, Serialize};

/// Polynomial part f(x)ᵀ β of the model, in scaled inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trend {
    /// 1: ordinary Kriging, the choice of zhang (Eq. 9).
    Constant,
    /// 1 and every input.
    Linear,
    /// 1, every input and every product of two.
    Quadratic,
}

/// Correlation of two points at distances d₁ … d_m along the scaled inputs: a product over inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Correlation {
    /// exp(−θ |d|^α), zhang Eq. 11; θ and α are found from the samples.
    PowerExponential,
    /// exp(−θ d²)
    SquaredExponential,
    /// (1 + t) exp(−t), t = √3 θ |d|
    Matern32,
    /// (1 + t + t²/3) exp(−t), t = √5 θ |d|
    Matern52,
}

/// How inputs are scaled before distances are taken; θ refers to scaled inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scaling {
    /// The range of the samples becomes [0, 1].
    Unit,
    /// The samples get mean 0 and standard deviation 1 (with n − 1).
    Standard,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    Linear,
    /// Natural logarithm; every value must be positive.
    Log,
}

/// White noise of unknown size on every response, as a part g of the process variance: g is added to
/// the diagonal of the correlation matrix.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nugget {
    /// The model passes through the samples.
    None,
    Fixed(f64),
    /// g by maximum likelihood: for responses that scatter, such as maxima of chaotic runs.
    Fitted,
}

/// Number of exponents α of the power-exponential correlation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exponents {
    /// One for every input, zhang Eq. 11.
    PerInput,
    /// One for all inputs.
    Common,
}

/// Values that maximum likelihood would find otherwise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HyperParameters {
    /// θ of every (scaled) input.
    pub theta: Vec<f64>,
    /// α of every input; used by the power-exponential correlation, otherwise empty.
    pub exponent: Vec<f64>,
    /// g, in place of [`Settings::nugget`].
    pub nugget: f64,
    /// σ² of the process in (transformed) response units squared. Only models with known noise need
    /// it, all others compute it from the samples.
    pub variance: Option<f64>,
}

/// Search for the maximum of the likelihood. Bounds refer to scaled inputs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Search {
    /// Local searches from different starts.
    pub starts: usize,
    pub seed: u64,
    pub theta: [f64; 2],
    /// Bounds of α; equal bounds fix it.
    pub exponent: [f64; 2],
    pub exponents: Exponents,
    /// Bounds of a fitted nugget g.
    pub nugget: [f64; 2],
    /// Steps of a local search at most.
    pub iterations: usize,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            starts: 10,
            seed: 0,
            theta: [1e-4, 1e4],
            exponent: [1.0, 2.0],
            exponents: Exponents::PerInput,
            nugget: [1e-10, 10.0],
            iterations: 100,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameters {
    Fitted(Search),
    Fixed(HyperParameters),
}

/// All choices; the default is the model of zhang: constant trend, power-exponential correlation,
/// θ and α by maximum likelihood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    pub trend: Trend,
    pub correlation: Correlation,
    pub scaling: Scaling,
    /// Transform of every input; empty where all are linear.
    pub inputs: Vec<Transform>,
    pub response: Transform,
    pub nugget: Nugget,
    /// Known variance of the noise of every response, in response units squared; empty where there
    /// is none. For a mean of m runs of an ensemble: the variance over the runs divided by m.
    pub noise: Vec<f64>,
    pub parameters: Parameters,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            trend: Trend::Constant,
            correlation: Correlation::PowerExponential,
            scaling: Scaling::Unit,
            inputs: Vec::new(),
            response: Transform::Linear,
            nugget: Nugget::None,
            noise: Vec::new(),
            parameters: Parameters::Fitted(Search::default()),
        }
    }
}

impl Trend {
    /// Number of coefficients β for `inputs` inputs.
    pub fn unknowns(self, inputs: usize) -> usize {
        match self {
            Trend::Constant => 1,
            Trend::Linear => 1 + inputs,
            Trend::Quadratic => 1 + inputs + inputs * (inputs + 1) / 2,
        }
    }

    /// f(x): 1; x₁ …; x₁x₁, x₁x₂ … x₂x₂ … in this order.
    pub(crate) fn terms(self, x: &[f64], terms: &mut Vec<f64>) {
        terms.clear();
        terms.push(1.0);
        if self != Trend::Constant {
            terms.extend_from_slice(x);
        }
        if self == Trend::Quadratic {
            for (k, a) in x.iter().enumerate() {
                terms.extend(x[k..].iter().map(|b| a * b));
            }
        }
    }

    /// Name of term `index` of [`Self::terms`].
    pub(crate) fn term_name(
        self,
        index: usize,
        inputs: usize,
        name: &dyn Fn(usize) -> String,
    ) -> String {
        if index == 0 {
            return "1".to_owned();
        }
        if index <= inputs {
            return name(index - 1);
        }
        let mut rest = index - 1 - inputs;
        for k in 0..inputs {
            if rest < inputs - k {
                return format!("{}·{}", name(k), name(k + rest));
            }
            rest -= inputs - k;
        }
        unreachable!("the trend has no term {index}")
    }
}

impl std::fmt::Display for Trend {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Trend::Constant => "constant",
            Trend::Linear => "linear",
            Trend::Quadratic => "quadratic",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_and_names_agree_in_number_and_order() {
        let mut terms = Vec::new();
        for trend in [Trend::Constant, Trend::Linear, Trend::Quadratic] {
            trend.terms(&[2.0, 3.0, 5.0], &mut terms);
            assert_eq!(terms.len(), trend.unknowns(3));
        }
        assert_eq!(terms, [1.0, 2.0, 3.0, 5.0, 4.0, 6.0, 10.0, 9.0, 15.0, 25.0]);
        let x = |k: usize| format!("x{}", k + 1);
        let names: Vec<_> = (0..10).map(|i| Trend::Quadratic.term_name(i, 3, &x)).collect();
        assert_eq!(names[4..], ["x1·x1", "x1·x2", "x1·x3", "x2·x2", "x2·x3", "x3·x3"]);
    }
}
