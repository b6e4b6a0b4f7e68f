//! `gudgeon plot`: outputs of results that are there already.

use gudgeon_engine::plot::{PlotOptions, Plotted, plot as drawn};
use gudgeon_engine::text::{plural, quantity};
use gudgeon_output::record::{PlotRecord, Status};
use gudgeon_output::save;

use crate::args::PlotArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;

/// Draws and gives the exit code.
pub fn plot(args: &PlotArgs, terminal: &Terminal) -> Exit {
    match drawn(&options(args)) {
        Ok(plotted) => hand_over(args, plotted, terminal),
        Err(refusal) => terminal.refuse(&refusal),
    }
}

fn options(args: &PlotArgs) -> PlotOptions {
    let trimmed = |name: &String| name.trim().to_owned();
    PlotOptions {
        folders: args.results.clone(),
        outputs: args.output.iter().map(trimmed).filter(|name| !name.is_empty()).collect(),
        over: args.over.as_ref().map(trimmed),
        fold: args.fold,
        range: args.range.clone(),
        across: None,
        together: args.together,
        overlays: args.overlay.clone(),
        title: args.title.clone(),
        labels: Vec::new(),
    }
}

fn hand_over(args: &PlotArgs, plotted: Plotted, terminal: &Terminal) -> Exit {
    let Some(path) = &args.svg else {
        terminal.hand_over(&plotted.svg);
        return Exit::Done;
    };
    let record = PlotRecord { svg: Some(path.display().to_string()), ..plotted.record };
    match save(path, &plotted.svg) {
        Ok(()) => {
            terminal.say(&text(&record));
            terminal.answer(&record);
            Exit::Done
        }
        Err(error) => {
            let error = Some(terminal.tell_unwritten(&error));
            terminal.answer(&PlotRecord { status: Status::Failed, error, svg: None, ..record });
            Exit::Failed
        }
    }
}

fn text(record: &PlotRecord) -> String {
    let rows: usize = record.results.iter().map(|result| result.rows).sum();
    let over = if record.over == "t" { "time" } else { &record.over };
    format!(
        "  {}: {} over {over}, {} … {}, {}\n",
        record.svg.as_deref().unwrap_or_default(),
        plural(record.outputs.len(), "output", "outputs"),
        quantity(record.from, "s"),
        quantity(record.to, "s"),
        plural(rows, "row", "rows"),
    )
}
