//! Tests of the pages of results.

mod folders;
mod page;
mod vendor;
