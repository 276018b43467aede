//! Platforms as tests see them, whichever it is: what people do there, and what the bot said.

use std::{
    path::PathBuf,
    process::{ChildStdin, Command, Stdio},
    time::{Duration, Instant},
};

use elophanto_channels::{
    Sign,
    fake::{
        discord::{self, Discord},
        slack::{self, Slack},
        telegram::{self, Telegram},
    },
};
use serde_json::{Value, json};

use super::Gate;
use crate::{
    env::{Output, TestEnv, finish},
    fake::script::Model,
    gateway::until,
};

/// A message of the bot.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The conversation.
    pub chat: String,
    pub id: String,
    /// What is seen.
    pub text: String,
    /// Labels of buttons.
    pub buttons: Vec<String>,
    /// Whether links in it are looked at, or people called in.
    pub is_loud: bool,
}

/// What is told bytes of standard output as they come.
pub type Hearer = Box<dyn FnMut(&[u8]) + Send>;

/// A platform on this machine.
pub trait Stage {
    const NAME: &'static str;
    /// The variable of its token, and the token.
    const TOKEN: (&'static str, &'static str);
    /// Whether it lies elsewhere: others write there too, and it goes on while the gateway does not.
    const IS_ELSEWHERE: bool = true;
    /// How the gateway is started.
    const HOW: &'static str = "--json";

    fn start() -> Self;
    fn url(&self) -> &str;
    /// The number of somebody's account, as the platform writes it.
    fn number(who: i64) -> String;
    /// The conversation of somebody with the bot alone.
    fn alone(who: i64) -> String;
    /// Somebody writes to the bot alone.
    fn say(&self, who: i64, text: &str);
    fn sent(&self) -> Vec<Shown>;
    /// Names and texts of files of the bot.
    fn files(&self) -> Vec<(String, String)>;
    fn press(&self, who: i64, message: &Shown, label: &str);
    fn react(&self, who: i64, message: &Shown, sign: Sign);
    /// The next sends are too many.
    fn limit(&self, sends: usize);
    /// Another token is taken from now on.
    fn revoke(&self);
    /// Whether calls end without an answer.
    fn down(&self, is_down: bool);
    /// One in so many calls ends without an answer, by turns before and after it is done; 0: none.
    fn drop_every(&self, calls: usize);
    /// Whether what is said now is heard.
    fn is_heard(&self) -> bool {
        true
    }
    /// Waits until all that happened is done with, as far as `kept` says.
    fn settle(&self, kept: &dyn Fn() -> Value);
    /// What hears standard output of a gateway that begins.
    fn hears(&self) -> Hearer {
        Box::new(|_| {})
    }
    /// A gateway has begun.
    fn begun(&self, _: ChildStdin) {}
}

fn emoji(sign: Sign) -> &'static str {
    match sign {
        Sign::For => "👍",
        Sign::Against => "👎",
        Sign::Yes => "✅",
        Sign::No => "❌",
    }
}

impl Stage for Telegram {
    const NAME: &'static str = "telegram";
    const TOKEN: (&'static str, &'static str) = ("TELEGRAM_BOT_TOKEN", telegram::TOKEN);

    fn start() -> Self {
        Self::start(0)
    }

    fn url(&self) -> &str {
        &self.url
    }

    fn number(who: i64) -> String {
        who.to_string()
    }

    fn alone(who: i64) -> String {
        who.to_string()
    }

    fn say(&self, who: i64, text: &str) {
        Self::say(self, who, text);
    }

    fn sent(&self) -> Vec<Shown> {
        let shown = |sent: telegram::Sent| Shown {
            chat: sent.chat.to_string(),
            id: sent.message.to_string(),
            text: sent.text,
            buttons: sent.buttons.into_iter().flatten().map(|(label, _)| label).collect(),
            is_loud: sent.has_preview,
        };
        Self::sent(self).into_iter().map(shown).collect()
    }

    fn files(&self) -> Vec<(String, String)> {
        Self::sent(self).into_iter().filter_map(|sent| sent.file).collect()
    }

    fn press(&self, who: i64, message: &Shown, label: &str) {
        Self::press(self, who, message.chat.parse().unwrap(), message.id.parse().unwrap(), label);
    }

    fn react(&self, who: i64, message: &Shown, sign: Sign) {
        let (chat, id) = (message.chat.parse().unwrap(), message.id.parse().unwrap());
        Self::react(self, who, chat, id, emoji(sign));
    }

    fn limit(&self, sends: usize) {
        Self::limit(self, sends);
    }

    fn revoke(&self) {
        Self::revoke(self);
    }

    fn down(&self, is_down: bool) {
        Self::down(self, is_down);
    }

    fn drop_every(&self, calls: usize) {
        Self::drop_every(self, calls);
    }

    fn settle(&self, _: &dyn Fn() -> Value) {
        until("all is read", || self.waiting() == 0);
    }
}

impl Stage for Slack {
    const NAME: &'static str = "slack";
    const TOKEN: (&'static str, &'static str) = ("SLACK_TOKENS", "xoxb-harbour xapp-harbour");

    fn start() -> Self {
        Self::start(0)
    }

    fn url(&self) -> &str {
        &self.url
    }

    fn number(who: i64) -> String {
        format!("U{who}")
    }

    fn alone(who: i64) -> String {
        slack::alone(&Self::number(who))
    }

    fn say(&self, who: i64, text: &str) {
        Self::say(self, &Self::number(who), text);
    }

    fn sent(&self) -> Vec<Shown> {
        let shown = |sent: slack::Sent| Shown {
            chat: sent.channel,
            id: sent.ts,
            // Parts stand in the place of the text.
            text: if sent.sections.is_empty() { sent.text } else { sent.sections },
            buttons: sent.buttons.into_iter().map(|(label, _)| label).collect(),
            is_loud: sent.unfurls,
        };
        Self::sent(self).into_iter().map(shown).collect()
    }

    fn files(&self) -> Vec<(String, String)> {
        Self::files(self)
    }

    fn press(&self, who: i64, message: &Shown, label: &str) {
        Self::press(self, &Self::number(who), &message.id, label);
    }

    fn react(&self, who: i64, message: &Shown, sign: Sign) {
        let name = match sign {
            Sign::For => "+1",
            Sign::Against => "-1",
            Sign::Yes => "white_check_mark",
            Sign::No => "x",
        };
        Self::react(self, &Self::number(who), &message.chat, &message.id, name);
    }

    fn limit(&self, sends: usize) {
        Self::limit(self, sends);
    }

    fn revoke(&self) {
        Self::revoke(self);
    }

    fn down(&self, is_down: bool) {
        Self::down(self, is_down);
    }

    fn drop_every(&self, calls: usize) {
        Self::drop_every(self, calls);
    }

    fn settle(&self, _: &dyn Fn() -> Value) {
        until("all is acknowledged", || self.waiting() == 0);
    }
}

impl Stage for Discord {
    const NAME: &'static str = "discord";
    const TOKEN: (&'static str, &'static str) = ("DISCORD_BOT_TOKEN", discord::TOKEN);

    fn start() -> Self {
        Self::start(0)
    }

    fn url(&self) -> &str {
        &self.url
    }

    fn number(who: i64) -> String {
        who.to_string()
    }

    fn alone(who: i64) -> String {
        discord::alone(who.unsigned_abs())
    }

    fn say(&self, who: i64, text: &str) {
        Self::say(self, who.unsigned_abs(), text);
    }

    fn sent(&self) -> Vec<Shown> {
        let shown = |sent: discord::Sent| Shown {
            chat: sent.channel,
            id: sent.id,
            text: sent.text,
            buttons: sent.buttons.into_iter().map(|(label, _)| label).collect(),
            is_loud: sent.has_embeds || sent.calls,
        };
        Self::sent(self).into_iter().map(shown).collect()
    }

    fn files(&self) -> Vec<(String, String)> {
        Self::sent(self).into_iter().filter_map(|sent| sent.file).collect()
    }

    fn press(&self, who: i64, message: &Shown, label: &str) {
        Self::press(self, who.unsigned_abs(), &message.id, label);
    }

    fn react(&self, who: i64, message: &Shown, sign: Sign) {
        Self::react(self, who.unsigned_abs(), &message.id, emoji(sign));
    }

    fn limit(&self, sends: usize) {
        Self::limit(self, sends, false);
    }

    fn revoke(&self) {
        Self::revoke(self);
    }

    fn down(&self, is_down: bool) {
        Self::down(self, is_down);
    }

    fn drop_every(&self, calls: usize) {
        Self::drop_every(self, calls);
    }

    /// Nothing waits there for whoever comes later.
    fn is_heard(&self) -> bool {
        self.sessions().0 > 0
    }

    /// Nothing is acknowledged there: something of no matter is said, and read last.
    fn settle(&self, kept: &dyn Fn() -> Value) {
        let id = self.message(9, json!({ "content": "x", "author": { "id": "9", "bot": true } }));
        let id: i64 = id.parse().unwrap();
        until("all is read", || kept()["read"].as_i64() >= Some(id));
    }
}

/// A repository whose user has a scripted model and a bot at a platform of this machine.
pub struct Harbour<S> {
    pub env: TestEnv,
    pub model: Model,
    pub platform: S,
}

impl<S: Stage> Harbour<S> {
    pub fn new(model: Model) -> Self {
        Self::with(model, "")
    }

    /// With more settings.
    pub fn with(model: Model, more: &str) -> Self {
        let env = TestEnv::with(&[("README.md", "# Otters\n\nThey swim.\n")]);
        let platform = S::start();
        let own = match S::IS_ELSEWHERE {
            true => format!("gateway.{}_url: \"{}\"\n", S::NAME, platform.url()),
            false => String::new(),
        };
        env.write_settings(&format!("{}{own}{more}", model.settings()));
        env.commit("First");
        let harbour = Self { env, model, platform };
        if !S::IS_ELSEWHERE {
            return harbour;
        }
        let added = harbour.run(&["channel", "add", S::NAME]);
        let expected = format!("{} knows your bot as harbour", S::NAME);
        assert!(added.stdout().contains(&expected), "{added}");
        harbour
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(args);
        // Programs of the system first: those below a home folder are not to be had in the sandbox.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("/usr/bin:/bin:{path}")).env(S::TOKEN.0, S::TOKEN.1);
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        finish(&mut self.command(args))
    }

    pub fn gate(&self) -> Gate {
        let mut command = self.command(&["gateway", S::HOW, "--port", "0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut gate = Gate::start(&mut command, self.platform.hears());
        gate.child.stdin.take().into_iter().for_each(|stdin| self.platform.begun(stdin));
        gate
    }

    /// Where what is kept of the channel lies.
    pub fn kept_path(&self) -> PathBuf {
        let folder = self.env.outside().join("home/.local/state/elophanto/gateway/channels");
        folder.join(format!("{}-kept.json", S::NAME))
    }

    /// What is kept of the channel.
    pub fn kept(&self) -> Value {
        std::fs::read(self.kept_path())
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default()
    }

    /// Waits until everything that was said is done with.
    pub fn settle(&self) {
        self.platform.settle(&|| self.kept());
    }

    /// Messages of the bot to somebody alone.
    pub fn told(&self, who: i64) -> Vec<Shown> {
        let chat = S::alone(who);
        self.platform.sent().into_iter().filter(|sent| sent.chat == chat).collect()
    }

    /// Waits for a message of the bot to somebody alone.
    #[track_caller]
    pub fn see(&self, who: i64, is_it: impl Fn(&Shown) -> bool) -> Shown {
        let begun = Instant::now();
        loop {
            if let Some(found) = self.told(who).into_iter().find(&is_it) {
                return found;
            }
            assert!(begun.elapsed().as_secs() < 60, "not said: {:#?}", self.platform.sent());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until a message of the bot says this.
    #[track_caller]
    pub fn see_text(&self, who: i64, text: &str) -> Shown {
        self.see(who, |sent| sent.text.contains(text))
    }

    /// Somebody writes, and the user lets them in.
    pub fn let_in(&self, who: i64, more: &[&str]) {
        if !S::IS_ELSEWHERE {
            return;
        }
        until("it is heard", || self.platform.is_heard());
        self.platform.say(who, "Hello?");
        let code = code(&self.see_text(who, "channel pair").text);
        let paired = self.run(&[&["channel", "pair", &code], more].concat());
        assert_eq!(paired.code, Some(0), "{paired}");
        self.see_text(who, "You are in");
    }

    pub fn listed(&self) -> Value {
        self.run(&["channel", "list", "--json"]).json().remove(0)
    }
}

/// The code in what a stranger is told.
pub fn code(text: &str) -> String {
    text.rsplit(' ').next().unwrap().to_owned()
}
