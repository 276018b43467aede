//! Links and images of a page: where they lead, and whether they are worth keeping.

use dom_query::{Document, NodeRef};
use url::Url;

use super::super::address;

/// Makes addresses absolute with `base`, and takes away those that lead nowhere. Links of a heading
/// to itself go, with the sign that shows them.
pub(super) fn resolve(page: &Document, base: Option<&Url>) {
    for link in page.select("a").nodes() {
        // What shows when a pointer rests on it repeats the link.
        link.remove_attr("title");
        let written = link.attr("href").unwrap_or_default();
        if written.trim_start().starts_with('#') && is_sign(link) {
            link.remove_from_parent();
            continue;
        }
        match address::resolve(&written, base) {
            Some(address) if !(written.trim_start().starts_with('#') && is_in_heading(link)) => {
                link.set_attr("href", &address);
            }
            // A link without an address is its text.
            _ => link.rename("span"),
        }
    }
    for image in page.select("img").nodes() {
        let written = image.attr("src").unwrap_or_default();
        match address::resolve(&written, base) {
            Some(address) => image.set_attr("src", &address),
            None => image.remove_from_parent(),
        }
    }
}

/// Whether a link shows only a sign for "link to this place".
fn is_sign(link: &NodeRef<'_>) -> bool {
    let text = link.text();
    matches!(text.trim(), "¶" | "§" | "#" | "🔗" | "⚓" | "")
}

fn is_in_heading(link: &NodeRef<'_>) -> bool {
    const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];
    link.ancestors_it(Some(2)).any(|node| HEADINGS.iter().any(|name| node.has_name(name)))
}
