//! Reports of shipped models in a real browser: `./test browser`. Without one the tests say so and pass.
//!
//! `PICTURES=FOLDER` beside the usual call writes pictures of the pages there.

mod chromium;

use std::path::{Path, PathBuf};
use std::process::Command;

use chromium::{Chromium, installed};
use serde_json::{Value, json};

/// A folder of results of its own, removed at the end.
struct Results(PathBuf);

impl Results {
    fn new(name: &str) -> Results {
        let path =
            std::env::temp_dir().join(format!("gudgeon-browser-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Results(path)
    }

    /// Runs a shipped model and gives its page.
    fn page(&self, model: &str, flags: &[&str]) -> PathBuf {
        let out = self.0.join(model);
        let run = Command::new(env!("CARGO_BIN_EXE_gudgeon"))
            .args(["run", model, "--out"])
            .arg(&out)
            .args(flags)
            .output()
            .unwrap();
        assert!(
            run.status.code().is_some_and(|code| code < 2),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        out.join("report.html")
    }

    fn browser(&self, program: &Path, flags: &[&str]) -> Chromium {
        Chromium::start(program, self.0.join("chromium"), flags)
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0); // of no matter to the test
    }
}

/// The browser, or a sentence that there is none.
fn found() -> Option<PathBuf> {
    let found = installed();
    if found.is_none() {
        eprintln!(
            "skipped: no Chromium on this machine (`apt-get install chromium`, or its path in CHROMIUM)"
        );
    }
    found
}

fn picture(browser: &mut Chromium, name: &str, size: (u32, u32), dark: bool) {
    if let Some(folder) = std::env::var_os("PICTURES").map(PathBuf::from) {
        std::fs::create_dir_all(&folder).unwrap();
        browser.picture(&folder.join(format!("{name}.png")), size, dark);
    }
}

/// Nothing went wrong, and nothing was asked of any network.
fn is_quiet(browser: &mut Chromium) {
    browser.value("new Promise((done) => setTimeout(done, 100))");
    assert!(browser.errors.is_empty(), "{:#?}", browser.errors);
    let outside = |url: &&String| {
        !(url.starts_with("file://") || url.starts_with("blob:") || url.starts_with("data:"))
    };
    let asked: Vec<&String> = browser.requests.iter().filter(outside).collect();
    assert!(asked.is_empty(), "{asked:?}");
}

/// Sum over the pixels of the view of the mechanism: another picture has another sum.
const SEEN: &str = "(() => { let sum = 0; for (const c of document.querySelectorAll('.stage canvas')) {
  const copy = document.createElement('canvas'); [copy.width, copy.height] = [c.width, c.height];
  const x = copy.getContext('2d'); x.drawImage(c, 0, 0);
  const d = x.getImageData(0, 0, c.width, c.height).data; for (let i = 0; i < d.length; i += 4) sum = (sum * 31 + d[i] + 3 * d[i + 1] + 7 * d[i + 2] + d[i + 3]) % 1e9; }
  return sum; })()";

#[test]
#[ignore = "browser: `./test browser`"]
fn a_planar_run_moves_and_answers() {
    let Some(program) = found() else { return };
    let results = Results::new("planar");
    let page = results.page("slider_crank", &["--until", "2 rev", "--measure-from", "1 rev"]);
    let mut browser = results.browser(&program, &[]);
    browser.open(&page);
    // It plays by itself.
    let t = browser.number("gudgeon.clock.t");
    browser.wait(&format!("gudgeon.clock.t !== {t}"));
    // The picture follows the time.
    browser.value("gudgeon.clock.play(false), gudgeon.clock.set(0.031)");
    let first = browser.number(SEEN);
    browser.value("gudgeon.clock.set(0.045)");
    assert_ne!(browser.number(SEEN), first);
    browser.value("gudgeon.clock.set(0.031)");
    assert_eq!(browser.number(SEEN), first);
    // The time line sets the time: its middle is the middle of the run.
    let place = browser.value("(() => { const b = document.querySelector('.timeline canvas').getBoundingClientRect(); return [b.left + b.width / 2, b.top + 20]; })()");
    for kind in ["mousePressed", "mouseReleased"] {
        browser.call("Input.dispatchMouseEvent", json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "buttons": 1, "clickCount": 1}));
    }
    let [t, to] = ["gudgeon.clock.t", "gudgeon.clock.to"].map(|one| browser.number(one));
    assert!((t / to - 0.5).abs() < 0.01, "{t} of {to}");
    // A click on an extreme goes there.
    let at = browser.number("gudgeon.record.extremes['pin.contact_force'].t_max");
    browser.value(&format!(
        "document.querySelector('button[data-time=\"{}\"]').click()",
        browser_text(at)
    ));
    assert_eq!(browser.number("gudgeon.clock.t"), at);
    // Keys.
    browser.value(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'Home', bubbles: true }))",
    );
    assert_eq!(browser.number("gudgeon.clock.t"), 0.0);
    browser.value(
        "document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }))",
    );
    assert_eq!(browser.number("gudgeon.clock.t"), browser.number("gudgeon.record.impacts[0].t"));
    browser.value("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }))");
    assert!(browser.number("gudgeon.clock.t") > browser.number("gudgeon.record.impacts[0].t"));
    is_quiet(&mut browser);
}

/// A number as JavaScript writes it.
fn browser_text(number: f64) -> String {
    serde_json::to_string(&number).unwrap()
}

#[test]
#[ignore = "browser: `./test browser`"]
fn rows_are_saved_as_they_are() {
    let Some(program) = found() else { return };
    let results = Results::new("rows");
    let page = results.page("slider_crank", &["--until", "1 rev", "--measure-from", "0"]);
    let mut browser = results.browser(&program, &[]);
    browser.open(&page);
    let text = browser.value("gudgeon.views.plots.csv(gudgeon.views.plots.outputs[1])");
    let table = std::fs::read_to_string(page.with_file_name("series.csv")).unwrap();
    let mut rows = table.lines();
    let place = rows
        .next()
        .unwrap()
        .split(',')
        .position(|name| name.starts_with("pin.contact_force"))
        .unwrap();
    let mut saved = text.as_str().unwrap().lines();
    assert_eq!(saved.next(), Some("t [s],pin.contact_force [N]"));
    for row in rows {
        let cells: Vec<f64> = row.split(',').map(|cell| cell.parse().unwrap()).collect();
        let own: Vec<f64> =
            saved.next().unwrap().split(',').map(|cell| cell.parse().unwrap()).collect();
        // In single precision.
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-7 * b.abs() + 1e-37;
        assert!(near(own[0], cells[0]) && near(own[1], cells[place]), "{own:?} of {row}");
    }
    assert_eq!(saved.next(), None);
    // The command that the page gives draws.
    browser.value("gudgeon.views.plots.set([0.002, 0.004])");
    let command = browser.value("gudgeon.views.plots.command(gudgeon.views.plots.outputs[1])");
    let command = command.as_str().unwrap().replacen("gudgeon", env!("CARGO_BIN_EXE_gudgeon"), 1);
    let drawn = Command::new("sh")
        .arg("-c")
        .arg(&command)
        .current_dir(page.parent().unwrap())
        .output()
        .unwrap();
    assert!(drawn.status.success(), "{command}: {}", String::from_utf8_lossy(&drawn.stderr));
    assert!(page.with_file_name("pin.contact_force.svg").is_file());
    is_quiet(&mut browser);
}

#[test]
#[ignore = "browser: `./test browser`"]
fn everything_has_a_name_for_those_who_do_not_see_it() {
    let Some(program) = found() else { return };
    let results = Results::new("names");
    let page = results.page("slider_crank", &["--until", "1 rev", "--measure-from", "0"]);
    let mut browser = results.browser(&program, &["--force-prefers-reduced-motion"]);
    browser.open(&page);
    assert_eq!(
        browser.value("gudgeon.clock.playing"),
        json!(false),
        "it stands still where that is wished"
    );
    browser.wait("document.querySelectorAll('.u-over').length > 0");
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let named = |role: &str| -> Vec<String> {
        let nodes = tree["nodes"].as_array().unwrap().iter();
        let of =
            nodes.filter(|node| node["role"]["value"] == role && node["ignored"] != json!(true));
        of.map(|node| node["name"]["value"].as_str().unwrap_or_default().to_owned()).collect()
    };
    for role in
        ["button", "image", "img", "checkbox", "combobox", "textbox", "slider", "region", "tab"]
    {
        let names = named(role);
        assert!(names.iter().all(|name| !name.trim().is_empty()), "{role}: {names:?}");
    }
    assert!(named("slider").iter().any(|name| name.starts_with("Time")), "{:?}", named("slider"));
    let pictures = [named("image"), named("img")].concat();
    assert!(pictures.iter().any(|name| name.contains("moving bodies")), "{pictures:?}");
    assert!(pictures.iter().any(|name| name.contains("in its bearing")), "{pictures:?}");
    let regions = named("region");
    for name in [
        "Mechanism",
        "Journal in its bearing",
        "Time line",
        "Extremes",
        "Plots",
        "Impacts",
        "Energy",
    ] {
        assert!(regions.iter().any(|one| one == name), "{name} of {regions:?}");
    }
    is_quiet(&mut browser);
}

/// Model, flags, what the page must have.
const PAGES: [(&str, &[&str], &str); 6] = [
    ("slider_crank", &[], "gudgeon.views.mechanism && gudgeon.views.clearance"),
    (
        "tilted_four_bar",
        &["--until", "0.6 s"],
        "gudgeon.views.mechanism && document.querySelector('canvas.under')",
    ),
    ("lubricated_slider_crank", &[], "gudgeon.views.clearance"),
    ("flexible_slider_crank", &[], "document.querySelector('.slider input')"),
    ("suspended_platform", &[], "document.querySelectorAll('.modes tbody tr').length === 6"),
    (
        "four_bar_two_clearances",
        &["--max-steps", "3000"],
        "document.querySelector('.badge.failed') && document.querySelector('.error')",
    ),
];

#[test]
#[ignore = "browser: `./test browser`"]
fn pages_of_all_kinds_open_without_complaint() {
    let Some(program) = found() else { return };
    let results = Results::new("kinds");
    for (model, flags, has) in PAGES {
        let page = results.page(model, flags);
        let size = page.metadata().unwrap().len();
        assert!(size <= 1_500_000, "{model}: {size} bytes");
        let mut browser = results.browser(&program, &["--force-prefers-reduced-motion"]);
        browser.open(&page);
        browser.wait(has);
        let tabs = browser.number("document.querySelectorAll('[role=tab]').length");
        for k in 0..tabs as usize {
            browser.value(&format!("document.querySelectorAll('[role=tab]')[{k}].click()"));
            browser.wait("document.querySelectorAll('.plots .u-over').length > 0");
        }
        browser.value("document.querySelectorAll('[role=tab]')[0]?.click(), scrollTo(0, 0)");
        for (name, size, dark) in [
            ("laptop", (1280, 800), false),
            ("phone", (390, 844), false),
            ("dark", (1280, 800), true),
        ] {
            picture(&mut browser, &format!("{model}_{name}"), size, dark);
        }
        picture(&mut browser, &format!("{model}_long"), (1280, 3600), false);
        is_quiet(&mut browser);
    }
}

#[test]
#[ignore = "browser: `./test browser`"]
fn without_webgl_the_mechanism_is_drawn_all_the_same() {
    let Some(program) = found() else { return };
    let results = Results::new("webgl");
    let page = results.page("spatial_four_bar", &[]);
    let mut browser =
        results.browser(&program, &["--disable-3d-apis", "--force-prefers-reduced-motion"]);
    browser.open(&page);
    assert_eq!(browser.value("Boolean(document.querySelector('canvas.under'))"), json!(false));
    let first = browser.number(SEEN);
    browser.value("gudgeon.clock.set(0.5 * gudgeon.clock.to)");
    assert_ne!(browser.number(SEEN), first);
    browser.errors.retain(|error| !error.contains("WebGL"));
    is_quiet(&mut browser);
}

#[test]
#[ignore = "browser: `./test browser`"]
fn hostile_names_stay_text() {
    let Some(program) = found() else { return };
    let results = Results::new("names-hostile");
    let page = results.page("pendulum", &[]);
    let record = page.with_file_name("run.json");
    let mut value: Value = serde_json::from_slice(&std::fs::read(&record).unwrap()).unwrap();
    let nasty = "</script><script>globalThis.broken = true</script><!-- \u{2028} \"'";
    value["model"]["name"] = json!(nasty);
    value["warnings"] = json!([{"code": nasty, "joint": nasty, "message": nasty, "help": nasty}]);
    std::fs::write(&record, value.to_string()).unwrap();
    let made = Command::new(env!("CARGO_BIN_EXE_gudgeon"))
        .arg("report")
        .arg(page.parent().unwrap())
        .status()
        .unwrap();
    assert!(made.success());
    let mut browser = results.browser(&program, &[]);
    browser.open(&page);
    assert_eq!(browser.value("document.querySelector('h1').textContent"), json!(nasty));
    assert_eq!(browser.value("globalThis.broken === undefined"), json!(true));
    is_quiet(&mut browser);
}
