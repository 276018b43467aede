//! The reading part as files, for a web server that only hands out files: nothing of this machine, and
//! nothing that looks like a secret.

use std::{
    cell::{OnceCell, RefCell},
    path::Path,
};

use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    Asked, Library, Opener, Page, Shape,
    address::{Query, Site, file_name},
    assets, entities, entity, frame, graph, note, notes, picture, search, start,
};
use elophanto_app::{
    Error, Result,
    entities::list,
    learning::Learning,
    reading::{Catalogue, NewFile, NewFolder},
    workspace::Workspace,
};
use elophanto_base::{one_line::one_line, secrets, visible::escape_control_line};
use elophanto_index::{Kind, links::Files};

/// Secrets that are named one by one.
const MOST_NAMED: usize = 10;
/// Characters of a note in the index that a browser searches, beside its headings.
const MOST_INDEXED: usize = 160;
/// Pages of one list.
const MOST_PAGES: usize = 1_000;

/// What was written.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Exported {
    pub folder: String,
    pub pages: usize,
    pub bytes: usize,
    /// The commit whose notes they are, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// Writes the pages of what is known into a folder that is new or empty; of a revision, if one is named.
///
/// # Errors
/// When there is something in the folder, something looks like a secret (then nothing is written), or
/// something cannot be read or written.
pub fn export(
    library: &Library,
    workspace: Workspace,
    folder: &Path,
    at: Option<&str>,
) -> Result<Exported> {
    let Some((name, cache)) = library.caches.first() else {
        return Err(Error::bug("there is no knowledge base"));
    };
    let place = NewFolder::free(folder, workspace.repository.git_dir.as_deref())?;
    let (catalogue, at) = match at {
        Some(revision) => {
            let (catalogue, commit) = Catalogue::at(&workspace, revision)?;
            (catalogue, Some(commit))
        }
        None => (Catalogue::now(&workspace)?, None),
    };
    let mut asked = Asked {
        library,
        cache,
        site: Site { root: String::new(), name: String::new(), is_export: true },
        name: name.clone(),
        others: Vec::new(),
        opener: Opener::none(),
        files: match at {
            Some(_) => Files::default(),
            None => Files::below(&workspace.repository.root),
        },
        workspace,
        number: 0,
        catalogue,
        query: Query::default(),
        shape: Shape::Page,
        at,
        pictures: RefCell::default(),
        known: OnceCell::new(),
    };
    let mut files = Vec::new();
    let mut found = Vec::new();
    lists(&mut asked, &mut files)?;
    for number in 0..asked.catalogue.entries.len() {
        let Some(entry) = asked.catalogue.entries.get(number) else { continue };
        let name = entry.name.clone();
        // What markup would hide is looked for where it stands.
        found.extend(named(&name, asked.catalogue.text(number).unwrap_or_default()));
        add(&mut asked, &format!("note/{}", file_name(&name)), &mut files, &|asked| {
            Ok(note::exported(asked, number))
        })?;
    }
    if at.is_none() {
        let slugs = slugs(&asked);
        for slug in slugs {
            add(&mut asked, &format!("entity/{}", file_name(&slug)), &mut files, &|asked| {
                entity::page(asked, &slug)
            })?;
        }
    }
    files.push(NewFile { path: "search-index.json".to_owned(), bytes: index(&asked)? });
    for file in &files {
        found.extend(named(&file.path, &String::from_utf8_lossy(&file.bytes)));
    }
    refuse(found)?;
    for asset in assets::all().iter().filter(|asset| asset.name != "chat.js") {
        let path = format!("assets/{}", asset.name);
        files.push(NewFile { path, bytes: asset.bytes.to_vec() });
    }
    let pages = files.iter().filter(|file| file.path.ends_with(".html")).count();
    let shown =
        asked.pictures.take().into_iter().filter_map(|(path, is_there)| is_there.then_some(path));
    // One at a time: all of them may be more than fits into memory.
    let pictures = shown.map(|path| {
        let bytes = picture::exported(&asked, &path).ok_or_else(|| {
            Error::new(format_args!("`{}` is gone meanwhile", escape_control_line(&path)))
                .hint("export once more")
        })?;
        Ok(NewFile { path: format!("picture/{path}"), bytes })
    });
    let bytes = place.write(files.into_iter().map(Ok).chain(pictures))?;
    Ok(Exported {
        folder: folder.display().to_string(),
        pages,
        bytes,
        at: at.map(|commit| commit.to_string()),
    })
}

fn slugs(asked: &Asked) -> Vec<String> {
    let learning = Learning::look(&asked.workspace);
    list(&learning.store(), asked.known()).into_iter().map(|it| it.entity.to_owned()).collect()
}

type Made<'m> = &'m dyn Fn(&Asked) -> Result<Page>;

/// Makes one page; what leads from it to the top depends on where it lies.
fn add(asked: &mut Asked, path: &str, files: &mut Vec<NewFile>, made: Made) -> Result<()> {
    asked.site.root = "../".repeat(path.matches('/').count());
    if let Page::Html { tab, title, body, status: 200 } = made(asked)? {
        let bytes = frame::page(asked, tab, &title, &body).into_string().into_bytes();
        files.push(NewFile { path: path.to_owned(), bytes });
    }
    Ok(())
}

/// The pages that lead to the others, each list as far as it goes.
fn lists(asked: &mut Asked, files: &mut Vec<NewFile>) -> Result<()> {
    add(asked, "index.html", files, &start::page)?;
    add(asked, "search.html", files, &search::exported)?;
    let total = asked.catalogue.entries.len().div_ceil(notes::ON_EACH).max(1);
    let groups = asked.catalogue.clusters().0.len();
    for (name, made, pages) in [
        ("notes", notes::exported as fn(&Asked) -> _, total),
        ("graph", graph::page, groups.div_ceil(graph::ON_EACH).max(1)),
        ("entities", entities::page, slugs(asked).len().div_ceil(entities::ON_EACH).max(1)),
    ] {
        for page in 1..=pages.min(MOST_PAGES) {
            asked.query = Query::parse(&format!("page={page}"));
            let path = frame::file_of(&format!("{name}.html"), page);
            add(asked, &path, files, &made)?;
        }
    }
    asked.query = Query::default();
    Ok(())
}

/// What a browser searches: of each note its path, title, headings and first words.
fn index(asked: &Asked) -> Result<Vec<u8>> {
    let line = |number: usize| {
        let entry = asked.catalogue.entries.get(number)?;
        let text = asked.catalogue.text(number).unwrap_or_default();
        let headings = text.lines().filter(|line| line.starts_with('#'));
        let headings: Vec<&str> = headings.map(|line| line.trim_matches(['#', ' '])).collect();
        let body = text.lines().filter(|line| !line.starts_with(['#', '-', '<', '|']));
        let body: String = body.take(40).collect::<Vec<_>>().join(" ");
        let words = format!("{} {}", headings.join(" "), one_line(&body, MOST_INDEXED));
        let kind = if entry.kind == Kind::Fact { "entity" } else { "" };
        Some((asked.site_of_top().note(&entry.name), &entry.title, &entry.name, words, kind))
    };
    let lines: Vec<_> = (0..asked.catalogue.entries.len()).filter_map(line).collect();
    serde_json::to_vec(&lines).map_err(Error::new)
}

fn named(path: &str, text: &str) -> Vec<String> {
    let told = |it: secrets::Finding| {
        let path = escape_control_line(path);
        format!("{path}, line {}: {}", it.line, it.kind)
    };
    secrets::scan(text).into_iter().map(told).collect()
}

fn refuse(found: Vec<String>) -> Result<()> {
    if found.is_empty() {
        return Ok(());
    }
    let error =
        Error::new(format_args!("{} places look like secrets: nothing was written", found.len()));
    let error = found.into_iter().take(MOST_NAMED).fold(error, |error, it| error.hint(it));
    Err(error.hint("take them out of the notes, or list the files in .elophantoignore"))
}

/// The head of exported pages says what the server of ours would say with them.
pub fn policy() -> Markup {
    html! {
        meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'";
    }
}
