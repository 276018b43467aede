//! WebP: chunks of a kind, a length and data, in a RIFF file.

use super::Size;

/// Parts of a picture, and of a frame of an animation.
const PICTURE: [&[u8; 4]; 3] = [b"VP8 ", b"VP8L", b"ALPH"];
/// Bytes of what is said of the whole picture, of an animation, and of a frame before its parts.
const WHOLE: usize = 10;
const ANIMATION: usize = 6;
const FRAME: usize = 16;
/// Of the flags of a `VP8X` chunk: that EXIF and XMP follow.
const TOLD: u8 = 0x08 | 0x04;

pub(super) fn kept(bytes: &[u8]) -> Option<(Size, Vec<u8>)> {
    let length = usize::try_from(u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?)).ok()?;
    let mut rest = bytes.get(12..length.checked_add(8)?)?;
    let mut out = bytes.get(..12)?.to_vec();
    let mut size = None;
    while !rest.is_empty() {
        let Chunk { kind, data, filled, behind } = chunk(rest)?;
        if size.is_none() {
            size = sized(kind, data);
        }
        let some = |length: usize| data.get(..length).unwrap_or(data).to_vec();
        let kept = match kind {
            b"VP8X" => {
                let mut whole = some(WHOLE);
                *whole.first_mut()? &= !TOLD;
                Some(whole)
            }
            b"ANIM" => Some(some(ANIMATION)),
            b"ANMF" => Some(frame(data)?),
            b"ICCP" => Some(data.to_vec()),
            kind => PICTURE.contains(&kind).then(|| data.to_vec()),
        };
        if let Some(kept) = kept {
            put(kind, &kept, filled || kept.len() < data.len(), &mut out)?;
        }
        rest = behind;
    }
    let total = u32::try_from(out.len() - 8).ok()?;
    out.splice(4..8, total.to_le_bytes());
    Some((size?, out))
}

/// A chunk at the beginning of some bytes.
struct Chunk<'b> {
    kind: &'b [u8; 4],
    data: &'b [u8],
    /// Filled up to an even length; some programs leave that out at the end.
    filled: bool,
    behind: &'b [u8],
}

fn chunk(bytes: &[u8]) -> Option<Chunk<'_>> {
    let kind: &[u8; 4] = bytes.first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*bytes.get(4..)?.first_chunk()?)).ok()?;
    let whole = length.checked_add(8)?;
    let (chunk, behind) = bytes.split_at_checked((whole + length % 2).min(bytes.len()))?;
    Some(Chunk { kind, data: chunk.get(8..whole)?, filled: chunk.len() > whole, behind })
}

fn put(kind: &[u8; 4], data: &[u8], fill: bool, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(kind);
    out.extend_from_slice(&u32::try_from(data.len()).ok()?.to_le_bytes());
    out.extend_from_slice(data);
    if fill && data.len() % 2 == 1 {
        out.push(0);
    }
    Some(())
}

/// A frame of an animation with the parts of its picture alone.
fn frame(data: &[u8]) -> Option<Vec<u8>> {
    let (head, mut rest) = data.split_at_checked(FRAME)?;
    let mut out = head.to_vec();
    while !rest.is_empty() {
        let Chunk { kind, data, filled, behind } = chunk(rest)?;
        if PICTURE.contains(&kind) {
            put(kind, data, filled, &mut out)?;
        }
        rest = behind;
    }
    Some(out)
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
