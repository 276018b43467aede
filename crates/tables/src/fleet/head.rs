//! Which state of a repository is published: its commit, and which of two states is the newer. Pure.

use std::cmp::Ordering;

/// Most bytes of the name of a repository.
const MOST: usize = 200;
/// What stands in the name of a folder for a slash: no name of a repository has it, and all stores take it.
const BETWEEN: &str = "+";

/// A published state of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub repository: String,
    /// Raised when the history was rewritten, and counts of commits start anew.
    pub epoch: u64,
    /// Commits from the first one along first parents.
    pub count: u64,
    /// In hex.
    pub commit: String,
    /// When the commit was made, in seconds since 1970.
    pub time: i64,
    /// When it was published, in seconds since 1970.
    pub published: i64,
    /// Whether nothing of the repository is to be found any more.
    pub retired: bool,
    /// Chunks of it.
    pub chunks: u64,
}

impl Head {
    /// The name of its publication.
    pub fn object(&self) -> String {
        let Self { repository, epoch, count, commit, retired, .. } = self;
        let end = if *retired { "-retired" } else { "" };
        format!("{}/{epoch}-{count}-{commit}{end}.arrow", folder(repository))
    }

    /// Which of two states of one repository is the newer.
    pub fn order(&self, other: &Self) -> Ordering {
        let key = |head: &Self| (head.epoch, head.count, head.commit.clone(), head.retired);
        key(self).cmp(&key(other))
    }

    /// What the name of a publication says of it; `None` for any other name.
    pub(super) fn named(object: &str) -> Option<Self> {
        let mut parts = object.strip_prefix("inbox/")?.split('/');
        let (folder, file) = (parts.next()?, parts.next()?);
        let stem = file.strip_suffix(".arrow")?;
        let (stem, retired) =
            stem.strip_suffix("-retired").map_or((stem, false), |stem| (stem, true));
        let mut numbers = stem.splitn(3, '-');
        let number = |text: &str| {
            let is_plain = text == "0" || !text.starts_with('0');
            text.parse::<u64>().ok().filter(|_| is_plain && !text.starts_with('+'))
        };
        let epoch = number(numbers.next()?)?;
        let count = number(numbers.next()?)?;
        let commit = numbers.next().filter(|commit| is_commit(commit))?.to_owned();
        let repository = folder.replace(BETWEEN, "/");
        let head =
            Self { repository, epoch, count, commit, time: 0, published: 0, retired, chunks: 0 };
        let is_it = parts.next().is_none() && is_repository(&head.repository);
        (is_it && head.object() == object).then_some(head)
    }
}

/// The folder of what is published of a repository.
pub(super) fn folder(repository: &str) -> String {
    format!("inbox/{}", repository.replace('/', BETWEEN))
}

fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64)
        && text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f'))
}

/// Whether this can be the name of a repository in a fleet: lower-case words, digits, `.`, `-` and `_`,
/// in parts with slashes between them.
pub fn is_repository(name: &str) -> bool {
    let is_plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b".-_".contains(&byte);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with('.') && part.bytes().all(is_plain);
    name.len() <= MOST && name.split('/').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_they_are_of() {
        let commit = "a".repeat(40);
        for (object, expected) in [
            (format!("inbox/github.com+acme+sea/0-12-{commit}.arrow"), true),
            (format!("inbox/sea/1-0-{commit}-retired.arrow"), true),
            (format!("inbox/sea/1-0-{commit}.arrow.tmp"), false),
            (format!("inbox/sea/01-0-{commit}.arrow"), false),
            (format!("inbox/sea/+1-0-{commit}.arrow"), false),
            (format!("inbox/sea/more/1-0-{commit}.arrow"), false),
            (format!("inbox/Sea/1-0-{commit}.arrow"), false),
            (format!("inbox/..+x/1-0-{commit}.arrow"), false),
            ("inbox/sea/1-0-abc.arrow".to_owned(), false),
            ("other/sea/1-0-abc.arrow".to_owned(), false),
        ] {
            assert_eq!(Head::named(&object).is_some(), expected, "{object}");
        }
    }

    #[test]
    fn the_newer_state_wins() {
        let of = |epoch, count, commit: &str, retired| {
            let end = if retired { "-retired" } else { "" };
            let commit = commit.repeat(40);
            Head::named(&format!("inbox/r/{epoch}-{count}-{commit}{end}.arrow")).unwrap()
        };
        let ascending = [
            of(0, 1, "b", false),
            of(0, 9, "a", false),
            of(0, 9, "b", false),
            of(0, 9, "b", true),
            of(0, 10, "a", false),
            of(1, 2, "a", false),
        ];
        for (index, head) in ascending.iter().enumerate() {
            for (other_index, other) in ascending.iter().enumerate() {
                assert_eq!(head.order(other), index.cmp(&other_index));
            }
        }
    }
}
