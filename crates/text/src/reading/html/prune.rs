//! What of a page is not its content: what nobody sees, and what stands on every page.

use std::cell::Cell;

use dom_query::{Document, NodeRef};

use crate::reading::takes_power;

/// Share of a page's text above which an element is kept whatever its author named it.
const MOST: f64 = 0.5;

/// How often all of the text may be counted for that; what is left then is kept.
const MOST_COUNTED: usize = 20;

/// Parts that are never content, by element.
const PARTS: &[&str] = &["nav", "aside", "search", "menu"];

/// By role, as told to screen readers.
const ROLES: &[&str] = &[
    "alert", "alertdialog", "banner", "complementary", "contentinfo", "dialog", "menu", "menubar",
    "navigation", "search", "searchbox", "status", "tablist", "toolbar", "tooltip",
];

/// Words of which `class` and `id` are made where an element is something beside the text.
const WORDS: &[&str] = &[
    "ad", "ads", "advert", "advertisement", "breadcrumb", "breadcrumbs", "ccpa", "comments",
    "commentlist", "cookie", "cookiebanner", "cookiebar", "cookies", "disqus", "gdpr", "nav",
    "navbar", "navigation", "newsletter", "paywall", "popup", "promo", "recommended", "related",
    "share", "sharedaddy", "sharing", "sidebar", "skiplink", "social", "sponsor", "sponsored",
    "subscribe",
];

/// Pairs of words that mean the same.
const PAIRS: &[(&str, &str)] = &[
    ("cookie", "banner"),
    ("cookie", "consent"),
    ("consent", "banner"),
    ("consent", "manager"),
    ("menu", "bar"),
    ("read", "next"),
    ("see", "also"),
    ("skip", "link"),
    ("comment", "list"),
    ("comment", "respond"),
    ("more", "stories"),
    ("you", "may"),
];

/// Classes of what is read aloud but not shown.
const UNSEEN: &[&str] = &["sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text"];

/// Removes elements that are not shown. Sees attributes only: what a style sheet hides stays.
pub(super) fn hidden(page: &Document) {
    remove_where(page, is_hidden);
}

/// Removes what stands around the content. Run it after [`hidden`].
pub(super) fn boilerplate(page: &Document) {
    let Some(body) = page.body() else { return };
    let all = body.normalized_char_count();
    let counted = Cell::new(0_usize);
    // Those inside each other would count the same text again and again.
    let is_small = |node: &NodeRef<'_>| {
        if counted.get() > all.saturating_mul(MOST_COUNTED) {
            return false;
        }
        let own = node.normalized_char_count();
        counted.set(counted.get().saturating_add(own));
        (own as f64) <= all as f64 * MOST
    };
    remove_where(page, |node| is_boilerplate(node) || is_named_so(node) && is_small(node));
}

/// Writes powers as in text, `10^11` for `10<sup>11</sup>`, which else would be another number.
pub(super) fn powers(page: &Document) {
    let Some(body) = page.body() else { return };
    let all = body.descendants_it().filter(|node| node.node_name().as_deref() == Some("sup"));
    for node in all.collect::<Vec<NodeRef<'_>>>() {
        let text = node.text();
        let before = node.prev_sibling().map(|before| before.text()).unwrap_or_default();
        if is_power(&before, &text) {
            node.set_text(format!("^{}", text.trim()));
        }
    }
}

/// Whether what is set higher is a power: digits behind a digit or a unit, and no number of a footnote.
fn is_power(before: &str, text: &str) -> bool {
    let digits = text.trim().trim_start_matches(['-', '−', '+']);
    let is_number = (1..=3).contains(&digits.len()) && digits.bytes().all(|it| it.is_ascii_digit());
    is_number && takes_power(before)
}

/// Collects first, as removing while walking loses the way; what lies in a removed element is not
/// looked at.
fn remove_where(page: &Document, is_unwanted: impl Fn(&NodeRef<'_>) -> bool) {
    let Some(body) = page.body() else { return };
    let mut waiting: Vec<NodeRef<'_>> = body.children_it(true).collect();
    let mut unwanted = Vec::new();
    while let Some(node) = waiting.pop() {
        if !node.is_element() {
            continue;
        }
        if is_unwanted(&node) {
            unwanted.push(node);
        } else {
            waiting.extend(node.children_it(true));
        }
    }
    for node in unwanted {
        node.remove_from_parent();
    }
}

fn is_hidden(node: &NodeRef<'_>) -> bool {
    let says = |name: &str| node.attr(name);
    node.has_attr("hidden")
        || says("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        || says("style").is_some_and(|style| hides(&style))
        || says("class")
            .is_some_and(|class| class.split_ascii_whitespace().any(|name| UNSEEN.contains(&name)))
}

/// Whether a `style` makes an element invisible.
fn hides(style: &str) -> bool {
    let style = without_comments(style).to_ascii_lowercase();
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| {
        let value: String = value.replace("!important", "").split_whitespace().collect();
        let is_zero = || {
            let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
            number.parse::<f64>().is_ok_and(|number| number.abs() < 0.02)
        };
        let is_far_off = || {
            let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
            number.parse::<f64>().is_ok_and(|number| number <= -900.0)
        };
        match name.trim() {
            "display" => value == "none",
            "visibility" => value == "hidden" || value == "collapse",
            "opacity" | "font-size" | "max-height" => is_zero(),
            "text-indent" | "left" | "top" | "right" | "margin-left" => is_far_off(),
            "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
            "color" => value == "transparent",
            _ => false,
        }
    })
}

fn without_comments(style: &str) -> String {
    let mut kept = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

fn is_boilerplate(node: &NodeRef<'_>) -> bool {
    let Some(name) = node.node_name() else { return false };
    let name = name.as_ref();
    let role = node.attr("role").unwrap_or_default().trim().to_ascii_lowercase();
    PARTS.contains(&name)
        || ROLES.contains(&role.as_str())
        || matches!(name, "header" | "footer") && !is_inside_content(node)
        || name == "footer" && !is_quoted(node)
        || name == "form" && !is_large_form(node)
}

fn is_inside_content(node: &NodeRef<'_>) -> bool {
    let content = |node: NodeRef<'_>| {
        ["article", "main", "section", "blockquote"].iter().any(|name| node.has_name(name))
    };
    node.ancestors_it(None).any(content)
}

/// The source of a quotation stands in its footer.
fn is_quoted(node: &NodeRef<'_>) -> bool {
    node.ancestors_it(Some(3)).any(|node| node.has_name("blockquote") || node.has_name("figure"))
}

/// Some sites put the whole page into a form.
fn is_large_form(node: &NodeRef<'_>) -> bool {
    const LEAST: usize = 400;
    node.normalized_char_count() > LEAST
        && node
            .descendants_it()
            .any(|node| ["p", "article", "main", "h1"].iter().any(|name| node.has_name(name)))
}

fn is_named_so(node: &NodeRef<'_>) -> bool {
    // Headings and words inside a line are content, whatever they are called.
    const PLAIN: &[&str] = &[
        "a", "article", "b", "code", "em", "form", "h1", "h2", "h3", "h4", "h5", "h6", "i", "main",
        "p", "pre", "span", "strong", "td", "th", "tr",
    ];
    if PLAIN.iter().any(|name| node.has_name(name)) {
        return false;
    }
    let named = |value: &str| value.split_ascii_whitespace().take(32).any(is_name_of_boilerplate);
    ["class", "id"].iter().any(|name| node.attr(name).is_some_and(|value| named(&value)))
}

fn is_name_of_boilerplate(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower.split(['-', '_', ':']).filter(|word| !word.is_empty()).collect();
    let has = |wanted: &str| words.contains(&wanted);
    // A state of the whole page is told with one of these.
    if ["no", "has", "with", "without", "is", "js"].iter().any(|word| has(word)) {
        return false;
    }
    words.iter().any(|word| WORDS.contains(word))
        || PAIRS.iter().any(|(first, second)| has(first) && has(second))
}

/// Bytes of a definition below which it is a value: `4 ohm`.
const SHORT: usize = 100;

/// Definition lists as what Markdown can say: a table of two columns where each term has one short
/// value, a list of `term: what it is` elsewhere.
pub(super) fn definitions(page: &Document) {
    for list in page.select("dl").iter().filter(|list| !list.is("dl dl")) {
        let mut terms: Vec<(String, Vec<String>)> = Vec::new();
        let mut short = true;
        // What is grouped or loose in it would be lost.
        if list.children().iter().any(|part| !part.is("dt, dd")) {
            continue;
        }
        for part in list.children().iter() {
            let inner = part.inner_html().to_string();
            if part.is("dt") {
                terms.push((inner, Vec::new()));
            } else if let Some((_, told)) = terms.last_mut().filter(|_| part.is("dd")) {
                let text = part.text();
                short &= text.len() <= SHORT && !text.trim_end().ends_with('.');
                told.push(inner);
            }
        }
        short &= terms.iter().all(|(_, told)| told.len() == 1);
        let item = |(term, told): &(String, Vec<String>)| match short {
            true => format!("<tr><td>{term}</td><td>{}</td></tr>", told.concat()),
            false => format!("<li>{term}: {}</li>", told.join(" ")),
        };
        let items: String = terms.iter().map(item).collect();
        if !items.is_empty() {
            let around = if short { "table" } else { "ul" };
            list.replace_with_html(format!("<{around}>{items}</{around}>"));
        }
    }
}

/// Tables of keys and values with lines over both columns between them, as boxes beside an article are:
/// as a table below each such line, which Markdown can say; a line that no pair follows stays a line.
pub(super) fn sheets(page: &Document) {
    const LEAST: usize = 3;
    for table in page.select("table").iter() {
        if table.is("table table") || table.select("table").exists() {
            continue;
        }
        let caption = table.select("caption");
        let mut parts = vec![(String::new(), String::new())];
        let (mut pairs, mut lines, mut fits) = (0, 0, true);
        for row in table.select("tr").iter() {
            let cells = row.children();
            let inner: Vec<String> =
                cells.iter().map(|cell| cell.inner_html().trim().to_owned()).collect();
            match inner.as_slice() {
                [key, value] => {
                    fits &= cells.iter().next().is_some_and(|key| key.text().len() <= SHORT);
                    pairs += 1;
                    if let Some((_, rows)) = parts.last_mut() {
                        rows.push_str(&format!("<tr><td>{key}</td><td>{value}</td></tr>"));
                    }
                }
                [line] => {
                    lines += 1;
                    parts.push((line.clone(), String::new()));
                }
                [] => {}
                _ => fits = false,
            }
        }
        if !fits || pairs < LEAST || lines == 0 {
            continue;
        }
        let mut told = match caption.exists() {
            true => format!("<p>{}</p>", caption.inner_html()),
            false => String::new(),
        };
        for (line, rows) in parts {
            match (line.is_empty(), rows.is_empty()) {
                (true, true) => {}
                (false, true) => told.push_str(&format!("<p>{line}</p>")),
                (_, false) => told.push_str(&format!(
                    "<table><thead><tr><th>{line}</th><th></th></tr></thead><tbody>{rows}</tbody></table>"
                )),
            }
        }
        table.replace_with_html(told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_become_tables_below_their_lines() {
        let rows = |first: &str, rest: &str| format!("<tr><th colspan=2>{first}</th></tr>{rest}");
        let pair = |key: &str| format!("<tr><th>{key}</th><td>1 g</td></tr>");
        let box_of = rows("Per 100 g", &[pair("Iron"), pair("Zinc"), pair("Fat")].concat());
        let page = Document::from(format!("<table><caption>Raw</caption>{box_of}</table>"));
        sheets(&page);
        let told = page.select("body").inner_html().to_string();
        assert!(
            told.starts_with("<p>Raw</p><table><thead><tr><th>Per 100 g</th><th></th></tr>"),
            "{told}"
        );
        assert_eq!(told.matches("<td>1 g</td>").count(), 3, "{told}");
        let plain = "<table><tr><td>a</td><td>b</td></tr></table>";
        let page = Document::from(plain);
        sheets(&page);
        assert!(page.select("body").inner_html().contains("<td>a</td><td>b</td>"));
    }

    #[test]
    fn styles_that_hide() {
        #[track_caller]
        fn check(style: &str, expected: bool) {
            assert_eq!(hides(style), expected, "{style}");
        }
        for style in [
            "display:none",
            "color:red; DISPLAY : None !important",
            "display:/* x */none",
            "visibility: hidden",
            "opacity:0",
            "opacity: 0.0",
            "font-size:0px",
            "font-size: 0.01em",
            "position:absolute; left:-9999px",
            "text-indent:-999em",
            "clip: rect(0 0 0 0)",
        ] {
            check(style, true);
        }
        for style in
            ["", "display:block", "opacity:0.5", "left:-5px", "none", "/*", "font-size:12px"]
        {
            check(style, false);
        }
    }

    #[test]
    fn names_of_boilerplate() {
        #[track_caller]
        fn check(name: &str, expected: bool) {
            assert_eq!(is_name_of_boilerplate(name), expected, "{name}");
        }
        for name in ["cookie-banner", "CookieBanner", "related-articles", "post__share", "sidebar"]
        {
            check(name, true);
        }
        for name in
            ["content", "has-sidebar", "adaptive", "relatedness", "no-ads", "commentary", ""]
        {
            check(name, false);
        }
    }
}
