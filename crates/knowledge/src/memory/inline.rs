//! Text from outside within a line of Markdown: nothing of it becomes a link, an image, a tag, or
//! swallows what follows. Pure.

const ELLIPSIS: char = '…';

/// One line of at most `max` characters, without what cannot be seen; `…` where it was cut.
pub(super) fn one_line(text: &str, max: usize) -> String {
    // Cutting costs at most half: what is cut here is too long all the same.
    let whole = elophanto_base::one_line::one_line(text, max.saturating_mul(2).saturating_add(2));
    if whole.chars().count() <= max {
        return whole;
    }
    let mut cut = elophanto_base::one_line::one_line(text, max.saturating_sub(1));
    if max > 0 {
        cut.push(ELLIPSIS);
    }
    cut
}

/// A span of code. The text is on one line.
pub(super) fn code(text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    if longest == 0 {
        return format!("`{text}`");
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {text} {fence}")
}

/// Plain words stay as they are, and so do spans of code that end. Elsewhere links, images, tags,
/// strong emphasis and escapes lose their meaning, as do backticks without a counterpart.
pub(super) fn harmless(text: &str) -> String {
    let spans = Spans::of(text);
    let (mut safe, mut rest, mut before) = (String::with_capacity(text.len()), text, None);
    while let Some(char) = rest.chars().next() {
        if char == '`' {
            let run = rest.len() - rest.trim_start_matches('`').len();
            let span = spans.end(text.len() - rest.len(), run).unwrap_or(0);
            let end = if span > 0 { span } else { run };
            let (head, tail) = rest.split_at(end);
            if span > 0 {
                safe.push_str(head);
            } else {
                safe.push_str(&"\\`".repeat(run));
            }
            (rest, before) = (tail, Some('`'));
            continue;
        }
        rest = rest.get(char.len_utf8()..).unwrap_or_default();
        let next = rest.chars().next();
        if is_live(before, char, next) {
            safe.push('\\');
        }
        safe.push(char);
        before = Some(char);
    }
    safe
}

/// Whether a character means more than itself where it stands.
fn is_live(before: Option<char>, char: char, next: Option<char>) -> bool {
    match char {
        '\\' => next.is_some_and(|next| next.is_ascii_punctuation()),
        '<' => {
            next.is_some_and(|next| next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'))
        }
        // `](` and `][` make links and images.
        '(' | '[' => before == Some(']'),
        '*' => before == Some('*') || next == Some('*'),
        _ => false,
    }
}

/// Where spans of code can end: the places of all runs of backticks, by their length.
struct Spans {
    runs: std::collections::BTreeMap<usize, Vec<usize>>,
}

impl Spans {
    fn of(text: &str) -> Self {
        let (mut runs, mut at) = (std::collections::BTreeMap::<usize, Vec<usize>>::new(), 0);
        let bytes = text.as_bytes();
        while let Some(byte) = bytes.get(at) {
            let run = bytes.iter().skip(at).take_while(|byte| **byte == b'`').count();
            if *byte == b'`' {
                runs.entry(run).or_default().push(at);
            }
            at += run.max(1);
        }
        Self { runs }
    }

    /// Bytes of the span that begins with the run of this length at this place.
    fn end(&self, start: usize, run: usize) -> Option<usize> {
        let places = self.runs.get(&run)?;
        let next = places.partition_point(|place| *place <= start);
        places.get(next).map(|end| end + run - start)
    }
}
