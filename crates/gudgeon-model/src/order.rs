//! An order in which everything follows what it uses.

use std::collections::HashMap;

/// Of things known by number.
pub(crate) struct Order {
    /// Each behind those it uses. What depends on itself is not in it, nor what uses such.
    pub order: Vec<usize>,
    /// Ways through what depends on itself, each from one to the last before it comes back.
    pub cycles: Vec<Vec<usize>>,
}

impl Order {
    /// `uses` names, for each thing, those it uses.
    pub fn of(uses: &[Vec<usize>]) -> Self {
        let mut users = vec![Vec::new(); uses.len()];
        let mut waiting: Vec<usize> = uses.iter().map(Vec::len).collect();
        for (i, used) in uses.iter().enumerate() {
            used.iter().for_each(|&j| users[j].push(i));
        }
        let mut order: Vec<usize> = (0..uses.len()).filter(|&i| waiting[i] == 0).collect();
        let mut next = 0;
        while next < order.len() {
            for &user in &users[order[next]] {
                waiting[user] -= 1;
                if waiting[user] == 0 {
                    order.push(user);
                }
            }
            next += 1;
        }
        Self { order, cycles: cycles(uses, &mut waiting) }
    }
}

/// Follows uses among those left waiting until one comes back.
fn cycles(uses: &[Vec<usize>], waiting: &mut [usize]) -> Vec<Vec<usize>> {
    let mut cycles = Vec::new();
    for start in 0..uses.len() {
        let (mut path, mut place) = (Vec::new(), HashMap::new());
        let mut at = start;
        while waiting[at] > 0 {
            waiting[at] = 0;
            place.insert(at, path.len());
            path.push(at);
            let goes_on = |j: &&usize| waiting[**j] > 0 || place.contains_key(*j);
            let Some(&used) = uses[at].iter().find(goes_on) else { break };
            if let Some(&first) = place.get(&used) {
                cycles.push(path[first..].to_vec());
                break;
            }
            at = used;
        }
    }
    cycles
}
