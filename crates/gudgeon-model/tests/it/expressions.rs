//! Expressions: values, dimensions, functions of time, kinks, and messages.

use std::f64::consts::{PI, TAU};

use gudgeon::time::{Jet, TimeFunction};
use gudgeon_model::expr::{ExprError, Expression, Scope, reserved, reserved_before_dot};
use gudgeon_model::units::{Dimension, Quantity};

struct Names;

impl Scope for Names {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        match name {
            "clearance" => Some(Quantity::new(1e-4, Dimension::LENGTH)),
            "speed" => Some(Quantity::new(100.0, Dimension::ANGULAR_SPEED)),
            "R" => Some(Quantity::new(0.5, Dimension::LENGTH)),
            "zero" => Some(Quantity::number(0.0)),
            "x" => Some(Quantity::number(3.0)),
            _ => None,
        }
    }

    fn names(&self) -> Vec<String> {
        ["clearance", "speed", "R", "zero", "x"].map(str::to_owned).to_vec()
    }
}

fn constant(text: &str) -> Result<Quantity, ExprError> {
    Expression::parse(text)?.constant(&Names)
}

fn function(text: &str, dimension: Dimension) -> TimeFunction {
    Expression::parse(text)
        .and_then(|expression| expression.function(&Names, dimension))
        .unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

fn number(text: &str) -> f64 {
    let quantity = constant(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(quantity.dimension, Dimension::NUMBER, "{text}");
    quantity.value
}

fn refusal(text: &str) -> (String, String, String) {
    let error = Expression::parse(text)
        .and_then(|e| e.function(&Names, Dimension::LENGTH))
        .expect_err("the expression must be refused");
    let help = error.help.unwrap_or_default();
    (text[error.range].to_owned(), error.message, help)
}

fn kinks(text: &str, from: f64, to: f64) -> Vec<f64> {
    let mut found = Vec::new();
    function(text, Dimension::NUMBER).kinks(from, to, &mut found);
    found
}

#[test]
fn arithmetic_follows_the_usual_rules() {
    for (text, value) in [
        ("1 + 2 * 3", 7.0),
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("8 / 2 / 2", 2.0),
        ("1 - 2 - 3", -4.0),
        ("--2", 2.0),
        ("1e-3*x", 3e-3),
        ("2*(x + 1)", 8.0),
        ("sin(90 deg)", 1.0),
        ("cos(pi)", -1.0),
        ("log(exp(2))", 2.0),
        ("min(3, 1, 2) + max(1, 2)", 3.0),
        ("abs(-3)", 3.0),
        ("if(x > 2 and not x == 4, 1, 1/zero)", 1.0),
        ("if(x < 2 or x != 3, 1, 2)", 2.0),
        ("step(5 s, 0 s, 10 s)", 0.5),
        ("ramp(0.25, 0, 8, 1, 4)", 7.0),
    ] {
        assert!((number(text) - value).abs() < 1e-15, "{text} is {}", number(text));
    }
}

#[test]
fn units_inside_expressions_bind_to_their_number() {
    for (text, value, dimension) in [
        ("10 mm - clearance", 9.9e-3, Dimension::LENGTH),
        ("3 N m * x", 9.0, Dimension::TORQUE),
        ("3 N * m", 3.0, Dimension::TORQUE),
        ("6 m / 3 m/s", 2.0, Dimension::TIME),
        ("6 N / 3 N/(m s)", 2.0, Dimension::LENGTH.checked_mul(Dimension::TIME).expect("small")),
        ("1/s", 1.0, Dimension::FREQUENCY),
        ("5 min", 300.0, Dimension::TIME),
        ("2*pi*1 rad", TAU, Dimension::ANGLE),
        ("sqrt(4 m^2)", 2.0, Dimension::LENGTH),
        ("(8 m^3)^(1/3)", 2.0, Dimension::LENGTH),
        ("asin(1)", PI / 2.0, Dimension::ANGLE),
        ("atan2(1 mm, 1 mm)", PI / 4.0, Dimension::ANGLE),
        ("max(0, clearance)", 1e-4, Dimension::LENGTH),
        ("if(clearance > 0, clearance, 0)", 1e-4, Dimension::LENGTH),
        ("R*speed + 1 m/s", 51.0, Dimension::SPEED),
    ] {
        let found = constant(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
        assert_eq!(found.dimension, dimension, "{text}");
        assert!((found.value - value).abs() <= 1e-15 * value.abs(), "{text} is {}", found.value);
    }
}

#[test]
fn the_stiffness_of_the_papers_comes_out() {
    let found = constant("hertz(10 mm, 10 mm - clearance, steel, steel)").expect("valid");
    let modulus = 207e9 / (2.0 * (1.0 - 0.09));
    let expected = 4.0 / 3.0 * modulus * (0.01_f64 * 0.0099 / 1e-4).sqrt();
    assert_eq!(found.dimension, Dimension::contact_stiffness(1.5));
    assert!((found.value / expected - 1.0).abs() < 1e-12);
}

#[test]
fn parameters_and_the_use_of_time_are_listed() {
    let expression = Expression::parse("clearance + R*sin(speed*t) + R").expect("valid");
    let names: Vec<&str> = expression.parameters().iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(names, ["clearance", "R", "speed", "R"]);
    assert_eq!(expression.parameters()[1].1, 12..13);
    assert!(expression.depends_on_time());
    assert!(!Expression::parse("hertz(1 m, R, steel, bronze)").expect("valid").depends_on_time());
}

#[test]
fn constant_and_linear_functions_are_recognised() {
    let angle = function("60 deg + 360 deg * t / 1 s", Dimension::ANGLE);
    assert!(matches!(angle, TimeFunction::Linear { start, rate }
        if (start - PI / 3.0).abs() < 1e-15 && (rate - TAU).abs() < 1e-15));
    assert!(matches!(function("0*t", Dimension::TIME), TimeFunction::Constant(0.0)));
    assert!(matches!(function("0", Dimension::FORCE), TimeFunction::Constant(0.0)));
    assert!(matches!(function("R*speed", Dimension::SPEED), TimeFunction::Constant(50.0)));
    let folded = function("2*(t/1 s - 1) + 3 - t/1 s", Dimension::NUMBER);
    assert!(matches!(folded, TimeFunction::Linear { start: 1.0, rate: 1.0 }));
}

#[test]
fn steps_are_smooth_to_the_second_derivative() {
    let step = function("step(t, 1 s, 2 mm, 3 s, 4 mm)", Dimension::LENGTH);
    assert_eq!(step.jet(0.0, 0.0), Jet::constant(2e-3));
    assert_eq!(step.jet(9.0, 9.0), Jet::constant(4e-3));
    for (t, inside) in [(1.0, 1.5), (3.0, 2.5)] {
        let jet = step.jet(t, inside);
        assert!(jet.rate.abs() < 1e-18 && jet.second.abs() < 1e-18, "{jet:?}");
    }
    assert!((step.jet(2.0, 2.0).value - 3e-3).abs() < 1e-18);
}

#[test]
fn the_branch_chooses_the_piece() {
    let ramp = function("ramp(t, 1 s, 2 s)", Dimension::NUMBER);
    assert_eq!(ramp.jet(1.0, 0.5).rate, 0.0);
    assert_eq!(ramp.jet(1.0, 1.5), Jet { value: 0.0, rate: 1.0, second: 0.0 });
    let choice = function("if(t < 1 s, t/1 s, 5 - t/1 s)", Dimension::NUMBER);
    assert_eq!(choice.jet(1.0, 0.9).value, 1.0);
    assert_eq!(choice.jet(1.0, 1.1).value, 4.0);
    let nested = function("abs(abs(t/1 s - 2) - 1)", Dimension::NUMBER);
    assert_eq!(nested.jet(1.0, 0.9).rate, -1.0);
    assert_eq!(nested.jet(1.0, 1.1).rate, 1.0);
}

#[test]
fn a_piece_that_is_only_touched_is_not_chosen() {
    for text in [
        "max(-(t/1 s - 1)^2, 0*t/1 s + 0)",
        "max(0, -(t/1 s - 1)^2)",
        "(abs(-(t/1 s - 1)^2) - (t/1 s - 1)^2)",
        "if(-(t/1 s - 1)^2 < 0, 0, 7)",
        "ramp(-(t/1 s - 1)^2, 0, 5)",
        "1 - ramp((t/1 s - 1)^2, -5, 0)",
    ] {
        let touched = function(text, Dimension::NUMBER);
        assert_eq!(touched.jet(0.5, 1.0).value, 0.0, "{text}");
    }
}

/// A million kinks take seconds to find: they come as they are asked for, a stretch at a time.
#[test]
fn kinks_without_end_are_found_as_they_are_asked_for() {
    let started = std::time::Instant::now();
    let swinging = function("abs(sin(1e6 rad/s * t))", Dimension::NUMBER);
    let (end, period) = (100.0, std::f64::consts::PI / 1e6);
    assert!(swinging.stretch(0.0, end) < 0.1);
    // Kinks, and ends of stretches between them: each cut is at most a period after the last.
    let mut whole = 0;
    let mut last = 0.0;
    for cut in swinging.cuts(0.0, end).take(30_000) {
        let gap = cut - last;
        assert!(gap > 0.0 && gap < 1.000_001 * period, "{gap} at {cut}");
        let phase = cut / period;
        whole += usize::from((phase - phase.round()).abs() < 1e-6);
        last = cut;
    }
    assert!(whole > 29_990, "{whole}");
    assert!((last / period) as usize <= whole, "some are missing before {last}");
    // What has no kinks takes no longer.
    let above = function("max(sin(1e6 rad/s * t), 2)", Dimension::NUMBER);
    assert!(above.cuts(0.0, end).take(5).all(|cut| cut <= end));
    // Nor does what nobody could follow: a stretch of it takes a part of a second.
    let hopeless = "abs(sin(1e300 rad * exp(t/1 s) * sin(1e200 rad/s*t)))";
    let hopeless = function(hopeless, Dimension::NUMBER);
    let before = std::time::Instant::now();
    assert!(hopeless.stretch(0.0, end) < 0.01);
    assert!(hopeless.cuts(0.0, end).next().is_some());
    assert!(before.elapsed().as_secs_f64() < 2.0, "{:?}", before.elapsed());
    assert!(started.elapsed().as_secs() < 10, "{:?}", started.elapsed());
    // The last cut is the end, whatever comes before.
    let few = function("abs(t/1 s - 2)", Dimension::NUMBER);
    assert_eq!(few.cuts(0.0, 5.0).collect::<Vec<_>>(), [2.0, 5.0]);
    assert_eq!(few.cuts(3.0, 5.0).collect::<Vec<_>>(), [5.0]);
    assert_eq!(few.cuts(5.0, 5.0).count(), 0);
}

#[test]
fn kinks_are_found_where_they_are() {
    assert_eq!(kinks("step(t, 1 s, 3 s) + ramp(t, 2 s, 9 s)", 0.0, 5.0), [1.0, 2.0, 3.0]);
    assert_eq!(kinks("table([0 s, 1 s, 4 s], [0, 1, 2])", 0.0, 5.0), [1.0, 4.0]);
    assert_eq!(kinks("abs(t/1 s - 2)", 0.0, 5.0), [2.0]);
    assert_eq!(kinks("max(t/1 s, 3, 5 - t/1 s)", 0.0, 5.0), [2.0, 2.5, 3.0]);
    assert_eq!(kinks("sin(t * 1 rad/s)", 0.0, 5.0), [0.0; 0]);
    // Every zero of a sine, also when there are many.
    let many = kinks("abs(sin(50 rev/s * t))", 0.0, 10.0);
    assert_eq!(many.len(), 999);
    for (i, t) in many.iter().enumerate() {
        assert!((t - (i + 1) as f64 * 0.01).abs() < 1e-14, "kink {i} at {t}");
    }
    // Two crossings inside one cell of the search.
    let close = kinks("max((t/1 s - 1.2345)^2, 1e-8)", 0.0, 2.0);
    assert_eq!(close.len(), 2);
    assert!((close[0] - 1.2344).abs() < 1e-12 && (close[1] - 1.2346).abs() < 1e-12);
    // One crossing on the border of a cell, another close to it.
    let border = kinks("max((t/1 s - 1)*(t/1 s - 1.001), 0)", 0.0, 2.0);
    assert_eq!(border.len(), 2, "{border:?}");
    // A condition on a function with a jump.
    let jump = kinks("if(if(t < 1 s, 0, (t/1 s)^2) > 2, 1, 0)", 0.0, 3.0);
    assert_eq!(jump.len(), 2);
    assert!((jump[1] - 2_f64.sqrt()).abs() < 1e-15);
    // A flat part on the threshold has no kinks inside.
    assert_eq!(kinks("max(step(t, 1 s, 2 s), 0)", 0.0, 3.0).len(), 2);
}

#[test]
fn wrong_expressions_are_refused_with_place_and_help() {
    for (text, marked, message, help) in [
        (
            "10 mm + 2 s",
            "2 s",
            "expected a length (m), found a time (s)",
            "use a unit such as `mm` or `m`",
        ),
        (
            "clearance + 0.1",
            "0.1",
            "expected a length (m), found a plain number",
            "multiply by a unit, such as `1 mm`",
        ),
        ("clearence", "clearence", "unknown parameter `clearence`", "did you mean `clearance`?"),
        (
            "5 t",
            "t",
            "`t` is the time in an expression",
            "write `5 * t` to multiply by the time; a tonne is `1000 kg`",
        ),
        ("2 x", "x", "`x` is not a unit", "write `2 * x` to multiply"),
        (
            "x clearance",
            "clearance",
            "expected an operator, found `clearance`",
            "write `*` before `clearance` to multiply",
        ),
        ("clearance / zero", "zero", "division by zero", ""),
        ("sqrt(-4 m^2)", "-4 m^2", "the square root of a negative number", ""),
        (
            "sin(3 mm)",
            "3 mm",
            "expected an angle (rad), found a length (m)",
            "use a unit such as `deg` or `rad`",
        ),
        ("exp(2 s)", "2 s", "expected a plain number, found a time (s)", "divide by `1 s`"),
        ("sinn(1)", "sinn", "`sinn` is not a function", "did you mean `sin`?"),
        ("sin", "sin", "`sin` is a function and needs arguments", "write `sin(angle)`"),
        ("atan2(1)", "atan2(1)", "wrong number of arguments for `atan2`", "write `atan2(y, x)`"),
        ("(1 + 2", "(", "no matching `)`", ""),
        ("1 + 2)", ")", "no matching bracket for `)`", ""),
        ("1 +", "", "expected a value, found the end", ""),
        ("2 ** 3", "*", "expected a value, found `*`", "write `^` for a power"),
        ("x < 3", "x < 3", "expected a value, found a condition", "write `if(condition, a, b)`"),
        (
            "if(x, 1, 2)",
            "x",
            "expected a condition, found a value",
            "write a comparison such as `t < 1 s`",
        ),
        ("if(1 < x < 3, 1, 2)", "<", "comparisons cannot be chained", "write `a < b and b < c`"),
        ("step(t, 2 s, 1 s)", "1 s", "the end must lie behind the start", ""),
        ("ramp(t, t, 1 s)", "t", "this value must not depend on the time", ""),
        ("table([0 s, 0 s], [1, 2])", "0 s", "the times must increase", ""),
        ("table([0 s, 1 s], [1])", "table([0 s, 1 s], [1])", "2 times but 1 values", ""),
        (
            "hertz(10 mm, 10 mm, steel, steel)",
            "10 mm",
            "the journal must be smaller than the bearing",
            "the bearing radius is 10.000000 mm, the journal radius 10.000000 mm",
        ),
        (
            "hertz(10 mm, 9 mm, steel, bronce)",
            "bronce",
            "unknown material `bronce`",
            "did you mean `bronze`?",
        ),
        ("steel", "steel", "unknown parameter `steel`", "`steel` is a material: use it in `hertz`"),
        ("x = 3", "=", "unexpected character `=`", "write `==` to compare two values"),
        ("", "", "the expression is empty", ""),
        ("exp(1e9)", "1e9", "the exponential of this is too large", ""),
    ] {
        let expected = (marked.to_owned(), message.to_owned(), help.to_owned());
        assert_eq!(refusal(text), expected, "{text}");
    }
}

#[test]
fn a_frequency_computed_for_a_driver_is_refused() {
    let error = Expression::parse("sin(t * 1 rad/s) * 1 Hz").expect("valid");
    let error = error.function(&Names, Dimension::ANGULAR_SPEED).expect_err("not a speed");
    assert_eq!(error.help.as_deref(), Some("1 Hz = 60 rpm"));
    let error = Expression::parse("t * 1 m").expect("valid").constant(&Names);
    assert_eq!(error.map_err(|e| e.range), Err(0..1));
}

#[test]
fn long_and_deep_inputs_are_read_or_refused() {
    let long = format!("0{}", " + t/1 s*sin(t/1 s)".repeat(20_000));
    assert!(matches!(function(&long, Dimension::NUMBER), TimeFunction::Law(_)));
    let deep = format!("{}t/1 s{}", "abs(".repeat(60), ")".repeat(60));
    assert_eq!(kinks(&deep, -1.0, 1.0), [0.0]);
    for (open, close) in
        [("(", ")"), ("sin(", ")"), ("2^", ""), ("-", ""), ("not ", ""), ("1/(m/(", "")]
    {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let _ = constant(&text);
        let _ = gudgeon_model::expr::any_quantity(&format!("1 m/{text}"));
    }
}

#[test]
fn names_of_the_language_are_reserved() {
    for (name, what) in
        [("t", "the time"), ("mm", "a unit"), ("min", "a function"), ("pi", "a constant")]
    {
        assert_eq!(reserved(name), Some(what));
    }
    assert_eq!(reserved("clearance"), None);
    for name in ["mm", "bar", "in", "min", "step", "table"] {
        assert!(reserved(name).is_some() && reserved_before_dot(name).is_none(), "{name}");
    }
    for name in ["t", "pi", "and", "or", "not"] {
        assert_eq!(reserved_before_dot(name), reserved(name));
    }
}

#[test]
fn units_in_expressions_are_suggested_of_the_dimension_asked_for() {
    for (text, dimension, hint) in [
        ("2 * 5 sec", Dimension::TIME, "did you mean `5 s`?"),
        ("2 * 5 sec", Dimension::LENGTH, "write `5 * sec` to multiply"),
        ("5 mim", Dimension::LENGTH, "did you mean `5 mm`?"),
        ("5 mim", Dimension::TIME, "did you mean `5 min`?"),
        ("1 m + 5 newton", Dimension::FORCE, "write `5 * newton` to multiply"),
        ("1 N + 5 newton", Dimension::FORCE, "did you mean `5 N`?"),
        ("3 Nm / (1 rad)", Dimension::TORSION_STIFFNESS, "did you mean `3 N m`?"),
        ("3 yd", Dimension::LENGTH, "1 yd = 0.9144 m: write `3 * 0.9144 m`"),
        ("3 yd", Dimension::MASS, "1 yd = 0.9144 m"),
    ] {
        let error = Expression::parse(text).expect_err("no unit");
        let error = error.for_value(text, &Nothing, Some(dimension));
        assert_eq!(error.help.as_deref(), Some(hint), "{text}");
    }
}

struct Nothing;

impl Scope for Nothing {
    fn parameter(&self, _: &str) -> Option<gudgeon_model::units::Quantity> {
        None
    }

    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}
