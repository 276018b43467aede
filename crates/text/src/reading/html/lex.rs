//! Markup to tokens, as browsers cut it: one pass, nothing is refused.

/// A piece of markup. Names are as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// With its character references.
    Text(&'a str),
    Start {
        name: &'a str,
        attributes: Vec<(&'a str, &'a str)>,
        closed: bool,
    },
    End(&'a str),
}

/// Attributes beyond this many are dropped: none of use comes so late.
const MOST_ATTRIBUTES: usize = 64;

/// Elements whose content is no markup. It is left out, save that of `title` and `textarea`.
const RAW: &[&str] = &["script", "style", "iframe", "noembed", "noframes", "xmp", "plaintext"];
const TEXT_ONLY: &[&str] = &["title", "textarea"];

/// The tokens of `html`, without comments, declarations and the content of scripts and styles.
pub(super) fn tokens(html: &str) -> Tokens<'_> {
    Tokens { html, at: 0, text_until: None }
}

pub(super) struct Tokens<'a> {
    html: &'a str,
    at: usize,
    /// Up to here, everything is text.
    text_until: Option<usize>,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            if let Some(end) = self.text_until.take()
                && end > self.at
            {
                return Some(self.text(end));
            }
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            match markup(rest) {
                Markup::Text(length) => return Some(self.text(self.at + length)),
                Markup::Ignored(length) => self.at += length,
                Markup::End { name, length } => {
                    self.at += length;
                    return Some(Token::End(name));
                }
                Markup::Start { name, from } => {
                    let Tag { attributes, closed, length } = tag(rest, from)?;
                    self.at += length;
                    self.enter(name);
                    return Some(Token::Start { name, attributes, closed });
                }
            }
        }
    }
}

impl<'a> Tokens<'a> {
    fn rest(&self) -> &'a str {
        self.html.get(self.at..).unwrap_or_default()
    }

    fn text(&mut self, end: usize) -> Token<'a> {
        let text = self.html.get(self.at..end).unwrap_or_default();
        self.at = end;
        Token::Text(text)
    }

    /// Steps over what is no markup after the start of `name`.
    fn enter(&mut self, name: &str) {
        let is_among = |names: &[&str]| names.iter().any(|raw| raw.eq_ignore_ascii_case(name));
        if is_among(RAW) {
            self.at += end_of_raw(self.rest(), name);
        } else if is_among(TEXT_ONLY) {
            self.text_until = Some(self.at + end_of_raw(self.rest(), name));
        }
    }
}

enum Markup<'a> {
    Text(usize),
    Ignored(usize),
    End {
        name: &'a str,
        length: usize,
    },
    /// Attributes begin at `from`.
    Start {
        name: &'a str,
        from: usize,
    },
}

/// What stands at the start of `rest`, which is not empty.
fn markup(rest: &str) -> Markup<'_> {
    let Some(after) = rest.strip_prefix('<') else {
        return Markup::Text(memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len()));
    };
    let through = |end: &str, from: usize| {
        let found = rest.get(from..).and_then(|body| {
            memchr::memmem::find(body.as_bytes(), end.as_bytes()).map(|at| from + at + end.len())
        });
        found.unwrap_or(rest.len())
    };
    let is_letter = |text: &str| text.starts_with(|c: char| c.is_ascii_alphabetic());
    if after.starts_with("!--") {
        // `<!-->` and `<!--->` are whole.
        let short = ["!-->", "!--->"].iter().find(|whole| after.starts_with(**whole));
        return Markup::Ignored(short.map_or_else(|| through("-->", 4), |whole| whole.len() + 1));
    }
    if after.starts_with("![CDATA[") {
        return Markup::Ignored(through("]]>", 9));
    }
    if after.starts_with(['!', '?']) {
        return Markup::Ignored(through(">", 1));
    }
    if let Some(closing) = after.strip_prefix('/') {
        if is_letter(closing) {
            let name = name(closing);
            return Markup::End { name, length: through(">", 2 + name.len()) };
        }
        return Markup::Ignored(through(">", 2));
    }
    if is_letter(after) {
        let name = name(after);
        return Markup::Start { name, from: 1 + name.len() };
    }
    // A lone `<`: text, up to the next.
    let next = memchr::memchr(b'<', after.as_bytes()).unwrap_or(after.len());
    Markup::Text(1 + next)
}

fn name(text: &str) -> &str {
    let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'));
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}

struct Tag<'a> {
    attributes: Vec<(&'a str, &'a str)>,
    /// Whether it closes itself.
    closed: bool,
    length: usize,
}

/// The tag that `rest` begins with, its attributes from `at` on. `None` if it never ends: such a
/// tag and all behind it is nothing.
fn tag(rest: &str, mut at: usize) -> Option<Tag<'_>> {
    let bytes = rest.as_bytes();
    let mut attributes = Vec::new();
    let mut closed = false;
    let skip = |at: &mut usize, what: fn(u8) -> bool| {
        while bytes.get(*at).is_some_and(|byte| what(*byte)) {
            *at += 1;
        }
    };
    loop {
        skip(&mut at, |byte| byte.is_ascii_whitespace());
        match bytes.get(at)? {
            b'>' => return Some(Tag { attributes, closed, length: at + 1 }),
            b'/' => {
                closed = bytes.get(at + 1) == Some(&b'>');
                at += 1;
                continue;
            }
            _ => {}
        }
        let start = at;
        // A name may begin with `=`.
        at += 1;
        skip(&mut at, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='));
        let name = rest.get(start..at).unwrap_or_default();
        skip(&mut at, |byte| byte.is_ascii_whitespace());
        let mut value = "";
        if bytes.get(at) == Some(&b'=') {
            at += 1;
            skip(&mut at, |byte| byte.is_ascii_whitespace());
            let start = at;
            match bytes.get(at)? {
                quote @ (b'"' | b'\'') => {
                    let body = bytes.get(at + 1..)?;
                    let length = memchr::memchr(*quote, body)?;
                    value = rest.get(at + 1..at + 1 + length).unwrap_or_default();
                    at += length + 2;
                }
                _ => {
                    skip(&mut at, |byte| !byte.is_ascii_whitespace() && byte != b'>');
                    value = rest.get(start..at).unwrap_or_default();
                }
            }
        }
        if attributes.len() < MOST_ATTRIBUTES {
            attributes.push((name, value));
        }
    }
}

/// Where the end tag of `name` begins; the end if there is none.
fn end_of_raw(rest: &str, name: &str) -> usize {
    let bytes = rest.as_bytes();
    memchr::memchr_iter(b'<', bytes)
        .find(|at| {
            let Some(after) = bytes.get(at + 1..at + 2 + name.len()) else { return false };
            let follows = bytes.get(at + 2 + name.len());
            after.first() == Some(&b'/')
                && after.get(1..).is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
                && follows.is_none_or(|c| c.is_ascii_whitespace() || matches!(c, b'/' | b'>'))
        })
        .unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(html: &str) -> String {
        let mut shown = String::new();
        for token in tokens(html) {
            match token {
                Token::Text(text) => shown.push_str(&format!("'{text}'")),
                Token::End(name) => shown.push_str(&format!("[/{name}]")),
                Token::Start { name, attributes, closed } => {
                    shown.push_str(&format!("[{name}"));
                    for (name, value) in attributes {
                        shown.push_str(&format!(" {name}={value}"));
                    }
                    shown.push_str(if closed { "/]" } else { "]" });
                }
            }
        }
        shown
    }

    #[test]
    fn markup_is_cut() {
        #[track_caller]
        fn check(html: &str, expected: &str) {
            assert_eq!(shown(html), expected);
        }
        check("", "");
        check("a < b <3 <", "'a ''< b ''<3 ''<'");
        check("<!doctype html><p>x</p >", "[p]'x'[/p]");
        check("<A HREF=x/y title='a>b' b=\"c\"d e>t", "[A HREF=x/y title=a>b b=c d= e=]'t'");
        check("<br/><br / ><img src=a/>", "[br/][br][img src=a/]");
        check("a<!-- <b> -->c<!-->d<!--->e<!-- never <i>", "'a''c''d''e'");
        check("<script>if (a<b) '</scripty>'</SCRIPT >x", "[script][/SCRIPT]'x'");
        check("<style>never </style", "[style][/style]");
        check("<title>a <b> & c</title>d", "[title]'a <b> & c'[/title]'d'");
        check("<title></title>d", "[title][/title]'d'");
        check("x<p a='never closed>", "'x'");
        check("x</p", "'x'[/p]");
        check("</ x>y<?php x ?>z<![CDATA[ <b> ]]>w", "'y''z''w'");
        check("<p =x>", "[p =x=]");
    }

    proptest! {
        #[test]
        fn anything_is_cut(html in r#"([<>/!\-='" a-c]|script|title|\PC|--){0,60}"#) {
            for token in tokens(&html) {
                if let Token::Text(text) = token {
                    prop_assert!(!text.is_empty());
                }
            }
        }
    }
}
