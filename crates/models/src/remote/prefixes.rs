//! What asymmetric models want to read before a query or a document. The one table of it.
//!
//! The tag is part of the fingerprint: whoever changes a prefix changes its tag.

use super::{super::Role, known::plain};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Prefixes {
    pub tag: &'static str,
    pub query: &'static str,
    pub document: &'static str,
}

impl Prefixes {
    pub fn of(&self, role: Role) -> &'static str {
        match role {
            Role::Query => self.query,
            Role::Document => self.document,
        }
    }
}

const SENTENCE: &str = "Represent this sentence for searching relevant passages: ";

const NOMIC: Prefixes =
    Prefixes { tag: "nomic", query: "search_query: ", document: "search_document: " };
const MXBAI: Prefixes = Prefixes { tag: "mxbai", query: SENTENCE, document: "" };
const BGE: Prefixes = Prefixes { tag: "bge", query: SENTENCE, document: "" };
const E5: Prefixes = Prefixes { tag: "e5", query: "query: ", document: "passage: " };
const GEMMA: Prefixes = Prefixes {
    tag: "gemma",
    query: "task: search result | query: ",
    document: "title: none | text: ",
};
const QWEN: Prefixes = Prefixes {
    tag: "qwen",
    query: "Instruct: Given a web search query, retrieve relevant passages that answer the query\n\
            Query:",
    document: "",
};

/// The prefixes for `model`; `None` for models that treat queries and documents alike.
pub(super) fn prefixes(model: &str) -> Option<&'static Prefixes> {
    let name = plain(model);
    let has = |part: &str| name.split('-').any(|found| found == part);
    // E5 models that follow instructions want these and not "query: "; each has its own.
    let instructed = has("instruct") || has("mistral");
    Some(match name.as_str() {
        _ if name.starts_with("nomic-embed-text") => &NOMIC,
        _ if name.starts_with("mxbai-embed-large") => &MXBAI,
        _ if name.starts_with("bge-") && has("en") => &BGE,
        _ if name.starts_with("embeddinggemma") => &GEMMA,
        _ if name.starts_with("qwen3-embedding") => &QWEN,
        _ if has("e5") && !instructed => &E5,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_by_model() {
        #[track_caller]
        fn check(model: &str, expected: Option<&str>) {
            assert_eq!(prefixes(model).map(|prefixes| prefixes.tag), expected, "{model}");
        }
        check("nomic-embed-text", Some("nomic"));
        check("nomic-ai/nomic-embed-text-v1.5", Some("nomic"));
        check("nomic-embed-text:v1.5", Some("nomic"));
        check("mxbai-embed-large:latest", Some("mxbai"));
        check("mixedbread-ai/mxbai-embed-large-v1", Some("mxbai"));
        check("BAAI/bge-large-en-v1.5", Some("bge"));
        check("bge-small-en", Some("bge"));
        check("bge-large-zh-v1.5", None);
        check("bge-m3", None);
        check("intfloat/multilingual-e5-large", Some("e5"));
        check("e5-base-v2", Some("e5"));
        check("multilingual-e5-large-instruct", None);
        check("e5-mistral-7b-instruct", None);
        check("qwen3-embedding:0.6b", Some("qwen"));
        check("embeddinggemma", Some("gemma"));
        check("all-minilm", None);
        check("text-embedding-3-small", None);
        check("google/gemini-embedding-001", None);
        assert_eq!(NOMIC.of(Role::Query), "search_query: ");
        assert_eq!(NOMIC.of(Role::Document), "search_document: ");
        assert_eq!(MXBAI.of(Role::Document), "");
    }
}
