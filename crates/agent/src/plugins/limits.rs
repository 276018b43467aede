//! How much a plugin may ask for. Every cap is inclusive.

/// Folders in `plugins/` that are looked at.
pub const MAX_PLUGINS: usize = 500;
/// Files of a plugin.
pub const MAX_FILES: usize = 100;
/// Bytes of all files of a plugin.
pub const MAX_BYTES: usize = 1 << 20;
/// Folders inside each other in a plugin.
pub const MAX_DEPTH: usize = 8;
/// Entries of a plugin's folders, with what is left out.
pub const MAX_LISTED: usize = 2_000;
/// Bytes of a plugin's name.
pub const MAX_NAME_BYTES: usize = 64;
/// Bytes of a path within a plugin.
pub const MAX_PATH_BYTES: usize = 200;
/// Bytes of a `schema.json`.
pub const MAX_SCHEMA_BYTES: usize = 64 << 10;
/// Characters of a description; a longer one is cut between words.
pub const MAX_DESCRIPTION_CHARS: usize = 1_000;
/// Secrets that a plugin may need.
pub const MAX_SECRETS: usize = 16;
/// Bytes of a `README.md`.
pub const MAX_README_BYTES: usize = 64 << 10;
/// Bytes of the manifest.
pub const MAX_MANIFEST_BYTES: usize = 1 << 20;
/// Entries of the manifest.
pub const MAX_ENTRIES: usize = 1_000;
/// Bytes of a call's arguments.
pub const MAX_ARGUMENT_BYTES: usize = 256 << 10;
/// Bytes that a plugin may say on one of its streams.
pub const MAX_SAID_BYTES: usize = 1 << 20;
/// Bytes of what tests printed that a report keeps.
pub const MAX_REPORT_BYTES: usize = 8 << 10;
/// Bytes of a page that a block is put into.
pub const MAX_PAGE_BYTES: usize = 1 << 20;
