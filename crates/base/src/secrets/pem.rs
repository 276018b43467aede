//! Private keys between `BEGIN` and `END` lines: one finding for the whole block.

use super::Found;

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// The longest name of a block, such as `ENCRYPTED PRIVATE KEY`.
const MAX_LABEL: usize = 60;
/// The smallest key (Ed25519) has 64; an ellipsis between the lines is documentation.
const MIN_BODY: usize = 60;
/// A block that is not closed is taken to be no longer than this.
const MAX_OPEN: usize = 16 * 1024;

/// All private keys of a text.
pub(super) fn blocks(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    let mut begins = text.match_indices(BEGIN).map(|(at, _)| at).peekable();
    let mut ends = text.match_indices(END).map(|(at, _)| at).peekable();
    while let Some(start) = begins.next() {
        let Some(body) = body_of(text, start) else { continue };
        while ends.next_if(|end| *end < body).is_some() {}
        let limit = begins.peek().copied().unwrap_or(text.len());
        let (inside, end) = match ends.peek().copied().filter(|end| *end < limit) {
            Some(close) => (&text[body..close], closing(text, close)),
            None => {
                let open = text.floor_char_boundary(limit.min(body + MAX_OPEN));
                (&text[body..open], open)
            }
        };
        let secret = key_text(inside);
        if secret.len() >= MIN_BODY && distinct_bytes(&secret) > 10 {
            let range = start..end;
            found.push(Found { range, kind: "private key", secret, certain: true });
        }
    }
    found
}

/// Where the text behind `-----BEGIN ... PRIVATE KEY-----` starts.
fn body_of(text: &str, start: usize) -> Option<usize> {
    let label = start + BEGIN.len();
    let reach = text.floor_char_boundary((label + MAX_LABEL).min(text.len()));
    let length = text[label..reach].find(DASHES)?;
    let name = &text[label..label + length];
    let private = name.ends_with("PRIVATE KEY") || name.ends_with("PRIVATE KEY BLOCK");
    private.then_some(label + length + DASHES.len())
}

/// Behind the dashes that end the closing line.
fn closing(text: &str, close: usize) -> usize {
    let label = close + END.len();
    let reach = text.floor_char_boundary((label + MAX_LABEL).min(text.len()));
    text[label..reach].find(DASHES).map_or(label, |length| label + length + DASHES.len())
}

/// The key's own characters, whatever stands around them: quotes, indents, `\n` in a JSON string,
/// header lines such as `Proc-Type: 4,ENCRYPTED`. Ends where prose begins.
fn key_text(inside: &str) -> String {
    let mut key = String::new();
    let lines = inside.split(['\n', '\r']).flat_map(|line| line.split("\\n"));
    for line in lines {
        let line = line.trim_matches(|c: char| !c.is_ascii_alphanumeric() && !"+/=".contains(c));
        if line.is_empty() || line.contains(": ") {
            continue;
        }
        if !line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)) {
            break;
        }
        key.push_str(line);
    }
    key
}

fn distinct_bytes(text: &str) -> usize {
    let mut seen = [false; 256];
    text.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}
