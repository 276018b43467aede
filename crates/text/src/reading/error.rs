//! Why nothing could be read.

use std::time::Duration;

/// Why there is no text. Names of encodings and kinds come from the bytes or their hint and are
/// cut and cleaned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    #[error("{bytes} bytes are more than the {cap} that are read")]
    TooLarge { bytes: usize, cap: usize },
    #[error("no text can be read from {found}")]
    Unsupported { found: String },
    #[error("the encoding `{name}` is not read, only UTF-8, UTF-16 with a mark and Windows-1252")]
    Encoding { name: String },
    #[error("this is no text in {encoding} (byte {offset})")]
    Undecodable { encoding: &'static str, offset: usize },
    #[error("there is no text in it")]
    Empty,
    #[error("this is no PDF: it does not begin like one")]
    NotPdf,
    #[error("the PDF is encrypted")]
    PdfEncrypted,
    #[error("the PDF has no text layer, its pages may be images")]
    PdfWithoutText,
    #[error("the PDF is damaged: {reason}")]
    PdfDamaged { reason: String },
    #[error("the PDF is built to take more memory or time than is given: {reason}")]
    PdfHeavy { reason: &'static str },
    #[error("it was not read within {} ms", .limit.as_millis())]
    Timeout { limit: Duration },
    #[error("a page that no parser could read")]
    Unparsable,
    #[error("too many earlier readings are still running")]
    Busy,
}
