//! What the MCP server can do: each tool, done as the command of the same name does it.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{
    super::{Outcome, error::CliError, run_kept, workspace::Workspace},
    memories::{Kept, Memories},
    note,
    recall::{shown, wire},
};
use crate::{
    authoring::{self, Part, content_hash, excerpt, nearest},
    embed::builtin::count_tokens,
    index::{Options, Refreshed},
    markdown,
    memory::{Draft, Question, compact},
    repo::{Git, NotePath, history::Age, is_tracked, read_note},
    server::{Call, NoteEntry, NoteText, Operations, Reply, Tool},
    store::manifest::Place,
};

/// How long an answer waits for another process that writes the view.
const PATIENCE: Duration = Duration::from_millis(50);
/// How long git may take to tell which commit a lesson came with.
const ORIGIN_PATIENCE: Duration = Duration::from_millis(200);
/// Paths that are suggested where there is no such note.
const SUGGESTIONS: usize = 5;
/// Largest note that is read as a whole, in bytes.
const MOST_READ: usize = 256 * 1024;

/// What is kept from call to call.
#[derive(Default)]
struct Held {
    /// Which commit brought a file of lessons, by its path: once it has one, it never changes again.
    commits: Mutex<BTreeMap<NotePath, String>>,
    /// The index of lessons.
    lessons: Kept,
}

/// The operations on the knowledge base around the current folder.
pub fn operations() -> Operations {
    let held = Held::default();
    Operations {
        call: Box::new(move |tool, arguments, call| {
            answer(tool, &Arguments(arguments), call, &held).unwrap_or_else(|error| {
                Reply::Refused {
                    reason: error.message().to_owned(),
                    hint: error.hint_text().map(str::to_owned),
                }
            })
        }),
        notes: Box::new(|after, limit| notes(after, limit).map_err(said)),
        read: Box::new(|path| read(path).map_err(said)),
        count_tokens,
    }
}

fn said(error: CliError) -> String {
    error.message().to_owned()
}

/// The knowledge base, without a word about its settings: they were said when the server began.
pub(super) fn workspace() -> Result<Workspace, CliError> {
    Workspace::again(crate::repo::locate(Path::new("."))?, Vec::new())
}

/// Arguments that were checked against the tool's schema.
struct Arguments<'a>(&'a Map<String, Value>);

impl Arguments<'_> {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).and_then(Value::as_str)
    }

    fn given(&self, name: &str) -> &str {
        self.text(name).unwrap_or_default()
    }

    fn whole(&self, name: &str) -> Option<usize> {
        self.0.get(name).and_then(Value::as_u64).and_then(|value| usize::try_from(value).ok())
    }

    fn is_set(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Option<Vec<String>> {
        let items = self.0.get(name)?.as_array()?;
        Some(items.iter().filter_map(|item| Some(item.as_str()?.to_owned())).collect())
    }
}

fn answer(tool: Tool, arguments: &Arguments, call: &Call, held: &Held) -> Result<Reply, CliError> {
    if call.is_followed() && !matches!(tool, Tool::Remember | Tool::Learn | Tool::WriteNote) {
        read_first(call)?;
    }
    match tool {
        Tool::Search => search(arguments, call),
        Tool::Similar => similar(arguments, call),
        Tool::Get => get(arguments, call),
        Tool::Recall => recall(arguments, call, held),
        Tool::Remember => remember(arguments, call),
        Tool::Learn => learn(arguments),
        Tool::Questions => questions(arguments),
        Tool::Entity => entity(arguments),
        Tool::WriteNote => write_note(arguments),
        Tool::Status => status(),
    }
}

/// Reads what changed before the tool itself would, and says how far it is.
fn read_first(call: &Call) -> Result<(), CliError> {
    let progress = |done, all| call.progress(done, Some(all), "reading notes");
    let options = Options { full: false, patience: Some(PATIENCE), progress: &progress };
    workspace()?.refresh_all(options)?;
    Ok(())
}

/// What a command prints as JSON Lines, and whether it found anything.
fn lines(command: &[String], input: Vec<u8>) -> Result<(Vec<Value>, Outcome), CliError> {
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    let (outcome, bytes) = run_kept(&command, input)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok((text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(), outcome))
}

/// A command line whose values cannot be taken for options.
#[derive(Clone)]
struct Line(Vec<String>);

impl Line {
    fn new(words: &[&str]) -> Self {
        Self(words.iter().map(|word| (*word).to_owned()).collect())
    }

    fn option(mut self, name: &str, value: Option<impl ToString>) -> Self {
        self.0.extend(value.map(|value| format!("--{name}={}", value.to_string())));
        self
    }

    fn then(mut self, value: &str) -> Vec<String> {
        self.0.extend(["--".to_owned(), value.to_owned()]);
        self.0
    }
}

fn search(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let mut line = Line::new(&["search", "--json", "--blame"])
        .option("limit", arguments.whole("limit"))
        .option("scope", arguments.text("scope"))
        .option("tag", arguments.text("tag"))
        .option("path", arguments.text("path"))
        .option("since", arguments.text("since"))
        .option("at", arguments.text("at"))
        .option("mode", arguments.text("mode"));
    for kind in arguments.texts("kind").unwrap_or_default() {
        line = line.option("kind", Some(kind));
    }
    found(line, Some(arguments.given("query")), call)
}

fn similar(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let path = arguments.given("path");
    let place = match arguments.whole("line") {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    };
    let line = Line::new(&["search", "--json", "--blame"])
        .option("limit", arguments.whole("limit"))
        .option("like", Some(place));
    found(line, None, call)
}

/// Hits as the server answers them. Where no sentence of them fits, their beginnings: the server
/// cuts those, and what was found is never taken for nothing.
fn found(line: Line, query: Option<&str>, call: &Call) -> Result<Reply, CliError> {
    let ask = |line: Line| {
        let command = match query {
            Some(query) => line.then(query),
            None => line.0,
        };
        lines(&command, Vec::new())
    };
    let mut asked = ask(line.clone().option("max-tokens", Some(call.max_tokens())))?;
    if asked.0.is_empty() && asked.1 == Outcome::Done {
        asked = ask(line)?;
    }
    let (lines, _) = asked;
    let hits: Vec<Value> = lines.iter().map(hit).collect();
    let mut text: String = hits.iter().map(hit_text).collect();
    if hits.is_empty() {
        text = "Nothing was found.".to_owned();
    }
    Ok(Reply::Found { text, structured: json!({ "hits": hits }) })
}

fn hit(line: &Value) -> Value {
    let text = line["text"].as_str().or(line["snippet"].as_str()).unwrap_or_default().trim();
    let mut hit = json!({
        "path": line["path"],
        "line": line["line"],
        "kind": line["kind"],
        "title": line["title"],
        "breadcrumb": line["breadcrumb"],
        "scope": line["scope"],
        "text": text,
        "score": line["score"],
        "origin": {
            "author": line["blame"]["author"],
            "commit": line["blame"]["commit"],
            "date": line["blame"]["date"],
            "state": line.get("state").cloned().unwrap_or_else(|| json!("committed")),
        },
    });
    for more in ["against", "drifted", "at"] {
        if let Some(value) = line.get(more) {
            hit[more] = value.clone();
        }
    }
    hit
}

fn hit_text(hit: &Value) -> String {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let crumbs = hit["breadcrumb"].as_array();
    let heading = word(crumbs.and_then(|all| all.last()).unwrap_or(&hit["title"]));
    let by = by(&hit["origin"]);
    let doubt = match hit.get("against").and_then(Value::as_str) {
        Some(note) => format!(" [the user says otherwise: {note}]"),
        None => String::new(),
    };
    let text = word(&hit["text"]).replace('\n', "\n  ");
    let (path, line) = (word(&hit["path"]), &hit["line"]);
    format!("{path}:{line}  {heading}  ({by}){doubt}\n  {text}\n\n")
}

fn get(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let path = NotePath::from(arguments.given("path"));
    let known = known(&workspace)?;
    let Some(text) = note_text(&workspace, &known, &path)? else {
        let paths: Vec<String> =
            known.snapshot.files.iter().map(|file| file.path.to_text()).collect();
        let near = nearest(&path.to_text(), paths.iter().map(String::as_str), SUGGESTIONS);
        let hint = match near.is_empty() {
            true => "`search` finds notes by what they say".to_owned(),
            false => format!("there is {}", near.join(", ")),
        };
        return Err(CliError::new(format_args!("there is no note `{}`", path.to_text())).hint(hint));
    };
    let part = match (arguments.text("heading"), arguments.text("lines")) {
        (Some(heading), _) => Part::Heading(heading.to_owned()),
        (None, Some(lines)) => {
            let (first, last) = lines.split_once('-').unwrap_or((lines, lines));
            Part::Lines(first.parse().unwrap_or(1), last.parse().unwrap_or(usize::MAX))
        }
        (None, None) => Part::Whole,
    };
    let found = excerpt(&text, &part)?;
    let title = markdown::parse(&text).ok().and_then(|note| note.title().map(str::to_owned));
    let title = title.unwrap_or_else(|| path.stem());
    let hash = content_hash(&text);
    let (first, end) = found.lines;
    let answer = |body: &str, last: usize, origin: &Value| {
        let structured = json!({
            "path": path.to_text(),
            "title": title,
            "lines": [first, last],
            "text": body,
            "hash": hash,
            "truncated": last < end,
            "origin": origin,
        });
        let mut text = format!("{}:{first}-{last}  ({})\n\n{body}", path.to_text(), by(origin));
        if last < end {
            text.push_str(&format!("[it goes on; ask for `lines` {}-{end}]", last + 1));
        }
        (text, structured)
    };
    // An origin of the usual length, and room for the line that says what is quoted.
    let usual = json!({"author": "a".repeat(40), "commit": "0".repeat(40), "date": "0".repeat(20)});
    let room = call.max_tokens().saturating_sub(24);
    let fits = |body: &str, last| {
        let (text, structured) = answer(body, last, &usual);
        count_tokens(&text) <= room && count_tokens(&structured.to_string()) <= room
    };
    let (body, last) = whole_lines(&found.text, found.lines, fits);
    let (text, structured) = answer(body, last, &origin(&workspace, &known, &path, (first, last)));
    Ok(Reply::Found { text, structured })
}

/// The most lines that fit, at least one, and the number of the last one.
fn whole_lines(
    text: &str,
    (first, end): (usize, usize),
    fits: impl Fn(&str, usize) -> bool,
) -> (&str, usize) {
    if fits(text, end) {
        return (text, end);
    }
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1).collect();
    let head = |lines: usize| {
        let at = lines.checked_sub(1).and_then(|last| ends.get(last)).copied();
        let head = at.and_then(|at| text.get(..at)).unwrap_or(text);
        let last = if at.is_some() { first + markdown::count_line_ends(head) - 1 } else { end };
        (head, last.max(first).min(end))
    };
    let (mut least, mut most) = (1, ends.len().max(1));
    while least < most {
        let middle = (least + most).div_ceil(2);
        let (body, last) = head(middle);
        if fits(body, last) { least = middle } else { most = middle - 1 }
    }
    head(least)
}

/// Who wrote these lines of a note last, and whether that is committed.
fn origin(
    workspace: &Workspace,
    known: &Refreshed,
    path: &NotePath,
    lines: (usize, usize),
) -> Value {
    let snapshot = &known.snapshot;
    let file = snapshot.files.binary_search_by(|file| file.path.cmp(path)).ok();
    let blob = file.and_then(|at| snapshot.files.get(at)).map(|file| file.blob);
    let history = &snapshot.history;
    let state = match blob.map(|blob| history.age(path, &blob)) {
        Some(Age::NotCommitted) if history.complete && history.get(path).is_some() => "modified",
        Some(Age::NotCommitted) if history.complete => "uncommitted",
        _ => "committed",
    };
    let blamed = || {
        let git = Git::of(&workspace.repository).filter(|_| state == "committed")?;
        let lines = git.blame(history.head.as_ref()?, path, lines).ok()?;
        lines.into_iter().max_by_key(|line| line.time)
    };
    let Some(blame) = blamed() else {
        return json!({"author": null, "commit": null, "date": null, "state": state});
    };
    json!({
        "author": blame.author,
        "commit": blame.commit.to_string(),
        "date": Timestamp::from_second(blame.time).ok().map(|time| time.to_string()),
        "state": state,
    })
}

/// An origin in a few words.
fn by(origin: &Value) -> String {
    let word = |key: &str| origin[key].as_str().unwrap_or_default().to_owned();
    let commit: String = word("commit").chars().take(10).collect();
    match (word("author"), commit) {
        (author, commit) if author.is_empty() || commit.is_empty() => word("state"),
        (author, commit) => format!("{author}, {commit}"),
    }
}

fn recall(arguments: &Arguments, call: &Call, held: &Held) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let memories = Memories::open(&workspace).keeping(&held.lessons);
    let event_type = arguments.text("type").and_then(|kind| kind.parse().ok());
    let question = Question {
        text: arguments.given("text"),
        repo: arguments.text("repo"),
        own: &memories.own,
        event_type,
        archived: arguments.is_set("archived"),
        limit: arguments.whole("limit").unwrap_or(5),
        now: Timestamp::now(),
    };
    let found = memories.recall(&question)?;
    let git = Git::of(&workspace.repository).map(|git| git.with_timeout(ORIGIN_PATIENCE));
    let wires: Vec<Value> = found
        .iter()
        .map(|recalled| {
            let mut wire = serde_json::to_value(wire(recalled, &memories)).unwrap_or_default();
            let path = memories.shown(recalled.path.as_path());
            let is_there = is_tracked(&workspace.repository, &path).unwrap_or_default();
            let git = git.as_ref().filter(|_| is_there);
            let commit = git.and_then(|git| commit_of(git, path.as_path().into(), held));
            wire["origin"] = json!({ "agent": recalled.memory.agent_id, "commit": commit });
            wire
        })
        .collect();
    let structured = json!({ "memories": wires });
    let text = match found.is_empty() {
        true => "Nothing is remembered about that.".to_owned(),
        // Room for the line that says what is quoted.
        false => {
            let room = call.max_tokens().saturating_sub(24);
            compact(&shown(&found, &memories.own), room, &count_tokens).text
        }
    };
    Ok(Reply::Found { text, structured })
}

/// The commit that brought a file; `None` while it is in none.
fn commit_of(git: &Git, path: NotePath, held: &Held) -> Option<String> {
    let mut known = held.commits.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(commit) = known.get(&path) {
        return Some(commit.clone());
    }
    let commit = git.last_commit_of(&path).ok().flatten()?.to_string();
    known.insert(path, commit.clone());
    Some(commit)
}

fn remember(arguments: &Arguments, call: &Call) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let memories = Memories::open(&workspace);
    let event_type = arguments.given("type").parse().map_err(CliError::new)?;
    let agent = call.client().map(str::to_owned);
    let draft = Draft {
        event_type,
        context: arguments.given("context").to_owned(),
        command: arguments.given("command").to_owned(),
        lesson: arguments.given("lesson").to_owned(),
        success_rate: arguments.text("success_rate").and_then(|rate| rate.parse().ok()),
        tags: arguments.texts("tags"),
        repo: arguments.text("repo").unwrap_or(&memories.own).to_owned(),
        agent_id: agent.unwrap_or_else(|| workspace.config.memory.agent_id.clone()),
        replaces: None,
    };
    let remembered = memories.remember(draft, Timestamp::now())?;
    let path = remembered.path.to_string_lossy().into_owned();
    let mut text = format!("Remembered as {} in {path}.", remembered.memory.id);
    if remembered.masked > 0 {
        text.push_str(&format!(" {} secrets in it were masked.", remembered.masked));
    }
    let structured = json!({
        "id": remembered.memory.id,
        "path": path,
        "tags": remembered.memory.tags,
        "masked": remembered.masked,
    });
    Ok(Reply::Found { text, structured })
}

fn learn(arguments: &Arguments) -> Result<Reply, CliError> {
    let text = arguments.text("text");
    let line = Line::new(&["learn", "--json"]).option("from", text.map(|_| "-"));
    let input = text.unwrap_or_default().as_bytes().to_vec();
    let (lines, _) = lines(&line.then(arguments.given("topic")), input)?;
    let prompt = lines.iter().rev().find(|line| line.get("searches").is_some_and(Value::is_array));
    let Some(prompt) = prompt else {
        let text = "Nothing was learnt.".to_owned();
        return Ok(Reply::Found { text, structured: json!({"queued": 0, "facts": 0}) });
    };
    let items = |key: &str| prompt[key].as_array().cloned().unwrap_or_default();
    let queued = items("searches").iter().filter(|search| search["queued"] == true).count();
    let facts = items("entities").iter().filter_map(|it| it["facts"].as_u64()).sum::<u64>();
    let mut text = format!("{facts} facts learnt");
    if queued > 0 {
        text.push_str(&format!(", {queued} searches wait for `elophanto enrich`"));
    }
    for it in items("entities") {
        let word = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
        text.push_str(&format!("\n- {} ({} facts)", word("name"), it["facts"]));
    }
    let structured = json!({
        "prompt": prompt["id"],
        "queued": queued,
        "facts": facts,
        "entities": items("entities"),
    });
    Ok(Reply::Found { text, structured })
}

fn questions(arguments: &Arguments) -> Result<Reply, CliError> {
    let (lines, _) = lines(&Line::new(&["scan", "--list", "--json"]).0, Vec::new())?;
    let wanted = arguments.text("status").map(str::to_lowercase).filter(|status| status != "open");
    let limit = arguments.whole("limit").unwrap_or(20);
    let is_wanted = |line: &&Value| {
        wanted.as_ref().is_none_or(|wanted| line["state"].as_str() == Some(wanted.as_str()))
    };
    let all: Vec<&Value> = lines.iter().filter(is_wanted).collect();
    let word = |line: &Value, key: &str| line[key].as_str().unwrap_or_default().to_owned();
    let asked = |line: &&Value| {
        let (id, question, state) = (word(line, "id"), word(line, "question"), word(line, "state"));
        format!("- {question}  ({id}, {state})\n")
    };
    let mut text: String = all.iter().copied().take(limit).map(|line| asked(&line)).collect();
    if all.is_empty() {
        text = "No question is open.".to_owned();
    }
    let more = all.len().saturating_sub(limit);
    let questions: Vec<&Value> = all.into_iter().take(limit).collect();
    Ok(Reply::Found { text, structured: json!({ "questions": questions, "more": more }) })
}

fn entity(arguments: &Arguments) -> Result<Reply, CliError> {
    let line = Line::new(&["entity", "--json"]);
    let line = match arguments.text("name") {
        Some(name) => line.then(name),
        None => line.0,
    };
    let (lines, _) = lines(&line, Vec::new())?;
    let limit = arguments.whole("limit").unwrap_or(20);
    let more = lines.len().saturating_sub(limit);
    let mut text = String::new();
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for entity in lines.iter().take(limit) {
        match entity["facts"].as_array() {
            None => {
                text.push_str(&format!(
                    "- {} ({} facts)\n",
                    word(&entity["name"]),
                    entity["facts"]
                ));
            }
            Some(facts) => {
                text.push_str(&format!("{} ({})\n", word(&entity["name"]), word(&entity["path"])));
                for fact in facts {
                    let source = word(&fact["source"]);
                    let source = if source.is_empty() { "no source named" } else { &source };
                    let doubt = match fact["against"].as_str() {
                        Some(note) => format!(" [the user says otherwise: {note}]"),
                        None => String::new(),
                    };
                    text.push_str(&format!("- {}  ({source}){doubt}\n", word(&fact["text"])));
                }
            }
        }
    }
    if lines.is_empty() {
        text = match arguments.text("name") {
            Some(name) => format!("Nothing is known of `{name}`."),
            None => "Nothing is known yet.".to_owned(),
        };
    }
    let entities: Vec<&Value> = lines.iter().take(limit).collect();
    Ok(Reply::Found { text, structured: json!({ "entities": entities, "more": more }) })
}

fn write_note(arguments: &Arguments) -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let kind = arguments.text("kind").and_then(|name| note::kind(name).ok());
    let tags = arguments.texts("tags").unwrap_or_default();
    let draft = authoring::Draft {
        kind: kind.unwrap_or(authoring::Kind::Note),
        title: arguments.given("title"),
        sections: &[],
        body: arguments.text("text"),
        tags: &tags,
        path: arguments.text("path").map(Path::new),
    };
    let written = note::write(&workspace, &draft, arguments.text("hash"))?;
    let path = written.path.to_string_lossy().into_owned();
    let text = format!("Written to {path}.");
    let structured = json!({ "path": path, "hash": content_hash(&written.text) });
    Ok(Reply::Found { text, structured })
}

fn status() -> Result<Reply, CliError> {
    let workspace = workspace()?;
    let known = known(&workspace)?;
    let memories = Memories::open(&workspace);
    let remembered = memories.refreshed(false)?;
    let report = &known.report;
    let root = workspace.repository.root.file_name().unwrap_or_default().to_string_lossy();
    let structured = json!({
        "repository": root,
        "memory_repository": memories.own,
        "version": env!("CARGO_PKG_VERSION"),
        "model": workspace.models.active().fingerprint().to_string(),
        "documents": report.files,
        "chunks": report.chunks,
        "waiting": report.waiting,
        "stale": report.stale,
        "lessons": remembered.report.chunks,
    });
    let text = format!(
        "{root}: {} documents in {} chunks, {} of them wait for a vector; {} lessons remembered; \
         model {}; elophanto {}",
        report.files,
        report.chunks,
        report.waiting,
        remembered.report.chunks,
        workspace.models.active().fingerprint(),
        env!("CARGO_PKG_VERSION"),
    );
    Ok(Reply::Found { text, structured })
}

/// Notes and pages of entities, as they are now.
pub(super) fn known(workspace: &Workspace) -> Result<Refreshed, CliError> {
    workspace.refresh_pages(Options { full: false, patience: Some(PATIENCE), progress: &|_, _| {} })
}

/// The text of a note that is indexed; nothing else is read.
fn note_text(
    workspace: &Workspace,
    known: &Refreshed,
    path: &NotePath,
) -> Result<Option<String>, CliError> {
    let is_known = known.snapshot.files.binary_search_by(|file| file.path.cmp(path)).is_ok();
    if !is_known {
        return Ok(None);
    }
    let most = workspace.config.knowledge.max_file_bytes;
    match read_note(&workspace.repository.root, path, most) {
        Ok((bytes, _)) => {
            let decoded = markdown::decode(&bytes).map_err(CliError::new)?;
            Ok(Some(decoded.text.into_owned()))
        }
        Err(cause) if cause.is_gone() => Ok(None),
        Err(cause) => Err(CliError::new(cause)),
    }
}

fn notes(after: Option<&str>, limit: usize) -> Result<Vec<NoteEntry>, CliError> {
    let workspace = workspace()?;
    let known = known(&workspace)?;
    let snapshot = &known.snapshot;
    let times = snapshot.change_times();
    let mut entries = Vec::new();
    for (file, changed) in snapshot.files.iter().zip(times) {
        let path = file.path.to_text();
        if after.is_some_and(|after| path.as_bytes() <= after.as_bytes()) {
            continue;
        }
        let Place::Document { segment, document } = file.place else { continue };
        let Some(part) = snapshot.parts.get(segment as usize) else { continue };
        let document = part.loaded.segment.document(document as usize);
        let title = document.map_or_else(|_| file.path.stem(), |it| it.title.to_owned());
        // A page of an entity comes without its stat.
        let bytes = match file.stat.size {
            0 => fs::metadata(file.path.below(&workspace.repository.root)).map_or(0, |it| it.len()),
            bytes => bytes,
        };
        let changed = changed.and_then(|seconds| Timestamp::from_second(seconds).ok());
        entries.push(NoteEntry { path, title, bytes, changed });
        if entries.len() == limit {
            break;
        }
    }
    Ok(entries)
}

fn read(path: &str) -> Result<Option<NoteText>, CliError> {
    let workspace = workspace()?;
    let known = known(&workspace)?;
    let Some(mut text) = note_text(&workspace, &known, &NotePath::from(path))? else {
        return Ok(None);
    };
    let truncated = text.len() > MOST_READ;
    if truncated {
        let mut end = MOST_READ;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        text.truncate(end);
    }
    Ok(Some(NoteText { text, truncated }))
}
