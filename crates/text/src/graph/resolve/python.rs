//! Python: modules are files or folders with an `__init__.py`, found from the importing package or
//! from a folder that Python searches.

use super::{
    super::paths::{Ending, Paths, ancestors, parent, within},
    are_names,
};

pub(super) fn resolve<'p>(paths: &'p Paths, from: &str, import: &str) -> Option<&'p str> {
    let written = import.split([' ', ',', ';', '*']).next()?;
    let name = written.trim_start_matches('.');
    let dots = written.len() - name.len();
    let names: Vec<&str> = name.split('.').filter(|part| !part.is_empty()).collect();
    if !are_names(&names) {
        return None;
    }
    if dots == 0 { absolute(paths, from, &names) } else { relative(paths, from, dots, &names) }
}

/// One dot is the file's own package, each further one goes up.
fn relative<'p>(paths: &'p Paths, from: &str, dots: usize, names: &[&str]) -> Option<&'p str> {
    let mut folder = parent(from);
    for _ in 1..dots {
        if folder.is_empty() {
            return None;
        }
        folder = parent(folder);
    }
    (1..=names.len()).rev().find_map(|count| module(paths, folder, &names[..count])).or_else(|| {
        ["__init__.py", "__init__.pyi"].iter().find_map(|file| paths.get(&within(folder, file)))
    })
}

fn absolute<'p>(paths: &'p Paths, from: &str, names: &[&str]) -> Option<&'p str> {
    if !names.first().is_some_and(|name| paths.has_python_name(name)) {
        return None;
    }
    // A folder that is itself a package is not searched by Python.
    let roots: Vec<String> = ancestors(parent(from))
        .filter(|folder| paths.get(&within(folder, "__init__.py")).is_none())
        .flat_map(|folder| [folder.to_owned(), within(folder, "src")])
        .collect();
    let known = (1..=names.len())
        .rev()
        .find_map(|count| roots.iter().find_map(|root| module(paths, root, &names[..count])));
    known.or_else(|| by_end(paths, names))
}

/// A package elsewhere in the repository. One name alone would take any library for a file of ours.
fn by_end<'p>(paths: &'p Paths, names: &[&str]) -> Option<&'p str> {
    for count in (2..=names.len()).rev() {
        for end in endings(&names[..count].join("/")) {
            match paths.file_ending(&end) {
                Ending::None => {}
                found => return found.one(),
            }
        }
    }
    None
}

fn module<'p>(paths: &'p Paths, folder: &str, names: &[&str]) -> Option<&'p str> {
    endings(&within(folder, &names.join("/"))).iter().find_map(|path| paths.get(path))
}

fn endings(module: &str) -> [String; 4] {
    ["/__init__.py", ".py", "/__init__.pyi", ".pyi"].map(|end| format!("{module}{end}"))
}
