//! Panels of a picture from the rows of results.

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Mark, Panel, Shape};
use gudgeon_output::plot::{AxisSpec, along_path, over_time};

use super::PlotOptions;
use super::outputs::{Chosen, Found};
use super::overlay::Overlay;
use super::range::Part;
use super::result::{Curves, RunResult};
use crate::text::quantity;

pub struct Picture<'a> {
    pub options: &'a PlotOptions,
    pub results: &'a [RunResult],
    pub chosen: &'a Chosen,
    pub part: Part,
    pub curves: &'a [Curves],
    pub overlays: &'a [Overlay],
}

/// Width and height of a panel by the number of panels.
fn size(panels: usize) -> (f64, f64) {
    (
        864.0,
        match panels {
            0 | 1 => 340.0,
            2 => 250.0,
            _ => 180.0,
        },
    )
}

impl Picture<'_> {
    pub fn draw(&self) -> String {
        let panels = self.panels();
        let first = &self.results[0].record.model.name;
        let title = self.options.title.clone().unwrap_or_else(|| first.clone());
        let size = Some(size(panels.len()));
        Chart { title, subtitle: self.subtitle(), columns: 1, size, panels }.draw()
    }

    /// What of the run is drawn.
    fn subtitle(&self) -> String {
        let (from, to) = self.ends().unwrap_or_default();
        let what = if self.part.window { "measuring window, " } else { "" };
        format!("{what}{} … {}", quantity(from, "s"), quantity(to, "s"))
    }

    /// First and last time of the rows.
    fn ends(&self) -> Option<(f64, f64)> {
        let ends = self.curves.iter().filter_map(|c| Some((*c.t.first()?, *c.t.last()?)));
        ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
    }

    /// One for all outputs, or one each.
    pub fn panels(&self) -> Vec<Panel> {
        match self.options.together {
            true => vec![self.one_panel()],
            false => self.separate_panels(),
        }
    }

    /// One below the other, an output each.
    fn separate_panels(&self) -> Vec<Panel> {
        let last = self.chosen.outputs.len() - 1;
        let panel = |(i, output): (usize, &Found)| {
            let mut layers = Vec::new();
            for (k, curves) in self.curves.iter().enumerate() {
                let label = if self.results.len() > 1 || !self.overlays.is_empty() {
                    self.results[k].label.clone()
                } else {
                    String::new()
                };
                layers.extend(self.curve(curves, i, label, self.colour(k)));
            }
            layers.extend(self.measured(i, self.results.len(), false));
            Panel {
                heading: if output.about.is_empty() { &output.name } else { &output.about }.clone(),
                note: self.note(i),
                x: self.across(),
                y: axis(&output.name, &output.unit),
                layers,
                bare: i < last,
                ..Panel::default()
            }
        };
        self.chosen.outputs.iter().enumerate().map(panel).collect()
    }

    /// All outputs between the same axes.
    fn one_panel(&self) -> Panel {
        let mut layers = Vec::new();
        for (i, output) in self.chosen.outputs.iter().enumerate() {
            for (k, curves) in self.curves.iter().enumerate() {
                let label = match self.results.len() {
                    1 => output.name.clone(),
                    _ => format!("{}, {}", output.name, self.results[k].label),
                };
                let colour = Colour::Curve(i * self.curves.len() + k);
                layers.extend(self.curve(curves, i, label, colour));
            }
            layers.extend(self.measured(i, i, true));
        }
        let first = self.chosen.outputs.first();
        let unit = first.map_or("", |output| output.unit.as_str());
        // Where all outputs have the same last part, it names what they share.
        let last = |output: &Found| output.name.rsplit('.').next().unwrap_or_default().to_owned();
        let shared =
            first.map(last).filter(|name| self.chosen.outputs.iter().all(|o| last(o) == *name));
        let y = axis(&shared.unwrap_or_else(|| "value".to_owned()), unit);
        Panel { x: self.across(), y, layers, ..Panel::default() }
    }

    fn colour(&self, result: usize) -> Colour {
        if self.results.len() == 1 { Colour::Main } else { Colour::Curve(result) }
    }

    fn across(&self) -> AxisSpec {
        match &self.chosen.over {
            None => {
                AxisSpec { ends: self.ends().filter(|(from, to)| from < to), ..axis("time", "s") }
            }
            Some(over) if over.unit == "rad" => AxisSpec {
                ends: if self.options.fold { Some((0.0, 360.0)) } else { self.angles() },
                ..axis(&over.name, "deg")
            },
            Some(over) => axis(&over.name, &over.unit),
        }
    }

    /// First and last angle that is drawn, degrees.
    fn angles(&self) -> Option<(f64, f64)> {
        let all = self.curves.iter().filter_map(|curves| curves.over.as_ref()).flatten();
        let all = all.filter(|angle| angle.is_finite()).map(|angle| angle.to_degrees());
        let ends = all.map(|angle| (angle, angle)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        ends.filter(|(from, to)| from < to)
    }

    fn curve(
        &self,
        curves: &Curves,
        output: usize,
        label: String,
        colour: Colour,
    ) -> Option<Layer> {
        let values = curves.outputs[output].as_ref()?;
        let points = match &curves.over {
            None if self.chosen.over.is_some() => return None,
            None => over_time(&curves.t, values),
            Some(over) => {
                let (mut over, values) = self.placed(over, values);
                if let Some([from, to]) = self.options.across {
                    // Before lines are thinned: what is drawn decides how fine they are.
                    let outside = over.iter_mut().filter(|x| **x < from || **x > to);
                    outside.for_each(|x| *x = f64::NAN);
                }
                along_path(&over, &values)
            }
        };
        let look = Look { colour, width: 1.2, ..Look::default() };
        Some(Layer { label, look, shape: Shape::Line(points) })
    }

    /// Values over another output; angles in degrees, folded into one turn where that is asked for.
    fn placed(&self, over: &[f64], values: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let is_angle = self.chosen.over.as_ref().is_some_and(|over| over.unit == "rad");
        if !is_angle {
            return (over.to_vec(), values.to_vec());
        }
        let degrees = over.iter().map(|angle| angle.to_degrees());
        if !self.options.fold {
            return (degrees.collect(), values.to_vec());
        }
        let (mut x, mut y) = (Vec::new(), Vec::new());
        let mut turn = f64::NAN;
        for (angle, value) in degrees.zip(values) {
            let now = (angle / 360.0).floor();
            if now != turn && turn.is_finite() {
                // From one end of the panel to the other there is no line.
                x.push(f64::NAN);
                y.push(f64::NAN);
            }
            turn = now;
            x.push(angle - 360.0 * now);
            y.push(*value);
        }
        (x, y)
    }

    fn measured(&self, output: usize, colour: usize, named: bool) -> Vec<Layer> {
        let mut layers = Vec::new();
        for (k, overlay) in self.overlays.iter().enumerate() {
            for (_, points) in overlay.points.iter().filter(|(place, _)| *place == output) {
                let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
                let points = match self.chosen.over {
                    Some(_) => {
                        let (x, y) = self.placed(&x, &y);
                        x.into_iter().zip(y).collect()
                    }
                    None => self.within(points),
                };
                let label = match named {
                    true => format!("{}, {}", self.chosen.outputs[output].name, overlay.name),
                    false => overlay.name.clone(),
                };
                let colour = if named { Colour::Curve(colour) } else { Colour::Dark };
                let marker = [Mark::Ring, Mark::Diamond, Mark::Cross][k % 3];
                let look = Look { colour, marker, ..Look::default() };
                layers.push(Layer { label, look, shape: Shape::Points(points) });
            }
        }
        layers
    }

    /// Measured points over the time that is drawn.
    fn within(&self, points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        let inside = |t: f64| self.part.from <= t && t <= self.part.to;
        points.iter().copied().filter(|(t, _)| inside(*t)).collect()
    }

    /// The largest magnitude that is drawn, with its sign: of one result, that which was located between its rows where it lies
    /// in the part.
    fn note(&self, output: usize) -> String {
        let ([curves], [result]) = (self.curves, self.results) else { return String::new() };
        let Some(values) = &curves.outputs[output] else { return String::new() };
        let rows = curves.t.iter().copied().zip(values.iter().copied());
        let Found { name, unit, .. } = &self.chosen.outputs[output];
        let located = result.record.extremes.get(name).into_iter();
        let located = located.flat_map(|e| [(e.t_min, e.min), (e.t_max, e.max)]);
        let located = located.filter(|(t, _)| self.part.from <= *t && *t <= self.part.to);
        let largest = rows.chain(located).filter(|(_, value)| value.is_finite());
        // Of films the thinnest place matters.
        let least = name.ends_with(".film_thickness");
        let better = |a: (f64, f64), b: (f64, f64)| match least {
            true => b.1 < a.1,
            false => b.1.abs() > a.1.abs(),
        };
        let found = largest.reduce(|a, b| if better(a, b) { b } else { a });
        let word = if least { "min" } else { "peak" };
        found.map_or(String::new(), |(t, value)| {
            format!("{word} {} at {}", quantity(value, unit), quantity(t, "s"))
        })
    }
}

fn axis(name: &str, unit: &str) -> AxisSpec {
    AxisSpec { name: name.to_owned(), unit: unit.to_owned(), ..AxisSpec::default() }
}
