//! Scores of described files: a file stands for its parts, and code for its tests.
//!
//! A large file is found through what is said of the whole and of each of its parts. What is said of
//! the whole counts most, parts that answer too speak for it, and a test is a lesser answer unless
//! tests are asked for. The shares were chosen on 51 questions about three code bases and checked
//! on 60 about three others (`tests/real/questions`).

use std::path::Path;

use rustc_hash::FxHashMap;

use super::{Score, scene::ChunkPlace};
use crate::{
    index::{Kind, Snapshot, given::Source},
    store::Malformed,
};

/// What a part of a file counts of what the whole file would.
const PART: f32 = 0.6;
/// What a file of tests, benchmarks or examples counts.
const TEST: f32 = 0.6;
/// What the other documents of a file add to its best one.
const OTHERS: f32 = 0.15;
/// So many of them.
const MOST_OTHERS: usize = 2;
/// Folders of tests and the like.
const TEST_FOLDERS: &[&str] =
    &["tests", "test", "testing", "testdata", "fixtures", "benches", "examples"];
/// Words that ask for them.
const TEST_WORDS: &[&str] =
    &["test", "tests", "tested", "testing", "bench", "benchmark", "example", "examples"];

/// Corrects the scores of summaries and puts all hits into their new order.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn weigh(
    snapshot: &Snapshot,
    query: &str,
    ranked: &mut [(ChunkPlace, Score)],
) -> Result<(), Malformed> {
    if snapshot.parts.iter().all(|part| part.kind == Kind::Note) {
        return Ok(());
    }
    let asks_for_tests = asks_for_tests(query);
    let mut files: FxHashMap<Vec<u8>, Vec<usize>> = FxHashMap::default();
    for (index, ((part, chunk), score)) in ranked.iter_mut().enumerate() {
        let part = &snapshot.parts[*part];
        if part.kind == Kind::Note {
            continue;
        }
        let segment = &part.loaded.segment;
        let document = segment.document(segment.chunk_document(*chunk))?;
        let is_part = Source::from_covers(&document.covers).is_some_and(|source| source.is_part);
        let share = if is_part { PART } else { 1.0 }
            * if !asks_for_tests && is_test(document.path.as_path()) { TEST } else { 1.0 };
        add(score, score.total * (share - 1.0));
        files.entry(document.path.as_bytes().to_vec()).or_default().push(index);
    }
    for mut places in files.into_values().filter(|places| places.len() > 1) {
        places.sort_by(|&a, &b| ranked[b].1.total.total_cmp(&ranked[a].1.total));
        let others = places.iter().skip(1).take(MOST_OTHERS);
        let sum: f32 = others.map(|&place| ranked[place].1.total.max(0.0)).sum();
        add(&mut ranked[places[0]].1, OTHERS * sum);
    }
    // Stable: what scores the same keeps its order.
    ranked.sort_by(|a, b| b.1.total.total_cmp(&a.1.total));
    Ok(())
}

fn add(score: &mut Score, amount: f32) {
    score.total += amount;
    score.source_part += amount;
}

fn asks_for_tests(query: &str) -> bool {
    let query = query.to_lowercase();
    query.split(|char: char| !char.is_alphanumeric()).any(|word| TEST_WORDS.contains(&word))
}

/// Whether a path is one of tests, benchmarks, examples or their data.
fn is_test(path: &Path) -> bool {
    let in_folder = path.parent().is_some_and(|folder| {
        folder
            .components()
            .any(|part| part.as_os_str().to_str().is_some_and(|name| TEST_FOLDERS.contains(&name)))
    });
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let ends = ["_test", "_tests", ".test", ".spec"].iter().any(|end| stem.ends_with(end));
    in_folder || ends || stem == "test" || stem == "tests" || stem.starts_with("test_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_by_their_paths() {
        for (path, expected) in [
            ("tests/a.rs", true),
            ("src/a/tests/b.rs", true),
            ("src/a_test.go", true),
            ("src/test_a.py", true),
            ("src/a.spec.ts", true),
            ("src/client/test.rs", true),
            ("benches/a.rs", true),
            ("src/latest.rs", false),
            ("src/testament.rs", false),
            ("src/contests/a.rs", false),
        ] {
            assert_eq!(is_test(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn tests_are_asked_for_by_name() {
        assert!(asks_for_tests("Where are retries tested?"));
        assert!(asks_for_tests("example of a client"));
        assert!(!asks_for_tests("the latest contest"));
    }
}
