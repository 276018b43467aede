//! The words of a sentence with the marks around them.

/// One word: its text without the marks around it, where that stands, and the marks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Opening marks: brackets and quotes.
    pub(super) before: &'t str,
    /// Closing marks and punctuation.
    pub(super) after: &'t str,
}

impl Token<'_> {
    pub(super) fn lower(&self) -> String {
        self.text.to_lowercase()
    }

    /// A dash between two parts of a sentence.
    pub(super) fn is_dash(&self) -> bool {
        self.text.is_empty() && self.before.chars().all(|char| matches!(char, '-' | '–' | '—'))
    }

    pub(super) fn is_capitalised(&self) -> bool {
        self.text.starts_with(char::is_uppercase)
    }

    /// Whether nothing separates this word from the next.
    pub(super) fn joins(&self) -> bool {
        self.after.is_empty()
    }
}

const OPENING: &[char] = &['(', '[', '"', '“', '‘', '\'', '«', '„', '<', '*', '¿', '¡'];
const CLOSING: &[char] =
    &[')', ']', '"', '”', '’', '\'', '»', ',', ';', ':', '.', '!', '?', '…', '>', '*'];

/// The tokens of a sentence, in order. Offsets are bytes of the sentence.
pub(super) fn tokens(sentence: &str) -> Vec<Token<'_>> {
    let mut found: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    for run in sentence.split(char::is_whitespace) {
        let start = at;
        at += run.len() + sentence[at + run.len()..].chars().next().map_or(0, char::len_utf8);
        if !run.is_empty() {
            each_part(run, start, &mut found);
        }
    }
    own_marks(sentence, &mut found);
    found
}

/// A dash without spaces around it still separates: `Rust—a language`.
fn each_part<'t>(run: &'t str, start: usize, found: &mut Vec<Token<'t>>) {
    let Some(dash) = run.find('—').filter(|_| run.chars().count() > 1) else {
        found.push(token(run, start));
        return;
    };
    let (left, rest) = run.split_at(dash);
    let (mark, right) = rest.split_at('—'.len_utf8());
    if !left.is_empty() {
        found.push(token(left, start));
    }
    found.push(token(mark, start + dash));
    if !right.is_empty() {
        found.push(token(right, start + dash + mark.len()));
    }
}

fn token(run: &str, start: usize) -> Token<'_> {
    if run.chars().all(|char| !char.is_alphanumeric()) {
        return Token { text: "", start, end: start, before: run, after: "" };
    }
    let inner = run.trim_start_matches(OPENING);
    let before = &run[..run.len() - inner.len()];
    let mut text = inner.trim_end_matches(CLOSING);
    // `f(x)` and `Vec<T>` close what they opened.
    for (open, close) in [('(', ')'), ('[', ']'), ('<', '>')] {
        if text.contains(open) && inner[text.len()..].starts_with(close) {
            text = &inner[..text.len() + 1];
        }
    }
    let start = start + before.len();
    Token { text, start, end: start + text.len(), before, after: &inner[text.len()..] }
}

/// `Yahoo! is`: a mark that ends no sentence belongs to the word before it.
fn own_marks<'t>(sentence: &'t str, tokens: &mut [Token<'t>]) {
    for at in 1..tokens.len() {
        let goes_on =
            tokens[at].text.starts_with(char::is_lowercase) && tokens[at].before.is_empty();
        let token = &mut tokens[at - 1];
        if goes_on && token.is_capitalised() && matches!(token.after, "!" | "?") {
            token.end += 1;
            token.text = sentence.get(token.start..token.end).unwrap_or(token.text);
            token.after = "";
        }
        // A full stop inside a sentence abbreviates: `Dr.`, `U.S.`
        let token = &mut tokens[at - 1];
        // `A. Yes` answers `Q.`
        let asks = at == 1 && matches!(token.text, "A" | "Q");
        if token.after == "." && !asks {
            token.end += 1;
            token.text = sentence.get(token.start..token.end).unwrap_or(token.text);
            token.after = "";
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_marks() {
        let check = |sentence: &str, expected: &[&str]| {
            let found: Vec<&str> = tokens(sentence).iter().map(|token| token.text).collect();
            assert_eq!(found, expected, "{sentence}");
            for token in tokens(sentence) {
                assert_eq!(&sentence[token.start..token.end], token.text);
            }
        };
        check("C++ (\"see\") .NET, node.js.", &["C++", "see", ".NET", "node.js"]);
        check("Yahoo! is here!", &["Yahoo!", "is", "here"]);
        check("Dr. Foo of the U.S. left.", &["Dr.", "Foo", "of", "the", "U.S.", "left"]);
        check("Rust—a language — new", &["Rust", "", "a", "language", "", "new"]);
        check("call f(x) or (g)", &["call", "f(x)", "or", "g"]);
        check(" \u{a0}é\u{3000}ü ", &["é", "ü"]);
        check("", &[]);
    }
}
