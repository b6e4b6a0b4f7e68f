//! `gudgeon report`: the page of a result that is there already.

use gudgeon_engine::report::{REPORT, report as made};
use gudgeon_output::record::{ReportRecord, Status};
use gudgeon_output::save;

use crate::args::ReportArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// Writes the page and gives the exit code.
pub fn report(args: &ReportArgs, terminal: &Terminal) -> Exit {
    let page = match made(&args.result) {
        Ok(page) => page,
        Err(refusal) => return terminal.refuse(&refusal),
    };
    let path = args.out.clone().unwrap_or_else(|| args.result.join(REPORT));
    let record = ReportRecord {
        report: Some(path.display().to_string()),
        bytes: page.len(),
        ..ReportRecord::default()
    };
    match save(&path, &page) {
        Ok(()) => {
            let kilobytes = page.len().div_ceil(1000);
            terminal.say(&format!("  {}: {kilobytes} kB, open it in a browser\n", path.display()));
            terminal.answer(&record);
            Exit::Done
        }
        Err(error) => {
            let error = Some(terminal.tell_unwritten(&error));
            terminal.answer(&ReportRecord {
                status: Status::Failed,
                error,
                report: None,
                ..record
            });
            Exit::Failed
        }
    }
}
