//! `coordinates = "auto"`: which coordinates each shipped model gets, and whether they are the cheaper ones.

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::cpu;
use gudgeon::model::{Coordinates, Model};
use gudgeon::system::Plant;
use gudgeon::system::choice::{Why, choose};
use gudgeon_dae::{SecondOrderDae, Stabilisation};
use gudgeon_model::Overrides;
use gudgeon_model::shipped::{self, SHIPPED};

/// Rounds of about two milliseconds: enough that each kind of coordinates has some that nothing else disturbs.
const ROUNDS: usize = 40;

/// Microseconds of CPU time of an evaluation, the best of many rounds, turn by turn.
fn times(starts: &[Assembly; 2]) -> [f64; 2] {
    let mut plants = [0, 1].map(|k| Plant::new(&starts[k].system));
    let states = [0, 1].map(|k| starts[k].state());
    let mut rates = states.clone();
    let mut best = [f64::INFINITY; 2];
    let mut count = 20;
    for _ in 0..ROUNDS {
        for k in [0, 1] {
            plants[k].find_modes(0.0, &states[k]);
            let begin = cpu::seconds();
            for _ in 0..count {
                plants[k].rates(0.0, &states[k], &mut rates[k], Stabilisation::default()).unwrap();
            }
            let own = (cpu::seconds() - begin) / f64::from(count);
            best[k] = best[k].min(1e6 * own);
        }
        count = ((2e3 / best[0]) as u32).clamp(5, 2000);
    }
    best
}

/// What `"auto"` takes for every shipped model whose motion is run.
#[test]
fn shipped_models_get_the_cheaper_coordinates() {
    let mut lines = String::new();
    for one in SHIPPED {
        let set = vec![("model.coordinates".to_owned(), "auto".to_owned())];
        let loaded = shipped::load(one, &Overrides { set, ..Overrides::default() }).unwrap();
        let Some(choice) = &loaded.choice else {
            lines += &format!("{:36} no motion\n", one.name);
            continue;
        };
        assert_eq!(loaded.model.coordinates, choice.coordinates);
        let joint = choice.joint.map_or(String::new(), |count| {
            format!(
                "{} + {}, {:.2}",
                count.velocities,
                count.rows,
                count.cost / choice.absolute.cost
            )
        });
        let absolute = format!("{} + {}", choice.absolute.velocities, choice.absolute.rows);
        lines += &format!(
            "{:36} {:9} {:?}: {absolute} or {joint}\n",
            one.name,
            choice.word(),
            choice.why
        );
    }
    insta::assert_snapshot!(lines);
}

#[test]
#[ignore = "slow: measures every shipped model"]
fn the_cheaper_coordinates_are_those_that_take_less_time() {
    let mut dearer = Vec::new();
    for one in SHIPPED {
        let loaded = shipped::load(one, &Overrides::default()).unwrap();
        let Ok(choice) = choose(&loaded.model, &loaded.run) else { continue };
        if !matches!(choice.why, Why::Cost) {
            continue;
        }
        let starts = [Coordinates::Absolute, Coordinates::Joint]
            .map(|coordinates| assemble(&Model { coordinates, ..loaded.model.clone() }).unwrap());
        let [absolute, joint] = times(&starts);
        let lost = match choice.coordinates {
            Coordinates::Absolute => absolute / joint,
            Coordinates::Joint => joint / absolute,
        };
        println!(
            "{:36} {:9} {absolute:8.3} µs and {joint:8.3} µs, weighed {:.2}, measured {:.2}",
            one.name,
            choice.word(),
            choice.joint.unwrap().cost / choice.absolute.cost,
            joint / absolute
        );
        // What redundant rows cost in absolute coordinates is not counted, so that some gain is left.
        let most = if choice.coordinates == Coordinates::Absolute { 1.8 } else { 1.25 };
        if lost >= most {
            dearer.push((one.name, lost));
        }
    }
    assert!(dearer.is_empty(), "{dearer:?}");
}
