//! The final table and the times as comma-separated text.

use std::fmt::Write;

use super::{Plan, Record, SampleOutcome};

/// Rows in order of the samples: number, design, values, status, cause. No times.
pub(super) fn table<'a>(plan: &Plan, records: impl Iterator<Item = &'a Record>) -> String {
    let mut out = String::from("sample");
    for column in plan.variables.iter().chain(&plan.values) {
        out.push(',');
        push_text(&mut out, &column.heading());
    }
    out.push_str(",status,cause,notes\n");
    for record in records {
        let _ = write!(out, "{}", record.index); // writing to a `String` cannot fail
        for value in &record.point {
            out.push(',');
            push_number(&mut out, *value);
        }
        match &record.outcome {
            SampleOutcome::Done(values) => values.iter().for_each(|value| {
                out.push(',');
                if !value.is_nan() {
                    push_number(&mut out, *value);
                }
            }),
            _ => out.extend(plan.values.iter().map(|_| ',')),
        }
        let _ = write!(out, ",{},", record.outcome.status());
        push_text(&mut out, &record.outcome.cause());
        out.push(',');
        push_text(&mut out, &record.notes.join("; "));
        out.push('\n');
    }
    out
}

pub(super) fn timing<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let mut out = String::from("sample,cpu [s]\n");
    for record in records {
        let _ = writeln!(out, "{},{}", record.index, record.cpu_seconds);
    }
    out
}

/// The shortest text that reads back to the same number, as in all tables of the program; nothing for
/// a value that is missing.
fn push_number(out: &mut String, value: f64) {
    if value.is_nan() {
        return;
    }
    let size = value.abs();
    let plain = size == 0.0 || (1e-5..1e16).contains(&size) || !size.is_finite();
    let _ = if plain { write!(out, "{value}") } else { write!(out, "{value:e}") };
}

/// A text field, quoted where it has to be (RFC 4180), and marked as text where a spreadsheet would
/// compute it, as in all tables of the program.
fn push_text(out: &mut String, text: &str) {
    let signs = ['=', '+', '-', '@', '\t', '\r'];
    let formula = text.starts_with(signs) && text.parse::<f64>().is_err();
    if !formula && !text.contains([',', '"', '\n', '\r']) {
        out.push_str(text);
        return;
    }
    out.push_str(if formula { "\"'" } else { "\"" });
    out.push_str(&text.replace('"', "\"\""));
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    #[test]
    fn the_table_of_a_small_study() {
        let plan = Plan {
            fingerprint: 0,
            description: String::new(),
            variables: vec![Column::new("clearance", "m"), Column::new("law", "")],
            values: vec![Column::new("power", "W"), Column::new("late", "")],
        };
        let record = |index, outcome| Record {
            index,
            point: vec![5e-6, 2.0],
            outcome,
            notes: vec!["W0301".into(), "W0302".into()],
            cpu_seconds: 0.5,
        };
        let records = [
            record(0, SampleOutcome::Done(vec![0.1 + 0.2, f64::NAN])),
            record(1, SampleOutcome::Failed("`a`, \"b\"".into())),
            record(2, SampleOutcome::TimedOut { limit: 2.5 }),
            record(3, SampleOutcome::Failed("=A1".into())),
        ];
        assert_eq!(
            table(&plan, records.iter()),
            "sample,clearance [m],law,power [W],late,status,cause,notes\n\
             0,5e-6,2,0.30000000000000004,,done,,W0301; W0302\n\
             1,5e-6,2,,,failed,\"`a`, \"\"b\"\"\",W0301; W0302\n\
             2,5e-6,2,,,timed out,more than 2.5 s of CPU time,W0301; W0302\n\
             3,5e-6,2,,,failed,\"'=A1\",W0301; W0302\n"
        );
        assert_eq!(timing(records.iter()), "sample,cpu [s]\n0,0.5\n1,0.5\n2,0.5\n3,0.5\n");
    }
}
