//! Answering questions: by the language model of the settings, or from the files' own words.

use super::ScanRequest;
use crate::{
    Error, Result,
    index::embed,
    llm::asker::{Asker, Purpose, Reach},
    questions::{find, list},
    reporter::Reporter,
    workspace::{Workspace, now_nanoseconds},
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::{Options, refresh};
use elophanto_knowledge::scan::{
    AnswerNotes, Known, Question,
    investigate::{Found, InvestigationContext, Outcome, claim, investigate as answer},
};
use elophanto_models::{Pace, builtin::count_tokens, llm::Ask};
use elophanto_repo::Git;

/// Answers the questions of these ids, else the most valuable ones; `told` gets each answer.
pub fn investigate(
    workspace: &Workspace,
    ids: &[String],
    wanted: &ScanRequest,
    told: &mut dyn FnMut(&Found) -> Result<()>,
    reporter: &dyn Reporter,
) -> Result<Outcome> {
    let record_store = workspace.record_store();
    let Some(_claim) = claim(&record_store)? else {
        let busy = "another process is investigating here; nothing was done";
        reporter.talk(busy);
        return Ok(Outcome { stopped: Some(busy.to_owned()), ..Outcome::default() });
    };
    // The claim is ours: what others left behind is open.
    let reach = workspace.reach();
    let mut known = Known::read(&record_store.journal, &reach, jiff::Timestamp::now());
    known.reopen();
    let mut chosen = choose(&known, ids)?;
    if ids.is_empty() && !wanted.all {
        chosen.truncate(workspace.config.scan.max_questions);
    }
    if chosen.is_empty() {
        return Ok(Outcome::default());
    }
    let options = Options { full: false, patience: None, progress: &|_, _| {} };
    let notes = workspace.refresh_pages(options)?;
    let git = Git::of(&workspace.repository);
    let mut model = Asker::open(workspace, Purpose::DESCRIBE, Reach::Agreed, wanted.yes, reporter)?;
    let context = InvestigationContext {
        record_store: &record_store,
        reach: &reach,
        max_file_bytes: workspace.config.knowledge.max_file_bytes,
        count_tokens: &count_tokens,
        notes: AnswerNotes { snapshot: &notes.snapshot, git: git.as_ref() },
        now: &now_nanoseconds,
    };
    let progress = reporter.progress("notes");
    let is_there = model.is_there();
    let mut ask = |prompt: &str| model.ask(prompt);
    let ask: Ask = if is_there { Some(&mut ask) } else { None };
    let outcome = answer(&context, &known, &chosen, ask, &|done, all| progress.update(done, all))?;
    drop(progress);
    if outcome.found.iter().any(|found| found.summary.is_some()) {
        // Cut, embedded and inverted now, so that no search has to wait for it.
        let again = || Ok(refresh(&workspace.context(), workspace.summaries(), options)?);
        let made = again()?;
        // What a model elsewhere is to embed waits for `index`, which asks first.
        if workspace.context().embedder.pace() == Pace::Slow {
            embed::complete(workspace, made, false, &again, reporter)?;
        }
    }
    outcome.found.iter().try_for_each(told)?;
    if let Some(reason) = &outcome.stopped {
        let left = chosen.len() - outcome.found.len();
        let (questions, stay) = (counted(left, "question"), agreeing(left, "stays", "stay"));
        reporter.note(format_args!("{questions} {stay} open: {reason}"));
    }
    Ok(outcome)
}

/// The questions of these ids, else all that wait, the most valuable first.
fn choose(known: &Known, ids: &[String]) -> Result<Vec<Question>> {
    if ids.is_empty() {
        return Ok(list(known, None).into_iter().cloned().collect());
    }
    let named = |id: &String| {
        find(known, id)?.cloned().ok_or_else(|| Error::unknown("question", id, "scan --list"))
    };
    ids.iter().map(named).collect()
}
