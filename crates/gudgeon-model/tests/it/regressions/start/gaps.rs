//! Loops in space that cannot close have many positions of least gap; the one that the rough start led
//! to was told, and with it a gap that is far too wide.

use super::*;
use gudgeon::assembly::AssemblyError;

#[test]
fn hinges_pulled_apart_miss_what_their_links_are_too_short_by() {
    // Bricard's linkage: five links of 1 m between hinges that are 9 m apart. In line they miss 4 m,
    // whichever hinge is left open; from the start of the model a search ends in one of 6 m.
    let model = shipped("bricard", &[("bodies.ground.frames.f", "\"0, 0, 9 m\"")]);
    let error = assemble(&model).unwrap_err();
    let AssemblyError::CannotClose { gaps, .. } = &error else { panic!("{error}") };
    assert_eq!(gaps.len(), 6);
    // Half of the last digit that is printed.
    gaps.iter().for_each(|gap| near(gap.value, 4.0, 5e-8, &gap.owner));
    assert!(error.to_string().contains("`A` stays open by 4000.0000 mm"), "{error}");
}
