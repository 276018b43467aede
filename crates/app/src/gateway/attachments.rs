//! Files that people hand over with what they say. Each has an id and lies in a folder of ours; what it
//! is is told by its bytes, and a model never sees where it lies. Its text is from outside.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    Error, Result,
    agent::{Attachment, images::handed_over},
};
use elophanto_base::{
    counted::counted,
    one_line::one_line,
    platform,
    regular::{careful, read_capped},
    visible::escape_control_line,
    whole::{PRIVATE, Synced, write_whole},
};
use elophanto_models::llm::Format;
use elophanto_text::reading::{self, Hint};

/// Bytes of one.
pub const MOST_BYTES: usize = 20 << 20;
/// Files with one message.
pub const MOST: usize = 10;
/// Bytes of a name.
const MOST_NAME: usize = 100;
/// Bytes of a text that the model is told; as of a file that is named in a message.
const MOST_TEXT: usize = 40 * 1024;
/// Bytes of all of them, and of those that one identity has handed over.
const MOST_IN_ALL: u64 = 1 << 30;
const MOST_OF_ONE: u64 = 1 << 28;
/// One is kept for so long.
const KEPT: Duration = Duration::from_hours(30 * 24);

/// What a file is, by its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AttachmentKind {
    /// Shown to models that take pictures.
    Image,
    /// Its text is quoted: Markdown, plain text, HTML, PDF.
    Text,
}

/// What is known of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Card {
    /// Who handed it over, as settings write them; those of before say as whom they were known.
    person: String,
    name: String,
    kind: AttachmentKind,
    at: Timestamp,
}

/// The folder of all.
pub struct Attachments(PathBuf);

impl Attachments {
    /// Those in a folder of the user's own; it is made when the first comes. Old ones are let go of.
    pub fn of(folder: &Path) -> Self {
        let all = Self(folder.join("attachments"));
        // At the latest when the next one comes.
        let _ = all.forget_old(Timestamp::now(), "");
        all
    }

    /// Keeps a file that somebody hands over, as settings write them: its id, and what it is.
    ///
    /// # Errors
    /// When it is too large or neither picture nor text, or there is no room.
    pub fn keep(&self, who: &str, name: &str, bytes: &[u8]) -> Result<(Uuid, AttachmentKind)> {
        if bytes.len() > MOST_BYTES {
            return Err(Error::new(format_args!("a file has at most {MOST_BYTES} bytes")));
        }
        let name = match one_line(name, MOST_NAME) {
            name if name.trim().is_empty() => "file".to_owned(),
            name => escape_control_line(&name),
        };
        let kind = if Format::of(bytes).is_some() {
            elophanto_agent::image(&name, bytes).map_err(Error::new)?;
            AttachmentKind::Image
        } else {
            text(&name, bytes)?;
            AttachmentKind::Text
        };
        platform::make_folders(&self.0, platform::PRIVATE_FOLDER)?;
        let now = Timestamp::now();
        let (all, own) = self.forget_old(now, who)?;
        let more = bytes.len() as u64;
        if all + more > MOST_IN_ALL || own + more > MOST_OF_ONE {
            return Err(Error::new("there is no room for another file")
                .hint(format!("remove some: they lie in `{}`", self.0.display())));
        }
        let (id, person) = (Uuid::new_v4(), who.to_owned());
        let card = serde_json::to_vec(&Card { person, name, kind, at: now }).map_err(Error::new)?;
        write_whole(&self.file(id), bytes, PRIVATE, Synced::ContentAndName)?;
        // What has no card is nobody's.
        write_whole(&self.card(id), &card, PRIVATE, Synced::ContentAndName)?;
        Ok((id, kind))
    }

    /// Who handed a file over, as settings write them.
    pub fn owner(&self, id: Uuid) -> Option<String> {
        self.read_card(id).map(|card| card.person)
    }

    /// Takes files back that go with no message.
    pub fn remove(&self, ids: &[Uuid]) {
        for id in ids {
            // What is left is let go of with those that are old.
            let _ = fs::remove_file(self.card(*id));
            let _ = fs::remove_file(self.file(*id));
        }
    }

    /// What the model is given of a file.
    ///
    /// # Errors
    /// When it is not there any more.
    pub fn given(&self, id: Uuid) -> Result<Attachment> {
        let gone = || {
            Error::new(format_args!("the file {id} is not there any more"))
                .hint("hand it over once more")
        };
        let card = self.read_card(id).ok_or_else(gone)?;
        let bytes = read(&self.file(id), MOST_BYTES).ok_or_else(gone)?;
        let name = card.name;
        match card.kind {
            AttachmentKind::Image => handed_over(id, &name, &bytes),
            AttachmentKind::Text => {
                let mut text = text(&name, &bytes)?;
                let left = text.len().saturating_sub(MOST_TEXT);
                if left > 0 {
                    text.truncate(text.floor_char_boundary(MOST_TEXT));
                    text.push_str(&format!("\n[{} more are left out]", counted(left, "byte")));
                }
                Ok(Attachment::Text { origin: format!("the attachment `{name}`"), text })
            }
        }
    }

    fn file(&self, id: Uuid) -> PathBuf {
        self.0.join(id.to_string())
    }

    fn card(&self, id: Uuid) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }

    fn read_card(&self, id: Uuid) -> Option<Card> {
        serde_json::from_slice(&read(&self.card(id), 4096)?).ok()
    }

    /// Lets go of those that were kept long enough: the bytes of the others, and of those among them that
    /// somebody has handed over.
    fn forget_old(&self, now: Timestamp, who: &str) -> Result<(u64, u64)> {
        let (mut bytes, mut own) = (0, 0);
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            // Another that is handed over now may have taken it away.
            let Ok(metadata) = entry.metadata() else { continue };
            if !metadata.is_file() {
                continue;
            }
            let changed = metadata.modified().ok().and_then(|at| Timestamp::try_from(at).ok());
            let until = changed.and_then(|at| at.checked_add(KEPT).ok());
            match until.is_some_and(|until| until < now) {
                true => drop(fs::remove_file(entry.path())),
                false => bytes += metadata.len(),
            }
            let name = entry.file_name();
            let id = name.to_str().and_then(|name| name.strip_suffix(".json")?.parse().ok());
            if let Some(id) = id.filter(|id| self.owner(*id).as_deref() == Some(who)) {
                own += self.file(id).metadata().map_or(0, |file| file.len());
            }
        }
        Ok((bytes, own))
    }
}

fn read(path: &Path, most: usize) -> Option<Vec<u8>> {
    let file = careful().read(true).open(path).ok()?;
    read_capped(file, most as u64).ok()?
}

fn text(name: &str, bytes: &[u8]) -> Result<String> {
    let read = reading::read(bytes, Hint { media_type: None, name: Some(name) });
    read.map(|read| read.text).map_err(|cause| {
        Error::new(format_args!("`{name}` is neither a picture nor a text: {cause}")).hint(
            "pictures are PNG, JPEG, GIF or WebP; texts are Markdown, plain text, HTML or PDF",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_told_by_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let all = Attachments::of(folder.path());
        let (id, kind) =
            all.keep("cli:ada", "../../a\u{1b}.png", b"# Otters\n\nThey swim.\n").unwrap();
        assert_eq!(kind, AttachmentKind::Text);
        assert_eq!(all.owner(id).as_deref(), Some("cli:ada"));
        let Attachment::Text { origin, text } = all.given(id).unwrap() else { panic!() };
        assert!(origin.contains("../../a") && !origin.contains('\u{1b}'), "{origin}");
        assert!(text.contains("They swim."), "{text}");
        // Nothing lies outside of the folder, and nobody else may look.
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        let long = "x".repeat(100_000);
        let (id, _) = all.keep("cli:ada", "long.txt", long.as_bytes()).unwrap();
        let Attachment::Text { text, .. } = all.given(id).unwrap() else { panic!() };
        assert!(
            text.len() < 50_000 && text.ends_with("bytes more are left out]"),
            "{}",
            text.len()
        );
        assert!(all.keep("cli:ada", "a.png", &[0x7f, b'E', b'L', b'F', 0, 1, 2, 3]).is_err());
        assert!(all.keep("cli:ada", "a.png", b"\x89PNG\r\n\x1a\nnot a picture").is_err());
        assert!(all.keep("cli:ada", "a.txt", &vec![b'a'; MOST_BYTES + 1]).is_err());
        let unknown = Uuid::new_v4();
        assert!(all.owner(unknown).is_none() && all.given(unknown).is_err());
        // Each has a share, and what goes with no message leaves nothing behind.
        let (_, own) = all.forget_old(Timestamp::now(), "cli:ada").unwrap();
        assert_eq!(own, 100_000 + 21);
        assert_eq!(all.forget_old(Timestamp::now(), "cli:bob").unwrap().1, 0);
        all.remove(&[id, unknown]);
        assert!(all.owner(id).is_none() && all.given(id).is_err() && !all.file(id).exists());
    }

    #[test]
    fn old_ones_are_let_go_of() {
        let folder = tempfile::tempdir().unwrap();
        let all = Attachments::of(folder.path());
        let (id, _) = all.keep("cli:ada", "a.md", b"# Otters\n").unwrap();
        let old = std::time::SystemTime::now() - KEPT - Duration::from_hours(1);
        for path in [all.file(id), all.card(id)] {
            fs::File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
        }
        let all = Attachments::of(folder.path());
        assert!(all.owner(id).is_none());
        assert_eq!(fs::read_dir(&all.0).unwrap().count(), 0);
    }
}
