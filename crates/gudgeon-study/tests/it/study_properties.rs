//! No study makes the reader panic, and what it accepts is finite and in order.

use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::{Overrides, Resolver};
use gudgeon_study::design::distribution::Distribution;
use gudgeon_study::file::{LoadedStudy, Values, load_study_text};
use proptest::prelude::*;

const STUDIES: [&str; 2] = [
    include_str!("../studies/everything.study.toml"),
    include_str!("../studies/zhang_example_2.study.toml"),
];
const POINTS: &str = include_str!("../studies/points.csv");
const MODEL: &str = include_str!("../studies/slider_crank.toml");

/// Files beside the study; the points are those of the test.
struct Beside(String);

impl Resolver for Beside {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        match name {
            "points.csv" => Ok((name.into(), self.0.clone())),
            "slider_crank.toml" => Ok((name.into(), MODEL.into())),
            _ => Err(Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`")))),
        }
    }
}

fn is_right(loaded: &LoadedStudy) -> bool {
    let study = &loaded.study;
    let variables = study.variables.iter().all(|variable| match variable.values {
        Values::Distribution(Distribution::Normal { mean, deviation }) => {
            mean.is_finite() && deviation > 0.0 && deviation.is_finite()
        }
        _ => variable
            .values
            .bounds()
            .is_some_and(|(low, high)| low < high && (high - low).is_finite()),
    });
    let fits = |index: &usize| *index < study.responses.len();
    variables
        && !study.variables.is_empty()
        && !study.responses.is_empty()
        && study.surrogate.iter().all(|surrogate| surrogate.of.iter().all(fits))
        && study.optimise.iter().all(|search| search.objectives.iter().all(|o| fits(&o.response)))
        && study.sweep.iter().all(|sweep| sweep.values.is_sorted() && !sweep.values.is_empty())
}

/// Reads a study and draws all its messages.
fn survives(text: &str, points: &str) -> bool {
    let beside = Beside(points.into());
    match load_study_text("text.study.toml", text, &beside, &Overrides::default()) {
        Ok(loaded) => {
            loaded.warnings.render(&loaded.sources, false);
            is_right(&loaded)
        }
        Err(failure) => {
            let text = failure.diagnostics.render(&failure.sources, false);
            !text.is_empty() && failure.diagnostics.has_errors()
        }
    }
}

/// Pieces that studies are made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "=",
            "[",
            "]",
            "{",
            "}",
            "\"",
            "\n",
            ".",
            ",",
            "#",
            "(",
            ")",
            "nan",
            "inf",
            "1e999",
            "-1",
            "0",
            "0.1 mm",
            "= clearance",
            "3 rev",
            "1e308",
            "[study]",
            "[variables]",
            "[design]",
            "[sweep]",
            "[set]",
            "format = 1",
            "model = \"slider_crank\"",
            "method = \"file\"",
            "path = \"a.b\"",
            "path = \"run.until\"",
            "path = \"\"",
            "choice = []",
            "< ",
            ">=",
            ".impacts",
            "percentile(",
            "integer = true",
            "scale = \"log\"",
            "µ",
            "\r\n",
            "true",
        ])
        .prop_map(str::to_string),
        "[ -~]{0,12}",
        any::<char>().prop_map(String::from),
    ]
}

fn mutated(text: &str, places: Vec<(prop::sample::Index, usize, String)>) -> String {
    let mut text: Vec<char> = text.chars().collect();
    for (place, length, piece) in places {
        let at = place.index(text.len());
        let end = (at + length).min(text.len());
        text.splice(at..end, piece.chars());
    }
    text.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..Default::default() })]

    #[test]
    fn arbitrary_text_is_survived(text in "\\PC{0,200}") {
        prop_assert!(survives(&text, POINTS));
    }

    #[test]
    fn mixed_pieces_are_survived(pieces in prop::collection::vec(piece(), 0..40)) {
        prop_assert!(survives(&pieces.concat(), POINTS));
    }

    #[test]
    fn mutated_studies_are_survived(
        study in 0..STUDIES.len(),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, piece()), 1..4),
    ) {
        prop_assert!(survives(&mutated(STUDIES[study], places), POINTS));
    }

    #[test]
    fn mutated_points_are_survived(
        places in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..6, piece()), 1..6),
    ) {
        prop_assert!(survives(STUDIES[0], &mutated(POINTS, places)));
    }

    #[test]
    fn any_response_is_survived(response in prop_oneof![
        "[a-z_]{0,8}\\([a-zµ., ]{0,20}\\)?",
        "(sum|max|count|energy|percentile|contact_fraction|nth|first|share|force_at|turn_max|start)\\((pin|slider|motor)?[.]?(impacts|velocity|V)?[.]?(loss|x|t)?( ?- ?rod[.]angle)?,? ?[0-9.-]{0,4}( mm|free)?\\)",
        "\\PC{0,30}",
    ]) {
        let text = STUDIES[1].replace("sum(pin.impacts.loss)", &response.replace(['"', '\\'], ""));
        prop_assert!(survives(&text, POINTS));
    }

    #[test]
    fn any_range_is_survived(
        kind in prop::sample::select(vec![
            "from = A, to = B", "from = A, to = B, scale = \"log\"", "uniform = [A, B]",
            "choice = [A, B]", "normal = A, std = B", "triangular = [A, B, C]",
            "from = A, to = B, integer = true", "normal = A, std = B, limits = [A, C]",
        ]),
        values in prop::collection::vec(prop_oneof![
            any::<f64>().prop_map(|value| format!("\"{value:e} rpm\"")),
            (0_i32..9).prop_map(|value| format!("\"{value} rpm\"")),
            Just("0".to_string()),
            Just("\"= 2 * speed\"".to_string()),
        ], 3),
    ) {
        let kind = kind.replace('A', &values[0]).replace('B', &values[1]).replace('C', &values[2]);
        let old = "speed     = { from = \"50 rpm\", to = \"5000 rpm\" }";
        prop_assert!(STUDIES[1].contains(old));
        let text = STUDIES[1].replace(old, &format!("speed = {{ {kind} }}"));
        prop_assert!(survives(&text, POINTS));
    }
}

#[test]
fn any_point_is_survived() {
    let beside = Beside(POINTS.into());
    let loaded = load_study_text("s", STUDIES[0], &beside, &Overrides::default()).unwrap_or_else(
        |failure| panic!("{}", failure.diagnostics.render(&failure.sources, false)),
    );
    for value in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300, 1e-300, -0.0, 7.5] {
        let _ = loaded.load_at(&[value; 6]);
        let _ = loaded.load_at(&[value; 9]);
        let _ = loaded.load_with(&[(3, value), (99, value)], &[]);
    }
}

#[test]
fn deep_nesting_is_survived() {
    for text in [
        "[".repeat(100_000),
        format!("[set]\n{}b = 1", "a.".repeat(20_000)),
        format!("[variables]\nx = {{ from = \"= {}1\", to = 2 }}", "(".repeat(50_000)),
        format!("[responses]\nx = \"{}\"", "max(".repeat(50_000)),
    ] {
        assert!(survives(&text, POINTS));
    }
}
