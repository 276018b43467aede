//! `web_fetch`: a page of the web as Markdown.

use serde_json::{Value, json};
use url::Url;

use super::{
    arguments::{Arguments, bad, spec},
    cut::cut,
};
use crate::{
    Host, Intent, Output, Spec, Tool, ToolError,
    permissions::{Action, Level},
};
use elophanto_net::address::host_of_web;

/// Bytes of an address at most.
const MOST_OF_A_URL: usize = 2_000;

/// A page that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The address that answered, after redirects.
    pub url: Url,
    pub title: Option<String>,
    pub markdown: String,
}

/// Fetches a page. The second argument says whether a host may be asked at all, that of a redirect
/// too: only the one that was approved. The third says whether to stop.
pub type Fetch = Box<
    dyn Fn(&Url, &dyn Fn(&str) -> bool, &dyn Fn() -> bool) -> Result<Page, String> + Send + Sync,
>;

/// Fetches pages.
pub struct WebFetch {
    fetch: Fetch,
}

impl WebFetch {
    pub fn new(fetch: Fetch) -> Self {
        Self { fetch }
    }

    /// The address and its host.
    fn address(&self, arguments: &Value) -> Result<(Url, String), ToolError> {
        let text = Arguments::of(&self.spec(), arguments)?.text("url")?;
        if text.len() > MOST_OF_A_URL {
            return Err(bad(format!("`url` is over the limit of {MOST_OF_A_URL} bytes")));
        }
        let mut url = Url::parse(text).map_err(|cause| bad(format!("`url`: {cause}")))?;
        let host = host_of_web(&url).map_err(|reason| bad(format!("`url` {reason}")))?;
        let host = host.to_string().trim_end_matches('.').to_lowercase();
        // It is not sent anyway.
        url.set_fragment(None);
        Ok((url, host))
    }
}

impl Tool for WebFetch {
    fn spec(&self) -> Spec {
        spec(
            "web_fetch",
            Level::Moderate,
            true,
            "Fetch a page from a public http or https address, as Markdown. A redirect to another \
             host is not followed but told: fetch that address then.",
            json!({ "url": { "type": "string", "description": "the whole address" } }),
            &["url"],
        )
    }

    fn intent(&self, arguments: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
        let (url, host) = self.address(arguments)?;
        Ok(Intent { shown: format!("GET {url}"), action: Action::Reach { host } })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        let (url, name) = self.address(arguments)?;
        host.alive()?;
        let page = {
            let host = &*host;
            let may_ask = |asked: &str| asked.trim_end_matches('.').eq_ignore_ascii_case(&name);
            (self.fetch)(&url, &may_ask, &|| host.is_cancelled())
        };
        host.alive()?;
        let page = page.map_err(ToolError::Failed)?;
        let title =
            page.title.as_deref().map(|title| elophanto_base::one_line::one_line(title, 200));
        let title = title.filter(|title| !title.is_empty());
        let head = match title {
            Some(title) => format!("{}\n{title}\n\n", page.url),
            None => format!("{}\n\n", page.url),
        };
        let text = cut(&format!("{head}{}", page.markdown), host.max_output());
        Ok(Output { text, ..Output::default() })
    }
}
