//! Joints with play: geometry → contact → laws → wrench pair.

pub mod change;
pub mod contact;
pub mod formula;
pub mod geometry;
pub mod normal;
pub mod sliding;
