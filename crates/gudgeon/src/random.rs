//! Random numbers that are the same on every machine: SplitMix64 (Steele, Lea, Flood 2014).

/// A stream of random numbers; streams of different seeds are independent for all practical means.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A stream of its own for part `index` of a whole, whatever the order of use.
    pub fn split(&self, index: u64) -> Self {
        Self(self.seed_of(index))
    }

    /// The seed of that stream. It is a number of a stream, not the state of one: states of
    /// neighbours are one step apart, so that one stream would be the other a step later.
    pub fn seed_of(&self, index: u64) -> u64 {
        let mut stream = Self(self.0 ^ (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        stream.next();
        stream.next()
    }

    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in 0 … n − 1; n > 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The high half of a product: no division, and a bias below n/2⁶⁴.
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Standard normal, by Box and Muller.
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit()).cos()
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_are_those_of_the_published_generator() {
        let mut random = Random::new(1234567);
        assert_eq!(random.next(), 6457827717110365317);
        assert_eq!(random.next(), 3203168211198807973);
    }

    /// Correlation of two streams, one of them `lag` numbers later.
    fn correlation(a: &Random, b: &Random, lag: usize) -> f64 {
        let numbers = |stream: &Random, skip: usize| {
            let mut stream = stream.clone();
            (0..skip).for_each(|_| _ = stream.next());
            (0..2000).map(|_| 12f64.sqrt() * (stream.unit() - 0.5)).collect::<Vec<f64>>()
        };
        let (a, b) = (numbers(a, lag), numbers(b, 0));
        a.iter().zip(&b).map(|(a, b)| a * b).sum::<f64>() / 2000.0
    }

    #[test]
    fn streams_of_neighbours_have_nothing_in_common() {
        let all: Vec<Random> = (0..3)
            .flat_map(|seed| (0..5).map(move |index| Random::new(seed).split(index)))
            .chain((0..3).map(Random::new))
            .collect();
        for (i, a) in all.iter().enumerate() {
            for (j, b) in all.iter().enumerate() {
                for lag in 0..4 {
                    let r = correlation(a, b, lag);
                    let same = i == j && lag == 0;
                    // Independent streams: a standard deviation of 0.022.
                    assert!(same || r.abs() < 0.12, "{i} and {j}, {lag} later: {r}");
                }
            }
        }
    }
}
