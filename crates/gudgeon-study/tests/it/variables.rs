//! Design variables: maps between the unit cube and physical values, and refusals.

use gudgeon::random::Random;
use gudgeon_study::design::variables::{Range, RangeError, Ranges};

fn continuous() -> Vec<Range> {
    vec![
        Range::linear(0.1, 0.3).unwrap(),
        Range::linear(-1e9, 1e-3).unwrap(),
        Range::log(3.3e8, 3.3e11).unwrap(),
        Range::log(1e-300, 1e300).unwrap(),
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
            assert!((v.unit(v.value(u)) - u).abs() < 1e-13, "{v:?} at {u}");
            // Neighbouring coordinates never swap their values.
            assert!(v.value(u) <= v.value(u.next_up()), "{v:?} at {u}");
        }
    }
}

#[test]
fn a_log_range_has_its_geometric_mean_in_the_middle() {
    let v = Range::log(1e8, 1e12).unwrap();
    assert!((v.value(0.5) / 1e10 - 1.0).abs() < 1e-14);
}

#[test]
fn integers_and_choices_have_equal_shares_and_return_exactly() {
    let teeth = Range::integer(-2.0, 4.0).unwrap();
    let steel = Range::words(&["steel", "bronze", "nylon"]).unwrap();
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
}

#[test]
fn factorial_levels_take_no_value_twice() {
    let teeth = Range::integer(1.0, 3.0).unwrap();
    let values: Vec<f64> = teeth.levels(10).iter().map(|&u| teeth.value(u)).collect();
    assert_eq!(values, [1.0, 2.0, 3.0]);
    let ends: Vec<f64> = teeth.levels(2).iter().map(|&u| teeth.value(u)).collect();
    assert_eq!(ends, [1.0, 3.0]);
    assert_eq!(Range::linear(0.0, 1.0).unwrap().levels(3), [0.0, 0.5, 1.0]);
}

#[test]
fn wrong_ranges_are_typed_errors_with_clear_messages() {
    let cases: [(Result<Range, RangeError>, &str); 8] = [
        (Range::linear(2.0, 1.0), "the range is inverted, 2 is above 1"),
        (Range::linear(2.0, 2.0), "the range is empty, it begins and ends at 2"),
        (Range::linear(f64::NAN, 2.0), "bounds must be finite numbers"),
        (Range::log(0.0, 1.0), "a logarithmic range needs positive bounds, not 0"),
        (Range::log(-1.0, 1.0), "a logarithmic range needs positive bounds, not -1"),
        (Range::integer(0.5, 2.0), "an integer range needs whole bounds below 2⁵³, not 0.5"),
        (Range::words(&["one"]), "a choice needs at least two values"),
        (Range::words(&["one", "one"]), "the choice `one` stands twice"),
    ];
    for (result, message) in cases {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
    assert_eq!(Ranges::new(vec![]), Err(RangeError::None));
}
