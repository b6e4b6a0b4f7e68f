//! `gudgeon schema`: the JSON schema of model files and of study files.

use gudgeon_model::schema;

use crate::args::SchemaArgs;
use crate::exit::Exit;
use crate::terminal::Terminal;

pub fn schema(args: &SchemaArgs, terminal: &Terminal) -> Exit {
    let schema = if args.study { gudgeon_study::schema::schema() } else { schema::schema() };
    terminal.hand_over(&format!("{schema:#}\n"));
    Exit::Done
}
