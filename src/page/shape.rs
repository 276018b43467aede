//! In which form a page is wanted: its address says so by its ending. Pure.

use super::address::decoded;

/// In which form a page is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Page,
    Json,
    Markdown,
}

/// The page without the ending that says in which form it is wanted. A note may be called as if it had
/// one: what is there comes first.
pub fn shape_of<'p>(page: &'p str, is_note: &dyn Fn(&str) -> bool) -> (&'p str, Shape) {
    let is_known = |page: &str| {
        let path = page.strip_prefix("note/").and_then(decoded);
        path.is_some_and(|path| is_note(&path))
    };
    if is_known(page) {
        return (page, Shape::Page);
    }
    if let Some(page) = page.strip_suffix(".json") {
        return (page, Shape::Json);
    }
    match page.strip_suffix(".md") {
        Some(page) if is_known(page) => (page, Shape::Markdown),
        _ => (page, Shape::Page),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_say_the_form() {
        let is_note = |path: &str| ["a.md", "a.txt", "b.c", "b.c.md", "d.md.json"].contains(&path);
        for (page, expected) in [
            ("search", ("search", Shape::Page)),
            ("search.json", ("search", Shape::Json)),
            ("note/a.md", ("note/a.md", Shape::Page)),
            ("note/a%2Emd", ("note/a%2Emd", Shape::Page)),
            ("note/a.md.md", ("note/a.md", Shape::Markdown)),
            ("note/a.md.json", ("note/a.md", Shape::Json)),
            ("note/a.txt.md", ("note/a.txt", Shape::Markdown)),
            ("note/b.c.md", ("note/b.c.md", Shape::Page)),
            ("note/d.md.json", ("note/d.md.json", Shape::Page)),
            ("note/gone.md", ("note/gone.md", Shape::Page)),
        ] {
            assert_eq!(shape_of(page, &is_note), expected, "{page}");
        }
    }
}
