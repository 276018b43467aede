//! The manual: `--help` cannot drift unseen, completions and manual pages come out whole.

use crate::env::{TestEnv, finish, snapshot};

const COMMANDS: &[&str] = &[
    "init", "index", "scan", "graph", "search", "learn", "enrich", "entity", "like", "unlike",
    "dislike", "undislike", "interests", "react", "agent", "gateway", "channel", "page", "acp",
    "publish", "lsp", "editor", "schedule", "clean", "changelog", "doctor", "eval", "hook",
    "trust", "vault", "model", "usage", "completions", "man",
];

fn help(command: &[&str]) -> String {
    TestEnv::plain().ok(&[command, &["--help"]].concat()).to_string()
}

#[test]
fn help_of_the_program() {
    snapshot!(help(&[]), @"
    exit: 0
    --- stdout
    Turns a git repository's Markdown into a knowledge base that people and AI agents share

    Works offline from the first command. The index lies beside the Markdown in git, so that whoever
    clones the repository can search at once, by meaning and by keyword.

    Usage: elophanto [OPTIONS] <COMMAND>

    Every day:
      index        Bring the index up to date
      scan         Find what the knowledge base does not know yet
      search       Search the knowledge base
      learn        Learn about a topic: search for it, read what is found, keep facts with their source
      enrich       Find out more about what you care about
      clean        Tidy up what elophanto keeps
      agent        The agent, and what agents share: lessons, notes, an MCP server
      page         See, search and read the knowledge base in your browser

    Knowledge:
      entity       Show what is known: all entities with their facts counted, or one with its facts
      like         Say that you like a topic: an entity is made of it, and it is worth finding out more
      unlike       Take a like back
      dislike      Say that you do not care for a topic: nothing more is found out about it
      undislike    Take a dislike back
      interests    Show what you care about, by what you did
      react        React to a notification or an answer: `+` for more of it, `-` for no more
      graph        Show what refers to what
      changelog    Say what changed in the knowledge base, newest first

    Agents, chats and editors:
      gateway      Serve conversations with the agent, and MCP, to programs of yours
      channel      Let people write to the agent on platforms such as Telegram, by a bot of yours
      editor       Set up your editor
      lsp          Serve an editor, over standard input and output
      acp          Be the agent of your editor, over standard input and output

    Git:
      init         Make this repository or folder a knowledge base
      hook         Let git keep the index up to date by itself
      trust        Show what of this repository needs your trust, ask, and trust it
      publish      Publish what HEAD holds to the knowledge base of a fleet, in an object store

    Upkeep:
      doctor       Say what is indexed, by which model, how fresh, how large, and what is wrong
      schedule     Run a command at intervals
      model        See which models are used for what, and try them
      vault        Keep API keys and other secrets, encrypted, out of every repository
      usage        Say what asking models has cost
      eval         Measure how well search answers your own questions
      completions  Print completions for a shell
      man          Print the manual page
      help         Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    --- stderr
    ");
}

#[test]
fn help_of_init() {
    snapshot!(help(&["init"]), @"
    exit: 0
    --- stdout
    Make this repository or folder a knowledge base

    Creates the folders of notes with their first pages, the commented settings in
    `.elophanto/config.yaml`, and a managed block in `.gitattributes`. What exists is left as it is, so
    that it may be run again at any time.

    Usage: elophanto init [OPTIONS]

    Options:
          --root <DIR>
              Search the notes below DIR; may be repeated. Without it, all Markdown of the repository.
              What is described by `scan`, and shown by `graph`, is below `scan.paths` of the settings,
              other Markdown too

      -y, --yes
              If there is a key for OpenRouter: let it embed the text of this repository

          --json
              Print what was written as JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_index() {
    snapshot!(help(&["index"]), @"
    exit: 0
    --- stdout
    Bring the index up to date

    Reads what changed since the last time, and writes the vectors that no committed table holds into
    one pending table below `.elophanto/index`, for you to commit.

    Usage: elophanto index [OPTIONS] [PATHS]...

    Arguments:
      [PATHS]...
              Report only on these files and folders; everything is indexed all the same

    Options:
          --full
              Read and cut every note again. Vectors stay, as they belong to their text

          --watch
              Go on and index whenever notes change

          --every [<DURATION>]
              Go on and index at intervals, such as 10m or 6h; without a value every
              `knowledge.index_interval`

          --check
              Exit with 1 if a note is not indexed or the committed tables lack a vector; write neither
              tables nor settings

          --verify [<BASE>]
              With `--check`: make the committed vectors in use again and compare, so that nobody can
              poison the ranking; with a revision only those of texts and tables it does not have, and
              vectors of no text are refused

          --stage
              Stage the table that goes with the staged notes, as the pre-commit hook does

          --commit
              Commit the table that goes with the staged notes, and nothing else: for bots and cron

          --resolve
              Settle a conflict over the index: take every readable table of all sides and stage them

      -y, --yes
              Send what is to be embedded to the remote model of the settings, whatever it costs, and
              remember that this may be done

          --json
              Print the summary and each problem as JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_search() {
    snapshot!(help(&["search"]), @r#"
    exit: 0
    --- stdout
    Search the knowledge base

    Finds by meaning and by keyword. `"quoted words"` must stand together, `-word` must not occur; a
    dash before one letter, or before a word that the notes write with its dash, is part of an option
    such as `-r`. Text for people lists files with their best places, everything else passages. On a
    terminal a second model may look at the best hits again, so that their order is another than in a
    pipe (`search.second_look`). Exits with 0 if something was found, however doubtful (it says so), 1
    if nothing was, or nothing as sure as `--min-confidence` wants it, 2 if the search failed.

    Usage: elophanto search [OPTIONS] [QUERY]...

    Arguments:
      [QUERY]...
              What to look for, in one or more words; `-` reads it from standard input

    Options:
      -n, --limit <N>
              Print at most this many hits: files in text and with `--format files`, else passages

          --per-file <N>
              List files, each with at most this many places; 3 unless set, in text

          --kind <KIND>
              Only this kind: note, summary or fact; may be repeated

          --type <TYPE>
              Only files of this type, such as markdown_doc or rust_file; may be repeated

          --scope <SCOPE>
              Only notes of this scope: system, user, learned or plugin; may be repeated

          --tag <TAG>
              Only notes with this tag; repeated, with all of them

          --path <GLOB>
              Only notes whose path matches, such as 'docs/**'; may be repeated

          --since <WHEN>
              Only notes changed since a date or a time span ago, such as 2026-05-01 or 2w; leaves out
              notes of which that is not known

          --until <WHEN>
              Only notes changed before a date or a time span ago; without --since, also those of which
              that is not known

          --in <URL>
              Search a fleet of repositories in place of this one: s3://BUCKET/FOLDER, gs://, az:// or
              file:///FOLDER, as `elophanto publish` takes it

          --repo <NAME>
              With --in: only this repository, by its name or the end of it; may be repeated

          --at <REV>
              Search the notes of a commit, branch, tag or date, such as v1.2, HEAD~10 or '3 weeks ago'

          --changed-since <REV>
              Only notes whose text differs from that of a commit, branch, tag or date

          --blame
              Say who wrote the best lines of each hit, in which commit and when

          --author <NAME>
              Only hits whose best lines this person wrote: part of a name or address

          --mode <MODE>
              Use words, meaning or both: hybrid, keyword or semantic

          --ranking <RANKING>
              How scores are fused: weighted or additive

          --like <PATH[:LINE]>
              What resembles this note, or this line of it?

          --min-score <SCORE>
              Leave out hits with a lower score

          --min-confidence <LEVEL>
              Find nothing unless it is this sure that the hits answer: sure or perhaps

          --format <FORMAT>
              How to print: text, json, files, markdown or vimgrep

              [default: text]
              [possible values: text, json, files, markdown, vimgrep]

          --json
              The same as `--format json`

      -0, --null
              End file names with NUL instead of a line feed (with `--format files`)

          --max-tokens <N>
              Print the most useful sentences that fit into N tokens

          --full
              Print whole chunks

          --explain
              Show what each score is made of

          --no-refresh
              Search the view as it is, without looking for changed notes

          --refresh-stale <WHEN>
              Describe files again that changed since they were described: always, local (where that
              costs nothing) or never

          --answer
              Answer from notes and facts, with citations, if what is known suffices; else say so

      -y, --yes
              With --answer: send what bears on the question to the model of the settings, and remember
              that this may be done

          --evidence
              Print the best summaries as one evidence record, for other programs

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    "#);
}

#[test]
fn help_of_changelog() {
    snapshot!(help(&["changelog"]), @"
    exit: 0
    --- stdout
    Say what changed in the knowledge base, newest first

    Prints the entries below `system/changelog/` of the folder of our own notes. With `--write` they are
    gathered in one block at the end of `system/changelog.md`, behind what you wrote there. Exits with 1
    if there are none.

    Usage: elophanto changelog [OPTIONS]

    Options:
      -n, --limit <N>
              Print at most this many entries

          --write
              Bring `system/changelog.md` up to date instead

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_doctor() {
    snapshot!(help(&["doctor"]), @"
    exit: 0
    --- stdout
    Say what is indexed, by which model, how fresh, how large, and what is wrong

    Every finding comes with the command that mends it. Exits with 1 if there is any.

    Usage: elophanto doctor [OPTIONS]

    Options:
          --settings
              Show every setting with the place it comes from

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_eval() {
    snapshot!(help(&["eval"]), @"
    exit: 0
    --- stdout
    Measure how well search answers your own questions

    DIR holds `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv` (query,
    document, grade). Prints nDCG@10 (within what it lies with 95 %), Recall@20 and MRR@10 for keywords,
    meaning and both, with the time a query takes.

    Usage: elophanto eval [OPTIONS] [DIR]

    Arguments:
      [DIR]
              Folder of the test set

    Options:
          --from-git
              Make questions of this repository's commits in place of a test set: what the subject says
              was done asks for the notes that were touched

          --per-query
              Show for each question what was found, by words alone and with meaning, or by both
              settings of `--compare`

          --compare <KEY=VALUE>
              Measure both together, once as the settings have it and once with these instead, such as
              search.second_look=always, and say whether the difference may be chance

          --semantic-weight <SHARE>
              Share of meaning in the hybrid score, in place of `search.semantic_weight`; several, such
              as 0.4,0.5,0.6, are measured one by one

          --ranking <RANKING>
              How scores are fused: weighted or additive

          --model <MODEL>
              Measure this model, as `knowledge.embedding_provider` names them

          --thresholds <OTHER-DIR>
              Measure instead where the model's cosines part: chance from kinship, kinship from
              repetition; and from where on a search is sure to answer, or probably does not. What is
              chance shows against a set about something else

          --against <OTHER-DIR>...
              Measure instead how well a search tells questions of the set, which its documents answer,
              from those of other sets, which they do not

          --save
              Keep what was measured, for every search of yours with this model

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_trust() {
    snapshot!(help(&["trust"]), @"
    exit: 0
    --- stdout
    Show what of this repository needs your trust, ask, and trust it

    A repository does not get to name a program to run, an address that receives text or credentials, or
    a right that widens, until you trust the exact content of its settings. Until then such keys are
    passed over with a warning. Nor does it get to say what an agent has to do: pages below `system` and
    `user` of the knowledge base, and `AGENTS.md` and `CLAUDE.md` in any folder, are quoted to it, not
    obeyed, until you trust exactly what they say, with `--pages`. Any other content, older or newer,
    needs to be trusted on its own. What you trust is kept in your own configuration folder. Exits with
    1 if nobody agreed.

    Usage: elophanto trust [OPTIONS]

    Options:
          --show
              Print the text of pages that are not trusted, and trust nothing

          --pages [<PAGE>...]
              Print the text of pages that are not trusted, ask, and trust them as well: these, or all

          --yes [<HASH>...]
              Trust without being asked; with hashes, as --json prints them, only what says that

          --list
              List what is trusted in all repositories, and trust nothing

          --revoke
              Forget all trust in this repository

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_completions() {
    snapshot!(help(&["completions"]), @"
    exit: 0
    --- stdout
    Print completions for a shell

    For example `elophanto completions bash > ~/.local/share/bash-completion/completions/elophanto`.

    Usage: elophanto completions [OPTIONS] <SHELL>

    Arguments:
      <SHELL>
              The shell

              [possible values: bash, elvish, fish, powershell, zsh]

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_man() {
    snapshot!(help(&["man"]), @"
    exit: 0
    --- stdout
    Print the manual page

    For example `elophanto man | man -l -`.

    Usage: elophanto man [OPTIONS] [COMMAND]

    Arguments:
      [COMMAND]
              The page of one command, such as search

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn a_word_too_much_is_a_failure_with_usage() {
    snapshot!(TestEnv::plain().run(&["serach", "otters"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: unrecognized subcommand 'serach'

      tip: some similar subcommands exist: 'graph', 'react', 'enrich', 'search'

    Usage: elophanto [OPTIONS] <COMMAND>

    For more information, try '--help'.
    ");
}

#[test]
fn completions_name_every_command() {
    let env = TestEnv::plain();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = env.ok(&["completions", shell]);
        assert_eq!(script.stderr(), "", "{shell}");
        for command in COMMANDS {
            assert!(script.stdout().contains(command), "{shell} lacks {command}");
        }
    }
    let bash = env.ok(&["completions", "bash"]);
    std::fs::write(env.path("completions.bash"), &bash.stdout).unwrap();
    let checked = finish(env.sealed("bash").args(["-n", "completions.bash"]));
    assert_eq!((checked.code, checked.stderr()), (Some(0), String::new()));
}

#[test]
fn completions_of_an_unknown_shell_are_refused() {
    assert_eq!(TestEnv::plain().run(&["completions", "tcsh"]).code, Some(2));
}

#[test]
fn manual_pages_render() {
    let env = TestEnv::plain();
    let page = env.ok(&["man"]).stdout();
    assert!(page.contains(".TH elophanto 1"), "{page}");
    for command in COMMANDS {
        assert!(page.contains(command), "the manual lacks {command}");
        let page = env.ok(&["man", command]).stdout();
        assert!(page.contains(&format!(".TH elophanto-{command} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{page}");
    }
    snapshot!(env.run(&["man", "serach"]), @"
    exit: 2
    --- stdout
    --- stderr
    error: there is no command `serach`
    hint: `elophanto --help` lists them
    ");
}

#[test]
fn version_is_the_packages() {
    let expected = format!("elophanto {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(TestEnv::plain().ok(&["--version"]).stdout(), expected);
}

#[test]
fn help_of_hook() {
    snapshot!(help(&["hook"]), @"
    exit: 0
    --- stdout
    Let git keep the index up to date by itself

    Hooks save time, nothing depends on them: whatever goes wrong in one, git goes on. Only a secret in
    the staged notes refuses a commit.

    Usage: elophanto hook [OPTIONS] <COMMAND>

    Commands:
      install    Run us from git's hooks, beside the hooks that are there
      run        Do what a hook does
      uninstall  Take our hooks out and leave the folder as it was
      status     Say which hooks run us
      help       Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["hook", "install"]), @"
    exit: 0
    --- stdout
    Run us from git's hooks, beside the hooks that are there

    Installs pre-commit and post-merge, in the folder that git runs hooks from. A shell script that is
    there gets a managed block at its top; any other hook is moved to `NAME.elophanto-saved` and run
    after ours. Run it again after this program has moved.

    Usage: elophanto hook install [OPTIONS]

    Options:
          --eager
              Also post-commit, post-checkout and post-rewrite, so that the next search has less to do;
              without it they are taken out

          --program <PROGRAM>
              Name PROGRAM in the hooks, in place of the file that runs now; where that is missing, they
              look in `PATH`

          --json
              Print what was done as JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["hook", "uninstall"]), @"
    exit: 0
    --- stdout
    Take our hooks out and leave the folder as it was

    Usage: elophanto hook uninstall [OPTIONS]

    Options:
          --json      Print what was done as JSON Lines
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
    snapshot!(help(&["hook", "status"]), @"
    exit: 0
    --- stdout
    Say which hooks run us

    Exits with 0 if pre-commit and post-merge do, with 1 otherwise.

    Usage: elophanto hook status [OPTIONS]

    Options:
          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_model() {
    snapshot!(help(&["model"]), @"
    exit: 0
    --- stdout
    See which models are used for what, and try them

    Models that turn text into vectors are chosen for each repository; language models for each kind of
    task, in the order in which they are asked.

    Usage: elophanto model [OPTIONS] <COMMAND>

    Commands:
      list    Show which models are used for what, and why others are not
      test    Ask a model something small, to see that it answers
      add     Add a sentence model of the BERT family to those of this machine
      remove  Remove a model that was added
      tune    Teach the built-in model this repository's own words
      help    Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["model", "list"]), @"
    exit: 0
    --- stdout
    Show which models are used for what, and why others are not

    First the model that turns this repository's text into vectors and others that could, then the
    language models for each kind of task, in the order in which they are asked. Nobody is asked
    anything, no passphrase either, and nothing is sent: whether anything listens at an address of this
    machine is all that is tried.

    Usage: elophanto model list [OPTIONS]

    Options:
          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["model", "test"]), @"
    exit: 0
    --- stdout
    Ask a model something small, to see that it answers

    Really sends a short fixed text, which may cost a fraction of a cent; nothing of a repository. Exits
    with 2 if no model answers, and says of each one why. With `--tools` exits with 1 if the model
    answers without calling the tool.

    Usage: elophanto model test [OPTIONS]

    Options:
          --task <TASK>
              Ask the models for this kind of task: planning, coding, analysis, simple, review,
              extraction or summary

              [default: simple]

          --stream
              Print the answer as it is made

          --tools
              Offer a harmless tool and show how the model calls it

          --schema
              Want an answer in a given form

          --embed
              Try the model that makes this repository's vectors, and no other

          --budget <LIMITS>
              Spend no more than this, in place of `llm.budget.run`: 0.50usd,20000tok,30calls or none

          --json
              Print one JSON object

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_usage() {
    snapshot!(help(&["usage"]), @"
    exit: 0
    --- stdout
    Say what asking models has cost

    Every call is recorded in your own state folder: when, for what, which model, how many tokens and
    how much money, never what was said. Shows this month unless told otherwise; days and months are
    those of UTC. Exits with 1 if nothing was recorded in that time.

    Usage: elophanto usage [OPTIONS]

    Options:
          --by <BY>
              What to sum up

              [default: task]
              [possible values: task, command, model, provider, day]

          --since <WHEN>
              Only calls since then: a date, a time, or a span such as 7d

          --until <WHEN>
              Only calls before then

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_scan() {
    snapshot!(help(&["scan"]), @"
    exit: 0
    --- stdout
    Find what the knowledge base does not know yet

    Compares the files of the repository with what is known, and asks about what is missing: files that
    nobody has described, descriptions and notes that are out of date, links that lead nowhere, notes
    that nothing links to, learned notes that contradict yours. With --investigate it finds the answers
    itself.

    Usage: elophanto scan [OPTIONS] [PATHS]...

    Arguments:
      [PATHS]...
              Ask only about these files and folders

    Options:
      -n, --limit <N>
              Raise at most this many new questions

          --investigate [<ID>...]
              Answer questions: those named, else the most valuable ones

          --all
              Ask and answer until nothing is left

          --budget <LIMITS>
              What one run may spend on a language model, such as 0.50usd,20000tok,30calls

      -y, --yes
              Send files to the model of the settings, and remember that this may be done

          --evidence
              Print each answer as an evidence record, for other programs

          --watch
              Go on and scan whenever files change

          --every [<DURATION>]
              Go on and scan at intervals, such as 10m; without a value every `scan.interval`

          --list
              List questions that wait for an answer

          --state <STATE>
              With --list: questions in this state: open, investigating, answered, dismissed or failed

          --show <ID>
              Show a question with its evidence and answer

          --dismiss <ID>
              Put a question aside for good

          --indexed
              List the files that are described

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_graph() {
    snapshot!(help(&["graph"]), @"
    exit: 0
    --- stdout
    Show what refers to what

    Links and mentions between notes, imports between source files, and what notes cover. With a node (a
    path, the end of one, or a title): what it refers to and what refers to it. Without: the most
    central files, and the notes that nothing leads to.

    Usage: elophanto graph [OPTIONS] [NODE]

    Arguments:
      [NODE]
              A note or file: its path, the end of it, its name or its title

    Options:
          --format <FORMAT>
              How to print: text, dot, mermaid or json

              [default: text]
              [possible values: text, dot, mermaid, json]

          --json
              The same as `--format json`

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_schedule() {
    snapshot!(help(&["schedule", "add"]), @"
    exit: 0
    --- stdout
    Install a job

    Usage: elophanto schedule add [OPTIONS] <NAME> -- <COMMAND>...

    Arguments:
      <NAME>        Name of the job: small letters, digits, `-` and `_`
      <COMMAND>...  What to run, such as `scan --investigate`

    Options:
          --every <DURATION>  How often, such as 10m or 6h; for index, scan, enrich and clean every 6h,
                              10m, 10m and 24h unless said
          --replace           Replace another job of that name
          --gateway           Have your gateway run it while that lives, though systemd or cron could
          --no-color          Print without colours and links
      -h, --help              Print help
    --- stderr
    ");
}

#[test]
fn help_of_learning() {
    for command in ["learn", "enrich", "entity", "like", "interests", "react", "clean"] {
        let text = help(&[command]);
        assert!(text.starts_with("exit: 0\n") && text.contains("Usage: elophanto"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    }
    snapshot!(help(&["learn"]), @"
    exit: 0
    --- stdout
    Learn about a topic: search for it, read what is found, keep facts with their source

    Facts go to `knowledge/learned/entities/`, one page for each thing that is known of and one line for
    each fact, with the source that says so. Without a topic, shows what was asked for and what came of
    it. Where to look is `learn.sources`; or hand over what is to be read with --from.

    Usage: elophanto learn [OPTIONS] [TOPIC]
           elophanto learn <COMMAND>

    Commands:
      undo  Take back every fact that a search, a prompt or a message brought; no source brings it
            again, unless it is put back with --back
      help  Print this message or the help of the given subcommand(s)

    Arguments:
      [TOPIC]
              What to learn about

    Options:
          --from <FILE|URL>
              Read this instead of searching: a file, an address, or `-` for standard input

          --source <URL|NAME>
              With `--from -`: where that is from, as facts will say: an address or a name

          --message <FILE>
              Note something you said, and what it tells: a file, or `-` for standard input

          --setup [<SERVICE>]
              Set up where the web is searched: asks for what it takes, tries it, and writes your own
              settings

              Possible values:
              - searxng: A SearXNG of yours or of somebody else: its address is asked for
              - brave:   Brave Search: its key is asked for
              - tavily:  Tavily: its key is asked for
              - command: A program that is given a query and prints what it found

          --background
              Only put it into the queue, which `enrich` works off

          --unasked
              Nobody asked for this: add facts to what is known, and nothing else

          --budget <LIMITS>
              What one run may spend on a language model, such as 0.50usd,20000tok,30calls

      -y, --yes
              Send what is read to the model of the settings, and remember that this may be done

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["clean"]), @"
    exit: 0
    --- stdout
    Tidy up what elophanto keeps

    Removes local data that is no longer needed, closes questions about files that are gone, and lists
    entities that may be one. Notes are never changed. With --apply, entities that are certainly one are
    merged; `clean undo` takes any merge back.

    Usage: elophanto clean [OPTIONS]
           elophanto clean <COMMAND>

    Commands:
      review  List entities that may be one, for a person to decide
      merge   Make two entities one
      undo    Take a merge back
      help    Print this message or the help of the given subcommand(s)

    Options:
          --apply
              Merge entities that are certainly one

          --index
              Remove local data that is no longer needed, and nothing else: what was kept of other
              commits, vectors that are committed by now, leftovers of killed runs

          --compact
              Also make one committed table of many, without the vectors that no branch uses, and stage
              that. For the default branch, while nobody else does it; if two did, `elophanto index
              --resolve` settles the conflict

          --dry-run
              Say what would be done, and do nothing

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["entity"]), @"
    exit: 0
    --- stdout
    Show what is known: all entities with their facts counted, or one with its facts

    An entity is shown by its number in the list, or by a name.

    Usage: elophanto entity [OPTIONS] [NAME]

    Arguments:
      [NAME]
              A number of the list, or a name

    Options:
          --delete
              Remove it with all that is known of it; it does not come back by itself

          --history
              Show when each fact was found out, and what was changed, taken out or put back

          --source <FACT>
              Show what a fact was found in, and the passage marked: its number in the list, or its id

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent() {
    snapshot!(help(&["agent"]), @"
    exit: 0
    --- stdout
    The agent, and what agents share: lessons, notes, an MCP server

    Usage: elophanto agent [OPTIONS] <COMMAND>

    Commands:
      run       Work on a task with tools, asking before it does harm
      chat      Talk with the agent
      runs      What the agent did, run by run
      sessions  Conversations with the agent that can go on
      undo      Take back what a run of the agent changed, byte for byte
      tools     List the tools of the agent: those built in, and deployed plugins
      plugin    Plugins: programs below `plugins/` that are tools of the agent once you agreed to them
      skill     Skills: folders with a SKILL.md that teach the agent a kind of work
      hub       The hub: skills to choose from, where your own settings say (`agent.hub`)
      remember  Write down a lesson, for every agent that works here
      recall    Recall what agents learnt about something, in few tokens
      memory    Look through what agents remember, and mend it
      note      Write a note about a task, a pattern, a failure or a service
      mcp       The MCP server of this knowledge base, and servers of others as tools of the agent
      install   Set up an agent's program: the MCP server and a skill that says when to use it
      help      Print this message or the help of the given subcommand(s)

    Options:
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
}

#[test]
fn help_of_agent_remember() {
    snapshot!(help(&["agent", "remember"]), @"
    exit: 0
    --- stdout
    Write down a lesson, for every agent that works here

    One record goes to `.elophanto/memory/REPO/`, on disk before this returns, and into git with the
    next commit. Secrets are masked. Without --lesson, a record is read from standard input as JSON.

    Usage: elophanto agent remember [OPTIONS]

    Options:
          --type <TYPE>
              What kind of lesson: error, success or pattern

          --context <TEXT>
              What was attempted, or what went wrong

          --command <TEXT>
              What was run

          --lesson <TEXT>
              What was learnt

          --success-rate <X/Y>
              How often it worked, such as 9/10

          --tags <A,B>
              Keywords; without them they are taken from the texts

          --repo <NAME>
              Which repository it is about, if not this one

          --agent <ID>
              Who remembers

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_recall() {
    snapshot!(help(&["agent", "recall"]), @"
    exit: 0
    --- stdout
    Recall what agents learnt about something, in few tokens

    Of lessons that are as close, what this repository learnt comes first. Lessons that say the same are
    one, with their counts added; those that contradict each other stand together, the newest first; one
    that failed more often than it worked is a warning. Without a query: the best of what was learnt
    here lately. Exits with 1 if nothing close is known, or none of it fits.

    Usage: elophanto agent recall [OPTIONS] [QUERY]...

    Arguments:
      [QUERY]...
              What it is about: the error, or what you are about to do

    Options:
          --in <URL>
              Recall from a fleet of repositories in place of this one, whatever of theirs was published
              with `elophanto publish --memory`: s3://BUCKET/FOLDER, gs://, az:// or file:///FOLDER

          --repo <NAME>
              Only what was learnt in this repository; with --in, its name there, or the end of it

          --type <TYPE>
              Only this kind of lesson: error, success or pattern

      -n, --limit <N>
              At most this many lessons

              [default: 5]

          --max-tokens <N>
              Never more than this many tokens

              [default: 500]

          --archived
              Also what was moved to the archive

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_memory() {
    snapshot!(help(&["agent", "memory"]), @"
    exit: 0
    --- stdout
    Look through what agents remember, and mend it

    A correction is a new record that takes the place of another; so is forgetting. Every clone obeys
    them once it has them.

    Usage: elophanto agent memory [OPTIONS] <COMMAND>

    Commands:
      list      List lessons, the newest first
      show      Show a lesson with all that is known of it
      edit      Correct a lesson: what is given takes the place of what it says
      forget    Forget a lesson, or all about something, here and in every clone that takes this over
      wipe      Take a lesson's text out of the files for good, and say what git's history still holds
      join      Make lessons that say the same in other words one
      stats     Say how much is remembered, and what recalling it saves
      export    Print all lessons of a repository as JSON Lines, corrections applied
      archive   Move files of old lessons to `.elophanto/memory/archive/`
      restore   Put back what was remembered on this machine and is nowhere any more
      patterns  Show lessons that three or more repositories learnt, and those that may be one
      help      Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_note() {
    snapshot!(help(&["agent", "note"]), @"
    exit: 0
    --- stdout
    Write a note about a task, a pattern, a failure or a service

    It goes below `knowledge/learned/` and begins with title, times, tags and scope. Its text comes from
    --section, or from standard input with `-`; without either, the headings wait to be filled.

    Usage: elophanto agent note [OPTIONS] <KIND> <TITLE> [-]

    Arguments:
      <KIND>
              task, pattern, failure, service or note

      <TITLE>
              What it is called

      [-]
              `-` reads the text from standard input

              [possible values: -]

    Options:
          --section <HEADING=TEXT>
              What stands under one of its headings, such as 'Root cause=the cache belonged to root'

          --tags <A,B>
              Keywords

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_mcp() {
    snapshot!(help(&["agent", "mcp", "serve"]), @"
    exit: 0
    --- stdout
    Serve MCP over standard input and output, or over HTTP

    Over HTTP, only this machine is listened to unless another address is given, and every request must
    bear the token of the server; `agent mcp status --token` prints it.

    Usage: elophanto agent mcp serve [OPTIONS]

    Options:
          --in <URL>
              Search a fleet of repositories in place of this one: s3://BUCKET/FOLDER, gs://, az:// or
              file:///FOLDER, as `elophanto publish` takes it. Only `search` and `recall` are offered

          --only <NAME>
              With --in: answer from these repositories alone: a name, or the beginning of names with a
              slash at its end; may be repeated

          --rights <FILE>
              With --in and --http: a file of yours that says whose token finds which repositories, a
              list of entries such as `- { token: env:SEA_TOKEN, repositories: [github.com/acme/sea,
              github.com/acme/docs/] }`; a token is named as env:NAME, vault:NAME or blake3:HASH, and a
              folder of repositories ends with a slash. Any other token is refused; that of the server
              itself finds nothing then

          --http [<ADDRESS>]
              Serve streamable HTTP at this address

          --ensure
              Start the HTTP server in the background unless it runs already, and say where it is

          --allow-host <HOST>
              A name by which this machine may be called, besides `localhost`; may be repeated

          --allow-origin <ORIGIN>
              A web page that may call, such as https://tools.example; may be repeated

          --rate <N>
              Most requests a minute

              [default: 6000]

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_install() {
    snapshot!(help(&["agent", "install"]), @"
    exit: 0
    --- stdout
    Set up an agent's program: the MCP server and a skill that says when to use it

    Shows every change first and asks; what a file said before is kept beside it, and everything else in
    it stays as it is. --remove takes out what this put in.

    Usage: elophanto agent install [OPTIONS] <CLIENT>

    Arguments:
      <CLIENT>
              claude-code, codex, cursor, vscode, gemini or opencode

    Options:
          --project
              For this repository only, in files that git may carry

          --user
              For everything you work on (the default)

          --hooks
              With claude-code: hooks that recall when a session begins and remind when it ends

          --remove
              Take it out again

          --dry-run
              Only show what would change

      -y, --yes
              Do not ask

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_run() {
    snapshot!(help(&["agent", "run"]), @r#"
    exit: 0
    --- stdout
    Work on a task with tools, asking before it does harm

    Plans, makes one call of a tool at a time, looks back, and writes down what became of it where
    `agent.notes` says. What a run changed can be taken back: see `elophanto agent undo`. Exits with 1
    if the goal was not reached.

    Usage: elophanto agent run [OPTIONS] <GOAL>

    Arguments:
      <GOAL>
              What is to be done; `-` reads it from standard input

    Options:
          --session <ID>
              Go on in this session, by its id, the beginning of it, or its name

          --mode <MODE>
              What runs without asking: ask (nothing), smart (what is safe) or full

          --model <P/M>
              Ask this model for everything, even if its provider has just failed

          --max-steps <N>
              Calls of tools at most

          --budget <LIMITS>
              What models may cost, such as 0.50usd,20000tok,30calls

          --branch <NAME>
              Work on a new branch of this name, and commit there what the run changes

          --worktree[=<NAME>]
              Work in a new work tree and branch beside this one, which stays as it is

              It lies in the folder `REPOSITORY.worktrees` beside the repository, at HEAD: changes that
              are not committed are not in it. `git worktree remove` removes it.

          --stash
              Put uncommitted changes, untracked files too, aside until the run has ended

          --patch <FILE>
              Write what the run changed to a new file for `git apply`; `-` is standard output

          --image <FILE>
              Show the model this image beside the goal: PNG, JPEG, GIF or WebP, at most 3.7 MB

          --plan
              Ask about the plan before work begins: yes, no, or what is to be different

          --yes
              Agree to what is sent to a model elsewhere

          --json
              Print JSON Lines; approvals are answered on standard input: {"id": 1, "answer": "once"}

              Other answers are session, rule and no; a question is answered by {"id": 1, "text":
              "..."}.

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    "#);
}

#[test]
fn help_of_agent_chat() {
    snapshot!(help(&["agent", "chat"]), @"
    exit: 0
    --- stdout
    Talk with the agent

    A line is a task, or the next message of this conversation; lines that begin with `/` are commands
    (`/help`), one that begins with `!` is run by the shell in the sandbox, and `@path` puts a file
    beside what is said. What it wants to do is shown and asked for here. The conversation survives a
    restart: --session goes on with it. Where a gateway of yours serves this repository, the
    conversation is held there.

    Usage: elophanto agent chat [OPTIONS]

    Options:
          --session <ID>
              Go on in this session, by its id, the beginning of it, or its name

          --mode <MODE>
              What runs without asking: ask (nothing), smart (what is safe) or full

          --model <P/M>
              Ask this model for everything, even if its provider has just failed

          --budget <LIMITS>
              What models may cost in each run, such as 0.50usd,20000tok,30calls

          --plan
              Ask about each plan before work begins: yes, no, or what is to be different

          --yes
              Agree to what is sent to a model elsewhere

          --no-gateway
              Work alone, though a gateway of yours serves this repository; any other option does so too

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_acp() {
    snapshot!(help(&["acp"]), @"
    exit: 0
    --- stdout
    Be the agent of your editor, over standard input and output

    The agent of `elophanto agent chat` in editors that speak the Agent Client Protocol, such as Zed,
    JetBrains and Neovim: plans, calls and diffs as they come, approvals in between, conversations that
    go on later. Your editor starts it: editors/README.md says what to write where.

    Usage: elophanto acp [OPTIONS]

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_lsp() {
    snapshot!(help(&["lsp"]), @"
    exit: 0
    --- stdout
    Serve an editor, over standard input and output

    A language server for Markdown and, read-only, for source files: what is wrong while you write, what
    is known of what stands under the cursor, where links lead and who leads here. Your editor starts
    it: `elophanto editor install` sets that up.

    Usage: elophanto lsp [OPTIONS]

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_editor_install() {
    snapshot!(help(&["editor", "install"]), @"
    exit: 0
    --- stdout
    Have your editor start the language server

    Shows every change first and asks; what a file said before is kept beside it, and everything else in
    it stays as it is. --remove takes out what this put in.

    Usage: elophanto editor install [OPTIONS] <EDITOR>

    Arguments:
      <EDITOR>
              vscode, neovim, helix or emacs

    Options:
          --vsix <FILE>
              For vscode: the extension, as editors/vscode/pack.sh makes it

          --remove
              Take it out again

          --dry-run
              Only show what would change

      -y, --yes
              Do not ask

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_publish() {
    snapshot!(help(&["publish"]), @"
    exit: 0
    --- stdout
    Publish what HEAD holds to the knowledge base of a fleet, in an object store

    The address is s3://BUCKET/FOLDER (any store that speaks like S3), gs://, az:// or file:///FOLDER.
    One object is created and never changed: publishing the same commit twice is publishing it once.
    Vectors are those that are committed; only the instant built-in model makes them anew. With --fold,
    one job brings what was published into the tables that `elophanto search --in URL` asks. Keys come
    from the variables that the programs of the clouds use (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL,
    AWS_WEB_IDENTITY_TOKEN_FILE and so on), else from the vault (`aws-access-key-id`,
    `aws-secret-access-key`). Exits with 1 if nothing is published because of --strict.

    Usage: elophanto publish [OPTIONS] <URL>

    Arguments:
      <URL>
              Where to

    Options:
          --as <NAME>
              What the repository is called there; by default where it was cloned from, such as
              github.com/acme/notes

          --dry-run
              Say what would be published, and publish nothing

          --strict
              Publish nothing if a chunk has no vector

          --memory
              Publish the lessons of agents too, for `elophanto agent recall --in URL`: those that are
              committed, and were neither taken back nor put away

          --retire
              Publish that nothing of the repository is to be found any more

          --epoch <N>
              Raise this when the history was rewritten; by default it is found out

      -y, --yes
              Agree to send the text of this repository there, and remember that

          --fold
              Bring what was published into the tables

          --tend
              With --fold: pack the tables and bring their indexes up to date in any case

          --list
              List the repositories there, each with its commit

          --export <FORM>
              Write all chunks with their vectors to standard output, for another engine

              Possible values:
              - ndjson: One JSON object a line
              - arrow:  A stream in Arrow's IPC format

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_page() {
    snapshot!(help(&["page"]), @"
    exit: 0
    --- stdout
    See, search and read the knowledge base in your browser

    Starts your gateway unless it runs, and opens its page. The address that is opened is good once, and
    for a minute; the browser may come back for twelve hours.

    Usage: elophanto page [OPTIONS]

    Options:
          --print
              Print the address, and open nothing

          --export <DIR>
              Write the reading part as files into a folder that is new or empty, for a web server

              Notes, entities, graph, and a search that the browser does. Nothing is written if anything
              in it looks like a secret.

          --at <REV>
              Of the notes as of a commit, branch, tag or date

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_gateway() {
    snapshot!(help(&["gateway"]), @"
    exit: 0
    --- stdout
    Serve conversations with the agent, and MCP, to programs of yours

    Listens at this machine alone unless another address is given. One gateway serves you, for the
    repository around the current folder or those of gateway.repositories; `agent chat` talks through it
    while it runs.

    Usage: elophanto gateway [OPTIONS]
           elophanto gateway <COMMAND>

    Commands:
      status   Say whether your gateway runs, where, and what it serves
      stop     Stop your gateway
      token    The token by which programs come in
      connect  Talk with your gateway in JSON Lines: one message a line, both ways
      help     Print this message or the help of the given subcommand(s)

    Options:
          --host <ADDRESS>
              Address to listen at, in place of gateway.host

          --port <PORT>
              Port to listen at, in place of gateway.port; 0 takes any that is free

          --ensure
              Start it in the background unless one of yours runs already, and say where it is

          --allow-host <HOST>
              A name by which this machine may be called, besides `localhost`; may be repeated

          --rate <N>
              Most requests a minute

              [default: 6000]

          --in <URL>
              A fleet of repositories for a page of its own: s3://BUCKET/FOLDER, gs://, az:// or
              file:///FOLDER, as `elophanto publish` takes it

          --chat
              Talk with the agent here, while it serves: one line is one message

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["gateway", "status"]), @"
    exit: 0
    --- stdout
    Say whether your gateway runs, where, and what it serves

    Usage: elophanto gateway status [OPTIONS]

    Options:
          --token     Print the token alone
          --json      Print JSON Lines
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
    snapshot!(help(&["gateway", "stop"]), @"
    exit: 0
    --- stdout
    Stop your gateway

    Runs that go on are ended and written down. Exits with 1 if none runs.

    Usage: elophanto gateway stop [OPTIONS]

    Options:
          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["gateway", "token", "rotate"]), @"
    exit: 0
    --- stdout
    Put another token in the place of the one there is

    The old one opens nothing from now on, and what it opened is closed. The new one is kept for every
    start of the gateway; `gateway status --token` prints it.

    Usage: elophanto gateway token rotate [OPTIONS]

    Options:
          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
    snapshot!(help(&["gateway", "connect"]), @"
    exit: 0
    --- stdout
    Talk with your gateway in JSON Lines: one message a line, both ways

    The hello is said here. At the end of standard input it goes once everything that was said is
    answered.

    Usage: elophanto gateway connect [OPTIONS] --json

    Options:
          --json
              Speak JSON Lines; there is no other way yet

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_undo() {
    snapshot!(help(&["agent", "undo"]), @"
    exit: 0
    --- stdout
    Take back what a run of the agent changed, byte for byte

    Without RUN, the last one; where that is undone already, the one before after a question. A file
    that somebody changed since is left, and nothing is taken back unless --partly says so. An undo is a
    run too, whose id it tells: undoing it does the work again. What a run wrote about its task goes
    too; its lesson stays.

    Usage: elophanto agent undo [OPTIONS] [RUN]

    Arguments:
      [RUN]
              Id of the run, or its beginning

    Options:
          --partly
              Take back what nobody changed since, and leave the rest

          --interrupted
              Also what changed after a run was interrupted, whoever changed it

          --yes
              Agree to taking back an older run where the last one is undone already and no RUN is given

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_runs() {
    snapshot!(help(&["agent", "runs"]), @"
    exit: 0
    --- stdout
    What the agent did, run by run

    Each run leaves a trail on this machine: every call with its arguments, who decided and how, what
    came of it, tokens and money. Secrets in it are masked. Inside of a repository its own runs are
    listed.

    Usage: elophanto agent runs [OPTIONS] [COMMAND]

    Commands:
      show  Everything that happened in a run
      help  Print this message or the help of the given subcommand(s)

    Options:
      -n, --limit <LIMIT>
              Runs that are listed at most

              [default: 20]

          --all
              List the runs in all repositories

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_sessions() {
    snapshot!(help(&["agent", "sessions"]), @"
    exit: 0
    --- stdout
    Conversations with the agent that can go on

    Usage: elophanto agent sessions [OPTIONS] [COMMAND]

    Commands:
      show  All that was said in a conversation, and its runs
      help  Print this message or the help of the given subcommand(s)

    Options:
          --remove <ID>  Forget this one, by its id, the beginning of it, or its name
          --all          List those of all repositories
          --json         Print JSON Lines
          --no-color     Print without colours and links
      -h, --help         Print help
    --- stderr
    ");
}

#[test]
fn help_of_agent_tools() {
    snapshot!(help(&["agent", "tools"]), @"
    exit: 0
    --- stdout
    List the tools of the agent: those built in, and deployed plugins

    With `--json` each is printed with the JSON schema of its arguments. What may run without asking
    depends on its level, the mode and your rules. Tools of other servers are listed with --servers,
    which starts those that you trust.

    Usage: elophanto agent tools [OPTIONS]

    Options:
          --servers
              Start the servers that you added and trust, as a run does, and list their tools too

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_plugin() {
    snapshot!(help(&["agent", "plugin"]), @"
    exit: 0
    --- stdout
    Plugins: programs below `plugins/` that are tools of the agent once you agreed to them

    A plugin is a folder `plugins/NAME` with `plugin.*`, `test_plugin.*`, `README.md` and `schema.json`.
    It reads JSON on standard input and prints JSON, in any language. It is a tool only if
    `plugins/manifest.json` has the hash of exactly its files, and you agreed to that hash on this
    machine.

    Usage: elophanto agent plugin [OPTIONS] <COMMAND>

    Commands:
      new     Make a plugin to fill in: a small program in Python that works, with tests that pass
      list    List the plugins, and why some are no tools
      show    Show what a plugin is: what it says of itself, its files, whether it is a tool
      test    Run a plugin's tests in the sandbox
      deploy  Make a plugin a tool of the agent, after you looked at it
      remove  Take a plugin out of the tools of the agent
      help    Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_skill() {
    snapshot!(help(&["agent", "skill"]), @"
    exit: 0
    --- stdout
    Skills: folders with a SKILL.md that teach the agent a kind of work

    Usage: elophanto agent skill [OPTIONS] <COMMAND>

    Commands:
      list     List all skills, where each comes from, and which hide others of their name
      show     Show what a skill says
      new      Make a new skill to fill in, in this repository
      install  Bring a skill here from a folder, a git repository or the hub
      update   Bring what was installed up to date from where it came from
      remove   Remove a skill that was installed, or one of your own
      help     Print this message or the help of the given subcommand(s)

    Options:
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
}

#[test]
fn help_of_agent_hub() {
    snapshot!(help(&["agent", "hub"]), @"
    exit: 0
    --- stdout
    The hub: skills to choose from, where your own settings say (`agent.hub`)

    It is part of the program unless you name a folder or the address of a git repository.

    Usage: elophanto agent hub [OPTIONS] <COMMAND>

    Commands:
      search   Search the skills of the hub; all of them without QUERY
      publish  Make a folder of skills a hub: write the list of all that lie below it to `index.json`
      help     Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_agent_mcp_add() {
    snapshot!(help(&["agent", "mcp", "add"]), @"
    exit: 0
    --- stdout
    Add a server of somebody else, whose tools the agent may use

    It is a program, or an address where a server runs already. A program runs as you, outside of the
    sandbox, with the variables that --env names and no others, in your home folder. An address is asked
    over the network: over TLS, unless it is on this machine, and on a private network with --private
    only. Nothing is started or asked before you trust it: --trust does it once to see what it offers.
    When it offers something else later, its tools are left out until you say so again. What is kept
    lies beside your own settings, never in a repository.

    Usage: elophanto agent mcp add [OPTIONS] <NAME|ADDRESS> [ADDRESS] [-- <COMMAND>...]

    Arguments:
      <NAME|ADDRESS>
              What to call it: up to 24 small letters, digits and `_`; its tools are named NAME_TOOL. An
              address here makes a name of its host

      [ADDRESS]
              Where it is, such as https://mcp.example.org/mcp

      [COMMAND]...
              The program and its arguments; no shell sees them

    Options:
          --env <NAME>
              A variable of the environment that a program gets, such as PATH; may be repeated

          --usual-env
              Give a program PATH and HOME, which launchers such as npx and uvx need

          --key <PLACE>
              Where the token for an address is: `env:NAME` or `vault:NAME`

          --private
              The address may be on a private network

          --level <TOOL=LEVEL>
              The level of a tool, by the server's own name of it; may be repeated

              Levels are safe, moderate, destructive and critical. A tool that is not named is
              destructive.

          --trust
              Look at what it offers, and use that in runs from now on

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_channel() {
    snapshot!(help(&["channel"]), @"
    exit: 0
    --- stdout
    Let people write to the agent on platforms such as Telegram, by a bot of yours

    Your gateway is at work there while it runs. Nobody may write to a bot whom you have not let in, on
    this machine.

    Usage: elophanto channel [OPTIONS] <COMMAND>

    Commands:
      add        Set a bot up: its token is asked for, tried, and kept in the vault
      list       Say which bots there are, who may write to them, and who would like to
      remove     Take a bot away: nobody may write to it any more
      test       Ask the platform who the bot is, with the token that is kept
      pair       Let somebody in who wrote to a bot, by the code that it told them
      approve    Have somebody who may write answer approvals too
      leave-out  Let somebody in no more
      help       Print this message or the help of the given subcommand(s)

    Options:
          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_channel_add() {
    snapshot!(help(&["channel", "add"]), @"
    exit: 0
    --- stdout
    Set a bot up: its token is asked for, tried, and kept in the vault

    The token is asked for at the terminal, or read from standard input to its end when that is not a
    terminal. At a terminal, the first person is let in by the code that the bot tells them.

    Usage: elophanto channel add [OPTIONS] <PLATFORM>

    Arguments:
      <PLATFORM>
              The platform

              [possible values: telegram, discord, slack]

    Options:
          --token-fd <N>
              Read the token from descriptor N

          --passphrase-fd <N>
              Read the passphrase from descriptor N: its first line. The variable ELOPHANTO_VAULT_FD may
              name it as well

          --remember
              Let the keyring of this system keep the key, so that nobody is asked again. On Linux it
              forgets after some days without use, and when the machine starts anew

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_channel_list() {
    snapshot!(help(&["channel", "list"]), @"
    exit: 0
    --- stdout
    Say which bots there are, who may write to them, and who would like to

    Usage: elophanto channel list [OPTIONS]

    Options:
          --json      Print JSON Lines
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
}

#[test]
fn help_of_channel_remove() {
    snapshot!(help(&["channel", "remove"]), @"
    exit: 0
    --- stdout
    Take a bot away: nobody may write to it any more

    Its token stays in the vault: `elophanto vault remove NAME` takes it away, and the platform makes it
    invalid.

    Usage: elophanto channel remove [OPTIONS] <PLATFORM>

    Arguments:
      <PLATFORM>
              The platform

              [possible values: telegram, discord, slack]

    Options:
          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_channel_test() {
    snapshot!(help(&["channel", "test"]), @"
    exit: 0
    --- stdout
    Ask the platform who the bot is, with the token that is kept

    Usage: elophanto channel test [OPTIONS] <PLATFORM>

    Arguments:
      <PLATFORM>  The platform [possible values: telegram, discord, slack]

    Options:
          --json      Print JSON Lines
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
}

#[test]
fn help_of_channel_pair() {
    snapshot!(help(&["channel", "pair"]), @"
    exit: 0
    --- stdout
    Let somebody in who wrote to a bot, by the code that it told them

    A code is good for an hour, and once.

    Usage: elophanto channel pair [OPTIONS] <CODE>

    Arguments:
      <CODE>
              The code

    Options:
          --approve
              Let them answer approvals too

          --json
              Print JSON Lines

          --no-color
              Print without colours and links

      -h, --help
              Print help (see a summary with '-h')
    --- stderr
    ");
}

#[test]
fn help_of_channel_approve() {
    snapshot!(help(&["channel", "approve"]), @"
    exit: 0
    --- stdout
    Have somebody who may write answer approvals too

    Usage: elophanto channel approve [OPTIONS] <PLATFORM> <ID>

    Arguments:
      <PLATFORM>  The platform [possible values: telegram, discord, slack]
      <ID>        Their number: `channel list` says it

    Options:
          --no-more   Have them answer approvals no more
          --json      Print JSON Lines
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
}

#[test]
fn help_of_channel_leave_out() {
    snapshot!(help(&["channel", "leave-out"]), @"
    exit: 0
    --- stdout
    Let somebody in no more

    Usage: elophanto channel leave-out [OPTIONS] <PLATFORM> <ID>

    Arguments:
      <PLATFORM>  The platform [possible values: telegram, discord, slack]
      <ID>        Their number: `channel list` says it

    Options:
          --json      Print JSON Lines
          --no-color  Print without colours and links
      -h, --help      Print help
    --- stderr
    ");
}
