//! Fingerprints and checksums: FNV-1a with 64 bits (Fowler, Noll, Vo).

/// A number that changes with everything put in, in order.
///
/// ```
/// use gudgeon_study::store::Fingerprint;
/// let one = Fingerprint::new().text("slider-crank").numbers(&[1.0, 2.0]).value();
/// let two = Fingerprint::new().text("slider-crank").numbers(&[1.0, 2.5]).value();
/// assert_ne!(one, two);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01b3;

impl Default for Fingerprint {
    fn default() -> Self {
        Self::new()
    }
}

impl Fingerprint {
    pub fn new() -> Self {
        Self(BASIS)
    }

    /// Adds a text; its length goes in too, so that the border between two texts counts.
    pub fn text(self, text: &str) -> Self {
        self.bytes(&(text.len() as u64).to_le_bytes()).bytes(text.as_bytes())
    }

    /// Adds numbers by their bits.
    pub fn numbers(self, numbers: &[f64]) -> Self {
        let start = self.bytes(&(numbers.len() as u64).to_le_bytes());
        numbers.iter().fold(start, |hash, x| hash.bytes(&x.to_bits().to_le_bytes()))
    }

    pub fn value(self) -> u64 {
        self.0
    }

    /// Adds bytes as they are.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        Self(bytes.iter().fold(self.0, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(PRIME)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_the_published_ones() {
        assert_eq!(Fingerprint::new().bytes(b"").value(), 0xcbf2_9ce4_8422_2325);
        assert_eq!(Fingerprint::new().bytes(b"a").value(), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(Fingerprint::new().bytes(b"foobar").value(), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn borders_count() {
        let one = Fingerprint::new().text("ab").text("c");
        assert_ne!(one, Fingerprint::new().text("a").text("bc"));
    }
}
