//! A study in words and tables: what the user wants to know first.

mod pareto;
mod sweep;

use crate::summary::last_complete;
use gudgeon_engine::study::record::{method, statistics_of};
use gudgeon_engine::study::{
    Fitted, Optimum, Search, Sensitivity, StudyJob, StudyOutcome, description, notes, point_shown,
};
use gudgeon_engine::text::{NONE, in_one_unit, plural, quantity, share};

use crate::table::Table;
use crate::terminal::Paint;

/// Failures shown at most.
const SHOWN: usize = 5;

/// The whole summary.
pub fn text(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let mut parts = vec![head(job, outcome, paint)];
    parts.push(failures(job, outcome, paint));
    parts.push(statistics(job, outcome, paint));
    parts.push(remarks(job, outcome, paint));
    parts.push(surrogates(job, outcome, paint));
    parts.extend(outcome.search.as_ref().map(|search| optima(job, search, paint)));
    parts.extend(outcome.sensitivity.as_ref().map(|s| effects(job, s, paint)));
    parts.extend(outcome.sweep.as_ref().map(|sweep| sweep::text(job, sweep, paint)));
    parts.push(places(job, outcome, paint));
    parts.retain(|part| !part.is_empty());
    parts.join("\n")
}

/// What a study would do.
pub fn plan(job: &StudyJob, paint: Paint) -> String {
    let mut text = format!("{}\n", paint.bold(&job.study().name));
    for line in description::lines(&job.loaded, &job.options.set, job.seed) {
        text.push_str(&format!("  {line}\n"));
    }
    let runs = plural(job.points.len() * job.study().ensemble, "run", "runs");
    let samples = plural(job.points.len(), "sample", "samples");
    text.push_str(&format!("  {samples}, {runs}; nothing was run\n"));
    text
}

/// Where the results are, and the picture to look at first.
fn places(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let mut text = format!("  results  {}\n", paint.bold(&job.shown.display().to_string()));
    text.push_str(&last_complete(&job.shown, outcome.kept.as_deref(), paint));
    if let Some((first, _)) = outcome.plots.first() {
        let first = job.shown.join(first).display().to_string();
        text.push_str(&format!("  plot     {}\n", paint.bold(&first)));
    }
    text
}

fn head(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let study = job.study();
    let mut text = format!("{}\n", paint.bold(&study.name));
    if let Some(design) = &study.design {
        let samples = plural(job.points.len(), "sample", "samples");
        text.push_str(&format!("  {samples} ({})", method(&design.method)));
        if study.ensemble > 1 {
            text.push_str(&format!(", {} runs each", study.ensemble));
        }
        if outcome.resumed > 0 {
            text.push_str(&format!(", {} of them from before", outcome.resumed));
        }
        let failed = outcome.records.iter().filter(|r| !r.outcome.is_done()).count();
        if failed > 0 {
            text.push_str(&format!(", {failed} failed"));
        }
        text.push_str(&format!(", {:.1} s\n", outcome.seconds[0]));
    }
    if outcome.interrupted {
        let finished = plural(outcome.records.len(), "sample", "samples");
        let when = match outcome.records.len() == job.points.len() {
            true => "after all samples".to_owned(),
            false => format!("after {finished} of {}", job.points.len()),
        };
        text.push_str(&format!("  interrupted {when}; the same command with `--resume` goes on\n"));
    }
    text
}

fn failures(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let failed: Vec<_> = outcome.records.iter().filter(|r| !r.outcome.is_done()).collect();
    if failed.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for record in failed.iter().take(SHOWN) {
        let at = point_shown(job, &record.point);
        let label = paint.warning(&format!("sample {} {}", record.index, record.outcome.status()));
        text.push_str(&format!("  {label} ({at}): {}\n", record.outcome.cause()));
    }
    if failed.len() > SHOWN {
        text.push_str(&format!("  and {} more, see samples.csv\n", failed.len() - SHOWN));
    }
    text
}

fn statistics(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let header =
        ["response", "unit", "mean", "std", "min", "5 %", "median", "95 %", "max", "spread"];
    let mut table = Table::new(header).names(2);
    for (i, response) in job.study().responses.iter().enumerate() {
        let Some(of) = statistics_of(job, outcome, i) else { continue };
        let numbers: Vec<f64> =
            [of.mean, of.std].into_iter().chain(of.quantiles).chain(of.spread).collect();
        let size = if of.mean == 0.0 { of.std } else { of.mean };
        let (unit, numbers) = in_one_unit(size, &numbers, &response.unit);
        let mut row = vec![response.name.clone(), unit];
        row.extend(numbers);
        row.resize(header.len(), String::new());
        table.row(row);
    }
    table.render(paint)
}

/// What the runs of the samples had to say.
fn remarks(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let label = paint.warning("warning");
    let notes = notes::of(job, outcome);
    notes.iter().map(|note| format!("  {label}: {}\n", note.text)).collect()
}

fn surrogates(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    if outcome.fitted.is_empty() {
        return String::new();
    }
    let mut table = Table::new(["surrogate", "Q²", "RMSE", "theta", "exponent", "nugget"]);
    let mut remarks = String::new();
    let numbers = |all: &[f64]| {
        let all: Vec<String> = all.iter().map(|x| gudgeon_engine::study::four_digits(*x)).collect();
        all.join(" ")
    };
    for Fitted { response, model } in &outcome.fitted {
        let response = &job.study().responses[*response];
        let label = paint.warning("warning");
        let model = match model {
            Ok(model) => model,
            Err(cause) => {
                let line = format!("  {label}: no surrogate of `{}`: {cause}\n", response.name);
                remarks.push_str(&line);
                continue;
            }
        };
        let parameters = model.kriging.parameters();
        table.row(vec![
            response.name.clone(),
            share(model.validation.q2),
            quantity(model.validation.rmse, &response.unit),
            numbers(&parameters.theta),
            numbers(&parameters.exponent),
            if parameters.nugget > 0.0 { numbers(&[parameters.nugget]) } else { String::new() },
        ]);
        for warning in &model.warnings {
            remarks.push_str(&format!("  {label}: `{}`: {warning}\n", response.name));
        }
    }
    table.render(paint) + &predictions(job, outcome, paint) + &remarks
}

/// What the surrogates say of the points of `predict`.
fn predictions(job: &StudyJob, outcome: &StudyOutcome, paint: Paint) -> String {
    let points = job.study().surrogate.as_ref().map_or(0, |surrogate| surrogate.predict.len());
    let mut text = String::new();
    for i in 0..points {
        let mut table = Table::new(["predicted", "mean", "±", "variance"]);
        for Fitted { response, model } in &outcome.fitted {
            let Some((_, of)) = model.as_ref().ok().and_then(|model| model.predictions.get(i))
            else {
                continue;
            };
            let response = &job.study().responses[*response];
            let (name, unit) = (&response.name, &response.unit);
            let variance = gudgeon_engine::study::four_digits(of.variance);
            let (mean, std) = (quantity(of.mean, unit), quantity(of.deviation(), unit));
            table.row(vec![name.clone(), mean, std, variance]);
        }
        let at = job
            .study()
            .surrogate
            .as_ref()
            .map_or(String::new(), |s| point_shown(job, &s.predict[i]));
        text.push_str(&format!("\n  at {at}\n{}", table.render(paint)));
    }
    text
}

fn optima(job: &StudyJob, search: &Search, paint: Paint) -> String {
    let mut text = format!(
        "  {} on the {}: {}, {}\n",
        search.method,
        search.on,
        plural(search.evaluations, "evaluation", "evaluations"),
        plural(search.simulations, "simulation", "simulations"),
    );
    if let Some(note) = &search.note {
        text.push_str(&format!("  {note}\n"));
    }
    match &search.optima[..] {
        [one] => text.push_str(&single(job, one, paint)),
        found => text.push_str(&pareto::text(job, search.on, found, paint)),
    }
    for remark in &search.remarks {
        text.push_str(&format!("  {}: {remark}\n", paint.warning("warning")));
    }
    text
}

fn single(job: &StudyJob, optimum: &Optimum, paint: Paint) -> String {
    let mut text = format!("  best at {}\n", point_shown(job, &optimum.point));
    let mut table = Table::new(["at the best point", "surrogate", "±", "simulated", "spread"]);
    for (i, response) in job.study().responses.iter().enumerate() {
        let shown = |value: f64| quantity(value, &response.unit);
        let predicted = optimum.predicted[i];
        let simulated = optimum.simulated.as_ref().ok();
        table.row(vec![
            response.name.clone(),
            predicted.map_or(String::new(), |(mean, _)| shown(mean)),
            predicted.map_or(String::new(), |(_, std)| shown(std)),
            simulated.map_or(NONE.to_owned(), |values| shown(job.value(values, i))),
            simulated.and_then(|values| job.spread(values, i)).map_or(String::new(), shown),
        ]);
    }
    text.push_str(&table.render(paint));
    if let Err(cause) = &optimum.simulated {
        text.push_str(&format!("  {}: not simulated: {cause}\n", paint.warning("warning")));
    }
    if optimum.feasible() == Some(false) {
        let label = paint.warning("warning");
        text.push_str(&format!("  {label}: the simulation does not keep all limits\n"));
    }
    text
}

fn effects(job: &StudyJob, sensitivity: &Sensitivity, paint: Paint) -> String {
    let mut table = Table::new(["response", "variable", "first", "total", "μ*", "σ"]).names(2);
    let mut remarks = String::new();
    for of in &sensitivity.responses {
        let response = &job.study().responses[of.response];
        let sobol = of.sobol.as_ref().and_then(|sobol| sobol.as_ref().ok());
        let morris = of.morris.as_ref().and_then(|morris| morris.as_ref().ok());
        let errors = [
            of.sobol.as_ref().and_then(|sobol| sobol.as_ref().err()),
            of.morris.as_ref().and_then(|morris| morris.as_ref().err()),
        ];
        let mut errors: Vec<&String> = errors.into_iter().flatten().collect();
        errors.dedup();
        for error in errors {
            let label = paint.warning("warning");
            remarks.push_str(&format!("  {label}: `{}`: {error}\n", response.name));
        }
        for (i, variable) in job.study().variables.iter().enumerate() {
            table.row(vec![
                if i == 0 { response.name.clone() } else { String::new() },
                variable.name.clone(),
                sobol.map_or(String::new(), |s| share(s.first[i].value)),
                sobol.map_or(String::new(), |s| share(s.total[i].value)),
                morris.map_or(String::new(), |m| quantity(m[i].mean_size, &response.unit)),
                morris.map_or(String::new(), |m| quantity(m[i].deviation, &response.unit)),
            ]);
        }
    }
    let mut text = format!("  sensitivity on the {}\n", sensitivity.on);
    text.push_str(&table.render(paint));
    text + &remarks
}
