//! Where a place is, as the user writes it. Pure.

use std::fmt;

use url::Url;

use super::{StoreError, provider::Cloud};

/// Most bytes of an address.
const MOST: usize = 1_024;

/// `s3://bucket/folder`, `gs://`, `az://container/folder` or `file:///folder`, without a slash at its
/// end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// [`StoreError::Address`] for anything else than the four forms, and for one that holds a key.
    pub fn parse(typed: &str) -> Result<Self, StoreError> {
        let wrong = |reason: &'static str| {
            // Somebody may have put a key into it.
            let typed = match typed.split_once("://") {
                Some((scheme, rest)) if rest.contains('@') => format!("{scheme}://..."),
                _ => typed.chars().take(80).collect(),
            };
            Err(StoreError::Address { typed, reason })
        };
        if typed.len() > MOST {
            return wrong("it is too long");
        }
        let Ok(url) = Url::parse(typed) else {
            return wrong("it begins with none of s3://, gs://, az:// and file:///");
        };
        let is_cloud = Cloud::ALL.iter().any(|cloud| cloud.scheme() == url.scheme());
        if !is_cloud && url.scheme() != "file" {
            return wrong("it begins with none of s3://, gs://, az:// and file:///");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return wrong(
                "it has a `?` or `#`; keys and settings of a store are no part of its address",
            );
        }
        if !url.username().is_empty() || url.password().is_some() || url.port().is_some() {
            return wrong("it holds a user name, password or port");
        }
        let host = url.host_str().unwrap_or_default();
        if is_cloud && host.is_empty() {
            return wrong("it names no bucket");
        }
        if !is_cloud && (!host.is_empty() || url.path().trim_matches('/').is_empty()) {
            return wrong("a folder is written file:///path/to/it");
        }
        let plain = |char: char| char.is_ascii_graphic() && !"\\\"'`<>{}|^".contains(char);
        if !url.as_str().chars().all(plain) || url.path().contains("//") {
            return wrong("it has characters that object stores do not all take");
        }
        Ok(Self(url.as_str().trim_end_matches('/').to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is a folder of a file system.
    pub fn is_folder(&self) -> bool {
        self.0.starts_with("file:")
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_forms_and_nothing_else() {
        for (typed, expected) in [
            ("s3://bucket/kb", Some("s3://bucket/kb")),
            ("s3://bucket/kb/", Some("s3://bucket/kb")),
            ("s3://bucket", Some("s3://bucket")),
            ("gs://bucket/a/b", Some("gs://bucket/a/b")),
            ("az://container/kb", Some("az://container/kb")),
            ("file:///srv/kb", Some("file:///srv/kb")),
            ("file:///srv/a/../kb", Some("file:///srv/kb")),
            ("file:///", None),
            ("file://host/kb", None),
            ("s3:///kb", None),
            ("s3://key:secret@bucket/kb", None),
            ("s3://bucket/kb?endpoint=http://evil.test", None),
            ("s3+ddb://bucket/kb", None),
            ("https://bucket.s3.amazonaws.com/kb", None),
            ("memory:///kb", None),
            ("/srv/kb", None),
            ("kb", None),
            ("s3://bucket//kb", None),
            ("s3://bucket/k'b", None),
        ] {
            let found = Address::parse(typed);
            assert_eq!(found.as_ref().ok().map(Address::as_str), expected, "{typed}");
        }
    }
}
