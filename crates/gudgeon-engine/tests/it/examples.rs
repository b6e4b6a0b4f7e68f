//! The examples run.

#[path = "../../examples/clearances.rs"]
#[allow(dead_code)]
mod clearances;
#[path = "../../examples/slider_crank.rs"]
#[allow(dead_code)]
mod slider_crank;

#[test]
fn a_mechanism_made_in_code_runs() {
    slider_crank::main().unwrap();
}

#[test]
fn a_model_read_once_runs_with_many_values() {
    clearances::main().unwrap();
}
