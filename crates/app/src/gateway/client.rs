//! A client that is connected: what it says goes where it belongs, and it is told what became of it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use uuid::Uuid;

use super::{
    Connected, Gateway, attachments,
    commands::{self, Done},
    conversation::Taken,
    endings::{answer_of, of_end},
    message::{Asked, Attached, AttachedFile, Chat, Failure, Incoming, Told, VERSION},
    worker,
};
use crate::{Error, Result};
use elophanto_base::{counted::counted, mutex::lock, visible::escape_control_line};

/// Bytes of what somebody says.
const MOST_CONTENT: usize = 64 * 1024;

/// A connection; dropping it disconnects.
pub struct Client {
    pub(super) gateway: Arc<Gateway>,
    pub(super) client: Arc<Connected>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.gateway.disconnect(self.client.number);
    }
}

impl Client {
    /// Takes a message. Returns once it is on disk where it has to be, which the client is told; what
    /// it begins goes on beside. May block for some milliseconds.
    pub fn receive(&self, message: Incoming) {
        let Incoming { id, session_id, body } = message;
        let done = match session_id {
            Some(session) if session != self.session() => {
                Err(Error::new("this connection is not in that session")
                    .hint("leave `session_id` out: the gateway knows it"))
            }
            _ => self.take(id, body),
        };
        if let Err(error) = done {
            self.tell(&worker::failure(&error, Some(id)));
        }
    }

    fn take(&self, id: Uuid, body: Asked) -> Result<()> {
        match body {
            Asked::Status(hello) if hello.version != VERSION => Err(Error::new(format_args!(
                "this gateway speaks version {VERSION} of the protocol"
            ))),
            Asked::Status(_) => {
                self.tell_status();
                Ok(())
            }
            Asked::Chat(chat) => self.say(id, &chat),
            Asked::Command(command) if command.args.len() > MOST_CONTENT => Err(too_long()),
            Asked::ApprovalResponse(response)
                if response.text.as_ref().is_some_and(|text| text.len() > MOST_CONTENT) =>
            {
                Err(too_long())
            }
            Asked::Command(command) => {
                let name = command.name.trim_start_matches('/');
                let line = format!("/{name} {}", command.args);
                self.obey(id, line.trim_end())
            }
            Asked::ApprovalResponse(response) => {
                let identity = &self.client.identity;
                if !identity.scopes.approve {
                    return Err(Error::new("this connection may not answer approvals"));
                }
                for conversation in self.gateway.all() {
                    if conversation.answer(&self.gateway, &response, identity)? {
                        return Ok(());
                    }
                }
                Err(Error::new(
                    "there is no such approval, or no more: what was asked in runs that \
                                have ended is settled",
                ))
            }
        }
    }

    fn say(&self, id: Uuid, chat: &Chat) -> Result<()> {
        let content = chat.content.as_str();
        let (gateway, identity) = (&self.gateway, &self.client.identity);
        if content.trim().is_empty() {
            return Err(Error::new("the message is empty").hint("write what you want to say"));
        }
        if content.len() > MOST_CONTENT {
            return Err(too_long());
        }
        if content.starts_with('/') || content.starts_with('!') {
            if !chat.attachments.is_empty() {
                return Err(Error::new(
                    "files go with what is said to the agent, not with commands",
                ));
            }
            return self.obey(id, content);
        }
        if !identity.scopes.chat {
            return Err(Error::new("this connection may only read"));
        }
        // One that is sent again after `/repo` is still the same message.
        let here = self.client.conversation();
        let known = gateway.of_person(&self.client.person);
        let known = known.into_iter().find(|it| it.knows(id));
        // Files of one that is known were kept with it.
        let attachments = match &known {
            Some(_) => Vec::new(),
            None => self.files(&chat.attachments)?,
        };
        let conversation = known.unwrap_or(here);
        let within: Vec<Uuid> = {
            let is_within = |(file, _): &(&Attached, &Uuid)| matches!(file, Attached::File(_));
            chat.attachments.iter().zip(&attachments).filter(is_within).map(|it| *it.1).collect()
        };
        let taken = conversation.take(gateway, id, content, attachments, identity);
        if !matches!(taken, Ok(Taken::New)) {
            // It comes again with its files, or has them.
            gateway.attachments.remove(&within);
        }
        match taken? {
            Taken::New | Taken::Known => self.tell(&gateway.status(&self.client, Some(id))),
            Taken::Over(ended) => {
                self.tell(&gateway.status(&self.client, Some(id)));
                match ended {
                    Some(ended) => {
                        self.tell(&answer_of(id, &ended));
                        self.tell(&of_end(&ended));
                    }
                    None => self.tell(&Told::Error(Failure {
                        detail: "this message is done with; its answer is not kept any more".into(),
                        hint: Some("`/sessions` and `/export` show what was said".into()),
                        reply_to: Some(id),
                    })),
                }
            }
        }
        Ok(())
    }

    /// Ids of the files that go with a message.
    fn files(&self, attached: &[Attached]) -> Result<Vec<Uuid>> {
        if attached.len() > attachments::MOST {
            return Err(Error::new(format_args!(
                "{} with one message, over the cap of {}",
                counted(attached.len(), "file"),
                attachments::MOST
            )));
        }
        let (gateway, person) = (&self.gateway, &self.client.person);
        let is_theirs = |id: Uuid| {
            let owner = gateway.attachments.owner(id);
            owner.is_some_and(|owner| gateway.person_of(owner) == *person)
        };
        let mut kept = Vec::new();
        let mut one = |file: &Attached| match file {
            Attached::Id(id) if is_theirs(*id) => Ok(*id),
            Attached::Id(_) => Err(Error::new("no file was handed over under this id")
                .hint("hand it over by `POST /attachment`, or with its name and data in Base64")),
            Attached::File(AttachedFile { name, data }) => {
                let bytes = STANDARD.decode(data).map_err(|cause| {
                    Error::new(format_args!("`data` of a file is no Base64: {cause}"))
                })?;
                let (id, _) = gateway.attach(&self.client.identity, name, &bytes)?;
                kept.push(id);
                Ok(id)
            }
        };
        let all: Result<Vec<Uuid>> = attached.iter().map(&mut one).collect();
        if all.is_err() {
            gateway.attachments.remove(&kept);
        }
        all
    }

    fn obey(&self, id: Uuid, line: &str) -> Result<()> {
        let conversation = self.client.conversation();
        let identity = &self.client.identity;
        match commands::typed(&self.gateway, &conversation, line, id, identity)? {
            None => Err(Error::new("it is no command")),
            Some(Done::Later) => Ok(()),
            Some(Done::Now(text)) => {
                self.tell(&worker::said(text, id));
                Ok(())
            }
            Some(Done::Repo(name)) => self.go_to(&name, id),
        }
    }

    /// Goes on in another repository.
    fn go_to(&self, name: &str, id: Uuid) -> Result<()> {
        let all = &self.gateway.options.repositories;
        let served = all.iter().find(|served| served.name == name).ok_or_else(|| {
            let error = Error::new(format_args!(
                "no repository here is called `{}`",
                escape_control_line(name)
            ));
            error.hint("`/repo` lists them")
        })?;
        let conversation = self.gateway.conversation(&self.client.person, served)?;
        *lock(&self.client.conversation) = conversation;
        self.tell(&worker::said(format!("in {}", escape_control_line(name)), id));
        self.tell_status();
        Ok(())
    }

    /// The conversation that this client is in.
    pub fn session(&self) -> Uuid {
        self.client.conversation().session()
    }

    /// Goes on in the repository of this folder; `false` where it is not served.
    pub fn go_on_in(&self, root: &Path) -> bool {
        let all = &self.gateway.options.repositories;
        let served = all.iter().find(|served| served.root == root);
        let conversation =
            served.and_then(|it| self.gateway.conversation(&self.client.person, it).ok());
        let is_there = conversation.is_some();
        conversation.into_iter().for_each(|it| *lock(&self.client.conversation) = it);
        is_there
    }

    /// The folder of the repository that this client's conversation is about.
    pub fn repository(&self) -> PathBuf {
        self.client.conversation().served.root.clone()
    }

    /// Tells the client how its conversation stands.
    pub fn tell_status(&self) {
        self.tell(&self.gateway.status(&self.client, None));
    }

    fn tell(&self, told: &Told) {
        self.gateway.send(&self.client, told);
    }
}

fn too_long() -> Error {
    Error::new(format_args!("a message has at most {MOST_CONTENT} bytes"))
        .hint("put it into a file of the repository, and name that: @path")
}
