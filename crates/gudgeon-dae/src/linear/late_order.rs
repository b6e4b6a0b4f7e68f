//! An order of elimination for matrices with rows that have no diagonal.

use std::collections::{BTreeMap, BTreeSet};

/// Elimination order by smallest degree, in which a late row waits until a whole group of the unknowns
/// that it holds is gone. Ties go to the lower index.
///
/// Late rows are those of constraints, the first ones in `holds`: (row, unknown that it holds). Their diagonal
/// is zero until such unknowns have been eliminated. One is not enough, because its coefficient may vanish
/// somewhere; all that share their constraints, those of one body, are.
pub fn order_with_late_rows(
    n: usize,
    pairs: &[(usize, usize)],
    holds: &[(usize, usize)],
) -> Vec<usize> {
    let mut neighbours = vec![BTreeSet::new(); n];
    for &(i, j) in pairs.iter().filter(|(i, j)| i != j) {
        neighbours[i].insert(j);
        neighbours[j].insert(i);
    }
    let mut waiting = Waiting::new(n, holds);
    let key = |neighbours: &[BTreeSet<usize>], waiting: &Waiting, i: usize| {
        (waiting.waits(i), neighbours[i].len(), i)
    };
    let mut queue: BTreeSet<_> = (0..n).map(|i| key(&neighbours, &waiting, i)).collect();
    let mut order = Vec::with_capacity(n);
    while let Some((_, _, row)) = queue.pop_first() {
        order.push(row);
        let around = std::mem::take(&mut neighbours[row]);
        for &i in &around {
            neighbours[i].insert(row);
            queue.remove(&key(&neighbours, &waiting, i));
            neighbours[i].remove(&row);
        }
        waiting.eliminate(row, &around);
        for &i in &around {
            neighbours[i].extend(around.iter().filter(|&&j| j != i));
            queue.insert(key(&neighbours, &waiting, i));
        }
    }
    order
}

/// Which late rows still wait.
struct Waiting {
    group: Vec<usize>,
    /// For every late row, how many of the unknowns it holds are left in each of their groups.
    left: Vec<BTreeMap<usize, usize>>,
    free: Vec<bool>,
}

impl Waiting {
    fn new(n: usize, holds: &[(usize, usize)]) -> Self {
        let mut held_by = vec![BTreeSet::new(); n];
        for &(row, unknown) in holds {
            held_by[unknown].insert(row);
        }
        let mut names = BTreeMap::new();
        let mut group = vec![usize::MAX; n];
        let mut left = vec![BTreeMap::new(); n];
        for (i, rows) in held_by.iter().enumerate().filter(|(_, rows)| !rows.is_empty()) {
            let next = names.len();
            group[i] = *names.entry(rows).or_insert(next);
            for &row in rows {
                *left[row].entry(group[i]).or_insert(0) += 1;
            }
        }
        let free = left.iter().map(BTreeMap::is_empty).collect();
        Self { group, left, free }
    }

    fn waits(&self, i: usize) -> bool {
        !self.free[i]
    }

    fn eliminate(&mut self, row: usize, around: &BTreeSet<usize>) {
        let group = self.group[row];
        for &i in around {
            if let Some(count) = self.left[i].get_mut(&group) {
                *count = count.saturating_sub(1);
                self.free[i] |= *count == 0;
            }
        }
    }
}
