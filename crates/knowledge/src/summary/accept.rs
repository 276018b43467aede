//! Whether a language model's answer is a summary, and which part of it.

use elophanto_text::sentences::split;

use super::{
    CountTokens,
    print::words_within,
    prompt::{FENCE, RULE},
    prose::{plain, without_bullet},
    text::tidy,
};
use crate::words::{Words, list};

/// Most tokens of an answer that is kept.
pub const MAX_ANSWER_TOKENS: usize = 300;
/// Fewest characters of an answer that says anything.
pub const MIN_ANSWER_CHARACTERS: usize = 40;
/// How much of an answer is read, in bytes.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// Why an answer is no summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// Nothing is left once thoughts and introductions are taken away.
    #[error("the answer is empty")]
    Empty,
    /// Fewer than [`MIN_ANSWER_CHARACTERS`] characters.
    #[error("the answer is too short to be a summary")]
    Short,
    /// The model says that it will not or can not.
    #[error("the model declined to answer")]
    Declined,
    /// The prompt comes back.
    #[error("the answer repeats the prompt")]
    Echo,
    /// JSON, code or noise.
    #[error("the answer is not prose")]
    NotProse,
}

/// How an answer begins that declines.
static DECLINES: Words = list!(phrases "declines");

/// Cleans an answer: thoughts, fences, headings, list marks and introductions are taken away, what
/// is left becomes one paragraph of at most [`MAX_ANSWER_TOKENS`] tokens, cut after a sentence.
///
/// # Errors
/// [`Refused`] if what is left is no summary.
pub fn accept(answer: &str, count_tokens: &CountTokens<'_>) -> Result<String, Refused> {
    let answer = &answer[..answer.floor_char_boundary(MAX_ANSWER_BYTES)];
    let answer = without_thoughts(answer);
    if answer.contains(FENCE) || answer.contains(RULE) {
        return Err(Refused::Echo);
    }
    if looks_like_data(answer) {
        return Err(Refused::NotProse);
    }
    let prose = prose(answer);
    if prose.is_empty() {
        return Err(Refused::Empty);
    }
    let start = prose.replace('’', "'").to_lowercase();
    if DECLINES.iter().any(|decline| start.starts_with(decline)) {
        return Err(Refused::Declined);
    }
    if prose.chars().count() < MIN_ANSWER_CHARACTERS {
        return Err(Refused::Short);
    }
    let letters = prose.chars().filter(|char| char.is_alphabetic() || *char == ' ').count();
    if letters * 10 < prose.chars().count() * 7 {
        return Err(Refused::NotProse);
    }
    Ok(shortened(&prose, count_tokens))
}

/// What follows the last thought; a thought that never ends leaves nothing.
fn without_thoughts(answer: &str) -> &str {
    let mut rest = answer;
    for (open, close) in
        [("<think>", "</think>"), ("<thinking>", "</thinking>"), ("<reasoning>", "</reasoning>")]
    {
        if let Some(end) = rest.rfind(close) {
            rest = &rest[end + close.len()..];
        }
        if rest.trim_start().starts_with(open) {
            return "";
        }
    }
    rest
}

fn looks_like_data(answer: &str) -> bool {
    let answer = answer.trim().trim_start_matches("```json").trim_start_matches("```").trim_start();
    (answer.starts_with('{') || answer.starts_with('['))
        && (answer.contains("\":") || answer.contains("\" :") || answer.contains("\", \""))
}

fn prose(answer: &str) -> String {
    let mut prose = String::new();
    for line in answer.lines() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") || line.starts_with('#') {
            continue;
        }
        let line = tidy(&plain(without_bullet(line.trim_start_matches("> "))));
        let line = if prose.is_empty() { without_introduction(&line) } else { &line };
        if !line.chars().any(char::is_alphanumeric) {
            continue;
        }
        if !prose.is_empty() {
            // What was an item of a list becomes a sentence.
            if !prose.ends_with(['.', '!', '?', ':', ';', ',', '。', '！', '？']) {
                prose.push_str(if line.starts_with(char::is_lowercase) { "" } else { "." });
            }
            prose.push(' ');
        }
        prose.push_str(line);
    }
    prose.truncate(prose.trim_end_matches([':', ' ']).len());
    prose
}

/// A first line without `Here is a summary:`, `Sure!`, `Summary:`.
fn without_introduction(line: &str) -> &str {
    let mut line = line.trim();
    for greeting in ["Sure", "Certainly", "Of course", "Okay", "Absolutely"] {
        if let Some(rest) = line.strip_prefix(greeting)
            && rest.starts_with(['!', ',', '.'])
        {
            line = rest[1..].trim_start();
        }
    }
    let Some((before, after)) = line.split_once(':') else { return line };
    let before = before.to_lowercase();
    let introduces = before.len() < 120
        && (before == "summary"
            || before.ends_with(" summary") && !before.contains('`')
            || (before.starts_with("here")
                && (before.contains("summary") || before.contains("description")))
            || before.starts_with("the following is"));
    if introduces { after.trim_start() } else { line }
}

fn shortened(prose: &str, count_tokens: &CountTokens<'_>) -> String {
    if count_tokens(prose) <= MAX_ANSWER_TOKENS {
        return prose.to_owned();
    }
    let mut kept = String::new();
    for sentence in split(prose) {
        let longer =
            if kept.is_empty() { sentence.to_owned() } else { format!("{kept} {sentence}") };
        if count_tokens(&longer) > MAX_ANSWER_TOKENS {
            break;
        }
        kept = longer;
    }
    if kept.is_empty() {
        kept =
            format!("{} …", words_within(prose, MAX_ANSWER_TOKENS.saturating_sub(2), count_tokens));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "Decides how long to wait before a request is sent again. Knows jitter.";

    fn count(text: &str) -> usize {
        text.split_whitespace().count()
    }

    #[test]
    fn answers_become_prose() {
        let check = |answer: &str, expected: &str| {
            assert_eq!(accept(answer, &count).as_deref(), Ok(expected), "{answer}");
        };
        check(GOOD, GOOD);
        check(&format!("<think>\nHm. I cannot see.\n</think>\n\n{GOOD}\n"), GOOD);
        check(&format!("left over</think>{GOOD}"), GOOD);
        check(&format!("```markdown\n{GOOD}\n```"), GOOD);
        check(&format!("Sure! Here is a concise summary of the file:\n\n{GOOD}"), GOOD);
        check(&format!("# Summary\n\n**Summary:** {GOOD}"), GOOD);
        check(
            "- **Decides** how long to wait\n- Counts what was tried before\n  and gives up then",
            "Decides how long to wait. Counts what was tried before and gives up then",
        );
        check(
            "Rust module: retries with a growing wait, at most five times.",
            "Rust module: retries with a growing wait, at most five times.",
        );
        check(
            "失敗した要求を再送する前にどれだけ待つかを決める。待ち時間は毎回二倍になり、上限は三十秒である。",
            "失敗した要求を再送する前にどれだけ待つかを決める。待ち時間は毎回二倍になり、上限は三十秒である。",
        );
        check(&format!("{GOOD}\u{1b}[31m\u{0}\u{202e}"), &format!("{GOOD}[31m"));
    }

    #[test]
    fn what_is_no_summary_is_refused() {
        let check =
            |answer: &str, why: Refused| assert_eq!(accept(answer, &count), Err(why), "{answer}");
        check("", Refused::Empty);
        check(" \n```\n```\n", Refused::Empty);
        check("<think>still thinking about the file and", Refused::Empty);
        check("Here is the summary:", Refused::Empty);
        check("A Rust file.", Refused::Short);
        check(
            "I cannot summarise this file because its content was not given to me.",
            Refused::Declined,
        );
        check(
            "I’m sorry, but the content of the file seems to be missing altogether.",
            Refused::Declined,
        );
        check(
            "As an AI language model, I have no access to the files on your disk.",
            Refused::Declined,
        );
        check("=====FILE-CONTENT-1=====\nfn main() {} and what follows is the file", Refused::Echo);
        check(&format!("Rules: {RULE}, as I was told to write."), Refused::Echo);
        check(
            "{\"summary\": \"Decides how long to wait before it is sent again\"}",
            Refused::NotProse,
        );
        check(
            "```json\n[\"a\", \"b and c and d and e and f and g and h\"]\n```",
            Refused::NotProse,
        );
        check(&"0x1f 0x2e 93 @@ !! -- ;; 55 {} () ".repeat(4), Refused::NotProse);
    }

    #[test]
    fn long_answers_end_after_a_sentence() {
        let long = "One sentence of five words. ".repeat(100);
        let kept = accept(&long, &count).unwrap();
        assert_eq!(count(&kept), 300);
        assert!(kept.ends_with("words."));
        let kept = accept(&"word ".repeat(1_000), &count).unwrap();
        assert!(count(&kept) <= 300 && kept.ends_with("word …"));
    }
}
