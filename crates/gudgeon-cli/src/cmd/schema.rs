//! `gudgeon schema`: the JSON schema of model files.

use crate::exit::Exit;
use crate::terminal::Terminal;

pub fn schema(terminal: &Terminal) -> Exit {
    terminal.say(&format!("{:#}\n", gudgeon_model::schema::schema()));
    Exit::Done
}
