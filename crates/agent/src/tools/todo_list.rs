//! `todo_list`: what is to be done of a task, shown to whoever watches.

use serde_json::{Value, json};

use super::arguments::{Arguments, bad, spec};
use crate::{
    Host, Intent, Output, Spec, Todo, TodoState, Tool, ToolError,
    permissions::{Action, Level},
};

/// The name of the tool: a call of it is told by its list alone.
pub const TODO_LIST: &str = "todo_list";
/// Items at most, and bytes of one.
const MOST_ITEMS: usize = 30;
const MOST_OF_AN_ITEM: usize = 300;

/// Keeps the list.
pub struct TodoList;

impl TodoList {
    fn items(&self, arguments: &Value) -> Result<Vec<Todo>, ToolError> {
        let items = Arguments::of(&self.spec(), arguments)?.list("items")?;
        if items.is_empty() || items.len() > MOST_ITEMS {
            return Err(bad(format!("`items` is to have 1 to {MOST_ITEMS} items")));
        }
        let item = |value: &Value| {
            let item = Arguments::inner(value, &["text", "state"])?;
            let text = item.text("text")?.trim();
            if text.is_empty() || text.len() > MOST_OF_AN_ITEM {
                return Err(bad(format!("`text` is to have 1 to {MOST_OF_AN_ITEM} bytes")));
            }
            let state = TodoState::named(item.text("state")?);
            let state = state.ok_or_else(|| bad("`state` is to be open, doing or done"))?;
            Ok(Todo { text: text.to_owned(), state })
        };
        items.iter().map(item).collect()
    }
}

impl Tool for TodoList {
    fn spec(&self) -> Spec {
        spec(
            TODO_LIST,
            Level::Safe,
            false,
            "Show the user what is to be done and what is done already: the whole list each time. \
             For tasks of many calls, when something on it changes.",
            json!({
                "items": {
                    "type": "array", "minItems": 1, "maxItems": MOST_ITEMS,
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": { "type": "string" },
                            "state": { "type": "string", "enum": ["open", "doing", "done"] },
                        },
                        "required": ["text", "state"],
                        "additionalProperties": false,
                    },
                },
            }),
            &["items"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let lines: Vec<_> = self.items(arguments)?.into_iter().map(|item| item.text).collect();
        // It reaches nobody but the user.
        Ok(Intent { action: Action::AskUser, shown: lines.join("\n") })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let items = self.items(arguments)?;
        host.todo(&items);
        let done = items.iter().filter(|item| item.state == TodoState::Done).count();
        Ok(Output { text: format!("{done} of {} done\n", items.len()), ..Output::default() })
    }
}
