//! Channels, whole: the real program, a model that follows a script, and platforms on this machine with the
//! rules of the real ones.

mod day;
mod discord;
mod kills;
mod leaving;
mod pictures;
mod scenes;
mod slack;
mod stage;
mod strangers;
mod telegram;
mod terminal;

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Command},
    time::{Duration, Instant},
};

use elophanto_channels::fake::telegram::{Sent, Telegram};

use crate::{
    fake::script::{Model, text, words},
    gateway::until,
};

/// Numbers of accounts: one who is let in, and two who are not.
const ADA: i64 = 11;
const EVE: i64 = 66;
const MALLORY: i64 = 67;

/// At Telegram.
type Harbour = stage::Harbour<Telegram>;

impl Harbour {
    /// Waits for a message of the bot in a conversation.
    #[track_caller]
    fn wait(&self, chat: i64, is_it: impl Fn(&Sent) -> bool) -> Sent {
        let begun = Instant::now();
        loop {
            let sent = self.platform.sent();
            if let Some(found) = sent.iter().find(|sent| sent.chat == chat && is_it(sent)) {
                return found.clone();
            }
            assert!(begun.elapsed().as_secs() < 60, "not said: {sent:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a message of the bot says this.
    #[track_caller]
    fn hear(&self, chat: i64, text: &str) -> Sent {
        self.wait(chat, |sent| sent.text.contains(text))
    }

    /// How many messages of the bot say this.
    fn count(&self, chat: i64, text: &str) -> usize {
        self.platform.texts(chat).iter().filter(|it| it.contains(text)).count()
    }
}

/// Answers what was asked last.
fn echo() -> Model {
    Model::start(serde_json::json!({}), |seen, _| {
        let said = words(&seen.body);
        let last = said.rsplit("question ").next().unwrap_or_default();
        let number: String = last.chars().take_while(char::is_ascii_alphanumeric).collect();
        text(&format!("Answer {number}."))
    })
}

/// A gateway at work.
struct Gate {
    child: Child,
    words: Option<std::thread::JoinHandle<String>>,
}

impl Gate {
    /// `hear` is told what it says on standard output behind the first line.
    fn start(command: &mut Command, mut hear: impl FnMut(&[u8]) + Send + 'static) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let words = std::thread::spawn(move || {
            let mut words = line.into_bytes();
            while let Ok(more @ [_, ..]) = stdout.fill_buf() {
                hear(more);
                words.extend_from_slice(more);
                let read = more.len();
                stdout.consume(read);
            }
            let _ = stderr.read_to_end(&mut words);
            String::from_utf8_lossy(&words).into_owned()
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
