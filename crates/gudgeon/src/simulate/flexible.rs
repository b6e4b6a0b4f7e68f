//! How far links bent: largest stress, strains and deflection with place and time, and the lines themselves.
//!
//! Largest values are those at the ends of accepted steps, at both ends and the middle of every element, of divided
//! links at their ends and sde. What
//! lies between two steps is not looked for: an output (`rod.largest_stress`) has its extremes located.

use super::linear::LinearRange;
use crate::beam::{Peak, Peaks};
use crate::math::rotation::quaternion;
use crate::results::{FlexibleReport, LinkPeak};
use crate::system::tree::Tree;
use crate::system::workspace::Workspace;
use crate::system::{Plant, System};

#[derive(Default)]
pub(super) struct FlexibleLog {
    /// One per beam of the system, then one per link with a floating frame, then one per divided link.
    links: Vec<Seen>,
}

#[derive(Clone, Copy, Default)]
struct Seen {
    stress: LinkPeak,
    tension: LinkPeak,
    compression: LinkPeak,
    deflection: LinkPeak,
    /// First strain below [`CRUSHED`] or above [`STRETCHED`].
    crushed: Option<LinkPeak>,
    linear: LinearRange,
}

/// Green's strain E below which St. Venant and Kirchhoff's law is out of range: its force EA E √(1 + 2E) is
/// 15 % below a linear one here, and falls from E = −1/3 on.
const CRUSHED: f64 = -0.1;

/// Strain above which no law of small strains means a material; a link that was pushed through itself has it, too.
const STRETCHED: f64 = 0.2;

impl Seen {
    fn look(&mut self, peaks: Peaks, deflection: Peak, length: f64, t: f64) {
        Self::offer(&mut self.stress, peaks.stress, length, t);
        Self::offer(&mut self.tension, peaks.tension, length, t);
        Self::offer(&mut self.compression, peaks.compression, length, t);
        Self::offer(&mut self.deflection, deflection, length, t);
        if peaks.tension.value > STRETCHED {
            self.crushed.get_or_insert(at(peaks.tension, length, t));
        }
    }

    fn offer(best: &mut LinkPeak, now: Peak, length: f64, t: f64) {
        if now.value.abs() > best.value.abs() {
            *best = at(now, length, t);
        }
    }
}

fn at(peak: Peak, length: f64, t: f64) -> LinkPeak {
    LinkPeak { value: peak.value, along: peak.along, distance: peak.along * length, t }
}

/// Largest values at one state, where the workspace was just evaluated.
pub(crate) fn at_rest(system: &System, work: &Workspace) -> Vec<FlexibleReport> {
    let mut log = FlexibleLog::new(system);
    log.look(system, work, 0.0);
    log.finish(system)
}

impl FlexibleLog {
    pub fn new(system: &System) -> Self {
        Self { links: vec![Seen::default(); system.flexible_links() + system.model.links.len()] }
    }

    /// The start, or the end of a step, where the workspace was just evaluated.
    pub fn look(&mut self, system: &System, work: &Workspace, t: f64) {
        let (links, chains) = self.links.split_at_mut(system.flexible_links());
        let (beams, floating) = links.split_at_mut(system.beams.len());
        for (seen, chain) in chains.iter_mut().zip(system.chains()) {
            seen.look(chain.peaks(work), chain.largest_deflection(work), chain.length(), t);
        }
        for (seen, beam) in beams.iter_mut().zip(&system.beams) {
            let (_, q, v) = system.beam_at(beam.body, work);
            let length = beam.beam.line_length();
            let peaks = beam.beam.peaks(q, v);
            seen.look(peaks, beam.beam.largest_deflection(q), length, t);
            if peaks.compression.value < CRUSHED && beam.beam.softens() {
                seen.crushed.get_or_insert(at(peaks.compression, length, t));
            }
        }
        for (seen, body) in floating.iter_mut().zip(&system.floating) {
            let (body, state) = system.floating_at(body.body, work);
            let (link, (q, v)) = (&body.link, state.mesh());
            let (peaks, deflection) = (link.peaks(q, v), link.largest_deflection(q));
            seen.look(peaks, deflection, link.length, t);
            let stress = at(peaks.stress, link.length, t);
            let strain = LinkPeak { value: stress.value / link.section.young, ..stress };
            seen.linear.look(strain, at(deflection, link.length, t), link.length);
        }
    }

    pub fn finish(&self, system: &System) -> Vec<FlexibleReport> {
        let bodies = system.beams.iter().map(|beam| beam.body + 1);
        let bodies = bodies.chain(system.floating.iter().map(|body| body.body + 1));
        let bodies = bodies.chain(system.model.links.iter().map(|link| link.body.0));
        let report = |(seen, body): (&Seen, usize)| FlexibleReport {
            name: system.model.bodies[body].name.clone(),
            stress: seen.stress,
            tension: seen.tension,
            compression: seen.compression,
            deflection: seen.deflection,
            crushed: seen.crushed,
            linear: seen.linear,
        };
        self.links.iter().zip(bodies).map(report).collect()
    }
}

/// A place of the centre line: share of the line, position, and section axes as a quaternion (w, x, y, z).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinePoint {
    pub along: f64,
    pub position: [f64; 3],
    pub axes: [f64; 4],
}

/// Centre line and section axes of every flexible link at a state, link by link: nodes and middles of elements, of
/// divided links behind the others ends and sde.
pub fn each_line(
    plant: &Plant,
    t: f64,
    y: &[f64],
    out: &mut Vec<LinePoint>,
    mut take: impl FnMut(usize, &[LinePoint]),
) {
    let system = plant.system;
    let [first_q, first_v] = system.tree.as_ref().map_or([0; 2], Tree::shift);
    let (q, v) = y.split_at(system.layout.q);
    for beam in &system.beams {
        out.clear();
        out.extend(beam.beam.stations().map(|along| {
            let own = (&q[beam.q - first_q..], &v[beam.v - first_v..]);
            let frame = beam.section(&beam.beam.site(along), own.0, own.1).frame();
            LinePoint { along, position: frame.p.into(), axes: quaternion(&frame.r) }
        }));
        take(beam.body + 1, out);
    }
    for body in &system.floating {
        out.clear();
        out.extend(body.link.stations().map(|along| {
            let site = body.link.site(along);
            let own = (q, &v[..system.layout.v]);
            let frame = plant.bodies_at(t, own, |q, v| body.section_at(&site, q, v).frame());
            LinePoint { along, position: frame.p.into(), axes: quaternion(&frame.r) }
        }));
        take(body.body + 1, out);
    }
    for chain in system.chains() {
        out.clear();
        out.extend(chain.stations().map(|along| {
            let frame = chain.frame(along, |body| plant.state_of(body, t, y));
            LinePoint { along, position: frame.p.into(), axes: quaternion(&frame.r) }
        }));
        take(chain.division.body.0, out);
    }
}
