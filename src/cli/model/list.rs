//! `elophanto model list`

use crate::cli::{NoArgs, Outcome, Result, Ui, env, escape_control_line, workspace};
use crate::wire::TaskNoteWire;
use elophanto_app::models::list::{ListedEmbedder, ListedTask, embedders, language_models};

pub fn run(_: &NoArgs, ui: &mut Ui) -> Result<Outcome> {
    let (settings, environment) = (workspace::settings(Vec::new(), ui)?, env::environment());
    if !ui.json {
        ui.line("text to vectors")?;
    }
    for model in embedders(&settings, &environment) {
        ui.emit(&model, text(&model))?;
    }
    for task in language_models(&settings, &environment)? {
        print(&task, ui)?;
    }
    Ok(Outcome::Done)
}

fn text(model: &ListedEmbedder) -> String {
    let mark = if model.in_use { '*' } else { ' ' };
    let mut text = format!("{mark} {}", model.embedder);
    let dimension = model.dimension.map(|dimension| format!("{dimension} components"));
    let known = [model.fingerprint.as_deref(), dimension.as_deref(), model.pace];
    known.into_iter().flatten().for_each(|known| text.push_str(&format!("  {known}")));
    let mut text = escape_control_line(&text);
    if let Some(origin) = &model.origin {
        text.push_str(&format!("\n    set by  {}", escape_control_line(origin)));
    }
    let can = if model.ready { "ready  " } else { "not now" };
    text.push_str(&format!("\n    {can} {}", escape_control_line(&model.reason)));
    text
}

fn print(of_task: &ListedTask, ui: &mut Ui) -> Result<()> {
    let ListedTask { task, models, note } = of_task;
    if !ui.json {
        ui.line(format_args!("\n{task}"))?;
    }
    if models.is_empty() && !ui.json {
        ui.line("    the settings name no model for this")?;
    }
    for model in models {
        let mark = if model.used { '*' } else { ' ' };
        let text = escape_control_line(&format!("{mark} {}  {}", model.model, model.reason));
        ui.emit(model, text)?;
    }
    if let Some(note) = note {
        let text = format!("    {}", escape_control_line(note));
        ui.emit(&TaskNoteWire { task: task.name(), note }, text)?;
    }
    Ok(())
}
