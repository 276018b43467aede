//! Where a link leads. Owns the walk over a target's path segments and the promise that nothing
//! above the root is ever named. It reads no disk: what exists is asked of the caller.

use super::{Link, LinkKind};
use crate::percent;

/// What a resolver may ask about the files there are. Paths are relative to the root and
/// separated by `/`.
pub struct Notes<'a> {
    /// Is there a file at this path?
    pub exists: &'a dyn Fn(&str) -> bool,
    /// The note that a `[[wikilink]]` of this target means, see [`ByEnd::find`](super::ByEnd::find).
    pub by_name: &'a dyn Fn(&str) -> Option<String>,
    /// The one note that lists this among its front matter `aliases`.
    pub by_alias: &'a dyn Fn(&str) -> Option<String>,
    /// What else a `[[wikilink]]` of this target means: a file that is no note.
    pub by_file: &'a dyn Fn(&str) -> Option<String>,
    /// The notes whose paths end so, letter for letter.
    pub by_end: &'a dyn Fn(&str) -> Vec<String>,
    /// The path, as it is written, in an address at which a forge shows a file of this repository.
    pub by_address: &'a dyn Fn(&str) -> Option<String>,
}

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A file beneath the root. A link to a heading of its own note leads to that note.
    Inside(String),
    /// A URL or another scheme, or an address of a site of which nobody can tell the note: none of our business.
    External,
    /// Nothing that exists beneath the root, or an attempt to leave it.
    Nowhere,
}

/// Resolves a link of the note at path `note`: from the note's folder, then from the root; a
/// `[[wikilink]]` by the names of notes first, as Obsidian does, and by those of other files last. `.md`
/// may be left out, and `x.html`, where there is none, leads to the note that a site makes it of. What begins
/// with `/` is an address of a site, and a forge's address of a file here leads to the file.
pub fn resolve_link(note: &str, link: &Link, notes: &Notes<'_>) -> Destination {
    let target = link.target.as_str();
    if is_external(target, link.kind) {
        let shown = (notes.by_address)(target).and_then(|path| decode_segments(&path));
        let shown = shown.and_then(|path| followed("", path.iter().map(String::as_str)));
        let shown = shown.filter(|path| !path.is_empty() && (notes.exists)(path));
        return shown.map_or(Destination::External, Destination::Inside);
    }
    if link.kind == LinkKind::Inline && target.starts_with('/') {
        return from_top(note, target, notes);
    }
    if target.is_empty() {
        return Destination::Inside(note.to_owned());
    }
    let Some(segments) = decode_segments(target) else { return Destination::Nowhere };
    let folder = note.rsplit_once('/').map_or("", |(folder, _)| folder);
    let by_path = || {
        let paths = [folder, ""]
            .into_iter()
            .filter_map(|base| followed(base, segments.iter().map(String::as_str)));
        let mut forms = paths.filter(|path| !path.is_empty()).flat_map(|it| forms(it, link.kind));
        forms.find(|path| (notes.exists)(path))
    };
    let found = match link.kind {
        LinkKind::Inline => by_path(),
        LinkKind::Wiki | LinkKind::Embed => {
            let name = segments.join("/");
            (notes.by_name)(&name)
                .or_else(by_path)
                .or_else(|| (notes.by_alias)(&name))
                .or_else(|| (notes.by_file)(&name))
        }
    };
    found.map_or(Destination::Nowhere, Destination::Inside)
}

/// Where the file may lie that a link names by this path.
fn forms(path: String, kind: LinkKind) -> Vec<String> {
    let page = path.strip_suffix(".html").filter(|_| kind == LinkKind::Inline);
    let made_of = page.map(|page| format!("{page}.md"));
    // mdBook makes `x/index.html` of `x/README.md`.
    let readme = page.and_then(|page| page.strip_suffix("index"));
    let readme = readme.map(|folder| format!("{folder}README.md"));
    let note = format!("{path}.md");
    [Some(path), Some(note), made_of, readme].into_iter().flatten().collect()
}

/// Where an address leads from the top of a site, or of the repository, as forges read it. What a site is
/// made of lies below a folder that the note lies below too; else it is the one note of that name below the
/// fewest folders. Which of several is meant nobody can tell, and generators make pages of their own; only
/// what is called as a note is must be one.
fn from_top(note: &str, target: &str, notes: &Notes<'_>) -> Destination {
    let address = target.split('?').next().unwrap_or(target).trim_matches('/');
    let Some(names) = decode_segments(address) else { return Destination::Nowhere };
    if names.iter().any(|name| matches!(name.as_str(), "" | "." | "..")) {
        return Destination::External;
    }
    let name = names.join("/");
    let folders = note.match_indices('/').map(|(end, _)| &note[..=end]).chain([""]);
    let below = |folder: &str| pages(&format!("{folder}{name}")).find(|path| (notes.exists)(path));
    let mut found: Vec<String> = folders.filter_map(below).collect();
    if found.is_empty() {
        found = pages(&name).flat_map(|page| (notes.by_end)(&page)).collect();
        let folders = |path: &String| path.matches('/').count();
        let fewest = found.iter().map(folders).min();
        found.retain(|path| Some(folders(path)) == fewest);
        found.sort();
        found.dedup();
    }
    match (found.pop(), found.is_empty()) {
        (Some(path), true) => Destination::Inside(path),
        (None, _) if name.ends_with(".md") => Destination::Nowhere,
        _ => Destination::External,
    }
}

/// What a site may make the page at a path of: a note, or a file with an ending.
fn pages(path: &str) -> impl Iterator<Item = String> {
    let bare = path.strip_suffix(".html").unwrap_or(path);
    let folder = bare.strip_suffix("/index").unwrap_or(bare);
    let notes = [path, bare].map(|path| format!("{path}.md"));
    let in_folder = ["index", "_index", "README"].map(|name| format!("{folder}/{name}.md"));
    let is_file = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    notes.into_iter().chain(in_folder).chain(is_file.then(|| path.to_owned()))
}

/// Whether the target is a URL. A wikilink may hold a colon (`[[Rust: the book]]`), so there only
/// `scheme://` counts.
pub(super) fn is_external(target: &str, kind: LinkKind) -> bool {
    if target.starts_with("//") {
        return true;
    }
    let Some((scheme, rest)) = target.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
    is_scheme && (kind == LinkKind::Inline || rest.starts_with("//"))
}

/// The target's segments, percent-decoded one by one, so that an encoded `/` or `..` can't pass
/// for a real one. `None` for an absolute path and for segments that no honest file name has.
fn decode_segments(target: &str) -> Option<Vec<String>> {
    if target.starts_with('/') {
        return None;
    }
    target.split('/').map(decode_segment).collect()
}

fn decode_segment(raw: &str) -> Option<String> {
    let segment = percent_decode(raw)?;
    let dots = matches!(segment.as_str(), "." | "..") && segment != raw;
    let honest = !dots && !segment.contains(['/', '\\', '\0']);
    honest.then_some(segment)
}

/// Leaves a `%` that no two hex digits follow as it is; `None` if the result is not UTF-8.
pub fn percent_decode(raw: &str) -> Option<String> {
    String::from_utf8(percent::decoded(raw)).ok()
}

/// Where these segments lead from a folder; `None` if they would rise above the root.
pub fn followed<'a>(
    folder: &'a str,
    segments: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let mut path: Vec<&str> = folder.split('/').filter(|segment| !segment.is_empty()).collect();
    for segment in segments {
        match segment {
            "" | "." => {}
            ".." => {
                path.pop()?;
            }
            name => path.push(name),
        }
    }
    Some(path.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{super::ByEnd, *};

    const FILES: &[&str] = &[
        "index.md", "a/one.md", "a/two words.md", "a/pic.png", "b/one.md", "b/deep/only.md",
        "b/100%.md", "b/README.md", "b/plain.html", "c/same.md", "d/same.md",
    ];

    /// `source` is the Markdown of one link, in the note `a/one.md`.
    fn check(source: &str, expected: &str) {
        let document = super::super::parse(source).expect("parses");
        let [link] = document.links.as_slice() else { panic!("{source}: {:?}", document.links) };
        let (mut by_end, mut files) = (ByEnd::default(), ByEnd::default());
        FILES.iter().for_each(|path| by_end.add(path, path.ends_with(".md")));
        files.add("c/far.svg", false);
        let shown = |address: &str| {
            let path = address.strip_prefix("https://forge.example/own/blob/main/")?;
            Some(path.split('#').next()?.to_owned())
        };
        let find = |among: &ByEnd, target: &str| {
            among.find("a/one.md", target, &|| "a".to_owned(), &|_| true).map(str::to_owned)
        };
        let notes = Notes {
            exists: &|path| FILES.contains(&path),
            by_name: &|target| find(&by_end, target),
            by_alias: &|alias| (alias == "The Only").then(|| "b/deep/only.md".to_owned()),
            by_file: &|target| find(&files, target),
            by_end: &|end| by_end.ending(end).map(str::to_owned).collect(),
            by_address: &shown,
        };
        let actual = match resolve_link("a/one.md", link, &notes) {
            Destination::Inside(path) => path,
            Destination::External => "external".to_owned(),
            Destination::Nowhere => "nowhere".to_owned(),
        };
        assert_eq!(actual, expected, "{source}");
    }

    #[test]
    fn resolves_beneath_the_root() {
        check("[x](two%20words.md)", "a/two words.md");
        check("[x](<two words>)", "a/two words.md");
        check("[x](../index.md#top)", "index.md");
        check("[x](b/one.md)", "b/one.md");
        check("[x](./../a/./one)", "a/one.md");
        check("[x](#here)", "a/one.md");
        check("![x](pic.png)", "a/pic.png");
        check("[x](only.md)", "nowhere");
        check("[[two words]]", "a/two words.md");
        check("[[one#part|shown]]", "a/one.md");
        check("[[b/one]]", "b/one.md");
        check("[[only]]", "b/deep/only.md");
        check("[[only.md]]", "b/deep/only.md");
        check("[[Only]]", "b/deep/only.md");
        check("[[deep/ONLY]]", "b/deep/only.md");
        check("[[The Only]]", "b/deep/only.md");
        check("![[Far.svg#icon|100]]", "c/far.svg");
        check("[x](far.svg)", "nowhere");
        check("[x](Pic.png)", "nowhere");
        check("[x](one.html#part)", "a/one.md");
        check("[x](../b/index.html)", "b/README.md");
        check("[x](../b/plain.html)", "b/plain.html");
        check("[x](none.html)", "nowhere");
        check("[[one.html]]", "nowhere");
        check("[[100%]]", "b/100%.md");
        check("![[pic.png]]", "a/pic.png");
        check("[[#here]]", "a/one.md");
        check("[[none]]", "nowhere");
        check("[[Rust: the book]]", "nowhere");
    }

    #[test]
    fn leaves_neither_the_root_nor_the_files() {
        check("[[../../../etc/passwd]]", "nowhere");
        check("[[../..]]", "nowhere");
        check("[[/abs]]", "nowhere");
        check("[x](%2e%2e/index.md)", "nowhere");
        check("[x](%2E./index.md)", "nowhere");
        check("[x](..%2findex.md)", "nowhere");
        check(r"[x](..%5cindex.md)", "nowhere");
        check("[x](one%00.md)", "nowhere");
        check("[x](%ff.md)", "nowhere");
        check("[x](/../index.md)", "external");
        check("[x](/b/../../index.md)", "external");
        check("[x](/b%2f..%2findex.md)", "nowhere");
        check("[x](https://forge.example/own/blob/main/../index.md)", "external");
        check("[x](https://forge.example/own/blob/main/%2e%2e/index.md)", "external");
        check("[x](https://example.org/one.md)", "external");
        check("[x](//example.org/one.md)", "external");
        check("[x](mailto:a@example.org)", "external");
        check("[x](C:/one.md)", "external");
        check("[[https://example.org]]", "external");
    }

    #[test]
    fn addresses_of_sites_lead_to_what_the_pages_are_made_of() {
        check("[x](/index.md)", "index.md");
        check("[x](/b/README.md#part)", "b/README.md");
        check("[x](/b/one.md?plain=1)", "b/one.md");
        check("[x](/one)", "a/one.md");
        check("[x](/one/)", "a/one.md");
        check("[x](/one.html#part)", "a/one.md");
        check("![x](/pic.png)", "a/pic.png");
        check("[x](/two%20words/)", "a/two words.md");
        check("[x](/b)", "b/README.md");
        check("[x](/b/index.html)", "b/README.md");
        // Below a folder that the note does not lie in.
        check("[x](/deep/only/)", "b/deep/only.md");
        check("[x](/only)", "b/deep/only.md");
        check("[x](/Only)", "external");
        // Two folders hold one, and none of them is nearer.
        check("[x](/same)", "external");
        check("[x](/same.md)", "external");
        check("[x](/a/one)", "a/one.md");
        check("[x](/)", "external");
        check("[x](/none/)", "external");
        check("![x](/none.png)", "external");
        check("[x](/none.md)", "nowhere");
    }

    #[test]
    fn what_a_forge_shows_of_this_repository_lies_here() {
        check("[x](https://forge.example/own/blob/main/b/one.md#part)", "b/one.md");
        check("[x](https://forge.example/own/blob/main/a/two%20words.md)", "a/two words.md");
        check("[x](https://forge.example/own/blob/main/none.md)", "external");
        check("[x](https://forge.example/other/blob/main/b/one.md)", "external");
    }
}
