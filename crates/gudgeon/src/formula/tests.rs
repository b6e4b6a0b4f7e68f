use super::*;

/// Every kind of step and site over three inputs.
fn all_steps() -> Formula {
    let mut f = Formula::default();
    let [x, y, z] = [0, 1, 2].map(|i| f.push(Step::Input(i)));
    let sum = f.push(Step::Add(x, y));
    let shifted = f.push(Step::Shift(2.5, sum));
    let product = f.push(Step::Multiply(shifted, z));
    let ratio = f.push(Step::Divide(product, shifted));
    let square = f.push(Step::Power(ratio, 2.0));
    let root = f.push(Step::Power(shifted, 1.5));
    let power = f.push(Step::PowerOf(shifted, z));
    let wave = f.push(Step::Smooth(Smooth::Tanh, square));
    let angle = f.push(Step::Atan2(x, shifted));
    let angle = f.push(Step::Hypot(angle, z));
    let sign = f.push_site(Site::Sign(x));
    let minus = f.push(Step::Scale(-1.0, x));
    let magnitude = f.push(Step::Choose(sign, x, minus));
    let whole_site = f.push_site(Site::Whole(y));
    let whole = f.push(Step::Whole(whole_site));
    let rest = f.push(Step::Scale(-1.0, whole));
    let rest = f.push(Step::Add(y, rest));
    let curve = Curve::new(
        Interpolation::Spline,
        Outside::Periodic,
        &[0.0, 0.3, 0.7, 1.0],
        &[1.0, 3.0, -2.0, 1.0],
    );
    let curve = f.push_curve(curve, y);
    let grid = [0.0, 1.0, 2.0, 3.0];
    let heights: Vec<f64> = (0..16).map(|i| f64::from(i * i % 7)).collect();
    let surface = Surface::new(Interpolation::Spline, Outside::Held, [&grid, &grid], &heights);
    let surface = f.push_surface(surface, [magnitude, z]);
    let parts = [root, power, wave, angle, magnitude, rest, curve, surface];
    let total = parts.into_iter().fold(square, |sum, part| f.push(Step::Add(sum, part)));
    assert_eq!(f.push(Step::Scale(0.5, total)) as usize, f.steps.len() - 1);
    f
}

#[test]
fn gradients_match_central_differences() {
    let f = all_steps();
    for inputs in [[0.4, 0.5, 1.3], [-0.7, 2.1, 0.6], [1.8, -1.4, 2.2]] {
        let mut pieces = vec![0; f.sites()];
        f.find_pieces(&inputs, &mut pieces);
        let mut gradient = [0.0; 3];
        let value = f.gradient(&inputs, &pieces, &mut gradient);
        assert_eq!(value, f.value(&inputs, &pieces));
        for i in 0..3 {
            let h = 1e-6;
            let at = |by: f64| {
                let mut moved = inputs;
                moved[i] += by;
                f.value(&moved, &pieces)
            };
            let difference = (at(h) - at(-h)) / (2.0 * h);
            assert!((gradient[i] - difference).abs() < 1e-8, "{i}: {} {difference}", gradient[i]);
        }
    }
}

#[test]
fn switches_are_positive_where_the_piece_holds_and_fall_at_its_ends() {
    let f = all_steps();
    let inputs = [0.4, 0.5, 1.3];
    let mut pieces = vec![0; f.sites()];
    f.find_pieces(&inputs, &mut pieces);
    let mut switches = vec![0.0; 2 * f.sites()];
    f.switches(&inputs, &pieces, &mut switches);
    assert!(switches.iter().all(|s| *s > 0.0), "{switches:?}");
    // The sign of x, the whole of y and the cell of y fall.
    f.switches(&[-0.1, 1.1, 1.3], &pieces, &mut switches);
    assert!(switches[0] < 0.0 && switches[3] < 0.0 && switches[5] < 0.0, "{switches:?}");
    for (site, piece) in pieces.clone().into_iter().enumerate() {
        let lower = f.next_piece(site, piece, false);
        let upper = f.next_piece(site, lower, true);
        assert_eq!(upper, piece);
    }
}

#[test]
fn a_branch_that_is_not_taken_may_be_undefined() {
    // if(x >= 0, sqrt(x), 0 x)
    let mut f = Formula::default();
    let x = f.push(Step::Input(0));
    let site = f.push_site(Site::Sign(x));
    let root = f.push(Step::Smooth(Smooth::Sqrt, x));
    let none = f.push(Step::Scale(0.0, x));
    f.push(Step::Choose(site, root, none));
    let mut gradient = [7.0];
    assert_eq!(f.gradient(&[-2.0], &[0], &mut gradient), 0.0);
    assert_eq!(gradient, [0.0]);
    assert_eq!(f.value(&[4.0], &[1]), 2.0);
}

/// Without memory a formula takes the pieces of its inputs, as found one by one.
#[test]
fn the_value_of_an_instant_is_that_on_its_pieces() {
    let f = all_steps();
    for inputs in [[0.4, 0.5, 1.3], [-0.7, 2.1, 0.6], [1.8, -1.4, 2.2], [0.0, 3.0, 0.0]] {
        let mut pieces = vec![0; f.sites()];
        f.find_pieces(&inputs, &mut pieces);
        assert_eq!(f.value_now(&inputs).to_bits(), f.value(&inputs, &pieces).to_bits());
    }
    assert!(f.value_now(&[f64::NAN, 0.0, 1.0]).is_nan());
}

/// A formula whose inputs are formulas, in other places and with pieces of their own.
#[test]
fn formulas_of_formulas() {
    let f = all_steps();
    let mut whole = Formula::default();
    let [a, b] = [0, 1].map(|i| whole.push(Step::Input(i)));
    let twice = whole.push(Step::Scale(2.0, a));
    let inner = whole.append(&f, &[twice, b, a]);
    let part = whole.push(Step::Scale(0.1, inner));
    let outer = whole.append(&f, &[a, part, b]);
    whole.push(Step::Scale(1.0, outer));
    for [a, b] in [[0.4, 1.3], [0.7, 0.6], [-0.2, 2.0]] {
        let part = 0.1 * f.value_now(&[2.0 * a, b, a]);
        assert_eq!(whole.value_now(&[a, b]).to_bits(), f.value_now(&[a, part, b]).to_bits());
    }
}

#[test]
fn what_leaves_a_table_or_looks_at_nothing_has_no_value() {
    let mut f = Formula::default();
    let x = f.push(Step::Input(0));
    let curve = Curve::new(Interpolation::Linear, Outside::Refused, &[0.0, 1.0], &[2.0, 3.0]);
    f.push_curve(curve, x);
    assert_eq!(f.value_now(&[0.5]), 2.5);
    assert!(f.value_now(&[1.5]).is_nan() && f.value_now(&[f64::NAN]).is_nan());
    let mut f = Formula::default();
    let x = f.push(Step::Input(0));
    let one = f.push(Step::Constant(1.0));
    let site = f.push_site(Site::Sign(x));
    f.push(Step::Choose(site, one, one));
    assert!(f.value_now(&[f64::NAN]).is_nan());
    assert_eq!(f.value_now(&[-1.0]), 1.0);
}
