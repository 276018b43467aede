//! Addresses of pages, and what is asked behind the `?` of one. Pure.

use url::form_urlencoded;

pub use elophanto_text::{markdown::percent_decode as decoded, percent::encoded};

/// More pages than any list has.
const MOST_PAGES: usize = 1_000_000;

const HTML: &str = ".html";
/// Bytes of the name of a file.
const MOST_NAME: usize = 255;

/// Where the pages of one knowledge base are.
#[derive(Debug, Clone)]
pub struct Site {
    /// What stands before the name of the knowledge base, with `/` at its end; of exported pages, what
    /// leads from this one to the top.
    pub root: String,
    /// The name of the knowledge base, as addresses have it; empty in exported pages.
    pub name: String,
    /// Whether the pages are files.
    pub is_export: bool,
}

impl Site {
    /// The address of a page, by what follows the name.
    pub fn to(&self, page: &str) -> String {
        match self.name.is_empty() {
            true => format!("{}{page}", self.root),
            false => format!("{}{}/{page}", self.root, encoded(&self.name)),
        }
    }

    /// The page of a note.
    pub fn note(&self, path: &str) -> String {
        match self.is_export {
            true => self.to(&format!("note/{}", encoded(file_name(path)))),
            false => self.to(&format!("note/{}", encoded(path))),
        }
    }

    /// The same with a passage marked, where pages are made anew each time.
    pub fn marked(&self, path: &str, mark: impl std::fmt::Display) -> String {
        let page = self.note(path);
        if self.is_export { page } else { format!("{page}?mark={mark}#mark") }
    }

    /// The page of an entity.
    pub fn entity(&self, slug: &str) -> String {
        match self.is_export {
            true => self.to(&format!("entity/{}", encoded(file_name(slug)))),
            false => self.to(&format!("entity/{}", encoded(slug))),
        }
    }

    /// The page of this name, which is no note and no entity.
    pub fn page(&self, name: &str) -> String {
        match (self.is_export, name) {
            (true, "") => self.to("index.html"),
            (true, name) => self.to(&format!("{name}.html")),
            (false, name) => self.to(name),
        }
    }

    /// A file of our own.
    pub fn asset(&self, name: &str) -> String {
        format!("{}assets/{name}", self.root)
    }
}

/// The file that an exported page of a note or an entity is. A name that would be too long for one is
/// cut, and told apart by its hash.
pub fn file_name(path: &str) -> String {
    let (folder, name) =
        path.rsplit_once('/').map_or(("", path), |it| (&path[..=it.0.len()], it.1));
    if name.len() + HTML.len() <= MOST_NAME {
        return format!("{path}{HTML}");
    }
    let kept = &name[..name.floor_char_boundary(MOST_NAME - HTML.len() - 17)];
    format!("{folder}{kept}-{}{HTML}", &blake3::hash(name.as_bytes()).to_hex()[..16])
}

/// What is asked behind the `?`, in its order.
#[derive(Debug, Clone, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn parse(text: &str) -> Self {
        Self(form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    /// The first value of a name that says anything.
    pub fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|it| it.1.as_str());
        values.find(|value| !value.trim().is_empty())
    }

    /// Whether any value holds a character.
    pub fn holds(&self, char: char) -> bool {
        self.0.iter().any(|(_, value)| value.contains(char))
    }

    /// All values of a name that say anything.
    pub fn all(&self, name: &str) -> Vec<String> {
        let values =
            self.0.iter().filter(|(known, value)| known == name && !value.trim().is_empty());
        values.map(|(_, value)| value.clone()).collect()
    }

    /// A page of a list, from 1 to [`MOST_PAGES`].
    pub fn page(&self) -> usize {
        self.get("page")
            .and_then(|text| text.parse().ok())
            .map_or(1, |page: usize| page.clamp(1, MOST_PAGES))
    }

    /// The same with another value of a name, or without it, as it stands behind an address.
    pub fn with(&self, name: &str, value: Option<&str>) -> String {
        let mut out = form_urlencoded::Serializer::new(String::new());
        let kept = self.0.iter().filter(|(known, value)| known != name && !value.is_empty());
        out.extend_pairs(kept);
        if let Some(value) = value {
            out.append_pair(name, value);
        }
        out.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_through_addresses_unchanged() {
        for name in
            ["a b.md", "100%.md", "x#y?z.md", "\u{202e}dm.md", "a\nb.md", "a+b&c=d.md", "ä/ö"]
        {
            assert_eq!(decoded(&encoded(name)).as_deref(), Some(name));
            assert!(encoded(name).is_ascii());
        }
        assert_eq!(decoded("%FF"), None);
        assert_eq!(decoded("%2"), Some("%2".to_owned()));
    }

    #[test]
    fn names_of_files_are_not_too_long() {
        assert_eq!(file_name("a/b.md"), "a/b.md.html");
        let fits = "x".repeat(250);
        assert_eq!(file_name(&fits), format!("{fits}.html"));
        let long = |last: &str| file_name(&format!("ä/{}{last}", "ö".repeat(125)));
        for last in ["b.md", "c.md"] {
            let name = long(last);
            let file = name.strip_prefix("ä/").unwrap();
            assert!(file.len() <= 255 && file.ends_with(".html"), "{name}");
        }
        assert_ne!(long("b.md"), long("c.md"));
    }

    #[test]
    fn a_query_is_changed() {
        let query = Query::parse("q=a+b&page=3&x=");
        assert_eq!((query.get("q"), query.page(), query.get("x")), (Some("a b"), 3, None));
        assert_eq!(query.with("page", Some("4")), "q=a+b&page=4");
        assert_eq!(query.with("page", None), "q=a+b");
        assert_eq!(Query::parse("page=0").page(), 1);
    }
}
