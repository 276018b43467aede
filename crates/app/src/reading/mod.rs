//! What a person reads of a knowledge base: its notes in folders, one note with all that is known of it,
//! how notes hang together. For a door that is asked again and again: what every page needs is kept on a
//! [`ReadingCache`], and brought up to date beside when files change.

mod cache;
mod catalogue;
mod health;
mod note;
mod past;
mod picture;
mod placing;
mod web;

pub use cache::ReadingCache;
pub use catalogue::{Catalogue, Entry, Folder, Listed, Reference};
pub use health::Health;
pub use note::{Alike, Linked, Note, alike, drift_of, note};
pub use past::{Line, Past, Version, blame, past, version};
pub use picture::{PictureFrom, commit, is_picture, picture};
pub use placing::{NewFile, NewFolder};
pub use web::{Cluster, Near, near};
