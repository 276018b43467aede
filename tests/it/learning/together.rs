//! Several at once, and some that are killed.

use std::{
    collections::BTreeSet,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::*;

/// Every fact that is a line of a page, without its comment.
fn fact_lines(env: &TestEnv) -> Vec<String> {
    let lines = pages(env).into_iter().flat_map(|(_, bytes)| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    lines.filter_map(|line| Some(line.split_once(" <!-- f:")?.0.to_owned())).collect()
}

fn assert_once(env: &TestEnv) {
    // A fact has a line for each of its sources, and only a few of them.
    let said: Vec<(String, String)> = pages(env)
        .into_iter()
        .flat_map(|(_, bytes)| {
            let text = String::from_utf8(bytes).unwrap();
            let facts = text.lines().filter_map(|line| line.split_once(" <!-- f:"));
            let source = |comment: &str| {
                let mut words = comment.split(' ');
                words.find(|word| word.starts_with("src:")).unwrap_or_default().to_owned()
            };
            facts.map(|(text, comment)| (text.to_owned(), source(comment))).collect::<Vec<_>>()
        })
        .collect();
    let once: BTreeSet<&(String, String)> = said.iter().collect();
    assert_eq!(said.len(), once.len(), "{said:?}");
    for (text, _) in &said {
        assert!(said.iter().filter(|(other, _)| other == text).count() <= 5, "{said:?}");
    }
    // Every one is on record, and every page is whole.
    let known = records(env, "fact");
    let known: BTreeSet<&str> = known.iter().map(|it| it["id"].as_str().unwrap()).collect();
    for (name, bytes) in pages(env) {
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.starts_with("---\n") && text.ends_with("-->\n"), "{name}: {text}");
        assert_eq!(text.matches("<!-- t:").count(), 1, "{text}");
        for fact in text.split("<!-- f:").skip(1) {
            assert!(known.contains(&fact[..16]), "{name}: {fact}");
        }
    }
}

#[test]
fn eight_learn_about_the_same() {
    let env = TestEnv::new();
    let mut expected =
        BTreeSet::from(["- The KEF LS50 Meta is a bookshelf speaker made by KEF.".to_owned()]);
    for number in 1..=8 {
        let own = [
            format!("The KEF LS50 Meta was sold in 201{number} to {number} towns in Kent."),
            format!("KEF hired engineer number {number} in 198{number}."),
        ];
        let text = format!(
            "The KEF LS50 Meta is a bookshelf speaker made by KEF.\n\n{}\n",
            own.join("\n\n")
        );
        env.write(format!("m{number}.md"), text);
        expected.extend(own.map(|line| format!("- {line}")));
    }
    let learn = |number| {
        let from = format!("m{number}.md");
        env.spawn(&["learn", "kef ls50", "--from", &from])
    };
    let children: Vec<Child> = (1..=8).map(learn).collect();
    for child in children {
        let output = Output::from(child.wait_with_output().unwrap());
        assert_eq!(output.code, Some(0), "{output}");
    }
    assert_eq!(fact_lines(&env).into_iter().collect::<BTreeSet<_>>(), expected);
    assert_once(&env);
    assert_eq!(entities(&env), ["KEF (8)", "KEF LS50 Meta (9)"]);
    assert_eq!(
        records(&env, "learn_prompt").iter().filter(|it| it["status"] == "completed").count(),
        8
    );
    assert_eq!(env.run(&["enrich", "--once"]).code, Some(0));
}

#[test]
fn what_was_acknowledged_outlives_a_kill() {
    const ROUNDS: usize = 40;
    let env = TestEnv::new();
    let began = Instant::now();
    learn(&env, "zaza foo", "The Zaza Foo is a speaker made in Rome.");
    let whole = began.elapsed();
    let mut acknowledged = Vec::new();
    let mut killed = 0;
    for round in 0..ROUNDS {
        let text = format!(
            "The Zaza Foo was sold in {} units to the town of Place{round}.",
            1_000 + round
        );
        env.write(format!("m{round}.md"), text);
        let mut command = env.command(&["learn", "zaza foo", "--from", &format!("m{round}.md")]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Spread over all steps of a run: what matters is that they fall into different ones.
        thread::sleep(Duration::from_secs_f64(
            whole.as_secs_f64() * 1.2 * (round * 17 % ROUNDS) as f64 / ROUNDS as f64,
        ));
        killed += usize::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        let output = Output::from(child.wait_with_output().unwrap());
        if output.stderr().contains("reading about") {
            acknowledged.push(round);
        }
        // Whatever it left behind stands in nobody's way.
        assert!(matches!(env.run(&["entity", "zaza foo"]).code, Some(0)), "{round}");
    }
    assert!(killed > 0 && !acknowledged.is_empty());
    env.write_settings(
        "enrich.searches_per_hour: 1\nllm.providers.ollama.base_url: http://127.0.0.1:2\n",
    );
    env.ok(&["enrich", "--once"]);
    let facts = facts(&env, "zaza foo");
    for round in acknowledged {
        let place = format!("Place{round}.");
        assert_eq!(facts.iter().filter(|fact| fact.ends_with(&place)).count(), 1, "{place}");
    }
    assert_once(&env);
    assert!(env.files().iter().all(|(path, _)| !path.to_string_lossy().contains(".tmp")));
}
