//! Laws by formula: expressions of what a contact or a sliding surface knows of itself.
//!
//! | law | reads | is |
//! |---|---|---|
//! | normal contact | `delta` (m), `delta_rate` (m/s), `impact_speed` (m/s) | a force |
//! | friction | `slip` (m/s, not negative), `normal_force` (N) | a number |
//!
//! A law knows nothing of the mechanism around it and nothing of the time. Before a run it is tried over
//! the depths, speeds and loads that a joint can meet, so that what cannot work is told at the file.

use std::sync::Arc;

use gudgeon::clearance::formula::NormalFormula;
use gudgeon::formula::Formula;
use gudgeon::friction::FrictionFormula;
use gudgeon::friction::formula::{loads, speeds};

use crate::data::Sheet;
use crate::diagnostic::Diagnostic;
use crate::expr::{Expression, Scope};
use crate::reader::{Context, wrong_kind};
use crate::source::Span;
use crate::tree::Node;
use crate::units::{Dimension, Quantity};
use crate::values::{Known, Piece, finish, parse, shown};

/// What a law reads.
pub(crate) struct Reads {
    names: &'static [(&'static str, Dimension)],
    dimension: Dimension,
    example: &'static str,
}

pub(crate) const NORMAL: Reads = Reads {
    names: &[
        ("delta", Dimension::LENGTH),
        ("delta_rate", Dimension::SPEED),
        ("impact_speed", Dimension::SPEED),
    ],
    dimension: Dimension::FORCE,
    example: "= 3e9 N/m^1.5 * delta^1.5",
};

pub(crate) const FRICTION: Reads = Reads {
    names: &[("slip", Dimension::SPEED), ("normal_force", Dimension::FORCE)],
    dimension: Dimension::NUMBER,
    example: "= 0.1 * tanh(slip / (1 mm/s))",
};

/// Part of the largest force that rounding may leave at δ = 0.
const ROUNDING: f64 = 1e-9;

/// Parameters of the file and what a law reads.
struct Inside<'a> {
    parameters: Known<'a>,
    reads: &'static Reads,
}

impl Scope for Inside<'_> {
    fn parameter(&self, name: &str) -> Option<Quantity> {
        self.parameters.parameter(name)
    }

    fn names(&self) -> Vec<String> {
        let own = self.reads.names.iter().map(|(name, _)| (*name).to_owned());
        own.chain(self.parameters.names()).collect()
    }

    fn data(&self, name: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
        self.parameters.data(name)
    }

    fn quantity(&self, name: &str) -> Option<(usize, Dimension)> {
        let found = self.reads.names.iter().position(|(known, _)| *known == name)?;
        Some((found, self.reads.names[found].1))
    }
}

/// The formula of a law, with an input more than it reads.
pub(crate) fn formula(
    cx: &mut Context<'_>,
    key: &str,
    node: &Node,
    reads: &'static Reads,
) -> Option<Formula> {
    let Some(text) = node.as_text() else {
        let wanted = format!("an expression such as \"{}\"", reads.example);
        wrong_kind(cx, &format!("`{key}`"), node, &wanted);
        return None;
    };
    let Some(piece) = Piece::whole(node, text).expression() else {
        let message = format!("`{key}` of a law by formula must be an expression");
        let diagnostic = Diagnostic::error("G0523", message)
            .at(node.span, "no `=` in front")
            .help(format!("write `{key} = \"{}\"`", reads.example));
        cx.report(diagnostic);
        return None;
    };
    let expression = parse(cx, piece, Some(reads.dimension))?;
    refuse_foreign(cx, piece, &expression, reads)?;
    let scope = Inside { parameters: Known::at(cx, piece), reads };
    let formula = expression.formula(&scope, reads.names.len(), reads.dimension);
    finish(cx, piece, formula)
}

/// The law IMPACT of ADAMS: K δ^e + STEP(δ, 0, 0, d, c) δ̇, STEP the cubic from 0 at δ = 0 to c at δ = d.
pub(crate) fn impact(stiffness: f64, exponent: f64, damping: f64, depth: f64) -> Formula {
    struct Own;
    impl Scope for Own {
        fn parameter(&self, _: &str) -> Option<Quantity> {
            None
        }

        fn names(&self) -> Vec<String> {
            Vec::new()
        }

        fn data(&self, _: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
            Err(Vec::new())
        }

        fn quantity(&self, name: &str) -> Option<(usize, Dimension)> {
            let found = NORMAL.names.iter().position(|(known, _)| *known == name)?;
            Some((found, NORMAL.names[found].1))
        }
    }
    let text = format!(
        "{stiffness:e} N * (delta / 1 m)^{exponent} \
         + smoothstep(delta, 0 m, 0 N s/m, {depth:e} m, {damping:e} N s/m) * delta_rate"
    );
    let expression = Expression::parse(&text);
    let formula =
        expression.and_then(|law| law.formula(&Own, NORMAL.names.len(), NORMAL.dimension));
    formula.expect("the text of a law that fits its quantities")
}

/// Refuses the mechanism, the time, and parameters with the name of something that the law reads.
fn refuse_foreign(
    cx: &mut Context<'_>,
    piece: Piece<'_>,
    expression: &Expression,
    reads: &Reads,
) -> Option<()> {
    let known: Vec<String> = reads.names.iter().map(|(name, _)| format!("`{name}`")).collect();
    let errors = cx.diagnostics.len();
    let mut refuse = |message: String, range: std::ops::Range<usize>| {
        let diagnostic = Diagnostic::error("G0527", message)
            .at(piece.span(range), "not known to a law")
            .help(format!("a law reads {} and parameters", known.join(", ")));
        cx.report(diagnostic);
    };
    for (name, range) in expression.quantities() {
        refuse(format!("a law cannot read `{name}` of the mechanism"), range.clone());
    }
    if let Some(range) = expression.time() {
        refuse("a law cannot depend on the time".into(), range);
    }
    for (name, range) in expression.parameters() {
        let own = reads.names.iter().any(|(own, _)| own == name);
        if own && cx.parameters.parameter(name).is_some() {
            let message = format!("`{name}` is a parameter and a quantity of the law");
            let diagnostic = Diagnostic::error("G0528", message)
                .at(piece.span(range.clone()), "which of both?")
                .help("give the parameter another name");
            cx.report(diagnostic);
            break;
        }
    }
    (cx.diagnostics.len() == errors).then_some(())
}

/// Tries a normal law over the depths of a gap.
pub(crate) fn check_force(
    cx: &mut Context<'_>,
    law: &NormalFormula,
    span: Span,
    gap: f64,
) -> Option<()> {
    let speeds = || [1e-3, 0.1, 10.0].into_iter();
    let depths = || (0..=24).map(|i| gap * 10f64.powf(-f64::from(i) / 4.0));
    let mut largest = 0.0f64;
    for (speed, depth) in speeds().flat_map(|speed| depths().map(move |depth| (speed, depth))) {
        for rate in [0.0, speed, -speed] {
            let force = law.value(depth, rate, speed);
            largest = largest.max(force);
            let at = || format!("at {}", point(depth, rate, speed));
            if !force.is_finite() {
                let message = "the contact force has no finite value";
                return refuse(cx, "G0526", message, span, format!("{force} N {}", at()), FINITE);
            }
            if rate == 0.0 && force < 0.0 {
                let message = "the contact force pulls at rest";
                return refuse(
                    cx,
                    "G0524",
                    message,
                    span,
                    format!("{} {}", newton(force), at()),
                    PULLS,
                );
            }
        }
    }
    for speed in speeds() {
        for rate in [0.0, speed, -speed] {
            let force = law.value(0.0, rate, speed);
            let at = format!("{} at {}", newton(force), point(0.0, rate, speed));
            if !force.is_finite() {
                let message = "the contact force has no finite value";
                return refuse(cx, "G0526", message, span, at, FINITE);
            }
            if force.abs() > ROUNDING * largest {
                let message = "the contact force is not zero where surfaces only touch";
                return refuse(cx, "G0525", message, span, at, TOUCH);
            }
        }
    }
    Some(())
}

const FINITE: &str = "look for a division by zero, or a root or power of something negative";
const PULLS: &str =
    "a contact at rest pushes: check the signs; at speed a force below zero is cut to zero";
const TOUCH: &str =
    "let every term vanish with `delta`: write damping as `c * delta^1.5 * delta_rate`";

/// Tries a coefficient of friction over speeds and loads.
pub(crate) fn check_mu(cx: &mut Context<'_>, law: &FrictionFormula, span: Span) -> Option<()> {
    for load in loads() {
        let rest = law.at(0.0, load);
        let at = |mu: f64, v: f64| {
            let (v, load) = (shown(v, Dimension::SPEED), newton(load));
            format!("{} at a slip of {v} and a load of {load}", crate::values::rounded(mu))
        };
        let slopes = rest.slope + rest.by_load;
        for v in speeds() {
            let mu = law.value(v, load);
            if !mu.is_finite() || !slopes.is_finite() {
                let message = "the coefficient of friction or its slope has no finite value";
                let (found, v) = if slopes.is_finite() { (mu, v) } else { (slopes, 0.0) };
                return refuse(cx, "G0526", message, span, at(found, v), FINITE);
            }
            if mu < 0.0 {
                let message = "the coefficient of friction is negative: friction would drive";
                return refuse(cx, "G0530", message, span, at(mu, v), DRIVES);
            }
        }
        if rest.value.abs() > ROUNDING * law.largest() {
            let message = "the coefficient of friction is not zero at rest";
            return refuse(cx, "G0529", message, span, at(rest.value, 0.0), RESTS);
        }
    }
    Some(())
}

const DRIVES: &str =
    "`slip` is the speed of sliding, never negative: friction acts against it by itself";
const RESTS: &str = "friction changes its side through rest: multiply by `tanh(slip / (1 mm/s))`, or take law `coulomb`, or `dahl` for surfaces that stick";

fn refuse(
    cx: &mut Context<'_>,
    code: &'static str,
    message: &str,
    span: Span,
    label: String,
    help: &str,
) -> Option<()> {
    cx.report(Diagnostic::error(code, message).at(span, label).help(help));
    None
}

fn newton(force: f64) -> String {
    shown(force, Dimension::FORCE)
}

fn point(depth: f64, rate: f64, speed: f64) -> String {
    let depth = shown(depth, Dimension::LENGTH);
    let [rate, speed] = [rate, speed].map(|v| shown(v, Dimension::SPEED));
    format!("delta = {depth}, delta_rate = {rate}, impact_speed = {speed}")
}
