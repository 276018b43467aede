//! The end of a run: judged, remembered, written down.

use serde_json::{Value, json};

use super::{Run, frame::Frame, honest::at_most};
use crate::{
    End, Event, Finished, Outcome, TaskSummary,
    clean::{clean, cut_middle},
    trail::{EntryKind, some_commits, some_paths},
};
use elophanto_base::counted::counted;
use elophanto_base::{one_line::one_line, schema::check};
use elophanto_models::llm::{Message, Request, Schema, Task, schema};

/// Bytes of the goal, of the answer, and of what was done, for the judgement.
const CAPS: (usize, usize, usize) = (4_000, 6_000, 8_000);
/// Characters of a title, and of any other line.
const CHARS: (usize, usize) = (80, 500);
const APPROACHES: usize = 5;

/// What the model makes of a run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Judgement {
    title: String,
    reached: Option<Outcome>,
    outcome: String,
    root_cause: Option<String>,
    failed_approaches: Vec<String>,
    lesson: Option<String>,
    pattern: Option<String>,
}

impl Run<'_, '_> {
    /// Never fails: what cannot be done any more is a warning.
    pub(super) fn close(
        &mut self,
        mut frame: Frame<'_>,
        end: End,
        answer: Option<String>,
    ) -> Finished {
        self.depth = 0;
        // What ended the run must not keep it from being looked back on.
        self.stop = None;
        let can_ask = matches!(end, End::Answered | End::Steps { .. } | End::Loop { .. });
        // A question that was answered from what is known is no task to look back on.
        let is_task = !self.facts.did.is_empty();
        let judged = (can_ask && (is_task || !frame.plan.answer_at_once))
            .then(|| self.judge(&frame, &end, answer.as_deref()));
        let judged = judged.flatten();
        let (outcome, because) = match end {
            End::Answered => self.of_answer(&frame, judged.as_ref()),
            _ => (self.without_answer(&end, judged.as_ref()), None),
        };
        let is_cancelled = self.is_cancelled_now();
        let end = if is_cancelled && end != End::Answered { End::Cancelled } else { end };
        let outcome = if end == End::Cancelled { Outcome::Cancelled } else { outcome };
        self.keep_for_good(&mut frame, can_ask && !is_cancelled);
        let notes = match end {
            End::Cancelled => Vec::new(),
            _ if !is_task => Vec::new(),
            _ => self.remember(&frame, (&end, outcome, because.as_deref()), judged.as_ref()),
        };
        let answer = answer.unwrap_or_else(|| no_answer(judged.as_ref()));
        let finished = self.finished((end, outcome, because), answer, notes);
        self.finish(finished)
    }

    fn judge(&mut self, frame: &Frame<'_>, end: &End, answer: Option<&str>) -> Option<Judgement> {
        let system = format!(
            "You judge whether an agent reached its goal, by what its program wrote down. Be honest: \
             what no result shows is not done. {}",
            self.quote.rule()
        );
        let lines: Vec<_> = self.facts.did.iter().map(|did| did.line.as_str()).collect();
        let did = self.quote.wrap("calls, in order", &cut_middle(&lines.join("\n"), CAPS.2));
        let said = cut_middle(answer.unwrap_or("(none)"), CAPS.1);
        let said = self.quote.wrap("final answer", &said);
        let text = format!(
            "Goal: {}\n\nIt ended because {}.\n\n{did}\n\n{said}\n\nGive a title of at most eight \
             words for the task; whether the goal was reached; the outcome in one or two sentences; \
             if it was not reached, the root cause; approaches that failed; a lesson for next time \
             and a pattern that holds for other tasks too, or null.",
            cut_middle(&frame.goal, CAPS.0),
            end.reason(),
        );
        let messages = vec![Message::System(system), Message::User(text)];
        let schema = Some(judgement_schema());
        let request = Request { messages, schema, max_tokens: 900, ..Request::default() };
        // The run is over either way.
        let reply = self.ask(Task::Simple, &request, false).ok()?;
        parsed(reply.value, &reply.text)
    }

    /// What a run with an answer is called, and why, where that is not done. The model may say less than
    /// the facts allow, never more, and facts come before what anybody says of them.
    fn of_answer(
        &self,
        frame: &Frame<'_>,
        judged: Option<&Judgement>,
    ) -> (Outcome, Option<String>) {
        let said = judged.and_then(|judged| judged.reached).unwrap_or(Outcome::Done);
        match at_most(&self.facts, frame.plan.changes, self.is_first)
            .filter(|(most, _)| *most >= said)
        {
            Some((most, why)) => (most, Some(why)),
            None if said == Outcome::Done => (said, None),
            None => {
                let of = |text: Option<&String>| text.filter(|text| !text.is_empty()).cloned();
                let cause = of(judged.and_then(|judged| judged.root_cause.as_ref()));
                (said, cause.or_else(|| of(judged.map(|judged| &judged.outcome))))
            }
        }
    }

    fn without_answer(&self, end: &End, judged: Option<&Judgement>) -> Outcome {
        match (end, judged.and_then(|judged| judged.reached)) {
            (End::Steps { .. }, Some(Outcome::Done | Outcome::Partly)) => Outcome::Partly,
            (End::Cancelled, _) => Outcome::Cancelled,
            _ => Outcome::Failed,
        }
    }

    fn remember(
        &mut self,
        frame: &Frame<'_>,
        (end, outcome, because): (&End, Outcome, Option<&str>),
        judged: Option<&Judgement>,
    ) -> Vec<std::path::PathBuf> {
        let title = judged.map(|judged| judged.title.clone()).filter(|title| !title.is_empty());
        let reason = because.map_or_else(|| end.reason(), str::to_owned);
        let mut did: Vec<_> = self.facts.did.iter().map(|did| did.line.clone()).collect();
        if self.facts.more > 0 {
            did.push(format!("and {}", counted(self.facts.more, "more call")));
        }
        let said = judged.map(|judged| judged.outcome.clone()).filter(|text| !text.is_empty());
        let cause = judged.and_then(|judged| judged.root_cause.clone());
        let summary = TaskSummary {
            run: self.trail.run,
            session: self.session.id,
            started: self.started,
            ended: (self.agent.now)(),
            title: title.unwrap_or_else(|| one_line(&frame.goal, CHARS.0)),
            asked: frame.goal.clone(),
            did,
            outcome,
            outcome_text: said.unwrap_or_else(|| reason.clone()),
            touched: self.facts.touched.iter().cloned().collect(),
            commits: self.facts.commits.clone(),
            failed_approaches: judged
                .map(|judged| judged.failed_approaches.clone())
                .unwrap_or_default(),
            root_cause: match (outcome, end) {
                (Outcome::Done, _) => None,
                (_, End::Answered) => cause.or_else(|| because.map(str::to_owned)),
                _ => Some(cause.unwrap_or(reason)),
            },
            lesson: judged.and_then(|judged| judged.lesson.clone()),
            pattern: judged.and_then(|judged| judged.pattern.clone()),
            is_tainted: self.session.is_tainted,
        };
        match self.agent.world.remember(&summary) {
            Ok(notes) => notes,
            Err(reason) => {
                self.warn(format!("no note about this task was written: {reason}"));
                Vec::new()
            }
        }
    }

    fn finished(
        &mut self,
        (end, outcome, because): (End, Outcome, Option<String>),
        answer: String,
        notes: Vec<std::path::PathBuf>,
    ) -> Finished {
        Finished {
            run: self.trail.run,
            session: self.session.id,
            outcome,
            end,
            because,
            answer,
            touched: self.facts.touched.iter().cloned().collect(),
            commits: self.facts.commits.clone(),
            notes,
            effects: self.facts.effects,
            spent: self.allowance.spent,
            steps: self.allowance.steps,
            warnings: [std::mem::take(&mut self.warnings), self.agent.world.uncovered()].concat(),
        }
    }

    fn finish(&mut self, mut finished: Finished) -> Finished {
        let Finished { spent, .. } = &finished;
        self.note(EntryKind::End {
            outcome: finished.outcome.name().to_owned(),
            reason: clean(&finished.reason(), 1_000),
            answer: clean(&finished.answer, 32 * 1024),
            touched: some_paths(&finished.touched),
            commits: some_commits(&finished.commits),
            notes: some_paths(&finished.notes),
            steps: finished.steps,
            input_tokens: spent.input_tokens,
            output_tokens: spent.output_tokens,
            usd_micros: spent.usd_micros,
            unpriced: spent.unpriced,
        });
        if let Err(error) = self.trail.flush() {
            finished.warnings.push(format!("the end of the run is not written down: {error}"));
        }
        self.approver.tell(&Event::Ended(&finished));
        finished
    }
}

/// What is said in the place of an answer; why there is none is said beside it.
fn no_answer(judged: Option<&Judgement>) -> String {
    match judged.map(|judged| judged.outcome.as_str()).filter(|text| !text.is_empty()) {
        Some(outcome) => format!("No final answer. {outcome}"),
        None => "No final answer.".to_owned(),
    }
}

fn judgement_schema() -> Schema {
    let text = json!({ "type": ["string", "null"] });
    let schema = json!({
        "type": "object",
        "properties": {
            "title": { "type": "string" },
            "reached": { "type": "string", "enum": ["yes", "partly", "no"] },
            "outcome": { "type": "string" },
            "root_cause": text,
            "failed_approaches": { "type": "array", "items": { "type": "string" } },
            "lesson": text,
            "pattern": text,
        },
        "required": [
            "title", "reached", "outcome", "root_cause", "failed_approaches", "lesson", "pattern"
        ],
        "additionalProperties": false,
    });
    Schema { name: "judgement".to_owned(), schema }
}

fn parsed(value: Option<Value>, text: &str) -> Option<Judgement> {
    let form = judgement_schema();
    let value = value.filter(|value| check(&form.schema, value).is_ok());
    let value = value.or_else(|| schema::answer(&form, text).ok())?;
    let line =
        |value: &Value, chars: usize| one_line(&clean(value.as_str()?, 4 * chars), chars).into();
    let of = |name: &str, chars: usize| -> Option<String> {
        value
            .get(name)
            .and_then(|value| line(value, chars))
            .filter(|text: &String| !text.is_empty())
    };
    let reached = match value.get("reached").and_then(Value::as_str) {
        Some("yes") => Some(Outcome::Done),
        Some("partly") => Some(Outcome::Partly),
        Some("no") => Some(Outcome::Failed),
        _ => None,
    };
    let approaches = value.get("failed_approaches").and_then(Value::as_array).into_iter().flatten();
    Some(Judgement {
        title: of("title", CHARS.0).unwrap_or_default(),
        reached,
        outcome: of("outcome", CHARS.1).unwrap_or_default(),
        root_cause: of("root_cause", CHARS.1),
        failed_approaches: approaches
            .filter_map(|value| line(value, CHARS.1))
            .take(APPROACHES)
            .collect(),
        lesson: of("lesson", CHARS.1),
        pattern: of("pattern", CHARS.1),
    })
}
