//! Measures of the line of a beam that are not linear in the products of its vectors.
//!
//! With linear functionals e = R a of the products a (`products.rs`) and rest values ₀,
//!
//!   ε = ½ (p − 1) − ½ γ_y² − ½ γ_z²,   p = rₓ·rₓ/g₀²,  γ between its values at the nodes            (1)
//!   κ = Σ_k (α_k (rₓₓ·r_c − γ_c rₓₓ·rₓ/p) + β_k γ_c)/√(p n_c) − κ₀,   n_c = r_c·r_c,  at ξ_k = 0, ½, 1  (2)
//!   W = ½ Σ c_i ε_i²,   f_e = Σ c_i (ε_i + θ ε̇_i) ∂ε_i/∂e                                            (3)
//!   ∂f_e/∂e = Σ c_i (g (g + θ C ė)ᵀ + (ε_i + θ ε̇_i) C),   g = ∂ε_i/∂e,  C = ∂²ε_i/∂e²                (4)
//!
//! (1) is the stretch across the section, without the part of a sheared line that is longer; (2) the turn of the
//! sections per undeformed length, whatever the stretch of line and section: the bracket is rₓₓ across the line. So a line and its sections do not
//! grow shorter where they are bent, and large strains of thick beams are those of Reissner's theory.

/// Functionals at most: five of p, three of rₓₓ·rₓ, and nine of each axis.
pub const MOST: usize = 26;
/// Functionals of one measure at most.
const OWN: usize = 15;
/// Squares of lengths below this are taken for it: no state of a beam has them.
const LEAST: f64 = 1e-9;

/// Functionals and the measures made of them.
#[derive(Clone, Debug)]
pub struct Measures<const A: usize> {
    /// R without its zeros: places and entries, row after row, and where each row ends.
    entries: Vec<(u8, f64)>,
    ends: Vec<u16>,
    measures: Vec<Measure>,
}

#[derive(Clone, Copy, Debug)]
struct Measure {
    kind: Kind,
    /// c.
    stiffness: f64,
    rest: f64,
}

/// Which functionals a measure is made of.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// (1): p, and γ of both nodes with their shares for each of `axes` axes.
    Stretch { along: usize, shears: [[usize; 2]; 2], shares: [f64; 2], axes: usize },
    /// (2).
    Bend([Bend; 3]),
}

/// One term of (2): rₓₓ·r_c, rₓₓ·rₓ, γ_c, p and n_c, and the factors α and β.
#[derive(Clone, Copy, Debug)]
pub struct Bend {
    pub of: [usize; 5],
    pub factors: [f64; 2],
}

/// A measure at a state: its value, and its slopes by the functionals `of`.
struct Local {
    value: f64,
    of: [usize; OWN],
    count: usize,
    slopes: [f64; OWN],
}

/// Its second derivatives.
type Curves = [[f64; OWN]; OWN];

impl Kind {
    #[inline]
    fn at(&self, e: &[f64; MOST]) -> Local {
        let mut out = Local { value: 0.0, of: [0; OWN], count: 0, slopes: [0.0; OWN] };
        match self {
            Self::Stretch { along, shears, shares, axes } => {
                out.value = 0.5 * e[*along];
                (out.of[0], out.slopes[0], out.count) = (*along, 0.5, 1 + 2 * axes);
                for (axis, nodes) in shears.iter().enumerate().take(*axes) {
                    let shear = shares[0] * e[nodes[0]] + shares[1] * e[nodes[1]];
                    out.value -= 0.5 * shear * shear;
                    for i in 0..2 {
                        let at = 1 + 2 * axis + i;
                        (out.of[at], out.slopes[at]) = (nodes[i], -shear * shares[i]);
                    }
                }
            }
            Self::Bend(points) => {
                out.count = OWN;
                for (point, at) in points.iter().zip([0, 5, 10]) {
                    let term = Term::new(point, e);
                    out.value += term.u * term.factor;
                    for i in 0..5 {
                        out.of[at + i] = point.of[i];
                        out.slopes[at + i] = term.slope(i);
                    }
                }
            }
        }
        out
    }

    fn curves(&self, e: &[f64; MOST]) -> Curves {
        let mut out = [[0.0; OWN]; OWN];
        match self {
            Self::Stretch { shares, axes, .. } => {
                for at in (0..*axes).map(|axis| 1 + 2 * axis) {
                    for i in 0..2 {
                        (0..2).for_each(|j| out[at + i][at + j] = -shares[i] * shares[j]);
                    }
                }
            }
            Self::Bend(points) => {
                for (point, at) in points.iter().zip([0, 5, 10]) {
                    let term = Term::new(point, e);
                    for i in 0..5 {
                        (0..5).for_each(|j| out[at + i][at + j] = term.curve(i, j));
                    }
                }
            }
        }
        out
    }
}

/// One term of (2) at a state: f = u/√(p n) with u = α (k − γ h/p) + β γ, and slopes of u by k, h, γ, p, n.
struct Term {
    u: f64,
    slopes: [f64; 5],
    /// 1/√(p n), and its slopes by all of them.
    factor: f64,
    parts: [f64; 5],
    norms: [f64; 2],
    /// α, h, γ.
    of: [f64; 3],
}

impl Term {
    #[inline]
    fn new(point: &Bend, e: &[f64; MOST]) -> Self {
        let ([bend, stretch, shear, ..], [alpha, beta]) = (point.of.map(|i| e[i]), point.factors);
        let norms = [point.of[3], point.of[4]].map(|i| e[i].max(LEAST));
        let (factor, p) = (1.0 / (norms[0] * norms[1]).sqrt(), norms[0]);
        let along = alpha * stretch * shear / p;
        Self {
            u: alpha * bend - along + beta * shear,
            slopes: [alpha, -alpha * shear / p, beta - alpha * stretch / p, along / p, 0.0],
            factor,
            parts: [0.0, 0.0, 0.0, -0.5 * factor / norms[0], -0.5 * factor / norms[1]],
            norms,
            of: [alpha, stretch, shear],
        }
    }

    #[inline]
    fn slope(&self, i: usize) -> f64 {
        self.slopes[i] * self.factor + self.u * self.parts[i]
    }

    fn curve(&self, i: usize, j: usize) -> f64 {
        let ([alpha, stretch, shear], [p, n]) = (self.of, self.norms);
        let bent = match (i.min(j), i.max(j)) {
            (1, 2) => -alpha / p,
            (1, 3) => alpha * shear / (p * p),
            (2, 3) => alpha * stretch / (p * p),
            (3, 3) => -2.0 * alpha * stretch * shear / (p * p * p),
            _ => 0.0,
        };
        let second = match (i.min(j), i.max(j)) {
            (3, 3) => 0.75 * self.factor / (p * p),
            (3, 4) => 0.25 * self.factor / (p * n),
            (4, 4) => 0.75 * self.factor / (n * n),
            _ => 0.0,
        };
        let (slopes, parts) = (&self.slopes, &self.parts);
        bent * self.factor + slopes[i] * parts[j] + slopes[j] * parts[i] + self.u * second
    }
}

impl Local {
    /// ∂ε/∂e ė.
    fn rate(&self, e: &[f64; MOST]) -> f64 {
        (0..self.count).map(|i| self.slopes[i] * e[self.of[i]]).sum()
    }
}

impl<const A: usize> Measures<A> {
    /// From the rows of the functionals, and the measures with their stiffness; `a` is at rest.
    pub fn new(rows: Vec<[f64; A]>, measures: &[(Kind, f64)], a: &[f64; A]) -> Self {
        let mut new = Self { entries: Vec::new(), ends: Vec::new(), measures: Vec::new() };
        for row in rows {
            let own = row.iter().enumerate().filter(|(_, entry)| **entry != 0.0);
            new.entries.extend(own.map(|(at, entry)| (at as u8, *entry)));
            new.ends.push(new.entries.len() as u16);
        }
        let e = new.functionals(a);
        let measure =
            |&(kind, stiffness): &(Kind, f64)| Measure { kind, stiffness, rest: kind.at(&e).value };
        new.measures = measures.iter().map(measure).collect();
        new
    }

    fn rows(&self) -> impl Iterator<Item = &[(u8, f64)]> {
        let mut first = 0;
        self.ends.iter().map(move |&end| {
            let row = &self.entries[first..end as usize];
            first = end as usize;
            row
        })
    }

    /// e = R a.
    #[inline]
    fn functionals(&self, a: &[f64; A]) -> [f64; MOST] {
        let mut e = [0.0; MOST];
        for (e, row) in e.iter_mut().zip(self.rows()) {
            *e = row.iter().map(|&(at, entry)| entry * a[at as usize]).sum();
        }
        e
    }

    /// (3).
    pub fn energy(&self, a: &[f64; A]) -> f64 {
        let e = self.functionals(a);
        let of = |m: &Measure| 0.5 * m.stiffness * (m.kind.at(&e).value - m.rest).powi(2);
        self.measures.iter().map(of).sum()
    }

    /// Σ c ε̇².
    pub fn rates_squared(&self, a: &[f64; A], rates: &[f64; A]) -> f64 {
        let (e, speed) = (self.functionals(a), self.functionals(rates));
        let of = |m: &Measure| m.stiffness * m.kind.at(&e).rate(&speed).powi(2);
        self.measures.iter().map(of).sum()
    }

    /// Adds Rᵀ f_e; `delayed` is θ ȧ.
    #[inline]
    pub fn add_stress(&self, a: &[f64; A], delayed: Option<&[f64; A]>, out: &mut [f64; A]) {
        let e = self.functionals(a);
        let speed = delayed.map(|rates| self.functionals(rates));
        let mut force = [0.0; MOST];
        for measure in &self.measures {
            let at = measure.kind.at(&e);
            let delayed = speed.as_ref().map_or(0.0, |speed| at.rate(speed));
            let stress = measure.stiffness * (at.value - measure.rest + delayed);
            for i in 0..at.count {
                force[at.of[i]] += stress * at.slopes[i];
            }
        }
        for (row, force) in self.rows().zip(force) {
            for &(at, entry) in row {
                out[at as usize] += force * entry;
            }
        }
    }

    /// Adds (4) over the products, columns first, to `all` and Σ c g gᵀ to `elastic`.
    pub fn add_tangents(
        &self,
        a: &[f64; A],
        delayed: Option<&[f64; A]>,
        all: &mut [[f64; A]; A],
        elastic: &mut [[f64; A]; A],
    ) {
        let e = self.functionals(a);
        let speed = delayed.map(|rates| self.functionals(rates));
        let zero = [[0.0; MOST]; MOST];
        let (mut whole, mut part) = (zero, zero);
        for measure in &self.measures {
            let (at, curves) = (measure.kind.at(&e), measure.kind.curves(&e));
            let c = measure.stiffness;
            let delayed = speed.as_ref().map_or(0.0, |speed| at.rate(speed));
            let stress = c * (at.value - measure.rest + delayed);
            for i in 0..at.count {
                let bent = speed.as_ref().map_or(0.0, |speed| {
                    (0..at.count).map(|l| curves[i][l] * speed[at.of[l]]).sum()
                });
                for j in 0..at.count {
                    let product = c * at.slopes[j] * at.slopes[i];
                    part[at.of[i]][at.of[j]] += product;
                    // By functional i, of force j.
                    whole[at.of[i]][at.of[j]] +=
                        product + c * at.slopes[j] * bent + stress * curves[i][j];
                }
            }
        }
        self.spread(&whole, all);
        if speed.is_some() {
            self.spread(&part, elastic);
        }
    }

    /// Adds Rᵀ E R.
    fn spread(&self, inner: &[[f64; MOST]; MOST], out: &mut [[f64; A]; A]) {
        for (left, inner) in self.rows().zip(inner) {
            let mut product = [0.0; A];
            for (&factor, right) in inner.iter().zip(self.rows()).filter(|(f, _)| **f != 0.0) {
                for &(at, entry) in right {
                    product[at as usize] += factor * entry;
                }
            }
            for &(at, factor) in left {
                for (to, product) in out[at as usize].iter_mut().zip(&product) {
                    *to += factor * product;
                }
            }
        }
    }
}
