//! Whole-process figures: how long commands take on real Markdown, and how much memory.
//!
//! The corpus is all Markdown, and for `scan` Rust, below cargo's registry sources (any machine
//! that built the project has them). It is copied into temporary git repositories, with variations until there are
//! enough notes and chunks. Prints minimum, median and maximum of each figure; judges nothing.
//!
//! `cargo bench --bench figures [-- FILTER]`; the filter is part of a figure's name.

#![expect(clippy::print_stdout, reason = "a program for developers")]

#[path = "shared/registry.rs"]
mod registry;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use elophanto_knowledge::{
    interest::{EngagementKind, PreferenceKind, Valence},
    learn::{
        entity_store::{EntitySnapshot, EntityStore, NewFact},
        interests::{Interests, state},
        meaning::Meaning,
        record::{EngagementRecord, FACT, Fact},
        writer::writer,
    },
};
use elophanto_models::{bert::Bert, builtin::Builtin};
use elophanto_repo::{journal::Place, record_store::RecordStore};
use elophanto_text::entity::{NewLine, Origin, append, new_page};
use jiff::{SignedDuration, Timestamp};
use registry::registry_files;

const BINARY: &str = env!("CARGO_BIN_EXE_elophanto");
const RUNS: usize = 11;
const QUESTIONS: [&str; 4] =
    ["parse a toml file", "async runtime timers", "zero copy deserialization", "mutex poisoning"];

/// Source files that a scan looks through.
const SOURCES: usize = 10_000;
/// Source files that are described.
const DESCRIBED: usize = 1_000;
/// Entities that something is known of, facts of each, and acts that show interest in them.
const ENTITIES: usize = 10_000;
const FACTS: usize = 5;
const ENGAGEMENTS: usize = 100_000;

fn new_fact(text: String) -> NewFact {
    NewFact {
        text,
        source: None,
        search: None,
        message: None,
        published: None,
        against: None,
        is_known: false,
    }
}

fn main() {
    let filter: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let wanted = |name: &str| filter.is_empty() || filter.iter().any(|part| name.contains(part));
    let notes = registry_files("md");
    let bytes: usize = notes.iter().map(|(_, text)| text.len()).sum();
    println!("source: {} Markdown files, {:.1} MB", notes.len(), bytes as f64 / 1e6);

    if wanted("tokens") {
        tokens(&notes);
    }
    if wanted("small") {
        let corpus = Corpus::new(&notes, 3_156, 19_000_000);
        println!("\nsmall: {} notes, {:.1} MB", corpus.files, corpus.bytes as f64 / 1e6);
        corpus.figures();
    }
    if wanted("large") {
        let corpus = Corpus::new(&notes, usize::MAX, 75_000_000);
        println!("\nlarge: {} notes, {:.1} MB", corpus.files, corpus.bytes as f64 / 1e6);
        corpus.figures();
    }
    if wanted("scan") {
        let sources = registry_files("rs");
        // Not the first ones: those are of a few crates only.
        let every = (sources.len() / SOURCES).max(1);
        let sources: Vec<_> = sources.into_iter().step_by(every).take(SOURCES).collect();
        Corpus::new(&sources, sources.len(), usize::MAX).scan_figures();
        let some: Vec<_> = sources.into_iter().step_by(SOURCES / DESCRIBED).collect();
        Corpus::new(&some, some.len(), usize::MAX).describe_figures();
    }
    if wanted("learning") {
        learning(&notes);
    }
}

/// What is known of many entities, and an interest in them that is acted on a lot.
fn learning(notes: &[(PathBuf, String)]) {
    let corpus = Corpus::new(notes, 0, 0);
    let repository = elophanto_repo::locate(corpus.root()).unwrap();
    fs::create_dir_all(corpus.root().join(".elophanto")).unwrap();
    fs::create_dir_all(repository.local_dir()).unwrap();
    let record_store = RecordStore::new(&repository, true);
    let store = EntityStore { record_store: &record_store, write_root: Path::new("knowledge") };
    let user = writer(&record_store).unwrap();
    let now = Timestamp::now();
    write_entities(notes, &store, now);
    corpus.git(&["add", "--all"]);
    corpus.git(&["commit", "--quiet", "--message=entities"]);
    println!("\nlearning: {ENTITIES} entities of {FACTS} facts, {ENGAGEMENTS} engagements");

    timed("pages read and folded", &mut || store.read(now).entities.len());
    let mut snapshot = store.read(now);
    assert_eq!(snapshot.entities.len(), ENTITIES);
    let slugs: Vec<String> = snapshot.entities.iter().map(|entity| entity.slug.clone()).collect();
    let act = |number: usize| {
        let at = now - SignedDuration::from_mins(number as i64);
        let (slug, source) = (&slugs[number % slugs.len()], number.to_string());
        let (kind, valence) = (EngagementKind::Search, Valence::Positive);
        EngagementRecord::new(&user, slug, kind, valence, &source, at)
    };
    let acts: Vec<EngagementRecord> = (0..ENGAGEMENTS).map(act).collect();
    record_store.write(Place::Local, &acts).unwrap();
    timed("engagements read", &mut || Interests::read(&record_store, now).engagements.len());
    let interests = Interests::read(&record_store, now);
    let scores = |interests: &Interests, snapshot: &EntitySnapshot| {
        interests.scores(&user, snapshot, &Meaning::builtin(), now).len()
    };
    timed("engagements scored", &mut || scores(&interests, &snapshot));
    state(&store, &mut snapshot, &user, QUESTIONS[0], PreferenceKind::Like, now).unwrap();
    let interests = Interests::read(&record_store, now);
    timed("engagements scored, with a like", &mut || scores(&interests, &snapshot));

    let mut number = 0;
    timed("a fact learned", &mut || {
        number += 1;
        let text = format!("It was measured {number} times.");
        let fact = new_fact(text);
        store.add(&mut snapshot, &slugs[number], &[], &[fact], now).unwrap().len()
    });
    timed("a fact learned, pages read before", &mut || {
        number += 1;
        let text = format!("It was measured {number} times.");
        let fact = new_fact(text);
        let mut snapshot = store.read(now);
        store.add(&mut snapshot, &slugs[number], &[], &[fact], now).unwrap().len()
    });

    let view = corpus.root().join(".git/elophanto/view");
    let clone = || {
        let _ = fs::remove_dir_all(&view);
    };
    corpus.run(&["index"]);
    corpus.figure("search, first after a clone", 3, &["search", QUESTIONS[0]], clone);
    std::thread::sleep(Duration::from_secs(3));
    corpus.run(&["search", QUESTIONS[0]]);
    corpus.figure("search, nothing changed", RUNS, &["search", QUESTIONS[0]], || {});
    corpus.figure("interests", RUNS, &["interests"], || {});
}

/// Pages with sentences of the notes for facts, and the records of their lines.
fn write_entities(notes: &[(PathBuf, String)], store: &EntityStore, now: Timestamp) {
    let plain = |line: &&str| {
        (40..200).contains(&line.len()) && line.starts_with(|char: char| char.is_alphabetic())
    };
    let texts = || notes.iter().flat_map(|(_, text)| text.lines().filter(plain));
    let mut texts = texts().cycle();
    let mut records = Vec::new();
    for number in 0..ENTITIES {
        let name = format!("Entity {number}");
        let slug = format!("entity-{number}");
        let facts: Vec<NewLine> = texts
            .by_ref()
            .take(FACTS)
            .filter_map(|text| NewLine::fact(&name, text, &Origin::default(), now))
            .collect();
        records.extend(facts.iter().map(|line| Fact {
            kind: FACT.to_owned(),
            id: line.id().to_owned(),
            at: now,
            entity: slug.clone(),
            source_url: None,
            source_search_log_id: None,
            source_message_id: None,
        }));
        let page = append(&new_page(&slug, &name, now), &facts);
        let path = store.record_store.repository.root.join(store.path(&slug).as_path());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, page).unwrap();
    }
    store.record_store.write(Place::Shared, &records).unwrap();
}

/// Times something within this process; what it returns must not be nothing.
fn timed(name: &str, work: &mut dyn FnMut() -> usize) {
    let times: Vec<Duration> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            assert_ne!(work(), 0, "{name}");
            start.elapsed()
        })
        .collect();
    report(name, &times, 0);
}

/// Tokens per second of the built-in model.
fn tokens(notes: &[(PathBuf, String)]) {
    use elophanto_models::{Embedder, Role};
    let model = Builtin::new();
    let texts: Vec<&str> = notes
        .iter()
        .flat_map(|(_, text)| text.split("\n## "))
        .filter(|text| text.len() < 8_000)
        .collect();
    let count: usize = texts.iter().map(|text| model.count_tokens(text)).sum();
    let timed = |run: &dyn Fn()| -> f64 {
        let times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                run();
                start.elapsed()
            })
            .collect();
        count as f64 / median(&times).as_secs_f64() / 1e6
    };
    let counting = timed(&|| {
        texts.iter().for_each(|text| {
            std::hint::black_box(model.count_tokens(text));
        });
    });
    let embedding = timed(&|| {
        std::hint::black_box(model.embed(&texts, Role::Document));
    });
    println!("tokens: count {counting:.1} M/s on one thread, embed {embedding:.1} M/s on all");
    let slow = Bert::minilm();
    let some: Vec<&str> = texts.iter().step_by((texts.len() / 300).max(1)).copied().collect();
    let read: usize = some.iter().map(|text| slow.count_tokens(text).min(slow.max_tokens())).sum();
    let times: Vec<Duration> = (0..3)
        .map(|_| {
            let start = Instant::now();
            some.iter().for_each(|text| {
                std::hint::black_box(slow.embed_one(text));
            });
            start.elapsed()
        })
        .collect();
    let seconds = median(&times).as_secs_f64();
    println!(
        "tokens: minilm {:.0}/s on one thread, {:.0} passages/s",
        read as f64 / seconds,
        some.len() as f64 / seconds
    );
}

/// A git repository of notes.
struct Corpus {
    folder: tempfile::TempDir,
    files: usize,
    bytes: usize,
}

impl Corpus {
    /// Copies notes, round after round with other words, until both numbers are reached (or the
    /// bytes alone, if no number of files is asked for).
    fn new(notes: &[(PathBuf, String)], files: usize, bytes: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut corpus = Self { folder, files: 0, bytes: 0 };
        'all: for round in 0.. {
            if notes.is_empty() {
                break;
            }
            for (path, text) in notes {
                let full = corpus.bytes >= bytes && (files == usize::MAX || corpus.files >= files);
                if full || corpus.files >= files {
                    break 'all;
                }
                let text = if round == 0 {
                    text.clone()
                } else {
                    text.replace("the ", &format!("the v{round} "))
                };
                let target = corpus.root().join(format!("round{round}")).join(path);
                fs::create_dir_all(target.parent().unwrap()).unwrap();
                fs::write(&target, &text).unwrap();
                corpus.files += 1;
                corpus.bytes += text.len();
            }
        }
        corpus.git(&["init", "--quiet"]);
        corpus
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn figures(&self) {
        let tables = self.root().join(".elophanto");
        let view = self.root().join(".git/elophanto");
        let nothing = || {
            let _ = fs::remove_dir_all(&tables);
            let _ = fs::remove_dir_all(&view);
        };
        self.figure("index from nothing", 3, &["index"], nothing);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=notes"]);
        self.run(&["index"]);
        std::thread::sleep(Duration::from_secs(2));
        self.run(&["index"]);
        self.figure("index, nothing changed", RUNS, &["index"], || {});
        let note = self.root().join("round0").join(&registry_files("md")[0].0);
        let original = fs::read_to_string(&note).unwrap();
        let mut edits = 0;
        let mut edit = || {
            edits += 1;
            fs::write(&note, format!("{original}\n\nEdited {edits} times.\n")).unwrap();
        };
        self.figure("index, one note changed", RUNS, &["index"], &mut edit);
        self.figure("search, one note changed", RUNS, &["search", QUESTIONS[0]], &mut edit);
        std::thread::sleep(Duration::from_secs(2));
        self.run(&["index"]);
        for question in QUESTIONS {
            self.figure(&format!("search {question:?}"), RUNS, &["search", question], || {});
        }
        let clone = || {
            let _ = fs::remove_dir_all(&view);
        };
        self.figure("search, first after a clone", 3, &["search", QUESTIONS[0]], clone);
        let selection = elophanto_repo::Selection {
            roots: vec![".".into()],
            extensions: vec!["md".to_owned()],
            apart: "".into(),
            is_key: |_| false,
        };
        let times: Vec<Duration> = (0..RUNS)
            .map(|_| {
                let start = Instant::now();
                let (walked, _) = elophanto_repo::walk(self.root(), &selection);
                assert_eq!(walked.len(), self.files);
                start.elapsed()
            })
            .collect();
        report("walk alone", &times, 0);
    }

    fn scan_figures(&self) {
        println!("\nscan: {} source files, {:.1} MB", self.files, self.bytes as f64 / 1e6);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=sources"]);
        self.run(&["scan", "--investigate", "--all"]);
        std::thread::sleep(Duration::from_secs(3));
        // Reads what was too young to be trusted, then finds that nothing is left.
        self.run(&["scan"]);
        self.run(&["scan"]);
        self.figure("scan, nothing new", RUNS, &["scan"], || {});
        let question = "retry with exponential backoff";
        self.figure("search, all described", RUNS, &["search", question], || {});
    }

    fn describe_figures(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message=sources"]);
        let nothing = || {
            let _ = fs::remove_dir_all(self.root().join(".elophanto"));
            let _ = fs::remove_dir_all(self.root().join(".git/elophanto"));
        };
        let name = format!("describe {} files", self.files);
        self.figure(&name, 3, &["scan", "--investigate", "--all"], nothing);
    }

    fn figure(&self, name: &str, runs: usize, arguments: &[&str], mut before: impl FnMut()) {
        let mut times = Vec::new();
        let mut peak = 0;
        for _ in 0..runs {
            before();
            let start = Instant::now();
            peak = peak.max(self.run(arguments));
            times.push(start.elapsed());
        }
        report(name, &times, peak);
    }

    /// Runs the program and returns its peak memory in kB.
    #[expect(clippy::zombie_processes, reason = "waited for with `wait4`, which tells the memory")]
    fn run(&self, arguments: &[&str]) -> i64 {
        let child = Command::new(BINARY)
            .args(arguments)
            .current_dir(self.root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut status = 0;
        // SAFETY: an all-zero `rusage` is a valid value of this plain C struct, and the pointers
        // are valid for the duration of the call. The child is waited for only here.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(
                libc::wait4(child.id() as i32, &mut status, 0, &mut usage),
                child.id() as i32
            );
            usage
        };
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) <= 1, "{arguments:?} failed");
        usage.ru_maxrss
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"];
        let status = Command::new("git")
            .args(identity)
            .args(arguments)
            .current_dir(self.root())
            .status()
            .unwrap();
        assert!(status.success());
    }
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

fn report(name: &str, times: &[Duration], peak_kilobytes: i64) {
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let least = times.iter().min().unwrap();
    let most = times.iter().max().unwrap();
    print!(
        "{name:<40} {:>8.1} {:>8.1} {:>8.1} ms",
        milliseconds(*least),
        milliseconds(median(times)),
        milliseconds(*most)
    );
    if peak_kilobytes > 0 { println!("  {:>4} MB", peak_kilobytes / 1000) } else { println!() }
}
