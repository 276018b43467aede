//! A model that follows a script, in OpenAI's protocol, streamed or whole as it is asked; it can
//! misbehave in every way that a script can say.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use elophanto_models::llm::{Message, Request, Schema, Tool, ToolCall};
use serde_json::{Value, json};

use super::{Answer, Fake, Seen, chat::Protocol};
use crate::env::Output;

/// What the model says when it may call tools.
#[derive(Debug, Clone)]
pub enum Turn {
    Text(String),
    /// Calls of tools: names, arguments as the model writes them.
    Calls(Vec<(String, String)>),
    /// Text and a call.
    Both(String, String, String),
    /// Anything, even what is no answer.
    Answer(Answer),
    /// The same after a while.
    Late(Duration, Box<Turn>),
    /// The same when the test lets it come.
    Held(Hold, Box<Turn>),
}

/// What a turn of the model waits for.
#[derive(Debug, Clone, Default)]
pub struct Hold(Arc<AtomicBool>);

impl Hold {
    pub fn turn(&self, turn: Turn) -> Turn {
        Turn::Held(self.clone(), Box::new(turn))
    }

    pub fn release(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Waits for it, though not for ever: a test that failed never releases it.
    fn wait(&self) {
        let begun = Instant::now();
        while !self.0.load(Ordering::SeqCst) && begun.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A final answer, or mere prose.
pub fn text(text: &str) -> Turn {
    Turn::Text(text.to_owned())
}

/// A call of a tool.
pub fn call(tool: &str, arguments: Value) -> Turn {
    Turn::Calls(vec![(tool.to_owned(), arguments.to_string())])
}

/// A line of a shell.
pub fn shell(line: &str) -> Turn {
    call("shell_execute", json!({ "command": line }))
}

/// A call, and what the model says before it.
pub fn says(said: &str, tool: &str, arguments: Value) -> Turn {
    Turn::Both(said.to_owned(), tool.to_owned(), arguments.to_string())
}

/// Calls of one reply.
pub fn calls_of(calls: &[(&str, Value)]) -> Turn {
    let call = |(tool, arguments): &(&str, Value)| ((*tool).to_owned(), arguments.to_string());
    Turn::Calls(calls.iter().map(call).collect())
}

/// A running model.
pub struct Model {
    fake: Fake,
}

/// Answers to questions with a schema, by its name.
type Forms = BTreeMap<String, Value>;

impl Model {
    /// Says these in turn, and the last from then on.
    pub fn script(turns: Vec<Turn>) -> Self {
        Self::judging(json!({}), turns)
    }

    /// The same, with fields of the judgement at the end of the run.
    pub fn judging(fields: Value, turns: Vec<Turn>) -> Self {
        Self::start(fields, move |_, number| turns[number.min(turns.len() - 1)].clone())
    }

    /// The same of a model that plans these steps, for which it wants these tools.
    pub fn planning(steps: &[&str], tools: &[&str], judgement: Value, turns: Vec<Turn>) -> Self {
        let mut forms = forms(judgement);
        let plan = json!({ "answer_at_once": false, "steps": steps, "tools": tools });
        forms.insert("plan".to_owned(), plan);
        Self::answering(forms, move |_, number| turns[number.min(turns.len() - 1)].clone())
    }

    /// The same where the goal asks to change something, by the plan.
    pub fn ordering(steps: &[&str], turns: Vec<Turn>) -> Self {
        let mut forms = forms(json!({}));
        let plan = json!({ "answer_at_once": false, "changes": true, "steps": steps, "tools": [] });
        forms.insert("plan".to_owned(), plan);
        Self::answering(forms, move |_, number| turns[number.min(turns.len() - 1)].clone())
    }

    /// The same of a model that answers in prose whatever form is asked for.
    pub fn prose(turns: Vec<Turn>) -> Self {
        let mut forms = forms(json!({}));
        forms.values_mut().for_each(|form| *form = json!("First I look, then I write."));
        Self::answering(forms, move |_, number| turns[number.min(turns.len() - 1)].clone())
    }

    /// Says what `says` makes of a request with tools and its number among those, from 0.
    pub fn start(
        judgement: Value,
        says: impl Fn(&Seen, usize) -> Turn + Send + Sync + 'static,
    ) -> Self {
        Self::answering(forms(judgement), says)
    }

    fn answering(
        forms: Forms,
        says: impl Fn(&Seen, usize) -> Turn + Send + Sync + 'static,
    ) -> Self {
        let turns = Arc::new(Mutex::new(0_usize));
        Self {
            fake: Fake::start(move |seen| {
                if seen.body["messages"].is_null() {
                    return Answer::json(200, &json!({ "data": [{ "id": "m" }] }));
                }
                let is_streamed = seen.body["stream"] == true;
                if let Some(form) = schema(&seen.body) {
                    let answer = forms.get(form).map_or_else(String::new, Value::to_string);
                    return say(&Turn::Text(answer), is_streamed, 0);
                }
                if seen.body["tools"].is_null() {
                    return say(&text("In short: work was done."), is_streamed, 0);
                }
                let number = {
                    let mut turns = turns.lock().unwrap();
                    *turns += 1;
                    *turns - 1
                };
                say(&says(seen, number), is_streamed, number)
            }),
        }
    }

    /// Settings that ask this model for everything.
    pub fn settings(&self) -> String {
        self.settings_as("one")
    }

    /// The same with another name for the provider: one that has failed is left alone for a while.
    pub fn settings_as(&self, name: &str) -> String {
        let tasks = ["planning", "coding", "analysis", "simple", "review", "summary"];
        let tasks: Vec<_> = tasks.iter().map(|task| format!("{task}: [{name}/m]")).collect();
        format!(
            "llm:\n  tasks: {{{}}}\n  providers:\n    {name}: {{protocol: openai, base_url: \
             \"{}\"}}\n    ollama: {{base_url: \"http://127.0.0.1:2\"}}\n",
            tasks.join(", "),
            self.fake.url
        )
    }

    /// Every chat that it was asked for, in order.
    pub fn asked(&self) -> Vec<Value> {
        let chats = self.fake.requests().into_iter().map(|seen| seen.body);
        chats.filter(|body| !body["messages"].is_null()).collect()
    }

    /// Those in which it could call tools, as text.
    pub fn prompts(&self) -> Vec<String> {
        let steps = self.asked().into_iter().filter(|body| !body["tools"].is_null());
        steps.map(|body| words(&body)).collect()
    }
}

/// All messages of a chat.
pub fn words(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap().iter();
    messages
        .map(|message| {
            let text = message["content"].as_str().unwrap_or_default();
            format!("{}: {text}\n{}\n", message["role"].as_str().unwrap(), message["tool_calls"])
        })
        .collect()
}

/// Tokens of a chat, as the agent estimates them.
pub fn tokens(body: &Value) -> u64 {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let call = |call: &Value| ToolCall {
        id: text(&call["id"]),
        name: text(&call["function"]["name"]),
        arguments: serde_json::from_str(&text(&call["function"]["arguments"])).unwrap(),
    };
    let message = |message: &Value| match message["role"].as_str().unwrap() {
        "system" => Message::System(text(&message["content"])),
        "user" => Message::User(text(&message["content"])),
        "assistant" => Message::Assistant {
            text: text(&message["content"]),
            tool_calls: message["tool_calls"].as_array().into_iter().flatten().map(call).collect(),
        },
        _ => Message::Tool {
            id: text(&message["tool_call_id"]),
            name: String::new(),
            text: text(&message["content"]),
            failed: false,
        },
    };
    let tool = |tool: &Value| Tool {
        name: text(&tool["function"]["name"]),
        description: text(&tool["function"]["description"]),
        parameters: tool["function"]["parameters"].clone(),
    };
    let messages = body["messages"].as_array().unwrap().iter().map(message).collect();
    let tools: Vec<Tool> = body["tools"].as_array().into_iter().flatten().map(tool).collect();
    let schema = schema(body).map(|name| Schema {
        name: name.to_owned(),
        schema: body["response_format"]["json_schema"]["schema"].clone(),
    });
    Request { messages, tools: tools.into(), schema, ..Request::default() }.estimated_input()
}

fn schema(body: &Value) -> Option<&str> {
    body["response_format"]["json_schema"]["name"].as_str()
}

fn forms(fields: Value) -> Forms {
    let mut judgement = json!({ "title": "Work on a task", "reached": "yes", "outcome": "It is done.",
        "root_cause": null, "failed_approaches": [], "lesson": null, "pattern": null });
    for (name, value) in fields.as_object().unwrap() {
        judgement[name] = value.clone();
    }
    [
        ("plan", json!({ "answer_at_once": false, "steps": ["Do it"], "tools": ["git_commit", "git_diff"] })),
        (
            "reflection",
            json!({ "as_expected": true, "progress": true, "change": null, "done": false }),
        ),
        ("judgement", judgement),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}

fn say(turn: &Turn, is_streamed: bool, number: usize) -> Answer {
    let (text, calls) = match turn {
        Turn::Answer(answer) => return answer.clone(),
        Turn::Late(time, turn) => {
            std::thread::sleep(*time);
            return say(turn, is_streamed, number);
        }
        Turn::Held(hold, turn) => {
            hold.wait();
            return say(turn, is_streamed, number);
        }
        Turn::Text(text) if is_streamed => {
            let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            return Protocol::OpenAi.streams(&[&text[..half], &text[half..]]);
        }
        Turn::Text(text) => return Protocol::OpenAi.says(text),
        Turn::Calls(calls) => ("", calls.clone()),
        Turn::Both(text, tool, arguments) => (&text[..], vec![(tool.clone(), arguments.clone())]),
    };
    let calls: Vec<Value> = calls
        .iter()
        .enumerate()
        .map(|(index, (name, arguments))| {
            json!({ "index": index, "id": format!("c{number}_{index}"), "type": "function",
                "function": { "name": name, "arguments": arguments } })
        })
        .collect();
    let message = json!({ "role": "assistant", "content": text, "tool_calls": calls });
    let usage = json!({ "prompt_tokens": 11, "completion_tokens": 7 });
    if !is_streamed {
        let choice = json!({ "index": 0, "message": message, "finish_reason": "tool_calls" });
        return Answer::json(200, &json!({ "model": "m", "choices": [choice], "usage": usage }));
    }
    let first = json!({ "choices": [{ "index": 0, "delta": message }] });
    let last = json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }],
        "usage": usage });
    Answer::text("text/event-stream", &format!("data: {first}\n\ndata: {last}\n\ndata: [DONE]\n\n"))
}

/// What the events of a run say of its calls: which, whether they failed, and their texts.
pub fn calls(output: &Output) -> String {
    let mut text = String::new();
    for event in output.json() {
        let word = |key: &str| event[key].as_str().unwrap_or_default().to_owned();
        match event["type"].as_str().unwrap() {
            "called" => {
                text +=
                    &format!("{} failed: {}\n{}\n", word("tool"), event["failed"], word("text"));
            }
            "unmade" => text += &format!("{} unmade: {}\n", word("tool"), word("reason")),
            "tainted" => text += &format!("tainted by {}\n", word("origin")),
            "warning" => text += &format!("warning: {}\n", word("message")),
            "approval_request" => {
                text += &format!(
                    "asked: {} ({}) {:?}\n{}\n",
                    word("tool"),
                    word("level"),
                    event["reasons"][0].as_str().unwrap_or_default(),
                    word("shown")
                );
            }
            _ => {}
        }
    }
    text
}
