//! What is known about a paper, as a page of the documentation: `docs/papers/NAME.md`. Made of the reference files alone;
//! verdicts are the recorded ones, which `gudgeon reproduce` holds against new runs.

use std::fmt::Write;

use super::Paper;
use super::figure::Asked;
use super::finding::expected;
use super::job::Part;
use super::reference::{Case, Claim, Group, Listed, given};

impl Paper {
    /// The page of the paper.
    pub fn page(&self) -> String {
        let Paper { name, title, .. } = self;
        let mut text = format!("# {name}: {title}\n\n{HEAD}\n");
        let commands = [
            format!("gudgeon reproduce {name}              # all tables and statements below"),
            format!("gudgeon reproduce {name} --figures    # the figures, drawn again"),
        ];
        let _ = writeln!(text, "\n```sh\n{}\n```", commands.join("\n"));
        text.push_str(&self.models());
        text.push_str(&self.figure_table());
        text.push_str(&self.listed("Tables", "table", |part| &part.tables));
        text.push_str(&self.listed("Equations", "equation", |part| &part.equations));
        for part in &self.parts {
            for group in &part.groups {
                text.push_str(&section(name, part, group));
            }
        }
        text
    }

    fn models(&self) -> String {
        let models: Vec<String> = self
            .parts
            .iter()
            .map(|part| format!("[{0}](../../models/{0}/README.md)", part.model))
            .collect();
        format!("\nModels: {}.\n", models.join(", "))
    }

    fn figure_table(&self) -> String {
        let figures = self.figures();
        if figures.is_empty() {
            return String::new();
        }
        let mut text = "\n## Figures\n\n| figure | shows | how |\n|---|---|---|\n".to_owned();
        for Asked { figure, .. } in figures {
            let how = match figure.is_drawn() {
                true => format!("`gudgeon reproduce {} --figures {}`", self.name, figure.number),
                false => format!("not drawn: {}", figure.reason),
            };
            let note = if figure.note.is_empty() { "" } else { "; " };
            let _ = writeln!(
                text,
                "| {} | {} | {how}{note}{} |",
                figure.number,
                cell(&figure.about),
                cell(&figure.note)
            );
        }
        text
    }

    /// A table of equations or tables of the paper.
    fn listed(&self, heading: &str, what: &str, of: impl Fn(&Part) -> &[Listed]) -> String {
        let lines: String = self
            .parts
            .iter()
            .flat_map(of)
            .map(|Listed { number, about, here, reason }| {
                let place =
                    if here.is_empty() { format!("not here: {reason}") } else { here.clone() };
                line(&[number.clone(), about.clone(), place])
            })
            .collect();
        match lines.is_empty() {
            true => lines,
            false => format!("\n## {heading}\n\n| {what} | is | here |\n|---|---|---|\n{lines}"),
        }
    }
}

const HEAD: &str = "Generated from the reference files of the models (`models/*/reference.toml`); a test holds this page to \
them. *Reference* is an independent solution, *printed* what the paper prints. Verdicts are the recorded ones; \
`gudgeon reproduce` computes all values anew and fails where a verdict is another.";

fn section(paper: &str, part: &Part, group: &Group) -> String {
    let mut text = format!("\n## {}\n\n{}.", group.name, sentence(&group.about));
    let model = group.recipe.model.as_deref().unwrap_or(part.model);
    let _ = write!(text, " Model `{model}`; `gudgeon reproduce {paper}/{}`.", group.name);
    if !group.note.is_empty() {
        let _ = write!(text, " {}.", sentence(&group.note));
    }
    text.push('\n');
    text.push_str(&rows(group));
    text.push_str(&claims(group));
    text
}

fn rows(group: &Group) -> String {
    let of_case = |case: &Case| {
        let lines = group.rows.iter().enumerate().filter(|(i, _)| case.has(*i));
        lines
            .map(|(i, row)| {
                let number = |value: Option<f64>| value.map_or(String::new(), |v| format!("{v:e}"));
                let reference = given(&case.reference, i);
                let cells = [
                    case.name.clone(),
                    unit(&row.quantity, &row.unit),
                    number(given(&case.printed, i)),
                    number(reference),
                    row.criterion(reference),
                    expected(case, i).words().to_owned(),
                    [&case.note, &row.note].map(String::as_str).join(" "),
                ];
                line(&cells)
            })
            .collect::<String>()
    };
    let lines: String = group.cases.iter().map(of_case).collect();
    match lines.is_empty() {
        true => lines,
        false => format!(
            "\n| case | quantity | printed | reference | criterion | verdict | note |\n|---|---|---|---|---|---|---|\n{lines}"
        ),
    }
}

fn claims(group: &Group) -> String {
    let one = |claim: &Claim| {
        let cells = [
            format!("“{}”", claim.claim),
            unit(&claim.quantity, &claim.unit),
            claim.criterion(),
            claim.expect.words().to_owned(),
            claim.note.clone(),
        ];
        line(&cells)
    };
    let lines: String = group.claims.iter().map(one).collect();
    match lines.is_empty() {
        true => lines,
        false => format!(
            "\n| statement | tested by | criterion | verdict | note |\n|---|---|---|---|---|\n{lines}"
        ),
    }
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|text| cell(text.trim())).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn unit(quantity: &str, unit: &str) -> String {
    if unit.is_empty() { quantity.to_owned() } else { format!("{quantity}, {unit}") }
}

/// A text that may stand in a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// With a capital.
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::{Paper, papers};
    use super::Listed;

    /// First and last number.
    fn range(listed: &Listed) -> (u32, u32) {
        let number = |text: &str| {
            text.parse().unwrap_or_else(|_| panic!("`{}` is no number", listed.number))
        };
        let (first, last) =
            listed.number.split_once('–').unwrap_or((&listed.number, &listed.number));
        (number(first), number(last))
    }

    /// Every numbered equation and table, none left out and none twice.
    #[test]
    fn equations_and_tables_are_listed_from_the_first_to_the_last() {
        let known = [
            ("zhang", 21, 6),
            ("bai", 20, 4),
            ("flores", 32, 2),
            ("tian", 45, 1),
            ("augustynek", 20, 1),
            ("hac", 33, 2),
            ("vidoni", 56, 5),
        ];
        let papers = papers().unwrap();
        assert_eq!(papers.len(), known.len());
        for (name, equations, tables) in known {
            let paper = papers.iter().find(|paper| paper.name == name).unwrap();
            let of_parts = |of: fn(&super::Part) -> &Vec<Listed>, last: u32| {
                let mut next = 1;
                for listed in paper.parts.iter().flat_map(of) {
                    let (from, to) = range(listed);
                    assert!(
                        from == next && to >= from,
                        "{name}: {} after {}",
                        listed.number,
                        next - 1
                    );
                    assert!(
                        listed.here.is_empty() != listed.reason.is_empty(),
                        "{name}: {}",
                        listed.number
                    );
                    check_commands(paper, &listed.here);
                    next = to + 1;
                }
                assert_eq!(next - 1, last, "{name}");
            };
            of_parts(|part| &part.equations, equations);
            of_parts(|part| &part.tables, tables);
        }
    }

    /// Commands among the words that a page gives must exist.
    fn check_commands(paper: &Paper, text: &str) {
        let start = format!("gudgeon reproduce {}/", paper.name);
        for command in text.split('`').filter(|part| part.starts_with(&start)) {
            let case = &command[start.len()..];
            assert!(paper.plan(Some(case)).unwrap().is_some(), "{command}");
        }
    }

    /// `GUDGEON_BLESS=1` writes the pages.
    #[test]
    fn pages_are_those_of_the_reference_files() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers");
        for paper in papers().unwrap() {
            let (file, page) = (folder.join(format!("{}.md", paper.name)), paper.page());
            if std::env::var_os("GUDGEON_BLESS").is_some() {
                fs::create_dir_all(&folder).unwrap();
                fs::write(&file, &page).unwrap();
            }
            let written = fs::read_to_string(&file).unwrap_or_default();
            assert!(written == page, "{}: run this test with GUDGEON_BLESS=1", file.display());
        }
    }
}
