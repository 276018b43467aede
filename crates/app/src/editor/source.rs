//! What notes say of a source file, and of what stands in it.

use super::{Buffer, Card, Editor, Hover, Mention, Resolver, links::naming};
use crate::{
    Result,
    reading::Catalogue,
    reporter::Silent,
    search::{SearchRequest, search_in},
};
use elophanto_base::one_line::one_line;
use elophanto_index::{
    Kind,
    search::Hit,
    store::{manifest::Place, segment::Attributes},
};
use elophanto_repo::{BlobId, NotePath};

/// Notes that are told one by one.
const MOST_NOTES: usize = 5;
/// Characters of a description.
const MOST_DESCRIPTION: usize = 600;
/// Characters of a line that names something.
const MOST_LINE: usize = 160;
/// A shorter word tells nothing.
const FEWEST_LETTERS: usize = 3;

/// What notes say of the word at a byte; at the top of the file, of the file.
pub fn hover(
    resolver: &Resolver,
    catalogue: &Catalogue,
    buffer: &Buffer,
    offset: usize,
) -> Result<Option<Hover>> {
    let mut cards = Vec::new();
    let word = buffer.word_at(offset);
    if let Some((_, word)) = &word {
        let notes = said_of(resolver.editor, catalogue, word)?;
        if !notes.is_empty() {
            cards.push(Card::Said { word: (*word).to_owned(), notes });
        }
    }
    let file = of_file(resolver, catalogue, &buffer.path);
    let is_known = matches!(&file, Card::File { description, notes, .. } if description.is_some() || !notes.is_empty());
    if is_known && (buffer.line_at(offset) == 0 || !cards.is_empty()) {
        cards.push(file);
    }
    let at = buffer.floor(offset);
    let range = word.map_or(at..at, |(range, _)| range);
    Ok((!cards.is_empty()).then_some(Hover { range, cards }))
}

/// What is known of a file that is no note.
pub fn of_file(resolver: &Resolver, catalogue: &Catalogue, path: &str) -> Card {
    Card::File {
        path: path.to_owned(),
        description: description(resolver, catalogue, path),
        notes: about_file(resolver, catalogue, path).unwrap_or_default(),
    }
}

/// Notes that cover a file, then notes that name it.
///
/// # Errors
/// When the knowledge base cannot be read.
pub fn about_file(resolver: &Resolver, catalogue: &Catalogue, path: &str) -> Result<Vec<Mention>> {
    let known = resolver.known()?;
    let title = |note: &str| {
        let entry = catalogue.find(note).and_then(|number| catalogue.entries.get(number));
        entry.map_or_else(|| note.to_owned(), |entry| entry.title.clone())
    };
    let covering = known.covering(path).into_iter().map(|(note, pattern)| Mention {
        path: note.to_owned(),
        line: 1,
        title: title(note),
        text: format!("covers {pattern}"),
    });
    let mut found: Vec<Mention> = covering.collect();
    let name = path.rsplit('/').next().unwrap_or(path);
    for note in naming(catalogue, path) {
        if found.len() >= MOST_NOTES {
            break;
        }
        if found.iter().any(|known| known.path == note) {
            continue;
        }
        let Some(text) = catalogue.find(&note).and_then(|number| catalogue.text(number)) else {
            continue;
        };
        // The whole path tells more than the name, which other files may have too.
        let lines = || (1..).zip(text.lines());
        let line = lines().find(|(_, line)| line.contains(path));
        let is_unlike =
            |line: &str| line.match_indices(name).all(|(at, _)| line[..at].ends_with('/'));
        let line = line.or_else(|| lines().find(|it| it.1.contains(name) && !is_unlike(it.1)));
        if let Some((line, text)) = line {
            let text = one_line(text.trim(), MOST_LINE);
            found.push(Mention { line, title: title(&note), path: note, text });
        }
    }
    found.truncate(MOST_NOTES);
    Ok(found)
}

/// What was found out about a file, and whether that still holds.
pub fn description(
    resolver: &Resolver,
    catalogue: &Catalogue,
    path: &str,
) -> Option<(String, bool)> {
    let own = NotePath::from(path);
    let all = &catalogue.searched;
    let at = all.files.binary_search_by(|file| file.path.cmp(&own)).ok()?;
    let Place::Document { segment, document } = all.files.get(at)?.place else { return None };
    let part = all.parts.get(segment as usize).filter(|part| part.kind == Kind::Summary)?;
    let view = part.loaded.segment.document(document as usize).ok()?;
    let text = part.loaded.segment.text(&view).ok()?;
    let Attributes::Summary(made_from) = &view.attributes else { return None };
    let limit = resolver.workspace.config.knowledge.max_file_bytes;
    let read = elophanto_repo::read_note(&resolver.editor.root, &own, limit);
    let is_fresh = read.is_ok_and(|(bytes, _)| BlobId::of(&bytes).to_string() == made_from.blob);
    Some((one_line(text, MOST_DESCRIPTION), is_fresh))
}

/// Passages of notes in which a word of a program stands.
fn said_of(editor: &Editor, catalogue: &Catalogue, word: &str) -> Result<Vec<Mention>> {
    if word.chars().count() < FEWEST_LETTERS || word.chars().all(|char| char.is_ascii_digit()) {
        return Ok(Vec::new());
    }
    let workspace = editor.by_words()?;
    let request = SearchRequest {
        text: format!("\"{word}\""),
        kinds: vec![Kind::Note],
        as_it_is: true,
        ..SearchRequest::default()
    };
    // A word that says nothing is found nowhere.
    let Ok(found) = search_in(&workspace, &request, Some(&catalogue.searched), &Silent) else {
        return Ok(Vec::new());
    };
    let mention = |hit: &Hit| {
        let is_apart = |text: &str| {
            let is_word =
                |char: Option<char>| char.is_some_and(|it| it.is_alphanumeric() || it == '_');
            text.match_indices(word).any(|(at, found)| {
                !is_word(text[..at].chars().next_back())
                    && !is_word(text[at + found.len()..].chars().next())
            })
        };
        let mut start = 0;
        for line in hit.text.split_inclusive('\n') {
            if is_apart(line) {
                return Some(Mention {
                    path: hit.path.to_text(),
                    line: hit.line_at(start),
                    title: hit.breadcrumb.last().unwrap_or(&hit.title).clone(),
                    text: one_line(line.trim(), MOST_LINE),
                });
            }
            start += line.len();
        }
        None
    };
    Ok(found.answer.hits.iter().filter_map(mention).take(MOST_NOTES).collect())
}
