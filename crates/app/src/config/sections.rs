//! Every setting, in the order of the generated file.
//!
//! This is the one place where a setting is declared: what it is called, what it is for, what it
//! is by default and which values it allows. How a declaration reads: [`settings!`]. The one
//! section whose names people choose themselves is [`super::providers`].

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::ConfigError;
use super::choices::{
    AgentMode, CommitIndex, Images, KeepTexts, Mode, Provider, Ranking, Reflection, RefreshStale,
    SecondLook, SinkKind, Source, TaskNotes,
};
use super::declare::{Natural, Section, settings};
use super::keys::Key;
use super::keys::NeedsTrust::{self, Always, Except, Raising, RaisingTo0, Widening};
use super::kind::Kind;
use super::providers::ProviderConfig;
use super::resolved::Resolved;

const HOW_OFTEN: Kind = Kind::Span { min: MILLIS_100, max: TEN_YEARS };
const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3_600);
const MILLIS_100: Duration = Duration::from_millis(100);
const TEN_YEARS: Duration = Duration::from_secs(3_650 * 86_400);

settings! {
    Sections in "" {
        /// What is read, and how it is cut and embedded.
        knowledge: KnowledgeConfig;
        /// How questions are answered.
        search: SearchConfig;
        /// How the knowledge base is looked at in a browser.
        page: PageConfig;
        /// What is committed.
        index: IndexConfig;
        /// What git's hooks may take.
        hooks: HooksConfig;
        /// What is said about changes.
        changelog: ChangelogConfig;
        /// What is described.
        scan: ScanConfig;
        /// Where what happened is written down.
        journal: JournalConfig;
        /// How what the user wants to know is found out.
        learn: LearnConfig;
        /// What counts as interest.
        interest: InterestConfig;
        /// How what is known is deepened.
        enrich: EnrichConfig;
        /// How discoveries are told.
        notify: NotifyConfig;
        /// What agents remember, and where.
        memory: MemoryConfig;
        /// What the agent may do.
        agent: AgentConfig;
        /// How the agent is spoken to from elsewhere.
        gateway: GatewayConfig;
        /// Which language models are asked, and within which limits.
        llm: LlmConfig;
    }

    KnowledgeConfig in "knowledge" {
        /// Folders to read, relative to the repository; `.` is every Markdown file in it.
        roots: Vec<PathBuf> = "[.]", Kind::Folders;
        /// Folder that elophanto writes its own notes to.
        // Relative to the repository. What is hidden belongs to other programs: `.claude/commands`.
        write_root: PathBuf = "knowledge", Kind::Folder;
        /// File name endings that count as Markdown.
        // Without the dot, in lower case.
        extensions: Vec<String> = "[md, markdown, mdown, mkd]", Kind::Extensions;
        /// Who embeds: auto, builtin, minilm, openrouter, openai, ollama or local:NAME.
        // The others hand the text of notes to another program or another machine. A model that
        // this machine does not have is passed over.
        #[needs_trust(Except(&["auto", "builtin", "minilm", "local:"]))]
        embedding_provider: Provider = "auto";
        /// Model to ask for at OpenRouter.
        // It decides whose machine the text is sent on to, and what that costs. The other two
        // name a model at an endpoint that the user chose.
        #[needs_trust(Always)]
        embedding_openrouter_model: String = "google/gemini-embedding-001";
        /// Model to ask for at Ollama or at an OpenAI-compatible endpoint.
        embedding_model: String = "nomic-embed-text";
        /// Model to ask Ollama for where the first is missing.
        embedding_fallback: String = "mxbai-embed-large";
        /// Components of a vector to ask a remote model for; 0 takes what the model gives.
        embedding_dimension: usize = "0", Kind::Whole { min: 0, max: 8_192 };
        /// Up to so many chunks (1000 where nobody watches) `auto` takes minilm, else builtin.
        minilm_chunks: usize = "20000", Kind::Whole { min: 0, max: 1_000_000 };
        /// How often `index --every` runs when no time is given.
        index_interval: Duration = "6h", HOW_OFTEN;
        /// A larger file is skipped and reported.
        max_file_bytes: u64 = "16777216", Kind::Whole { min: 1_024, max: 1 << 30 };
        /// How notes are cut.
        chunk: ChunkConfig;
    }

    ChunkConfig in "knowledge.chunk" {
        /// A larger section is cut: at H3, then between blocks, then between sentences.
        max_tokens: usize = "1000", Kind::Whole { min: 50, max: 100_000 };
        /// A smaller section joins its neighbour.
        min_tokens: usize = "50", Kind::Whole { min: 0, max: 100_000 };
        /// Cutting between blocks keeps at least this much; at most max_tokens counts.
        min_split_tokens: usize = "200", Kind::Whole { min: 0, max: 100_000 };
    }

    SearchConfig in "search" {
        /// How many hits are shown when nothing is said.
        limit: usize = "10", Kind::Whole { min: 1, max: 10_000 };
        /// hybrid (words and meaning), keyword or semantic.
        mode: Mode = "hybrid";
        /// weighted (mean of both scores) or additive (cosine plus boosts).
        ranking: Ranking = "weighted";
        /// Share of meaning in a weighted score, words have the rest; unset, as the model needs it.
        semantic_weight: f64 = "0.4", Kind::Real { min: 0.0, max: 1.0 };
        /// What being written just now adds to a score.
        recency_weight: f64 = "0.02", Kind::Real { min: 0.0, max: 1.0 };
        /// After this time half of that is left.
        recency_half_life: Duration = "90d", Kind::Span { min: SECOND, max: TEN_YEARS };
        /// Language of notes that are clearly in no other, by its Snowball name; none stems nothing.
        language: String = "english", Kind::Tongue;
        /// Whether a misspelt word finds its neighbours when it finds nothing itself.
        fuzzy: bool = "true";
        /// Hits more alike than this cosine are shown as one (unset: as the model was measured).
        collapse_similarity: f64 = "0.97", Kind::Real { min: 0.0, max: 1.0 };
        /// minilm rereads the built-in model's best hits: auto (150ms, no pipes), always, never.
        second_look: SecondLook = "auto";
        /// Describing a changed file again when it is found: always, local (free) or never.
        // It may cost money.
        #[needs_trust(Widening(&["never", "local", "always"]))]
        refresh_stale: RefreshStale = "local";
    }

    PageConfig in "page" {
        /// Opens a place in your editor, as vscode://file/{path}:{line} does; none opens nothing.
        #[needs_trust(Always)]
        editor: String = "none", Kind::Opener;
    }

    IndexConfig in "index" {
        /// Whether vectors are committed: always, slow (of slow models only) or never.
        // What a commit brings along, and which processes run, a repository may narrow, not widen.
        #[needs_trust(Widening(&["never", "slow", "always"]))]
        commit: CommitIndex = "always";
        /// Whether a search leaves what it could not embed to a process in the background.
        #[needs_trust(Raising)]
        background: bool = "true";
    }

    HooksConfig in "hooks" {
        /// How long the pre-commit hook embeds beyond the first 50 passages; 0s embeds none.
        budget: Duration = "1s", Kind::Span { min: Duration::ZERO, max: HOUR };
    }

    ChangelogConfig in "changelog" {
        /// Whether a commit adds an entry to the changelog.
        #[needs_trust(Raising)]
        enabled: bool = "true";
    }

    ScanConfig in "scan" {
        /// Folders and files to describe; those outside the repository stay on this machine.
        paths: Vec<PathBuf> = "[.]", Kind::Places;
        /// Which files are described, by what they are.
        patterns: PatternsConfig;
        /// File names or paths that are never described.
        // A repository says which of its own files: their text goes nowhere that the user did not agree to.
        skip: Vec<String> = concat!(
            r#"["*.pyc", "*.backup*", "*.bak", "*.orig", "*~", "*.min.js", "*.min.css", "*.map", "#,
            r#""*.snap", package-lock.json, pnpm-lock.yaml, go.sum, "*_pb2.py", "*.pb.go"]"#
        ), Kind::Patterns;
        /// How many new questions one scan raises.
        max_questions: usize = "10", Kind::Whole { min: 1, max: 100_000 };
        /// How often `scan --every` runs when no time is given.
        interval: Duration = "10m", HOW_OFTEN;
    }

    PatternsConfig in "scan.patterns" {
        /// File names of documentation, which is described first.
        documentation: Vec<String> = r#"["*.md", "*.txt"]"#, Kind::Patterns;
        /// File names of configuration.
        configuration: Vec<String> = r#"["*.yaml", "*.yml", "*.json", "*.toml"]"#, Kind::Patterns;
        /// File names of services.
        services: Vec<String> = r#"["*.service", "*.timer"]"#, Kind::Patterns;
        /// File names of source code.
        source: Vec<String> = concat!(
            r#"["*.rs", "*.py", "*.pyi", "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "#,
            r#""*.cts", "*.tsx", "*.go", "*.c", "*.h", "*.java", "*.sh", "*.bash", "*.sql", "#,
            r#""*.graphql", "*.gql", "*.proto", "*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "#,
            r#""*.hxx", "*.cs", "*.kt", "*.kts", "*.swift", "*.scala", "*.sc", "*.groovy", "#,
            r#""*.gradle", "*.dart", "*.php", "*.zig", "*.rb", "*.rake", "*.gemspec", "*.pl", "#,
            r#""*.pm", "*.ex", "*.exs", "*.jl", "*.r", "*.ps1", "*.psm1", "*.lua", "*.hs", "#,
            r#""*.ml", "*.mli", "*.erl", "*.hrl", "*.clj", "*.cljs", "*.cljc", "*.R", Gemfile, "#,
            r#"Rakefile]"#
        ), Kind::Patterns;
    }

    JournalConfig in "journal" {
        /// Whether questions and summaries are written where git carries them.
        #[needs_trust(Raising)]
        share: bool = "true";
    }

    LearnConfig in "learn" {
        /// Where to look: knowledge, files, searxng, brave, tavily and command, in this order.
        #[needs_trust(Always)]
        sources: Vec<Source> = "[knowledge]", Kind::Words(Source::WORDS);
        /// How many searches one topic is given.
        queries: usize = "4", Kind::Whole { min: 3, max: 5 };
        /// How many pages that a search found are read whole.
        pages: usize = "3", Kind::Whole { min: 0, max: 20 };
        /// Folders that the source `files` looks in.
        // Relative to the repository or absolute.
        #[needs_trust(Always)]
        files: Vec<PathBuf> = "[.]", Kind::Places;
        /// Address of a SearXNG that answers in JSON.
        #[needs_trust(Always)]
        searxng_url: Option<String> = "none";
        /// Address of Brave Search, if another; its key is BRAVE_API_KEY or `brave` in the vault.
        #[needs_trust(Always)]
        brave_url: Option<String> = "none";
        /// Address of Tavily, if another; its key is TAVILY_API_KEY or `tavily` in the vault.
        #[needs_trust(Always)]
        tavily_url: Option<String> = "none";
        /// Program that is given a query and prints what it found: text or JSON Lines.
        // With its arguments in one line, as a shell takes them.
        #[needs_trust(Always)]
        command: Option<String> = "none";
        /// How long the texts that facts were found in are kept: none, local (this machine) or git.
        // A text that the user hands over may be private: a repository does not publish it.
        #[needs_trust(Widening(&["none", "local", "git"]))]
        keep: KeepTexts = "local";
        /// Whether pages on this machine and in private networks may be read.
        #[needs_trust(Except(&["false"]))]
        private_pages: bool = "false";
    }

    InterestConfig in "interest" {
        /// Whether what you search for counts as interest; it stays on this machine.
        #[needs_trust(Except(&["false"]))]
        count_searches: bool = "false";
    }

    EnrichConfig in "enrich" {
        /// How often `enrich --every` runs when no time is given.
        every: Duration = "10m", HOW_OFTEN;
        /// How many searches enrichment makes at most.
        #[needs_trust(Raising)]
        searches_per_hour: usize = "12", Kind::Whole { min: 1, max: 3_600 };
    }

    NotifyConfig in "notify" {
        /// Discoveries go to terminal, file, desktop, command, webhook, telegram, discord, slack.
        #[needs_trust(Always)]
        sinks: Vec<SinkKind> = "[terminal]", Kind::Words(SinkKind::WORDS);
        /// File that discoveries are appended to, as JSON Lines.
        #[needs_trust(Always)]
        file: Option<String> = "none";
        /// Program that is handed each discovery as JSON on its standard input.
        // With its arguments in one line, as a shell takes them.
        #[needs_trust(Always)]
        program: Option<String> = "none";
        /// Address that each discovery is sent to as JSON.
        #[needs_trust(Always)]
        webhook: Option<String> = "none";
        /// Local time at which nothing is told, such as 22:00-07:00.
        quiet_hours: Option<String> = "none";
    }

    MemoryConfig in "memory" {
        /// Folder outside the repository where several share what their agents remember.
        // `None` keeps each repository's memory in it.
        #[needs_trust(Always)]
        folder: Option<PathBuf> = "none";
        /// Who remembers, where the command does not say it.
        agent_id: String = "shell";
    }

    AgentConfig in "agent" {
        /// What the agent does unasked: ask (nothing), smart (what is safe) or full.
        // A repository may narrow what the user allows, not widen it.
        #[needs_trust(Except(&["ask"]))]
        mode: AgentMode = "ask";
        /// How many calls of tools one run may make.
        #[needs_trust(Raising)]
        max_steps: usize = "40", Kind::Whole { min: 1, max: 1_000 };
        /// Most tokens of a prompt and its answer; 0: as many as the model takes.
        // Where that is not known, `llm.context_tokens`.
        #[needs_trust(RaisingTo0)]
        context_tokens: usize = "0", Kind::Whole { min: 0, max: 1 << 21 };
        /// How many sub-agents one call may have read side by side; 0 offers none.
        #[needs_trust(Raising)]
        readers: usize = "3", Kind::Whole { min: 0, max: 8 };
        /// Most tokens that each of them uses, within its share of what the run has left.
        #[needs_trust(Raising)]
        reader_tokens: usize = "50000", Kind::Whole { min: 6_000, max: 1 << 20 };
        /// When the agent looks back: with all steps, or after failures only.
        reflect: Reflection = "steps";
        /// Where what became of a task is written down: journal (of this clone), knowledge or none.
        #[needs_trust(Widening(&["none", "journal", "knowledge"]))]
        notes: TaskNotes = "journal";
        /// A command that checks the work tree before an answer stands: cargo check, npm test.
        // It runs as the agent's own commands do.
        #[needs_trust(Always)]
        check: Option<String> = "none";
        /// How long one call of a tool may take.
        #[needs_trust(Raising)]
        tool_timeout: Duration = "2m", Kind::Span { min: SECOND, max: HOUR };
        /// Bytes of memory that a command of the agent may take.
        #[needs_trust(Raising)]
        tool_memory: u64 = "4294967296", Kind::Whole { min: 1 << 20, max: 1 << 40 };
        /// Whether commands of the agent may use the network.
        #[needs_trust(Except(&["false"]))]
        network: bool = "false";
        /// More folders that commands of the agent may read, separated by colons.
        // Absolute, or below the home folder with `~/`.
        #[needs_trust(Always)]
        readable: Vec<PathBuf> = "none", Kind::Text;
        /// More folders that commands of the agent may write to, separated by colons.
        #[needs_trust(Always)]
        writable: Vec<PathBuf> = "none", Kind::Text;
        /// Where skills are searched: builtin, a folder, or the address of a git repository.
        #[needs_trust(Always)]
        hub: Option<String> = "builtin";
    }

    LlmConfig in "llm" {
        /// Whether only models on this machine are asked.
        // A repository may narrow what the user allows, not widen it.
        #[needs_trust(Except(&["true"]))]
        local_only: bool = "false";
        /// Most tokens that one request may hold, the answer included.
        #[needs_trust(Raising)]
        context_tokens: usize = "16384", Kind::Whole { min: 1_024, max: 1 << 20 };
        /// Most tokens of one answer.
        #[needs_trust(Raising)]
        max_tokens: usize = "2048", Kind::Whole { min: 16, max: 1 << 17 };
        /// Which models are shown images: auto (those known to take them), always or never.
        #[needs_trust(Widening(&["never", "auto", "always"]))]
        images: Images = "auto";
        /// How long one request may take.
        #[needs_trust(Raising)]
        timeout: Duration = "2m", Kind::Span { min: SECOND, max: HOUR };
        /// What models cost that the program has no price of, such as openai/gpt-6=1.25/10.
        // US dollars per million tokens, read and written.
        #[needs_trust(Always)]
        prices: Option<String> = "none";
        /// What may be spent.
        budget: BudgetConfig;
        /// Models for each kind of task.
        tasks: TasksConfig;
        /// Where models are reached, by name.
        providers: BTreeMap<String, ProviderConfig>;
    }

    BudgetConfig in "llm.budget" {
        /// What one run may spend, such as 0.50usd,20000tok,30calls; none sets no limit.
        #[needs_trust(Always)]
        run: String = "none", Kind::Budget;
        /// What one day may spend, in the same form.
        #[needs_trust(Always)]
        day: String = "none", Kind::Budget;
        /// What one month may spend, in the same form.
        #[needs_trust(Always)]
        month: String = "none", Kind::Budget;
    }

    // They decide whose machine a text is sent on to, and what that costs: a proxy on this machine is asked
    // without a question, whatever model it hands a request on to.
    TasksConfig in "llm.tasks" {
        /// Models that plan, as provider/model; each is asked where those before it fail.
        #[needs_trust(Always)]
        planning: Vec<String> = CLAUDE, Kind::Models;
        /// Models that write code.
        #[needs_trust(Always)]
        coding: Vec<String> = CLAUDE, Kind::Models;
        /// Models that analyse.
        #[needs_trust(Always)]
        analysis: Vec<String> = FLASH, Kind::Models;
        /// Models for short and simple answers.
        #[needs_trust(Always)]
        simple: Vec<String> = FLASH_LITE, Kind::Models;
        /// Models that review code; better not those that wrote it.
        #[needs_trust(Always)]
        review: Vec<String> = REVIEW, Kind::Models;
        /// Models that extract knowledge from text.
        #[needs_trust(Always)]
        extraction: Vec<String> = FLASH, Kind::Models;
        /// Models that summarise.
        #[needs_trust(Always)]
        summary: Vec<String> = FLASH, Kind::Models;
    }

    GatewayConfig in "gateway" {
        /// Address to listen at; another than this machine's needs a token, and TLS in front.
        #[needs_trust(Always)]
        host: IpAddr = "127.0.0.1";
        /// Port to listen at; 0 takes any that is free.
        #[needs_trust(Always)]
        port: u16 = "18789";
        /// Repositories that conversations may be about: `.` is the one here, ~/NAME one of yours.
        // `.` is the one around the current folder; what else is relative lies below the home folder.
        #[needs_trust(Always)]
        repositories: Vec<PathBuf> = "[.]", Kind::Places;
        /// After this time an approval that nobody answered counts as denied.
        #[needs_trust(Always)]
        approval_expires: Duration = "1d", Kind::Span { min: SECOND, max: TEN_YEARS };
        /// Who is one person on several channels, such as ["telegram:1 slack:U2"].
        // One text for each person.
        #[needs_trust(Always)]
        same_person: Vec<String> = "none", Kind::People;
        /// Whether what people say is read for facts and what they care about.
        #[needs_trust(Always)]
        learn: bool = "true";
        /// Whether bots answer in groups whoever may write to them, from the notes alone.
        #[needs_trust(Always)]
        groups: bool = "false";
        /// Address of Telegram's Bot API, if another than theirs.
        #[needs_trust(Always)]
        telegram_url: Option<String> = "none";
        /// Address of Discord's HTTP API, if another than theirs.
        #[needs_trust(Always)]
        discord_url: Option<String> = "none";
        /// Address of Slack's Web API, if another than theirs.
        #[needs_trust(Always)]
        slack_url: Option<String> = "none";
    }
}

const CLAUDE: &str = r#"[openrouter/anthropic/claude-sonnet-4.5, "ollama/qwen2.5-coder:14b"]"#;
const FLASH: &str = r#"[openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"]"#;
const FLASH_LITE: &str = r#"[openrouter/google/gemini-2.5-flash-lite, "ollama/qwen2.5-coder:14b"]"#;
const REVIEW: &str = r#"[openrouter/google/gemini-2.5-pro, "ollama/deepseek-r1:14b"]"#;
