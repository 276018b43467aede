//! One step: a reply of the model, and the one call that it leads to; of calls that only read several.

use serde_json::{Map, Value};

use super::{
    Reflect, Run,
    call::{Asked, How, Made},
    frame::{Frame, Trouble},
    offer::{self, MORE},
};
use crate::{
    End, Output,
    clean::{clean_json, cut_middle},
    trail::EntryKind,
};
use elophanto_base::one_line::one_line;
use elophanto_models::llm::{Message, Reply, StopReason, Task, ToolCall};

/// Unusable answers in a row that are borne with.
const MISSES: u32 = 3;
/// How often a prompt that its model refuses as too long is made half as long.
const HALVINGS: u32 = 3;
/// Calls of one reply that are answered.
const CALLS_CAP: usize = 12;
/// Of a call behind one that is not of its kind, or that failed.
const UNMADE: &str = "not made: only one call at a time, or several that only read. Ask for it again if \
                      it is still needed";
/// Bytes of one text in a call's arguments, and of all of them, in the conversation.
const ARGUMENTS_CAPS: (usize, usize) = (32 * 1024, 128 * 1024);

impl Run<'_, '_> {
    /// Asks for the next call and makes it; the final answer, if there is one.
    pub(super) fn step(&mut self, frame: &mut Frame<'_>) -> Result<Option<String>, End> {
        self.go_on()?;
        if !self.allowance.step() {
            return Err(End::Steps { max: self.allowance.max_steps });
        }
        let Some(reply) = self.reply(frame)? else { return Ok(None) };
        if reply.stop == StopReason::Refused {
            let message = "the model refused to go on".to_owned();
            return Err(End::Brain { message, hint: None });
        }
        if reply.tool_calls.is_empty() {
            return self.words(frame, reply);
        }
        if frame.plan.answer_at_once && self.agent.settings.asks_plan {
            // None were offered, and the user was to be asked about a plan before any.
            self.missed(frame, "You said that what you know suffices. Answer, without tools")?;
            return Ok(None);
        }
        frame.misses = 0;
        let mut calls = reply.tool_calls;
        calls.truncate(CALLS_CAP);
        self.name_calls(&mut calls);
        let shown: Vec<ToolCall> = calls.iter().map(as_kept).collect();
        let mut results: Vec<Message> = Vec::new();
        let (mut is_over, mut failed, mut images) = (false, None, Vec::new());
        for (call, kept) in calls.iter().zip(&shown) {
            if !results.is_empty() && !is_over {
                is_over = !frame.tools.only_reads(&call.name) || !self.allowance.step();
            }
            let asked = Asked { tool: &call.name, arguments: arguments(&call.arguments) };
            let made = match is_over {
                true => None,
                false => match self.make_or_offer(frame, &asked) {
                    Ok(made) => Some(made),
                    Err(end) => {
                        self.broken_off(frame, reply.text, shown, results, &end);
                        return Err(end);
                    }
                },
            };
            images.extend(made.iter().flat_map(|made| made.output.images.iter().cloned()));
            let (text, is_failed) = match &made {
                Some(made) => (made.text.clone(), made.failed),
                None => (UNMADE.to_owned(), true),
            };
            let (id, name) = (kept.id.clone(), kept.name.clone());
            results.push(Message::Tool { id, name, text, failed: is_failed });
            is_over |= is_failed || !frame.tools.only_reads(&call.name);
            if let Some(made) = made.filter(|made| made.failed) {
                failed = Some((asked, made));
            }
        }
        frame.push(Message::Assistant { text: reply.text, tool_calls: shown });
        // Every call has its result right behind it.
        let images = images.into_iter().map(Message::Image);
        results.into_iter().chain(images).for_each(|result| frame.push(result));
        self.instruct(frame);
        self.keep(frame);
        let Some((asked, made)) = failed else {
            frame.failures = 0;
            return Ok(None);
        };
        frame.failures += 1;
        let judges_itself = self.agent.settings.reflect == Reflect::EveryStep;
        if frame.failures > 1 || !judges_itself {
            self.reflect(frame, &asked, &made)?;
        }
        Ok(None)
    }

    /// Makes a call, be it the one that only offers tools.
    fn make_or_offer(&mut self, frame: &mut Frame<'_>, asked: &Asked<'_>) -> Result<Made, End> {
        if asked.tool != MORE || frame.tools.get(MORE).is_some() {
            return self.make(frame, asked);
        }
        let text = self.offer_more(frame, &asked.arguments);
        let output = Output { text: text.clone(), ..Output::default() };
        Ok(Made { plain: text.clone(), text, failed: false, how: How::Ran, output })
    }

    /// Offers tools from the next step on; what the model is told of it.
    fn offer_more(&mut self, frame: &mut Frame<'_>, arguments: &Value) -> String {
        let names = offer::asked(arguments);
        let (there, missing): (Vec<String>, Vec<String>) =
            names.into_iter().partition(|name| frame.tools.get(name).is_some());
        let shown = |names: &[String]| one_line(&names.join(", "), 400);
        let mut text = match there.is_empty() {
            true => "no more tools: give `names` of those that are listed".to_owned(),
            false => format!("from now on you can call {}", shown(&there)),
        };
        if !missing.is_empty() {
            text.push_str(&format!("; there is no tool {}", shown(&missing)));
        }
        frame.wanted.extend(there);
        self.note(EntryKind::Progress { tool: MORE.to_owned(), text: text.clone() });
        text
    }

    /// The model's reply; `None` if it was none, and the model has been told.
    fn reply(&mut self, frame: &mut Frame<'_>) -> Result<Option<Reply>, End> {
        let most = self.agent.settings.max_prompt_tokens;
        let with_tools = !frame.plan.answer_at_once;
        let max_tokens = self.agent.settings.max_answer_tokens;
        self.fit(frame, frame.request(with_tools, max_tokens).estimated_input(), most);
        let mut request = frame.request(with_tools, max_tokens);
        let mut asked = self.ask(Task::Planning, &request, true);
        for _ in 0..HALVINGS {
            if !matches!(asked, Err(Trouble::TooLong(_))) {
                break;
            }
            self.shrink(frame, request.estimated_input().min(most) / 2);
            request = frame.request(with_tools, max_tokens);
            asked = self.ask(Task::Planning, &request, true);
        }
        match asked {
            Ok(reply) => Ok(Some(reply)),
            Err(Trouble::End(end)) => Err(end),
            Err(Trouble::TooLong(message)) => Err(End::Brain { message, hint: None }),
            Err(Trouble::Malformed { message, .. }) => {
                self.missed(frame, &format!("Your last answer cannot be used: {message}"))?;
                Ok(None)
            }
        }
    }

    /// A reply without a call: the final answer, unless it is empty or a mere announcement.
    fn words(&mut self, frame: &mut Frame<'_>, reply: Reply) -> Result<Option<String>, End> {
        if reply.text.trim().is_empty() {
            self.missed(frame, "Your last answer was empty. Call a tool, or answer the user")?;
            return Ok(None);
        }
        frame.misses = 0;
        let is_open = (frame.calls as usize) < frame.plan.steps.len() && !frame.plan.answer_at_once;
        let text = reply.text;
        frame.push(Message::Assistant { text: text.clone(), tool_calls: Vec::new() });
        if is_open && !frame.is_reminded && announces(&text) {
            frame.is_reminded = true;
            frame.remark(
                "You said what you will do but called no tool. Call it now. If you are done, give \
                 the final answer.",
            );
            return Ok(None);
        }
        if reply.stop == StopReason::Length {
            self.warn("the answer was cut off: it is longer than a model may answer".to_owned());
        }
        Ok(Some(text))
    }

    fn missed(&mut self, frame: &mut Frame<'_>, text: &str) -> Result<(), End> {
        frame.misses += 1;
        if frame.misses >= MISSES {
            let message = format!("the model gave no usable answer {MISSES} times in a row");
            let hint = Some("try another model".to_owned());
            return Err(End::Brain { message, hint });
        }
        frame.remark(text);
        Ok(())
    }

    /// The run ends inside of a call: the session must hold its result all the same.
    fn broken_off(
        &mut self,
        frame: &mut Frame<'_>,
        text: String,
        calls: Vec<ToolCall>,
        mut results: Vec<Message>,
        end: &End,
    ) {
        let rest = calls.iter().skip(results.len()).map(|call| Message::Tool {
            id: call.id.clone(),
            name: call.name.clone(),
            text: format!("broken off: {}", end.reason()),
            failed: true,
        });
        results.extend(rest);
        frame.push(Message::Assistant { text, tool_calls: calls });
        results.into_iter().for_each(|result| frame.push(result));
    }

    /// Ids of our own: models repeat theirs, or give none.
    fn name_calls(&self, calls: &mut [ToolCall]) {
        let run = self.trail.run.to_string();
        let run = run.get(run.len().saturating_sub(8)..).unwrap_or("");
        let step = self.allowance.steps;
        for (number, call) in calls.iter_mut().enumerate() {
            call.id = format!("{run}_{step}_{number}");
        }
    }
}

fn arguments(given: &Value) -> Value {
    // A call without arguments, as some models write it.
    if given.is_null() { Value::Object(Map::new()) } else { given.clone() }
}

/// As the conversation keeps it: masked, with a name that every provider takes.
pub(super) fn as_kept(call: &ToolCall) -> ToolCall {
    let mut arguments = clean_json(&arguments(&call.arguments), ARGUMENTS_CAPS.0);
    if !arguments.is_object() || arguments.to_string().len() > ARGUMENTS_CAPS.1 {
        let brief = cut_middle(&arguments.to_string(), ARGUMENTS_CAPS.0).into();
        arguments = Value::Object(Map::from_iter([("arguments".to_owned(), brief)]));
    }
    ToolCall { id: call.id.clone(), name: name_as_kept(&call.name), arguments }
}

fn name_as_kept(name: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
    let is_name = !name.is_empty() && name.len() <= 64 && name.chars().all(plain);
    if is_name { name.to_owned() } else { "unknown_tool".to_owned() }
}

/// Whether a text says what its writer is about to do, rather than what is.
fn announces(text: &str) -> bool {
    const BEGINNINGS: &[&str] = &[
        "i will", "i'll", "i\u{2019}ll", "let me", "let's", "i am going to", "i'm going to",
        "i\u{2019}m going to", "next, i", "now i", "first, i", "i need to", "i should",
    ];
    let lower = text.trim().to_lowercase();
    let head = lower.get(..lower.floor_char_boundary(200)).unwrap_or("");
    let last = lower.rsplit(['.', '!', '\n']).map(str::trim).find(|part| !part.is_empty());
    let last = last.unwrap_or("");
    let begins = |part: &str| BEGINNINGS.iter().any(|words| part.starts_with(words));
    lower.len() < 2_000 && (begins(head) || begins(last) || lower.ends_with(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn announcements() {
        for (text, expected) in [
            ("I'll read the file.", true),
            ("Let me look at src/a.rs", true),
            ("The test fails. Next, I will fix it.", true),
            ("The test fails. I will fix it now.", true),
            ("I will call:", true),
            ("Done: the test passes.", false),
            ("The letter says \"I will\" twice.", false),
            ("", false),
        ] {
            assert_eq!(announces(text), expected, "{text}");
        }
    }

    #[test]
    fn names_for_providers() {
        for (name, kept) in
            [("file_read", "file_read"), ("", "unknown_tool"), ("a b", "unknown_tool")]
        {
            assert_eq!(name_as_kept(name), kept);
        }
    }
}
