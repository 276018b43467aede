//! `delegate_reading`: questions that sub-agents read about side by side.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, bad, spec},
    cut::cut,
};
use crate::{
    Host, Intent, Output, ReaderEnd, Reading, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::counted::counted;

/// Bytes of a question.
const MOST_OF_A_QUESTION: usize = 4_000;

/// Gives questions to readers.
pub struct DelegateReading {
    most: usize,
}

impl DelegateReading {
    /// For so many questions at once.
    pub fn new(most: usize) -> Self {
        Self { most }
    }

    fn questions(&self, arguments: &Value) -> Result<Vec<String>, ToolError> {
        let questions = Arguments::of(&self.spec(), arguments)?.texts("questions")?;
        if questions.is_empty() || questions.len() > self.most {
            return Err(bad(format!("`questions` is to have 1 to {} items", self.most)));
        }
        let is_one = |text: &&str| !text.trim().is_empty() && text.len() <= MOST_OF_A_QUESTION;
        if !questions.iter().all(is_one) {
            return Err(bad(format!("a question is to have 1 to {MOST_OF_A_QUESTION} bytes")));
        }
        Ok(questions.into_iter().map(str::to_owned).collect())
    }
}

impl Tool for DelegateReading {
    fn spec(&self) -> Spec {
        let most = self.most;
        spec(
            "delegate_reading",
            Level::Safe,
            false,
            &format!(
                "Have up to {most} independent questions about this repository answered side by side, \
                 each by a reader that searches and reads on its own and changes nothing. For work \
                 that needs much reading of which little matters. A reader knows only its question: \
                 say what to find and where to look."
            ),
            json!({
                "questions": {
                    "type": "array", "minItems": 1, "maxItems": most,
                    "items": { "type": "string" },
                },
            }),
            &["questions"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let questions = self.questions(arguments)?;
        let mut shown = format!(
            "{} read in this work tree, its history and its knowledge, without asking, side by side:",
            counted(questions.len(), "reader")
        );
        for (number, question) in questions.iter().enumerate() {
            let _ = write!(shown, "\n{}. {question}", number + 1);
        }
        Ok(Intent { action: Action::Model, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let questions = self.questions(arguments)?;
        host.alive()?;
        let readings = host.delegate(&questions)?;
        let each = host.max_output() / readings.len().max(1);
        let failed = readings.iter().all(|it| it.end == ReaderEnd::Failed);
        let texts: Vec<_> = readings.iter().enumerate().map(|it| told(it, each)).collect();
        // Whatever they read is in it.
        Ok(Output { text: texts.join("\n\n"), failed, is_untrusted: true, ..Output::default() })
    }
}

/// What one reader found, in so many bytes.
fn told((number, reading): (usize, &Reading), most: usize) -> String {
    let Reading { question, end, answer, sources, steps, tokens, budget } = reading;
    let used = format!("{}, {}", counted(*steps, "step"), counted(*tokens, "token"));
    let how = match end {
        ReaderEnd::Answered => format!("answered; {used}"),
        ReaderEnd::Partly => {
            format!(
                "only in part: its budget of {budget} tokens, or its steps, ended first; {used}"
            )
        }
        ReaderEnd::Failed => format!("failed; {used}"),
        ReaderEnd::Cancelled => format!("cancelled; {used}"),
    };
    let mut head = format!("{}. {question}\n[{how}", number + 1);
    if !sources.is_empty() {
        let paths: Vec<_> = sources.iter().map(|path| path.to_string_lossy()).collect();
        let _ = write!(head, "; read: {}", cut(&paths.join(", "), most / 4));
    }
    head.push_str("]\n");
    let left = most.saturating_sub(head.len() + 2);
    head + &cut(answer, left)
}
