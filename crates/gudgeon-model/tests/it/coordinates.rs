//! `coordinates = "auto"`: which coordinates each shipped model gets, and whether they are the cheaper ones.

use std::time::Instant;

use gudgeon::assembly::{Assembly, assemble};
use gudgeon::model::{Coordinates, Model};
use gudgeon::system::Plant;
use gudgeon_dae::{SecondOrderDae, Stabilisation};
use gudgeon_model::Overrides;
use gudgeon_model::shipped::{self, SHIPPED};

/// Microseconds of an evaluation, the best of some, interleaved.
fn times(starts: &[Assembly; 2]) -> [f64; 2] {
    let mut plants = [0, 1].map(|k| Plant::new(&starts[k].system));
    let states = [0, 1].map(|k| starts[k].state());
    let mut rates = states.clone();
    let mut best = [f64::INFINITY; 2];
    let mut count = 20;
    for _ in 0..12 {
        for k in [0, 1] {
            plants[k].find_modes(0.0, &states[k]);
            let begin = Instant::now();
            for _ in 0..count {
                plants[k].rates(0.0, &states[k], &mut rates[k], Stabilisation::default()).unwrap();
            }
            let own = begin.elapsed().as_secs_f64() / f64::from(count);
            best[k] = best[k].min(1e6 * own);
        }
        count = ((2e3 / best[0]) as u32).clamp(5, 2000);
    }
    best
}

#[test]
#[ignore = "slow: measures every shipped model"]
fn counted_costs_are_those_measured() {
    println!("model space bodies rows steps sweeps pairs factors | rows2 ... | us");
    for one in SHIPPED {
        let loaded = shipped::load(one, &Overrides::default()).unwrap();
        let with = |coordinates| assemble(&Model { coordinates, ..loaded.model.clone() });
        let (Ok(a), Ok(b)) = (with(Coordinates::Absolute), with(Coordinates::Joint)) else {
            continue;
        };
        if b.system.tree.is_none() {
            continue;
        }
        let [x, y] = [&a, &b].map(|one| one.system.operations());
        let starts = [a, b];
        let [t, u] = times(&starts);
        let row = |o: gudgeon::system::choice::Operations| {
            [o.bodies, o.columns, o.rows, o.steps, o.sweeps, o.pairs, o.factors]
                .map(|n| n.to_string())
                .join(",")
        };
        println!(
            "ROW {},{:?},{},{},{},{t:.4},{u:.4}",
            one.name,
            loaded.model.space,
            starts[1].system.layout.v,
            row(x),
            row(y)
        );
    }
}
