//! Our two hooks in Claude Code's settings, beside those of the user.

use serde_json::json;

use super::{
    Change, ClientError, Places, Read, Scope,
    json::{self, Kind, Layout, Node, render, replace, take_out},
    places,
    plan::{change, check, read_file, refused},
    servers::{Found, Refusal, lookup, push, put},
};

const HOOKS: &str = "runs our hooks when a session starts and when the agent stops";
const NO_HOOKS: &str = "takes our hooks out";
/// Events and what our program is asked to do on them.
const EVENTS: [(&str, &str); 2] =
    [("SessionStart", "agent hook session-start"), ("Stop", "agent hook stop")];

/// Most copies of a hook that are taken out at once; each costs a reading of the file.
const MAX_COPIES: usize = 64;

/// What to change so that Claude Code runs `program` when a session starts and when the agent stops.
pub fn hooks(
    scope: Scope,
    places: &Places<'_>,
    program: &str,
    read: &Read<'_>,
) -> Result<Vec<Change>, ClientError> {
    check(program)?;
    let program = shlex::try_quote(program).map_err(|_| ClientError::Program)?;
    let path = places::hooks(scope, places);
    let before = read_file(&path, read)?;
    let mut after = before.clone();
    for (event, asked) in EVENTS {
        let with = with_hook(after.as_deref(), event, asked, &format!("{program} {asked}"))
            .map_err(|refusal| refused(refusal, &path, before.as_deref()))?;
        after = Some(with);
    }
    Ok(change(path, before, after, HOOKS).into_iter().collect())
}

/// What to change so that Claude Code runs nothing of ours. Of more than 64 copies of a hook, which
/// we never write, some stay.
pub fn remove_hooks(
    scope: Scope,
    places: &Places<'_>,
    read: &Read<'_>,
) -> Result<Vec<Change>, ClientError> {
    let path = places::hooks(scope, places);
    let Some(before) = read_file(&path, read)? else { return Ok(Vec::new()) };
    let mut after = Some(before.clone());
    // The last to come goes first: what was made for the first goes with it.
    for (event, asked) in EVENTS.into_iter().rev() {
        for _ in 0..MAX_COPIES {
            let Some(text) = &after else { break };
            let without = without_hook(text, event, asked)
                .map_err(|refusal| refused(refusal, &path, Some(&before)))?;
            let Some(without) = without else { break };
            after = without;
        }
    }
    Ok(change(path, Some(before), after, NO_HOOKS).into_iter().collect())
}

fn with_hook(
    text: Option<&str>,
    event: &str,
    asked: &str,
    command: &str,
) -> Result<String, Refusal> {
    let group = json!({ "hooks": [{ "type": "command", "command": command }] });
    let path = ["hooks", event];
    let alone = json!([group]);
    let document = json::parse(text.unwrap_or_default())?;
    let Some(root) = &document.root else { return put(text, &path, &alone) };
    let Found::There { node: groups, .. } = lookup(root, &path)? else {
        return put(text, &path, &alone);
    };
    if !matches!(groups.kind, Kind::Array(_)) {
        return Err(no_array(groups, event));
    }
    match ours(groups, asked) {
        Some((_, now)) if now.as_str() == Some(command) => Ok(document.text.to_owned()),
        Some((_, now)) => {
            let new = render(&json!(command), Layout::Line);
            Ok(replace(document.text, now.span.clone(), &new))
        }
        None => Ok(push(&document, groups, &group)),
    }
}

/// The text without one hook of ours (`None`: the file goes); `None` if there is none.
fn without_hook(text: &str, event: &str, asked: &str) -> Result<Option<Option<String>>, Refusal> {
    let document = json::parse(text)?;
    let Some(root) = &document.root else { return Ok(None) };
    let Found::There { node: groups, route } = lookup(root, &["hooks", event])? else {
        return Ok(None);
    };
    let Some((below, _)) = ours(groups, asked) else { return Ok(None) };
    let route: Vec<usize> = route.into_iter().chain(below).collect();
    Ok(Some(take_out(&document, &route)))
}

/// Our hook among the groups of an event: the way to it, and its command.
fn ours<'a>(groups: &'a Node, asked: &str) -> Option<([usize; 3], &'a Node)> {
    let member = |node: &'a Node, key: &str| -> Option<(usize, &'a Node)> {
        let Kind::Object(members) = &node.kind else { return None };
        let (index, member) = members.iter().enumerate().rfind(|(_, member)| member.key == key)?;
        Some((index, &member.value))
    };
    let elements = |node: &'a Node| match &node.kind {
        Kind::Array(elements) => elements.as_slice(),
        _ => &[],
    };
    elements(groups).iter().enumerate().find_map(|(group, node)| {
        let (hooks, node) = member(node, "hooks")?;
        elements(node).iter().enumerate().find_map(|(hook, node)| {
            let (_, command) = member(node, "command")?;
            let rest = command.as_str()?.trim_end().strip_suffix(asked)?;
            rest.ends_with(' ').then_some(([group, hooks, hook], command))
        })
    })
}

fn no_array(node: &Node, event: &str) -> Refusal {
    let key = format!("hooks.{event}");
    Refusal::WrongType { offset: node.span.start, key, expected: "array" }
}
