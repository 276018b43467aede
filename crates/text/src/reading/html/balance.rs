//! Any markup to markup that is small, plain and closed in order, so that a tree builder has
//! neither deep trees nor misnested formatting to deal with: both cost it quadratic time, and deep
//! trees the stack. Scripts, forms' controls, drawings and embedded things are left out, so is
//! every attribute nobody asks for.

use super::{
    lex::{Token, tokens},
    names::{
        ATTRIBUTES, DROPPED, ENDS_PARAGRAPH, FORMATTING, KEPT, KEPT_VOID, TABLE_PARTS, VOID,
        WRAPPING, is_among,
    },
};

/// Elements inside each other; of what is deeper only the text stays. Browsers stop at about 500.
const MOST_DEEP: usize = 200;

/// As [`MOST_DEEP`], of lists, quotes, tables and emphasis, each of which is written anew for every
/// one around it.
const MOST_WRAPPED: usize = 24;

/// Elements followed, kept or not.
const MOST_OPEN: usize = 400;

/// Elements kept. A long book page has 30,000.
const MOST_ELEMENTS: usize = 100_000;

/// Bytes of an attribute, save `style`.
const ATTRIBUTE_CAP: usize = 2048;

/// Tags looked at, kept or not.
const MOST_TAGS: usize = 500_000;

/// `html`, balanced, and whether elements were left out because there were too many.
pub(super) fn balance(html: &str) -> (String, bool) {
    let mut page = Page { kept: String::with_capacity(html.len()), ..Page::default() };
    let mut tags = 0;
    for token in tokens(html) {
        match token {
            Token::Text(text) => page.text(text),
            Token::Start { name, attributes, closed } => {
                tags += 1;
                if page.elements >= MOST_ELEMENTS || tags > MOST_TAGS {
                    page.end_all();
                    return (page.kept, true);
                }
                page.start(&name.to_ascii_lowercase(), &attributes, closed);
            }
            Token::End(name) => {
                tags += 1;
                page.end(&name.to_ascii_lowercase());
            }
        }
    }
    page.end_all();
    (page.kept, false)
}

#[derive(Default)]
struct Page {
    kept: String,
    open: Vec<Open>,
    /// Of `open`, how many are kept, and how many of those are of the [`WRAPPING`].
    deep: usize,
    wrapped: usize,
    /// Of `open`, how many leave out what they hold.
    dropping: usize,
    /// Started when no more were followed.
    unfollowed: usize,
    elements: usize,
}

struct Open {
    name: String,
    is_kept: bool,
    is_dropping: bool,
}

impl Page {
    fn text(&mut self, text: &str) {
        if self.dropping > 0 {
            return;
        }
        // A `<` that stands in text must not begin a tag with what now follows it.
        for (number, part) in text.split('<').enumerate() {
            if number > 0 {
                self.kept.push_str("&lt;");
            }
            self.kept.extend(part.split('\0'));
        }
    }

    fn start(&mut self, name: &str, attributes: &[(&str, &str)], closed: bool) {
        let is = |list| is_among(name, list);
        if is("html head body") {
            if self.dropping == 0 {
                self.write(name, attributes);
            }
            return;
        }
        self.end_implied(name);
        if is(VOID) {
            if is(KEPT_VOID) && self.dropping == 0 {
                self.elements += 1;
                self.write(name, attributes);
            }
            return;
        }
        if closed && (self.dropping > 0 || !is(KEPT)) && !is(DROPPED) {
            return;
        }
        if self.open.len() >= MOST_OPEN {
            self.unfollowed += 1;
            return;
        }
        let is_dropping = is(DROPPED);
        let is_kept = self.dropping == 0
            && is(KEPT)
            && self.deep < MOST_DEEP
            && (self.wrapped < MOST_WRAPPED || !is(WRAPPING));
        if is_kept {
            self.elements += 1;
            self.deep += 1;
            self.wrapped += usize::from(is(WRAPPING));
            self.write(name, attributes);
        }
        self.dropping += usize::from(is_dropping);
        self.open.push(Open { name: name.to_owned(), is_kept, is_dropping });
    }

    fn end(&mut self, name: &str) {
        if self.unfollowed > 0 && !is_among(name, VOID) {
            self.unfollowed -= 1;
            return;
        }
        let is_table_part = is_among(name, TABLE_PARTS);
        let mut found = None;
        for (at, open) in self.open.iter().enumerate().rev() {
            if open.name == name {
                found = Some(at);
                break;
            }
            // What was opened outside a cell is not closed inside, nor by what is left out.
            let is_wall = matches!(open.name.as_str(), "td" | "th" | "caption" | "table");
            if (is_wall && !is_table_part) || (open.name == "table" && is_table_part) {
                break;
            }
        }
        let Some(at) = found else { return };
        if is_among(name, FORMATTING) {
            self.end_formatting(at);
        } else {
            self.end_down_to(at);
        }
    }

    /// Ends the formatting at `at` and goes on with the elements inside it.
    fn end_formatting(&mut self, at: usize) {
        /// Deeper misnesting leaves the formatting open.
        const MOST_REOPENED: usize = 8;
        let inside: Vec<String> =
            self.open.iter().skip(at + 1).map(|open| open.name.clone()).collect();
        if inside.len() > MOST_REOPENED {
            return;
        }
        self.end_down_to(at);
        for name in inside.iter().filter(|name| !is_among(name, FORMATTING)) {
            if self.elements < MOST_ELEMENTS {
                self.start(name, &[], false);
            }
        }
    }

    /// Ends what the start of `name` ends without saying so.
    fn end_implied(&mut self, name: &str) {
        let ended: &[&str] = match name {
            "li" => &["li"],
            "dt" | "dd" => &["dt", "dd"],
            "tr" => &["tr", "td", "th", "caption"],
            "td" | "th" => &["td", "th"],
            "thead" | "tbody" | "tfoot" => &["thead", "tbody", "tfoot", "caption", "tr"],
            "a" => &["a"],
            _ => &[],
        };
        let walls: &[&str] = match name {
            "li" => &["ul", "ol", "menu", "td", "th", "table"],
            "dt" | "dd" => &["dl", "td", "th", "table"],
            "td" | "th" => &["tr", "table"],
            "a" => &["td", "th", "table", "li", "div", "p"],
            _ => &["table"],
        };
        if !ended.is_empty() {
            self.end_outermost(ended, walls);
        }
        if is_among(name, ENDS_PARAGRAPH) {
            self.end_outermost(&["p"], &["td", "th", "caption", "table", "blockquote", "li"]);
        }
    }

    fn end_outermost(&mut self, names: &[&str], walls: &[&str]) {
        let inner = self.open.iter().enumerate().rev();
        let inner = inner.take_while(|(_, open)| !walls.contains(&open.name.as_str()));
        let found = inner.filter(|(_, open)| names.contains(&open.name.as_str())).last();
        if let Some((at, _)) = found {
            self.end_down_to(at);
        }
    }

    fn end_down_to(&mut self, at: usize) {
        while self.open.len() > at {
            let Some(open) = self.open.pop() else { return };
            self.dropping -= usize::from(open.is_dropping);
            if open.is_kept {
                self.deep -= 1;
                self.wrapped -= usize::from(is_among(&open.name, WRAPPING));
                self.kept.push_str("</");
                self.kept.push_str(&open.name);
                self.kept.push('>');
            }
        }
    }

    fn end_all(&mut self) {
        self.end_down_to(0);
    }

    fn write(&mut self, name: &str, attributes: &[(&str, &str)]) {
        self.kept.push('<');
        self.kept.push_str(name);
        for wanted in ATTRIBUTES.split_ascii_whitespace() {
            let found = attributes.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            let Some((_, value)) = found else { continue };
            // Long ones are embedded files; a `style` may be long to hide what it says.
            if value.len() > ATTRIBUTE_CAP && wanted != "style" {
                continue;
            }
            self.kept.push(' ');
            self.kept.push_str(wanted);
            self.kept.push_str("=\"");
            for (number, part) in value.split('"').enumerate() {
                if number > 0 {
                    self.kept.push_str("&quot;");
                }
                self.kept.extend(part.split('\0'));
            }
            self.kept.push('"');
        }
        self.kept.push('>');
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(html: &str, expected: &str) {
        assert_eq!(balance(html), (expected.to_owned(), false));
    }

    #[test]
    fn markup_is_balanced() {
        check("", "");
        check("a <b>c", "a <b>c</b>");
        check("a < b", "a &lt; b");
        check("<<!-- -->script>x", "&lt;script>x");
        check("<p>a<p>b<div>c</p>d</div>", "<p>a</p><p>b</p><div>cd</div>");
        check(
            "<ul><li>a<li>b<ul><li>c</ul></ul>",
            "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>",
        );
        check(
            "<table><tr><td>a<td>b<tr><td>c</table>d",
            "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>d",
        );
        check("<dl><dt>a<dd>b<dt>c</dl>", "<dl><dt>a</dt><dd>b</dd><dt>c</dt></dl>");
        check(
            "<div><table><tr><td>a</div>b</table>c</div>",
            "<div><table><tr><td>ab</td></tr></table>c</div>",
        );
        check("<b>a<div>b</b>c</div>d", "<b>a<div>b</div></b><div>c</div>d");
        check("<b><i>a</b>c</i>", "<b><i>a</i></b>c");
        check("</p></div>x</b>", "x");
        check("<x-y>a</x-y><br/><wbr><input>", "a<br>");
    }

    #[test]
    fn much_is_left_out() {
        check("a<script>b</script>c<style>d</style>e", "ace");
        check("a<svg><path d='x'/><text>b</text></svg>c", "ac");
        check("a<select><option>b<option>c</select>d", "ad");
        check("<div><button>b</div>c", "<div></div>c");
        check("<noscript><p>on</p></noscript>x", "x");
        check("<p onclick=x CLASS='a\"b' class=c>t", "<p class=\"a&quot;b\">t</p>");
        check("a\0b<i title='a\0b'>c", "ab<i title=\"ab\">c</i>");
        let long = format!("<img src='data:{}' alt=x>", "a".repeat(3000));
        check(&long, "<img alt=\"x\">");
        let html = "<html lang=en><head><title>a & <b></title></head><body>x</body></html>y";
        check(html, "<html lang=\"en\"><head><title>a & &lt;b></title><body>xy");
    }

    #[test]
    fn depth_and_number_are_capped() {
        let (kept, cut) = balance(&format!("{}x{}y", "<div>".repeat(9000), "</div>".repeat(9000)));
        assert_eq!(kept, format!("{}x{}y", "<div>".repeat(200), "</div>".repeat(200)));
        assert!(!cut);
        let (kept, cut) = balance(&"<i>x".repeat(2000));
        assert_eq!(
            (kept.matches("<i>").count(), kept.matches('x').count(), cut),
            (24, 2000, false)
        );
        let (kept, cut) = balance(&"<br>".repeat(200_000));
        assert_eq!((kept.len(), cut), (400_000, true));
    }

    proptest! {
        /// Every element that is opened is closed, in order.
        #[test]
        fn anything_is_balanced(
            html in r"(</?(p|b|i|a|div|li|ul|table|tr|td|dt|svg|x|br)[ /]?>|x){0,60}",
        ) {
            let (kept, _) = balance(&html);
            let mut open = Vec::new();
            for token in tokens(&kept) {
                match token {
                    Token::Start { name, .. } if !is_among(name, VOID) => open.push(name),
                    Token::End(name) => prop_assert_eq!(open.pop(), Some(name)),
                    _ => {}
                }
            }
            prop_assert!(open.is_empty());
            prop_assert_eq!(balance(&kept).0, kept);
        }
    }
}
