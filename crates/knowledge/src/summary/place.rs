//! Where the sentences of a description stand in the file that they were taken from.

use std::collections::HashMap;

/// Words in a row that a sentence shares with a place in the file, at least, and half of its own; of a shorter
/// sentence all.
const LEAST_SHARED: usize = 4;

/// The line, from 1, on which each sentence begins in the text; `None` for one that is not of its words.
/// What was put before it, a name or the kind of the file, stands nowhere: the longest run of words counts,
/// and of equal ones that nearest to the line `near`.
pub fn places(text: &str, sentences: &[&str], near: usize) -> Vec<Option<usize>> {
    let words: Vec<(usize, String)> = (1..)
        .zip(text.lines())
        .flat_map(|(line, said)| words(said).map(move |word| (line, word)))
        .collect();
    sentences.iter().map(|sentence| place(&words, sentence, near)).collect()
}

fn place(text: &[(usize, String)], sentence: &str, near: usize) -> Option<usize> {
    // "Ruby source file `lib/boot.rb`: boots all hosts."
    let own = sentence.split_once("`: ").map_or(sentence, |(_, own)| own);
    let own: Vec<String> = words(own).collect();
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, word) in own.iter().enumerate() {
        positions.entry(word).or_default().push(position);
    }
    // How many words in a row end at each position of the sentence, at the word before.
    let mut before = vec![0_usize; own.len()];
    let mut best: Option<(usize, usize)> = None;
    for (at, (_, word)) in text.iter().enumerate() {
        let mut runs = vec![0; own.len()];
        for &position in positions.get(word.as_str()).into_iter().flatten() {
            let longer = position.checked_sub(1).and_then(|last| before.get(last));
            let run = longer.copied().unwrap_or_default() + 1;
            if let Some(ends) = runs.get_mut(position) {
                *ends = run;
            }
            let Some(&(line, _)) = text.get(at + 1 - run) else { continue };
            let is_better = best.is_none_or(|(most, other)| {
                run > most || run == most && line.abs_diff(near) < other.abs_diff(near)
            });
            if is_better {
                best = Some((run, line));
            }
        }
        before = runs;
    }
    let least = LEAST_SHARED.min(own.len()).max(2).max(own.len().div_ceil(2));
    best.filter(|(run, _)| *run >= least).map(|(_, line)| line)
}

/// In lower case, for the first letter of a sentence may have been.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_stands_where_its_words_are() {
        let text = "# Settings of the boot.\nlimit: 5\n\n# Boot containers on all hosts\n# in parallel. \
                    Waits.\nparallel: true\n\n# Settings of the end.\n# Boot containers on one host.\n";
        for (sentence, near, expected) in [
            ("Boot containers on all hosts in parallel.", 1, Some(4)),
            (
                "YAML configuration `boot.yml`: boot containers on all hosts in parallel.",
                1,
                Some(4),
            ),
            ("`parallel`: Boot containers on one host.", 1, Some(9)),
            ("Waits.", 1, None),
            ("Settings of the", 1, Some(1)),
            ("Settings of the", 9, Some(8)),
            ("Functions: boot, halt.", 1, None),
            ("Keys: limit, boot, containers, on, all, wait, parallel, waits, settings.", 1, None),
            ("It has the key `limit` and the key `parallel`.", 1, None),
            ("", 1, None),
        ] {
            assert_eq!(places(text, &[sentence], near), [expected], "{sentence}");
        }
    }
}
