//! The prompt of a terminal whose conversation goes on elsewhere as well.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::{LOOKS, Through, elsewhere};
use crate::{
    cli::Result,
    terminal::input::{Above, Input, Typed},
};
use elophanto_app::Error;

impl Through<'_> {
    /// Reads what is typed; what happens meanwhile is shown above it.
    pub(super) fn at_prompt(
        &mut self,
        input: &mut Input,
        above: Option<&mut Above>,
    ) -> Result<Typed> {
        let Some(above) = above else { return input.read() };
        let is_read = AtomicBool::new(false);
        let (typed, watched) = thread::scope(|scope| {
            let watch = scope.spawn(|| self.watch(above, &is_read));
            let typed = input.read();
            is_read.store(true, Ordering::Relaxed);
            (typed, watch.join())
        });
        watched.unwrap_or_else(|_| Err(Error::bug("what happens elsewhere cannot be shown")))?;
        typed
    }

    /// Shows in short what happens elsewhere. What waits for an answer is asked once the line is typed.
    fn watch(&mut self, above: &mut Above, is_read: &AtomicBool) -> Result<()> {
        while !is_read.load(Ordering::Relaxed) {
            let message = match self.next_heard(LOOKS) {
                Ok(None) => continue,
                Ok(Some(message)) => message,
                Err(error) => {
                    above("the gateway is gone: Enter says more".to_owned());
                    return Err(error);
                }
            };
            self.waiting.heard(&message);
            self.note(&message["data"]);
            if let Some(line) = elsewhere::line(&message) {
                above(line);
            }
            if elsewhere::waits(&message) {
                self.inbox.push_back(message);
            }
        }
        Ok(())
    }
}
