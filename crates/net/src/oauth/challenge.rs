//! What a server says when it refuses a request: `WWW-Authenticate`. Pure.

/// What matters of it here. All of it is outside data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Challenge {
    /// Where the server says who signs people in for it.
    pub metadata: Option<String>,
    /// What a token must be good for.
    pub scope: Option<String>,
}

impl Challenge {
    /// Reads the parameters of `Bearer`; what cannot be understood is passed over.
    pub fn read(header: &str) -> Self {
        let mut challenge = Self::default();
        let mut rest = header;
        while let Some(at) = rest.find('=') {
            let (before, after) = rest.split_at(at);
            let name = before.rsplit([' ', ',', '\t']).next().unwrap_or_default();
            let after = after.get(1..).unwrap_or_default();
            let (value, behind) = match after.strip_prefix('"') {
                Some(quoted) => unquoted(quoted),
                None => {
                    let end = after.find([',', ' ']).unwrap_or(after.len());
                    let (value, behind) = after.split_at(end);
                    (value.to_owned(), behind)
                }
            };
            match name.to_ascii_lowercase().as_str() {
                "resource_metadata" => challenge.metadata = Some(value),
                "scope" => challenge.scope = Some(value),
                _ => {}
            }
            rest = behind;
        }
        challenge
    }
}

/// A quoted string without its quotes, and what is behind it.
fn unquoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (value, text.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(chars.next().map(|(_, char)| char)),
            char => value.push(char),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn challenges() {
        #[track_caller]
        fn check(header: &str, metadata: Option<&str>, scope: Option<&str>) {
            let read = Challenge::read(header);
            assert_eq!((read.metadata.as_deref(), read.scope.as_deref()), (metadata, scope));
        }
        check("", None, None);
        check("Bearer", None, None);
        check("Bearer realm=x", None, None);
        check(
            r#"Bearer resource_metadata="https://a.test/.well-known/x?y=z", scope="read write""#,
            Some("https://a.test/.well-known/x?y=z"),
            Some("read write"),
        );
        check(
            r#"Bearer error="invalid_token", error_description="no, \"never\"",Scope=read, a=b"#,
            None,
            Some("read"),
        );
        check(r#"Basic realm="a=b, scope=c", Bearer scope="d"#, None, Some("d"));
        check(r#"Bearer scope="#, None, Some(""));
    }

    proptest! {
        #[test]
        fn never_panics(header in "\\PC{0,100}") {
            let _ = Challenge::read(&header);
        }
    }
}
