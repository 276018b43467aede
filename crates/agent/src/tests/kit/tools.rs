//! Tools of all kinds.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::{
    permissions::{Action, Level},
    *,
};

type Act = Box<dyn Fn(&Value, &mut dyn Host) -> Result<Output, ToolError> + Send + Sync>;

pub struct Fake {
    spec: Spec,
    action: Action,
    act: Act,
}

impl Tool for Fake {
    fn spec(&self) -> Spec {
        self.spec.clone()
    }

    fn intent(&self, arguments: &Value, _host: &dyn Host) -> Result<Intent, ToolError> {
        if arguments.get("bad").is_some() {
            return Err(ToolError::Arguments("`bad` is bad".to_owned()));
        }
        let mut action = self.action.clone();
        if let (Action::Shell { line, .. }, Some(given)) = (&mut action, arguments["line"].as_str())
        {
            given.clone_into(line);
        }
        Ok(Intent { action, shown: arguments.to_string() })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        (self.act)(arguments, host)
    }
}

pub fn tool(
    name: &str,
    level: Level,
    action: Action,
    is_untrusted: bool,
    act: impl Fn(&Value, &mut dyn Host) -> Result<Output, ToolError> + Send + Sync + 'static,
) -> Box<dyn Tool> {
    let input = json!({
        "type": "object",
        "properties": { "path": { "type": "string" }, "line": { "type": "string" } },
    });
    let (name, description) = (name.to_owned(), format!("does {name}"));
    let source = Source::BuiltIn;
    let spec = Spec { name, description, input, level, source, is_untrusted };
    Box::new(Fake { spec, action, act: Box::new(act) })
}

pub fn said(text: &str) -> Result<Output, ToolError> {
    Ok(Output { text: text.to_owned(), ..Output::default() })
}

/// `look`, `read` (untrusted), `write`, `shell` (untrusted), `web` (untrusted), `fails`.
pub fn usual_tools(writes: &Arc<Mutex<Vec<String>>>) -> Vec<Box<dyn Tool>> {
    let count = |writes: &Arc<Mutex<Vec<String>>>, name: &'static str| {
        let writes = Arc::clone(writes);
        move |arguments: &Value, _: &mut dyn Host| {
            writes.lock().unwrap().push(name.to_owned());
            let mut output = said(&format!("{name} done"))?;
            if name == "write" {
                output.touched = vec![PathBuf::from(arguments["path"].as_str().unwrap_or("a.md"))];
                output.commits = vec!["c0ffee".to_owned()];
            }
            Ok(output)
        }
    };
    let paths = || vec![PathBuf::from("/r/a.md")];
    let shell = || Action::Shell { line: "ls".into(), folder: "/r".into(), network: false };
    vec![
        tool("look", Level::Safe, Action::Look, false, |arguments, _| {
            said(&format!("seen {arguments}"))
        }),
        tool("read", Level::Safe, Action::Read { paths: paths() }, true, |_, _| said("words")),
        tool(
            "write",
            Level::Destructive,
            Action::Write { paths: paths() },
            false,
            count(writes, "write"),
        ),
        tool("shell", Level::Destructive, shell(), true, count(writes, "shell")),
        tool(
            "web",
            Level::Moderate,
            Action::Reach { host: "a.test".into() },
            true,
            count(writes, "web"),
        ),
        tool("fails", Level::Safe, Action::Look, false, |_, _| {
            Err(ToolError::Failed("it broke".to_owned()))
        }),
    ]
}
