//! The one table of settings.
//!
//! Validation, the commented file that `init` writes and the list that `doctor` prints all come
//! from [`KEYS`]. The one section whose names people choose themselves is [`super::providers`].

use std::time::Duration;

use super::choices::{
    AgentMode, CommitIndex, Mode, Ranking, Reflection, RefreshStale, SinkKind, Source,
};
use super::kind::{Kind, Value};
use super::providers;

const MILLIS_100: Duration = Duration::from_millis(100);
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);
const TEN_YEARS: Duration = Duration::from_secs(3_650 * 86_400);

/// One setting.
#[derive(Debug)]
pub struct Key {
    /// Dotted name, as in `search.limit`.
    pub name: &'static str,
    /// What holds when nobody says otherwise, as it would stand in the file.
    pub default: &'static str,
    /// Which values are allowed.
    pub kind: Kind,
    /// One line for people.
    pub doc: &'static str,
    /// Whether a repository's file may set it by itself.
    pub needs_trust: NeedsTrust,
}

/// Whether a value that comes from a repository's file is obeyed only once the user trusts that
/// file. The user's own file, variables and flags are always obeyed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NeedsTrust {
    /// Nothing that it may say leaves the machine, runs a program or widens a right.
    Never,
    /// Whatever it says.
    Always,
    /// Unless it says one of these words. One that ends with a colon stands for every text that
    /// begins with it.
    Except(&'static [&'static str]),
}

/// Every setting, grouped by section, in the order of the generated file.
pub const KEYS: &[Key] = &[
    key("knowledge.roots", "[.]", Kind::Folders)
        .doc("Folders to read, relative to the repository; `.` is every Markdown file in it."),
    key("knowledge.write_root", "knowledge", Kind::Folder)
        .doc("Folder that elophanto writes its own notes to."),
    key("knowledge.extensions", "[md, markdown, mdown, mkd]", Kind::Extensions)
        .doc("File name endings that count as Markdown."),
    key("knowledge.embedding_provider", "auto", Kind::Embedder)
        .doc("Who embeds: auto, builtin, minilm, openrouter, openai, ollama or local:NAME.")
        // The others hand the text of notes to another program or another machine. A model that
        // this machine does not have is passed over.
        .needs_trust(NeedsTrust::Except(&["auto", "builtin", "minilm", "local:"])),
    key("knowledge.embedding_openrouter_model", "google/gemini-embedding-001", Kind::Text)
        .doc("Model to ask for at OpenRouter.")
        // It decides whose machine the text is sent on to, and what that costs. The other two
        // name a model at an endpoint that the user chose.
        .needs_trust(NeedsTrust::Always),
    key("knowledge.embedding_model", "nomic-embed-text", Kind::Text)
        .doc("Model to ask for at Ollama or at an OpenAI-compatible endpoint."),
    key("knowledge.embedding_fallback", "mxbai-embed-large", Kind::Text)
        .doc("Model to ask Ollama for where the first is missing."),
    key("knowledge.embedding_dimension", "0", Kind::Whole { min: 0, max: 8_192 })
        .doc("Components of a vector to ask a remote model for; 0 takes what the model gives."),
    key("knowledge.minilm_chunks", "20000", Kind::Whole { min: 0, max: 1_000_000 })
        .doc("Up to so many chunks (1000 where nobody watches) `auto` takes minilm, else builtin."),
    key("knowledge.index_interval", "6h", Kind::Span { min: MILLIS_100, max: TEN_YEARS })
        .doc("How often `index --every` runs when no time is given."),
    key("knowledge.max_file_bytes", "16777216", Kind::Whole { min: 1_024, max: 1 << 30 })
        .doc("A larger file is skipped and reported."),
    key("knowledge.chunk.max_tokens", "1000", Kind::Whole { min: 50, max: 100_000 })
        .doc("A larger section is cut: at H3, then between blocks, then between sentences."),
    key("knowledge.chunk.min_tokens", "50", Kind::Whole { min: 0, max: 100_000 })
        .doc("A smaller section joins its neighbour."),
    key("knowledge.chunk.min_split_tokens", "200", Kind::Whole { min: 0, max: 100_000 })
        .doc("Cutting between blocks keeps at least this much; at most max_tokens counts."),
    key("search.limit", "10", Kind::Whole { min: 1, max: 10_000 })
        .doc("How many hits are shown when nothing is said."),
    key("search.mode", "hybrid", Kind::Choice(Mode::WORDS))
        .doc("hybrid (words and meaning), keyword or semantic."),
    key("search.ranking", "weighted", Kind::Choice(Ranking::WORDS))
        .doc("weighted (mean of both scores) or additive (cosine plus boosts)."),
    key("search.semantic_weight", "0.4", Kind::Real { min: 0.0, max: 1.0 }).doc(
        "Share of meaning in a weighted score, words have the rest; unset, as the model needs it.",
    ),
    key("search.recency_weight", "0.02", Kind::Real { min: 0.0, max: 1.0 })
        .doc("What being written just now adds to a score."),
    key("search.recency_half_life", "90d", Kind::Span { min: SECOND, max: TEN_YEARS })
        .doc("After this time half of that is left."),
    key("search.language", "english", Kind::Tongue)
        .doc("Language whose word endings are removed, by its Snowball name, or none."),
    key("search.fuzzy", "true", Kind::Switch)
        .doc("Whether a misspelt word finds its neighbours when it finds nothing itself."),
    key("search.collapse_similarity", "0.97", Kind::Real { min: 0.0, max: 1.0 }).doc(
        "Hits more alike than this cosine are shown as one (unset: as the model was measured).",
    ),
    key("search.refresh_stale", "local", Kind::Choice(RefreshStale::WORDS))
        .doc("Describing a changed file again when it is found: always, local (free) or never.")
        // It may cost money.
        .needs_trust(NeedsTrust::Except(&["local", "never"])),
    key("index.commit", "always", Kind::Choice(CommitIndex::WORDS))
        .doc("Whether vectors are committed: always, slow (of slow models only) or never."),
    key("index.background", "true", Kind::Switch)
        .doc("Whether a search leaves what it could not embed to a process in the background."),
    key("hooks.budget", "1s", Kind::Span { min: Duration::ZERO, max: HOUR })
        .doc("How long the pre-commit hook embeds beyond the first 50 passages; 0s embeds none."),
    key("changelog.enabled", "true", Kind::Switch)
        .doc("Whether a commit adds an entry to the changelog."),
    key("scan.paths", "[.]", Kind::Places)
        .doc("Folders and files to describe; those outside the repository stay on this machine."),
    key("scan.patterns.documentation", r#"["*.md", "*.txt"]"#, Kind::Patterns)
        .doc("File names of documentation, which is described first."),
    key("scan.patterns.configuration", CONFIGURATION, Kind::Patterns)
        .doc("File names of configuration."),
    key("scan.patterns.services", r#"["*.service", "*.timer"]"#, Kind::Patterns)
        .doc("File names of services."),
    key("scan.patterns.source", SOURCE, Kind::Patterns).doc("File names of source code."),
    key("scan.skip", SKIP, Kind::Patterns).doc("File names or paths that are never described."),
    key("scan.max_questions", "10", Kind::Whole { min: 1, max: 100_000 })
        .doc("How many new questions one scan raises."),
    key("scan.interval", "10m", Kind::Span { min: MILLIS_100, max: TEN_YEARS })
        .doc("How often `scan --every` runs when no time is given."),
    key("journal.share", "true", Kind::Switch)
        .doc("Whether questions and summaries are written where git carries them."),
    key("learn.sources", "[knowledge]", Kind::Words(Source::WORDS))
        .doc("Where to look: knowledge, files, searxng, brave, tavily and command, in this order.")
        .needs_trust(NeedsTrust::Always),
    key("learn.queries", "4", Kind::Whole { min: 3, max: 5 })
        .doc("How many searches one topic is given."),
    key("learn.pages", "3", Kind::Whole { min: 0, max: 20 })
        .doc("How many pages that a search found are read whole."),
    key("learn.files", "[.]", Kind::Places)
        .doc("Folders that the source `files` looks in.")
        .needs_trust(NeedsTrust::Always),
    key("learn.searxng_url", "none", Kind::Text)
        .doc("Address of a SearXNG that answers in JSON.")
        .needs_trust(NeedsTrust::Always),
    key("learn.brave_url", "none", Kind::Text)
        .doc("Address of Brave Search, if another; its key is BRAVE_API_KEY or `brave` in the vault.")
        .needs_trust(NeedsTrust::Always),
    key("learn.tavily_url", "none", Kind::Text)
        .doc("Address of Tavily, if another; its key is TAVILY_API_KEY or `tavily` in the vault.")
        .needs_trust(NeedsTrust::Always),
    key("learn.command", "none", Kind::Text)
        .doc("Program that is given a query and prints what it found: text or JSON Lines.")
        .needs_trust(NeedsTrust::Always),
    key("learn.private_pages", "false", Kind::Switch)
        .doc("Whether pages on this machine and in private networks may be read.")
        .needs_trust(NeedsTrust::Except(&["false"])),
    key("interest.count_searches", "false", Kind::Switch)
        .doc("Whether what you search for counts as interest; it stays on this machine.")
        .needs_trust(NeedsTrust::Except(&["false"])),
    key("enrich.every", "10m", Kind::Span { min: MILLIS_100, max: TEN_YEARS })
        .doc("How often `enrich --every` runs when no time is given."),
    key("enrich.searches_per_hour", "12", Kind::Whole { min: 1, max: 3_600 })
        .doc("How many searches enrichment makes at most."),
    key("notify.sinks", "[terminal]", Kind::Words(SinkKind::WORDS))
        .doc("Where discoveries are told: terminal, file, desktop, command and webhook.")
        .needs_trust(NeedsTrust::Always),
    key("notify.file", "none", Kind::Text)
        .doc("File that discoveries are appended to, as JSON Lines.")
        .needs_trust(NeedsTrust::Always),
    key("notify.program", "none", Kind::Text)
        .doc("Program that is handed each discovery as JSON on its standard input.")
        .needs_trust(NeedsTrust::Always),
    key("notify.webhook", "none", Kind::Text)
        .doc("Address that each discovery is sent to as JSON.")
        .needs_trust(NeedsTrust::Always),
    key("notify.quiet_hours", "none", Kind::Text)
        .doc("Local time at which nothing is told, such as 22:00-07:00."),
    key("memory.folder", "none", Kind::Text)
        .doc("Folder outside the repository where several share what their agents remember.")
        .needs_trust(NeedsTrust::Always),
    key("memory.agent_id", "shell", Kind::Text)
        .doc("Who remembers, where the command does not say it."),
    key("agent.mode", "ask", Kind::Choice(AgentMode::WORDS))
        .doc("What the agent does unasked: ask (nothing), smart (what is safe) or full.")
        // A repository may narrow what the user allows, not widen it.
        .needs_trust(NeedsTrust::Except(&["ask"])),
    key("agent.max_steps", "40", Kind::Whole { min: 1, max: 1_000 })
        .doc("How many calls of tools one run may make."),
    key("agent.reflect", "steps", Kind::Choice(Reflection::WORDS))
        .doc("When the agent looks back: after all steps, or after failures only."),
    key("agent.tool_timeout", "2m", Kind::Span { min: SECOND, max: HOUR })
        .doc("How long one call of a tool may take."),
    key("agent.tool_memory", "4294967296", Kind::Whole { min: 1 << 20, max: 1 << 40 })
        .doc("Bytes of memory that a command of the agent may take."),
    key("agent.network", "false", Kind::Switch)
        .doc("Whether commands of the agent may use the network.")
        .needs_trust(NeedsTrust::Except(&["false"])),
    key("agent.readable", "none", Kind::Text)
        .doc("More folders that commands of the agent may read, separated by colons.")
        .needs_trust(NeedsTrust::Always),
    key("agent.writable", "none", Kind::Text)
        .doc("More folders that commands of the agent may write to, separated by colons.")
        .needs_trust(NeedsTrust::Always),
    key("agent.hub", "none", Kind::Text)
        .doc("Address of the git repository that skills are searched in.")
        .needs_trust(NeedsTrust::Always),
    key("llm.local_only", "false", Kind::Switch)
        .doc("Whether only models on this machine are asked.")
        // A repository may narrow what the user allows, not widen it.
        .needs_trust(NeedsTrust::Except(&["true"])),
    key("llm.context_tokens", "16384", Kind::Whole { min: 1_024, max: 1 << 20 })
        .doc("Most tokens that one request may hold, the answer included."),
    key("llm.max_tokens", "2048", Kind::Whole { min: 16, max: 1 << 17 })
        .doc("Most tokens of one answer."),
    key("llm.timeout", "2m", Kind::Span { min: SECOND, max: HOUR })
        .doc("How long one request may take."),
    key("llm.budget.run", "none", Kind::Budget)
        .doc("What one run may spend, such as 0.50usd,20000tok,30calls; none sets no limit.")
        .needs_trust(NeedsTrust::Always),
    key("llm.budget.day", "none", Kind::Budget)
        .doc("What one day may spend, in the same form.")
        .needs_trust(NeedsTrust::Always),
    key("llm.budget.month", "none", Kind::Budget)
        .doc("What one month may spend, in the same form.")
        .needs_trust(NeedsTrust::Always),
    // A repository may name models, never where a request or a key is sent.
    key("llm.tasks.planning", CLAUDE, Kind::Models)
        .doc("Models that plan, as provider/model; each is asked where those before it fail."),
    key("llm.tasks.coding", CLAUDE, Kind::Models).doc("Models that write code."),
    key("llm.tasks.analysis", FLASH, Kind::Models).doc("Models that analyse."),
    key("llm.tasks.simple", FLASH_LITE, Kind::Models).doc("Models for short and simple answers."),
    key("llm.tasks.review", REVIEW, Kind::Models)
        .doc("Models that review code; better not those that wrote it."),
    key("llm.tasks.extraction", FLASH, Kind::Models)
        .doc("Models that extract knowledge from text."),
    key("llm.tasks.summary", FLASH, Kind::Models).doc("Models that summarise."),
];

/// The section of models for each kind of task.
pub(super) const TASKS: &str = "llm.tasks";

const CONFIGURATION: &str = r#"["*.yaml", "*.yml", "*.json", "*.toml"]"#;
const SOURCE: &str = concat!(
    r#"["*.rs", "*.py", "*.pyi", "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx", "#,
    r#""*.go", "*.c", "*.h", "*.java", "*.sh", "*.bash", "*.sql", "*.graphql", "*.gql", "*.proto"]"#
);
const SKIP: &str = concat!(
    r#"["*.pyc", "*.backup*", "*.bak", "*.orig", "*~", "*.min.js", "*.min.css", "*.map", "*.snap", "#,
    r#"package-lock.json, pnpm-lock.yaml, go.sum, "*_pb2.py", "*.pb.go"]"#
);

const CLAUDE: &str = r#"[openrouter/anthropic/claude-sonnet-4.5, "ollama/qwen2.5-coder:14b"]"#;
const FLASH: &str = r#"[openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"]"#;
const FLASH_LITE: &str = r#"[openrouter/google/gemini-2.5-flash-lite, "ollama/qwen2.5-coder:14b"]"#;
const REVIEW: &str = r#"[openrouter/google/gemini-2.5-pro, "ollama/deepseek-r1:14b"]"#;

/// What may be misspelt besides a setting's whole name.
const SECTIONS: &[&str] = &[
    "knowledge",
    "knowledge.chunk",
    "search",
    "index",
    "hooks",
    "changelog",
    "scan",
    "scan.patterns",
    "journal",
    "learn",
    "interest",
    "enrich",
    "notify",
    "memory",
    "agent",
    "llm",
    "llm.budget",
    TASKS,
    providers::SECTION,
];

/// The setting of that name.
pub fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name == name)
}

/// Whether some setting's name begins with this one and a dot.
pub fn is_section(name: &str) -> bool {
    let begins = |key: &Key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    name == providers::SECTION || KEYS.iter().any(begins)
}

/// The known setting or section that an unknown name most likely means.
pub fn suggest(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > 100 {
        return None;
    }
    if providers::is_meant(name) {
        return providers::suggest(name);
    }
    let leaf = name.rsplit('.').next().unwrap_or(name);
    let mut same_leaf = KEYS.iter().filter(|key| key.name.rsplit('.').next() == Some(leaf));
    if let (Some(only), None) = (same_leaf.next(), same_leaf.next()) {
        return Some(only.name);
    }
    let names = KEYS.iter().map(|key| key.name);
    let candidates = names.chain(SECTIONS.iter().copied().filter(|section| is_section(section)));
    let likeness = |known: &str| strsim::normalized_damerau_levenshtein(name, known);
    candidates
        .map(|known| (likeness(known), known))
        .filter(|(score, _)| *score >= 0.7)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

impl Key {
    /// Section and last part of the name.
    pub fn split(&self) -> (&'static str, &'static str) {
        self.name.rsplit_once('.').unwrap_or(("", self.name))
    }

    /// The environment variable that sets it: `ELOPHANTO_SEARCH_LIMIT` for `search.limit`.
    pub fn variable(&self) -> String {
        format!("ELOPHANTO_{}", self.name.replace('.', "_").to_uppercase())
    }

    /// Whether this value of a repository's file is passed over until the user trusts the file.
    pub fn guards(&self, value: &Value) -> bool {
        match self.needs_trust {
            NeedsTrust::Never => false,
            NeedsTrust::Always => true,
            NeedsTrust::Except(words) => {
                let text = match value {
                    Value::Text(text) => text.as_str(),
                    Value::Switch(true) => "true",
                    Value::Switch(false) => "false",
                    _ => return true,
                };
                let is =
                    |word: &&str| *word == text || word.ends_with(':') && text.starts_with(word);
                !words.iter().any(is)
            }
        }
    }

    const fn doc(self, doc: &'static str) -> Self {
        Self { doc, ..self }
    }

    const fn needs_trust(self, needs_trust: NeedsTrust) -> Self {
        Self { needs_trust, ..self }
    }
}

const fn key(name: &'static str, default: &'static str, kind: Kind) -> Key {
    Key { name, default, kind, doc: "", needs_trust: NeedsTrust::Never }
}

#[cfg(test)]
mod tests {
    use super::super::kind::Raw;
    use super::super::template::raw_of;
    use super::*;

    #[test]
    fn what_needs_trust() {
        for (name, text, expected) in [
            ("knowledge.embedding_provider", "auto", false),
            ("knowledge.embedding_provider", "Builtin", false),
            ("knowledge.embedding_provider", "minilm", false),
            ("knowledge.embedding_provider", "openrouter", true),
            ("knowledge.embedding_provider", "openai", true),
            ("knowledge.embedding_provider", "OLLAMA", true),
            ("knowledge.embedding_openrouter_model", "a/b", true),
            ("knowledge.embedding_model", "a", false),
            ("search.mode", "semantic", false),
            ("knowledge.embedding_provider", "local:bge", false),
            ("knowledge.embedding_dimension", "256", false),
            ("llm.local_only", "true", false),
            ("llm.local_only", "false", true),
            ("llm.budget.run", "none", true),
            ("llm.budget.month", "1calls", true),
            ("llm.tasks.coding", "evil/x", false),
        ] {
            let key = find(name).unwrap();
            let value = key.kind.read(&Raw::Scalar(text.to_owned())).unwrap();
            assert_eq!(key.guards(&value), expected, "{name}: {text}");
        }
    }

    #[test]
    fn suggests_what_was_meant() {
        for (name, expected) in [
            ("knowledge.rots", Some("knowledge.roots")),
            ("search.semantic_wieght", Some("search.semantic_weight")),
            ("limit", Some("search.limit")),
            ("knowledge.max_tokens", Some("knowledge.chunk.max_tokens")),
            ("serch", Some("search")),
            ("llm.taks", Some("llm.tasks")),
            ("llm.task.planing", Some("llm.tasks.planning")),
            ("llm.provider", Some("llm.providers")),
            ("llm.providers.x.baseurl", Some("llm.providers.NAME.base_url")),
            ("LLM.providers.x.Key", Some("llm.providers.NAME.key")),
            ("llm.providers.x.timeout", None),
            ("something.else", None),
            ("", None),
        ] {
            assert_eq!(suggest(name), expected, "{name}");
        }
    }

    #[test]
    fn the_table_is_sound() {
        for (at, key) in KEYS.iter().enumerate() {
            assert!(KEYS[..at].iter().all(|other| other.name != key.name), "{}", key.name);
            let value = key.kind.read(&raw_of(key.default));
            let value = value.unwrap_or_else(|| panic!("{}", key.name));
            assert_eq!(value.to_string(), key.default);
            assert!(key.doc.ends_with('.') && key.doc.len() < 90, "{}", key.name);
            let NeedsTrust::Except(words) = key.needs_trust else { continue };
            match key.kind {
                Kind::Choice(known) => {
                    assert!(words.iter().all(|word| known.contains(word)), "{}", key.name);
                    assert!(!key.guards(&value), "{}: the default needs trust", key.name);
                }
                Kind::Embedder => assert!(!key.guards(&value), "{}", key.name),
                // The narrower of the two is harmless; the default need not be it.
                Kind::Switch => assert!(matches!(words, ["true"] | ["false"]), "{}", key.name),
                _ => panic!("{} has no words", key.name),
            }
        }
    }
}
