//! The pictures of a study, as SVG files in `plots/`.
//!
//! | file | shows | drawn |
//! |---|---|---|
//! | `surface_…` | a surrogate over two variables | see [`surfaces`] |
//! | `effects_…` | a surrogate along every variable | for every surrogate |
//! | `design` | the points of the design, two variables at a time | for two to four variables |
//! | `samples_…` | a response over every variable | for a response without surrogate |
//! | `parity` | prediction against simulation | with a surrogate |
//! | `convergence`, `pareto` | how the search went, what it found | with a search |
//! | `sobol`, `morris` | which variables matter | as asked for |
//! | `sweep`, `histories`, `bifurcation` | one variable through its range | as asked for |
//! | `histograms` | what scatter of the variables does | with a distribution |

mod axes;
mod effects;
mod parity;
mod samples;
mod search;
mod sensitivity;
mod surfaces;
mod sweep;

use gudgeon_output::plot::chart::{Chart, Colour, Layer, Look, Shape};

use super::{StudyJob, StudyOutcome};

/// A file of the result folder and its text.
pub type Picture = (String, String);

/// All pictures there is data for; the one to look at first is the first.
pub fn plots(job: &StudyJob, outcome: &StudyOutcome) -> Vec<Picture> {
    let kinds: [&dyn Fn() -> Vec<Picture>; 9] = [
        &|| surfaces::draw(job, outcome),
        &|| search::draw(job, outcome).into_iter().collect(),
        &|| sweep::draw(job, outcome),
        &|| samples::histograms(job, outcome).into_iter().collect(),
        &|| effects::draw(job, outcome),
        &|| samples::scatter(job, outcome),
        &|| samples::design(job).into_iter().collect(),
        &|| parity::draw(job, outcome).into_iter().collect(),
        &|| sensitivity::draw(job, outcome),
    ];
    let mut all = Vec::new();
    for draw in kinds {
        all.extend(draw());
        if job.progress.is_cancelled() {
            return Vec::new(); // of predictions that were cancelled
        }
    }
    distinct(&mut all);
    all
}

/// Numbers pictures whose names are the same, as those of almost equal slices are.
fn distinct(all: &mut [Picture]) {
    for k in 1..all.len() {
        let same = all[..k].iter().filter(|(name, _)| *name == all[k].0).count();
        if same > 0 {
            let stem = all[k].0.trim_end_matches(".svg");
            let mut number = same + 1;
            while all[..k].iter().any(|(name, _)| *name == format!("{stem}_{number}.svg")) {
                number += 1;
            }
            all[k].0 = format!("{stem}_{number}.svg");
        }
    }
}

/// Panels in a row where there are so many.
fn columns(panels: usize) -> usize {
    match panels {
        0 | 1 => 1,
        2 | 4 => 2,
        _ => 3,
    }
}

/// `plots/<name>.svg` of a chart that has panels.
fn picture(name: &str, chart: Chart) -> Option<Picture> {
    (!chart.panels.is_empty()).then(|| (file(name), chart.draw()))
}

/// The longest name that leaves room for endings on every file system, in bytes.
const LONGEST: usize = 180;

/// The file of a picture; what is no letter, digit or `.-_` becomes `_`.
fn file(name: &str) -> String {
    let usable = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut name: String = name.chars().map(usable).collect();
    while name.len() > LONGEST {
        name.pop();
    }
    format!("plots/{name}.svg")
}

fn layer(label: &str, colour: Colour, shape: Shape) -> Layer {
    Layer { label: label.to_owned(), look: Look { colour, ..Look::default() }, shape }
}

/// A layer that is filled, and lighter than a line.
fn light(label: &str, colour: Colour, opacity: f64, shape: Shape) -> Layer {
    let look = Look { colour, opacity, ..Look::default() };
    Layer { label: label.to_owned(), look, shape }
}

fn dashed(label: &str, colour: Colour, shape: Shape) -> Layer {
    let look = Look { colour, dashed: true, ..Look::default() };
    Layer { label: label.to_owned(), look, shape }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files() {
        assert_eq!(file("surface_a_b_K_1.63e11N/m^1.5"), "plots/surface_a_b_K_1.63e11N_m_1.5.svg");
        assert!(file(&"ä".repeat(300)).len() < 200);
    }

    #[test]
    fn names_are_different() {
        let mut all: Vec<Picture> =
            ["a", "b", "a", "a_2", "a"].map(|name| (file(name), String::new())).to_vec();
        distinct(&mut all);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        let expected = ["a", "b", "a_2", "a_2_2", "a_3"].map(file);
        assert_eq!(names, expected);
    }
}
