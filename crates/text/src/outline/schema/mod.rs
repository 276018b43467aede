//! Schemas: SQL, GraphQL and Protocol Buffers, read off their tokens.
//!
//! Owns which statements define something. What is no definition is passed by: dialects differ in
//! the rest.

use super::{
    draft::Draft,
    head::{self, Head},
};

pub(super) mod graphql;
pub(super) mod protobuf;
pub(super) mod sql;
mod token;

/// The comment at the head, where comments to the end of a line begin so.
fn purpose(draft: &mut Draft<'_>, line: &'static str, skip: &'static [&'static str]) {
    let blocks = line != "#";
    let head = Head { line, blocks, skip, ..Head::SLASHES };
    let said = head::purpose(draft.text, &head);
    draft.purpose(&said);
}
