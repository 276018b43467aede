//! The hub as tools of the agent: searching it, and installing what was shown.

use std::{collections::BTreeMap, fmt::Write as _, sync::Mutex};

use serde_json::{Value, json};

use super::{
    skill_store::SkillStore,
    skill_tools::{failed, text},
};
use elophanto_agent::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
    skills::{self, Plan, SkillError, hub},
    tools::spec,
};
use elophanto_base::{counted::counted, mutex::lock, one_line::one_line};

/// Entries of the hub that are told unless a call wants more, and at most.
const USUAL: u64 = 10;
const MOST: u64 = 50;
/// Characters of a query.
const MOST_QUERY: usize = 400;
/// Plans that are kept between being shown and being agreed to.
const MOST_PLANS: usize = 16;

/// Both of them.
pub fn tools(store: &SkillStore) -> Vec<Box<dyn Tool>> {
    vec![
        Box::new(HubSearch { store: store.clone() }),
        Box::new(HubInstall { store: store.clone(), shown: Mutex::default() }),
    ]
}

/// Searches the hub.
struct HubSearch {
    store: SkillStore,
}

impl HubSearch {
    fn fetches(arguments: &Value) -> bool {
        arguments.get("refresh").and_then(Value::as_bool).unwrap_or(false)
    }
}

impl Tool for HubSearch {
    fn spec(&self) -> Spec {
        spec(
            "hub_search",
            Level::Safe,
            true,
            "Search the user's hub, a registry of skills that can be installed, when no skill here \
             fits. Looks into the copy that is kept here; `refresh` fetches the newest one.",
            json!({
                "query": { "type": "string", "maxLength": MOST_QUERY,
                    "description": "words; all entries if left out" },
                "refresh": { "type": "boolean", "description": "false if left out" },
                "max": { "type": "integer", "minimum": 1, "maximum": MOST,
                    "description": "entries; 10 if left out" },
            }),
            &[],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let Some(address) = self.store.hub.as_deref() else {
            return Err(failed(SkillError::NoHub));
        };
        let query = one_line(text(arguments, "query").unwrap_or_default(), MOST_QUERY);
        if Self::fetches(arguments) && hub::is_fetched(address) {
            let host = host(address);
            let shown = format!("fetch the hub {address}, then look for: {query}");
            return Ok(Intent { action: Action::Reach { host }, shown });
        }
        let shown = format!("look into the kept copy of the hub for: {query}");
        Ok(Intent { action: Action::Look, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        if host.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        let hub = match Self::fetches(arguments) {
            true => self.store.fetched_hub(),
            false => self.store.kept_hub(),
        };
        let hub = hub.map_err(failed)?;
        let max = arguments.get("max").and_then(Value::as_u64).unwrap_or(USUAL).min(MOST);
        let query = text(arguments, "query").unwrap_or_default();
        let found = hub::search(&hub, query, max as usize);
        let mut text = String::new();
        for entry in &found {
            let _ = writeln!(text, "- hub:{} {}", entry.name, entry.description);
        }
        if found.is_empty() {
            let _ = writeln!(text, "nothing found among {}", counted(hub.entries.len(), "skill"));
        }
        Ok(Output { text, ..Output::default() })
    }
}

/// The host of the hub, for rules about hosts.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', ':']).unwrap_or(rest.len());
    let host = rest.get(..end).unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default().to_ascii_lowercase();
    if host.is_empty() { "localhost".to_owned() } else { host }
}

/// Installs a skill of the hub.
struct HubInstall {
    store: SkillStore,
    /// By name, what was shown last: this is installed and nothing else.
    shown: Mutex<BTreeMap<String, Plan>>,
}

impl HubInstall {
    fn named(arguments: &Value) -> &str {
        let name = text(arguments, "name").unwrap_or_default();
        name.strip_prefix("hub:").unwrap_or(name)
    }
}

impl Tool for HubInstall {
    fn spec(&self) -> Spec {
        spec(
            "hub_install",
            Level::Moderate,
            true,
            "Install a skill that hub_search found. The user sees all of it first and decides; nothing \
             of it is run. Read it with skill_read afterwards.",
            json!({ "name": { "type": "string", "description": "as hub_search names it" } }),
            &["name"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let name = Self::named(arguments);
        skills::check_name(name).map_err(failed)?;
        let source = skills::Source::Hub { name: name.to_owned() };
        let installed = &self.store.places.installed;
        let plan =
            skills::plan_install(&source, installed, &self.store.outside()).map_err(failed)?;
        if plan.is_current() {
            return Err(ToolError::Refused(format!("just this `{name}` is installed already")));
        }
        let shown = plan.shown();
        let mut plans = lock(&self.shown);
        if plans.len() >= MOST_PLANS {
            plans.clear();
        }
        plans.insert(name.to_owned(), plan);
        Ok(Intent { action: Action::Develop, shown })
    }

    fn execute(&self, arguments: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
        let name = Self::named(arguments);
        let plan = lock(&self.shown).remove(name);
        let plan = plan.ok_or_else(|| failed(SkillError::NotAgreed(name.to_owned())))?;
        skills::install(&plan, &plan.tree, &self.store.places.installed).map_err(failed)?;
        let text = format!(
            "installed {name} ({}). `elophanto agent skill remove {name}` takes it out",
            counted(plan.files.len(), "file")
        );
        Ok(Output { text, ..Output::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(address: &str, expected: &str) {
        assert_eq!(host(address), expected, "{address}");
    }

    #[test]
    fn hosts_of_hubs() {
        check("https://Example.org/skills.git", "example.org");
        check("https://example.org:8443/skills.git", "example.org");
        check("ssh://git@example.org:22/skills", "example.org");
        check("git@example.org:team/skills", "example.org");
        check("file:///srv/skills.git", "localhost");
        check("", "localhost");
    }
}
