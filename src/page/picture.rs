//! Pictures that lie beside notes: their addresses, and their bytes.

use super::{Asked, Page, Tab, address::encoded, words};
use elophanto_app::{
    Error, Result,
    reading::{self, PictureFrom, is_picture},
};
use elophanto_text::markdown::{Destination, Link};

/// A picture, of the revision that is named behind its address.
pub fn page(asked: &Asked, path: &str) -> Result<Page> {
    let commit = match asked.query.get("at") {
        Some(revision) => Some(reading::commit(&asked.workspace, revision)?),
        None => None,
    };
    let from = commit.as_ref().map_or(PictureFrom::WorkTree, PictureFrom::Commit);
    let found = reading::picture(&asked.workspace, path, from).map_err(|cause| {
        Error::new(format_args!("`{}` is not shown: {}", words::line(path), cause.message()))
            .hint("PNG, JPEG, GIF and WebP of up to 8 MiB are shown")
    })?;
    Ok(match found {
        Some(picture) => Page::Picture(picture),
        None => {
            let error = Error::new(format_args!("there is no picture `{}`", words::line(path)))
                .hint("only pictures are shown that no ignore file leaves out");
            asked.missing(Tab::Notes, &error)
        }
    })
}

/// The address of a picture that a note shows; `None` if it does not lie beside the notes.
pub fn address(asked: &Asked, note: &str, link: &Link) -> Option<String> {
    let path = path_of(asked, note, link)?;
    let page = asked.site.to(&format!("picture/{}", encoded(&path)));
    if asked.site.is_export {
        let mut all = asked.pictures.borrow_mut();
        let look = |path: &String| exported(asked, path).is_some();
        return all.entry(path).or_insert_with_key(look).then_some(page);
    }
    Some(match asked.query.get("at") {
        Some(revision) => format!("{page}?at={}", encoded(revision)),
        None => page,
    })
}

/// The bytes of one that goes with exported notes.
pub fn exported(asked: &Asked, path: &str) -> Option<Vec<u8>> {
    let from = asked.at.as_ref().map_or(PictureFrom::WorkTree, PictureFrom::Commit);
    Some(reading::picture(&asked.workspace, path, from).ok()??.bytes)
}

fn path_of(asked: &Asked, note: &str, link: &Link) -> Option<String> {
    let root = &asked.workspace.repository.root;
    let is_there = |path: &str| root.join(path).exists();
    // Of what is not there any more, the revision that is shown decides.
    let now = asked.at.is_none().then_some(&is_there as &dyn Fn(&str) -> bool);
    let is_past = asked.at.is_some() || asked.query.get("at").is_some();
    let past = is_past.then_some(&is_picture as &dyn Fn(&str) -> bool);
    let names = &asked.catalogue.names;
    let found = now.into_iter().chain(past).find_map(|exists| {
        match names.destination(note, link, exists, &asked.files) {
            Destination::Inside(path) => Some(path),
            _ => None,
        }
    });
    found.filter(|path| is_picture(path))
}
