//! No input makes the reader panic, and what it accepts is finite.

use gudgeon::model::Model;
use gudgeon_model::diagnostic::Diagnostic;
use gudgeon_model::shipped::SHIPPED;
use gudgeon_model::{Overrides, Resolver, load_text};
use nalgebra::Matrix3;
use proptest::prelude::*;

struct Nothing;

impl Resolver for Nothing {
    fn read(&self, _from: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
        Err(Box::new(Diagnostic::error("G0001", format!("cannot read `{name}`"))))
    }
}

fn is_finite(model: &Model) -> bool {
    let bodies = model.bodies.iter().all(|body| {
        let inertia = body.inertia.is_none_or(|inertia| inertia.iter().all(|i| i.is_finite()));
        inertia && body.mass.unwrap_or(0.0).is_finite()
    });
    bodies
        && model.markers.iter().all(|marker| {
            let r = marker.local.r;
            marker.local.p.iter().all(|p| p.is_finite())
                && (r.transpose() * r - Matrix3::identity()).norm() < 1e-12
        })
}

/// Reads a text and draws all its messages.
fn survives(text: &str, overrides: &Overrides) -> bool {
    match load_text("text.toml", text, &Nothing, overrides) {
        Ok(loaded) => {
            loaded.warnings.render(&loaded.sources, false);
            is_finite(&loaded.model)
        }
        Err(failure) => {
            let text = failure.diagnostics.render(&failure.sources, false);
            !text.is_empty() && failure.diagnostics.has_errors()
        }
    }
}

/// Spatial models with every part.
const SPATIAL: [&str; 2] =
    [include_str!("../models/spatial_parts.toml"), include_str!("../models/spatial_four_bar.toml")];

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
            "space = \"spatial\"",
            "10 deg about ",
            "0, 0, 1",
            "1e308, 1e308, -1e308",
            "[0, 0, 0, 0]",
            "-z",
            " x ",
            "type = \"screw\"",
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
        model in 0..SHIPPED.len() + 2 * SPATIAL.len(),
        places in prop::collection::vec((any::<prop::sample::Index>(), 0_usize..12, piece()), 1..6),
    ) {
        let mut text: Vec<char> = match SHIPPED.get(model) {
            Some(shipped) => shipped.model.chars().collect(),
            None => SPATIAL[model % SPATIAL.len()].chars().collect(),
        };
        for (place, length, piece) in places {
            let at = place.index(text.len());
            let end = (at + length).min(text.len());
            text.splice(at..end, piece.chars());
        }
        let text: String = text.into_iter().collect();
        prop_assert!(survives(&text, &Overrides::default()));
    }

    #[test]
    fn any_override_of_a_spatial_model_is_survived(
        name in prop::sample::select(vec![
            "bodies.block.inertia", "bodies.block.inertia.xy", "bodies.block.centre",
            "bodies.ground.frames.twice.turn", "bodies.ground.frames.half.quaternion",
            "bodies.beam.shape.side", "bodies.beam.shape.box", "bodies.tube.shape.tube",
            "bodies.ball.shape.sphere", "bodies.rod.shape.rod", "bodies.rod.shape.diameter",
            "joints.hinge.axis", "joints.hinge.type", "joints.guide.along", "joints.thread.pitch",
            "joints.bush.clearance.length", "joints.bush.clearance.axial", "joints.bush.type",
            "joints.flanged.clearance.axial_clearance", "joints.bush.clearance.contact",
            "joints.per_base.clearance.contact.stiffness_per_base", "drivers.nods.direction",
            "drivers.turns.speed", "drivers.turns.joint", "forces.rubber.stiffness",
            "forces.beam_like.stiffness_matrix", "forces.twist.axis", "start.block.turn",
            "start.block.angular_velocity", "start.bush.offset", "model.space", "model.gravity",
        ]),
        value in prop_oneof![
            piece(),
            "\\PC{0,20}",
            prop::collection::vec(prop_oneof![Just(0.0), any::<f64>()], 0..7)
                .prop_map(|list| format!("{list:?}")),
            prop::collection::vec(any::<f64>(), 36).prop_map(|list| {
                let rows: Vec<&[f64]> = list.chunks(6).collect();
                format!("{rows:?}")
            }),
            prop::collection::vec(any::<f64>(), 3)
                .prop_map(|list| format!("{:e} kg m^2, {:e} kg m^2, {:e} kg m^2", list[0], list[1], list[2])),
        ],
    ) {
        prop_assert!(survives(SPATIAL[0], &set(name, &value)));
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
