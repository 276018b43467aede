//! A gateway: conversations of several people over several channels, each with its own history,
//! queue and approvals. A door connects clients and hands messages on; it decides nothing.
//!
//! A person is one identity, or several that the settings join. A conversation is that of a person
//! about a repository; what must not be forgotten of it is in its `ledger`, on disk before it
//! counts. Its runs are made by a `worker`, one after the other.

mod approvals;
mod client;
mod commands;
mod conversation;
mod digest;
mod events;
mod identity;
mod ledger;
pub mod message;
mod mode;
mod served;
#[cfg(test)]
mod tests;
mod worker;

use std::{
    collections::BTreeMap,
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt,
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use uuid::Uuid;

use crate::{
    Error, Reporter, Workspace,
    agent::{Session, Tool},
};
pub use client::Client;
use conversation::Conversation;
use elophanto_base::visible::escape_control_line;
pub use identity::{Channel, Identity, Scopes};
use ledger::Ledger;
use message::{Outgoing, Status, Told, VERSION};
pub use served::{Served, people};

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
    pub fn open(options: GatewayOptions) -> Result<(Arc<Self>, Vec<String>), Error> {
        if options.repositories.is_empty() {
            return Err(Error::new("there is no repository to serve"));
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(options.folder.join("conversations"))?;
        let gateway = Arc::new(Self {
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
    pub fn begin(self: &Arc<Self>) {
        self.all().iter().for_each(|conversation| conversation.begin_again(self));
    }

    fn all(&self) -> Vec<Arc<Conversation>> {
        lock(&self.conversations).values().cloned().collect()
    }

    /// Conversations about repositories that are served; those about others stay as they are.
    fn read_all(&self) -> Result<Vec<String>, Error> {
        let mut problems = Vec::new();
        for entry in std::fs::read_dir(self.options.folder.join("conversations"))? {
            let path = entry?.path();
            let is_log = path.extension().is_some_and(|ending| ending == "jsonl");
            if !is_log {
                continue;
            }
            let (ledger, damage) = match Ledger::read(&path) {
                Ok(read) => read,
                Err(error) => {
                    problems.push(error.message().to_owned());
                    continue;
                }
            };
            problems.extend(damage);
            let (person, root) = (ledger.kept.person.clone(), ledger.kept.root.clone());
            let served = self.options.repositories.iter().find(|served| served.root == root);
            if let (Some(served), false) = (served, person.is_empty()) {
                let conversation = Conversation::new(person.clone(), served.clone(), ledger)?;
                lock(&self.conversations).insert((person, root), Arc::new(conversation));
            }
        }
        Ok(problems)
    }

    /// A client has come in: it is told how its conversation stands, and what waits for an answer.
    ///
    /// # Errors
    /// When its conversation cannot be read or written down.
    pub fn connect(
        self: &Arc<Self>,
        identity: Identity,
        outbox: Arc<dyn Outbox>,
    ) -> Result<Client, Error> {
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
        lock(&self.clients).push(Arc::clone(&client));
        self.send(&client, &self.status(&client, None));
        if client.identity.scopes.approve {
            for conversation in self.of_person(&person) {
                conversation.expire(self);
                for request in conversation.pending() {
                    self.send(&client, &Told::ApprovalRequest(Box::new(request)));
                }
            }
        }
        Ok(Client { gateway: Arc::clone(self), client })
    }

    /// Ends all runs and waits until they are written down, at most so long.
    pub fn end(&self, patience: Duration) {
        self.is_ending.store(true, Ordering::Relaxed);
        let all: Vec<_> = lock(&self.conversations).values().cloned().collect();
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
        let key = identity.key();
        self.person_of(key)
    }

    /// The same by how settings write an identity.
    fn person_of(&self, key: String) -> String {
        let joined = self.options.same_person.iter().find(|all| all.contains(&key));
        joined.and_then(|all| all.first()).cloned().unwrap_or(key)
    }

    /// The channel that a person is known by, and their name there.
    fn channel_of(&self, person: &str) -> (Channel, String) {
        let (name, user) = person.split_once(':').unwrap_or(("", person));
        let channel = Channel::ALL.into_iter().find(|channel| channel.name() == name);
        (channel.unwrap_or(Channel::Cli), user.to_owned())
    }

    /// Whether a session is of this person.
    fn is_of(&self, person: &str, session: &Session) -> bool {
        self.person_of(format!("{}:{}", session.channel, session.user)) == person
            || self.of_person(person).iter().any(|it| it.session() == session.id)
    }

    fn of_person(&self, person: &str) -> Vec<Arc<Conversation>> {
        let all = lock(&self.conversations);
        all.values().filter(|conversation| conversation.person == person).cloned().collect()
    }

    fn newest(&self, person: &str) -> Option<Arc<Conversation>> {
        self.of_person(person).into_iter().max_by_key(|conversation| conversation.last())
    }

    /// The conversation of a person about a repository, which may begin here.
    fn conversation(&self, person: &str, served: &Served) -> Result<Arc<Conversation>, Error> {
        let key = (person.to_owned(), served.root.clone());
        let mut all = lock(&self.conversations);
        if let Some(conversation) = all.get(&key) {
            return Ok(Arc::clone(conversation));
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update(person.as_bytes()).update(&[0]);
        hasher.update(served.root.as_os_str().as_encoded_bytes());
        let name = format!("{}.jsonl", &hasher.finalize().to_hex()[..32]);
        let (ledger, _) = Ledger::read(&self.options.folder.join("conversations").join(name))?;
        let conversation = Arc::new(Conversation::new(person.to_owned(), served.clone(), ledger)?);
        all.insert(key, Arc::clone(&conversation));
        Ok(conversation)
    }

    /// Whether another conversation is in a session.
    fn is_held(&self, session: Uuid, by_other_than: &Conversation) -> bool {
        let all: Vec<_> = lock(&self.conversations).values().cloned().collect();
        all.iter().any(|it| !std::ptr::eq(&**it, by_other_than) && it.session() == session)
    }

    /// Tells everybody who is in a conversation.
    fn tell(&self, conversation: &Conversation, told: &Told) {
        self.tell_those(told, |client| is_in(client, conversation));
    }

    /// Tells the person of a conversation, wherever they are, if they may know.
    fn tell_person(
        &self,
        conversation: &Conversation,
        told: &Told,
        may: impl Fn(&Identity) -> bool,
    ) {
        let session = conversation.session();
        let clients: Vec<_> = lock(&self.clients).clone();
        for client in clients {
            if client.person == conversation.person && may(&client.identity) {
                self.put(&client, session, told);
            }
        }
    }

    fn tell_those(&self, told: &Told, is_it: impl Fn(&Connected) -> bool) {
        let clients: Vec<_> = lock(&self.clients).clone();
        clients.iter().filter(|client| is_it(client)).for_each(|client| self.send(client, told));
    }

    /// Tells everybody who is in a conversation how it stands.
    fn tell_status(&self, conversation: &Conversation, accepted: Option<Uuid>) {
        let clients: Vec<_> = lock(&self.clients).clone();
        for client in clients.iter().filter(|client| is_in(client, conversation)) {
            self.send(client, &self.status(client, accepted));
        }
    }

    fn status(&self, client: &Connected, accepted: Option<Uuid>) -> Told {
        let conversation = client.conversation();
        let standing = conversation.standing();
        Told::Status(Status {
            version: VERSION,
            server: self.options.version.clone(),
            repository: conversation.served.name.clone(),
            repositories: self.options.repositories.iter().map(|it| it.name.clone()).collect(),
            scopes: client.identity.scopes.names(),
            running: standing.running,
            queued: standing.queued,
            approvals: standing.approvals,
            accepted,
        })
    }

    fn send(&self, client: &Connected, told: &Told) {
        self.put(client, client.conversation().session(), told);
    }

    fn put(&self, client: &Connected, session_id: Uuid, told: &Told) {
        let message = Outgoing {
            id: Uuid::new_v4(),
            session_id,
            channel: client.identity.channel,
            user_id: client.identity.user.clone(),
            body: told.clone(),
        };
        if !client.outbox.put(Arc::new(message)) {
            self.disconnect(client.number);
        }
    }

    fn disconnect(&self, number: u64) {
        lock(&self.clients).retain(|client| client.number != number);
    }

    fn list_repositories(&self, conversation: &Conversation) -> String {
        let line = |served: &Served| {
            let mark = if served.root == conversation.served.root { " (here)" } else { "" };
            format!("{}{mark}", escape_control_line(&served.name))
        };
        self.options.repositories.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

fn is_in(client: &Connected, conversation: &Conversation) -> bool {
    std::ptr::eq(&*client.conversation(), conversation)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
