//! The part of indexing that takes time or money: asking a model that is not instant.

use std::time::Duration;

use crate::{
    Result,
    embedding::{pin::MOST_UNWATCHED, remote::Remote},
    reporter::Reporter,
    workspace::Workspace,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::{
    IndexError, Refreshed, fill,
    store::{Malformed, view},
};
use elophanto_models::{Embedder, Pace, builtin::count_tokens};

/// Up to so many tokens an agreement once given is enough; beyond, every run asks.
const MOST_UNASKED: usize = 200_000;

/// What asking a model for some texts comes to.
struct Cost {
    texts: usize,
    /// As the built-in model counts them; others count a little more or less.
    tokens: usize,
    /// US dollars, where the price is known.
    usd: Option<f64>,
}

impl Cost {
    fn text(&self) -> String {
        let price = match self.usd {
            Some(0.0) => String::new(),
            Some(usd) if usd < 0.005 => ", less than a cent".to_owned(),
            Some(usd) => format!(", about ${usd:.2}"),
            None => ", at a price that is not known here".to_owned(),
        };
        format!("{}, about {}{price}", counted(self.texts, "text"), counted(self.tokens, "token"))
    }
}

/// Embeds what waits for the model, if the user lets it, and looks at the notes again with that, by
/// `again`.
///
/// # Errors
/// When the view cannot be read or brought up to date. That the model fails is none: what waits
/// is found by keyword, and tried again next time.
pub fn complete(
    workspace: &Workspace,
    refreshed: Refreshed,
    yes: bool,
    again: &dyn Fn() -> Result<Refreshed>,
    reporter: &dyn Reporter,
) -> Result<Refreshed> {
    let context = workspace.context();
    if refreshed.report.waiting == 0 || context.embedder.pace() == Pace::Instant {
        return Ok(refreshed);
    }
    let folder = context.view_dir();
    let slow = context.embedder.pace() == Pace::Slow;
    let lock = |patience| view::fill_lock(&folder, patience).ok().filter(|_| slow);
    let (_filling, refreshed) = match lock(Some(Duration::ZERO)) {
        // Another `index` is at it: what it makes is found, not made again.
        Some(None) => (lock(None).flatten(), again()?),
        Some(held) => (held, refreshed),
        None => (None, refreshed),
    };
    let passages =
        fill::waiting(&context, &refreshed.snapshot).map_err(|Malformed| IndexError::Damaged)?;
    if let Some(remote) = workspace.models.remote() {
        let tokens = passages.iter().map(|passage| count_tokens(&passage.text)).sum();
        let cost = Cost { texts: passages.len(), tokens, usd: remote.target.price(tokens) };
        if !may_send(remote, &cost, yes, reporter)? {
            return Ok(refreshed);
        }
        remote.unlock(reporter);
        reporter.talk(format_args!("asking `{}`: {}", remote.fingerprint(), cost.text()));
    }
    if slow && passages.len() > MOST_UNWATCHED && reporter.is_watched() {
        reporter.talk(format_args!(
            "`{}` embeds {}, which takes a while: Ctrl-C loses the last seconds of it, and the next `elophanto index` \
             goes on from there; with `knowledge.embedding_provider` set to `builtin` it is there at once",
            context.embedder.fingerprint(),
            counted(passages.len(), "text"),
        ));
    }
    let progress = reporter.progress("passages");
    let filled = fill::fill(&context, &passages, &|done, all| {
        progress.update(done, all);
        true
    });
    drop(progress);
    if let Some(failure) = &filled.failure {
        let left = passages.len() - filled.embedded;
        reporter.note(format_args!(
            "{left} of {} {} no vector yet: {failure}; found by keyword until then, and tried again \
             by the next `elophanto index`",
            counted(passages.len(), "text"),
            agreeing(left, "has", "have")
        ));
    }
    if let Some(remote) = workspace.models.remote() {
        remote.record_usage("index", reporter);
    }
    let mut before = refreshed.report;
    before.embedded += filled.embedded;
    before.notices.extend(
        filled
            .damaged
            .iter()
            .map(|path| format!("`{}` is damaged; its vectors are made again", path.display())),
    );
    let mut refreshed = again()?;
    refreshed.report.embedded = 0;
    refreshed.report.follow(before);
    Ok(refreshed)
}

/// Whether these texts may be sent and paid for.
fn may_send(remote: &Remote, cost: &Cost, yes: bool, reporter: &dyn Reporter) -> Result<bool> {
    let target = &remote.target;
    if target.is_local() || (target.is_agreed() && (yes || cost.tokens <= MOST_UNASKED)) {
        return Ok(true);
    }
    let (host, model) = (target.host(), &target.model);
    let question = format!("send {} of this repository to {host} for `{model}`?", cost.text());
    if !yes && !reporter.confirm(&question)? {
        reporter.note(format_args!(
            "nothing was sent: {} for `{model}` at {host} wait for a yes (`elophanto index --yes`); \
             until then they are found by keyword and by the vectors there are",
            cost.text()
        ));
        return Ok(false);
    }
    target.agree()?;
    Ok(true)
}
