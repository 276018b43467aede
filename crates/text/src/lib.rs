//! Text in, structure out: Markdown and its chunks, outlines of source files, documents of other
//! formats, pages of entities, changelogs, sentences, and the graph between all of them.
//!
//! Pure but for what a caller hands in. It knows no repository, no index and no network.

pub mod authoring;
pub mod changelog;
pub mod chunk;
pub mod entity;
pub mod graph;
pub mod html;
pub mod markdown;
pub mod outline;
pub mod percent;
pub mod place;
pub mod reading;
pub mod sentences;
pub mod template;
