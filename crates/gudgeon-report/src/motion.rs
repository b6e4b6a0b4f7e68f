//! Motions and journals for a page.

use gudgeon_output::motion::{Mechanism, Motion, deflections};
use serde::Serialize;

use crate::block::{Array, Block};

/// Bytes of poses and forces of one motion at most: of more keys every second one is left out, and so on.
const BYTES: usize = 110_000;

#[derive(Debug, Serialize)]
pub struct Moving<'a> {
    mechanism: &'a Mechanism,
    t: Array,
    impacts: Array,
    /// Poses, column by column, each with its ends.
    poses: Vec<(Array, [f64; 2])>,
    /// Deflections of inner stations from the chords of their lines, line by line, at their own scale.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    deflections: Vec<(Array, [f64; 2])>,
    /// Forces of joints, column by column.
    forces: Vec<(Array, [f64; 2])>,
    /// Between how many keys of the record one is left out.
    every: usize,
}

#[derive(Debug, Serialize)]
pub struct Journal {
    name: String,
    joint: usize,
    clearance: f64,
    t: Array,
    /// Place, force, touch.
    columns: Vec<(Array, [f64; 2])>,
}

pub fn moving<'a>(motion: &'a Motion, block: &mut Block) -> Moving<'a> {
    let mechanism = &motion.mechanism;
    let poses = mechanism.poses() * mechanism.pose_size();
    let mut every = 1;
    let bent = bent(motion);
    while 2 * (motion.columns.len() + bent.len()) * motion.times.len() / every > BYTES {
        every *= 2;
    }
    let last = motion.times.len().saturating_sub(1);
    let kept: Vec<usize> = (0..motion.times.len())
        .filter(|i| i % every == 0 || *i == last || motion.impacts[*i])
        .collect();
    let pick = |column: &[f64]| kept.iter().map(|i| column[*i]).collect::<Vec<f64>>();
    Moving {
        t: block.doubles(pick(&motion.times)),
        impacts: block.floats(kept.iter().map(|i| f64::from(u8::from(motion.impacts[*i])))),
        poses: motion.columns[..poses].iter().map(|c| block.shorts(&pick(c))).collect(),
        deflections: bent.iter().map(|c| block.shorts(&pick(c))).collect(),
        forces: motion.columns[poses..].iter().map(|c| block.shorts(&pick(c))).collect(),
        mechanism,
        every,
    }
}

/// Deflections of all lines, column by column.
fn bent(motion: &Motion) -> Vec<Vec<f64>> {
    let mechanism = &motion.mechanism;
    let (size, axes) = (mechanism.pose_size(), mechanism.axes());
    let (mut all, mut first) = (Vec::new(), 0);
    for one in &mechanism.drawn {
        let poses = size * one.stations.len().max(1);
        let count = axes * one.stations.len().saturating_sub(2);
        let mut columns = vec![Vec::with_capacity(motion.times.len()); count];
        let (mut row, mut out) = (vec![0.0; poses], vec![0.0; count]);
        for key in 0..if count > 0 { motion.times.len() } else { 0 } {
            let columns_of = &motion.columns[first..first + poses];
            row.iter_mut().zip(columns_of).for_each(|(value, column)| *value = column[key]);
            deflections(&row, &one.stations, (size, axes), &mut out);
            columns.iter_mut().zip(&out).for_each(|(column, value)| column.push(*value));
        }
        all.extend(columns);
        first += poses;
    }
    all
}

/// Journals of a mechanism from the columns of their table.
pub fn journals(mechanism: &Mechanism, columns: &[Vec<f64>], block: &mut Block) -> Vec<Journal> {
    let one = |(number, journal): (usize, &gudgeon_output::motion::Journal)| {
        let from = columns[0].partition_point(|n| *n < number as f64);
        let to = columns[0].partition_point(|n| *n <= number as f64);
        Journal {
            name: journal.name.clone(),
            joint: journal.joint,
            clearance: journal.clearance,
            t: block.floats(columns[1][from..to].iter().copied()),
            columns: columns[2..].iter().map(|c| block.shorts(&c[from..to])).collect(),
        }
    };
    mechanism.journals.iter().enumerate().map(one).collect()
}
