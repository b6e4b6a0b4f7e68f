//! What variants assume: differences of theory, which explain differences of results.

use gudgeon::flexible::{AncfElement, Elasticity, Flexible, Method, Modes, Stiffening};
use gudgeon::ked::{self, Geometric, KedSpec};
use gudgeon::model::Space;
use gudgeon_model::{Analysis, Loaded};

/// Whether vibration changes the motion.
pub(super) const FEEDBACK: &str = "feedback";

/// Assumptions of a variant by what they are about, in an order that all variants share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Theory {
    pub aspects: Vec<(&'static str, String)>,
}

/// An aspect in which variants differ: what each assumes.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub aspect: &'static str,
    pub assumed: Vec<(String, String)>,
}

impl Theory {
    /// Of the links of a model as it was read.
    pub fn of(loaded: &Loaded) -> Theory {
        let mut theory = Theory::default();
        let links = loaded.model.bodies.iter().filter_map(|body| body.flexible.as_deref());
        let ked = (loaded.analysis == Analysis::Ked).then(|| loaded.run.ked.unwrap_or_default());
        for link in links {
            for (aspect, assumed) in of_link(link, loaded.model.space, ked) {
                theory.add(aspect, assumed);
            }
        }
        if !theory.aspects.is_empty() {
            theory.add("joints", joints(loaded, ked));
        }
        theory
    }

    /// What links assume of the motion means nothing where nothing moves.
    pub(super) fn remove(&mut self, aspect: &str) {
        self.aspects.retain(|(known, _)| *known != aspect);
    }

    pub(super) fn add(&mut self, aspect: &'static str, assumed: String) {
        match self.aspects.iter_mut().find(|(known, _)| *known == aspect) {
            None => self.aspects.push((aspect, assumed)),
            Some((_, known)) if !known.split("; ").any(|one| one == assumed) => {
                known.push_str("; ");
                known.push_str(&assumed);
            }
            Some(_) => {}
        }
    }

    fn get(&self, aspect: &str) -> &str {
        self.aspects.iter().find(|(known, _)| *known == aspect).map_or("none", |(_, text)| text)
    }
}

/// What joints do while the links vibrate.
fn joints(loaded: &Loaded, ked: Option<KedSpec>) -> String {
    let locked = ked.map(|ked| ked::locked(&loaded.model, &ked)).unwrap_or_default();
    let freed = ked.is_some_and(|ked| !ked.clamp_driven) && !loaded.model.drivers.is_empty();
    let mut said = Vec::new();
    if !locked.is_empty() {
        said.push(format!("{} locked in the vibration", locked.join(", ")));
    }
    if freed {
        said.push("driven ones give way in the vibration".to_owned());
    }
    if said.is_empty() { "turn under their loads".to_owned() } else { said.join(", ") }
}

/// Aspects of a flexible link.
fn of_link(link: &Flexible, space: Space, ked: Option<KedSpec>) -> Vec<(&'static str, String)> {
    let yes = |held: bool| if held { "elastic" } else { "held" }.to_owned();
    let rotary = |has: bool| if has { "of the sections" } else { "left out" }.to_owned();
    let mut out: Vec<(&'static str, String)> = Vec::new();
    let (bending, shear, stretch, turns, stiffening) = match (link.method, ked) {
        (_, Some(ked)) => {
            let stiffening = match ked.geometric {
                Geometric::None => "none: linear".to_owned(),
                Geometric::Rigid => "by the axial force of the rigid motion".to_owned(),
                Geometric::Actual => "by the axial force of the last step".to_owned(),
            };
            ("linear".to_owned(), yes(false), yes(true), rotary(link.section.rotary), stiffening)
        }
        (Method::Rigid, None) => {
            let none = || "none: rigid".to_owned();
            (none(), none(), none(), rotary(link.section.rotary), none())
        }
        (Method::Ancf { element: AncfElement::Beam, .. }, None) => (
            "large".to_owned(),
            yes(true),
            yes(true),
            rotary(true),
            "by large rotations".to_owned(),
        ),
        (Method::Ancf { element: AncfElement::Cable, .. }, None) => {
            let large = || "by large rotations".to_owned();
            ("large".to_owned(), yes(false), yes(true), rotary(false), large())
        }
        (Method::Floating(floating), None) => {
            let stiffening = match floating.stiffening {
                Stiffening::None => "none: linear".to_owned(),
                Stiffening::Rigid => "by the axial force of the rigid motion".to_owned(),
                Stiffening::Actual => "by the axial force of its elements".to_owned(),
            };
            let turns = rotary(link.section.rotary);
            let bending = match floating.modes {
                None => "linear".to_owned(),
                Some(Modes::Count(count)) => format!("linear, {count} modes beside the interface"),
                Some(Modes::UpTo(most)) => format!("linear, modes up to {most} Hz"),
            };
            (bending, yes(floating.shear), yes(true), turns, stiffening)
        }
        (Method::Erls(erls), None) => {
            let turns = rotary(link.section.rotary);
            ("linear".to_owned(), yes(erls.shear), yes(true), turns, "none: linear".to_owned())
        }
        (Method::Rfem { shear, tension }, None) => {
            let large = || "by large rotations".to_owned();
            ("large".to_owned(), yes(shear), yes(tension), rotary(link.section.rotary), large())
        }
    };
    out.push(("bending", bending));
    out.push(("shear", shear));
    out.push(("stretch", stretch));
    out.push(("rotary inertia", turns));
    if space == Space::Spatial {
        let torsion = match link.method {
            Method::Ancf { element: AncfElement::Cable, .. } | Method::Rigid => "none",
            Method::Ancf { elasticity: Elasticity::Line, .. }
            | Method::Rfem { .. }
            | Method::Floating(_)
            | Method::Erls(_) => "constant J",
            Method::Ancf { .. } => "polar moment",
        };
        out.push(("torsion", torsion.to_owned()));
    }
    out.push(("stiffening", stiffening));
    let back = match (ked, link.method) {
        (None, Method::Erls(_)) if link.truncates() => {
            "vibration changes the motion, but for terms that are left out"
        }
        (Some(_), _) => "none: the rigid motion is given",
        (None, Method::Rigid) => "none: rigid",
        (None, _) => "vibration changes the motion",
    };
    out.push((FEEDBACK, back.to_owned()));
    out
}

/// Every aspect in which the variants are not alike.
pub fn differences(theories: &[(&str, &Theory)]) -> Vec<Difference> {
    let mut aspects: Vec<&'static str> = Vec::new();
    for (_, theory) in theories {
        for (aspect, _) in &theory.aspects {
            if !aspects.contains(aspect) {
                aspects.push(aspect);
            }
        }
    }
    let difference = |aspect: &'static str| {
        let assumed: Vec<(String, String)> = theories
            .iter()
            .map(|(name, theory)| ((*name).to_owned(), theory.get(aspect).to_owned()))
            .collect();
        let alike = assumed.windows(2).all(|pair| pair[0].1 == pair[1].1);
        (!alike).then_some(Difference { aspect, assumed })
    };
    aspects.into_iter().filter_map(difference).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_alike_is_a_difference() {
        let theory = |shear: &str| Theory {
            aspects: vec![("shear", shear.to_owned()), ("stretch", "elastic".to_owned())],
        };
        let (a, b) = (theory("held"), theory("elastic"));
        assert!(differences(&[("a", &a), ("b", &a)]).is_empty());
        let found = differences(&[("a", &a), ("b", &b)]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].aspect, "shear");
        assert_eq!(found[0].assumed[1], ("b".to_owned(), "elastic".to_owned()));
    }
}
