//! Searches made of a topic without a model.

use super::{
    MAX_QUERIES, MAX_QUERY_CHARS, MIN_QUERIES, Topic,
    subject::{Subject, subject},
};
use elophanto_base::one_line::one_line;

/// `n` different searches that look at a topic from several sides, from 3 to 5 whatever `n` is.
/// The first is the topic itself, without words such as `tell me about`.
pub fn plan(topic: &Topic, n: usize) -> Vec<String> {
    let n = n.clamp(MIN_QUERIES, MAX_QUERIES);
    let mut planned: Vec<String> = Vec::new();
    for query in sides(topic) {
        let query = one_line(&query, MAX_QUERY_CHARS);
        if planned.len() < n && !is_among(&query, &planned) {
            planned.push(query);
        }
    }
    planned
}

/// Whether a search is there already, in whatever case.
pub(super) fn is_among(query: &str, queries: &[String]) -> bool {
    let folded = query.to_lowercase();
    queries.iter().any(|other| other.to_lowercase() == folded)
}

/// More than [`MAX_QUERIES`], of which two may be alike.
fn sides(topic: &Topic) -> Vec<String> {
    let Subject { asked, thing, is_question } = subject(topic.as_str());
    let (first, asked) = (asked.to_owned(), asked.to_lowercase());
    if is_question {
        return vec![
            first,
            thing.clone(),
            format!("{thing} explained"),
            format!("{thing} examples and guide"),
            format!("{thing} common problems"),
            format!("{thing} overview"),
        ];
    }
    // A long topic is first cut down to the thing.
    let is_whole = thing.to_lowercase() == asked;
    vec![
        first,
        if is_whole { format!("what is {thing}") } else { thing.clone() },
        format!("{thing} overview features"),
        format!("{thing} alternatives compared"),
        format!("{thing} problems and limits"),
        format!("{thing} guide"),
    ]
}
