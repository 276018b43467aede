//! What the gateway tells one of a channel's people, as it is to be said there. Nothing waits here: the
//! gateway may hold what others need.

use uuid::Uuid;

use super::{
    asking,
    kept::Open,
    lines::{About, Post},
    running::RunningChannel,
};
use crate::gateway::message::{
    ApprovalOf, ApprovalRequest, Failure, Happening, Response, SourceWire, TaskComplete, Told,
};
use elophanto_base::{mutex::lock, one_line::one_line, visible::escape_control_line};
use elophanto_channels::Place;

/// Messages of an answer; a longer one is handed over as a file.
const MOST_PARTS: usize = 4;
/// Sources that are named below an answer.
const MOST_SOURCES: usize = 5;
/// Characters of what goes on.
const MOST_DOING: usize = 80;
const MOST_GOAL: usize = 120;

impl RunningChannel {
    /// `home` is where they alone are told something.
    pub(super) fn told(&self, user: &str, home: &Place, told: &Told) {
        match told {
            Told::Response(response) => self.answered(user, home, response),
            Told::ApprovalRequest(request) => self.asked(user, home, request),
            Told::Error(failure) => self.failed(home, failure),
            Told::Event(happening) => self.happens(user, home, happening),
            Told::Status(_) => {}
        }
    }

    fn open(&self, id: Uuid) -> Option<Open> {
        let open = lock(&self.kept).open.get(&id).cloned()?;
        (!lock(&self.memory).queued.contains(&id)).then_some(open)
    }

    /// The message of theirs whose run goes on: the first that is not answered.
    fn running(&self, user: &str) -> Option<(Uuid, Open)> {
        let kept = lock(&self.kept);
        let memory = lock(&self.memory);
        let theirs = kept.open.iter().filter(|(id, open)| {
            open.user == user
                && !memory.queued.contains(id)
                && !memory.elsewhere.contains(id)
                && !open.content.starts_with('/')
        });
        theirs.min_by_key(|(_, open)| open.number).map(|(id, open)| (*id, open.clone()))
    }

    fn answered(&self, user: &str, home: &Place, response: &Response) {
        let Some((id, open)) = response.reply_to.and_then(|id| Some((id, self.open(id)?))) else {
            // What was asked elsewhere is answered there; what nobody asked for just now, here.
            if let Some(task) = &response.scheduled {
                self.scheduled(user, home, task, response);
            }
            return;
        };
        let Response { content, done, sources, .. } = response;
        if !done {
            lock(&self.lines)
                .live(&open.place, id, &open.message, open.posted)
                .text
                .push_str(content);
            self.bell.notify_all();
            return;
        }
        if !content.trim().is_empty() {
            let of = match open.is_timed() {
                true => format!("**{}**\n\n", escape(&one_line(&open.content, MOST_GOAL))),
                false => String::new(),
            };
            self.answer(id, &open, &format!("{of}{content}{}", named(sources)));
        } else if open.content.starts_with(['/', '!']) {
            self.answer(id, &open, "Done.");
        } else {
            // Why there is none is told next.
            lock(&self.memory).empty.insert(id);
        }
    }

    /// A task of theirs was done whose time had come: kept until it is said, as if they had just asked.
    fn scheduled(&self, user: &str, home: &Place, task: &str, response: &Response) {
        let Some(id) = response.reply_to.filter(|_| !response.content.trim().is_empty()) else {
            return;
        };
        self.remember(task);
        {
            let mut kept = lock(&self.kept);
            if kept.open.contains_key(&id) {
                return;
            }
            let open = Open::timed(user, home, task, kept.read);
            kept.open.insert(id, open);
            if let Err(error) = kept.save() {
                drop(kept);
                // It is said all the same, if the process lives long enough.
                self.warn(error.message());
            }
        }
        self.answered(user, home, response);
    }

    /// A post of all of it; as a file where it is long.
    fn whole(&self, about: About, to: Option<String>, markdown: &str) -> Post {
        let mut parts = self.adapter.parts(markdown);
        let mut file = None;
        if parts.len() > MOST_PARTS {
            parts.truncate(1);
            parts.extend(self.adapter.parts("All of it is in the file."));
            file = Some(("answer.md".to_owned(), markdown.to_owned()));
        }
        Post { file, ..Post::new(about, to, parts) }
    }

    /// Puts the whole answer in line.
    fn answer(&self, id: Uuid, open: &Open, markdown: &str) {
        lock(&self.memory).queued.insert(id);
        let to = (!open.is_timed()).then(|| open.message.clone());
        let post = self.whole(About::Answer(id), to, markdown);
        {
            let mut lines = lock(&self.lines);
            lines.ended(&open.place, id);
            lines.push(&open.place, post);
        }
        self.bell.notify_all();
    }

    fn asked(&self, user: &str, home: &Place, request: &ApprovalRequest) {
        let id = request.request_id;
        let is_known = lock(&self.memory).requests.insert(id, request.clone()).is_some();
        let shown = lock(&self.kept).shown(id);
        if is_known || shown.iter().any(|posted| self.adapter.is_there(posted)) {
            return;
        }
        // Never where others are.
        let place = self.running(user).map(|(_, open)| open.place);
        let place = place.filter(|place| place.chat == home.chat).unwrap_or_else(|| home.clone());
        let text = asking::shown(request);
        let mut parts = self.adapter.parts(&text);
        let mut file = None;
        /// Where what is too long for a message is.
        const FILE: &str = "approval.md";
        if parts.len() > 1 {
            // No beginning that looks like all of it.
            parts = self.adapter.parts(&asking::shown_beside_file(request, FILE));
            parts.truncate(1);
            file = Some((FILE.to_owned(), text));
        }
        let mut buttons = asking::buttons(request);
        if file.is_some() && matches!(request.what, ApprovalOf::Call { .. }) {
            buttons.retain(|button| {
                button.data.starts_with("once:") || button.data.starts_with("no:")
            });
        }
        let post = Post { file, buttons, ..Post::new(About::Approval(id), None, parts) };
        self.put(&place, post);
    }

    fn failed(&self, home: &Place, failure: &Failure) {
        let hint = failure.hint.as_ref().map(|hint| format!("\n\n{}", escape(hint)));
        let text = format!("{}{}", escape(&failure.detail), hint.unwrap_or_default());
        {
            let mut memory = lock(&self.memory);
            if let (Some((pressing, wrong)), Some(id)) = (&mut memory.pressing, failure.reply_to)
                && *pressing == id
            {
                *wrong = Some(failure.detail.clone());
                return;
            }
        }
        match failure.reply_to {
            Some(id) => {
                if let Some(open) = self.open(id) {
                    self.answer(id, &open, &text);
                }
            }
            None => self.say(home, None, &text),
        }
    }

    fn happens(&self, user: &str, home: &Place, happening: &Happening) {
        match happening {
            Happening::Begun { reply_to: Some(id), .. } => {
                if let Some(open) = self.open(*id) {
                    lock(&self.lines).typing(&open.place);
                    self.bell.notify_all();
                }
            }
            Happening::Calling { tool, shown, .. } => {
                let doing = one_line(&format!("{tool}: {shown}"), MOST_DOING);
                self.lives(user, |live| live.doing = doing);
            }
            Happening::Restart => self.lives(user, |live| live.text.clear()),
            Happening::ApprovalSettled { request_id, answer, channel } => {
                self.settled(*request_id, &asking::settled(answer, *channel));
            }
            Happening::Notification { text, .. } | Happening::Error { text } => {
                self.say(home, None, &escape(text));
            }
            Happening::TaskComplete(complete) => self.complete(user, home, complete),
            _ => {}
        }
    }

    /// Changes the answer that is made for them, if one is.
    fn lives(&self, user: &str, change: impl FnOnce(&mut super::lines::Live)) {
        let Some((id, open)) = self.running(user) else { return };
        change(lock(&self.lines).live(&open.place, id, &open.message, open.posted));
        self.bell.notify_all();
    }

    fn settled(&self, request: Uuid, line: &str) {
        let known = lock(&self.memory).requests.remove(&request);
        lock(&self.lines).withdraw(request);
        let text = known.map(|request| format!("{}\n\n**{line}**", asking::shown(&request)));
        let whole = text.map(|text| self.adapter.parts(&text)).filter(|parts| parts.len() == 1);
        let parts = whole.unwrap_or_else(|| self.adapter.parts(line));
        for posted in lock(&self.kept).shown(request) {
            let about = About::Settled(posted.clone());
            self.put(&posted.place, Post::new(about, None, parts.clone()));
        }
    }

    /// A task of theirs has ended, here or elsewhere.
    fn complete(&self, user: &str, home: &Place, complete: &TaskComplete) {
        let TaskComplete { goal, outcome, reason, files, .. } = complete;
        let is_cut_off = outcome == "cut off";
        let unanswered = {
            let kept = lock(&self.kept);
            let memory = lock(&self.memory);
            let mut theirs = kept.open.iter().filter(|(id, open)| {
                open.user == user
                    && open.content == *goal
                    && !memory.queued.contains(id)
                    && (is_cut_off || memory.empty.contains(id))
            });
            theirs.next().map(|(id, open)| (*id, open.clone()))
        };
        if let Some((id, open)) = unanswered {
            lock(&self.memory).empty.remove(&id);
            self.answer(id, &open, &format!("**{}**: {}", escape(outcome), escape(reason)));
            return;
        }
        let is_from_here = lock(&self.memory).goals.contains(goal);
        if !is_from_here {
            let goal = one_line(goal, MOST_GOAL);
            self.say(
                home,
                None,
                &format!("Elsewhere: {} (**{}**)", escape(&goal), escape(outcome)),
            );
        } else if !files.is_empty() {
            let files: Vec<String> =
                files.iter().map(|file| format!("`{}`", escape_control_line(file))).collect();
            let text = format!("Changed: {}. `/undo` takes it back.", files.join(", "));
            self.say(home, None, &text);
        }
    }
}

/// What is known of an answer, and where it stands.
fn named(sources: &[SourceWire]) -> String {
    if sources.is_empty() {
        return String::new();
    }
    let one = |source: &SourceWire| {
        let line = source.line.map(|line| format!(":{line}")).unwrap_or_default();
        let commit = source.commit.as_deref().and_then(|commit| commit.get(..10));
        let commit = commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
        format!("`{}{line}`{commit}", escape_control_line(&source.path))
    };
    let all: Vec<String> = sources.iter().take(MOST_SOURCES).map(one).collect();
    format!("\n\nSources: {}", all.join(", "))
}

/// Words that are no markup.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for char in text.chars() {
        if matches!(char, '*' | '_' | '[' | ']' | '<' | '>' | '#' | '~' | '\\' | '|') {
            escaped.push('\\');
        }
        escaped.push(char);
    }
    escaped
}
