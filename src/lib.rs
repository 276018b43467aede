//! A git repository's Markdown as a knowledge base that people and AI agents share: the doors to it.
//!
//! What happens behind them is in the crates below `crates/` (see `ARCHITECTURE.md`).

pub mod cli;
pub mod server;
