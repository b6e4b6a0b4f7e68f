//! Self-checking pieces of a file: mark, length, checksum, content.
//!
//! | bytes | meaning                                     |
//! |-------|---------------------------------------------|
//! | 4     | mark                                        |
//! | 4     | length of the content, little endian        |
//! | 8     | FNV-1a of length and content, little endian |
//! | …     | content                                     |
//!
//! Whatever does not check is skipped up to the next mark that begins a good piece: a torn write
//! costs what it tore and nothing behind it.

use super::fingerprint::Fingerprint;

const MARK: [u8; 4] = *b"\xffgd\n";
const HEAD: usize = 16;

pub(super) fn push(out: &mut Vec<u8>, content: &[u8]) {
    let length = u32::try_from(content.len()).expect("records are short").to_le_bytes();
    out.extend(MARK);
    out.extend(length);
    out.extend(checksum(length, content).to_le_bytes());
    out.extend(content);
}

fn checksum(length: [u8; 4], content: &[u8]) -> u64 {
    Fingerprint::new().bytes(&length).bytes(content).value()
}

/// What a scan found.
pub(super) struct Scan<'a> {
    pub contents: Vec<&'a [u8]>,
    /// End of the last good piece.
    pub end: usize,
    /// Bytes that belong to no good piece.
    pub skipped: usize,
}

/// All good pieces from `start` on.
pub(super) fn scan(bytes: &[u8], start: usize) -> Scan<'_> {
    let mut scan = Scan { contents: Vec::new(), end: start, skipped: 0 };
    let mut at = start;
    while at < bytes.len() {
        match content_at(bytes, at) {
            Some(content) => {
                at += HEAD + content.len();
                scan.end = at;
                scan.contents.push(content);
            }
            None => {
                at += 1;
                scan.skipped += 1;
            }
        }
    }
    scan
}

/// The content of the piece that begins at `at`, if it is whole.
fn content_at(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let head = bytes.get(at..at + HEAD)?;
    if head[..4] != MARK {
        return None;
    }
    let length: [u8; 4] = head[4..8].try_into().ok()?;
    let sum: [u8; 8] = head[8..].try_into().ok()?;
    let from = at + HEAD;
    let content = bytes.get(from..from.checked_add(u32::from_le_bytes(length) as usize)?)?;
    (checksum(length, content) == u64::from_le_bytes(sum)).then_some(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> Vec<u8> {
        let mut bytes = Vec::new();
        for content in [&b"first"[..], b"", b"third"] {
            push(&mut bytes, content);
        }
        bytes
    }

    #[test]
    fn whole_pieces_come_back() {
        let bytes = three();
        let found = scan(&bytes, 0);
        assert_eq!(found.contents, [&b"first"[..], b"", b"third"]);
        assert_eq!((found.end, found.skipped), (bytes.len(), 0));
    }

    #[test]
    fn a_cut_anywhere_costs_the_cut_piece_only() {
        let bytes = three();
        for cut in 0..bytes.len() {
            let whole = [21, 37, 58].iter().filter(|&&end| end <= cut).count();
            assert_eq!(scan(&bytes[..cut], 0).contents.len(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_wrong_bit_anywhere_costs_its_piece_only() {
        let good = three();
        for bit in 0..8 * good.len() {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            let found = scan(&bytes, 0);
            assert_eq!(found.contents.len(), 2, "bit {bit}");
            assert!(found.skipped >= HEAD);
        }
    }

    #[test]
    fn zeros_are_nothing() {
        assert!(scan(&[0; 100], 0).contents.is_empty());
    }
}
