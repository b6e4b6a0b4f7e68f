//! Several objectives: domination, fronts, crowding, hypervolume.
//!
//! a dominates b if it is no worse in every objective and better in one; what holds the constraints
//! dominates what does not, and a smaller violation a larger one. References: Deb, Pratap, Agarwal,
//! Meyarivan, *A fast and elitist multiobjective genetic algorithm: NSGA-II*, IEEE Trans. Evol.
//! Comput. 6 (2002), §III; Zitzler, Thiele 1998 for the hypervolume.

use super::Individual;

/// Whether a dominates b.
pub fn dominates(a: &Individual, b: &Individual) -> bool {
    if a.violation != b.violation {
        return a.violation < b.violation;
    }
    if !a.feasible() {
        return false;
    }
    let mut pairs = a.outcome.objectives.iter().zip(&b.outcome.objectives);
    let better = pairs.clone().any(|(x, y)| x < y);
    better && pairs.all(|(x, y)| x <= y)
}

/// Indices by front: the first holds what nothing dominates, the next what only the first does …
pub fn fronts(individuals: &[Individual]) -> Vec<Vec<usize>> {
    let n = individuals.len();
    let mut dominators = vec![0usize; n];
    let mut dominated: Vec<Vec<usize>> = vec![vec![]; n];
    for i in 0..n {
        for j in i + 1..n {
            if dominates(&individuals[i], &individuals[j]) {
                dominated[i].push(j);
                dominators[j] += 1;
            } else if dominates(&individuals[j], &individuals[i]) {
                dominated[j].push(i);
                dominators[i] += 1;
            }
        }
    }
    let mut fronts = Vec::new();
    let mut current: Vec<usize> = (0..n).filter(|&i| dominators[i] == 0).collect();
    while !current.is_empty() {
        let mut next = Vec::new();
        for &i in &current {
            for &j in &dominated[i] {
                dominators[j] -= 1;
                if dominators[j] == 0 {
                    next.push(j);
                }
            }
        }
        next.sort_unstable();
        fronts.push(std::mem::replace(&mut current, next));
    }
    fronts
}

/// Crowding distance of each member of a front: the sum over the objectives of the gap between its
/// two neighbours, as a part of the front's extent. Infinite at the ends.
pub fn crowding(individuals: &[Individual], front: &[usize]) -> Vec<f64> {
    let mut distance = vec![0.0; front.len()];
    let objectives = front.first().map_or(0, |&i| individuals[i].outcome.objectives.len());
    for m in 0..objectives {
        let value = |a: usize| individuals[front[a]].outcome.objectives[m];
        let mut order: Vec<usize> = (0..front.len()).collect();
        order.sort_by(|&a, &b| value(a).total_cmp(&value(b)));
        let (first, last) = (order[0], order[order.len() - 1]);
        let extent = value(last) - value(first);
        distance[first] = f64::INFINITY;
        distance[last] = f64::INFINITY;
        if extent > 0.0 {
            for w in order.windows(3) {
                distance[w[1]] += (value(w[2]) - value(w[0])) / extent;
            }
        }
    }
    distance
}

/// Takes the most crowded members away, one by one, until `size` are left.
pub fn thin(individuals: &mut Vec<Individual>, size: usize) {
    let mut chains = Chains::new(individuals);
    let mut kept: Vec<usize> = (0..individuals.len()).collect();
    while kept.len() > size.max(1) {
        let place = (0..kept.len())
            .min_by(|&a, &b| chains.crowding[kept[a]].total_cmp(&chains.crowding[kept[b]]));
        let Some(place) = place else { break };
        chains.take_away(kept.remove(place));
    }
    let mut place = 0;
    individuals.retain(|_| {
        place += 1;
        kept.binary_search(&(place - 1)).is_ok()
    });
}

/// Neighbours along every objective, so that taking one away costs only its neighbours anew.
struct Chains {
    /// Objective by objective: values as parts of the extent, and the neighbours of each member.
    objectives: Vec<Chain>,
    crowding: Vec<f64>,
}

struct Chain {
    values: Vec<f64>,
    before: Vec<Option<usize>>,
    after: Vec<Option<usize>>,
}

impl Chains {
    fn new(individuals: &[Individual]) -> Self {
        let count = individuals.first().map_or(0, |x| x.outcome.objectives.len());
        let objectives = (0..count).map(|m| Chain::new(individuals, m)).collect();
        let mut chains = Self { objectives, crowding: vec![0.0; individuals.len()] };
        (0..individuals.len()).for_each(|i| chains.measure(i));
        chains
    }

    fn measure(&mut self, i: usize) {
        self.crowding[i] = self.objectives.iter().map(|chain| chain.gap(i)).sum();
    }

    fn take_away(&mut self, i: usize) {
        for m in 0..self.objectives.len() {
            let chain = &mut self.objectives[m];
            let (before, after) = (chain.before[i], chain.after[i]);
            if let Some(b) = before {
                chain.after[b] = after;
            }
            if let Some(a) = after {
                chain.before[a] = before;
            }
            before.into_iter().chain(after).for_each(|n| self.measure(n));
        }
    }
}

impl Chain {
    fn new(individuals: &[Individual], m: usize) -> Self {
        let mut values: Vec<f64> = individuals.iter().map(|x| x.outcome.objectives[m]).collect();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let (mut before, mut after) = (vec![None; values.len()], vec![None; values.len()]);
        for w in order.windows(2) {
            after[w[0]] = Some(w[1]);
            before[w[1]] = Some(w[0]);
        }
        let extent = values[order[order.len() - 1]] - values[order[0]];
        let scale = if extent > 0.0 { 1.0 / extent } else { 0.0 };
        values.iter_mut().for_each(|v| *v *= scale);
        Self { values, before, after }
    }

    fn gap(&self, i: usize) -> f64 {
        match (self.before[i], self.after[i]) {
            (Some(b), Some(a)) => self.values[a] - self.values[b],
            _ => f64::INFINITY,
        }
    }
}

/// The area dominated by points of two objectives and bounded by `reference`, which they must beat
/// to count.
pub fn hypervolume(points: &[[f64; 2]], reference: [f64; 2]) -> f64 {
    let mut inside: Vec<[f64; 2]> =
        points.iter().filter(|p| p[0] < reference[0] && p[1] < reference[1]).copied().collect();
    inside.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let mut floor = reference[1];
    let mut area = 0.0;
    for [x, y] in inside {
        if y < floor {
            area += (reference[0] - x) * (floor - y);
            floor = y;
        }
    }
    area
}

#[cfg(test)]
mod tests {
    use super::super::Outcome;
    use super::*;

    fn individual(f: [f64; 2], violation: f64) -> Individual {
        let outcome = Outcome { objectives: f.to_vec(), constraints: vec![] };
        Individual { unit: vec![], values: vec![], outcome, violation }
    }

    #[test]
    fn fronts_by_hand() {
        let all = [
            individual([1.0, 5.0], 0.0),
            individual([2.0, 2.0], 0.0),
            individual([5.0, 1.0], 0.0),
            individual([3.0, 3.0], 0.0),
            individual([2.0, 6.0], 0.0),
            individual([0.0, 0.0], 0.5),
            individual([0.0, 0.0], 0.1),
            individual([2.0, 2.0], 0.0),
        ];
        assert_eq!(fronts(&all), [vec![0, 1, 2, 7], vec![3, 4], vec![6], vec![5]]);
        assert!(!dominates(&all[1], &all[7]));
    }

    #[test]
    fn crowding_by_hand() {
        let all = [[0.0, 10.0], [1.0, 6.0], [4.0, 1.0], [5.0, 0.0]].map(|f| individual(f, 0.0));
        let distances = crowding(&all, &[0, 1, 2, 3]);
        assert_eq!((distances[0], distances[3]), (f64::INFINITY, f64::INFINITY));
        assert!((distances[1] - (0.8 + 0.9)).abs() < 1e-15);
        assert!((distances[2] - (0.8 + 0.6)).abs() < 1e-15);
        let mut thinned = all.to_vec();
        thin(&mut thinned, 3);
        assert_eq!(thinned, [all[0].clone(), all[1].clone(), all[3].clone()]);
    }

    #[test]
    fn hypervolume_by_hand() {
        // Steps (0, 2), (1, 1), (2, 0) below (3, 3): 3·1 + 2·1 + 1·1; dominated and outer points
        // add nothing.
        let points = [[1.0, 1.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0], [3.0, -1.0]];
        assert_eq!(hypervolume(&points, [3.0, 3.0]), 6.0);
        assert_eq!(hypervolume(&[], [3.0, 3.0]), 0.0);
    }
}
