//! A PDF as bytes, before anything parses it. Parsing unpacks the streams that hold objects and
//! their table, without a cap and by figures that stand beside them: those are measured here.

use std::io::Read;

use flate2::read::ZlibDecoder;
use memchr::memmem;

use super::ReadError;

/// Bytes of one stream of objects, unpacked, and of all.
const STREAM_CAP: usize = 32 << 20;
const ALL_CAP: usize = 256 << 20;

/// Streams looked at. A file of 20 MB has 20,000.
const MOST_STREAMS: usize = 200_000;

/// How far before a stream its dictionary may begin.
const DICTIONARY_CAP: usize = 16 << 10;

/// Bytes of a row, as predictors see it, and of a field of the table.
const ROW_CAP: u64 = 1 << 16;
const FIELD_CAP: u64 = 8;

/// Whether a dictionary names an encryption.
pub(super) fn is_encrypted(bytes: &[u8]) -> bool {
    memmem::find_iter(bytes, b"/Encrypt").any(|at| {
        let after = bytes.get(at + b"/Encrypt".len()..).unwrap_or_default();
        let value = after.trim_ascii_start();
        let is_apart = value.len() < after.len() || value.starts_with(b"<<");
        is_apart && value.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'<')
    })
}

/// Refuses files whose streams of objects grow beyond all measure.
///
/// # Errors
/// [`ReadError::PdfHeavy`].
pub(super) fn check(bytes: &[u8]) -> Result<(), ReadError> {
    let mut left = ALL_CAP;
    for (number, at) in memmem::find_iter(bytes, b"stream").enumerate() {
        if number > MOST_STREAMS {
            return Err(ReadError::PdfHeavy { reason: "it has too many streams" });
        }
        let Some(dictionary) = dictionary(bytes, at) else { continue };
        let dictionary = &unescaped(dictionary);
        if !holds_objects(dictionary) {
            continue;
        }
        let heavy = |reason| Err(ReadError::PdfHeavy { reason });
        if !has_sane_figures(dictionary) {
            return heavy("figures of its tables are out of all proportion");
        }
        if has_other_filters(dictionary) {
            return heavy("its objects are packed in a way that can't be measured");
        }
        let start = at + b"stream".len();
        let body = bytes.get(start..).unwrap_or_default();
        let body = body.strip_prefix(b"\r").unwrap_or(body);
        let body = body.strip_prefix(b"\n").unwrap_or(body);
        match unpacked_size(body, STREAM_CAP.min(left)) {
            Some(size) => left -= size,
            None => return heavy("its objects unpack to too many bytes"),
        }
    }
    Ok(())
}

/// How many bytes zlib data unpacks to, 0 if it is none; `None` beyond `cap`.
pub(super) fn unpacked_size(packed: &[u8], cap: usize) -> Option<usize> {
    let mut unpacked = ZlibDecoder::new(packed);
    let mut buffer = [0; 16 << 10];
    let mut size = 0_usize;
    while let Ok(read @ 1..) = unpacked.read(&mut buffer) {
        size += read;
        if size > cap {
            return None;
        }
    }
    Some(size)
}

/// What stands between the last `obj` and the word `stream` at `at`.
fn dictionary(bytes: &[u8], at: usize) -> Option<&[u8]> {
    let before = bytes.get(at.saturating_sub(DICTIONARY_CAP)..at)?;
    if before.ends_with(b"end") {
        return None;
    }
    let start = memmem::rfind(before, b"obj").map_or(0, |start| start + 3);
    before.get(start..)
}

/// With the letters for which `#` and two digits stand in names.
fn unescaped(dictionary: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(dictionary.len());
    let mut rest = dictionary;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'#' => {
                plain.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                plain.push(*first);
                rest = after;
            }
        }
    }
    plain
}

fn holds_objects(dictionary: &[u8]) -> bool {
    let has = |word: &[u8]| memmem::find(dictionary, word).is_some();
    has(b"ObjStm") || has(b"XRef")
}

/// Other filters than zlib's, or that one twice.
fn has_other_filters(dictionary: &[u8]) -> bool {
    let has = |word: &[u8]| memmem::find(dictionary, word).is_some();
    let zlib = memmem::find_iter(dictionary, b"FlateDecode").count();
    zlib > 1 || has(b"LZW") || has(b"ASCII85")
}

fn has_sane_figures(dictionary: &[u8]) -> bool {
    let product = ["/Columns", "/Colors", "/BitsPerComponent"]
        .iter()
        .flat_map(|name| numbers_after(dictionary, name))
        .fold(1_u64, u64::saturating_mul);
    let fields = numbers_after(dictionary, "/W");
    // Rows of a table that takes no bytes could be without number.
    let is_table = memmem::find(dictionary, b"XRef").is_some();
    let width: u64 = fields.iter().fold(0, |sum, field| sum.saturating_add(*field));
    product <= ROW_CAP * 8
        && fields.iter().all(|field| *field <= FIELD_CAP)
        && (!is_table || (2..=3 * FIELD_CAP).contains(&width))
}

/// The numbers that follow a name, one or a list of them.
fn numbers_after(dictionary: &[u8], name: &str) -> Vec<u64> {
    /// None of the lists of interest is longer.
    const MOST: usize = 16;
    let found = memmem::find_iter(dictionary, name.as_bytes()).find_map(|at| {
        let rest = dictionary.get(at + name.len()..)?;
        // The end of the name.
        (!rest.first()?.is_ascii_alphabetic()).then_some(rest)
    });
    let Some(rest) = found else { return Vec::new() };
    let rest = rest.trim_ascii_start();
    let rest = rest.strip_prefix(b"[").unwrap_or(rest);
    let end = rest.iter().position(|byte| !byte.is_ascii_digit() && !byte.is_ascii_whitespace());
    let list = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
    let numbers = list.split(u8::is_ascii_whitespace).filter(|number| !number.is_empty());
    let parse = |number: &[u8]| std::str::from_utf8(number).ok().and_then(|text| text.parse().ok());
    numbers.take(MOST).map(|number| parse(number).unwrap_or(u64::MAX)).collect()
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn figures_are_judged() {
        #[track_caller]
        fn check(dictionary: &str, expected: bool) {
            assert_eq!(has_sane_figures(dictionary.as_bytes()), expected, "{dictionary}");
        }
        check("<</Type/XRef/W[1 2 1]/Index[0 9]/DecodeParms<</Columns 4/Predictor 12>>>>", true);
        check("<</Type/ObjStm/N 5/First 20>>", true);
        check("<</Type/XRef/W[0 0 0]/Index[0 99999999999]>>", false);
        check("<</Type/XRef/W [ 1 99999999999999999999 1 ]>>", false);
        check("<</Type/XRef/W[1 2 1]/DecodeParms<</Columns 9999999999>>>>", false);
        check("<</Type/XRef/Widths 7>>", false);
    }

    #[test]
    fn escapes_are_seen_through() {
        assert_eq!(unescaped(b"/#4fbj#53tm#2 #zz#"), b"/ObjStm#2 #zz#");
        assert!(check(b"1 0 obj <</Type/XR#65f/W[0 0 0]>>stream\n").is_err());
        assert!(check(b"1 0 obj <</Type/X#20y/W[0 0 0]>>stream\n").is_ok());
    }

    #[test]
    fn encryption_is_seen() {
        assert!(is_encrypted(b"trailer <</Encrypt 5 0 R>>"));
        assert!(is_encrypted(b"trailer <</Encrypt<</V 1>>>>"));
        assert!(!is_encrypted(b"/EncryptMetadata true /Encrypted 5"));
    }
}
