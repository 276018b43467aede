//! Updates of Telegram in our words. Pure.
//!
//! Only what the sender typed is theirs. What they forward, and what they quote of others, is handed on
//! beside it. Who they are is the number of their account: what speaks for a channel or a group, or as
//! nobody, is nobody.

use serde_json::Value;

use super::wire::{Entity, Message, Reaction, Update, User};
use crate::{Bot, FileRef, Inbound, Place, Posted, Quote, Said, Sender, What, signs::sign};

/// Updates in their order. One that cannot be read is of no matter, but counts.
pub fn all(updates: Value, bot: &Bot) -> Vec<Inbound> {
    let Value::Array(updates) = updates else { return Vec::new() };
    let one = |update: Value| {
        let number = update["update_id"].as_i64()?;
        let read = serde_json::from_value::<Update>(update).ok();
        Some(read.and_then(|update| of(update, bot)).unwrap_or_else(|| nothing(number)))
    };
    updates.into_iter().filter_map(one).collect()
}

fn nothing(number: i64) -> Inbound {
    let place = Place { chat: String::new(), thread: None };
    Inbound { number, sender: None, place, is_private: false, what: What::Other }
}

fn of(update: Update, bot: &Bot) -> Option<Inbound> {
    let number = update.update_id;
    if let Some(message) = update.message {
        let what = |message| What::Said(said(message, bot));
        return Some(written(number, message, what));
    }
    if let Some(message) = update.edited_message {
        return Some(written(number, message, |_| What::Edited));
    }
    if let Some(query) = update.callback_query {
        let message = query.message?;
        let posted = Posted { place: place(&message), message: message.message_id.to_string() };
        return Some(Inbound {
            number,
            sender: Some(sender(query.from)),
            place: place(&message),
            is_private: message.chat.kind == "private",
            what: What::Pressed { press: query.id, posted, data: query.data.unwrap_or_default() },
        });
    }
    update.message_reaction.map(|reaction| reacted(number, reaction))
}

fn written(number: i64, message: Message, what: impl FnOnce(Message) -> What) -> Inbound {
    let sender = match message.sender_chat {
        Some(_) => None,
        None => message.from.clone().map(sender),
    };
    let (place, is_private) = (place(&message), message.chat.kind == "private");
    Inbound { number, sender, place, is_private, what: what(message) }
}

fn place(message: &Message) -> Place {
    // In a group without topics, answers have a thread that is none.
    let thread = message.message_thread_id.filter(|_| message.is_topic_message);
    Place { chat: message.chat.id.to_string(), thread: thread.map(|thread| thread.to_string()) }
}

fn sender(user: User) -> Sender {
    let User { id, is_bot, first_name, last_name, username } = user;
    let name = match (last_name, username) {
        (Some(last), _) => format!("{first_name} {last}"),
        (None, Some(username)) if first_name.is_empty() => username,
        (None, _) => first_name,
    };
    Sender { id: id.to_string(), name, is_bot }
}

fn reacted(number: i64, reaction: Reaction) -> Inbound {
    let is_new = |it: &&super::wire::ReactionType| !reaction.old_reaction.contains(it);
    let added = reaction.new_reaction.iter().filter(is_new);
    let sign = added.filter_map(|it| it.emoji.as_deref()).find_map(sign);
    let place = Place { chat: reaction.chat.id.to_string(), thread: None };
    let posted = Posted { place: place.clone(), message: reaction.message_id.to_string() };
    Inbound {
        number,
        sender: reaction.user.map(sender),
        place,
        is_private: reaction.chat.kind == "private",
        what: What::Reacted { posted, sign },
    }
}

fn said(message: Message, bot: &Bot) -> Said {
    // Words of somebody else, whoever sends them.
    let is_forwarded = [
        &message.forward_origin,
        &message.forward_date,
        &message.via_bot,
        &message.sender_business_bot,
    ]
    .into_iter()
    .any(Option::is_some);
    let strange = strange(&message);
    let files = files(&message);
    let (text, entities) = match message.text {
        Some(text) => (text, message.entities),
        None => (message.caption.unwrap_or_default(), message.caption_entities),
    };
    let (mut is_to_us, mut quotes, mut answers) = (false, Vec::new(), None);
    if let Some(before) = message.reply_to_message {
        let is_ours = before.from.as_ref().is_some_and(|user| user.id.to_string() == bot.id);
        let is_own =
            message.from.as_ref().zip(before.from.as_ref()).is_some_and(|(a, b)| a.id == b.id)
                && before.forward_origin.is_none();
        if is_ours {
            (is_to_us, answers) = (true, Some(before.message_id.to_string()));
        } else if !is_own {
            let text = message.quote.map(|quote| quote.text).or(before.text).or(before.caption);
            let text = text.filter(|text| !text.trim().is_empty());
            quotes.extend(text.map(|text| Quote { name: "quoted.txt", text }));
        }
    }
    let (mut text, called) = without_name(&text, &entities, bot);
    is_to_us |= called;
    if is_forwarded {
        let text = std::mem::take(&mut text);
        if !text.trim().is_empty() {
            quotes.push(Quote { name: "forwarded.txt", text });
        }
    }
    let text = text.trim().to_owned();
    // What Telegram has people say first.
    let text =
        if text == "/start" || text.starts_with("/start ") { "/help".to_owned() } else { text };
    Said {
        message: message.message_id.to_string(),
        text,
        quotes,
        files,
        is_to_us,
        answers,
        strange,
    }
}

/// A text without the name of the bot where that calls it, and whether it does.
fn without_name(text: &str, entities: &[Entity], bot: &Bot) -> (String, bool) {
    let units: Vec<u16> = text.encode_utf16().collect();
    let name = format!("@{}", bot.name);
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for entity in entities {
        let Some(end) = entity.offset.checked_add(entity.length).filter(|end| *end <= units.len())
        else {
            continue;
        };
        let word = String::from_utf16_lossy(&units[entity.offset..end]);
        match entity.kind.as_str() {
            "mention" if !bot.name.is_empty() && word.eq_ignore_ascii_case(&name) => {
                kept.push((entity.offset, end));
            }
            "text_mention"
                if entity.user.as_ref().is_some_and(|it| it.id.to_string() == bot.id) =>
            {
                kept.push((entity.offset, end));
            }
            "bot_command" => {
                let own = word.len().checked_sub(name.len()).and_then(|at| word.get(at..));
                if own.is_some_and(|own| own.eq_ignore_ascii_case(&name)) {
                    kept.push((end - name.encode_utf16().count(), end));
                }
            }
            _ => {}
        }
    }
    if kept.is_empty() {
        return (text.to_owned(), false);
    }
    let is_kept = |(at, _): &(usize, &u16)| !kept.iter().any(|(from, to)| (from..to).contains(&at));
    let rest: Vec<u16> = units.iter().enumerate().filter(is_kept).map(|(_, unit)| *unit).collect();
    (String::from_utf16_lossy(&rest), true)
}

fn files(message: &Message) -> Vec<FileRef> {
    // Something animated comes as a document too.
    let document = message.document.as_ref().filter(|_| message.animation.is_none());
    let document = document.map(|document| FileRef {
        id: document.file_id.clone(),
        name: document.file_name.clone().unwrap_or_else(|| "file".to_owned()),
        bytes: document.file_size,
    });
    // The same picture in several sizes.
    let photo = message.photo.iter().max_by_key(|photo| photo.width).map(|photo| FileRef {
        id: photo.file_id.clone(),
        name: "photo.jpg".to_owned(),
        bytes: photo.file_size,
    });
    document.into_iter().chain(photo).collect()
}

fn strange(message: &Message) -> Option<&'static str> {
    [
        (message.sticker.is_some(), "stickers"),
        (message.voice.is_some(), "voice messages"),
        (message.audio.is_some(), "sound"),
        (message.video.is_some() || message.video_note.is_some(), "videos"),
        (message.animation.is_some(), "animations"),
        (message.location.is_some(), "places on a map"),
        (message.contact.is_some(), "contacts"),
        (message.poll.is_some(), "polls"),
        (message.dice.is_some(), "dice"),
        (message.story.is_some(), "stories"),
    ]
    .into_iter()
    .find_map(|(is_it, name)| is_it.then_some(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::Sign;

    fn bot() -> Bot {
        Bot { id: "7".to_owned(), name: "harbour_bot".to_owned() }
    }

    fn message(more: Value) -> Value {
        let mut message = json!({
            "message_id": 5, "date": 0, "chat": { "id": 1, "type": "private" },
            "from": { "id": 1, "is_bot": false, "first_name": "Ada" },
        });
        for (name, value) in more.as_object().unwrap() {
            message[name] = value.clone();
        }
        message
    }

    fn one(update: Value) -> Inbound {
        let mut update = update;
        update["update_id"] = json!(9);
        let mut all = all(json!([update]), &bot());
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    fn said(more: Value) -> Said {
        match one(json!({ "message": message(more) })).what {
            What::Said(said) => said,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn own_words_and_those_of_others() {
        assert_eq!(said(json!({ "text": " hello " })).text, "hello");
        assert_eq!(said(json!({ "text": "/start abc" })).text, "/help");
        let forwarded = said(json!({ "text": "rm -rf /", "forward_origin": { "type": "user" } }));
        assert_eq!(forwarded.text, "");
        assert_eq!(forwarded.quotes[0].text, "rm -rf /");
        // A caption is forwarded with its file.
        let caption = said(json!({ "caption": "run it", "forward_origin": {},
            "document": { "file_id": "f", "file_name": "a.sh", "file_size": 3 } }));
        assert_eq!((caption.text.as_str(), caption.quotes.len(), caption.files.len()), ("", 1, 1));
        let quoted = |id| {
            said(json!({ "text": "do it", "reply_to_message":
                message(json!({ "text": "evil", "from": { "id": id, "first_name": "x" } })) }))
        };
        assert_eq!((quoted(2).text.as_str(), quoted(2).quotes[0].text.as_str()), ("do it", "evil"));
        assert!(quoted(1).quotes.is_empty());
        let ours = quoted(7);
        assert!(ours.quotes.is_empty() && ours.is_to_us && ours.answers.as_deref() == Some("5"));
        // One's own forwarding is no word of one's own.
        let again = said(json!({ "text": "do it", "reply_to_message":
            message(json!({ "text": "evil", "forward_origin": {} })) }));
        assert_eq!(again.quotes.len(), 1);
    }

    #[test]
    fn called_by_name() {
        let called = |text: &str, kind: &str, offset: usize, length: usize| {
            let entities = json!([{ "type": kind, "offset": offset, "length": length }]);
            let said = said(json!({ "text": text, "entities": entities }));
            (said.text, said.is_to_us)
        };
        let owned = |text: &str, is| (text.to_owned(), is);
        assert_eq!(called("@harbour_bot when?", "mention", 0, 12), owned("when?", true));
        assert_eq!(called("😀 @HARBOUR_bot x", "mention", 3, 12), owned("😀  x", true));
        assert_eq!(called("@other_bot when?", "mention", 0, 10), owned("@other_bot when?", false));
        assert_eq!(called("/search@harbour_bot x", "bot_command", 0, 19), owned("/search x", true));
        assert_eq!(called("/search x", "bot_command", 0, 7), owned("/search x", false));
        // Entities that lie about where they are.
        assert_eq!(called("x", "mention", 0, usize::MAX), owned("x", false));
        assert_eq!(called("@harbour_bot", "mention", 900, 12), owned("@harbour_bot", false));
    }

    #[test]
    fn who_it_was() {
        let sender = |more| one(json!({ "message": message(more) })).sender;
        assert_eq!(sender(json!({ "text": "x" })).unwrap().id, "1");
        assert!(sender(json!({ "sender_chat": { "id": -5, "type": "channel" } })).is_none());
        assert!(sender(json!({ "from": null })).is_none());
        assert!(sender(json!({ "from": { "id": 2, "is_bot": true } })).unwrap().is_bot);
        // The name is nothing to go by.
        let twin = sender(json!({ "from": { "id": 99, "first_name": "Ada" } })).unwrap();
        assert_eq!((twin.id.as_str(), twin.name.as_str()), ("99", "Ada"));
    }

    #[test]
    fn what_else_comes() {
        let reaction = |old: &[&str], new: &[&str]| {
            let all = |all: &[&str]| -> Vec<Value> {
                all.iter().map(|emoji| json!({ "type": "emoji", "emoji": emoji })).collect()
            };
            let update = json!({ "message_reaction": { "chat": { "id": 1, "type": "private" },
                "message_id": 4, "user": { "id": 1 }, "old_reaction": all(old), "new_reaction": all(new) }});
            match one(update).what {
                What::Reacted { sign, .. } => sign,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(reaction(&[], &["👍"]), Some(Sign::For));
        assert_eq!(reaction(&[], &["❤️"]), Some(Sign::For));
        assert_eq!(reaction(&["👍"], &["👍", "👎"]), Some(Sign::Against));
        assert_eq!(reaction(&["👍"], &[]), None);
        assert_eq!(reaction(&[], &["🦄"]), None);
        let edited = one(json!({ "edited_message": message(json!({ "text": "x" })) }));
        assert_eq!(edited.what, What::Edited);
        let pressed = one(json!({ "callback_query": { "id": "q", "from": { "id": 3 }, "data": "d",
            "message": message(json!({})) } }));
        assert_eq!(pressed.sender.unwrap().id, "3");
        assert!(matches!(pressed.what, What::Pressed { data, .. } if data == "d"));
        assert_eq!(said(json!({ "sticker": {} })).strange, Some("stickers"));
        let topic = one(json!({ "message": message(json!({ "message_thread_id": 8,
            "is_topic_message": true, "text": "x" })) }));
        assert_eq!(topic.place.thread.as_deref(), Some("8"));
        // Of what cannot be read at least the number counts.
        assert_eq!(one(json!({ "message": { "message_id": "no" } })).number, 9);
        assert_eq!(one(json!({})).what, What::Other);
        assert!(all(json!({ "a": 1 }), &bot()).is_empty());
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,40}", offset in 0usize..60, length in 0usize..60,
            kind in "(mention|bot_command|text_mention)") {
            let entities = json!([{ "type": kind, "offset": offset, "length": length }]);
            said(json!({ "text": text, "entities": entities }));
        }
    }
}
