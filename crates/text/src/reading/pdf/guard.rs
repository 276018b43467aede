//! The streams of a parsed PDF, before its pages are read: what is no text is emptied, and so is
//! what would take too much.

use pdf_extract::{Dictionary, Document, Object, Stream};

use super::{cmap, packed::unpacked_size};

/// Bytes of one stream, unpacked, and of all that could be.
const STREAM_CAP: usize = 32 << 20;
const ALL_CAP: usize = 256 << 20;

/// LZW unpacks to at most 2,600 times as much.
const LZW_CAP: usize = 12 << 10;

/// Codes of a list of widths.
const MOST_WIDTHS: i64 = 200_000;

/// Empties what is not needed for text and what takes too much; whether there was any of the
/// latter.
pub(super) fn prepare(pdf: &mut Document) -> bool {
    let mut left = ALL_CAP;
    let mut is_cut = false;
    for object in pdf.objects.values_mut() {
        match object {
            Object::Stream(stream) => {
                clean(&mut stream.dict);
                let size = if is_read(stream) { size(stream) } else { Some(usize::MAX) };
                match size.and_then(|size| left.checked_sub(size)) {
                    Some(rest) if !is_trap(stream) => left = rest,
                    _ => {
                        is_cut |= size != Some(usize::MAX);
                        stream.set_plain_content(NOTHING.to_vec());
                    }
                }
            }
            Object::Dictionary(dictionary) => clean(dictionary),
            _ => {}
        }
    }
    is_cut
}

/// An instruction that does nothing: not even a parser that wants one is surprised.
const NOTHING: &[u8] = b"n ";

/// Images are not.
fn is_read(stream: &Stream) -> bool {
    !stream.dict.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"Image")
}

/// Takes away lists of widths that cover more codes than there are.
fn clean(dictionary: &mut Dictionary) {
    let covered = match dictionary.get(b"W").and_then(Object::as_array) {
        Ok(widths) => widths.windows(2).fold(0_i64, |sum, pair| {
            let [Object::Integer(first), Object::Integer(last)] = pair else { return sum };
            sum.saturating_add(last.saturating_sub(*first).max(0))
        }),
        Err(_) => 0,
    };
    if covered > MOST_WIDTHS {
        dictionary.remove(b"W");
    }
}

/// Tables of codes, and fonts in the form of programs, that a parser should not follow. Unpacks the
/// stream, so ask for its [`size`] first.
fn is_trap(stream: &Stream) -> bool {
    let Ok(plain) = stream.get_plain_content() else { return false };
    let has = |word: &[u8]| memchr::memmem::find(&plain, word).is_some();
    let clear = memchr::memmem::find(&plain, b"eexec").and_then(|end| plain.get(..end));
    match clear {
        Some(clear) => cmap::is_deep(clear),
        None if has(b"bfrange") || has(b"bfchar") || has(b"cidrange") || has(b"begincmap") => {
            !cmap::is_sane(&plain)
        }
        // A program that is never closed off.
        None => plain.starts_with(b"%!") && cmap::is_deep(&plain),
    }
}

/// Bytes a stream unpacks to at most, `None` beyond the cap.
fn size(stream: &Stream) -> Option<usize> {
    if has_wide_rows(&stream.dict) {
        return None;
    }
    let Ok(filters) = stream.filters() else { return Some(stream.content.len()) };
    match filters.as_slice() {
        [] => Some(stream.content.len()),
        [b"FlateDecode"] => {
            // What zlib does not unpack is tried again without its header.
            let size = unpacked_size(&stream.content, STREAM_CAP)?;
            if size > 0 { Some(size) } else { raw_size(&stream.content) }
        }
        [b"LZWDecode"] => (stream.content.len() <= LZW_CAP).then_some(STREAM_CAP),
        [b"ASCII85Decode"] => {
            stream.content.len().checked_mul(4).filter(|size| *size <= STREAM_CAP)
        }
        [b"ASCII85Decode", b"FlateDecode"] => {
            let mut outer = stream.clone();
            outer.dict.set("Filter", Object::Name(b"ASCII85Decode".to_vec()));
            let packed = outer.decompressed_content().ok()?;
            unpacked_size(&packed, STREAM_CAP)
        }
        // Two that unpack: nothing needs that.
        filters => {
            let unpacking = |filter: &&[u8]| matches!(*filter, b"FlateDecode" | b"LZWDecode");
            let is_known = |filter: &&[u8]| unpacking(filter) || *filter == b"ASCII85Decode";
            // With a filter nobody knows here, the parser takes the stream as it is.
            match filters.iter().position(|filter| !is_known(filter)) {
                Some(0) => Some(stream.content.len()),
                _ => None,
            }
        }
    }
}

fn raw_size(packed: &[u8]) -> Option<usize> {
    use std::io::Read;
    let Some(packed) = packed.get(2..) else { return Some(0) };
    let unpacked = flate2::read::DeflateDecoder::new(packed);
    let mut buffer = Vec::new();
    // An error at the end leaves what came before it.
    let _ = unpacked.take(STREAM_CAP as u64 + 1).read_to_end(&mut buffer);
    (buffer.len() <= STREAM_CAP).then_some(buffer.len())
}

fn has_wide_rows(dictionary: &Dictionary) -> bool {
    const ROW_CAP: i64 = 1 << 20;
    let Ok(parameters) = dictionary.get(b"DecodeParms").and_then(Object::as_dict) else {
        return false;
    };
    let product = [&b"Columns"[..], b"Colors", b"BitsPerComponent"]
        .iter()
        .filter_map(|name| parameters.get(name).and_then(Object::as_i64).ok())
        .fold(1_i64, |product, figure| product.saturating_mul(figure.max(1)));
    product > ROW_CAP
}
