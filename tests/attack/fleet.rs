//! Publishing and folding killed at any moment, two who fold at once, and an object store that says no,
//! breaks off and loses its answers: what was acknowledged is found once, and a reader beside it all
//! never sees half a state.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use elophanto_net::fake_store::{FakeStore, Fault};
use elophanto_tables::{
    fleet::{Fleet, FleetError, Only},
    store::{Address, Keys},
};

use crate::{
    Attack,
    env::{Output, TestEnv, finish},
};

const REPOSITORIES: usize = 4;
/// Notes of a repository at its beginning.
const NOTES: u64 = 12;
const BUCKET: &str = "s3://bucket/kb";
/// No command here has a reason to take this long.
const HANGS: Duration = Duration::from_secs(120);
/// Rounds for each kill that is wanted, at most: a program that always ends first is none to be killed.
const MOST_ROUNDS: u64 = 20;

/// What was tried, and what came of it.
#[derive(Default)]
struct Counts {
    kills: u64,
    /// Publications that a command has said to be made.
    acknowledged: u64,
    /// Of those, how many are not to be found, and chunks that are found more than once.
    lost: u64,
    doubled: u64,
    /// How often the reader looked, was not answered, and saw what no state of a repository is.
    looks: u64,
    unanswered: u64,
    torn: u64,
}

pub fn run(attack: &mut Attack) {
    let faults: Arc<[AtomicU64; 4]> = Arc::default();
    let mut counts = Counts::default();
    let mut worlds = [World::new(None), World::new(Some(FakeStore::new()))];
    while counts.kills < attack.kills && attack.rounds < attack.kills * MOST_ROUNDS {
        attack.rounds += 1;
        let world = &mut worlds[usize::from(attack.rounds.is_multiple_of(2))];
        world.round(attack, &mut counts, &faults);
        world.settle(attack, &mut counts);
    }
    let Counts { kills, acknowledged, lost, doubled, looks, unanswered, torn } = counts;
    let [busy, cut, unheard, refused] =
        [0, 1, 2, 3].map(|kind| faults[kind].load(Ordering::Relaxed));
    println!(
        "  {kills} kills; {acknowledged} publications acknowledged, {lost} lost, {doubled} doubled"
    );
    println!("  a reader looked {looks} times, {unanswered} without an answer, {torn} torn");
    println!(
        "  the store: {busy} times 503, {refused} times 412, {cut} cut, {unheard} answers lost"
    );
    let wanted = attack.kills;
    attack.expect(kills >= wanted, || format!("{kills} kills of {wanted}"));
    attack.expect(acknowledged > 0 && looks > 0, || "nothing was tried".to_owned());
    attack.expect(lost + doubled + torn == 0, || {
        format!("{lost} lost, {doubled} doubled, {torn} torn")
    });
}

/// A fleet at a place, and the repositories that are published there.
struct World {
    address: String,
    /// `None` for a folder.
    store: Option<FakeStore>,
    fleet: Fleet,
    repositories: Vec<Repository>,
    /// What each commit of any of them holds.
    known: BTreeMap<String, BTreeSet<String>>,
    /// How long publishing and folding take.
    usual: [Duration; 2],
}

/// A repository whose notes hold one mark each.
struct Repository {
    env: TestEnv,
    name: String,
    /// Of each note, which edition it is.
    editions: BTreeMap<u64, u64>,
    commit: String,
    /// Commits, and how many there were when a publication was last acknowledged.
    count: u64,
    acknowledged: u64,
}

impl Repository {
    fn new(number: usize) -> Self {
        let env = TestEnv::new().builtin();
        env.write_attributes();
        let (name, editions, commit) = (format!("acme/r{number}"), BTreeMap::new(), String::new());
        let mut repository = Self { env, name, editions, commit, count: 0, acknowledged: 0 };
        (0..NOTES).for_each(|note| repository.write(note, 0));
        repository
    }

    fn write(&mut self, note: u64, edition: u64) {
        let mark = self.mark(note, edition);
        let text = format!("# Note {note}\n\nThe heron waits at {mark} until the tide turns.\n");
        self.env.write(path_of(note), text);
        self.editions.insert(note, edition);
    }

    fn mark(&self, note: u64, edition: u64) -> String {
        format!("mark-{}-{note}-{edition}", self.name.replace('/', "-"))
    }

    /// Changes some notes, adds or removes one, and commits.
    fn edit(&mut self, chance: &mut fastrand::Rng) {
        for _ in 0..chance.u64(1..4) {
            self.write(chance.u64(0..NOTES), chance.u64(1..));
        }
        let more = NOTES + chance.u64(0..4);
        match self.editions.remove(&more) {
            Some(_) => self.env.remove(path_of(more)),
            None => self.write(more, chance.u64(1..)),
        }
    }

    /// Commits, and says what the commit holds.
    fn commit(&mut self) -> (String, BTreeSet<String>) {
        self.env.commit("round");
        let git = |args: &[&str]| self.env.git(args).trim().to_owned();
        let count = git(&["rev-list", "--count", "--first-parent", "HEAD"]);
        self.commit = git(&["rev-parse", "HEAD"]);
        self.count = count.parse().expect("git counts in numbers");
        let marks = self.editions.iter().map(|(note, edition)| self.mark(*note, *edition));
        (self.commit.clone(), marks.collect())
    }
}

fn path_of(note: u64) -> String {
    format!("knowledge/n{note}.md")
}

impl World {
    fn new(store: Option<FakeStore>) -> Self {
        let repositories: Vec<Repository> = (0..REPOSITORIES).map(Repository::new).collect();
        let folder = format!("file://{}/kb", repositories[0].env.outside().display());
        let address = if store.is_some() { BUCKET.to_owned() } else { folder };
        let variables = store.as_ref().map(FakeStore::variables).unwrap_or_default();
        let keys = Keys::of(|name| variables.get(name).cloned());
        let place = Address::parse(&address).expect("an address of ours");
        let fleet = Fleet::open(place, keys, None).expect("the place opens");
        let known = BTreeMap::new();
        let mut world =
            Self { address, store, fleet, repositories, known, usual: [Duration::ZERO; 2] };
        for number in 0..REPOSITORIES {
            let (commit, marks) = world.repositories[number].commit();
            world.known.insert(commit, marks);
            let begun = Instant::now();
            let done = finish(&mut world.publish(number));
            assert_eq!(done.code, Some(0), "{done}");
            world.usual[0] = begun.elapsed();
            world.repositories[number].acknowledged = world.repositories[number].count;
        }
        let begun = Instant::now();
        let done = finish(&mut world.fold(false));
        assert_eq!(done.code, Some(0), "{done}");
        world.usual[1] = begun.elapsed();
        world
    }

    fn command(&self, number: usize, args: &[&str]) -> Command {
        let mut command = self.repositories[number].env.command(args);
        command.envs(self.store.iter().flat_map(FakeStore::variables));
        command
    }

    fn publish(&self, number: usize) -> Command {
        let name = self.repositories[number].name.as_str();
        self.command(number, &["publish", &self.address, "--as", name, "--yes"])
    }

    fn fold(&self, tend: bool) -> Command {
        let more: &[&str] = if tend { &["--tend"] } else { &[] };
        self.command(0, &[&["publish", "--fold", &self.address, "--json"], more].concat())
    }

    /// Some repositories publish while two fold and one reads; some of them are killed.
    fn round(&mut self, attack: &mut Attack, counts: &mut Counts, faults: &Arc<[AtomicU64; 4]>) {
        let mut jobs = Vec::new();
        for number in 0..REPOSITORIES {
            if attack.chance.u8(0..3) == 0 {
                continue;
            }
            // Else the same once more: twice is once.
            if attack.chance.u8(0..4) > 0 {
                self.repositories[number].edit(&mut attack.chance);
                let (commit, marks) = self.repositories[number].commit();
                self.known.insert(commit, marks);
            }
            let (what, command) = (What::Publish(number), self.publish(number));
            jobs.push(self.job(&mut attack.chance, what, command, Duration::ZERO));
        }
        for _ in 0..2 {
            let command = self.fold(attack.chance.u8(0..8) == 0);
            let begin = some(&mut attack.chance, 2 * self.usual[0]);
            jobs.push(self.job(&mut attack.chance, What::Fold, command, begin));
        }
        let is_troubled = self.store.is_some() && attack.chance.u8(0..3) > 0;
        if let Some(store) = &self.store {
            store.delay(Duration::from_millis(attack.chance.u64(0..8)));
            if is_troubled {
                trouble(store, attack.chance.u64(..), faults.clone());
            }
        }
        let stop = AtomicBool::new(false);
        let (fleet, known) = (&self.fleet, &self.known);
        let (done, seen) = thread::scope(|scope| {
            let reader = scope.spawn(|| watch(fleet, known, &stop));
            let running: Vec<_> =
                jobs.into_iter().map(|job| scope.spawn(move || job.run())).collect();
            let done: Vec<Done> =
                running.into_iter().map(|job| job.join().expect("a job ends")).collect();
            stop.store(true, Ordering::Relaxed);
            (done, reader.join().expect("the reader ends"))
        });
        if let Some(store) = &self.store {
            store.no_faults();
            store.delay(Duration::ZERO);
            // Nobody reads what was asked: it only takes room.
            store.asked();
        }
        counts.looks += seen.looks;
        counts.unanswered += seen.unanswered;
        counts.torn += seen.torn.len() as u64;
        seen.torn.iter().for_each(|torn| attack.broke(format!("a reader saw {torn}")));
        attack.expect(is_troubled || seen.unanswered == 0, || seen.why.clone());
        for Done { what, ended, took } in done {
            let usual = &mut self.usual[usize::from(what == What::Fold)];
            match (ended, what) {
                (Ended::Killed, _) => counts.kills += 1,
                (Ended::Hung, _) => attack.broke(format!("{what:?} hangs")),
                (Ended::Itself(output), _) if output.stderr().contains("panicked at") => {
                    attack.broke(format!("{what:?} panicked\n{output}"));
                }
                (Ended::Itself(output), _) if output.code == Some(0) => {
                    *usual = (*usual * 3 + took) / 4;
                    if let What::Publish(number) = what {
                        counts.acknowledged += 1;
                        let repository = &mut self.repositories[number];
                        repository.acknowledged = repository.count;
                    }
                }
                // The store said no.
                (Ended::Itself(output), _) if is_troubled && output.code == Some(2) => {}
                (Ended::Itself(output), _) => attack.broke(format!("{what:?} failed\n{output}")),
            }
        }
    }

    /// A job that begins after a while, and is killed or not.
    fn job(
        &self,
        chance: &mut fastrand::Rng,
        what: What,
        command: Command,
        begin: Duration,
    ) -> Job {
        let usual = self.usual[usize::from(what == What::Fold)];
        let kill = chance.bool().then(|| some(chance, usual * 11 / 10));
        Job { what, command, begin, kill }
    }

    /// What holds after every round: one more fold, by nobody who is killed, brings everything there.
    fn settle(&self, attack: &mut Attack, counts: &mut Counts) {
        let folded = attack.bounded(&mut self.fold(false));
        attack.expect(folded.code == Some(0), || format!("the fold after a round\n{folded}"));
        let held = match look(&self.fleet, &self.known) {
            Ok(held) => held,
            Err(Trouble::Unanswered(cause)) => {
                return attack.broke(format!("cannot look: {cause}"));
            }
            Err(Trouble::Torn(torn)) => {
                counts.doubled += torn.doubled;
                counts.lost += u64::from(torn.missing > 0);
                return attack.broke(torn.said);
            }
        };
        for Repository { name, count, acknowledged, .. } in &self.repositories {
            let found = held.get(name).copied().unwrap_or_default();
            if found < *acknowledged {
                counts.lost += 1;
                attack.broke(format!("{name}: {acknowledged} was acknowledged, {found} is there"));
            }
            attack.expect(found <= *count, || format!("{name}: {found} of {count} commits"));
        }
        let left = self.left("inbox");
        attack.expect(left.is_empty(), || format!("left in the inbox: {left:?}"));
        let aside = self.left("aside");
        attack.expect(aside.is_empty(), || format!("set aside: {aside:?}"));
        if attack.chance.u8(0..6) == 0 {
            let again = attack.bounded(&mut self.fold(false));
            let taken = again.json().last().map_or(1, |said| said["taken"].as_u64().unwrap_or(1));
            attack.expect(taken == 0, || format!("folded twice\n{again}"));
            let search = ["search", "--in", &self.address, "--json", "where does the heron wait"];
            let search = attack.bounded(&mut self.command(0, &search));
            attack.expect(search.code == Some(0), || format!("search after a round\n{search}"));
        }
    }

    /// What lies in a folder of the place, but for what was being written when its writer was killed,
    /// which nobody takes for an object.
    fn left(&self, folder: &str) -> Vec<String> {
        if let Some(store) = &self.store {
            let below = format!("bucket/kb/{folder}/");
            return store.names().into_iter().filter(|name| name.starts_with(&below)).collect();
        }
        let place: PathBuf = self.address.trim_start_matches("file://").into();
        let entries = walkdir::WalkDir::new(place.join(folder)).into_iter().flatten();
        let files = entries.filter(|entry| entry.file_type().is_file());
        let names = files.map(|entry| entry.path().display().to_string());
        names.filter(|name| !name.contains('#')).collect()
    }
}

/// A while, shorter than this.
fn some(chance: &mut fastrand::Rng, most: Duration) -> Duration {
    most.mul_f64(chance.f64())
}

/// Has a store say that it is busy, cut connections, lose answers, and say of commits that somebody else
/// was faster. A publication is never said to be there if it is not: that no store does.
fn trouble(store: &FakeStore, seed: u64, faults: Arc<[AtomicU64; 4]>) {
    store.faults(move |asked| {
        let mut random = fastrand::Rng::with_seed(seed.wrapping_add(asked.number));
        let is_commit = asked.method.as_str() == "PUT" && asked.object.contains("/_versions/");
        let (kind, fault) = match random.u8(0..100) {
            0..4 => (0, Fault::Status(503, "SlowDown")),
            4..6 => (1, Fault::Cut),
            6..10 => (2, Fault::LostAnswer),
            10..25 if is_commit => (3, Fault::Status(412, "PreconditionFailed")),
            _ => return None,
        };
        faults[kind].fetch_add(1, Ordering::Relaxed);
        Some(fault)
    });
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// The repository of this number.
    Publish(usize),
    Fold,
}

/// A command that begins after a while, and is killed after another.
struct Job {
    what: What,
    command: Command,
    begin: Duration,
    kill: Option<Duration>,
}

struct Done {
    what: What,
    ended: Ended,
    took: Duration,
}

enum Ended {
    Itself(Output),
    Killed,
    Hung,
}

impl Job {
    fn run(mut self) -> Done {
        thread::sleep(self.begin);
        let begun = Instant::now();
        let piped = self.command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("the program starts");
        let until = begun + self.kill.unwrap_or(HANGS);
        let mut is_killed = false;
        while !is_killed && matches!(child.try_wait(), Ok(None)) {
            thread::sleep(Duration::from_millis(1));
            is_killed = Instant::now() > until && child.kill().is_ok();
        }
        let took = begun.elapsed();
        let output: Output = child.wait_with_output().expect("a child is waited for").into();
        // It may have ended in the moment it was to be killed.
        let ended = match (output.code, self.kill) {
            (Some(_), _) => Ended::Itself(output),
            (None, Some(_)) if is_killed => Ended::Killed,
            (None, None) if is_killed => Ended::Hung,
            (None, _) => Ended::Itself(output),
        };
        Done { what: self.what, ended, took }
    }
}

/// What a reader saw while others wrote.
#[derive(Default)]
struct Seen {
    looks: u64,
    unanswered: u64,
    /// Why it was not answered, last.
    why: String,
    torn: Vec<String>,
}

/// Looks again and again until it is told to stop: each time every repository is whole, and no older
/// than before.
fn watch(fleet: &Fleet, known: &BTreeMap<String, BTreeSet<String>>, stop: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let mut before = BTreeMap::new();
    while !stop.load(Ordering::Relaxed) {
        match look(fleet, known) {
            Ok(held) => {
                for (name, count) in &before {
                    let now = held.get(name).copied().unwrap_or_default();
                    if now < *count {
                        seen.torn.push(format!("{name} go back from {count} to {now}"));
                    }
                }
                before = held;
            }
            Err(Trouble::Torn(torn)) => seen.torn.push(torn.said),
            Err(Trouble::Unanswered(cause)) => {
                seen.unanswered += 1;
                seen.why = format!("a reader was not answered: {cause}");
            }
        }
        seen.looks += 1;
        thread::sleep(Duration::from_millis(5));
    }
    seen
}

enum Trouble {
    Unanswered(FleetError),
    Torn(Torn),
}

/// What is there, but is no state of a repository.
struct Torn {
    said: String,
    /// Chunks that lack, and that are there more than once.
    missing: usize,
    doubled: u64,
}

impl From<FleetError> for Trouble {
    fn from(cause: FleetError) -> Self {
        Self::Unanswered(cause)
    }
}

/// How many commits each repository has there, once what is there was held against what the commit holds.
fn look(
    fleet: &Fleet,
    known: &BTreeMap<String, BTreeSet<String>>,
) -> Result<BTreeMap<String, u64>, Trouble> {
    let view = fleet.view(None)?;
    let mut found: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for table in view.tables() {
        let (sender, receiver) = mpsc::channel();
        table.each(Only::default(), move |rows| sender.send(rows).is_ok())?;
        for row in receiver.into_iter().flatten() {
            let marks = found.entry(row.repository).or_default();
            *marks.entry(mark_in(&row.text)).or_default() += 1;
        }
    }
    let mut held = BTreeMap::new();
    let nothing = BTreeSet::new();
    for head in view.heads() {
        let marks = found.remove(&head.repository).unwrap_or_default();
        let expected = known.get(&head.commit).unwrap_or(&nothing);
        let missing = expected.iter().filter(|mark| !marks.contains_key(*mark)).count();
        let others = marks.keys().filter(|mark| !expected.contains(*mark)).count();
        let doubled: u64 = marks.values().map(|times| times - 1).sum();
        if expected.is_empty() || missing + others > 0 || doubled > 0 {
            let said = format!(
                "{} at commit {:.10}: of {} chunks {missing} lack, {others} are of another state, \
                 {doubled} are doubled",
                head.repository,
                head.commit,
                expected.len()
            );
            return Err(Trouble::Torn(Torn { said, missing, doubled }));
        }
        held.insert(head.repository.clone(), head.count);
    }
    if let Some(name) = found.keys().next() {
        let said = format!("{name}: chunks without a head");
        return Err(Trouble::Torn(Torn { said, missing: 0, doubled: 0 }));
    }
    Ok(held)
}

fn mark_in(text: &str) -> String {
    let mut words = text.split(|char: char| !char.is_ascii_alphanumeric() && char != '-');
    words.find(|word| word.starts_with("mark-")).unwrap_or(text).to_owned()
}
