//! How a search went and what it found.

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Mark, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, Spacing};
use gudgeon_study::file::Objective;

use super::super::{Optimum, Search, Standing, StudyJob, StudyOutcome};
use super::{Picture, axes, columns, layer, light, picture};
use crate::text::plural;

/// Evaluations from which their axis is logarithmic.
const MANY: usize = 1000;
/// Panels of a front in several objectives.
const PANELS: usize = 6;

pub fn draw(job: &StudyJob, outcome: &StudyOutcome) -> Option<Picture> {
    let search = outcome.search.as_ref()?;
    let wanted = job.study().optimise.as_ref()?;
    match &wanted.objectives[..] {
        [one] => convergence(job, search, *one),
        several => front(job, outcome, search, several),
    }
}

fn how(search: &Search) -> String {
    let evaluations = plural(search.evaluations, "evaluation", "evaluations");
    let before = match search.samples {
        0 => String::new(),
        samples => format!(" after {}", plural(samples, "sample", "samples")),
    };
    format!("{} on the {}, {evaluations}{before}", search.method, search.on)
}

fn convergence(job: &StudyJob, search: &Search, objective: Objective) -> Option<Picture> {
    let history: Vec<(f64, f64)> = search
        .history
        .iter()
        .map(|(n, best)| (*n as f64, *best))
        .filter(|p| p.1.is_finite())
        .collect();
    let (first, all) = (history.first()?.0, search.samples + search.evaluations);
    let last = all as f64;
    let mut steps = Vec::new();
    for pair in history.windows(2) {
        steps.extend([pair[0], (pair[1].0, pair[0].1)]);
    }
    let end = *history.last()?;
    steps.extend([end, (last.max(end.0), end.1)]);
    let response = objective.response;
    let y = axes::response(job.study(), response);
    let mut layers = vec![layer("best so far", Colour::Main, Shape::Line(steps))];
    let end = last.max(end.0);
    if let [optimum] = &search.optima[..] {
        if let Some((mean, std)) = optimum.predicted[response].filter(|_| search.on == "surrogate")
        {
            let (low, high) = axes::interval(&y, (mean, std));
            let bar = vec![[end, low, high]];
            layers.push(layer(
                "surrogate ± 2 standard deviations",
                Colour::Muted,
                Shape::Bars(bar),
            ));
        }
        if let Ok(values) = &optimum.simulated {
            let look = Look { colour: Colour::Second, marker: Mark::Diamond, ..Look::default() };
            let at = vec![(end, job.value(values, response))];
            let label = match optimum.feasible() {
                Some(false) => "simulated at the best point: breaks a limit",
                _ => "simulated at the best point",
            };
            layers.push(Layer { label: label.into(), look, shape: Shape::Points(at) });
        }
    }
    let many = all > MANY;
    let verb = if objective.maximise { "maximise" } else { "minimise" };
    let spacing = if many { Spacing::Log } else { Spacing::Linear };
    let reach = if many { end * 1.2 } else { end + 0.02 * (end - first).max(1.0) };
    let ends = Some((first.max(1.0), reach));
    let name = if search.samples > 0 { "samples, then evaluations" } else { "evaluations" };
    let x = AxisSpec { name: name.into(), unit: String::new(), spacing, ends };
    let chart = Chart {
        title: format!("{verb} {}", y.name),
        subtitle: how(search),
        columns: 1,
        panels: vec![Panel { x, y, layers, ..Panel::default() }],
        ..Chart::default()
    };
    picture("convergence", chart)
}

fn front(
    job: &StudyJob,
    outcome: &StudyOutcome,
    search: &Search,
    wanted: &[Objective],
) -> Option<Picture> {
    let pairs =
        wanted.iter().enumerate().flat_map(|(k, a)| wanted[k + 1..].iter().map(move |b| (a, b)));
    let panels: Vec<Panel> =
        pairs.take(PANELS).map(|(a, b)| trade(job, outcome, search, [*a, *b])).collect();
    let kept = search.optima.iter().filter(|optimum| optimum.standing == Standing::Best).count();
    let all = search.optima.len();
    let chart = Chart {
        title: "Pareto front".into(),
        subtitle: format!("{}; {kept} of {all} points found hold in simulation", how(search)),
        columns: columns(panels.len()),
        panels,
        ..Chart::default()
    };
    picture("pareto", chart)
}

/// One objective against another.
fn trade(job: &StudyJob, outcome: &StudyOutcome, search: &Search, pair: [Objective; 2]) -> Panel {
    let study = job.study();
    let [a, b] = pair.map(|objective| objective.response);
    let simulated = |optimum: &Optimum| {
        let values = optimum.simulated.as_ref().ok()?;
        Some((job.value(values, a), job.value(values, b)))
    };
    let predicted = |optimum: &Optimum| {
        let [x, y] = [a, b].map(|i| optimum.predicted[i].map(|(mean, _)| mean));
        x.zip(y)
    };
    let of = |standing: Standing| -> Vec<(f64, f64)> {
        let all = search.optima.iter().filter(|optimum| optimum.standing == standing);
        all.filter_map(simulated).collect()
    };
    let foreseen: Vec<(f64, f64)> = search.optima.iter().filter_map(predicted).collect();
    let mut ways = Vec::new();
    for optimum in &search.optima {
        if let Some((from, to)) = predicted(optimum).zip(simulated(optimum)) {
            ways.extend([from, to, (f64::NAN, f64::NAN)]);
        }
    }
    let samples = axes::done(job, outcome, a).zip(axes::done(job, outcome, b));
    let samples = samples.map(|((_, _, x), (_, _, y))| (x, y)).collect();
    let points = |label: &str, colour, marker, all| Layer {
        label: label.into(),
        look: Look { colour, marker, opacity: 0.5, ..Look::default() },
        shape: Shape::Points(all),
    };
    let all = [
        points("samples", Colour::Faint, Mark::Ring, samples),
        light("", Colour::Faint, 1.0, Shape::Line(ways)),
        points("by the surrogate", Colour::Main, Mark::Ring, foreseen),
        points("simulated, dominated", Colour::Muted, Mark::Cross, of(Standing::Dominated)),
        points("simulated, breaks a limit", Colour::Alert, Mark::Cross, of(Standing::BreaksLimit)),
        points("Pareto front, simulated", Colour::Main, Mark::Dot, of(Standing::Best)),
    ];
    let filled = |layer: &Layer| !matches!(&layer.shape, Shape::Points(all) if all.is_empty());
    let axis = |objective: Objective| {
        let way = if objective.maximise { "maximise" } else { "minimise" };
        let axis = axes::response(study, objective.response);
        AxisSpec { name: format!("{} ({way})", axis.name), ..axis }
    };
    Panel {
        x: axis(pair[0]),
        y: axis(pair[1]),
        layers: all.into_iter().filter(filled).collect(),
        ..Panel::default()
    }
}
