//! `web_search`: what a search service finds.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{
    arguments::{Arguments, bad, spec},
    cut::cut,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_base::one_line::one_line;

/// Characters of a query, and of each part of a hit.
const MOST_OF_A_QUERY: usize = 400;
const MOST_OF_A_TITLE: usize = 200;
const MOST_OF_A_URL: usize = 2_000;
const MOST_OF_A_TEXT: usize = 1_000;
/// Hits unless told otherwise, and at most.
const USUAL: u64 = 8;
const MOST: u64 = 20;

/// Something that a search service found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub title: String,
    pub url: String,
    pub text: String,
}

/// Asks for a query and a number of hits; the third argument says whether to stop.
pub type Ask =
    Box<dyn Fn(&str, usize, &dyn Fn() -> bool) -> Result<Vec<Hit>, String> + Send + Sync>;

/// A search service.
pub struct Search {
    /// The host that is sent the query, in lower case.
    pub host: String,
    pub ask: Ask,
}

/// Searches the web.
pub struct WebSearch {
    search: Search,
}

impl WebSearch {
    pub fn new(search: Search) -> Self {
        Self { search }
    }

    fn query(&self, arguments: &Value) -> Result<(String, usize), ToolError> {
        let arguments = Arguments::of(&self.spec(), arguments)?;
        let query = arguments.text("query")?;
        if query.chars().count() > MOST_OF_A_QUERY {
            return Err(bad(format!("`query` is over the limit of {MOST_OF_A_QUERY} characters")));
        }
        let query = one_line(query, MOST_OF_A_QUERY);
        if query.is_empty() {
            return Err(bad("`query` is empty"));
        }
        Ok((query, arguments.number("max", 1, MOST)?.unwrap_or(USUAL) as usize))
    }
}

impl Tool for WebSearch {
    fn spec(&self) -> Spec {
        spec(
            "web_search",
            Level::Moderate,
            true,
            "Search the web: titles, addresses and short texts of what is found. The query leaves \
             this machine: nothing private in it. Read a page that is found with web_fetch.",
            json!({
                "query": { "type": "string", "maxLength": MOST_OF_A_QUERY },
                "max": { "type": "integer", "minimum": 1, "maximum": MOST,
                    "description": "hits; 8 if left out" },
            }),
            &["query"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let (query, _) = self.query(arguments)?;
        let host = self.search.host.clone();
        Ok(Intent { shown: format!("ask {host} for: {query}"), action: Action::Reach { host } })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let (query, max) = self.query(arguments)?;
        host.alive()?;
        let hits = {
            let host = &*host;
            (self.search.ask)(&query, max, &|| host.is_cancelled())
        };
        host.alive()?;
        let mut text = String::new();
        for (number, hit) in hits.map_err(ToolError::Failed)?.iter().take(max).enumerate() {
            let title = one_line(&hit.title, MOST_OF_A_TITLE);
            let url = one_line(&hit.url, MOST_OF_A_URL);
            let said = one_line(&hit.text, MOST_OF_A_TEXT);
            let _ = writeln!(text, "{}. {title}\n   {url}\n   {said}\n", number + 1);
        }
        if text.is_empty() {
            text.push_str("nothing found\n");
        }
        Ok(Output { text: cut(&text, host.max_output()), ..Output::default() })
    }
}
