//! Latin hypercubes whose points keep far from each other.
//!
//! Simulated annealing over exchanges of one coordinate between two points, which keep the hypercube
//! Latin, with the criterion
//!
//!   Φ = Σ_{i<l} (s / D_il)^q,   D_il = Σ_k (a_ik − a_lk)²                       (1)
//!
//! in whole slices a. (1) is φ_p of [`super::measure`] with p = 2 q = 32, raised to p and scaled by s,
//! a length that follows the design so that all powers stay near one.
//!
//! An exchange of axis k between points i and j changes 2 (n − 2) distances and no other,
//!
//!   D_il ← D_il + δ_l,  D_jl ← D_jl − δ_l,  δ_l = (a_jk − a_ik)(a_jk + a_ik − 2 a_lk)   (2)
//!
//! and D_ij not at all. All D are whole numbers below 2⁵³: they are updated without rounding, however
//! long the search. The random limit of the Metropolis rule is drawn before the sums, which have
//! positive terms only, so most trials end after a few dozen distances.
//!
//! Temperature: T = T₀ φ̄ (1 − τ)², φ̄ the mean share of a point in Φ, τ from 0 to 1 over the search.
//! The best design seen by d_min is returned. References: Morris, Mitchell, *Exploratory designs for
//! computational experiments*, J. Stat. Plan. Inference 43 (1995); Jin, Chen, Sudjianto, *An efficient
//! algorithm for constructing optimal design of computer experiments*, ibid. 134 (2005), for (2).

use super::latin::{centred_rows, permutations};
use super::{DesignError, check_size, stream};
use gudgeon::random::Random;

/// log₂ q.
const DOUBLINGS: u32 = 4;
/// T₀; between 0.1 and 1 the result hardly depends on it.
const HEAT: f64 = 0.3;
/// Distances summed between two looks at the limit.
const BLOCK: usize = 32;
/// Rounds of the search: s, T and the best design are renewed between them.
const ROUNDS: usize = 50;
/// The distances of all pairs are held: 8 n² bytes.
const LIMIT: usize = 8192;

/// How long to search: the number of exchanges tried. The time grows as exchanges × points: the
/// default takes about a second for 1000 points, a tenth of it for 100.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort(pub usize);

impl Default for Effort {
    fn default() -> Self {
        Self(400_000)
    }
}

/// A centred Latin hypercube with a large least distance.
pub fn latin_maximin(
    points: usize,
    dimension: usize,
    seed: u64,
    effort: Effort,
) -> Result<Vec<Vec<f64>>, DesignError> {
    check_size(points, dimension)?;
    if points > LIMIT {
        return Err(DesignError::TooManyToOptimise { points, limit: LIMIT });
    }
    let start = permutations(points, dimension, seed);
    // Two points, or one axis: nothing to gain.
    if points < 3 || dimension < 2 {
        return Ok(centred_rows(&start, points));
    }
    let mut random = stream(seed, dimension as u64);
    let mut search = Search::new(&start);
    let trials = effort.0 / ROUNDS;
    let mut best = start;
    let mut least = search.least_distance();
    for round in 0..ROUNDS {
        let left = 1.0 - round as f64 / ROUNDS as f64;
        search.rescale();
        let temperature = HEAT * search.mean_share() * left * left;
        search.anneal(trials, temperature, &mut random);
        let distance = search.least_distance();
        if distance > least {
            least = distance;
            search.copy_to(&mut best);
        }
    }
    Ok(centred_rows(&best, points))
}

struct Search {
    n: usize,
    dimension: usize,
    /// Slices, axis by axis: a_ik at k n + i.
    slices: Vec<f64>,
    /// D_il at i n + l; infinite on the diagonal, so that its share is nothing.
    distances: Vec<f64>,
    /// Share of each point in 2 Φ: Σ_l (s / D_il)^q.
    shares: Vec<f64>,
    /// s.
    scale: f64,
    /// Least distance of each point from the others, in work.
    nearest: Vec<f64>,
}

/// (s / D)^q.
#[inline(always)]
fn repulsion(scale: f64, distance: f64) -> f64 {
    let mut power = scale / distance;
    for _ in 0..DOUBLINGS {
        power *= power;
    }
    power
}

impl Search {
    fn new(start: &[Vec<usize>]) -> Self {
        let (n, dimension) = (start[0].len(), start.len());
        let slices: Vec<f64> = start.iter().flatten().map(|&a| a as f64).collect();
        let mut distances = vec![0.0; n * n];
        for axis in slices.chunks(n) {
            for (row, a) in distances.chunks_mut(n).zip(axis) {
                row.iter_mut().zip(axis).for_each(|(d, b)| *d += (a - b) * (a - b));
            }
        }
        (0..n).for_each(|i| distances[i * n + i] = f64::INFINITY);
        let zeros = vec![0.0; n];
        Self { n, dimension, slices, distances, shares: zeros.clone(), scale: 1.0, nearest: zeros }
    }

    fn least_distance(&self) -> f64 {
        self.distances.iter().copied().fold(f64::INFINITY, f64::min)
    }

    fn mean_share(&self) -> f64 {
        self.shares.iter().sum::<f64>() / self.n as f64
    }

    fn copy_to(&self, best: &mut [Vec<usize>]) {
        for (to, from) in best.iter_mut().zip(self.slices.chunks(self.n)) {
            to.iter_mut().zip(from).for_each(|(t, f)| *t = *f as usize);
        }
    }

    /// Sets s to the distance below which a tenth of the points have their nearest neighbour, and
    /// sums the shares anew, free of what rounding has gathered in them.
    fn rescale(&mut self) {
        for (nearest, row) in self.nearest.iter_mut().zip(self.distances.chunks(self.n)) {
            *nearest = row.iter().copied().fold(f64::INFINITY, f64::min);
        }
        self.nearest.sort_unstable_by(f64::total_cmp);
        self.scale = self.nearest[self.n / 10];
        for (share, row) in self.shares.iter_mut().zip(self.distances.chunks(self.n)) {
            *share = row.iter().map(|&d| repulsion(self.scale, d)).sum();
        }
    }

    fn anneal(&mut self, trials: usize, temperature: f64, random: &mut Random) {
        for _ in 0..trials {
            let i = random.below(self.n);
            let other = random.below(self.n - 1);
            let j = if other < i { other } else { other + 1 };
            let k = random.below(self.dimension);
            let rise = -temperature * (1.0 - random.unit()).ln();
            let limit = self.shares[i] + self.shares[j] + rise;
            if self.after_exchange(i, j, k, limit) < limit {
                self.exchange(i, j, k);
            }
        }
    }

    /// The shares of i and j together after an exchange of axis k, or any sum above `limit`.
    fn after_exchange(&mut self, i: usize, j: usize, k: usize, limit: f64) -> f64 {
        let n = self.n;
        // D_ij stays, (2) does not hold for it: leave it out of the sums.
        let pair = self.distances[i * n + j];
        self.distances[i * n + j] = f64::INFINITY;
        self.distances[j * n + i] = f64::INFINITY;
        let axis = &self.slices[k * n..(k + 1) * n];
        let (difference, sum) = (axis[j] - axis[i], axis[j] + axis[i]);
        let row_i = self.distances[i * n..(i + 1) * n].chunks(BLOCK);
        let row_j = self.distances[j * n..(j + 1) * n].chunks(BLOCK);
        let mut total = 2.0 * repulsion(self.scale, pair);
        for ((others, from_i), from_j) in axis.chunks(BLOCK).zip(row_i).zip(row_j) {
            total += block(self.scale, difference, sum, others, from_i, from_j);
            if total > limit {
                break;
            }
        }
        self.distances[i * n + j] = pair;
        self.distances[j * n + i] = pair;
        total
    }

    fn exchange(&mut self, i: usize, j: usize, k: usize) {
        let n = self.n;
        let (a, b) = (self.slices[k * n + i], self.slices[k * n + j]);
        let pair = repulsion(self.scale, self.distances[i * n + j]);
        let (mut share_i, mut share_j) = (pair, pair);
        for l in (0..n).filter(|&l| l != i && l != j) {
            let shift = (b - a) * (b + a - 2.0 * self.slices[k * n + l]); // (2)
            let (old_i, old_j) = (self.distances[i * n + l], self.distances[j * n + l]);
            let (new_i, new_j) = (old_i + shift, old_j - shift);
            self.distances[i * n + l] = new_i;
            self.distances[l * n + i] = new_i;
            self.distances[j * n + l] = new_j;
            self.distances[l * n + j] = new_j;
            let (to_i, to_j) = (repulsion(self.scale, new_i), repulsion(self.scale, new_j));
            self.shares[l] += to_i - repulsion(self.scale, old_i);
            self.shares[l] += to_j - repulsion(self.scale, old_j);
            share_i += to_i;
            share_j += to_j;
        }
        (self.shares[i], self.shares[j]) = (share_i, share_j);
        self.slices.swap(k * n + i, k * n + j);
    }
}

/// Sum of the shares over a block of other points, in four sums side by side for the vector unit.
#[inline(always)]
fn block(
    scale: f64,
    difference: f64,
    sum: f64,
    others: &[f64],
    from_i: &[f64],
    from_j: &[f64],
) -> f64 {
    let share = |l: usize| {
        let shift = difference * (sum - 2.0 * others[l]); // (2)
        repulsion(scale, from_i[l] + shift) + repulsion(scale, from_j[l] - shift)
    };
    if others.len() < BLOCK || from_i.len() < BLOCK || from_j.len() < BLOCK {
        return (0..others.len()).map(share).sum();
    }
    let mut sums = [0.0; 4];
    for first in (0..BLOCK).step_by(4) {
        for (lane, total) in sums.iter_mut().enumerate() {
            *total += share(first + lane);
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

#[cfg(test)]
mod tests {
    use super::super::latin_centred;
    use super::super::measure::{is_latin, minimum_distance};
    use super::*;

    #[test]
    fn distances_stay_exact_and_shares_close_over_a_search() {
        let mut search = Search::new(&permutations(40, 3, 9));
        search.rescale();
        search.anneal(20_000, 0.3 * search.mean_share(), &mut Random::new(1));
        let mut slices = vec![vec![0; 40]; 3];
        search.copy_to(&mut slices);
        let fresh = Search::new(&slices);
        assert_eq!(search.distances, fresh.distances);
        let before = search.shares.clone();
        let scale = search.scale;
        search.rescale();
        let ratio = (scale / search.scale).powi(1 << DOUBLINGS);
        for (a, b) in before.iter().zip(&search.shares) {
            assert!((a - b * ratio).abs() < 1e-9 * search.mean_share() * ratio, "{a} {b}");
        }
    }

    #[test]
    fn results_are_latin_better_than_chance_and_repeat() {
        for (n, d) in [(2, 3), (5, 1), (10, 2), (33, 4), (64, 3)] {
            let points = latin_maximin(n, d, 4, Effort(20_000)).unwrap();
            assert!(is_latin(&points));
            assert_eq!(points, latin_maximin(n, d, 4, Effort(20_000)).unwrap());
            let chance = minimum_distance(&latin_centred(n, d, 4).unwrap());
            assert!(minimum_distance(&points) >= chance);
        }
    }

    #[test]
    fn effort_pays() {
        let distance = |effort| {
            let mut d: Vec<f64> = (0..5)
                .map(|s| minimum_distance(&latin_maximin(60, 4, s, Effort(effort)).unwrap()))
                .collect();
            d.sort_by(f64::total_cmp);
            d[2]
        };
        assert!(distance(0) < distance(1000) && distance(1000) < distance(50_000));
    }

    /// The figure for 100 × 5; that of 1000 × 10, with its time, is `benches/design.rs`.
    #[test]
    fn a_hundred_points_in_five_dimensions_keep_0_39_apart() {
        let mut distances: Vec<f64> = (1..=5)
            .map(|seed| minimum_distance(&latin_maximin(100, 5, seed, Effort(50_000)).unwrap()))
            .collect();
        distances.sort_by(f64::total_cmp);
        assert!(distances[2] >= 0.39, "{distances:?}");
    }

    #[test]
    fn too_many_points_are_refused_before_the_memory_is_taken() {
        let wish = latin_maximin(1_000_000, 3, 1, Effort::default());
        assert_eq!(wish, Err(DesignError::TooManyToOptimise { points: 1_000_000, limit: LIMIT }));
    }
}
