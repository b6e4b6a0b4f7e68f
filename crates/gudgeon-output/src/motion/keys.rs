//! Key instants of values over time, chosen as they come, in memory that does not grow with the run.
//!
//! From the last key, at t₀, a line to a point at t passes all points between within their tolerances where its
//! slope s lies for every value in
//!
//!   ⋂ᵢ [ (xᵢ − δ − x₀)/(tᵢ − t₀), (xᵢ + δ − x₀)/(tᵢ − t₀) ]                                  (1)
//!
//! The first point that does not makes the one before it a key. Where keys become too many, they are chosen again
//! among themselves with twice the tolerance: all errors together stay below twice the last one, for
//! δ + δ/2 + δ/4 + … < 2 δ. Values that are followed as far as there is room only, such as small deflections, are given
//! up first.

/// Chooses key instants.
#[derive(Clone, Debug)]
pub struct Keys {
    /// Values that are followed within tolerances; further ones of a row come along.
    tolerances: Vec<f64>,
    width: usize,
    /// Keys at most, those marked aside.
    most: usize,
    /// Times tolerances are multiplied by, and those of the last `spare` values.
    factor: f64,
    spare: usize,
    spare_factor: f64,
    times: Vec<f64>,
    rows: Vec<f64>,
    marked: Vec<bool>,
    /// The last point, which is not a key yet.
    waiting: Option<(f64, Vec<f64>, bool)>,
    /// (1), value by value.
    slopes: Vec<(f64, f64)>,
    marks: usize,
}

/// Marked keys beyond this are like others.
const MARKS: usize = 4000;
/// Tolerances of values to spare grow so far before they are given up.
const SPARED: f64 = 8.0;

impl Keys {
    /// For rows of `width` values, the first of which are followed.
    pub fn new(tolerances: Vec<f64>, width: usize, most: usize) -> Keys {
        let slopes = vec![(f64::NEG_INFINITY, f64::INFINITY); tolerances.len()];
        Keys {
            tolerances,
            width,
            most: most.max(2),
            factor: 1.0,
            spare: 0,
            spare_factor: 1.0,
            times: Vec::new(),
            rows: Vec::new(),
            marked: Vec::new(),
            waiting: None,
            slopes,
            marks: 0,
        }
    }

    /// The last `spare` of the values that are followed decide on keys where there is room, and are not kept.
    pub fn sparing(self, spare: usize) -> Keys {
        Keys { spare, ..self }
    }

    fn tolerance(&self, value: usize) -> f64 {
        let spared = value + self.spare >= self.tolerances.len();
        self.tolerances[value] * if spared { self.spare_factor } else { self.factor }
    }

    /// The next point; times rise.
    pub fn push(&mut self, t: f64, row: &[f64]) {
        self.add(t, row, false);
        if self.times.len() - self.marks > self.most {
            self.thin();
        }
    }

    /// Makes the last point a key.
    pub fn mark(&mut self) {
        if let Some(waiting) = &mut self.waiting {
            waiting.2 = true;
        } else if let Some(last) = self.marked.last_mut()
            && !*last
        {
            *last = true;
            self.marks += 1;
        }
    }

    /// Follows a value within another tolerance from now on.
    pub fn set_tolerance(&mut self, value: usize, tolerance: f64) {
        self.tolerances[value] = tolerance;
    }

    fn add(&mut self, t: f64, row: &[f64], marked: bool) {
        let Some(&anchor) = self.times.last() else {
            return self.keep(t, row, marked);
        };
        if self.waiting.as_ref().is_some_and(|(_, _, marked)| *marked)
            || (self.waiting.is_some() && !self.passes(anchor, t, row))
        {
            self.keep_waiting();
        }
        let anchor = self.times.last().copied().unwrap_or(t);
        match &mut self.waiting {
            // Two points at one instant: the later one holds.
            _ if t <= anchor => return,
            Some((time, values, mark)) => {
                (*time, *mark) = (t, marked);
                values.copy_from_slice(row);
            }
            None => self.waiting = Some((t, row.to_vec(), marked)),
        }
        let from = self.rows.len() - self.width;
        for i in 0..self.slopes.len() {
            let (tolerance, off) = (self.tolerance(i), row[i] - self.rows[from + i]);
            let (low, high) = &mut self.slopes[i];
            *low = low.max((off - tolerance) / (t - anchor));
            *high = high.min((off + tolerance) / (t - anchor));
        }
    }

    /// (1).
    fn passes(&self, anchor: f64, t: f64, row: &[f64]) -> bool {
        let from = &self.rows[self.rows.len() - self.width..];
        let inside = |(i, (low, high)): (usize, &(f64, f64))| {
            let slope = (row[i] - from[i]) / (t - anchor);
            (*low..=*high).contains(&slope)
        };
        self.slopes.iter().enumerate().all(inside)
    }

    fn keep(&mut self, t: f64, row: &[f64], marked: bool) {
        let marked = marked && self.marks < MARKS;
        self.marks += usize::from(marked);
        self.times.push(t);
        self.rows.extend_from_slice(row);
        self.marked.push(marked);
        self.slopes.fill((f64::NEG_INFINITY, f64::INFINITY));
    }

    fn keep_waiting(&mut self) {
        if let Some((t, row, marked)) = self.waiting.take() {
            self.keep(t, &row, marked);
        }
    }

    /// Chooses again among the keys, more coarsely.
    fn thin(&mut self) {
        while self.times.len() - self.marks > self.most / 4 * 3 {
            match self.spare {
                0 => self.factor *= 2.0,
                _ if self.spare_factor < SPARED => self.spare_factor *= 2.0,
                _ if self.spare_factor.is_finite() => self.spare_factor = f64::INFINITY,
                _ => self.factor *= 2.0,
            }
            let (times, rows) = (std::mem::take(&mut self.times), std::mem::take(&mut self.rows));
            let (marked, last) = (std::mem::take(&mut self.marked), self.waiting.take());
            self.marks = 0;
            for (i, t) in times.iter().enumerate() {
                self.add(*t, &rows[i * self.width..(i + 1) * self.width], marked[i]);
            }
            if let Some((t, row, marked)) = last {
                self.add(t, &row, marked);
            }
            if self.factor > 1e30 {
                return;
            }
        }
    }

    /// The keys: times, rows one after another, and which are marked.
    pub fn finish(mut self) -> (Vec<f64>, Vec<f64>, Vec<bool>) {
        self.keep_waiting();
        let kept = self.tolerances.len() - self.spare;
        let spared = kept..self.tolerances.len();
        if !spared.is_empty() {
            let mut column = (0..self.width).cycle();
            self.rows.retain(|_| column.next().is_none_or(|i| !spared.contains(&i)));
        }
        (self.times, self.rows, self.marked)
    }

    /// By how much tolerances may be exceeded: 1 unless keys were too many.
    pub fn coarser(&self) -> f64 {
        if self.factor > 1.0 { 2.0 * self.factor } else { 1.0 }
    }

    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest distance of a function from the keys.
    fn error(keys: Keys, f: impl Fn(f64) -> f64) -> (usize, f64) {
        let (t, x, _) = keys.finish();
        let mut most: f64 = 0.0;
        for (ends, values) in t.windows(2).zip(x.windows(2)) {
            for k in 0..=20 {
                let s = f64::from(k) / 20.0;
                let at = ends[0] + s * (ends[1] - ends[0]);
                most = most.max((values[0] + s * (values[1] - values[0]) - f(at)).abs());
            }
        }
        (t.len(), most)
    }

    #[test]
    fn lines_between_keys_pass_all_points_within_the_tolerance() {
        let f = |t: f64| (7.0 * t).sin() + 0.2 * (31.0 * t).cos();
        let mut keys = Keys::new(vec![1e-3], 1, 10_000);
        (0..=20_000).for_each(|i| keys.push(f64::from(i) * 1e-4, &[f(f64::from(i) * 1e-4)]));
        let (count, error) = error(keys, f);
        // Points lie 1e-4 s apart, between which the function is straight to h²/8 × 200 = 3e-7.
        assert!(error < 1e-3 + 3e-7, "{error}");
        assert!(count < 300, "{count}");
    }

    #[test]
    fn straight_lines_need_their_ends_only_and_marks_stay() {
        let mut keys = Keys::new(vec![1e-9, 1e-9], 3, 100);
        for i in 0..1000 {
            let t = f64::from(i);
            keys.push(t, &[2.0 * t, -t, 0.5]);
            if i == 500 {
                keys.mark();
            }
        }
        let (t, rows, marked) = keys.finish();
        assert_eq!(t, [0.0, 500.0, 999.0]);
        assert_eq!(rows[3..6], [1000.0, -500.0, 0.5]);
        assert_eq!(marked, [false, true, false]);
    }

    #[test]
    fn keys_do_not_grow_with_the_run_and_errors_stay_below_what_is_said() {
        let f = |t: f64| t.sin();
        let mut keys = Keys::new(vec![1e-4], 1, 200);
        (0..=200_000).for_each(|i| keys.push(f64::from(i) * 1e-2, &[f(f64::from(i) * 1e-2)]));
        let said = 1e-4 * keys.coarser();
        let (count, error) = error(keys, f);
        assert!(count <= 201 && error <= said + 2e-5, "{count} keys, {error} of {said}");
    }

    #[test]
    fn what_is_to_spare_is_followed_where_there_is_room_and_given_up_first() {
        let (slow, quick) = (|t: f64| t.sin(), |t: f64| 1e-3 * (40.0 * t).sin());
        let keys = |last: i32, most: usize| {
            let mut keys = Keys::new(vec![1e-2, 1e-4], 3, most).sparing(1);
            (0..=last)
                .map(|i| f64::from(i) * 1e-3)
                .for_each(|t| keys.push(t, &[slow(t), quick(t), 7.0]));
            keys
        };
        // 40 half periods of the quick one, each with two keys or more, and no column of it.
        let (t, rows, _) = keys(3142, 1000).finish();
        assert!((80..600).contains(&t.len()), "{}", t.len());
        assert!(rows.len() == 2 * t.len() && rows.iter().skip(1).step_by(2).all(|x| *x == 7.0));
        // A hundred times as long there is no room for it, but for the slow one.
        let long = keys(314_200, 1000);
        assert_eq!(long.coarser(), 1.0);
        let (t, rows, _) = long.finish();
        let miss = |i: usize| {
            let middle = 0.5 * (t[i] + t[i + 1]);
            (0.5 * (rows[2 * i] + rows[2 * i + 2]) - slow(middle)).abs()
        };
        assert!(t.len() <= 1001 && (0..t.len() - 1).all(|i| miss(i) < 1.01e-2));
    }

    #[test]
    fn nothing_and_one_point_are_fine() {
        assert!(Keys::new(vec![1.0], 1, 10).finish().0.is_empty());
        let mut keys = Keys::new(vec![1.0], 1, 10);
        keys.push(1.0, &[2.0]);
        keys.push(1.0, &[3.0]);
        keys.mark();
        assert_eq!(keys.finish(), (vec![1.0], vec![2.0], vec![true]));
    }
}
