//! Values and expressions, right and wrong.

use gudgeon::random::Random;

use super::bases::pick;

/// Numbers at the ends of what numbers can be.
pub const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "0.0",
    "1",
    "-1",
    "1e-15",
    "1e-300",
    "1e-308",
    "5e-324",
    "1e15",
    "1e300",
    "1e308",
    "1.7976931348623157e308",
    "1e309",
    "-1e308",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "+inf",
    "0.1",
    "1e-9",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "1e999999999",
    "99999999999999999999999999999999999999999",
    "0x7fffffffffffffff",
    "0b1",
    "1_000",
    ".5",
    "5.",
    "1e",
    "--1",
    "1e+",
    "00",
    "1e-400",
    "3",
    "7",
    "1000000",
    "0.5",
    "2e-5",
    "1.0000000000000002",
];

pub const UNITS: &[&str] = &[
    "mm",
    "m",
    "s",
    "ms",
    "us",
    "ns",
    "h",
    "kg",
    "g",
    "rpm",
    "rad/s",
    "deg",
    "rad",
    "rev",
    "N",
    "kN",
    "N m",
    "N/m",
    "N/m^1.5",
    "N s/m",
    "Pa",
    "MPa",
    "GPa",
    "cP",
    "Pa s",
    "W",
    "kW",
    "J",
    "kg m^2",
    "m/s^2",
    "K",
    "degC",
    "%",
    "m^-1",
    "m^0.5",
    "m/s/s",
    "m//s",
    "m^",
    "(m/s)",
    "parsec",
    "µm",
    "m·s",
    "m^1000000",
    "1/s",
];

/// Characters that hide, reorder or break text.
pub const LETTERS: &[&str] = &[
    "\u{1b}[31m",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{200d}",
    "\u{feff}",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{9b}2J",
    "\u{2028}",
    "\u{e0041}",
    "\r",
    "\t",
    "\u{301}",
    "é",
    "ß",
    "漢",
    "🦀",
    "\\u001b",
    "\\u202E",
    "\\",
    "\"",
    "'",
    "\"\"\"",
    "'''",
    "\u{fffd}",
    "\u{10ffff}",
    "\u{ad}",
    "\u{61c}",
    "=",
    "+",
    "@",
    "#",
    "\n",
    "\r\n",
    "\u{c}",
];

const FUNCTIONS: &[&str] = &[
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "abs", "min",
    "max", "if", "step", "ramp", "table", "spline", "hertz", "abs_max", "mean", "nothing",
];

const NAMES: &[&str] =
    &["t", "pi", "speed", "clearance", "stiffness", "length", "steel", "radius", "a", "mm", "x"];

pub fn number(random: &mut Random) -> String {
    match random.below(3) {
        0 => pick(NUMBERS, random).to_string(),
        1 => format!("{}", random.below(1000)),
        _ => format!("{:e}", (random.unit() - 0.3) * 10f64.powi(random.below(40) as i32 - 20)),
    }
}

fn quantity(random: &mut Random) -> String {
    format!("{} {}", number(random), pick(UNITS, random))
}

/// An expression without the leading `=`, mostly of the grammar, wrong in dimension as a rule.
pub fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return leaf(random);
    }
    let mut inner = || expression(random, depth - 1);
    let (a, b) = (inner(), inner());
    match random.below(14) {
        0..=2 => format!("{a} {} {b}", pick(&["+", "-", "*", "/"], random)),
        3 => format!("({a})"),
        4 => format!("-{a}"),
        5 => format!("({a})^{}", pick(&["2", "0.5", "-1", "1e9", "t", "(1/3)"], random)),
        6 => format!("{}({a})", pick(FUNCTIONS, random)),
        7 => format!("{}({a}, {b})", pick(FUNCTIONS, random)),
        8 => format!("if({a} {} {b}, {a}, {b})", pick(&["<", "<=", ">", ">=", "==", "!="], random)),
        9 => format!("{}(t, 0 s, {a}, 1 s, {b})", pick(&["step", "ramp"], random)),
        10 => format!("{}([0 s, 1 s, 2 s], [{a}, {b}, {a}])", pick(&["table", "spline"], random)),
        11 => format!("{a} {} {b}", pick(&["and", "or", "and not", "^", "%", "", ","], random)),
        12 => leaf(random),
        _ => format!("{a}*sin({b}*t/1 s)"),
    }
}

fn leaf(random: &mut Random) -> String {
    match random.below(5) {
        0 => number(random),
        1 => (*pick(NAMES, random)).to_owned(),
        2 => "t".to_owned(),
        _ => quantity(random),
    }
}

/// A value of a key, of any kind.
pub fn value(random: &mut Random) -> String {
    match random.below(16) {
        0 => number(random),
        1..=3 => format!("\"{}\"", quantity(random)),
        4..=7 => {
            let depth = random.below(5);
            format!("\"= {}\"", expression(random, depth))
        }
        8 => {
            (*pick(&["true", "false", "[]", "{}", "\"\"", "''", "2026-01-02", "07:32:00"], random))
                .to_owned()
        }
        9 => format!("[{}, {}]", value(random), value(random)),
        10 => format!("{{ value = {}, min = {} }}", value(random), number(random)),
        11 => format!("\"{}, {}\"", quantity(random), quantity(random)),
        12 => format!(
            "\"{} along {}\"",
            quantity(random),
            pick(&["x", "-y", "z", "1, 1, 1", "q"], random)
        ),
        13 => format!("\"{}\"", pick(LETTERS, random)),
        14 => deep(random),
        _ => format!("{{ add = [{}] }}", value(random)),
    }
}

/// Something deep, long or both; large ones are rare, because they take time to read.
pub fn deep(random: &mut Random) -> String {
    let count = match random.below(200) {
        0 => 20_000,
        1..=9 => 2000,
        _ => 1 + random.below(150),
    };
    let around = |open: &str, close: &str| open.repeat(count) + "1" + &close.repeat(count);
    match random.below(9) {
        0 => around("[", "]"),
        1 => around("{a=", "}"),
        2 => format!("\"= {}\"", around("(", ")")),
        3 => format!("\"= {}\"", around("sin(", ")")),
        4 => format!("\"= 1{}\"", "^2".repeat(count)),
        5 => format!("\"= {}1\"", "-".repeat(count)),
        6 => format!("\"= 1{}\"", " + 1 mm".repeat(count)),
        7 => "[".repeat(count),
        _ => format!("{{ a{} = 1 }}", ".a".repeat(count)),
    }
}
