//! Studies of printed values: columns of responses, surrogates with given parameters, predictions, hypercubes from end to end.

use crate::common::Scratch;
use serde_json::Value;

/// Three printed values of one variable, and a surrogate whose parameters are given.
const PRINTED: &str = r#"
format = 1
[study]
name = "printed"
[variables]
clearance = { from = "0.1 mm", to = "0.5 mm" }
[design]
method = "file"
file = "printed.csv"
[responses]
force = "given in N"
double = "2 * force"
[surrogate]
theta = 1
exponent = 2
predict = [{ clearance = "0.2 mm" }, { clearance = "0.3 mm" }]
[optimise]
minimise = ["force"]
population = 10
generations = 3
crossover = 1
mutation = 0.5
polish = false
"#;

fn run(study: &str) -> (Scratch, Value) {
    let scratch = Scratch::new();
    scratch.write("s.study.toml", study);
    scratch.write("printed.csv", "force [kN], clearance [mm]\n1, 0.1\n4, 0.3\n3, 0.5\n");
    let answer = scratch.gudgeon(&["study", "s.study.toml", "--json"]).json();
    (scratch, answer)
}

/// Mean and variance of ordinary Kriging at x, from three values at 0, ½ and 1 and correlations exp(−(x − x_i)²), with the
/// inverse of the 3 × 3 matrix by cofactors.
fn by_hand(x: f64, y: [f64; 3]) -> (f64, f64) {
    let at = [0.0, 0.5, 1.0];
    let r = |a: f64, b: f64| (-(a - b) * (a - b)).exp();
    let k: Vec<Vec<f64>> = at.iter().map(|a| at.iter().map(|b| r(*a, *b)).collect()).collect();
    let minor = |i: usize, j: usize| {
        let (p, q) = ((i + 1) % 3, (i + 2) % 3);
        let (s, t) = ((j + 1) % 3, (j + 2) % 3);
        k[p][s] * k[q][t] - k[p][t] * k[q][s]
    };
    let det: f64 = (0..3).map(|j| k[0][j] * minor(0, j)).sum();
    let solve = |b: [f64; 3]| -> [f64; 3] {
        std::array::from_fn(|i| (0..3).map(|j| minor(j, i) / det * b[j]).sum())
    };
    let dot = |a: [f64; 3], b: [f64; 3]| -> f64 { (0..3).map(|i| a[i] * b[i]).sum() };
    let ones = [1.0; 3];
    let mu = dot(ones, solve(y)) / dot(ones, solve(ones));
    let rest = y.map(|y| y - mu);
    let variance = dot(rest, solve(rest)) / 3.0;
    let c = at.map(|a| r(x, a));
    let short = 1.0 - dot(ones, solve(c));
    let mean = mu + dot(c, solve(rest));
    (mean, variance * (1.0 - dot(c, solve(c)) + short * short / dot(ones, solve(ones))))
}

#[test]
fn printed_values_are_fitted_with_given_parameters() {
    let (scratch, answer) = run(PRINTED);
    assert_eq!(answer["status"], "ok", "{answer}");
    let samples = answer["samples"].as_array().unwrap();
    let forces: Vec<f64> =
        samples.iter().map(|one| one["responses"]["force"].as_f64().unwrap()).collect();
    assert_eq!(forces, [1e3, 4e3, 3e3]);
    assert_eq!(samples[1]["responses"]["double"], 8e3);
    let of = answer["surrogates"].as_array().unwrap();
    let force = of.iter().find(|one| one["response"] == "force").unwrap();
    assert_eq!((&force["theta"][0], &force["exponent"][0]), (&1.0.into(), &2.0.into()));
    for (at, x) in [(0, 0.25), (1, 0.5)] {
        let (mean, variance) = by_hand(x, [1e3, 4e3, 3e3]);
        let told = &force["predictions"][at];
        let near = |name: &str, wanted: f64, within: f64| {
            let found = told[name].as_f64().unwrap();
            assert!((found - wanted).abs() < within, "{name}: {found} is not {wanted}");
        };
        near("mean", mean, 1e-4);
        near("variance", variance, 1e-6 * 1e6);
        near("std", variance.max(0.0).sqrt(), 1.0);
    }
    // What was not printed cannot be simulated.
    assert!(
        answer["optimum"]["points"][0]["error"].as_str().unwrap().contains("the file of points")
    );
    let text = scratch.gudgeon(&["study", "s.study.toml", "--overwrite"]);
    let text = text.stdout() + &text.stderr();
    assert!(text.contains("at clearance 0.2 mm") && text.contains("variance"), "{text}");
}

#[test]
fn hypercubes_go_from_end_to_end() {
    for optimise in ["true", "false"] {
        let study = format!(
            r#"
format = 1
[study]
name = "ends"
[variables]
a = {{ from = 1, to = 5 }}
b = {{ from = "0.05 mm", to = "0.5 mm" }}
n = {{ from = 1, to = 10, integer = true }}
[design]
method = "lhs"
samples = 10
ends = true
optimise = {optimise}
[responses]
f = "a"
"#
        );
        let (_, answer) = run(&study);
        let column = |name: &str| {
            let samples = answer["samples"].as_array().unwrap().iter();
            let mut all: Vec<f64> =
                samples.map(|one| one["variables"][name].as_f64().unwrap()).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        // Ten levels with both ends among them, as zhang's Tables 4 and 6 have them.
        for (i, (a, b)) in column("a").into_iter().zip(column("b")).enumerate() {
            assert!((a - (1.0 + 4.0 * i as f64 / 9.0)).abs() < 1e-12, "{a}");
            assert!((b - 5e-5 * (i + 1) as f64).abs() < 1e-15, "{b}");
        }
        let whole: Vec<f64> = (1..=10).map(f64::from).collect();
        assert_eq!(column("n"), whole);
    }
}
