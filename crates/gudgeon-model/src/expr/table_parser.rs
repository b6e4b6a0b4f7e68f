//! Calls of `table` and `spline`.
//!
//! ```text
//! table  = "table" "(" text "," inputs { "," option } ")"
//!        | "table" "(" list "," list [ "," input { "," option } ] ")"
//! spline = "spline" "(" list "," list ")"
//! option = "linear" | "monotone" | "spline" | "clamp" | "periodic" | "column" "=" text
//! ```
//!
//! Two lists alone are looked up with the time.

use std::ops::Range;

use gudgeon::formula::{Interpolation as Between, Outside};

use super::ExprError;
use super::ast::{Ast, AstKind, Function, Interpolation, Lookup, Points};
use super::call_parser::wrong_arguments;
use super::lexer::Kind;
use super::parser::Parser;

const WAYS: [(&str, Between); 3] =
    [("linear", Between::Linear), ("monotone", Between::Monotone), ("spline", Between::Spline)];
const BEYOND: [(&str, Outside); 2] = [("clamp", Outside::Held), ("periodic", Outside::Periodic)];

/// What stands behind the points of a table.
#[derive(Default)]
struct Behind {
    inputs: Vec<Ast>,
    way: Option<Between>,
    beyond: Option<Outside>,
    column: Option<(String, Range<usize>)>,
}

impl Parser<'_> {
    pub fn table(
        &mut self,
        interpolation: Interpolation,
        name: Range<usize>,
        open: Range<usize>,
    ) -> Result<AstKind, ExprError> {
        if interpolation == Interpolation::Linear && self.kind() == Kind::Text {
            return self.file_table(name, open);
        }
        let function = match interpolation {
            Interpolation::Linear => Function::Table,
            Interpolation::Spline => Function::Spline,
        };
        let (mut lists, mut behind) = (Vec::new(), None);
        while !self.take(Kind::Close) {
            let bracket = self.range();
            if self.take(Kind::OpenList) {
                lists.push(self.list(Kind::CloseList, "]", bracket, Self::sum)?);
            } else if lists.len() == 2 {
                behind = Some(self.behind(open)?);
                break;
            } else {
                return Err(ExprError::new(
                    bracket,
                    "expected a list of times and a list of values",
                )
                .with_help(format!("write `{}`", Function::Table.usage())));
            }
            if !self.take(Kind::Comma) {
                self.close(Kind::Close, ")", open)?;
                break;
            }
        }
        let range = self.since(name.start);
        let lists: [Vec<Ast>; 2] =
            lists.try_into().map_err(|_| wrong_arguments(function, range.clone()))?;
        let Some(behind) = behind else {
            self.time.get_or_insert(range);
            return Ok(AstKind::Table(interpolation, Box::new(lists)));
        };
        if function == Function::Spline {
            return Err(ExprError::new(range, "`spline` is looked up with the time only")
                .with_help("write `table([…], […], x, spline)`"));
        }
        if let Some((_, column)) = behind.column {
            return Err(ExprError::new(column, "lists have no columns")
                .with_help("`column` chooses one of a file"));
        }
        behind.lookup(Points::Lists(Box::new(lists)), 1, range)
    }

    fn file_table(&mut self, name: Range<usize>, open: Range<usize>) -> Result<AstKind, ExprError> {
        let file = self.quoted();
        self.files.push(file.clone());
        if !self.take(Kind::Comma) {
            self.close(Kind::Close, ")", open)?;
            return Err(no_input(self.since(name.start)));
        }
        let mut behind = self.behind(open)?;
        let column = behind.column.take();
        self.map |= behind.inputs.len() == 2;
        behind.lookup(Points::File { file, column }, 2, self.since(name.start))
    }

    /// A text without its quotes.
    fn quoted(&mut self) -> (String, Range<usize>) {
        let word = self.word();
        (word[1..word.len() - 1].to_owned(), self.advance())
    }

    /// Inputs and options up to the closing bracket.
    fn behind(&mut self, open: Range<usize>) -> Result<Behind, ExprError> {
        let mut behind = Behind::default();
        while !self.take(Kind::Close) {
            if !self.option(&mut behind)? {
                if behind.way.is_some() || behind.beyond.is_some() || behind.column.is_some() {
                    return Err(ExprError::new(self.range(), "inputs stand before these words")
                        .with_help(USAGE));
                }
                behind.inputs.push(self.sum()?);
            }
            if !self.take(Kind::Comma) {
                self.close(Kind::Close, ")", open)?;
                break;
            }
        }
        Ok(behind)
    }

    /// Takes an option, if one stands there.
    fn option(&mut self, behind: &mut Behind) -> Result<bool, ExprError> {
        let (word, range) = (self.word(), self.range());
        if self.kind() != Kind::Name {
            return Ok(false);
        }
        if self.kind_after(1) == Kind::Assign {
            self.advance();
            self.advance();
            if self.kind() != Kind::Text {
                return Err(ExprError::new(
                    self.range(),
                    "expected the name of a column in quotes",
                )
                .with_help("write `column = \"pressure\"`"));
            }
            let text = self.quoted();
            return once(&mut behind.column, text, range);
        }
        if !matches!(self.kind_after(1), Kind::Comma | Kind::Close) {
            return Ok(false);
        }
        let find = |found: &&(&str, Between)| found.0 == word;
        if let Some((_, way)) = WAYS.iter().find(find) {
            self.advance();
            return once(&mut behind.way, *way, range);
        }
        if let Some((_, beyond)) = BEYOND.iter().find(|found| found.0 == word) {
            self.advance();
            return once(&mut behind.beyond, *beyond, range);
        }
        Ok(false)
    }
}

const USAGE: &str = "write `table(\"gas.csv\", main.angle, spline, periodic)`";

fn no_input(range: Range<usize>) -> ExprError {
    ExprError::new(range, "what is this table looked up with?").with_help(USAGE)
}

/// Sets what may be said once.
fn once<T>(slot: &mut Option<T>, value: T, range: Range<usize>) -> Result<bool, ExprError> {
    if slot.replace(value).is_some() {
        return Err(ExprError::new(range, "another word said that already").with_help(
            "one of `linear`, `monotone`, `spline`; one of `clamp`, `periodic`; one `column`",
        ));
    }
    Ok(true)
}

impl Behind {
    fn lookup(
        self,
        points: Points,
        most: usize,
        range: Range<usize>,
    ) -> Result<AstKind, ExprError> {
        if self.inputs.is_empty() {
            return Err(no_input(range));
        }
        if let Some(extra) = self.inputs.get(most) {
            let message = match most {
                1 => "lists are looked up with one input",
                _ => "tables have one input or two",
            };
            return Err(ExprError::new(extra.range.clone(), message).with_help(USAGE));
        }
        let interpolation = self.way.unwrap_or(Between::Linear);
        let outside = self.beyond.unwrap_or(Outside::Refused);
        let lookup = Lookup { points, inputs: self.inputs, interpolation, outside };
        Ok(AstKind::Lookup(Box::new(lookup)))
    }
}
