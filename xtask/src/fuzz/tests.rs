//! Past findings stay mended, and a short share of the fuzzer finds nothing new.

use std::path::PathBuf;

use super::Generator;
use super::bases::root;
use super::case::{Case, Stage};
use super::judge::{catch_panics, judge};
use super::options::Options;
use super::workers::Work;

fn corpus(stage: Stage) -> Vec<(PathBuf, Case)> {
    let folder = match stage {
        Stage::Read => "xtask/corpus/read",
        Stage::Run => "xtask/corpus/run",
    };
    let entries = std::fs::read_dir(root().join(folder)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let case = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let case = Case::of_file(&path, text);
        (path, case)
    };
    paths.into_iter().map(case).collect()
}

#[test]
fn past_findings_stay_mended() {
    for stage in [Stage::Read, Stage::Run] {
        let cases = corpus(stage);
        assert!(!cases.is_empty(), "the corpus is missing");
        for (path, case) in cases {
            let verdict = judge(&case, stage, 0.05);
            assert_eq!(verdict.finding, None, "{}", path.display());
        }
    }
}

#[test]
fn inputs_are_the_same_every_time() {
    let (one, two) = (Generator::new(7), Generator::new(7));
    for index in [0, 1, 1000] {
        assert_eq!(one.case(Stage::Read, index), two.case(Stage::Read, index));
        assert_eq!(one.case(Stage::Run, index), two.case(Stage::Run, index));
    }
    assert_ne!(one.case(Stage::Read, 0), one.case(Stage::Read, 1));
}

/// Runs the fuzzer and returns what it says if it finds anything.
fn share(inputs: &str, runs: &str) -> Option<String> {
    let folder = std::env::temp_dir().join(format!("gudgeon-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let words = [inputs, "--runs", runs, "--out", folder.to_str().unwrap()].map(str::to_owned);
    let options = Options::parse(&words).unwrap();
    let mut found = None;
    for (stage, goal) in [(Stage::Read, options.inputs), (Stage::Run, options.runs)] {
        if goal == 0 {
            continue;
        }
        let work = Work::new(stage, &options);
        work.run(|_, _| {});
        let tally = work.tally.lock().unwrap();
        if !tally.is_clean() {
            found = Some(tally.text(stage, options.limit, std::time::Duration::ZERO, &folder));
        }
    }
    if found.is_none() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    found
}

#[test]
fn a_thousand_inputs_find_nothing() {
    assert_eq!(share("1000", "10"), None);
}

#[test]
#[ignore = "slow: a short share of the fuzzer, about a minute"]
fn a_share_of_the_fuzzer_finds_nothing() {
    catch_panics();
    assert_eq!(share("200000", "1000"), None);
}
