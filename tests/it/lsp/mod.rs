//! `elophanto lsp`: an editor over a connection in memory, in sealed repositories.

mod asking;
mod bad;
mod install;
mod life;
mod renaming;
pub mod session;
mod writing;
