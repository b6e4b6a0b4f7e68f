//! `gudgeon reproduce`: the tables of a paper, recomputed.

use gudgeon_engine::Refusal;
use gudgeon_engine::reproduce::record::{failure, record};
use gudgeon_engine::reproduce::{Paper, papers};
use gudgeon_model::diagnostic::{Diagnostic, nearest};
use gudgeon_output::record::{PaperRecord, Status};

use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::reproduce::text;
use crate::terminal::Terminal;

/// Recomputes a paper, or one case of it, and gives the exit code.
pub fn reproduce(args: &ReproduceArgs, terminal: &Terminal) -> Exit {
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

fn refuse(message: String, help: String) -> Refusal {
    Refusal::new(Diagnostic::error("G1401", message).help(help))
}

fn unknown_paper(name: &str, papers: &[Paper]) -> Refusal {
    let names: Vec<&str> = papers.iter().map(|paper| paper.name.as_str()).collect();
    let help = match nearest(name, names.iter().copied()) {
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
