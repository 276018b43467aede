// The hash of word pieces: byte by byte, so that all prefixes of a word are hashed in one pass.
// Shared by the build script, which fills the table, and the program, which looks it up.

const WORD_SEED: u64 = 0xcbf2_9ce4_8422_2325;
const CONTINUATION_SEED: u64 = 0x8422_2325_cbf2_9ce4;

#[inline]
fn extend_hash(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

#[inline]
fn finish_hash(hash: u64) -> u64 {
    hash ^ (hash >> 32)
}
