//! Notes in several languages side by side, and questions in each of them.

use crate::env::{TestEnv, snapshot};

const NOTES: &[(&str, &str)] = &[
    (
        "docs/bienen.md",
        "# Pflege\n\nIm Frühling sieht der Imker nach, ob die Völker den Winter überlebt haben. Er \
         füttert sie mit Zuckerwasser und tauscht alte Waben gegen neue.\n",
    ),
    (
        "docs/markt.md",
        "# Ordnung\n\nWer verdorbene Ware verkauft, verliert seinen Platz für ein Jahr, und die \
         Waage prüft der Meister.\n",
    ),
    (
        "docs/passeur.md",
        "# Traversée\n\nLe passeur faisait traverser les voyageurs tant que les eaux n'étaient pas \
         trop hautes, et l'on payait deux sous.\n",
    ),
    (
        "docs/ovejas.md",
        "# Rebaño\n\nEn otoño los pastores llevan sus ovejas al valle. No se esquila a los animales \
         hasta junio, cuando las noches son más templadas.\n",
    ),
    (
        "docs/war.md",
        "# War\n\nThe war of the markets was over when the traders had agreed on their fees.\n",
    ),
];

fn found(env: &TestEnv, question: &str) -> Vec<String> {
    env.hits(&["--mode", "keyword", question])
}

#[test]
fn each_note_is_stemmed_in_its_language() {
    let env = TestEnv::with(NOTES);
    for (question, note) in [
        // Of each question one word alone is in the notes, in another form.
        ("Was braucht ein Volk?", "docs/bienen.md"),
        ("Womit überleben sie?", "docs/bienen.md"),
        ("Welche Strafe gibt es bei verdorbener?", "docs/markt.md"),
        ("Est-ce que tu traverses avec lui ?", "docs/passeur.md"),
        ("¿Cuándo se esquilan?", "docs/ovejas.md"),
        ("what did a trader want", "docs/war.md"),
    ] {
        assert_eq!(found(&env, question), [note], "{question}");
    }
}

#[test]
fn a_word_alone_is_looked_for_in_each_language() {
    let env = TestEnv::with(NOTES);
    // In English it has no ending; and it is no other word, so nothing is said of it.
    let typed = "Märkten esquilaron";
    snapshot!(env.run(&["search", "--mode", "keyword", "--format", "files", typed]), @"
    exit: 0
    --- stdout
    docs/ovejas.md
    docs/markt.md
    --- stderr
    ");
    // Where no note is in a language, none of its endings is taken off.
    let english = TestEnv::with(&NOTES[4..]);
    assert_eq!(found(&english, "Waren"), [""; 0]);
    assert_eq!(found(&english, "wie ist die war"), ["docs/war.md"]);
}

#[test]
fn an_answer_is_quoted_in_the_language_of_its_question() {
    let env = TestEnv::with(NOTES);
    let answer = env.json(&["search", "--answer", "--json", "Wann überlebt ein Volk den Winter?"]);
    assert_eq!(answer[0]["sufficient"], true, "{answer:?}");
    assert_eq!(answer[0]["citations"][0]["path"], "docs/bienen.md");
    assert!(answer[0]["unsaid"].is_null(), "{answer:?}");
}

#[test]
fn a_translation_comes_after_what_is_in_the_language_of_the_question() {
    let text = "# Kelp\n\nOtters wrap themselves in kelp and sleep there.\n";
    let german = "# Kelp (sleep)\n\nOtter wickeln sich in den Kelp ein, und sie schlafen dort, weil das Wasser \
        sie nicht forttragen kann (sleep, kelp, otters).\n";
    let env = TestEnv::with(&[("docs/a-de.md", german), ("docs/b-en.md", text)]);
    let first = |question: &str| env.hits(&[question]).remove(0);
    assert_eq!(first("how do the otters sleep in the kelp"), "docs/b-en.md");
    assert_eq!(first("wie schlafen die Otter in dem Kelp"), "docs/a-de.md");
    let explained =
        env.run(&["search", "--explain", "how do the otters sleep in the kelp"]).stdout();
    assert_eq!(explained.matches(" + kind of note -0.").count(), 1, "{explained}");
}

/// Of two versions of one thing the one that was asked for answers, and the other contradicts nothing.
#[test]
fn another_version_is_no_answer() {
    let text = "# Releases\n\nVersion 3.2 was released on May 4, 2024.\n\n\
        Version 3.1 was released on May 2, 2023.\n";
    let env = TestEnv::with(&[("n.md", text)]);
    let answered = |question: &str| env.run(&["search", "--answer", question]);
    let newer = answered("when was version 3.2 released").stdout();
    assert!(newer.starts_with("Version 3.2 was released on May 4, 2024. [1]\n\n[1]"), "{newer}");
    let older = answered("when was version 3.1 released").stdout();
    assert!(older.starts_with("Version 3.1 was released on May 2, 2023. [1]\n\n[1]"), "{older}");
    assert_eq!(answered("when was version 2.9 released").code, Some(1));
}

/// A misspelt word is what it is taken for to the model and to the answer, too; a name is none.
#[test]
fn what_is_misspelt_is_answered() {
    let env = TestEnv::with(&[
        ("sleep.md", "# Kelp\n\nOtters sleep wrapped in kelp.\n"),
        ("quorum.md", "# Queues\n\nA quorum queue keeps three replicas of each message.\n"),
        ("sample.md", "# Sampling\n\nA sample is taken each minute.\n"),
    ]);
    let asked = "how many replicas does a qourum queue keep";
    let answer = env.run(&["search", "--answer", asked]);
    assert!(
        answer.stdout().starts_with("A quorum queue keeps three replicas of each message. [1]\n"),
        "{answer}"
    );
    assert!(answer.stderr().contains("`qourum` occurs nowhere; looked for quorum"), "{answer}");
    let named = env.run(&["search", "--answer", "how often is a SMAPLE taken"]);
    assert_eq!(named.code, Some(1), "{named}");
}

/// A question that is a name tells no language: the page of that name in the language of the settings comes first,
/// and stands for its translations where both say nearly the same.
#[test]
fn a_name_finds_the_page_in_the_own_language_first() {
    let calls = "obsidian://open?vault=harbour&file=tide obsidian://new?vault=harbour&name=tide \
                 obsidian://search?vault=harbour&query=tide obsidian://daily?vault=harbour";
    let page = |says: &str, calls: &str| format!("# Obsidian URI\n\n{says}\n\n{calls}\n");
    let english =
        "With an address of this scheme other programs open the vault and write notes in it";
    let chinese = "其他程序可以使用这种地址打开仓库并写入笔记";
    for (calls, similar) in [("", 0), (calls, 1)] {
        let env = TestEnv::with(&[
            ("en/extending/obsidian-uri.md", &page(english, &calls.repeat(3))),
            ("zh/uri.md", &page(&chinese.repeat(9), &calls.repeat(3))),
        ]);
        let hits = env.json(&["search", "--json", "Obsidian URI"]);
        assert_eq!(hits[0]["path"], "en/extending/obsidian-uri.md", "{hits:?}");
        assert_eq!(hits[0]["similar"].as_u64().unwrap_or(0), similar, "{hits:?}");
    }
    // A page with few words tells its language by its folder.
    let env = TestEnv::with(&[
        ("docs/en/extending/obsidian-uri.md", &page(english, calls)),
        ("docs/pl/uri.md", &page("Otwiera", "obsidian://open")),
        (
            "docs/en/vaults.md",
            "# Vaults\n\nA vault of Obsidian is a folder with notes, each of them a file that any program \
             reads, so that nothing is lost when a program is no longer there.\n",
        ),
    ]);
    assert_eq!(env.hits(&["Obsidian URI"])[0], "docs/en/extending/obsidian-uri.md");
}
