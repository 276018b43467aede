//! Which processes come from the program, how many, and how much memory they hold.

use std::{fs, os::unix::fs::MetadataExt};

use super::{
    request::{Reply, Request},
    sys,
};

/// What is too much of these processes, if something is.
pub fn excess(pids: &[libc::pid_t], request: &Request) -> Option<Reply> {
    // The kernel counts threads as well, but not those of user 0.
    let is_uncounted = sys::user_and_group().0 == 0;
    let tasks: u64 = pids.iter().map(|pid| if is_uncounted { threads_of(*pid) } else { 1 }).sum();
    if tasks > request.processes {
        return Some(Reply::OutOfProcesses);
    }
    // Shared pages count several times at first: looking closer is slow.
    let roughly: u64 = pids.iter().map(|pid| resident_bytes(*pid)).sum();
    if roughly <= request.memory_bytes {
        return None;
    }
    let exactly: u64 = pids.iter().map(|pid| own_bytes(*pid)).sum();
    (exactly > request.memory_bytes).then_some(Reply::OutOfMemory)
}

/// All processes in this `/proc`, but the first of a namespace.
pub fn all_but_first() -> Vec<libc::pid_t> {
    numbers("/proc").filter(|pid| *pid != 1).collect()
}

fn numbers(folder: &str) -> impl Iterator<Item = libc::pid_t> + use<> {
    fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// All processes of a group.
pub fn group(leader: libc::pid_t) -> Vec<libc::pid_t> {
    numbers("/proc").filter(|pid| group_of(*pid) == Some(leader)).collect()
}

fn group_of(pid: libc::pid_t) -> Option<libc::pid_t> {
    stat_word(pid, 2)?.parse().ok()
}

fn threads_of(pid: libc::pid_t) -> u64 {
    stat_word(pid, 17).and_then(|count| count.parse().ok()).unwrap_or(1)
}

/// A word of `stat` after the name, which stands in parentheses and may hold anything.
fn stat_word(pid: libc::pid_t, index: usize) -> Option<String> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    std::str::from_utf8(stat.get(after..)?)
        .ok()?
        .split_ascii_whitespace()
        .nth(index)
        .map(str::to_owned)
}

/// Threads of this user on the whole machine.
pub fn threads_of_user(user: libc::uid_t) -> u64 {
    numbers("/proc")
        .filter(|pid| fs::metadata(format!("/proc/{pid}")).is_ok_and(|data| data.uid() == user))
        .map(|pid| {
            let threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(1, Iterator::count);
            u64::try_from(threads).unwrap_or(1)
        })
        .sum()
}

fn resident_bytes(pid: libc::pid_t) -> u64 {
    pages(pid, 1)
}

/// Bytes that would be free if this process were gone, about.
fn own_bytes(pid: libc::pid_t) -> u64 {
    let proportional = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok();
    let proportional = proportional.as_deref().and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        line.split_ascii_whitespace().next()?.parse::<u64>().ok()
    });
    match proportional {
        Some(kibibytes) => kibibytes.saturating_mul(1024),
        None => resident_bytes(pid).saturating_sub(pages(pid, 2)),
    }
}

/// One of the numbers of `statm`, which counts pages.
fn pages(pid: libc::pid_t, word: usize) -> u64 {
    const PAGE: u64 = 4096;
    fs::read_to_string(format!("/proc/{pid}/statm"))
        .ok()
        .and_then(|text| text.split_ascii_whitespace().nth(word)?.parse::<u64>().ok())
        .map_or(0, |pages| pages.saturating_mul(PAGE))
}
