//! Nodes with their dimension, and the rules for combining them.

use std::ops::Range;

use super::ExprError;
use super::node::Node;
use super::quantity::{Written, mismatch};
use crate::units::Dimension;

#[derive(Clone, Debug)]
pub(super) struct Typed {
    pub node: Node,
    pub dimension: Dimension,
}

impl Typed {
    pub fn new(node: Node, dimension: Dimension) -> Self {
        Self { node, dimension }
    }

    pub fn constant(&self) -> Option<f64> {
        self.node.constant()
    }

    /// A bare 0 has every dimension.
    fn is_zero(&self) -> bool {
        self.dimension.is_number() && self.constant() == Some(0.0)
    }

    fn fits(&self, expected: Dimension) -> bool {
        self.is_zero() || expected.accepts(self.dimension)
    }

    /// The same node, if it can be used as `expected`.
    pub fn expect(self, expected: Dimension, range: Range<usize>) -> Result<Self, ExprError> {
        if self.fits(expected) {
            return Ok(Self { dimension: expected, ..self });
        }
        let value = self.constant();
        Err(mismatch(self.dimension, value, expected, range, Written::Computed))
    }

    /// An argument of sine and its like: an angle or a number.
    pub fn expect_angle(self, range: Range<usize>) -> Result<Self, ExprError> {
        if self.dimension.is_number() {
            return Ok(self);
        }
        let is_time = self.dimension == Dimension::TIME;
        self.expect(Dimension::ANGLE, range).map_err(|error| match is_time {
            true => error.with_help("multiply by an angular speed, as in `sin(1 rad/s * t)`"),
            false => error,
        })
    }
}

/// The dimension that all items share: a bare 0 joins any, and the radian is dropped where a lever
/// arm needs it. The error marks the first item that does not fit.
pub(super) fn common<'a>(
    items: impl Iterator<Item = (&'a Typed, Range<usize>)>,
) -> Result<Dimension, ExprError> {
    let mut shared: Option<Dimension> = None;
    for (item, range) in items {
        if item.is_zero() {
            continue;
        }
        shared = Some(match shared {
            None => item.dimension,
            Some(dimension) if dimension.accepts(item.dimension) => dimension,
            Some(dimension) if item.dimension.accepts(dimension) => item.dimension,
            Some(dimension) => {
                let value = item.constant();
                return Err(mismatch(item.dimension, value, dimension, range, Written::Computed));
            }
        });
    }
    Ok(shared.unwrap_or(Dimension::NUMBER))
}
