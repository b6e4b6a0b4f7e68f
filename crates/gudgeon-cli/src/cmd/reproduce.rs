//! `gudgeon reproduce`: the tables of a paper, recomputed.

use std::path::PathBuf;

use gudgeon_engine::Refusal;
use gudgeon_engine::reproduce::figure::figure_record;
use gudgeon_engine::reproduce::record::{failure, record};
use gudgeon_engine::reproduce::{Paper, papers};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_output::record::{PaperRecord, Status};

use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::reproduce::{figures_text, text};
use crate::terminal::Terminal;

/// Recomputes a paper, or one case of it, and gives the exit code.
pub fn reproduce(args: &ReproduceArgs, terminal: &Terminal) -> Exit {
    if let Some(number) = &args.figures {
        return figures(args, number, terminal);
    }
    let (name, case) = match args.paper.split_once('/') {
        Some((name, case)) => (name, Some(case)),
        None => (args.paper.as_str(), None),
    };
    let papers = match papers() {
        Ok(papers) => papers,
        Err(refusal) => return terminal.refuse(&refusal),
    };
    let Some(paper) = papers.iter().find(|paper| paper.name == name) else {
        return terminal.refuse(&unknown_paper(name, &papers));
    };
    let plan = match paper.plan(case) {
        Ok(Some(plan)) => plan,
        Ok(None) => return terminal.refuse(&unknown_case(paper, case.unwrap_or(""))),
        Err(refusal) => return terminal.refuse(&refusal),
    };
    terminal.interrupt().leave_to_work();
    let sections = plan.run(args.jobs, terminal);
    let Some(sections) = sections else {
        terminal.tell("interrupted: no table without all of its rows\n");
        let (paper, status) = (paper.name.clone(), Status::Interrupted);
        terminal.answer(&PaperRecord { paper, status, ..PaperRecord::default() });
        return Exit::Interrupted;
    };
    terminal.say(&text(paper, &sections, terminal.paint()));
    terminal.answer(&record(paper, &sections));
    match failure(&sections) {
        None => Exit::Done,
        Some(message) => {
            terminal.tell(&format!("{}: {message}\n", terminal.error_paint().error("error")));
            Exit::Failed
        }
    }
}

/// Draws figures of a paper or of all, and gives the exit code.
fn figures(args: &ReproduceArgs, number: &str, terminal: &Terminal) -> Exit {
    let papers = match papers() {
        Ok(papers) => papers,
        Err(refusal) => return terminal.refuse(&refusal),
    };
    let chosen: Vec<&Paper> = match args.paper.as_str() {
        "all" => papers.iter().filter(|paper| !paper.figures().is_empty()).collect(),
        name => papers.iter().filter(|paper| paper.name == name).collect(),
    };
    if chosen.is_empty() {
        return terminal.refuse(&unknown_paper(&args.paper, &papers));
    }
    let number = (number != "all").then_some(number);
    terminal.interrupt().leave_to_work();
    let mut record = PaperRecord { paper: args.paper.clone(), ..PaperRecord::default() };
    for paper in chosen {
        let default = || PathBuf::from("figures").join(&paper.name);
        let folder = match (&args.out, args.paper.as_str()) {
            (Some(out), "all") => out.join(&paper.name),
            (Some(out), _) => out.clone(),
            (None, _) => default(),
        };
        let asked = match paper.figures_asked(number) {
            Ok(asked) => asked,
            Err(refusal) => return terminal.refuse(&refusal),
        };
        let drawn = match paper.draw(&asked, &folder, args.jobs, terminal) {
            Ok(Some(drawn)) => drawn,
            Ok(None) => {
                terminal.tell("interrupted: the same command goes on where this one stopped\n");
                terminal.answer(&PaperRecord { status: Status::Interrupted, ..record });
                return Exit::Interrupted;
            }
            Err(refusal) => return terminal.refuse(&refusal),
        };
        terminal.say(&figures_text(paper, &drawn, terminal.paint()));
        record.figures.extend(drawn.iter().map(|one| figure_record(paper, one)));
    }
    let failed = record.figures.iter().filter(|figure| figure.error.is_some()).count();
    if failed > 0 {
        let message = format!("{failed} of {} figures could not be drawn", record.figures.len());
        terminal.tell(&format!("{}: {message}\n", terminal.error_paint().error("error")));
        record.error = Some(message);
        record.status = Status::Failed;
    }
    terminal.answer(&record);
    if failed > 0 { Exit::Failed } else { Exit::Done }
}

fn refuse(message: String, help: String) -> Refusal {
    Refusal::new(Diagnostic::error("G1401", message).help(help))
}

fn unknown_paper(name: &str, papers: &[Paper]) -> Refusal {
    let names: Vec<&str> = papers.iter().map(|paper| paper.name.as_str()).collect();
    let help = match nearest(name, names.iter().copied()) {
        _ if name == "all" => {
            format!("tables are those of one paper; `--figures` draws all: {}", names.join(", "))
        }
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("papers: {}", names.join(", ")),
    };
    refuse(format!("there is no paper `{name}`"), help)
}

fn unknown_case(paper: &Paper, case: &str) -> Refusal {
    let groups: Vec<&str> = paper.groups().collect();
    let help = match nearest(case, groups.iter().copied()) {
        Some(near) => format!("did you mean `{}/{near}`?", paper.name),
        None => format!("cases: {}", groups.join(", ")),
    };
    refuse(format!("paper `{}` has no case `{case}`", paper.name), help)
}
