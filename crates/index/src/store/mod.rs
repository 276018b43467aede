//! Vectors and search data on disk.
//!
//! Two stores with opposite rules. [`tables`] is what git carries: write-once tables from
//! key to vector, immutable, checked as outside data; [`place`] puts them into the work tree and
//! takes them away. [`view`] is derived and private to a work tree: segments, matrices and a
//! manifest that a search maps into memory; anything in it may be deleted at any time. Beside the
//! view, [`cache`] keeps the vectors that were embedded here, for all work trees.

pub mod bits;
pub mod cache;
pub mod codec;
pub mod container;
pub mod drift;
pub mod history;
pub mod keys;
pub mod manifest;
pub mod matrix;
pub mod registry;
pub mod segment;
pub mod tables;
pub mod view;

pub use codec::{Malformed, Result};
pub use container::{OpenError, write_whole};
pub use elophanto_base::lock;
pub use tables::place;
