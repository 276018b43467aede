//! Runs of the agent: what each did, who decided, what it cost.

use maud::{Markup, html};
use serde_json::json;

use super::{Asked, Page, Tab, acts, charts, frame::pager, words};
use elophanto_agent::{Entry, EntryKind, RunTrail, Sessions};
use elophanto_app::{
    Error, Result,
    agent::{state_folder, trails},
    reporter::Silent,
    runs::{Listed, list},
};
use elophanto_base::counted::counted;

const ON_EACH: usize = 50;
/// Runs that are looked at.
const MOST: usize = 1_000;
/// Entries of a run on a page.
const ENTRIES: usize = 200;
/// Characters of a result.
const MOST_RESULT: usize = 2_000;

pub fn page(asked: &Asked) -> Result<Page> {
    let environment = &asked.library.environment;
    let sessions = Sessions::new(state_folder(environment)?.join("sessions"));
    let here = Some(&asked.workspace.repository);
    let first = (asked.query.page() - 1) * ON_EACH;
    let wanted = (first + ON_EACH + 1).min(MOST);
    let all = list((&trails(environment)?, &sessions), here, false, wanted, &Silent)?;
    let shown: Vec<&Listed> = all.iter().skip(first).take(ON_EACH).collect();
    asked.page(Tab::Runs, "Runs", &shown, || html! {
        h1 { "Runs of the agent" }
        @if all.is_empty() { p { "Nothing was run here yet. In a terminal, " code { "elophanto agent run 'GOAL'" } " begins one." } }
        ol.notes data-list {
            @for it in &shown {
                li {
                    a href=(asked.site.to(&format!("run/{}", it.run))) { (words::line(&name(it))) }
                    span.quiet {
                        " " (it.begun.strftime("%Y-%m-%d %H:%M").to_string()) ", " (state(it)) ", " (counted(it.calls, "call"))
                        @if it.is_undone { ", taken back" }
                    }
                }
            }
        }
        (pager(asked, &asked.site.page("runs"), all.len(), ON_EACH))
    })
}

fn name(it: &Listed) -> String {
    match &it.undoes {
        Some(run) => format!("Undo of {run}"),
        None => elophanto_base::one_line::one_line(&it.goal, 100),
    }
}

fn state(it: &Listed) -> &str {
    match &it.outcome {
        Some(outcome) => outcome,
        None if it.is_at_work => "at work",
        None if it.undoes.is_some() => "done",
        None => "cut off",
    }
}

pub fn run(asked: &Asked, id: &str) -> Result<Page> {
    let trail = trails(&asked.library.environment)?
        .read(id)
        .map_err(|cause| Error::new(cause).hint("the runs that there are stand under Runs"))?;
    let run = trail.run.to_string();
    let twin = json!({ "run": run, "entries": trail.entries, "damage": trail.damage });
    let goal = trail.entries.iter().find_map(|it| match &it.kind {
        EntryKind::Begin { goal, .. } => Some(goal.clone()),
        _ => None,
    });
    let goal = goal.unwrap_or_else(|| run.clone());
    let first = (asked.query.page() - 1) * ENTRIES;
    asked.page(Tab::Runs, goal.as_str(), &twin, || html! {
        h1 { (words::line(&elophanto_base::one_line::one_line(&goal, 200))) }
        (summary(&trail))
        (acts::buttons(&[acts::button("Take back what it changed", &json!({ "act": "undo", "run": run }), true)]))
        @for damage in &trail.damage { p.warn { (words::line(damage)) } }
        h2 { "What happened" }
        (super::frame::table("What happened, step by step", Some("waterfall"), &["At", "What", "When in the run", "Took", "Who decided"], &html! {
            tbody data-list { @for (at, entry) in trail.entries.iter().enumerate().skip(first).take(ENTRIES) { (row(&trail, at, entry)) } }
        }))
        (pager(asked, &asked.site.to(&format!("run/{run}")), trail.entries.len(), ENTRIES))
    })
}

fn summary(trail: &RunTrail) -> Markup {
    let mut kinds = trail.entries.iter().rev().map(|it| &it.kind);
    let end = kinds.find(|kind| matches!(kind, EntryKind::End { .. }));
    let begun = trail.entries.first().map(|it| it.at.as_second());
    html! {
        dl.fields {
            div { dt { "Run" } dd { code { (trail.run.to_string()) } } }
            div { dt { "Begun" } dd { (words::day(begun)) } }
            @match end {
                Some(EntryKind::End { outcome, reason, answer, touched, commits, steps, input_tokens, output_tokens, usd_micros, unpriced, .. }) => {
                    div { dt { "Outcome" } dd { (words::line(outcome)) ": " (words::line(reason)) } }
                    div { dt { "Steps" } dd { (steps) } }
                    div { dt { "Tokens" } dd { (words::number(usize::try_from(*input_tokens).unwrap_or(usize::MAX))) " in, " (words::number(usize::try_from(*output_tokens).unwrap_or(usize::MAX))) " out" } }
                    div { dt { "Money" } dd { "$" (format!("{:.4}", elophanto_app::usage::usd(*usd_micros))) @if *unpriced > 0 { ", and " (unpriced) " calls of unknown price" } } }
                    @if !touched.is_empty() { div { dt { "Files" } dd { ul.plain { @for path in touched { li { bdi { (words::line(path)) } } } } } } }
                    @if !commits.is_empty() { div { dt { "Commits" } dd { @for commit in commits { code { (words::line(commit)) } " " } } } }
                    @if !answer.is_empty() { div { dt { "Answer" } dd { pre.plain tabindex="0" { (words::text(answer)) } } } }
                }
                _ => { div { dt { "Outcome" } dd { "It goes on, or was cut off." } } }
            }
        }
    }
}

/// Begin and end of an entry in the run, from 0 to 1: what took time is written down at its end.
fn when(trail: &RunTrail, entry: &Entry, took: f64) -> (f64, f64) {
    let at = |entry: &Entry| entry.at.as_millisecond() as f64 / 1_000.0;
    let first = trail.entries.first().map_or(0.0, at);
    let last = trail.entries.last().map_or(first, at);
    let span = (last - first).max(0.001);
    let end = at(entry) - first;
    ((end - took).max(0.0) / span, end / span)
}

fn row(trail: &RunTrail, number: usize, entry: &Entry) -> Markup {
    let before = number.checked_sub(1).and_then(|at| trail.entries.get(at));
    let since = before.map_or(0.0, |before| {
        (entry.at.as_millisecond() - before.at.as_millisecond()) as f64 / 1_000.0
    });
    // A call says how long it took; a thought began when what is before it ended.
    let took = match &entry.kind {
        EntryKind::Call { seconds, .. } => Some(*seconds),
        EntryKind::Thought { .. } => Some(since),
        _ => None,
    };
    let (from, to) = when(trail, entry, took.unwrap_or(0.0));
    let kind = match &entry.kind {
        EntryKind::Call { failed: true, .. } => "failed",
        EntryKind::Call { .. } => "call",
        EntryKind::Thought { .. } => "thought",
        _ => "other",
    };
    html! {
        tr class=[(entry.depth > 0).then_some("deeper")] {
            td { (entry.at.strftime("%H:%M:%S").to_string()) }
            td { (what(entry)) }
            td { (charts::span(from, to, kind)) }
            td.number { @if let Some(took) = took { (words::seconds(took)) } }
            td { (decided(entry)) }
        }
    }
}

fn cut(text: &str) -> String {
    let mut cut: String = text.chars().take(MOST_RESULT).collect();
    if cut.len() < text.len() {
        cut.push('\u{2026}');
    }
    words::text(&cut)
}

fn what(entry: &Entry) -> Markup {
    match &entry.kind {
        EntryKind::Begin { goal, mode, .. } => {
            html! { "Begun in mode " (words::line(mode)) ": " (cut(goal)) }
        }
        EntryKind::Image { path, .. } => html! { "A picture: " (words::line(path)) },
        EntryKind::Plan { steps, .. } => {
            html! { "Planned" ol { @for step in steps { li { (words::text(step)) } } } }
        }
        EntryKind::Calling { tool, .. } => html! { "Calls " code { (words::line(tool)) } },
        EntryKind::Call { tool, action, result, made, failed, touched, .. } => html! {
            @let state = if !made { " was not called" } else if *failed { " failed" } else { "" };
            details {
                summary { code { (words::line(tool)) } (state) @if !touched.is_empty() { ", " (counted(touched.len(), "file")) } }
                @if !action.is_empty() { pre.plain tabindex="0" { (cut(action)) } }
                @if !result.is_empty() { pre.plain tabindex="0" { (cut(result)) } }
            }
        },
        EntryKind::Progress { tool, text } => {
            html! { code { (words::line(tool)) } ": " (cut(text)) }
        }
        EntryKind::Question { question, answer } => html! {
            "Asked: " (cut(question))
            @match answer { Some(answer) => { " Answered: " (cut(answer)) } None => { " Nobody answered." } }
        },
        EntryKind::Thought { task, model, input_tokens, output_tokens, .. } => html! {
            "Thought, " (words::line(task)) ", " (words::line(model)) ", " (input_tokens) " + " (output_tokens) " tokens"
        },
        EntryKind::Reflection { done, change, .. } => html! {
            "Looked back: " (if *done { "done" } else { "goes on" }) @if let Some(change) = change { "; " (cut(change)) }
        },
        EntryKind::Tainted { origin } => html! { "Read text from outside: " (words::line(origin)) },
        EntryKind::SubBegin { goal, .. } => html! { "A task of its own: " (cut(goal)) },
        EntryKind::SubEnd { failed, answer } => {
            html! { "Its end" @if *failed { ", failed" } ": " (cut(answer)) }
        }
        EntryKind::ReaderBegin { question, .. } => html! { "A reader begins: " (cut(question)) },
        EntryKind::ReaderEnd { end, answer, .. } => {
            html! { "A reader " (words::line(end)) ": " (cut(answer)) }
        }
        EntryKind::Warning { text } => html! { "Warning: " (cut(text)) },
        EntryKind::End { outcome, .. } => html! { "Ended: " (words::line(outcome)) },
    }
}

fn decided(entry: &Entry) -> Markup {
    match &entry.kind {
        EntryKind::Call { decision, approved, reasons, level, .. } => html! {
            (words::line(decision)) @if !approved.is_empty() { ", " (words::line(approved)) }
            span.quiet { " " (words::line(level)) @for reason in reasons { "; " (words::line(reason)) } }
        },
        _ => html! {},
    }
}
