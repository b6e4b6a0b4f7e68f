//! The motion of a run as its record keeps it: key instants between which straight lines show it.
//!
//! | file | what |
//! |---|---|
//! | `motion.parquet` | a row per key instant: poses of bodies and of stations of flexible links, forces of joints |
//! | `motion_ideal.parquet` | the same of the run with ideal joints |
//! | `journals.parquet` | a row per key instant of each journal: its place in the bearing, the force on it, whether it touches |
//! | `series_ideal.parquet` | outputs of the run with ideal joints |
//!
//! What the columns of a motion belong to, and what of the mechanism can be drawn, is a [`Mechanism`] in the
//! metadata of the file.

mod file;
mod keys;
mod mechanism;

pub use file::{
    IDEAL_MOTION, IDEAL_SERIES, JOURNALS, MOTION, Motion, read_journals, read_motion,
    write_journals, write_motion,
};
pub use keys::Keys;
pub use mechanism::{
    ClearanceShape, Drawn, Element, Joint, Journal, Marker, Mechanism, deflections,
};
