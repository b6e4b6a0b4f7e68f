//! A slice of a long film with p = 0 on the line of the widest gap.
//!
//! With h = 1 − ε cosψ, ψ from the narrow gap, ν along (u, w) there, and p in 12 μ (R/c)²,
//!
//!   −(h³ p_ψ)_ψ = n·ν,   p = 0 at the widest gap ψ = ±π                                       (1)
//!
//! The line turns with the journal, as no groove does, and the force jumps where a squeezed slice passes
//! the centre. The flow y = h³ p_ψ = C − S, S = ν_u sinψ − ν_w cosψ, is the same at both sides of
//! that line, so p has one sign change where negative pressure is dropped (half-Sommerfeld). A
//! Reynolds film is wet from the line to a place with p = p_ψ = 0, on one side or on both. In
//! Sommerfeld's γ all integrals of (1) are elementary:
//!
//!   q⁵ ∫ dψ/h³ = γ + 2ε sinγ + ε² (γ/2 + sin 2γ/4),   q⁴ ∫ sinψ dψ/h³ = −cosγ + ε/2 sin²γ,
//!   q⁵ ∫ cosψ dψ/h³ = (1+ε²) sinγ + ε (3γ/2 + sin 2γ/4)                                       (2)
//!
//! Forces and derivatives are those of `short_exact/strip.rs` with n for the shape functions; Gauss
//! points in γ integrate them all but exactly.

use std::f64::consts::{PI, TAU};

use nalgebra::{Matrix2, Vector2};

use super::{Slice, sign_change};
use crate::film::finite::Cavitation;
use crate::film::gauss::Gauss;
use crate::film::short::POINTS;
use crate::film::sommerfeld::Sommerfeld;
use crate::film::state::turned;

/// p at θ, in 12 μ (R/c)².
pub fn pressure(e: Vector2<f64>, nu: Vector2<f64>, cavitation: Cavitation, theta: f64) -> f64 {
    let ring = Ring::new(e, nu);
    let beta = ring.u.y.atan2(ring.u.x);
    let psi = (theta - beta + PI).rem_euclid(TAU) - PI;
    let gamma = ring.map.gamma(psi);
    let inside = |arc: &&Arc| arc.wet[0] < gamma && gamma < arc.wet[1];
    ring.arcs(cavitation).iter().flatten().find(inside).map_or(0.0, |arc| {
        let start = ring.primitive(arc.solved[0]);
        let (here, all) = (ring.primitive(gamma), ring.primitive(arc.solved[1]));
        let flow = (all.1 - start.1) / (all.0 - start.0);
        let q2 = (1.0 - ring.e) * (1.0 + ring.e);
        (flow * (here.0 - start.0) - (here.1 - start.1)).max(0.0) / (q2 * q2 * q2.sqrt())
    })
}

/// Gap and push of one slice.
struct Ring {
    e: f64,
    map: Sommerfeld,
    /// Direction of the narrow gap.
    u: Vector2<f64>,
    /// ν along u and across.
    nu: Vector2<f64>,
}

/// Part of a ring on which (1) is solved and the wet part within, in γ.
#[derive(Clone, Copy, Debug)]
struct Arc {
    solved: [f64; 2],
    wet: [f64; 2],
}

impl Ring {
    /// A slice in the centre is taken as just leaving it.
    fn new(e: Vector2<f64>, nu: Vector2<f64>) -> Self {
        let size = e.norm();
        let to = if size > 0.0 { e } else { nu };
        let u = to.try_normalize(0.0).unwrap_or(Vector2::x());
        let nu = Vector2::new(nu.dot(&u), nu.dot(&turned(u)));
        Self { e: size, map: Sommerfeld::new(size), u, nu }
    }

    /// Primitives of q⁵ dψ/h³ and q⁵ S dψ/h³ at γ, by (2).
    fn primitive(&self, gamma: f64) -> (f64, f64) {
        let (s, c) = gamma.sin_cos();
        let (e, q) = (self.e, ((1.0 - self.e) * (1.0 + self.e)).sqrt());
        let wave = 0.5 * (gamma + s * c);
        let sin = q * (0.5 * e * s * s - c);
        let cos = (1.0 + e * e) * s + e * (gamma + wave);
        (gamma + 2.0 * e * s + e * e * wave, self.nu.x * sin - self.nu.y * cos)
    }

    fn mirrored(&self) -> Self {
        Self { nu: Vector2::new(self.nu.x, -self.nu.y), ..*self }
    }

    fn arcs(&self, cavitation: Cavitation) -> [Option<Arc>; 2] {
        if self.nu == Vector2::zeros() {
            return [None; 2];
        }
        match cavitation {
            Cavitation::HalfSommerfeld => [self.positive(), None],
            Cavitation::Reynolds => {
                let left = self.attached().map(|end| [-PI, end]);
                let right = self.mirrored().attached().map(|end| [-end, PI]);
                if left.is_none() && right.is_none() {
                    // The flow vanishes at the line: the film is whole, or dry.
                    return [self.positive().map(|arc| Arc { solved: arc.wet, ..arc }), None];
                }
                [left, right].map(|arc| arc.map(|arc| Arc { solved: arc, wet: arc }))
            }
        }
    }

    /// Where the solution on the whole ring is positive.
    fn positive(&self) -> Option<Arc> {
        let whole = [-PI, PI];
        let (start, end) = (self.primitive(-PI), self.primitive(PI));
        let flow = (end.1 - start.1) / (end.0 - start.0);
        let p = |gamma: f64| {
            let here = self.primitive(gamma);
            flow * (here.0 - start.0) - (here.1 - start.1)
        };
        // y at the line, where S = ν_w; C is `flow`.
        let out = flow - self.nu.y;
        if out.abs() <= 1e-14 * self.nu.norm() {
            return (p(0.0) > 0.0).then_some(Arc { solved: whole, wet: whole });
        }
        // Divided by sin²(γ/2 + π/2) it has the one zero left; p ~ out·(distance) at both sides.
        let seen = |gamma: f64| p(gamma) / (0.5 * gamma).cos().powi(2);
        let zero = sign_change(seen, -PI + 1e-5, PI - 1e-5);
        Some(Arc { solved: whole, wet: if out > 0.0 { [-PI, zero] } else { [zero, PI] } })
    }

    /// End b of a film that starts at the line ψ = −π, with p = p_ψ = 0 at b.
    fn attached(&self) -> Option<f64> {
        let start = self.primitive(-PI);
        // p(b) with no flow at b: falls where n·ν < 0.
        let p = |psi: f64| {
            let here = self.primitive(self.map.gamma(psi));
            let flow = self.nu.x * psi.sin() - self.nu.y * psi.cos();
            flow * (here.0 - start.0) - (here.1 - start.1)
        };
        let end = self.nu.y.atan2(self.nu.x) + 0.5 * PI; // pressed until here
        let pressed = end - TAU * ((end + PI) / TAU).floor(); // in [−π, π)
        let drawn = (pressed + PI).min(PI); // drawn until here
        if pressed <= -PI || p(pressed) <= 0.0 || p(drawn) >= 0.0 {
            return None;
        }
        Some(self.map.gamma(sign_change(p, pressed, drawn)))
    }
}

/// Force of one slice and its derivatives.
pub fn slice(e: Vector2<f64>, nu: Vector2<f64>, cavitation: Cavitation, gauss: &Gauss) -> Slice {
    let ring = Ring::new(e, nu);
    let (mut g, mut by_radius) = (Matrix2::zeros(), Vector2::zeros());
    for arc in ring.arcs(cavitation).iter().flatten() {
        let (more, slope) = ring.integrate(arc, gauss);
        g += more;
        by_radius += slope;
    }
    if nu == Vector2::zeros() {
        let whole = Arc { solved: [-PI, PI], wet: [-PI, PI] };
        g = ring.integrate(&whole, gauss).0 * 0.5; // see `Ends::at_rest`
    }
    let axes = Matrix2::from_columns(&[ring.u, turned(ring.u)]);
    let by_nu = axes * -g * axes.transpose();
    let force = by_nu * nu;
    let mut by_e = axes * -by_radius * ring.u.transpose();
    if ring.e > 0.0 {
        // Turned as a whole, the film keeps its force in turned axes.
        let around = (turned(force) - by_nu * turned(nu)) / ring.e;
        by_e += around * turned(ring.u).transpose();
    }
    Slice { force, by_e, by_nu }
}

/// A point of an arc.
#[derive(Clone, Copy, Default)]
struct Node {
    /// Weight of ∫ dψ/h³.
    weight: f64,
    /// cosψ/h.
    pull: f64,
    /// ∫ n dψ, as the solved and as the wet part count it.
    filled: Vector2<f64>,
    filled_wet: Vector2<f64>,
}

impl Ring {
    /// ∫ y_k* y_l/h³ dψ, and the derivative of ∫ p n dψ by ε, 3 Σ ν_m ∫ cosψ y_m y_k*/h⁴ dψ.
    fn integrate(&self, arc: &Arc, gauss: &Gauss) -> (Matrix2<f64>, Vector2<f64>) {
        let mut nodes = [Node::default(); 3 * POINTS];
        let count = self.nodes(arc, gauss, &mut nodes);
        let nodes = &nodes[..count];
        let (mut all, mut sum, mut sum_wet) = (0.0, Vector2::zeros(), Vector2::zeros());
        for node in nodes {
            all += node.weight;
            sum += node.filled * node.weight;
            sum_wet += node.filled_wet * node.weight;
        }
        let (flow, flow_wet) = (sum / all, sum_wet / all);
        let (mut g, mut by_radius) = (Matrix2::zeros(), Vector2::zeros());
        for node in nodes {
            let (y, y_wet) = (flow - node.filled, flow_wet - node.filled_wet);
            g += y_wet * y.transpose() * node.weight;
            by_radius += y_wet * (3.0 * node.weight * node.pull * self.nu.dot(&y));
        }
        (g, by_radius)
    }

    /// Points before, within and after the wet part; how many.
    fn nodes(&self, arc: &Arc, gauss: &Gauss, out: &mut [Node]) -> usize {
        let bounds = [arc.solved[0], arc.wet[0], arc.wet[1], arc.solved[1]];
        let filled = |gamma: f64| {
            let point = self.map.point(gamma.cos(), gamma.sin());
            Vector2::new(point.sin, -point.cos)
        };
        let (low, high) = (filled(bounds[1]), filled(bounds[2]));
        let mut count = 0;
        for part in 0..3 {
            if bounds[part + 1] <= bounds[part] {
                continue;
            }
            for (gamma, w) in gauss.on(bounds[part], bounds[part + 1]) {
                let (sin, cos) = gamma.sin_cos();
                let point = self.map.point(cos, sin);
                let over = 1.0 / (1.0 - self.e * point.cos);
                let filled = Vector2::new(point.sin, -point.cos);
                out[count] = Node {
                    weight: w * point.slope * over * over * over,
                    pull: point.cos * over,
                    filled,
                    filled_wet: [low, filled, high][part],
                };
                count += 1;
            }
        }
        count
    }
}
