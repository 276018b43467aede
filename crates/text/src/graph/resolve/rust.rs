//! Rust: modules are files below the folder of the module that declares them.

use super::{
    super::paths::{Paths, ancestors, file_name, parent, within},
    are_names,
};

pub(super) fn resolve<'p>(paths: &'p Paths, from: &str, import: &str) -> Option<&'p str> {
    if let Some(name) = import.strip_prefix("mod ") {
        let names = [plain(name.trim_end_matches(';').trim())];
        return are_names(&names).then(|| deepest(paths, &inner_folder(paths, from), &names))?;
    }
    // A file that tests itself says `use super::*` in a module of its own: that is no reference to
    // the module above. In a file of tests it is.
    if import == "super::*" && !is_test_file(from) {
        return None;
    }
    let written = import.split(['{', '*', ' ', ';']).next()?;
    let names: Vec<&str> = written.split("::").map(plain).filter(|part| !part.is_empty()).collect();
    if !are_names(&names) {
        return None;
    }
    let (first, rest) = names.split_first()?;
    match *first {
        "crate" => {
            let root = crate_folder(paths, from)?;
            deepest(paths, root, rest).or_else(|| root_file(paths, root, from))
        }
        "self" => deepest(paths, &inner_folder(paths, from), rest).or_else(|| paths.get(from)),
        "super" => above(paths, from, rest),
        name => deepest(paths, &inner_folder(paths, from), &names).or_else(|| {
            let lib = paths.rust_crate(name)?;
            Some(deepest(paths, parent(lib), rest).unwrap_or(lib))
        }),
    }
}

fn plain(name: &str) -> &str {
    name.strip_prefix("r#").unwrap_or(name)
}

fn is_test_file(path: &str) -> bool {
    let is_test = |part: &str| {
        ["test", "tests"].iter().any(|end| part == *end || part.ends_with(&format!("_{end}")))
    };
    path.trim_end_matches(".rs").split('/').any(is_test)
}

/// `super::rest`: each further `super` goes up once more, never above the crate.
fn above<'p>(paths: &'p Paths, from: &str, mut rest: &[&str]) -> Option<&'p str> {
    let root = crate_folder(paths, from);
    let inner = inner_folder(paths, from);
    let mut folder = inner.as_str();
    loop {
        if folder.is_empty() || Some(folder) == root {
            return None;
        }
        folder = parent(folder);
        match rest {
            ["super", others @ ..] => rest = others,
            _ => break,
        }
    }
    deepest(paths, folder, rest).or_else(|| {
        if Some(folder) == root {
            return root_file(paths, folder, from);
        }
        deepest(paths, parent(folder), &[file_name(folder)])
    })
}

/// The file of the longest beginning of `names` that is a module below `folder`: what follows
/// names an item of it.
fn deepest<'p>(paths: &'p Paths, folder: &str, names: &[&str]) -> Option<&'p str> {
    (1..=names.len()).rev().find_map(|count| {
        let module = within(folder, &names[..count].join("/"));
        paths.get(&format!("{module}.rs")).or_else(|| paths.get(&format!("{module}/mod.rs")))
    })
}

/// Where the modules lie that a file declares.
fn inner_folder(paths: &Paths, from: &str) -> String {
    let folder = parent(from);
    let is_root = matches!(file_name(from), "mod.rs" | "lib.rs" | "main.rs" | "build.rs");
    if is_root || is_target_folder(paths, folder) {
        return folder.to_owned();
    }
    from.strip_suffix(".rs").unwrap_or(from).to_owned()
}

/// The folder of the crate's root file.
fn crate_folder<'f>(paths: &Paths, from: &'f str) -> Option<&'f str> {
    let is_root = |folder: &&str| {
        ["lib.rs", "main.rs"].iter().any(|file| paths.get(&within(folder, file)).is_some())
            || is_target_folder(paths, folder)
    };
    let mut folders = ancestors(parent(from));
    folders
        .find(is_root)
        .or_else(|| ancestors(parent(from)).find(|folder| file_name(folder) == "src"))
}

/// Whether each file directly in a folder is a crate of its own, as Cargo has it.
fn is_target_folder(paths: &Paths, folder: &str) -> bool {
    let around = parent(folder);
    match file_name(folder) {
        "bin" => file_name(around) == "src",
        "tests" | "examples" | "benches" => paths.has_folder(&within(around, "src")),
        _ => false,
    }
}

fn root_file<'p>(paths: &'p Paths, folder: &str, from: &str) -> Option<&'p str> {
    let own = file_name(from) == "main.rs" || is_target_folder(paths, folder);
    if own && parent(from) == folder {
        return paths.get(from);
    }
    ["lib.rs", "main.rs"].iter().find_map(|file| paths.get(&within(folder, file)))
}
