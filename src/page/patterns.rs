//! What several repositories learnt, and what seems to say the same in other words.

use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{Asked, Page, Tab, address::encoded, frame::pager, words};
use elophanto_app::{Result, memory::Memories, reporter::Silent};
use elophanto_base::counted::counted;
use elophanto_knowledge::memory::{Likely, Memory, Shared};

const ON_EACH: usize = 50;

/// What repositories have in common.
#[derive(Serialize, JsonSchema)]
struct PatternsWire<'a> {
    shared: Vec<Value>,
    likely: Vec<LikelyWire<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct LikelyWire<'a> {
    /// The newer first.
    likely: [&'a str; 2],
    nearness: f32,
}

pub fn page(asked: &Asked) -> Result<Page> {
    let memories = Memories::open(&asked.workspace);
    let found = memories.patterns(None, &Silent)?;
    let shared: Vec<&Shared> = found.shared.iter().map(|(shared, _)| shared).collect();
    let twin = PatternsWire {
        shared: shared.iter().map(|it| wire(it)).collect(),
        likely: found
            .likely
            .iter()
            .map(|it| LikelyWire {
                likely: [&it.lessons[0].id, &it.lessons[1].id],
                nearness: it.nearness,
            })
            .collect(),
    };
    let first = (asked.query.page() - 1) * ON_EACH;
    asked.page(Tab::Memory, "What several repositories learnt", &twin, || html! {
        h1 { "What several repositories learnt" }
        p.actions { a href=(asked.site.page("memory")) { "All lessons" } }
        @if shared.is_empty() { p { "No lesson was learnt in three repositories yet." } }
        ol.lessons data-list { @for it in shared.iter().skip(first).take(ON_EACH) { (one(asked, it)) } }
        (pager(asked, &asked.site.page("patterns"), shared.len(), ON_EACH))
        @if !found.likely.is_empty() {
            section aria-labelledby="likely" {
                h2 #likely { "May be one" }
                ol.lessons { @for it in found.likely.iter().take(ON_EACH) { (likely(asked, it)) } }
            }
        }
    })
}

fn wire(it: &Shared) -> Value {
    json!({
        "id": it.memory.id, "lesson": said(&it.memory), "repositories": it.repositories,
        "records": it.records, "success_rate": it.rate.map(|rate| rate.to_string()),
    })
}

fn said(memory: &Memory) -> &str {
    if memory.lesson.is_empty() { &memory.context } else { &memory.lesson }
}

fn link(asked: &Asked, memory: &Memory) -> Markup {
    let page = asked.site.to(&format!("memory/{}", encoded(&memory.id)));
    html! { a href=(page) { (words::line(said(memory))) } }
}

fn one(asked: &Asked, shared: &Shared) -> Markup {
    let id = &shared.memory.id;
    html! {
        li {
            p { strong { (link(asked, &shared.memory)) } }
            p.quiet {
                (words::line(&shared.repositories.join(", "))) ": " (counted(shared.records, "record"))
                @if let Some(rate) = shared.rate { ", worked " (rate.to_string()) }
            }
            p { "In a terminal, this makes a note of it: " code.copy { "elophanto agent memory patterns --promote " (words::line(id)) } }
        }
    }
}

fn likely(asked: &Asked, pair: &Likely) -> Markup {
    let [newer, older] = &pair.lessons;
    html! {
        li {
            ul.plain { li { (link(asked, newer)) } li { (link(asked, older)) } }
            p { "If they are: " code.copy { "elophanto agent memory join " (words::line(&newer.id)) " " (words::line(&older.id)) } }
        }
    }
}
