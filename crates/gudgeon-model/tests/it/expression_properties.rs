//! Properties of quantities and expressions over random inputs.

use gudgeon_model::expr::{Expression, Scope, any_quantity, quantity};
use gudgeon_model::units::{Dimension, Quantity, Ratio, unit, unit_names};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

struct Names;

impl Scope for Names {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        (name == "x").then_some(Quantity::number(0.7))
    }

    fn names(&self) -> Vec<String> {
        vec!["x".to_owned()]
    }
}

/// Reads a text every way there is; the result does not matter, only that there is one and that
/// errors point into the text.
fn read(text: &str) {
    let mut errors = Vec::new();
    errors.extend(any_quantity(text).err());
    errors.extend(quantity(text, Dimension::LENGTH).err());
    match Expression::parse(text) {
        Err(error) => errors.push(error),
        Ok(expression) => {
            errors.extend(expression.constant(&Names).err());
            for dimension in [Dimension::NUMBER, Dimension::LENGTH] {
                match expression.function(&Names, dimension) {
                    Err(error) => errors.push(error),
                    Ok(function) => {
                        function.jet(0.3, 0.4);
                        function.kinks(-1.0, 1.0, &mut Vec::new());
                    }
                }
            }
        }
    }
    for error in errors {
        assert!(text.get(error.range.clone()).is_some(), "{:?} in {text:?}", error.range);
        assert!(!error.message.is_empty());
    }
}

/// Words of the language in any order, which get deeper than random characters.
fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "1", "0", "2.5e3", "0.1", "m", "mm", "s", "rad", "deg", "N", "min", "t", "x", "y", "pi",
        "steel", "+", "-", "*", "/", "^", "(", ")", "(", ")", "[", "]", ",", "<", "==", "and",
        "not", "sin(", "sqrt(", "abs(", "max(", "if(", "step(t,", "table([", "hertz(", "1e308",
    ]);
    prop::collection::vec(word, 0..25).prop_map(|words| words.join(" "))
}

fn dimension() -> impl Strategy<Value = Dimension> {
    let exponent = (-6_i32..7, 1_i32..4);
    [exponent.clone(), exponent.clone(), exponent.clone(), exponent].prop_map(|exponents| {
        let bases = [Dimension::LENGTH, Dimension::MASS, Dimension::TIME, Dimension::ANGLE];
        bases.iter().zip(exponents).fold(Dimension::NUMBER, |product, (base, (n, d))| {
            let exponent = Ratio::new(n.into(), d.into()).expect("a small fraction");
            let power = base.checked_pow(exponent).expect("a small power");
            product.checked_mul(power).expect("a small product")
        })
    })
}

/// Smooth functions of time without singular points for t in [0, 2] s.
fn smooth() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("t/1 s".to_owned()),
        Just("x".to_owned()),
        (-3.0..3.0_f64).prop_map(|number| format!("({number})")),
        Just("spline([0 s, 0.5 s, 1.5 s, 2 s], [1, 0, 2, 1])".to_owned()),
    ];
    leaf.prop_recursive(4, 24, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        prop_oneof![
            two.clone().prop_map(|(a, b)| format!("({a} + {b})")),
            two.clone().prop_map(|(a, b)| format!("({a} - {b})")),
            two.clone().prop_map(|(a, b)| format!("({a})*({b})")),
            two.clone().prop_map(|(a, b)| format!("({a})/(2 + sin({b}))")),
            two.clone().prop_map(|(a, b)| format!("(2 + sin({a}))^cos({b})")),
            two.clone().prop_map(|(a, b)| format!("atan2(2 + sin({a}), {b})/1 rad")),
            two.prop_map(|(a, b)| format!("step(t, 0 s, {a}, 2 s, {b})")),
            inner.clone().prop_map(|a| format!("sin({a})")),
            inner.clone().prop_map(|a| format!("cos(1 rad*({a}))")),
            inner.clone().prop_map(|a| format!("exp(sin({a}))")),
            inner.clone().prop_map(|a| format!("log(2 + cos({a}))")),
            inner.clone().prop_map(|a| format!("sqrt(2 + sin({a}))")),
            inner.clone().prop_map(|a| format!("asin(sin({a})/2)/1 rad")),
            inner.clone().prop_map(|a| format!("acos(sin({a})/2)/1 rad")),
            inner.clone().prop_map(|a| format!("atan({a})/1 rad")),
            inner.clone().prop_map(|a| format!("tan(sin({a}))")),
            inner.clone().prop_map(|a| format!("({a})^2")),
            inner.prop_map(|a| format!("(2 + cos({a}))^1.5")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(1),
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_text_panics(text in any::<String>()) {
        read(&text);
    }

    #[test]
    fn no_sequence_of_words_panics(text in words()) {
        read(&text);
    }

    #[test]
    fn quantities_read_back_as_written(value in any::<f64>(), dimension in dimension()) {
        prop_assume!(value.is_finite());
        let written = Quantity::new(value, dimension);
        prop_assert_eq!(any_quantity(&written.to_string()), Ok(written));
    }

    #[test]
    fn every_unit_reads_back(name in prop::sample::select(unit_names().collect::<Vec<_>>()), value in -1e6..1e6_f64) {
        let (factor, dimension) = unit(name).expect("a listed unit");
        let read = any_quantity(&format!("{value} {name}")).expect("a valid quantity");
        prop_assert_eq!(read.dimension, dimension);
        prop_assert!((read.value - value * factor).abs() <= 4e-16 * (value * factor).abs());
    }

    /// Central differences of step h have an error of h²/6 times a third derivative and a rounding
    /// of ε/h: both are below the tolerance for functions whose jets stay below the bound.
    #[test]
    fn derivatives_agree_with_central_differences(text in smooth(), t in 0.6..1.4_f64) {
        let expression = Expression::parse(&text).expect("a valid expression");
        let function = expression.function(&Names, Dimension::NUMBER).expect("a valid function");
        let h = 1e-5;
        let [before, at, after] = [t - h, t, t + h].map(|t| function.jet(t, t));
        let steep = |jet: gudgeon::time::Jet| jet.value.abs().max(jet.rate.abs()).max(jet.second.abs());
        prop_assume!(steep(at) < 1e3 && (after.second - before.second).abs() < 1.0);
        let rate = (after.value - before.value) / (2.0 * h);
        let second = (after.rate - before.rate) / (2.0 * h);
        let size = 1.0 + steep(at);
        prop_assert!((rate - at.rate).abs() < 1e-5 * size, "rate {} or {rate} of {text}", at.rate);
        prop_assert!((second - at.second).abs() < 1e-4 * size * size, "second {} or {second} of {text}", at.second);
    }

    /// Between two kinks the function continues its piece: no jump is left inside. Values are
    /// compared to 1e-9, because two equal pieces may take turns by rounding.
    #[test]
    fn functions_keep_their_piece_between_kinks(a in smooth(), b in smooth(), level in -1.0..1.0_f64) {
        let text = format!("if({a} < {level}, abs({b}), max({a}, {b}, 0.1))");
        let expression = Expression::parse(&text).expect("a valid expression");
        let function = expression.function(&Names, Dimension::NUMBER).expect("a valid function");
        let mut ends = vec![0.0, 2.0];
        function.kinks(0.0, 2.0, &mut ends);
        ends.sort_by(f64::total_cmp);
        for pair in ends.windows(2).filter(|pair| pair[1] - pair[0] > 1e-9) {
            let middle = 0.5 * (pair[0] + pair[1]);
            for share in [0.01, 0.2, 0.4, 0.6, 0.8, 0.99] {
                let t = pair[0] + share * (pair[1] - pair[0]);
                let (own, piece) = (function.jet(t, t).value, function.jet(t, middle).value);
                let close = (own - piece).abs() <= 1e-9 * (1.0 + own.abs());
                prop_assert!(close, "{own} or {piece} at {t} of {text}");
            }
        }
    }
}
