//! JSON with comments and trailing commas, read with the place of everything and edited as text.
//!
//! Owns the grammar and where an item goes in and comes out. It refuses to know what is put there.
//! Every byte that an edit does not name stays as it is.

mod edit;
mod parse;
mod value;

pub use edit::{append, created, line_end, replace, take_out};
pub use parse::{Document, Flaw, Kind, Node, parse};
pub use value::{Layout, render, within};
