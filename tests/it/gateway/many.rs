//! Many people at once, in this process: nobody hears of others, everybody comes to their turn.

use std::{
    fs::{self, File},
    io::Write,
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use elophanto_app::{
    Environment,
    gateway::{
        Channel, Gateway, GatewayOptions, Identity, Outbox, Scopes, Served, ToolsOf,
        message::{Asked, Attached, Chat, Happening, Incoming, Outgoing, Told},
    },
    workspace::KnowledgeBase,
};
use uuid::Uuid;

use super::{bench, runs::obedient};
use crate::env::TestEnv;

/// People at once.
const PEOPLE: usize = 50;
const HANGS: Duration = Duration::from_secs(120);

/// Everything that somebody is told.
#[derive(Default)]
struct Ear(Mutex<Vec<Arc<Outgoing>>>);

impl Outbox for Ear {
    fn put(&self, message: Arc<Outgoing>) -> bool {
        self.0.lock().unwrap().push(message);
        true
    }
}

impl Ear {
    /// What was told, as text.
    fn heard(&self) -> Vec<String> {
        let heard = self.0.lock().unwrap();
        heard.iter().map(|message| serde_json::to_string(&**message).unwrap()).collect()
    }

    fn ends(&self) -> Vec<String> {
        let heard = self.0.lock().unwrap();
        let end = |message: &Arc<Outgoing>| match &message.body {
            Told::Event(event) => match &**event {
                Happening::TaskComplete(end) => Some(end.goal.clone()),
                _ => None,
            },
            _ => None,
        };
        heard.iter().filter_map(end).collect()
    }
}

fn open(env: &TestEnv, same_person: Vec<Vec<String>>) -> Arc<Gateway> {
    open_with(env, same_person, Box::new(|_, _| Vec::new()))
}

fn open_with(env: &TestEnv, same_person: Vec<Vec<String>>, tools: Box<ToolsOf>) -> Arc<Gateway> {
    let home = env.outside().join("home");
    let home = home.to_string_lossy().into_owned();
    let environment = Environment::of_variables([
        ("HOME".to_owned(), home),
        ("PATH".to_owned(), std::env::var("PATH").unwrap_or_default()),
    ]);
    let base = KnowledgeBase { folder: env.root().to_owned(), environment, within: None };
    let root: PathBuf = env.root().to_owned();
    let options = GatewayOptions {
        repositories: vec![Served { name: "repo".to_owned(), root, base }],
        folder: env.outside().join("gateway"),
        approval_expires: Duration::from_secs(60),
        same_person,
        version: "test".to_owned(),
        tools,
    };
    Gateway::open(options).unwrap().0
}

fn who(channel: Channel, user: &str) -> Identity {
    Identity {
        channel,
        user: user.to_owned(),
        scopes: Scopes { chat: true, approve: true, admin: false },
    }
}

fn chat(content: &str) -> Incoming {
    let chat = Chat { content: content.to_owned(), attachments: Vec::new() };
    Incoming { id: Uuid::new_v4(), session_id: None, body: Asked::Chat(chat) }
}

fn wait(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < HANGS, "not yet: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn fifty_at_once_do_not_mix() {
    let model = obedient();
    let env = bench(&model);
    let gateway = open(&env, Vec::new());
    let people: Vec<_> = (0..PEOPLE)
        .map(|number| {
            let ear = Arc::new(Ear::default());
            let identity = who(Channel::Telegram, &number.to_string());
            let client = gateway.connect(identity, ear.clone()).unwrap();
            (number, ear, client)
        })
        .collect();
    for round in ["one", "two"] {
        for (number, _, client) in &people {
            client.receive(chat(&format!("task say{round}{number}x")));
        }
    }
    for (number, ear, _) in &people {
        wait("everybody is answered", || ear.ends().len() == 2);
        let goal = |round: &str| format!("task say{round}{number}x");
        assert_eq!(ear.ends(), [goal("one"), goal("two")]);
    }
    for (number, ear, client) in &people {
        let session = client.session();
        for message in &*ear.0.lock().unwrap() {
            assert_eq!((message.session_id, &*message.user_id), (session, &*number.to_string()));
        }
        for text in ear.heard() {
            for other in (0..PEOPLE).filter(|other| other != number) {
                assert!(
                    !text.contains(&format!("one{other}x")),
                    "{number} heard of {other}: {text}"
                );
            }
        }
    }
    gateway.end(Duration::from_secs(20));
}

#[test]
fn one_person_on_two_channels() {
    let model = obedient();
    let env = bench(&model);
    let same = vec![vec!["telegram:1".to_owned(), "slack:U2".to_owned()]];
    let gateway = open(&env, same);
    let ears: Vec<_> = (0..3).map(|_| Arc::new(Ear::default())).collect();
    let enter = |identity, ear: &Arc<Ear>| gateway.connect(identity, ear.clone()).unwrap();
    let phone = enter(who(Channel::Telegram, "1"), &ears[0]);
    let desk = enter(who(Channel::Slack, "U2"), &ears[1]);
    let stranger = enter(who(Channel::Slack, "U3"), &ears[2]);
    assert_eq!(phone.session(), desk.session());
    assert_ne!(stranger.session(), phone.session());
    phone.receive(chat("task sayhello"));
    wait("it is told at the desk", || ears[1].ends().len() == 1);
    assert!(ears[2].ends().is_empty());
    // What reaches beyond the conversation is for this machine.
    for (line, refusal) in [
        ("/mode full", "a channel may only narrow"),
        ("!ls", "this is done on this machine only"),
        ("/export out.md", "this is done on this machine only"),
        ("/model one/m", "this is done on this machine only"),
        ("/resume 12345678", "this is done on this machine only"),
    ] {
        desk.receive(chat(line));
        wait(line, || ears[1].heard().iter().any(|text| text.contains(refusal)));
    }
    stranger.receive(chat("/sessions"));
    wait("sessions are listed", || {
        ears[2].heard().iter().any(|it| it.contains("no other conversation"))
    });
    assert!(!ears[2].heard().iter().any(|text| text.contains("sayhello")));
    gateway.end(Duration::from_secs(20));
}

/// A fault before any message is looked at refuses them all, and is no endless loop.
#[test]
fn what_cannot_be_opened_is_refused() {
    let model = obedient();
    let env = bench(&model);
    let opened = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&opened);
    let tools: Box<ToolsOf> = Box::new(move |_, _| {
        assert!(count.fetch_add(1, Ordering::SeqCst) >= 2, "a fault that is meant");
        Vec::new()
    });
    let gateway = open_with(&env, Vec::new(), tools);
    let ear = Arc::new(Ear::default());
    let client = gateway.connect(who(Channel::Telegram, "1"), ear.clone()).unwrap();
    for number in 1..=2 {
        client.receive(chat(&format!("task say{number}")));
        wait("it is refused", || ear.ends().len() == number);
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(opened.load(Ordering::SeqCst), number);
    }
    assert!(ear.heard().iter().any(|it| it.contains("a run had to be given up")));
    client.receive(chat("task say3"));
    wait("it is answered", || ear.heard().iter().any(|it| it.contains("It is say3.")));
    gateway.end(Duration::from_secs(20));
}

/// Where files of the gateway lie is told to nobody elsewhere; that one is damaged is.
#[test]
fn where_files_lie_is_for_this_machine() {
    let model = obedient();
    let env = bench(&model);
    let gateway = open(&env, Vec::new());
    for channel in [Channel::Telegram, Channel::Cli] {
        drop(gateway.connect(who(channel, "1"), Arc::new(Ear::default())).unwrap());
    }
    gateway.end(Duration::from_secs(20));
    drop(gateway);
    let folder = env.outside().join("gateway");
    for entry in fs::read_dir(folder.join("conversations")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            let mut file = File::options().append(true).open(path).unwrap();
            file.write_all(b"nonsense\n").unwrap();
        }
    }
    let gateway = open(&env, Vec::new());
    let folder = folder.to_str().unwrap();
    for (channel, is_told) in [(Channel::Telegram, false), (Channel::Cli, true)] {
        let ear = Arc::new(Ear::default());
        let _client = gateway.connect(who(channel, "1"), ear.clone()).unwrap();
        let heard = ear.heard().concat();
        assert!(heard.contains("not JSON"), "{heard}");
        assert_eq!(heard.contains(folder), is_told, "{heard}");
    }
}

/// Whoever is one person with somebody now sends what they handed over.
#[test]
fn files_of_one_person() {
    let model = obedient();
    let env = bench(&model);
    let gateway = open(&env, Vec::new());
    let phone = who(Channel::Telegram, "1");
    let (id, _) = gateway.attach(&phone, "a.md", b"# Otters\n").unwrap();
    let say = |gateway: &Arc<Gateway>, channel, user| {
        let ear = Arc::new(Ear::default());
        let client = gateway.connect(who(channel, user), ear.clone()).unwrap();
        let chat = Chat { content: "task sayit".to_owned(), attachments: vec![Attached::Id(id)] };
        client.receive(Incoming { id: Uuid::new_v4(), session_id: None, body: Asked::Chat(chat) });
        !ear.heard().concat().contains("no file was handed over under this id")
    };
    assert!(!say(&gateway, Channel::Slack, "U2"));
    gateway.end(Duration::from_secs(20));
    let same = vec![vec!["slack:U2".to_owned(), "telegram:1".to_owned()]];
    let gateway = open(&env, same);
    assert!(say(&gateway, Channel::Slack, "U2") && !say(&gateway, Channel::Slack, "U3"));
    gateway.end(Duration::from_secs(20));
    // And apart again it is theirs who handed it over.
    let gateway = open(&env, Vec::new());
    assert!(say(&gateway, Channel::Telegram, "1") && !say(&gateway, Channel::Slack, "U2"));
    gateway.end(Duration::from_secs(20));
}
