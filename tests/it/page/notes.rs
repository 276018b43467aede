//! Searching and reading: a hit opens at its sentence, a note with all that is known of it, its past.

use super::{Visitor, main_of};
use crate::{env::TestEnv, gateway::until};

fn harbour() -> TestEnv {
    let env = TestEnv::with(&[
        (
            "harbour/ferry.md",
            "---\ntags: [boats]\n---\n# The ferry\n\nThe ferry leaves at dawn. It carries forty cars, \
             and the captain is called Ines.\n\n## Tickets\n\nTickets are sold at the [pier](pier.md).\n\n## Prices\n\nTwo crowns.\n",
        ),
        ("harbour/pier.md", "# The pier\n\nThe pier was built in 1931.\n\n- See [[ferry]]\n"),
        ("cars.md", "# Cars\n\nForty cars wait for the boat at sunrise.\n"),
    ]);
    env.commit("First notes");
    env
}

#[test]
fn a_hit_opens_at_its_sentence() {
    let env = harbour();
    let visitor = Visitor::open(&env);
    let found = visitor.json("search.json?q=when+does+the+ferry+leave");
    let place = &found["files"][0]["places"][0];
    assert_eq!(found["files"][0]["path"], "harbour/ferry.md");
    assert!(!found["said"].as_str().unwrap().is_empty());
    let opened = visitor.follow(place["address"].as_str().unwrap());
    assert_eq!(opened.status, 200);
    let marked = opened.body.split("<mark id=\"mark\">").nth(1).unwrap();
    assert!(marked.starts_with("The ferry leaves at dawn."), "{marked}");
    // The same as HTML, with the score taken apart, and the filters that were set.
    let html = visitor.html("search?q=ferry&path=harbour/**&kind=note");
    let main = main_of(&html);
    assert!(main.contains("harbour/ferry.md") && !main.contains("cars.md"));
    assert!(main.contains("cosine") && main.contains("value=\"harbour/**\""));
    let nothing = visitor.html("search?q=zyxwv&mode=keyword");
    assert!(nothing.contains("Nothing was found"), "{nothing}");
    assert!(visitor.html("search").contains("Give a few words"));
}

#[test]
fn a_note_with_all_that_is_known_of_it() {
    let env = harbour();
    env.git(&["config", "user.name", "Ada"]);
    env.write("harbour/pier.md", "# The pier\n\nThe pier was built in 1932.\n\n- See [[ferry]]\n");
    env.commit("The pier is younger");
    let visitor = Visitor::open(&env);
    let html = visitor.html("note/harbour/ferry.md");
    let main = main_of(&html);
    for wanted in
        ["<h1>The ferry</h1>", "Links to it", "Outline", "First notes", "boats", "committed"]
    {
        assert!(main.contains(wanted), "{wanted}: {main}");
    }
    // What links to it is opened at the line that does.
    let twin = visitor.json("note/harbour/ferry.md.json");
    assert_eq!(twin["backlinks"][0]["path"], "harbour/pier.md");
    assert_eq!(
        (&twin["backlinks"][0]["line"], &twin["links"][0]["path"]),
        (&5.into(), &"harbour/pier.md".into())
    );
    assert_eq!(twin["outline"][1]["text"], "Tickets");
    let alike: Vec<_> =
        twin["alike"].as_array().unwrap().iter().map(|it| it["path"].as_str().unwrap()).collect();
    assert!(alike.contains(&"cars.md"), "{alike:?}");
    let text = visitor.page("note/harbour/ferry.md.md");
    assert_eq!(text.header("content-type"), Some("text/markdown; charset=utf-8"));
    assert_eq!(text.body.into_bytes(), env.read("harbour/ferry.md"));
    // A link in it leads to the page of the note.
    let place = visitor.gate.below(&visitor.name);
    assert!(main.contains(&format!("href=\"{place}/note/harbour/pier.md\"")), "{main}");
}

#[test]
fn the_past_of_a_note() {
    let env = harbour();
    env.write("harbour/pier.md", "# The pier\n\nThe pier was built in 1932.\n");
    env.commit("The pier is younger");
    let visitor = Visitor::open(&env);
    let twin = visitor.json("note/harbour/pier.md.json");
    let commits = twin["commits"].as_array().unwrap();
    assert_eq!(commits.len(), 2);
    let oldest = commits[1]["commit"].as_str().unwrap();
    let now = visitor.html("note/harbour/pier.md");
    assert!(now.contains("in 1932") && now.contains(&format!("?at={}", &oldest[..7])), "{now}");
    let then = visitor.html(&format!("note/harbour/pier.md?at={oldest}"));
    let main = main_of(&then);
    assert!(main.contains("in 1931") && !main.contains("in 1932") && main.contains("As of commit"));
    assert!(main.contains("Newer, ") && main.contains("The first version"), "{main}");
    assert!(visitor.html("note/harbour/pier.md?at=HEAD~1").contains("in 1931"));
    let lines = visitor.json("lines/harbour/pier.md.json");
    assert_eq!(lines[2]["text"], "The pier was built in 1932.");
    assert_eq!(lines[2]["subject"], "The pier is younger");
    assert_eq!(lines[0]["subject"], "First notes");
    assert!(visitor.html("lines/harbour/pier.md").contains("The pier was built in 1932."));
    assert!(visitor.html("history/harbour/pier.md").contains("The pier is younger"));
    // What is gone is still to be read as it was.
    env.git(&["rm", "--quiet", "cars.md"]);
    env.commit("No cars");
    until("the note is gone", || visitor.page("note/cars.md").status == 404);
    let gone = visitor.page("note/cars.md").body;
    assert!(gone.contains("?at=") && gone.contains("~1"), "{gone}");
    assert!(visitor.html("note/cars.md?at=HEAD~1").contains("Forty cars"));
}

#[test]
fn lists_follow_what_changes() {
    let env = harbour();
    let visitor = Visitor::open(&env);
    let first = visitor.json("index.json");
    assert_eq!(
        (&first["notes"], visitor.html("notes?folder=harbour").contains("pier.md")),
        (&3.into(), true)
    );
    env.write("harbour/lighthouse.md", "# The lighthouse\n\nIt blinks.\n");
    until("the new note is listed", || {
        visitor.html("notes?folder=harbour").contains("lighthouse.md")
    });
    assert!(visitor.json("index.json")["number"].as_u64() > first["number"].as_u64());
    until("and found", || {
        visitor.json("search.json?q=lighthouse&live=1")["files"][0]["path"]
            == "harbour/lighthouse.md"
    });
    assert!(visitor.html("note/harbour/lighthouse.md").contains("uncommitted"));
    env.write("harbour/ferry.md", "# The ferry\n\nIt sank.\n");
    assert!(visitor.html("note/harbour/ferry.md").contains("It sank."));
}

#[test]
fn long_lists_have_pages() {
    let env = TestEnv::new();
    for number in 0..230 {
        env.write(format!("n/{number:03}.md"), format!("# Note {number}\n\nSee [x](000.md).\n"));
    }
    let visitor = Visitor::open(&env);
    let first = visitor.json("notes.json?folder=n");
    assert_eq!((first["notes"].as_array().unwrap().len(), &first["total"]), (100, &230.into()));
    assert!(visitor.html("notes?folder=n&page=3").contains("n/229.md"));
    assert!(visitor.html("notes?folder=n").contains("Page 1 of 3"));
    assert!(visitor.html("note/n/000.md").contains("The first 100 of 229"));
    let empty = visitor.html("notes?folder=n&page=99");
    assert!(empty.contains("Page 3 of 3") && !empty.contains("n/229.md"));
}
