//! A view of the summaries that something has damaged: the answer is right all the same.

use std::fs;

use crate::env::TestEnv;

#[test]
fn a_damaged_view_is_built_anew() {
    let env = TestEnv::new();
    env.write("src/heron.rs", "//! Herons fish at dawn.\npub fn fish() {}\n");
    env.write("src/vole.rs", "//! Voles dig tunnels.\npub fn dig() {}\n");
    env.ok(&["scan", "--investigate", "--all"]);
    let search = ["search", "who fishes at dawn", "--kind", "summary", "--json", "-n", "1"];
    assert_eq!(env.json(&search)[0]["path"], "src/heron.rs");
    let view = env.path(".git/elophanto/summary");
    let names: Vec<_> = fs::read_dir(&view)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.extension().is_none_or(|end| end != "lock"))
        .collect();
    assert!(names.len() >= 3, "{names:?}");
    for path in names {
        type Damage = fn(&[u8]) -> Option<Vec<u8>>;
        let damages: [(&str, Damage); 4] = [
            ("empty", |_| Some(Vec::new())),
            ("half", |bytes| Some(bytes[..bytes.len() / 2].to_vec())),
            ("a flipped bit", |bytes| {
                let mut bytes = bytes.to_vec();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 4;
                Some(bytes)
            }),
            ("gone", |_| None),
        ];
        for (name, damage) in damages {
            // An earlier round may have built the view anew, under other names.
            fs::remove_dir_all(&view).unwrap();
            env.ok(&search);
            let Some(file) = same_kind(&view, &path) else { continue };
            match damage(&fs::read(&file).unwrap()) {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            let output = env.ok(&search);
            assert_eq!(output.json()[0]["path"], "src/heron.rs", "{name} {file:?}\n{output}");
            assert!(output.stderr().lines().count() <= 2, "{name} {file:?}\n{output}");
            assert!(!output.stderr().contains("panicked"), "{output}");
            assert_eq!(env.ok(&search).stderr(), "", "{name} {file:?}: mended");
        }
    }
}

/// The file of the view that has the same ending.
fn same_kind(view: &std::path::Path, path: &std::path::Path) -> Option<std::path::PathBuf> {
    let files = fs::read_dir(view).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.is_file()).find(|file| {
        file.extension() == path.extension()
            && (path.extension().is_some() || file.file_name() == path.file_name())
    })
}
