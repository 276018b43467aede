//! A form with a file in it, as bytes. Pure but for the boundary, which nobody can guess.

/// A form as `multipart/form-data`: its type, and its body.
pub fn form(fields: &[(&str, String)], file: (&str, &str, &[u8])) -> (String, Vec<u8>) {
    let boundary = uuid::Uuid::new_v4().simple().to_string();
    let mut body = Vec::new();
    for (name, value) in fields {
        let head =
            format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(value.as_bytes());
        body.extend_from_slice(b"\r\n");
    }
    let (name, file, bytes) = file;
    let file: String = file.chars().map(|char| if is_plain(char) { char } else { '_' }).collect();
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
         Content-Type: application/octet-stream\r\n\r\n"
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={boundary}"), body)
}

/// What may stand in a name between quotes.
fn is_plain(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '.' | '-' | '_' | ' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out() {
        let (kind, body) =
            form(&[("chat_id", "1".to_owned())], ("document", "a\"\r\nb.txt", b"xyz"));
        let text = String::from_utf8(body).unwrap();
        assert!(text.contains("filename=\"a___b.txt\""), "{text}");
        let boundary = kind.rsplit('=').next().unwrap();
        assert_eq!(text.matches(boundary).count(), 3);
        assert!(text.ends_with("--\r\n") && text.contains("\r\n\r\nxyz\r\n"));
    }
}
