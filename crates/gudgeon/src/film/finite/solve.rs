//! The pressure: p ≥ 0, A p − b ≥ 0, p·(A p − b) = 0.
//!
//! Given a guess of the wet nodes, p solves A p = b there and is 0 elsewhere. A wet node with p < 0
//! turns dry, a dry node with A p − b < 0 turns wet, and so on until none changes. A is an M-matrix,
//! for which this ends after finitely many steps from any guess: usually one or two when the journal
//! has moved little, five to eight from nothing.

use super::Cavitation;
use super::band::Band;
use super::edges::Edges;
use super::grid::{Around, Axial};

/// The guess never needed more than a dozen steps; beyond this it would be going round in circles.
const STEPS: usize = 60;

/// Wet nodes of the last solution and memory for the next.
#[derive(Clone, Debug)]
pub struct Wet {
    pub nodes: Vec<bool>,
    known: bool,
    /// Nodes that move in a derivative.
    pub mask: Vec<bool>,
    /// b: the push of each cell.
    push: Vec<f64>,
    x: Vec<[f64; 1]>,
    /// Order of the matrix that the last solution left factored.
    pub order: Order,
    /// Factorisations of the last solution.
    pub steps: usize,
}

impl Wet {
    pub fn new(nodes: usize) -> Self {
        Self {
            nodes: vec![false; nodes],
            known: false,
            mask: vec![false; nodes],
            push: vec![0.0; nodes],
            x: vec![[0.0]; nodes],
            order: Order::default(),
            steps: 0,
        }
    }
}

/// Which row of the matrix a node has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Order {
    start: usize,
    lines: usize,
    rows: usize,
    folded: bool,
}

impl Order {
    /// Lines one after the other from one that is held or dry; where there is none, from both sides
    /// of line 0 in turn, which closes the circle at twice the reach.
    fn new(around: &Around, rows: usize, wet: &[bool]) -> Self {
        let lines = around.lines();
        let cut = (0..lines).find(|&line| {
            around.held[line].is_some() || !wet[line * rows..(line + 1) * rows].contains(&true)
        });
        Self { start: cut.unwrap_or(0), lines, rows, folded: cut.is_none() }
    }

    fn reach(&self) -> usize {
        if self.folded { 2 * self.rows } else { self.rows }
    }

    #[inline]
    pub fn of(&self, line: usize, row: usize) -> usize {
        let place = if self.folded {
            if 2 * line < self.lines { 2 * line } else { 2 * (self.lines - 1 - line) + 1 }
        } else if line >= self.start {
            line - self.start
        } else {
            line + self.lines - self.start
        };
        place * self.rows + row
    }
}

/// Finds the pressure; with half-Sommerfeld its negative values stay.
pub fn solve(
    around: &Around,
    axial: &Axial,
    edges: &Edges,
    cavitation: Cavitation,
    band: &mut Band,
    wet: &mut Wet,
    pressure: &mut [f64],
) {
    let (lines, rows) = (around.lines(), axial.rows());
    for line in 0..lines {
        let before = if line == 0 { lines - 1 } else { line - 1 };
        for row in 0..rows {
            let nu = edges.nu[if edges.rows == 1 { 0 } else { row }];
            let at = line * rows + row;
            wet.push[at] = axial.width[row] * nu.dot(&edges.push(before, line, row));
            if cavitation == Cavitation::HalfSommerfeld {
                wet.nodes[at] = true;
            } else if !wet.known {
                wet.nodes[at] = wet.push[at] > 0.0;
            }
        }
    }
    wet.known = true;
    for step in 1..=STEPS {
        wet.steps = step;
        let order = assemble(around, axial, edges, &wet.nodes, band);
        load(around, axial, edges, wet, &order);
        band.factor();
        band.solve(&mut wet.x);
        unpack(around, rows, wet, &order, pressure);
        wet.order = order;
        let done = cavitation == Cavitation::HalfSommerfeld
            || !revise(around, axial, edges, wet, pressure);
        if done {
            break;
        }
    }
}

/// Writes the matrix of the wet nodes; dry and held ones get a unit row.
pub fn assemble(
    around: &Around,
    axial: &Axial,
    edges: &Edges,
    wet: &[bool],
    band: &mut Band,
) -> Order {
    let (lines, rows) = (around.lines(), axial.rows());
    let order = Order::new(around, rows, wet);
    band.reset(lines * rows, order.reach());
    for line in 0..lines {
        let next = if line + 1 == lines { 0 } else { line + 1 };
        let (free, next_free) = (around.held[line].is_none(), around.held[next].is_none());
        for row in 0..rows {
            let (at, on) = (order.of(line, row), order.of(next, row));
            let here = free && wet[line * rows + row];
            let there = next_free && wet[next * rows + row];
            let k = axial.width[row] * edges.k[edges.at(line, row)];
            if !here {
                band.add(at, at, 1.0);
            } else {
                band.add(at, at, k);
            }
            if there {
                band.add(on, on, k);
            }
            if here && there {
                band.add(at, on, -k);
            }
        }
        if free {
            along(around, axial, edges, wet, line, &order, band);
        }
    }
    order
}

/// Couplings of one line along z.
fn along(
    around: &Around,
    axial: &Axial,
    edges: &Edges,
    wet: &[bool],
    line: usize,
    order: &Order,
    band: &mut Band,
) {
    let rows = axial.rows();
    let span = around.span[2 * line];
    for face in 0..=rows {
        let k = span * axial.face[face] * edges.across(line, face, rows);
        let here = face > 0 && wet[line * rows + face - 1];
        let there = face < rows && wet[line * rows + face];
        if here {
            let at = order.of(line, face - 1);
            band.add(at, at, k);
        }
        if there {
            let at = order.of(line, face);
            band.add(at, at, k);
        }
        if here && there {
            band.add(order.of(line, face - 1), order.of(line, face), -k);
        }
    }
}

/// Right-hand side: the push and the flow from held lines.
fn load(around: &Around, axial: &Axial, edges: &Edges, wet: &mut Wet, order: &Order) {
    let (lines, rows) = (around.lines(), axial.rows());
    for line in 0..lines {
        let free = around.held[line].is_none();
        let (before, next) = neighbours(line, lines);
        for row in 0..rows {
            let at = line * rows + row;
            let mut value = 0.0;
            if free && wet.nodes[at] {
                value = wet.push[at];
                for (other, edge) in [(before, before), (next, line)] {
                    if let Some(p) = around.held[other] {
                        value += axial.width[row] * edges.k[edges.at(edge, row)] * p;
                    }
                }
            }
            wet.x[order.of(line, row)] = [value];
        }
    }
}

fn unpack(around: &Around, rows: usize, wet: &Wet, order: &Order, pressure: &mut [f64]) {
    for line in 0..around.lines() {
        for row in 0..rows {
            pressure[line * rows + row] = match around.held[line] {
                Some(p) => p,
                None => wet.x[order.of(line, row)][0],
            };
        }
    }
}

/// Revises the wet set; whether anything changed.
fn revise(
    around: &Around,
    axial: &Axial,
    edges: &Edges,
    wet: &mut Wet,
    pressure: &mut [f64],
) -> bool {
    let (lines, rows) = (around.lines(), axial.rows());
    let mut changed = false;
    for line in 0..lines {
        if around.held[line].is_some() {
            continue;
        }
        let (before, next) = neighbours(line, lines);
        for row in 0..rows {
            let at = line * rows + row;
            if wet.nodes[at] {
                if pressure[at] < 0.0 {
                    wet.nodes[at] = false;
                    changed = true;
                }
                continue;
            }
            let p = |line: usize| pressure[line * rows + row];
            let width = axial.width[row];
            let mut inflow = width
                * (edges.k[edges.at(before, row)] * p(before)
                    + edges.k[edges.at(line, row)] * p(next));
            for (face, other) in [(row, at.wrapping_sub(1)), (row + 1, at + 1)] {
                if face > 0 && face < rows {
                    let k = around.span[2 * line] * axial.face[face];
                    inflow += k * edges.across(line, face, rows) * pressure[other];
                }
            }
            // Rounding alone must not wet a node.
            if wet.push[at] + inflow > 1e-12 * (wet.push[at].abs() + inflow.abs()) {
                wet.nodes[at] = true;
                changed = true;
            }
        }
    }
    changed
}

#[inline]
pub fn neighbours(line: usize, lines: usize) -> (usize, usize) {
    let before = if line == 0 { lines - 1 } else { line - 1 };
    let next = if line + 1 == lines { 0 } else { line + 1 };
    (before, next)
}
