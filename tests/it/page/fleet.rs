//! A fleet of repositories: a page that asks it, where the gateway was told of one.

use super::{Visitor, main_of};
use crate::{
    env::{TestEnv, finish},
    gateway::Gate,
};

fn published(path: &str, text: &str, name: &str, address: &str) -> TestEnv {
    let env = TestEnv::with(&[(path, text)]).builtin();
    env.write_attributes();
    env.index(&[]);
    env.commit("first");
    env.ok(&["publish", address, "--as", name]);
    env
}

#[test]
fn a_fleet_has_a_page_where_the_gateway_knows_of_one() {
    let own = TestEnv::with(&[("own.md", "# Own\n\nNothing of the sea.\n")]).builtin();
    let address = format!("file://{}/kb", own.outside().display());
    let otters = "# Otters\n\n## Sleep\n\nSea otters hold hands when they sleep <b>at night</b>.\n";
    let sea = published("docs/otters.md", otters, "acme/sea", &address);
    let badgers = "# Badgers\n\nBadgers sleep in their setts.\n";
    published("docs/badgers.md", badgers, "other/land", &address);
    own.ok(&["publish", "--fold", &address]);
    let commit = sea.git(&["rev-parse", "HEAD"]).trim().to_owned();

    let visitor = Visitor::of(Gate::with(&own, &["--port", "0", "--in", &address]));
    let listed = visitor.json("fleet.json");
    let names: Vec<&str> = listed["repositories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["repository"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["acme/sea", "other/land"]);
    let html = visitor.html("fleet");
    assert!(main_of(&html).contains("2 repositories"), "{html}");
    assert!(html.contains(">Fleet</a>"), "{html}");

    let found = visitor.json("fleet.json?q=how+do+otters+sleep");
    let first = &found["hits"][0];
    assert_eq!((&first["repository"], &first["commit"]), (&"acme/sea".into(), &commit.into()));
    let html = visitor.html("fleet?q=how+do+otters+sleep");
    let main = main_of(&html);
    assert!(main.contains("acme/sea") && main.contains("docs/otters.md"), "{main}");
    assert!(!main.contains("<b>at night"), "{main}");

    let narrowed = visitor.json("fleet.json?q=sleep&repository=land");
    let of = |found: &serde_json::Value| -> Vec<String> {
        let hits = found["hits"].as_array().unwrap().iter();
        hits.map(|hit| hit["repository"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(of(&narrowed), ["other/land"]);
    assert_eq!(of(&visitor.json("fleet.json?q=sleep&path=docs/otters.md")), ["acme/sea"]);
    let refused = visitor.page("fleet.json?q=sleep&repository=elsewhere");
    assert_eq!(refused.status, 404, "{}", refused.body);
    // Away for longer than a view is taken for new: what is known is told, and that it may be old.
    let kb = own.outside().join("kb");
    std::fs::rename(&kb, own.outside().join("moved")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5_500));
    let listed = visitor.json("fleet.json");
    assert_eq!(listed["repositories"].as_array().unwrap().len(), 2, "{listed}");
    assert!(listed["said"][0].as_str().unwrap().contains("of an older state"), "{listed}");
    assert!(main_of(&visitor.html("fleet")).contains("of an older state"));
    drop(visitor);

    // The store is gone: what it is about is said, and everything else goes on.
    let visitor = Visitor::of(Gate::with(&own, &["--port", "0", "--in", "file:///nowhere/kb"]));
    assert!(visitor.page("fleet?q=sleep").status >= 400);
    assert_eq!(visitor.page("search?q=sea").status, 200);
    let said = visitor.gate.end();
    assert!(said.contains("the fleet of `file:///nowhere/kb` does not answer yet"), "{said}");

    let visitor = Visitor::open(&own);
    let refused = visitor.page("fleet");
    assert_eq!(refused.status, 404);
    assert!(refused.body.contains("gateway --in URL"), "{}", refused.body);
    assert!(!visitor.html("search").contains(">Fleet</a>"));
    let wrong = finish(&mut own.command(&["gateway", "--port", "0", "--in", "nowhere"]));
    assert_eq!(wrong.code, Some(2), "{wrong}");
}
