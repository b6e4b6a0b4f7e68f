//! Values of options of the command line. One mistake gives one message, which shows the option, marks
//! what is wrong in it and says what to write.

use gudgeon_model::shipped::find;
use gudgeon_model::{Loaded, Overrides, Until};

fn overrides(option: &str, value: &str) -> Overrides {
    let mut overrides = Overrides::default();
    let field = match option {
        "--until" => &mut overrides.until,
        "--measure-from" => &mut overrides.measure_from,
        "--plot-range" => &mut overrides.plot_range,
        "--every" => &mut overrides.every,
        "--time-limit" => &mut overrides.time_limit,
        "--max-steps" => &mut overrides.max_steps,
        other => panic!("no option {other}"),
    };
    *field = Some(value.into());
    overrides
}

/// Code, message, marked text, label and help of the one error that a value gets with the pendulum.
fn refused(option: &str, value: &str) -> [String; 5] {
    let failure =
        gudgeon_model::shipped::load(find("pendulum").unwrap(), &overrides(option, value))
            .unwrap_err();
    let text = failure.diagnostics.render(&failure.sources, false);
    let [error] = failure.diagnostics.sorted()[..] else { panic!("{value}: {text}") };
    assert!(text.contains(&format!(" --> {option}\n")), "{value}: {text}");
    let span = error.span.expect("a place");
    let marked = failure.sources.text(span.file)[span.range()].to_owned();
    let help = error.help.clone().unwrap_or_default();
    assert!(!help.is_empty(), "{value}: {text}");
    [error.code.into(), error.message.clone(), marked, error.label.clone(), help]
}

fn check(option: &str, cases: &[(&str, [&str; 5])]) {
    for (value, expected) in cases {
        assert_eq!(refused(option, value), expected.map(str::to_owned), "{option} {value:?}");
    }
}

const WHEN: &str = "write a time such as \"20 ms\", or revolutions such as \"3 rev\"";
const WITH_LIMIT: &str =
    "write `--until \"pivot=3 rev, at_most=10 s\"`, or a time alone such as \"10 s\"";
const OF_JOINT: &str = "write `--until \"pivot=3 rev\"`; a time stands alone, without a joint";
const LATEST: &str = "write the latest time at which the run ends, such as \"10 s\"";
const CPU_TIME: &str = "write a CPU time such as \"10 s\"";
const STEPS: &str = "write a number of steps without a unit, such as 1000000 or 1e6";
const FINITE: &str = "write a number with its unit, such as \"20 ms\"";

#[test]
fn ends_of_runs() {
    let late = "`until` must be later than the start";
    let negative = "`until` cannot be negative";
    let nothing = "nothing to run";
    check(
        "--until",
        &[
            ("0", ["G0901", late, "0", nothing, WHEN]),
            ("pivot=0", ["G0901", late, "0", nothing, WHEN]),
            ("-1 s", ["G0901", negative, "-1 s", "negative", WHEN]),
            ("nan", ["G0203", "`until` is not a finite number", "nan", "this is NaN", FINITE]),
            ("inf", ["G0203", "`until` is not a finite number", "inf", "this is inf", FINITE]),
            (
                "3 mm",
                [
                    "G0901",
                    "`until` must be a time or an angle",
                    "3 mm",
                    "this is a length (m)",
                    WHEN,
                ],
            ),
            ("", ["G0201", "expected a quantity, found an empty text", "", "", FINITE]),
            (
                "pivot",
                [
                    "G0901",
                    "`until` does not say how far `pivot` turns",
                    "pivot",
                    "a joint",
                    "write `--until \"pivot=3 rev\"`",
                ],
            ),
            (
                "pivot=3 s",
                ["G0901", "`until` must be an angle", "3 s", "this is a time (s)", OF_JOINT],
            ),
            (
                "pivot=3",
                ["G0901", "`until` must be an angle", "3", "this is a plain number", OF_JOINT],
            ),
            (
                "pivot=-3 rev",
                [
                    "G0901",
                    negative,
                    "-3 rev",
                    "negative",
                    "write `--until \"pivot=3 rev\"`: it turns so far in either sense",
                ],
            ),
            (
                "pivot=0,5 rev",
                [
                    "G0201",
                    "expected one quantity, found `,`",
                    ",",
                    "",
                    "write `.` as the decimal sign",
                ],
            ),
        ],
    );
}

#[test]
fn latest_ends() {
    let late = "`at_most` must be later than the start";
    let unnamed = "a part of `until` has no name";
    let alone = "`at_most` stands beside the turning of a joint";
    let twice = "`at_most` is given twice";
    let unit = "use a unit such as `s` or `ms`";
    check(
        "--until",
        &[
            ("pivot=3 rev, at_most=-1 s", ["G0901", late, "-1 s", "negative", LATEST]),
            ("pivot=3 rev, at_most=0", ["G0901", late, "0", "nothing to run", LATEST]),
            (
                "pivot=3 rev, at_most=10 mm",
                ["G0201", "expected a time (s), found a length (m)", "10 mm", "", unit],
            ),
            (
                "pivot=3 rev, at_mots=10 s",
                [
                    "G0901",
                    "`until` does not know `at_mots`",
                    "at_mots",
                    "not known",
                    "did you mean `at_most`?",
                ],
            ),
            (
                "pivot=3 rev, atmost=10 s",
                [
                    "G0901",
                    "`until` does not know `atmost`",
                    "atmost",
                    "not known",
                    "did you mean `at_most`?",
                ],
            ),
            ("pivot=3 rev, 10 s", ["G0901", unnamed, "10 s", "write NAME=VALUE", WITH_LIMIT]),
            ("pivot=3 rev, at_most", ["G0901", unnamed, "at_most", "write NAME=VALUE", WITH_LIMIT]),
            ("at_most=10 s", ["G0901", alone, "at_most", "no joint given", WITH_LIMIT]),
            ("20 ms, at_most=10 s", ["G0901", alone, "20 ms", "no joint given", WITH_LIMIT]),
            (
                "pivot=3 rev, at_most=9 s, at_most=5 s",
                ["G0901", twice, "at_most", "again", WITH_LIMIT],
            ),
            (
                "pivot=3 rev, pivot=4 rev",
                ["G0901", "`until` takes one joint", "pivot", "a second one", WITH_LIMIT],
            ),
            (
                "pvot=3 rev, at_most=10 s",
                ["G0112", "there is no joint `pvot`", "pvot", "not known", "did you mean `pivot`?"],
            ),
        ],
    );
}

#[test]
fn windows_and_ranges() {
    let belongs = "the latest end of a run belongs to `until`";
    let ends = "write `[\"2 rev\", \"3 rev\"]` or \"all\" in the file, `--plot-range \"2 rev .. 3 rev\"` or `--plot-range all`";
    check(
        "--measure-from",
        &[
            (
                "pivot=1 rev, at_most=2 s",
                ["G0901", "`measure_from` takes no `at_most`", "at_most", "not known", belongs],
            ),
            (
                "nan",
                ["G0203", "`measure_from` is not a finite number", "nan", "this is NaN", FINITE],
            ),
            (
                "3 rev",
                [
                    "G0902",
                    "`measure_from` counts revolutions, but of which joint?",
                    "3 rev",
                    "no rotation is driven",
                    "name the joint, `--measure-from \"pivot=3 rev\"`, or give a time such as \"20 ms\"",
                ],
            ),
            (
                "5 s",
                [
                    "G0905",
                    "`measure_from` must come before `until`",
                    "5 s",
                    "nothing left to measure",
                    "measure from earlier on, or run longer",
                ],
            ),
        ],
    );
    let both = "`plot_range` takes a start and an end";
    check(
        "--plot-range",
        &[
            ("1 s ..", ["G0911", both, "1 s ..", "not both of them", ends]),
            ("0..1..2", ["G0911", both, "0..1..2", "not both of them", ends]),
            ("al", ["G0911", both, "al", "not both of them", "did you mean `all`?"]),
            (
                "2 s .. 1 s",
                [
                    "G0911",
                    "`plot_range` must end after its start",
                    "1 s",
                    "its end",
                    "give the earlier instant first",
                ],
            ),
        ],
    );
}

#[test]
fn limits() {
    let positive = "`time_limit` must be positive";
    let seconds = "write a number with its unit, such as \"1 s\"";
    check(
        "--time-limit",
        &[
            ("0 s", ["G0904", positive, "0 s", "zero", CPU_TIME]),
            ("0", ["G0904", positive, "0", "zero", CPU_TIME]),
            ("-1", ["G0904", positive, "-1", "negative", CPU_TIME]),
            (
                "5 mm",
                [
                    "G0201",
                    "expected a time (s), found a length (m)",
                    "5 mm",
                    "",
                    "use a unit such as `s` or `ms`",
                ],
            ),
            (
                "nan",
                ["G0203", "`time_limit` is not a finite number", "nan", "this is NaN", seconds],
            ),
            ("NaN s", ["G0201", "expected a number, found `NaN`", "NaN", "", seconds]),
            (
                "1e400 s",
                ["G0201", "this number is too large", "1e400", "", "numbers go up to about 1e308"],
            ),
        ],
    );
    let whole = "`max_steps` must be a whole number from 1 to 1e18";
    for value in ["0", "-1", "1.5", "nan", "", "1e30", "10 steps"] {
        let expected = ["G0904", whole, value, "no such number", STEPS];
        check("--max-steps", &[(value, expected)]);
    }
    let every = "write a time such as \"10 us\", or \"steps\"";
    check(
        "--every",
        &[
            ("0", ["G0904", "`every` must be positive", "0", "zero", every]),
            ("-1 s", ["G0904", "`every` must be positive", "-1 s", "negative", every]),
        ],
    );
}

fn taken(option: &str, value: &str) -> Loaded {
    gudgeon_model::shipped::load(find("pendulum").unwrap(), &overrides(option, value))
        .unwrap_or_else(|failure| {
            panic!("{value}: {}", failure.diagnostics.render(&failure.sources, false))
        })
}

#[test]
fn values_are_taken_as_they_are_meant() {
    for value in ["10 s", "10", "\"10 s\"", " 10 s ", "= 2*5 s", "10000 ms"] {
        assert_eq!(taken("--time-limit", value).run.limits.cpu, Some(10.0), "{value}");
    }
    assert_eq!(taken("--time-limit", "1e300").run.limits.cpu, Some(1e300));
    for value in ["1000000", "1e6"] {
        assert_eq!(taken("--max-steps", value).run.limits.steps, Some(1_000_000), "{value}");
    }
    for value in [
        "pivot=2 rad, at_most=9 s",
        " at_most = 9 , pivot = 2 rad",
        "pivot==max(1 rad, 2 rad), at_most==9 s",
    ] {
        let run = taken("--until", value).run;
        assert!(matches!(run.until, Until::JointAngle { angle: 2.0, .. }), "{value}: {run:?}");
        assert_eq!(run.at_most, Some(9.0), "{value}");
    }
    assert_eq!(taken("--until", "= max(1 s, 2 s)").run.until, Until::Time(2.0));
}
