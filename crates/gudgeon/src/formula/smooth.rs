//! Functions of one variable without kinks, with two derivatives.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smooth {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Sqrt,
    Exp,
    Log,
    /// s²(3 − 2s): value and slope are continuous where it joins 0 and 1.
    Cubic,
    /// s³(10 − 15s + 6s²): value and two derivatives are continuous there.
    Quintic,
}

impl Smooth {
    pub fn value(self, x: f64) -> f64 {
        match self {
            Self::Sin => x.sin(),
            Self::Cos => x.cos(),
            Self::Tan => x.tan(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
            Self::Sinh => x.sinh(),
            Self::Cosh => x.cosh(),
            Self::Tanh => x.tanh(),
            Self::Sqrt => x.sqrt(),
            Self::Exp => x.exp(),
            Self::Log => x.ln(),
            Self::Cubic => x * x * (3.0 - 2.0 * x),
            Self::Quintic => x * x * x * (10.0 + x * (-15.0 + 6.0 * x)),
        }
    }

    /// f, f′, f″ at x.
    pub fn derivatives(self, x: f64) -> [f64; 3] {
        match self {
            Self::Sin => [x.sin(), x.cos(), -x.sin()],
            Self::Cos => [x.cos(), -x.sin(), -x.cos()],
            Self::Tan => {
                let tan = x.tan();
                let first = 1.0 + tan * tan;
                [tan, first, 2.0 * tan * first]
            }
            Self::Asin => {
                let square = 1.0 - x * x;
                [x.asin(), 1.0 / square.sqrt(), x / (square * square.sqrt())]
            }
            Self::Acos => {
                let [_, first, second] = Self::Asin.derivatives(x);
                [x.acos(), -first, -second]
            }
            Self::Atan => {
                let first = 1.0 / (1.0 + x * x);
                [x.atan(), first, -2.0 * x * first * first]
            }
            Self::Sinh => [x.sinh(), x.cosh(), x.sinh()],
            Self::Cosh => [x.cosh(), x.sinh(), x.cosh()],
            Self::Tanh => {
                let tanh = x.tanh();
                let first = 1.0 - tanh * tanh;
                [tanh, first, -2.0 * tanh * first]
            }
            Self::Sqrt => {
                let root = x.sqrt();
                [root, 0.5 / root, -0.25 / (x * root)]
            }
            Self::Exp => [x.exp(); 3],
            Self::Log => [x.ln(), 1.0 / x, -1.0 / (x * x)],
            Self::Cubic => [self.value(x), 6.0 * x * (1.0 - x), 6.0 - 12.0 * x],
            Self::Quintic => [
                self.value(x),
                30.0 * x * x * (1.0 - x) * (1.0 - x),
                60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
            ],
        }
    }
}

/// xⁿ; the powers of contact laws and springs without a logarithm.
pub(super) fn power(x: f64, n: f64) -> f64 {
    if n == 2.0 {
        x * x
    } else if n == 1.5 {
        x * x.sqrt()
    } else if n == 3.0 {
        x * x * x
    } else {
        x.powf(n)
    }
}

/// n xⁿ⁻¹; a factor of zero wins over an infinite power.
pub(super) fn power_slope(x: f64, n: f64) -> f64 {
    if n == 0.0 { 0.0 } else { n * x.powf(n - 1.0) }
}
