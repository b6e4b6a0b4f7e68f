//! Design variables: maps between the unit cube and physical values, and refusals.

use gudgeon::random::Random;
use gudgeon_study::design::variables::{Variable, VariableError, Variables};

fn continuous() -> Vec<Variable> {
    vec![
        Variable::linear("a", 0.1, 0.3).unwrap(),
        Variable::linear("b", -1e9, 1e-3).unwrap(),
        Variable::log("c", 3.3e8, 3.3e11).unwrap(),
        Variable::log("d", 1e-300, 1e300).unwrap(),
    ]
}

#[test]
fn ends_are_met_exactly_and_never_passed() {
    for (v, (low, high)) in
        continuous().iter().zip([(0.1, 0.3), (-1e9, 1e-3), (3.3e8, 3.3e11), (1e-300, 1e300)])
    {
        assert_eq!((v.value(0.0), v.value(1.0)), (low, high));
        assert_eq!((v.value(-0.5), v.value(1.5)), (low, high));
        assert_eq!((v.unit(low), v.unit(high)), (0.0, 1.0));
        let mut random = Random::new(1);
        assert!((0..10_000).all(|_| (low..=high).contains(&v.value(random.unit()))));
    }
}

#[test]
fn maps_rise_and_return() {
    for v in continuous() {
        let mut random = Random::new(2);
        for _ in 0..10_000 {
            let u = random.unit();
            assert!((v.unit(v.value(u)) - u).abs() < 1e-13, "{} at {u}", v.name());
            // Neighbouring coordinates never swap their values.
            assert!(v.value(u) <= v.value(u.next_up()), "{} at {u}", v.name());
        }
    }
}

#[test]
fn a_log_range_has_its_geometric_mean_in_the_middle() {
    let v = Variable::log("k", 1e8, 1e12).unwrap();
    assert!((v.value(0.5) / 1e10 - 1.0).abs() < 1e-14);
}

#[test]
fn integers_and_choices_have_equal_shares_and_return_exactly() {
    let teeth = Variable::integer("teeth", -2.0, 4.0).unwrap();
    let steel = Variable::choice("material", &["steel", "bronze", "nylon"]).unwrap();
    for (v, first, n) in [(&teeth, -2.0, 7), (&steel, 0.0, 3)] {
        let mut counts = vec![0; n];
        for i in 0..n * 1000 {
            let u = (i as f64 + 0.5) / (n * 1000) as f64;
            let x = v.value(u);
            counts[(x - first) as usize] += 1;
            assert_eq!(v.value(v.unit(x)), x);
            assert_eq!(v.value(v.snap(u)), x);
            assert_eq!(v.snap(v.snap(u)), v.snap(u));
        }
        assert_eq!(counts, vec![1000; n]);
        assert_eq!(v.value(1.0), first + n as f64 - 1.0);
    }
    assert_eq!(steel.choice_name(1.0), Some("bronze"));
    assert_eq!(teeth.choice_name(1.0), None);
}

#[test]
fn factorial_levels_take_no_value_twice() {
    let teeth = Variable::integer("teeth", 1.0, 3.0).unwrap();
    let values: Vec<f64> = teeth.levels(10).iter().map(|&u| teeth.value(u)).collect();
    assert_eq!(values, [1.0, 2.0, 3.0]);
    let ends: Vec<f64> = teeth.levels(2).iter().map(|&u| teeth.value(u)).collect();
    assert_eq!(ends, [1.0, 3.0]);
    assert_eq!(Variable::linear("x", 0.0, 1.0).unwrap().levels(3), [0.0, 0.5, 1.0]);
}

#[test]
fn wrong_ranges_are_typed_errors_with_clear_messages() {
    let cases: [(Result<Variable, VariableError>, &str); 8] = [
        (Variable::linear("c", 2.0, 1.0), "`c`: the range is inverted, 2 is above 1"),
        (Variable::linear("c", 2.0, 2.0), "`c`: the range is empty, it begins and ends at 2"),
        (Variable::linear("c", f64::NAN, 2.0), "`c`: bounds must be finite numbers"),
        (Variable::log("c", 0.0, 1.0), "`c`: a logarithmic range needs positive bounds, not 0"),
        (Variable::log("c", -1.0, 1.0), "`c`: a logarithmic range needs positive bounds, not -1"),
        (
            Variable::integer("c", 0.5, 2.0),
            "`c`: an integer range needs whole bounds below 2⁵³, not 0.5",
        ),
        (Variable::choice("c", &["one"]), "`c`: a choice needs at least two names"),
        (Variable::choice("c", &["one", "one"]), "`c`: the choice `one` stands twice"),
    ];
    for (result, message) in cases {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
    let x = Variable::linear("x", 0.0, 1.0).unwrap();
    let twice = Variables::new(vec![x.clone(), x]).unwrap_err();
    assert_eq!(twice.to_string(), "there are two variables `x`");
    assert_eq!(Variables::new(vec![]), Err(VariableError::None));
}
