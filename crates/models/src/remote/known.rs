//! What is publicly known of common models.
//!
//! Texts are cut by these maxima, so changing one changes vectors of long texts: give the model a
//! new tag in its fingerprint then.

/// A model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Known {
    pub name: &'static str,
    /// Components of a vector if not asked for fewer.
    pub dimension: usize,
    /// Most tokens of one text.
    pub max_tokens: usize,
    /// US dollars per million tokens where the maker sells it; local models and those sold by many
    /// have no one price.
    pub price: Option<f64>,
}

const fn row(name: &'static str, dimension: usize, max_tokens: usize, price: Option<f64>) -> Known {
    Known { name, dimension, max_tokens, price }
}

const MODELS: &[Known] = &[
    row("gemini-embedding-001", 3072, 2048, Some(0.15)),
    row("text-embedding-3-small", 1536, 8191, Some(0.02)),
    row("text-embedding-3-large", 3072, 8191, Some(0.13)),
    row("text-embedding-ada-002", 1536, 8191, Some(0.10)),
    row("mistral-embed", 1024, 8192, Some(0.10)),
    row("nomic-embed-text", 768, 2048, None),
    row("nomic-embed-text-v1.5", 768, 8192, None),
    row("mxbai-embed-large", 1024, 512, None),
    row("mxbai-embed-large-v1", 1024, 512, None),
    row("all-minilm", 384, 256, None),
    row("all-minilm-l6-v2", 384, 256, None),
    row("bge-m3", 1024, 8192, None),
    row("bge-small-en-v1.5", 384, 512, None),
    row("bge-base-en-v1.5", 768, 512, None),
    row("bge-large-en-v1.5", 1024, 512, None),
    row("multilingual-e5-large", 1024, 512, None),
    row("embeddinggemma", 768, 2048, None),
    row("qwen3-embedding-0.6b", 1024, 32768, None),
    row("qwen3-embedding-4b", 2560, 32768, None),
    row("qwen3-embedding-8b", 4096, 32768, None),
];

/// What is known of `model`, whoever serves it: `google/gemini-embedding-001` is the same model, and
/// Ollama's `qwen3-embedding:4b` is `qwen3-embedding-4b`.
pub fn known(model: &str) -> Option<&'static Known> {
    let name = plain(model);
    MODELS.iter().find(|known| known.name == name)
}

/// The name without its maker, in lower case, the tag joined by a hyphen if it says more than
/// "latest".
pub(super) fn plain(model: &str) -> String {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    match name.split_once(':') {
        Some((name, "latest" | "free")) => name.to_owned(),
        Some((name, tag)) => format!("{name}-{tag}"),
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_by_their_names() {
        #[track_caller]
        fn check(model: &str, expected: Option<(usize, Option<f64>)>) {
            assert_eq!(known(model).map(|known| (known.dimension, known.price)), expected);
        }
        check("google/gemini-embedding-001", Some((3072, Some(0.15))));
        check("openai/text-embedding-3-small", Some((1536, Some(0.02))));
        check("text-embedding-3-large", Some((3072, Some(0.13))));
        check("text-embedding-ada-002", Some((1536, Some(0.10))));
        check("nomic-embed-text:latest", Some((768, None)));
        check("nomic-ai/nomic-embed-text-v1.5", Some((768, None)));
        check("mxbai-embed-large", Some((1024, None)));
        check("all-minilm", Some((384, None)));
        check("BAAI/bge-m3", Some((1024, None)));
        check("Qwen/Qwen3-Embedding-8B", Some((4096, None)));
        check("qwen3-embedding:0.6b", Some((1024, None)));
        check("text-embedding-3", None);
        check("", None);
    }
}
