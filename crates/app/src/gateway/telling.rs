//! Who is told what: everybody in a conversation, its person wherever they are, one client.

use std::{ptr, sync::Arc};

use uuid::Uuid;

use super::{
    Connected, Gateway, Identity,
    conversation::Conversation,
    message::{Failure, Happening, Outgoing, Status, Told, VERSION},
    state::{Standing, State},
};
use elophanto_base::mutex::lock;

impl Gateway {
    /// Tells everybody who is in a conversation.
    pub(super) fn tell(&self, conversation: &Conversation, told: &Told) {
        for client in self.those_in(conversation) {
            self.send(&client, told);
        }
    }

    /// Tells the person of a conversation, and whoever sent the message that this is about where that is
    /// somebody else by now, wherever they are, if they may know: whether anybody was told.
    pub(super) fn tell_person(
        &self,
        conversation: &Conversation,
        sender: Option<&str>,
        told: &Told,
        may: impl Fn(&Identity) -> bool,
    ) -> bool {
        let session = conversation.session();
        let own = self.person_of(conversation.person.clone());
        let sender = sender.map(|sender| self.person_of(sender.to_owned()));
        let clients: Vec<_> = lock(&self.clients).clone();
        let mut is_told = false;
        for client in clients {
            let is_it = client.person == own || sender.as_ref() == Some(&client.person);
            if is_it && may(&client.identity) {
                is_told |= self.put(&client, session, told);
            }
        }
        is_told
    }

    /// Tells everybody who is in a conversation how it stands.
    pub(super) fn tell_status(&self, conversation: &Conversation, accepted: Option<Uuid>) {
        for client in self.those_in(conversation) {
            self.send(&client, &self.status(&client, accepted));
        }
    }

    fn those_in(&self, conversation: &Conversation) -> Vec<Arc<Connected>> {
        let mut clients = lock(&self.clients).clone();
        clients.retain(|client| ptr::eq(&*client.conversation(), conversation));
        clients
    }

    pub(super) fn status(&self, client: &Connected, accepted: Option<Uuid>) -> Told {
        let conversation = client.conversation();
        let state = conversation.state();
        self.status_in(client, &conversation, &state, accepted)
    }

    /// The same while nothing changes.
    pub(super) fn status_in(
        &self,
        client: &Connected,
        conversation: &Conversation,
        state: &State,
        accepted: Option<Uuid>,
    ) -> Told {
        let Standing { running, queued, .. } = state.standing();
        Told::Status(Status {
            version: VERSION,
            server: self.options.version.clone(),
            repository: conversation.served.name.clone(),
            repositories: self.options.repositories.iter().map(|it| it.name.clone()).collect(),
            scopes: client.identity.scopes.names(),
            running,
            queued,
            approvals: state.pending(self, &client.person).len(),
            accepted,
        })
    }

    pub(super) fn send(&self, client: &Connected, told: &Told) {
        self.put(client, client.conversation().session(), told);
    }

    pub(super) fn envelope(&self, client: &Connected, session_id: Uuid, told: &Told) -> Outgoing {
        let Identity { channel, user, .. } = client.identity.clone();
        let mut body = told.clone();
        if !channel.is_of_this_machine() {
            self.hide_folder(&mut body);
        }
        Outgoing { id: Uuid::new_v4(), session_id, channel, user_id: user, body }
    }

    /// Where files of the gateway lie is nothing to other machines: what is wrong with one is said all
    /// the same.
    pub(super) fn hidden(&self, text: &str) -> String {
        text.replace(&*self.options.folder.to_string_lossy(), "[the gateway's folder]")
    }

    /// The same in a message.
    fn hide_folder(&self, told: &mut Told) {
        let hide = |text: &mut String| *text = self.hidden(text);
        match told {
            Told::Error(Failure { detail, hint, .. }) => {
                hide(detail);
                hint.iter_mut().for_each(hide);
            }
            Told::Event(happening) => match &mut **happening {
                Happening::Notification { text, .. } | Happening::Error { text } => hide(text),
                Happening::TaskComplete(complete) => {
                    hide(&mut complete.reason);
                    complete.warnings.iter_mut().for_each(hide);
                }
                _ => {}
            },
            Told::Response(_) | Told::ApprovalRequest(_) | Told::Status(_) => {}
        }
    }

    /// Whether it is on its way.
    pub(super) fn put(&self, client: &Connected, session_id: Uuid, told: &Told) -> bool {
        let is_put = client.outbox.put(Arc::new(self.envelope(client, session_id, told)));
        if !is_put {
            self.disconnect(client.number);
        }
        is_put
    }

    pub(super) fn disconnect(&self, number: u64) {
        lock(&self.clients).retain(|client| client.number != number);
    }
}
