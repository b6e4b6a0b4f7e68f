//! Formulas of formulas.

use super::{Formula, Place, Site, Step};

impl Formula {
    /// Adds all steps of another formula, whose inputs are registers of this one, and says where its value
    /// will be. Its sites come behind those that are there.
    pub fn append(&mut self, other: &Formula, inputs: &[Place]) -> Place {
        let registers = other.steps.len();
        let (sites, curves, surfaces) =
            (self.sites.len() as Place, self.curves.len() as Place, self.surfaces.len() as Place);
        let mut moved: Vec<Place> = Vec::with_capacity(registers);
        for step in &other.steps {
            let to = |place: Place| moved[place as usize];
            let place = match *step {
                Step::Input(input) => inputs[input as usize],
                Step::Constant(value) => self.push(Step::Constant(value)),
                Step::Add(a, b) => self.push(Step::Add(to(a), to(b))),
                Step::Multiply(a, b) => self.push(Step::Multiply(to(a), to(b))),
                Step::Divide(a, b) => self.push(Step::Divide(to(a), to(b))),
                Step::Scale(factor, a) => self.push(Step::Scale(factor, to(a))),
                Step::Shift(by, a) => self.push(Step::Shift(by, to(a))),
                Step::Power(a, n) => self.push(Step::Power(to(a), n)),
                Step::PowerOf(a, b) => self.push(Step::PowerOf(to(a), to(b))),
                Step::Smooth(function, a) => self.push(Step::Smooth(function, to(a))),
                Step::Atan2(y, x) => self.push(Step::Atan2(to(y), to(x))),
                Step::Hypot(a, b) => self.push(Step::Hypot(to(a), to(b))),
                Step::Choose(site, yes, no) => {
                    self.push(Step::Choose(sites + site, to(yes), to(no)))
                }
                Step::Whole(site) => self.push(Step::Whole(sites + site)),
                Step::Curve { curve, x, site } => {
                    self.push(Step::Curve { curve: curves + curve, x: to(x), site: sites + site })
                }
                Step::Surface { surface, at, sites: cells } => self.push(Step::Surface {
                    surface: surfaces + surface,
                    at: at.map(to),
                    sites: cells.map(|site| sites + site),
                }),
            };
            moved.push(place);
        }
        let to = |place: Place| moved[place as usize];
        let sites = other.sites.iter().map(|site| match *site {
            Site::Sign(g) => Site::Sign(to(g)),
            Site::Whole(g) => Site::Whole(to(g)),
            Site::Cell { curve, x } => Site::Cell { curve: curves + curve, x: to(x) },
            Site::Band { surface, axis, x } => {
                Site::Band { surface: surfaces + surface, axis, x: to(x) }
            }
        });
        self.sites.extend(sites);
        self.curves.extend_from_slice(&other.curves);
        self.surfaces.extend_from_slice(&other.surfaces);
        moved.last().copied().unwrap_or_default()
    }
}
