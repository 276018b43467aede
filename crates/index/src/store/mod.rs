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

/// Every flipped bit and every cut is noticed.
#[cfg(test)]
fn check_damage<T: std::fmt::Debug + PartialEq>(bytes: &[u8], read: impl Fn(&[u8]) -> Result<T>) {
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.to_vec();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(read(&damaged), Err(Malformed), "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert_eq!(read(&bytes[..length]), Err(Malformed), "{length} bytes");
    }
}
