//! What the pages of `init` ask for is not told to an agent as if it were known.

use super::Bench;
use crate::fake::script::{Model, text};

#[test]
fn an_agent_is_told_what_is_written_and_not_what_a_template_asks_for() {
    let bench = Bench::new(Model::script(vec![text("Otters swim.")]));
    bench.env.ok(&["init", "--yes"]);
    let path = "knowledge/system/identity.md";
    let page = String::from_utf8(bench.env.read(path)).unwrap();
    let asked = page.lines().find(|line| line.starts_with("One paragraph: which")).unwrap();
    bench.env.write(path, page.replace(asked, "A ferry for otters that dislike wet fur."));
    bench.env.commit("Written");
    bench
        .run("Name the users, and what is in the architecture and conventions", &[], "once")
        .done();
    let told = bench.model.prompts().join("\n");
    assert!(told.contains("A ferry for otters that dislike wet fur."), "{told}");
    for asked in [
        "Name the users and what each of them comes for",
        "Rules that settle arguments",
        "Three to five sentences",
        "Formatter and linter",
        "Writes the monthly report",
        "What does not work, works only sometimes",
    ] {
        assert!(!told.contains(asked), "{asked}: {told}");
    }
}
