//! SHA-256 of FIPS 180-4: what the page's content security policy names its scripts by.

/// First 32 bits of the fractional parts of the square roots of the first 8 primes.
const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// Of the cube roots of the first 64 primes, by integer arithmetic.
fn constants() -> [u32; 64] {
    let mut out = [0; 64];
    let is_prime = |n: &u128| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    for (out, prime) in out.iter_mut().zip((2u128..).filter(is_prime)) {
        // ⌊∛p 2³²⌋, digit by digit.
        let mut root: u128 = 0;
        for bit in (0..36).rev() {
            let next = root | 1 << bit;
            if next * next * next <= prime << 96 {
                root = next;
            }
        }
        *out = root as u32;
    }
    out
}

/// The digest of some bytes.
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    let k = constants();
    let mut h = START;
    let mut message = bytes.to_vec();
    message.push(0x80);
    message.resize((message.len() + 8).div_ceil(64) * 64 - 8, 0);
    message.extend_from_slice(&(8 * bytes.len() as u64).to_be_bytes());
    for block in message.chunks_exact(64) {
        compress(&mut h, block, &k);
    }
    let mut out = [0; 32];
    out.chunks_exact_mut(4).zip(h).for_each(|(out, word)| out.copy_from_slice(&word.to_be_bytes()));
    out
}

fn compress(h: &mut [u32; 8], block: &[u8], k: &[u32; 64]) {
    let mut w = [0u32; 64];
    for (w, four) in w.iter_mut().zip(block.chunks_exact(4)) {
        *w = four.iter().fold(0, |word, byte| word << 8 | u32::from(*byte));
    }
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let s0 = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let s1 = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[i] = w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1);
    }
    let mut v = *h;
    for i in 0..64 {
        let [a, b, c, _, e, f, g, last] = v;
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let first = last.wrapping_add(s1).wrapping_add(e & f ^ !e & g);
        let first = first.wrapping_add(k[i]).wrapping_add(w[i]);
        let second = s0.wrapping_add(a & b ^ a & c ^ b & c);
        v.rotate_right(1);
        v[4] = v[4].wrapping_add(first);
        v[0] = first.wrapping_add(second);
    }
    h.iter_mut().zip(v).for_each(|(h, v)| *h = h.wrapping_add(v));
}

/// Digits of a digest.
pub fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_of_the_standard_hold() {
        let of = |text: &str| hex(&digest(text.as_bytes()));
        assert_eq!(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(
            of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
    }
}
