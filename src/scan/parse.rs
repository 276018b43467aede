//! The structure of a file, within a time limit.
//!
//! A parser that recovers from every fault can take minutes for a few kilobytes that are nothing
//! but faults, and cannot be stopped from within. So it runs on a thread of its own; one that takes
//! too long is left behind, and after a few of those no more programs are parsed in this process.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use crate::outline::{Family, FileKind, Outline, outline};

/// A parse of the largest honest file takes a second or two, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(5);
/// Threads that may be left behind: each takes a core until the process ends.
const MOST_LEFT_BEHIND: usize = 2;

static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// The outline of a text; without items, and with `has_errors`, if it took too long.
pub fn outline_in_time(kind: FileKind, text: &str) -> Outline {
    within(PATIENCE, kind, text)
}

fn within(patience: Duration, kind: FileKind, text: &str) -> Outline {
    if kind.family() != Family::Source {
        return outline(kind, text);
    }
    let nothing = || Outline { has_errors: true, ..Outline::default() };
    if LEFT_BEHIND.load(Ordering::Relaxed) >= MOST_LEFT_BEHIND {
        return nothing();
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let text = text.to_owned();
    let worker = thread::Builder::new().name("parse".to_owned()).spawn(move || {
        // Nobody may be waiting any more.
        let _ = sender.send(outline(kind, &text));
    });
    if worker.is_err() {
        return nothing();
    }
    receiver.recv_timeout(patience).unwrap_or_else(|_| {
        LEFT_BEHIND.fetch_add(1, Ordering::Relaxed);
        nothing()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_too_long_is_left_and_the_rest_goes_on() {
        let good = || within(PATIENCE, FileKind::Rust, "pub fn a() {}");
        assert_eq!(good().items.len(), 1);
        let endless = "/*\n".repeat(4_000);
        let nothing = Outline { has_errors: true, ..Outline::default() };
        let brief = Duration::from_millis(50);
        for _ in 0..MOST_LEFT_BEHIND {
            assert_eq!(within(brief, FileKind::Python, &endless), nothing);
        }
        assert_eq!(good(), nothing);
        assert!(!outline(FileKind::Markdown, "# A\n").items.is_empty());
        LEFT_BEHIND.store(0, Ordering::Relaxed);
    }
}
