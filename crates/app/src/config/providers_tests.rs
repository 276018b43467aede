use super::super::{
    Config, ConfigFile, Layers, REPOSITORY_FILE, Trusted, list_text, pin, template,
};
use super::*;

fn file(path: &str, text: &str) -> Option<ConfigFile> {
    Some(ConfigFile { path: path.into(), text: text.to_owned() })
}

fn user(text: &str) -> Layers {
    Layers { user: file("/u/config.yaml", text), ..Layers::default() }
}

/// The same without the repository's file.
fn user_of(layers: &Layers) -> Layers {
    Layers { repository: None, ..layers.clone() }
}

/// `protocol base_url keys`, with a mark where somebody said which keys.
fn shown(config: &Config, name: &str) -> String {
    let provider = &config.llm.providers[name];
    let keys: Vec<String> = provider.keys.iter().map(ToString::to_string).collect();
    let mark = if provider.key_explicit { "!" } else { "" };
    format!("{} {} {}{mark}", provider.protocol, provider.base_url, list_text(&keys))
}

#[test]
fn four_exist_without_any_file() {
    let config = Config::default();
    assert_eq!(config.llm.providers.len(), 4);
    for (name, expected) in [
        (
            "openrouter",
            r#"openai https://openrouter.ai/api/v1 ["env:OPENROUTER_API_KEY", "vault:openrouter"]"#,
        ),
        ("openai", r#"openai https://api.openai.com/v1 ["env:OPENAI_API_KEY", "vault:openai"]"#),
        (
            "anthropic",
            r#"anthropic https://api.anthropic.com/ ["env:ANTHROPIC_API_KEY", "vault:anthropic"]"#,
        ),
        ("ollama", "ollama http://127.0.0.1:11434/ []"),
    ] {
        assert_eq!(shown(&config, name), expected);
        assert_eq!(config.llm.providers[name].origin, Origin::Default);
    }
}

#[test]
fn a_file_overrides_parts_and_adds_others() {
    let text = "llm:\n  providers:\n    openai: {base_url: http://localhost:1234/v1}\n    \
                ollama: {key: vault:remote}\n    \
                a.b: {base_url: https://a.example, protocol: Ollama}\n    \
                empty: {}\n    nothing:\n";
    let (config, warnings) = Config::load(&user(text)).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(config.llm.providers.len(), 5);
    assert_eq!(
        shown(&config, "openai"),
        r#"openai http://localhost:1234/v1 ["env:OPENAI_API_KEY", "vault:openai"]"#
    );
    assert_eq!(config.llm.providers["openai"].origin.to_string(), "/u/config.yaml:3");
    assert_eq!(shown(&config, "ollama"), r#"ollama http://127.0.0.1:11434/ ["vault:remote"]!"#);
    assert_eq!(config.llm.providers["ollama"].origin, Origin::Default);
    assert_eq!(shown(&config, "a.b"), "ollama https://a.example/ []");

    let lines: Vec<String> = config
        .origins()
        .iter()
        .filter(|line| line.key.starts_with("llm.providers."))
        .map(|line| format!("{}: {} ({})", line.key, line.value, line.origin))
        .collect();
    assert_eq!(
        lines,
        [
            r#"llm.providers.a.b.base_url: "https://a.example/" (/u/config.yaml:5)"#,
            "llm.providers.a.b.protocol: ollama (/u/config.yaml:5)",
            r#"llm.providers.ollama.base_url: "http://127.0.0.1:11434/" (default)"#,
            r#"llm.providers.ollama.key: "vault:remote" (/u/config.yaml:4)"#,
            "llm.providers.ollama.protocol: ollama (default)",
            r#"llm.providers.openai.base_url: "http://localhost:1234/v1" (/u/config.yaml:3)"#,
            r#"llm.providers.openai.key: ["env:OPENAI_API_KEY", "vault:openai"] (default)"#,
            "llm.providers.openai.protocol: openai (default)",
        ]
    );
    let origin = config.origin("llm.providers.ollama.key").unwrap();
    assert_eq!(origin.to_string(), "/u/config.yaml:4");
}

#[test]
fn layers_override_part_by_part() {
    let mut layers = user("llm.providers.x: {base_url: https://a.example, key: vault:a}");
    layers.repository = file(REPOSITORY_FILE, "llm.providers.x.base_url: https://b.example");
    let x = |layers: &Layers| {
        let (config, _) = Config::load(layers).unwrap();
        (shown(&config, "x"), config.llm.providers["x"].origin.to_string())
    };
    let own = r#"openai https://a.example/ ["vault:a"]!"#.to_owned();
    assert_eq!(x(&layers), (own, "/u/config.yaml:1".to_owned()));
    layers.trusted = Trusted::Yes;
    let theirs = r#"openai https://b.example/ ["vault:a"]!"#.to_owned();
    assert_eq!(x(&layers), (theirs, ".elophanto/config.yaml:1".to_owned()));
    layers.repository = file(REPOSITORY_FILE, "llm.providers.openai.base_url: https://b.example");
    let (config, _) = Config::load(&layers).unwrap();
    assert_eq!(
        shown(&config, "openai"),
        r#"openai https://b.example/ ["env:OPENAI_API_KEY", "vault:openai"]"#
    );
    layers.trusted = Trusted::No;
    let (config, _) = Config::load(&layers).unwrap();
    assert!(config.llm.providers == Config::load(&user_of(&layers)).unwrap().0.llm.providers);
    let name = "llm.providers.x.base_url".to_owned();
    layers.flags = vec![(name, "https://c.example".to_owned())];
    let flag = r#"openai https://c.example/ ["vault:a"]!"#.to_owned();
    assert_eq!(x(&layers), (flag, "command line".to_owned()));
}

#[test]
fn errors_name_the_place() {
    for (text, expected) in [
        ("llm.providers.x.key: vault:x", "llm.providers.x: expected a base_url, found a key only"),
        (
            "llm.providers.OpenAI.key: vault:x",
            "llm.providers.OpenAI.key: expected a provider's name of 1 to 32 of a to z, 0 to 9, \
             `.`, `_` and `-`, found \"OpenAI\"",
        ),
        (
            "\"llm.providers.\\e[2J.key\": vault:x",
            "llm.providers.\\u{1b}[2J.key: expected a provider's name",
        ),
        (
            "llm.providers.x.protocol: grpc",
            "llm.providers.x.protocol: expected openai, anthropic or ollama, found \"grpc\"",
        ),
        (
            "llm.providers.x.key: env:A\nllm.providers: {x: {key: env:B}}",
            "llm.providers.x.key: set a second time in this file (first at line 1)",
        ),
        (
            "llm.providers.x.base_url: a.example",
            "llm.providers.x.base_url: expected an http or https URL without user, query or \
             fragment, such as http://127.0.0.1:1234/v1, found \"a.example\"",
        ),
        (
            "llm.providers.x.key: sk-123",
            "llm.providers.x.key: expected env:NAME or vault:NAME, not a key itself; \
             keep it with `elophanto vault set x` and write vault:x",
        ),
        (
            "llm.providers: sk-1",
            "llm.providers: expected a section with settings in it, found a text",
        ),
    ] {
        let error = Config::load(&user(text)).unwrap_err().to_string();
        assert!(error.starts_with("/u/config.yaml:") && error.contains(expected), "{error}");
    }
}

#[test]
fn unknown_leaves_are_warnings() {
    let text = "llm.providers.openai: {baseurl: https://a.example, timeout: 5s, key: env:A}\n\
                llm.providers.x: y\n";
    let (config, warnings) = Config::load(&user(text)).unwrap();
    let said: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "/u/config.yaml:1: unknown key \"llm.providers.openai.baseurl\" ignored \
             (did you mean `llm.providers.NAME.base_url`?)",
            "/u/config.yaml:1: unknown key \"llm.providers.openai.timeout\" ignored",
            "/u/config.yaml:2: unknown key \"llm.providers.x\" ignored",
        ]
    );
    assert_eq!(shown(&config, "openai"), r#"openai https://api.openai.com/v1 ["env:A"]!"#);
}

#[test]
fn where_a_key_is_kept() {
    for (text, fits) in [
        ("env:A", true),
        ("env:_A1", true),
        ("vault:work.key-1_X", true),
        ("env:a", false),
        ("env:", false),
        ("env:1A", false),
        ("ENV:A", false),
        ("vault:", false),
        ("vault:a/b", false),
        ("vault:a b", false),
        (" env:A", false),
        ("sk-123", false),
        ("", false),
    ] {
        let read = KeyRef::read(text);
        assert_eq!(read.is_some(), fits, "{text:?}");
        assert!(read.is_none_or(|key| key.to_string() == text));
    }
}

#[test]
fn the_example_of_the_template_can_be_uncommented() {
    let text = template(&[]);
    let (rest, example) = text.split_once("  # providers:\n").unwrap();
    let example = example.replace("  # ", "  ");
    let (config, warnings) =
        Config::load(&user(&format!("{rest}  providers:\n{example}"))).unwrap();
    assert!(warnings.is_empty(), "{warnings:?}");
    assert_eq!(
        shown(&config, "lmstudio"),
        r#"openai http://127.0.0.1:1234/v1 ["env:LMSTUDIO_API_KEY"]!"#
    );
}

#[test]
fn setting_a_key_leaves_providers_as_they_are() {
    let block = "  providers:\n    x: {base_url: https://a.example, key: vault:x} # mine\n";
    let text = format!("llm:\n  max_tokens: 5\n{block}");
    let pinned = pin(&text, "llm.max_tokens", "64").unwrap().unwrap();
    assert_eq!(pinned, text.replace('5', "64"));
    let pinned = pin(&text, "llm.budget.run", "1usd").unwrap().unwrap();
    assert_eq!(pinned, text.replace("llm:\n", "llm:\n  budget:\n    run: 1usd\n"));
    let (before, after) = (template(&[]), format!("{}{block}", template(&[])));
    let edited = pin(&after, "llm.local_only", "true").unwrap().unwrap();
    assert_eq!(
        edited,
        format!("{}{block}", pin(&before, "llm.local_only", "true").unwrap().unwrap())
    );
    // One line can't be edited without losing the section.
    for text in [
        "llm: {providers: {x: {base_url: https://a.example}}}\n",
        "llm:\n  {providers: {x: {base_url: https://a.example}}}\n",
        "llm:\n  max_tokens:\n    providers: x\n",
    ] {
        assert!(pin(text, "llm.max_tokens", "64").is_err(), "{text}");
    }
    assert!(pin("", "llm.providers.x.base_url", "https://a.example").is_err());
}
