//! A Pareto front in words and a table.

use gudgeon_study::file::Objective;

use gudgeon_engine::study::{Optimum, Standing, StudyJob, point_shown};
use gudgeon_engine::text::{plural, quantity};

use crate::table::Table;
use crate::terminal::Paint;

/// Points shown at most.
const SHOWN: usize = 10;

/// What is left of a front, and a table of it.
pub fn text(job: &StudyJob, on: &str, found: &[Optimum], paint: Paint) -> String {
    let shown = chosen(found);
    let wanted = job.study().optimise.iter().flat_map(|optimise| &optimise.objectives);
    let wanted: Vec<&Objective> = wanted.collect();
    let each = |value: &dyn Fn(usize) -> Option<f64>| {
        let cell = |objective: &&Objective| {
            let response = &job.study().responses[objective.response];
            let shown = quantity(value(objective.response)?, &response.unit);
            Some(format!("{} {shown}", response.name))
        };
        wanted.iter().filter_map(cell).collect::<Vec<_>>().join(", ")
    };
    let mut table = Table::new(["point", "simulated", "surrogate", "remark"]).text_from(1);
    for optimum in &shown {
        let values = optimum.simulated.as_ref().ok();
        table.row(vec![
            point_shown(job, &optimum.point),
            each(&|i| values.map(|values| job.value(values, i))),
            each(&|i| optimum.predicted[i].map(|(mean, _)| mean)),
            optimum.standing.remark().to_owned(),
        ]);
    }
    let mut text = format!("  {}\n{}", front(on, found), table.render(paint));
    if shown.len() < found.len() {
        let (shown, all) = (shown.len(), found.len());
        text.push_str(&format!("  {shown} of {all} points shown, all of them in study.json\n"));
    }
    text
}

/// The front in a sentence, with what was sorted out of it.
fn front(on: &str, found: &[Optimum]) -> String {
    let count = |standing| found.iter().filter(|optimum| optimum.standing == standing).count();
    let points = plural(count(Standing::Best), "point", "points");
    let out = [
        (count(Standing::Dominated), "is dominated", "are dominated"),
        (count(Standing::BreaksLimit), "breaks a limit", "break a limit"),
        (count(Standing::Failed), "failed", "failed"),
    ];
    let out: Vec<String> =
        out.iter().filter(|(n, ..)| *n > 0).map(|(n, one, many)| plural(*n, one, many)).collect();
    let front = match count(Standing::Best) {
        0 => "no point is left of the Pareto front".to_owned(),
        _ => format!("Pareto front of {points}"),
    };
    match out.is_empty() {
        true => front,
        false => format!(
            "{front}; of {} found on the {on}, simulation shows: {}",
            found.len(),
            out.join(", ")
        ),
    }
}

/// Points to show: those of the front first, evenly spread where there are too many.
fn chosen(found: &[Optimum]) -> Vec<&Optimum> {
    let is_best = |i: &usize| found[*i].standing == Standing::Best;
    let (best, rest): (Vec<usize>, Vec<usize>) = (0..found.len()).partition(is_best);
    let mut places = spread(&best, SHOWN);
    places.extend(spread(&rest, SHOWN - places.len()));
    places.sort_unstable();
    places.into_iter().map(|i| &found[i]).collect()
}

/// At most so many of a list, its ends among them.
fn spread(all: &[usize], most: usize) -> Vec<usize> {
    let count = all.len().min(most);
    (0..count).map(|k| all[k * (all.len() - 1) / (count - 1).max(1)]).collect()
}
