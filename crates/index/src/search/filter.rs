//! Which notes may be hits: scope, tags, path and time, decided before any ranking.

use globset::GlobSet;
use rustc_hash::FxHashSet;

use crate::Kind;
use elophanto_repo::NotePath;
use elophanto_text::markdown::Scope;

/// Conditions that a note must meet, all of them.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Any of these kinds; empty allows all.
    pub kinds: Vec<Kind>,
    /// Any of these types of files, such as `markdown_doc`; empty allows all.
    pub types: Vec<String>,
    /// Any of these scopes; empty allows all.
    pub scopes: Vec<Scope>,
    /// All of these tags, or tags within them, compared without case.
    pub tags: Vec<String>,
    /// Any of these patterns; `None` allows all.
    pub paths: Option<GlobSet>,
    /// One of these notes; `None` allows all.
    pub among: Option<FxHashSet<NotePath>>,
    /// None of these files.
    pub except: FxHashSet<NotePath>,
    /// Changed at or after, in seconds since 1970. Leaves out notes of unknown age.
    pub since: Option<i64>,
    /// Changed before, in seconds since 1970. Lets notes of unknown age pass: what cannot be told
    /// is what lies too far back.
    pub until: Option<i64>,
}

/// What a filter looks at.
pub struct Facts<'a> {
    pub kind: Kind,
    pub path: &'a NotePath,
    pub scope: Scope,
    pub tags: &'a [&'a str],
    /// Seconds since 1970; `None` if unknown.
    pub changed: Option<i64>,
}

impl Filter {
    /// Whether every note passes.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
            && self.types.is_empty()
            && self.scopes.is_empty()
            && self.tags.is_empty()
            && self.paths.is_none()
            && self.among.is_none()
            && self.except.is_empty()
            && self.since.is_none()
            && self.until.is_none()
    }

    /// Whether this note passes.
    pub fn allows(&self, facts: &Facts) -> bool {
        (self.kinds.is_empty() || self.kinds.contains(&facts.kind))
            && self.has_type(facts)
            && (self.scopes.is_empty() || self.scopes.contains(&facts.scope))
            && self.tags.iter().all(|tag| facts.tags.iter().any(|own| is_within(own, tag)))
            && self.paths.as_ref().is_none_or(|paths| paths.is_match(facts.path.as_path()))
            && self.among.as_ref().is_none_or(|among| among.contains(facts.path))
            && !self.except.contains(facts.path)
            && self.since.is_none_or(|since| facts.changed.is_some_and(|time| time >= since))
            && self.until.is_none_or(|until| facts.changed.is_none_or(|time| time < until))
    }
}

impl Filter {
    fn has_type(&self, facts: &Facts) -> bool {
        let own = file_type(facts.kind, facts.tags.first().copied());
        self.types.is_empty() || self.types.iter().any(|wanted| wanted == own)
    }
}

/// Name of the type of a document's file: notes and entities are Markdown, a summary says what it is of.
pub fn file_type(kind: Kind, first_tag: Option<&str>) -> &str {
    match kind {
        Kind::Note | Kind::Fact => "markdown_doc",
        Kind::Memory => "memory",
        Kind::Summary => first_tag.unwrap_or_default(),
    }
}

/// Whether a tag is the wanted one or nested in it: `finance/q3` is within `finance`.
fn is_within(own: &str, wanted: &str) -> bool {
    let plain = |tag: &str| tag.trim_start_matches('#').to_lowercase();
    let (own, wanted) = (plain(own), plain(wanted));
    let rest = own.strip_prefix(wanted.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use globset::{Glob, GlobSetBuilder};

    fn check(filter: &Filter, expected: bool) {
        check_changed(filter, Some(100), expected);
    }

    fn check_changed(filter: &Filter, changed: Option<i64>, expected: bool) {
        let path = NotePath::from("docs/a.md");
        let tags = &["Git", "ops"];
        let facts = Facts { kind: Kind::Note, path: &path, scope: Scope::User, tags, changed };
        assert_eq!(filter.allows(&facts), expected, "{filter:?}");
    }

    #[test]
    fn tags_match_those_above_them() {
        for (own, wanted, expected) in [
            ("finance/q3", "finance/q3", true),
            ("Finance/Q3/july", "#finance/q3", true),
            ("finance/q3", "finance/", true),
            ("finance/q3", "fin", false),
            ("finance/q3", "q3", false),
            ("finance", "finance/q3", false),
            ("finance", "", false),
        ] {
            assert_eq!(is_within(own, wanted), expected, "{own} {wanted}");
        }
    }

    #[test]
    fn an_unknown_age_is_old() {
        let filter = |since, until| Filter { since, until, ..Filter::default() };
        check_changed(&filter(None, None), None, true);
        check_changed(&filter(Some(i64::MIN), None), None, false);
        check_changed(&filter(None, Some(i64::MIN)), None, true);
        check_changed(&filter(Some(1), Some(2)), None, false);
    }

    #[test]
    fn every_condition_counts() {
        let glob = |pattern| {
            let mut set = GlobSetBuilder::new();
            set.add(Glob::new(pattern).unwrap());
            Some(set.build().unwrap())
        };
        let none = Filter::default();
        check(&none, true);
        check(&Filter { scopes: vec![Scope::User, Scope::System], ..none.clone() }, true);
        check(&Filter { scopes: vec![Scope::Learned], ..none.clone() }, false);
        check(&Filter { kinds: vec![Kind::Note], ..none.clone() }, true);
        check(&Filter { kinds: vec![Kind::Summary], ..none.clone() }, false);
        check(&Filter { types: vec!["markdown_doc".to_owned()], ..none.clone() }, true);
        check(&Filter { types: vec!["rust_file".to_owned()], ..none.clone() }, false);
        check(&Filter { tags: vec!["git".to_owned(), "#OPS".to_owned()], ..none.clone() }, true);
        check(&Filter { tags: vec!["git".to_owned(), "dev".to_owned()], ..none.clone() }, false);
        check(&Filter { paths: glob("docs/**"), ..none.clone() }, true);
        check(&Filter { paths: glob("*.txt"), ..none.clone() }, false);
        let among = |path: &str| Some([NotePath::from(path)].into_iter().collect());
        check(&Filter { among: among("docs/a.md"), ..none.clone() }, true);
        check(&Filter { among: among("docs/b.md"), ..none.clone() }, false);
        let except = |path: &str| [NotePath::from(path)].into_iter().collect();
        check(&Filter { except: except("docs/a.md"), ..none.clone() }, false);
        check(&Filter { except: except("docs/b.md"), ..none.clone() }, true);
        check(&Filter { since: Some(100), until: Some(101), ..none.clone() }, true);
        check(&Filter { since: Some(101), ..none.clone() }, false);
        check(&Filter { until: Some(100), ..none }, false);
    }
}
