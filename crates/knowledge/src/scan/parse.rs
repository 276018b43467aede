//! The structure of a file, within limits.
//!
//! A parser that recovers from every fault can take minutes and gigabytes for a few kilobytes that
//! are nothing but faults, and cannot be stopped from within. So it runs on a thread of its own, with
//! a limit to what it may ask for ([`fence`]); a thread that went beyond it is left behind asleep,
//! and after some of those no more programs are parsed in this process.

use std::{
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::{Duration, Instant},
};

use elophanto_text::outline::{Family, FileKind, Outline, fence, outline};

/// A parse of the largest honest file takes a second or two, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often we look whether a parse went beyond its limit.
const LOOK: Duration = Duration::from_millis(5);
/// Of 7,000 real files those of more than 2 kB asked for up to 180 bytes a byte, what was given back
/// included; texts that are nothing but faults ask for a million.
const BYTES_PER_BYTE: usize = 1_000;
/// What a short text may ask for in any case.
const FREE_BYTES: usize = 8 * 1024 * 1024;
/// What any text may ask for: three times what the largest real one did.
const MOST_BYTES: usize = 512 * 1024 * 1024;
/// What threads that are left behind may hold in all.
const MOST_LEFT_BEHIND: usize = MOST_BYTES;

static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// The outline of a text; without items, and with `has_errors`, if it was too hard to parse.
pub fn outline_in_time(kind: FileKind, text: &str) -> Outline {
    if kind.family() != Family::Source {
        return outline(kind, text);
    }
    let nothing = || Outline { has_errors: true, ..Outline::default() };
    let limit = text.len().saturating_mul(BYTES_PER_BYTE).saturating_add(FREE_BYTES);
    let limit = limit.min(MOST_BYTES);
    if LEFT_BEHIND.load(Ordering::Relaxed) > MOST_LEFT_BEHIND {
        return nothing();
    }
    let (sender, receiver) = mpsc::sync_channel(1);
    let text = text.to_owned();
    let worker = thread::Builder::new().name("parse".to_owned()).spawn(move || {
        fence::limit(limit, PATIENCE);
        // Nobody may be waiting any more.
        let _ = sender.send(outline(kind, &text));
    });
    let Ok(worker) = worker else { return nothing() };
    let deadline = Instant::now() + PATIENCE;
    loop {
        match receiver.recv_timeout(LOOK) {
            Ok(outline) => return outline,
            Err(RecvTimeoutError::Disconnected) => return nothing(),
            Err(RecvTimeoutError::Timeout) => {
                if fence::is_over(worker.thread().id()) || Instant::now() > deadline {
                    LEFT_BEHIND.fetch_add(limit, Ordering::Relaxed);
                    return nothing();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_hard_is_left_and_the_rest_goes_on() {
        let good = || outline_in_time(FileKind::Rust, "pub fn a() {}");
        assert_eq!(good().items.len(), 1);
        let hostile = "/*\n".repeat(4_000);
        let nothing = Outline { has_errors: true, ..Outline::default() };
        for _ in 0..3 {
            assert_eq!(outline_in_time(FileKind::Python, &hostile), nothing);
        }
        assert_eq!(good().items.len(), 1);
        let left = LEFT_BEHIND.load(Ordering::Relaxed);
        assert!((1..MOST_LEFT_BEHIND).contains(&left), "{left}");
    }
}
