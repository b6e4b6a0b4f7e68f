//! Speed of Kriging on the Branin function, with the error measured in the same run.
//!
//! Squared exponential, ten starts, n random Latin hypercube points; RMSE over a 61 × 61 grid. Then
//! mean and variance at 10⁵ points. Times are CPU seconds of one thread, the best of several
//! repetitions. The samples are written to `target/kriging/`, where
//! `benchmarks/kriging_peers.py` reads them to run other programs on the same points.
//!
//! `cargo bench -p gudgeon-study --bench kriging`

use gudgeon::random::Random;
use gudgeon_study::kriging::{Correlation, Kriging, Settings};
use std::fmt::Write;
use std::path::Path;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/kriging");
    std::fs::create_dir_all(&folder).expect("the folder of the samples can be made");
    for n in [50, 100, 200, 400] {
        let inputs = latin_hypercube(n, 1);
        let responses: Vec<f64> = inputs.iter().map(branin).collect();
        write_samples(&folder.join(format!("branin_{n}.csv")), &inputs, &responses);
        for correlation in
            [Correlation::SquaredExponential, Correlation::PowerExponential, Correlation::Matern52]
        {
            fit(&inputs, &responses, correlation);
        }
    }
}

fn fit(inputs: &[[f64; 2]], responses: &[f64], correlation: Correlation) {
    let settings = Settings { correlation, ..Settings::default() };
    let (model, seconds) =
        best(5, || Kriging::fit(inputs, responses, &settings).expect("Branin can be fitted"));
    let grid: Vec<[f64; 2]> =
        (0..61 * 61).map(|i| [-5.0 + 0.25 * f64::from(i % 61), 0.25 * f64::from(i / 61)]).collect();
    let squares: f64 = model
        .predict_all(&grid)
        .expect("the grid is finite")
        .iter()
        .zip(&grid)
        .map(|(p, x)| (p.mean - branin(x)).powi(2))
        .sum();
    let many = latin_hypercube(100_000, 2);
    let (_, predicting) = best(5, || model.predict_all(&many).expect("points are finite"));
    println!(
        "n {:4}  {correlation:?}: fit {seconds:.4} s, {} evaluations, ln L {:.2}, theta {:.4?}, RMSE {:.3e}, 1e5 predictions {predicting:.4} s",
        inputs.len(),
        model.report().evaluations,
        model.report().log_likelihood,
        model.parameters().theta,
        (squares / grid.len() as f64).sqrt(),
    );
}

fn branin(x: &[f64; 2]) -> f64 {
    use std::f64::consts::PI;
    let a = x[1] - 5.1 / (4.0 * PI * PI) * x[0] * x[0] + 5.0 / PI * x[0] - 6.0;
    a * a + 10.0 * ((1.0 - 1.0 / (8.0 * PI)) * x[0].cos() + 1.0)
}

fn latin_hypercube(n: usize, seed: u64) -> Vec<[f64; 2]> {
    let mut random = Random::new(seed);
    let mut column = |low: f64, high: f64| -> Vec<f64> {
        let mut strata: Vec<usize> = (0..n).collect();
        random.shuffle(&mut strata);
        strata.iter().map(|s| low + (high - low) * (*s as f64 + random.unit()) / n as f64).collect()
    };
    let (x, y) = (column(-5.0, 10.0), column(0.0, 15.0));
    x.into_iter().zip(y).map(|(x, y)| [x, y]).collect()
}

fn write_samples(path: &Path, inputs: &[[f64; 2]], responses: &[f64]) {
    let mut text = "x1,x2,y\n".to_owned();
    for (x, y) in inputs.iter().zip(responses) {
        writeln!(text, "{},{},{y}", x[0], x[1]).expect("text grows");
    }
    std::fs::write(path, text).expect("the samples can be written");
}

fn best<T>(repetitions: usize, mut run: impl FnMut() -> T) -> (T, f64) {
    let mut seconds = f64::INFINITY;
    let mut result = None;
    for _ in 0..repetitions {
        let start = cpu_seconds();
        result = Some(run());
        seconds = seconds.min(cpu_seconds() - start);
    }
    (result.expect("at least one repetition"), seconds)
}

#[cfg(unix)]
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

#[cfg(not(unix))]
fn cpu_seconds() -> f64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
