//! A page: what it is about as Markdown, and what it says of itself.

use dom_query::{Document, NodeRef};
use dom_smoothie::{Config, Readability, TextMode};
use url::Url;

use super::{ReadError, TEXT_CAP, address};
use lex::{Token, tokens};
use names::{VOID, is_among};

mod balance;
mod lex;
mod links;
mod names;
mod prune;
mod structured;

/// Less than this share of a page's text is hardly what the page is about.
const LEAST_SHARE: f64 = 0.25;

/// Less than this share of a page's text in links leads around no site, and less than this share of it is
/// then not what it is about.
const FEW_LINKS: f64 = 0.08;
const WHOLE_SHARE: f64 = 0.9;

/// Characters below which a found article is no article, if there is more on the page.
const LEAST_TEXT: usize = 200;

/// Elements above which the article is not looked for: that is done in several passes, some of
/// which take more than linear time.
const MOST_TO_SEARCH: usize = 20_000;

/// Character references in one piece of text above which it is not looked for either: putting such
/// a text together again takes quadratic time there.
const MOST_REFERENCES: usize = 4000;

/// Bytes of text, each counted once for every element around it, above which it is not looked for
/// either: each of them is gone through again for what is around it. A long book page has 30 MB.
const MOST_AROUND: usize = 128 << 20;

/// What a page says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct About {
    pub title: Option<String>,
    pub image: Option<String>,
    pub canonical: Option<String>,
    pub author: Option<String>,
    pub published: Option<String>,
}

/// What was found on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub text: String,
    pub about: About,
    pub cut: bool,
}

/// The main content of the page `written` as Markdown, or all that is shown but boilerplate if no part of it
/// stands out. Links are made absolute with `base`, or with the one the page gives for itself if
/// that is absolute.
///
/// # Errors
/// [`ReadError::Unparsable`] if it has no body, which even an empty page has.
pub(super) fn extract(written: &str, base: Option<Url>) -> Result<Found, ReadError> {
    let (balanced, mut cut) = balance::balance(written);
    let is_searched = is_searched(&balanced);
    let page = Document::from(balanced);
    let own = page.base_uri().map(|written| written.trim().to_owned());
    let base = match (own, base) {
        (Some(own), Some(base)) => base.join(&own).ok().or(Some(base)),
        (Some(own), None) => Url::parse(&own).ok(),
        (None, base) => base,
    };
    let about = about(&page, base.as_ref());
    prune::hidden(&page);
    let structured = structured::structured(written, &page, about.title.as_deref());
    links::resolve(&page, base.as_ref());
    prune::boilerplate(&page);
    prune::powers(&page);
    prune::definitions(&page);
    prune::sheets(&page);
    let body = page.body().ok_or(ReadError::Unparsable)?;
    let all = body.normalized_char_count();
    let article = if is_searched { article(&page) } else { None };
    // Of a page that hardly links anywhere all is what it is about: a part of it would lose the rest.
    let is_plain = (linked(&body) as f64) < all as f64 * FEW_LINKS;
    let least = if is_plain { WHOLE_SHARE } else { LEAST_SHARE };
    let enough = |found: usize| found >= LEAST_TEXT.min(all) && found as f64 >= all as f64 * least;
    let mut text = match article {
        Some((text, length)) if enough(length) => text,
        _ => markdown(&body),
    };
    // Of a page that shows nothing, nothing is told.
    if !text.trim().is_empty() {
        text.push_str(&structured);
    }
    cut |= text.len() > TEXT_CAP;
    Ok(Found { text, about, cut })
}

/// Whether looking for the article is worth its time.
fn is_searched(balanced: &str) -> bool {
    let references = |text: &str| memchr::memchr_iter(b'&', text.as_bytes()).count();
    balanced.matches("</").count() <= MOST_TO_SEARCH
        && balanced.split('<').all(|text| references(text) <= MOST_REFERENCES)
        && text_around(balanced) <= MOST_AROUND
}

/// Bytes of text of balanced markup, each counted once for every element around it.
fn text_around(balanced: &str) -> usize {
    let (mut deep, mut bytes) = (0_usize, 0_usize);
    for token in tokens(balanced) {
        match token {
            Token::Text(text) => bytes = bytes.saturating_add(text.len().saturating_mul(deep)),
            Token::Start { name, .. } => deep += usize::from(!is_among(name, VOID)),
            Token::End(_) => deep = deep.saturating_sub(1),
        }
    }
    bytes
}

/// The text of a piece of HTML without markup.
pub(super) fn plain(piece: &str) -> String {
    let (balanced, _) = balance::balance(piece);
    Document::fragment(balanced).root().text().to_string()
}

/// Characters of a piece of HTML that are links to other pages.
fn linked(body: &NodeRef<'_>) -> usize {
    let links = body.descendants_it().filter(|node| node.node_name().as_deref() == Some("a"));
    links.map(|link| link.normalized_char_count()).sum()
}

fn markdown(node: &NodeRef<'_>) -> String {
    node.md(None).to_string()
}

/// The article of a page as Markdown, and how many characters of text it has.
fn article(page: &Document) -> Option<(String, usize)> {
    let config =
        Config { text_mode: TextMode::Markdown, disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::with_document(page.clone(), None, Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let length = Document::fragment(article.content).root().normalized_char_count();
    Some((article.text_content.to_string(), length))
}

fn about(page: &Document, base: Option<&Url>) -> About {
    let meta = |wanted: &[&str]| {
        wanted.iter().find_map(|wanted| {
            page.select("meta").iter().find_map(|meta| {
                let named = |name| meta.attr(name).is_some_and(|value| is_same(&value, wanted));
                let content =
                    meta.attr("content").filter(|_| named("property") || named("name"))?;
                let content = content.trim();
                (!content.is_empty()).then(|| content.to_owned())
            })
        })
    };
    let first = |selector: &str| {
        let text = page.select_single(selector).text();
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    };
    let address = |written: String| address::resolve(&written, base);
    let title = meta(&["og:title"]).or_else(|| first("title")).or_else(|| first("h1"));
    let image = meta(&["og:image", "og:image:url", "og:image:secure_url", "twitter:image"]);
    let canonical = page.select("link").iter().find_map(|link| {
        let is_canonical = link.attr("rel").is_some_and(|rel| is_same(&rel, "canonical"));
        link.attr("href").filter(|_| is_canonical).map(|href| href.to_string())
    });
    let canonical = canonical.or_else(|| meta(&["og:url"]));
    // An address of the author says not who they are.
    let author = meta(&["author", "article:author", "dc.creator", "citation_author"]);
    let author = author.filter(|author| !author.contains("://"));
    let published = meta(&["article:published_time", "date", "dc.date", "citation_date"]);
    let published = published.or_else(|| meta(&["article:modified_time", "last-modified"]));
    About {
        title,
        image: image.and_then(address),
        canonical: canonical.and_then(address),
        author,
        published,
    }
}

fn is_same(value: &str, wanted: &str) -> bool {
    value.trim().eq_ignore_ascii_case(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_links_is_read_whole() {
        let long = "It is told of in many words, that go on, and on, and on, and end here. ";
        let part = |name: &str, paragraphs: usize| {
            let paragraph = format!("<p>{name} has words. {}</p>", long.repeat(4));
            format!("<h3>{name}</h3><blockquote>{}</blockquote>", paragraph.repeat(paragraphs))
        };
        let page = format!("<body>{}{}</body>", part("First", 1), part("Second", 6));
        let found = extract(&page, None).unwrap();
        assert!(found.text.contains("First has words"), "{}", found.text);
        // Where a page leads around its site, its article is all of it that counts.
        let links = "<p><a href=\"x\">Somewhere else on it</a></p>".repeat(30);
        let found = extract(&page.replace("</body>", &format!("{links}</body>")), None).unwrap();
        assert!(!found.text.contains("First has words"), "{}", found.text);
    }

    #[test]
    fn text_counts_for_what_is_around_it() {
        for (html, expected) in
            [("x", 0), ("<p>abc</p>d", 3), ("<div><p>ab<br>c</p>d</div>", 7), ("</p>x", 0)]
        {
            assert_eq!(text_around(html), expected, "{html}");
        }
        let page = |deep: usize| format!("{}{}", "<div>".repeat(deep), "words ".repeat(200_000));
        assert!(is_searched(&page(100)) && !is_searched(&page(120)));
    }
}
