//! Which plugins are tools.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::{
    FOLDER, MAX_PLUGINS, PluginError, PluginTool, Runtime, check_name, entries, examine, manifest,
    tool::changed,
};
use crate::Tool;
use elophanto_base::{
    beneath::{Folder, Kind},
    one_line::one_line,
};

/// What loading has to be told.
pub struct Loading<'a> {
    /// Canonical root of the work tree.
    pub root: &'a Path,
    /// Names of built-in tools: no plugin may have one of them.
    pub built_in: &'a [&'a str],
    /// Whether the user of this machine has agreed to a plugin of this name and hash. The manifest
    /// came with the repository: alone it makes nothing run.
    pub agreed: &'a dyn Fn(&str, &str) -> bool,
    pub runtime: &'a Arc<Runtime>,
}

/// What was found.
#[derive(Default)]
pub struct Loaded {
    /// Sorted by name.
    pub tools: Vec<Box<dyn Tool>>,
    /// Sorted by name.
    pub problems: Vec<Problem>,
}

/// A plugin that is no tool, and why. None stops the others.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Name of its folder, on one line; empty for the manifest.
    pub name: String,
    /// For people, with what to do.
    pub reason: String,
}

/// The deployed plugins of a work tree.
pub fn load(loading: &Loading<'_>) -> Loaded {
    let mut loaded = Loaded::default();
    let mut problem = |name: &str, reason: String| {
        loaded.problems.push(Problem { name: one_line(name, 80), reason });
    };
    let mut deployed: BTreeMap<String, Vec<String>> = BTreeMap::new();
    match manifest::read(loading.root).and_then(|text| entries(&text)) {
        Ok(all) => {
            for (name, hash) in all {
                deployed.entry(name).or_default().push(hash);
            }
        }
        Err(error) => {
            problem("", error.to_string());
            return loaded;
        }
    }
    let (names, more) = folders(loading.root);
    if more {
        problem("", PluginError::Cap { max: MAX_PLUGINS, what: "plugins" }.to_string());
    }
    for name in deployed.keys().filter(|name| !names.contains(name)) {
        problem(name, "deployed, but its folder is missing".to_owned());
    }
    for name in names {
        let no_hashes = Vec::new();
        let hashes = deployed.get(&name).unwrap_or(&no_hashes);
        match one(loading, &name, hashes) {
            Ok(tool) => loaded.tools.push(Box::new(tool)),
            Err(reason) => problem(&name, reason),
        }
    }
    loaded.problems.sort();
    loaded
}

fn one(loading: &Loading<'_>, name: &str, hashes: &[String]) -> Result<PluginTool, String> {
    let again = format!("`elophanto agent plugin deploy {name}` looks at it");
    check_name(name, loading.built_in).map_err(|error| error.to_string())?;
    if hashes.is_empty() {
        return Err(format!("not deployed: {again}"));
    }
    let plugin =
        examine(loading.root, name, loading.built_in).map_err(|error| error.to_string())?;
    if !hashes.contains(&plugin.hash) {
        return Err(changed(name));
    }
    if !(loading.agreed)(name, &plugin.hash) {
        return Err(format!("deployed by somebody else and not agreed to here: {again}"));
    }
    Ok(PluginTool::new(loading.root.to_owned(), &plugin, Arc::clone(loading.runtime)))
}

/// Names of the folders in `plugins/`, sorted, and whether there are more than are looked at.
/// Hidden ones and names that are no text are none of ours.
pub(super) fn folders(root: &Path) -> (Vec<String>, bool) {
    let listed = Folder::open(root).and_then(|root| root.entries(Path::new(FOLDER)));
    let Ok(entries) = listed else { return (Vec::new(), false) };
    let mut names: Vec<String> = entries
        .filter_map(Result::ok)
        .filter(|(_, kind)| matches!(kind, Kind::Folder | Kind::Link))
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .take(MAX_PLUGINS * 4)
        .collect();
    names.sort();
    let more = names.len() > MAX_PLUGINS;
    names.truncate(MAX_PLUGINS);
    (names, more)
}
