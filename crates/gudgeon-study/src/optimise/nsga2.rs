//! NSGA-II: the Pareto front of several objectives.
//!
//! Each generation makes N children, by tournaments of two on front and crowding, crossover and
//! mutation of `super::variation`; of parents and children together the N best survive, front by
//! front, the last one by crowding. Reference: Deb et al. 2002, see [`super::pareto`].
//!
//! One addition: everything on the front of all that was ever run is kept, so that a small population
//! converges fast and the result still has many points.

use super::pareto::{crowding, dominates, fronts, thin};
use super::{Individual, Problem, Variation};
use crate::design::{DesignError, latin_random};
use gudgeon::random::Random;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nsga2Options {
    /// N.
    pub population: usize,
    /// The most points of the result.
    pub front: usize,
    pub variation: Variation,
    pub seed: u64,
}

impl Default for Nsga2Options {
    fn default() -> Self {
        let variation = Variation { mutation_index: 10.0, ..Variation::default() };
        Self { population: 50, front: 400, variation, seed: 0 }
    }
}

/// Spends the budget of `problem`; the front in order of the first objective. If no run holds the
/// constraints, the one nearest to it is all there is; if all failed, nothing.
pub fn nsga2(
    problem: &mut Problem,
    options: &Nsga2Options,
) -> Result<Vec<Individual>, DesignError> {
    let mut random = Random::new(options.seed);
    let size = options.population.max(4);
    let start = latin_random(size, problem.variables().dimension(), random.next())?;
    let mut archive = Archive { members: vec![], size: options.front.max(2) };
    let mut population = ranked(problem.run(start), size, &mut archive);
    while problem.left() > 0 && population.len() >= 2 {
        let mut children = Vec::with_capacity(size + 1);
        while children.len() < size {
            let [a, b] =
                [0, 1].map(|_| &population[tournament(population.len(), &mut random)].unit);
            let pair = options.variation.children(problem.variables(), [a, b], &mut random);
            children.extend(pair);
        }
        children.truncate(size);
        let offspring = problem.run(children);
        archive.add(&offspring);
        population.extend(offspring);
        population = survivors(population, size);
    }
    Ok(archive.front())
}

fn ranked(first: Vec<Individual>, size: usize, archive: &mut Archive) -> Vec<Individual> {
    archive.add(&first);
    survivors(first, size)
}

/// The `size` best, sorted by front and, within a front, from lonely to crowded: the place in the list
/// is the rank for tournaments.
fn survivors(all: Vec<Individual>, size: usize) -> Vec<Individual> {
    let mut order = Vec::with_capacity(all.len());
    for front in fronts(&all) {
        let distance = crowding(&all, &front);
        let mut places: Vec<usize> = (0..front.len()).collect();
        places.sort_by(|&a, &b| distance[b].total_cmp(&distance[a]));
        order.extend(places.into_iter().map(|p| front[p]));
        if order.len() >= size {
            break;
        }
    }
    order.truncate(size);
    order.into_iter().map(|i| all[i].clone()).collect()
}

/// The better of two drawn from a sorted population.
fn tournament(size: usize, random: &mut Random) -> usize {
    random.below(size).min(random.below(size))
}

/// What nothing run so far dominates.
struct Archive {
    members: Vec<Individual>,
    size: usize,
}

impl Archive {
    fn add(&mut self, individuals: &[Individual]) {
        for x in individuals.iter().filter(|x| x.violation.is_finite()) {
            let known = |m: &Individual| {
                dominates(m, x)
                    || m.outcome.objectives == x.outcome.objectives && m.violation == x.violation
            };
            if !self.members.iter().any(known) {
                self.members.retain(|m| !dominates(x, m));
                self.members.push(x.clone());
            }
        }
        // Thinned well above the size, and to it in the end: what is taken away early is missed.
        if self.members.len() > 2 * self.size {
            thin(&mut self.members, self.size);
        }
    }

    fn front(mut self) -> Vec<Individual> {
        thin(&mut self.members, self.size);
        self.members.sort_by(Individual::order);
        self.members
    }
}
