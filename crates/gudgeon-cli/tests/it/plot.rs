//! `gudgeon plot`: pictures of results that are there already.

use crate::common::{Finished, Scratch};

const OUTPUTS: &str =
    "run.outputs=[\"pin.contact_force\",\"motor.torque\",\"motor.power\",\"crank.angle\"]";

/// A result of half a revolution, and another of a wider clearance.
fn results() -> Scratch {
    let scratch = Scratch::with_model();
    for (name, clearance) in [("a", "0.1 mm"), ("b", "0.2 mm")] {
        let (out, clearance) = (format!("results/{name}"), format!("clearance={clearance}"));
        let flags = ["run", "model.toml", "--set", OUTPUTS, "--set", &clearance];
        let times =
            ["--until", "0.5 rev", "--measure-from", "5 ms", "--no-baseline", "--out", &out];
        scratch.gudgeon(&[&flags[..], &times].concat()).exits(0);
    }
    scratch
}

fn plot(scratch: &Scratch, flags: &[&str]) -> Finished {
    scratch.gudgeon(&[&["plot"][..], flags].concat())
}

/// The numbers of all points of the lines of a picture that have a colour.
fn points(svg: &str) -> usize {
    let lines = svg.lines().filter(|line| line.contains("<path") && line.contains("fill=\"none\""));
    lines.map(|line| line.matches(['L', 'l', 'h', 'v', 'M']).count()).sum()
}

#[test]
fn outputs_over_time_angle_and_one_another() {
    let scratch = results();
    let svg = plot(&scratch, &["results/a", "--output", "pin.contact_force"]).exits(0).stdout();
    assert!(svg.starts_with("<svg") && svg.contains("measuring window, 5 ms"));
    let record = scratch.json("results/a/run.json");
    let peak = record["extremes"]["pin.contact_force"]["abs_max"].as_f64().unwrap();
    assert!(svg.contains(&format!("peak {peak:.1} N")), "{peak}");
    assert!(points(&svg) > 100);

    let json = |flags: &[&str]| {
        plot(&scratch, &[flags, &["--svg", "p.svg", "--json"]].concat()).exits(0).json()
    };
    let all = json(&["results/a", "results/b", "--range", "all"]);
    assert_eq!(all["outputs"].as_array().unwrap().len(), 4);
    assert_eq!((&all["results"][1]["label"], &all["from"]), (&"b".into(), &0.0.into()));
    let rows = all["results"][0]["rows"].as_u64().unwrap();
    assert_eq!(record["solver"]["rows"].as_u64(), Some(rows));
    let part = json(&["results/a", "--range", "5 ms .. 10 ms", "--output", "motor.*"]);
    let (from, to) = (part["from"].as_f64().unwrap(), part["to"].as_f64().unwrap());
    assert!((5e-3..5.1e-3).contains(&from) && (9.9e-3..10.0e-3 + 1e-9).contains(&to), "{part}");
    assert_eq!(part["outputs"], serde_json::json!(["motor.torque", "motor.power"]));

    let folded = json(&["results/a", "--over", "crank", "--fold", "--output", "motor.torque"]);
    assert_eq!(folded["over"], "crank.angle");
    let picture = String::from_utf8(scratch.read("p.svg")).unwrap();
    assert!(picture.contains("crank.angle [deg]") && picture.contains(">360<"));
    plot(&scratch, &["results/a", "--over", "motor.torque", "--output", "motor.power"]).exits(0);
    let both =
        ["results/a", "results/b", "--output", "motor.torque", "--together", "--title", "<b>&"];
    let svg = plot(&scratch, &both).exits(0).stdout();
    assert!(svg.contains("motor.torque, b") && svg.contains("&lt;b&gt;&amp;"));
}

#[test]
fn the_same_picture_without_the_parquet_table_but_for_words() {
    let scratch = results();
    let flags = ["results/a", "--output", "motor.torque", "--range", "all"];
    let lines = |svg: String| svg.lines().filter(|line| line.contains("<path")).count();
    let whole = plot(&scratch, &flags).exits(0).stdout();
    std::fs::remove_file(scratch.path.join("results/a/series.parquet")).unwrap();
    let from_text = plot(&scratch, &flags).exits(0).stdout();
    let path = |svg: &str| {
        svg.lines().filter(|l| l.contains("<path")).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(path(&whole), path(&from_text));
    assert!(lines(whole) > 0);
}

#[test]
fn measured_values_are_laid_over() {
    let scratch = results();
    scratch.write(
        "m.csv",
        "t [ms], pin.contact_force [kN], motor.power [W]\n6, 0.5, 1\n7, 0.75, 2\n100, 1, 3\n",
    );
    let flags = ["results/a", "--output", "pin.contact_force", "--overlay", "m.csv"];
    let svg = plot(&scratch, &flags).exits(0).stdout();
    // Two rings within the part, and one in the legend.
    assert!(svg.contains("m.csv") && svg.matches("<circle").count() == 3);
    for (text, message) in [
        ("t [ms], pin.contct_force [N]\n6, 1\n", "did you mean `pin.contact_force`?"),
        ("t [ms], pin.contact_force [m]\n6, 1\n", "`pin.contact_force` is a length"),
        ("time [ms], pin.contact_force [N]\n6, 1\n", "the first column is `time`"),
        ("t [mm], pin.contact_force [N]\n6, 1\n", "`t` is a length"),
        ("t [ms], motor.power [W]\n6, 1\n", "no column of an output that is drawn"),
    ] {
        scratch.write("m.csv", text);
        let told = plot(&scratch, &flags).exits(2).stderr();
        assert!(told.contains("G1605") && told.contains(message), "{message}: {told}");
    }
    scratch.write("m.csv", "t [ms], pin.contact_force [N]\n6, x\n");
    assert!(plot(&scratch, &flags).exits(2).stderr().contains("G0209"));
    let absent = ["results/a", "--overlay", "absent.csv"];
    assert!(plot(&scratch, &absent).exits(2).stderr().contains("G0206"));
}

#[test]
fn what_cannot_be_drawn_is_refused_with_a_way_out() {
    let scratch = results();
    let refused = |flags: &[&str], code: &str, part: &str| {
        let text = plot(&scratch, flags).exits(2).stderr();
        assert!(
            text.contains(code) && text.contains(part) && text.contains("help"),
            "{part}: {text}"
        );
    };
    refused(&["results/c"], "G1601", "there is no folder `results/c`");
    refused(&["model.toml"], "G1601", "no folder");
    refused(&["results"], "G1601", "no result of a run");
    refused(&["results/a", "--output", "pin.contct_force"], "G1602", "did you mean");
    refused(&["results/a", "--output", "x.*"], "G1602", "no output fits");
    refused(&["results/a", "--over", "rod"], "G1602", "rod.angle");
    refused(&["results/a", "--range", "5 ms"], "G1603", "a start and an end");
    refused(&["results/a", "--range", "5 ms .. 6 mm"], "G1603", "6 mm");
    refused(&["results/a", "--range", "6 ms .. 5 ms"], "G1603", "must end after");
    refused(&["results/a", "--range", "6 s .. 7 s"], "G1603", "holds no rows");
    refused(&["results/a", "--fold"], "G1604", "--over");
    refused(&["results/a", "--together"], "G1604", "no common axis");
    let json = plot(&scratch, &["results/c", "--svg", "p.svg", "--json"]).exits(2).json();
    assert_eq!((&json["status"], &json["errors"][0]["code"]), (&"invalid".into(), &"G1601".into()));
    assert!(!scratch.entries().contains(&"p.svg".to_owned()));
}

#[test]
fn damaged_and_newer_results_are_refused() {
    let scratch = results();
    let table = scratch.read("results/a/series.parquet");
    scratch.write("results/a/series.parquet", &table[..table.len() / 2]);
    let text = plot(&scratch, &["results/a"]).exits(2).stderr();
    assert!(text.contains("G1601") && text.contains("damaged"), "{text}");
    let record = String::from_utf8(scratch.read("results/b/run.json")).unwrap();
    scratch.write("results/b/run.json", record.replacen("\"format\": 1", "\"format\": 9", 1));
    let text = plot(&scratch, &["results/b"]).exits(2).stderr();
    assert!(text.contains("newer version"), "{text}");
    scratch.write("results/b/run.json", &record.as_bytes()[..record.len() / 2]);
    assert!(plot(&scratch, &["results/b"]).exits(2).stderr().contains("no result of a run"));
    // A picture that cannot be written leaves nothing.
    scratch.write("results/b/run.json", record);
    let text = plot(&scratch, &["results/b", "--svg", "absent/p.svg"]).exits(1).stderr();
    assert!(text.contains("absent/p.svg") && text.contains("help"), "{text}");
}
