//! Figures of a fleet: how long folding takes, and asking it, from an object store that takes 30 ms for
//! each request, from what is kept of it on this machine, and from a folder; how a server holds out; and
//! whether a fleet answers as well as one repository with the same notes.
//!
//! Prints each figure with what is aimed at; judges nothing. What is published is made of the Markdown
//! below cargo's registry sources, without git. Questions are new ones each time.
//!
//! `cargo bench --bench fleet [-- [--program PATH] [--small] [--rows N] [--sets DIR]]`: `--small` is a
//! fiftieth of everything; with `--rows`, that many are asked in a folder, and with `--sets`, quality is
//! measured on the test sets there, in place of all else.

#![expect(clippy::print_stdout, reason = "a program for developers")]
#![expect(clippy::exit, reason = "a program for developers")]

mod clients;
mod corpus;
mod figure;
mod place;
mod program;
mod quality;
#[path = "../shared/registry.rs"]
mod registry;

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use clients::Crowd;
use corpus::{Corpus, EACH};
use elophanto_app::{
    fleet::{Reader, open},
    keys::Asking,
    reporter::Silent,
    search::{SearchRequest, search},
};
use figure::{Aim, say};
use place::{Moved, Place};

/// What is run unless another program is named.
const BINARY: &str = env!("CARGO_BIN_EXE_elophanto");
/// Rows of the fleet in the store.
const ROWS: usize = 200_000;
/// What a request takes.
const REQUEST: Duration = Duration::from_millis(30);
/// Publications of one fold, and how often that is measured.
const PUBLICATIONS: usize = 80;
const FOLDS: usize = 5;
/// Processes that ask, and questions to one.
const PROCESSES: usize = 11;
const QUESTIONS: usize = 200;
/// Questions before anything is measured.
const WARMING: usize = 20;
/// How many times smaller everything is to try it.
const SMALLER: usize = 50;

struct Options {
    program: PathBuf,
    is_small: bool,
    rows: Option<usize>,
    sets: Option<PathBuf>,
}

impl Options {
    fn of_arguments() -> Self {
        let mut options =
            Self { program: PathBuf::from(BINARY), is_small: false, rows: None, sets: None };
        let mut arguments = std::env::args().skip(1);
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // What cargo hands to every bench, and `just bench` to this one.
                "--bench" | "fleet" => {}
                "--small" => options.is_small = true,
                "--program" => options.program = value(arguments.next(), &argument),
                "--sets" => options.sets = Some(value(arguments.next(), &argument)),
                "--rows" => options.rows = Some(value(arguments.next(), &argument)),
                other => usage(&format!("`{other}` is no option")),
            }
        }
        options
    }

    /// So many, or of it what `--small` leaves.
    fn sized(&self, all: usize, least: usize) -> usize {
        if self.is_small { (all / SMALLER).max(least) } else { all }
    }
}

fn value<T: std::str::FromStr>(given: Option<String>, option: &str) -> T {
    let read = given.and_then(|given| given.parse().ok());
    read.unwrap_or_else(|| usage(&format!("{option} takes a value")))
}

fn usage(wrong: &str) -> ! {
    println!("{wrong}\nusage: fleet [--program PATH] [--small] [--rows N] [--sets DIR]");
    std::process::exit(2);
}

fn main() {
    let options = Options::of_arguments();
    if let Some(dir) = &options.sets {
        quality::run(dir, &options);
    }
    if let Some(rows) = options.rows {
        on_disk(&options, options.sized(rows, EACH));
    }
    if options.sets.is_none() && options.rows.is_none() {
        in_store(&options);
    }
}

/// A fleet in an object store, and the same in a folder.
fn in_store(options: &Options) {
    let corpus = Corpus::new();
    let repositories = options.sized(ROWS, 10 * EACH) / EACH;
    let place = Place::in_store(&options.program);
    println!(
        "\nstore: {} rows of {repositories} repositories, 30 ms a request",
        repositories * EACH
    );
    build(&place, &corpus, repositories);
    let folder = place.copy_to_folder(&options.program);
    place.delay(REQUEST);
    let questions = corpus.questions(1, WARMING + options.sized(QUESTIONS, 10));

    let processes = options.sized(PROCESSES, 3);
    let cold = ask_by_processes(&place, &questions[..processes], true);
    cold.say("search, new process, nothing kept", Some(Aim::Median(1_200)));
    let kept = ask_by_processes(&place, &questions[..processes], false);
    kept.say("search, new process, kept here", None);
    let warm = ask(&place, false, &questions);
    warm.say("search, one process, from the store", Some(Aim::P95(300)));
    // What the first ones read is kept for the second.
    ask(&place, true, &questions);
    let kept = ask(&place, true, &questions);
    kept.say("search, one process, kept here", Some(Aim::P95(40)));
    let half: Vec<String> = (0..repositories).step_by(2).map(corpus::name).collect();
    ask_among(&place, true, &questions, half).say("the same, of half of the repositories", None);

    for second_look in ["auto", "never"] {
        // Of clients that ask every ten seconds come ten questions a second.
        let paused = Crowd { pause: Duration::from_secs(10), each: 4, second_look };
        let busy = Crowd { pause: Duration::from_secs(3), each: options.sized(6, 2), second_look };
        let hurried = Crowd { pause: Duration::ZERO, each: options.sized(4, 2), second_look };
        let crowds = [(paused, Some(Aim::P95(200))), (busy, None), (hurried, None)];
        for (crowd, aim) in crowds.into_iter().skip(usize::from(options.is_small)) {
            clients::run(&place, &crowd, &questions, aim);
        }
    }

    fold(&place, &corpus, options, repositories, Some(Aim::P95(2_000)));
    let warm = ask(&place, false, &questions);
    warm.say("search, one process, after the folds", None);

    println!("\nfolder: the same");
    in_folder(&folder, &corpus, options, &questions, None);
    fold(&folder, &corpus, options, repositories, None);
}

/// A fleet in a folder.
fn on_disk(options: &Options, rows: usize) {
    let corpus = Corpus::new();
    let repositories = rows.div_ceil(EACH);
    let place = Place::in_folder(&options.program);
    println!("\nfolder: {} rows of {repositories} repositories", repositories * EACH);
    build(&place, &corpus, repositories);
    let questions = corpus.questions(1, WARMING + options.sized(QUESTIONS, 10));
    in_folder(&place, &corpus, options, &questions, Some(Aim::P95(30)));
    fold(&place, &corpus, options, repositories, None);
    let warm = ask(&place, false, &questions);
    warm.say("search, one process, after the folds", None);
}

fn in_folder(
    place: &Place,
    corpus: &Corpus,
    options: &Options,
    questions: &[String],
    aim: Option<Aim>,
) {
    let processes = options.sized(PROCESSES, 3);
    ask_by_processes(place, &questions[..processes], false).say("search, new process", None);
    // What the system has read of the files stays in memory from here on.
    ask(place, false, &corpus.questions(2, questions.len()));
    ask(place, false, questions).say("search, one process", aim);
}

/// Publishes all repositories, and has the program fold them.
fn build(place: &Place, corpus: &Corpus, repositories: usize) {
    place.declare();
    let start = Instant::now();
    let all: Vec<usize> = (0..repositories).collect();
    place.publish(corpus, &all, 0);
    say(&format!("{repositories} publications made"), &[start.elapsed()], None);
    let ran = place.program.run(&["publish", "--fold", "--tend", &place.address]);
    say("fold of all, packed and indexed", &[ran.time], None);
    println!("  most memory {} MB", ran.most_bytes / 1_000_000);
    let rows = (repositories * EACH) as u64;
    println!("  {} bytes a row, old versions among them", place.bytes() / rows);
}

/// Folds of so many repositories in which a twentieth of all chunks is new.
fn fold(place: &Place, corpus: &Corpus, options: &Options, repositories: usize, aim: Option<Aim>) {
    let many = options.sized(PUBLICATIONS, 2).min(repositories);
    let mut times = Vec::new();
    let mut most_bytes = 0;
    let mut moved = Moved::default();
    for edition in 1..=FOLDS {
        let chosen: Vec<usize> =
            (0..many).map(|number| (edition * many + number) % repositories).collect();
        place.delay(Duration::ZERO);
        place.publish(corpus, &chosen, edition);
        place.delay(REQUEST);
        place.moved();
        let ran = place.program.run(&["publish", "--fold", &place.address]);
        moved += place.moved();
        times.push(ran.time);
        most_bytes = most_bytes.max(ran.most_bytes);
    }
    say(&format!("fold of {many} publications"), &times, aim);
    println!("  most memory {} MB", most_bytes / 1_000_000);
    if place.is_store() {
        let Moved { requests, rounds, bytes } = moved;
        let (requests, rounds, bytes) = (requests / FOLDS, rounds / FOLDS, bytes / FOLDS as u64);
        println!("  {requests} requests in {rounds} rounds, {:.1} MB each", bytes as f64 / 1e6);
    }
}

/// How long questions took, and what was asked of the store for them.
#[derive(Default)]
struct Answered {
    times: Vec<Duration>,
    moved: Moved,
    /// Questions to which there was no hit.
    empty: usize,
}

impl Answered {
    fn say(&self, name: &str, aim: Option<Aim>) {
        let Self { times, moved: Moved { requests, rounds, bytes }, empty } = self;
        say(name, times, aim);
        let count = times.len();
        if *requests > 0 {
            let (requests, rounds) = (requests / count, rounds / count);
            let kilobytes = bytes / count as u64 / 1_000;
            println!("  {requests} requests in {rounds} rounds, {kilobytes} kB a question");
        }
        if *empty > 0 {
            println!("  {empty} of {count} found nothing");
        }
    }
}

/// A process for each question; with `is_cold`, none has anything that another one read.
fn ask_by_processes(place: &Place, questions: &[String], is_cold: bool) -> Answered {
    let mut answered = Answered::default();
    let search = |question: &str| {
        place.program.run(&["search", "--in", &place.address, "--json", "--", question])
    };
    if !is_cold {
        for question in questions {
            search(question);
        }
    }
    for question in questions {
        if is_cold {
            place.program.forget();
        }
        place.moved();
        let ran = search(question);
        answered.moved += place.moved();
        answered.times.push(ran.time);
        answered.empty += usize::from(!ran.is_done);
    }
    answered
}

/// Questions to one process, this one: the first of them warm it up. With `is_kept`, files that never
/// change are kept in the program's own cache.
fn ask(place: &Place, is_kept: bool, questions: &[String]) -> Answered {
    ask_among(place, is_kept, questions, Vec::new())
}

/// The same of some repositories; of all if none is named.
fn ask_among(
    place: &Place,
    is_kept: bool,
    questions: &[String],
    repositories: Vec<String>,
) -> Answered {
    let workspace = place.program.workspace(&[]);
    let fleet = open(&place.address, &workspace.environment, Asking::Never, is_kept).unwrap();
    let reader = Reader::new(fleet).among(repositories);
    reader.warm().unwrap();
    let ask = |text: &String| {
        let within = Some(reader.clone());
        let wanted = SearchRequest { text: text.clone(), within, ..SearchRequest::default() };
        search(&workspace, &wanted, &Silent).unwrap().answer.hits.is_empty()
    };
    let mut answered = Answered::default();
    let (warming, questions) = questions.split_at(WARMING);
    for question in warming {
        ask(question);
    }
    place.moved();
    for question in questions {
        let start = Instant::now();
        let is_empty = ask(question);
        answered.times.push(start.elapsed());
        answered.empty += usize::from(is_empty);
    }
    answered.moved = place.moved();
    answered
}
