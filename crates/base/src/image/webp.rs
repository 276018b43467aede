//! WebP: chunks of a kind, a length and data, in a RIFF file.

use super::Size;

const KEPT: [&[u8; 4]; 7] = [b"VP8X", b"VP8 ", b"VP8L", b"ALPH", b"ANIM", b"ANMF", b"ICCP"];
/// Of the flags of a `VP8X` chunk: that EXIF and XMP follow.
const TOLD: u8 = 0x08 | 0x04;

pub(super) fn kept(bytes: &[u8]) -> Option<(Size, Vec<u8>)> {
    let length = usize::try_from(u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?)).ok()?;
    let mut rest = bytes.get(12..length.checked_add(8)?)?;
    let mut out = bytes.get(..12)?.to_vec();
    let mut size = None;
    while !rest.is_empty() {
        let kind: &[u8; 4] = rest.first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*rest.get(4..)?.first_chunk()?)).ok()?;
        // Filled up to an even length; some programs leave that out at the end.
        let whole = length.checked_add(8)?;
        let (chunk, behind) = rest.split_at_checked((whole + length % 2).min(rest.len()))?;
        let data = chunk.get(8..whole)?;
        if size.is_none() {
            size = sized(kind, data);
        }
        if KEPT.contains(&kind) {
            let from = out.len();
            out.extend_from_slice(chunk);
            if kind == b"VP8X" {
                *out.get_mut(from + 8)? &= !TOLD;
            }
        }
        rest = behind;
    }
    let total = u32::try_from(out.len() - 8).ok()?;
    out.splice(4..8, total.to_le_bytes());
    Some((size?, out))
}

/// How large the picture is, by the chunk that comes first.
fn sized(kind: &[u8; 4], data: &[u8]) -> Option<Size> {
    let byte = |at: usize| data.get(at).copied().map(u32::from);
    let (width, height) = match kind {
        b"VP8X" => {
            let number = |at| Some((byte(at)? | byte(at + 1)? << 8 | byte(at + 2)? << 16) + 1);
            (number(4)?, number(7)?)
        }
        b"VP8 " if data.get(3..6)? == [0x9d, 0x01, 0x2a] => {
            let number = |at| Some((byte(at)? | byte(at + 1)? << 8) & 0x3fff);
            (number(6)?, number(8)?)
        }
        b"VP8L" if byte(0)? == 0x2f => {
            let bits = u32::from_le_bytes(*data.get(1..)?.first_chunk()?);
            ((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1)
        }
        _ => return None,
    };
    Some(Size { width, height })
}
