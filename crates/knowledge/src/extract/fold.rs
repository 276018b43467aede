//! Text made equal for comparing: compatibility forms, lower case, plain quotes and dashes, single
//! spaces.

use unicode_normalization::UnicodeNormalization;

/// The form in which names, sentences and answers are compared.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for char in text.nfkc().flat_map(char::to_lowercase) {
        match char {
            char if char.is_whitespace() => {
                if !folded.is_empty() && !folded.ends_with(' ') {
                    folded.push(' ');
                }
            }
            '\u{200b}'..='\u{200f}' | '\u{ad}' | '\u{feff}' | '\u{2060}'..='\u{2064}' => {}
            '‘' | '’' | 'ʼ' | '′' => folded.push('\''),
            '“' | '”' | '„' | '″' | '«' | '»' => folded.push('"'),
            '‐' | '‑' | '‒' | '–' | '—' | '−' => folded.push('-'),
            char => folded.push(char),
        }
    }
    folded.truncate(folded.trim_end().len());
    folded
}
