//! The numbers of a page: arrays one after another in one block, which its index refers to.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::Serialize;

/// Where an array is: first byte, number of values, kind of its values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Array {
    pub at: usize,
    pub n: usize,
    pub kind: &'static str,
}

#[derive(Debug, Default)]
pub struct Block {
    bytes: Vec<u8>,
}

impl Block {
    /// In single precision; what is not finite is no number there.
    pub fn floats(&mut self, values: impl IntoIterator<Item = f64>) -> Array {
        self.array("f4", values.into_iter().map(|value| (value as f32).to_le_bytes()))
    }

    /// In double precision.
    pub fn doubles(&mut self, values: impl IntoIterator<Item = f64>) -> Array {
        self.array("f8", values.into_iter().map(f64::to_le_bytes))
    }

    /// Values of a column in 65535 parts of their range, with its ends.
    pub fn shorts(&mut self, values: &[f64]) -> (Array, [f64; 2]) {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let low = finite().reduce(f64::min).unwrap_or(0.0);
        let high = finite().reduce(f64::max).unwrap_or(0.0);
        let width = high - low;
        let part = |value: &f64| match width > 0.0 {
            true => ((value - low) / width * 65535.0).round().clamp(0.0, 65535.0) as u16,
            false => 0,
        };
        let array = self.array("u2", values.iter().map(|value| part(value).to_le_bytes()));
        (array, [low, high])
    }

    fn array<const N: usize>(
        &mut self,
        kind: &'static str,
        values: impl Iterator<Item = [u8; N]>,
    ) -> Array {
        self.bytes.resize(self.bytes.len().div_ceil(N) * N, 0);
        let at = self.bytes.len();
        self.bytes.extend(values.flatten());
        Array { at, n: (self.bytes.len() - at) / N, kind }
    }

    pub fn text(&self) -> String {
        STANDARD.encode(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_begin_where_their_kind_may_be_read() {
        let mut block = Block::default();
        let (shorts, ends) = block.shorts(&[1.0, 2.0, 1.5]);
        let doubles = block.doubles([0.1]);
        let floats = block.floats([f64::INFINITY, 2.0]);
        assert_eq!((shorts.at, doubles.at, floats.at), (0, 8, 16));
        assert_eq!((shorts.n, doubles.n, floats.n), (3, 1, 2));
        assert_eq!(ends, [1.0, 2.0]);
        assert_eq!(block.bytes[2..6], [0xff, 0xff, 0, 0x80]);
    }
}
