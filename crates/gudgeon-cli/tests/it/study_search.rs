//! What `gudgeon study` finds, what it may cost, and what it keeps of it.

use crate::common::Scratch;
use serde_json::Value;

/// Two variables without a model.
const HEAD: &str = r#"
format = 1
[study]
[variables]
x = { from = -2, to = 2 }
y = { from = -1, to = 1 }
[design]
method = "lhs"
samples = 12
[responses]
hump = "(4 - 2.1 * x^2 + x^4 / 3) * x^2"
camel = "hump + x * y + (4 * y^2 - 4) * y^2"
far = "(x - 1)^2 + (y - 1)^2 + 0.3 * sin(9 * x)"
"#;

fn scratch(text: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("s.study.toml", text);
    scratch
}

fn run(scratch: &Scratch, flags: &[&str]) -> crate::common::Finished {
    scratch.gudgeon(&[&["study", "s.study.toml", "--out", "out"], flags].concat()).exits(0)
}

fn read(scratch: &Scratch, file: &str) -> String {
    String::from_utf8(scratch.read(&format!("out/{file}"))).unwrap()
}

fn points(record: &Value) -> &Vec<Value> {
    record["optimum"]["points"].as_array().unwrap()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

/// Whether the first point is no worse in both objectives and better in one.
fn dominates(a: &Value, b: &Value) -> bool {
    let of = |point: &Value| ["camel", "far"].map(|name| number(&point["simulated"][name]));
    let (a, b) = (of(a), of(b));
    a != b && a[0] <= b[0] && a[1] <= b[1]
}

#[test]
fn a_front_of_a_surrogate_is_judged_by_simulation() {
    let search = "[surrogate]\n[optimise]\nminimise = [\"camel\", \"far\"]\nevaluations = 4000\n";
    let scratch = scratch(&format!("{HEAD}{search}"));
    let text = run(&scratch, &[]).stdout();
    let record = scratch.json("out/study.json");
    let all = points(&record);
    let on_front = |point: &&Value| point["on_front"] == true;
    let (front, rest): (Vec<&Value>, Vec<&Value>) = all.iter().partition(on_front);
    assert!(!rest.is_empty(), "the surrogate was right for once");
    for point in &front {
        assert!(!all.iter().any(|other| dominates(other, point)), "{point}");
    }
    for point in &rest {
        assert!(front.iter().any(|other| dominates(other, point)), "{point}");
    }
    let told = format!(
        "Pareto front of {} points; of {} found on the surrogate, simulation shows: {} are dominated",
        front.len(),
        all.len(),
        rest.len()
    );
    assert!(text.contains(&told), "{told}: {text}");
    assert!(text.contains(&format!("10 of {} points shown", all.len())), "{text}");
    assert!(!text.contains("limit"), "there are none: {text}");
    let svg = read(&scratch, "plots/pareto.svg");
    assert!(svg.contains("simulated, dominated") && svg.contains("Pareto front, simulated"));
}

#[test]
fn a_front_of_the_simulator_has_no_column_for_a_surrogate() {
    let search = "[optimise]\nminimise = [\"camel\", \"far\"]\nsubject_to = [\"far < 2\"]\n";
    let scratch = scratch(&format!("{HEAD}{search}generations = 3\n"));
    let text = run(&scratch, &[]).stdout();
    assert!(text.contains("Pareto front of ") && !text.contains("surrogate"), "{text}");
    assert!(!text.contains("simulation shows") && !text.contains('–'), "{text}");
    // Fifty to begin with and three times fifty more.
    assert!(text.contains("nsga2 on the simulator: 200 evaluations"), "{text}");
}

#[test]
fn generations_are_a_limit() {
    for (keys, most) in [
        ("generations = 3\n", 160 + 160 / 3),
        ("generations = 3\npopulation = 10\n", 40 + 40 / 3),
        ("generations = 3\nevaluations = 30\n", 30),
    ] {
        let search = format!("[optimise]\nminimise = [\"camel\"]\n{keys}");
        let scratch = scratch(&format!("{HEAD}{search}"));
        run(&scratch, &[]);
        let found = scratch.json("out/study.json")["optimum"]["evaluations"].as_u64().unwrap();
        assert!(found <= most, "{keys}: {found}");
    }
}

/// The cost grows by seventeen powers of ten; its logarithm is a plane.
const COST: &str = r#"
format = 1
[study]
[variables]
x = { from = 0, to = 1 }
y = { from = 0, to = 1 }
[design]
method = "lhs"
samples = 10
[responses]
cost = "exp(20 * (x + y))"
miss = "(x - 1)^2 + (y - 0.5)^2"
[surrogate]
log = ["cost"]
[optimise]
minimise = ["miss"]
subject_to = ["cost < 1e8"]
method = "ego"
evaluations = 6
"#;

#[test]
fn ego_models_limits_by_their_logarithm() {
    let scratch = scratch(COST);
    run(&scratch, &[]);
    let record = scratch.json("out/study.json");
    let best = &points(&record)[0];
    assert_eq!(best["keeps_limits"], true);
    // Distance of (1, 1/2) from the line x + y = ln(1e8)/20.
    let exact = (1.5 - 1e8f64.ln() / 20.0).powi(2) / 2.0;
    let found = number(&best["simulated"]["miss"]);
    assert!((exact..1.001 * exact).contains(&found), "{found} {exact}");
}

#[test]
fn ego_models_variables_by_their_logarithm() {
    let text = r#"
format = 1
[study]
[variables]
x = { from = 0.001, to = 10 }
[design]
method = "factorial"
levels = 8
[responses]
dip = "(log(x) + 3)^2"
[surrogate]
log = ["x"]
[optimise]
minimise = ["dip"]
method = "ego"
evaluations = 4
"#;
    let scratch = scratch(text);
    run(&scratch, &[]);
    let record = scratch.json("out/study.json");
    let found = number(&points(&record)[0]["simulated"]["dip"]);
    assert!(found < 1e-2, "{found}");
}

#[test]
fn ego_says_when_no_point_keeps_the_limits() {
    let scratch = scratch(&COST.replace("1e8", "0.5"));
    let text = run(&scratch, &[]).stdout();
    assert!(text.contains("no point keeps all limits; this one comes nearest; "), "{text}");
}

/// The lowest values lie where nothing can be computed.
#[test]
fn ego_turns_away_from_failed_samples() {
    let text =
        format!("{HEAD}low = \"x + y^2 + 0 * sqrt(x + 0.5)\"\n[surrogate]\nof = [\"low\"]\n")
            .replace("samples = 12", "samples = 20");
    let scratch = scratch(&format!(
        "{text}[optimise]\nminimise = [\"low\"]\nmethod = \"ego\"\nevaluations = 8\n"
    ));
    run(&scratch, &[]);
    let failed = read(&scratch, "optimise/samples.csv").matches(",failed,").count();
    assert!(failed <= 4, "{failed} of 8 simulations failed");
}

#[test]
fn the_model_that_ego_leaves_knows_its_simulations() {
    let search =
        "[surrogate]\nof = [\"camel\"]\n[optimise]\nminimise = [\"camel\"]\nmethod = \"ego\"\n";
    let scratch = scratch(&format!("{HEAD}{search}evaluations = 9\n"));
    run(&scratch, &[]);
    let record = scratch.json("out/study.json");
    assert_eq!(record["optimum"]["evaluations"], 9);
    assert_eq!(record["surrogates"][0]["samples"], 21);
    let model = scratch.json("out/surrogates/camel.json");
    assert_eq!(model["responses"].as_array().unwrap().len(), 21);
    let best = &points(&record)[0];
    let [mean, simulated] = [&best["predicted"]["camel"]["mean"], &best["simulated"]["camel"]];
    assert!((number(mean) - number(simulated)).abs() < 1e-3, "{best}");
    let surface = read(&scratch, "plots/surface_camel_x_y.svg");
    assert!(surface.contains("Kriging of 21 runs") && surface.contains("simulated by the search"));
    let search = read(&scratch, "plots/convergence.svg");
    assert!(search.contains("9 evaluations after 12 samples"));
    assert!(search.contains("samples, then evaluations"));
    assert!(read(&scratch, "plots/parity.svg").contains("every run predicted without it"));
}

/// Lengths of the journals of everything beside the samples.
fn journals(scratch: &Scratch) -> Vec<u64> {
    let folders = ["optimise", "sensitivity", "sweep", "bifurcation"];
    let journal = |folder| scratch.path.join("out").join(folder).join("study.journal");
    folders.map(|folder| std::fs::metadata(journal(folder)).map_or(0, |file| file.len())).to_vec()
}

const PAID: &str = r#"
format = 1
[study]
model = "slider_crank"
ensemble = 2
[run]
until = "0.3 rev"
measure_from = 0
[variables]
clearance = { from = "0.05 mm", to = "0.3 mm" }
restitution = { from = 0.7, to = 0.95 }
[design]
method = "lhs"
samples = 5
[responses]
acceleration = "abs_max(slider.acceleration.x)"
[optimise]
minimise = ["acceleration"]
on = "simulator"
evaluations = 20
population = 8
[sensitivity]
methods = ["morris"]
samples = 3
on = "simulator"
[sweep]
variable = "clearance"
points = 4
bifurcation = "slider.velocity.x"
every = "0.05 rev"
"#;

#[test]
fn simulations_that_were_paid_for_are_kept() {
    let scratch = scratch(PAID);
    run(&scratch, &["--no-plots"]);
    let paid = journals(&scratch);
    assert!(paid.iter().all(|length| *length > 0), "{paid:?}");
    let plots = "[surrogate]\n[plots]\nsurfaces = [[\"clearance\", \"restitution\"]]\n";
    for more in ["[surrogate]\n", plots] {
        scratch.write("s.study.toml", format!("{PAID}{more}"));
        run(&scratch, &["--resume", "--no-plots"]);
        assert_eq!(journals(&scratch), paid, "{more}");
    }
    let more =
        PAID.replace("evaluations = 20", "evaluations = 32").replace("points = 4", "points = 7");
    scratch.write("s.study.toml", &more);
    run(&scratch, &["--resume", "--no-plots"]);
    let now = journals(&scratch);
    assert!(now[0] > paid[0] && now[1] == paid[1] && now[2] > paid[2], "{now:?} {paid:?}");
    // As if nothing had gone before; and back again, with the answers of the first time.
    for text in [&more[..], PAID] {
        scratch.write("s.study.toml", text);
        run(&scratch, &["--resume", "--no-plots"]);
        assert_eq!(journals(&scratch), now);
        let fresh = self::scratch(text);
        run(&fresh, &["--no-plots"]);
        for folder in ["optimise", "sensitivity", "sweep", "bifurcation"] {
            let table = format!("{folder}/samples.csv");
            assert_eq!(read(&scratch, &table), read(&fresh, &table), "{table}");
        }
        assert!(scratch.read("out/study.json") == fresh.read("out/study.json"));
    }
    // States at other moments are other states.
    scratch
        .write("s.study.toml", PAID.replace("bifurcation =", "skip = \"0.1 rev\"\nbifurcation ="));
    run(&scratch, &["--resume", "--no-plots"]);
    let after = journals(&scratch);
    assert!(after[..3] == now[..3] && after[3] != now[3], "{after:?} {now:?}");
}

#[test]
fn a_sweep_may_be_added_and_numbers_below_zero_have_a_minus() {
    let text = format!("{HEAD}left = \"x\"\n[optimise]\nminimise = [\"left\"]\n");
    let scratch = scratch(&text);
    let told = run(&scratch, &[]).stdout();
    assert!(told.starts_with("s\n") && told.contains("best at x −2, y "), "{told}");
    scratch.write("s.study.toml", format!("{text}[sweep]\nvariable = \"x\"\npoints = 5\n"));
    let text = run(&scratch, &["--resume"]).stdout();
    assert!(text.contains("12 of them from before") && text.contains("sweep of `x`"), "{text}");
}
