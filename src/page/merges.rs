//! Entities that may be one, for a person to decide.

use maud::html;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::{Asked, Page, Tab, acts, frame::pager, words};
use elophanto_app::{Result, clean::entities::review, llm::asker::Reach, reporter::Silent};

const ON_EACH: usize = 50;

/// Two entities that may be one.
#[derive(Serialize, JsonSchema)]
struct PairWire {
    from: String,
    from_name: String,
    into: String,
    into_name: String,
    reason: String,
    similarity: f32,
}

pub fn page(asked: &Asked) -> Result<Page> {
    let mut pairs: Vec<PairWire> = Vec::new();
    review(&asked.workspace, Reach::Nothing, false, &Silent, &mut |proposal, _| {
        let ((from, from_name), (into, into_name)) = (proposal.from.clone(), proposal.into.clone());
        let (reason, similarity) = (proposal.reason.clone(), proposal.similarity);
        pairs.push(PairWire { from, from_name, into, into_name, reason, similarity });
        Ok(())
    })?;
    let first = (asked.query.page() - 1) * ON_EACH;
    asked.page(Tab::Entities, "Entities that may be one", &pairs, || html! {
        h1 { "Entities that may be one" }
        p.actions { a href=(asked.site.page("entities")) { "All entities" } }
        @if pairs.is_empty() { p { "No two seem to be the same." } }
        ol.facts data-list {
            @for pair in pairs.iter().skip(first).take(ON_EACH) {
                li {
                    p {
                        a href=(asked.site.entity(&pair.from)) { (words::line(&pair.from_name)) } " and "
                        a href=(asked.site.entity(&pair.into)) { (words::line(&pair.into_name)) }
                        span.quiet { ": " (words::line(&pair.reason)) ", similarity " (format!("{:.2}", pair.similarity)) }
                    }
                    (acts::buttons(&[acts::button("Make them one", &json!({ "act": "merge", "from": pair.from, "into": pair.into }), false)]))
                }
            }
        }
        (pager(asked, &asked.site.page("merges"), pairs.len(), ON_EACH))
    })
}
