//! Languages that import by path, or by a name that is one but for its separator.

use super::{
    super::paths::{Ending, Paths, ancestors, file_name, join, parent, within},
    are_names,
};

/// In the order in which bundlers try them.
const SCRIPTS: [&str; 13] = [
    ".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte",
    ".astro", ".json",
];
/// TypeScript names a module by the file that will be compiled from it.
const COMPILED: [(&str, &str); 5] =
    [(".js", ".ts"), (".js", ".tsx"), (".jsx", ".tsx"), (".mjs", ".mts"), (".cjs", ".cts")];

/// Top-level packages of Go's standard library: a folder of ours by that name is another one.
const GO_STANDARD: &str = "\
    archive bufio bytes cmp compress container context crypto database debug embed \
    encoding errors expvar flag fmt go hash html image index io iter log maps math mime \
    net os path plugin reflect regexp runtime slices sort strconv strings structs sync \
    syscall testing text time unicode unique unsafe weak";

/// Words of a unit's command line that are looked at.
const MAX_WORDS: usize = 32;

pub(super) fn javascript<'p>(paths: &'p Paths, from: &str, import: &str) -> Option<&'p str> {
    let import = import.split(['?', '#']).next()?;
    let folder = parent(from);
    if matches!(import, "." | "..") || import.starts_with("./") || import.starts_with("../") {
        return script(paths, &join(folder, import)?);
    }
    // By custom the sources of the package.
    let below = import.strip_prefix("@/").or_else(|| import.strip_prefix("~/"))?;
    let below = join("", below)?;
    ancestors(folder).find_map(|folder| {
        script(paths, &within(&within(folder, "src"), &below))
            .or_else(|| script(paths, &within(folder, &below)))
    })
}

fn script<'p>(paths: &'p Paths, path: &str) -> Option<&'p str> {
    let with = |path: &str| SCRIPTS.iter().find_map(|end| paths.get(&format!("{path}{end}")));
    paths
        .get(path)
        .or_else(|| with(path))
        .or_else(|| {
            COMPILED.iter().find_map(|(compiled, source)| {
                paths.get(&format!("{}{source}", path.strip_suffix(compiled)?))
            })
        })
        .or_else(|| with(&within(path, "index")))
}

/// A package is a folder; what comes before it in the import is the name of the module, which is
/// told by its form: a host with owner and project, a host with a project, or one word.
pub(super) fn go<'p>(paths: &'p Paths, import: &str) -> Option<&'p str> {
    let (first, _) = import.split_once('/')?;
    let module_parts = match first {
        "github.com" | "gitlab.com" | "bitbucket.org" | "codeberg.org" => 3,
        _ if first.contains('.') => 2,
        _ if GO_STANDARD.split(' ').any(|name| name == first) => return None,
        _ => 1,
    };
    longest_end(import, module_parts, |end| paths.go_package(end))
}

pub(super) fn c<'p>(paths: &'p Paths, from: &str, import: &str) -> Option<&'p str> {
    let import = import.trim_matches(['"', '<', '>']);
    let beside = join(parent(from), import)?;
    paths.get(&beside).or_else(|| paths.ending(import.trim_start_matches("./")))
}

/// The class may be followed by members or classes inside it.
pub(super) fn java<'p>(paths: &'p Paths, import: &str) -> Option<&'p str> {
    let import = import.strip_prefix("static ").unwrap_or(import).trim_end_matches([';', '*', '.']);
    let names: Vec<&str> = import.split('.').collect();
    if !are_names(&names) {
        return None;
    }
    for count in (2..=names.len()).rev() {
        match paths.file_ending(&format!("{}.java", names[..count].join("/"))) {
            Ending::None => {}
            found => return found.one(),
        }
    }
    None
}

/// Relative to the script, as people mean it, to the root, where they often start it, or by a
/// unique end.
pub(super) fn shell<'p>(paths: &'p Paths, from: &str, import: &str) -> Option<&'p str> {
    let words = ["source ", ". "].iter().find_map(|word| import.strip_prefix(word));
    let import = without_expansion(words.unwrap_or(import).trim().trim_matches(['"', '\'']))?;
    let beside = join(parent(from), import);
    let from_root = join("", import);
    [beside, from_root]
        .iter()
        .flatten()
        .find_map(|path| paths.get(path))
        .or_else(|| paths.ending(import.trim_start_matches("./")))
}

/// `$(dirname "$0")/a.sh` and the like name the script's folder or the root; what stands behind
/// them is a path. Anything else that the shell would fill in cannot be told.
fn without_expansion(path: &str) -> Option<&str> {
    let Some(end) = path.rfind(['$', ')', '}']) else { return Some(path) };
    if !path.starts_with('$') {
        return None;
    }
    path.get(end..)?.split_once('/').map(|(_, path)| path)
}

/// A unit by its name (beside this one, else the only one), or the first file of a command line.
pub(super) fn unit<'p>(paths: &'p Paths, from: &str, import: &str) -> Option<&'p str> {
    import.split_whitespace().take(MAX_WORDS).find_map(|word| {
        let word =
            word.trim_matches(['"', '\'']).trim_start_matches(['-', '@', ':', '+', '!', '|']);
        if word.contains('/') {
            return installed(paths, word);
        }
        let beside = |name: &str| paths.get(&within(parent(from), name));
        let template = word.split_once('@').and_then(|(name, instance)| {
            let (_, kind) = instance.rsplit_once('.')?;
            Some(format!("{name}@.{kind}"))
        });
        [Some(word), template.as_deref()]
            .into_iter()
            .flatten()
            .filter(|name| name.contains('.'))
            .find_map(|name| beside(name).or_else(|| paths.ending(name)))
    })
}

/// A path on the machine where the unit runs: its end may be a path of ours.
fn installed<'p>(paths: &'p Paths, path: &str) -> Option<&'p str> {
    let path = path.trim_start_matches('/');
    if path.split('/').any(|part| matches!(part, "." | "..")) {
        return None;
    }
    longest_end(path, 0, |end| {
        // A program's bare name says too little: `/usr/bin/test` is no `test` of ours.
        let telling = end.contains('/') || file_name(end).contains('.');
        if telling { paths.file_ending(end) } else { Ending::None }
    })
}

/// Looks up ever shorter ends of a path, the first without its first `skip` parts. The longest that
/// is known decides: if it fits several, shorter ones would not fit fewer.
fn longest_end<'p>(
    path: &str,
    skip: usize,
    look_up: impl Fn(&str) -> Ending<'p>,
) -> Option<&'p str> {
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    for start in starts.skip(skip).take(super::MAX_PARTS) {
        match look_up(path.get(start..)?) {
            Ending::None => {}
            found => return found.one(),
        }
    }
    None
}
