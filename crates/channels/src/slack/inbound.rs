//! Envelopes of Slack in our words. Pure.
//!
//! Who somebody is is the id of their account. What they share of others is handed on beside their words.

use serde_json::Value;

use super::signs::sign;
use crate::{Bot, FileRef, Inbound, Place, Posted, Quote, Said, Sender, What};

/// What came in an envelope.
pub fn of(number: i64, envelope: &Value, bot: &Bot) -> Inbound {
    let payload = &envelope["payload"];
    let read = match envelope["type"].as_str() {
        Some("events_api") => event(&payload["event"], bot),
        Some("interactive") => pressed(payload),
        Some("slash_commands") => command(payload),
        _ => None,
    };
    let (sender, place, is_private, what) = read
        .unwrap_or_else(|| (None, Place { chat: String::new(), thread: None }, false, What::Other));
    Inbound { number, sender, place, is_private, what }
}

type Read = (Option<Sender>, Place, bool, What);

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn sender(event: &Value, bot: &Bot) -> Option<Sender> {
    let id = event["user"].as_str()?.to_owned();
    let is_bot = event["bot_id"].is_string() || event["subtype"] == "bot_message" || id == bot.id;
    Some(Sender { name: id.clone(), id, is_bot })
}

/// Conversations with the app alone are called so.
fn is_private(channel: &str) -> bool {
    channel.starts_with('D')
}

fn event(event: &Value, bot: &Bot) -> Option<Read> {
    let channel = text(event, "channel");
    match event["type"].as_str()? {
        "reaction_added" => {
            let item = &event["item"];
            let place = Place { chat: text(item, "channel"), thread: None };
            let posted = Posted { place: place.clone(), message: text(item, "ts") };
            let sign = sign(event["reaction"].as_str().unwrap_or_default());
            let is_private = is_private(&place.chat);
            Some((sender(event, bot), place, is_private, What::Reacted { posted, sign }))
        }
        "message" if event["subtype"] == "message_changed" => {
            // Slack changes messages too, to show what a link leads to.
            let message = &event["message"];
            let what = if message["edited"].is_object() { What::Edited } else { What::Other };
            let place = Place { chat: channel.clone(), thread: None };
            Some((sender(message, bot), place, is_private(&channel), what))
        }
        kind @ ("message" | "app_mention") => {
            let is_said = matches!(
                event["subtype"].as_str(),
                None | Some("file_share" | "thread_broadcast" | "bot_message")
            );
            if !is_said {
                return None;
            }
            let is_private = is_private(&channel);
            let is_to_us = kind == "app_mention";
            // A message elsewhere that calls us comes as a mention too.
            if !is_private && !is_to_us {
                return None;
            }
            let ts = text(event, "ts");
            let thread = event["thread_ts"].as_str().map(str::to_owned);
            // Among others it is answered in a thread.
            let thread = if is_private { thread } else { thread.or_else(|| Some(ts.clone())) };
            let said = said(event, bot, ts, is_to_us);
            Some((
                sender(event, bot),
                Place { chat: channel, thread },
                is_private,
                What::Said(said),
            ))
        }
        _ => None,
    }
}

fn said(event: &Value, bot: &Bot, ts: String, is_to_us: bool) -> Said {
    let quotes = event["attachments"].as_array().into_iter().flatten().filter_map(|shared| {
        let text = shared["text"].as_str().or(shared["fallback"].as_str())?;
        (!text.trim().is_empty()).then(|| Quote { name: "shared.txt", text: read(text, bot) })
    });
    let files = event["files"].as_array().into_iter().flatten().map(|file| FileRef {
        id: text(file, "url_private"),
        name: file["name"].as_str().unwrap_or("file").to_owned(),
        bytes: file["size"].as_u64(),
    });
    Said {
        message: ts,
        text: read(event["text"].as_str().unwrap_or_default(), bot).trim().to_owned(),
        quotes: quotes.collect(),
        files: files.collect(),
        is_to_us,
        // An answer is one within the thread of what it answers.
        answers: event["thread_ts"].as_str().map(str::to_owned),
        strange: None,
    }
}

/// Text as it was typed: calls of the bot left out, links and people as they are.
fn read(text: &str, bot: &Bot) -> String {
    let mut typed = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let Some(end) = rest[at..].find('>') else { break };
        typed.push_str(&rest[..at]);
        let inside = &rest[at + 1..at + end];
        rest = &rest[at + end + 1..];
        let (what, label) = inside.split_once('|').map_or((inside, None), |(a, b)| (a, Some(b)));
        match what.strip_prefix('@') {
            Some(id) if id == bot.id => {}
            Some(id) => typed.push_str(&format!("@{}", label.unwrap_or(id))),
            None => match (what.strip_prefix(['#', '!']), label) {
                (Some(name), label) => typed.push_str(label.unwrap_or(name)),
                (None, Some(label)) if label != what => {
                    typed.push_str(&format!("{label} ({what})"));
                }
                (None, _) => typed.push_str(what),
            },
        }
    }
    typed.push_str(rest);
    typed.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

fn pressed(payload: &Value) -> Option<Read> {
    if payload["type"] != "block_actions" {
        return None;
    }
    let user = payload["user"]["id"].as_str()?.to_owned();
    let sender = Sender { name: text(&payload["user"], "name"), id: user, is_bot: false };
    let place = Place { chat: text(&payload["channel"], "id"), thread: None };
    let posted = Posted { place: place.clone(), message: text(&payload["message"], "ts") };
    let data = payload["actions"][0]["value"].as_str()?.to_owned();
    let press = text(payload, "trigger_id");
    let is_private = is_private(&place.chat);
    Some((Some(sender), place, is_private, What::Pressed { press, posted, data }))
}

/// `/elophanto status` is `/status`.
fn command(payload: &Value) -> Option<Read> {
    let id = payload["user_id"].as_str()?.to_owned();
    let sender = Sender { name: text(payload, "user_name"), id, is_bot: false };
    let place = Place { chat: text(payload, "channel_id"), thread: None };
    let words = text(payload, "text");
    let words = words.trim().trim_start_matches('/');
    let said = Said {
        message: text(payload, "trigger_id"),
        text: format!("/{}", if words.is_empty() { "help" } else { words }),
        is_to_us: true,
        ..Said::default()
    };
    let is_private = is_private(&place.chat);
    Some((Some(sender), place, is_private, What::Said(said)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Sign;

    fn bot() -> Bot {
        Bot { id: "UBOT".to_owned(), name: "harbour".to_owned() }
    }

    fn event_of(event: Value) -> Inbound {
        of(1, &json!({ "type": "events_api", "payload": { "event": event } }), &bot())
    }

    #[test]
    fn what_is_said() {
        let dm = |more: Value| {
            let mut event =
                json!({ "type": "message", "channel": "D1", "user": "U1", "ts": "1.1" });
            for (name, value) in more.as_object().unwrap() {
                event[name] = value.clone();
            }
            event_of(event)
        };
        let words = |text: &str| match dm(json!({ "text": text })).what {
            What::Said(said) => said.text,
            other => panic!("{other:?}"),
        };
        for (text, expected) in [
            ("hello", "hello"),
            ("a &lt;b&gt; &amp;amp;", "a <b> &amp;"),
            ("<@UBOT> when?", "when?"),
            ("<@U2|eve> and <#C1|port>", "@eve and port"),
            ("<https://a.test|label> <https://b.test>", "label (https://a.test) https://b.test"),
            ("a < b", "a < b"),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
        assert!(dm(json!({ "text": "x" })).is_private);
        assert!(dm(json!({ "text": "x", "bot_id": "B1" })).sender.unwrap().is_bot);
        assert!(dm(json!({ "text": "x", "user": "UBOT" })).sender.unwrap().is_bot);
        assert!(dm(json!({ "text": "x", "user": null })).sender.is_none());
        assert_eq!(dm(json!({ "subtype": "channel_join" })).what, What::Other);
        let changed = |edited: Value| {
            dm(json!({ "subtype": "message_changed", "message": { "user": "U1", "edited": edited } })).what
        };
        assert_eq!(changed(json!({ "user": "U1" })), What::Edited);
        assert_eq!(changed(Value::Null), What::Other);
        let shared = dm(json!({ "text": "look", "attachments": [{ "text": "rm -rf /" }] }));
        let What::Said(shared) = shared.what else { panic!() };
        assert_eq!((shared.text.as_str(), shared.quotes[0].text.as_str()), ("look", "rm -rf /"));
    }

    #[test]
    fn among_others() {
        let mention = json!({ "type": "app_mention", "channel": "C1", "user": "U1", "ts": "2.2",
            "text": "<@UBOT> when?" });
        let inbound = event_of(mention);
        assert!(!inbound.is_private);
        assert_eq!(inbound.place.thread.as_deref(), Some("2.2"));
        let said =
            json!({ "type": "message", "channel": "C1", "user": "U1", "ts": "2.2", "text": "x" });
        assert_eq!(event_of(said).what, What::Other);
    }

    #[test]
    fn what_else_comes() {
        let reaction = event_of(
            json!({ "type": "reaction_added", "user": "U1", "reaction": "+1::skin-tone-2",
            "item": { "type": "message", "channel": "D1", "ts": "3.3" } }),
        );
        assert!(matches!(reaction.what, What::Reacted { sign: Some(Sign::For), .. }));
        let press = of(
            1,
            &json!({ "type": "interactive", "payload": { "type": "block_actions",
            "user": { "id": "U1" }, "channel": { "id": "D1" }, "message": { "ts": "4.4" },
            "actions": [{ "value": "once:x" }] } }),
            &bot(),
        );
        assert!(matches!(press.what, What::Pressed { data, .. } if data == "once:x"));
        let command = of(
            1,
            &json!({ "type": "slash_commands", "payload": { "user_id": "U1",
            "channel_id": "D1", "text": "status", "trigger_id": "t" } }),
            &bot(),
        );
        assert!(matches!(command.what, What::Said(said) if said.text == "/status"));
        assert_eq!(of(1, &json!({ "type": "hello" }), &bot()).what, What::Other);
        assert_eq!(of(1, &json!(null), &bot()).what, What::Other);
    }
}
