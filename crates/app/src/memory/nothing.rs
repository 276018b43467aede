//! Why nothing is told: what is remembered at all, and of what.

use std::{collections::BTreeSet, fmt};

use super::{Memories, Question};
use elophanto_base::visible::escape_control_line;
use elophanto_knowledge::memory::{EventType, Memory};

/// Repositories that are named.
const MOST_NAMED: usize = 10;

/// Why nothing is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Nothing {
    /// There is no lesson.
    AtAll,
    /// There are lessons in the archive only.
    Archived,
    /// There are lessons of these repositories, and none of the one that is asked for.
    Of {
        /// The one that is asked for.
        repo: String,
        /// Those that there are lessons of, sorted.
        known: Vec<String>,
    },
    /// There are lessons, and none of the kind that is asked for.
    Kind {
        /// The one that is asked for.
        kind: EventType,
        /// The repository that is asked for; `None` for all.
        repo: Option<String>,
    },
    /// None is close to what is asked.
    Close,
}

impl Memories<'_> {
    /// Why nothing was told of a repository and a kind, of all of them if none is named.
    pub fn nothing(
        &self,
        repo: Option<&str>,
        event_type: Option<EventType>,
        archived: bool,
    ) -> Nothing {
        let (records, _) = self.read();
        let known = &records.folded.memories;
        if known.is_empty() {
            return Nothing::AtAll;
        }
        let told: Vec<&Memory> =
            known.iter().filter(|memory| archived || !records.is_archived(memory)).collect();
        if told.is_empty() {
            return Nothing::Archived;
        }
        let is_of = |memory: &&&Memory| repo.is_none_or(|repo| repo == memory.repo);
        let of_repo: Vec<&&Memory> = told.iter().filter(is_of).collect();
        if let (Some(repo), true) = (repo, of_repo.is_empty()) {
            let known: BTreeSet<&String> = told.iter().map(|memory| &memory.repo).collect();
            let (repo, known) = (repo.to_owned(), known.into_iter().cloned().collect());
            return Nothing::Of { repo, known };
        }
        match event_type {
            Some(kind) if of_repo.iter().all(|memory| memory.event_type != kind) => {
                Nothing::Kind { kind, repo: repo.map(str::to_owned) }
            }
            _ => Nothing::Close,
        }
    }

    /// Why a question was answered with nothing.
    pub fn nothing_recalled(&self, question: &Question) -> Nothing {
        // Without a question, what others learnt elsewhere is not told.
        let own = question.text.trim().is_empty().then_some(question.own);
        self.nothing(question.repo.or(own), question.event_type, question.archived)
    }
}

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtAll => f.write_str("nothing is remembered"),
            Self::Archived => f.write_str("what is remembered lies in the archive"),
            Self::Of { repo, known } => {
                let named = known.iter().take(MOST_NAMED).map(|repo| escape_control_line(repo));
                let named = named.collect::<Vec<_>>().join(", ");
                write!(f, "nothing is remembered of `{}`", escape_control_line(repo))?;
                match known.len().saturating_sub(MOST_NAMED) {
                    0 => write!(f, "; there is {named}"),
                    more => write!(f, "; there is {named} and {more} more"),
                }
            }
            Self::Kind { kind, repo: None } => write!(f, "no lesson of type {kind} is remembered"),
            Self::Kind { kind, repo: Some(repo) } => {
                let repo = escape_control_line(repo);
                write!(f, "no lesson of type {kind} is remembered of `{repo}`")
            }
            Self::Close => f.write_str("nothing close to that is remembered"),
        }
    }
}
