//! Reading a test set: `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, de::DeserializeOwned};

/// Largest file of a set, in bytes.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;

/// A document of the corpus.
#[derive(Debug, Clone, Deserialize)]
pub struct Document {
    #[serde(alias = "_id")]
    pub id: String,
    #[serde(default)]
    pub title: String,
    pub text: String,
}

#[derive(Deserialize)]
struct QueryLine {
    #[serde(alias = "_id")]
    id: String,
    text: String,
}

/// A question with its judgements.
#[derive(Debug, Clone)]
pub struct Question {
    pub id: String,
    pub text: String,
    /// Grade of every judged document.
    pub relevant: HashMap<String, f64>,
}

/// A whole test set.
#[derive(Debug, Default)]
pub struct TestSet {
    pub documents: Vec<Document>,
    /// Questions with at least one relevant document.
    pub questions: Vec<Question>,
    /// Relevant documents that the corpus does not hold: nothing can find them.
    pub unknown_documents: usize,
    /// Judged questions that nobody asks.
    pub unknown_questions: usize,
}

/// A test set that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    #[error("cannot read `{}`: {source}", path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("`{}` is larger than {MAX_BYTES} bytes", path.display())]
    TooLarge { path: PathBuf },
    #[error("`{}` line {line}: {cause}", path.display())]
    Line { path: PathBuf, line: usize, cause: String },
    #[error("`{}` holds no {what}", path.display())]
    Empty { path: PathBuf, what: &'static str },
}

impl TestSet {
    /// Reads the three files of a folder.
    ///
    /// # Errors
    /// [`SetError`] names the file and the line.
    pub fn read(folder: &Path) -> Result<Self, SetError> {
        let documents: Vec<Document> = json_lines(&folder.join("corpus.jsonl"))?;
        let queries: Vec<QueryLine> = json_lines(&folder.join("queries.jsonl"))?;
        let judgements_file = folder.join("qrels.tsv");
        let mut judgements = judgements(&judgements_file)?;
        let questions: Vec<Question> = queries
            .into_iter()
            .filter_map(|query| {
                let relevant = judgements.remove(&query.id)?;
                relevant.values().any(|grade| *grade > 0.0).then_some(Question {
                    id: query.id,
                    text: query.text,
                    relevant,
                })
            })
            .collect();
        if documents.is_empty() {
            return Err(SetError::Empty { path: folder.join("corpus.jsonl"), what: "document" });
        }
        if questions.is_empty() {
            let what = "judgement of a question in queries.jsonl";
            return Err(SetError::Empty { path: judgements_file, what });
        }
        let unknown_questions = judgements.len();
        let known: HashSet<&str> = documents.iter().map(|it| it.id.as_str()).collect();
        let relevant = questions.iter().flat_map(|question| &question.relevant);
        let unknown: HashSet<&String> = relevant
            .filter(|(id, grade)| **grade > 0.0 && !known.contains(id.as_str()))
            .map(|(id, _)| id)
            .collect();
        let unknown_documents = unknown.len();
        Ok(Self { documents, questions, unknown_documents, unknown_questions })
    }
}

fn read(path: &Path) -> Result<String, SetError> {
    let io = |cause| SetError::Io { path: path.to_owned(), source: cause };
    if fs::metadata(path).map_err(io)?.len() > MAX_BYTES {
        return Err(SetError::TooLarge { path: path.to_owned() });
    }
    fs::read_to_string(path).map_err(io)
}

fn json_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, SetError> {
    let text = read(path)?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| {
            serde_json::from_str(line).map_err(|cause| SetError::Line {
                path: path.to_owned(),
                line: number + 1,
                cause: cause.to_string(),
            })
        })
        .collect()
}

/// Query, document and grade per line, separated by tabs; the TREC form with a second column of
/// zeros and a heading line are understood too.
fn judgements(path: &Path) -> Result<HashMap<String, HashMap<String, f64>>, SetError> {
    let mut all: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for (number, line) in read(path)?.lines().enumerate() {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let (query, document, grade) = match columns[..] {
            [] => continue,
            [query, document, grade] | [query, _, document, grade] => (query, document, grade),
            _ => {
                return Err(SetError::Line {
                    path: path.to_owned(),
                    line: number + 1,
                    cause: format!("3 or 4 columns expected, {} found", columns.len()),
                });
            }
        };
        match grade.parse::<f64>() {
            Ok(grade) if grade.is_finite() => {
                all.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
            }
            _ if number == 0 => {}
            _ => {
                return Err(SetError::Line {
                    path: path.to_owned(),
                    line: number + 1,
                    cause: format!("`{grade}` is no grade"),
                });
            }
        }
    }
    Ok(all)
}
