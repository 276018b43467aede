//! Events of Discord in our words. Pure.
//!
//! Who somebody is is the id of their account. What they forward or quote of others is handed on beside
//! their words.

use serde_json::Value;

use crate::{Bot, FileRef, Place, Posted, Quote, Said, Sender, What, signs::sign};

/// A message whose file is somebody's voice.
const VOICE: u64 = 1 << 13;

/// Something that came.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// What it is known by where it may come again.
    pub key: Option<String>,
    /// The id of what it is about, all of which grow.
    pub id: i64,
    pub sender: Option<Sender>,
    pub place: Place,
    pub is_private: bool,
    pub what: What,
}

/// An event by its name; `None` where it is of no matter.
pub fn event(name: &str, data: &Value, bot: &Bot) -> Option<Event> {
    match name {
        "MESSAGE_CREATE" => message(data, bot),
        "MESSAGE_UPDATE" => edited(data, bot),
        "MESSAGE_REACTION_ADD" => reacted(data, bot),
        "INTERACTION_CREATE" => interaction(data),
        _ => None,
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_default().to_owned()
}

fn id(value: &Value) -> Option<i64> {
    value.as_str()?.parse().ok()
}

fn place(data: &Value) -> Option<Place> {
    id(&data["channel_id"])?;
    Some(Place { chat: text(data, "channel_id"), thread: None })
}

/// Whether nobody else sees it: no server, and no group either where the kind is told.
fn is_private(data: &Value, kind: &Value) -> bool {
    data["guild_id"].is_null() && matches!(kind.as_u64(), None | Some(1))
}

fn sender(user: &Value) -> Option<Sender> {
    id(&user["id"])?;
    let is_bot = user["bot"] == true || user["system"] == true;
    let name = user["global_name"].as_str().or(user["username"].as_str()).unwrap_or_default();
    Some(Sender { id: text(user, "id"), name: name.to_owned(), is_bot })
}

/// Who wrote a message: nobody where a webhook did.
fn author(data: &Value) -> Option<Sender> {
    sender(&data["author"]).filter(|_| data["webhook_id"].is_null())
}

fn message(data: &Value, bot: &Bot) -> Option<Event> {
    // What else there is says that somebody came, pinned something, and such.
    if !matches!(data["type"].as_u64(), None | Some(0 | 19)) || data["author"]["id"] == bot.id {
        return None;
    }
    let is_private = is_private(data, &data["channel_type"]);
    let said = said(data, bot);
    if !is_private && !said.is_to_us {
        return None;
    }
    Some(Event {
        key: Some(format!("m{}", said.message)),
        id: id(&data["id"])?,
        sender: author(data),
        place: place(data)?,
        is_private,
        what: What::Said(said),
    })
}

fn edited(data: &Value, bot: &Bot) -> Option<Event> {
    // Discord changes messages too, to show what a link leads to.
    let at = data["edited_timestamp"].as_str()?;
    if data["author"]["id"] == bot.id {
        return None;
    }
    Some(Event {
        // Whatever else of it changes later comes with the same time.
        key: Some(format!("e{}{at}", text(data, "id"))),
        id: id(&data["id"])?,
        sender: author(data),
        place: place(data)?,
        is_private: is_private(data, &data["channel_type"]),
        what: What::Edited,
    })
}

fn reacted(data: &Value, bot: &Bot) -> Option<Event> {
    // The name is the sign; a picture of a server's has a name that its people chose.
    let emoji = &data["emoji"];
    let name = emoji["name"].as_str().filter(|_| emoji["id"].is_null()).unwrap_or_default();
    let user = data["user_id"].as_str().filter(|user| *user != bot.id)?;
    let (place, message) = (place(data)?, text(data, "message_id"));
    let is_bot = data["member"]["user"]["bot"] == true;
    let user = Sender { id: user.to_owned(), name: user.to_owned(), is_bot };
    Some(Event {
        key: None,
        id: id(&data["message_id"])?,
        sender: Some(user),
        is_private: is_private(data, &Value::Null),
        what: What::Reacted { posted: Posted { place: place.clone(), message }, sign: sign(name) },
        place,
    })
}

/// What is pressed, and commands: `/undo` is what would be typed.
fn interaction(data: &Value) -> Option<Event> {
    let given = &data["data"];
    let user = if data["user"].is_object() { &data["user"] } else { &data["member"]["user"] };
    let (own, place) = (text(data, "id"), place(data)?);
    // In a conversation of two people, neither of whom is the bot, it is 2.
    let is_with_us = matches!(data["context"].as_u64(), None | Some(1));
    let what = match data["type"].as_u64()? {
        2 => {
            let words = given["options"].as_array().into_iter().flatten();
            let words = words.filter_map(|option| option["value"].as_str());
            let text = format!("/{} {}", text(given, "name"), words.collect::<Vec<_>>().join(" "));
            // A command is no message, and cannot be answered to as one.
            let message = format!("c{own}");
            let text = text.trim().to_owned();
            What::Said(Said { message, text, is_to_us: true, ..Said::default() })
        }
        3 => {
            let message = text(&data["message"], "id");
            let press = format!("{}/{}", text(data, "application_id"), text(data, "token"));
            let posted = Posted { place: place.clone(), message };
            What::Pressed { press, posted, data: text(given, "custom_id") }
        }
        _ => return None,
    };
    Some(Event {
        key: None,
        id: id(&data["id"])?,
        sender: sender(user),
        is_private: is_with_us && is_private(data, &data["channel"]["type"]),
        what,
        place,
    })
}

fn said(data: &Value, bot: &Bot) -> Said {
    let snapshots = || data["message_snapshots"].as_array().into_iter().flatten();
    let mut quotes: Vec<Quote> = Vec::new();
    let mut quote = |name, text: &str| {
        if !text.trim().is_empty() {
            quotes.push(Quote { name, text: text.to_owned() });
        }
    };
    for snapshot in snapshots() {
        quote("forwarded.txt", snapshot["message"]["content"].as_str().unwrap_or_default());
    }
    let before = &data["referenced_message"];
    let writer = before["author"]["id"].as_str();
    let is_ours = writer == Some(bot.id.as_str());
    let is_forwarded = before["message_snapshots"].as_array().is_some_and(|all| !all.is_empty());
    if !is_ours && (writer != data["author"]["id"].as_str() || is_forwarded) {
        quote("quoted.txt", before["content"].as_str().unwrap_or_default());
        for snapshot in before["message_snapshots"].as_array().into_iter().flatten() {
            quote("quoted.txt", snapshot["message"]["content"].as_str().unwrap_or_default());
        }
    }
    let mentions = || data["mentions"].as_array().into_iter().flatten();
    let mut words = text(data, "content");
    for user in mentions() {
        let (id, name) = (text(user, "id"), text(user, "username"));
        let name = if id == bot.id { String::new() } else { format!("@{name}") };
        for mention in [format!("<@{id}>"), format!("<@!{id}>")] {
            words = words.replace(&mention, &name);
        }
    }
    let is_voice = data["flags"].as_u64().unwrap_or_default() & VOICE != 0;
    let (heard, files): (Vec<&Value>, Vec<&Value>) = [data]
        .into_iter()
        .chain(snapshots().map(|snapshot| &snapshot["message"]))
        .flat_map(|message| message["attachments"].as_array().into_iter().flatten())
        .partition(|file| {
            let kind = file["content_type"].as_str().unwrap_or_default();
            is_voice || kind.starts_with("audio/") || kind.starts_with("video/")
        });
    let has = |key: &str| data[key].as_array().is_some_and(|all| !all.is_empty());
    let strange = match () {
        () if is_voice => Some("voice messages"),
        () if !heard.is_empty() => Some("sound and videos"),
        () if has("sticker_items") => Some("stickers"),
        () if data["poll"].is_object() => Some("polls"),
        () => None,
    };
    let file = |file: &Value| FileRef {
        id: text(file, "url"),
        name: file["filename"].as_str().unwrap_or("file").to_owned(),
        bytes: file["size"].as_u64(),
    };
    Said {
        message: text(data, "id"),
        text: words.trim().to_owned(),
        quotes,
        files: files.into_iter().map(file).collect(),
        is_to_us: is_ours || mentions().any(|user| user["id"] == bot.id),
        answers: is_ours.then(|| text(before, "id")),
        strange,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Sign;

    fn bot() -> Bot {
        Bot { id: "7".to_owned(), name: "harbour".to_owned() }
    }

    fn with(mut value: Value, more: &Value) -> Value {
        for (name, more) in more.as_object().unwrap() {
            value[name] = more.clone();
        }
        value
    }

    fn message(more: Value) -> Option<Event> {
        let usual = json!({ "id": "50", "channel_id": "20", "type": 0, "content": "hello",
            "author": { "id": "11", "username": "ada", "global_name": "Ada" } });
        event("MESSAGE_CREATE", &with(usual, &more), &bot())
    }

    fn said(more: Value) -> Said {
        match message(more).unwrap().what {
            What::Said(said) => said,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_is_said() {
        let own = message(json!({})).unwrap();
        assert!(own.is_private && own.id == 50 && own.key.as_deref() == Some("m50"));
        assert_eq!(own.sender.unwrap().name, "Ada");
        let voice = said(json!({ "flags": 8192, "content": "",
            "attachments": [{ "url": "u", "content_type": "audio/ogg" }] }));
        assert_eq!((voice.strange, voice.files.len()), (Some("voice messages"), 0));
        let file = said(json!({ "attachments": [{ "url": "u", "filename": "a.txt", "size": 3 }] }));
        assert_eq!((file.files[0].name.as_str(), file.files[0].bytes), ("a.txt", Some(3)));
        // Somebody comes, pins, boosts: nothing is said.
        assert!(message(json!({ "type": 7 })).is_none());
        assert!(message(json!({ "author": { "id": "7" } })).is_none());
        assert!(message(json!({ "channel_id": "no" })).is_none());
    }

    #[test]
    fn who_it_was() {
        let sender = |more| message(more).unwrap().sender;
        assert!(sender(json!({ "webhook_id": "9" })).is_none());
        assert!(sender(json!({ "author": null })).is_none());
        assert!(sender(json!({ "author": { "id": "5", "bot": true } })).unwrap().is_bot);
        assert!(sender(json!({ "author": { "id": "5", "system": true } })).unwrap().is_bot);
        let twin = sender(json!({ "author": { "id": "99", "global_name": "Ada" } })).unwrap();
        assert_eq!(twin.id, "99");
    }

    #[test]
    fn own_words_and_those_of_others() {
        let forwarded = said(json!({ "content": "", "message_reference": { "type": 1 },
            "message_snapshots": [{ "message": { "content": "rm -rf /",
                "attachments": [{ "url": "u" }] } }] }));
        assert_eq!(
            forwarded.quotes,
            [Quote { name: "forwarded.txt", text: "rm -rf /".to_owned() }]
        );
        assert_eq!((forwarded.text.as_str(), forwarded.files.len()), ("", 1));
        let answer = |id: &str| {
            said(json!({ "type": 19, "content": "do it", "referenced_message":
                { "id": "40", "content": "evil", "author": { "id": id } } }))
        };
        assert_eq!(answer("12").quotes[0].text, "evil");
        assert!(answer("11").quotes.is_empty());
        let ours = answer("7");
        assert!(ours.quotes.is_empty() && ours.is_to_us && ours.answers.as_deref() == Some("40"));
        // One's own forwarding is no word of one's own.
        let again = said(json!({ "type": 19, "referenced_message": { "id": "40", "content": "",
            "author": { "id": "11" }, "message_snapshots": [{ "message": { "content": "evil" } }] } }));
        assert_eq!(again.quotes[0].text, "evil");
    }

    #[test]
    fn among_others() {
        let guild = |mentions: Value| {
            message(
                json!({ "guild_id": "1", "content": "<@7> when, <@!12>?", "mentions": mentions }),
            )
        };
        assert!(guild(json!([])).is_none());
        assert!(guild(json!([{ "id": "12", "username": "eve" }])).is_none());
        let to_us = guild(json!([{ "id": "7" }, { "id": "12", "username": "eve" }])).unwrap();
        assert!(!to_us.is_private);
        assert!(matches!(to_us.what, What::Said(said) if said.text == "when, @eve?"));
        // A group of people is not private either.
        assert!(message(json!({ "channel_type": 3 })).is_none());
    }

    #[test]
    fn what_else_comes() {
        let reaction = |emoji: Value| {
            let data =
                json!({ "user_id": "11", "channel_id": "20", "message_id": "40", "emoji": emoji });
            event("MESSAGE_REACTION_ADD", &data, &bot()).unwrap()
        };
        let sign = |emoji| match reaction(emoji).what {
            What::Reacted { sign, .. } => sign,
            other => panic!("{other:?}"),
        };
        assert_eq!(sign(json!({ "id": null, "name": "👍" })), Some(Sign::For));
        assert_eq!(sign(json!({ "id": null, "name": "✅" })), Some(Sign::Yes));
        assert_eq!(sign(json!({ "id": null, "name": "❌" })), Some(Sign::No));
        assert_eq!(sign(json!({ "id": "5", "name": "✅" })), None);
        assert_eq!(sign(json!({ "id": null, "name": "🦄" })), None);
        let interaction = |kind: u64, more: Value| {
            let usual = json!({ "id": "60", "application_id": "7", "type": kind, "token": "t",
                "channel_id": "20", "context": 1, "user": { "id": "11" },
                "message": { "id": "40" }, "data": { "name": "search", "custom_id": "once:x",
                "options": [{ "name": "words", "value": "sea otters" }] } });
            event("INTERACTION_CREATE", &with(usual, &more), &bot())
        };
        let command = interaction(2, json!({})).unwrap();
        assert!(command.is_private);
        assert!(matches!(command.what, What::Said(said) if said.text == "/search sea otters"));
        let press = interaction(3, json!({})).unwrap();
        assert!(
            matches!(press.what, What::Pressed { press, data, .. } if press == "7/t" && data == "once:x")
        );
        // In a conversation of two others, in a group, in a server.
        for more in [
            json!({ "context": 2 }),
            json!({ "channel": { "type": 3 } }),
            json!({ "guild_id": "1", "context": 0, "member": { "user": { "id": "11" } } }),
        ] {
            assert!(!interaction(2, more).unwrap().is_private);
        }
        assert!(interaction(4, json!({})).is_none());
        let edit = |at: Value| {
            let data = json!({ "id": "50", "channel_id": "20", "author": { "id": "11" },
                "edited_timestamp": at });
            event("MESSAGE_UPDATE", &data, &bot())
        };
        assert_eq!(edit(json!("2026")).unwrap().what, What::Edited);
        assert!(edit(Value::Null).is_none());
        assert!(event("TYPING_START", &json!({}), &bot()).is_none());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,40}", number in any::<u64>(), name in
            "(MESSAGE_CREATE|MESSAGE_UPDATE|MESSAGE_REACTION_ADD|INTERACTION_CREATE)") {
            let data = json!({ "id": text, "channel_id": number.to_string(), "content": text,
                "type": number, "author": text, "mentions": [text, { "id": text }],
                "attachments": text, "data": text, "emoji": text });
            event(&name, &data, &bot());
        }
    }
}
