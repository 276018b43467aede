//! What agents remember: browse, search, and how often what they learnt has worked.

use maud::{Markup, html};
use serde_json::json;

use super::{Asked, Page, Tab, acts, frame::pager, words};
use elophanto_app::{
    Result,
    memory::{EventType, Memories, Records},
    reporter::Silent,
};
use elophanto_base::counted::counted;
use elophanto_knowledge::memory::{Memory, Rate};

const ON_EACH: usize = 50;

pub fn page(asked: &Asked) -> Result<Page> {
    let memories = Memories::open(&asked.workspace);
    let records = memories.records(&Silent);
    let text = asked.query.get("q").unwrap_or_default();
    let repo = asked.query.get("repo");
    let kind = asked.query.get("type").and_then(|name| name.parse::<EventType>().ok());
    let recalled: Vec<Memory> = match text.is_empty() {
        true => Vec::new(),
        false => {
            let mut question = memories.question(text, ON_EACH);
            (question.repo, question.event_type) = (repo, kind);
            memories.recall(&question)?.into_iter().map(|it| it.memory).collect()
        }
    };
    let all: Vec<&Memory> = match text.is_empty() {
        true => records.newest(repo, kind, false).collect(),
        false => recalled.iter().collect(),
    };
    let first = (asked.query.page() - 1) * ON_EACH;
    let shown: Vec<&Memory> = all.iter().copied().skip(first).take(ON_EACH).collect();
    let twin = json!({ "lessons": shown, "total": all.len(), "page": asked.query.page() });
    asked.page(Tab::Memory, "Memory", &twin, || html! {
        h1 { "Memory" }
        p { "What agents learnt here and wrote down for each other." }
        p.actions { a href=(asked.site.page("patterns")) { "What several repositories learnt" } }
        (form(asked, &records, text))
        @if all.is_empty() {
            p { @if text.is_empty() { "Nothing is remembered yet. Agents write lessons down with " code { "elophanto agent remember" } "." } @else { "Nothing is remembered of that." } }
        } @else {
            (rates(&all))
        }
        ol.lessons data-list { @for memory in &shown { (one(asked, memory)) } }
        (pager(asked, &asked.site.page("memory"), all.len(), ON_EACH))
    })
}

pub fn lesson(asked: &Asked, id: &str) -> Result<Page> {
    let memories = Memories::open(&asked.workspace);
    let records = memories.records(&Silent);
    let memory = records.find(id)?;
    let place = records.places.get(&memory.id);
    asked.page(Tab::Memory, "A lesson", memory, || html! {
        article.lesson data-lesson=(memory.id) {
            h1 { "A lesson" }
            (said(memory))
            dl.fields {
                div { dt { "When" } dd { (words::day(Some(memory.timestamp.as_second()))) } }
                div { dt { "Who" } dd { (words::line(if memory.agent_id.is_empty() { "nobody named" } else { &memory.agent_id })) } }
                div { dt { "Repository" } dd { (words::line(&memory.repo)) } }
                div { dt { "Kind" } dd { (memory.event_type.as_str()) } }
                @if let Some(rate) = memory.success_rate { div { dt { "Worked" } dd { (rate.to_string()) } } }
                @if !memory.tags.is_empty() { div { dt { "Tags" } dd { (words::line(&memory.tags.join(", "))) } } }
                @if let Some(older) = &memory.replaces { div { dt { "Corrects" } dd { code { (words::line(older)) } } } }
                div { dt { "Id" } dd { code { (words::line(&memory.id)) } } }
                @if let Some(place) = place { div { dt { "Where" } dd { (words::line(&place.path)) ":" (place.line) } } }
            }
            (acts::buttons(&[acts::button("Forget", &json!({ "act": "forget", "id": memory.id }), false)]))
            details {
                summary { "Correct it" }
                form data-form=(json!({ "act": "correct", "id": memory.id }).to_string()) hidden {
                    label { "Lesson" textarea name="lesson" rows="3" { "\n" (memory.lesson) } }
                    label { "Context" textarea name="context" rows="2" { "\n" (memory.context) } }
                    label { "Command" input name="command" value=(memory.command); }
                    label { "Worked, as in 3/4" input name="rate" value=(memory.success_rate.map(|rate| rate.to_string()).unwrap_or_default()); }
                    p.row { button type="submit" { "Correct" } span role="status" {} }
                }
            }
        }
    })
}

fn form(asked: &Asked, records: &Records, text: &str) -> Markup {
    let mut repos: Vec<&str> = records.folded.memories.iter().map(|it| it.repo.as_str()).collect();
    repos.sort_unstable();
    repos.dedup();
    let is = |name: &str, value: &str| asked.query.get(name) == Some(value);
    html! {
        form.search role="search" aria-label="Lessons" action=(asked.site.page("memory")) method="get" {
            label for="lesson" { "What they are about" }
            span.row {
                input #lesson type="search" name="q" value=(text) autocomplete="off";
                button type="submit" { "Recall" }
            }
            div.filters {
                label { "Kind" select name="type" {
                    option value="" { "all" }
                    @for kind in ["error", "success", "pattern"] { option value=(kind) selected[is("type", kind)] { (kind) } }
                } }
                @if repos.len() > 1 {
                    label { "Repository" select name="repo" {
                        option value="" { "all" }
                        @for repo in repos { option value=(repo) selected[is("repo", repo)] { (words::line(repo)) } }
                    } }
                }
            }
        }
    }
}

/// How often what is shown has worked, by repository.
fn rates(all: &[&Memory]) -> Markup {
    let mut by_repo: std::collections::BTreeMap<&str, (usize, Option<Rate>)> = Default::default();
    for memory in all {
        let (count, sum) = by_repo.entry(&memory.repo).or_default();
        *count += 1;
        *sum = match (*sum, memory.success_rate) {
            (Some(sum), Some(rate)) => Some(sum.plus(rate)),
            (sum, rate) => sum.or(rate),
        };
    }
    html! {
        details {
            summary { (counted(all.len(), "lesson")) "; how often they worked" }
            table {
                thead { tr { th scope="col" { "Repository" } th scope="col" { "Lessons" } th scope="col" { "Worked" } } }
                tbody {
                    @for (repo, (count, rate)) in &by_repo {
                        tr { td { (words::line(repo)) } td.number { (words::number(*count)) } td.number { @match rate { Some(rate) => (rate.to_string()), None => "not said" } } }
                    }
                }
            }
        }
    }
}

fn said(memory: &Memory) -> Markup {
    html! {
        p { strong { (words::text(if memory.lesson.is_empty() { &memory.context } else { &memory.lesson })) } }
        @if !memory.lesson.is_empty() && !memory.context.is_empty() { p { (words::text(&memory.context)) } }
        @if !memory.command.is_empty() { pre tabindex="0" { code { (words::text(&memory.command)) } } }
    }
}

fn one(asked: &Asked, memory: &Memory) -> Markup {
    let warning = memory.success_rate.and_then(Rate::warning);
    html! {
        li {
            (said(memory))
            p.quiet {
                a href=(asked.site.to(&format!("memory/{}", super::address::encoded(&memory.id)))) { (memory.event_type.as_str()) " of " (words::day(Some(memory.timestamp.as_second()))) }
                ", " (words::line(&memory.repo))
                @if !memory.agent_id.is_empty() { ", by " (words::line(&memory.agent_id)) }
                @if let Some(rate) = memory.success_rate { ", worked " (rate.to_string()) }
                @if let Some(warning) = warning { " " span.badge.warn { (warning) } }
            }
        }
    }
}
