//! A fit of 4000 samples took ten minutes in which nothing could stop it. Whatever takes long asks its
//! [`Progress`] and ends within a fraction of a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gudgeon::progress::Unwatched;
use gudgeon::random::Random;
use gudgeon_study::design::variables::Ranges;
use gudgeon_study::kriging::{Correlation, Folds, Kriging, KrigingError, Refit, Settings};
use gudgeon_study::optimise::ego::{EgoError, EgoOptions, Fits, ego};
use gudgeon_study::optimise::genetic::{GeneticOptions, genetic};
use gudgeon_study::optimise::nsga2::{Nsga2Options, nsga2};
use gudgeon_study::optimise::{Outcome, Problem};
use gudgeon_study::sensitivity::{IndexOptions, sobol_indices};

/// A tenth of it is usual; machines that test have other things to do.
const SOON: Duration = Duration::from_secs(3);

fn samples(count: usize) -> (Vec<Vec<f64>>, Vec<f64>) {
    let mut random = Random::new(5);
    let inputs: Vec<Vec<f64>> = (0..count).map(|_| vec![random.unit(), random.unit()]).collect();
    let value = |x: &Vec<f64>| (9.0 * x[0]).sin() + (7.0 * x[1]).cos() * x[0];
    let values = inputs.iter().map(value).collect();
    (inputs, values)
}

/// Cancels `work` after some milliseconds; gives what it says, and how long it took from then on.
fn cancelled<T>(after: u64, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let cancel = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let set = scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(after));
            cancel.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let answer = work(&cancel);
        let took = set.join().unwrap().elapsed();
        assert!(took < SOON, "{took:?} after {after} ms");
        answer
    })
}

#[test]
fn fits_validations_and_predictions_are_cancelled() {
    let (inputs, values) = samples(3000);
    for (after, correlation) in [
        (0, Correlation::SquaredExponential),
        (200, Correlation::PowerExponential),
        (600, Correlation::Matern52),
    ] {
        let settings = Settings { correlation, ..Settings::default() };
        let fit =
            cancelled(after, |cancel| Kriging::fit_watched(&inputs, &values, &settings, cancel));
        assert!(matches!(fit, Err(KrigingError::Cancelled)), "after {after} ms");
    }
    let model = Kriging::fit(&inputs[..300], &values[..300], &Settings::default()).unwrap();
    let folds = Folds { count: 300, seed: 1, parameters: Refit::Anew };
    let validation = cancelled(100, |cancel| model.k_fold_watched(folds, cancel));
    assert!(matches!(validation, Err(KrigingError::Cancelled)));
    let many: Vec<&Vec<f64>> = inputs.iter().cycle().take(600_000).collect();
    let predictions = cancelled(20, |cancel| model.predict_watched(&many, cancel));
    assert!(matches!(predictions, Err(KrigingError::Cancelled)));
}

#[test]
fn searches_are_cancelled_and_keep_their_best() {
    let variables = Ranges::bounds(&[(0.0, 1.0); 4]).unwrap();
    let slow = |x: &[f64]| {
        std::thread::sleep(Duration::from_micros(50));
        x.iter().map(|x| (x - 0.3).powi(2) + (30.0 * x).sin()).sum::<f64>()
    };
    let found = cancelled(100, |cancel| {
        let mut problem = Problem::of(&variables, 100_000_000, slow).watched(cancel);
        let options = GeneticOptions { agree: usize::MAX, ..GeneticOptions::default() };
        genetic(&mut problem, &options).unwrap()
    });
    assert!(found.unwrap().best.objective() < 0.0);
    let front = cancelled(100, |cancel| {
        let two = |rows: &[Vec<f64>]| {
            let one =
                |x: &Vec<f64>| Outcome { objectives: vec![slow(x), x[0]], constraints: vec![] };
            rows.iter().map(one).collect()
        };
        let mut problem = Problem::new(&variables, 100_000_000, two).watched(cancel);
        nsga2(&mut problem, &Nsga2Options::default()).unwrap()
    });
    assert!(!front.is_empty());
    // A search whose model is being fitted says so.
    let result = cancelled(400, |cancel| {
        let mut problem = Problem::of(&variables, 100_000, slow).watched(cancel);
        let mut fits = Fits::new(Settings::default(), cancel);
        let options = EgoOptions { initial: Some(200), ..EgoOptions::default() };
        ego(&mut problem, vec![], &options, &mut |r, x, y, p| fits.fit(r, x, y, p))
    });
    match result {
        Ok(result) => assert!(result.best.is_some()),
        Err(EgoError::Fit { source, .. }) => assert!(matches!(source, KrigingError::Cancelled)),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn resampling_of_indices_is_cancelled() {
    let options = IndexOptions { samples: 1 << 16, resamplings: 100_000, ..Default::default() };
    let mut f = |rows: &[Vec<f64>]| rows.iter().map(|x| x[0] + x[1] * x[1]).collect();
    // Whatever it says, it says it soon.
    let _ = cancelled(300, |cancel| sobol_indices(2, &options, cancel, &mut f));
}

/// Being watched changes no digit.
#[test]
fn a_fit_that_is_watched_is_the_same() {
    let (inputs, values) = samples(60);
    let alone = Kriging::fit(&inputs, &values, &Settings::default()).unwrap();
    let watched = Kriging::fit_watched(&inputs, &values, &Settings::default(), &Unwatched).unwrap();
    assert_eq!(alone.to_json(), watched.to_json());
}
