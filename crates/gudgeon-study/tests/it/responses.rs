//! Responses of runs made by hand, and of a real one.

use crate::mechanism::{contact, hertz, impacts, output, rpm, run_for, slider_crank};
use gudgeon::assembly::assemble;
use gudgeon::model::{JointId, Model};
use gudgeon::results::{
    ContactReport, Extreme, IMPACTS_KEPT, Impact, LedgerKind, LedgerLine, RunReport,
};
use gudgeon::sensor::resolve;
use gudgeon::simulate::{Silent, simulate};
use gudgeon_study::responses::{
    ImpactField as Field, ImpactStatistic as Of, Instants, JournalValue, Kept, LawValue, Measure,
    ResponseError, Rows, RunData, Situation, Statistic, TurnPeaks, TurnStatistic,
};

/// Joint 3 of the slider-crank.
const PIN: JointId = JointId(3);

fn model() -> Model {
    slider_crank(rpm(5000.0), 1e-4, hertz(1e-4), 0.9)
}

/// Three impacts, of which the first begins before the window and the last does not end.
fn impact_list() -> Vec<Impact> {
    let impact = |number, t, speed_in, out: Option<(f64, f64)>, spot| Impact {
        joint: PIN,
        spot,
        number,
        t,
        speed_in,
        t_out: out.map(|out| out.0),
        speed_out: out.map(|out| out.1),
        peak_force: 1000.0 * speed_in,
        peak_depth: 1e-6 * speed_in,
        loss: 0.5,
        friction_loss: 0.25,
        floored: false,
    };
    vec![
        impact(1, 0.5, 9.0, Some((0.6, -4.5)), "V"),
        impact(2, 1.25, 2.0, Some((1.5, -1.5)), "V"),
        impact(3, 1.75, 4.0, None, "W"),
    ]
}

fn contact_report(spot: &'static str, fraction: f64) -> ContactReport {
    ContactReport {
        joint: PIN,
        spot,
        name: format!("pin.{spot}"),
        impacts: 2,
        floored_impacts: 0,
        contact_fraction: fraction,
        longest_contact: 0.1,
        max_depth: 0.0,
        max_rate_ratio: 0.0,
        max_impact_speed: 0.0,
    }
}

/// A report with chosen numbers over the window 1 … 2 s.
fn report() -> RunReport {
    let start = assemble(&model()).expect("it closes");
    let mut report = simulate(&start, &run_for(1e-5, 1e-7), &mut Silent);
    let extreme = |name: &str, min, max| Extreme {
        name: name.into(),
        unit: "m/s".into(),
        min,
        t_min: 1.0,
        max,
        t_max: 2.0,
        rms: 3.5,
        mean: -0.5,
        mean_error: 0.0,
        rms_error: 0.0,
    };
    report.extremes = vec![extreme("rod.angle", 0.0, 1.0), extreme("slider.velocity.x", -7.0, 5.0)];
    report.final_values = vec![0.25, 4.5];
    report.window = (1.0, 2.0);
    report.impacts = impact_list();
    report.contacts = vec![contact_report("V", 0.3), contact_report("W", 0.6)];
    let line = |kind, name: &str, value| LedgerLine { kind, name: name.into(), value };
    report.energy.lines = vec![
        line(LedgerKind::Driver, "motor", 12.0),
        line(LedgerKind::Driver, "pump", 3.0),
        line(LedgerKind::ContactNormal, "pin", -1.5),
    ];
    report
}

/// Rows of the second output, peaks of four turns of it, and both at the start.
fn kept() -> Kept {
    let mut rows = Rows::keeping(vec![1]);
    for (t, value) in [(0.0, 50.0), (1.0, 0.0), (2.0, 10.0)] {
        rows.push(t, &[0.0, value]);
    }
    let peaks = [3.0, 9.0, 5.0, 4.0].map(|peak| vec![peak]).to_vec();
    Kept {
        start: vec![0.125, -2.0],
        rows,
        instants: Instants::default(),
        turns: Ok(TurnPeaks { outputs: vec![1], peaks }),
    }
}

fn evaluate(response: &Measure, report: &RunReport) -> Result<f64, ResponseError> {
    response.evaluate(&RunData { model: &model(), report, kept: &kept() })
}

fn turns(statistic: TurnStatistic) -> Measure {
    output(Statistic::Turns(statistic), "slider.velocity.x")
}

fn nth(of: &str, field: Field, number: usize) -> Measure {
    Measure::Nth { contact: contact(of), field, number }
}

fn first(output: &str, less: Option<&str>, above: f64) -> Measure {
    Measure::First { output: output.into(), less: less.map(str::to_owned), above }
}

fn law(joint: &str, value: LawValue) -> Measure {
    Measure::Law { joint: joint.into(), value }
}

fn journal(joint: &str, value: JournalValue) -> Measure {
    Measure::Journal { joint: joint.into(), value }
}

fn count_all(of: &str) -> Measure {
    Measure::CountAll(contact(of))
}

fn energy(kind: LedgerKind, name: Option<&str>) -> Measure {
    Measure::Energy { kind, name: name.map(str::to_owned) }
}

fn count(of: &str) -> Measure {
    Measure::ImpactCount(contact(of))
}

fn fraction(of: &str) -> Measure {
    Measure::ContactFraction(contact(of))
}

#[test]
fn values_of_a_report_made_by_hand() {
    let report = report();
    let velocity = |statistic| output(statistic, "slider.velocity.x");
    let known = [
        (velocity(Statistic::Max), 5.0),
        (velocity(Statistic::Min), -7.0),
        (velocity(Statistic::AbsMax), 7.0),
        (velocity(Statistic::Rms), 3.5),
        (velocity(Statistic::Mean), -0.5),
        (velocity(Statistic::Final), 4.5),
        (velocity(Statistic::Range), 12.0),
        (velocity(Statistic::Percentile(75.0)), 7.5),
        (impacts(Of::Sum, "pin", Field::Loss), 1.5),
        (impacts(Of::Sum, "pin", Field::FrictionLoss), 0.5),
        (impacts(Of::Max, "pin", Field::SpeedIn), 4.0),
        (impacts(Of::Min, "pin", Field::SpeedIn), 2.0),
        (impacts(Of::Mean, "pin", Field::PeakForce), 3000.0),
        (impacts(Of::Max, "pin.V", Field::PeakDepth), 2e-6),
        (impacts(Of::Max, "pin", Field::Restitution), 0.75),
        (impacts(Of::Max, "pin", Field::SpeedOut), -1.5),
        (impacts(Of::Sum, "pin", Field::Duration), 0.25),
        (velocity(Statistic::Start), -2.0),
        (turns(TurnStatistic::Median), 4.5),
        (turns(TurnStatistic::Max), 9.0),
        (turns(TurnStatistic::Min), 3.0),
        (first("slider.velocity.x", None, 20.0), 0.0),
        (impacts(Of::Min, "pin", Field::Time), 1.25),
        (nth("pin", Field::Time, 1), 0.5),
        (nth("pin", Field::SpeedIn, 3), 4.0),
        (nth("pin.V", Field::Loss, 2), 0.75),
        (nth("pin.W", Field::PeakForce, 1), 4000.0),
        (count_all("pin"), 4.0),
        (count_all("pin.W"), 2.0),
        (law("pin", LawValue::ForceAt(1e-4)), hertz(1e-4) * 1e-6),
        (count("pin"), 2.0),
        (count("pin.W"), 1.0),
        (fraction("pin.W"), 0.6),
        (energy(LedgerKind::Driver, None), 15.0),
        (energy(LedgerKind::Driver, Some("motor")), 12.0),
        (energy(LedgerKind::ContactNormal, Some("pin")), -1.5),
        (energy(LedgerKind::ContactFriction, Some("pin")), 0.0),
        (energy(LedgerKind::Spring, None), 0.0),
    ];
    for (response, expected) in known {
        let found = evaluate(&response, &report).expect("a value");
        let rounding = 1e-12 * expected.abs().max(1.0);
        assert!((found - expected).abs() < rounding, "{response:?}: {found}");
    }
}

#[test]
fn missing_data_is_told() {
    let full = report();
    let told = |response: Measure, report: &RunReport, expected: &str| {
        let error = evaluate(&response, report).expect_err(expected).to_string();
        assert_eq!(error, expected);
    };
    let loss = |statistic, of| impacts(statistic, of, Field::Loss);
    told(output(Statistic::Max, "rod.x"), &full, "`rod.x` is no output of the run");
    told(loss(Of::Sum, "nose"), &full, "the model has no joint `nose`");
    told(count("guide"), &full, "joint `guide` has no clearance and so no impacts");
    told(count("pin.X"), &full, "joint `pin` has no contact spot `X`; it has `V`, `W`");
    let several = "joint `pin` has several contact spots, name one: `V`, `W`";
    told(fraction("pin"), &full, several);
    let line = "the energy ledger has no line Spring of `coil`";
    told(energy(LedgerKind::Spring, Some("coil")), &full, line);
    let rows = "too few rows in the measuring window for a percentile of `rod.angle`";
    told(output(Statistic::Percentile(50.0), "rod.angle"), &full, rows);
    let three = "`pin.V` has no impact 3: the run had 2";
    told(nth("pin.V", Field::Time, 3), &full, three);
    let lasts = "impact 3 of `pin` has no speed_out: the contact lasts";
    told(nth("pin", Field::SpeedOut, 3), &full, lasts);
    told(nth("pin", Field::Time, 0), &full, "impacts are counted from 1");
    let never = "the magnitude of `slider.velocity.x` does not exceed 50.0";
    told(first("slider.velocity.x", None, 50.0), &full, never);
    let unknown = "`rod.angle` is no output of the run";
    told(first("slider.velocity.x", Some("rod.angle"), 50.0), &full, unknown);
    told(output(Statistic::Turns(TurnStatistic::Max), "rod.angle"), &full, unknown);
    let depth = |depth| law("pin", LawValue::ForceAt(depth));
    told(depth(0.0), &full, "an indentation is positive, not 0.0");
    told(depth(f64::NAN), &full, "an indentation is positive, not NaN");
    let guide = "joint `guide` has no clearance and so no contact law";
    told(law("guide", LawValue::EffectiveRestitution), &full, guide);
    let base = "joint `pin` has no journal with two bases";
    told(journal("pin", JournalValue::LeftBearing), &full, base);
    let percentile = "the percentile 101 is not between 0 and 100";
    told(output(Statistic::Percentile(101.0), "rod.angle"), &full, percentile);

    let mut report = report();
    report.impacts.clear();
    told(loss(Of::Max, "pin"), &report, "no impact of `pin` in the measuring window");
    assert_eq!(evaluate(&loss(Of::Sum, "pin"), &report), Ok(0.0));
    assert_eq!(evaluate(&count("pin"), &report), Ok(0.0));
    report.contacts[0].impacts = IMPACTS_KEPT;
    let many = "the run had more than 100000 impacts, not all of them are listed";
    told(count("pin"), &report, many);
    told(nth("pin", Field::Time, 1), &report, many);
    assert_eq!(evaluate(&count_all("pin"), &report), Ok(IMPACTS_KEPT as f64 + 2.0));
    report.extremes[1].max = f64::INFINITY;
    let velocity = |statistic| output(statistic, "slider.velocity.x");
    told(velocity(Statistic::Max), &report, "its value is not finite");
    report.window = (2.0, 2.0);
    let window = "the run ended before its measuring window began";
    told(velocity(Statistic::Mean), &report, window);
    told(fraction("pin.V"), &report, window);
    told(turns(TurnStatistic::Max), &report, window);
    assert_eq!(evaluate(&velocity(Statistic::Final), &report), Ok(4.5));
    assert_eq!(evaluate(&velocity(Statistic::Start), &report), Ok(-2.0));
}

#[test]
fn units_and_names_are_checked_against_the_model() {
    let model = model();
    let unit = |response: Measure| response.unit(&model);
    assert_eq!(unit(output(Statistic::Rms, "slider.acceleration.x")), Ok("m/s^2".into()));
    assert_eq!(unit(output(Statistic::Percentile(99.0), "motor.power")), Ok("W".into()));
    assert_eq!(unit(impacts(Of::Max, "pin", Field::PeakForce)), Ok("N".into()));
    assert_eq!(unit(count("pin")), Ok("".into()));
    assert_eq!(unit(fraction("pin")), Ok("".into()));
    assert_eq!(unit(energy(LedgerKind::Driver, Some("motor"))), Ok("J".into()));
    let unknown = unit(output(Statistic::Max, "slider.colour"));
    assert!(matches!(unknown, Err(ResponseError::UnknownOutput { .. })));
    assert!(matches!(unit(count("pin.V")), Err(ResponseError::UnknownSpot { .. })));
    assert!(matches!(unit(count("guide")), Err(ResponseError::NoClearance { .. })));
    assert_eq!(unit(first("slider.position.x", Some("rod.position.x"), 1.0)), Ok("s".into()));
    assert_eq!(unit(nth("pin", Field::Time, 1)), Ok("s".into()));
    assert_eq!(unit(count_all("pin")), Ok("".into()));
    assert_eq!(unit(turns(TurnStatistic::Median)), Ok("m/s".into()));
    assert_eq!(unit(law("pin", LawValue::ForceAt(1e-5))), Ok("N".into()));
    assert_eq!(unit(law("pin", LawValue::EffectiveRestitution)), Ok("".into()));
    assert_eq!(unit(nth("pin", Field::Time, 0)), Err(ResponseError::NoImpactZero));
    assert_eq!(unit(law("pin", LawValue::ForceAt(-1.0))), Err(ResponseError::NoIndentation(-1.0)));
    let share = unit(journal("pin", JournalValue::Share(Situation::Free)));
    assert!(matches!(share, Err(ResponseError::NoJournal { .. })));
    let still = Model { drivers: vec![], ..model.clone() };
    let turned = turns(TurnStatistic::Max).unit(&still);
    assert_eq!(turned, Err(ResponseError::NoTurns { drivers: 0 }));
    let line = unit(energy(LedgerKind::Driver, Some("pump")));
    assert!(matches!(line, Err(ResponseError::NoLedgerLine { .. })));
}

#[test]
fn a_real_run_answers_consistently() {
    let model = model();
    let mut spec = run_for(60.0 / 5000.0, 1e-8);
    let outputs = ["slider.acceleration.x", "pin.contact_force", "pin.contact", "motor.power"];
    spec.outputs = outputs.iter().map(|name| resolve(&model, name).expect("known")).collect();
    let start = assemble(&model).expect("it closes");
    let mut kept = Watch(Rows::keeping(vec![0, 1, 2, 3]));
    let report = simulate(&start, &spec, &mut kept);
    let kept = Kept {
        start: Vec::new(),
        rows: kept.0,
        instants: Instants::default(),
        turns: Ok(TurnPeaks::default()),
    };
    let data = RunData { model: &model, report: &report, kept: &kept };
    let value = |response: Measure| response.evaluate(&data).expect("a value");
    let force = |statistic| value(output(statistic, "pin.contact_force"));
    // Rows include the ends of all steps, but not the located extremes.
    let (top, last) = (force(Statistic::Max), force(Statistic::Percentile(100.0)));
    assert!(last <= top && last > 0.95 * top, "{last} {top}");
    let median = force(Statistic::Percentile(50.0));
    assert!(median >= 0.0 && median < force(Statistic::Percentile(99.0)));
    // In free flight for most of the time: the share in contact by two ways.
    let share = value(fraction("pin"));
    assert!(share > 0.0 && (value(output(Statistic::Mean, "pin.contact")) - share).abs() < 1e-6);
    assert_eq!(value(output(Statistic::Percentile(1.0), "pin.contact")), 0.0);
    // Losses of the impacts are the work of the contact, and the strongest one makes the peak.
    let work = value(energy(LedgerKind::ContactNormal, Some("pin")));
    assert!((value(impacts(Of::Sum, "pin", Field::Loss)) + work).abs() < 1e-9 * work.abs());
    let peak = value(impacts(Of::Max, "pin", Field::PeakForce));
    assert!((peak - top).abs() < 1e-6 * top);
    assert_eq!(value(count("pin")), report.impacts.len() as f64);
    // Work of the driver by the ledger and by the mean power; Gauss' rule per step gives the mean.
    let power = |statistic| value(output(statistic, "motor.power")) * 60.0 / 5000.0;
    let work = value(energy(LedgerKind::Driver, Some("motor")));
    assert!((work - power(Statistic::Mean)).abs() < 1e-3 * power(Statistic::Rms));
}

struct Watch(Rows);

impl gudgeon::simulate::Observer for Watch {
    fn row(&mut self, t: f64, values: &[f64], _: &[[f64; 2]]) -> std::ops::ControlFlow<()> {
        self.0.push(t, values);
        std::ops::ControlFlow::Continue(())
    }
}
