//! Whose turn it is: in a repository one run goes on at a time, and those of other conversations come in
//! the order in which they asked.

use std::{
    collections::{BTreeMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Condvar, Mutex},
    time::Duration,
};

use elophanto_base::mutex::lock;

/// How often whoever waits looks whether they still want to.
const LOOKS: Duration = Duration::from_millis(200);

/// The lines of all repositories.
#[derive(Default)]
pub struct Turns {
    lines: Mutex<Lines>,
    bell: Condvar,
}

#[derive(Default)]
struct Lines {
    next: u64,
    /// Whose turn it is first.
    waiting: BTreeMap<PathBuf, VecDeque<u64>>,
}

/// The turn; dropping it gives it to the next.
pub struct Turn<'t> {
    turns: &'t Turns,
    root: PathBuf,
    number: u64,
}

impl Turns {
    /// Waits for the turn in a repository; `waits` is called once if somebody else has it. `None` when it
    /// is not wanted any more.
    pub fn take(
        &self,
        root: &Path,
        is_wanted: &dyn Fn() -> bool,
        waits: &dyn Fn(),
    ) -> Option<Turn<'_>> {
        let mut lines = lock(&self.lines);
        lines.next += 1;
        let number = lines.next;
        let line = lines.waiting.entry(root.to_owned()).or_default();
        line.push_back(number);
        let is_ours = line.front() == Some(&number);
        drop(lines);
        // Whatever becomes of it, the line goes on without it when it is dropped.
        let turn = Turn { turns: self, root: root.to_owned(), number };
        if is_ours {
            return Some(turn);
        }
        waits();
        loop {
            // Asked while nothing is held here.
            if !is_wanted() {
                return None;
            }
            let lines = lock(&self.lines);
            let is_ours =
                |lines: &Lines| lines.waiting.get(root).and_then(VecDeque::front) == Some(&number);
            if is_ours(&lines) {
                return Some(turn);
            }
            drop(self.bell.wait_timeout(lines, LOOKS).map(|(lines, _)| lines));
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut lines = lock(&self.turns.lines);
        if let Some(line) = lines.waiting.get_mut(&self.root) {
            line.retain(|number| *number != self.number);
            if line.is_empty() {
                lines.waiting.remove(&self.root);
            }
        }
        drop(lines);
        self.turns.bell.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    };

    use super::*;

    #[test]
    fn one_after_the_other_in_their_order() {
        let (turns, root) = (Turns::default(), Path::new("/r"));
        let (order, waiting) = (Mutex::new(Vec::new()), AtomicUsize::new(0));
        let (is_wanted, always) = (AtomicBool::new(true), || true);
        let waits = || {
            waiting.fetch_add(1, Ordering::Relaxed);
        };
        let until = |count| {
            while waiting.load(Ordering::Relaxed) < count {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        std::thread::scope(|scope| {
            let first = turns.take(root, &always, &waits).unwrap();
            // Another repository waits for nobody.
            drop(turns.take(Path::new("/s"), &always, &waits).unwrap());
            let gives_up = scope.spawn(|| {
                turns.take(root, &|| is_wanted.load(Ordering::Relaxed), &waits).is_none()
            });
            until(1);
            for number in 0..3 {
                let (turns, order, waits) = (&turns, &order, &waits);
                scope.spawn(move || {
                    let _turn = turns.take(root, &|| true, waits).unwrap();
                    order.lock().unwrap().push(number);
                });
                until(2 + number);
            }
            is_wanted.store(false, Ordering::Relaxed);
            assert!(gives_up.join().unwrap());
            assert!(order.lock().unwrap().is_empty());
            drop(first);
        });
        assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
        assert!(lock(&turns.lines).waiting.is_empty());
    }
}
