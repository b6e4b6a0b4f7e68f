//! Responses of outputs by formula.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver};
use gudgeon_study::file::load_study_text;
use gudgeon_study::runner::{Simulator, seed_of};

/// A crank that turns once a second against a brake; `height` is its tip over the length, whose root
/// exists in every other half turn.
const CRANK: &str = r#"
format = 1
[parameters]
length = "100 mm"
[bodies.crank]
mass = "1 kg"
inertia = "0.01 kg m^2"
frames.tip = "=length, 0"
[joints]
main = { type = "revolute", between = ["ground", "crank"] }
[drivers.motor]
joint = "main"
speed = "60 rpm"
[outputs]
height = "= crank.tip.position.y / length"
root = "= sqrt(height)"
never = "= 1 / (height - height)"
[run]
until = "2 s"
outputs = ["crank.tip.*"]
"#;

struct One;

impl Resolver for One {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Ok((name.to_owned(), CRANK.to_owned()))
    }
}

fn study(rest: &str) -> String {
    format!(
        "format = 1\n[study]\nmodel = \"crank.toml\"\n\
         [variables]\nlength = {{ from = \"50 mm\", to = \"200 mm\" }}\n{rest}"
    )
}

#[test]
fn missing_values_fail_no_sample() {
    let text = study(
        "[design]\nmethod = \"lhs\"\nsamples = 4\n[responses]\nhighest = \"max(height)\"\n\
         mean = \"mean(root)\"\nmedian = \"percentile(root, 50)\"\nstart = \"start(root)\"\n\
         never = \"abs_max(never)\"\nlast = \"final(never)\"\nfar = \"first(root, 0.5)\"\n",
    );
    let study = load_study_text("test.study.toml", &text, &One, &Overrides::default())
        .unwrap_or_else(|f| panic!("{}", f.diagnostics.render(&f.sources, false)));
    let answer = study.samples().run(&[0.15], seed_of(1, 0), &|| false).expect("a sample");
    let [highest, mean, median, start, never, last, far] = answer.values[..] else { panic!() };
    assert!((highest - 1.0).abs() < 1e-9, "{highest}");
    // B(3/4, 1/2)/π, and √sin of 45°, which is exceeded in half of the time.
    assert!((mean - 0.762_759_763_5).abs() < 1e-3, "{mean}");
    assert!((median - 0.5f64.sqrt().sqrt()).abs() < 1e-2, "{median}");
    assert_eq!(start, 0.0);
    assert!(never.is_nan() && last.is_nan());
    // asin(1/4) of a turn a second.
    assert!((far - 0.25f64.asin() / std::f64::consts::TAU).abs() < 1e-3, "{far}");
    assert!(answer.notes.iter().any(|note| note.contains("`never` has no value")));
}

#[test]
fn histories_take_patterns() {
    let sweep = |outputs: &str| {
        study(&format!(
            "[responses]\nhighest = \"max(height)\"\n[sweep]\nvariable = \"length\"\npoints = 2\n\
             histories = [\"60 mm\"]\noutputs = {outputs}\n"
        ))
    };
    let read = |text: &str| load_study_text("test.study.toml", text, &One, &Overrides::default());
    let study = read(&sweep("[\"crank.tip.velocity.*\", \"*o*t\", \"root\"]"))
        .unwrap_or_else(|f| panic!("{}", f.diagnostics.render(&f.sources, false)));
    let sweep_of = study.study.sweep.as_ref().expect("a sweep");
    let names: Vec<&str> = sweep_of.outputs.iter().map(|one| &one.name[..]).collect();
    assert_eq!(names, ["crank.tip.velocity.x", "crank.tip.velocity.y", "root"]);
    let failure = read(&sweep("[\"crnk.*\"]")).expect_err("no such body");
    let text = failure.diagnostics.render(&failure.sources, false);
    assert!(text.contains("G0925") && text.contains("did you mean `crank`?"), "{text}");
}
