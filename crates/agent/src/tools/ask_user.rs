//! `ask_user`: a question to the user.

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, bad, spec},
    cut::cut,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};

/// Bytes of a question and of each answer to choose from, and how many of these.
const MOST_OF_A_QUESTION: usize = 4_000;
const MOST_OF_AN_OPTION: usize = 200;
const MOST_OPTIONS: usize = 10;

/// Asks the user.
pub struct AskUser;

impl AskUser {
    fn question(&self, arguments: &Value) -> Result<(String, Vec<String>), ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let question = arguments.text("question")?;
        let options = arguments.texts("options")?;
        if question.trim().is_empty() || question.len() > MOST_OF_A_QUESTION {
            return Err(bad(format!("`question` is to have 1 to {MOST_OF_A_QUESTION} bytes")));
        }
        let fits = |option: &&str| (1..=MOST_OF_AN_OPTION).contains(&option.len());
        if options.len() > MOST_OPTIONS || !options.iter().all(fits) {
            return Err(bad(format!(
                "`options` is to hold at most {MOST_OPTIONS} of 1 to {MOST_OF_AN_OPTION} bytes"
            )));
        }
        Ok((question.to_owned(), options.into_iter().map(str::to_owned).collect()))
    }
}

impl Tool for AskUser {
    fn spec(&self) -> Spec {
        spec(
            "ask_user",
            Level::Safe,
            false,
            "Ask the user one question, with up to 10 answers to choose from or none. Only for what \
             no other tool can find out.",
            json!({
                "question": { "type": "string" },
                "options": { "type": "array", "items": { "type": "string" },
                    "maxItems": MOST_OPTIONS },
            }),
            &["question"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let (question, _) = self.question(arguments)?;
        Ok(Intent { action: Action::AskUser, shown: question })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let (question, options) = self.question(arguments)?;
        let answer = host.ask_user(&question, &options);
        host.alive()?;
        Ok(match answer {
            Some(answer) => Output {
                text: cut(&format!("the user says: {answer}\n"), host.max_output()),
                ..Output::default()
            },
            None => Output {
                text: cut("nobody is there to answer\n", host.max_output()),
                failed: true,
                ..Output::default()
            },
        })
    }
}
