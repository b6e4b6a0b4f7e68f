//! Reports of the mechanics as records. Every report is taken to pieces by name, so that what it gains
//! must be told here or left out on purpose.

use gudgeon::assembly::{Assembly as Assembled, AssemblyReport, Indeterminate, RowName};
use gudgeon::certify;
use gudgeon::ensemble::{self, EnsembleReport};
use gudgeon::ked::KedReport;
use gudgeon::model::{Model, Space};
use gudgeon::results::{self, RunReport, Statistics};

use super::*;

impl Extreme {
    pub fn new(extreme: &results::Extreme, is_unique: bool) -> (String, Extreme) {
        let (abs_max, t_abs_max) = extreme.abs_max();
        let results::Extreme {
            name,
            unit,
            min,
            t_min,
            max,
            t_max,
            rms,
            mean,
            mean_error,
            rms_error,
        } = extreme.clone();
        let unique = (!is_unique).then_some(false);
        let unit = unit.into_owned();
        #[rustfmt::skip]
        let record = Extreme {
            unit, min, t_min, max, t_max, abs_max, t_abs_max, rms, mean, mean_error, rms_error, unique,
        };
        (name, record)
    }

    pub fn all(extremes: &[results::Extreme], unique: &[bool]) -> Named<Extreme> {
        extremes.iter().zip(unique).map(|(one, unique)| Extreme::new(one, *unique)).collect()
    }
}

impl Impact {
    pub fn new(model: &Model, impact: &results::Impact) -> Impact {
        let restitution = impact.restitution();
        let results::Impact {
            joint,
            spot,
            number,
            t,
            speed_in,
            t_out,
            speed_out,
            peak_force,
            peak_depth,
            loss,
            friction_loss,
            floored,
        } = *impact;
        Impact {
            joint: model.joints[joint.0].name.clone(),
            spot: spot.to_owned(),
            number,
            t,
            speed_in,
            t_out,
            speed_out,
            peak_force,
            peak_depth,
            restitution,
            loss: loss + friction_loss,
            friction_loss,
            floored,
        }
    }
}

impl Contact {
    pub fn new(report: &RunReport, contact: &results::ContactReport) -> (String, Contact) {
        let restitution = restitution_range(report, contact);
        let results::ContactReport {
            joint: _,
            spot: _,
            name,
            impacts,
            floored_impacts,
            contact_fraction,
            longest_contact,
            max_depth,
            max_rate_ratio,
            max_impact_speed,
        } = contact.clone();
        let record = Contact {
            impacts,
            floored_impacts,
            contact_fraction,
            longest_contact,
            max_depth,
            max_rate_ratio,
            max_impact_speed,
            restitution,
        };
        (name, record)
    }
}

/// Smallest and largest restitution achieved by the impacts of a spot that have ended.
pub fn restitution_range(report: &RunReport, contact: &results::ContactReport) -> Option<Range> {
    let own = report
        .impacts
        .iter()
        .filter(|impact| (impact.joint, impact.spot) == (contact.joint, contact.spot));
    own.filter_map(results::Impact::restitution).fold(None, |range, e| match range {
        None => Some(Range { min: e, max: e }),
        Some(Range { min, max }) => Some(Range { min: f64::min(min, e), max: f64::max(max, e) }),
    })
}

impl Journal {
    pub fn new(journal: &results::JournalReport) -> (String, Journal) {
        let results::JournalReport { joint: _, name, shares, max_misalignment, left_bearing } =
            journal.clone();
        let [free, point, line, opposite] = shares;
        let shares = Shares { free, point, line, opposite };
        (name, Journal { shares, max_misalignment, left_bearing })
    }
}

impl Film {
    pub fn new(film: &results::FilmReport) -> (String, Film) {
        let results::FilmReport {
            joint: _,
            name,
            thinnest,
            t,
            angle,
            clearance,
            roughness: _,
            hybrid: _,
            turned: _,
        } = film.clone();
        (name, Film { thinnest, t, angle, ratio: thinnest / clearance })
    }
}

impl Flexible {
    pub fn new(link: &results::FlexibleReport) -> (String, Flexible) {
        let results::FlexibleReport {
            name,
            stress,
            tension,
            compression,
            deflection,
            crushed: _,
            linear: _,
        } = link.clone();
        let peak = |peak: results::LinkPeak| {
            let results::LinkPeak { value, along, distance, t } = peak;
            LinkPeak { value, along, distance, t }
        };
        let record = Flexible {
            stress: peak(stress),
            tension: peak(tension),
            compression: peak(compression),
            deflection: peak(deflection),
        };
        (name, record)
    }
}

impl Ked {
    pub fn new(ked: &KedReport) -> Ked {
        let KedReport {
            spec,
            step,
            steps,
            elements,
            coordinates,
            half_width: _,
            locked,
            frequencies,
            strains,
            cpu: _,
        } = ked.clone();
        let peak = |(name, peak): (String, results::LinkPeak)| {
            let results::LinkPeak { value, along, distance, t } = peak;
            (name, LinkPeak { value, along, distance, t })
        };
        Ked {
            case: spec.case.name().to_owned(),
            step,
            steps,
            beta: spec.beta,
            gamma: spec.gamma,
            coupling: spec.coupling,
            geometric_stiffness: spec.geometric.name().to_owned(),
            elements,
            coordinates,
            locked,
            frequencies,
            strains: strains.into_iter().map(peak).collect(),
        }
    }
}

impl Field {
    pub fn new(field: &results::FieldReport) -> Field {
        let results::FieldReport { joint: _, name, t, thinnest, film, peak } = field;
        let film = film.thinnest();
        Field {
            joint: name.clone(),
            t: *t,
            thinnest: *thinnest,
            peak: FieldPeak { pressure: peak.pressure, angle: peak.angle, place: peak.place },
            film: FieldThickness {
                thickness: film.thickness,
                angle: film.angle,
                place: film.place,
            },
        }
    }
}

impl Energy {
    pub fn new(ledger: &results::Ledger) -> Energy {
        let residual_relative = ledger.residual_relative();
        let results::Ledger { lines, before: _, residual, residual_max, peak_kinetic } = ledger;
        Energy {
            residual_relative,
            residual: *residual,
            residual_max: *residual_max,
            peak_kinetic: *peak_kinetic,
            lines: lines.iter().map(EnergyLine::new).collect(),
        }
    }
}

impl EnergyLine {
    fn new(line: &results::LedgerLine) -> EnergyLine {
        let results::LedgerLine { kind, name, value } = line.clone();
        EnergyLine { kind: kind.name().to_owned(), name, value }
    }
}

impl Solver {
    pub fn new(solver: &results::SolverReport) -> Solver {
        let results::SolverReport { method, reason, rtol, statistics, rows, cpu: _ } = solver;
        let Statistics {
            steps,
            rejected,
            faults,
            evaluations,
            projections,
            events,
            leaps,
            iterations,
            tangents,
            factorisations,
        } = *statistics;
        let factorisations = || {
            let total = factorisations.total();
            let results::Factorisations { first, resized, slow, restarted, moved } = factorisations;
            Factorisations { total, first, resized, moved, slow, restarted }
        };
        let newton = (iterations > 0).then(|| Newton {
            iterations,
            tangents,
            factorisations: factorisations(),
        });
        Solver {
            method: (*method).to_owned(),
            reason: reason.clone(),
            rtol: *rtol,
            steps,
            rejected,
            faults,
            evaluations,
            projections,
            leaps,
            events,
            rows: *rows,
            coordinates: None,
            newton,
            cpu_seconds: None,
            options: None,
        }
    }
}

/// Time and outputs at the end.
pub fn last_values(report: &RunReport) -> Named<Number> {
    let outputs = report.extremes.iter().map(|extreme| extreme.name.clone());
    let values = outputs.zip(report.final_values.iter().map(|value| Number(*value)));
    std::iter::once(("t".to_owned(), Number(report.final_time))).chain(values).collect()
}

impl Ensemble {
    pub fn new(report: &EnsembleReport, seed: u64) -> Ensemble {
        let EnsembleReport { runs, finished, failed, cut, not_begun, limit: _, extremes, failures } =
            report;
        let failure = |(run, error): &(usize, results::SimulationError)| MemberFailure {
            run: *run,
            t: error.time,
            message: error.to_string(),
        };
        Ensemble {
            n: *finished,
            asked: *runs,
            failed: *failed,
            cut: *cut,
            not_begun: *not_begun,
            seed,
            extremes: extremes.iter().map(EnsembleExtreme::new).collect(),
            failures: failures.iter().map(failure).collect(),
        }
    }
}

impl EnsembleExtreme {
    fn new(extreme: &ensemble::EnsembleExtreme) -> (String, EnsembleExtreme) {
        let ensemble::EnsembleExtreme { name, unit, abs_max, max, min, rms } = extreme.clone();
        let [abs_max, max, min, rms] = [abs_max, max, min, rms].map(Spread::new);
        (name, EnsembleExtreme { unit: unit.into_owned(), abs_max, max, min, rms })
    }
}

impl Spread {
    fn new(ensemble::Spread { mean, std, min, max }: ensemble::Spread) -> Spread {
        Spread { mean, std, min, max }
    }
}

impl Certificate {
    pub fn new(certificate: &certify::Certificate) -> Certificate {
        let certify::Certificate { rtol, references, outputs, complete, reached } = certificate;
        let [near, far] = references;
        Certificate {
            rtol: *rtol,
            reference_rtol: near.rtol,
            second_reference_rtol: far.rtol,
            complete: *complete,
            reached: *reached,
            references: [Reference::new(near), Reference::new(far)],
            outputs: outputs.iter().map(CertifiedOutput::new).collect(),
        }
    }
}

impl CertifiedOutput {
    fn new(output: &certify::CertifiedOutput) -> (String, CertifiedOutput) {
        let certify::CertifiedOutput {
            name,
            extreme_digits,
            mean_digits,
            rms_digits,
            extreme_time_error,
            digits,
            horizon,
            whole_run,
        } = output.clone();
        let record = CertifiedOutput {
            extreme_digits,
            extreme_time_error,
            mean_digits,
            rms_digits,
            digits,
            horizon,
            whole_run,
        };
        (name, record)
    }
}

impl Reference {
    fn new(reference: &certify::Reference) -> Reference {
        let certify::Reference { rtol, step_ratio, status, final_time, cpu_seconds } = reference;
        let (status, error) = match status {
            results::Status::Done => (Status::Ok, None),
            results::Status::Interrupted => (Status::Interrupted, None),
            results::Status::Failed(error) => (Status::Failed, Some(error.to_string())),
        };
        Reference {
            rtol: *rtol,
            step_ratio: *step_ratio,
            status,
            t: *final_time,
            cpu_seconds: *cpu_seconds,
            error,
        }
    }
}

impl Assembly {
    pub fn new(assembly: &Assembled) -> Assembly {
        let AssemblyReport {
            mobility,
            ideal_mobility,
            ideal_starts,
            coordinates,
            rows,
            redundant,
            not_unique,
            indeterminate,
            massless: _,
        } = &assembly.report;
        let named = |all: &[RowName]| all.iter().map(Row::new).collect();
        let model = &assembly.system.model;
        let joint = |one: &Indeterminate| {
            (model.joints[one.joint.0].name.clone(), undetermined(model, one))
        };
        Assembly {
            mobility: *mobility,
            ideal_mobility: *ideal_mobility,
            ideal_starts: *ideal_starts,
            coordinates: *coordinates,
            rows: *rows,
            redundant: named(redundant),
            not_unique: named(not_unique),
            not_unique_reactions: indeterminate.iter().map(joint).collect(),
        }
    }
}

impl Row {
    fn new(RowName { owner, row }: &RowName) -> Row {
        Row { owner: owner.clone(), row: (*row).to_owned() }
    }
}

/// The reactions of a joint that the motion does not determine, in names of outputs: in world axes, or
/// in those of the joint where fewer are concerned.
fn undetermined(model: &Model, one: &Indeterminate) -> Vec<String> {
    let count = |flags: &[bool; 6]| flags.iter().filter(|flag| **flag).count();
    let in_joint = model.space == Space::Spatial && count(&one.local) < count(&one.world);
    let (prefix, flags) = if in_joint { ("local_", &one.local) } else { ("", &one.world) };
    let mut names = components(&format!("{prefix}reaction"), &flags[..3]);
    let torque = format!("{prefix}reaction_torque");
    match model.space {
        Space::Planar if flags[5] => names.push(torque),
        Space::Planar => {}
        Space::Spatial => names.extend(components(&torque, &flags[3..])),
    }
    names
}

fn components(name: &str, flags: &[bool]) -> Vec<String> {
    if flags.iter().all(|flag| *flag) {
        return vec![name.to_owned()];
    }
    let flagged = flags.iter().zip(["x", "y", "z"]).filter(|(flag, _)| **flag);
    flagged.map(|(_, component)| format!("{name}.{component}")).collect()
}

impl From<&results::Warning> for Warning {
    fn from(warning: &results::Warning) -> Warning {
        let results::Warning { code, joint, message, help } = warning.clone();
        Warning::Run(Remark { code: code.to_owned(), joint, message, help: help.into_owned() })
    }
}
