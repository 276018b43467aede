//! What `scan` asks about files, and waits for an answer.

use maud::{Markup, html};
use serde_json::json;

use super::{Asked, Page, Tab, acts, frame::pager, words};
use elophanto_app::{
    Result,
    questions::{Waiting, known, list},
};
use elophanto_knowledge::scan::{Question, QuestionState};

const ON_EACH: usize = 50;

pub fn page(asked: &Asked) -> Result<Page> {
    let known = known(&asked.workspace)?;
    let state = asked.query.get("state").and_then(|name| name.parse::<QuestionState>().ok());
    let all = list(&known, state);
    let first = (asked.query.page() - 1) * ON_EACH;
    let shown: Vec<&Question> = all.iter().copied().skip(first).take(ON_EACH).collect();
    let twin = Waiting {
        more: all.len().saturating_sub(first + shown.len()),
        questions: shown.iter().map(|it| (*it).into()).collect(),
    };
    asked.page(Tab::Questions, "Questions", &twin, || html! {
        h1 { "Questions" }
        (states(asked, state))
        @if all.is_empty() {
            p {
                @match state {
                    None => { "No question is open. In a terminal, " code { "elophanto scan" } " looks for files that nobody has described, and for what contradicts itself." }
                    Some(state) => { "None is " (state.as_str()) "." }
                }
            }
        } @else {
            p { (words::number(all.len())) " questions, the most valuable first." }
            @if state.is_none() {
                p.quiet { "Answers come from a language model that you agreed to in a terminal, else from the file's own words." }
            }
        }
        ol.questions data-list { @for question in &shown { (one(asked, question)) } }
        (pager(asked, &asked.site.page("questions"), all.len(), ON_EACH))
    })
}

fn states(asked: &Asked, state: Option<QuestionState>) -> Markup {
    html! {
        nav.actions aria-label="State" {
            a href=(asked.site.page("questions")) aria-current=[state.is_none().then_some("true")] { "open" }
            @for it in QuestionState::ALL.iter().filter(|it| !it.is_waiting()) {
                a href=(format!("{}?state={}", asked.site.page("questions"), it.as_str())) aria-current=[(state == Some(*it)).then_some("true")] { (it.as_str()) }
            }
        }
    }
}

fn one(asked: &Asked, question: &Question) -> Markup {
    let evidence = &question.evidence;
    html! {
        li data-question=(question.id) tabindex="-1" {
            p { strong { (words::line(&question.question)) } }
            @if !question.hypothesis.is_empty() { p { (words::text(&question.hypothesis)) } }
            p.quiet {
                (question.gap.as_str().replace('_', " ")) ", priority " (question.priority.as_str()) ", "
                @if asked.catalogue.find(&evidence.file_path).is_some() {
                    a href=(asked.site.note(&evidence.file_path)) { (words::line(&evidence.file_path)) }
                } @else { bdi { (words::line(&evidence.file_path)) } }
                @if let Some(line) = evidence.line { ":" (line) }
                ", " (words::day(Some(question.at.as_second())))
            }
            @if let Some(answer) = &question.answer { p.answer { (words::text(answer)) } }
            @let does = |label, act: &str| acts::button(label, &json!({ "act": act, "id": question.id }), false);
            @if question.state.is_waiting() {
                (acts::buttons(&[does("Answer", "answer"), does("Dismiss", "dismiss")]))
            }
            @if question.state == QuestionState::Dismissed { (acts::buttons(&[does("Ask it again", "undismiss")])) }
        }
    }
}
