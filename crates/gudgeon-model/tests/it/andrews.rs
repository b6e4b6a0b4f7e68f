//! Andrews' squeezer from its file against the reference solution of the IVP test set.

use gudgeon::assembly::assemble;
use gudgeon::results::Status;
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon_model::{Overrides, shipped};

/// β, Θ, γ, Φ, δ, Ω, ε at t = 0.03 s and their rates (Mazzia and Magherini, IVP test set II-8).
const ANGLES: [f64; 7] = [
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
];
const RATES: [f64; 7] = [
    1139.920302151208,
    -1424.379294994111,
    11.03291221937134,
    19.29337464421385,
    0.5735699284790808,
    -19.29337464421385,
    0.3231791658026955,
];

/// The relative angles of the test set from the absolute ones of the bodies k1 … k7.
fn relative(k: &[f64]) -> [f64; 7] {
    [k[0], k[1] - k[0], k[2], k[3] - k[4], k[4], k[5] - k[6], k[6]]
}

#[test]
fn the_squeezer_meets_the_reference_at_thirty_milliseconds() {
    let overrides = Overrides { rtol: Some(1e-13), ..Overrides::default() };
    let loaded = shipped::load(shipped::find("andrews_squeezer").unwrap(), &overrides).unwrap();
    let start = assemble(&loaded.model).unwrap();
    assert_eq!(start.report.mobility, 1);
    let mut spec = loaded.run.clone();
    let names = (1..=7).map(|i| format!("k{i}.angle"));
    let rates = (1..=7).map(|i| format!("k{i}.angular_velocity"));
    spec.outputs = names.chain(rates).map(|n| resolve(&loaded.model, &n).unwrap()).collect();
    let report = simulate(&start, &spec, &mut Silent);
    assert_eq!(report.status, Status::Done);
    assert_eq!(report.final_time, 0.03);
    let (angles, rates) = report.final_values.split_at(7);
    for (name, found, exact) in
        [("angle", relative(angles), ANGLES), ("rate", relative(rates), RATES)]
    {
        for i in 0..7 {
            let error = ((found[i] - exact[i]) / exact[i]).abs();
            println!("{name} {i}: {error:.1e}");
            // The rates near zero carry the error of the fast ones: their own size is no measure.
            let limit = if name == "angle" { 1e-8 } else { 1e-6 };
            assert!(error < limit, "{name} {i}: {} is not {}", found[i], exact[i]);
        }
    }
}

/// The first accelerations of the reference: β̈ and Θ̈ at rest under the drive torque and the spring.
#[test]
fn the_squeezer_starts_with_the_published_accelerations() {
    let loaded =
        shipped::load(shipped::find("andrews_squeezer").unwrap(), &Overrides::default()).unwrap();
    let start = assemble(&loaded.model).unwrap();
    let mut plant = gudgeon::system::Plant::new(&start.system);
    plant.evaluate(0.0, &start.state()).unwrap();
    let a = |body: usize| plant.work.accelerations[3 * body + 2];
    let (beta, theta) = (a(0), a(1) - a(0));
    assert!((beta / 14222.4439199541 - 1.0).abs() < 1e-9, "{beta}");
    assert!((theta / -10666.8329399656 - 1.0).abs() < 1e-9, "{theta}");
}
