//! Pictures: those that the user shows, and those of a conversation that goes on.
//!
//! The user may name one anywhere on this machine; what no tool reads stays out of reach here too.

use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

use uuid::Uuid;

use super::{Attachment, Models, Prepared, RunRequest, own::READS};
use crate::{Error, Reporter, Result, config::Images};
use elophanto_agent::{MAX_IMAGE_BYTES, Session, image, permissions::Action};
use elophanto_base::{
    beneath::Folder,
    regular,
    visible::{escape_control_line, exact_line},
};
pub use elophanto_models::llm::Image;
use elophanto_models::llm::{Format, Message};

/// Pictures with one message.
const MOST_IMAGES: usize = 10;
/// How pictures are called that were handed over with a message, and lie in no work tree.
const HANDED_OVER: &str = "attachment:";
/// Bytes by which a picture is told.
const FIRST_BYTES: usize = 12;

/// A picture that is handed over with a message, as `id`. One of the work tree is never taken for it: of
/// what is called so none is read.
///
/// # Errors
/// When it is none of the kinds that models take, is damaged, or is too large.
pub fn handed_over(id: Uuid, name: &str, bytes: &[u8]) -> Result<Attachment> {
    image(&format!("{HANDED_OVER}{id}/{name}"), bytes).map(Attachment::Image).map_err(Error::new)
}

impl Prepared<'_> {
    /// Whether a path, as it was typed, names a picture, by its first bytes.
    pub(crate) fn is_image(&self, path: &str) -> bool {
        let path = self.typed(Path::new(path));
        let mut first = [0; FIRST_BYTES];
        let is_one = fs::metadata(&path).is_ok_and(|found| found.is_file())
            && File::open(&path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok());
        is_one && Format::of(&first).is_some()
    }

    /// A picture that the user names: by a path from the root, from `~/`, or an absolute one.
    ///
    /// # Errors
    /// When no tool may read it, it is none of the kinds that models take, or it is too large.
    pub fn image(&self, path: &Path, session: &Session) -> Result<Image> {
        let path = self.typed(path);
        let shown = || exact_line(&path.to_string_lossy());
        self.picture(&path, session.is_tainted).map_err(|error| {
            let said =
                Error::new(format_args!("`{}` cannot be shown: {}", shown(), error.message()));
            said.hints_of(error.hint_text())
        })
    }

    /// One of a kept conversation, as its file is now.
    pub(super) fn image_again(&self, path: &str) -> Result<Image> {
        // A file of this name is another picture than the one that was shown.
        if path.starts_with(HANDED_OVER) {
            return Err(Error::new("it was handed over with its message, and is not shown again"));
        }
        self.picture(&self.typed(Path::new(path)), true)
    }

    fn picture(&self, path: &Path, is_tainted: bool) -> Result<Image> {
        let root = &self.workspace.repository.root;
        let found = path.canonicalize()?;
        let action = Action::Read { paths: vec![found.clone()] };
        self.allows(READS, &*self.tool(READS)?, action, is_tainted)?;
        let relative = found.strip_prefix(root).ok();
        let (file, metadata) = match relative {
            Some(relative) => Folder::open(root)?.read(relative)?,
            None => {
                let file = regular::open(&found)?;
                let metadata = file.metadata()?;
                (file, metadata)
            }
        };
        let name = relative.unwrap_or(&found).to_string_lossy();
        let Some(bytes) = regular::read_capped(file, MAX_IMAGE_BYTES)? else {
            let count = metadata.len().max(MAX_IMAGE_BYTES + 1);
            return Err(Error::new(elophanto_agent::NotShown::TooManyBytes(count)));
        };
        image(&name, &bytes).map_err(Error::new)
    }

    /// Whether the pictures of a run can be shown: before any model is asked.
    ///
    /// # Errors
    /// When there are too many, or no model that is asked takes any.
    pub(super) fn can_show(
        &self,
        request: &RunRequest<'_>,
        session: &Session,
        models: &Models<'_>,
    ) -> Result<()> {
        let is_image = |given: &&Attachment| matches!(given, Attachment::Image(_));
        let count = request.given.iter().filter(is_image).count();
        if count > MOST_IMAGES {
            return Err(Error::new(format_args!(
                "{count} images with one message, over the cap of {MOST_IMAGES}"
            ))
            .hint("send them with several messages of one conversation"));
        }
        if models.takes_images() {
            return Ok(());
        }
        let model = models.named().map_or_else(String::new, |model| format!("`{model}`"));
        let model = escape_control_line(&model);
        if count > 0 {
            return Err(match self.workspace.config.llm.images {
                Images::Never => {
                    Error::new("`llm.images: never` in the settings: no image is sent")
                        .hint("set it to `auto`, or to `always`")
                }
                Images::Auto | Images::Always => Error::new(format_args!(
                    "{model} is not known to take images"
                ))
                .hint(
                    "name a model that does (`llm.tasks.planning`, or `/model` in a chat), such \
                         as openrouter/anthropic/claude-sonnet-4.5; if this one does, set \
                         `llm.images: always` in your settings",
                ),
            });
        }
        if session.messages.iter().any(|message| matches!(message, Message::Image(_))) {
            (&*self.reporter as &dyn Reporter).note(format_args!(
                "{model} is not known to take images: those of this conversation are only named"
            ));
        }
        Ok(())
    }

    /// What the user adds, with the pictures that they speak of where the model takes them.
    pub(super) fn with_pasted(
        &self,
        request: &RunRequest<'_>,
        models: &Models<'_>,
    ) -> Vec<Attachment> {
        let mut given = request.given.clone();
        let room = match models.takes_images() {
            true => MOST_IMAGES.saturating_sub(given.len()),
            false => 0,
        };
        let tell: &dyn Reporter = &*self.reporter;
        for (number, image) in request.pasted.iter().enumerate() {
            let path = escape_control_line(&image.path);
            if number < room {
                tell.note(format_args!("the image `{path}` is shown to the model"));
                given.push(Attachment::Image(image.clone()));
            } else {
                tell.note(format_args!("the image `{path}` is not shown: only its path is sent"));
            }
        }
        given
    }

    fn typed(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), self.workspace.environment.home()) {
            (Ok(below), Some(home)) => home.join(below),
            _ => self.workspace.repository.root.join(path),
        }
    }
}
