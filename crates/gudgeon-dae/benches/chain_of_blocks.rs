//! Factors and solutions with the matrix of flexible beams: chains of nodes of 12 unknowns, full blocks between
//! neighbours, and rows without a diagonal that hold the nodes at the ends.
//!
//! `cargo bench -p gudgeon-dae --bench chain_of_blocks` prints, per number of chains and nodes, the entries of the
//! factors and the least times of ordering, symbolic phase, factorisation and solution.

use std::time::Instant;

use gudgeon_dae::linear::SparseLu;
use gudgeon_dae::linear::sparse_lu::order_with_late_rows;

const NODE: usize = 12;
/// Rows of one end node alone, and rows between chains or to the ground.
const INNER: usize = 6;
const JOINT: usize = 5;

/// Places of all entries, and which of them are rows that hold unknowns.
struct Matrix {
    size: usize,
    pairs: Vec<(usize, usize)>,
    holds: Vec<(usize, usize)>,
}

impl Matrix {
    fn new(chains: usize, nodes: usize) -> Self {
        let unknowns = chains * nodes * NODE;
        let mut pairs = Vec::new();
        for chain in 0..chains {
            for node in 0..nodes {
                for other in node.saturating_sub(1)..(node + 2).min(nodes) {
                    let (a, b) = ((chain * nodes + node) * NODE, (chain * nodes + other) * NODE);
                    pairs.extend((0..NODE).flat_map(|i| (0..NODE).map(move |j| (a + i, b + j))));
                }
            }
        }
        let mut row = unknowns;
        let mut holds = Vec::new();
        let mut hold = |count: usize, nodes: &[usize]| {
            for i in row..row + count {
                holds.extend(nodes.iter().flat_map(|n| (0..NODE).map(move |j| (i, n * NODE + j))));
            }
            row += count;
        };
        for chain in 0..chains {
            let (first, last) = (chain * nodes, chain * nodes + nodes - 1);
            hold(INNER, &[first]);
            hold(INNER, &[last]);
            if chain == 0 {
                hold(JOINT, &[first]);
            } else {
                hold(JOINT, &[first - 1, first]);
            }
        }
        pairs.extend(holds.iter().flat_map(|&(i, j)| [(i, j), (j, i)]));
        Self { size: row, pairs, holds }
    }

    /// A positive diagonal with weaker neighbours, and rows of any value.
    fn value(&self, i: usize, j: usize) -> f64 {
        let unknowns = self.holds[0].0;
        match i.max(j) >= unknowns {
            true => ((i.max(j) * (i.min(j) + 5)) as f64).sin(),
            false if i == j => 20.0,
            false => 0.7 * ((i.max(j) * (i.min(j) + 3)) as f64).cos(),
        }
    }
}

/// Least time of some runs, µs.
fn least(runs: usize, mut f: impl FnMut()) -> f64 {
    let once = |_| {
        let clock = Instant::now();
        f();
        clock.elapsed().as_secs_f64() * 1e6
    };
    (0..runs).map(once).fold(f64::INFINITY, f64::min)
}

fn measure(chains: usize, nodes: usize) {
    let matrix = Matrix::new(chains, nodes);
    let runs = if nodes > 500 { 5 } else { 200 };
    let mut order = Vec::new();
    let ordering = least(1, || {
        order = order_with_late_rows(matrix.size, &matrix.pairs, &matrix.holds);
    });
    let mut lu = SparseLu::new(&order, &matrix.pairs);
    let symbolic = least(1, || lu = SparseLu::new(&order, &matrix.pairs));
    let filled: Vec<(usize, f64)> =
        matrix.pairs.iter().map(|&(i, j)| (lu.slot(i, j), matrix.value(i, j))).collect();
    let mut factor = f64::INFINITY;
    for _ in 0..runs {
        lu.values_mut().fill(0.0);
        filled.iter().for_each(|&(slot, value)| lu.values_mut()[slot] = value);
        factor = factor.min(least(1, || lu.factor().expect("regular")));
    }
    let mut b = vec![0.0; matrix.size];
    for &(i, j) in &matrix.pairs {
        b[i] += matrix.value(i, j) * (1.0 + (j % 7) as f64);
    }
    let mut x = b.clone();
    let solve = least(runs, || {
        x.copy_from_slice(&b);
        lu.solve(&mut x);
    });
    let off = x.iter().enumerate().map(|(j, x)| (x - 1.0 - (j % 7) as f64).abs());
    println!(
        "{chains:7} {nodes:6} {:8} {:9} {:12.0} {:12.0} {:10.1} {:9.1} {:9.1e}",
        matrix.size,
        lu.len(),
        ordering,
        symbolic,
        factor,
        solve,
        off.fold(0.0, f64::max),
    );
}

fn main() {
    println!(
        " chains  nodes unknowns   entries  ordering µs  symbolic µs  factor µs  solve µs     error"
    );
    for (chains, nodes) in [(1, 17), (2, 17), (2, 65), (1, 257), (1, 1025)] {
        measure(chains, nodes);
    }
}
