//! The terminal of a gateway as a stage, and what is there alone.

use std::{
    io::Write,
    process::ChildStdin,
    sync::{Arc, Mutex, MutexGuard},
};

use elophanto_channels::Sign;
use serde_json::Value;

use super::{
    ADA,
    stage::{Harbour, Hearer, Shown, Stage},
};
use crate::{
    fake::script::{Model, text},
    gateway::until,
};

/// The terminals of gateways, one after the other.
#[derive(Default)]
struct Terminals {
    input: Option<ChildStdin>,
    /// What is typed while there is none.
    backlog: Vec<String>,
    /// What each has written.
    written: Vec<Vec<u8>>,
}

#[derive(Default)]
pub struct AtTerminal(Arc<Mutex<Terminals>>);

impl AtTerminal {
    fn terminals(&self) -> MutexGuard<'_, Terminals> {
        self.0.lock().unwrap()
    }

    fn type_line(&self, line: &str) {
        let mut terminals = self.terminals();
        let Terminals { input, backlog, .. } = &mut *terminals;
        let typed = input.as_mut().map(|input| writeln!(input, "{line}"));
        if !matches!(typed, Some(Ok(()))) {
            *input = None;
            backlog.push(line.to_owned());
        }
    }

    /// Says something about a message of the terminal that is there.
    fn point(&self, who: i64, message: &Shown, what: &str) {
        let last = self.terminals().written.len().to_string();
        if let Some((terminal, number)) = message.id.split_once('.')
            && who == ADA
            && terminal == last
        {
            self.type_line(&format!("{number}{what}"));
        }
    }
}

impl Stage for AtTerminal {
    const NAME: &'static str = "cli";
    const TOKEN: (&'static str, &'static str) = ("NO_TOKEN", "there-is-none");
    const IS_ELSEWHERE: bool = false;
    const HOW: &'static str = "--chat";

    fn start() -> Self {
        Self::default()
    }

    fn url(&self) -> &str {
        ""
    }

    fn number(who: i64) -> String {
        who.to_string()
    }

    fn alone(who: i64) -> String {
        who.to_string()
    }

    fn say(&self, _: i64, text: &str) {
        self.type_line(text);
    }

    fn sent(&self) -> Vec<Shown> {
        let mut all: Vec<Shown> = Vec::new();
        for (terminal, written) in self.terminals().written.iter().enumerate() {
            for line in String::from_utf8_lossy(written).lines() {
                let begun = line.strip_prefix('#').and_then(|line| line.split_once(' '));
                let begun = begun.filter(|(number, _)| number.parse::<u64>().is_ok());
                if let Some((number, text)) = begun {
                    all.push(Shown {
                        chat: ADA.to_string(),
                        id: format!("{}.{number}", terminal + 1),
                        text: text.to_owned(),
                        buttons: Vec::new(),
                        is_loud: false,
                    });
                } else if let Some(shown) = all.last_mut() {
                    let line = match line.strip_prefix("│ ") {
                        None if !line.is_empty() => {
                            shown.buttons = line.split("   ").map(str::to_owned).collect();
                            continue;
                        }
                        line => line.unwrap_or_default(),
                    };
                    shown.text.push_str(&format!("\n{line}"));
                }
            }
        }
        all
    }

    fn files(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    fn press(&self, who: i64, message: &Shown, label: &str) {
        let button = message.buttons.iter().find(|it| it.ends_with(label)).unwrap();
        let key: String = button.chars().filter(char::is_ascii_lowercase).take(1).collect();
        self.point(who, message, &key);
    }

    fn react(&self, who: i64, message: &Shown, sign: Sign) {
        let sign = match sign {
            Sign::For => "+",
            Sign::Against => "-",
            Sign::Yes => "✅",
            Sign::No => "❌",
        };
        self.point(who, message, sign);
    }

    fn limit(&self, _: usize) {}

    fn revoke(&self) {}

    fn down(&self, _: bool) {}

    fn drop_every(&self, _: usize) {}

    /// What is typed last is answered when all before it was taken.
    fn settle(&self, _: &dyn Fn() -> Value) {
        let last = uuid::Uuid::new_v4().to_string();
        self.type_line(&format!("/unlike {last}"));
        until("all is read", || self.sent().iter().any(|sent| sent.text.contains(&last)));
    }

    fn hears(&self) -> Hearer {
        let all = Arc::clone(&self.0);
        all.lock().unwrap().written.push(Vec::new());
        Box::new(move |more| {
            all.lock().unwrap().written.last_mut().unwrap().extend_from_slice(more);
        })
    }

    fn begun(&self, input: ChildStdin) {
        let backlog = {
            let mut terminals = self.terminals();
            terminals.input = Some(input);
            std::mem::take(&mut terminals.backlog)
        };
        backlog.iter().for_each(|line| self.type_line(line));
    }
}

/// The conversation is that of the user's other programs; the gateway goes on when nothing more is typed.
#[test]
fn is_the_users_own() {
    let harbour = Harbour::<AtTerminal>::new(Model::script(vec![text("Sea otters hold hands.")]));
    let gate = harbour.gate();
    harbour.platform.say(ADA, "What do sea otters do?");
    harbour.see_text(ADA, "hold hands");
    harbour.settle();
    let said = harbour.env.run_with(&["agent", "chat"], b"/sessions\n");
    assert!(said.stdout().contains("What do sea otters do?"), "{said}");
    harbour.platform.terminals().input = None;
    std::thread::sleep(std::time::Duration::from_secs(2));
    let status = harbour.run(&["gateway", "status"]);
    assert_eq!(status.code, Some(0), "{status}");
    let words = gate.end();
    assert!(words.contains("nothing more is typed here"), "{words}");
    let refused = harbour.run(&["gateway", "--chat", "--ensure"]);
    assert_eq!(refused.code, Some(2), "{refused}");
}
