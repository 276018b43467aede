//! Which programs have led to this one.

use std::fs;

/// Callers of callers that are asked for.
const MOST: usize = 16;

/// The arguments of the program that runs this one, itself included, then those of the one that runs that,
/// and so on; none where the system tells it otherwise than in `/proc`.
pub fn callers() -> impl Iterator<Item = Vec<String>> {
    let mut process = "self".to_owned();
    let next = move || {
        process = caller_of(&process)?;
        let words = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let words = words.split(|&byte| byte == 0);
        let text = |word| String::from_utf8_lossy(word).into_owned();
        Some(words.map(text).collect::<Vec<_>>())
    };
    std::iter::from_fn(next).take(MOST)
}

fn caller_of(process: &str) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program stands in brackets, and may hold anything.
    let after = stat.get(stat.rfind(')')? + 1..)?;
    after.split_ascii_whitespace().nth(1).map(str::to_owned)
}
