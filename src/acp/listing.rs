//! Conversations that can go on, page by page.

use std::path::Path;

use agent_client_protocol::v1::schema::{ListSessionsRequest, ListSessionsResponse, SessionInfo};

use elophanto_agent::{Session, Sessions};
use elophanto_app::{
    Environment, Error, Result, agent::state_folder, reporter::Silent, runs::conversations,
};
use elophanto_base::visible::escape_control_line;
use elophanto_repo::locate;

/// Conversations of one page.
const PAGE: usize = 100;

/// Those of all work trees or, with a folder, of the one that it lies in; the one that was used last comes
/// first.
///
/// # Errors
/// When the folder is in no work tree, the page is none that was named, or nothing can be read.
pub fn list(
    request: &ListSessionsRequest,
    environment: &Environment,
) -> Result<ListSessionsResponse> {
    let root = request.cwd.as_deref().map(locate).transpose()?.map(|found| found.root);
    let first = match &request.cursor {
        None => 0,
        Some(cursor) => cursor.parse().map_err(|_| {
            Error::new("`cursor` names no page").hint("give back `nextCursor` as it came")
        })?,
    };
    let sessions = Sessions::new(state_folder(environment)?.join("sessions"));
    let all = conversations(&sessions, root.as_deref(), &Silent)?;
    let mut rest = all.iter().filter_map(info).skip(first);
    let page = rest.by_ref().take(PAGE).collect();
    let next = rest.next().map(|_| (first + PAGE).to_string());
    Ok(ListSessionsResponse::new(page).next_cursor(next))
}

fn info(session: &Session) -> Option<SessionInfo> {
    let root = Path::new(session.root.as_ref()?);
    let info = SessionInfo::new(session.id.to_string(), root);
    Some(info.title(title(session)).updated_at(session.updated.to_string()))
}

/// What a conversation is called: as the user says, else by what they wanted last.
pub fn title(session: &Session) -> Option<String> {
    session.name.as_ref().or(session.goal.as_ref()).map(|title| escape_control_line(title))
}
