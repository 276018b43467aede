//! The door for conversations over WebSockets: eight messages, between one gateway of a user and
//! whoever talks with the agent through it.
//!
//! Owns who may come in and as whom, the sockets, the life of the gateway, and the client that our own
//! commands are. It refuses to know what a message does: that is `app::gateway`.

mod attachment;
pub mod bridge;
pub mod client;
mod entrance;
pub mod files;
mod keeping;
mod pages;
mod place;
pub mod serving;
mod socket;
mod standings;
mod taken;
#[cfg(test)]
mod tests;
pub mod told;
mod visitors;
pub mod waiting;
