use proptest::prelude::*;

use super::{Addresses, Mark, Rendered, Target, parts, render};
use crate::markdown::{self, Link};

fn link(link: &Link) -> Target {
    match link.target.as_str() {
        "gone.md" => Target::Nowhere,
        target => Target::To(target.to_owned()),
    }
}

fn picture(link: &Link) -> Option<String> {
    (link.target == "here.png").then(|| "picture/here.png".to_owned())
}

fn rendered(text: &str, mark: Option<&Mark>) -> Rendered {
    let addresses = Addresses { link: &link, picture: &picture };
    render(text, 1, "Title", mark, &addresses).unwrap()
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(rendered(text, None).html.trim(), expected, "{text}");
}

#[test]
fn what_notes_say() {
    check("**a** `b` ~~c~~", "<p><strong>a</strong> <code>b</code> <del>c</del></p>");
    check("- [ ] a\n- [x] b", "<ul>\n<li>\u{2610} a</li>\n<li>\u{2611} b</li>\n</ul>");
    check("[a](b.md)", "<p><a href=\"b.md\" rel=\"noreferrer nofollow\">a</a></p>");
    check("[[b]]", "<p><a href=\"b\" rel=\"noreferrer nofollow\">b</a></p>");
    check("[a](gone.md)", "<p><a rel=\"noreferrer nofollow\">a</a></p>");
    check("[](b.md)", "<p>b.md</p>");
    check("![a](here.png)", "<p><img loading=\"lazy\" src=\"picture/here.png\" alt=\"a\"></p>");
    check(
        "![a](https://evil.test/x.png)",
        "<p><a href=\"https://evil.test/x.png\" rel=\"noreferrer nofollow\">a</a></p>",
    );
    check("a<br>b<!-- c -->", "<p>a<br>b</p>");
    check("<!-- only this -->", "");
}

#[test]
fn what_notes_cannot_do() {
    for text in [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "a <svg onload=alert(1)> b",
        "<style>*{display:none}</style>",
        "<iframe src=//evil.test></iframe>",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](data:text/html,<script>alert(1)</script>)",
        "[a](vbscript:x)",
        "![a](javascript:alert(1))",
        "[a](x \"\\\"><script>alert(1)</script>\")",
        "<a href=\"javascript:alert(1)\">a</a>",
        "<details open ontoggle=alert(1)>",
        "`<script>`",
        "```html\n</code></pre><script>alert(1)</script>\n```",
        "| <script>a</script> |\n|---|\n| <img src=x onerror=b> |",
        "<!-- a --> <script>alert(1)</script> <!-- b -->",
        "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
        "&#x10FFFC;0&#x10FFFD;<b>",
        "[&#x10FFFC;0&#x10FFFD;](x \"&#x10FFFC;0&#x10FFFD; onmouseover=alert(1)\")",
    ] {
        let html = rendered(text, None).html;
        for (tag, _) in html.split('<').skip(1).filter_map(|it| it.split_once('>')) {
            let tag = tag.to_lowercase();
            let name = tag.trim_start_matches('/').split(' ').next().unwrap_or_default();
            let known =
                ["a", "code", "p", "pre", "table", "thead", "tbody", "tr", "th", "td", "div"];
            assert!(known.contains(&name), "{text}\n{html}");
            assert!(!tag.contains("javascript") && !tag.contains("data:"), "{text}\n{html}");
            assert!(!tag.contains("vbscript") && !tag.contains(" on"), "{text}\n{html}");
        }
    }
}

#[test]
fn headings_have_ids_and_no_gaps() {
    let told = rendered("# Title\n\n### A *b*\n\n###### A b\n\n#\n\n# C\n", None);
    assert_eq!(
        told.html.trim(),
        "<h2 id=\"s-a-b\">A <em>b</em></h2>\n<h3 id=\"s-a-b-1\">A b</h3>\n<h2 id=\"s-c\">C</h2>"
    );
    let said: Vec<_> = told.anchors.iter().map(|it| (it.level, &*it.text, it.line)).collect();
    assert_eq!(said, [(3, "A b", 3), (6, "A b", 5), (1, "C", 9)]);
}

#[test]
fn a_passage_is_marked() {
    let text = "One. Two and **three**. Four.\n\n- a\n- b\n\n```\nx\ny\n```\n";
    let mark = |mark: &str| {
        let told = rendered(text, Some(&mark.parse().unwrap()));
        (told.html.replace('\n', ""), told.is_marked)
    };
    let (html, is_marked) = mark("1:6-1:23");
    assert!(is_marked);
    assert!(
        html.starts_with(
            "<p>One. <mark id=\"mark\">Two and </mark><strong><mark>three</mark></strong><mark>.</mark> \
             Four.</p>"
        ),
        "{html}"
    );
    assert!(mark("4").0.contains("<li><mark id=\"mark\">b</mark></li>"));
    assert!(mark("8").0.contains("<code>x<mark id=\"mark\">y</mark></code>"));
    assert!(!mark("40").1);
    for wrong in ["", "0", "a", "1:2", "3:1-2:1", "1-2", "1:0-1:2"] {
        assert_eq!(wrong.parse::<Mark>(), Err(()), "{wrong}");
    }
    let both: Mark = "1:2-3:4".parse().unwrap();
    assert_eq!((both.to_string(), Mark::line(7).to_string()), ("1:2-3:4".into(), "7".into()));
}

#[test]
fn large_notes_are_cut() {
    let text = format!("---\ntitle: T\n---\n# A\n\n{}\n\n# B\n\nshort\n", "word ".repeat(100));
    let document = markdown::parse(&text).unwrap();
    let cut = parts(&text, Some(&document), 200);
    assert!(cut.len() > 3 && cut.first().is_some_and(|it| it.is_whole && it.line == 4));
    assert!(cut.iter().all(|it| it.range.len() <= 200));
    let joined: String = cut.iter().map(|it| &text[it.range.clone()]).collect();
    assert_eq!(joined.split_whitespace().count(), 105);
    assert_eq!(cut.last().map(|it| it.line), Some(8));
    assert_eq!(parts(&text, Some(&document), 10_000).len(), 1);
    assert_eq!(parts("", None, 10).len(), 1);
}

#[test]
fn deep_and_wide_notes_are_rendered() {
    let nested: String =
        (0..1_000).map(|depth| format!("{}- a\n", " ".repeat(depth * 2))).collect();
    let quotes = "> ".repeat(1_000) + "a";
    let stars = "*a ".repeat(5_000);
    let wide = format!("|{}\n|{}\n", "a|".repeat(500), "-|".repeat(500));
    for text in [nested, quotes, stars, wide] {
        let html = rendered(&text, None).html;
        assert!(html.contains('a'));
    }
}

proptest! {
    /// Markup of any kind, one within the other, is rendered.
    #[test]
    fn anything_is_rendered(pieces in prop::collection::vec(prop::sample::select(vec![
        "[", "](a.md)", "[[", "]]", "![", "](https://e.test/x.png)", "`", "```\n", "*", "**", "~~",
        "<!-- ", " -->", "<b>", "</b>", "<br>", "# ", "### ", "- ", "> ", "1. ", "    ", "\n", "\n\n",
        "|a|b|\n|-|-|\n", "|", "a", " ", "[ ] ", "---\n", "<div>\n", "&amp;", "\\",
    ]), 0..24)) {
        let text = pieces.concat();
        let mark = Mark::line(1);
        prop_assert!(!rendered(&text, Some(&mark)).html.contains("<b>"));
    }

    /// Whatever a note says, only tags of the list come out, and each that is opened is closed.
    #[test]
    fn nothing_but_what_is_allowed(text in "[<>a\"'&/=!\\[\\]()`*#|\\-\n \u{10FFFC}\u{10FFFD}0-9]{0,80}", line in 1_usize..4) {
        let html = rendered(&text, Some(&Mark::line(line))).html;
        let mut open = 0_i64;
        for piece in html.split('<').skip(1) {
            let (tag, _) = piece.split_once('>').expect("a tag ends");
            let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
            let known = ["a", "blockquote", "br", "code", "del", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "img", "li", "mark", "ol", "p", "pre", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"];
            prop_assert!(known.contains(&name.as_str()), "{html}");
            if !["br", "hr", "img"].contains(&name.as_str()) {
                open += if tag.starts_with('/') { -1 } else { 1 };
            }
        }
        prop_assert_eq!(open, 0, "{}", html);
    }
}
