//! Candidates among described files: one per file, found through all that is said of it.
//!
//! A large file is described as a whole and part by part. Each signal of the file is the best of all
//! its documents, so that words of the whole and the meaning of one part meet; keywords of a part
//! count less, for short texts are full of them. What is shown is the document that answers best by
//! itself. The shares were chosen on 51 questions about three code bases and checked on 60 about
//! three others (`tests/real/questions`).

use std::path::Path;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Query, Score,
    changes::{CHANGES, asks_when, lists_changes},
    choose::is_of_others,
    language::Foreign,
    run::Like,
    scene::{ChunkId, Found, Scene},
};
use crate::{
    Kind, Snapshot,
    store::{Malformed, segment::Attributes},
};
use elophanto_base::lexical::Analyzer;
use elophanto_repo::NotePath;
use elophanto_text::{changelog, markdown::without_attributes};

/// What keywords of a part of a file count of those of the whole.
const PART_KEYWORDS: f32 = 0.6;
/// What a file of tests, benchmarks or examples counts, unless the query asks for such.
const TEST: f32 = 0.6;
/// What a note counts that others wrote and that lies here for use (`vendor/`).
const OF_OTHERS: f32 = 0.8;
/// What a note counts that is clearly in another language than the question. Chosen on headings of a
/// documentation in thirteen languages as questions: .8 and .85 find as many pages first, .9 fewer.
const OTHER_LANGUAGE: f32 = 0.85;
/// What a note counts whose title is just what was asked for, or with a word more; what a part counts
/// whose heading is. Of 378 titles of pages in six documentations the page is first for 241 without, for
/// 306 where all count 1.25, for 334 with these.
const TITLED: [f32; 2] = [1.5, 1.25];
const HEADED: [f32; 2] = [1.25, 1.15];
/// A question of more terms is no title.
const LONGEST_TITLE: usize = 8;
/// Folders of tests and the like.
const TEST_FOLDERS: &[&str] =
    &["tests", "test", "testing", "testdata", "fixtures", "benches", "examples"];
/// Words that ask for them.
const TEST_WORDS: &[&str] =
    &["test", "tests", "tested", "testing", "bench", "benchmark", "example", "examples"];

/// A chunk to rank, with the signals that it is ranked by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    pub place: ChunkId,
    pub keyword: f32,
    pub cosine: f32,
}

/// What is known of a described file so far.
#[derive(Default)]
struct File {
    keyword: f32,
    cosine: f32,
    /// Its documents with their own signals.
    documents: Vec<Candidate>,
}

/// Takes chunks of notes and entities as they are, and of every described file among the chunks one document with
/// the best signals of all.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn by_file(
    scene: &Scene,
    found: &Found,
    like: Option<&Like>,
) -> Result<Vec<Candidate>, Malformed> {
    let snapshot = scene.snapshot;
    let own =
        |place| Candidate { place, keyword: found.keyword(place), cosine: found.cosine(place) };
    let is_summary = |place: &ChunkId| snapshot.parts[place.0].kind == Kind::Summary;
    let (described, others): (Vec<ChunkId>, Vec<ChunkId>) =
        found.places.iter().copied().partition(is_summary);
    let mut candidates: Vec<Candidate> = others.into_iter().map(own).collect();
    let mut files: FxHashMap<&[u8], File> = FxHashMap::default();
    for (part, chunk) in described {
        let segment = &snapshot.parts[part].loaded.segment;
        files.entry(segment.identity(segment.chunk_document(chunk))?.0).or_default();
    }
    if files.is_empty() {
        return Ok(candidates);
    }
    for (number, part) in snapshot.parts.iter().enumerate() {
        if part.kind != Kind::Summary {
            continue;
        }
        let segment = &part.loaded.segment;
        for document in part.live.ones() {
            let Some(file) = files.get_mut(segment.identity(document)?.0) else { continue };
            let view = segment.document(document)?;
            let is_part =
                matches!(&view.attributes, Attributes::Summary(made_from) if made_from.is_part);
            let share = if is_part { PART_KEYWORDS } else { 1.0 };
            let places = view.chunks.map(|chunk| (number, chunk));
            for place in places.filter(|place| scene.is_eligible(found, like, *place)) {
                let own = own(place);
                file.keyword = file.keyword.max(own.keyword * share);
                file.cosine = file.cosine.max(own.cosine);
                file.documents.push(own);
            }
        }
    }
    let best = |File { keyword, cosine, documents }: File| {
        let part = |own: f32, all: f32| if all > 0.0 { own / all } else { 0.0 };
        let answers = |own: &Candidate| part(own.keyword, keyword) + part(own.cosine, cosine);
        let shown = documents.iter().max_by(|a, b| {
            // Of two that answer as well, the first one.
            answers(a).total_cmp(&answers(b)).then_with(|| b.place.cmp(&a.place))
        });
        shown.map(|shown| Candidate { place: shown.place, keyword, cosine })
    };
    candidates.extend(files.into_values().filter_map(best));
    let path = |(part, chunk): ChunkId| {
        let segment = &snapshot.parts[part].loaded.segment;
        segment.identity(segment.chunk_document(chunk)).map(|(path, _)| path).unwrap_or_default()
    };
    // Of what scores the same the first path comes first.
    candidates.sort_by_key(|candidate| (path(candidate.place), candidate.place));
    Ok(candidates)
}

/// Lets code come before its tests unless tests are asked for, what explains something before a
/// list of changes unless a time or a version is, what is called by the words of the question before what
/// speaks of them, and what is in the question's language, whose analyzer is given, before the `foreign` where
/// the small words of the question tell its language, or a note in that is called by the question. The
/// changelog of a knowledge base says of each note only that it was touched: unless a time or a version is asked
/// for, it comes behind everything else. Returns how many come before it; all, if there is nothing else.
///
/// # Errors
/// [`Malformed`] if a segment is damaged.
pub fn weigh(
    snapshot: &Snapshot,
    query: &str,
    analyzer: &Analyzer,
    foreign: &FxHashMap<ChunkId, Foreign>,
    ranked: &mut [(ChunkId, Score)],
) -> Result<usize, Malformed> {
    let mut behind: FxHashSet<ChunkId> = FxHashSet::default();
    let (tests, times) = (asks_for_tests(query), asks_when(query));
    let asked: FxHashSet<String> = Query::plain(query, analyzer).terms.into_iter().collect();
    let may_be_title = (1..=LONGEST_TITLE).contains(&asked.len());
    let called = |place: ChunkId| {
        let part = &snapshot.parts[place.0];
        if part.kind != Kind::Note || !may_be_title {
            return Ok(1.0);
        }
        let segment = &part.loaded.segment;
        let chunk = segment.chunk(place.1)?;
        let title = segment.document(chunk.document)?.title;
        let heading = segment.breadcrumb(&chunk)?.pop();
        let is_called = |label: &str, [just, more]: [f32; 2]| match beside(label, &asked, analyzer)
        {
            Some(0) => just,
            Some(_) => more,
            None => 1.0,
        };
        let heading = heading.map_or(1.0, |heading| is_called(heading, HEADED));
        Ok::<f32, Malformed>(is_called(title, TITLED).max(heading))
    };
    let calls: Vec<f32> =
        ranked.par_iter().map(|(place, _)| called(*place)).collect::<Result<_, _>>()?;
    let mut own = ranked.iter().zip(&calls).filter(|((place, _), _)| !foreign.contains_key(place));
    let is_own_called = !foreign.is_empty() && own.any(|(_, called)| *called > 1.0);
    let told = if foreign.is_empty() { Vec::new() } else { analyzer.unlike(query) };
    let is_elsewhere = |place: &ChunkId| match foreign.get(place) {
        None => false,
        Some(Foreign::Language(language)) => is_own_called || told.contains(language),
        Some(Foreign::Other) => is_own_called || !told.is_empty(),
    };
    for ((place, score), called) in ranked.iter_mut().zip(calls) {
        let part = &snapshot.parts[place.0];
        let segment = &part.loaded.segment;
        let path = NotePath::new(segment.identity(segment.chunk_document(place.1))?.0);
        let mut counts = match part.kind {
            Kind::Summary if !tests && is_test(path.as_path()) => TEST,
            Kind::Note if is_of_others(path.as_path()) => OF_OTHERS,
            Kind::Note if !times && lists_changes(path.as_path()) => CHANGES,
            _ => 1.0,
        };
        if is_elsewhere(place) {
            counts *= OTHER_LANGUAGE;
        }
        if part.kind == Kind::Note && !times {
            let scope = segment.document(segment.chunk_document(place.1))?.scope;
            if changelog::is_part(path.as_path(), scope) {
                behind.insert(*place);
            }
        }
        // Where a note in the own language is called so, its translations are not what was asked for.
        if !(is_own_called && foreign.contains_key(place)) {
            counts *= called;
        }
        let more = score.total * (counts - 1.0);
        score.total += more;
        score.source_part += more;
    }
    // Stable: what scores the same keeps its order.
    ranked.sort_by(|a, b| b.1.total.total_cmp(&a.1.total));
    Ok(put_behind(ranked, |place| behind.contains(place)))
}

/// Puts some of what is ranked behind all else, none with a higher score than the least of that. Returns how many
/// come before; all, if there is nothing else.
fn put_behind<T>(ranked: &mut [(T, Score)], is_behind: impl Fn(&T) -> bool) -> usize {
    // Stable.
    ranked.sort_by_key(|(place, _)| is_behind(place));
    let before = ranked.partition_point(|(place, _)| !is_behind(place));
    let (before, behind) = ranked.split_at_mut(before);
    let Some(&(_, Score { total: least, .. })) = before.last() else { return behind.len() };
    for (_, score) in behind.iter_mut().filter(|(_, score)| score.total > least) {
        score.source_part -= score.total - least;
        score.total = least;
    }
    before.len()
}

/// How many terms a title has beside those of a question; `None` if it lacks any of them, or has half as
/// many others. Numbers before it aside.
fn beside(title: &str, asked: &FxHashSet<String>, analyzer: &Analyzer) -> Option<usize> {
    let words = without_attributes(title).replace(|char: char| !char.is_alphanumeric(), " ");
    let mut own: FxHashSet<String> = analyzer.terms(&words).into_iter().collect();
    own.retain(|term| asked.contains(term) || !term.bytes().all(|byte| byte.is_ascii_digit()));
    let is_title = asked.is_subset(&own) && own.len() * 2 <= asked.len() * 3;
    is_title.then(|| own.len() - asked.len())
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
    fn what_comes_behind_scores_no_higher() {
        for (totals, behind, expected, before) in [
            (&[0.9, 0.8, 0.5][..], &[0][..], &[(1, 0.8), (2, 0.5), (0, 0.5)][..], 2),
            (&[0.9, 0.8, 0.5, 0.2], &[1, 3], &[(0, 0.9), (2, 0.5), (1, 0.5), (3, 0.2)], 2),
            (&[0.9, 0.8], &[0, 1], &[(0, 0.9), (1, 0.8)], 2),
            (&[0.9, 0.8], &[], &[(0, 0.9), (1, 0.8)], 2),
            (&[], &[], &[], 0),
        ] {
            let score = |&total: &f32| Score { total, keyword_part: total, ..Score::default() };
            let mut ranked: Vec<(usize, Score)> = totals.iter().map(score).enumerate().collect();
            assert_eq!(put_behind(&mut ranked, |place| behind.contains(place)), before);
            let found: Vec<(usize, f32)> = ranked.iter().map(|(at, it)| (*at, it.total)).collect();
            assert_eq!(found, expected);
            for (_, score) in ranked {
                assert!((score.keyword_part + score.source_part - score.total).abs() < 1e-6);
            }
        }
    }

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
    fn a_title_is_told_from_what_holds_its_words() {
        let analyzer = Analyzer::new("english");
        for (title, question, expected) in [
            ("1598-generic_associated_types", "generic associated types", Some(0)),
            ("Generic associated types", "what are generic associated types", Some(0)),
            ("The associated types {#types}", "associated types", Some(0)),
            ("Generic associated types", "associated types", Some(1)),
            ("Generics and associated types in traits", "associated types", None),
            ("Redis", "redis", Some(0)),
            ("Redis in production", "redis", None),
            ("2019 Roadmap", "roadmap 2019", Some(0)),
            ("2018 Roadmap", "roadmap 2019", None),
            ("", "redis", None),
        ] {
            let asked = Query::plain(question, &analyzer).terms.into_iter().collect();
            assert_eq!(beside(title, &asked, &analyzer), expected, "{title}: {question}");
        }
    }

    #[test]
    fn tests_are_asked_for_by_name() {
        assert!(asks_for_tests("Where are retries tested?"));
        assert!(asks_for_tests("example of a client"));
        assert!(!asks_for_tests("the latest contest"));
    }
}
