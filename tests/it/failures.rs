//! What is said of failures that no use case meets.

use crate::env::{PROGRAM, TestEnv, finish};

#[test]
fn a_panic_is_told_as_a_bug_with_how_to_report_it() {
    let env = TestEnv::with(&[("otters.md", "# Otters\n\nThey hold hands.\n")]);
    let mut search = env.sealed(PROGRAM);
    // No machine has room for such a stack: the threads that a search begins with are not to be had.
    search.args(["search", "hands"]).env("RUST_MIN_STACK", (1_u64 << 60).to_string());
    let output = finish(&mut search);
    assert_eq!((output.code, &*output.stdout), (Some(101), &b""[..]), "{output}");
    let stderr = output.stderr();
    let (panic, told) = stderr.split_once("\nerror: ").unwrap_or_else(|| panic!("{output}"));
    assert!(panic.contains("thread 'main'") && panic.contains("panicked at"), "{output}");
    assert_eq!(
        told,
        "elophanto had to stop\n\
         hint: this is a fault of elophanto itself; please report it where you have elophanto from, \
         with what stands above, the command, and what `elophanto --version` prints\n"
    );
}
