//! What comes from a channel, taken once: who it is decides what it may do, then it goes to the gateway.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use uuid::Uuid;

use super::{
    admit::{Admission, admit},
    asking,
    kept::Open,
    notifying,
    registry::Person,
    running::{RunningChannel, chat},
};
use crate::{
    Error, Result,
    gateway::{
        MOST_ATTACHMENT, MOST_ATTACHMENTS,
        message::{ApprovalResponse, Asked, Command, Incoming},
    },
};
use elophanto_base::mutex::lock;
use elophanto_channels::{ChannelError, FileRef, Inbound, Posted, Said, Sign, What};

/// Reactions that count within a minute.
const MOST_REACTIONS: usize = 60;
const MINUTE: Duration = Duration::from_secs(60);
/// What is said with files that come without a word.
const LOOK: &str = "See what is attached.";

impl RunningChannel {
    /// Takes what came; it is done with once this returns.
    ///
    /// # Errors
    /// When it has to be taken again later: nothing of it is done.
    pub(super) fn receive(&self, inbound: &Inbound) -> Result<(), ChannelError> {
        let registry = self.read().map_err(later)?;
        match admit(&registry, inbound, self.groups) {
            Admission::Nobody => return self.is_passed(inbound.number),
            Admission::Stranger => {
                let Some(sender) = &inbound.sender else { return self.is_passed(inbound.number) };
                // Most of what they say changes nothing, and is not worth a write.
                if registry.clone().knock(sender, &inbound.place, Timestamp::now()).is_none() {
                    return self.is_passed(inbound.number);
                }
                let told = self.registry.change(|registry| {
                    Ok(registry.knock(sender, &inbound.place, Timestamp::now()))
                });
                if let Some(text) = told.map_err(later)? {
                    self.say(&inbound.place, None, &text);
                }
            }
            Admission::Among(person) => {
                if let What::Said(said) = &inbound.what {
                    self.asked_among_others(person, inbound, said)?;
                }
            }
            Admission::Own(person) => match &inbound.what {
                What::Said(said) => self.said(person, inbound, said)?,
                What::Edited => {
                    let text = "What is changed afterwards is not read again: send it anew.";
                    self.say(&inbound.place, None, text);
                }
                What::Pressed { press, data, .. } => self.pressed(person, press, data),
                What::Reacted { posted, sign } => self.reacted(person, posted, *sign),
                What::Other => {}
            },
        }
        self.is_read(inbound.number)
    }

    /// What nobody is answered to is done with once it is passed: should it come again, nothing happens
    /// again.
    fn is_passed(&self, number: i64) -> Result<(), ChannelError> {
        lock(&self.kept).pass(number);
        Ok(())
    }

    fn is_read(&self, number: i64) -> Result<(), ChannelError> {
        let mut kept = lock(&self.kept);
        if kept.read >= Some(number) {
            return Ok(());
        }
        let before = kept.read.replace(number);
        kept.save().inspect_err(|_| kept.read = before).map_err(later)
    }

    /// Somebody says something to us alone.
    fn said(&self, person: &Person, inbound: &Inbound, said: &Said) -> Result<(), ChannelError> {
        let to = Some(said.message.as_str());
        if let Some(strange) = said.strange
            && said.files.is_empty()
        {
            let text = format!(
                "What is in {strange} is not understood here: write, or send pictures, texts and PDFs."
            );
            self.say(&inbound.place, to, &text);
            return Ok(());
        }
        if let Some(before) = said.answers.as_ref().filter(|_| !said.text.is_empty()) {
            let posted = Posted { place: inbound.place.clone(), message: before.clone() };
            if let Some(response) = self.answer_to_question(&posted, &said.text) {
                if let Some(wrong) = self.answer_approval(person, response) {
                    self.say(&inbound.place, to, &wrong);
                }
                return Ok(());
            }
        }
        let has_more = !said.quotes.is_empty() || !said.files.is_empty();
        let content = match said.text.as_str() {
            "" if has_more => LOOK.to_owned(),
            "" => return Ok(()),
            text => text.to_owned(),
        };
        let id = self.id_of(inbound, &said.message);
        // It comes again where it was acknowledged too late.
        if lock(&self.kept).is_answered(id) {
            return Ok(());
        }
        let attachments = match lock(&self.kept).open.contains_key(&id) {
            true => Vec::new(),
            false => match self.attached(person, said) {
                Ok(ids) => ids,
                Err(error) => {
                    let hints = error.hints().join("; ");
                    let text = format!("This was not taken: {}\n\n{hints}", error.message());
                    self.say(&inbound.place, to, &text);
                    return Ok(());
                }
            },
        };
        self.take(person, inbound, said, id, content, attachments)
    }

    /// Somebody speaks to us where others listen: what the notes say, and nothing else.
    fn asked_among_others(
        &self,
        person: &Person,
        inbound: &Inbound,
        said: &Said,
    ) -> Result<(), ChannelError> {
        let words = said.text.strip_prefix("/search ").unwrap_or(&said.text).trim();
        if words.is_empty() || words.starts_with(['/', '!']) {
            let text =
                "Where others are, only what the notes say is told: ask what you want to know.";
            self.say(&inbound.place, Some(&said.message), text);
            return Ok(());
        }
        let id = self.id_of(inbound, &said.message);
        self.take(person, inbound, said, id, format!("/search {words}"), Vec::new())
    }

    /// The id of a message for the gateway: the same whenever it comes again.
    fn id_of(&self, inbound: &Inbound, message: &str) -> Uuid {
        let mut hasher = blake3::Hasher::new();
        for part in [self.channel.name(), &self.bot.id, &inbound.place.chat, message] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
        }
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    /// Keeps the message, then hands it on: whenever the process ends, it is handed on once more, and
    /// done once.
    fn take(
        &self,
        person: &Person,
        inbound: &Inbound,
        said: &Said,
        id: Uuid,
        content: String,
        mut attachments: Vec<Uuid>,
    ) -> Result<(), ChannelError> {
        if lock(&self.kept).is_answered(id) {
            return Ok(());
        }
        let Some(client) = self.client(&person.id) else {
            // The user has let them in this very moment.
            self.seat_people(false).map_err(later)?;
            return Err(later(Error::new("somebody new is seated first")));
        };
        {
            let mut kept = lock(&self.kept);
            let open = Open {
                user: person.id.clone(),
                place: inbound.place.clone(),
                message: said.message.clone(),
                content: content.clone(),
                attachments: attachments.clone(),
                repository: Some(client.repository()),
                number: inbound.number,
                posted: None,
            };
            let open = kept.open.entry(id).or_insert(open);
            attachments.clone_from(&open.attachments);
            let before = kept.read.replace(inbound.number);
            kept.save().inspect_err(|_| kept.read = before).map_err(later)?;
        }
        self.remember(&content);
        client.receive(Incoming { id, session_id: None, body: chat(content, attachments) });
        Ok(())
    }

    /// Files and words of others, handed over as what they are.
    fn attached(&self, person: &Person, said: &Said) -> Result<Vec<Uuid>> {
        let count = said.quotes.len() + said.files.len();
        // Counted before anything is fetched.
        if count > MOST_ATTACHMENTS {
            return Err(Error::new(format_args!(
                "{count} files came with it, and a message may bring {MOST_ATTACHMENTS}"
            ))
            .hint("send fewer at a time"));
        }
        let identity = self.identity(person);
        let mut ids = Vec::new();
        for quote in &said.quotes {
            ids.push(self.gateway.attach(&identity, quote.name, quote.text.as_bytes())?.0);
        }
        for file in &said.files {
            let bytes = self.fetched(file).map_err(|error| not_fetched(file, &error))?;
            ids.push(self.gateway.attach(&identity, &file.name, &bytes)?.0);
        }
        Ok(ids)
    }

    /// A file, tried a few times: what waits behind it must not wait for ever.
    fn fetched(&self, file: &FileRef) -> Result<Vec<u8>, ChannelError> {
        let most = self.adapter.limits().file.min(MOST_ATTACHMENT);
        super::again(|wait| self.pause(wait), || self.adapter.fetch(file, most))
    }

    /// The approval that a message of ours shows; one that is on its way is waited for, unless the message
    /// is known for another.
    fn approval_at(&self, posted: &Posted) -> Option<(Uuid, String)> {
        let known =
            |kept: &super::kept::Kept| (kept.approval(posted), kept.answer(posted).is_some());
        let (found, is_answer) = known(&lock(&self.kept));
        if found.is_some() || is_answer {
            return found;
        }
        drop(lock(&self.showing));
        lock(&self.kept).approval(posted)
    }

    fn answer_to_question(&self, posted: &Posted, text: &str) -> Option<ApprovalResponse> {
        let (request, _) = self.approval_at(posted)?;
        asking::said(text, lock(&self.memory).requests.get(&request)?)
    }

    /// Somebody presses a button.
    fn pressed(&self, person: &Person, press: &str, data: &str) {
        let response = asking::request_of(data).and_then(|request| {
            let memory = lock(&self.memory);
            asking::pressed(data, memory.requests.get(&request)?)
        });
        let said = match response {
            _ if !person.approves => Some("You may not answer approvals.".to_owned()),
            None => Some("This is settled, or not asked any more.".to_owned()),
            Some(response) => self.answer_approval(person, response),
        };
        self.adapter.answer_press(press, said.as_deref().unwrap_or("Noted."));
    }

    /// Hands an answer on: what is wrong with it, if anything.
    fn answer_approval(&self, person: &Person, response: ApprovalResponse) -> Option<String> {
        let client = self.client(&person.id)?;
        let id = Uuid::new_v4();
        lock(&self.memory).pressing = Some((id, None));
        client.receive(Incoming { id, session_id: None, body: Asked::ApprovalResponse(response) });
        lock(&self.memory).pressing.take().and_then(|(_, wrong)| wrong)
    }

    /// Somebody puts a sign to an answer of ours.
    fn reacted(&self, person: &Person, posted: &Posted, sign: Option<Sign>) {
        let Some(sign) = sign else { return };
        {
            let reactions = &mut lock(&self.memory).reactions;
            while reactions.front().is_some_and(|at| at.elapsed() > MINUTE) {
                reactions.pop_front();
            }
            if reactions.len() >= MOST_REACTIONS {
                return;
            }
            reactions.push_back(Instant::now());
        }
        let asked = self.approval_at(posted);
        if let Some((request, digits)) = asked {
            return self.signed(person, posted, request, &digits, sign);
        }
        let answer = lock(&self.kept).answer(posted).map(|id| id.to_string());
        let told = || notifying::told(&self.folder, self.channel, posted);
        let Some(to) = answer.or_else(told) else { return };
        let sign = match sign {
            Sign::For => "+",
            Sign::Against => "-",
            Sign::Yes | Sign::No => return,
        };
        let (name, args) = ("react".to_owned(), format!("{to} {sign}"));
        if let Some(client) = self.client(&person.id) {
            let body = Asked::Command(Command { name, args });
            client.receive(Incoming { id: Uuid::new_v4(), session_id: None, body });
        }
    }

    /// Somebody puts a sign to what was asked.
    fn signed(&self, person: &Person, posted: &Posted, request: Uuid, digits: &str, sign: Sign) {
        let response = {
            let memory = lock(&self.memory);
            memory.requests.get(&request).and_then(|it| asking::signed(sign, digits, it))
        };
        let wrong = match response {
            None => return,
            Some(_) if !person.approves => Some("You may not answer approvals.".to_owned()),
            Some(response) => self.answer_approval(person, response),
        };
        if let Some(wrong) = wrong {
            self.say(&posted.place, Some(&posted.message), &wrong);
        }
    }
}

fn later(error: Error) -> ChannelError {
    ChannelError::Later { reason: error.message().to_owned(), wait: None }
}

fn not_fetched(file: &FileRef, error: &ChannelError) -> Error {
    let name = elophanto_base::visible::escape_control_line(&file.name);
    let why = match error {
        ChannelError::Refused(why) | ChannelError::Gone(why) => why.clone(),
        error => error.to_string(),
    };
    Error::new(format_args!("the file `{name}`: {why}"))
        .hint("put it into the repository, and name it there: @path")
}
