//! All buffers of one evaluation, sized once.

use std::cell::RefCell;

use gudgeon_dae::linear::Ldl;

use nalgebra::Vector3;

use super::compile::{FilmElement, System};
use super::component::{BodyState, FloatingSection, FloatingState, SectionState, Triad};
use super::erls::ErlsWork;
use super::reactions::LoadNewton;
use super::tree::{Tree, TreeWork};
use crate::clearance::contact::{Bristling, ContactForce};
use crate::clearance::geometry::Geometry;
use crate::film::{FilmWork, Lubricated};
use crate::friction::Rubbing;
use crate::joint::RowWrenches;
use crate::marker::{Attachment, MarkerState};
use crate::time::Jet;

/// What a film does at the last evaluated point, and its memory.
#[derive(Clone, Debug)]
pub struct FilmState {
    pub now: Lubricated,
    /// Pressures for outputs are found on demand.
    pub work: RefCell<FilmWork>,
}

impl FilmState {
    fn new(element: &FilmElement) -> Self {
        Self { now: Lubricated::NONE, work: RefCell::new(element.lubricant.film.work()) }
    }
}

#[derive(Clone, Debug)]
pub struct Workspace {
    /// Poses and velocities of all bodies, the ground first.
    pub states: Vec<BodyState>,
    /// Quaternions of spatial bodies.
    pub quaternions: Vec<[f64; 4]>,
    /// Vectors of bodies in natural coordinates.
    pub naturals: Vec<Triad>,
    /// Coordinates of beams, and sections of the markers on them.
    pub beam_q: Vec<f64>,
    pub(super) sections: Vec<Option<SectionState>>,
    /// Links with a floating frame, and sections of the markers on them.
    pub floating: Vec<FloatingState>,
    pub(super) floating_sections: Vec<Option<FloatingSection>>,
    /// Twice the longest beam.
    pub(super) scratch: Vec<f64>,
    /// Power that the damping of each flexible link takes.
    pub damping_powers: Vec<f64>,
    /// Power that the equations gain by leaving terms out, W.
    pub formulation_power: f64,
    pub markers: Vec<MarkerState>,
    /// From the mass centre of its body to each marker.
    pub(super) arms: Vec<Vector3<f64>>,
    /// Velocities at the last evaluated point, generalised forces and accelerations.
    pub v: Vec<f64>,
    pub forces: Vec<f64>,
    pub accelerations: Vec<f64>,
    /// Keeps f while masses of components add to it.
    pub(super) applied: Vec<f64>,
    /// Unit wrenches of the rows.
    pub row_wrenches: Vec<RowWrenches>,
    /// G and M⁻¹Gᵀ by block.
    pub g: Vec<f64>,
    pub mg: Vec<f64>,
    /// Right-hand side γ of G v̇ = γ.
    pub gamma: Vec<f64>,
    pub lambda: Vec<f64>,
    pub residual: Vec<f64>,
    /// Right-hand side and correction of refined solutions.
    pub wanted: Vec<f64>,
    pub refinement: Vec<f64>,
    /// M⁻¹Gᵀ times a vector of rows, and displacements in projections.
    pub directions: Vec<f64>,
    pub ldl: Ldl,
    /// Whether the last factors are those of S + εD.
    pub regularised: bool,
    /// Factors of G diag(u²) Gᵀ, and whether they belong to the present rows.
    pub shape: Ldl,
    pub shape_known: bool,
    /// Pivot ratios with their rows, where the smallest are looked for.
    pub(super) order: Vec<(f64, usize)>,
    /// Value of each function of the state.
    pub functions: Vec<f64>,
    /// Prescribed motion of each driver.
    pub motions: Vec<Jet>,
    pub contacts: Vec<(Option<Geometry>, ContactForce)>,
    /// Bristles of contacts.
    pub bristling: Vec<Bristling>,
    pub films: Vec<FilmState>,
    pub frictions: Vec<Rubbing>,
    /// f without friction in ideal joints, and loads of the last iteration.
    pub(super) frictionless: Vec<f64>,
    pub(super) loads: Vec<f64>,
    pub(super) newton: LoadNewton,
    /// Coefficient at which the surface jams that had no load last.
    pub critical: f64,
    /// Power of each applied force that is not the rate of a potential.
    pub force_powers: Vec<f64>,
    /// Angles counted over turns.
    pub turns: Vec<f64>,
    /// Of bodies in joint coordinates.
    pub tree: Option<Box<TreeWork>>,
    /// Of links on an equivalent rigid-link system.
    pub erls: Option<Box<ErlsWork>>,
}

/// A marker of the ground, which stays, or one that is placed at every evaluation.
fn blank(at: &Attachment) -> MarkerState {
    if at.body == 0 { at.on_ground() } else { MarkerState::default() }
}

impl Workspace {
    /// A buffer as long as the velocities of the state.
    pub(super) fn state_directions(&mut self) -> &mut Vec<f64> {
        match &mut self.tree {
            Some(tree) => &mut tree.directions,
            None => &mut self.directions,
        }
    }

    pub fn new(system: &System) -> Self {
        let (velocities, rows) = (system.sizes[1], system.active);
        let by_body = system.by_body.last().map_or(0, |body| body.entries.end);
        let by_branch = |tree: &Tree| tree.rows.last().map_or(0, |rows| rows.entries.end);
        let entries = system.tree.as_ref().map_or(0, by_branch).max(by_body);
        Self {
            states: vec![BodyState::GROUND; system.bodies.len() + 1],
            quaternions: vec![[0.0; 4]; system.bodies.len()],
            naturals: vec![Triad::REST; system.naturals.len()],
            beam_q: vec![0.0; system.beams.iter().map(|beam| beam.size()).sum()],
            floating: system.floating.iter().map(|body| body.blank()).collect(),
            floating_sections: vec![
                None;
                if system.floating.is_empty() {
                    0
                } else {
                    system.attachments.len()
                }
            ],
            sections: vec![
                None;
                if system.beams.is_empty() { 0 } else { system.attachments.len() }
            ],
            scratch: vec![0.0; 2 * system.beams.iter().map(|b| b.size()).max().unwrap_or(0)],
            damping_powers: vec![0.0; system.beams.len() + system.floating.len()],
            formulation_power: 0.0,
            markers: system.attachments.iter().map(blank).collect(),
            arms: vec![Vector3::zeros(); system.attachments.len()],
            v: vec![0.0; velocities],
            forces: vec![0.0; velocities],
            accelerations: vec![0.0; velocities],
            applied: vec![0.0; velocities],
            row_wrenches: vec![RowWrenches::ZERO; system.rows.len()],
            g: vec![0.0; entries],
            mg: vec![0.0; entries],
            gamma: vec![0.0; rows],
            lambda: vec![0.0; system.rows.len()],
            residual: vec![0.0; rows],
            wanted: vec![0.0; rows],
            refinement: vec![0.0; rows],
            directions: vec![0.0; velocities],
            ldl: system.ldl.clone(),
            regularised: false,
            shape: system.ldl.clone(),
            shape_known: false,
            order: Vec::with_capacity(rows),
            functions: vec![0.0; system.model.functions.len()],
            motions: vec![Jet::default(); system.model.drivers.len()],
            contacts: vec![(None, ContactForce::ZERO); system.contacts.len()],
            bristling: vec![Bristling::NONE; system.contacts.len()],
            films: system.films.iter().map(FilmState::new).collect(),
            frictions: vec![Rubbing::NONE; system.frictions.len()],
            frictionless: vec![0.0; velocities],
            loads: vec![0.0; system.frictions.len()],
            newton: LoadNewton::new(system.frictions.len(), system.rows.len()),
            critical: 0.0,
            force_powers: vec![0.0; system.model.forces.len()],
            turns: vec![0.0; system.turns.len()],
            tree: system
                .tree
                .as_ref()
                .map(|tree| TreeWork::new(tree, &system.bodies, system.sizes[0], system.layout.v))
                .map(Box::new),
            erls: system.erls.as_ref().map(|erls| Box::new(ErlsWork::new(erls, system))),
        }
    }
}
