//! Second-order forward differentiation: the rules for [`Jet`]s, value, rate and second rate.

use gudgeon::time::Jet;

pub(super) fn plus(a: Jet, b: Jet) -> Jet {
    Jet { value: a.value + b.value, rate: a.rate + b.rate, second: a.second + b.second }
}

pub(super) fn minus(a: Jet, b: Jet) -> Jet {
    plus(a, scale(-1.0, b))
}

pub(super) fn scale(factor: f64, a: Jet) -> Jet {
    Jet { value: factor * a.value, rate: factor * a.rate, second: factor * a.second }
}

/// (ab)″ = a″b + 2a′b′ + ab″
pub(super) fn times(a: Jet, b: Jet) -> Jet {
    Jet {
        value: a.value * b.value,
        rate: a.rate * b.value + a.value * b.rate,
        second: a.second * b.value + 2.0 * a.rate * b.rate + a.value * b.second,
    }
}

/// c = a/b: c′ = (a′ − cb′)/b, c″ = (a″ − 2c′b′ − cb″)/b
pub(super) fn divide(a: Jet, b: Jet) -> Jet {
    let value = a.value / b.value;
    let rate = (a.rate - value * b.rate) / b.value;
    let second = (a.second - 2.0 * rate * b.rate - value * b.second) / b.value;
    Jet { value, rate, second }
}

/// f(x) from [f, f′, f″] at x: (f∘x)″ = f″x′² + f′x″. Terms with x′ = x″ = 0 vanish even where a
/// derivative of f is infinite.
pub(super) fn chain(x: Jet, [value, first, second]: [f64; 3]) -> Jet {
    if x.rate == 0.0 && x.second == 0.0 {
        return Jet::constant(value);
    }
    Jet { value, rate: first * x.rate, second: second * x.rate * x.rate + first * x.second }
}

/// xⁿ with constant n; a factor n or n − 1 of zero wins over an infinite power.
pub(super) fn power(x: Jet, n: f64) -> Jet {
    let term = |factor: f64, exponent: f64| {
        if factor == 0.0 { 0.0 } else { factor * x.value.powf(exponent) }
    };
    chain(x, [x.value.powf(n), term(n, n - 1.0), term(n * (n - 1.0), n - 2.0)])
}

/// xʸ = exp(y ln x)
pub(super) fn power_of(x: Jet, y: Jet) -> Jet {
    let exponent = times(y, chain(x, [x.value.ln(), 1.0 / x.value, -1.0 / (x.value * x.value)]));
    let value = x.value.powf(y.value);
    chain(exponent, [value, value, value])
}

/// h = √(a² + b²): h′ = (aa′ + bb′)/h, hh″ = a′² + b′² + aa″ + bb″ − h′²; both zero where h is.
pub(super) fn hypot(a: Jet, b: Jet) -> Jet {
    let value = a.value.hypot(b.value);
    if value == 0.0 {
        return Jet::constant(0.0);
    }
    let rate = (a.value * a.rate + b.value * b.rate) / value;
    let bend = a.rate * a.rate + b.rate * b.rate + a.value * a.second + b.value * b.second;
    Jet { value, rate, second: (bend - rate * rate) / value }
}

/// φ = atan2(y, x): φ′ = (xy′ − yx′)/r², r²φ″ = xy″ − yx″ − 2φ′(xx′ + yy′)
pub(super) fn atan2(y: Jet, x: Jet) -> Jet {
    let square = x.value * x.value + y.value * y.value;
    let rate = (x.value * y.rate - y.value * x.rate) / square;
    let bend = x.value * y.second - y.value * x.second;
    let stretch = x.value * x.rate + y.value * y.rate;
    let second = (bend - 2.0 * rate * stretch) / square;
    Jet { value: y.value.atan2(x.value), rate, second }
}
