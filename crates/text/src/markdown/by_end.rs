//! Files by the ends of their paths, as vaults of Obsidian name them in double brackets. Owns which of
//! several is meant; it reads no disk.

use rustc_hash::FxHashMap;

use super::links::followed;

/// Names of a path, counted from its end, that a link may give: longer ones are found from a folder alone.
const MOST_NAMES: usize = 16;
/// Files of one name that are compared.
const MOST_COMPARED: usize = 1000;

/// Files by the ends of their paths, whatever the case of their letters: `c`, `C.md` and `b/c` find
/// `a/b/C.md`.
#[derive(Debug, Clone, Default)]
pub struct ByEnd {
    paths: Vec<String>,
    /// Numbers of paths by each of their ends in lower case; whole paths have a `/` in front.
    numbers: FxHashMap<String, Vec<usize>>,
}

impl ByEnd {
    /// Adds a file; of one that `is_note`, links may leave out what follows the last dot.
    pub fn add(&mut self, path: &str, is_note: bool) {
        let number = self.paths.len();
        self.paths.push(path.to_owned());
        let whole = format!("/{}", path.to_lowercase());
        let bare = is_note.then(|| without_ending(&whole)).flatten();
        for whole in [Some(&*whole), bare].into_iter().flatten() {
            let ends = whole.rmatch_indices('/').take(MOST_NAMES).map(|(at, _)| &whole[at + 1..]);
            for end in ends.chain([whole]) {
                self.numbers.entry(end.to_owned()).or_default().push(number);
            }
        }
    }

    /// Whether several files are called so.
    pub fn is_shared(&self, end: &str) -> bool {
        self.numbers.get(&end.to_lowercase()).is_some_and(|numbers| numbers.len() > 1)
    }

    /// The file that is meant in a note by a path, or by the end of one: from the folder of the note, then
    /// from the root, then wherever it lies: in the note's `vault`, as it is written, with the shortest path.
    pub fn find(
        &self,
        note: &str,
        target: &str,
        vault: &dyn Fn() -> String,
        accepts: &dyn Fn(&str) -> bool,
    ) -> Option<&str> {
        let folder = note.rsplit_once('/').map_or("", |(folder, _)| folder);
        let whole = [folder, ""].into_iter().filter_map(|base| followed(base, target.split('/')));
        let from_folder = whole.filter(|path| !path.is_empty()).find_map(|path| {
            self.called(&format!("/{path}"))
                .filter(|found| accepts(found))
                .min_by_key(|found| !is_written_so(found, &path))
        });
        from_folder.or_else(|| self.anywhere(target, vault, accepts))
    }

    fn anywhere(
        &self,
        target: &str,
        vault: &dyn Fn() -> String,
        accepts: &dyn Fn(&str) -> bool,
    ) -> Option<&str> {
        if target.split('/').any(|name| name.is_empty() || name.starts_with('.')) {
            return None;
        }
        let mut all: Vec<&str> = self.called(target).collect();
        if all.len() > 1 {
            let vault = vault();
            all.sort_by_cached_key(|path| {
                (!is_below(path, &vault), !is_written_so(path, target), path.len(), *path)
            });
        }
        all.into_iter().find(|path| accepts(path))
    }

    /// The files whose paths end so, letter for letter.
    pub fn ending<'s>(&'s self, end: &'s str) -> impl Iterator<Item = &'s str> {
        self.called(end).filter(move |path| path.ends_with(end))
    }

    fn called(&self, end: &str) -> impl Iterator<Item = &str> {
        let numbers = self.numbers.get(&end.to_lowercase()).into_iter().flatten();
        let paths = numbers.filter_map(|number| self.paths.get(*number));
        paths.take(MOST_COMPARED).map(String::as_str)
    }
}

/// A path without what follows the last dot of its name.
fn without_ending(path: &str) -> Option<&str> {
    let (bare, ending) = path.rsplit_once('.')?;
    (!ending.contains('/') && !bare.ends_with('/')).then_some(bare)
}

/// Whether a path ends so, letter for letter.
fn is_written_so(path: &str, end: &str) -> bool {
    path.ends_with(end) || without_ending(path).is_some_and(|bare| bare.ends_with(end))
}

fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|below| below.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_the_ends_of_their_paths() {
        let mut files = ByEnd::default();
        for (path, is_note) in [
            ("en/Plugins/Formulas.md", true),
            ("de/Plugins/Formulas.md", true),
            ("en/Pictures/Menu.svg", false),
            ("de/Pictures/Menu.svg", false),
            ("en/deep/er/Link notes.md", true),
            ("en/links/Link notes.md", true),
            ("en/links/below/Link notes.md", true),
            ("fr/bob.md", true),
            ("en/far/away/Bob.md", true),
            ("it/Bob.md", true),
            ("v1.2.md", true),
            ("pt/.keep", false),
        ] {
            files.add(path, is_note);
        }
        for (note, target, expected) in [
            ("en/one.md", "Formulas", Some("en/Plugins/Formulas.md")),
            ("de/one.md", "formulas.md", Some("de/Plugins/Formulas.md")),
            ("en/deep/one.md", "plugins/FORMULAS", Some("en/Plugins/Formulas.md")),
            ("one.md", "Formulas", Some("de/Plugins/Formulas.md")),
            ("one.md", "en/plugins/formulas", Some("en/Plugins/Formulas.md")),
            ("de/Pictures/one.md", "menu.svg", Some("de/Pictures/Menu.svg")),
            ("en/one.md", "Menu", None),
            // The same folder, then the shortest path.
            ("en/deep/er/one.md", "Link notes", Some("en/deep/er/Link notes.md")),
            ("en/links/below/one.md", "link notes", Some("en/links/below/Link notes.md")),
            ("en/Plugins/one.md", "Link notes", Some("en/links/Link notes.md")),
            // The same vault, then the same letters.
            ("en/one.md", "bob", Some("en/far/away/Bob.md")),
            ("de/one.md", "bob", Some("fr/bob.md")),
            ("de/one.md", "Bob", Some("it/Bob.md")),
            ("en/one.md", "../fr/BOB", Some("fr/bob.md")),
            ("en/one.md", "v1.2", Some("v1.2.md")),
            ("en/one.md", "v1", None),
            ("en/one.md", "ormulas", None),
            ("en/one.md", "lugins/Formulas", None),
            ("en/one.md", "fr/Plugins/Formulas", None),
            ("en/one.md", "../Formulas", None),
            ("en/one.md", "../../Formulas", None),
            ("en/one.md", ".keep", None),
            ("en/one.md", "Plugins", None),
            ("en/one.md", "", None),
        ] {
            let vault = || note.split_once('/').map_or("", |(top, _)| top).to_owned();
            assert_eq!(files.find(note, target, &vault, &|_| true), expected, "{note} {target}");
        }
        let is_there = |path: &str| path != "en/Pictures/Menu.svg";
        let found = files.find("en/one.md", "menu.svg", &|| "en".to_owned(), &is_there);
        assert_eq!(found, Some("de/Pictures/Menu.svg"));
        let ending = |end: &str| files.ending(end).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(ending("links/Link notes.md"), ["en/links/Link notes.md"]);
        assert_eq!(ending("Bob.md"), ["en/far/away/Bob.md", "it/Bob.md"]);
        assert!(ending("Bob").is_empty() && ending("ob.md").is_empty());
        assert!(files.is_shared("formulas") && !files.is_shared("en/plugins/formulas"));
    }

    #[test]
    fn deep_paths_take_little_room() {
        let mut files = ByEnd::default();
        let path = format!("{}x.md", "a/".repeat(2000));
        files.add(&path, true);
        assert!(files.numbers.len() < 2 * MOST_NAMES + 3);
        assert_eq!(files.find("b.md", "a/x", &String::new, &|_| true), Some(&*path));
        assert_eq!(files.find("b.md", &path, &String::new, &|_| true), Some(&*path));
    }
}
