//! Gaps, and which of them are worth asking about first. Pure.

use jiff::{SignedDuration, Timestamp};

use super::{
    activity::Touched,
    known::Known,
    record::{
        Evidence, GapKind, Priority, QUESTION, Question, QuestionState, question_id, sanitised,
        wire_path,
    },
    sought::Found,
    state::{Seen, Verdict},
};
use elophanto_repo::NotePath;
use elophanto_text::outline::Family;

/// What failed is tried again after this long.
pub const TRY_AGAIN: SignedDuration = SignedDuration::from_hours(24);
/// A file this large is as valuable as size makes it, in bytes.
const LARGE: f32 = 64.0 * 1024.0;
/// A file that this many others use is as valuable as that makes it.
const MUCH_USED: f32 = 20.0;
/// The same of commits.
const MUCH_TOUCHED: f32 = 20.0;
/// What a touch is worth halves in this many days.
const HALF_LIFE_DAYS: f32 = 60.0;
/// Bytes of a token, roughly.
const BYTES_PER_TOKEN: u64 = 4;
/// Tokens of an answer.
const ANSWER_TOKENS: u64 = 400;

/// Something that the knowledge base does not know.
#[derive(Debug, Clone, PartialEq)]
pub struct Gap {
    pub kind: GapKind,
    pub path: NotePath,
    pub family: Family,
    pub file_type: Option<&'static str>,
    pub size: u64,
    /// Name of the content, in hex.
    pub blob: Option<String>,
    /// The other side: a target, another note, a reason.
    pub other: String,
    pub line: Option<usize>,
    /// From 0 to 1.
    pub value: f32,
    pub last_commit: Option<String>,
}

/// What tells how much a file matters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Weight {
    pub size: u64,
    /// Files that import it or link to it.
    pub users: u32,
    pub touched: Touched,
    /// Seconds since 1970.
    pub now: i64,
}

impl Weight {
    /// From 0 to 1: size, use by others, and work on it weigh about the same.
    pub fn value(&self) -> f32 {
        let part = |amount: f32, full: f32| ((1.0 + amount).ln() / (1.0 + full).ln()).min(1.0);
        let size = part(self.size as f32 / 64.0, LARGE / 64.0);
        let users = part(self.users as f32, MUCH_USED);
        let days = self.now.saturating_sub(self.touched.last).max(0) as f32 / 86_400.0;
        let fresh = if self.touched.commits == 0 { 0.0 } else { (-days / HALF_LIFE_DAYS).exp2() };
        let work = 0.5 * part(self.touched.commits as f32, MUCH_TOUCHED) + 0.5 * fresh;
        let value = 0.35 * size + 0.35 * users + 0.3 * work;
        // Two digits, so that records do not change with every breath.
        (value * 100.0).round() / 100.0
    }
}

/// What is not known of a file; `None` if nothing is missing.
///
/// With `share`, what is described on this machine alone is still to be handed on.
pub fn gap_of_file(
    found: &Found,
    seen: &Seen,
    known: &Known,
    share: bool,
    now: Timestamp,
) -> Option<Gap> {
    let blob = seen.blob.to_string();
    let gap = |kind, other: &str| Gap {
        kind,
        path: found.path.clone(),
        family: found.family,
        file_type: Some(found.kind.name()),
        size: found.stat.size,
        blob: Some(blob.clone()),
        other: other.to_owned(),
        line: None,
        value: 0.0,
        last_commit: None,
    };
    match seen.verdict {
        Verdict::Generated | Verdict::Unsupported => None,
        Verdict::Unreadable => Some(Gap { blob: None, ..gap(GapKind::Unreadable, "unreadable") }),
        Verdict::Text if seen.stat.size == 0 => None,
        Verdict::Text => match known.of_content(&found.path, &blob) {
            Some(described) if described.failed && now.duration_since(described.at) > TRY_AGAIN => {
                Some(gap(GapKind::Unindexed, ""))
            }
            Some(described) if share && !described.shared && !found.is_private => {
                let all = known.described.get(&found.path);
                let is_known = all.is_some_and(|all| all.iter().any(|known| known.shared));
                Some(gap(if is_known { GapKind::Stale } else { GapKind::Unindexed }, ""))
            }
            Some(_) => None,
            None if known.newest(&found.path).is_some() => Some(gap(GapKind::Stale, "")),
            None => Some(gap(GapKind::Unindexed, "")),
        },
    }
}

impl Gap {
    /// The id of its question.
    pub fn id(&self) -> String {
        // A line may move; what is asked stays the same.
        question_id(self.kind, &self.path, &self.other)
    }

    /// Its question, open.
    pub fn question(&self, at: Timestamp) -> Question {
        let (file_path, path_bytes) = wire_path(&self.path);
        let (question, hypothesis) = self.words(&file_path);
        Question {
            kind: QUESTION.to_owned(),
            id: self.id(),
            at,
            gap: self.kind,
            question,
            hypothesis: format!("{hypothesis}_{}", sanitised(&file_path)),
            evidence: Evidence {
                file_path,
                path_bytes,
                file_type: self.file_type.map(str::to_owned),
                size: self.size,
                blob: self.blob.clone(),
                last_commit: self.last_commit.clone(),
                other: Some(self.other.clone()).filter(|other| !other.is_empty()),
                line: self.line,
            },
            priority: self.priority(),
            autonomy: match self.kind {
                GapKind::Unindexed | GapKind::Stale => 3,
                GapKind::Drifted | GapKind::BrokenLink | GapKind::Orphan => 2,
                GapKind::Contradiction | GapKind::Unreadable => 1,
            },
            value: self.value,
            cost: match self.kind {
                GapKind::Unindexed | GapKind::Stale => self.size / BYTES_PER_TOKEN + ANSWER_TOKENS,
                _ => 0,
            },
            state: QuestionState::Open,
            answer: None,
        }
    }

    /// How much depends on it.
    pub fn priority(&self) -> Priority {
        match self.kind {
            GapKind::Stale | GapKind::Orphan | GapKind::Unreadable => Priority::Low,
            GapKind::Contradiction => Priority::High,
            GapKind::Unindexed if self.family == Family::Documentation => Priority::High,
            GapKind::Unindexed | GapKind::Drifted | GapKind::BrokenLink => Priority::Medium,
        }
    }

    fn words(&self, path: &str) -> (String, &'static str) {
        let other = &self.other;
        match self.kind {
            GapKind::Unindexed => {
                (format!("What knowledge does {path} contain?"), "UNINDEXED_KNOWLEDGE")
            }
            GapKind::Stale => (
                format!("What knowledge does {path} contain, now that it has changed?"),
                "STALE_KNOWLEDGE",
            ),
            GapKind::Drifted => (
                format!("Does {path} still say what is so in what it covers?"),
                "DRIFTED_KNOWLEDGE",
            ),
            GapKind::BrokenLink => {
                (format!("Where should the link to {other} in {path} lead?"), "BROKEN_LINK")
            }
            GapKind::Orphan => (format!("Which note should link to {path}?"), "ORPHAN_NOTE"),
            GapKind::Contradiction => {
                (format!("Which is right, {path} or {other}?"), "CONTRADICTION_CANDIDATE")
            }
            GapKind::Unreadable => (format!("Why can {path} not be read?"), "UNREADABLE_FILE"),
        }
    }

    /// Whether it is to be asked, or asked again, given what was asked before.
    pub fn is_news(&self, before: Option<&Question>, now: Timestamp) -> bool {
        let Some(before) = before else { return true };
        // A note that another commit left behind has drifted anew.
        let left_again =
            self.kind == GapKind::Drifted && before.evidence.last_commit != self.last_commit;
        let changed = before.evidence.blob != self.blob || left_again;
        match before.state {
            QuestionState::Open | QuestionState::Investigating => false,
            // Who does not want a file described does not want its next version described; what
            // was put aside about one content may matter for the next.
            QuestionState::Dismissed => changed && self.kind != GapKind::Unindexed,
            // Answered, and yet a gap: the file has changed since, or the answer was lost.
            QuestionState::Answered => {
                changed || matches!(self.kind, GapKind::Unindexed | GapKind::Stale)
            }
            QuestionState::Failed => changed || now.duration_since(before.at) > TRY_AGAIN,
        }
    }
}

/// Puts gaps in the order in which they are asked: documents before configuration before source,
/// what matters more before what matters less.
pub fn in_order(gaps: &mut [Gap]) {
    gaps.sort_by(|a, b| {
        a.family
            .cmp(&b.family)
            .then_with(|| a.priority().cmp(&b.priority()))
            .then_with(|| b.value.total_cmp(&a.value))
            .then_with(|| a.path.cmp(&b.path))
            .then_with(|| a.other.cmp(&b.other))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gap(kind: GapKind, family: Family, path: &str, value: f32) -> Gap {
        Gap {
            kind,
            path: path.into(),
            family,
            file_type: None,
            size: 1,
            blob: Some("1".to_owned()),
            other: String::new(),
            line: None,
            value,
            last_commit: None,
        }
    }

    #[test]
    fn documents_come_first_then_what_matters_more() {
        let mut gaps = [
            gap(GapKind::Unindexed, Family::Source, "s", 1.0),
            gap(GapKind::Unindexed, Family::Configuration, "c", 0.1),
            gap(GapKind::Stale, Family::Documentation, "old", 1.0),
            gap(GapKind::Unindexed, Family::Documentation, "b", 0.2),
            gap(GapKind::Unindexed, Family::Documentation, "a", 0.2),
            gap(GapKind::Unindexed, Family::Documentation, "z", 0.9),
        ];
        in_order(&mut gaps);
        let order: Vec<String> = gaps.iter().map(|gap| gap.path.to_text()).collect();
        assert_eq!(order, ["z", "a", "b", "old", "c", "s"]);
    }

    #[test]
    fn the_same_gap_is_asked_once() {
        use QuestionState::{Answered, Dismissed, Failed, Investigating, Open};
        let at: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let later: Timestamp = "2026-01-03T00:00:00Z".parse().unwrap();
        let check = |kind, state, changed: bool, now, expected: bool| {
            let gap = gap(kind, Family::Source, "a", 0.5);
            let mut before = gap.question(at).moved(state, None, at);
            if changed {
                before.evidence.blob = Some("0".to_owned());
            }
            assert_eq!(gap.is_news(Some(&before), now), expected, "{kind:?} {state:?} {changed}");
        };
        for kind in [GapKind::Unindexed, GapKind::Stale, GapKind::BrokenLink] {
            check(kind, Open, true, later, false);
            check(kind, Investigating, true, later, false);
            check(kind, Failed, false, at, false);
            check(kind, Failed, false, later, true);
            check(kind, Failed, true, at, true);
            check(kind, Dismissed, false, later, false);
        }
        check(GapKind::Unindexed, Dismissed, true, later, false);
        check(GapKind::Stale, Dismissed, true, later, true);
        check(GapKind::BrokenLink, Answered, false, later, false);
        check(GapKind::BrokenLink, Answered, true, later, true);
        check(GapKind::Unindexed, Answered, false, later, true);
        assert!(gap(GapKind::Orphan, Family::Documentation, "a", 0.0).is_news(None, at));
    }

    #[test]
    fn value_grows_with_each_sign() {
        let now = 1_000_000_000;
        let value = |size, users, commits, days: i64| {
            let touched = Touched { commits, last: now - days * 86_400, commit: None };
            Weight { size, users, touched, now }.value()
        };
        assert!(value(10_000, 0, 0, 0) > value(100, 0, 0, 0));
        assert!(value(100, 5, 0, 0) > value(100, 0, 0, 0));
        assert!(value(100, 0, 5, 10) > value(100, 0, 1, 10));
        assert!(value(100, 0, 5, 10) > value(100, 0, 5, 300));
        assert!(value(u64::MAX, u32::MAX, u32::MAX, 0) <= 1.0);
        assert_eq!(value(0, 0, 0, 0), 0.0);
    }

    #[test]
    fn a_question_says_what_it_is_about() {
        let at: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        let question =
            gap(GapKind::Unindexed, Family::Documentation, "docs/a.md", 0.5).question(at);
        assert_eq!(question.question, "What knowledge does docs/a.md contain?");
        assert_eq!(question.hypothesis, "UNINDEXED_KNOWLEDGE_docs_a_md");
        assert_eq!((question.priority, question.autonomy), (Priority::High, 3));
        assert_eq!(question.state, QuestionState::Open);
    }
}
