//! What is done from a page: the use cases of the commands of these names. Each says what it did, and
//! how it is taken back where that can be.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Answer, Library, address::decoded, of_kind};
use elophanto_app::{
    Error, Workspace, clean,
    interest::{self, WishRequest},
    memory::{Correction, Memories},
    notes::{self, Edit, Edited},
    questions,
    reporter::Silent,
    runs::{UndoRequest, undo},
};
use elophanto_knowledge::interest::PreferenceKind;

/// What somebody wants done.
#[derive(Debug, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
enum Act {
    /// What an edit would change.
    Look {
        path: String,
        hash: String,
        text: String,
    },
    Edit {
        path: String,
        hash: String,
        text: String,
        /// See [`Edit::is_exact`].
        #[serde(default)]
        exact: bool,
    },
    Dismiss {
        id: String,
    },
    Like {
        topic: String,
    },
    Unlike {
        topic: String,
    },
    Dislike {
        topic: String,
    },
    Undislike {
        topic: String,
    },
    Correct {
        id: String,
        context: String,
        command: String,
        lesson: String,
        rate: String,
    },
    Forget {
        id: String,
    },
    React {
        id: String,
        good: bool,
    },
    Merge {
        from: String,
        into: String,
    },
    Unmerge {
        id: String,
    },
    Undo {
        run: String,
    },
}

/// What came of it.
struct Done {
    status: u16,
    answer: Value,
}

impl Done {
    fn said(said: impl Into<String>, undo: Option<Value>) -> Self {
        Self { status: 200, answer: json!({ "said": said.into(), "undo": undo }) }
    }
}

/// Does what the body of a request wants, in the knowledge base that its address names.
pub fn act(library: &Library, path: &str, body: &[u8]) -> Answer {
    let name = path.strip_suffix("/do").and_then(decoded);
    let Some((_, shelf)) = library.shelves.iter().find(|(known, _)| Some(known) == name.as_ref())
    else {
        return refused(404, &Error::new("there is nothing to be done here"));
    };
    let act = match serde_json::from_slice::<Act>(body) {
        Ok(act) => act,
        Err(cause) => return refused(400, &Error::new(format_args!("this is no act: {cause}"))),
    };
    let done = shelf.open(Vec::new()).and_then(|workspace| {
        let done = act.done(&workspace)?;
        // What was done is seen at once.
        shelf.look_again(&workspace)?;
        Ok(done)
    });
    match done {
        Ok(Done { status, answer }) => {
            Answer { status, ..of_kind("application/json", answer.to_string()) }
        }
        Err(error) => refused(422, &error),
    }
}

fn refused(status: u16, error: &Error) -> Answer {
    let answer = json!({ "error": error.message(), "hint": error.hint_text() });
    Answer { status, ..of_kind("application/json", answer.to_string()) }
}

impl Act {
    fn done(&self, workspace: &Workspace) -> Result<Done, Error> {
        match self {
            Self::Look { path, hash, text } => {
                let edit = Edit { path: &path.as_str().into(), hash, text, is_exact: false };
                Ok(edited(notes::look(workspace, &edit)?, path, "This would change:"))
            }
            Self::Edit { path, hash, text, exact } => {
                let edit = Edit { path: &path.as_str().into(), hash, text, is_exact: *exact };
                Ok(edited(notes::edit(workspace, &edit)?, path, "Saved."))
            }
            Self::Dismiss { id } => {
                let known = questions::known(workspace)?;
                let question = questions::find(&known, id)?
                    .ok_or_else(|| Error::new("there is no such question any more"))?;
                questions::dismiss(workspace, question)?;
                Ok(Done::said("Dismissed: it is not asked again.", None))
            }
            Self::Like { topic } => wish(workspace, topic, PreferenceKind::Like, false),
            Self::Unlike { topic } => wish(workspace, topic, PreferenceKind::Like, true),
            Self::Dislike { topic } => wish(workspace, topic, PreferenceKind::Dislike, false),
            Self::Undislike { topic } => wish(workspace, topic, PreferenceKind::Dislike, true),
            Self::Correct { id, context, command, lesson, rate } => {
                correct(workspace, id, [context, command, lesson, rate])
            }
            Self::Forget { id } => {
                Memories::open(workspace).forget(id, false, None, &Silent)?;
                Ok(Done::said("Forgotten, here and in every clone.", None))
            }
            Self::React { id, good } => match interest::react(workspace, id, *good)? {
                Some(_) => Ok(Done::said("Noted.", None)),
                None => Err(Error::new("nothing has this id")),
            },
            Self::Merge { from, into } => {
                let done = clean::entities::merge(workspace, from, into)?;
                let said = format!("`{}` is `{}` now.", done.from_name, done.into_name);
                Ok(Done::said(said, Some(json!({ "act": "unmerge", "id": done.id }))))
            }
            Self::Unmerge { id } => match clean::entities::undo(workspace, id)? {
                Some(_) => Ok(Done::said("They are two again.", None)),
                None => Err(Error::new("there is no such merge")),
            },
            Self::Undo { run } => {
                let request = UndoRequest { run: Some(run), ..UndoRequest::default() };
                let undone = undo(workspace, &request, &Silent)?
                    .ok_or_else(|| Error::new("there is nothing to take back"))?;
                let again = undone.undo.as_ref().map(|run| json!({ "act": "undo", "run": run }));
                Ok(Done::said(undone.told(), again))
            }
        }
    }
}

fn edited(edited: Edited, path: &str, said: &str) -> Done {
    match edited {
        Edited::Changed { diff, before, hash } => {
            let undo = json!({
                "act": "edit", "path": path, "hash": hash, "text": before, "exact": true,
            });
            let answer = json!({ "said": said, "diff": diff, "hash": hash, "undo": undo });
            Done { status: 200, answer }
        }
        Edited::Same => Done::said("It says that already.", None),
        Edited::Newer { .. } => {
            let hint = "open it anew in another tab, and take your words over";
            let error = "the note was changed meanwhile: nothing was written";
            Done { status: 409, answer: json!({ "error": error, "hint": hint }) }
        }
        Edited::Gone => {
            let answer = json!({ "error": "the note is gone: nothing was written", "hint": null });
            Done { status: 409, answer }
        }
    }
}

fn wish(
    workspace: &Workspace,
    topic: &str,
    preference: PreferenceKind,
    takes_back: bool,
) -> Result<Done, Error> {
    let wished =
        interest::wish(workspace, &WishRequest { topic, preference, takes_back }, &Silent)?;
    let word = preference.word();
    let said = match (takes_back, wished.changed) {
        (false, true) => format!("Noted that you {word} it."),
        (false, false) => format!("You {word} it already."),
        (true, true) => format!("Taken back that you {word} it."),
        (true, false) => format!("You did not say that you {word} it."),
    };
    let other = if takes_back { word.to_owned() } else { format!("un{word}") };
    let undo = json!({ "act": other, "topic": topic });
    Ok(Done::said(said, wished.changed.then_some(undo)))
}

fn correct(workspace: &Workspace, id: &str, texts: [&String; 4]) -> Result<Done, Error> {
    let memories = Memories::open(workspace);
    let before = memories.records(&Silent).find(id)?.clone();
    let [context, command, lesson, rate] = texts;
    let rate = match rate.trim() {
        "" => None,
        rate => Some(rate.parse().map_err(|cause| {
            Error::new(format_args!("how often it worked {cause}")).hint("write 3/4, or nothing")
        })?),
    };
    let correction = Correction {
        context: Some(context.clone()),
        command: Some(command.clone()),
        lesson: Some(lesson.clone()),
        success_rate: rate,
        ..Correction::default()
    };
    let corrected = memories.correct(id, correction, None, &Silent)?;
    let undo = json!({
        "act": "correct", "id": corrected.memory.id, "context": before.context,
        "command": before.command, "lesson": before.lesson,
        "rate": before.success_rate.map(|rate| rate.to_string()).unwrap_or_default(),
    });
    let mut said = "Corrected.".to_owned();
    corrected.contradictions().for_each(|it| said.push_str(&format!(" It {it}.")));
    Ok(Done::said(said, Some(undo)))
}

/// A button that does something. `sure`: it asks again, for it cannot be taken back.
pub fn button(label: &str, act: &Value, sure: bool) -> Markup {
    html! {
        button.plain type="button" data-act=(act.to_string()) data-sure=[sure.then_some("1")] hidden { (label) }
    }
}

/// Buttons in a row, with what they say.
pub fn buttons(all: &[Markup]) -> Markup {
    html! { p.acts { @for button in all { (button) " " } span role="status" {} } }
}
