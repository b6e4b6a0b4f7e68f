//! The pressure: p ≥ 0, A p − b ≥ 0, p·(A p − b) = 0.
//!
//! Given a guess of the wet nodes, p solves A p = b there and is 0 elsewhere. A wet node with p < 0
//! turns dry, a dry node with A p − b < 0 turns wet, and so on until none changes. A is an M-matrix,
//! for which this ends after finitely many steps from any guess: usually one or two when the journal
//! has moved little. So the film would grow by one line in a step, at most; from nothing it therefore
//! grows by leaps, which are halved whenever one was too long: up to some twenty steps, on any grid.

use super::Cavitation;
use super::band::Band;
use super::edges::Edges;
use super::grid::{Around, Axial};
use super::order::Order;
use crate::film::state::Ends;

/// The worst guesses in tests need 20 steps; beyond this and one for each line it would be going round in
/// circles.
const STEPS: usize = 60;

/// Share of the lines by which a film without a guess first grows.
const LEAP: usize = 12;

/// Solutions that the next one may start from: the stages of a step are evaluated in turn.
const REMEMBERED: usize = 4;

/// A state and its wet nodes.
#[derive(Clone, Debug)]
struct Remembered {
    state: Option<Ends>,
    nodes: Vec<bool>,
}

/// Wet nodes of the last solution and memory for the next.
#[derive(Clone, Debug)]
pub struct Wet {
    pub nodes: Vec<bool>,
    memory: [Remembered; REMEMBERED],
    oldest: usize,
    /// Nodes that move in a derivative.
    pub mask: Vec<bool>,
    /// b: the push of each cell.
    push: Vec<f64>,
    x: Vec<[f64; 1]>,
    /// Order of the matrix that the last solution left factored.
    pub order: Order,
}

impl Wet {
    pub fn new(lines: usize, rows: usize) -> Self {
        let nodes = lines * rows;
        Self {
            nodes: vec![false; nodes],
            memory: std::array::from_fn(|_| Remembered { state: None, nodes: vec![false; nodes] }),
            oldest: 0,
            mask: vec![false; nodes],
            push: vec![0.0; nodes],
            x: vec![[0.0]; nodes + 2 * rows],
            order: Order::new(lines, rows),
        }
    }

    /// Takes the wet set of the nearest state in memory as a guess, or the pushed nodes; by how many lines
    /// it may grow at once.
    fn guess(&mut self, ends: &Ends, lines: usize) -> usize {
        let known = self.memory.iter().filter_map(|m| Some((apart(m.state.as_ref()?, ends), m)));
        match known.min_by(|a, b| a.0.total_cmp(&b.0)) {
            Some((_, nearest)) => {
                self.nodes.copy_from_slice(&nearest.nodes);
                1
            }
            None => {
                for (node, push) in self.nodes.iter_mut().zip(&self.push) {
                    *node = *push > 0.0;
                }
                lines / LEAP
            }
        }
    }

    fn forget(&mut self) {
        self.memory.iter_mut().for_each(|slot| slot.state = None);
    }

    fn remember(&mut self, ends: &Ends) {
        let slot = &mut self.memory[self.oldest];
        slot.state = Some(*ends);
        slot.nodes.copy_from_slice(&self.nodes);
        self.oldest = (self.oldest + 1) % REMEMBERED;
    }
}

/// How different the wet sets of two states may be: by place and by the direction of ν.
fn apart(a: &Ends, b: &Ends) -> f64 {
    let toward = |ends: &Ends| {
        let size = ends.nu[0].norm_squared() + ends.nu[1].norm_squared();
        ends.nu.map(|nu| nu / size.sqrt().max(f64::MIN_POSITIVE))
    };
    let (to_a, to_b) = (toward(a), toward(b));
    (0..2).map(|k| (a.e[k] - b.e[k]).norm_squared() + (to_a[k] - to_b[k]).norm_squared()).sum()
}

/// What a revision did: whether anything changed, and whether a wet node turned dry.
struct Revised {
    changed: bool,
    dried: bool,
}

/// Grid and coefficients of a discrete film.
#[derive(Clone, Copy)]
pub struct Discrete<'a> {
    pub around: &'a Around,
    pub axial: &'a Axial,
    pub edges: &'a Edges,
}

impl Discrete<'_> {
    /// Finds the pressure; with half-Sommerfeld its negative values stay. A film that nothing moves is
    /// whole.
    pub fn solve(
        &self,
        cavitation: Cavitation,
        ends: &Ends,
        moved: bool,
        band: &mut Band,
        wet: &mut Wet,
        pressure: &mut [f64],
    ) {
        self.pushes(wet);
        if cavitation == Cavitation::HalfSommerfeld || !moved {
            wet.nodes.fill(true);
            self.solve_wet(band, wet, pressure);
            return;
        }
        let mut settled = self.settle(ends, band, wet, pressure);
        if settled.is_none() {
            // A guess may mislead; without one the set grows from the nodes that are pushed.
            wet.forget();
            settled = self.settle(ends, band, wet, pressure);
        }
        if settled.is_some() {
            wet.remember(ends);
        }
    }

    /// Finds the wet set; the number of steps.
    fn settle(
        &self,
        ends: &Ends,
        band: &mut Band,
        wet: &mut Wet,
        pressure: &mut [f64],
    ) -> Option<usize> {
        let lines = self.around.lines();
        let mut leap = wet.guess(ends, lines);
        (1..=STEPS + lines).find(|_| {
            self.solve_wet(band, wet, pressure);
            let revised = self.revise(wet, pressure, leap);
            if revised.dried {
                leap = (leap / 2).max(1);
            }
            !revised.changed
        })
    }

    fn pushes(&self, wet: &mut Wet) {
        let (lines, rows) = (self.around.lines(), self.axial.rows());
        for line in 0..lines {
            let (before, _) = neighbours(line, lines);
            for row in 0..rows {
                let nu = self.edges.nu[if self.edges.rows == 1 { 0 } else { row }];
                let g = self.edges.push(before, line, row);
                wet.push[line * rows + row] = self.axial.width[row] * nu.dot(&g);
            }
        }
    }

    /// Pressure of the wet nodes.
    fn solve_wet(&self, band: &mut Band, wet: &mut Wet, pressure: &mut [f64]) {
        let rows = self.axial.rows();
        self.factor(&wet.nodes, &mut wet.order, band);
        self.load(wet);
        band.solve(&mut wet.x);
        for line in 0..self.around.lines() {
            let target = &mut pressure[line * rows..(line + 1) * rows];
            if wet.order.has(line) {
                let from = wet.order.of(line, 0);
                for (p, [x]) in target.iter_mut().zip(&wet.x[from..]) {
                    *p = *x;
                }
            } else {
                target.fill(self.around.held[line].unwrap_or(0.0));
            }
        }
    }

    /// Orders and factors the matrix of the nodes in a mask.
    pub fn factor(&self, mask: &[bool], order: &mut Order, band: &mut Band) {
        order.set(self.around, mask);
        self.assemble(mask, order, band);
        band.factor();
    }

    /// Writes the matrix of the wet nodes; dry ones among them get a unit row.
    fn assemble(&self, wet: &[bool], order: &Order, band: &mut Band) {
        let (lines, rows) = (self.around.lines(), self.axial.rows());
        band.reset(order.size(), order.reach());
        for line in (0..lines).filter(|&line| order.has(line)) {
            let (before, next) = neighbours(line, lines);
            let (from, on) = (order.of(line, 0), order.of(next, 0));
            let joined = order.has(next);
            let [here, ahead] = [line, next].map(|line| &wet[line * rows..(line + 1) * rows]);
            let [along, back] =
                [line, before].map(|line| &self.edges.along[line * rows..(line + 1) * rows]);
            let across = &self.edges.across[line * (rows + 1)..(line + 1) * (rows + 1)];
            for row in 0..rows {
                let at = from + row;
                if !here[row] {
                    band.add(at, at, 1.0);
                    continue;
                }
                band.add(at, at, across[row] + across[row + 1] + along[row] + back[row]);
                if joined && ahead[row] {
                    band.add(at, on + row, -along[row]);
                }
                if row + 1 < rows && here[row + 1] {
                    band.add(at, at + 1, -across[row + 1]);
                }
            }
        }
    }

    /// Conductance of a row from a line to the next.
    #[inline]
    fn along(&self, line: usize, row: usize) -> f64 {
        self.edges.along[line * self.axial.rows() + row]
    }

    /// Conductance of a line across the face below a row.
    #[inline]
    pub fn across(&self, line: usize, face: usize) -> f64 {
        self.edges.across[line * (self.axial.rows() + 1) + face]
    }

    /// Right-hand side: the push and the flow from held lines.
    fn load(&self, wet: &mut Wet) {
        let (lines, rows) = (self.around.lines(), self.axial.rows());
        let size = wet.order.size();
        wet.x[size..size + wet.order.reach()].fill([0.0]);
        for line in 0..lines {
            if !wet.order.has(line) {
                continue;
            }
            let (before, next) = neighbours(line, lines);
            let from = wet.order.of(line, 0);
            for row in 0..rows {
                let at = line * rows + row;
                wet.x[from + row] = [if wet.nodes[at] { wet.push[at] } else { 0.0 }];
            }
            for (other, edge) in [(before, before), (next, line)] {
                let Some(p) = self.around.held[other] else { continue };
                for row in 0..rows {
                    if wet.nodes[line * rows + row] {
                        wet.x[from + row][0] += self.along(edge, row) * p;
                    }
                }
            }
        }
    }

    /// Revises the wet set: nodes turn wet with so many of their row, less one, on both sides.
    fn revise(&self, wet: &mut Wet, pressure: &[f64], leap: usize) -> Revised {
        let (lines, rows) = (self.around.lines(), self.axial.rows());
        let mut out = Revised { changed: false, dried: false };
        for line in (0..lines).filter(|&line| self.around.held[line].is_none()) {
            for row in 0..rows {
                let at = line * rows + row;
                let stays = if wet.nodes[at] {
                    pressure[at] >= 0.0
                } else {
                    let (push, inflow) = (wet.push[at], self.inflow(line, row, pressure));
                    // Rounding alone must not wet a node.
                    push + inflow <= 1e-12 * (push.abs() + inflow.abs())
                };
                if stays {
                    continue;
                }
                out.changed = true;
                wet.nodes[at] = !wet.nodes[at];
                if !wet.nodes[at] {
                    out.dried = true;
                    continue;
                }
                for step in 1..leap {
                    for line in [(line + step) % lines, (line + lines - step) % lines] {
                        // What is dry has no pressure, and stays wet when its turn comes.
                        wet.nodes[line * rows + row] = self.around.held[line].is_none();
                    }
                }
            }
        }
        out
    }

    /// Flow from the neighbours into a dry node.
    fn inflow(&self, line: usize, row: usize, pressure: &[f64]) -> f64 {
        let rows = self.axial.rows();
        let (before, next) = neighbours(line, self.around.lines());
        let p = |line: usize, row: usize| pressure[line * rows + row];
        let mut sum = 0.0;
        for (edge, other) in [(before, before), (line, next)] {
            if p(other, row) != 0.0 {
                sum += self.along(edge, row) * p(other, row);
            }
        }
        if row > 0 && p(line, row - 1) != 0.0 {
            sum += self.across(line, row) * p(line, row - 1);
        }
        if row + 1 < rows && p(line, row + 1) != 0.0 {
            sum += self.across(line, row + 1) * p(line, row + 1);
        }
        sum
    }
}

/// The lines before and after a line.
#[inline]
pub fn neighbours(line: usize, lines: usize) -> (usize, usize) {
    let before = if line == 0 { lines - 1 } else { line - 1 };
    let next = if line + 1 == lines { 0 } else { line + 1 };
    (before, next)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector2;

    use super::super::{FiniteFilm, FiniteWork, Groove, Lines, Supply};
    use super::*;
    use crate::film::state::FilmShape;

    const SHAPE: FilmShape =
        FilmShape { viscosity: 0.01, radius: 0.05, length: 0.06, clearance: 5e-5 };

    /// Steps to the solution from the present guess; it must be complementary.
    fn steps(film: &FiniteFilm, ends: &Ends, work: &mut FiniteWork) -> usize {
        let lines = Lines::heaviest(film, ends);
        work.around.place(ends.e_at(0.0), lines.direction, film, 1e6);
        work.edges.set(&work.around, &work.full, ends);
        let discrete = Discrete { around: &work.around, axial: &work.full, edges: &work.edges };
        let wet = &mut work.wet_full;
        discrete.pushes(wet);
        let count = discrete.settle(ends, &mut work.band, wet, &mut work.pressure);
        wet.remember(ends);
        let (rows, p) = (work.full.rows(), &work.pressure);
        assert!(p.iter().all(|&p| p >= 0.0), "{ends:?}");
        for line in (0..work.around.lines()).filter(|&line| work.around.held[line].is_none()) {
            for row in 0..rows {
                let at = line * rows + row;
                let net = wet.push[at] + discrete.inflow(line, row, p);
                assert!(p[at] > 0.0 || net <= 1e-9 * wet.push[at].abs(), "{ends:?}");
            }
        }
        count.expect("the wet set settles")
    }

    /// Journals anywhere up to 0.999 c, tilted either way, moving any way, from any guess.
    #[test]
    fn the_wet_set_settles_from_any_guess() {
        let groove = |angle| Groove { angle, width: 0.4, pressure: 3e5 };
        let supplies =
            [Supply::WidestGap, Supply::None, Supply::Grooves(vec![groove(-1.2), groove(2.0)])];
        let (mut seed, mut most) = (1u64, 0);
        let mut roll = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        for supply in supplies {
            let film = FiniteFilm { around: 64, supply, ..FiniteFilm::default() };
            let mut work = FiniteWork::new(&SHAPE, &film);
            for _ in 0..300 {
                let mut pair = |most: f64| {
                    let v = Vector2::new(roll(), roll());
                    v * (most * roll().abs() / v.norm())
                };
                let ends = Ends { e: [pair(0.999), pair(0.999)], nu: [pair(1.0), pair(1.0)] };
                most = most.max(steps(&film, &ends, &mut work));
            }
        }
        assert!(most <= 20, "{most} steps");
    }

    /// Grids for coefficients and beyond, without a guess: a film that oil enters from its ends may reach far
    /// around from where it is pressed. Growing line by line it needed more than a hundred steps, and a
    /// bound of sixty left it unfinished.
    #[test]
    fn fine_films_settle_from_nothing() {
        for (around, along) in [(96, 12), (384, 24), (768, 24)] {
            for (e, nu) in [(0.03, 0.0), (0.2, -1.6), (0.5, -1.6), (0.8, 0.4), (0.8, 3.0)] {
                let film = FiniteFilm { around, along, ..FiniteFilm::default() };
                let mut work = FiniteWork::new(&SHAPE, &film);
                let (e, nu) = (Vector2::new(e, 0.0), Vector2::new(f64::cos(nu), f64::sin(nu)));
                let count = steps(&film, &Ends { e: [e; 2], nu: [nu; 2] }, &mut work);
                assert!(count <= 25, "{around} {e} {nu}: {count} steps");
            }
        }
    }
}
