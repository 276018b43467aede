//! What a repository's own settings may do: nothing that sends text elsewhere, until the user has
//! looked at them.

use super::*;

#[test]
fn another_address() {
    let site = Site::new();
    let env = &site.env;
    let evil = Embeddings::start(DIMENSION);
    env.write(".elophanto/config.yaml", providers(Some(&evil), None));
    env.commit("evil");
    let output = env.ok(&["index"]);
    assert!(output.stderr().contains("not trusted, passed over: llm.providers.o"), "{output}");
    env.ok(&["search", "otters"]);
    env.ok(&["doctor"]);
    assert_eq!(evil.fake.calls().len(), 0);
    assert!(site.server.texts().len() > CHUNKS);

    // It was looked at: from now on it counts.
    env.ok(&["trust", "--yes"]);
    env.write("new.md", "# New\n\nA new note.\n");
    assert_eq!(env.index(&[])["embedded"], 1);
    assert_eq!((site.server.requests(), evil.texts().len()), (0, 1));
}

#[test]
fn another_provider() {
    let site = Site::new();
    let env = &site.env;
    env.write_settings(&providers(Some(&site.server), None));
    for text in [
        "knowledge.embedding_provider: openai\n",
        "knowledge: {embedding_provider: openai, embedding_model: fake, embedding_dimension: 256}\n",
    ] {
        env.write(".elophanto/config.yaml", text);
        let output = env.ok(&["index"]);
        assert!(output.stderr().contains("not trusted"), "{output}");
        assert_eq!(site.server.fake.calls().len(), 0, "{text}");
        assert_eq!(config_of(env.root()), text, "it says who embeds, though not obeyed");
    }
}

#[test]
fn another_model_at_the_users_own_server() {
    let site = Site::indexed();
    let env = &site.env;
    env.write_settings(&providers(Some(&site.server), None).replace(
        "llm:",
        "\
knowledge: {embedding_provider: openai}
llm:",
    ));
    env.write(
        ".elophanto/config.yaml",
        "knowledge: {embedding_model: other, embedding_dimension: 256}\n",
    );
    // A name may be chosen by a repository: it is asked of a server that the user chose.
    env.ok(&["index"]);
    let calls = site.server.take();
    assert!(!calls.is_empty() && calls.iter().all(|call| call.body["model"] == "other"));
}
