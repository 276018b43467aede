//! A channel at work: its people as clients of the gateway, a thread that listens, one that speaks.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    path::PathBuf,
    sync::{
        Arc, Condvar, Mutex, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use uuid::Uuid;

use super::{
    ChannelOptions,
    kept::Kept,
    lines::{About, Lines, Post, back_off},
    registry::{Person, Registry, RegistryFile},
};
use crate::{
    Error, Reporter, Result,
    gateway::{
        Channel, Client, Gateway, Identity, Outbox, Scopes,
        message::{ApprovalRequest, Asked, Chat, Incoming, Outgoing},
    },
};
use elophanto_base::mutex::lock;
use elophanto_channels::{Bot, ChannelAdapter, ChannelError, Place};

/// How often whoever speaks looks whom the user has let in meanwhile.
const LOOKS: Duration = Duration::from_secs(1);
/// How long the other program may be at it before it is asked again.
const BUSY: Duration = Duration::from_secs(5);

/// A channel at work.
pub struct RunningChannel {
    pub(super) channel: Channel,
    pub(super) adapter: Box<dyn ChannelAdapter>,
    pub(super) gateway: Arc<Gateway>,
    pub(super) bot: Bot,
    pub(super) groups: bool,
    /// Where what is kept of channels lies.
    pub(super) folder: PathBuf,
    pub(super) registry: RegistryFile,
    pub(super) kept: Mutex<Kept>,
    pub(super) seats: Mutex<BTreeMap<String, Seat>>,
    pub(super) memory: Mutex<Memory>,
    pub(super) lines: Mutex<Lines>,
    /// Held while an approval is on its way: an answer may be here before it is known where it stands.
    pub(super) showing: Mutex<()>,
    /// Rung when there is something to say.
    pub(super) bell: Condvar,
    is_ending: AtomicBool,
    reporter: Arc<dyn Reporter + Send + Sync>,
    said: Mutex<String>,
    own: Weak<RunningChannel>,
}

/// Somebody who may write, as a client of the gateway.
pub struct Seat {
    pub(super) person: Person,
    pub(super) client: Arc<Client>,
}

/// What is known while the process lives.
#[derive(Default)]
pub struct Memory {
    /// Messages whose answers are on their way.
    pub(super) queued: BTreeSet<Uuid>,
    /// Messages that were taken before, about a repository that is not served now.
    pub(super) elsewhere: BTreeSet<Uuid>,
    /// Messages that ended without an answer, of which it is not yet told why.
    pub(super) empty: BTreeSet<Uuid>,
    /// What was asked for here lately.
    pub(super) goals: VecDeque<String>,
    /// Approvals that wait for an answer.
    pub(super) requests: BTreeMap<Uuid, ApprovalRequest>,
    /// The answer to an approval that is handed on now, and what is wrong with it.
    pub(super) pressing: Option<(Uuid, Option<String>)>,
    /// When somebody reacted lately.
    pub(super) reactions: VecDeque<Instant>,
}

/// Where the gateway puts what it tells one of them.
struct Mailbox {
    running: Weak<RunningChannel>,
    user: String,
    home: Place,
}

impl Outbox for Mailbox {
    fn put(&self, message: Arc<Outgoing>) -> bool {
        let Some(running) = self.running.upgrade() else { return false };
        running.told(&self.user, &self.home, &message.body);
        true
    }
}

impl RunningChannel {
    pub fn new(
        channel: Channel,
        adapter: Box<dyn ChannelAdapter>,
        registry: RegistryFile,
        bot: Bot,
        kept: Kept,
        options: &ChannelOptions,
    ) -> Arc<Self> {
        Arc::new_cyclic(|own| Self {
            channel,
            adapter,
            gateway: Arc::clone(&options.gateway),
            bot,
            groups: options.settings.groups,
            folder: super::below(&options.folder),
            registry,
            kept: Mutex::new(kept),
            seats: Mutex::default(),
            memory: Mutex::default(),
            lines: Mutex::default(),
            showing: Mutex::default(),
            bell: Condvar::new(),
            is_ending: AtomicBool::new(false),
            reporter: Arc::clone(&options.reporter),
            said: Mutex::default(),
            own: own.clone(),
        })
    }

    /// Takes up what was not answered, and begins to listen and to speak.
    pub fn begin(self: &Arc<Self>) -> Result<()> {
        self.take_up();
        let (listens, speaks) = (Arc::clone(self), Arc::clone(self));
        let name = self.channel.name();
        let thread = |part: &str| std::thread::Builder::new().name(format!("{name}-{part}"));
        thread("in").spawn(move || listens.listen())?;
        thread("out").spawn(move || speaks.speak())?;
        Ok(())
    }

    pub fn end(&self) {
        self.is_ending.store(true, Ordering::Relaxed);
        self.bell.notify_all();
    }

    pub(super) fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    /// Whoever the user has let in becomes a client; who is not among them any more is none.
    pub(super) fn seat_people(&self, is_start: bool) -> Result<()> {
        let known = self.registry.read()?;
        let is_in = |user: &str| known.as_ref().is_some_and(|it| it.person(user).is_some());
        // Each time: what could not be written down before is now.
        self.gateway.leave_out(self.channel, &is_in);
        let Some(registry) = known else {
            lock(&self.seats).clear();
            return Err(not_set_up());
        };
        let homes: Vec<Place> = registry.people.iter().map(|it| it.home.clone()).collect();
        self.adapter.watch(&homes);
        let changed: Vec<Person> = {
            let mut seats = lock(&self.seats);
            let is_same = |seat: &Seat| registry.person(&seat.person.id) == Some(&seat.person);
            let before: BTreeSet<String> = seats.keys().cloned().collect();
            seats.retain(|_, seat| is_same(seat));
            let is_new = |person: &&Person| !seats.contains_key(&person.id);
            let changed: Vec<Person> = registry.people.iter().filter(is_new).cloned().collect();
            drop(seats);
            for person in &changed {
                if !is_start && !before.contains(&person.id) {
                    let text = "You are in: write what is to be done. `/help` lists commands.";
                    self.say(&person.home, None, text);
                }
            }
            changed
        };
        for person in changed {
            let identity = self.identity(&person);
            let mailbox = Mailbox {
                running: self.own.clone(),
                user: person.id.clone(),
                home: person.home.clone(),
            };
            let client = Arc::new(self.gateway.connect(identity, Arc::new(mailbox))?);
            lock(&self.seats).insert(person.id.clone(), Seat { person, client });
        }
        Ok(())
    }

    pub(super) fn identity(&self, person: &Person) -> Identity {
        Identity {
            channel: self.channel,
            user: person.id.clone(),
            scopes: Scopes {
                chat: true,
                approve: person.approves,
                admin: self.channel.is_of_this_machine(),
            },
        }
    }

    pub(super) fn client(&self, user: &str) -> Option<Arc<Client>> {
        lock(&self.seats).get(user).map(|seat| Arc::clone(&seat.client))
    }

    pub(super) fn read(&self) -> Result<Registry> {
        self.registry.read()?.ok_or_else(not_set_up)
    }

    /// Hands what was not answered to the gateway again, which knows what of it is done.
    fn take_up(&self) {
        let mut open: Vec<_> =
            lock(&self.kept).open.iter().map(|(id, open)| (*id, open.clone())).collect();
        open.sort_by_key(|(_, open)| open.number);
        for (id, open) in open {
            if lock(&self.memory).queued.contains(&id) {
                continue;
            }
            match self.client(&open.user) {
                // It is about another repository, and waits until that is served.
                Some(client) if open.repository.as_ref().is_some_and(|it| !client.go_on_in(it)) => {
                    lock(&self.memory).elsewhere.insert(id);
                }
                Some(client) => {
                    self.remember(&open.content);
                    client.receive(Incoming {
                        id,
                        session_id: None,
                        body: chat(open.content, open.attachments),
                    });
                }
                // Who may not write any more is not answered either.
                None => {
                    lock(&self.kept).open.remove(&id);
                }
            }
        }
    }

    pub(super) fn remember(&self, goal: &str) {
        /// Goals that are known to be from here.
        const MOST: usize = 100;
        let goals = &mut lock(&self.memory).goals;
        goals.push_back(goal.to_owned());
        if goals.len() > MOST {
            goals.pop_front();
        }
    }

    /// Takes what comes until the process ends.
    fn listen(&self) {
        let mut fails = 0;
        while !self.is_ending() {
            let read = lock(&self.kept).read;
            let taken = match self.adapter.next(read) {
                Ok(all) => all.iter().try_for_each(|inbound| self.receive(inbound)),
                Err(error) => Err(error),
            };
            let wait = match taken {
                Ok(()) => {
                    fails = 0;
                    self.well();
                    continue;
                }
                Err(ChannelError::Token(why)) => {
                    self.warn(&format!(
                        "the token is not taken any more, and nothing is heard: {why}; `elophanto \
                         channel add {}` takes another one",
                        self.channel.name()
                    ));
                    return;
                }
                Err(error @ ChannelError::Barred(_)) => return self.warn(&error.to_string()),
                Err(error @ ChannelError::Busy(_)) => {
                    self.warn(&error.to_string());
                    BUSY
                }
                Err(ChannelError::Later { reason, wait }) => {
                    fails += 1;
                    // Networks come and go.
                    if fails > 3 {
                        self.warn(&reason);
                    }
                    wait.unwrap_or_default().max(back_off(fails))
                }
                Err(error) => {
                    fails += 1;
                    self.warn(&error.to_string());
                    back_off(fails)
                }
            };
            self.pause(wait);
        }
    }

    pub(super) fn pause(&self, wait: Duration) {
        let end = Instant::now() + wait;
        while !self.is_ending() && Instant::now() < end {
            std::thread::sleep(wait.min(Duration::from_millis(100)));
        }
    }

    /// Says what waits until the process ends.
    fn speak(&self) {
        self.register();
        let mut looked = Instant::now();
        while !self.is_ending() {
            if looked.elapsed() >= LOOKS {
                looked = Instant::now();
                lock(&self.kept).catch_up();
                if let Err(error) = self.seat_people(false) {
                    self.warn(error.message());
                }
            }
            let mut lines = lock(&self.lines);
            let when = match lines.next(Instant::now()) {
                Ok(job) => {
                    drop(lines);
                    if !self.work(job) {
                        return;
                    }
                    std::thread::sleep(self.adapter.limits().between_all);
                    continue;
                }
                Err(when) => when,
            };
            let left = when.map(|when| when.saturating_duration_since(Instant::now()));
            let wait = left.unwrap_or(LOOKS).min(LOOKS).max(Duration::from_millis(1));
            drop(self.bell.wait_timeout(lines, wait));
        }
    }

    /// Puts words in line.
    pub(super) fn say(&self, place: &Place, to: Option<&str>, markdown: &str) {
        self.push(place, About::Other, to, markdown);
    }

    pub(super) fn push(&self, place: &Place, about: About, to: Option<&str>, markdown: &str) {
        self.put(place, Post::new(about, to.map(str::to_owned), self.adapter.parts(markdown)));
    }

    pub(super) fn put(&self, place: &Place, post: Post) {
        lock(&self.lines).push(place, post);
        self.bell.notify_all();
    }

    /// Says once that something does not work.
    pub(super) fn warn(&self, text: &str) {
        let mut said = lock(&self.said);
        if *said != text {
            text.clone_into(&mut said);
            let reporter: &dyn Reporter = &*self.reporter;
            reporter.warn(format_args!("{}: {text}", self.channel.name()));
        }
    }

    fn well(&self) {
        lock(&self.said).clear();
    }
}

fn not_set_up() -> Error {
    Error::new("the bot is not set up any more")
}

/// What somebody says, as the gateway takes it.
pub(super) fn chat(content: String, files: Vec<Uuid>) -> Asked {
    let attachments = files.into_iter().map(crate::gateway::message::Attached::Id).collect();
    Asked::Chat(Chat { content, attachments })
}
