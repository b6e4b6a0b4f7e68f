//! Quality and cost of optimised Latin hypercubes.
//!
//! `cargo bench -p gudgeon-study --bench design` prints, over five seeds, the median of the least
//! distance and the longest processor time. The figures: 1000 × 10 at least 0.52 in 3.5 s,
//! 100 × 5 at least 0.39.

use gudgeon_study::design::latin_maximin;
use gudgeon_study::design::maximin::Effort;
use gudgeon_study::design::measure::{is_latin, minimum_distance};

/// Processor time of this program; other programs do not count.
#[cfg(unix)]
fn seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

#[cfg(not(unix))]
fn seconds() -> f64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.expect("a clock after 1970").as_secs_f64()
}

fn main() {
    println!("points × d   exchanges   median d_min   longest time");
    let cases = [
        (30, 3, 400_000),
        (100, 5, 100_000),
        (100, 5, 400_000),
        (1000, 10, 100_000),
        (1000, 10, 400_000),
        (1000, 10, 1_000_000),
        (2000, 20, 400_000),
    ];
    for (n, d, effort) in cases {
        let mut longest = 0.0f64;
        let mut distances: Vec<f64> = (1..=5)
            .map(|seed| {
                let start = seconds();
                let points = latin_maximin(n, d, seed, Effort(effort)).expect("a valid size");
                longest = longest.max(seconds() - start);
                assert!(is_latin(&points));
                minimum_distance(&points)
            })
            .collect();
        distances.sort_by(f64::total_cmp);
        println!("{n:5} × {d:2}   {effort:9}   {:12.4}   {longest:9.3} s", distances[2]);
    }
}
