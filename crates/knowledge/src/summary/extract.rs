//! A file described in its own words.

use std::collections::HashSet;

use elophanto_text::outline::{Family, FileKind, Outline, WORDS};

use super::{
    CountTokens, MAX_TOKENS, Summary,
    candidates::{Collector, Lines, clipped},
    opening::{fillers, first_sentence, opening, purpose},
    parts::parts,
    phrases::is_boilerplate,
    print::{limited, listed, said, shown, words_within},
    rank::{Candidate, choose},
    remarks::{Remark, Remarks, remarks},
    structure::{is_unit, structure_within},
    text::{cut, tidy},
    words::Vocabulary,
};

/// Most tokens of the sentences; the rest is for what the file defines.
const MAX_PROSE_TOKENS: usize = 250;
/// Sentences behind the opening one.
const MORE_SENTENCES: usize = 5;
/// Sentences that there should be at least.
const MIN_SENTENCES: usize = 3;
/// Most tokens of the structure lines beside the sentences.
const STRUCTURE_TOKENS: usize = 150;
/// Most tokens of the line of what else there is, and how many things it tells.
const MAX_ALSO_TOKENS: usize = 120;
const MAX_ALSO: usize = 12;
/// Longest of them, in bytes.
const MAX_ALSO_BYTES: usize = 90;
/// Most tokens of the line of messages, and of that of words.
const MAX_LINE_TOKENS: usize = 60;
/// How much of a text is read for its words, comments and sentences.
const MAX_READ: usize = 1 << 20;

/// Describes a file by its own words and names. `text` of the summary: three to six sentences as
/// far as the file has that much to say, a line break, the structure lines, then more of what its
/// items do, messages, and telling words that were not said yet; at most [`MAX_TOKENS`] tokens as
/// `count_tokens` counts them. Tests say nothing unless the file is nothing but tests.
pub fn extract(
    path: &str,
    kind: FileKind,
    text: &str,
    outline: &Outline,
    count_tokens: &CountTokens<'_>,
) -> Summary {
    let read = cut_at_line(text, MAX_READ);
    let tests = Lines::of_tests(outline);
    let mut remarks = remarks(kind, read);
    remarks.messages.retain(|message| !tests.contains(message.line));
    let mut vocabulary = vocabulary(read, outline, &remarks, &tests);
    let file =
        File { path, kind, text: read, outline, remarks: &remarks, tests: &tests, count_tokens };
    let said = file.describe(&mut vocabulary);
    let parts = parts(kind, text, outline, &remarks, &mut vocabulary, count_tokens);
    Summary { text: said, parts }
}

/// A file and what was read out of it.
struct File<'a> {
    path: &'a str,
    kind: FileKind,
    text: &'a str,
    outline: &'a Outline,
    remarks: &'a Remarks,
    tests: &'a Lines,
    count_tokens: &'a CountTokens<'a>,
}

impl File<'_> {
    fn describe(&self, vocabulary: &mut Vocabulary) -> String {
        let count = |text: &str| (self.count_tokens)(text);
        let first = first_sentence(self.kind, self.outline);
        let opening = opening(self.path, self.kind, self.text, self.outline, first.as_deref());
        let mut prose = clipped(&tidy(&opening));
        let candidates = self.candidates(first.as_deref().unwrap_or(""), vocabulary);
        let opening = Candidate::new(&prose, None, 1.0, 0, vocabulary);

        let print = |at: usize, before: &str| {
            candidates.get(at).map_or(String::new(), |candidate| {
                said(&candidate.text, candidate.lead.as_ref(), before, self.text)
            })
        };
        let mut left = MAX_PROSE_TOKENS.saturating_sub(count(&prose));
        let mut chosen = 0;
        let order = choose(&candidates, &opening, vocabulary, MORE_SENTENCES + MAX_ALSO, |at| {
            if chosen == MORE_SENTENCES {
                return true;
            }
            let cost = count(&print(at, "")) + 1;
            let fits = cost <= left;
            left -= if fits { cost } else { 0 };
            chosen += usize::from(fits);
            fits
        });
        let (sentences, rest) = order.split_at(order.len().min(MORE_SENTENCES));
        let mut sentences = sentences.to_vec();
        sentences.sort_by_key(|&at| (candidates.get(at).map(|candidate| candidate.place), at));
        let mut number = 1 + sentences.len();
        for at in sentences {
            prose = format!("{prose} {}", print(at, &prose));
        }
        for filler in fillers(self.kind, self.text, self.outline) {
            if number < MIN_SENTENCES || is_unit(self.kind) {
                prose = format!("{prose} {filler}");
                number += 1;
            }
        }
        let also: Vec<String> = rest.iter().map(|&at| brief(&print(at, &prose))).collect();
        self.with_lines(prose, &also, number, vocabulary)
    }

    fn candidates(&self, first: &str, vocabulary: &mut Vocabulary) -> Vec<Candidate> {
        let mut collector = Collector::new(vocabulary);
        collector.purpose(self.kind, purpose(self.outline), first);
        match self.kind.family() {
            Family::Documentation => collector.prose(self.text, first),
            Family::Configuration | Family::Services | Family::Source => {
                collector.items(self.path, self.outline);
                collector.comments(&self.remarks.comments, self.outline, self.tests);
            }
        }
        collector.finish()
    }

    /// The sentences, then the lines for which there is room.
    fn with_lines(
        &self,
        prose: String,
        also: &[String],
        number: usize,
        vocabulary: &mut Vocabulary,
    ) -> String {
        let count = self.count_tokens;
        let room = |text: &str| MAX_TOKENS.saturating_sub(count(text) + 2);
        let mut messages = messages(&self.remarks.messages, vocabulary);
        let mut text = prose;
        if number < MIN_SENTENCES && !messages.is_empty() {
            let quoted: Vec<String> = messages.drain(..messages.len().min(4)).collect();
            text = format!("{text} Its messages say {}.", quoted.join(", "));
        }
        text = words_within(&text, MAX_TOKENS * 7 / 10, count).to_owned();
        let mut append = |line: String| {
            let joined = format!("{text}\n{line}");
            if !line.is_empty() && count(&joined) <= MAX_TOKENS {
                text = joined;
            }
            room(&text)
        };
        let left = append(structure_within(self.kind, self.outline, STRUCTURE_TOKENS, count));
        let left = append(listed("Also", also, "; ", left.min(MAX_ALSO_TOKENS), count));
        let left = append(listed("Says", &messages, "; ", left.min(MAX_LINE_TOKENS), count));
        let known = vocabulary.terms(&text);
        let words: Vec<String> =
            vocabulary.topics(&known).into_iter().take(60).map(str::to_owned).collect();
        let words =
            listed(WORDS.trim_end_matches(": "), &words, ", ", left.min(MAX_LINE_TOKENS), count);
        limited(&shown(&format!("{text}\n{words}")), MAX_TOKENS, count)
    }
}

/// A sentence without its full stop, cut to a clause.
fn brief(sentence: &str) -> String {
    let short = cut(sentence, MAX_ALSO_BYTES);
    if short.len() < sentence.len() {
        format!("{short} …")
    } else {
        short.trim_end_matches('.').to_owned()
    }
}

/// Words of the text without its tests and licence; what is said in comments, names and messages
/// counts more.
fn vocabulary(text: &str, outline: &Outline, remarks: &Remarks, tests: &Lines) -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    let licences = remarks.comments.iter().filter(|comment| is_boilerplate(&comment.text));
    let licences: HashSet<usize> = licences
        .flat_map(|comment| (comment.line..).zip(comment.text.lines()))
        .map(|(at, _)| at)
        .collect();
    for (number, line) in (1..).zip(text.lines()) {
        let skipped = tests.contains(number) || licences.contains(&number);
        if !skipped && !line.starts_with("#!/") {
            for word in line.split(' ').filter(|word| !word.contains("://")) {
                vocabulary.add(word, 1.0);
            }
        }
    }
    for item in outline.items.iter().filter(|item| !tests.contains(item.lines.0)) {
        vocabulary.add(&item.name, 1.0);
        vocabulary.add(&item.doc, 1.0);
    }
    for remark in remarks.comments.iter().chain(&remarks.messages) {
        if !tests.contains(remark.line) && !licences.contains(&remark.line) {
            vocabulary.add(&remark.text, 1.0);
        }
    }
    vocabulary.add(purpose(outline), 2.0);
    vocabulary
}

/// Different messages in quotes, those with the most telling words first.
fn messages(messages: &[Remark], vocabulary: &mut Vocabulary) -> Vec<String> {
    let mut ranked: Vec<(f32, String)> = Vec::new();
    for message in messages.iter().take(200) {
        let shown = format!("\"{}\"", cut(&message.text, 100).replace('"', "'"));
        let terms = vocabulary.terms(&shown);
        let weight: f32 = terms.iter().map(|&term| vocabulary.weight(term)).sum();
        if !ranked.iter().any(|(_, other)| *other == shown) {
            ranked.push((weight / (terms.len() as f32 + 4.0).sqrt(), shown));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0));
    ranked.into_iter().take(12).map(|(_, shown)| shown).collect()
}

fn cut_at_line(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let head = &text[..text.floor_char_boundary(bytes)];
    head.rfind('\n').map_or(head, |end| &head[..end])
}
