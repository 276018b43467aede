//! A question answered from what is known, with the places that say so.

use maud::{Markup, html};
use serde_json::json;

use super::{Asked, Page, Tab, acts, search::sureness, words};
use elophanto_app::{
    Result,
    reporter::Silent,
    search::{
        SearchRequest,
        answer::{Citation, Reply, answer},
        asking::asked_in,
        search_in,
    },
};
use elophanto_index::search::Level;

pub fn page(asked: &Asked) -> Result<Page> {
    let question = asked.query.get("q").unwrap_or_default();
    if question.trim().is_empty() {
        return Ok(Page::To(asked.site.page("search")));
    }
    let text = asked_in(question).to_owned();
    let request = SearchRequest { text, awaited: true, ..SearchRequest::default() };
    let seen = Some(&asked.catalogue.searched);
    let found = search_in(&asked.workspace, &request, seen, &Silent)?;
    let reply = answer(question, &found.answer, &asked.workspace, false, &Silent)?;
    asked.page(Tab::Search, format!("{question} - answer"), &reply, || html! {
        h1 { "Answer" }
        form.search role="search" aria-label="Ask" action=(asked.site.page("answer")) method="get" {
            label for="asked" { "Question" }
            span.row {
                input #asked type="search" name="q" value=(question) autocomplete="off" spellcheck="false";
                button type="submit" { "Answer" }
                button type="submit" formaction=(asked.site.page("search")) { "Search" }
            }
        }
        @match &reply.answer {
            Some(text) => {
                @if found.doubted(Level::Perhaps).is_some() { p.warn role="note" { (sureness(found.answer.confidence, &found)) } }
                div.answer { (said(text, &reply.citations)) }
                @if !reply.unsaid.is_empty() { p.warn { "What is quoted first does not say: " (words::line(&reply.unsaid.join(", "))) ". It may be about something else." } }
                @for numbers in &reply.contradictions { p.warn { @for (at, number) in numbers.iter().enumerate() { @if at > 0 { " and " } "[" (number) "]" } " say otherwise of the same thing, the newest first." } }
                h2 { "Sources" }
                ol.notes data-list { @for it in &reply.citations { (source(asked, it)) } }
                @if let Some(id) = &reply.id {
                    @let react = |label, good| acts::button(label, &json!({ "act": "react", "id": id, "good": good }), false);
                    (acts::buttons(&[react("This helped", true), react("It did not", false)]))
                }
                @if let Some(model) = &reply.model { p.quiet { "Made by " (words::line(model)) @if model == "extractive" { ": sentences of the sources, word for word" } "." } }
            }
            None => { (nothing(asked, &reply)) }
        }
    })
}

/// The lines of an answer; steps and code stand below what they belong to.
fn said(text: &str, citations: &[Citation]) -> Markup {
    let lines: Vec<&str> = text.lines().collect();
    let is_below = |line: &str| line.starts_with(' ');
    html! {
        @for part in lines.chunk_by(|above, line| is_below(above) && is_below(line)) {
            @if part.iter().all(|line| is_below(line)) { pre.plain tabindex="0" { (words::text(&part.join("\n"))) } }
            @else { @for line in part { p { (cited(line, citations)) } } }
        }
    }
}

/// A line of an answer with its numbers as links.
fn cited(line: &str, citations: &[Citation]) -> Markup {
    let mut pieces = line.split('[');
    let first = pieces.next().unwrap_or_default();
    html! {
        (words::text(first))
        @for piece in pieces {
            @match piece.split_once(']').filter(|(number, _)| citations.iter().any(|it| it.number.to_string() == *number)) {
                Some((number, rest)) => { a href=(format!("#source-{number}")) { "[" (number) "]" } (words::text(rest)) }
                None => { "[" (words::text(piece)) }
            }
        }
    }
}

fn source(asked: &Asked, it: &Citation) -> Markup {
    let is_note = asked.catalogue.find(&it.path).is_some();
    html! {
        li id=(format!("source-{}", it.number)) {
            "[" (it.number) "] "
            @if is_note { a href=(asked.site.marked(&it.path, it.line)) { (words::line(&it.title)) } }
            @else { (words::line(&it.title)) }
            span.quiet { " " bdi { (words::line(&it.path)) } ":" (it.line) @if let Some(date) = &it.date { ", " (date) } @if let Some(source) = &it.source { ", from " (words::line(source)) } }
            @if it.superseded { " " span.badge.warn { "superseded" } }
            @if let Some(note) = &it.against { " " span.badge.warn { "your note says otherwise: " (words::line(note)) } }
        }
    }
}

fn nothing(asked: &Asked, reply: &Reply) -> Markup {
    html! {
        p { "What is known does not suffice to answer that." }
        @if let Some(nearest) = &reply.nearest {
            p {
                "The nearest is "
                @if asked.catalogue.find(&nearest.path).is_some() { a href=(asked.site.marked(&nearest.path, nearest.line)) { (words::line(&nearest.title)) } }
                @else { (words::line(&nearest.title)) " (" (words::line(&nearest.path)) ")" }
                "."
            }
            @if let Some(text) = &nearest.text { blockquote { (words::line(text)) } }
        }
        p { "To find out, run " code { "elophanto learn" } " in a terminal." }
    }
}
