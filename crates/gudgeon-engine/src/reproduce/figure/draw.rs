//! From the runs of a figure to its picture.

use std::path::{Path, PathBuf};

use gudgeon::progress::Progress;
use gudgeon_model::expr::quantity;
use gudgeon_model::units::Dimension;
use gudgeon_output::plot::AxisSpec;
use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Panel, Shape};
use gudgeon_output::save;

use super::super::runner::run_all;
use super::runs::{Ended, FigureRuns, quoted};
use super::{Asked, Curve, Drawn, Figure, FigurePanel, Frames};
use crate::plot::{PlotOptions, panels, values_at};

/// Panels of orbits by their number in a row.
const SQUARE: [(f64, f64); 3] = [(480.0, 480.0), (380.0, 380.0), (290.0, 290.0)];

/// Draws a figure into a folder.
pub fn draw<'a>(
    asked: &Asked<'a>,
    runs: &FigureRuns,
    ended: &Ended,
    folder: &Path,
    progress: &dyn Progress,
) -> Drawn<'a> {
    let figure = asked.figure;
    let commands = commands(figure, runs);
    let nothing = Drawn { figure, files: Vec::new(), commands, error: None };
    if !figure.is_drawn() {
        return nothing;
    }
    match picture(asked, runs, ended, folder, progress) {
        Ok(files) => Drawn { files, ..nothing },
        Err(error) => Drawn { error: Some(error), ..nothing },
    }
}

/// Writes the pictures and answers where they are.
fn picture(
    asked: &Asked<'_>,
    runs: &FigureRuns,
    ended: &Ended,
    folder: &Path,
    progress: &dyn Progress,
) -> Result<Vec<PathBuf>, String> {
    let figure = asked.figure;
    let file = |part: String| folder.join(format!("figure-{}{part}.svg", figure.number));
    if let Some(study) = &figure.study {
        let letter = |k: usize| match figure.pictures.len() {
            1 => String::new(),
            _ => char::from(b'a' + (k % 26) as u8).to_string(),
        };
        let files: Vec<PathBuf> = (0..figure.pictures.len()).map(|k| file(letter(k))).collect();
        super::study::pictures(study, &figure.pictures, folder, &files, progress)?;
        return Ok(files);
    }
    let mut all = Vec::new();
    for panel in &figure.panels {
        all.extend(match (&panel.curve, &panel.frames) {
            (Some(curve), _) => vec![curve_panel(asked, panel, curve, progress)?],
            (None, Some(frames)) => frame_panels(figure, panel, frames, (runs, ended))?,
            (None, None) => run_panels(figure, panel, runs, ended)?,
        });
    }
    let is_square =
        figure.panels.iter().any(|panel| panel.circle.is_some() || panel.frames.is_some());
    let chart = Chart {
        title: format!("Figure {}: {}", figure.number, figure.about),
        columns: figure.columns,
        size: is_square.then_some(SQUARE[figure.columns.clamp(1, SQUARE.len()) - 1]),
        panels: all,
        ..Chart::default()
    };
    let file = file(String::new());
    save(&file, &chart.draw()).map_err(|error| error.to_string())?;
    Ok(vec![file])
}

/// The names of the runs in a panel.
fn drawn_runs<'a>(figure: &'a Figure, panel: &'a FigurePanel) -> Vec<&'a str> {
    match panel.runs.is_empty() {
        true => figure.runs.iter().map(|run| run.name.as_str()).collect(),
        false => panel.runs.iter().map(String::as_str).collect(),
    }
}

fn options(figure: &Figure, panel: &FigurePanel, runs: &FigureRuns) -> PlotOptions {
    let names = drawn_runs(figure, panel);
    let folder = |name: &&str| runs.of(&figure.number, name).map(|(_, run)| run.folder.clone());
    PlotOptions {
        folders: names.iter().filter_map(folder).collect(),
        labels: match panel.labels.is_empty() {
            true => names.iter().map(|name| (*name).to_owned()).collect(),
            false => panel.labels.clone(),
        },
        outputs: panel.outputs.clone(),
        over: panel.over.clone(),
        fold: panel.fold,
        range: panel.range.clone(),
        across: panel.across,
        together: panel.outputs.len() > 1,
        ..PlotOptions::default()
    }
}

fn run_panels(
    figure: &Figure,
    panel: &FigurePanel,
    runs: &FigureRuns,
    ended: &Ended,
) -> Result<Vec<Panel>, String> {
    for name in drawn_runs(figure, panel) {
        let (place, _) =
            runs.of(&figure.number, name).ok_or(format!("there is no run `{name}`"))?;
        if let Some(why) = &ended[place] {
            return Err(format!("the run `{name}` has no result: {why}"));
        }
    }
    let options = options(figure, panel, runs);
    let mut drawn = panels(&options).map_err(|refusal| refusal.to_string())?;
    for one in &mut drawn {
        one.bare = false;
        if !panel.heading.is_empty() {
            one.heading.clone_from(&panel.heading);
        }
        if let Some([from, to]) = panel.across {
            one.x.ends = Some((from, to));
        }
        if let Some(radius) = &panel.circle {
            let look = Look { colour: Colour::Muted, dashed: true, width: 1.0, ..Look::default() };
            one.layers.push(circle((0.0, 0.0), length(radius)?, look));
            one.equal = true;
        }
    }
    Ok(drawn)
}

fn length(text: &str) -> Result<f64, String> {
    quantity(text, Dimension::LENGTH).map_err(|error| error.message)
}

fn circle((x, y): (f64, f64), radius: f64, look: Look) -> Layer {
    const CORNERS: usize = 180;
    let at = |k: usize| (k as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
    let points = (0..=CORNERS).map(at).map(|(sin, cos)| (x + radius * cos, y + radius * sin));
    Layer { label: String::new(), look, shape: Shape::Line(points.collect()) }
}

/// A journal in its bearing at chosen times, a panel for each. The play has its size and the journal twice that as its radius; it is
/// dark where it touches.
fn frame_panels(
    figure: &Figure,
    panel: &FigurePanel,
    frames: &Frames,
    (runs, ended): (&FigureRuns, &Ended),
) -> Result<Vec<Panel>, String> {
    let names = drawn_runs(figure, panel);
    let [name] = names[..] else { return Err("frames are those of one run".into()) };
    let (place, run) = runs.of(&figure.number, name).ok_or(format!("there is no run `{name}`"))?;
    if let Some(why) = &ended[place] {
        return Err(format!("the run `{name}` has no result: {why}"));
    }
    let play = length(&frames.clearance)?;
    let time = |text: &String| quantity(text, Dimension::TIME).map_err(|error| error.message);
    let times = frames.times.iter().map(time).collect::<Result<Vec<f64>, String>>()?;
    let outputs = [frames.x.clone(), frames.y.clone()];
    let values = values_at(&run.folder, &outputs, &times).map_err(|refusal| refusal.to_string())?;
    let one = |(k, heading): (usize, &String)| {
        let centre = (values[0][k], values[1][k]);
        let touches = centre.0.hypot(centre.1) >= play;
        let colour = if touches { Colour::Dark } else { Colour::Curve(0) };
        let width = if touches { 2.5 } else { 1.2 };
        let journal = Look { colour, width, ..Look::default() };
        let wall = Look { colour: Colour::Muted, width: 1.5, ..Look::default() };
        let middle = Layer {
            label: String::new(),
            look: Look { colour, ..Look::default() },
            shape: Shape::Points(vec![centre]),
        };
        let ends = Some((-3.2 * play, 3.2 * play));
        let axis = |name: &str| AxisSpec {
            name: name.to_owned(),
            unit: "m".into(),
            ends,
            ..AxisSpec::default()
        };
        Panel {
            heading: format!("{heading}{}", if touches { ", touching" } else { "" }),
            x: axis(&frames.x),
            y: axis(&frames.y),
            layers: vec![
                circle((0.0, 0.0), 3.0 * play, wall),
                circle(centre, 2.0 * play, journal),
                middle,
            ],
            equal: true,
            ..Panel::default()
        }
    };
    Ok(frames.times.iter().enumerate().map(one).collect())
}

/// A value over a number in it, a curve for each run.
fn curve_panel(
    asked: &Asked<'_>,
    panel: &FigurePanel,
    curve: &Curve,
    progress: &dyn Progress,
) -> Result<Panel, String> {
    let Asked { part, figure } = asked;
    let step = (curve.to - curve.from) / curve.points.saturating_sub(1).max(1) as f64;
    let x: Vec<f64> = (0..curve.points).map(|k| curve.from + step * k as f64).collect();
    let texts: Vec<String> = x.iter().map(|x| curve.value.replace("{}", &format!("{x}"))).collect();
    let mut layers = Vec::new();
    for (k, name) in drawn_runs(figure, panel).into_iter().enumerate() {
        let run = figure.runs.iter().find(|run| run.name == name);
        let run = run.ok_or(format!("there is no run `{name}`"))?;
        let recipe = figure.recipe_of(part, run);
        let job = part.job_of_texts(&recipe, &texts).map_err(|refusal| refusal.to_string())?;
        let outcome = run_all(&[job], 1, progress).ok_or("interrupted")?.remove(0)?;
        let mut points = Vec::new();
        for (x, (_, measured)) in x.iter().zip(outcome) {
            points.push((*x, measured?.value));
        }
        let look = Look { colour: Colour::Curve(k), ..Look::default() };
        layers.push(Layer { label: name.to_owned(), look, shape: Shape::Line(points) });
    }
    let axis = |name: &str, unit: &str| AxisSpec {
        name: name.to_owned(),
        unit: unit.to_owned(),
        ..AxisSpec::default()
    };
    Ok(Panel {
        heading: panel.heading.clone(),
        x: axis(&curve.over, &curve.over_unit),
        y: axis(&curve.name, &curve.unit),
        layers,
        ..Panel::default()
    })
}

/// What a user types to make the same results and pictures.
fn commands(figure: &Figure, runs: &FigureRuns) -> Vec<String> {
    if let Some(study) = &figure.study {
        return vec![format!("gudgeon study {study}")];
    }
    let out = |name: &str| format!("results/figure-{}/{}", figure.number, name.replace(' ', "-"));
    let mut commands: Vec<String> = Vec::new();
    for run in &figure.runs {
        let known = runs.of(&figure.number, &run.name);
        commands.extend(known.map(|(_, folder)| folder.command(&out(&run.name))));
    }
    for panel in
        figure.panels.iter().filter(|panel| panel.curve.is_none() && panel.frames.is_none())
    {
        let mut words = vec!["gudgeon plot".to_owned()];
        words.extend(drawn_runs(figure, panel).iter().map(|name| quoted(&out(name))));
        words.extend(panel.outputs.iter().map(|name| format!("--output {}", quoted(name))));
        words.extend((panel.outputs.len() > 1).then(|| "--together".to_owned()));
        words.extend(panel.over.iter().map(|name| format!("--over {}", quoted(name))));
        words.extend(panel.fold.then(|| "--fold".to_owned()));
        words.extend(panel.range.iter().map(|range| format!("--range {}", quoted(range))));
        commands.push(words.join(" "));
    }
    commands
}
