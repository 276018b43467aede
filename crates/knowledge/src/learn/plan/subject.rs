//! The thing that a topic is about, taken out of the sentence around it.

use elophanto_base::{lexical::Analyzer, one_line::one_line};

/// Of the thing itself, so that words fit beside it.
const THING_CHARS: usize = 150;
/// Words of a topic that is not cut down to those that carry it.
const FEW_WORDS: usize = 8;

/// How people ask somebody to look for something. Single verbs are not among them: `learn to rank`
/// and `find command` are topics.
const REQUESTS: &[&str] = &[
    "please", "can you", "could you", "i want to know", "i want to learn", "i would like to know",
    "i'd like to know", "help me understand", "find me", "find out", "tell me", "teach me",
    "show me", "give me", "look up", "search for", "read up on",
];
/// Verbs that ask if `about` follows, as in `learn all about otters`.
const VERBS: &[&str] = &["learn", "research", "find", "search", "read", "know"];
/// How much of it they want.
const AMOUNTS: &[&str] = &[
    "some", "all", "more", "stuff", "things", "information", "info", "facts", "everything",
    "anything", "something",
];
/// The words with which a question begins.
const QUESTION_WORDS: &[&str] =
    &["what", "what's", "which", "who", "who's", "whose", "when", "where", "why", "how"];
/// What stands between those and what a question is about.
const OPENINGS: &[&str] = &[
    "is", "are", "was", "were", "do", "does", "did", "can", "could", "should", "would", "will",
    "much", "many", "to", "the", "a", "an", "i", "we", "you", "there",
];

/// What a topic says, and in which form.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Subject<'t> {
    /// The topic without words that ask for it.
    pub asked: &'t str,
    /// The thing itself: at most [`THING_CHARS`] characters, [`FEW_WORDS`] words, never empty.
    pub thing: String,
    pub is_question: bool,
}

/// The subject of a topic that is one line.
pub(super) fn subject(topic: &str) -> Subject<'_> {
    let asked = without_request(topic);
    let is_question = is_question(asked);
    let bare = asked.trim_end_matches(['?', '？', '!', '.', '…', ' ']);
    let bare = if is_question { without(bare, &[QUESTION_WORDS, OPENINGS]) } else { bare };
    let words = bare.split(' ').count();
    let short = if words > FEW_WORDS { only_content(bare) } else { bare.to_owned() };
    let thing = one_line(&short, THING_CHARS);
    let thing = if thing.is_empty() { one_line(asked, THING_CHARS) } else { thing };
    Subject { asked, thing, is_question }
}

/// Whether a text asks: by its mark, or by how it begins.
fn is_question(text: &str) -> bool {
    text.ends_with(['?', '？']) || QUESTION_WORDS.iter().any(|word| after(text, word).is_some())
}

/// Without `find me stuff about`, unless nothing would be left.
fn without_request(topic: &str) -> &str {
    let asked = without(topic, &[REQUESTS]);
    let thing = without(asked, &[VERBS, AMOUNTS]);
    match after(thing, "about") {
        Some(thing) => thing,
        None if asked.len() < topic.len() => without(asked, &[AMOUNTS]),
        None => topic,
    }
}

/// A text without the words of the lists that it begins with.
fn without<'t>(text: &'t str, lists: &[&[&str]]) -> &'t str {
    let mut rest = text;
    while let Some(shorter) = lists.iter().copied().flatten().find_map(|words| after(rest, words)) {
        rest = shorter;
    }
    rest
}

/// What follows words at the beginning of a text; `None` if nothing does.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let head = text.get(..words.len())?;
    let rest = text.get(words.len()..)?;
    (head.eq_ignore_ascii_case(words) && rest.starts_with(' ')).then(|| rest.trim_start())
}

/// The first words that carry something.
fn only_content(text: &str) -> String {
    let analyzer = Analyzer::new("english");
    let is_content = |word: &&str| {
        let folded = word.trim_matches(|char: char| !char.is_alphanumeric()).to_lowercase();
        !analyzer.is_question_word(&folded)
            && (folded.is_empty() || analyzer.term(&folded).is_some())
    };
    let words: Vec<&str> = text.split(' ').filter(is_content).take(FEW_WORDS).collect();
    words.join(" ")
}
