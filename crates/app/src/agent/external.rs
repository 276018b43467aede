//! Tools of servers that the user added, for as long as a run goes on.

use std::collections::BTreeSet;

use super::{credentials, servers};
use crate::{Reporter, Result, Workspace, keys::Asking};
use elophanto_agent::{
    Inlet, Source, Toolbox,
    mcp_client::{Servers, Started},
};

/// All tools of a run. The servers end when this is dropped.
pub struct External {
    /// Where their tools are put, until this is dropped.
    inlet: Inlet,
    names: BTreeSet<String>,
    /// Held for its end.
    _servers: Option<Servers>,
}

impl External {
    /// Starts the servers that the user trusts, if there are any, and puts their tools beside
    /// those that are there. What is wrong with one is noted, and costs its tools.
    pub fn start(workspace: &Workspace, tools: &Toolbox, reporter: &dyn Reporter) -> Self {
        let mut external = Self { inlet: tools.inlet(), names: BTreeSet::new(), _servers: None };
        if let Err(error) = external.add(workspace, reporter) {
            reporter.warn(format_args!("no tools of other servers: {}", error.message()));
        }
        external
    }

    fn add(&mut self, workspace: &Workspace, reporter: &dyn Reporter) -> Result<()> {
        let environment = &workspace.environment;
        let servers = servers::read_for(&workspace.repository.root, environment)?;
        let mut entries = Vec::new();
        for (name, kept) in &servers {
            let entry = kept.entry(name)?;
            if entry.trusted {
                entries.push(entry);
            } else {
                reporter.note(format_args!(
                    "server `{name}` is not trusted, so it is not started: elophanto agent mcp \
                     trust {name}"
                ));
            }
        }
        if entries.is_empty() {
            return Ok(());
        }
        let taken = self.inlet.specs().into_iter().map(|spec| spec.name).collect();
        let trusted = servers.iter().filter(|(name, _)| entries.iter().any(|it| it.name == **name));
        let (credentials, missing) =
            credentials::of(trusted, environment, Asking::Through(reporter));
        // Without the token that it is to get, one is not asked at all.
        entries.retain(|entry| !missing.contains_key(&entry.name));
        let Started { servers: running, tools, offers, problems, want_sign_in } =
            servers::start(&entries, &taken, &credentials, environment)?;
        self._servers = Some(running);
        for problem in missing.into_values().chain(problems) {
            reporter.note(problem);
        }
        let has_key = |name: &String| servers.get(name).is_some_and(|kept| kept.key.is_some());
        for name in want_sign_in.iter().filter(|name| !has_key(name)) {
            reporter.note(format_args!("to sign in: elophanto agent mcp login {name}"));
        }
        let mut changed = BTreeSet::new();
        for (name, offer) in &offers {
            if servers.get(name).and_then(|kept| kept.offers.as_ref()) != Some(offer) {
                reporter.warn(format_args!(
                    "server `{name}` offers something else than what you looked at, so its tools \
                     are left out: elophanto agent mcp trust {name}"
                ));
                changed.insert(name.clone());
            }
        }
        for tool in tools {
            let spec = tool.spec();
            if matches!(&spec.source, Source::Server { name } if changed.contains(name)) {
                continue;
            }
            let name = spec.name.clone();
            match self.inlet.put(tool) {
                Ok(()) => {
                    self.names.insert(name);
                }
                Err(cause) => reporter.note(cause),
            }
        }
        Ok(())
    }
}

impl Drop for External {
    fn drop(&mut self) {
        self.inlet.withdraw(&self.names);
    }
}
