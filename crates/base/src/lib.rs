//! What every other crate of elophanto stands on, and what knows nothing of notes.
//!
//! Owns files reached by handle, folders as somebody calls them, damaged ones that are set aside, logs of JSON lines, JSON with halves of
//! characters, YAML that nobody vouches for, text that is safe to show, counted nouns, enums with names, hashes as digits, words of a shell, blocks of code, pictures without what is told of them, secrets in a text, words and
//! their terms, what threads share, and programs that the user named.

pub mod aside;
pub mod beneath;
pub mod called;
pub mod contradicts;
pub mod counted;
pub mod fenced;
pub mod half_characters;
pub mod hex;
pub mod image;
pub mod jsonl;
pub mod lexical;
pub mod lock;
pub mod mount_placeholder;
pub mod mutex;
pub mod named;
pub mod one_line;
pub mod platform;
pub mod process;
pub mod regular;
pub mod schema;
pub mod secrets;
pub mod shell;
pub mod visible;
pub mod whole;
pub mod yaml;
