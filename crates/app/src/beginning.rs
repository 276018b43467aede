//! What somebody is told who asked for nothing yet: what is here, and what to try first.

use std::path::Path;

use crate::{
    Result, hooks, init,
    memory::Memories,
    reading::{Catalogue, Entry},
    workspace::Workspace,
};
use elophanto_base::visible::escape_control_line;
use elophanto_index::{Kind, commit};
use elophanto_repo::read_note;
use elophanto_text::{changelog, markdown};

/// Commands that are proposed.
const MOST: usize = 3;
/// Characters of a title that is proposed as a question.
const MOST_TITLE: usize = 60;
/// Notes among which such a title is looked for.
const LOOKED_AT: usize = 20;

/// A knowledge base at first sight.
#[derive(Debug)]
pub struct Beginning {
    /// The name of its folder.
    pub name: String,
    /// Notes that can be searched.
    pub notes: usize,
    /// Pages of what was learnt about one thing each.
    pub entities: usize,
    /// Passages that are searched, in notes, pages of entities and descriptions of files.
    pub chunks: usize,
    /// What agents learnt from tasks.
    pub lessons: usize,
    /// What to try next, the most telling first.
    pub tries: Vec<Try>,
}

/// A command for a shell, and what it does.
#[derive(Debug, PartialEq, Eq)]
pub struct Try {
    /// As it is typed.
    pub command: String,
    /// In a few words, for the line behind it.
    pub does: &'static str,
}

/// Reads what changed, as a search does, and proposes what helps most here, to be typed in `folder`.
///
/// # Errors
/// When a configured root does not exist, or the view can neither be read nor be made.
pub fn begin(workspace: &Workspace, folder: &Path) -> Result<Beginning> {
    let catalogue = Catalogue::now(workspace)?;
    let entities = catalogue.entries.iter().filter(|entry| entry.kind == Kind::Fact).count();
    let root = workspace.repository.root.file_name().unwrap_or_default();
    Ok(Beginning {
        name: root.to_string_lossy().into_owned(),
        notes: catalogue.entries.len() - entities,
        entities,
        chunks: catalogue.chunks,
        lessons: Memories::open(workspace).read().0.folded.memories.len(),
        tries: tries(workspace, &catalogue, folder)?,
    })
}

fn tries(workspace: &Workspace, catalogue: &Catalogue, folder: &Path) -> Result<Vec<Try>> {
    let repository = &workspace.repository;
    let is_git = repository.git_dir.is_some();
    let tries_of = |command: &str, does| Try { command: command.to_owned(), does };
    let mut tries = Vec::new();
    if catalogue.entries.is_empty() {
        tries.push(tries_of("elophanto init", "makes a folder for notes, with pages to fill in"));
    }
    let latest = catalogue.latest(LOOKED_AT);
    let question = |entry: &Entry| question(entry).filter(|_| !is_unfilled(workspace, entry));
    if let Some(title) = latest.into_iter().chain(&catalogue.entries).find_map(question) {
        let command = format!("elophanto search {title}");
        tries.push(Try { command, does: "finds it by meaning and by keyword" });
    }
    if workspace.commits_vectors()
        && commit::uncommitted(&workspace.context(), &catalogue.searched)?.0 > 0
    {
        let is_below = folder.canonicalize().is_ok_and(|folder| folder != repository.root);
        let top = if is_below { ":/" } else { "" };
        tries.push(tries_of(
            &format!("elophanto index && git add {top}.elophanto"),
            "lets whoever clones the repository search at once",
        ));
    }
    // Where the hooks cannot be looked at, `hook install` says why.
    if is_git && !hooks::status(repository).is_ok_and(|status| status.is_complete()) {
        tries.push(tries_of("elophanto hook install", "lets git keep the index up to date"));
    }
    if !catalogue.entries.is_empty() {
        tries.push(tries_of("elophanto page", "shows all of it in your browser"));
    }
    tries.push(tries_of("elophanto scan", "asks what no note says yet"));
    tries.push(tries_of("elophanto agent install claude-code", "gives it to your agent"));
    tries.truncate(MOST);
    Ok(tries)
}

/// The title of a note as an argument for a shell, if it is one that can be shown and typed.
fn question(entry: &Entry) -> Option<String> {
    let title = entry.title.trim();
    let is_usable = entry.kind == Kind::Note
        && !changelog::is_part(entry.path.as_path(), entry.scope)
        && title.chars().count() <= MOST_TITLE
        && title.chars().any(char::is_alphabetic)
        && !title.starts_with('-')
        && escape_control_line(title) == title;
    is_usable.then(|| shlex::try_quote(title).ok().map(Into::into)).flatten()
}

/// Whether a page says only what a template says: nothing of it is searched.
fn is_unfilled(workspace: &Workspace, entry: &Entry) -> bool {
    let most = workspace.config.knowledge.max_file_bytes;
    let Ok((bytes, _)) = read_note(&workspace.repository.root, &entry.path, most) else {
        return false;
    };
    markdown::decode(&bytes).is_ok_and(|page| init::filled(&page.text).is_none())
}
