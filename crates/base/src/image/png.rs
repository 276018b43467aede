//! PNG: chunks of a length, a kind, data and a checksum.

use super::Size;

/// The picture, its colours and its frames, and how many bytes each part has at most: more would be
/// something else. Texts, times, EXIF and what is private are none of it.
const KEPT: [(&[u8; 4], usize); 14] = [
    (b"IHDR", 13),
    (b"PLTE", 3 * 256),
    (b"IDAT", usize::MAX),
    (b"tRNS", 256),
    (b"gAMA", 4),
    (b"cHRM", 32),
    (b"sRGB", 1),
    (b"iCCP", usize::MAX),
    (b"sBIT", 4),
    (b"pHYs", 9),
    (b"bKGD", 6),
    (b"acTL", 8),
    (b"fcTL", 26),
    (b"fdAT", usize::MAX),
];
/// The last chunk, which holds nothing.
const END: [u8; 12] = [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82];

pub(super) fn kept(bytes: &[u8]) -> Option<(Size, Vec<u8>)> {
    let (signature, mut rest) = bytes.split_at_checked(8)?;
    let mut out = signature.to_vec();
    let mut size = None;
    loop {
        let length = usize::try_from(u32::from_be_bytes(*rest.first_chunk()?)).ok()?;
        let (chunk, behind) = rest.split_at_checked(length.checked_add(12)?)?;
        let kind: &[u8; 4] = chunk.get(4..)?.first_chunk()?;
        if size.is_none() {
            // It comes first.
            let number = |at: usize| Some(u32::from_be_bytes(*chunk.get(at..)?.first_chunk()?));
            size = (kind == b"IHDR" && length == 13)
                .then_some(Size { width: number(8)?, height: number(12)? });
            size?;
        }
        if kind == b"IEND" {
            out.extend_from_slice(&END);
            return Some((size?, out));
        }
        if KEPT.iter().any(|(known, most)| *known == kind && length <= *most) {
            out.extend_from_slice(chunk);
        }
        rest = behind;
    }
}
