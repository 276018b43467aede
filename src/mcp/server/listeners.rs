//! Who is told that notes changed. Changes are collected for each client until it has read the ones
//! before, so that a slow client costs neither memory nor anybody's time.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex},
    time::Duration,
};

use rmcp::{
    RoleServer,
    model::ResourceUpdatedNotificationParam,
    service::{Peer, SubscriptionSink},
};
use tokio::sync::Notify;

use crate::wire::from_uri;
use elophanto_base::mutex::lock;

/// Notes that one client can ask to be told about.
pub const SUBSCRIPTIONS: usize = 256;
/// A client that does not take a notice within this time is not told that one.
const PATIENCE: Duration = Duration::from_secs(10);

/// Tells clients what changed. Cheap to clone, usable from any thread.
#[derive(Clone, Default)]
pub struct Handle {
    listeners: Arc<Mutex<Listeners>>,
}

#[derive(Default)]
struct Listeners {
    next: u64,
    all: BTreeMap<u64, Arc<Listener>>,
}

/// One client that wants to be told.
#[derive(Default)]
pub struct Listener {
    state: Mutex<State>,
    bell: Notify,
}

#[derive(Default)]
struct State {
    wants_list: bool,
    /// The URIs that the client named, by path.
    uris: BTreeMap<String, String>,
    list_changed: bool,
    updated: BTreeSet<String>,
}

/// Where a listener's notices go.
pub enum Sink {
    /// A session that began with `initialize`.
    Session(Peer<RoleServer>),
    /// An open `subscriptions/listen` request.
    Subscription(SubscriptionSink),
}

/// A listener in its place; taken out when dropped.
pub struct Registered {
    handle: Handle,
    id: u64,
    pub listener: Arc<Listener>,
}

impl Handle {
    /// Tells all sessions that the list of notes changed, if it did, and the subscribers of each of
    /// `paths` (relative to the root) that its text did. Returns at once.
    pub fn changed(&self, paths: &[String], list_changed: bool) {
        let listeners: Vec<Arc<Listener>> = lock(&self.listeners).all.values().cloned().collect();
        for listener in listeners {
            listener.note(paths, list_changed);
        }
    }

    /// Puts a listener in place.
    pub fn register(&self, listener: Listener) -> Registered {
        let listener = Arc::new(listener);
        let mut listeners = lock(&self.listeners);
        let id = listeners.next;
        listeners.next += 1;
        listeners.all.insert(id, Arc::clone(&listener));
        Registered { handle: self.clone(), id, listener }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        lock(&self.handle.listeners).all.remove(&self.id);
    }
}

impl Listener {
    pub fn new(wants_list: bool) -> Self {
        let state = State { wants_list, ..State::default() };
        Self { state: Mutex::new(state), bell: Notify::new() }
    }

    /// Wants to be told about the note of `uri`, too. False: it is no URI of a note, or there are
    /// too many already.
    pub fn subscribe(&self, uri: &str) -> bool {
        let Some(path) = from_uri(uri) else { return false };
        let mut state = lock(&self.state);
        let has_room = state.uris.len() < SUBSCRIPTIONS || state.uris.contains_key(&path);
        if has_room {
            state.uris.insert(path, uri.to_owned());
        }
        has_room
    }

    pub fn unsubscribe(&self, uri: &str) {
        if let Some(path) = from_uri(uri) {
            let mut state = lock(&self.state);
            if let Some(uri) = state.uris.remove(&path) {
                state.updated.remove(&uri);
            }
        }
    }

    /// Sends what changed as it comes. Never ends; may be dropped at any time.
    pub async fn run(&self, sink: &Sink) {
        loop {
            self.bell.notified().await;
            let (list_changed, updated) = {
                let mut state = lock(&self.state);
                (std::mem::take(&mut state.list_changed), std::mem::take(&mut state.updated))
            };
            if list_changed {
                sink.send(None).await;
            }
            for uri in updated {
                sink.send(Some(uri)).await;
            }
        }
    }

    fn note(&self, paths: &[String], list_changed: bool) {
        let mut state = lock(&self.state);
        state.list_changed |= list_changed && state.wants_list;
        let uris: Vec<String> =
            paths.iter().filter_map(|path| state.uris.get(path)).cloned().collect();
        state.updated.extend(uris);
        if state.list_changed || !state.updated.is_empty() {
            self.bell.notify_one();
        }
    }
}

impl Sink {
    /// Tells that one note changed, or else the list. A client that is gone is found out elsewhere.
    async fn send(&self, uri: Option<String>) {
        let sending = async {
            match (self, uri) {
                (Self::Session(peer), None) => {
                    let _ = peer.notify_resource_list_changed().await;
                }
                (Self::Session(peer), Some(uri)) => {
                    let notice = ResourceUpdatedNotificationParam::new(uri);
                    let _ = peer.notify_resource_updated(notice).await;
                }
                (Self::Subscription(sink), None) => {
                    let _ = sink.notify_resource_list_changed().await;
                }
                (Self::Subscription(sink), Some(uri)) => {
                    let _ = sink.notify_resource_updated(uri).await;
                }
            }
        };
        let _ = tokio::time::timeout(PATIENCE, sending).await;
    }
}
