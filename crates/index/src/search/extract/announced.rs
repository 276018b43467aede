//! What stands behind a sentence and is quoted with it: what it announces, a default, the rest of its paragraph.

use super::{
    super::{
        around::announces,
        passage::{Kind, Sentence},
    },
    MOST_SHOWN,
    plain::{plain, without_links, without_mark},
};
use elophanto_text::markdown::on_one_line;

/// Lines of code and items that are quoted of what a sentence announces.
const MOST_LINES: usize = 3;
const MOST_ITEMS: usize = 6;
/// Bytes of what is quoted at most of a paragraph that begins what stands under the heading that was asked for.
const MOST_OPENING: usize = 500;

/// What a sentence that ends in a colon announces: lines of code, or items of a list, on one line.
pub(super) fn announced(text: &str, raw: &str, behind: &[Sentence]) -> Option<String> {
    let kind = behind.first()?.kind;
    if !announces(raw) {
        return None;
    }
    let parts = behind.iter().take_while(|part| part.kind == kind);
    let parts = parts.map(|part| text[part.range.clone()].trim());
    let said: Vec<String> = match kind {
        Kind::Code => {
            let is_said = |line: &&str| !line.starts_with(['#', '<', '/']) && !line.contains('`');
            let lines = parts.filter(is_said).take(MOST_LINES);
            lines.map(|line| format!("`{}`", on_one_line(line, MOST_SHOWN, |_| true))).collect()
        }
        Kind::Item => {
            // A table of contents is none.
            let says = |item: &&str| without_links(item).contains(char::is_alphanumeric);
            let items = parts.map(without_mark).filter(says).take(MOST_ITEMS);
            items.map(|item| on_one_line(item, MOST_SHOWN, |_| true)).collect()
        }
        _ => return None,
    };
    let mark = if kind == Kind::Code { ", " } else { "; " };
    (!said.is_empty()).then(|| said.join(mark))
}

/// What the next sentence of a paragraph or item says to be the default of what this one speaks of: `Defaults to
/// 25.`
pub(super) fn default_behind(
    text: &str,
    sentence: &Sentence,
    next: Option<&Sentence>,
) -> Option<String> {
    let next = next.filter(|next| next.kind == sentence.kind)?;
    let (between, said) = (&text[sentence.range.end..next.range.start], &text[next.range.clone()]);
    let begins = ["Default is", "Default value", "Default:", "Defaults to", "The default is"];
    let is_default = begins.iter().any(|begin| said.starts_with(begin));
    (is_default && between.trim().is_empty() && !between.contains("\n\n"))
        .then(|| on_one_line(said, MOST_SHOWN, |_| true))
}

/// What the other sentences of a paragraph say behind its first one, as far as that is quoted.
pub(super) fn paragraph_behind(text: &str, sentences: &[Sentence]) -> Option<String> {
    let first = sentences.first().filter(|first| first.kind == Kind::Prose)?;
    let pairs = sentences.windows(2).take_while(|pair| {
        let [before, next] = pair else { return false };
        next.kind == Kind::Prose
            && next.range.end - first.range.start <= MOST_OPENING
            && !text[before.range.end..next.range.start].contains("\n\n")
            && !text[next.range.clone()].trim_end().ends_with(':')
    });
    let end = pairs.last()?[1].range.end;
    Some(plain(&text[first.range.end..end])).filter(|said| !said.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{super::super::passage::sentences, *};

    #[test]
    fn what_is_announced_is_quoted_with_it() {
        let text = "Make it by:\n\n```sh\n# first\nmake all\nmake install\n```\n\nThere are two kinds:\n\n\
                    - red ones\n- [x](#x)\n- [ ] blue ones\n\nNothing follows:\n";
        let kinds = sentences(text, None);
        let of = |number: usize| {
            announced(text, &text[kinds[number].range.clone()], &kinds[number + 1..])
        };
        assert_eq!(of(0).as_deref(), Some("`make all`, `make install`"));
        let list = kinds.iter().position(|it| text[it.range.clone()].starts_with("There")).unwrap();
        assert_eq!(of(list).as_deref(), Some("red ones; blue ones"));
        assert_eq!(of(list + 1), None, "an item announces nothing");
        assert_eq!(of(kinds.len() - 1), None);
    }

    #[test]
    fn a_default_is_quoted_with_what_it_is_of() {
        let text = "The port to use.\nDefaults to 25. It is one.\n\nDefaults to 3.\n";
        let kinds = sentences(text, None);
        let of = |at: usize| default_behind(text, &kinds[at], kinds.get(at + 1));
        assert_eq!([of(0), of(1), of(2)], [Some("Defaults to 25.".to_owned()), None, None]);
    }

    #[test]
    fn a_paragraph_is_quoted_as_far_as_it_fits() {
        let long = "It is long. ".repeat(60);
        for (text, expected) in [
            (
                "A key is a hash.\nNo path is in it. Names\nchange nothing.\n\nMore.\n",
                Some("No path is in it. Names change nothing."),
            ),
            ("A key is a hash.\n\nNo path is in it.\n", None),
            ("A key is a hash. It has:\n\n- a\n", None),
            ("- A key is a hash. No path is in it.\n", None),
            (long.as_str(), Some("It is long. ".repeat(40).trim_end())),
        ] {
            let said = paragraph_behind(text, &sentences(text, None));
            assert_eq!(said.as_deref(), expected, "{text}");
        }
    }
}
