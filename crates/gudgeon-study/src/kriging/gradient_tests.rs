//! The analytic gradient of the likelihood against central differences: every correlation and trend,
//! with and without nugget and known noise.

use super::layout::Layout;
use super::likelihood::Likelihood;
use super::problem::Problem;
use super::settings::{Correlation, Exponents, Nugget, Search, Settings, Trend};
use gudgeon::progress::Unwatched;
use gudgeon::random::Random;

/// Nineteen points in three inputs; the last panel is not full.
fn samples() -> (Vec<[f64; 3]>, Vec<f64>) {
    let mut random = Random::new(3);
    let inputs: Vec<[f64; 3]> = (0..19).map(|_| std::array::from_fn(|_| random.unit())).collect();
    let response = |x: &[f64; 3]| (5.0 * x[0]).sin() + x[1] * x[1] + 0.3 * x[2] * x[0];
    let responses = inputs.iter().map(response).collect();
    (inputs, responses)
}

fn check(settings: &Settings, search: &Search) {
    let (inputs, responses) = samples();
    let inputs: Vec<&[f64]> = inputs.iter().map(|x| &x[..]).collect();
    let problem = Problem::new(&inputs, &responses, settings, None).unwrap();
    let layout = Layout::new(settings, search, 3);
    let mut likelihood = Likelihood::new(&problem, settings.correlation, layout, &Unwatched);
    for x in likelihood.layout.starts(4, 9) {
        // Away from the bounds of α, beyond which differences would step.
        let x: Vec<f64> = x.iter().map(|v| if *v == 2.0 { 1.9 } else { *v }).collect();
        let value = likelihood.value(&x);
        assert!(value.is_finite());
        let mut gradient = vec![0.0; x.len()];
        likelihood.gradient(&mut gradient);
        for k in 0..x.len() {
            let mut at = |step: f64| {
                let mut moved = x.clone();
                moved[k] += step;
                likelihood.value(&moved)
            };
            // Fourth order: the error is that of rounding, 1e−16 · value · condition/step.
            let h = 2e-3;
            let difference = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let error = (gradient[k] - difference).abs();
            assert!(
                error < 1e-6 * (1.0 + difference.abs()),
                "{settings:?}\n number {k}: {} against {difference}",
                gradient[k]
            );
        }
    }
}

#[test]
fn the_gradient_is_that_of_central_differences() {
    let noise: Vec<f64> = (0..19).map(|i| 1e-3 * f64::from(i % 5)).collect();
    for correlation in [
        Correlation::PowerExponential,
        Correlation::SquaredExponential,
        Correlation::Matern32,
        Correlation::Matern52,
    ] {
        for trend in [Trend::Constant, Trend::Linear, Trend::Quadratic] {
            for (nugget, noise) in [
                // Enough of a nugget to keep rounding out of the differences.
                (Nugget::Fixed(1e-4), Vec::new()),
                (Nugget::Fitted, Vec::new()),
                (Nugget::Fixed(1e-4), noise.clone()),
                (Nugget::Fitted, noise.clone()),
            ] {
                let settings =
                    Settings { trend, correlation, nugget, noise, ..Settings::default() };
                let search = Search { nugget: [1e-3, 1.0], ..Search::default() };
                check(&settings, &search);
                check(&settings, &Search { exponents: Exponents::Common, ..search });
            }
        }
    }
}
