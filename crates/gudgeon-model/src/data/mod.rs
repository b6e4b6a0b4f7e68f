//! Data files: tables of numbers that expressions look up.
//!
//! They are read with the model, through the same door, relative to the file that names them; what is wrong
//! with one is reported where an expression uses it. The way: `csv` (text to columns in SI) → `points`
//! (columns to curves and surfaces). `measured` gives columns to whoever lays them over results.

mod csv;
mod measured;
mod points;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::expr::{Expression, no_data};
use crate::load::Resolver;
use crate::source::{FileId, Sources};
use crate::tree::{Node, Table, Value};
use crate::values::Piece;
use crate::vectors::split;

pub use csv::Sheet;
pub use measured::{Measured, MeasuredColumn};
pub(crate) use points::close;

/// Data files that one model may name.
const MOST: usize = 256;

/// All data files of a model.
#[derive(Clone, Debug, Default)]
pub struct Data {
    files: Vec<File>,
    /// Which file a name in a text of the model means.
    names: Vec<(FileId, String, usize)>,
}

#[derive(Clone, Debug)]
struct File {
    /// Where it lies, and its text among the sources; none where it could not be read.
    source: Option<FileId>,
    content: Result<Arc<Sheet>, Vec<Diagnostic>>,
}

impl Data {
    /// Reads the data files that the texts of a tree name.
    pub(crate) fn of(root: &Table, sources: &mut Sources, resolver: &dyn Resolver) -> Self {
        let mut data = Self::default();
        each_name(root, &mut |file, name| data.add(file, name, sources, resolver));
        data
    }

    fn add(&mut self, from: FileId, name: &str, sources: &mut Sources, resolver: &dyn Resolver) {
        if self.names.iter().any(|known| known.0 == from && known.1 == name) {
            return;
        }
        let read = match self.files.len() < MOST {
            true => resolver.read_data(sources.name(from), name),
            false => {
                let message = format!("a model takes at most {MOST} data files");
                let help = "put several columns into one file, and choose with `column`";
                Err(Box::new(Diagnostic::error("G0206", message).help(help)))
            }
        };
        let number = match read {
            Ok((path, bytes)) => {
                let is_it = |file: &File| file.source.is_some_and(|id| sources.name(id) == path);
                match self.files.iter().position(is_it) {
                    Some(known) => known,
                    None => self.push(File::read(path, bytes, sources)),
                }
            }
            Err(diagnostic) => self.push(File { source: None, content: Err(vec![*diagnostic]) }),
        };
        self.names.push((from, name.to_owned(), number));
    }

    fn push(&mut self, file: File) -> usize {
        self.files.push(file);
        self.files.len() - 1
    }

    /// The file that `name` means in a text of the model. On the command line, and in a study, it is the
    /// one that the model calls so.
    pub(crate) fn find(&self, from: FileId, name: &str) -> Result<Arc<Sheet>, Vec<Diagnostic>> {
        let called = |known: &&(FileId, String, usize)| known.1 == name;
        let own = self.names.iter().filter(called).find(|known| known.0 == from);
        match own.or_else(|| self.names.iter().find(called)) {
            Some((_, _, number)) => self.files[*number].content.clone(),
            None => Err(vec![no_data(name)]),
        }
    }

    /// The texts of the files among the sources.
    pub fn sources(&self) -> impl Iterator<Item = FileId> + '_ {
        self.files.iter().filter_map(|file| file.source)
    }
}

impl File {
    fn read(path: String, bytes: Vec<u8>, sources: &mut Sources) -> Self {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
                let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
                let message = format!("`{path}` is not UTF-8 text (line {line})");
                let finding = Diagnostic::error("G0002", message)
                    .help("save the file with the encoding UTF-8");
                return Self { source: None, content: Err(vec![finding]) };
            }
        };
        let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
        let source = sources.add(path, text);
        let content = csv::read(source, sources).map(Arc::new);
        Self { source: Some(source), content }
    }
}

/// Visits the data files that expressions name, with the text in which they do.
fn each_name(table: &Table, visit: &mut dyn FnMut(FileId, &str)) {
    table.entries.iter().for_each(|(_, node)| each_name_in(node, visit));
}

fn each_name_in(node: &Node, visit: &mut dyn FnMut(FileId, &str)) {
    match &node.value {
        Value::Table(table) => each_name(table, visit),
        Value::List(list) => list.iter().for_each(|node| each_name_in(node, visit)),
        Value::Text { text, .. } if text.contains("table") && text.contains(['"', '\'']) => {
            let whole = Piece::whole(node, text);
            let parts = split(text).into_iter().map(|range| whole.within(range));
            for part in parts.filter_map(Piece::expression) {
                if let Ok(expression) = Expression::parse(part.text) {
                    expression.files().iter().for_each(|(name, _)| visit(node.span.file, name));
                }
            }
        }
        _ => {}
    }
}
