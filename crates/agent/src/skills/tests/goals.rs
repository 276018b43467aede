//! Goals in people's words, and the bundled skill each should lead to.

use super::*;

const GOALS: &[(&str, &str)] = &[
    ("Write down how the nightly export works so that others can find it", "writing-a-note"),
    ("document the deployment procedure for the staging cluster", "writing-a-note"),
    ("please add a page about our VPN setup to the knowledge base", "writing-a-note"),
    ("explain in a note how the cache is invalidated", "writing-a-note"),
    ("save what we learned about the payment provider's API as documentation", "writing-a-note"),
    ("make a how-to for onboarding new developers", "writing-a-note"),
    ("summarise this meeting's findings into a note", "writing-a-note"),
    ("we decided to use Postgres instead of MySQL, record it", "recording-a-decision"),
    ("write an ADR about moving to gRPC", "recording-a-decision"),
    ("compare the alternatives for the message queue and pick one", "recording-a-decision"),
    (
        "why did we choose this serialization format? put the decision on file",
        "recording-a-decision",
    ),
    ("weigh the trade-offs between SQLite and flat files", "recording-a-decision"),
    ("supersede decision 0007 with the new storage design", "recording-a-decision"),
    ("help me settle on a logging library", "recording-a-decision"),
    ("the build is broken since this morning, find out why", "investigating-a-failure"),
    ("test_checkout fails sometimes on CI, it's flaky", "investigating-a-failure"),
    ("debug the crash in the importer", "investigating-a-failure"),
    ("the server hangs after an hour", "investigating-a-failure"),
    ("find the root cause of yesterday's outage", "investigating-a-failure"),
    ("I get an exception: KeyError 'user' in handler.py, fix it", "investigating-a-failure"),
    ("requests time out with error 504 since the last release", "investigating-a-failure"),
    ("write a post-mortem for the data loss", "investigating-a-failure"),
    ("review pull request 42", "reviewing-a-change"),
    ("look at my staged changes and give me feedback", "reviewing-a-change"),
    ("is this branch ready to merge?", "reviewing-a-change"),
    ("audit the diff for security problems", "reviewing-a-change"),
    ("check the patch that Ann sent", "reviewing-a-change"),
    ("code review of the last commit", "reviewing-a-change"),
    ("clean up the notes about billing, there are duplicates", "tidying-a-knowledge-base"),
    ("reorganise the wiki, nobody finds anything", "tidying-a-knowledge-base"),
    ("fix all dead links in knowledge/", "tidying-a-knowledge-base"),
    ("which notes are outdated? update or archive them", "tidying-a-knowledge-base"),
    ("merge the two notes on backups", "tidying-a-knowledge-base"),
    ("find orphaned pages and stale tags", "tidying-a-knowledge-base"),
    ("I need a tool that reads our CSV exports, build one", "writing-a-plugin"),
    ("create a plugin that queries the weather API", "writing-a-plugin"),
    ("extend the calendar plugin with reminders", "writing-a-plugin"),
    ("automate posting the weekly report as a script", "writing-a-plugin"),
    ("integrate Jira as a capability of the agent", "writing-a-plugin"),
    ("the tool to convert PDFs is missing, develop it", "writing-a-plugin"),
];

/// Goals for which there is no bundled skill.
const OTHER: &[&str] = &[
    "what time is it in Tokyo",
    "translate this letter into Portuguese",
    "book a table for four on Friday",
    "draw a logo with an otter",
    "how many users signed up last week",
    "roast a chicken with lemon and thyme",
    "convert 12 miles to kilometres",
    "plan a trip to Norway in winter",
];

#[test]
fn goals_lead_to_their_skill() {
    let skills = bundled();
    let mut wrong = Vec::new();
    for (goal, expected) in GOALS {
        let found = fits(goal, &skills, &by_keywords);
        let shown: Vec<String> =
            found.iter().map(|(at, score)| format!("{} {score:.2}", skills[*at].name)).collect();
        match found.first() {
            Some((at, score)) if skills[*at].name == *expected && *score >= FITS => {}
            _ => wrong.push(format!("{goal}: {}", shown.join(", "))),
        }
    }
    assert!(
        wrong.len() * 10 <= GOALS.len(),
        "{} of {} wrong:\n{}",
        wrong.len(),
        GOALS.len(),
        wrong.join("\n")
    );
    let mut taken = Vec::new();
    for goal in OTHER {
        let found = fits(goal, &skills, &by_keywords);
        taken.extend(
            found
                .first()
                .filter(|(_, score)| *score >= FITS)
                .map(|(at, score)| format!("{goal}: {} {score:.2}", skills[*at].name)),
        );
    }
    assert!(taken.len() <= 1, "{}", taken.join("\n"));
}

/// Goals in people's words, and the skill of the built-in hub each should lead to.
const OF_HUB: &[(&str, &str)] = &[
    ("find out whether the cache keeps order, with references", "answering-with-sources"),
    ("fact-check the claims of this page", "answering-with-sources"),
    ("the start page is too slow, make it faster", "improving-performance"),
    ("profile the importer and find the bottleneck", "improving-performance"),
    ("commit what I did with a good message", "making-a-commit"),
    ("split this large change for a pull request", "making-a-commit"),
    ("cut version 2.0 and write the release notes", "preparing-a-release"),
    ("publish a new release", "preparing-a-release"),
    ("refactor the parser into smaller functions", "refactoring-safely"),
    ("deduplicate and restructure the handlers", "refactoring-safely"),
    ("git says there are conflicts, resolve the merge", "resolving-a-merge-conflict"),
    ("rebase this branch onto main", "resolving-a-merge-conflict"),
    ("I pushed an API key by accident", "responding-to-a-leaked-secret"),
    ("rotate the leaked credential", "responding-to-a-leaked-secret"),
    ("I am new here, explain the architecture of this codebase", "understanding-a-codebase"),
    ("where is authentication implemented in this repository", "understanding-a-codebase"),
    ("upgrade all dependencies", "upgrading-dependencies"),
    (
        "bump the framework to the next version because of a security advisory",
        "upgrading-dependencies",
    ),
    ("write tests for the billing module", "writing-tests"),
    ("raise the coverage of the parser", "writing-tests"),
];

#[test]
fn goals_lead_to_what_the_hub_has() {
    let hub = hub::load(hub::BUILTIN, Path::new("/nowhere")).unwrap();
    let first = |goal: &str| hub::search(&hub, goal, 1).first().map(|it| it.name.clone());
    let wrong: Vec<String> = OF_HUB
        .iter()
        .filter(|(goal, expected)| first(goal).as_deref() != Some(expected))
        .map(|(goal, expected)| format!("{goal}: {:?} instead of {expected}", first(goal)))
        .collect();
    assert!(wrong.len() * 10 <= OF_HUB.len(), "{}", wrong.join("\n"));
    // What is here already is not proposed, and nothing is where nothing fits.
    for (goal, _) in GOALS {
        if let Some(entry) = hub::propose(goal, &bundled(), &hub) {
            assert!(OF_HUB.iter().any(|(_, name)| *name == entry.name), "{goal}: {}", entry.name);
        }
    }
    let taken: Vec<&str> = OTHER
        .iter()
        .copied()
        .filter(|goal| hub::propose(goal, &bundled(), &hub).is_some())
        .collect();
    assert!(taken.len() <= 1, "{taken:?}");
    let proposed =
        |goal: &str| hub::propose(goal, &bundled(), &hub).map_or("", |entry| entry.name.as_str());
    assert_eq!(proposed("Go"), "", "one word is chance");
    assert_eq!(proposed("rotate the leaked credential"), "responding-to-a-leaked-secret");
    assert_eq!(proposed("upgrade all dependencies"), "upgrading-dependencies");
}

#[test]
fn odd_ranks_and_goals() {
    let skills = bundled();
    assert!(fits("", &skills, &by_keywords).is_empty());
    assert!(fits("?!… 🦦 \u{202e}\0", &skills, &by_keywords).is_empty());
    assert!(fits(&"the ".repeat(1 << 18), &skills, &by_keywords).is_empty());
    assert!(by_keywords("a goal", &[]).is_empty());
    let given = |_: &str, _: &[String]| vec![0.5, f32::NAN, 0.9, f32::INFINITY, 0.0, 0.5, 1.0, 1.0];
    assert_eq!(fits("x", &skills, &given), [(2, 0.9), (0, 0.5), (5, 0.5)]);
    assert!(fits("x", &skills, &|_, _| Vec::new()).is_empty());
}

#[test]
fn proposals() {
    let entry = |name: &str, description: &str| hub::Entry {
        name: name.to_owned(),
        description: description.to_owned(),
        path: name.to_owned(),
        commit: "c".to_owned(),
    };
    let hub = hub::Hub {
        url: "https://example.org/hub".to_owned(),
        commit: "c".to_owned(),
        entries: vec![
            entry("baking-bread", "Bakes bread and rolls. Use for dough, yeast and ovens."),
            entry(
                "planning-a-trip",
                "Plans a journey. Use for trips, flights, hotels and holidays.",
            ),
            entry("reviewing-code", "Review code, a diff, a pull request or a commit."),
            entry(
                "translating-a-text",
                "Translates letters, mails and documents between languages.",
            ),
        ],
        problems: Vec::new(),
    };
    let check = |goal: &str, expected: Option<&str>| {
        let found = hub::propose(goal, &bundled(), &hub).map(|entry| entry.name.as_str());
        assert_eq!(found, expected, "{goal}");
    };
    check("translate this letter into Portuguese", Some("translating-a-text"));
    check("plan a trip to Norway in winter", Some("planning-a-trip"));
    check("how long must bread dough rest with fresh yeast", Some("baking-bread"));
    // A skill that is here fits.
    check("review pull request 42", None);
    check("debug the crash in the importer", None);
    // Nothing fits.
    check("what time is it in Tokyo", None);
    check("", None);
    check(&"x ".repeat(100_000), None);
}
