//! Surrogates over two variables.
//!
//! Every slice is drawn over the pairs of `surfaces` that it leaves free, or, if it leaves none free,
//! over all pairs of the variables that it leaves free. A pair that no slice draws is drawn with all
//! others in the middle of their ranges. Without `surfaces` and `slices` there is a surface for every
//! pair, if there are at most three variables.

use gudgeon_output::plot::chart::{Colour, Layer, Look, Mark, Shape};
use gudgeon_output::plot::{Grid, SurfacePlot, surface};
use gudgeon_study::file::Study;

use super::super::surrogate::Model;
use super::super::{Optimum, Standing, StudyJob, StudyOutcome, optimise, readable};
use super::{Picture, axes, file};

/// Points of the grid in each direction, for few samples and for many.
const POINTS: [usize; 2] = [61, 41];
const MANY: usize = 300;
/// A sample counts for a slice if it is within this part of every range.
const NEAR: f64 = 0.1;

/// Two variables to draw over, and values of others.
#[derive(Clone, Debug, PartialEq)]
struct Cut {
    pair: (usize, usize),
    slice: Vec<(usize, f64)>,
}

pub fn draw(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Picture> {
    let cuts = cuts(job.study());
    let mut all = Vec::new();
    for fitted in &outcome.fitted {
        let Ok(model) = &fitted.model else { continue };
        let one = |cut: &Cut| picture(job, outcome, fitted.response, model, cut);
        all.extend(cuts.iter().map(one));
    }
    all
}

fn cuts(study: &Study) -> Vec<Cut> {
    let wanted = &study.plots.surfaces;
    let usable: Vec<usize> =
        (0..study.variables.len()).filter(|i| !study.variables[*i].is_text()).collect();
    let mut cuts = Vec::new();
    for slice in &study.plots.slices {
        let free = |i: &usize| !slice.iter().any(|(sliced, _)| sliced == i);
        let mut pairs: Vec<(usize, usize)> =
            wanted.iter().copied().filter(|(a, b)| free(a) && free(b)).collect();
        if pairs.is_empty() {
            pairs = pairs_of(&usable.iter().copied().filter(free).collect::<Vec<_>>());
        }
        cuts.extend(pairs.into_iter().map(|pair| Cut { pair, slice: slice.clone() }));
    }
    let few = study.plots.slices.is_empty() && study.variables.len() <= 3;
    let rest = if wanted.is_empty() && few { pairs_of(&usable) } else { wanted.clone() };
    for pair in rest {
        if !cuts.iter().any(|cut| cut.pair == pair) {
            cuts.push(Cut { pair, slice: Vec::new() });
        }
    }
    cuts
}

fn pairs_of(variables: &[usize]) -> Vec<(usize, usize)> {
    let after = |(k, a): (usize, &usize)| {
        let a = *a;
        variables[k + 1..].iter().map(move |b| (a, *b)).collect::<Vec<_>>()
    };
    variables.iter().enumerate().flat_map(after).collect()
}

fn picture(
    job: &StudyJob,
    outcome: &StudyOutcome,
    response: usize,
    model: &Model,
    cut: &Cut,
) -> Picture {
    let study = job.study();
    let mut point = axes::middle(job);
    cut.slice.iter().for_each(|(i, value)| point[*i] = *value);
    let (a, b) = cut.pair;
    let grid = grid(job, model, &point, cut.pair);
    // Some of them may stand twice.
    let what = if outcome.infill.is_empty() { "samples" } else { "runs" };
    let runs = format!("{} {what}", model.kriging.responses().len());
    let (x, y) = (axes::variable(study, a), axes::variable(study, b));
    let z = axes::response(study, response);
    let held: Vec<usize> = (0..point.len()).filter(|i| *i != a && *i != b).collect();
    let marks = marks(job, outcome, response, &point, cut.pair, &held);
    let title = format!("{} over {} and {}", z.name, x.name, y.name);
    let text = surface(&SurfacePlot {
        title: &title,
        subtitle: &subtitle(study, cut, &point, &held, &runs),
        x: &x,
        y: &y,
        z: &z,
        grid: &grid,
        layers: &marks.layers,
        points: &marks.points,
    });
    let mut name = format!("surface_{}_{}_{}", z.name, x.name, y.name);
    for (i, value) in &cut.slice {
        let at = readable(&study.variables[*i], *value).replace(' ', "").replace('−', "-");
        name.push_str(&format!("_{}_{at}", study.variables[*i].name));
    }
    (file(&name), text)
}

/// Predictions over two variables, the others as in `point`.
fn grid(job: &StudyJob, model: &Model, point: &[f64], pair: (usize, usize)) -> Grid {
    let study = job.study();
    let samples = model.kriging.responses().len();
    let count = POINTS[usize::from(samples > MANY)];
    let [xs, ys] = [pair.0, pair.1].map(|i| axes::levels(study, i, count));
    let row = |x: f64, y: f64| {
        let mut row = point.to_vec();
        (row[pair.0], row[pair.1]) = (x, y);
        row
    };
    let rows: Vec<Vec<f64>> =
        ys.iter().flat_map(|(_, y)| xs.iter().map(move |(_, x)| row(*x, *y))).collect();
    let values = optimise::predict(job, Some(model), &rows);
    let places = |levels: &[(f64, f64)]| levels.iter().map(|(place, _)| *place).collect();
    Grid { xs: places(&xs), ys: places(&ys), values }
}

fn subtitle(study: &Study, cut: &Cut, point: &[f64], held: &[usize], runs: &str) -> String {
    let sliced = |i: &&usize| cut.slice.iter().any(|(sliced, _)| sliced == *i);
    let (at, middle): (Vec<&usize>, Vec<&usize>) = held.iter().partition(sliced);
    let told = |all: Vec<&usize>| {
        axes::told(study, &all.into_iter().map(|i| (*i, point[*i])).collect::<Vec<_>>())
    };
    let mut text = format!("Kriging of {runs}");
    if !at.is_empty() {
        text.push_str(&format!(" · at {}", told(at)));
    }
    if !middle.is_empty() {
        text.push_str(&format!(" · {} (the middle)", told(middle)));
    }
    text
}

/// What is known of the simulations.
struct Marks {
    layers: Vec<Layer>,
    /// Samples near the slice, in space.
    points: Vec<[f64; 3]>,
}

fn marks(
    job: &StudyJob,
    outcome: &StudyOutcome,
    response: usize,
    point: &[f64],
    (a, b): (usize, usize),
    held: &[usize],
) -> Marks {
    let study = job.study();
    let near = |at: &[f64]| {
        let share = |values: &[f64], i: usize| axes::share(study, i, values[i]);
        held.iter().all(|i| (share(at, *i) - share(point, *i)).abs() <= NEAR)
    };
    let place = |at: &[f64]| {
        (axes::shown(&study.variables[a], at[a]), axes::shown(&study.variables[b], at[b]))
    };
    let (mut on, mut off, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for (_, at, value) in axes::done(job, outcome, response) {
        let (x, y) = place(at);
        if near(at) {
            on.push((x, y));
            points.push([x, y, value]);
        } else {
            off.push((x, y));
        }
    }
    let (mut added, mut added_off) = (Vec::new(), Vec::new());
    for (_, at, value) in axes::infill(job, outcome, response) {
        let (x, y) = place(at);
        if near(at) {
            added.push((x, y));
            points.push([x, y, value]);
        } else {
            added_off.push((x, y));
        }
    }
    let optima = outcome.search.iter().flat_map(|search| &search.optima);
    let front = outcome.search.as_ref().is_some_and(|search| search.optima.len() > 1);
    let optima = optima.filter(|optimum| !front || optimum.standing == Standing::Best);
    let (best, aside): (Vec<_>, Vec<_>) = optima.partition(|optimum| near(&optimum.point));
    let places = |all: Vec<&Optimum>| all.iter().map(|o| place(&o.point)).collect();
    let what = if front { "Pareto front" } else { "optimum" };
    let near_label = if held.is_empty() { "samples" } else { "samples within 10 % of the slice" };
    let look = |colour, marker, opacity| Look { colour, marker, opacity, ..Look::default() };
    let all = [
        ("samples elsewhere", look(Colour::Muted, Mark::Ring, 0.5), off),
        (&format!("{} elsewhere", axes::INFILL), look(Colour::Muted, Mark::Cross, 0.5), added_off),
        (near_label, look(Colour::Alert, Mark::Dot, 1.0), on),
        (axes::INFILL, look(Colour::Alert, Mark::Cross, 1.0), added),
        (&format!("{what} elsewhere"), look(Colour::Second, Mark::Diamond, 0.5), places(aside)),
        (what, look(Colour::Second, Mark::Diamond, 1.0), places(best)),
    ];
    let layers = all.into_iter().filter(|(_, _, points)| !points.is_empty());
    let layer = |(label, look, points): (&str, Look, Vec<(f64, f64)>)| Layer {
        label: label.to_owned(),
        look,
        shape: Shape::Points(points),
    };
    Marks { layers: layers.map(layer).collect(), points }
}
