//! A pure-Rust stand-in for `protobuf-src`: same function, no C++ and no cmake.

use std::path::PathBuf;

/// The program that build scripts run as `protoc`.
///
/// It is this crate's own build script, which compiles `.proto` files when it is called with
/// arguments (see `build.rs`).
pub fn protoc() -> PathBuf {
    PathBuf::from(env!("PURE_RUST_PROTOC"))
}
