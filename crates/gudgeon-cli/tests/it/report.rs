//! `gudgeon report`: the page of a result that is there already.

use crate::common::Scratch;

fn results() -> Scratch {
    let scratch = Scratch::with_model();
    scratch.run(&["--out", "results/a"]).exits(0);
    scratch
}

#[test]
fn the_page_of_a_folder_is_the_one_that_its_run_wrote() {
    let scratch = results();
    let first = scratch.read("results/a/report.html");
    scratch.gudgeon(&["report", "results/a", "--out", "again.html"]).exits(0);
    assert!(scratch.read("again.html") == first);
    let answer = scratch.gudgeon(&["report", "results/a", "--json"]).exits(0).stdout();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["status"], "ok");
    assert_eq!(answer["bytes"].as_u64(), Some(first.len() as u64));
    // Another run of the same file, another place: the same bytes.
    scratch.run(&["--out", "results/b"]).exits(0);
    assert!(scratch.read("results/b/report.html") == first);
    scratch.run(&["--out", "results/c", "--no-report"]).exits(0);
    assert!(!scratch.path.join("results/c/report.html").exists());
}

#[test]
fn what_is_no_whole_result_is_refused() {
    let scratch = results();
    for (folder, words) in [
        ("absent", "there is no folder"),
        (".", "no result of a run"),
        ("model.toml", "is no folder"),
    ] {
        let text = scratch.gudgeon(&["report", folder]).exits(2).stderr();
        assert!(text.contains("G1601") && text.contains(words) && text.contains("help"), "{text}");
    }
    for table in ["motion.parquet", "journals.parquet", "series_ideal.parquet", "series.parquet"] {
        let path = format!("results/a/{table}");
        let whole = scratch.read(&path);
        scratch.write(&path, &whole[..whole.len() / 2]);
        let text = scratch.gudgeon(&["report", "results/a"]).exits(2).stderr();
        assert!(
            text.contains("G1601") && text.contains("damaged") && text.contains(table),
            "{text}"
        );
        scratch.write(&path, &whole);
    }
    let record = String::from_utf8(scratch.read("results/a/run.json")).unwrap();
    scratch.write("results/a/run.json", record.replacen("\"format\": 1", "\"format\": 9", 1));
    let text = scratch.gudgeon(&["report", "results/a"]).exits(2).stderr();
    assert!(text.contains("newer version"), "{text}");
    // A page that cannot be written leaves nothing.
    scratch.write("results/a/run.json", record);
    let text =
        scratch.gudgeon(&["report", "results/a", "--out", "absent/p.html"]).exits(1).stderr();
    assert!(text.contains("absent/p.html") && text.contains("help"), "{text}");
}

#[test]
fn a_result_without_motion_has_a_page_that_says_so() {
    let scratch = results();
    std::fs::remove_file(scratch.path.join("results/a/motion.parquet")).unwrap();
    scratch.gudgeon(&["report", "results/a"]).exits(0);
    let page = String::from_utf8(scratch.read("results/a/report.html")).unwrap();
    let index = page.split("id=\"index\">").nth(1).unwrap().split("</script>").next().unwrap();
    let index: serde_json::Value = serde_json::from_str(index).unwrap();
    assert!(index.get("motion").is_none() && index["outputs"]["rows"].as_u64() > Some(10));
}
