use std::path::Path;
use std::time::Duration;

use super::*;

fn file(path: &str, text: &str) -> Option<ConfigFile> {
    Some(ConfigFile { path: PathBuf::from(path), text: text.to_owned() })
}

fn repository(text: &str) -> Layers {
    Layers { repository: file(REPOSITORY_FILE, text), ..Layers::default() }
}

fn flags(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn defaults() {
    let config = Config::default();
    assert_eq!(config.knowledge.roots, [Path::new(".")]);
    assert_eq!(config.knowledge.extensions, ["md", "markdown", "mdown", "mkd"]);
    assert_eq!(config.knowledge.embedding_provider, Provider::Auto);
    assert_eq!(config.knowledge.index_interval, Duration::from_secs(6 * 3_600));
    assert_eq!(config.knowledge.max_file_bytes, 16 << 20);
    assert_eq!(config.knowledge.chunk.max_tokens, 1_000);
    assert_eq!(config.search.semantic_weight, 0.4);
    assert_eq!(config.search.language, "english");
    assert_eq!(config.index.commit, CommitIndex::Always);
    assert!(config.changelog.enabled);
    assert!(config.origins().iter().all(|line| *line.origin == Origin::Default));
    assert_eq!(config.origins().len(), KEYS.len());
}

#[test]
fn the_stronger_layer_wins_and_is_remembered() {
    let weight = "search.recency_weight";
    let mut layers = Layers::default();
    let seen = |layers: &Layers| {
        let (config, _) = Config::load(layers).unwrap();
        (config.search.recency_weight, config.origin(weight).unwrap().to_string())
    };
    assert_eq!(seen(&layers), (0.02, "default".to_owned()));
    layers.user = file("/home/u/config.yaml", "search:\n  recency_weight: 0.1\n");
    assert_eq!(seen(&layers), (0.1, "/home/u/config.yaml:2".to_owned()));
    layers.repository = file(REPOSITORY_FILE, "\nsearch.recency_weight: 0.2\n");
    assert_eq!(seen(&layers), (0.2, ".elophanto/config.yaml:2".to_owned()));
    let variable = "ELOPHANTO_SEARCH_RECENCY_WEIGHT";
    layers.variables.insert(variable.to_owned(), String::new());
    assert_eq!(seen(&layers).0, 0.2);
    layers.variables.insert(variable.to_owned(), "0.3".to_owned());
    assert_eq!(seen(&layers), (0.3, variable.to_owned()));
    layers.flags = flags(&[(weight, "0.4")]);
    assert_eq!(seen(&layers), (0.4, "command line".to_owned()));
}

#[test]
fn errors_name_place_key_and_what_is_expected() {
    for (text, expected) in [
        (
            "knowledge:\n  chunk:\n    max_tokens: lots\n",
            ".elophanto/config.yaml:3: knowledge.chunk.max_tokens: \
             expected a whole number from 50 to 100000, found \"lots\"",
        ),
        (
            "search:\n  mode: fast\n",
            ".elophanto/config.yaml:2: search.mode: \
             expected hybrid, keyword or semantic, found \"fast\"",
        ),
        (
            "search:\n  limit: [1]\n",
            ".elophanto/config.yaml:2: search.limit: \
             expected a whole number from 1 to 10000, found [\"1\"]",
        ),
        (
            "search:\n  limit: {a: 1}\n",
            ".elophanto/config.yaml:2: search.limit: \
             expected a whole number from 1 to 10000, found a mapping",
        ),
        (
            "knowledge:\n  roots: [docs, ../x]\n",
            ".elophanto/config.yaml:2: knowledge.roots: expected a list of at most 256 relative \
             folders beneath the repository, not its .git, found [\"docs\", \"../x\"]",
        ),
        (
            "search: 5\n",
            ".elophanto/config.yaml:1: search: expected a section with settings in it, found \"5\"",
        ),
        (
            "search.limit: 5\nsearch:\n  limit: 6\n",
            ".elophanto/config.yaml:3: search.limit: \
             set a second time in this file (first at line 1)",
        ),
        (
            "just text\n",
            ".elophanto/config.yaml:1: expected sections such as `search:`, found something else",
        ),
    ] {
        assert_eq!(Config::load(&repository(text)).unwrap_err().to_string(), expected);
    }
    let broken = Config::load(&repository("a: [\n")).unwrap_err().to_string();
    assert!(broken.starts_with(".elophanto/config.yaml:2: invalid YAML"), "{broken}");
    let twice = Config::load(&repository("a: 1\na: 2\n")).unwrap_err().to_string();
    assert_eq!(twice, ".elophanto/config.yaml:2: the key `a` occurs twice");
}

#[test]
fn a_terminal_sees_no_raw_bytes_of_a_value() {
    let layers = repository("search:\n  limit: \"\\e[2J\\u202e\"\n\"a\\eb\": 1\n");
    let error = Config::load(&layers).unwrap_err().to_string();
    assert!(!error.contains(['\u{1b}', '\u{202e}']), "{error:?}");
    let (_, warnings) = Config::load(&repository("\"a\\eb\": 1\n")).unwrap();
    assert!(!warnings[0].to_string().contains('\u{1b}'));
}

#[test]
fn bad_variables_and_flags_are_errors() {
    let mut layers = Layers::default();
    layers.variables.insert("ELOPHANTO_SEARCH_RECENCY_WEIGHT".to_owned(), "x".to_owned());
    assert_eq!(
        Config::load(&layers).unwrap_err().to_string(),
        "ELOPHANTO_SEARCH_RECENCY_WEIGHT: search.recency_weight: \
         expected a number from 0 to 1, found \"x\""
    );
    for (key, value, expected) in [
        (
            "search.mode",
            "fast",
            "command line: search.mode: expected hybrid, keyword or semantic, found \"fast\"",
        ),
        (
            "search.mod",
            "x",
            "command line: unknown key \"search.mod\" (did you mean `search.mode`?)",
        ),
    ] {
        let layers = Layers { flags: flags(&[(key, value)]), ..Layers::default() };
        assert_eq!(Config::load(&layers).unwrap_err().to_string(), expected);
    }
}

#[test]
fn lists_take_one_item_from_each_flag() {
    let pairs = [("knowledge.roots", "docs/"), ("knowledge.roots", "a, b")];
    let layers = Layers { flags: flags(&pairs), ..repository("knowledge:\n  roots: [x]\n") };
    let (config, _) = Config::load(&layers).unwrap();
    assert_eq!(config.knowledge.roots, [Path::new("docs"), Path::new("a, b")]);
}

#[test]
fn unknown_keys_are_one_warning_each() {
    let text = "serch:\n  limit: 5\n  mode: x\nknowledge:\n  rots: [a]\ncommand: rm\nbase_url: x\n";
    let (config, warnings) = Config::load(&repository(text)).unwrap();
    assert_eq!(config.search.limit, 10);
    let shown: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), 3, "{shown:?}");
    assert!(shown[0].ends_with("unknown key \"serch\" ignored (did you mean `search`?)"));
    assert_eq!(
        shown[1],
        ".elophanto/config.yaml:5: unknown key \"knowledge.rots\" ignored \
         (did you mean `knowledge.roots`?)"
    );
    assert_eq!(
        shown[2],
        ".elophanto/config.yaml: not trusted, passed over: serch.mode, command, base_url; \
         `elophanto trust` shows and trusts them"
    );
    // In the user's own file they are unknown and no more.
    let layers = Layers { user: file("/home/u/config.yaml", text), ..Layers::default() };
    let (_, warnings) = Config::load(&layers).unwrap();
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert_eq!(
        warnings[2].to_string(),
        "/home/u/config.yaml:6: unknown key \"command\" ignored (did you mean `learn.command`?)"
    );

    let many: String = (0..1_000).map(|n| format!("k{n}: 1\n")).collect();
    let (_, warnings) = Config::load(&repository(&many)).unwrap();
    assert_eq!(warnings.len(), 11);
    assert_eq!(warnings[10].to_string(), ".elophanto/config.yaml: 990 more unknown keys ignored");
}

/// A file, whether it is trusted, the provider that then holds and who said it, and the warning.
#[test]
fn what_needs_trust_is_passed_over_with_one_warning() {
    let provider = "knowledge.embedding_provider";
    let passed = |keys: &str| {
        format!(
            ".elophanto/config.yaml: not trusted, passed over: {keys}; \
             `elophanto trust` shows and trusts them"
        )
    };
    let check = |text: &str, trusted: Trusted, expected: &str, warning: Option<String>| {
        let user = file("/home/u/config.yaml", "knowledge:\n  embedding_provider: minilm\n");
        let layers = Layers { user, trusted, ..repository(text) };
        let (config, warnings) = Config::load(&layers).unwrap();
        let origin = config.origin(provider).unwrap();
        let shown = format!("{} {origin}", config.knowledge.embedding_provider);
        assert_eq!(shown, expected, "{text}");
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, Vec::from_iter(warning), "{text}");
    };
    let own = "minilm /home/u/config.yaml:2";
    check("knowledge.embedding_provider: ollama", Trusted::No, own, Some(passed(provider)));
    check(
        "knowledge.embedding_provider: ollama",
        Trusted::Yes,
        "ollama .elophanto/config.yaml:1",
        None,
    );
    check(
        "knowledge.embedding_provider: builtin",
        Trusted::No,
        "builtin .elophanto/config.yaml:1",
        None,
    );
    let many = "llm: {api_key: x, base_url: y}\nknowledge:\n  embedding_provider: openai\n  \
                embedding_openrouter_model: a\npermissions: {mode: full}\n";
    let keys = "llm.api_key, llm.base_url, knowledge.embedding_provider, \
                knowledge.embedding_openrouter_model, permissions.mode";
    check(many, Trusted::No, own, Some(passed(keys)));
    check(
        many,
        Trusted::Unknown("no home".to_owned()),
        own,
        Some(format!("{} (no home)", passed(keys))),
    );
    let flood: String = (0..30).map(|n| format!("k{n}.url: x\n")).collect();
    let first: Vec<String> = (0..10).map(|n| format!("k{n}.url")).collect();
    check(&flood, Trusted::No, own, Some(passed(&format!("{} and 20 more", first.join(", ")))));
}

#[test]
fn the_users_own_layers_need_no_trust() {
    let text = "knowledge:\n  embedding_provider: ollama\n  embedding_openrouter_model: a\n";
    let name = "knowledge.embedding_provider";
    let variables = [("ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER".to_owned(), "ollama".to_owned())];
    for layers in [
        Layers { user: file("/home/u/config.yaml", text), ..Layers::default() },
        Layers {
            variables: variables.into(),
            ..repository("knowledge.embedding_provider: openai")
        },
        Layers { flags: flags(&[(name, "ollama")]), ..Layers::default() },
    ] {
        let (config, _) = Config::load(&layers).unwrap();
        assert_eq!(config.knowledge.embedding_provider, Provider::Ollama);
    }
}

#[test]
fn a_bad_value_is_an_error_trusted_or_not() {
    for trusted in [Trusted::No, Trusted::Yes] {
        let layers = Layers { trusted, ..repository("knowledge.embedding_provider: x\n") };
        assert!(matches!(Config::load(&layers), Err(ConfigError::Value { .. })));
    }
}

#[test]
fn empty_files_and_sections_say_nothing() {
    for text in
        ["", "\u{feff}", "# only a comment\n", "knowledge:\n  chunk:\nsearch:\n  limit: ~\n"]
    {
        let (config, warnings) = Config::load(&repository(text)).unwrap();
        assert!(warnings.is_empty());
        assert!(config.origins().iter().all(|line| *line.origin == Origin::Default), "{text:?}");
    }
}

#[test]
fn a_small_chunk_limit_alone_is_enough() {
    let (config, _) = Config::load(&repository("knowledge.chunk.max_tokens: 60\n")).unwrap();
    assert_eq!(config.knowledge.chunk.max_tokens, 60);
    assert_eq!(config.knowledge.chunk.min_split_tokens, 60);
}

#[test]
fn the_template_names_every_key_and_sets_none() {
    let text = template(&[]);
    for key in KEYS.iter() {
        let line = format!("# {}: {}\n", key.split().1, key.default);
        assert_eq!(text.matches(&line).count(), 1, "{}", key.name);
    }
    let (config, warnings) = Config::load(&repository(&text)).unwrap();
    assert!(warnings.is_empty());
    assert!(config.origins().iter().all(|line| *line.origin == Origin::Default));
}

#[test]
fn the_template_uncommented_is_the_defaults() {
    let pinned: Vec<(&str, &str)> = KEYS.iter().map(|key| (key.name, key.default)).collect();
    let layers = Layers { trusted: Trusted::Yes, ..repository(&template(&pinned)) };
    let (config, warnings) = Config::load(&layers).unwrap();
    assert!(warnings.is_empty());
    let defaults = Config::default();
    for (own, default) in config.origins().iter().zip(defaults.origins()) {
        assert_eq!((own.key, &own.value), (default.key, &default.value));
        assert!(matches!(own.origin, Origin::Repository { .. }));
    }
}
