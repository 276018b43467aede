//! Where each program keeps what it reads.

use std::path::PathBuf;

use super::{Client, NAME, Places, Scope, servers::Format};

/// The files that may hold a program's servers, and their form. The last one is made if none is
/// there; where several are, the program merges them.
pub fn servers(client: Client, scope: Scope, places: &Places<'_>) -> (Vec<PathBuf>, Format) {
    let Places { project, home, config_home } = *places;
    let (files, format) = match (client, scope) {
        (Client::ClaudeCode, Scope::Project) => (vec![project.join(".mcp.json")], Format::Typed),
        (Client::ClaudeCode, Scope::User) => (vec![home.join(".claude.json")], Format::Typed),
        (Client::Codex, Scope::Project) => (vec![project.join(".codex/config.toml")], Format::Toml),
        (Client::Codex, Scope::User) => (vec![home.join(".codex/config.toml")], Format::Toml),
        (Client::Cursor, Scope::Project) => (vec![project.join(".cursor/mcp.json")], Format::Typed),
        (Client::Cursor, Scope::User) => (vec![home.join(".cursor/mcp.json")], Format::Typed),
        (Client::Vscode, Scope::Project) => {
            (vec![project.join(".vscode/mcp.json")], Format::Vscode)
        }
        (Client::Vscode, Scope::User) => {
            (vec![config_home.join("Code/User/mcp.json")], Format::Vscode)
        }
        (Client::Gemini, scope) => {
            let folder = if scope == Scope::Project { project } else { home };
            (vec![folder.join(".gemini/settings.json")], Format::Plain)
        }
        (Client::Opencode, scope) => {
            let folder = match scope {
                Scope::Project => project.to_owned(),
                Scope::User => config_home.join("opencode"),
            };
            let files = ["opencode.jsonc", "opencode.json"].map(|name| folder.join(name));
            (files.into(), Format::Opencode)
        }
    };
    (files, format)
}

/// The skill's file. All programs read skills from folders of this form.
pub fn skill(client: Client, scope: Scope, places: &Places<'_>) -> PathBuf {
    let Places { project, home, config_home } = *places;
    let (below, folder) = match (client, scope) {
        (Client::ClaudeCode, Scope::Project) => (project, ".claude/skills"),
        (Client::ClaudeCode, Scope::User) => (home, ".claude/skills"),
        // Codex has no folder of its own name for skills that it does not call outdated.
        (Client::Codex, Scope::Project) => (project, ".agents/skills"),
        (Client::Codex, Scope::User) => (home, ".agents/skills"),
        (Client::Cursor, Scope::Project) => (project, ".cursor/skills"),
        (Client::Cursor, Scope::User) => (home, ".cursor/skills"),
        (Client::Vscode, Scope::Project) => (project, ".github/skills"),
        (Client::Vscode, Scope::User) => (home, ".copilot/skills"),
        (Client::Gemini, Scope::Project) => (project, ".gemini/skills"),
        (Client::Gemini, Scope::User) => (home, ".gemini/skills"),
        (Client::Opencode, Scope::Project) => (project, ".opencode/skills"),
        (Client::Opencode, Scope::User) => (config_home, "opencode/skills"),
    };
    below.join(folder).join(NAME).join("SKILL.md")
}

/// Where Claude Code keeps its hooks.
pub fn hooks(scope: Scope, places: &Places<'_>) -> PathBuf {
    let below = if scope == Scope::Project { places.project } else { places.home };
    below.join(".claude/settings.json")
}
