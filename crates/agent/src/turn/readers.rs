//! Questions that are read about side by side: each by a model of its own, within a share of what the
//! run may still use. Models are asked on threads; calls of tools come back here one by one, through
//! the same permissions and into the same trail as any other.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::mpsc::{Sender, channel},
    thread,
};

use super::{
    Run,
    call::{Asked, How},
    offer::offer,
    reader::{Errand, ToRun, Told, read},
};
use crate::{
    End, Event, ReaderEnd, ReaderState, Reading, Source, ToolError, Toolbox, clean::clean,
    permissions::Level, trail::EntryKind,
};
use elophanto_base::{counted::counted, one_line::one_line};

/// What readers may call: it looks into the work tree, its history and its knowledge, and changes
/// nothing, asks nobody and reaches nowhere.
const READS: [&str; 7] = [
    "file_list", "file_read", "file_search", "git_diff", "git_log", "git_status",
    "knowledge_search",
];
/// Replies of one reader's model at most; and at least, or it is not worth one.
const STEPS: (u32, u32) = (15, 2);
/// Tokens that one reader needs at least.
const LEAST_TOKENS: u64 = 6_000;
/// Tokens of one answer of a reader's model.
const ANSWER_TOKENS: u32 = 2_048;
/// Bytes of a question, and of what a reader answers.
const CAPS: (usize, usize) = (4 * 1024, 4 * 1024);
/// Files that are named as read.
const SOURCES: usize = 30;
/// Characters of a question as it is shown.
const SHOWN_CHARS: usize = 300;

/// A reader that is at work.
struct AtWork {
    errand: Errand,
    sources: BTreeSet<PathBuf>,
}

/// What a reader says, and its place among them.
type Said = (usize, ToRun);

impl Run<'_, '_> {
    /// Has questions read about side by side.
    ///
    /// # Errors
    /// When too little is left for that, or the run ends.
    pub(super) fn read_side_by_side(
        &mut self,
        questions: &[String],
    ) -> Result<Vec<Reading>, ToolError> {
        let questions: Vec<_> = questions.iter().map(|one| clean(one.trim(), CAPS.0)).collect();
        let (steps, tokens) = self.share(questions.len())?;
        let toolbox = readers_tools(self.agent.tools);
        let mut readers: Vec<AtWork> = questions
            .into_iter()
            .map(|question| AtWork {
                errand: self.errand(question, &toolbox, steps, tokens),
                sources: BTreeSet::new(),
            })
            .collect();
        self.depth += 1;
        for (number, reader) in readers.iter().enumerate() {
            self.reader_begins(number, &reader.errand, &toolbox);
        }
        let told = self.at_work(&mut readers, &toolbox);
        let readings = readers
            .into_iter()
            .zip(told)
            .enumerate()
            .map(|(number, (reader, told))| self.reader_ends(number, reader, told))
            .collect();
        self.depth -= 1;
        match self.go_on() {
            Ok(()) => Ok(readings),
            Err(End::Cancelled) => Err(ToolError::Cancelled),
            Err(end) => Err(ToolError::Failed(end.reason())),
        }
    }

    /// Steps and tokens of each of so many readers; the run keeps a share as large.
    fn share(&self, readers: usize) -> Result<(u32, u64), ToolError> {
        let parts = u32::try_from(readers).unwrap_or(u32::MAX).saturating_add(1);
        let left = self.allowance.left();
        let steps = (left / parts).min(STEPS.0);
        let few = |left: String| {
            ToolError::Refused(format!(
                "only {left} are left for this run, too few for {}: read yourself, or ask fewer \
                 questions",
                counted(u64::from(parts - 1), "reader")
            ))
        };
        if steps < STEPS.1 {
            return Err(few(counted(left, "step")));
        }
        let left = self.agent.brain.tokens_left().unwrap_or(u64::MAX);
        let tokens = (left / u64::from(parts)).min(self.agent.settings.reader_tokens);
        if tokens < LEAST_TOKENS {
            return Err(few(counted(left, "token")));
        }
        Ok((steps, tokens))
    }

    fn errand(&self, question: String, toolbox: &Toolbox, steps: u32, tokens: u64) -> Errand {
        let settings = &self.agent.settings;
        let system = format!(
            "You read for another agent, in a git repository, and answer one question of its own. \
             Your tools search and read; nothing can be changed, and nobody can be asked. Search \
             before you read, and read no more than you need. Without a tool call, your reply is the \
             answer: at most 300 words, with the path and line behind what you say, and what you did \
             not find.\n\n# Text from outside\n{}",
            self.quote.rule()
        );
        let specs: Vec<_> = toolbox.specs().collect();
        let names = specs.iter().map(|spec| spec.name.clone()).collect();
        Errand {
            question,
            system,
            tools: offer(specs, &names),
            steps,
            tokens,
            prompt: settings.max_prompt_tokens,
            answer: settings.max_answer_tokens.min(ANSWER_TOKENS),
        }
    }

    /// Lets them work until the last one has ended.
    fn at_work(&mut self, readers: &mut [AtWork], toolbox: &Toolbox) -> Vec<Told> {
        let (brain, cancelled) = (self.agent.brain, self.agent.cancelled);
        let errands: Vec<&Errand> = readers.iter().map(|reader| &reader.errand).collect();
        let mut sources = vec![BTreeSet::new(); errands.len()];
        let told = thread::scope(|scope| {
            let (sender, said) = channel::<Said>();
            let threads: Vec<_> = errands
                .iter()
                .enumerate()
                .map(|(number, errand)| {
                    let sender = sender.clone();
                    // A run that is gone has ended its readers too.
                    let run = move |said| drop(sender.send((number, said)));
                    scope.spawn(move || read(errand, brain, cancelled, &run))
                })
                .collect();
            drop(sender);
            for (number, said) in said {
                match said {
                    ToRun::Asked(costs) => {
                        self.allowance.step();
                        self.reader = Some(number);
                        self.spend(elophanto_models::llm::Task::Planning, &costs);
                        self.reader = None;
                    }
                    ToRun::Call(call, answer) => {
                        let asked = Asked { tool: &call.name, arguments: call.arguments };
                        let found = sources.get_mut(number);
                        self.reader_calls((number, found), toolbox, &asked, &answer);
                    }
                }
            }
            let panicked = || Told {
                end: ReaderEnd::Failed,
                text: "it broke off".to_owned(),
                steps: 0,
                tokens: 0,
            };
            threads.into_iter().map(|it| it.join().unwrap_or_else(|_| panicked())).collect()
        });
        for (reader, sources) in readers.iter_mut().zip(sources) {
            reader.sources = sources;
        }
        told
    }

    fn reader_calls(
        &mut self,
        (number, sources): (usize, Option<&mut BTreeSet<PathBuf>>),
        toolbox: &Toolbox,
        asked: &Asked<'_>,
        answer: &Sender<Option<(String, bool)>>,
    ) {
        let before = self.worked_on.len();
        self.reader = Some(number);
        let made = self.call(toolbox, asked);
        self.reader = None;
        let made = match made {
            Ok(made) => {
                let root = &self.agent.settings.root;
                let places = self.worked_on.get(before..).unwrap_or_default().iter();
                let files = places.filter(|path| path.is_file());
                let files = files.map(|path| path.strip_prefix(root).unwrap_or(path).to_owned());
                if let Some(sources) = sources.filter(|_| made.how == How::Ran && !made.failed) {
                    sources.extend(files);
                }
                Some((made.text, made.failed))
            }
            Err(end) => {
                self.stop.get_or_insert(end);
                None
            }
        };
        // It waits for this.
        let _ = answer.send(made);
    }

    fn reader_begins(&mut self, number: usize, errand: &Errand, toolbox: &Toolbox) {
        let question = one_line(&errand.question, SHOWN_CHARS);
        let (steps, tokens) = (errand.steps, errand.tokens);
        let state = ReaderState::Begun { steps, tokens };
        let (shown, depth) = (number + 1, self.depth);
        self.approver.tell(&Event::Reader { number: shown, question: &question, state, depth });
        let tools = toolbox.specs().map(|spec| spec.name).collect();
        let question = errand.question.clone();
        self.reader = Some(number);
        self.note(EntryKind::ReaderBegin { question, tools, steps, tokens });
        self.reader = None;
    }

    fn reader_ends(&mut self, number: usize, reader: AtWork, told: Told) -> Reading {
        let question = one_line(&reader.errand.question, SHOWN_CHARS);
        let Told { end, text, steps, tokens } = told;
        let (answer, depth) = (clean(text.trim(), CAPS.1), self.depth);
        let state = ReaderState::Ended { end, steps, tokens };
        let shown = number + 1;
        self.approver.tell(&Event::Reader { number: shown, question: &question, state, depth });
        let sources: Vec<_> = reader.sources.into_iter().take(SOURCES).collect();
        self.reader = Some(number);
        self.note(EntryKind::ReaderEnd {
            end: end.name().to_owned(),
            answer: answer.clone(),
            sources: crate::trail::some_paths(&sources),
            steps,
            tokens,
        });
        self.reader = None;
        Reading { question, end, answer, sources, steps, tokens, budget: reader.errand.tokens }
    }
}

/// Of the tools of a run, those that readers are given: the program's own, whatever else has their
/// names.
fn readers_tools(tools: &Toolbox) -> Toolbox {
    let is_own = |name: &&str| {
        tools.get(name).is_some_and(|tool| {
            tool.spec().source == Source::BuiltIn && tool.spec().level == Level::Safe
        })
    };
    tools.only(&READS.into_iter().filter(is_own).collect::<Vec<_>>())
}
