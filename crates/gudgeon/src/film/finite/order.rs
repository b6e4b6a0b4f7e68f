//! Which row of the matrix a node has.

use super::grid::Around;

/// Lines with a wet node, one after the other from one that has none or is held; where all have, from
/// both sides of line 0 in turn, which closes the circle at twice the reach.
#[derive(Clone, Debug)]
pub struct Order {
    /// Place of each line; those left out share the place after the last.
    place: Vec<usize>,
    rows: usize,
    lines: usize,
    folded: bool,
}

impl Order {
    pub fn new(lines: usize, rows: usize) -> Self {
        Self { place: vec![0; lines], rows, lines: 0, folded: false }
    }

    /// Orders the lines for a set of wet nodes.
    pub fn set(&mut self, around: &Around, wet: &[bool]) {
        let (all, rows) = (around.lines(), self.rows);
        let takes_part = |line: usize| {
            around.held[line].is_none() && wet[line * rows..(line + 1) * rows].contains(&true)
        };
        let cut = (0..all).find(|&line| !takes_part(line));
        self.folded = cut.is_none();
        let Some(cut) = cut else {
            for (line, place) in self.place.iter_mut().enumerate() {
                *place = if 2 * line < all { 2 * line } else { 2 * (all - 1 - line) + 1 };
            }
            self.lines = all;
            return;
        };
        self.lines = 0;
        for line in (cut..all).chain(0..cut) {
            self.place[line] = if takes_part(line) {
                self.lines += 1;
                self.lines - 1
            } else {
                usize::MAX
            };
        }
        for place in &mut self.place {
            *place = (*place).min(self.lines);
        }
    }

    /// Rows of the matrix.
    pub fn size(&self) -> usize {
        self.lines * self.rows
    }

    /// Farthest coupling.
    pub fn reach(&self) -> usize {
        if self.folded { 2 * self.rows } else { self.rows }
    }

    /// Whether a line takes part.
    #[inline]
    pub fn has(&self, line: usize) -> bool {
        self.place[line] < self.lines
    }

    #[inline]
    pub fn of(&self, line: usize, row: usize) -> usize {
        self.place[line] * self.rows + row
    }
}
