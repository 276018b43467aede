//! All tools of a run, put together from the rooms that make them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::{
    develop,
    plugins::{PluginContext, manifest},
    remembering,
    sandboxing::Fencing,
    skill_store::SkillStore,
    skill_tools,
};
use crate::{
    Error, Reporter, Workspace, hook_run, learning::Learning, reporter::Silent,
    workspace::KnowledgeBase,
};
use elophanto_agent::{
    Tool, Toolbox,
    develop::NAME,
    plugins::{Problem, entries},
    sandbox::Attend,
    tools::{self, Hit, OutOfReach, Page, Proposed, Search, ShellRequest},
};
use elophanto_knowledge::learn::responses::Finding;
use elophanto_repo::Git;
use elophanto_text::reading::{self, Hint};

/// For reading a page, after it is fetched.
const READING: Duration = Duration::from_secs(10);
/// What a web search reaches, for rules about hosts: the services that the settings name.
const SERVICES: &str = "learn.sources";

/// The tools that come with the program.
pub fn built_in(
    git: Option<&Git>,
    fencing: &Arc<Fencing>,
    out_of_reach: OutOfReach,
    store: &SkillStore,
    base: &KnowledgeBase,
) -> Vec<Box<dyn Tool>> {
    let mut all = tools::files(Arc::clone(&out_of_reach));
    if let Some(git) = git {
        let git = Arc::new(git.clone());
        let gate = Box::new(tools::refuse_secrets);
        let base = base.clone();
        let along = Box::new(move |proposed: &Proposed<'_>| {
            let said = |error: Error| error.message().to_owned();
            hook_run::carry(&base.open(Vec::new()).map_err(said)?, proposed.git).map_err(said)
        });
        all.extend(tools::git(git, Arc::clone(&out_of_reach), gate, along));
    }
    let fencing = Arc::clone(fencing);
    let run = move |request: &ShellRequest, attend: Attend<'_>| fencing.shell(request, attend);
    all.push(tools::shell(Box::new(run), out_of_reach));
    let (pages, services) = (base.clone(), base.clone());
    all.extend(tools::web(
        Box::new(move |url, may_ask, is_cancelled| fetch(&pages, url, may_ask, is_cancelled)),
        Search {
            host: SERVICES.to_owned(),
            ask: Box::new(move |query, limit, is_cancelled| {
                find(&services, query, limit, is_cancelled)
            }),
        },
    ));
    all.push(tools::ask_user());
    all.push(tools::todo_list());
    all.push(tools::model());
    all.extend(skill_tools::tools(store));
    all
}

/// All tools of a work tree: those that come with the program, deployed plugins, and what makes new
/// ones. With them the plugins that are no tools, and why.
pub fn all(
    workspace: &Workspace,
    git: Option<&Git>,
    built_in: Vec<Box<dyn Tool>>,
    bench: &PluginContext,
    reporter: &dyn Reporter,
) -> (Toolbox, Vec<Problem>) {
    let names: Vec<String> = built_in.iter().map(|tool| tool.spec().name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).chain([NAME]).collect();
    let plugins = bench.load(&names, reporter);
    let mut tools = Toolbox::new();
    let mut all = built_in;
    // A plugin is made on a branch.
    if let Some(git) = git {
        all.push(Box::new(develop::tool(workspace, git, bench, &names, tools.inlet())));
    }
    all.extend(plugins.tools);
    for tool in all {
        if let Err(cause) = tools.add(tool) {
            reporter.warn(cause);
        }
    }
    // A folder that nobody deployed may be anything: projects have plugins of other kinds.
    let manifest = manifest(&workspace.repository.root).unwrap_or_default();
    let deployed = entries(&manifest).unwrap_or_default();
    for Problem { name, reason } in &plugins.problems {
        if name.is_empty() {
            reporter.note(reason);
        } else if deployed.iter().any(|(deployed, _)| deployed == name) {
            reporter.note(format_args!("the plugin `{name}` is no tool: {reason}"));
        }
    }
    (tools, plugins.problems)
}

/// A page as Markdown, from the host that was approved and no other.
fn fetch(
    base: &KnowledgeBase,
    url: &url::Url,
    may_ask: &dyn Fn(&str) -> bool,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Page, String> {
    if is_cancelled() || !url.host_str().is_some_and(may_ask) {
        return Err("this host was not approved".to_owned());
    }
    let said = |error: Error| error.message().to_owned();
    let workspace = base.open(Vec::new()).map_err(said)?;
    let fetcher = Learning::look(&workspace).fetcher().map_err(said)?;
    let fetched = fetcher.get_there(url.as_str()).map_err(|cause| match cause.hint() {
        Some(hint) => format!("{cause}; {hint}"),
        None => cause.to_string(),
    })?;
    let hint = Hint { media_type: Some(&fetched.media_type), name: Some(fetched.url.path()) };
    let options = reading::Options { limit: READING, base: Some(fetched.url.clone()) };
    let read = reading::read_with(&fetched.bytes, hint, &options).map_err(|it| it.to_string())?;
    Ok(Page { url: fetched.url, title: read.title, markdown: read.text })
}

/// What the search services of the settings find.
fn find(
    base: &KnowledgeBase,
    query: &str,
    limit: usize,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Vec<Hit>, String> {
    let said = |error: Error| error.message().to_owned();
    let workspace = base.open(Vec::new()).map_err(said)?;
    let learning = Learning::look(&workspace);
    let (begun, mut found) = (Instant::now(), Vec::new());
    for provider in learning.services(&Silent).map_err(said)? {
        if is_cancelled() || found.len() >= limit {
            break;
        }
        let more = provider.search(query, limit).map_err(|cause| cause.to_string())?;
        let more = more.into_iter().filter(|finding| finding.url.is_some());
        found.extend(more.map(Finding::from));
    }
    found.truncate(limit);
    if workspace.config.gateway.learn && !found.is_empty() {
        // The task does not depend on it.
        let _ = remembering::searched(&workspace, query, &found, begun.elapsed());
    }
    let hit = |finding: Finding| {
        let (title, text) = (finding.title.unwrap_or_default(), finding.text);
        Some(Hit { title, url: finding.url?, text })
    };
    Ok(found.into_iter().filter_map(hit).collect())
}
