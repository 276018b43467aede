//! Beginnings of ids that are long enough to tell them apart. Pure.

/// Characters that are shown at least: of a ULID the first ten are a time, so that fewer tell little.
const FEWEST: usize = 8;

/// So many characters of each of these ids tell it from all others, in any case of letters.
pub fn telling_length<'a>(ids: impl IntoIterator<Item = &'a str>) -> usize {
    let mut ids: Vec<Vec<char>> =
        ids.into_iter().map(|id| id.to_uppercase().chars().collect()).collect();
    ids.sort_unstable();
    ids.dedup();
    let shared =
        |pair: &[Vec<char>]| pair[0].iter().zip(&pair[1]).take_while(|(a, b)| a == b).count();
    // What is whole where the other goes on is told by being shorter.
    let needed = ids.windows(2).map(|pair| shared(pair) + 1).max().unwrap_or(0);
    needed.max(FEWEST)
}

/// So many characters of an id from its beginning.
pub fn abbreviated(id: &str, length: usize) -> &str {
    id.char_indices().nth(length).and_then(|(end, _)| id.get(..end)).unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn long_enough_and_no_longer() {
        for (ids, expected) in [
            (&[][..], 8),
            (&["01M80ZSH01B7DQQBMVJNGVQWAD"], 8),
            (&["01M80ZSH01B7DQQBMVJNGVQWAD", "01M80ZSH01B7DQQBMVJNGVQWAD"], 8),
            (&["01M80ZSH01B7DQQBMVJNGVQWAD", "01M80ZSH01B8000000000000000"], 12),
            (&["01M80ZSH01B7DQQBMVJNGVQWAD", "01m80zsh01b8"], 12),
            (&["1", "12"], 8),
            (&["abcdefghi", "abcdefghij"], 10),
        ] {
            assert_eq!(telling_length(ids.iter().copied()), expected, "{ids:?}");
        }
        assert_eq!(abbreviated("01M80ZSH01B7", 8), "01M80ZSH");
        assert_eq!(abbreviated("äöü", 2), "äö");
        assert_eq!(abbreviated("1", 8), "1");
    }

    proptest! {
        #[test]
        fn what_is_abbreviated_is_still_told_apart(ids in prop::collection::btree_set("[ab]{1,14}", 0..20)) {
            let length = telling_length(ids.iter().map(String::as_str));
            let short: BTreeSet<&str> = ids.iter().map(|id| abbreviated(id, length)).collect();
            prop_assert_eq!(short.len(), ids.len());
        }
    }
}
