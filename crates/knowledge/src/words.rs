//! Lists of words that rules ask about, in files of their own: `words/` beside the sources.
//!
//! A line of a file that begins with `#` is a comment.

use std::sync::LazyLock;

use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) type Words = LazyLock<FxHashSet<&'static str>>;
pub(crate) type Pairs = LazyLock<FxHashMap<&'static str, &'static str>>;

/// The list of a file, as [`words`], [`phrases`] or [`pairs`].
macro_rules! list {
    ($read:ident $name:literal) => {
        std::sync::LazyLock::new(|| {
            let file = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/words/", $name, ".txt"));
            $crate::words::$read(file)
        })
    };
}
pub(crate) use list;

fn lines(file: &str) -> impl Iterator<Item = &str> {
    file.lines().filter(|line| !line.starts_with('#'))
}

/// Words with white space between.
pub(crate) fn words(file: &str) -> FxHashSet<&str> {
    lines(file).flat_map(str::split_whitespace).collect()
}

/// A phrase a line, in quotes if it ends with a space.
pub(crate) fn phrases(file: &str) -> FxHashSet<&str> {
    lines(file).map(|line| line.trim_matches('"')).collect()
}

/// `short = long` a line; what is behind the mark may be empty.
pub(crate) fn pairs(file: &str) -> FxHashMap<&str, &str> {
    let pair = |line| str::split_once(line, '=').map(|(key, value)| (key.trim(), value.trim()));
    lines(file).filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_without_their_comments() {
        assert_eq!(words("# of\na b\nc\n"), FxHashSet::from_iter(["a", "b", "c"]));
        assert_eq!(phrases("# of\nan a\n\"b \"\n"), FxHashSet::from_iter(["an a", "b "]));
        assert_eq!(pairs("# of\na = b c\nd =\n"), FxHashMap::from_iter([("a", "b c"), ("d", "")]));
    }
}
