//! Folding what was published into what is asked.

use super::open;
use crate::{Result, environment::Environment, keys::Asking, reporter::Reporter};
use elophanto_base::visible::escape_control_line;
pub use elophanto_tables::fleet::Folded;

/// Folds the inbox at an address; with `tend`, tables are packed and indexed in any case.
///
/// # Errors
/// When there is no knowledge base, or it cannot be written.
pub fn fold(
    address: &str,
    tend: bool,
    environment: &Environment,
    reporter: &dyn Reporter,
) -> Result<Folded> {
    let fleet = open(address, environment, Asking::Through(reporter), false)?;
    let folded = fleet.fold(tend)?;
    for head in &folded.dropped {
        reporter.note(format_args!(
            "a publication of `{}` was passed over: commit {:.10} is older than what is there; if its \
             history was rewritten, publish with a larger --epoch",
            head.repository, head.commit
        ));
    }
    for (object, why) in &folded.aside {
        reporter
            .warn(format_args!("`{object}` is no publication, and lies below `aside/` now: {why}"));
    }
    for (name, why) in &folded.odd {
        let (name, why) = (escape_control_line(name), escape_control_line(why));
        reporter.warn(format_args!("`{name}` lies in the inbox and is passed over: {why}"));
    }
    Ok(folded)
}
