//! What was shown to whoever approves, remembered until the call is made: a call that would do
//! something else by then is not made.

use std::{collections::VecDeque, path::Path, sync::Mutex};

use serde_json::Value;

use crate::ToolError;
use elophanto_base::mutex::lock;

/// Calls that are remembered at most; the oldest is forgotten.
const MOST: usize = 256;

/// Intents of one tool that were not carried out yet.
#[derive(Default)]
pub(super) struct Approved(Mutex<VecDeque<(blake3::Hash, blake3::Hash)>>);

impl Approved {
    /// Remembers what a call with these arguments was shown to do: `state` holds all that its
    /// effect depends on.
    pub(super) fn remember(&self, root: &Path, arguments: &Value, state: &[u8]) {
        let key = key(root, arguments);
        let mut calls = lock(&self.0);
        calls.retain(|(known, _)| *known != key);
        if calls.len() >= MOST {
            calls.pop_front();
        }
        calls.push_back((key, blake3::hash(state)));
    }

    /// Whether the call still does what was shown. An intent serves for one call.
    ///
    /// # Errors
    /// [`ToolError::Refused`] when it does something else by now, or was never shown.
    pub(super) fn check(
        &self,
        root: &Path,
        arguments: &Value,
        state: &[u8],
    ) -> Result<(), ToolError> {
        let key = key(root, arguments);
        let mut calls = lock(&self.0);
        let at = calls.iter().position(|(known, _)| *known == key);
        match at.and_then(|at| calls.remove(at)) {
            Some((_, shown)) if shown == blake3::hash(state) => Ok(()),
            Some(_) => Err(ToolError::Refused(
                "the files have changed since this was shown: look again and repeat the call"
                    .into(),
            )),
            None => Err(ToolError::Refused("this call was not shown before".into())),
        }
    }
}

fn key(root: &Path, arguments: &Value) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(root.as_os_str().as_encoded_bytes());
    hasher.update(b"\0");
    hasher.update(arguments.to_string().as_bytes());
    hasher.finalize()
}
