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
    assets, entities, entity, frame, graph, note, notes, picture, search, start,
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
/// Begins the name under which pages are written until all of them are there.
const HIDDEN: &str = ".elophanto-export-";
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
    let pages = files.iter().filter(|file| file.path.ends_with(".html")).count();
    let shown =
        asked.pictures.take().into_iter().filter_map(|(path, is_there)| is_there.then_some(path));
    // One at a time: all of them may be more than fits into memory.
    let pictures = shown.map(|path| {
        let bytes = picture::exported(&asked, &path).ok_or_else(|| {
            Error::new(format_args!("`{}` is gone meanwhile", escape_control_line(&path)))
                .hint("export once more")
        })?;
        Ok(File { path: format!("picture/{path}"), bytes })
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
    is_there: bool,
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
        let is_there = match std::fs::read_dir(&whole) {
            Ok(entries) => {
                // What every file system of this kind holds says nothing.
                let names = entries.flatten().map(|entry| entry.file_name());
                let mut names = names.filter(|name| name != "lost+found");
                if let Some(name) = names.next() {
                    let error = Error::new(format_args!("`{shown}` is not empty")).hint(ELSEWHERE);
                    let name = name.to_string_lossy();
                    return Err(match name.starts_with(HIDDEN) {
                        true => error.hint(format!(
                            "`{name}` in it is left of an export that was ended: remove it"
                        )),
                        false => error,
                    });
                }
                true
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => false,
            Err(cause) => return Err(unwritable(cause)),
        };
        std::fs::create_dir_all(parent).map_err(&unwritable)?;
        let around = Folder::open(parent).map_err(&unwritable)?;
        Ok(Self { folder, around, name: name.to_owned(), is_there })
    }

    /// Writes all of it under a name that nobody looks for, from which it then takes its place: there
    /// is all of it, or nothing. Bytes that were written.
    fn write(&self, files: impl Iterator<Item = Result<File, Error>>) -> Result<usize, Error> {
        let unwritable = unwritable(self.folder);
        let name = Path::new(&self.name);
        // Never one that another export, or anybody, has.
        let hidden = PathBuf::from(format!("{HIDDEN}{}", uuid::Uuid::new_v4().simple()));
        // Beside a folder that is there nobody may be allowed to write, nor to rename it where something
        // is mounted.
        let around = match self.is_there {
            true => &self.around.at(name).map_err(&unwritable)?,
            false => &self.around,
        };
        let moved = || match self.is_there {
            false => around.rename(&hidden, name),
            true => unpack(around, &hidden),
        };
        around.make_new(&hidden).map_err(&unwritable)?;
        let written = written(around, &hidden, files, &unwritable)
            .and_then(|bytes| moved().map(|()| bytes).map_err(&unwritable));
        if written.is_err() {
            // What remains of it says nothing, and is in the way of the next attempt.
            let _ = around.remove_all(&hidden);
        }
        written
    }
}

fn written(
    around: &Folder,
    hidden: &Path,
    files: impl Iterator<Item = Result<File, Error>>,
    unwritable: &impl Fn(std::io::Error) -> Error,
) -> Result<usize, Error> {
    let top = around.at(hidden).map_err(unwritable)?;
    let mut bytes = 0;
    for file in files {
        let file = file?;
        top.write_new(Path::new(&file.path), &file.bytes).map_err(unwritable)?;
        bytes += file.bytes.len();
    }
    Ok(bytes)
}

/// Puts what lies in a folder beside it; what leads to everything else comes last. Where that ends half
/// way, all of it is taken away again.
fn unpack(around: &Folder, hidden: &Path) -> std::io::Result<()> {
    let mut names: Vec<PathBuf> = Vec::new();
    for entry in around.entries(hidden)? {
        names.push(entry?.0.into());
    }
    names.sort_by_key(|name| name.as_os_str() == "index.html");
    let nowhere = |done: &[PathBuf]| done.iter().for_each(|name| drop(around.remove_all(name)));
    for (number, name) in names.iter().enumerate() {
        around
            .rename_new(&hidden.join(name), around, name)
            .inspect_err(|_| nowhere(&names[..number]))?;
    }
    around.remove_folder(hidden)
}

fn unwritable(folder: &Path) -> impl Fn(std::io::Error) -> Error {
    let shown = escape_control_line(&folder.display().to_string());
    move |cause| {
        let error = Error::new(format_args!("`{shown}` cannot be written: {cause}"));
        match cause.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                error.hint("make room, or name a folder where there is more")
            }
            _ => error.hint(ELSEWHERE),
        }
    }
}

/// The head of exported pages says what the server of ours would say with them.
pub fn policy() -> Markup {
    html! {
        meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; require-trusted-types-for 'script'";
    }
}
