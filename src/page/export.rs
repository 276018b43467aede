//! The reading part as files, for a web server that only hands out files: nothing of this machine, and
//! nothing that looks like a secret.

use std::{
    cell::RefCell,
    ffi::OsString,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use maud::{Markup, html};
use serde::Serialize;

use super::{
    Asked, Library, Opener, Page, Shape,
    address::{Query, Site, file_name},
    assets, entities, entity, frame, graph, note, notes, search, start,
};
use elophanto_app::{
    Error,
    entities::list,
    learning::{Learning, now},
    reading::Catalogue,
    workspace::Workspace,
};
use elophanto_base::{beneath::Folder, one_line::one_line, secrets, visible::escape_control_line};
use elophanto_index::Kind;
use elophanto_repo::is_git_name;

/// Secrets that are named one by one.
const MOST_NAMED: usize = 10;
/// Characters of a note in the index that a browser searches, beside its headings.
const MOST_INDEXED: usize = 160;
/// Where to write instead.
const ELSEWHERE: &str = "name a folder that is new or empty, such as ../site";
/// Pages of one list.
const MOST_PAGES: usize = 1_000;

/// What was written.
#[derive(Debug, Serialize)]
pub struct Exported {
    pub folder: String,
    pub pages: usize,
    pub bytes: usize,
    /// The commit whose notes they are, if one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// A file to be written.
struct File {
    path: String,
    bytes: Vec<u8>,
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
) -> Result<Exported, Error> {
    let Some((name, shelf)) = library.shelves.first() else {
        return Err(Error::bug("there is no knowledge base"));
    };
    let place = Place::free(folder, &workspace)?;
    let (catalogue, at) = match at {
        Some(revision) => {
            let (catalogue, commit) = Catalogue::at(&workspace, revision)?;
            (catalogue, Some(commit))
        }
        None => (Catalogue::now(&workspace)?, None),
    };
    let mut asked = Asked {
        library,
        shelf,
        site: Site { root: String::new(), name: String::new(), is_export: true },
        name: name.clone(),
        others: Vec::new(),
        opener: Opener::none(),
        workspace,
        number: 0,
        catalogue: catalogue.into(),
        query: Query::default(),
        shape: Shape::Page,
        at,
        pictures: RefCell::default(),
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
    files.push(File { path: "search-index.json".to_owned(), bytes: index(&asked)? });
    for file in &files {
        found.extend(named(&file.path, &String::from_utf8_lossy(&file.bytes)));
    }
    refuse(found)?;
    for asset in assets::all().iter().filter(|asset| asset.name != "chat.js") {
        let path = format!("assets/{}", asset.name);
        files.push(File { path, bytes: asset.bytes.to_vec() });
    }
    for (path, bytes) in asked.pictures.take() {
        files.extend(bytes.map(|bytes| File { path: format!("picture/{path}"), bytes }));
    }
    place.write(&files)?;
    Ok(Exported {
        folder: folder.display().to_string(),
        pages: files.iter().filter(|file| file.path.ends_with(".html")).count(),
        bytes: files.iter().map(|file| file.bytes.len()).sum(),
        at: at.map(|commit| commit.to_string()),
    })
}

fn slugs(asked: &Asked) -> Vec<String> {
    let learning = Learning::look(&asked.workspace);
    let (store, snapshot) = (learning.store(), learning.store().read(now()));
    list(&store, &snapshot).into_iter().map(|it| it.entity.to_owned()).collect()
}

type Made<'m> = &'m dyn Fn(&Asked) -> Result<Page, Error>;

/// Makes one page; what leads from it to the top depends on where it lies.
fn add(asked: &mut Asked, path: &str, files: &mut Vec<File>, made: Made) -> Result<(), Error> {
    asked.site.root = "../".repeat(path.matches('/').count());
    if let Page::Html { tab, title, body, status: 200 } = made(asked)? {
        let bytes = frame::page(asked, tab, &title, &body).into_string().into_bytes();
        files.push(File { path: path.to_owned(), bytes });
    }
    Ok(())
}

/// The pages that lead to the others, each list as far as it goes.
fn lists(asked: &mut Asked, files: &mut Vec<File>) -> Result<(), Error> {
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
fn index(asked: &Asked) -> Result<Vec<u8>, Error> {
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
        format!("{path}, line {}: {} {}", it.line, it.kind, escape_control_line(&it.masked))
    };
    secrets::scan(text).into_iter().map(told).collect()
}

fn refuse(found: Vec<String>) -> Result<(), Error> {
    if found.is_empty() {
        return Ok(());
    }
    let error =
        Error::new(format_args!("{} places look like secrets: nothing was written", found.len()));
    let error = found.into_iter().take(MOST_NAMED).fold(error, |error, it| error.hint(it));
    Err(error.hint("take them out of the notes, or list the files in .elophantoignore"))
}

/// Where exported pages will lie: nothing does yet.
struct Place<'f> {
    folder: &'f Path,
    /// The folder around it, and its name there.
    around: Folder,
    name: OsString,
}

impl<'f> Place<'f> {
    /// # Errors
    /// When the folder is a link, holds anything, belongs to git, or cannot be made.
    fn free(folder: &'f Path, workspace: &Workspace) -> Result<Self, Error> {
        let unwritable = unwritable(folder);
        let shown = escape_control_line(&folder.display().to_string());
        let whole = std::path::absolute(folder).map_err(&unwritable)?;
        let (Some(parent), Some(name)) = (whole.parent(), whole.file_name()) else {
            return Err(Error::new(format_args!("`{shown}` names no folder")).hint(ELSEWHERE));
        };
        if std::fs::symlink_metadata(&whole).is_ok_and(|found| found.is_symlink()) {
            return Err(Error::new(format_args!("`{shown}` is a link"))
                .hint("name the folder that it leads to, or one that is new"));
        }
        // Before anything is made.
        let mut known = parent;
        let canonical = loop {
            match (known.canonicalize(), known.parent()) {
                (Ok(canonical), _) => break canonical,
                (Err(_), Some(above)) => known = above,
                (Err(cause), None) => return Err(unwritable(cause)),
            }
        };
        let is_git = |path: &Path| path.components().any(|part| is_git_name(part.as_os_str()));
        let git = workspace.repository.git_dir.as_deref();
        let is_within =
            git.and_then(|it| it.canonicalize().ok()).is_some_and(|git| canonical.starts_with(git));
        if is_git(&canonical) || is_git(&whole) || is_within {
            return Err(
                Error::new(format_args!("`{shown}` lies in a folder of git")).hint(ELSEWHERE)
            );
        }
        let is_empty = match std::fs::read_dir(&whole) {
            Ok(mut entries) => entries.next().is_none(),
            Err(cause) if cause.kind() == ErrorKind::NotFound => true,
            Err(cause) => return Err(unwritable(cause)),
        };
        if !is_empty {
            return Err(Error::new(format_args!("`{shown}` is not empty")).hint(ELSEWHERE));
        }
        std::fs::create_dir_all(parent).map_err(&unwritable)?;
        let around = Folder::open(parent).map_err(&unwritable)?;
        Ok(Self { folder, around, name: name.to_owned() })
    }

    /// Writes all of it beside, which then takes its place: there is all of it, or nothing.
    fn write(&self, files: &[File]) -> Result<(), Error> {
        let beside = PathBuf::from(format!(".elophanto-export-{}", std::process::id()));
        let written = self.written(&beside, files);
        if written.is_err() {
            // What remains of it says nothing, and is in the way of the next attempt.
            let _ = self.around.remove_all(&beside);
        }
        written.map_err(unwritable(self.folder))
    }

    fn written(&self, beside: &Path, files: &[File]) -> std::io::Result<()> {
        self.around.make_new(beside)?;
        let top = self.around.at(beside)?;
        for file in files {
            top.write_new(Path::new(&file.path), &file.bytes)?;
        }
        let name = Path::new(&self.name);
        match self.around.remove_folder(name) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(cause),
            _ => {}
        }
        self.around.rename(beside, name)
    }
}

fn unwritable(folder: &Path) -> impl Fn(std::io::Error) -> Error {
    let shown = escape_control_line(&folder.display().to_string());
    move |cause| Error::new(format_args!("`{shown}` cannot be written: {cause}")).hint(ELSEWHERE)
}

/// The head of exported pages says what the server of ours would say with them.
pub fn policy() -> Markup {
    html! {
        meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'";
    }
}
