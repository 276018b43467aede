//! Are committed vectors what the model makes of their text? For CI: nothing is written.
//!
//! A pull request could carry a table whose vectors lift a text where it does not belong: the key
//! says what a vector claims to be made from, and this holds it to that. With a base, the tables
//! of its tree are trusted for the texts of its tree. Made again is every vector of a text that the
//! base has not, whatever table holds it, and every vector of another table. A key of another table
//! must be that of a text: of the tree, or of a commit since the base (a note may be gone again).

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Context, IndexError, Refreshed, Snapshot,
    commit::TABLES,
    passages::{Passage, passages},
    source::Notes,
    version::{fetch_tables, tables_of},
};
use crate::store::{
    Malformed,
    matrix::{Encoded, Key},
    registry::{Registry, Row},
};
use elophanto_models::{EmbedError, Role};
use elophanto_repo::{CommitId, Git, GitError, NotePath, ObjectId, Stored, Version, head};

/// A vector made again is the same but for rounding: below this cosine it is another one.
const SAME: f32 = 0.99;
/// Passages embedded at once.
const BATCH: usize = 1_024;

/// A committed vector that is not what the model makes of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forged {
    pub path: NotePath,
    pub line: usize,
}

/// Vectors of a table that cannot be held to any text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unchecked {
    pub table: String,
    pub vectors: usize,
    /// The model that is said to have made them, if that is not the one in use.
    pub model: Option<String>,
}

/// What a verification found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Committed vectors that were made again.
    pub checked: usize,
    pub forged: Vec<Forged>,
    pub unchecked: Vec<Unchecked>,
}

/// A commit that is trusted with its history, and how to look at others.
pub struct Base<'a> {
    pub git: &'a Git,
    pub commit: CommitId,
    /// Everything of which git carries vectors at a commit.
    pub at: &'a dyn Fn(CommitId) -> Result<Refreshed, IndexError>,
}

impl Base<'_> {
    /// Whether settings and ignore files are those of the base.
    fn reads_as_now(&self) -> Result<bool, GitError> {
        let commit = self.commit.to_string();
        let files = [SETTINGS, ":(glob)**/.elophantoignore", ":(glob)**/.gitignore"];
        let arguments = [&["diff", "--name-only", "-z", &commit, "--"][..], &files].concat();
        Ok(self.git.run(&arguments)?.is_empty())
    }

    /// Every file of tables that the base or its history held, with its content.
    fn once_held(&self) -> Result<FxHashSet<(NotePath, ObjectId)>, GitError> {
        let commit = self.commit.to_string();
        let arguments =
            ["log", "--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "-z", &commit];
        let listed = self.git.run(&[&arguments[..], &["--", TABLES]].concat())?;
        // `:100644 100644 <old> <new> M` and the path, each with a NUL behind it.
        let mut parts = listed.split(|&byte| byte == 0);
        let mut held = FxHashSet::default();
        while let Some(change) = parts.next() {
            let change = String::from_utf8_lossy(change);
            if !change.trim_start().starts_with(':') {
                continue;
            }
            let Some(path) = parts.next() else { break };
            let new = change.split_whitespace().nth(3).and_then(|id| id.parse().ok());
            held.extend(new.map(|id| (NotePath::new(path), id)));
        }
        Ok(held)
    }
}

/// The settings of a repository.
const SETTINGS: &str = ".elophanto/config.yaml";

/// Why nothing could be verified.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("the tables cannot be read: {0}")]
    Tables(#[from] io::Error),
    #[error("the search view is damaged")]
    Damaged,
    #[error(transparent)]
    Index(#[from] IndexError),
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl From<Malformed> for VerifyError {
    fn from(Malformed: Malformed) -> Self {
        Self::Damaged
    }
}

/// Makes vectors in use again that a table holds, and compares: all of them, or those that are not
/// the base's. Vectors that came since the base and are of no text are named.
///
/// # Errors
/// [`VerifyError`]; then nothing is known.
pub fn verify(
    context: &Context,
    snapshot: &Snapshot,
    base: Option<&Base>,
) -> Result<Verified, VerifyError> {
    let (mut registry, _) =
        Registry::read_all(context.tables, &context.repository.tables_dir(), &context.view_dir())?;
    let of_tree = by_key(passages(context, snapshot)?);
    let fingerprint = context.embedder.fingerprint().as_str();
    let Some(base) = base else {
        let held = registry.keys(fingerprint, |_| true);
        let in_doubt = of_tree.into_iter().filter(|(key, _)| held.contains(key));
        return remake(context, &registry, in_doubt.map(|(_, passage)| passage).collect());
    };
    let in_base = tables_of(base.git, &Version::Commit(base.commit), &BTreeSet::new())?;
    let is_new = |name: &str| !in_base.contains_key(name);
    // What other settings made of the base is not what the base said.
    let of_base = if base.reads_as_now()? {
        by_key(passages(context, &(base.at)(base.commit)?.snapshot)?)
    } else {
        FxHashMap::default()
    };
    let new = registry.keys(fingerprint, is_new);
    let held = registry.keys(fingerprint, |_| true);
    let mut in_doubt: FxHashMap<Key, Passage> = of_tree
        .into_iter()
        .filter(|(key, _)| new.contains(key) || held.contains(key) && !of_base.contains_key(key))
        .collect();
    let mut strangers = Strangers::of(&registry, is_new);
    strangers.retain(|row| row.model != fingerprint || !in_doubt.contains_key(&row.key));
    strangers.without_known(context, base, &in_base, &mut registry)?;
    for commit in strangers.commits_to_ask(base)? {
        let missing = strangers.keys(fingerprint, &in_doubt);
        if missing.is_empty() {
            break;
        }
        let of_commit = by_key(passages(context, &(base.at)(commit)?.snapshot)?);
        in_doubt.extend(of_commit.into_iter().filter(|(key, _)| missing.contains(key)));
    }
    strangers.retain(|row| row.model != fingerprint || !in_doubt.contains_key(&row.key));
    let verified = remake(context, &registry, in_doubt.into_values().collect())?;
    Ok(Verified { unchecked: strangers.unchecked(fingerprint), ..verified })
}

/// Vectors of tables that the base has not, of which no text is known so far.
struct Strangers {
    /// By table.
    rows: BTreeMap<String, Vec<Row>>,
}

impl Strangers {
    fn of(registry: &Registry, is_new: impl Fn(&str) -> bool) -> Self {
        let tables = registry.names().filter(|name| is_new(name));
        Self { rows: tables.map(|name| (name.to_owned(), registry.rows(name))).collect() }
    }

    fn retain(&mut self, keep: impl Fn(&Row) -> bool) {
        self.rows.retain(|_, rows| {
            rows.retain(&keep);
            !rows.is_empty()
        });
    }

    /// Takes out what the base knows already: rows that a compaction copied from tables of the
    /// base, and tables that its history holds, as where the base compacted them away meanwhile.
    fn without_known(
        &mut self,
        context: &Context,
        base: &Base,
        in_base: &BTreeMap<String, Vec<Stored>>,
        registry: &mut Registry,
    ) -> Result<(), VerifyError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let objects = base.git.objects();
        let _elsewhere =
            fetch_tables(in_base, &objects, registry, &context.past_of(&Notes), context.tables);
        let known: FxHashSet<Row> = in_base.keys().flat_map(|name| registry.rows(name)).collect();
        self.retain(|row| !known.contains(row));
        if let Some(head) = head(base.git)?.filter(|_| !self.rows.is_empty()) {
            let once = base.once_held()?;
            let now = tables_of(base.git, &Version::Commit(head), &BTreeSet::new())?;
            let was_there = |file: &Stored| once.contains(&(file.path.clone(), file.object));
            self.rows
                .retain(|name, _| !now.get(name).is_some_and(|files| files.iter().all(was_there)));
        }
        Ok(())
    }

    /// Commits since the base, newest first.
    fn commits_to_ask(&self, base: &Base) -> Result<Vec<CommitId>, VerifyError> {
        if self.rows.is_empty() {
            return Ok(Vec::new());
        }
        let commits = base.git.run(&["rev-list", &format!("{}..HEAD", base.commit)])?;
        let lines = String::from_utf8_lossy(&commits);
        Ok(lines.lines().filter_map(|line| line.parse().ok()).collect())
    }

    /// Keys of a model for which no text was found.
    fn keys(&self, fingerprint: &str, found: &FxHashMap<Key, Passage>) -> FxHashSet<Key> {
        let rows = self.rows.values().flatten().filter(|row| row.model == fingerprint);
        rows.map(|row| row.key).filter(|key| !found.contains_key(key)).collect()
    }

    fn unchecked(&self, fingerprint: &str) -> Vec<Unchecked> {
        let unchecked = |(table, rows): (&String, &Vec<Row>)| {
            let model = rows.first().map(|row| row.model.clone());
            Unchecked {
                table: table.clone(),
                vectors: rows.len(),
                model: model.filter(|model| model != fingerprint),
            }
        };
        self.rows.iter().map(unchecked).collect()
    }
}

fn by_key(passages: Vec<Passage>) -> FxHashMap<Key, Passage> {
    let mut found = FxHashMap::default();
    for passage in passages {
        found.entry(passage.key).or_insert(passage);
    }
    found
}

/// Embeds passages and compares what comes of them with every vector that a table holds.
fn remake(
    context: &Context,
    registry: &Registry,
    mut in_doubt: Vec<Passage>,
) -> Result<Verified, VerifyError> {
    in_doubt.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    let fingerprint = context.embedder.fingerprint().as_str();
    let wanted = in_doubt.iter().map(|passage| passage.key).collect();
    let held = registry.all_vectors(fingerprint, &wanted);
    let mut verified = Verified::default();
    for batch in in_doubt.chunks(BATCH) {
        let texts: Vec<&str> = batch.iter().map(|passage| passage.text.as_str()).collect();
        let made = context.embedder.embed(&texts, Role::Document);
        if let Some(failure) = made.failure {
            return Err(failure.into());
        }
        for (passage, made) in batch.iter().zip(made.vectors) {
            let made = Encoded::new(&made.unwrap_or_default());
            verified.checked += 1;
            let held = held.get(&passage.key).map(Vec::as_slice).unwrap_or_default();
            if held.is_empty() || held.iter().any(|found| cosine(found, &made) < SAME) {
                verified.forged.push(Forged { path: passage.path.clone(), line: passage.line });
            }
        }
    }
    Ok(verified)
}

/// Cosine of two vectors; two zero vectors are the same.
fn cosine(a: &Encoded, b: &Encoded) -> f32 {
    if a.scale == 0.0 && b.scale == 0.0 {
        return 1.0;
    }
    if a.codes.len() != b.codes.len() {
        return 0.0;
    }
    let product = |a: &Encoded, b: &Encoded| {
        let products = a.codes.iter().zip(&b.codes).map(|(&a, &b)| i32::from(a) * i32::from(b));
        products.sum::<i32>() as f32
    };
    // Scales go out; a vector that is longer than it should be is no nearer for that.
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths > 0.0 && a.scale > 0.0 && b.scale > 0.0 { product(a, b) / lengths } else { 0.0 }
}
