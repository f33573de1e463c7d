//! SHA-256, by which the authors' files are known: they changed between commits that have one version number.

/// The first 32 bits of the fractional parts of the square roots of the first eight primes.
const START: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// The same of the cube roots of the first 64 primes.
const ROUNDS: [u32; 64] = [
    0x428a_2f98,
    0x7137_4491,
    0xb5c0_fbcf,
    0xe9b5_dba5,
    0x3956_c25b,
    0x59f1_11f1,
    0x923f_82a4,
    0xab1c_5ed5,
    0xd807_aa98,
    0x1283_5b01,
    0x2431_85be,
    0x550c_7dc3,
    0x72be_5d74,
    0x80de_b1fe,
    0x9bdc_06a7,
    0xc19b_f174,
    0xe49b_69c1,
    0xefbe_4786,
    0x0fc1_9dc6,
    0x240c_a1cc,
    0x2de9_2c6f,
    0x4a74_84aa,
    0x5cb0_a9dc,
    0x76f9_88da,
    0x983e_5152,
    0xa831_c66d,
    0xb003_27c8,
    0xbf59_7fc7,
    0xc6e0_0bf3,
    0xd5a7_9147,
    0x06ca_6351,
    0x1429_2967,
    0x27b7_0a85,
    0x2e1b_2138,
    0x4d2c_6dfc,
    0x5338_0d13,
    0x650a_7354,
    0x766a_0abb,
    0x81c2_c92e,
    0x9272_2c85,
    0xa2bf_e8a1,
    0xa81a_664b,
    0xc24b_8b70,
    0xc76c_51a3,
    0xd192_e819,
    0xd699_0624,
    0xf40e_3585,
    0x106a_a070,
    0x19a4_c116,
    0x1e37_6c08,
    0x2748_774c,
    0x34b0_bcb5,
    0x391c_0cb3,
    0x4ed8_aa4a,
    0x5b9c_ca4f,
    0x682e_6ff3,
    0x748f_82ee,
    0x78a5_636f,
    0x84c8_7814,
    0x8cc7_0208,
    0x90be_fffa,
    0xa450_6ceb,
    0xbef9_a3f7,
    0xc671_78f2,
];

/// The hash of some bytes, in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    let mut state = START;
    let mut blocks = bytes.chunks_exact(64);
    for block in &mut blocks {
        take(&mut state, block);
    }
    // The end: a bit, zeros, and the length in bits.
    let mut end = blocks.remainder().to_vec();
    end.push(0x80);
    while end.len() % 64 != 56 {
        end.push(0);
    }
    end.extend((bytes.len() as u64 * 8).to_be_bytes());
    end.chunks_exact(64).for_each(|block| take(&mut state, block));
    let digits = state.iter().flat_map(|word| (0..8).rev().map(move |at| (word >> (4 * at)) & 0xf));
    digits.filter_map(|digit| char::from_digit(digit, 16)).collect()
}

fn take(state: &mut [u32; 8], block: &[u8]) {
    let mut words = [0_u32; 64];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, byte| (word << 8) | u32::from(*byte));
    }
    for at in 16..64 {
        let (one, two) = (words[at - 15], words[at - 2]);
        let low = one.rotate_right(7) ^ one.rotate_right(18) ^ (one >> 3);
        let high = two.rotate_right(17) ^ two.rotate_right(19) ^ (two >> 10);
        words[at] = words[at - 16].wrapping_add(low).wrapping_add(words[at - 7]).wrapping_add(high);
    }
    let mut now = *state;
    for (word, constant) in words.iter().zip(ROUNDS) {
        now = round(now, word.wrapping_add(constant));
    }
    for (old, new) in state.iter_mut().zip(now) {
        *old = old.wrapping_add(new);
    }
}

fn round(state: [u32; 8], word: u32) -> [u32; 8] {
    let [first, second, third, fourth, fifth, sixth, seventh, eighth] = state;
    let mixed = fifth.rotate_right(6) ^ fifth.rotate_right(11) ^ fifth.rotate_right(25);
    let chosen = (fifth & sixth) ^ (!fifth & seventh);
    let one = eighth.wrapping_add(mixed).wrapping_add(chosen).wrapping_add(word);
    let mixed = first.rotate_right(2) ^ first.rotate_right(13) ^ first.rotate_right(22);
    let major = (first & second) ^ (first & third) ^ (second & third);
    [one.wrapping_add(mixed.wrapping_add(major)), first, second, third, fourth.wrapping_add(one), fifth, sixth, seventh]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_texts_have_their_known_hashes() {
        for (text, hash) in [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
            ),
        ] {
            assert_eq!(sha256(text.as_bytes()), hash, "{text}");
        }
        let million = vec![b'a'; 1_000_000];
        assert_eq!(sha256(&million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }

    #[test]
    fn every_length_ends_in_whole_blocks() {
        let hashes: std::collections::BTreeSet<String> = (0..130).map(|length| sha256(&vec![b'x'; length])).collect();
        assert!(hashes.len() == 130 && hashes.iter().all(|hash| hash.len() == 64));
    }
}
