//! `use = ["base.toml"]` failed without any message, and in a complete model it was ignored: a
//! reader dropped a value of the wrong kind, and what followed from it was taken for a consequence.

use gudgeon_model::shipped::{self, SHIPPED};
use gudgeon_model::{Overrides, load_text};

use crate::regressions::wrong_kinds::{Shipped, wrong_kinds_are_refused};

/// Whole files in the reference.
fn examples(docs: &str) -> impl Iterator<Item = &str> {
    let blocks = docs.split("```toml\n").skip(1).filter_map(|rest| rest.split("\n```").next());
    blocks.filter(|block| block.trim_start().starts_with("format = 1"))
}

#[test]
fn no_reader_of_models_drops_a_value_of_the_wrong_kind() {
    let none = Overrides::default();
    let mut count = 0;
    for model in SHIPPED {
        count += wrong_kinds_are_refused(model.model, |text| {
            load_text(model.name, text, &Shipped(&[]), &none).err()
        });
    }
    for text in examples(include_str!("../../../../../docs/model-file.md")) {
        count += wrong_kinds_are_refused(text, |text| {
            load_text("example.toml", text, &Shipped(&[]), &none).err()
        });
    }
    assert!(count > 1000, "{count} values");
}

#[test]
fn a_list_of_files_is_refused_with_its_reason() {
    let complete = shipped::find("pendulum").unwrap().model;
    let extended = format!("use = [\"slider_crank\"]\n{complete}");
    for text in ["format = 1\nuse = [\"../pendulum/model.toml\"]\n", &extended] {
        let failure = load_text("model.toml", text, &Shipped(&[]), &Overrides::default())
            .expect_err("`use` takes one file");
        let codes: Vec<&str> = failure.diagnostics.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["G0103"]);
    }
}
