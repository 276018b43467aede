//! Percent coding of paths in addresses (RFC 3986). Pure.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// Besides letters and digits, what stands in an address as it is.
const OTHERS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// All bytes but letters, digits, `-._~` and `/` encoded.
pub fn encoded(bytes: impl AsRef<[u8]>) -> String {
    percent_encode(bytes.as_ref(), OTHERS).to_string()
}

/// Decoded once; a `%` that no two hex digits follow stays as it is.
pub fn decoded(text: &str) -> Vec<u8> {
    percent_decode_str(text).collect()
}
