//! The sandbox of Linux.
//!
//! Three processes, in the order of their birth: the *keeper* (the helper itself, outside), in the
//! full sandbox the *first process* of the namespaces, and the program. The caller speaks with the
//! keeper through a socket: when that closes, everything ends.

mod access;
mod caller;
mod filter;
mod first;
mod keeper;
mod mount_calls;
mod mounts;
mod placeholders;
mod places;
mod privileges;
mod program;
mod request;
mod sys;
mod tree;

pub use access::searched;
pub use caller::{Standby, probe, run};
pub use keeper::enter_and_exec;
