//! A conversation as Markdown.

use std::{borrow::Cow, fmt::Write as _, path::Path};

use super::write_new;
use crate::{Error, Result};
use elophanto_agent::Session;
use elophanto_base::{fenced::fenced, visible::visible};
use elophanto_models::llm::Message;

/// All that was said in a conversation, with the calls of tools and their results, safe to show.
///
/// # Errors
/// When nothing was said yet.
pub fn export(session: &Session, messages: &[Message]) -> Result<String> {
    match messages.is_empty() {
        true => Err(Error::new("nothing was said yet")),
        false => Ok(visible(&markdown(session, messages))),
    }
}

/// The same as a new file; what is there is never written over.
///
/// # Errors
/// When nothing was said yet, or the file is there or cannot be made.
pub fn export_to(session: &Session, messages: &[Message], file: &Path) -> Result<()> {
    write_new(file, export(session, messages)?.as_bytes())
}

fn markdown(session: &Session, messages: &[Message]) -> String {
    let title = session.name.as_ref().or(session.goal.as_ref());
    let mut text = format!(
        "# {}\n\nSession {}, {}.\n",
        title.map_or("A conversation", String::as_str),
        session.id,
        session.updated.strftime("%Y-%m-%d %H:%M UTC"),
    );
    let mut speaker = "";
    for message in messages {
        let (by, said) = match message {
            Message::System(said) => ("Before", Cow::Borrowed(said)),
            Message::User(said) => ("You", Cow::Borrowed(said)),
            Message::Image(image) => ("You", Cow::Owned(image.text())),
            Message::Assistant { text, .. } => ("Agent", Cow::Borrowed(text)),
            Message::Tool { text, .. } => ("Agent", Cow::Borrowed(text)),
        };
        if by != speaker {
            let _ = write!(text, "\n## {by}\n");
            speaker = by;
        }
        match message {
            Message::Assistant { tool_calls, .. } => {
                paragraph(&mut text, &said);
                for call in tool_calls {
                    let _ = write!(text, "\n`{}`:\n", call.name);
                    let arguments = fenced("json", &format!("{:#}", call.arguments));
                    let _ = writeln!(text, "\n{arguments}");
                }
            }
            Message::Tool { name, failed, .. } => {
                let how = if *failed { " failed" } else { "" };
                let _ = write!(text, "\n`{name}`{how}:\n");
                let _ = writeln!(text, "\n{}", fenced("text", said.trim_end()));
            }
            Message::System(_) | Message::User(_) | Message::Image(_) => {
                paragraph(&mut text, &said)
            }
        }
    }
    text
}

fn paragraph(text: &mut String, said: &str) {
    if !said.trim().is_empty() {
        let _ = write!(text, "\n{}\n", said.trim());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use elophanto_models::llm::ToolCall;
    use jiff::Timestamp;
    use serde_json::json;

    #[test]
    fn a_conversation() {
        let mut session = Session::new("terminal", "ada", Timestamp::UNIX_EPOCH);
        session.goal = Some("Count otters".to_owned());
        let name = || "file_read".to_owned();
        let call = ToolCall { id: "1".into(), name: name(), arguments: json!({ "path": "a" }) };
        let id = || "1".to_owned();
        let messages = [
            Message::User("Count *otters*\n".to_owned()),
            Message::Assistant { text: String::new(), tool_calls: vec![call] },
            Message::Tool { id: id(), name: name(), text: "```\nx\n```\n".into(), failed: true },
            Message::Assistant { text: "Three.".to_owned(), tool_calls: Vec::new() },
        ];
        let text = export(&session, &messages).unwrap().replace(&session.id.to_string(), "ID");
        insta::assert_snapshot!(text, @r#"
        # Count otters

        Session ID, 1970-01-01 00:00 UTC.

        ## You

        Count *otters*

        ## Agent

        `file_read`:

        ```json
        {
          "path": "a"
        }
        ```

        `file_read` failed:

        ````text
        ```
        x
        ```
        ````

        Three.
        "#);
    }
}
