//! A gateway: conversations of several people over several channels, each with its own history,
//! queue and approvals. A door connects clients and hands messages on; it decides nothing.
//!
//! A person is one identity, or several that the settings join. A conversation is that of a person
//! about a repository; what must not be forgotten of it is in its `ledger`, on disk before it
//! counts. Its runs are made by a `worker`, one after the other.

mod approvals;
mod attachments;
mod client;
mod commands;
mod conversation;
mod digest;
mod endings;
mod events;
mod found;
mod identity;
mod ledger;
pub mod message;
mod mode;
mod remote;
mod served;
mod state;
mod telling;
#[cfg(test)]
mod tests;
mod timetable;
mod turns;
mod worker;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use serde::Serialize;
use uuid::Uuid;

use crate::{
    Error, Reporter, Result, Workspace,
    agent::{Session, Tool},
};
use attachments::Attachments;
pub use attachments::{AttachmentKind, MOST as MOST_ATTACHMENTS, MOST_BYTES as MOST_ATTACHMENT};
pub use client::Client;
use conversation::Conversation;
use elophanto_base::{mutex::lock, platform, visible::escape_control_line};
use endings::{answer_of, of_end};
use found::Found;
pub use identity::{Channel, Identity, Scopes};
use ledger::{Ended, Kept};
use message::{Outgoing, Told};
pub use served::{Served, people};
use state::{Standing, State};
use turns::Turns;

/// The folder of the gateway below that of what we keep for the user.
pub const FOLDER: &str = "gateway";

/// Makes the tools that a door brings along for the runs in a workspace.
pub type ToolsOf =
    dyn Fn(&Workspace, Arc<dyn Reporter + Send + Sync>) -> Vec<Box<dyn Tool>> + Send + Sync;

/// What a gateway is made of.
pub struct GatewayOptions {
    /// At least one; a conversation begins in the first.
    pub repositories: Vec<Served>,
    /// Where conversations, queues and approvals are kept: a folder of the user's own.
    pub folder: PathBuf,
    /// After this time an approval that nobody answered counts as denied.
    pub approval_expires: Duration,
    /// Identities (`telegram:1`) of one person each.
    pub same_person: Vec<Vec<String>>,
    /// Of the program.
    pub version: String,
    /// Tools of the door's own.
    pub tools: Box<ToolsOf>,
}

/// Where messages for one client go. Must not wait: a client that takes nothing holds up nobody.
pub trait Outbox: Send + Sync {
    /// Puts a message in line; `false` where the client is gone or takes nothing, which disconnects it.
    fn put(&self, message: Arc<Outgoing>) -> bool;
}

/// Conversations of one user's gateway. Cheap to share between threads.
pub struct Gateway {
    options: GatewayOptions,
    conversations: Mutex<BTreeMap<(String, PathBuf), Arc<Conversation>>>,
    clients: Mutex<Vec<Arc<Connected>>>,
    turns: Turns,
    attachments: Attachments,
    next: AtomicU64,
    is_ending: AtomicBool,
}

/// A client that is connected.
struct Connected {
    number: u64,
    identity: Identity,
    person: String,
    conversation: Mutex<Arc<Conversation>>,
    outbox: Arc<dyn Outbox>,
}

impl Connected {
    fn conversation(&self) -> Arc<Conversation> {
        Arc::clone(&lock(&self.conversation))
    }
}

impl Gateway {
    /// Reads what was kept: approvals wait again. What is damaged is said in words.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or there is no repository.
    pub fn open(options: GatewayOptions) -> Result<(Arc<Self>, Vec<String>)> {
        if options.repositories.is_empty() {
            return Err(Error::new("there is no repository to serve"));
        }
        let conversations = options.folder.join("conversations");
        platform::make_folders(&conversations, platform::PRIVATE_FOLDER)?;
        let gateway = Arc::new(Self {
            attachments: Attachments::of(&options.folder),
            turns: Turns::default(),
            options,
            conversations: Mutex::default(),
            clients: Mutex::default(),
            next: AtomicU64::new(1),
            is_ending: AtomicBool::new(false),
        });
        let problems = gateway.read_all()?;
        Ok((gateway, problems))
    }

    /// Begins what was taken and not begun, once everything is there that it needs.
    ///
    /// # Errors
    /// When there is no room for another thread.
    pub fn begin(self: &Arc<Self>) -> Result<()> {
        self.all().iter().for_each(|conversation| conversation.begin_again(self));
        self.keep_time()
    }

    /// Ends what people of a channel have begun, and wanted at intervals, who are not in any more.
    pub fn leave_out(&self, channel: Channel, is_in: &dyn Fn(&str) -> bool) {
        for conversation in self.all() {
            let is_out = |of: Channel, user: &str| of == channel && !is_in(user);
            conversation.let_go(self, &is_out);
        }
    }

    fn all(&self) -> Vec<Arc<Conversation>> {
        lock(&self.conversations).values().cloned().collect()
    }

    /// Conversations about repositories that are served; those about others stay as they are.
    fn read_all(&self) -> Result<Vec<String>> {
        let mut problems = Vec::new();
        for entry in std::fs::read_dir(self.options.folder.join("conversations"))? {
            let path = entry?.path();
            let is_log = path.extension().is_some_and(|ending| ending == "jsonl");
            if !is_log {
                continue;
            }
            let found = match Found::read(&path) {
                Ok(found) => found,
                Err(error) => {
                    problems.push(error.message().to_owned());
                    continue;
                }
            };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let Some((person, served)) = self.owner(found.kept(), &name) else {
                problems.extend_from_slice(found.problems());
                let Kept { session, person, root, .. } = found.kept();
                if session.is_some() && log_name(person, root) != name {
                    let text = format!("`{}` is the log of another conversation", path.display());
                    problems.push(text);
                }
                continue;
            };
            let taken = found.take_up(&person, &served.root);
            let (ledger, damage) = match taken {
                Ok(taken) => taken,
                Err(error) => {
                    problems.push(error.message().to_owned());
                    continue;
                }
            };
            let key = (person.clone(), served.root.clone());
            let conversation = Conversation::new(person, served.clone(), ledger)?;
            damage.iter().for_each(|problem| conversation.notice(problem));
            problems.extend(damage);
            lock(&self.conversations).insert(key, Arc::new(conversation));
        }
        Ok(problems)
    }

    /// Whose log is called so, about which repository that is served: by what it says itself or, where
    /// that is lost, by who sent what waits in it.
    fn owner(&self, kept: &Kept, name: &str) -> Option<(String, &Served)> {
        let people: Vec<String> = match kept.session {
            Some(_) => vec![kept.person.clone()],
            None => kept.senders().flat_map(|key| [self.person_of(key.clone()), key]).collect(),
        };
        let mut all = self.options.repositories.iter();
        all.find_map(|served| {
            let is_its = |person: &&String| log_name(person, &served.root) == name;
            people.iter().find(is_its).map(|person| (person.clone(), served))
        })
    }

    /// A client has come in: it is told how its conversation stands, and what waits for an answer.
    ///
    /// # Errors
    /// When its conversation cannot be read or written down.
    pub fn connect(
        self: &Arc<Self>,
        identity: Identity,
        outbox: Arc<dyn Outbox>,
    ) -> Result<Client> {
        let person = self.person(&identity);
        let conversation = match self.newest(&person) {
            Some(conversation) => conversation,
            None => self.conversation(&person, &self.options.repositories[0])?,
        };
        let client = Arc::new(Connected {
            number: self.next.fetch_add(1, Ordering::Relaxed),
            identity,
            person: person.clone(),
            conversation: Mutex::new(Arc::clone(&conversation)),
            outbox,
        });
        let all = self.all();
        // First, so that the status counts what can still be answered.
        let theirs = || all.iter().filter(|it| self.person_of(it.person.clone()) == person);
        theirs().for_each(|conversation| conversation.expire(self));
        // While the state is held nothing is asked or settled: what is told stands before what comes of it.
        let asks = |state: &State| {
            let may = client.identity.scopes.approve;
            for request in state.pending(self, &person).into_iter().filter(|_| may) {
                self.send(&client, &Told::ApprovalRequest(Box::new(request)));
            }
        };
        {
            // Nothing happens between its status and its entering, and nobody tells it anything before.
            let state = conversation.state();
            let status = self.status_in(&client, &conversation, &state, None);
            let status = self.envelope(&client, conversation.session(), &status);
            {
                let mut clients = lock(&self.clients);
                client.outbox.put(Arc::new(status));
                clients.push(Arc::clone(&client));
            }
            asks(&state);
        }
        for conversation in theirs() {
            for notice in conversation.take_notices() {
                let told = events::notice(notice, message::Tone::Warning);
                self.put(&client, conversation.session(), &told);
            }
            let untold = conversation.untold();
            let put = |(id, ended): &&(Uuid, Ended)| {
                let session = conversation.session();
                (!ended.is_scheduled || self.put(&client, session, &answer_of(*id, ended)))
                    && self.put(&client, session, &of_end(ended))
            };
            // Only what is on its way: the rest is told to whoever comes next.
            conversation.told(untold.iter().take_while(put).map(|(id, _)| *id).collect());
        }
        let others = all.iter().filter(|it| !Arc::ptr_eq(it, &conversation));
        others.for_each(|other| asks(&other.state()));
        Ok(Client { gateway: Arc::clone(self), client })
    }

    /// Keeps a file that somebody hands over, for a message that names its id.
    ///
    /// # Errors
    /// When they may only read, or the file cannot be kept.
    pub fn attach(
        &self,
        identity: &Identity,
        name: &str,
        bytes: &[u8],
    ) -> Result<(Uuid, AttachmentKind)> {
        if !identity.scopes.chat {
            return Err(Error::new("this connection may only read"));
        }
        let kept = self.attachments.keep(&identity.key(), name, bytes);
        kept.map_err(|error| match (identity.channel.is_of_this_machine(), error.hint_text()) {
            (true, _) => error,
            (false, None) => Error::new(self.hidden(error.message())),
            (false, Some(hint)) => Error::new(self.hidden(error.message())).hint(self.hidden(hint)),
        })
    }

    /// How all conversations stand in which something goes on or waits.
    pub fn standings(&self) -> Vec<ConversationStanding> {
        let standing = |conversation: &Arc<Conversation>| {
            let Standing { running, queued, waiting, .. } = conversation.standing();
            ConversationStanding {
                person: self.person_of(conversation.person.clone()),
                repository: conversation.served.name.clone(),
                running,
                queued,
                waiting,
            }
        };
        let all = self.all();
        let is_busy = |it: &ConversationStanding| {
            it.running.is_some() || it.queued > 0 || !it.waiting.is_empty()
        };
        all.iter().map(standing).filter(is_busy).collect()
    }

    /// Ends all runs and waits until they are written down, at most so long.
    pub fn end(&self, patience: Duration) {
        self.is_ending.store(true, Ordering::Relaxed);
        let all = self.all();
        all.iter().for_each(|conversation| conversation.cancel());
        let begun = Instant::now();
        while begun.elapsed() < patience && !all.iter().all(|it| it.is_still()) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// How many clients are connected.
    pub fn clients(&self) -> usize {
        lock(&self.clients).len()
    }

    fn is_ending(&self) -> bool {
        self.is_ending.load(Ordering::Relaxed)
    }

    fn ending(&self) -> &AtomicBool {
        &self.is_ending
    }

    /// Who somebody is: the first identity of those that the settings join, or their own.
    fn person(&self, identity: &Identity) -> String {
        self.person_of(identity.key())
    }

    /// The same by how settings write an identity.
    fn person_of(&self, key: String) -> String {
        let joined = self.options.same_person.iter().find(|all| all.contains(&key));
        joined.and_then(|all| all.first()).cloned().unwrap_or(key)
    }

    /// The channel that a person is known by, and their name there.
    fn channel_of(&self, person: &str) -> (Channel, String) {
        let (name, user) = person.split_once(':').unwrap_or(("", person));
        let channel = Channel::named(name);
        (channel.unwrap_or(Channel::Cli), user.to_owned())
    }

    /// Whether a session is of this person.
    fn is_of(&self, person: &str, session: &Session) -> bool {
        self.person_of(format!("{}:{}", session.channel, session.user)) == person
            || self.of_person(person).iter().any(|it| it.session() == session.id)
    }

    fn of_person(&self, person: &str) -> Vec<Arc<Conversation>> {
        let is_theirs = |it: &Arc<Conversation>| self.person_of(it.person.clone()) == person;
        self.all().into_iter().filter(is_theirs).collect()
    }

    fn newest(&self, person: &str) -> Option<Arc<Conversation>> {
        self.of_person(person).into_iter().max_by_key(|conversation| conversation.last())
    }

    /// The conversation of a person about a repository, which may begin here.
    fn conversation(self: &Arc<Self>, person: &str, served: &Served) -> Result<Arc<Conversation>> {
        let key = (person.to_owned(), served.root.clone());
        let mut all = lock(&self.conversations);
        if let Some(conversation) = all.get(&key) {
            return Ok(Arc::clone(conversation));
        }
        let path = self.options.folder.join("conversations").join(log_name(person, &served.root));
        let (ledger, problems) = Found::read(&path)?.take_up(person, &served.root)?;
        let conversation = Arc::new(Conversation::new(person.to_owned(), served.clone(), ledger)?);
        problems.iter().for_each(|problem| conversation.notice(problem));
        // Where its log could not be read, or not be told whose it is, when everything else was begun;
        // before anybody finds it, so that nothing of it goes on yet.
        conversation.begin_again(self);
        all.insert(key, Arc::clone(&conversation));
        Ok(conversation)
    }

    /// Whether another conversation is in a session.
    fn is_held(&self, session: Uuid, by_other_than: &Conversation) -> bool {
        self.all().iter().any(|it| !std::ptr::eq(&**it, by_other_than) && it.session() == session)
    }

    fn list_repositories(&self, conversation: &Conversation) -> String {
        let line = |served: &Served| {
            let mark = if served.root == conversation.served.root { " (here)" } else { "" };
            format!("{}{mark}", escape_control_line(&served.name))
        };
        self.options.repositories.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

/// How a conversation stands in which something goes on or waits.
#[derive(Serialize)]
pub struct ConversationStanding {
    /// Whose it is: their first identity.
    pub person: String,
    /// The one that it is about, by its name.
    pub repository: String,
    /// The goal of the run that goes on.
    pub running: Option<String>,
    /// Messages that wait for their turn.
    pub queued: usize,
    /// What waits for an answer, in words.
    pub waiting: Vec<String>,
}

/// What the log of a conversation is called.
fn log_name(person: &str, root: &Path) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(person.as_bytes()).update(&[0]);
    hasher.update(root.as_os_str().as_encoded_bytes());
    format!("{}.jsonl", &hasher.finalize().to_hex()[..32])
}
