//! Parsed expressions. Sums, products and chains of conditions are lists, so the depth of a tree
//! grows with its parentheses only and not with its length.

use std::ops::Range;

use crate::units::Quantity;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ast {
    pub kind: AstKind,
    pub range: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum AstKind {
    Value(Quantity),
    Name(String),
    /// A quantity of the state, as outputs name it.
    Quantity(String),
    Time,
    /// Terms, each added or subtracted.
    Sum(Vec<(Sign, Ast)>),
    /// Factors, each multiplied or divided by.
    Product(Vec<(Side, Ast)>),
    Power(Box<[Ast; 2]>),
    Compare(Comparison, Box<[Ast; 2]>),
    All(Vec<Ast>),
    Any(Vec<Ast>),
    Not(Box<Ast>),
    Call(Function, Vec<Ast>),
    Table(Interpolation, Box<[Vec<Ast>; 2]>),
    Lookup(Box<Lookup>),
    Hertz(Box<[Ast; 2]>, Box<[(String, Range<usize>); 2]>),
}

/// A table that is looked up with one value or two.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Lookup {
    pub points: Points,
    pub inputs: Vec<Ast>,
    pub interpolation: gudgeon::formula::Interpolation,
    pub outside: gudgeon::formula::Outside,
}

/// Where the points of a table come from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Points {
    Lists(Box<[Vec<Ast>; 2]>),
    /// A data file, and the column of the values unless it is the one behind the inputs.
    File {
        file: (String, Range<usize>),
        column: Option<(String, Range<usize>)>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Plus,
    Minus,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Above,
    Below,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

impl Comparison {
    /// Whether it holds, given left − right.
    pub fn holds(self, difference: f64) -> bool {
        match self {
            Self::Less => difference < 0.0,
            Self::LessEqual => difference <= 0.0,
            Self::Greater => difference > 0.0,
            Self::GreaterEqual => difference >= 0.0,
            Self::Equal => difference == 0.0,
            Self::NotEqual => difference != 0.0,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interpolation {
    /// Piecewise linear, constant outside.
    Linear,
    /// Natural cubic spline, straight outside.
    Spline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Sqrt,
    Exp,
    Log,
    Abs,
    Min,
    Max,
    Sign,
    Floor,
    Mod,
    Hypot,
    Clamp,
    Smoothstep,
    Sawtooth,
    Triangle,
    Square,
    If,
    Step,
    Ramp,
    Table,
    Spline,
    Hertz,
}

const FUNCTIONS: [(&str, Function, &str); 31] = [
    ("sin", Function::Sin, "sin(angle)"),
    ("cos", Function::Cos, "cos(angle)"),
    ("tan", Function::Tan, "tan(angle)"),
    ("asin", Function::Asin, "asin(number)"),
    ("acos", Function::Acos, "acos(number)"),
    ("atan", Function::Atan, "atan(number)"),
    ("atan2", Function::Atan2, "atan2(y, x)"),
    ("sinh", Function::Sinh, "sinh(number)"),
    ("cosh", Function::Cosh, "cosh(number)"),
    ("tanh", Function::Tanh, "tanh(number)"),
    ("sqrt", Function::Sqrt, "sqrt(x)"),
    ("exp", Function::Exp, "exp(number)"),
    ("log", Function::Log, "log(number)"),
    ("abs", Function::Abs, "abs(x)"),
    ("min", Function::Min, "min(a, b)"),
    ("max", Function::Max, "max(a, b)"),
    ("sign", Function::Sign, "sign(x)"),
    ("floor", Function::Floor, "floor(number)"),
    ("mod", Function::Mod, "mod(x, period)"),
    ("hypot", Function::Hypot, "hypot(x, y)"),
    ("clamp", Function::Clamp, "clamp(x, low, high)"),
    (
        "smoothstep",
        Function::Smoothstep,
        "smoothstep(x, x0, x1)` or `smoothstep(x, x0, value0, x1, value1)",
    ),
    ("sawtooth", Function::Sawtooth, "sawtooth(x, period)"),
    ("triangle", Function::Triangle, "triangle(x, period)"),
    ("square", Function::Square, "square(x, period)"),
    ("if", Function::If, "if(condition, a, b)"),
    ("step", Function::Step, "step(t, t0, t1)` or `step(t, t0, value0, t1, value1)"),
    ("ramp", Function::Ramp, "ramp(t, t0, t1)` or `ramp(t, t0, value0, t1, value1)"),
    (
        "table",
        Function::Table,
        "table([0 s, 1 s], [0 N, 5 N])`, `table([0 rad, 1 rad], [0 N, 5 N], x)` or `table(\"gas.csv\", x)",
    ),
    ("spline", Function::Spline, "spline([0 s, 1 s, 2 s], [0 mm, 5 mm, 0 mm])"),
    ("hertz", Function::Hertz, "hertz(bearing_radius, journal_radius, steel, steel)"),
];

impl Function {
    pub fn find(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        FUNCTIONS.iter().map(|row| row.0)
    }

    pub fn name(self) -> &'static str {
        self.row().0
    }

    /// How it is written, to stand between backticks.
    pub fn usage(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (&'static str, Function, &'static str) {
        FUNCTIONS.iter().find(|row| row.1 == self).unwrap_or(&FUNCTIONS[0])
    }

    /// Whether it can be called with so many arguments; tables and `hertz` have their own syntax.
    pub fn takes(self, count: usize) -> bool {
        match self {
            Self::Atan2 | Self::Mod | Self::Sawtooth | Self::Triangle | Self::Square => count == 2,
            Self::Hypot => (2..=3).contains(&count),
            Self::Clamp => count == 3,
            Self::Min | Self::Max => (2..=16).contains(&count),
            Self::If => count == 3,
            Self::Step | Self::Ramp | Self::Smoothstep => count == 3 || count == 5,
            Self::Table | Self::Spline => count == 2,
            Self::Hertz => count == 4,
            _ => count == 1,
        }
    }
}
