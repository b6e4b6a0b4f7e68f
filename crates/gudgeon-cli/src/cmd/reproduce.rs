//! `gudgeon reproduce`: the tables of a paper, recomputed.

use gudgeon_model::diagnostic::{Diagnostic, nearest};

use crate::args::ReproduceArgs;
use crate::exit::Exit;
use crate::refusal::Refusal;
use crate::reproduce::{Paper, papers, report};
use crate::terminal::Terminal;

/// Recomputes a paper, or one case of it, and gives the exit code.
pub fn reproduce(args: &ReproduceArgs, terminal: &Terminal) -> Exit {
    let (name, case) = match args.paper.split_once('/') {
        Some((name, case)) => (name, Some(case)),
        None => (args.paper.as_str(), None),
    };
    let papers = match papers() {
        Ok(papers) => papers,
        Err(error) => return refuse(error, String::new()).report(terminal),
    };
    let Some(paper) = papers.iter().find(|paper| paper.name == name) else {
        return unknown_paper(name, &papers).report(terminal);
    };
    let plan = match paper.plan(case) {
        Ok(Some(plan)) => plan,
        Ok(None) => return unknown_case(paper, case.unwrap_or("")).report(terminal),
        Err(error) => return refuse(error, String::new()).report(terminal),
    };
    terminal.interrupt().leave_to_work();
    let watch = terminal.watch("running");
    let sections = plan.run(args.jobs, &watch);
    drop(watch);
    let Some(sections) = sections else {
        terminal.tell("interrupted: no table without all of its rows\n");
        let status = Exit::Interrupted.status();
        terminal.answer(&serde_json::json!({ "paper": paper.name, "rows": [], "status": status }));
        return Exit::Interrupted;
    };
    terminal.say(&report::text(paper, &sections, terminal.paint()));
    terminal.answer(&report::object(paper, &sections));
    match report::failure(&sections) {
        None => Exit::Done,
        Some(message) => {
            terminal.tell(&format!("{}: {message}\n", terminal.error_paint().error("error")));
            Exit::Failed
        }
    }
}

fn refuse(message: String, help: String) -> Refusal {
    let diagnostic = Diagnostic::error("G1401", message);
    Refusal::new(if help.is_empty() { diagnostic } else { diagnostic.help(help) })
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
