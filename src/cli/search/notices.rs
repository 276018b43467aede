//! What `elophanto search` says beside its hits, on stderr.

use super::output::Shape;
use crate::cli::{Ui, escape_control_line};
use elophanto_app::{
    search::{Found, SearchRequest},
    workspace::Workspace,
};
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::{
    Kind,
    search::{Answer, Confidence, Level},
};

/// Says what was left out and what could not be: a question may hold a dash by chance.
pub fn say_exclusions(answer: &Answer, ui: &Ui) {
    for excluded in &answer.query.excluded {
        let typed = escape_control_line(&excluded.typed);
        let word = typed.trim_start_matches('-').trim_matches('"');
        ui.note(format_args!(
            "`{typed}` leaves out whatever holds `{word}`; to look for it instead: \"{word}\""
        ));
    }
    for ignored in &answer.query.ignored {
        ui.note(format_args!(
            "`{}` is not kept to: such words are in nearly every note, and are not indexed",
            escape_control_line(ignored)
        ));
    }
}

/// Says that what was found is not sure enough.
pub fn say_doubt(typed: &str, found: Confidence, least: Level, ui: &Ui) {
    let surely = if least == Level::Sure { "surely" } else { "perhaps" };
    let does = if found.level == Level::Nothing { "probably does not" } else { "perhaps does" };
    ui.talk(format_args!("nothing found that {surely} answers `{typed}`: what is nearest {does}"));
    ui.talk("hint: see what is nearest without --min-confidence");
}

/// Says which words were taken for others.
pub fn say_corrections(answer: &Answer, ui: &Ui) {
    for (typed, terms) in &answer.corrections {
        ui.note(format_args!("`{typed}` occurs nowhere; looked for {}", terms.join(", ")));
    }
}

/// Says that files of code are not searched, where they may be what was looked for.
pub fn say_undescribed(found: &Found, request: &SearchRequest, workspace: &Workspace, ui: &Ui) {
    let is_wanted = request.kinds.is_empty() || request.kinds.contains(&Kind::Summary);
    let is_answered = !found.answer.hits.is_empty() && found.doubted(Level::Perhaps).is_none();
    if !is_wanted || is_answered || request.like.is_some() || found.at.is_some() {
        return;
    }
    let files = found.undescribed(workspace);
    if files > 0 {
        ui.talk(format_args!(
            "hint: {} {} not searched: `elophanto scan --investigate --all` describes them",
            counted(files, "source file"),
            agreeing(files, "is", "are"),
        ));
    }
}

/// Says where the first hit is whose sentences have no room in the budget.
pub fn say_too_little(shape: &Shape, ui: &Ui) {
    let most = counted(shape.max_tokens.unwrap_or_default(), "token");
    let first = shape.told.found.answer.hits.first();
    let first = first.map_or_else(String::new, |hit| {
        format!("; the nearest is {}:{}", escape_control_line(&hit.path.to_text()), hit.line)
    });
    ui.note(format_args!("no hit fits into {most}{first}"));
}

/// Says how many hits have no room in the budget.
pub fn say_left(left: usize, shape: &Shape, ui: &Ui) {
    if let (1.., Some(most)) = (left, shape.max_tokens) {
        let (hits, have) = (counted(left, "more hit"), agreeing(left, "has", "have"));
        ui.note(format_args!("{hits} {have} no room in {}", counted(most, "token")));
    }
}

/// Says on stderr what was searched and what to try, when there is nothing to print.
pub fn say_nothing(answer: &Answer, request: &SearchRequest, ui: &Ui) {
    let (notes, chunks) = answer.searched;
    let what = match &request.like {
        Some(like) => format!("like `{}`", like.path.to_text()),
        None => format!("for `{}`", request.text),
    };
    let (in_notes, chunks) = (counted(notes, "note"), counted(chunks, "chunk"));
    ui.talk(format_args!("nothing found {what} in {in_notes} ({chunks})"));
    let filters = filters(request);
    let without = format!("the filter left out the other notes: try without {filters}");
    let hint = if answer.notes == 0 {
        "no note is indexed: write one below `knowledge/`, or check `knowledge.roots` in \
         `.elophanto/config.yaml`"
    } else if notes < answer.notes && !filters.is_empty() {
        &without
    } else if request.min_score.is_some() {
        "try a lower --min-score"
    } else if !answer.query.phrases.is_empty() {
        "try without the quotes"
    } else if !answer.query.excluded.is_empty() {
        "try without what is left out"
    } else {
        "try other words, or fewer"
    };
    ui.talk(format_args!("hint: {hint}"));
}

/// The filters that were given: `--tag, --since or --until`.
fn filters(request: &SearchRequest) -> String {
    let given = [
        ("--kind", !request.kinds.is_empty()),
        ("--type", !request.types.is_empty()),
        ("--scope", !request.scopes.is_empty()),
        ("--tag", !request.tags.is_empty()),
        ("--path", !request.paths.is_empty()),
        ("--author", request.author.is_some()),
        ("--since", request.since.is_some()),
        ("--until", request.until.is_some()),
        ("--changed-since", request.changed_since.is_some()),
    ];
    let given: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    match given.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, before)) => format!("{} or {last}", before.join(", ")),
        None => String::new(),
    }
}
