//! Channels, whole: the real program, a model that follows a script, and platforms on this machine with the
//! rules of the real ones.

mod kills;
mod leaving;
mod pictures;
mod slack;
mod strangers;
mod telegram;

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command, Stdio},
};

use elophanto_channels::fake::telegram::{Sent, TOKEN, Telegram};
use serde_json::Value;

use crate::{
    env::{Output, TestEnv, finish},
    fake::script::Model,
    gateway::until,
};

/// Numbers of accounts: one who is let in, and two who are not.
const ADA: i64 = 11;
const EVE: i64 = 66;
const MALLORY: i64 = 67;

/// A repository whose user has a scripted model and a bot at a Telegram of this machine.
struct Harbour {
    env: TestEnv,
    model: Model,
    telegram: Telegram,
}

impl Harbour {
    fn new(model: Model) -> Self {
        Self::with(model, "")
    }

    /// With more settings.
    fn with(model: Model, more: &str) -> Self {
        let env = TestEnv::with(&[("README.md", "# Otters\n\nThey swim.\n")]);
        let telegram = Telegram::start(0);
        let own = format!("gateway.telegram_url: \"{}\"\n", telegram.url);
        env.write_settings(&format!("{}{own}{more}", model.settings()));
        env.commit("First");
        let harbour = Self { env, model, telegram };
        assert_eq!(harbour.run(&["channel", "add", "telegram"]).code, Some(0));
        harbour
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(args);
        // Programs of the system first: those below a home folder are not to be had in the sandbox.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("/usr/bin:/bin:{path}")).env("TELEGRAM_BOT_TOKEN", TOKEN);
        command
    }

    fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(args))
    }

    fn gate(&self) -> Gate {
        let mut command = self.command(&["gateway", "--json", "--port", "0"]);
        Gate::start(command.stdout(Stdio::piped()).stderr(Stdio::piped()))
    }

    /// Somebody writes, and the user lets them in.
    fn let_in(&self, id: i64, more: &[&str]) {
        self.telegram.say(id, "Hello?");
        let code = self.wait(id, |sent| sent.text.contains("channel pair")).text;
        let code = code.rsplit(' ').next().unwrap().to_owned();
        let paired = self.run(&[&["channel", "pair", &code], more].concat());
        assert_eq!(paired.code, Some(0), "{paired}");
        self.wait(id, |sent| sent.text.contains("You are in"));
    }

    /// Waits for a message of the bot in a private conversation.
    #[track_caller]
    fn wait(&self, chat: i64, is_it: impl Fn(&Sent) -> bool) -> Sent {
        let mut found = None;
        let find =
            || self.telegram.sent().into_iter().find(|sent| sent.chat == chat && is_it(sent));
        let begun = std::time::Instant::now();
        while found.is_none() {
            assert!(begun.elapsed().as_secs() < 60, "not said: {:#?}", self.telegram.sent());
            std::thread::sleep(std::time::Duration::from_millis(20));
            found = find();
        }
        found.unwrap()
    }

    /// Waits until a message of the bot says this.
    #[track_caller]
    fn hear(&self, chat: i64, text: &str) -> Sent {
        self.wait(chat, |sent| sent.text.contains(text))
    }

    /// Waits until everything that was said is acknowledged.
    fn settle(&self) {
        until("all is read", || self.telegram.waiting() == 0);
    }

    /// How many messages of the bot say this.
    fn count(&self, chat: i64, text: &str) -> usize {
        self.telegram.texts(chat).iter().filter(|it| it.contains(text)).count()
    }

    fn listed(&self) -> Value {
        self.run(&["channel", "list", "--json"]).json().remove(0)
    }
}

/// A gateway at work.
struct Gate {
    child: Child,
    words: Option<std::thread::JoinHandle<String>>,
}

impl Gate {
    fn start(command: &mut Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let words = std::thread::spawn(move || {
            let mut words = line;
            let _ = stdout.read_to_string(&mut words);
            let _ = stderr.read_to_string(&mut words);
            words
        });
        Self { child, words: Some(words) }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it in order; all that it said.
    fn end(mut self) -> String {
        // SAFETY: only sends a signal, to a child that has not been waited for.
        unsafe { libc::kill(self.child.id().cast_signed(), libc::SIGTERM) };
        until("it ends", || self.child.try_wait().unwrap().is_some());
        self.words.take().unwrap().join().unwrap()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
