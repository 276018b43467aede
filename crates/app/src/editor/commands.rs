//! What is done from an editor on somebody's word: the use cases of the commands of these names.

use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::{Buffer, Editor, Listing};
use crate::{
    Error, Result,
    interest::{PreferenceRequest, note_preference},
    learn::{LearnRequest, Material, learn as learn_about},
    memory::Memories,
    reading::{Past, past, version},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::{beneath::Folder, counted::counted, one_line::one_line};
use elophanto_knowledge::{
    interest::PreferenceKind,
    memory::{Draft, EventType},
};
use elophanto_repo::{CommitId, NotePath};
use elophanto_text::markdown::{Link, LinkKind};

/// Characters of what a lesson is about.
const MOST_CONTEXT: usize = 300;
/// Characters of a topic.
const MOST_TOPIC: usize = 80;
/// Folder of notes as they were at a commit, below the folder that is local to a clone.
const AT: &str = "at";
/// Commits of which notes lie there.
const MOST_AT: usize = 50;

/// A note that a link leads to and that is not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// Where it would be found, relative to the root.
    pub path: String,
    /// What it would say.
    pub text: String,
}

/// The note that a link which leads nowhere would lead to; `None` where none can be made.
pub fn missing(note: &str, link: &Link, listing: &Listing) -> Option<Missing> {
    // Part by part: what is encoded makes no folder.
    let parts = link.target.trim().split('/').map(elophanto_text::markdown::percent_decode);
    let parts = parts.collect::<Option<Vec<String>>>()?;
    if parts.iter().any(|part| part.contains('/')) {
        return None;
    }
    let target = parts.join("/");
    let is_odd = |part: &str| {
        part.is_empty()
            || part.starts_with('.') && part != ".." && part != "."
            || part.chars().any(|char| char.is_control() || "\\:*?\"<>|".contains(char))
    };
    if target.starts_with('/') || target.split('/').any(is_odd) {
        return None;
    }
    let name = target.rsplit('/').next().unwrap_or(&target);
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    let path = match ending {
        Some("md") => target.clone(),
        // A picture, or a file of a program.
        Some(ending) if link.kind == LinkKind::Inline && is_ending(ending) => return None,
        _ => format!("{target}.md"),
    };
    if name.trim_start_matches('.').is_empty() {
        return None;
    }
    let mut folder: Vec<&str> = note.split('/').collect();
    folder.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => drop(folder.pop()?),
            part => folder.push(part),
        }
    }
    let path = folder.join("/");
    if listing.contains(&path) || path.split('/').any(|part| part.starts_with('.')) {
        return None;
    }
    let stem = NotePath::from(path.as_str()).stem();
    let title = match link.kind {
        LinkKind::Inline => stem.replace(['-', '_'], " "),
        LinkKind::Wiki | LinkKind::Embed => stem,
    };
    let mut letters = title.chars();
    let title: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    Some(Missing { text: format!("# {title}\n\n"), path })
}

fn is_ending(ending: &str) -> bool {
    (1..=5).contains(&ending.len()) && ending.chars().all(|char| char.is_ascii_alphanumeric())
}

/// Writes a lesson down that every agent recalls: a selected text, with the section it stands in. Says
/// what was done.
///
/// # Errors
/// When it is no lesson, or cannot be written.
pub fn remember(
    workspace: &Workspace,
    buffer: &Buffer,
    range: std::ops::Range<usize>,
) -> Result<String> {
    let text = selected(buffer, &range)?;
    let memories = Memories::open(workspace);
    let context = format!("{} ({})", heading_above(buffer, range.start), buffer.path);
    let draft = Draft {
        event_type: EventType::Pattern,
        context: one_line(&context, MOST_CONTEXT),
        command: String::new(),
        lesson: text.split_whitespace().collect::<Vec<_>>().join(" "),
        success_rate: None,
        tags: None,
        repo: memories.own.clone(),
        agent_id: workspace.config.memory.agent_id.clone(),
        replaces: None,
    };
    let remembered = memories.remember(draft, Timestamp::now())?;
    let mut said =
        format!("Remembered as {} in {}.", remembered.memory.id, remembered.path.to_string_lossy());
    if remembered.masked > 0 {
        said.push_str(&format!(" {} in it masked.", counted(remembered.masked, "secret")));
    }
    for told in remembered.contradictions() {
        said.push_str(&format!(" It {told}."));
    }
    Ok(said)
}

/// Learns from a selected text what it says of things; of a few words it is queued to find out about
/// them. Says what was done.
///
/// # Errors
/// Those of learning.
pub fn learn(
    workspace: &Workspace,
    buffer: &Buffer,
    range: std::ops::Range<usize>,
    reporter: &dyn Reporter,
) -> Result<String> {
    let text = selected(buffer, &range)?;
    let is_topic = !text.contains('\n') && text.chars().count() <= MOST_TOPIC;
    let request = if is_topic {
        LearnRequest { topic: text.to_owned(), background: true, ..LearnRequest::default() }
    } else {
        let bytes = text.as_bytes().to_vec();
        let name = Some(buffer.path.clone());
        LearnRequest {
            topic: one_line(&heading_above(buffer, range.start), MOST_TOPIC),
            material: Some(Box::new(move || Ok(Material::Bytes { bytes, name }))),
            ..LearnRequest::default()
        }
    };
    let learnt = learn_about(workspace, request, &mut |_| Ok(()), reporter)?;
    let gained = learnt.gained();
    Ok(match is_topic {
        true => {
            format!("{} queued: `elophanto enrich` makes them.", counted(gained.queued, "search"))
        }
        false => format!(
            "{} learnt about {}.",
            counted(gained.facts, "fact"),
            counted(gained.entities.map_or(0, <[_]>::len), "thing")
        ),
    })
}

/// Notes that the user likes what is selected. Says what was done.
///
/// # Errors
/// When it is no topic, or cannot be written down.
pub fn like(
    workspace: &Workspace,
    buffer: &Buffer,
    range: std::ops::Range<usize>,
    reporter: &dyn Reporter,
) -> Result<String> {
    let topic = selected(buffer, &range)?;
    let preference = PreferenceKind::Like;
    let noted = note_preference(
        workspace,
        &PreferenceRequest { topic, preference, takes_back: false },
        reporter,
    )?;
    Ok(match noted.changed {
        true => format!("Noted that you like {}.", noted.topic),
        false => format!("You like {} already.", noted.topic),
    })
}

fn selected<'b>(buffer: &'b Buffer, range: &std::ops::Range<usize>) -> Result<&'b str> {
    let text = buffer.text.get(range.clone()).map(str::trim).filter(|text| !text.is_empty());
    text.ok_or_else(|| Error::new("nothing is selected").hint("select a text first"))
}

/// The heading under which a byte stands; else what the note is called.
fn heading_above(buffer: &Buffer, offset: usize) -> String {
    let document = buffer.document().ok();
    let headings = document.map(|document| document.headings.as_slice()).unwrap_or_default();
    let above = headings.iter().take_while(|heading| heading.range.start <= offset).last();
    let title = document.and_then(|document| document.title());
    let found = above.map(|heading| heading.text.as_str()).or(title);
    found.map_or_else(|| NotePath::from(buffer.path.as_str()).stem(), str::to_owned)
}

/// The commits of a note, the newest first.
pub fn past_of(workspace: &Workspace, path: &str) -> Past {
    past(workspace, &NotePath::from(path))
}

/// Writes a note as it was at a commit to a file that only this clone has, and says where.
///
/// # Errors
/// When there was none then, or it cannot be written.
pub fn at_commit(
    editor: &Editor,
    workspace: &Workspace,
    path: &str,
    commit: &CommitId,
) -> Result<PathBuf> {
    let past = Past::default();
    let found = version(workspace, path, &commit.to_string(), &past)?;
    let found = found.ok_or_else(|| {
        Error::new(format_args!("there was no note `{path}` then")).hint("choose another commit")
    })?;
    let local = workspace.repository.local_dir();
    let above = local.parent().unwrap_or(&editor.root);
    let top = Folder::open(above)?;
    let folder = local.strip_prefix(above).unwrap_or(Path::new("elophanto"));
    let at = folder.join(AT);
    let kept = top.entries(&at).into_iter().flatten().flatten().count();
    if kept >= MOST_AT {
        // Which of them is still open nobody knows: an editor has what it has opened.
        top.remove_all(&at)?;
    }
    // With its folders: notes of one name are several.
    let file = at.join(commit.short()).join(path);
    top.write(&file, found.text.as_bytes())?;
    Ok(above.join(file))
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_text::markdown::parse;

    #[test]
    fn missing_notes_lie_where_their_links_lead() {
        let listing = Listing::from_paths(vec!["a/there.md".to_owned()]);
        let check = |source: &str, expected: Option<(&str, &str)>| {
            let document = parse(source).expect("parses");
            let found = missing("a/note.md", &document.links[0], &listing);
            let found = found.as_ref().map(|it| (it.path.as_str(), it.text.as_str()));
            assert_eq!(found, expected, "{source}");
        };
        check("[[new note]]", Some(("a/new note.md", "# New note\n\n")));
        check("[x](../b/new-note.md)", Some(("b/new-note.md", "# New note\n\n")));
        check("[[b/c]]", Some(("a/b/c.md", "# C\n\n")));
        check("[[v1.2]]", Some(("a/v1.2.md", "# V1.2\n\n")));
        check("[[there]]", None);
        check("[x](pic.png)", None);
        check("[[../../../etc/passwd]]", None);
        check("[[/abs]]", None);
        check("[[.git/hooks/x]]", None);
        check("[x](../.vscode/tasks.md)", None);
    }
}
