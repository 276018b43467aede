//! GIF: a screen, then pictures and extensions, each a chain of small blocks.

use super::Size;

/// How often an animation runs: the only extensions of programs that matter to what is seen.
const LOOPS: [&[u8]; 2] = [b"NETSCAPE2.0", b"ANIMEXTS1.0"];
/// Bytes of such an extension, and of one that says how long a picture is shown. A longer one holds
/// something else too.
const LOOP: usize = 19;
const CONTROL: usize = 8;

pub(super) fn kept(bytes: &[u8]) -> Option<(Size, Vec<u8>)> {
    let number = |at: usize| Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
    let size = Size { width: number(6)?.into(), height: number(8)?.into() };
    let (screen, mut rest) = bytes.split_at_checked(13 + colours(*bytes.get(10)?))?;
    let mut out = screen.to_vec();
    loop {
        let (block, is_kept) = match rest.first()? {
            0x3b => {
                out.push(0x3b);
                return Some((size, out));
            }
            0x2c => {
                let head = 10 + colours(*rest.get(9)?) + 1;
                (head + chain(rest.get(head..)?)?, true)
            }
            0x21 => {
                let length = 2 + chain(rest.get(2..)?)?;
                let loops = |name: &&[u8]| rest.get(3..).is_some_and(|it| it.starts_with(name));
                let is_kept = match rest.get(1)? {
                    0xf9 => length == CONTROL,
                    0xff => length == LOOP && LOOPS.iter().any(loops),
                    _ => false,
                };
                (length, is_kept)
            }
            _ => return None,
        };
        let (block, behind) = rest.split_at_checked(block)?;
        if is_kept {
            out.extend_from_slice(block);
        }
        rest = behind;
    }
}

/// Bytes of the table of colours that flags announce.
fn colours(flags: u8) -> usize {
    if flags & 0x80 == 0 { 0 } else { 3 << ((flags & 0x07) + 1) }
}

/// Bytes of a chain of blocks, its end included.
fn chain(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let length = usize::from(*bytes.get(at)?);
        at += length + 1;
        if length == 0 {
            return Some(at);
        }
    }
}
