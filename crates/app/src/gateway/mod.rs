//! A gateway: conversations of several people over several channels, each with its own history,
//! queue and approvals. A door connects clients and hands messages on; it decides nothing.

mod identity;
pub mod message;

use std::{path::PathBuf, sync::Arc, time::Duration};

use uuid::Uuid;

use crate::{Error, workspace::KnowledgeBase};
pub use identity::{Channel, Identity, Scopes};
use message::{Incoming, Outgoing};

/// A repository that conversations may be about.
#[derive(Clone)]
pub struct Served {
    /// What `/repo NAME` calls it: the name of its folder, made unique.
    pub name: String,
    pub root: PathBuf,
    pub base: KnowledgeBase,
}

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
}

/// Where messages for one client go. Must not wait: a client that takes nothing holds up nobody.
pub trait Outbox: Send + Sync {
    /// Puts a message in line; `false` where the client is gone or takes nothing, which disconnects it.
    fn put(&self, message: Arc<Outgoing>) -> bool;
}

/// Conversations of one user's gateway. Cheap to share between threads.
pub struct Gateway {
    options: GatewayOptions,
}

impl Gateway {
    /// Reads what was kept: messages that were taken and not begun are begun, approvals wait again.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn open(options: GatewayOptions) -> Result<Arc<Self>, Error> {
        Ok(Arc::new(Self { options }))
    }

    /// A client has come in: it is told how its conversation stands, and what waits for an answer.
    pub fn connect(self: &Arc<Self>, identity: Identity, outbox: Arc<dyn Outbox>) -> Client {
        let _ = (&self.options, outbox);
        Client { gateway: Arc::clone(self), identity }
    }

    /// Ends all runs and waits until they are written down, at most so long.
    pub fn end(&self, patience: Duration) {
        let _ = patience;
    }
}

/// A connection; dropping it disconnects.
pub struct Client {
    gateway: Arc<Gateway>,
    identity: Identity,
}

impl Client {
    /// Takes a message. Returns once it is on disk where it has to be, which the client is told; what
    /// it begins goes on beside. May block for some milliseconds.
    pub fn receive(&self, message: Incoming) {
        let _ = (&self.gateway, &self.identity, message);
    }

    /// The conversation that this client is in.
    pub fn session(&self) -> Uuid {
        Uuid::nil()
    }

    /// Tells the client how its conversation stands.
    pub fn tell_status(&self) {}
}
