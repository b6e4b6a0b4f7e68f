//! Model files of any size, written by rule: `gudgeon new NAME --links N`, `--count N`.
//!
//! The text is an ordinary model file that can be read and changed by hand.

mod chain;
mod n_four_bar;

/// Largest number of links or four-bars.
pub const LARGEST: u32 = 100_000;

/// A model that is written by rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    Chain { links: u32, spatial: bool },
    FourBars { count: u32 },
}

/// Flags and meanings of the recipes, for `gudgeon new --list`.
pub const RECIPES: [(&str, &str); 2] = [
    ("--links N [--spatial]", "a hanging chain of N links"),
    ("--count N", "N four-bars side by side, a benchmark"),
];

impl Recipe {
    /// Text of `model.toml`.
    pub fn model(self) -> String {
        match self {
            Recipe::Chain { links, spatial } => chain::model(links, spatial),
            Recipe::FourBars { count } => n_four_bar::model(count),
        }
    }

    /// Text of `README.md`.
    pub fn readme(self) -> String {
        match self {
            Recipe::Chain { links, spatial } => chain::readme(links, spatial),
            Recipe::FourBars { count } => n_four_bar::readme(count),
        }
    }

    /// One line about it.
    pub fn about(self) -> String {
        match self {
            Recipe::Chain { links, spatial } => chain::title(links, spatial),
            Recipe::FourBars { count } => n_four_bar::title(count),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use gudgeon::assembly::{Assembly, assemble};
    use gudgeon::results::{LoopPoint, Status};
    use gudgeon::run::Until;
    use gudgeon::simulate::{Observer, simulate};
    use gudgeon_model::diagnostic::Diagnostic;
    use gudgeon_model::{Loaded, Overrides, Resolver, load_text};

    use super::*;

    struct NoFiles;

    impl Resolver for NoFiles {
        fn read(&self, _: &str, name: &str) -> Result<(String, String), Box<Diagnostic>> {
            Err(Box::new(Diagnostic::error("G0001", name)))
        }
    }

    struct Nobody;

    impl Observer for Nobody {
        fn row(&mut self, _: f64, _: &[f64], _: &[[f64; 2]]) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn loop_point(&mut self, _: LoopPoint) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
        fn progress(&mut self, _: f64, _: f64) -> ControlFlow<()> {
            ControlFlow::Continue(())
        }
    }

    fn built(recipe: Recipe) -> (Loaded, Assembly) {
        let loaded = load_text("model.toml", &recipe.model(), &NoFiles, &Overrides::default());
        let loaded =
            loaded.unwrap_or_else(|f| panic!("{}", f.diagnostics.render(&f.sources, false)));
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
        let assembly = assemble(&loaded.model).unwrap();
        (loaded, assembly)
    }

    #[test]
    fn a_chain_has_as_many_degrees_of_freedom_as_links() {
        // Above 200 velocities the assembly goes another way: both are tried.
        for (links, spatial) in
            [(1, false), (2, true), (7, false), (7, true), (80, false), (40, true)]
        {
            let (loaded, assembly) = built(Recipe::Chain { links, spatial });
            assert_eq!(loaded.model.bodies.len(), links as usize + 1);
            assert_eq!(assembly.report.mobility, links as usize, "{links} {spatial}");
            assert!(assembly.report.redundant.is_empty());
        }
    }

    #[test]
    fn a_chain_swings_and_keeps_its_energy() {
        for spatial in [false, true] {
            let (mut loaded, assembly) = built(Recipe::Chain { links: 6, spatial });
            loaded.run.until = Until::Time(1.0);
            let report = simulate(&assembly, &loaded.run, &mut Nobody);
            assert_eq!(report.status, Status::Done);
            assert!(report.energy.residual_relative() < 1e-8, "{:?}", report.energy);
            // In space the push has two components, and the pins let the chain follow both.
            let moved = |name: &str| {
                let extreme = report.extremes.iter().find(|e| e.name == name);
                extreme.map_or(0.0, |e| e.max - e.min)
            };
            assert!(moved("link6.bottom.position.x") > 0.1);
            assert_eq!(moved("link6.bottom.position.z") > 0.1, spatial);
        }
    }

    #[test]
    fn four_bars_have_one_degree_of_freedom() {
        for count in [1, 2, 5, 40] {
            let (loaded, assembly) = built(Recipe::FourBars { count });
            assert_eq!(loaded.model.bodies.len(), 2 * count as usize + 2);
            assert_eq!(assembly.report.mobility, 1, "{count}");
        }
    }

    #[test]
    fn readmes_name_the_command_that_made_them() {
        for recipe in [Recipe::Chain { links: 3, spatial: true }, Recipe::FourBars { count: 4 }] {
            assert!(recipe.readme().contains("gudgeon new"), "{}", recipe.readme());
            assert!(recipe.model().starts_with("# "));
        }
    }
}
