//! Which integrator runs a mechanism, and why.

use gudgeon_dae::{AlphaParameters, Explicit, Form, Implicit, Integrator, Options, Stabilisation};
use gudgeon_dae::{Method as Scheme, tableau};

use crate::model::JointId;
use crate::run::{Index, Method, RunSpec};
use crate::system::tree::Tree;
use crate::system::{Plant, System};

/// An integrator that has been picked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub name: &'static str,
    pub reason: &'static str,
    /// Relative tolerance.
    pub rtol: f64,
    kind: Kind,
    options: Options,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Explicit(&'static tableau::Tableau),
    Implicit(Scheme),
}

impl Choice {
    pub fn new(spec: &RunSpec, system: &System) -> Self {
        let rtol = spec.tolerance(system.bends());
        let adaptive = Options::adaptive(rtol);
        let stepped = |step: Option<f64>| match step {
            // The tolerance is then that of the solution of each step.
            Some(step) => Options {
                newton: adaptive.newton,
                ..Options::fixed(step, Stabilisation::default())
            },
            None => adaptive,
        };
        let alpha = |parameters, index| Scheme::Alpha { parameters, form: form(index) };
        let asked = "asked for";
        let choice = |name, reason, kind, options| Self { name, reason, rtol, kind, options };
        let implicit =
            |name, scheme, step| choice(name, asked, Kind::Implicit(scheme), stepped(step));
        match spec.method {
            Method::Auto if !system.films.is_empty() => {
                let reason = "a film is stiff: implicit, order 5";
                choice("radau5", reason, Kind::Implicit(Scheme::Radau), adaptive)
            }
            Method::Auto if system.bends() => {
                let reason = "flexible links are stiff: implicit, order 5";
                choice("radau5", reason, Kind::Implicit(Scheme::Radau), adaptive)
            }
            Method::Auto if system.has_bristles() => {
                let reason = "bristles of friction are stiff: implicit, order 5";
                choice("radau5", reason, Kind::Implicit(Scheme::Radau), adaptive)
            }
            Method::Auto => {
                let reason = "rigid bodies, dry contact: explicit, order 8";
                choice("dop853", reason, Kind::Explicit(&tableau::DOP853), adaptive)
            }
            Method::Dop853 => choice("dop853", asked, Kind::Explicit(&tableau::DOP853), adaptive),
            Method::Dopri5 => choice("dopri5", asked, Kind::Explicit(&tableau::DOPRI5), adaptive),
            Method::Rk4 { step, alpha, beta } => {
                let options = Options::fixed(step, Stabilisation { alpha, beta });
                choice("rk4", asked, Kind::Explicit(&tableau::RK4), options)
            }
            Method::GeneralizedAlpha { rho, index, step } => {
                let scheme = alpha(AlphaParameters::generalized(rho), index);
                implicit("generalized-alpha", scheme, step)
            }
            Method::Hht { alpha: a, index, step } => {
                implicit("hht", alpha(AlphaParameters::hht(a), index), step)
            }
            Method::Newmark { beta, gamma, index, step } => {
                implicit("newmark", alpha(AlphaParameters::newmark(beta, gamma), index), step)
            }
            Method::Radau5 { step } => implicit("radau5", Scheme::Radau, step),
            Method::Bdf { index, step } => {
                implicit("bdf", Scheme::Bdf { highest: 5, form: form(index) }, step)
            }
        }
    }

    /// A joint with friction that carries a body, where the method is implicit: its loads have to be unknowns, which those of
    /// such a joint are not.
    pub fn uncut_friction(&self, system: &System) -> Option<JointId> {
        system.tree.as_ref().and_then(Tree::rubbing_joint).filter(|_| self.remembers())
    }

    pub fn integrator(&self, plant: &Plant, y: &[f64]) -> Integrator {
        match self.kind {
            // It will not step.
            Kind::Implicit(_) if self.uncut_friction(plant.system).is_some() => {
                Explicit::new(&tableau::DOP853, self.options, plant, 0.0, y).into()
            }
            Kind::Explicit(tableau) => Explicit::new(tableau, self.options, plant, 0.0, y).into(),
            Kind::Implicit(scheme) => Implicit::new(scheme, self.options, plant, 0.0, y).into(),
        }
    }

    /// Whether contacts are integrated without stretching time.
    pub fn plain_time(&self) -> bool {
        self.drifts() || matches!(self.kind, Kind::Implicit(_))
    }

    /// Whether a step uses more of the past than its starting point.
    pub fn remembers(&self) -> bool {
        matches!(self.kind, Kind::Implicit(_))
    }

    /// Whether rates hold Baumgarte's terms.
    pub fn is_stabilised(&self) -> bool {
        matches!(self.kind, Kind::Explicit(tableau) if tableau.name == tableau::RK4.name)
    }

    /// Whether constraints are off by more than rounding: Baumgarte's terms let them, and index 3 holds
    /// no velocities.
    pub fn drifts(&self) -> bool {
        match self.kind {
            Kind::Explicit(tableau) => tableau.name == tableau::RK4.name,
            Kind::Implicit(Scheme::Alpha { form, .. } | Scheme::Bdf { form, .. }) => {
                form == Form::Index3
            }
            Kind::Implicit(_) => false,
        }
    }
}

fn form(index: Index) -> Form {
    match index {
        Index::Two => Form::Stabilised,
        Index::Three => Form::Index3,
    }
}
