//! `elophanto page`: the real gateway, pages asked for as a browser asks for them.

mod acts;
mod bad;
mod changes;
mod doors;
mod exported;
mod fleet;
mod hostile;
mod notes;
mod others;
mod pictures;

use crate::{
    env::TestEnv,
    gateway::{
        Answer, Gate,
        pages::{exchange, ticket},
    },
};

/// A browser that was let in.
struct Visitor<'e> {
    gate: Gate<'e>,
    cookie: String,
    /// The name of the knowledge base, as addresses have it.
    name: String,
}

impl<'e> Visitor<'e> {
    fn open(env: &'e TestEnv) -> Self {
        Self::of(Gate::open(env))
    }

    fn of(gate: Gate<'e>) -> Self {
        let answer = exchange(&gate, &ticket(&gate), &[]);
        let cookie = answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned();
        let mut visitor = Self { gate, cookie, name: String::new() };
        let top = visitor.get("");
        assert_eq!(top.status, 303);
        let place = visitor.gate.below("");
        let location = top.header("location").unwrap().strip_prefix(&place).unwrap();
        visitor.name = location.trim_end_matches('/').to_owned();
        visitor
    }

    /// What is answered below the path of pages.
    fn get(&self, path: &str) -> Answer {
        self.get_with(path, &[("Cookie", self.cookie.as_str()), ("Sec-Fetch-Site", "same-origin")])
    }

    fn get_with(&self, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut head = format!("GET {} HTTP/1.1\r\n", self.gate.below(path));
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.gate.host()));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        self.gate.send(&format!("{head}\r\n"))
    }

    /// A page of the knowledge base.
    fn page(&self, page: &str) -> Answer {
        self.get(&format!("{}/{page}", self.name))
    }

    /// The HTML of one that is there.
    #[track_caller]
    fn html(&self, page: &str) -> String {
        let answer = self.page(page);
        assert_eq!(answer.status, 200, "{page}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"), "{page}");
        answer.body
    }

    /// The twin of one that is there.
    #[track_caller]
    fn json(&self, page: &str) -> serde_json::Value {
        let answer = self.page(page);
        assert_eq!(answer.status, 200, "{page}: {}", answer.body);
        assert_eq!(answer.header("content-type"), Some("application/json"), "{page}");
        answer.json()
    }

    /// What an address of the page's own leads to.
    fn follow(&self, address: &str) -> Answer {
        let place = self.gate.below("");
        let path = address.strip_prefix(&place).unwrap_or_else(|| panic!("{address}"));
        self.get(path.split('#').next().unwrap_or_default())
    }
}

/// What is shown of a page: its body without what stands around it.
fn main_of(html: &str) -> &str {
    let from = html.find("<main").unwrap_or_else(|| panic!("no main: {html}"));
    let to = html.find("</main>").unwrap_or_else(|| panic!("no end: {html}"));
    &html[from..to]
}
