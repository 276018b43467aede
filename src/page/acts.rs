//! What is done from a page: the use cases of the commands of these names. Each says what it did, and
//! how it is taken back where that can be.

use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Answer, Library,
    address::decoded,
    lessons::{self, Lesson},
    preview::Preview,
    refusal, words,
};
use elophanto_app::{
    Error, Result, Workspace, clean,
    interest::{self, PreferenceRequest},
    notes::{self, Edit, Edited},
    questions,
    reporter::Silent,
    runs::{UndoRequest, undo},
};
use elophanto_knowledge::{
    interest::PreferenceKind,
    learn::merge::Unmerged,
    scan::{Question, QuestionState},
};

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
    /// Finds the answer to a question of `scan`.
    Answer {
        id: String,
    },
    /// Takes that back, with what was said of the file for it.
    Unanswer {
        id: String,
        made: Option<String>,
    },
    Dismiss {
        id: String,
    },
    Undismiss {
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
    /// What was forgotten is remembered again.
    Remember(Box<Lesson>),
    React {
        id: String,
        good: bool,
    },
    Unreact {
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
pub struct Done {
    status: u16,
    answer: Value,
}

impl Done {
    pub fn said(said: impl Into<String>, undo: Option<Value>) -> Self {
        Self { status: 200, answer: json!({ "said": said.into(), "undo": undo }) }
    }
}

/// Does what the body of a request wants, in the knowledge base that its address names.
/// `root` is what stands before that name.
pub fn act(library: &Library, root: &str, path: &str, body: &[u8]) -> Answer {
    let name = path.strip_suffix("/do").and_then(decoded);
    let found = library.caches.iter().find(|(known, _)| Some(known) == name.as_ref());
    let Some(named @ (_, cache)) = found else {
        return refused(404, &Error::new("there is nothing to be done here"));
    };
    if let Ok(wanted) = serde_json::from_slice::<Preview>(body) {
        let made = super::asked(library, root, named, "").and_then(|it| wanted.made(&it));
        return made.map_or_else(|error| refused(422, &error), |html| Answer::html(200, html));
    }
    let act = match serde_json::from_slice::<Act>(body) {
        Ok(act) => act,
        Err(cause) => return refused(400, &Error::new(format_args!("this is no act: {cause}"))),
    };
    let done = cache.open(Vec::new()).and_then(|workspace| {
        let done = act.done(&workspace)?;
        // What was done is seen at once.
        cache.look_again(&workspace)?;
        Ok(done)
    });
    match done {
        Ok(Done { status, answer }) => Answer::json(status, answer.to_string()),
        Err(error) => refused(422, &error),
    }
}

fn refused(status: u16, error: &Error) -> Answer {
    Answer::json(status, refusal(error))
}

impl Act {
    fn done(&self, workspace: &Workspace) -> Result<Done> {
        let unknown = || Error::new("nothing has this id");
        match self {
            Self::Look { path, hash, text } => {
                let edit = Edit { path: &path.as_str().into(), hash, text, is_exact: false };
                Ok(edited(notes::look(workspace, &edit)?, path, "This would change:"))
            }
            Self::Edit { path, hash, text, exact } => {
                let edit = Edit { path: &path.as_str().into(), hash, text, is_exact: *exact };
                Ok(edited(notes::edit(workspace, &edit)?, path, "Saved."))
            }
            Self::Answer { id } => answer(workspace, id),
            Self::Unanswer { id, made } => {
                let question = question(workspace, id)?;
                match questions::take_back(workspace, &question, made.as_deref())? {
                    Some(_) => Ok(Done::said("Taken back: the question is open again.", None)),
                    None => Err(Error::new("the question is not answered")),
                }
            }
            Self::Dismiss { id } => {
                let question = question(workspace, id)?;
                questions::dismiss(workspace, &question)?;
                let undo = json!({ "act": "undismiss", "id": question.id });
                Ok(Done::said("Dismissed: it is not asked again.", Some(undo)))
            }
            Self::Undismiss { id } => {
                let question = question(workspace, id)?;
                match questions::take_up(workspace, &question)? {
                    true => Ok(Done::said("It is asked again.", None)),
                    false => Err(Error::new("nobody dismissed the question")),
                }
            }
            Self::Like { topic } => preference(workspace, topic, PreferenceKind::Like, false),
            Self::Unlike { topic } => preference(workspace, topic, PreferenceKind::Like, true),
            Self::Dislike { topic } => preference(workspace, topic, PreferenceKind::Dislike, false),
            Self::Undislike { topic } => {
                preference(workspace, topic, PreferenceKind::Dislike, true)
            }
            Self::Correct { id, context, command, lesson, rate } => {
                lessons::correct(workspace, id, [context, command, lesson, rate])
            }
            Self::Forget { id } => lessons::forget(workspace, id),
            Self::Remember(lesson) => lessons::remember(workspace, lesson),
            Self::React { id, good } => {
                interest::react(workspace, id, *good, false)?.ok_or_else(unknown)?;
                let undo = json!({ "act": "unreact", "id": id, "good": good });
                Ok(Done::said("Noted.", Some(undo)))
            }
            Self::Unreact { id, good } => {
                interest::react(workspace, id, *good, true)?.ok_or_else(unknown)?;
                Ok(Done::said("Taken back.", None))
            }
            Self::Merge { from, into } => {
                let done = clean::entities::merge(workspace, from, into)?;
                let said = format!("`{}` is `{}` now.", done.from_name, done.into_name);
                Ok(Done::said(said, Some(json!({ "act": "unmerge", "id": done.id }))))
            }
            Self::Unmerge { id } => match clean::entities::undo(workspace, id)? {
                Some(Unmerged::Done(merge) | Unmerged::Already(merge)) => {
                    let undo = json!({ "act": "merge", "from": merge.from, "into": merge.into });
                    Ok(Done::said("They are two again.", Some(undo)))
                }
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

fn question(workspace: &Workspace, id: &str) -> Result<Question> {
    let known = questions::known(workspace)?;
    let found = questions::find(&known, id)?.cloned();
    found.ok_or_else(|| {
        Error::new("there is no such question any more").hint("look at the list of questions again")
    })
}

/// By a model that the user agreed to in a terminal, else by the file's own words.
fn answer(workspace: &Workspace, id: &str) -> Result<Done> {
    let asked = question(workspace, id)?;
    let answered = questions::answer(workspace, &asked, &Silent)?;
    let question = &answered.question;
    if let Some(reason) = answered.stopped {
        return Err(Error::new(format_args!("it stays open: {reason}")));
    }
    let words = match (&question.answer, &answered.summary) {
        (Some(answer), _) => answer.as_str(),
        (None, Some(summary)) => summary.summary.as_str(),
        (None, None) => "",
    };
    let said = match question.state {
        QuestionState::Answered => "Answered: ",
        QuestionState::Failed => "No answer was found: ",
        _ => {
            return Err(Error::new("it stays open: somebody else is answering questions just now"));
        }
    };
    let undo = json!({ "act": "unanswer", "id": question.id, "made": answered.made });
    Ok(Done::said(format!("{said}{}", words::text(words.trim())), Some(undo)))
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

fn preference(
    workspace: &Workspace,
    topic: &str,
    preference: PreferenceKind,
    takes_back: bool,
) -> Result<Done> {
    let noted = interest::note_preference(
        workspace,
        &PreferenceRequest { topic, preference, takes_back },
        &Silent,
    )?;
    let word = preference.word();
    let said = match (takes_back, noted.changed) {
        (false, true) => format!("Noted that you {word} it."),
        (false, false) => format!("You {word} it already."),
        (true, true) => format!("Taken back that you {word} it."),
        (true, false) => format!("You did not say that you {word} it."),
    };
    let other = if takes_back { word.to_owned() } else { format!("un{word}") };
    let undo = json!({ "act": other, "topic": topic });
    Ok(Done::said(said, noted.changed.then_some(undo)))
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
