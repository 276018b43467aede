//! How much two short texts are alike.

/// Characters of a text that are compared; further ones don't tell names apart.
const MAX_CHARS: usize = 120;
/// The most that likeness can be.
pub(super) const SAME: usize = 1000;
/// Bits of a first look.
const WORDS: usize = 64;

/// The pairs of neighbouring bytes of a text: a first look at many others, in time that grows with
/// their length alone.
pub(super) struct Pairs {
    seen: [u64; WORDS],
    count: usize,
}

impl Pairs {
    /// The pairs of a text, its borders included.
    pub(super) fn of(text: &str) -> Self {
        let mut pairs = Self { seen: [0; WORDS], count: 0 };
        for (word, bit) in places(text) {
            if let Some(bits) = pairs.seen.get_mut(word) {
                *bits |= bit;
            }
            pairs.count += 1;
        }
        pairs
    }

    /// From 0 to [`SAME`]: how many pairs are in both, of those in either. Rough.
    pub(super) fn likeness(&self, text: &str) -> usize {
        let (mut both, mut count) = (0, 0);
        for (word, bit) in places(text) {
            both += usize::from(self.seen.get(word).is_some_and(|bits| bits & bit != 0));
            count += 1;
        }
        2 * SAME * both.min(self.count) / (self.count + count).max(1)
    }
}

/// Where each pair's bit is.
fn places(text: &str) -> impl Iterator<Item = (usize, u64)> + '_ {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..bytes.len().min(4 * MAX_CHARS)).unwrap_or_default();
    let ends = bytes.iter().copied().chain([0]);
    let starts = std::iter::once(0).chain(bytes.iter().copied());
    starts.zip(ends).map(|(first, second)| {
        let hash = (usize::from(first) * 31 + usize::from(second) * 7) % (WORDS * 64);
        (hash / 64, 1 << (hash % 64))
    })
}

/// From 0 to [`SAME`]: what is left when letters that were added, left out, mistaken or swapped
/// with their neighbours are taken off.
pub(super) fn likeness(a: &str, b: &str) -> usize {
    let cut = |text: &str| text.chars().take(MAX_CHARS).collect::<String>();
    let (a, b) = (cut(a), cut(b));
    let longer = a.chars().count().max(b.chars().count()).max(1);
    SAME * longer.saturating_sub(strsim::osa_distance(&a, &b)) / longer
}
