//! Plans, by tables and by properties.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use proptest::prelude::*;

use super::*;
use elophanto_net::address::is_loopback;

fn now() -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap()
}

fn models(text: &str) -> Vec<ModelRef> {
    text.split_whitespace().map(|name| name.parse().unwrap()).collect()
}

/// `ollama` and `lmstudio` are on this machine.
fn constraints(providers: &str) -> Constraints {
    let site = |name: &str| Site { is_loopback: matches!(name, "ollama" | "lmstudio") };
    Constraints {
        local_only: false,
        sites: providers.split_whitespace().map(|name| (name.to_owned(), site(name))).collect(),
        coder: None,
        now: now(),
    }
}

fn shown(plan: &Plan) -> String {
    let candidates = plan.candidates.iter().map(ToString::to_string);
    let rejected = plan.rejected.iter().map(|(model, why)| {
        let why = match why {
            Why::NotSetUp => "not set up",
            Why::NotLocal => "not local",
            Why::Resting { .. } => "resting",
            Why::WroteIt => "wrote it",
        };
        format!("-{model} {why}")
    });
    let note = plan.note.iter().map(|note| match note {
        Note::ReviewsItself(_) => "(reviews itself)".to_owned(),
        Note::Borrowed(_) => "(borrowed)".to_owned(),
    });
    candidates.chain(rejected).chain(note).collect::<Vec<_>>().join(", ")
}

#[test]
fn candidates_keep_their_order() {
    let mut routes = Routes::none();
    routes.set(Task::Summary, models("a/1 b/2 a/1 ollama/3 ollama/4:20b-cloud"));
    let check = |constraints: &Constraints, expected: &str| {
        let plan = plan(Task::Summary, &routes, &Health::default(), constraints);
        assert_eq!(shown(&plan), expected);
    };
    check(&constraints("a b ollama"), "a/1, b/2, ollama/3, ollama/4:20b-cloud");
    check(
        &constraints("b"),
        "b/2, -a/1 not set up, -ollama/3 not set up, -ollama/4:20b-cloud not set up",
    );
    let local = Constraints { local_only: true, ..constraints("a b ollama") };
    check(&local, "ollama/3, -a/1 not local, -b/2 not local, -ollama/4:20b-cloud not local");
}

#[test]
fn a_resting_provider_is_passed_over_until_it_may_be_asked_again() {
    let mut routes = Routes::none();
    routes.set(Task::Summary, models("a/1 b/2"));
    let mut health = Health::default();
    for _ in 0..2 {
        health.record("a", Outcome::Failure { retry_after: None }, now());
    }
    let mut constraints = constraints("a b");
    assert_eq!(shown(&plan(Task::Summary, &routes, &health, &constraints)), "b/2, -a/1 resting");
    constraints.now = now() + Duration::from_secs(30);
    assert_eq!(shown(&plan(Task::Summary, &routes, &health, &constraints)), "a/1, b/2");
}

#[test]
fn whoever_wrote_it_does_not_review_it() {
    let check = |coding: &str, review: &str, coder: &str, expected: &str| {
        let mut routes = Routes::none();
        routes.set(Task::Coding, models(coding));
        routes.set(Task::Review, models(review));
        let coder = models(coder).pop();
        let constraints = Constraints { coder, ..constraints("a b ollama") };
        let plan = plan(Task::Review, &routes, &Health::default(), &constraints);
        assert_eq!(shown(&plan), expected, "{coding} {review}");
    };
    check("a/1", "a/1 b/2", "", "b/2, -a/1 wrote it");
    check("c/9 b/2", "b/2 a/1", "", "a/1, -b/2 wrote it");
    check("a/1", "a/1 b/2", "b/2", "a/1, -b/2 wrote it");
    check("a/x-4.5", "b/y/x-4-5-20250929 a/1", "", "a/1, -b/y/x-4-5-20250929 wrote it");
    check("a/1 b/2", "a/1", "", "b/2, -a/1 wrote it, (borrowed)");
    check("a/1 c/2", "a/1", "", "a/1, (reviews itself)");
    check("a/1", "", "", "a/1, (reviews itself)");
    check("", "a/1", "", "a/1");
    check("", "", "", "");
}

#[test]
fn the_defaults_serve_everybody() {
    let first = |task, providers: &str, local_only| {
        let constraints = Constraints { local_only, ..constraints(providers) };
        let plan = plan(task, &Routes::default(), &Health::default(), &constraints);
        plan.candidates.first().map(ToString::to_string).unwrap_or_default()
    };
    for task in [Task::Summary, Task::Extraction, Task::Coding] {
        assert_eq!(first(task, "ollama openrouter", true), "ollama/qwen2.5-coder:14b");
    }
    for providers in ["ollama", "openrouter", "anthropic", "openai", "anthropic openai"] {
        for task in Task::ALL {
            assert_ne!(first(task, providers, false), "", "{task} {providers}");
        }
        let (coding, review) =
            (first(Task::Coding, providers, false), first(Task::Review, providers, false));
        assert_ne!(coding, review, "{providers}");
    }
}

fn any_model() -> impl Strategy<Value = ModelRef> {
    prop::sample::select(models(
        "a/1 a/2 b/1 b/x/2 c/3 ollama/1 ollama/5:8b ollama/6:cloud ollama/7:1t-cloud lmstudio/5",
    ))
}

proptest! {
    #[test]
    fn plans_keep_their_promises(
        routes in prop::collection::vec(prop::collection::vec(any_model(), 0..5), Task::ALL.len()),
        sites in prop::sample::subsequence(vec!["a", "b", "ollama", "lmstudio"], 0..=4),
        failing in prop::sample::subsequence(vec!["a", "b", "ollama"], 0..=3),
        coder in prop::option::of(any_model()),
        local_only: bool,
    ) {
        let mut table = Routes::none();
        for (task, models) in Task::ALL.into_iter().zip(&routes) {
            table.set(task, models.clone());
        }
        let mut health = Health::default();
        for name in failing.iter().flat_map(|name| [name; 3]) {
            health.record(name, Outcome::Failure { retry_after: None }, now());
        }
        let constraints = Constraints { local_only, coder, ..constraints(&sites.join(" ")) };
        let usable = |model: &ModelRef| {
            let site = constraints.sites.get(model.provider());
            site.is_some_and(|site| !local_only || (site.is_loopback && !model.is_remote_tag()))
                && health.resting_until(model.provider(), now()).is_none()
        };
        for task in Task::ALL {
            let plan = plan(task, &table, &health, &constraints);
            prop_assert!(plan.candidates.iter().all(usable), "{:?}", plan);
            let mut unique = plan.candidates.clone();
            unique.sort();
            unique.dedup();
            prop_assert_eq!(unique.len(), plan.candidates.len());
            if task != Task::Review {
                for model in table.of(task) {
                    let rejected = plan.rejected.iter().any(|(rejected, _)| rejected == model);
                    prop_assert!(rejected != plan.candidates.contains(model));
                }
            }
        }
        let coder = constraints.coder.clone()
            .or_else(|| table.of(Task::Coding).iter().find(|model| usable(model)).cloned());
        let review = plan(Task::Review, &table, &health, &constraints);
        if let Some(coder) = coder {
            let all = Task::ALL.into_iter().flat_map(|task| table.of(task));
            let possible = all.clone().any(|model| usable(model) && !model.is_same_model(&coder));
            if possible {
                prop_assert!(!review.candidates.is_empty());
                prop_assert!(review.candidates.iter().all(|model| !model.is_same_model(&coder)));
            } else if !review.candidates.is_empty() {
                prop_assert!(matches!(review.note, Some(Note::ReviewsItself(_))));
            }
        }
    }
}

#[test]
fn constraints_are_plain_values() {
    let sites = BTreeMap::from([("a".to_owned(), Site { is_loopback: true })]);
    assert!(sites["a"].is_local(&"a/b".parse().unwrap()));
    for (url, expected) in [
        ("http://localhost:1", true),
        ("http://LOCALHOST.:1", true),
        ("http://127.9.9.9", true),
        ("http://[::1]:11434", true),
        ("http://[::ffff:127.0.0.1]", true),
        ("http://127.0.0.1.evil.test", false),
        ("http://localhost.evil.test", false),
        ("http://0.0.0.0", false),
        ("http://192.168.1.5:11434", false),
        ("data:x", false),
    ] {
        assert_eq!(is_loopback(&url.parse().unwrap()), expected, "{url}");
    }
}
