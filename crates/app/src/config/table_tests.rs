//! What comes of all declarations, as people see it.

use super::*;

/// The whole file as `init` writes it.
#[test]
fn the_template_as_it_stands() {
    insta::assert_snapshot!(template(&[]), @r#"
    # Settings of elophanto for this repository. Every key stands here with its default.
    # To change one, remove the `# ` in front of it and edit the value.
    #
    # What is set here wins over the user's own file; environment and command line win over this.

    knowledge:
      # Folders to read, relative to the repository; `.` is every Markdown file in it.
      # roots: [.]
      # Folder that elophanto writes its own notes to.
      # write_root: knowledge
      # File name endings that count as Markdown.
      # extensions: [md, markdown, mdown, mkd]
      # Who embeds: auto, builtin, minilm, openrouter, openai, ollama or local:NAME.
      # embedding_provider: auto
      # Model to ask for at OpenRouter.
      # embedding_openrouter_model: google/gemini-embedding-001
      # Model to ask for at Ollama or at an OpenAI-compatible endpoint.
      # embedding_model: nomic-embed-text
      # Model to ask Ollama for where the first is missing.
      # embedding_fallback: mxbai-embed-large
      # Components of a vector to ask a remote model for; 0 takes what the model gives.
      # embedding_dimension: 0
      # Up to so many chunks (1000 where nobody watches) `auto` takes minilm, else builtin.
      # minilm_chunks: 20000
      # How often `index --every` runs when no time is given.
      # index_interval: 6h
      # A larger file is skipped and reported.
      # max_file_bytes: 16777216
      chunk:
        # A larger section is cut: at H3, then between blocks, then between sentences.
        # max_tokens: 1000
        # A smaller section joins its neighbour.
        # min_tokens: 50
        # Cutting between blocks keeps at least this much; at most max_tokens counts.
        # min_split_tokens: 200

    search:
      # How many hits are shown when nothing is said.
      # limit: 10
      # hybrid (words and meaning), keyword or semantic.
      # mode: hybrid
      # weighted (mean of both scores) or additive (cosine plus boosts).
      # ranking: weighted
      # Share of meaning in a weighted score, words have the rest; unset, as the model needs it.
      # semantic_weight: 0.4
      # What being written just now adds to a score.
      # recency_weight: 0.02
      # After this time half of that is left.
      # recency_half_life: 90d
      # Language of notes that are clearly in no other, by its Snowball name; none stems nothing.
      # language: english
      # Whether a misspelt word finds its neighbours when it finds nothing itself.
      # fuzzy: true
      # Hits more alike than this cosine are shown as one (unset: as the model was measured).
      # collapse_similarity: 0.97
      # minilm rereads the built-in model's best hits: auto (150ms, no pipes), always, never.
      # second_look: auto
      # Describing a changed file again when it is found: always, local (free) or never.
      # refresh_stale: local

    page:
      # Opens a place in your editor, as vscode://file/{path}:{line} does; none opens nothing.
      # editor: none

    index:
      # Whether vectors are committed: always, slow (of slow models only) or never.
      # commit: always
      # Whether a search leaves what it could not embed to a process in the background.
      # background: true

    hooks:
      # How long the pre-commit hook embeds beyond the first 50 passages; 0s embeds none.
      # budget: 1s

    changelog:
      # Whether a commit adds an entry to the changelog.
      # enabled: true

    scan:
      # Folders and files to describe; those outside the repository stay on this machine.
      # paths: [.]
      patterns:
        # File names of documentation, which is described first.
        # documentation: ["*.md", "*.txt"]
        # File names of configuration.
        # configuration: ["*.yaml", "*.yml", "*.json", "*.toml"]
        # File names of services.
        # services: ["*.service", "*.timer"]
        # File names of source code.
        # source: ["*.rs", "*.py", "*.pyi", "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx", "*.go", "*.c", "*.h", "*.java", "*.sh", "*.bash", "*.sql", "*.graphql", "*.gql", "*.proto", "*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.hxx", "*.cs", "*.kt", "*.kts", "*.swift", "*.scala", "*.sc", "*.groovy", "*.gradle", "*.dart", "*.php", "*.zig", "*.rb", "*.rake", "*.gemspec", "*.pl", "*.pm", "*.ex", "*.exs", "*.jl", "*.r", "*.ps1", "*.psm1", "*.lua", "*.hs", "*.ml", "*.mli", "*.erl", "*.hrl", "*.clj", "*.cljs", "*.cljc", "*.R", Gemfile, Rakefile]
      # File names or paths that are never described.
      # skip: ["*.pyc", "*.backup*", "*.bak", "*.orig", "*~", "*.min.js", "*.min.css", "*.map", "*.snap", package-lock.json, pnpm-lock.yaml, go.sum, "*_pb2.py", "*.pb.go"]
      # How many new questions one scan raises.
      # max_questions: 10
      # How often `scan --every` runs when no time is given.
      # interval: 10m

    journal:
      # Whether questions and summaries are written where git carries them.
      # share: true

    learn:
      # Where to look: knowledge, files, searxng, brave, tavily and command, in this order.
      # sources: [knowledge]
      # How many searches one topic is given.
      # queries: 4
      # How many pages that a search found are read whole.
      # pages: 3
      # Folders that the source `files` looks in.
      # files: [.]
      # Address of a SearXNG that answers in JSON.
      # searxng_url: none
      # Address of Brave Search, if another; its key is BRAVE_API_KEY or `brave` in the vault.
      # brave_url: none
      # Address of Tavily, if another; its key is TAVILY_API_KEY or `tavily` in the vault.
      # tavily_url: none
      # Program that is given a query and prints what it found: text or JSON Lines.
      # command: none
      # How long the texts that facts were found in are kept: none, local (this machine) or git.
      # keep: local
      # Whether pages on this machine and in private networks may be read.
      # private_pages: false

    interest:
      # Whether what you search for counts as interest; it stays on this machine.
      # count_searches: false

    enrich:
      # How often `enrich --every` runs when no time is given.
      # every: 10m
      # How many searches enrichment makes at most.
      # searches_per_hour: 12

    notify:
      # Discoveries go to terminal, file, desktop, command, webhook, telegram, discord, slack.
      # sinks: [terminal]
      # File that discoveries are appended to, as JSON Lines.
      # file: none
      # Program that is handed each discovery as JSON on its standard input.
      # program: none
      # Address that each discovery is sent to as JSON.
      # webhook: none
      # Local time at which nothing is told, such as 22:00-07:00.
      # quiet_hours: none

    memory:
      # Folder outside the repository where several share what their agents remember.
      # folder: none
      # Who remembers, where the command does not say it.
      # agent_id: shell

    agent:
      # What the agent does unasked: ask (nothing), smart (what is safe) or full.
      # mode: ask
      # How many calls of tools one run may make.
      # max_steps: 40
      # Most tokens of a prompt and its answer; 0: as many as the model takes.
      # context_tokens: 0
      # How many sub-agents one call may have read side by side; 0 offers none.
      # readers: 3
      # Most tokens that each of them uses, within its share of what the run has left.
      # reader_tokens: 50000
      # When the agent looks back: with all steps, or after failures only.
      # reflect: steps
      # Where what became of a task is written down: journal (of this clone), knowledge or none.
      # notes: journal
      # A command that checks the work tree before an answer stands: cargo check, npm test.
      # check: none
      # How long one call of a tool may take.
      # tool_timeout: 2m
      # Bytes of memory that a command of the agent may take.
      # tool_memory: 4294967296
      # Whether commands of the agent may use the network.
      # network: false
      # More folders that commands of the agent may read, separated by colons.
      # readable: none
      # More folders that commands of the agent may write to, separated by colons.
      # writable: none
      # Where skills are searched: builtin, a folder, or the address of a git repository.
      # hub: builtin

    gateway:
      # Address to listen at; another than this machine's needs a token, and TLS in front.
      # host: 127.0.0.1
      # Port to listen at; 0 takes any that is free.
      # port: 18789
      # Repositories that conversations may be about: `.` is the one here, ~/NAME one of yours.
      # repositories: [.]
      # After this time an approval that nobody answered counts as denied.
      # approval_expires: 1d
      # Who is one person on several channels, such as ["telegram:1 slack:U2"].
      # same_person: none
      # Whether what people say is read for facts and what they care about.
      # learn: true
      # Whether bots answer in groups whoever may write to them, from the notes alone.
      # groups: false
      # Address of Telegram's Bot API, if another than theirs.
      # telegram_url: none
      # Address of Discord's HTTP API, if another than theirs.
      # discord_url: none
      # Address of Slack's Web API, if another than theirs.
      # slack_url: none

    llm:
      # Whether only models on this machine are asked.
      # local_only: false
      # Most tokens that one request may hold, the answer included.
      # context_tokens: 16384
      # Most tokens of one answer.
      # max_tokens: 2048
      # Which models are shown images: auto (those known to take them), always or never.
      # images: auto
      # How long one request may take.
      # timeout: 2m
      # What models cost that the program has no price of, such as openai/gpt-6=1.25/10.
      # prices: none
      budget:
        # What one run may spend, such as 0.50usd,20000tok,30calls; none sets no limit.
        # run: none
        # What one day may spend, in the same form.
        # day: none
        # What one month may spend, in the same form.
        # month: none
      tasks:
        # Models that plan, as provider/model; each is asked where those before it fail.
        # planning: [openrouter/anthropic/claude-sonnet-4.5, "ollama/qwen2.5-coder:14b"]
        # Models that write code.
        # coding: [openrouter/anthropic/claude-sonnet-4.5, "ollama/qwen2.5-coder:14b"]
        # Models that analyse.
        # analysis: [openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"]
        # Models for short and simple answers.
        # simple: [openrouter/google/gemini-2.5-flash-lite, "ollama/qwen2.5-coder:14b"]
        # Models that review code; better not those that wrote it.
        # review: [openrouter/google/gemini-2.5-pro, "ollama/deepseek-r1:14b"]
        # Models that extract knowledge from text.
        # extraction: [openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"]
        # Models that summarise.
        # summary: [openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"]
      # Where models are reached. Known already: openrouter, openai, anthropic, ollama.
      # A key is env:NAME, or vault:NAME after `elophanto vault set NAME`, never the key itself.
      # What a repository says here holds only once you trust its settings: `elophanto trust`.
      # providers:
      #   lmstudio:
      #     protocol: openai
      #     base_url: http://127.0.0.1:1234/v1
      #     key: env:LMSTUDIO_API_KEY
    "#);
}

/// Every line that `doctor` lists, and of each setting its variable, what a value must be and when
/// a repository's file needs trust to set it.
#[test]
fn the_table_as_it_stands() {
    let config = Config::default();
    let mut table = String::new();
    for (key, line) in KEYS.iter().zip(config.origins()) {
        let Resolution { key: name, value, origin } = line;
        let (variable, expected, trust) = (key.variable(), key.kind.expected(), key.needs_trust);
        let expected = expected.chars().take(60).collect::<String>();
        table += &format!("{name}: {value} ({origin})\n  {variable}: {expected}; {trust:?}\n");
    }
    insta::assert_snapshot!(table, @r#"
    knowledge.roots: [.] (default)
      ELOPHANTO_KNOWLEDGE_ROOTS: a list of at most 256 relative folders beneath the repositor; Never
    knowledge.write_root: knowledge (default)
      ELOPHANTO_KNOWLEDGE_WRITE_ROOT: a relative folder beneath the repository, not hidden; Never
    knowledge.extensions: [md, markdown, mdown, mkd] (default)
      ELOPHANTO_KNOWLEDGE_EXTENSIONS: a list of at most 256 file name endings such as [md, markdow; Never
    knowledge.embedding_provider: auto (default)
      ELOPHANTO_KNOWLEDGE_EMBEDDING_PROVIDER: auto, builtin, minilm, openrouter, openai, ollama or local:N; Except(["auto", "builtin", "minilm", "local:"])
    knowledge.embedding_openrouter_model: google/gemini-embedding-001 (default)
      ELOPHANTO_KNOWLEDGE_EMBEDDING_OPENROUTER_MODEL: one line of at most 1024 bytes; Always
    knowledge.embedding_model: nomic-embed-text (default)
      ELOPHANTO_KNOWLEDGE_EMBEDDING_MODEL: one line of at most 1024 bytes; Never
    knowledge.embedding_fallback: mxbai-embed-large (default)
      ELOPHANTO_KNOWLEDGE_EMBEDDING_FALLBACK: one line of at most 1024 bytes; Never
    knowledge.embedding_dimension: 0 (default)
      ELOPHANTO_KNOWLEDGE_EMBEDDING_DIMENSION: a whole number from 0 to 8192; Never
    knowledge.minilm_chunks: 20000 (default)
      ELOPHANTO_KNOWLEDGE_MINILM_CHUNKS: a whole number from 0 to 1000000; Never
    knowledge.index_interval: 6h (default)
      ELOPHANTO_KNOWLEDGE_INDEX_INTERVAL: a duration from 100ms to 3650d such as 300ms, 30s, 10m, 6h, ; Never
    knowledge.max_file_bytes: 16777216 (default)
      ELOPHANTO_KNOWLEDGE_MAX_FILE_BYTES: a whole number from 1024 to 1073741824; Never
    knowledge.chunk.max_tokens: 1000 (default)
      ELOPHANTO_KNOWLEDGE_CHUNK_MAX_TOKENS: a whole number from 50 to 100000; Never
    knowledge.chunk.min_tokens: 50 (default)
      ELOPHANTO_KNOWLEDGE_CHUNK_MIN_TOKENS: a whole number from 0 to 100000; Never
    knowledge.chunk.min_split_tokens: 200 (default)
      ELOPHANTO_KNOWLEDGE_CHUNK_MIN_SPLIT_TOKENS: a whole number from 0 to 100000; Never
    search.limit: 10 (default)
      ELOPHANTO_SEARCH_LIMIT: a whole number from 1 to 10000; Never
    search.mode: hybrid (default)
      ELOPHANTO_SEARCH_MODE: hybrid, keyword or semantic; Never
    search.ranking: weighted (default)
      ELOPHANTO_SEARCH_RANKING: weighted or additive; Never
    search.semantic_weight: 0.4 (default)
      ELOPHANTO_SEARCH_SEMANTIC_WEIGHT: a number from 0 to 1; Never
    search.recency_weight: 0.02 (default)
      ELOPHANTO_SEARCH_RECENCY_WEIGHT: a number from 0 to 1; Never
    search.recency_half_life: 90d (default)
      ELOPHANTO_SEARCH_RECENCY_HALF_LIFE: a duration from 1s to 3650d such as 300ms, 30s, 10m, 6h, 2d ; Never
    search.language: english (default)
      ELOPHANTO_SEARCH_LANGUAGE: a language (arabic, armenian, basque, catalan, czech, danish; Never
    search.fuzzy: true (default)
      ELOPHANTO_SEARCH_FUZZY: true or false; Never
    search.collapse_similarity: 0.97 (default)
      ELOPHANTO_SEARCH_COLLAPSE_SIMILARITY: a number from 0 to 1; Never
    search.second_look: auto (default)
      ELOPHANTO_SEARCH_SECOND_LOOK: auto, always or never; Never
    search.refresh_stale: local (default)
      ELOPHANTO_SEARCH_REFRESH_STALE: always, local or never; Widening(["never", "local", "always"])
    page.editor: none (default)
      ELOPHANTO_PAGE_EDITOR: an address that holds {path}, such as vscode://file/{path}:{; Always
    index.commit: always (default)
      ELOPHANTO_INDEX_COMMIT: always, slow or never; Widening(["never", "slow", "always"])
    index.background: true (default)
      ELOPHANTO_INDEX_BACKGROUND: true or false; Raising
    hooks.budget: 1s (default)
      ELOPHANTO_HOOKS_BUDGET: a duration from 0s to 1h such as 300ms, 30s, 10m, 6h, 2d or ; Never
    changelog.enabled: true (default)
      ELOPHANTO_CHANGELOG_ENABLED: true or false; Raising
    scan.paths: [.] (default)
      ELOPHANTO_SCAN_PATHS: a list of at most 256 folders or files, relative to the repo; Never
    scan.patterns.documentation: ["*.md", "*.txt"] (default)
      ELOPHANTO_SCAN_PATTERNS_DOCUMENTATION: a list of at most 256 patterns such as ["*.md", "docs/**"]; Never
    scan.patterns.configuration: ["*.yaml", "*.yml", "*.json", "*.toml"] (default)
      ELOPHANTO_SCAN_PATTERNS_CONFIGURATION: a list of at most 256 patterns such as ["*.md", "docs/**"]; Never
    scan.patterns.services: ["*.service", "*.timer"] (default)
      ELOPHANTO_SCAN_PATTERNS_SERVICES: a list of at most 256 patterns such as ["*.md", "docs/**"]; Never
    scan.patterns.source: ["*.rs", "*.py", "*.pyi", "*.js", "*.mjs", "*.cjs", "*.jsx", "*.ts", "*.mts", "*.cts", "*.tsx", "*.go", "*.c", "*.h", "*.java", "*.sh", "*.bash", "*.sql", "*.graphql", "*.gql", "*.proto", "*.cpp", "*.cc", "*.cxx", "*.hpp", "*.hh", "*.hxx", "*.cs", "*.kt", "*.kts", "*.swift", "*.scala", "*.sc", "*.groovy", "*.gradle", "*.dart", "*.php", "*.zig", "*.rb", "*.rake", "*.gemspec", "*.pl", "*.pm", "*.ex", "*.exs", "*.jl", "*.r", "*.ps1", "*.psm1", "*.lua", "*.hs", "*.ml", "*.mli", "*.erl", "*.hrl", "*.clj", "*.cljs", "*.cljc", "*.R", Gemfile, Rakefile] (default)
      ELOPHANTO_SCAN_PATTERNS_SOURCE: a list of at most 256 patterns such as ["*.md", "docs/**"]; Never
    scan.skip: ["*.pyc", "*.backup*", "*.bak", "*.orig", "*~", "*.min.js", "*.min.css", "*.map", "*.snap", package-lock.json, pnpm-lock.yaml, go.sum, "*_pb2.py", "*.pb.go"] (default)
      ELOPHANTO_SCAN_SKIP: a list of at most 256 patterns such as ["*.md", "docs/**"]; Never
    scan.max_questions: 10 (default)
      ELOPHANTO_SCAN_MAX_QUESTIONS: a whole number from 1 to 100000; Never
    scan.interval: 10m (default)
      ELOPHANTO_SCAN_INTERVAL: a duration from 100ms to 3650d such as 300ms, 30s, 10m, 6h, ; Never
    journal.share: true (default)
      ELOPHANTO_JOURNAL_SHARE: true or false; Raising
    learn.sources: [knowledge] (default)
      ELOPHANTO_LEARN_SOURCES: a list of knowledge, files, searxng, brave, tavily or comman; Always
    learn.queries: 4 (default)
      ELOPHANTO_LEARN_QUERIES: a whole number from 3 to 5; Never
    learn.pages: 3 (default)
      ELOPHANTO_LEARN_PAGES: a whole number from 0 to 20; Never
    learn.files: [.] (default)
      ELOPHANTO_LEARN_FILES: a list of at most 256 folders or files, relative to the repo; Always
    learn.searxng_url: none (default)
      ELOPHANTO_LEARN_SEARXNG_URL: one line of at most 1024 bytes; Always
    learn.brave_url: none (default)
      ELOPHANTO_LEARN_BRAVE_URL: one line of at most 1024 bytes; Always
    learn.tavily_url: none (default)
      ELOPHANTO_LEARN_TAVILY_URL: one line of at most 1024 bytes; Always
    learn.command: none (default)
      ELOPHANTO_LEARN_COMMAND: one line of at most 1024 bytes; Always
    learn.keep: local (default)
      ELOPHANTO_LEARN_KEEP: none, local or git; Widening(["none", "local", "git"])
    learn.private_pages: false (default)
      ELOPHANTO_LEARN_PRIVATE_PAGES: true or false; Except(["false"])
    interest.count_searches: false (default)
      ELOPHANTO_INTEREST_COUNT_SEARCHES: true or false; Except(["false"])
    enrich.every: 10m (default)
      ELOPHANTO_ENRICH_EVERY: a duration from 100ms to 3650d such as 300ms, 30s, 10m, 6h, ; Never
    enrich.searches_per_hour: 12 (default)
      ELOPHANTO_ENRICH_SEARCHES_PER_HOUR: a whole number from 1 to 3600; Raising
    notify.sinks: [terminal] (default)
      ELOPHANTO_NOTIFY_SINKS: a list of terminal, file, desktop, command, webhook, telegra; Always
    notify.file: none (default)
      ELOPHANTO_NOTIFY_FILE: one line of at most 1024 bytes; Always
    notify.program: none (default)
      ELOPHANTO_NOTIFY_PROGRAM: one line of at most 1024 bytes; Always
    notify.webhook: none (default)
      ELOPHANTO_NOTIFY_WEBHOOK: one line of at most 1024 bytes; Always
    notify.quiet_hours: none (default)
      ELOPHANTO_NOTIFY_QUIET_HOURS: one line of at most 1024 bytes; Never
    memory.folder: none (default)
      ELOPHANTO_MEMORY_FOLDER: one line of at most 1024 bytes; Always
    memory.agent_id: shell (default)
      ELOPHANTO_MEMORY_AGENT_ID: one line of at most 1024 bytes; Never
    agent.mode: ask (default)
      ELOPHANTO_AGENT_MODE: ask, smart or full; Except(["ask"])
    agent.max_steps: 40 (default)
      ELOPHANTO_AGENT_MAX_STEPS: a whole number from 1 to 1000; Raising
    agent.context_tokens: 0 (default)
      ELOPHANTO_AGENT_CONTEXT_TOKENS: a whole number from 0 to 2097152; RaisingTo0
    agent.readers: 3 (default)
      ELOPHANTO_AGENT_READERS: a whole number from 0 to 8; Raising
    agent.reader_tokens: 50000 (default)
      ELOPHANTO_AGENT_READER_TOKENS: a whole number from 6000 to 1048576; Raising
    agent.reflect: steps (default)
      ELOPHANTO_AGENT_REFLECT: steps or failures; Never
    agent.notes: journal (default)
      ELOPHANTO_AGENT_NOTES: journal, knowledge or none; Widening(["none", "journal", "knowledge"])
    agent.check: none (default)
      ELOPHANTO_AGENT_CHECK: one line of at most 1024 bytes; Always
    agent.tool_timeout: 2m (default)
      ELOPHANTO_AGENT_TOOL_TIMEOUT: a duration from 1s to 1h such as 300ms, 30s, 10m, 6h, 2d or ; Raising
    agent.tool_memory: 4294967296 (default)
      ELOPHANTO_AGENT_TOOL_MEMORY: a whole number from 1048576 to 1099511627776; Raising
    agent.network: false (default)
      ELOPHANTO_AGENT_NETWORK: true or false; Except(["false"])
    agent.readable: none (default)
      ELOPHANTO_AGENT_READABLE: one line of at most 1024 bytes; Always
    agent.writable: none (default)
      ELOPHANTO_AGENT_WRITABLE: one line of at most 1024 bytes; Always
    agent.hub: builtin (default)
      ELOPHANTO_AGENT_HUB: one line of at most 1024 bytes; Always
    gateway.host: 127.0.0.1 (default)
      ELOPHANTO_GATEWAY_HOST: an address such as 127.0.0.1 or ::1; Always
    gateway.port: 18789 (default)
      ELOPHANTO_GATEWAY_PORT: a whole number from 0 to 65535; Always
    gateway.repositories: [.] (default)
      ELOPHANTO_GATEWAY_REPOSITORIES: a list of at most 256 folders or files, relative to the repo; Always
    gateway.approval_expires: 1d (default)
      ELOPHANTO_GATEWAY_APPROVAL_EXPIRES: a duration from 1s to 3650d such as 300ms, 30s, 10m, 6h, 2d ; Always
    gateway.same_person: none (default)
      ELOPHANTO_GATEWAY_SAME_PERSON: a list of people, each as "telegram:1 slack:U2" by two or mo; Always
    gateway.learn: true (default)
      ELOPHANTO_GATEWAY_LEARN: true or false; Always
    gateway.groups: false (default)
      ELOPHANTO_GATEWAY_GROUPS: true or false; Always
    gateway.telegram_url: none (default)
      ELOPHANTO_GATEWAY_TELEGRAM_URL: one line of at most 1024 bytes; Always
    gateway.discord_url: none (default)
      ELOPHANTO_GATEWAY_DISCORD_URL: one line of at most 1024 bytes; Always
    gateway.slack_url: none (default)
      ELOPHANTO_GATEWAY_SLACK_URL: one line of at most 1024 bytes; Always
    llm.local_only: false (default)
      ELOPHANTO_LLM_LOCAL_ONLY: true or false; Except(["true"])
    llm.context_tokens: 16384 (default)
      ELOPHANTO_LLM_CONTEXT_TOKENS: a whole number from 1024 to 1048576; Raising
    llm.max_tokens: 2048 (default)
      ELOPHANTO_LLM_MAX_TOKENS: a whole number from 16 to 131072; Raising
    llm.images: auto (default)
      ELOPHANTO_LLM_IMAGES: auto, always or never; Widening(["never", "auto", "always"])
    llm.timeout: 2m (default)
      ELOPHANTO_LLM_TIMEOUT: a duration from 1s to 1h such as 300ms, 30s, 10m, 6h, 2d or ; Raising
    llm.prices: none (default)
      ELOPHANTO_LLM_PRICES: one line of at most 1024 bytes; Always
    llm.budget.run: none (default)
      ELOPHANTO_LLM_BUDGET_RUN: none, or limits such as 0.50usd, 20000tok or 30calls, each o; Always
    llm.budget.day: none (default)
      ELOPHANTO_LLM_BUDGET_DAY: none, or limits such as 0.50usd, 20000tok or 30calls, each o; Always
    llm.budget.month: none (default)
      ELOPHANTO_LLM_BUDGET_MONTH: none, or limits such as 0.50usd, 20000tok or 30calls, each o; Always
    llm.tasks.planning: [openrouter/anthropic/claude-sonnet-4.5, "ollama/qwen2.5-coder:14b"] (default)
      ELOPHANTO_LLM_TASKS_PLANNING: a list of 1 to 16 models, each provider/model, such as openr; Always
    llm.tasks.coding: [openrouter/anthropic/claude-sonnet-4.5, "ollama/qwen2.5-coder:14b"] (default)
      ELOPHANTO_LLM_TASKS_CODING: a list of 1 to 16 models, each provider/model, such as openr; Always
    llm.tasks.analysis: [openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"] (default)
      ELOPHANTO_LLM_TASKS_ANALYSIS: a list of 1 to 16 models, each provider/model, such as openr; Always
    llm.tasks.simple: [openrouter/google/gemini-2.5-flash-lite, "ollama/qwen2.5-coder:14b"] (default)
      ELOPHANTO_LLM_TASKS_SIMPLE: a list of 1 to 16 models, each provider/model, such as openr; Always
    llm.tasks.review: [openrouter/google/gemini-2.5-pro, "ollama/deepseek-r1:14b"] (default)
      ELOPHANTO_LLM_TASKS_REVIEW: a list of 1 to 16 models, each provider/model, such as openr; Always
    llm.tasks.extraction: [openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"] (default)
      ELOPHANTO_LLM_TASKS_EXTRACTION: a list of 1 to 16 models, each provider/model, such as openr; Always
    llm.tasks.summary: [openrouter/google/gemini-2.5-flash, "ollama/qwen2.5-coder:14b"] (default)
      ELOPHANTO_LLM_TASKS_SUMMARY: a list of 1 to 16 models, each provider/model, such as openr; Always
    "#);
}
