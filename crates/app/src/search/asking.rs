//! What a message asks: people greet, tell what they tried and thank around their question. Pure.
//!
//! Knows no language but English by its words; of other ones it only knows which sentence is a question.

use std::ops::Range;

use elophanto_text::sentences::sentences;

/// Words around a question that say nothing of what is asked.
const FRAME: &[&str] = &[
    "a", "about", "advance", "again", "all", "am", "and", "any", "anybody", "anyone", "ask",
    "asking", "be", "been", "but", "can", "cheers", "could", "curious", "dear", "did", "do",
    "does", "everybody", "everyone", "explain", "figure", "find", "folks", "good", "guys",
    "happen", "have", "hello", "help", "hey", "hi", "i", "i'd", "i'm", "i've", "idea", "ideas",
    "in", "just", "kind", "kindly", "know", "like", "lot", "me", "morning", "much", "need", "ok",
    "okay", "one", "out", "please", "question", "quick", "remind", "remember", "show", "so",
    "somebody", "someone", "sorry", "team", "tell", "thank", "thanks", "the", "there", "to",
    "trying", "understand", "us", "very", "want", "was", "we", "well", "wonder", "wondering",
    "would", "you",
];

/// Words that ask, behind what only says that one asks.
const ASKING: &[&str] =
    &["how", "if", "what", "when", "where", "whether", "which", "who", "whose", "why"];

/// First words of questions to which somebody set no mark.
const OPENING: &[&str] = &["how", "what", "when", "where", "which", "who", "whose", "why"];

/// First words of questions for yes or no.
const AUXILIARIES: &[&str] = &[
    "are", "can", "could", "did", "do", "does", "has", "have", "is", "may", "should", "was",
    "were", "will", "would",
];

/// What begins a sentence whose first clause says when the second one holds.
const LEADING: &[&str] = &[
    "after", "as", "at", "because", "before", "besides", "by", "during", "for", "from", "given",
    "if", "in", "like", "on", "once", "since", "to", "unless", "until", "when", "while", "with",
    "without",
];

/// What stands for something that was named before.
const POINTING: &[&str] = &["it", "that", "them", "these", "they", "this", "those"];

/// The question of a message: the one sentence that asks, without what leads it in and thanks for it; with the
/// sentence before, where it points back to that. All of it, where it asks nothing or several things.
pub fn asked_in(message: &str) -> &str {
    /// Words before `it` with which nothing may be named yet: `How do I get rid of it?`
    const MOST_SAID: usize = 3;
    let all = parts(message);
    let is_said = |range: &&Range<usize>| !is_frame(&message[(*range).clone()]);
    let marked =
        |range: &&Range<usize>| message[(*range).clone()].trim_end().ends_with(['?', '？']);
    let opens = |range: &&Range<usize>| {
        let first = words(without_frame(&message[(*range).clone()])).next().unwrap_or_default();
        [OPENING, AUXILIARIES].iter().any(|all| all.contains(&first.as_str()))
    };
    let mut asking: Vec<&Range<usize>> = all.iter().filter(is_said).filter(marked).collect();
    if asking.is_empty() {
        asking = all.iter().filter(is_said).filter(opens).collect();
    }
    // `Is it bad?`, behind what it is.
    if asking.len() > 1 {
        asking.retain(|range| {
            let said: Vec<String> = words(&message[(*range).clone()]).collect();
            let is_short = said.iter().filter(|word| tells(word)).count() < 2;
            !(is_short && said.iter().any(|word| POINTING.contains(&word.as_str())))
        });
    }
    let [range] = asking[..] else {
        return if all.len() == 1 { without_frame(message) } else { message };
    };
    let question = without_frame(&message[range.clone()]);
    let all_words: Vec<String> = words(question).collect();
    // `Is it safe to run two`: stands for nothing.
    let is_empty = |at: usize| {
        all_words[at] == "it"
            && matches!(all_words[at - 1].as_str(), "is" | "was")
            && at + 2 < all_words.len()
    };
    // `How do I stop tracking a file but keep it`: what it is was said.
    let is_told = |at: usize| all_words[..at].iter().filter(|word| tells(word)).count() > MOST_SAID;
    let points = |at: usize| match all_words[at].as_str() {
        "it" | "them" | "they" => !is_empty(at) && !is_told(at),
        // `How can I fix that?`
        "that" => at + 1 == all_words.len(),
        word => matches!(word, "these" | "this" | "those"),
    };
    // `The build fails. Why?`
    let is_bare = !all_words.iter().any(|word| tells(word));
    if !is_bare && !(1..all_words.len()).any(points) {
        return question;
    }
    let before = all.iter().take_while(|it| it.start < range.start).filter(is_said).last();
    message[before.unwrap_or(range).start..range.end].trim()
}

/// Whether a word says anything of what is asked.
fn tells(word: &str) -> bool {
    ![FRAME, OPENING, AUXILIARIES, POINTING].iter().any(|all| all.contains(&word))
}

/// The sentences of a message, in which people begin them in lower case too.
fn parts(message: &str) -> Vec<Range<usize>> {
    const SHORT: usize = 1;
    const ABBREVIATED: &[&str] =
        &["approx", "ca", "cf", "dr", "etc", "incl", "mr", "ms", "no", "st", "vs"];
    let mut found = Vec::new();
    for range in sentences(message) {
        let mut start = range.start;
        for (at, mark) in message[range.clone()].match_indices(['.', '!', '?']) {
            let end = range.start + at + mark.len();
            let before = &message[start..range.start + at];
            let word = before.rsplit(|char: char| !char.is_alphabetic()).next().unwrap_or_default();
            let ends = mark != "."
                || word.chars().count() > SHORT
                    && !ABBREVIATED.contains(&word.to_lowercase().as_str());
            if ends && message[end..range.end].starts_with(char::is_whitespace) {
                found.push(std::mem::replace(&mut start, end)..end);
            }
        }
        found.push(start..range.end);
    }
    found
}

/// Whether a text says nothing of what is asked: `Hi all.`, `Any ideas?`
fn is_frame(text: &str) -> bool {
    words(text).all(|word| FRAME.contains(&word.as_str()))
}

/// A sentence without what stands before its question, and without thanks behind it. What is no phrase of a
/// frame goes only before a mark and words that ask, and never a condition: `If it is stale, what happens?`
fn without_frame(sentence: &str) -> &str {
    const LEAST: usize = 2;
    let sentence = sentence.trim();
    let is_break = |char: char| ",;:-–—".contains(char);
    let ends = |text: &str| words(text).take(LEAST).count() == LEAST;
    let asks = sentence.ends_with(['?', '？']);
    let leads = words(sentence).next().is_some_and(|first| LEADING.contains(&first.as_str()));
    // Whether all words until here are of a frame, and all of this clause.
    let (mut is_frame_yet, mut is_frame_clause) = (true, true);
    let (mut from, mut is_begun) = (0, false);
    // `In which order`
    let mut preposition: Option<usize> = None;
    for (at, word) in placed(sentence) {
        let (before, word) = (&sentence[..at.start], word.as_str());
        let lead = before.trim_end();
        // `--json` is an option.
        let mark = lead.chars().next_back().filter(|it| lead.len() < before.len() && is_break(*it));
        if let Some(mark) = mark {
            let is_of_condition = leads && matches!(mark, ',' | ';');
            is_frame_clause = is_frame_yet || (asks || mark == ':') && !is_of_condition;
        }
        let is_if = matches!(word, "if" | "whether");
        let asks_here = ASKING.contains(&word) && is_frame_clause && (is_frame_yet || !is_if);
        let begins = mark.is_some() || lead.is_empty();
        let opens = begins && is_frame_clause && AUXILIARIES.contains(&word);
        if (asks_here || opens || mark.is_some() && is_frame_yet) && ends(&sentence[at.start..]) {
            let start = preposition.filter(|_| asks_here).unwrap_or(at.start);
            from = if is_if && !lead.is_empty() { at.end } else { start };
            is_begun |= opens;
        }
        if !FRAME.contains(&word) {
            (is_frame_yet, is_frame_clause) = (false, false);
        }
        if asks_here || is_begun && !is_frame_clause {
            break;
        }
        preposition = matches!(word, "in" | "to").then_some(at.start);
    }
    let said = sentence[from..].trim_start();
    let is_thanks = |at: &usize| {
        let rest = said[*at..].trim_start_matches(is_break);
        rest.starts_with(char::is_whitespace) && is_frame(rest) && ends(&said[..*at])
    };
    let thanks = said.rfind(is_break).filter(is_thanks);
    thanks.map_or(said, |at| said[..at].trim_end())
}

/// The words of a text in lower case.
fn words(text: &str) -> impl Iterator<Item = String> {
    placed(text).map(|(_, word)| word)
}

/// The same, each with its bytes.
fn placed(text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '\'' | '’' | '_');
    let mut next = 0;
    let all = text.split(move |char| !is_part(char)).map(move |word| {
        let start = next;
        let end = start + word.len();
        next = end + text[end..].chars().next().map_or(0, char::len_utf8);
        (start..end, word.replace('’', "'").to_lowercase())
    });
    all.filter(|(_, word)| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_question() {
        for (message, expected) in [
            ("How do I undo a merge?", "How do I undo a merge?"),
            ("undo a merge", "undo a merge"),
            (
                "Hi all, I'm new to foo and a bit lost. How do I undo a merge?",
                "How do I undo a merge?",
            ),
            ("Could somebody please tell me how I undo a merge?", "how I undo a merge?"),
            ("Quick question - can I undo a merge? Thanks a lot!", "can I undo a merge?"),
            ("I was wondering if foo can undo a merge.", "foo can undo a merge."),
            ("How do I undo a merge, please", "How do I undo a merge"),
            ("I tried for hours. How do I undo a merge? Any ideas?", "How do I undo a merge?"),
            ("Hello everyone\n\nhow do I undo a merge. I am on Windows.", "how do I undo a merge."),
            ("hi. how do i undo a merge? i use foo 2.", "how do i undo a merge?"),
            (
                "How do I undo e.g. a merge of approx. 5 files?",
                "How do I undo e.g. a merge of approx. 5 files?",
            ),
            // What the question points to stands before it.
            (
                "Hi there. I have a workspace of mine. How do I get rid of it? Thanks.",
                "I have a workspace of mine. How do I get rid of it?",
            ),
            (
                "foo merges a lot. What does a merge of foo cost? Is it bad?",
                "What does a merge of foo cost?",
            ),
            (
                "Hi. The build fails with E0425 on main. Why?",
                "The build fails with E0425 on main. Why?",
            ),
            (
                "My index is stale after a merge. What should I do?",
                "My index is stale after a merge. What should I do?",
            ),
            (
                "The hook refuses my commit. How can I fix that?",
                "The hook refuses my commit. How can I fix that?",
            ),
            // Several questions are told from each other by nobody.
            (
                "How do I undo a merge? Where is the log?",
                "How do I undo a merge? Where is the log?",
            ),
            ("What happens if foo is stopped?", "What happens if foo is stopped?"),
            (
                "Do I need a key to know which file is read?",
                "Do I need a key to know which file is read?",
            ),
            ("Wie geht das mit dem Schlüssel? Danke!", "Wie geht das mit dem Schlüssel?"),
            ("-foo merge", "-foo merge"),
            (
                "Quick one: how do I lock a file so nobody can edit it",
                "how do I lock a file so nobody can edit it",
            ),
            ("I use foo. should the merge be stale", "should the merge be stale"),
            ("I can't find this: what does foo do Thanks!", "what does foo do Thanks!"),
            ("which key ends it during squash -i", "which key ends it during squash -i"),
            ("Can you tell me in which order foo merges?", "in which order foo merges?"),
            (
                "Our admins want it closed, can you tell me how I undo a merge?",
                "how I undo a merge?",
            ),
            (
                "My list is long, so I was wondering: how do I undo a merge?",
                "how do I undo a merge?",
            ),
            ("Hi folks, quick one: is it safe to undo a merge?", "is it safe to undo a merge?"),
            ("After I merged foo, what happens?", "After I merged foo, what happens?"),
            ("If a merge is stale, what happens?", "If a merge is stale, what happens?"),
            ("undo a merge, when stale", "undo a merge, when stale"),
            ("", ""),
        ] {
            assert_eq!(asked_in(message), expected, "{message}");
        }
    }
}
