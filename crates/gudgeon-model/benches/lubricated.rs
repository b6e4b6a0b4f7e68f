//! Cost and error of lubricated mechanisms.
//!
//! `cargo bench -p gudgeon-model --bench lubricated` runs the slider-crank of tian with each film model and the
//! rotor, several times in turn, and prints the least CPU seconds of each
//! (stepping and outputs, nothing is written), the cost against `short` in the
//! same round, and the error of the largest force against a run at a hundredth of the tolerance.

use gudgeon::assembly::assemble;
use gudgeon::results::{RunReport, Status};
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::Overrides;
use gudgeon_model::shipped::{self, find};

const ROUNDS: usize = 5;

/// Name, model and changes of a run.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const CASES: [Case; 5] = [
    ("short", "lubricated_slider_crank", &[]),
    ("short-exact", "lubricated_slider_crank", &[("joints.pin.film.model", "short-exact")]),
    ("long", "lubricated_slider_crank", &[("joints.pin.film.model", "long")]),
    ("finite", "lubricated_slider_crank", &[("joints.pin.film.model", "finite")]),
    ("rotor", "rotor", &[]),
];

fn run(case: &Case, rtol: Option<&str>) -> RunReport {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    let mut set: Vec<_> = case.2.iter().map(owned).collect();
    set.extend(rtol.map(|rtol| ("run.rtol".to_owned(), rtol.to_owned())));
    let overrides = Overrides { set, ..Overrides::default() };
    let Ok(loaded) = shipped::load(find(case.1).expect("a shipped model"), &overrides) else {
        panic!("{} does not load", case.0)
    };
    let assembly = assemble(&loaded.model).expect("a shipped model closes");
    let report = simulate(&assembly, &loaded.run, &mut Silent);
    assert_eq!(report.status, Status::Done, "{}", case.0);
    report
}

/// Largest difference of the peaks of a run, as a share of them.
fn off(report: &RunReport, exact: &RunReport) -> f64 {
    let pairs = report.extremes.iter().zip(&exact.extremes);
    let share = |a: f64, b: f64| if b == 0.0 { 0.0 } else { (a / b - 1.0).abs() };
    pairs.fold(0.0, |worst, (a, b)| worst.max(share(a.abs_max().0, b.abs_max().0)))
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let wanted = |case: &&Case| {
        words.is_empty() || case.0 == "short" || words.iter().any(|word| word == case.0)
    };
    let cases: Vec<&Case> = CASES.iter().filter(wanted).collect();
    let mut best = vec![f64::INFINITY; cases.len()];
    let mut ratio = vec![[f64::INFINITY, 0.0f64]; cases.len()];
    let mut reports: Vec<RunReport> = Vec::new();
    for _ in 0..ROUNDS {
        let round: Vec<RunReport> = cases.iter().map(|case| run(case, None)).collect();
        for (k, report) in round.iter().enumerate() {
            let seconds = report.solver.cpu.integration();
            best[k] = best[k].min(seconds);
            let share = seconds / round[0].solver.cpu.integration();
            ratio[k] = [ratio[k][0].min(share), ratio[k][1].max(share)];
        }
        reports = round;
    }
    println!(
        "run            CPU s   of short (range)   steps  evaluations  iterations  tangents    error"
    );
    for (k, case) in cases.iter().enumerate() {
        let exact = run(case, Some("1e-8"));
        let s = &reports[k].solver.statistics;
        println!(
            "{:12} {:7.4}   {:6.2} … {:6.2}  {:6} {:12} {:11} {:9}   {:.1e}",
            case.0,
            best[k],
            ratio[k][0],
            ratio[k][1],
            s.steps,
            s.evaluations,
            s.iterations,
            s.tangents,
            off(&reports[k], &exact)
        );
    }
}
