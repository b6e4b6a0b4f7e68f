//! NSGA-II against fronts known exactly.
//!
//! ZDT1–3: Zitzler, Deb, Thiele 2000, 30 variables in [0, 1]. BNH: Binh, Korn 1997. SRN: Srinivas, Deb
//! 1994. The hypervolume of a true front is that of 20 000 of its points.

use gudgeon_study::design::variables::Ranges;
use gudgeon_study::optimise::nsga2::{Nsga2Options, nsga2};
use gudgeon_study::optimise::pareto::hypervolume;
use gudgeon_study::optimise::{Individual, Outcome, Problem};

const BUDGET: usize = 20_000;
const FINE: usize = 20_000;
/// All five seeds take a minute without optimisation of the build.
const SEEDS: u64 = if cfg!(debug_assertions) { 1 } else { 5 };

fn zdt(which: usize, x: &[f64]) -> [f64; 2] {
    let g = 1.0 + 9.0 * x[1..].iter().sum::<f64>() / (x.len() - 1) as f64;
    let ratio = x[0] / g;
    let h = match which {
        1 => 1.0 - ratio.sqrt(),
        2 => 1.0 - ratio * ratio,
        _ => 1.0 - ratio.sqrt() - ratio * (10.0 * std::f64::consts::PI * x[0]).sin(),
    };
    [x[0], g * h]
}

fn points(front: &[Individual]) -> Vec<[f64; 2]> {
    front.iter().map(|x| [x.outcome.objectives[0], x.outcome.objectives[1]]).collect()
}

/// The share of the true front's hypervolume that is reached, worst of the seeds.
fn worst_share(
    bounds: &[(f64, f64)],
    reference: [f64; 2],
    truth: &[[f64; 2]],
    run: impl Fn(&[f64]) -> Outcome,
) -> f64 {
    let variables = Ranges::bounds(bounds).unwrap();
    let whole = hypervolume(truth, reference);
    (0..SEEDS)
        .map(|seed| {
            let batch = |rows: &[Vec<f64>]| rows.iter().map(|x| run(x)).collect();
            let mut problem = Problem::new(&variables, BUDGET, batch);
            let options = Nsga2Options { seed, ..Nsga2Options::default() };
            let front = nsga2(&mut problem, &options).unwrap();
            assert_eq!(problem.evaluations(), BUDGET);
            assert!(front.len() <= options.front && front.iter().all(Individual::feasible));
            let share = hypervolume(&points(&front), reference) / whole;
            print!("{share:.5} ");
            share
        })
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn zdt_fronts_within_one_percent() {
    for which in 1..=3 {
        let curve = |i: usize| {
            let mut x = vec![0.0; 30];
            x[0] = i as f64 / FINE as f64;
            zdt(which, &x)
        };
        let truth: Vec<[f64; 2]> = (0..=FINE).map(curve).collect();
        let share = worst_share(&[(0.0, 1.0); 30], [1.0, 1.0], &truth, |x| Outcome {
            objectives: zdt(which, x).to_vec(),
            constraints: vec![],
        });
        println!("ZDT{which}");
        assert!(share > 0.99, "ZDT{which}: {share}");
    }
}

/// Pareto set: x = y from 0 to 3, then y = 3 and x up to 5.
#[test]
fn bnh_front_within_one_percent() {
    let f = |x: f64, y: f64| [4.0 * (x * x + y * y), (x - 5.0).powi(2) + (y - 5.0).powi(2)];
    let t = |i: usize| 5.0 * i as f64 / FINE as f64;
    let truth: Vec<[f64; 2]> = (0..=FINE).map(|i| f(t(i), t(i).min(3.0))).collect();
    let share = worst_share(&[(0.0, 5.0), (0.0, 3.0)], [140.0, 50.0], &truth, |x| Outcome {
        objectives: f(x[0], x[1]).to_vec(),
        constraints: vec![
            (x[0] - 5.0).powi(2) + x[1] * x[1] - 25.0,
            7.7 - (x[0] - 8.0).powi(2) - (x[1] + 3.0).powi(2),
        ],
    });
    println!("BNH");
    assert!((0.99..1.0).contains(&share), "{share}");
}

/// Pareto set: x = −5/2 between the two constraints, and pieces of both where they take over.
#[test]
fn srn_front_within_one_percent() {
    let f =
        |x: f64, y: f64| [2.0 + (x - 2.0).powi(2) + (y - 1.0).powi(2), 9.0 * x - (y - 1.0).powi(2)];
    let circle = |x: f64| (225.0 - x * x).sqrt();
    let truth: Vec<[f64; 2]> = (0..=FINE)
        .map(|i| i as f64 / FINE as f64)
        .flat_map(|t| {
            let on_line = -2.5 + 4.0 * t;
            let on_circle = -2.5 - 4.0 * t;
            [
                f(-2.5, 2.5 + (circle(2.5) - 2.5) * t),
                f(on_line, (on_line + 10.0) / 3.0),
                f(on_circle, circle(on_circle)),
            ]
        })
        .collect();
    let share = worst_share(&[(-20.0, 20.0); 2], [250.0, 0.0], &truth, |x| Outcome {
        objectives: f(x[0], x[1]).to_vec(),
        constraints: vec![x[0] * x[0] + x[1] * x[1] - 225.0, x[0] - 3.0 * x[1] + 10.0],
    });
    println!("SRN");
    assert!((0.99..1.0).contains(&share), "{share}");
}

#[test]
fn threads_do_not_change_the_front() {
    let variables = Ranges::bounds(&[(0.0, 1.0); 6]).unwrap();
    let search = |threads: usize| {
        let mut problem = Problem::new(&variables, 1000, |rows| {
            crate::functions::in_parallel(rows, threads, |x| zdt(1, x)[1])
                .into_iter()
                .zip(rows)
                .map(|(o, x)| Outcome { objectives: vec![x[0], o.objectives[0]], ..o })
                .collect()
        });
        nsga2(&mut problem, &Nsga2Options::default()).unwrap()
    };
    assert_eq!(search(1), search(5));
}

#[test]
fn failures_and_impossible_constraints_have_answers() {
    let variables = Ranges::bounds(&[(0.0, 1.0); 2]).unwrap();
    let failing = |_: &[Vec<f64>]| vec![Outcome::failed(); 50];
    let mut problem = Problem::new(&variables, 50, failing);
    assert!(nsga2(&mut problem, &Nsga2Options::default()).unwrap().is_empty());
    let mut problem = Problem::new(&variables, 600, |rows| {
        let run = |x: &Vec<f64>| Outcome {
            objectives: vec![x[0], x[1]],
            constraints: vec![x[0] + x[1] + 0.5],
        };
        rows.iter().map(run).collect()
    });
    let nearest = nsga2(&mut problem, &Nsga2Options::default()).unwrap();
    assert!(!nearest.is_empty() && nearest.iter().all(|x| !x.feasible()));
    assert!(nearest[0].values.iter().sum::<f64>() < 0.05);
}
