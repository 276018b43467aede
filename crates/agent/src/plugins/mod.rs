//! Plugins: programs in `plugins/<name>` that are tools, in any language, speaking JSON over
//! standard input and output.
//!
//! Owns the form of a plugin's folder, its content hash, the manifest of what was deployed, what a
//! plugin is sent and believed, running its tests, and the pages about plugins. A plugin is a tool
//! only if the manifest has its hash and the user of this machine has agreed to that hash. What
//! runs is a private copy of exactly the bytes that were hashed.
//!
//! It refuses to know how a program is shut in, where secrets come from, who approves a call, and
//! what agreement is stored in: these come in as functions.

mod block;
mod capabilities;
mod declared;
mod error;
mod files;
mod folder;
mod limits;
mod load;
mod manifest;
mod name;
mod new;
mod page;
mod program;
mod run;
mod said;
mod testing;
mod tool;

#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

pub use block::{BlockError, upsert};
pub use capabilities::capabilities;
pub(crate) use capabilities::cell;
pub use declared::Declared;
pub use error::PluginError;
pub use files::{PluginFile, hash, is_file_path};
pub use folder::LEFT_OUT;
pub use folder::{Plugin, examine, read_files};
pub use limits::*;
pub use load::{Loaded, Loading, Problem, load};
pub use manifest::{Entry, MANIFEST, deploy, entries, manifest_with, withdraw};
pub use name::{NameError, check_name};
pub use new::new_plugin;
pub use page::text_at;
pub use page::{Mirrored, mirror, readme_note, readme_page};
pub use run::{RunEnded, RunRequest, Runner, Runtime, SecretsOf};
pub(crate) use said::cut_middle;
pub use testing::{TestReport, test};
pub use tool::PluginTool;

/// The folder of all plugins, relative to the root.
pub const FOLDER: &str = "plugins";
