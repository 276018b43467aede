//! What is published: repositories of notes whose words are those of real documentation.
//!
//! A chunk is a piece of it in which every fifth word is another one, as often as it is used anywhere,
//! so that no two are the same however many are wanted. Its vector is the built-in model's.

use elophanto_base::lexical::Analyzer;
use elophanto_index::{Kind, apart::Row, note::passage, store::tables::Encoded};
use elophanto_models::{Embedder, Role, builtin::Builtin};
use elophanto_tables::fleet::{Head, Model, Publication};
use elophanto_text::markdown::Scope;
use fastrand::Rng;

use crate::registry::registry_files;

/// Chunks of a repository, and of a note.
pub const EACH: usize = 400;
const OF_NOTE: usize = 4;
/// One of so many chunks is new in each edition of a repository.
const CHANGED: usize = 20;
/// Bytes of documentation that are read, and the fewest that are of use.
const MOST: usize = 60 << 20;
const LEAST: usize = 1 << 20;
/// A moment in 2025, and the seconds before it in which notes changed.
const NOW: i64 = 1_760_000_000;
const YEARS: i64 = 63_000_000;

pub struct Corpus {
    text: String,
    /// Where each word begins and ends.
    words: Vec<(u32, u32)>,
    analyzer: Analyzer,
}

/// The built-in model, as a fleet declares it.
pub fn model() -> Model {
    Model { name: Builtin.fingerprint().to_string(), dimension: Builtin.dimension() }
}

impl Corpus {
    pub fn new() -> Self {
        let mut text = String::new();
        let mut words = Vec::new();
        for word in registry_files("md").iter().flat_map(|(_, note)| note.split_whitespace()) {
            if text.len() >= MOST {
                break;
            }
            // Tables, rules and addresses say little.
            if word.len() < 40 && word.contains(|char: char| char.is_ascii_alphabetic()) {
                let start = text.len() as u32;
                text.push_str(word);
                words.push((start, text.len() as u32));
                text.push(' ');
            }
        }
        assert!(text.len() > LEAST, "cargo's registry sources hold too little Markdown");
        println!("source: {} words of Markdown", words.len());
        Self { text, words, analyzer: Analyzer::new("english") }
    }

    fn word(&self, index: usize) -> &str {
        let (start, end) = self.words[index % self.words.len()];
        &self.text[start as usize..end as usize]
    }

    /// Words that stand together, every fifth of them another one.
    fn piece(&self, random: &mut Rng, words: usize) -> String {
        let first = random.usize(..self.words.len());
        let chosen = (first..first + words).map(|index| match random.u8(0..5) {
            0 => self.word(random.usize(..self.words.len())),
            _ => self.word(index),
        });
        chosen.collect::<Vec<_>>().join(" ")
    }

    fn chunk(&self, repository: usize, number: usize, edition: usize) -> Row {
        // A chunk that is the same in two editions is made of the same chance.
        let edition = if number.is_multiple_of(CHANGED) { edition } else { 0 };
        let of_note = seed(repository, number / OF_NOTE, usize::MAX);
        let mut note = Rng::with_seed(of_note);
        let mut random = Rng::with_seed(seed(repository, number, edition));
        let plain = |text: String| {
            text.to_lowercase().replace(|char: char| !char.is_ascii_alphanumeric(), "-")
        };
        let (title, folder) = (self.piece(&mut note, 4), plain(self.piece(&mut note, 1)));
        let (line, words) = (number % OF_NOTE * 20 + 1, random.usize(50..130));
        Row {
            repository: name(repository),
            path: format!("docs/{folder}/{}-{}.md", plain(title.clone()), number / OF_NOTE),
            kind: Kind::Note,
            title,
            titled: true,
            headings: vec![self.piece(&mut random, 3)],
            scope: Scope::User,
            tags: Vec::new(),
            lines: (line, line + 15),
            text: self.piece(&mut random, words),
            changed: Some(NOW - note.i64(0..YEARS)),
            made_from: None,
            lesson: None,
            vector: None,
        }
    }

    /// A repository as it is at one of its commits.
    pub fn publication(&self, repository: usize, edition: usize) -> Publication {
        let mut rows: Vec<Row> =
            (0..EACH).map(|number| self.chunk(repository, number, edition)).collect();
        embed(&mut rows);
        let with_terms = |row: Row| {
            let terms = row.terms(&self.analyzer);
            (row, terms)
        };
        let rows = rows.into_iter().map(with_terms).collect();
        let head = head(&name(repository), edition as u64 + 1);
        let Model { name: model, dimension } = model();
        Publication { head, model, dimension, rows }
    }

    /// Questions of three to six words that stand near each other somewhere.
    pub fn questions(&self, seed: u64, count: usize) -> Vec<String> {
        let mut random = Rng::with_seed(seed);
        let mut questions = Vec::new();
        while questions.len() < count {
            let wanted = random.usize(3..7);
            let piece = self.piece(&mut random, 4 * wanted);
            let words = piece.split(|char: char| !char.is_ascii_alphabetic());
            let telling = words.filter(|word| word.len() > 3).take(wanted);
            let question = telling.collect::<Vec<_>>().join(" ");
            if question.contains(' ') {
                questions.push(question);
            }
        }
        questions
    }
}

/// Gives each chunk the vector of what it says.
pub fn embed(rows: &mut [Row]) {
    let of =
        |row: &Row| passage(row.titled.then_some(row.title.as_str()), &row.headings, &row.text);
    let passages: Vec<String> = rows.iter().map(of).collect();
    let texts: Vec<&str> = passages.iter().map(String::as_str).collect();
    let vectors = Builtin.embed(&texts, Role::Document).vectors;
    for (row, vector) in rows.iter_mut().zip(vectors) {
        row.vector = vector.as_deref().map(Encoded::new);
    }
}

/// The state of a repository with so many commits.
pub fn head(repository: &str, count: u64) -> Head {
    Head {
        repository: repository.to_owned(),
        epoch: 0,
        count,
        commit: format!("{count:040x}"),
        time: NOW,
        published: NOW,
        retired: false,
        chunks: 0,
    }
}

/// What a repository is called.
pub fn name(repository: usize) -> String {
    format!("acme/r{repository:04}")
}

fn seed(repository: usize, number: usize, edition: usize) -> u64 {
    let text = format!("{repository} {number} {edition}");
    let hash = blake3::hash(text.as_bytes());
    hash.as_bytes().iter().take(8).fold(0, |seed, byte| (seed << 8) | u64::from(*byte))
}
