//! An answer in Markdown, cut into messages that each fit, marked up as a platform wants it. Pure.
//!
//! Messages end between paragraphs where they can. A block of code stays whole if it fits into a message
//! at all; a longer one is cut between lines, each part being a block of its own. Links are shown as their
//! label and their address, which is no link: nobody is led elsewhere than it says.

use comrak::{
    Arena, Options,
    nodes::{ListType, Node, NodeValue},
    parse_document,
};

use elophanto_base::visible::visible;

/// Text within text is marked up to this depth.
const DEEPEST: usize = 40;
/// Bytes of Markdown; longer texts are taken as they stand.
const MOST_MARKDOWN: usize = 256 * 1024;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// As the platform wants it marked up.
    pub rich: String,
    /// What is seen of it.
    pub plain: String,
}

/// How a platform wants text.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// Most of what [`Dialect::measure`] counts.
    pub most: usize,
    pub measure: fn(&Text) -> usize,
    pub escape: fn(&str) -> String,
    /// The same between the marks of code.
    pub escape_code: fn(&str) -> String,
    pub strong: [&'static str; 2],
    pub emphasis: [&'static str; 2],
    pub struck: [&'static str; 2],
    pub code: [&'static str; 2],
    pub quote: [&'static str; 2],
    /// Around a block of code, its last line feed left out.
    pub block: [&'static str; 2],
}

/// Words in which nothing is a tag or an entity of HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Something that stays together if it can.
struct Block {
    text: Text,
    /// What stands between it and the one before.
    before: &'static str,
    /// Code as it stands, without marks.
    code: Option<String>,
}

impl Dialect {
    /// A text in which nothing is markup.
    pub fn plain(&self, text: &str) -> Text {
        let plain = visible(text);
        Text { rich: (self.escape)(&plain), plain }
    }

    /// Messages that each fit; none of a text without anything to see.
    pub fn parts(&self, markdown: &str) -> Vec<Text> {
        let mut parts = Vec::new();
        let mut part = Text::default();
        for Block { text, before, code } in self.blocks(markdown) {
            let joined = match part.plain.is_empty() {
                true => text.clone(),
                false => Text {
                    rich: format!("{}{before}{}", part.rich, text.rich),
                    plain: format!("{}{before}{}", part.plain, text.plain),
                },
            };
            if self.fits(&joined) {
                part = joined;
                continue;
            }
            parts.push(std::mem::take(&mut part));
            match code {
                _ if self.fits(&text) => part = text,
                Some(code) => parts.extend(self.cut(&code, |piece| self.block_of(piece))),
                None => parts.extend(self.cut(&text.plain, |piece| self.plain(piece))),
            }
        }
        parts.push(part);
        parts.retain(|part| !part.plain.trim().is_empty());
        parts
    }

    fn fits(&self, text: &Text) -> bool {
        (self.measure)(text) <= self.most
    }

    fn block_of(&self, code: &str) -> Text {
        self.marked(code.trim_end_matches('\n'), self.block)
    }

    /// Code between its marks; as it stands where it holds such a mark, which would end it.
    fn marked(&self, code: &str, [open, close]: [&str; 2]) -> Text {
        let plain = visible(code);
        let escaped = (self.escape_code)(&plain);
        match escaped.contains(open.trim()) {
            true => self.plain(code),
            false => Text { rich: format!("{open}{escaped}{close}"), plain },
        }
    }

    /// Pieces that fit: cut after the last line, sentence or word that does, else anywhere.
    fn cut(&self, text: &str, made: impl Fn(&str) -> Text) -> Vec<Text> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while !rest.trim().is_empty() {
            // Nothing counts less than one for a character.
            let ends: Vec<usize> = rest
                .char_indices()
                .map(|(at, char)| at + char.len_utf8())
                .take(self.most)
                .collect();
            let fitting = ends.partition_point(|end| self.fits(&made(&rest[..*end])));
            // Something is always taken, or this would never end.
            let most = ends[fitting.saturating_sub(1)];
            let whole = &rest[..most];
            let after = |end: &str| whole.rfind(end).map(|at| at + end.len());
            let end = match most == rest.len() {
                true => most,
                false => [after("\n"), after(". "), after(" ")]
                    .into_iter()
                    .flatten()
                    .find(|end| *end > most / 2)
                    .unwrap_or(most),
            };
            pieces.push(made(rest[..end].trim_end()));
            rest = rest[end..].trim_start_matches('\n');
        }
        pieces
    }

    fn blocks(&self, markdown: &str) -> Vec<Block> {
        let mut blocks = Vec::new();
        if markdown.len() > MOST_MARKDOWN {
            let text = |text: &str| Block { text: self.plain(text), before: "\n\n", code: None };
            return markdown.split("\n\n").map(text).collect();
        }
        let arena = Arena::new();
        let mut options = Options::default();
        options.extension.strikethrough = true;
        options.extension.table = true;
        options.extension.autolink = true;
        let root = parse_document(&arena, markdown, &options);
        for node in root.children() {
            self.block(node, &mut blocks);
        }
        blocks
    }

    fn block(&self, node: Node<'_>, blocks: &mut Vec<Block>) {
        let mut push = |text: Text, before, code| blocks.push(Block { text, before, code });
        match &node.data().value {
            NodeValue::CodeBlock(code) => {
                push(self.block_of(&code.literal), "\n\n", Some(code.literal.clone()));
            }
            NodeValue::Table(_) => {
                let row = |row: Node<'_>| {
                    let cell = |cell: Node<'_>| flat(cell);
                    row.children().map(cell).collect::<Vec<_>>().join(" | ")
                };
                let rows = node.children().map(row).collect::<Vec<_>>().join("\n");
                push(self.block_of(&rows), "\n\n", Some(rows));
            }
            NodeValue::List(_) => {
                for (number, item) in node.children().enumerate() {
                    let mut text = Text::default();
                    self.item(node, item, number, 0, &mut text);
                    push(text, if number == 0 { "\n\n" } else { "\n" }, None);
                }
            }
            NodeValue::ThematicBreak => push(self.plain("* * *"), "\n\n", None),
            NodeValue::HtmlBlock(html) => push(self.plain(html.literal.trim_end()), "\n\n", None),
            _ => {
                let mut text = Text::default();
                self.within(node, 0, &mut text);
                push(text, "\n\n", None);
            }
        }
    }

    /// An item of a list, what is below it further in.
    fn item(&self, list: Node<'_>, item: Node<'_>, number: usize, depth: usize, text: &mut Text) {
        let mark = match &list.data().value {
            NodeValue::List(list) if list.list_type == ListType::Ordered => {
                format!("{}. ", list.start + number)
            }
            _ => "• ".to_owned(),
        };
        self.say(&format!("{}{mark}", "  ".repeat(depth)), text);
        let mut is_first = true;
        for child in item.children() {
            if let NodeValue::List(_) = child.data().value
                && depth < DEEPEST
            {
                for (number, inner) in child.children().enumerate() {
                    self.say("\n", text);
                    self.item(child, inner, number, depth + 1, text);
                }
            } else {
                if !is_first {
                    self.say("\n", text);
                }
                self.within(child, depth, text);
            }
            is_first = false;
        }
    }

    fn say(&self, words: &str, text: &mut Text) {
        let Text { rich, plain } = self.plain(words);
        text.rich.push_str(&rich);
        text.plain.push_str(&plain);
    }

    /// What stands in a node, marked up.
    fn within(&self, node: Node<'_>, depth: usize, text: &mut Text) {
        if depth > DEEPEST {
            return self.say(&flat(node), text);
        }
        let [open, close] = match &node.data().value {
            NodeValue::Strong | NodeValue::Heading(_) => self.strong,
            NodeValue::Emph => self.emphasis,
            NodeValue::Strikethrough => self.struck,
            NodeValue::BlockQuote => self.quote,
            NodeValue::CodeBlock(code) => {
                let Text { rich, plain } = self.block_of(&code.literal);
                text.rich.push_str(&rich);
                text.plain.push_str(&plain);
                return;
            }
            NodeValue::Text(words) => return self.say(words, text),
            NodeValue::HtmlInline(words) => return self.say(words, text),
            NodeValue::HtmlBlock(html) => return self.say(html.literal.trim_end(), text),
            NodeValue::Code(code) => return self.code_of(&code.literal, text),
            NodeValue::SoftBreak | NodeValue::LineBreak => return self.say("\n", text),
            NodeValue::Link(link) | NodeValue::Image(link) => {
                let label = flat(node);
                let bare = link.url.trim_start_matches("mailto:");
                if label.trim().is_empty() || label == bare || label == link.url {
                    return self.code_of(bare, text);
                }
                for child in node.children() {
                    self.within(child, depth + 1, text);
                }
                self.say(" (", text);
                self.code_of(&link.url, text);
                return self.say(")", text);
            }
            _ => ["", ""],
        };
        let begun = text.rich.len();
        text.rich.push_str(open);
        let is_block = |node: Node<'_>| node.data().value.block();
        let mut is_first = true;
        for child in node.children() {
            if is_block(child) && !is_first {
                self.say("\n", text);
            }
            if let NodeValue::List(_) = child.data().value {
                for (number, item) in child.children().enumerate() {
                    if number > 0 {
                        self.say("\n", text);
                    }
                    self.item(child, item, number, depth + 1, text);
                }
            } else {
                self.within(child, depth + 1, text);
            }
            is_first = false;
        }
        if matches!(node.data().value, NodeValue::BlockQuote) && close.is_empty() {
            // A mark that is good for one line.
            let lines = text.rich.split_off(begun).replace('\n', &format!("\n{open}"));
            text.rich.push_str(&lines);
        }
        text.rich.push_str(close);
    }

    fn code_of(&self, code: &str, text: &mut Text) {
        let Text { rich, plain } = self.marked(code, self.code);
        text.rich.push_str(&rich);
        text.plain.push_str(&plain);
    }
}

/// All words in a node.
fn flat(node: Node<'_>) -> String {
    let mut words = String::new();
    for node in node.descendants() {
        match &node.data().value {
            NodeValue::Text(text) => words.push_str(text),
            NodeValue::Code(code) => words.push_str(&code.literal),
            NodeValue::CodeBlock(code) => words.push_str(&code.literal),
            NodeValue::HtmlInline(text) => words.push_str(text),
            NodeValue::SoftBreak | NodeValue::LineBreak => words.push(' '),
            _ => {}
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn escape(text: &str) -> String {
        text.replace('<', "&lt;")
    }

    const SMALL: Dialect = Dialect {
        most: 40,
        measure: |text| text.plain.encode_utf16().count(),
        escape,
        escape_code: escape,
        strong: ["<b>", "</b>"],
        emphasis: ["<i>", "</i>"],
        struck: ["<s>", "</s>"],
        code: ["<code>", "</code>"],
        quote: ["<q>", "</q>"],
        block: ["<pre>", "</pre>"],
    };

    #[test]
    fn markup() {
        for (markdown, expected) in [
            ("*a* **b** ~~c~~ `<d>`", "<i>a</i> <b>b</b> <s>c</s> <code>&lt;d></code>"),
            ("# Head\n\ntext", "<b>Head</b>\n\ntext"),
            ("1. a\n2. b\n   - c", "1. a\n2. b\n  • c"),
            ("> said\n> so", "<q>said\nso</q>"),
            ("[here](https://evil.test)", "here (<code>https://evil.test</code>)"),
            ("see https://a.test/x", "see <code>https://a.test/x</code>"),
            ("![a](b.png)", "a (<code>b.png</code>)"),
            ("```sh\nls <x>\n```", "<pre>ls &lt;x></pre>"),
            ("<b>raw</b>", "&lt;b>raw&lt;/b>"),
            ("| a | b |\n|---|---|\n| c | d |", "<pre>a | b\nc | d</pre>"),
            ("a\u{202e}b", "a&lt;U+202E>b"),
        ] {
            let parts = SMALL.parts(markdown);
            let rich: Vec<&str> = parts.iter().map(|part| part.rich.as_str()).collect();
            assert_eq!(rich.join("|"), expected, "{markdown}");
        }
    }

    #[test]
    fn marks_of_characters() {
        let ticks = Dialect {
            escape: |text| text.replace('`', "\\`"),
            escape_code: str::to_owned,
            quote: ["> ", ""],
            code: ["`", "`"],
            block: ["```\n", "\n```"],
            ..SMALL
        };
        for (markdown, expected) in [
            ("`a\\b` c", "`a\\b` c"),
            ("`` a`b ``", "a\\`b"),
            ("```\nx ` y\n```", "```\nx ` y\n```"),
            ("````\n```\n````", "\\`\\`\\`"),
            ("> said\n> so\n\nend", "> said\n> so\n\nend"),
        ] {
            let parts = ticks.parts(markdown);
            let rich: Vec<&str> = parts.iter().map(|part| part.rich.as_str()).collect();
            assert_eq!(rich.join("|"), expected, "{markdown}");
        }
    }

    #[test]
    fn cut_between_paragraphs() {
        let plain = |markdown: &str| -> Vec<String> {
            SMALL.parts(markdown).into_iter().map(|part| part.plain).collect()
        };
        let line = "x".repeat(20);
        assert_eq!(plain(&format!("{line}\n\n{line}")), [line.clone(), line.clone()]);
        assert_eq!(plain("a\n\nb\n\nc"), ["a\n\nb\n\nc"]);
        // Code is kept whole, and what is too long is cut between lines, each part a block.
        let code = format!("{line}\n\n```\n{line}\n12345\n```\n\nend");
        assert_eq!(plain(&code), [line.clone(), format!("{line}\n12345\n\nend")]);
        let long = format!("```\n{line}\n{line}\n{line}\n```");
        assert!(
            SMALL
                .parts(&long)
                .iter()
                .all(|part| part.rich.starts_with("<pre>x") && part.rich.ends_with("x</pre>"))
        );
        assert_eq!(plain(&long).len(), 3);
        assert!(plain(" \n\n").is_empty());
        assert_eq!(plain(&"😀".repeat(41)).len(), 3);
    }

    proptest! {
        #[test]
        fn everything_fits(markdown in "(\\PC|\n|[*_`#>|\\[\\]()-]){0,300}") {
            for part in SMALL.parts(&markdown) {
                prop_assert!(SMALL.fits(&part), "{part:?}");
            }
        }

        #[test]
        fn no_word_is_lost(words in proptest::collection::vec("[a-z]{1,60}", 1..60), end in "[ \n]{1,2}") {
            let text = words.join(&end);
            let parts = SMALL.parts(&text);
            let kept: String = parts.iter().flat_map(|part| part.plain.chars()).filter(char::is_ascii_alphabetic).collect();
            prop_assert_eq!(kept, words.concat());
        }
    }
}
