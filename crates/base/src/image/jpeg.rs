//! JPEG: segments that a marker begins, and coded data behind each start of a scan.

use super::Size;

/// A JFIF segment without the small picture that may stand in it.
const JFIF: usize = 16;
/// A segment of Adobe's programs without what may stand behind it.
const ADOBE: usize = 14;

pub(super) fn kept(bytes: &[u8]) -> Option<(Size, Vec<u8>)> {
    let (start, mut rest) = bytes.split_at_checked(2)?;
    let mut out = start.to_vec();
    let mut size = None;
    loop {
        // A marker may be preceded by any number of these bytes.
        let at = rest.iter().position(|byte| *byte != 0xff).filter(|at| *at > 0)?;
        let marker = *rest.get(at)?;
        rest = rest.get(at + 1..)?;
        if marker == 0xd9 {
            out.extend_from_slice(&[0xff, marker]);
            return Some((size?, out));
        }
        if marker == 0x01 || (0xd0..=0xd7).contains(&marker) {
            out.extend_from_slice(&[0xff, marker]);
            continue;
        }
        let length = usize::from(u16::from_be_bytes(*rest.first_chunk()?));
        let (segment, behind) = rest.split_at_checked(length.max(2))?;
        rest = behind;
        if is_frame(marker) {
            let number = |at: usize| Some(u16::from_be_bytes(*segment.get(at..)?.first_chunk()?));
            size = Some(Size { width: number(5)?.into(), height: number(3)?.into() });
        }
        if let Some(segment) = segment_kept(marker, segment) {
            out.extend_from_slice(&[0xff, marker]);
            out.extend_from_slice(&segment);
        }
        if marker == 0xda {
            let coded = coded(rest)?;
            let (data, behind) = rest.split_at_checked(coded)?;
            out.extend_from_slice(data);
            rest = behind;
        }
    }
}

/// Whether a segment says how large the picture is.
fn is_frame(marker: u8) -> bool {
    (0xc0..=0xcf).contains(&marker) && !matches!(marker, 0xc4 | 0xc8 | 0xcc)
}

/// What stays of a segment, its length first; `None` for comments, EXIF, XMP, what is private and what
/// nobody has defined.
fn segment_kept(marker: u8, segment: &[u8]) -> Option<Vec<u8>> {
    let data = segment.get(2..)?;
    match marker {
        0xe0 if data.starts_with(b"JFIF\0") && segment.len() >= JFIF => {
            let mut jfif = segment.get(..JFIF)?.to_vec();
            jfif.splice(..2, [0, JFIF as u8]);
            jfif.splice(JFIF - 2.., [0, 0]);
            Some(jfif)
        }
        // Profiles of colours; how Adobe's programs stored them.
        0xe2 if data.starts_with(b"ICC_PROFILE\0") => Some(segment.to_vec()),
        0xee if data.starts_with(b"Adobe") && segment.len() >= ADOBE => {
            let mut adobe = segment.get(..ADOBE)?.to_vec();
            adobe.splice(..2, [0, ADOBE as u8]);
            Some(adobe)
        }
        // Frames and their tables, scans, restarts.
        0xc0..=0xc7 | 0xc9..=0xcf | 0xda..=0xdd => Some(segment.to_vec()),
        _ => None,
    }
}

/// Bytes of coded data up to the next marker.
fn coded(bytes: &[u8]) -> Option<usize> {
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xff | 0xd0..=0xd7);
    bytes.windows(2).position(is_marker)
}
