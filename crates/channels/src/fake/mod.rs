//! Platforms on this machine, with the rules of the real ones, for tests. Client libraries that nobody
//! here wrote drive them too: `tests/real/channels`.

pub mod discord;
mod form;
mod markup;
mod rate;
mod server;
pub mod slack;
pub mod telegram;
