//! A conversation with the agent, as every door holds one: messages, lines for the shell, and commands
//! of its own. A line is understood once ([`Line`]); what comes of it is typed, and the door's to show.

mod answer;
mod command;
mod known;
mod mention;
pub mod told;

use std::path::Path;

pub use answer::{ChatAnswer, ChatBudget, ChatSpent, ChatStatus, Resumed, Said};
pub use command::{COMMANDS, ChatCommand, KnownCommand, Line, Right, ScheduleCommand};
pub use known::{KnowledgeCommand, known, none_scheduled, scheduled};

use super::{
    Answer, Approval, Approver, Attachment, Event, Finished, Image, Named, Prepared, Ran,
    RunRequest, Session,
};
use crate::{
    Error, Reporter, Result,
    runs::{self, UndoRequest, Undone, changes, conversations, last_of, undo},
};
use elophanto_agent::{Todo, Which, permissions::Action};
use elophanto_base::visible::{escape_control_line, exact_line};
use elophanto_models::llm::Message;

/// Runs that are listed.
const MOST_TASKS: usize = 20;
/// Runs of a conversation that are looked at.
const MOST_RUNS: usize = 100;
/// Paths of an undo that the model is told.
const MOST_TOLD: usize = 20;
/// Conversations to choose from.
const MOST_CHOICES: usize = 20;

/// A conversation.
pub struct Chat<'a> {
    prepared: &'a Prepared<'a>,
    session: Session,
    options: ChatOptions,
    spent: ChatSpent,
    /// What commands of the user said, for the next message.
    given: Vec<Attachment>,
    /// Pictures that go with the next message, and with no other if it cannot be said.
    shown: Vec<Image>,
    /// What else does.
    attached: Vec<Attachment>,
    /// Ids of those commands.
    ran: Vec<String>,
    seen: Seen,
}

/// How somebody talks with the agent.
#[derive(Debug, Clone, Copy, Default)]
pub struct ChatOptions {
    /// Agrees to what is sent to a model elsewhere.
    pub yes: bool,
    /// Whether the user is asked about each plan before work begins.
    pub asks_plan: bool,
    /// Whether the approver can ask somebody.
    pub is_attended: bool,
    /// Whether messages show the model pictures of this work tree alone, as whoever writes them may not
    /// be the user of this machine.
    pub keeps_here: bool,
}

/// What a conversation has in memory beside its session, for when it is opened again.
pub struct Carried {
    options: ChatOptions,
    given: Vec<Attachment>,
    ran: Vec<String>,
    seen: Seen,
    model: Option<super::ModelRef>,
}

impl<'a> Chat<'a> {
    /// Goes on in a session, by its id or the beginning of it, or begins one.
    ///
    /// # Errors
    /// When there is none of that id, or it cannot be read.
    pub fn open(
        prepared: &'a Prepared<'a>,
        session: Option<&str>,
        options: ChatOptions,
    ) -> Result<Self> {
        Self::within(prepared, prepared.session(session)?, options)
    }

    /// Goes on in a session that was read before, or has just begun.
    ///
    /// # Errors
    /// When what was run in it cannot be read.
    pub fn within(
        prepared: &'a Prepared<'a>,
        session: Session,
        options: ChatOptions,
    ) -> Result<Self> {
        Ok(Self {
            spent: spent_in(prepared, &session)?,
            session,
            prepared,
            options,
            given: Vec::new(),
            shown: Vec::new(),
            attached: Vec::new(),
            ran: Vec::new(),
            seen: Seen::default(),
        })
    }

    /// The conversation as it stands.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// What is in memory alone.
    pub fn carry(self) -> Carried {
        let Self { options, given, ran, seen, prepared, .. } = self;
        Carried { options, given, ran, seen, model: prepared.chosen_model() }
    }

    /// Goes on with what was in memory before.
    pub fn take_up(&mut self, carried: Carried) {
        let Carried { options, given, ran, seen, model } = carried;
        (self.options, self.given, self.ran, self.seen) = (options, given, ran, seen);
        // One that the settings do not name any more is not asked.
        let _ = model.map(|model| self.prepared.set_model(model));
    }

    /// Whether the next messages show pictures of this work tree alone: see [`ChatOptions`].
    pub(crate) fn keep_here(&mut self, keeps_here: bool) {
        self.options.keeps_here = keeps_here;
    }

    /// Whether somebody can be asked in the next runs: see [`ChatOptions`].
    pub(crate) fn attend(&mut self, is_attended: bool) {
        self.options.is_attended = is_attended;
    }

    /// Whether a message may show the model this picture.
    fn shows(&self, path: &str) -> bool {
        let root = &self.prepared.workspace.repository.root;
        let is_here = || {
            let found = root.join(path).canonicalize();
            found.is_ok_and(|found| root.canonicalize().is_ok_and(|root| found.starts_with(root)))
        };
        (!self.options.keeps_here || is_here()) && self.prepared.is_image(path)
    }

    /// Something that goes with the next message, and with no other if that cannot be said: a picture is
    /// shown where the model takes any.
    pub fn attach(&mut self, given: Attachment) {
        match given {
            Attachment::Image(image) => self.shown.push(image),
            given => self.attached.push(given),
        }
    }

    /// A file of the work tree that goes with the next message, by its path from the root.
    ///
    /// # Errors
    /// When no tool may read it, or it cannot be read.
    pub fn attach_file(&mut self, path: &str) -> Result<()> {
        let given = self.named(path)?;
        self.attach(given);
        Ok(())
    }

    /// A file that the user names; of one that is not sent whole it is told which lines are.
    fn named(&self, path: &str) -> Result<Attachment> {
        let Named { given, path: whole, part } = self.prepared.file(path, &self.session)?;
        if let Some((from, to, all)) = part {
            (&*self.prepared.reporter as &dyn Reporter).note(format_args!(
                "`@{}`: lines {from}-{to} of {all} are sent; `@{}:{}-` goes on from there",
                escape_control_line(path),
                escape_control_line(&whole),
                to + 1
            ));
        }
        Ok(given)
    }

    /// All that was said in this conversation, what became a summary for the model too; the oldest first.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn said(&self, reporter: &dyn Reporter) -> Result<Vec<Message>> {
        runs::said(&self.prepared.sessions, &self.session, reporter)
    }

    /// A message, and the run that it begins. Files that it names by `@path` are quoted beside it.
    ///
    /// # Errors
    /// When there is no run at all.
    pub fn say(&mut self, line: &str, approver: &mut dyn Approver) -> Result<Finished> {
        let mut given = self.given.clone();
        given.append(&mut self.attached);
        let tell: &dyn Reporter = &*self.prepared.reporter;
        let mut images = std::mem::take(&mut self.shown);
        let pasted = mention::pasted(line).into_iter().filter(|path| self.shows(path));
        for path in pasted {
            match self.prepared.image(Path::new(&path), &self.session) {
                Ok(image) => images.push(image),
                // Whoever only speaks of a picture has something to say all the same.
                Err(error) => tell.note(format_args!("{}: only its path is sent", error.message())),
            }
        }
        for path in mention::mentions(line) {
            let is_file = self.prepared.is_file(&path) && !self.prepared.is_image(&path);
            if is_file || self.shows(&path) {
                given.push(self.named(&path)?);
            } else {
                tell.note(format_args!(
                    "`@{}` is no file of this work tree: it is sent as it is written",
                    escape_control_line(&path)
                ));
            }
        }
        let ChatOptions { yes, asks_plan, is_attended, .. } = self.options;
        let request = RunRequest {
            goal: line,
            yes,
            is_attended,
            is_said: is_attended,
            asks_plan,
            branch: None,
            given,
            pasted: images,
        };
        let mut watched = Watched { inner: approver, seen: &mut self.seen };
        let finished = self.prepared.run(&request, &mut self.session, &mut watched)?;
        // They are in the conversation now.
        self.given.clear();
        self.spent.add(&finished.spent);
        self.spent.runs += 1;
        Ok(finished)
    }

    /// A line of the user's own for the shell; what it says goes with the next message.
    ///
    /// # Errors
    /// Those of [`Prepared::command`].
    pub fn shell(&mut self, line: &str, approver: &mut dyn Approver) -> Result<Ran> {
        let mut watched = Watched { inner: approver, seen: &mut self.seen };
        let ran = self.prepared.command(line, &self.session, &mut watched)?;
        self.given.push(ran.given.clone());
        self.ran.push(ran.run.clone());
        Ok(ran)
    }

    /// Does what a command says. `reporter` is told what is wrong by the way.
    ///
    /// # Errors
    /// When it cannot be done; the conversation is then as it was.
    pub fn obey(
        &mut self,
        command: ChatCommand,
        reporter: &dyn Reporter,
    ) -> Result<ChatAnswer<'_>> {
        let prepared = self.prepared;
        Ok(match command {
            ChatCommand::Status => ChatAnswer::Status(ChatStatus {
                session: &self.session,
                mode: prepared.mode(),
                fence: prepared.fence(),
                tools: prepared.tools.len(),
            }),
            ChatCommand::Tasks => {
                let of = Which::Session(self.session.id);
                ChatAnswer::Tasks(prepared.trails.list(of, MOST_TASKS)?.0)
            }
            ChatCommand::Budget => ChatAnswer::Budget(ChatBudget {
                spent: self.spent,
                limits: &prepared.workspace.config.llm.budget,
            }),
            ChatCommand::Mode(mode) => {
                mode.into_iter().for_each(|mode| prepared.set_mode(mode));
                ChatAnswer::Mode(prepared.mode())
            }
            ChatCommand::Model(model) => {
                model.map(|model| prepared.set_model(model)).transpose()?;
                ChatAnswer::Models(prepared.models())
            }
            ChatCommand::Plan(asks) => {
                self.options.asks_plan = asks.unwrap_or(self.options.asks_plan);
                ChatAnswer::Plan(self.options.asks_plan)
            }
            ChatCommand::Context => ChatAnswer::Context(prepared.context(&self.session)?),
            ChatCommand::Compact => {
                let done = prepared.compact(&mut self.session, self.options.yes)?;
                self.spent.add(&done.spent);
                ChatAnswer::Compacted(done)
            }
            ChatCommand::Clear => {
                let before = std::mem::replace(&mut self.session, prepared.session(None)?);
                self.begin_anew();
                let (session, before) = (self.session.id.to_string(), before.id.to_string());
                ChatAnswer::Cleared { session, before }
            }
            ChatCommand::Diff => {
                ChatAnswer::Changes(changes(prepared.workspace, &self.own_runs()?)?)
            }
            ChatCommand::Todo => ChatAnswer::Todo(&self.seen.todo),
            ChatCommand::Output => ChatAnswer::Output(self.seen.output.as_deref()),
            ChatCommand::Undo(run) => {
                // Without an id it is this conversation's, whatever else was run here since.
                let run = run.map_or_else(|| self.last_run(), Ok)?;
                let request = UndoRequest { run: Some(&run), ..UndoRequest::default() };
                let undone = undo(prepared.workspace, &request, reporter)?;
                // The model has seen that it was done.
                self.given.extend(undone.as_ref().and_then(taken_back));
                ChatAnswer::Undone(undone)
            }
            ChatCommand::Sessions => ChatAnswer::Sessions(self.listed(reporter)?),
            ChatCommand::Resume(None) => {
                let own = self.session.id;
                let others = self.listed(reporter)?.into_iter().filter(|it| it.id != own);
                ChatAnswer::Choose(others.take(MOST_CHOICES).collect())
            }
            ChatCommand::Resume(Some(id)) => ChatAnswer::Resumed(self.resume(&id)?),
            ChatCommand::Rename(name) => {
                prepared.rename(&mut self.session, &name)?;
                let name = self.session.name.as_deref().unwrap_or_default();
                ChatAnswer::Renamed { session: self.session.id.to_string(), name }
            }
            ChatCommand::Export(file) => {
                let said = self.said(reporter)?;
                match file {
                    None => ChatAnswer::Exported(runs::export(&self.session, &said)?),
                    Some(file) => {
                        let path = prepared.workspace.environment.with_home(&file);
                        runs::export_to(&self.session, &said, &path)?;
                        ChatAnswer::Written(file)
                    }
                }
            }
            ChatCommand::Known(command) => {
                ChatAnswer::Known(known(prepared.workspace, &command, reporter)?)
            }
            ChatCommand::Schedule(ScheduleCommand::List) => {
                ChatAnswer::Known(known(prepared.workspace, &KnowledgeCommand::Schedule, reporter)?)
            }
            ChatCommand::Schedule(_) => {
                return Err(Error::new("tasks of a conversation are done while a gateway lives")
                    .hint("`elophanto gateway` is one; or `elophanto schedule add` for commands"));
            }
            ChatCommand::Stop { .. } => ChatAnswer::Known("no run goes on".to_owned()),
            ChatCommand::Repo(_) => {
                return Err(Error::new("this conversation is about this repository alone")
                    .hint("`elophanto gateway` serves several: `gateway.repositories`"));
            }
            ChatCommand::Help => ChatAnswer::Help(COMMANDS),
            ChatCommand::Quit => ChatAnswer::Quit,
        })
    }

    /// Whether a run, by its whole id, was made in this conversation.
    ///
    /// # Errors
    /// When the runs cannot be listed.
    pub fn is_own(&self, run: &str) -> Result<bool> {
        Ok(self.own_runs()?.iter().any(|own| own.eq_ignore_ascii_case(run)))
    }

    /// Goes on in another conversation of this work tree.
    fn resume(&mut self, id: &str) -> Result<Resumed<'_>> {
        let session = self.prepared.session(Some(id))?;
        let root = self.prepared.workspace.repository.root.to_string_lossy();
        if let Some(other) = session.root.as_ref().filter(|other| **other != root) {
            return Err(Error::new(format_args!("session {} is about another folder", session.id))
                .hint(format!("go there: cd {}", escape_control_line(other))));
        }
        let spent = spent_in(self.prepared, &session)?;
        self.session = session;
        self.begin_anew();
        self.spent = spent;
        Ok(Resumed { session: &self.session, last: last(&self.session.messages) })
    }

    /// Forgets what belongs to the conversation before.
    fn begin_anew(&mut self) {
        self.spent = ChatSpent::default();
        self.given.clear();
        self.ran.clear();
        self.seen = Seen::default();
    }

    fn listed(&self, reporter: &dyn Reporter) -> Result<Vec<Session>> {
        let root = &self.prepared.workspace.repository.root;
        conversations(&self.prepared.sessions, Some(root), reporter)
    }

    /// Ids of what was run in this conversation, by the agent and by the user.
    fn own_runs(&self) -> Result<Vec<String>> {
        let of = Which::Session(self.session.id);
        let (lines, _) = self.prepared.trails.list(of, MOST_RUNS)?;
        let runs = lines.iter().map(|line| line.run.to_string());
        Ok(runs.chain(self.ran.iter().cloned()).collect())
    }

    /// The last run of this conversation that changed something and was not taken back.
    fn last_run(&self) -> Result<String> {
        last_of(self.prepared.workspace, &self.own_runs()?)?.ok_or_else(|| {
            Error::new("no run of this conversation has changed anything that is not taken back")
                .hint("`/undo ID` takes back another one: `elophanto agent runs` lists them")
        })
    }
}

/// What the model is told of an undo, with the next message.
fn taken_back(undone: &Undone) -> Option<Attachment> {
    undone.undo.as_ref()?;
    let paths = undone.restored.iter().chain(&undone.removed).take(MOST_TOLD);
    let paths = paths.map(|path| exact_line(path)).collect::<Vec<_>>().join(", ");
    let text = format!("run {} is taken back; as before it: {paths}", undone.run);
    Some(Attachment::Text { origin: "what `/undo` said, which the user called".to_owned(), text })
}

/// What the runs of a session have cost.
fn spent_in(prepared: &Prepared<'_>, session: &Session) -> Result<ChatSpent> {
    let (spent, runs) = runs::spent(&prepared.trails, session)?;
    let mut all = ChatSpent { runs, ..ChatSpent::default() };
    all.add(&spent);
    Ok(all)
}

/// What the user said last, and what was answered.
fn last(messages: &[Message]) -> Vec<Said<'_>> {
    let you = messages.iter().rposition(|message| matches!(message, Message::User(_)));
    let said = messages[you.unwrap_or(messages.len())..].iter();
    let said = said.filter_map(|message| match message {
        Message::User(text) => Some(Said::You(text)),
        Message::Assistant { text, .. } if !text.trim().is_empty() => Some(Said::Agent(text)),
        _ => None,
    });
    said.collect()
}

/// What was seen of runs by the way.
#[derive(Default)]
struct Seen {
    /// What is to be done, as the agent said last.
    todo: Vec<Todo>,
    /// All that the last command said, as far as it is kept.
    output: Option<String>,
    /// A command runs.
    is_command: bool,
}

/// Whoever approves, watched.
struct Watched<'w> {
    inner: &'w mut dyn Approver,
    seen: &'w mut Seen,
}

impl Approver for Watched<'_> {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.inner.approve(request)
    }

    fn ask(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.inner.ask(question, options)
    }

    fn tell(&mut self, event: &Event<'_>) {
        match event {
            Event::Todo { items, .. } => self.seen.todo = items.to_vec(),
            Event::Calling { action, .. } => {
                self.seen.is_command = matches!(action, Action::Shell { .. });
            }
            Event::Called { text, .. } if std::mem::take(&mut self.seen.is_command) => {
                self.seen.output = Some((*text).to_owned());
            }
            _ => {}
        }
        self.inner.tell(event);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_last() {
        let user = |text: &str| Message::User(text.to_owned());
        let agent =
            |text: &str| Message::Assistant { text: text.to_owned(), tool_calls: Vec::new() };
        let check = |messages: &[Message], expected: &[&str]| {
            let told = last(messages).into_iter().map(|said| match said {
                Said::You(text) => format!("you: {text}"),
                Said::Agent(text) => format!("agent: {text}"),
            });
            assert_eq!(told.collect::<Vec<_>>(), expected);
        };
        check(&[], &[]);
        check(&[agent("a")], &[]);
        check(&[user("a"), agent("b")], &["you: a", "agent: b"]);
        check(&[user("a"), agent("b"), user("c")], &["you: c"]);
        check(&[user("a"), agent(" "), agent("b")], &["you: a", "agent: b"]);
    }

    #[test]
    fn the_last_output_is_that_of_a_command() {
        struct Nobody;
        impl Approver for Nobody {
            fn approve(&mut self, _: &Approval) -> Answer {
                Answer::Nobody
            }
            fn ask(&mut self, _: &str, _: &[String]) -> Option<String> {
                None
            }
            fn tell(&mut self, _: &Event<'_>) {}
        }
        let mut seen = Seen::default();
        let mut watched = Watched { inner: &mut Nobody, seen: &mut seen };
        let line = "ls".to_owned();
        let shell = Action::Shell { line, folder: "/".into(), network: false };
        for (action, text) in [(&shell, "a.md"), (&Action::Look, "text of a.md")] {
            let tool = "tool";
            watched.tell(&Event::Calling { tool, action, shown: "", depth: 0 });
            watched.tell(&Event::Called { tool, failed: false, text, seconds: 0.0, depth: 0 });
        }
        assert_eq!(seen.output.as_deref(), Some("a.md"));
    }
}
