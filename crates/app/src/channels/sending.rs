//! Saying what waits: one thing after the other, no faster than the platform likes, again where it did not
//! work.

use std::time::Instant;

use uuid::Uuid;

use super::{
    asking,
    lines::{About, Job, Live, Post},
    running::RunningChannel,
};
use crate::agent::chat::{COMMANDS, ChatCommand, Right};
use elophanto_base::mutex::lock;
use elophanto_channels::{Button, ChannelError, Place, Posted, Text};

impl RunningChannel {
    /// Tells the platform which commands there are. That it cannot be told is no matter.
    pub(super) fn register(&self) {
        let is_for_channels = |name: &str| {
            let parsed =
                ChatCommand::parse(name).or_else(|_| ChatCommand::parse(&format!("{name} x")));
            name != "quit" && name != "react" && parsed.is_ok_and(|it| it.right() < Right::Machine)
        };
        let all: Vec<(&str, &str)> = COMMANDS
            .iter()
            .filter(|command| is_for_channels(command.name))
            .map(|command| (command.name, command.about))
            .collect();
        let _ = self.adapter.register(&all);
    }

    /// A part of an approval, or all of it.
    fn approval_part(
        &self,
        place: &Place,
        request: Uuid,
        text: &Text,
        buttons: &[Button],
    ) -> Result<(), ChannelError> {
        let _showing = lock(&self.showing);
        let posted = self.adapter.post(place, None, text, buttons)?;
        {
            let mut kept = lock(&self.kept);
            kept.shows(request, posted.clone(), asking::digits_of(buttons));
            if let Err(error) = kept.save() {
                drop(kept);
                self.warn(error.message());
            }
        }
        // It may have been settled while it was on its way.
        if !lock(&self.memory).requests.contains_key(&request) {
            self.push(place, About::Settled(posted), None, "This is settled.");
        }
        Ok(())
    }

    /// Does one thing; `false` where there is nothing to be done here any more.
    pub(super) fn work(&self, job: Job) -> bool {
        let (place, done) = match job {
            Job::Typing(place) => {
                self.adapter.typing(&place);
                lock(&self.lines).typed(&place);
                return true;
            }
            Job::Live(place, live) => {
                let done = self.show(&place, live);
                (place, done)
            }
            Job::Post(place, post) => {
                let done = self.post(&place, post);
                (place, done)
            }
        };
        match done {
            Ok(()) => true,
            Err(ChannelError::Later { wait, .. }) => {
                lock(&self.lines).later(&place, wait, Instant::now());
                true
            }
            Err(ChannelError::Busy(_)) => {
                lock(&self.lines).later(&place, None, Instant::now());
                true
            }
            Err(error @ ChannelError::Token(_)) => {
                self.warn(&format!("nothing is said there any more: {error}"));
                false
            }
            Err(error) => {
                // The same would not be taken later either.
                self.warn(&error.to_string());
                let dropped = lock(&self.lines).drop_next(&place);
                if let Some(About::Answer(id)) = dropped {
                    self.is_answered(id);
                }
                true
            }
        }
    }

    /// An answer while it is made.
    fn show(&self, place: &Place, mut live: Live) -> Result<(), ChannelError> {
        let doing = match live.doing.as_str() {
            "" => String::new(),
            doing => format!("\n\n… `{}`", doing.replace('`', "'")),
        };
        let parts = self.adapter.parts(&format!("{}{doing}", live.text));
        let limits = self.adapter.limits();
        let Some(first) = parts.into_iter().next() else {
            lock(&self.lines).shown(place, &live, limits, Instant::now());
            return Ok(());
        };
        match &live.posted {
            Some(posted) => match self.adapter.edit(posted, &first, &[]) {
                // Somebody took it away: the whole answer comes in another.
                Err(ChannelError::Missing(_)) => {}
                edited => edited?,
            },
            None => {
                let posted = self.begin_live(place, &live, first)?;
                if live.tried.is_some() {
                    // What has come since is not shown yet.
                    (live.text, live.doing) = Default::default();
                }
                let mut kept = lock(&self.kept);
                if let Some(open) = kept.open.get_mut(&live.id) {
                    open.posted = Some(posted.clone());
                    // Without it the whole answer would come in another message after a restart.
                    let _ = kept.save();
                }
                live.posted = Some(posted);
            }
        }
        lock(&self.lines).shown(place, &live, limits, Instant::now());
        Ok(())
    }

    /// What is shown first of an answer. Where it was tried before, that, whatever has come since: it may be
    /// there, and would stay.
    fn begin_live(&self, place: &Place, live: &Live, first: Text) -> Result<Posted, ChannelError> {
        let first = live.tried.clone().unwrap_or(first);
        let posted = self.adapter.post(place, Some(&live.to), &first, &[]);
        let came = match &posted {
            Ok(posted) => Ok(posted.clone()),
            Err(ChannelError::Later { .. }) => Err(first),
            Err(_) => return posted,
        };
        lock(&self.lines).began(place, live.id, came);
        posted
    }

    /// The next part of a post.
    fn post(&self, place: &Place, post: Post) -> Result<(), ChannelError> {
        let (to, limits) = (post.to.as_deref(), self.adapter.limits());
        if let Some((name, text)) = &post.file {
            self.adapter.post_file(place, to, name, text.as_bytes())?;
            lock(&self.lines).said(place, limits, Instant::now());
            return Ok(());
        }
        let is_last = post.parts.len() <= 1;
        let buttons = if is_last { post.buttons.as_slice() } else { &[] };
        if let Some(text) = post.parts.front() {
            match &post.about {
                About::Settled(posted) => match self.adapter.edit(posted, text, &[]) {
                    Err(ChannelError::Missing(_)) => {}
                    edited => edited?,
                },
                About::Answer(id) => {
                    let posted = self.answer_part(place, *id, to, text)?;
                    lock(&self.kept).answers.push_back((posted, *id));
                }
                About::Approval(request) => self.approval_part(place, *request, text, buttons)?,
                About::Other => drop(self.adapter.post(place, to, text, buttons)?),
            }
        }
        let is_whole = lock(&self.lines).said(place, limits, Instant::now());
        if let (true, About::Answer(id)) = (is_whole, &post.about) {
            self.is_answered(*id);
        }
        Ok(())
    }

    /// A part of an answer: the first in the place of what was shown while it was made.
    fn answer_part(
        &self,
        place: &Place,
        id: uuid::Uuid,
        to: Option<&str>,
        text: &Text,
    ) -> Result<Posted, ChannelError> {
        let kept = lock(&self.kept).open.get(&id).and_then(|open| open.posted.clone());
        let live = lock(&self.lines).live_of(place, id);
        let before = match live {
            Some(live) if live.posted.is_none() && live.tried.is_some() => {
                Some(self.begin_live(place, &live, Text::default())?)
            }
            live => live.and_then(|live| live.posted).or(kept),
        };
        if let Some(posted) = before {
            let is_free = !lock(&self.kept).answers.iter().any(|(own, _)| *own == posted);
            if is_free {
                match self.adapter.edit(&posted, text, &[]) {
                    Err(ChannelError::Missing(_)) => {}
                    edited => return edited.map(|()| posted),
                }
            }
        }
        self.adapter.post(place, to, text, &[])
    }

    /// A message is done with.
    fn is_answered(&self, id: uuid::Uuid) {
        {
            let mut memory = lock(&self.memory);
            memory.queued.remove(&id);
            memory.empty.remove(&id);
        }
        let mut kept = lock(&self.kept);
        kept.open.remove(&id);
        if let Err(error) = kept.save() {
            drop(kept);
            self.warn(error.message());
        }
    }
}
