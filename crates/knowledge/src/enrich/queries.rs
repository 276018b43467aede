//! The words of a search.

use jiff::Timestamp;

use super::{Mode, attributes::missing};
use elophanto_base::one_line::one_line;

/// Searches for one entity at a time.
pub const MAX_QUERIES: usize = 3;
/// Characters of one query.
pub const MAX_QUERY_CHARS: usize = 200;

/// Of the name that stands in every query.
const NAME_CHARS: usize = 120;
/// Of another name that stands beside it.
const ALIAS_CHARS: usize = 60;
/// Other names that are looked at.
const MAX_ALIASES: usize = 100;
const SECONDS_PER_WEEK: i64 = 7 * 86_400;

/// What to search for: one to three different lines of at most 200 characters, always the same of
/// the same week. Nothing if the name shows nothing.
///
/// - [`Mode::Broad`]: the entity by its names.
/// - [`Mode::Gaps`]: what the words of no fact tell, such as its price or its maker. Each week the
///   list begins elsewhere, because what was not found will still be missing.
/// - [`Mode::News`]: the entity and the current month, and the month since which news counts.
pub fn queries(
    name: &str,
    aliases: &[String],
    facts: &[String],
    mode: Mode,
    now: Timestamp,
) -> Vec<String> {
    let name = one_line(name, NAME_CHARS);
    if name.is_empty() {
        return Vec::new();
    }
    let missing = || missing(facts.iter().map(String::as_str));
    let asked = match mode {
        Mode::Broad => {
            let other = other_name(&name, aliases);
            let first_missing = missing().first().map_or("explained", |it| it.asked);
            let last = match other {
                Some(other) => format!("{name} {other}"),
                None => format!("{name} {first_missing}"),
            };
            vec![format!("what is {name}"), format!("{name} overview and key facts"), last]
        }
        Mode::Gaps => {
            let mut missing = missing();
            if !missing.is_empty() {
                let week = now.as_second().div_euclid(SECONDS_PER_WEEK);
                let start = week.rem_euclid(missing.len() as i64);
                missing.rotate_left(usize::try_from(start).unwrap_or_default());
            }
            let asked: Vec<String> = missing
                .iter()
                .take(MAX_QUERIES)
                .map(|attribute| format!("{name} {}", attribute.asked))
                .collect();
            if asked.is_empty() {
                vec![format!("{name} details and lesser known facts")]
            } else {
                asked
            }
        }
        Mode::News { since } => {
            let (month, since) = (month(now), month(since));
            let mut asked = vec![format!("{name} news {month}"), format!("{name} changes {month}")];
            if since != month {
                asked.push(format!("what is new in {name} since {since}"));
            }
            asked
        }
    };
    let mut queries: Vec<String> = Vec::new();
    for query in asked {
        let query = one_line(&query, MAX_QUERY_CHARS);
        if !queries.contains(&query) && queries.len() < MAX_QUERIES {
            queries.push(query);
        }
    }
    queries
}

/// The first of the other names that says more than the name: it holds a word that the name lacks.
fn other_name(name: &str, aliases: &[String]) -> Option<String> {
    let name = name.to_lowercase();
    let known: Vec<&str> = name.split(' ').collect();
    aliases.iter().take(MAX_ALIASES).map(|alias| one_line(alias, ALIAS_CHARS)).find(|alias| {
        let folded = alias.to_lowercase();
        folded.split(' ').any(|word| !word.is_empty() && !known.contains(&word))
    })
}

/// `November 2026`, in UTC.
fn month(at: Timestamp) -> String {
    at.strftime("%B %Y").to_string()
}
