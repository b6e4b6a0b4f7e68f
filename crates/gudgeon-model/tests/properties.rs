//! No input makes the reader panic, and what it accepts is finite.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped::SHIPPED;
use gudgeon_model::{Overrides, Resolver, load_text};
use proptest::prelude::*;

struct Nothing;

impl Resolver for Nothing {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`"))))
    }
}

/// Reads a text and draws all its messages.
fn survives(text: &str, overrides: &Overrides) -> bool {
    match load_text("text.toml", text, &Nothing, overrides) {
        Ok(loaded) => {
            loaded.warnings.render(&loaded.sources, false);
            true
        }
        Err(failure) => {
            let text = failure.diagnostics.render(&failure.sources, false);
            !text.is_empty() && failure.diagnostics.has_errors()
        }
    }
}

fn set(name: &str, value: &str) -> Overrides {
    Overrides { set: vec![(name.into(), value.into())], ..Overrides::default() }
}

/// Pieces that model files are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "=",
            "[",
            "]",
            "{",
            "}",
            "\"",
            "'",
            "\n",
            ".",
            ",",
            "#",
            "\"\"\"",
            "\\",
            "nan",
            "inf",
            "1e999",
            "-1",
            "0",
            "3 rev",
            "0.1 mm",
            "= t",
            "= clearance",
            "(",
            ")",
            "[[",
            "\u{feff}",
            "[bodies.rod]",
            "[joints.pin]",
            "[run]",
            "use = \"x\"",
            "format = 1",
            "µ",
            "\r\n",
        ])
        .prop_map(str::to_string),
        "[ -~]{0,12}",
        any::<char>().prop_map(String::from),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_text_is_survived(text in "\\PC{0,200}") {
        prop_assert!(survives(&text, &Overrides::default()));
    }

    #[test]
    fn mixed_pieces_are_survived(pieces in prop::collection::vec(piece(), 0..40)) {
        prop_assert!(survives(&pieces.concat(), &Overrides::default()));
    }

    #[test]
    fn mutated_models_are_survived(
        model in 0..SHIPPED.len(),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, piece()), 1..6),
    ) {
        let mut text: Vec<char> = SHIPPED[model].model.chars().collect();
        for (place, length, piece) in places {
            let at = place.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        prop_assert!(survives(&text, &Overrides::default()));
    }

    #[test]
    fn any_override_is_survived(
        name in prop_oneof![
            prop::sample::select(vec![
                "clearance", "joints.pin.clearance.radial", "run.until", "bodies.rod.frames.big_end",
                "run.outputs", "run", "joints.pin", "parameters.speed", "model.gravity", "a..b", "",
            ]).prop_map(str::to_string),
            "[a-z.]{0,20}",
        ],
        value in prop_oneof![piece(), "\\PC{0,20}"],
    ) {
        let text = SHIPPED[0].model;
        prop_assert!(survives(text, &set(&name, &value)));
        let when = |text: &String| Some(text.clone());
        let overrides = Overrides {
            until: when(&value),
            measure_from: when(&name),
            ideal: vec![name.clone()],
            law: vec![(Some(name.clone()), value.clone()), (None, name.clone())],
            rtol: value.parse().ok(),
            ..Overrides::default()
        };
        prop_assert!(survives(text, &overrides));
    }
}

#[test]
fn deep_nesting_is_survived() {
    for text in [
        "[".repeat(100_000),
        "a = ".to_string() + &"[".repeat(100_000),
        "a = ".to_string() + &"{a=".repeat(100_000),
        "a.".repeat(100_000) + "b = 1",
        format!("[bodies.rod]\nmass = \"= {}1{}\"", "(".repeat(100_000), ")".repeat(100_000)),
        format!("[bodies.rod]\nmass = \"= {}1\"", "-".repeat(100_000)),
    ] {
        assert!(survives(&text, &Overrides::default()));
    }
    assert!(survives(SHIPPED[0].model, &set(&"a.".repeat(20_000), "1")));
    assert!(survives(SHIPPED[0].model, &set(&"run.".repeat(20_000), "1")));
}

#[test]
fn a_long_chain_of_parameters_is_survived() {
    let mut text = String::from("format = 1\n[run]\nuntil = \"1 s\"\n[parameters]\np0 = 1\n");
    for i in 1..50_000 {
        text.push_str(&format!("p{i} = \"= p{} + 1\"\n", i - 1));
    }
    assert!(survives(&text, &Overrides::default()));
    assert!(survives(&text.replace("p0 = 1", "p0 = \"= p49999\""), &Overrides::default()));
}
