//! `agent skill` and `agent hub`: skills of four origins, bringing them here, what is refused, and
//! what runs make of them.

mod bringing;
mod hub;
mod origins;
mod runs;

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::env::TestEnv;

/// Yes to whatever is asked, on standard input of a run with `--json`.
pub fn yes(times: usize) -> Vec<u8> {
    let line = |id: usize| format!("{{\"id\":{id},\"answer\":\"once\"}}\n");
    (1..=times).map(line).collect::<String>().into_bytes()
}

fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n\n{body}\n")
}

/// Writes a file beside the repository, and the folders above it.
fn put(env: &TestEnv, path: &str, text: &str) -> PathBuf {
    let path = env.outside().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// A bare repository `NAME.git` beside this one, filled from a work tree that is pushed again each
/// time; its address.
fn publish(env: &TestEnv, name: &str, files: &[(&str, &str)]) -> String {
    let work = env.outside().join(format!("{name}-work"));
    let bare = env.outside().join(format!("{name}.git"));
    let (work_text, bare_text) = (work.to_str().unwrap(), bare.to_str().unwrap());
    if !bare.exists() {
        env.git(&["init", "--quiet", "--bare", "--initial-branch=main", bare_text]);
        env.git(&["init", "--quiet", "--initial-branch=main", work_text]);
    }
    for (path, text) in files {
        put(env, &format!("{name}-work/{path}"), text);
    }
    env.git(&["-C", work_text, "add", "--all"]);
    env.git(&["-C", work_text, "commit", "--quiet", "-m", "More"]);
    env.git(&["-C", work_text, "push", "--quiet", bare_text, "main"]);
    format!("file://{bare_text}")
}

fn installed(env: &TestEnv) -> PathBuf {
    env.outside().join("home/.local/share/elophanto/skills")
}

/// All outputs, each under its command.
fn told(env: &TestEnv, commands: &[&[&str]]) -> String {
    let one = |args: &&[&str]| format!("$ {}\n{}", args.join(" "), env.run(args));
    commands.iter().map(one).collect()
}

/// A hub with two sound entries and some that are not.
fn hub(env: &TestEnv) -> String {
    let forms = skill("pdf-forms", "Fills in PDF forms and tax forms. Use for PDF files.", "# PDF");
    let minutes = skill("meeting-minutes", "Writes minutes of meetings.", "# Minutes");
    let index = json!({ "skills": [
        { "name": "pdf-forms", "description": "Fills in PDF forms and tax forms. Use for PDF files.", "path": "s/pdf-forms" },
        { "name": "meeting-minutes", "description": "Writes minutes of meetings.", "path": "s/meeting-minutes/" },
        { "name": "../../bin/x", "description": "x", "path": "s/x" },
        { "name": "con", "description": "x", "path": "s/x" },
        { "name": "outside", "description": "x", "path": "../../etc" },
        { "name": "absent", "description": "x", "path": "s/absent" },
        { "name": "liar", "description": "It is another.", "path": "s/pdf-forms" },
    ] });
    publish(
        env,
        "hub",
        &[
            ("index.json", &index.to_string()),
            ("s/pdf-forms/SKILL.md", &forms),
            ("s/pdf-forms/fields.md", "Fields.\n"),
            ("s/meeting-minutes/SKILL.md", &minutes),
        ],
    )
}
