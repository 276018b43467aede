//! PNG: chunks of a length, a kind, data and a checksum.

use super::Size;

/// The picture, its colours and its frames. Texts, times, EXIF and what is private are none of it.
const KEPT: [&[u8; 4]; 15] = [
    b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"sBIT",
    b"pHYs", b"bKGD", b"acTL", b"fcTL", b"fdAT",
];

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
            size = (kind == b"IHDR").then_some(Size { width: number(8)?, height: number(12)? });
            size?;
        }
        if KEPT.contains(&kind) {
            out.extend_from_slice(chunk);
        }
        if kind == b"IEND" {
            return Some((size?, out));
        }
        rest = behind;
    }
}
