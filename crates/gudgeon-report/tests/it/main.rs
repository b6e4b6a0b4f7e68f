//! Tests of the pages of results.

mod folders;
mod long;
mod page;
mod vendor;
