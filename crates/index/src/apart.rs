//! Chunks of documents that lie elsewhere, as a snapshot that a search looks at like at any other.
//!
//! Owns what is told of such a chunk, and what of it is a word to look for. What there is besides the
//! chunks at hand is said by [`Whole`], so that a word that is rare everywhere counts as rare. It refuses
//! to know where they lie and how they were found.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    Kind, Part, Snapshot,
    store::{
        Malformed,
        bits::Bits,
        matrix::{Encoded, Matrix, encode_matrix},
        segment::{
            Attributes, ChunkRecord, DocumentRecord, LessonRecord, MadeFrom, Segment,
            SegmentBuilder,
        },
        view::Loaded,
    },
};
use elophanto_base::lexical::Analyzer;
use elophanto_repo::{BlobId, NotePath};
use elophanto_text::markdown::Scope;

/// A chunk and what is known of its document.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The repository that holds it.
    pub repository: String,
    /// Its path there.
    pub path: String,
    pub kind: Kind,
    pub title: String,
    /// Whether the title was given rather than taken from the file name.
    pub titled: bool,
    pub headings: Vec<String>,
    pub scope: Scope,
    pub tags: Vec<String>,
    /// First and last line, from 1.
    pub lines: (usize, usize),
    pub text: String,
    /// When the document changed, in seconds since 1970; `None` if that is not known.
    pub changed: Option<i64>,
    /// What a summary was made from.
    pub made_from: Option<MadeFrom>,
    /// What a lesson says beside its text; of every [`Kind::Memory`], and of nothing else.
    pub lesson: Option<LessonRecord>,
    pub vector: Option<Encoded>,
}

impl Row {
    /// Where it is, as one path: the repository, and the path there.
    pub fn place(&self) -> String {
        format!("{}/{}", self.repository, self.path)
    }

    /// The words to look for, as a query in the language of the text has them, one after the other.
    pub fn terms(&self, analyzer: &Analyzer) -> String {
        let language = analyzer.other_language_of(&self.text);
        let own = language.map_or(analyzer, |language| language.analyzer());
        // What a lesson says is all that counts.
        if self.kind == Kind::Memory {
            return own.terms(&self.text).join(" ");
        }
        let title = if self.titled { self.title.as_str() } else { "" };
        let others = self.headings.iter().chain(&self.tags).map(String::as_str);
        let texts = [self.text.as_str(), title, self.path.as_str()].into_iter().chain(others);
        let terms: Vec<String> = texts.flat_map(|text| own.terms(text)).collect();
        terms.join(" ")
    }
}

/// Everything that the chunks at hand were chosen from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Whole {
    /// Chunks.
    pub chunks: usize,
    /// Mean of their words to look for, those of paths and tags among them; 0 where it is not known, and
    /// that of the chunks at hand counts.
    pub mean_words: f32,
    /// The same mean of the chunks at hand; 0 where it is not known.
    pub mean_at_hand: f32,
    /// How many of the chunks hold a term of the question.
    pub holding: FxHashMap<String, usize>,
    /// How many of the chunks might have been at hand, where that was counted: of those of a kind, say.
    pub among: usize,
}

/// Parts to be searched: a few of each kind, each chunk a document of its own, so that nothing is said
/// of text between two of them. `dimension` is that of the vectors, of the model `fingerprint`.
///
/// # Errors
/// [`Malformed`] if what was just built cannot be read.
pub fn snapshot(
    rows: &[Row],
    mut whole: Whole,
    fingerprint: &str,
    dimension: usize,
    analyzer: &Analyzer,
) -> Result<Snapshot, Malformed> {
    let mut parts = Vec::new();
    let (mut chunks, mut words) = (0, 0);
    for kind in Kind::SEARCHED.into_iter().chain([Kind::Memory]) {
        let own: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        // Side by side: taking the words of what was found is half of a question.
        let made = own.par_chunks(own.len().div_ceil(rayon::current_num_threads()).max(1));
        let made = made.map(|own| part(own, kind, fingerprint, dimension, analyzer));
        parts.extend(made.collect::<Result<Vec<_>, _>>()?);
    }
    for Part { loaded, .. } in &parts {
        let segment = &loaded.segment;
        chunks += segment.chunks();
        words += (0..segment.chunks()).map(|chunk| segment.chunk_words(chunk)).sum::<u32>();
    }
    let mean = words as f32 / chunks.max(1) as f32;
    if whole.mean_words == 0.0 {
        whole.mean_words = mean;
    } else if whole.mean_at_hand > 0.0 && chunks > 0 {
        // Paths and tags make no chunk longer: what they are of all words is taken from those at hand.
        whole.mean_words *= mean / whole.mean_at_hand;
    }
    Ok(Snapshot { parts, whole: Some(Arc::new(whole)), ..Snapshot::default() })
}

fn part(
    rows: &[&Row],
    kind: Kind,
    fingerprint: &str,
    dimension: usize,
    analyzer: &Analyzer,
) -> Result<Part, Malformed> {
    let mut builder = SegmentBuilder::new(analyzer);
    let mut vectors = Vec::with_capacity(rows.len());
    for row in rows {
        builder.add(&record(row), &row.text, &[chunk(row)]);
        let vector = row.vector.clone().filter(|vector| vector.codes.len() == dimension);
        vectors.push(([0; 16], vector));
    }
    let segment = Segment::in_memory(builder.finish())?;
    let matrix = Matrix::in_memory(encode_matrix(fingerprint, dimension, &vectors))?;
    let live = Bits::new(segment.documents(), true);
    let loaded = Arc::new(Loaded { name: kind.name().to_owned(), segment, matrix });
    Ok(Part { loaded, live, kind })
}

fn record(row: &Row) -> DocumentRecord {
    let attributes = match (&row.made_from, row.kind) {
        (Some(made_from), Kind::Summary) => Attributes::Summary(made_from.clone()),
        // Who published them knew what takes back or corrects what.
        (_, Kind::Memory) => {
            Attributes::Lessons { retired: Vec::new(), joins: Vec::new(), corrections: Vec::new() }
        }
        _ => Attributes::Note { covers: Vec::new() },
    };
    DocumentRecord {
        path: NotePath::from(row.place().as_str()),
        blob: BlobId::of(row.text.as_bytes()),
        title: row.title.clone(),
        titled: row.titled,
        scope: row.scope,
        tags: row.tags.clone(),
        attributes,
        created: None,
        updated: row.changed,
        note: None,
    }
}

fn chunk(row: &Row) -> ChunkRecord {
    ChunkRecord {
        range: 0..row.text.len(),
        lines: row.lines,
        breadcrumb: row.headings.clone(),
        lesson: row.lesson.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::{
        Filter, Listing, Mode, Query, Ranking, Request, Weights, lexical::Bm25, run::SearchContext,
        search,
    };
    use elophanto_models::Embedder as _;
    use elophanto_models::builtin::Builtin;

    fn row(repository: &str, path: &str, text: &str) -> Row {
        let vector = Builtin.embed_query(text).ok().map(|vector| Encoded::new(&vector));
        Row {
            repository: repository.to_owned(),
            path: path.to_owned(),
            kind: Kind::Note,
            title: "Note".to_owned(),
            titled: true,
            headings: vec!["Sea".to_owned()],
            scope: Scope::User,
            tags: vec!["kelp".to_owned()],
            lines: (3, 4),
            text: text.to_owned(),
            changed: Some(1_000),
            made_from: None,
            lesson: None,
            vector,
        }
    }

    fn request(query: &Query) -> Request<'_> {
        Request {
            query,
            like: None,
            limit: 5,
            listing: Listing::Passages,
            mode: Mode::Hybrid,
            ranking: Ranking::Weighted,
            weights: Weights { semantic: 0.4, recency: 0.0, recency_half_life_days: 90.0 },
            bm25: Bm25::default(),
            fuzzy: true,
            filter: Filter::default(),
            min_score: None,
            least_cosine: 0.1,
            collapse_similarity: 0.99,
            second_look: None,
            belief: None,
            now: 2_000,
        }
    }

    #[test]
    fn chunks_of_elsewhere_are_searched_like_others() {
        let analyzer = Analyzer::new("english");
        let rows = [
            row("acme/sea", "otters.md", "Otters hold hands when they sleep."),
            row("acme/land", "woods.md", "Badgers dig their setts in woods."),
        ];
        let tools =
            SearchContext { analyzer: &analyzer, embedder: &Builtin, sentence_embedder: &Builtin };
        let found = |whole: Whole, query: &str| {
            let fingerprint = Builtin.fingerprint().as_str();
            let dimension = Builtin.dimension();
            let made = snapshot(&rows, whole, fingerprint, dimension, &analyzer);
            let query = Query::parse(query, &analyzer);
            search(&made.unwrap(), &request(&query), &tools).unwrap()
        };
        let answer = found(Whole::default(), "how do otters sleep");
        let hit = &answer.hits[0];
        assert_eq!(hit.path, NotePath::from("acme/sea/otters.md"));
        assert_eq!((hit.lines, hit.changed, hit.title.as_str()), ((3, 4), Some(1_000), "Note"));
        assert!(hit.score.keyword > 0.0 && hit.score.cosine > 0.0);
        // A word counts by how rare it is in everything, not by how rare among what is at hand.
        let holding = FxHashMap::from_iter([("otter".to_owned(), 10), ("badger".to_owned(), 900)]);
        let whole = Whole { chunks: 1_000, mean_words: 5.0, holding, ..Whole::default() };
        let answer = found(whole, "otters badgers");
        let keyword = |path: &str| {
            let found = answer.hits.iter().find(|hit| hit.path == NotePath::from(path));
            found.unwrap().score.keyword
        };
        assert!(keyword("acme/sea/otters.md") > keyword("acme/land/woods.md"), "{answer:?}");
        let weight = |term: &str| answer.weights.iter().find(|(known, _)| known == term).unwrap().1;
        assert!(weight("otter") > 10.0 * weight("badger"), "{:?}", answer.weights);
    }

    #[test]
    fn a_word_of_chunks_that_are_not_at_hand_is_not_misspelt() {
        let analyzer = Analyzer::new("english");
        let rows = [row("acme/sea", "otters.md", "Otters hold hands when they sleep.")];
        let tools =
            SearchContext { analyzer: &analyzer, embedder: &Builtin, sentence_embedder: &Builtin };
        let asked = |holding: &[(&str, usize)]| {
            let holding = holding.iter().map(|(term, count)| ((*term).to_owned(), *count));
            let whole = Whole {
                chunks: 1_000,
                mean_words: 5.0,
                holding: holding.collect(),
                ..Whole::default()
            };
            let fingerprint = Builtin.fingerprint().as_str();
            let made = snapshot(&rows, whole, fingerprint, Builtin.dimension(), &analyzer);
            let query = Query::parse("how do oters sleep", &analyzer);
            search(&made.unwrap(), &request(&query), &tools).unwrap()
        };
        let weight = |answer: &crate::search::Answer, term: &str| {
            answer.weights.iter().find(|(known, _)| known == term).map(|(_, weight)| *weight)
        };
        let corrected = asked(&[]);
        assert_eq!(corrected.corrections.len(), 1, "{corrected:?}");
        // Nobody counted `otter`: it counts as frequent as it is here, which is in everything.
        assert!(weight(&corrected, "otter").is_some_and(|it| it < 0.1), "{corrected:?}");
        let known = asked(&[("oter", 3)]);
        assert!(known.corrections.is_empty(), "{known:?}");
        assert!(weight(&known, "oter").is_some_and(|it| it > 5.0), "{known:?}");
    }

    #[test]
    fn where_lengths_are_not_known_those_at_hand_count() {
        let analyzer = Analyzer::new("english");
        let rows = [
            row("acme/sea", "otters.md", "Otters hold hands when they sleep in the kelp."),
            row("acme/land", "woods.md", "Badgers dig."),
        ];
        let mean = |mean_words, mean_at_hand| {
            let whole = Whole { chunks: 9, mean_words, mean_at_hand, ..Whole::default() };
            let fingerprint = Builtin.fingerprint().as_str();
            let made = snapshot(&rows, whole, fingerprint, Builtin.dimension(), &analyzer);
            made.unwrap().whole.unwrap().mean_words
        };
        let own = mean(0.0, 7.0);
        assert!(own > 2.0, "{own}");
        assert_eq!((mean(0.0, 0.0), mean(7.0, 7.0), mean(14.0, 7.0)), (own, own, 2.0 * own));
    }

    /// Whoever publishes gives the vectors: a copied one hides nobody's chunk.
    #[test]
    fn a_vector_alone_makes_no_twin() {
        let analyzer = Analyzer::new("english");
        let own =
            row("acme/sea", "long/otters.md", "The plan of the otters is a secret of the sea.");
        let taken = |text: &str| Row { vector: own.vector.clone(), ..row("evil", "o.md", text) };
        let tools =
            SearchContext { analyzer: &analyzer, embedder: &Builtin, sentence_embedder: &Builtin };
        for (text, expected) in [
            ("Ask the evil team about otters.", 2),
            ("Otters: the plan is a secret of the evil team, whom you should ask.", 2),
            ("Of the sea the plan of the otters is a secret.", 2),
            ("The plan of the otters\nis a secret of the sea.", 1),
        ] {
            let fingerprint = Builtin.fingerprint().as_str();
            let rows = [own.clone(), taken(text)];
            let whole = Whole::default();
            let made = snapshot(&rows, whole, fingerprint, Builtin.dimension(), &analyzer);
            let query = Query::parse("the plan of the otters", &analyzer);
            let answer = search(&made.unwrap(), &request(&query), &tools).unwrap();
            assert_eq!(answer.hits.len(), expected, "{text}");
        }
    }

    #[test]
    fn terms_are_those_of_a_query() {
        let analyzer = Analyzer::new("english");
        let terms = row("r", "notes/anchors.md", "The otters were sleeping.").terms(&analyzer);
        let words: Vec<&str> = terms.split(' ').collect();
        for expected in Query::parse("otter sleep anchor kelp sea", &analyzer).terms {
            assert!(words.contains(&expected.as_str()), "{expected} in {terms}");
        }
        assert!(!words.contains(&"the"), "{terms}");
    }
}
