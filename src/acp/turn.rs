//! Whether a conversation works on something, whether that is to end, and what runs without asking in it:
//! known to whoever reads the editor's messages and to whoever works.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use elophanto_app::{
    Result,
    agent::{
        Mode,
        modes::{self, Shared},
    },
};
use elophanto_base::mutex::lock;

pub struct Turn {
    is_busy: AtomicBool,
    is_stopped: AtomicBool,
    /// Ends the run that goes on.
    run: Mutex<Arc<AtomicBool>>,
    mode: Mutex<Narrowed>,
}

/// What runs without asking.
struct Narrowed {
    /// What the user narrowed it to.
    kept: Option<Mode>,
    settings: Mode,
    /// By this runs go.
    shared: Arc<Shared>,
}

impl Default for Turn {
    fn default() -> Self {
        Self {
            is_busy: AtomicBool::new(false),
            is_stopped: AtomicBool::new(false),
            run: Mutex::default(),
            mode: Mutex::new(Narrowed {
                kept: None,
                settings: Mode::Ask,
                shared: Arc::new(Shared::new(Mode::Ask)),
            }),
        }
    }
}

impl Turn {
    /// Something is to be worked on; `false` if something is already.
    pub fn begin(&self) -> bool {
        let begins = !self.is_busy.swap(true, Ordering::SeqCst);
        if begins {
            self.is_stopped.store(false, Ordering::SeqCst);
        }
        begins
    }

    /// It is done with; whether it was to end.
    pub fn end(&self) -> bool {
        self.is_busy.store(false, Ordering::SeqCst);
        self.is_stopped()
    }

    pub fn is_busy(&self) -> bool {
        self.is_busy.load(Ordering::SeqCst)
    }

    /// What is worked on is to end.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.stop_run();
    }

    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    /// Ends the run if it was stopped before it could hear of it: one that begins forgets that.
    pub fn remind(&self) {
        if self.is_stopped() {
            self.stop_run();
        }
    }

    fn stop_run(&self) {
        lock(&self.run).store(true, Ordering::Relaxed);
    }

    /// The repository was opened: what ends its runs, and by what mode they go, which is the one of the
    /// settings until it is narrowed here.
    pub fn opened(&self, run: &Arc<AtomicBool>, shared: Arc<Shared>) {
        *lock(&self.run) = Arc::clone(run);
        let mut mode = lock(&self.mode);
        mode.settings = shared.get();
        shared.set(modes::held(mode.kept, mode.settings));
        mode.shared = shared;
    }

    /// What runs without asking.
    pub fn mode(&self) -> Mode {
        let mode = lock(&self.mode);
        modes::held(mode.kept, mode.settings)
    }

    /// The same as the settings say: more is never to be had.
    pub fn most(&self) -> Mode {
        lock(&self.mode).settings
    }

    /// Sets it from the next call on, of a run that goes on too.
    ///
    /// # Errors
    /// When the settings say less.
    pub fn set_mode(&self, wanted: Mode) -> Result<()> {
        let mut mode = lock(&self.mode);
        modes::check(wanted, mode.settings)?;
        mode.kept = Some(wanted);
        mode.shared.set(wanted);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(mode: Mode) -> Arc<Shared> {
        Arc::new(Shared::new(mode))
    }

    #[test]
    fn one_thing_at_a_time() {
        let turn = Turn::default();
        assert!(turn.begin() && !turn.begin() && !turn.end());
        assert!(turn.begin());
        turn.stop();
        assert!(turn.end(), "it was stopped");
        assert!(turn.begin() && !turn.end(), "the next one was not");
    }

    #[test]
    fn a_run_that_begins_is_reminded() {
        let (turn, run) = (Turn::default(), Arc::new(AtomicBool::new(true)));
        turn.opened(&run, shared(Mode::Smart));
        turn.begin();
        turn.stop();
        run.store(false, Ordering::Relaxed);
        turn.remind();
        assert!(run.load(Ordering::Relaxed));
    }

    #[test]
    fn the_settings_are_the_most() {
        let turn = Turn::default();
        let (run, held) = (Arc::default(), shared(Mode::Smart));
        turn.opened(&run, Arc::clone(&held));
        assert!(turn.set_mode(Mode::Full).is_err() && turn.mode() == Mode::Smart);
        assert_eq!(held.get(), Mode::Smart);
        turn.set_mode(Mode::Ask).unwrap();
        assert_eq!((turn.mode(), held.get()), (Mode::Ask, Mode::Ask), "a run hears of it at once");
        let later = shared(Mode::Full);
        turn.opened(&run, Arc::clone(&later));
        assert_eq!((turn.most(), later.get()), (Mode::Full, Mode::Ask), "it stays narrowed");
        turn.set_mode(Mode::Smart).unwrap();
        let narrow = shared(Mode::Ask);
        turn.opened(&run, Arc::clone(&narrow));
        assert_eq!((turn.mode(), narrow.get()), (Mode::Ask, Mode::Ask), "it widens nothing");
    }
}
