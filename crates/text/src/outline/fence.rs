//! What a parse may take from the machine, held where the parser asks for memory.
//!
//! tree-sitter recovers from every fault, and for some texts that are nothing but faults it takes
//! minutes and gigabytes within one call that cannot be stopped. It does ask for memory all the
//! while. So on a thread that has set itself a limit, the request that goes beyond it never returns:
//! the thread sleeps for good, uses nothing more, and whoever waits for it stops waiting.

use std::{
    cell::Cell,
    ffi::c_void,
    sync::{Mutex, Once},
    thread::{self, ThreadId},
    time::{Duration, Instant},
};

use elophanto_base::mutex::lock;
use tree_sitter::Allocator;

/// The clock is looked at once in so many requests.
const REQUESTS_PER_LOOK: u32 = 256;

#[derive(Clone, Copy)]
struct Limit {
    /// Bytes that may still be asked for, those given back included.
    bytes: usize,
    until: Instant,
    requests: u32,
}

thread_local! {
    static LIMIT: Cell<Option<Limit>> = const { Cell::new(None) };
}

/// Sets this thread a limit for all that it parses from now on. Beyond it, the thread never returns
/// from the parser; it must be one that can be left behind.
pub fn limit(bytes: usize, time: Duration) {
    LIMIT.set(Some(Limit { bytes, until: Instant::now() + time, requests: 0 }));
}

/// Threads that went beyond their limit.
static OVER: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());

/// Whether a thread went beyond its limit and will never return.
pub fn is_over(thread: ThreadId) -> bool {
    lock(&OVER).contains(&thread)
}

/// Puts the fence up. To be called before anything else of tree-sitter.
pub(super) fn put_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: all four are libc's own, with their alignment; none returns null; and as every
        // parse comes by here first, nothing was allocated before, nor is this run twice or twice at
        // the same time.
        unsafe { tree_sitter::set_allocator(Some(Allocator { malloc, calloc, realloc, free })) };
    });
}

/// Counts a request; sleeps for good if it is one too many.
fn spend(size: usize) {
    let over = LIMIT.with(|cell| {
        let Some(limit) = cell.get() else { return false };
        let requests = limit.requests.wrapping_add(1);
        let late = requests % REQUESTS_PER_LOOK == 0 && Instant::now() > limit.until;
        match limit.bytes.checked_sub(size) {
            Some(bytes) if !late => {
                cell.set(Some(Limit { bytes, requests, ..limit }));
                false
            }
            _ => true,
        }
    });
    if over {
        LIMIT.set(None);
        lock(&OVER).push(thread::current().id());
        loop {
            thread::park();
        }
    }
}

fn there(pointer: *mut c_void) -> *mut c_void {
    if pointer.is_null() {
        // What tree-sitter does by itself: it has no way to go on.
        std::process::abort();
    }
    pointer
}

unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    spend(size);
    // SAFETY: libc's `malloc` takes any size; one of none may be null, so one byte is asked for.
    there(unsafe { libc::malloc(size.max(1)) })
}

unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    spend(count.saturating_mul(size));
    // SAFETY: libc's `calloc` takes any sizes and checks their product.
    there(unsafe { libc::calloc(count.max(1), size.max(1)) })
}

unsafe extern "C" fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void {
    spend(size);
    // SAFETY: the caller hands back what one of these functions gave it, or null.
    there(unsafe { libc::realloc(pointer, size.max(1)) })
}

unsafe extern "C" fn free(pointer: *mut c_void) {
    // SAFETY: the caller hands back what one of these functions gave it, or null.
    unsafe { libc::free(pointer) }
}
