//! Tells the linker how the program is laid out.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The tables of LanceDB's tree hold millions of pointers. In an executable that may be loaded
    // anywhere they are all written anew at every start, which takes 7 of 8.4 ms.
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
