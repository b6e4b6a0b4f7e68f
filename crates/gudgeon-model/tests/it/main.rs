//! All integration tests of the crate in one program, which is linked once.

mod andrews;
mod bearing;
mod benchmarks;
mod common;
mod diagnostics;
mod doc_examples;
mod expression_properties;
mod expressions;
mod load;
mod lubricated;
mod models;
mod natural;
mod options;
mod planar;
mod planar_in_space;
mod pressures;
mod properties;
mod quantities;
mod regressions;
mod small_motions;
mod spatial;
mod tangents;
