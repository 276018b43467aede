//! Texts cut to what a model takes and gathered into batches. Pure.

use std::{borrow::Cow, ops::Range};

/// Bytes per token, guessed low: prose has more than four, code and other scripts about three.
pub(super) const BYTES_PER_TOKEN: usize = 3;

/// `text` behind `prefix`, together at most `max_bytes` long, and whether that cut something off.
pub(super) fn prepare<'a>(text: &'a str, prefix: &str, max_bytes: usize) -> (Cow<'a, str>, bool) {
    let room = max_bytes.saturating_sub(prefix.len());
    let kept = &text[..text.floor_char_boundary(room)];
    let cut = kept.len() < text.len();
    match prefix {
        "" => (Cow::Borrowed(kept), cut),
        _ => (Cow::Owned(format!("{prefix}{kept}")), cut),
    }
}

/// Neighbours together: at most `most` texts and `bytes` bytes, but always at least one text.
pub(super) fn batches(lengths: &[usize], most: usize, bytes: usize) -> Vec<Range<usize>> {
    let mut batches = Vec::new();
    let (mut start, mut sum) = (0, 0_usize);
    for (index, &length) in lengths.iter().enumerate() {
        let full = index - start >= most.max(1) || sum.saturating_add(length) > bytes;
        if full && index > start {
            batches.push(start..index);
            (start, sum) = (index, 0);
        }
        sum = sum.saturating_add(length);
    }
    if start < lengths.len() {
        batches.push(start..lengths.len());
    }
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        #[track_caller]
        fn check(text: &str, prefix: &str, max_bytes: usize, expected: &str, cut: bool) {
            assert_eq!(prepare(text, prefix, max_bytes), (Cow::Borrowed(expected), cut));
        }
        check("abc", "", 3, "abc", false);
        check("abcd", "", 3, "abc", true);
        check("aéb", "", 2, "a", true);
        check("abc", "q: ", 6, "q: abc", false);
        check("abcd", "q: ", 6, "q: abc", true);
        check("😀", "", 3, "", true);
        check("abc", "q: ", 1, "q: ", true);
    }

    proptest! {
        #[test]
        fn batches_hold_everything_once(
            lengths in prop::collection::vec(0_usize..50, 0..60),
            most in 0_usize..9,
            bytes in 0_usize..120,
        ) {
            let batches = batches(&lengths, most, bytes);
            let all: Vec<usize> = batches.iter().cloned().flatten().collect();
            prop_assert_eq!(all, (0..lengths.len()).collect::<Vec<_>>());
            for batch in batches {
                prop_assert!(!batch.is_empty() && batch.len() <= most.max(1));
                let sum: usize = lengths[batch.clone()].iter().sum();
                prop_assert!(sum <= bytes || batch.len() == 1);
            }
        }
    }
}
