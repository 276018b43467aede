use std::collections::BTreeMap;

use super::*;
use crate::config::{Config, ConfigFile, Layers, Provider};

/// A folder in memory.
#[derive(Clone, Default)]
struct Tree(BTreeMap<PathBuf, Vec<u8>>);

impl Tree {
    fn with(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.into(), text.into());
        self
    }

    fn get(&self, path: &Path) -> Option<Vec<u8>> {
        let is_folder = || self.0.keys().any(|file| file.starts_with(path));
        self.0.get(path).cloned().or_else(|| is_folder().then(Vec::new))
    }

    fn text(&self, path: &str) -> &str {
        std::str::from_utf8(&self.0[Path::new(path)]).unwrap()
    }

    fn plan(&self, options: &InitOptions<'_>) -> Result<Vec<InitStep>, InitError> {
        plan(&|path| self.get(path), options)
    }

    /// Carries a plan out, and checks that there is nothing left to do.
    fn init(&self, options: &InitOptions<'_>) -> Self {
        let mut after = self.clone();
        for step in self.plan(options).unwrap() {
            let old = after.0.insert(step.path.clone(), step.bytes);
            assert_eq!(old.is_none(), step.action == InitAction::Create, "{:?}", step.path);
        }
        assert_eq!(after.plan(options).unwrap(), []);
        let later =
            InitOptions { now: Timestamp::from_second(2_000_000_000).unwrap(), ..options.clone() };
        assert_eq!(after.plan(&later).unwrap(), []);
        after
    }

    fn config(&self) -> Config {
        let text = self.text(".elophanto/config.yaml").to_owned();
        let file = ConfigFile { path: "config.yaml".into(), text };
        let layers = Layers { repository: Some(file), ..Layers::default() };
        let (config, warnings) = Config::load(&layers).unwrap();
        assert!(warnings.is_empty());
        config
    }
}

fn options(roots: &[&str]) -> InitOptions<'static> {
    InitOptions {
        roots: roots.iter().map(PathBuf::from).collect(),
        write_root: "knowledge".into(),
        now: "2026-01-02T03:04:05.678Z".parse().unwrap(),
        project_name: "otter".to_owned(),
        settings_in_conflict: false,
        in_git: true,
        pinned_provider: "builtin",
    }
}

#[test]
fn a_new_repository_gets_the_whole_tree() {
    let tree = Tree::default().init(&options(&[]));
    let paths: Vec<&str> = tree.0.keys().map(|path| path.to_str().unwrap()).collect();
    assert_eq!(
        paths,
        [
            ".elophanto/.gitignore",
            ".elophanto/config.yaml",
            ".gitattributes",
            "knowledge/learned/entities/.gitkeep",
            "knowledge/learned/failures/.gitkeep",
            "knowledge/learned/patterns/.gitkeep",
            "knowledge/learned/services/.gitkeep",
            "knowledge/learned/tasks/.gitkeep",
            "knowledge/plugins/.gitkeep",
            "knowledge/system/architecture.md",
            "knowledge/system/capabilities.md",
            "knowledge/system/changelog.md",
            "knowledge/system/conventions.md",
            "knowledge/system/decisions/.gitkeep",
            "knowledge/system/designs/.gitkeep",
            "knowledge/system/identity.md",
            "knowledge/system/known-limitations.md",
            "knowledge/user/.gitkeep",
        ]
    );
    assert_eq!(tree.text(".elophanto/.gitignore"), "cache/\n");
    assert_eq!(
        tree.text(".gitattributes"),
        "# >>> elophanto >>>\n\
         knowledge/learned/entities/*.md merge=union\n\
         knowledge/system/changelog.md merge=union\n\
         knowledge/system/changelog/*.md -filter\n\
         .elophanto/index/** binary -filter linguist-generated=true\n\
         .elophanto/journal/**/*.jsonl -text -filter merge=union\n\
         .elophanto/memory/**/*.jsonl -text -filter merge=union\n\
         .elophanto/sources/** -text -filter\n\
         # <<< elophanto <<<\n"
    );
    let config = tree.config();
    assert_eq!(config.knowledge.embedding_provider, Provider::Builtin);
    assert_eq!(config.knowledge.roots, [Path::new(".")]);
    let set = config.origins().into_iter().filter(|line| line.origin.to_string() != "default");
    assert_eq!(set.count(), 1);
}

#[test]
fn notes_have_front_matter_and_no_marks_left() {
    let tree = Tree::default().init(&options(&[]));
    for (path, bytes) in
        tree.0.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "md"))
    {
        let text = std::str::from_utf8(bytes).unwrap();
        assert!(!text.contains("{{") && text.contains("otter"), "{path:?}");
    }
    assert!(tree.text("knowledge/system/known-limitations.md").starts_with(
        "---\ntitle: Known limitations of otter\ncreated: 2026-01-02T03:04:05Z\n\
         updated: 2026-01-02T03:04:05Z\ntags: [limitations, bugs, workarounds]\nscope: system\n\
         ---\n\n# Known limitations of otter\n"
    ));
    let conventions = tree.text("knowledge/system/conventions.md");
    for section in [
        "File naming",
        "Code style",
        "Error handling",
        "Testing",
        "Documentation",
        "Import order",
        "How to structure a plugin",
    ] {
        assert!(conventions.contains(&format!("\n## {section}\n")), "{section}");
    }
}

#[test]
fn a_strange_project_name_is_only_a_name() {
    for (name, title) in [
        ("a: b\n---\nscope: user", r#""Identity of a: b --- scope: user""#),
        ("{{root}}\u{1b}", r#""Identity of {{root}}""#),
        ("", "Identity of this project"),
        ("Große Otter", "Identity of Große Otter"),
    ] {
        let options = InitOptions { project_name: name.to_owned(), ..options(&[]) };
        let tree = Tree::default().init(&options);
        let note = tree.text("knowledge/system/identity.md");
        assert!(note.starts_with(&format!("---\ntitle: {title}\ncreated: ")), "{note}");
    }
}

#[test]
fn what_exists_stays() {
    let before = Tree::default()
        .with("knowledge/system/identity.md", "mine")
        .with("knowledge/user/note.md", "mine")
        .with(".elophanto/.gitignore", "")
        .with(".elophanto/config.yaml", "# mine\nknowledge: # x\n  embedding_provider: ollama\n")
        .with(".gitattributes", "*.png binary");
    let after = before.init(&options(&[]));
    for path in before.0.keys().filter(|path| *path != Path::new(".gitattributes")) {
        assert_eq!(before.0[path], after.0[path], "{path:?}");
    }
    assert!(after.text(".gitattributes").starts_with("*.png binary\n# >>> elophanto >>>\n"));
    assert!(!after.0.contains_key(Path::new("knowledge/user/.gitkeep")));
}

#[test]
fn auto_is_pinned_in_an_existing_configuration() {
    let auto = "knowledge:\r\n  embedding_provider: auto # for now\r\n";
    let tree = Tree::default().with(".elophanto/config.yaml", auto);
    let steps = tree.plan(&options(&[])).unwrap();
    let step = steps.iter().find(|step| step.path.ends_with("config.yaml")).unwrap();
    assert_eq!(
        step.action,
        InitAction::Settings(vec!["knowledge.embedding_provider: builtin".to_owned()])
    );
    assert_eq!(step.bytes, auto.replace("auto", "builtin").as_bytes());
    let none = InitOptions { pinned_provider: "", ..options(&[]) };
    assert_eq!(tree.init(&none).text(".elophanto/config.yaml"), auto);
}

#[test]
fn roots_always_cover_our_own_notes() {
    for (existing, asked, expected) in [
        (None, &["docs/"][..], &["docs", "knowledge"][..]),
        (None, &["./docs", "docs", "vault"], &["docs", "vault", "knowledge"]),
        (None, &["."], &["."]),
        (None, &["knowledge/user"], &["knowledge/user", "knowledge"]),
        (Some("knowledge:\n  roots:\n    - a # x\n"), &["docs"], &["a", "docs", "knowledge"]),
        (Some("knowledge:\n  roots: [.]\n"), &["docs"], &["."]),
        (Some("knowledge:\n  roots: [docs]\n"), &["docs/api"], &["docs", "knowledge"]),
        (Some("knowledge:\n  roots: [docs]\n"), &[], &["docs"]),
        (Some(""), &["docs"], &["docs", "knowledge"]),
    ] {
        let before = match existing {
            Some(text) => Tree::default().with(".elophanto/config.yaml", text),
            None => Tree::default(),
        };
        let roots = before.init(&options(asked)).config().knowledge.roots.clone();
        let expected: Vec<&Path> = expected.iter().map(Path::new).collect();
        assert_eq!(roots, expected, "{existing:?} {asked:?}");
    }
}

#[test]
fn a_second_root_is_added_later() {
    let tree = Tree::default().init(&options(&["docs"])).init(&options(&["vault"]));
    assert_eq!(
        tree.config().knowledge.roots,
        [Path::new("docs"), Path::new("knowledge"), Path::new("vault")]
    );
}

#[test]
fn another_folder_for_our_own_notes() {
    for (write_root, note, line) in [
        ("docs/notes", "docs/notes/system/identity.md", "docs/notes/learned/entities/*.md"),
        (".", "system/identity.md", "learned/entities/*.md"),
        ("a b", "a b/system/identity.md", r#""a b/learned/entities/*.md""#),
        ("a[b]*", "a[b]*/system/identity.md", r"a\[b]\*/learned/entities/*.md"),
        ("!a \"[", "!a \"[/system/identity.md", r#""\\!a \"\\[/learned/entities/*.md""#),
    ] {
        let options = InitOptions { write_root: write_root.into(), ..options(&[]) };
        let tree = Tree::default().init(&options);
        assert!(tree.0.contains_key(Path::new(note)), "{write_root}");
        assert_eq!(tree.config().knowledge.write_root, Path::new(write_root));
        let block = tree.text(".gitattributes");
        assert!(block.contains(&format!("\n{line} merge=union\n")), "{block}");
    }
}

#[test]
fn a_plain_folder_gets_no_attributes() {
    let options = InitOptions { in_git: false, ..options(&[]) };
    let tree = Tree::default().with(".gitattributes", "mine").init(&options);
    assert_eq!(tree.text(".gitattributes"), "mine");
}

#[test]
fn refuses() {
    for (tree, options, expected) in [
        (
            Tree::default(),
            options(&["../x"]),
            "`../x`: not a relative folder beneath the repository",
        ),
        (
            Tree::default(),
            InitOptions { write_root: "/x".into(), ..options(&[]) },
            "`/x`: not a relative folder beneath the repository",
        ),
        (
            Tree::default().with(".gitattributes", "x\n# >>> elophanto >>>\n"),
            options(&[]),
            ".gitattributes:2: `# >>> elophanto >>>` without `# <<< elophanto <<<` after it; \
             repair or remove the block by hand",
        ),
        (
            Tree::default().with(".elophanto/config.yaml", "knowledge: {roots: [a]}\n"),
            options(&["docs"]),
            ".elophanto/config.yaml: `knowledge.roots: [a, docs, knowledge]` can't be set by \
             editing one line; set it by hand",
        ),
    ] {
        assert_eq!(tree.plan(&options).unwrap_err().to_string(), expected);
    }
}
