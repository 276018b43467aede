//! Sockets whose clients say nothing, with a shorter patience than users have.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::Router;
use futures::{SinkExt, StreamExt};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    sync::Semaphore,
    task::JoinHandle,
};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    entrance::{self, Hall, MOST_BODY},
    socket::Pace,
    visitors::Visitors,
};
use crate::{
    listening::{
        connections,
        guard::{Guard, Guarded},
        own::Own,
        token::Key,
    },
    page::Library,
    wire::gateway::hello,
};
use elophanto_app::{
    Environment,
    gateway::{Gateway, GatewayOptions, Served},
    workspace::KnowledgeBase,
};

type Socket = WebSocketStream<UnixStream>;

/// A gateway that listens at a socket.
struct House {
    folder: tempfile::TempDir,
    gateway: Arc<Gateway>,
    end: CancellationToken,
    served: JoinHandle<()>,
}

impl House {
    fn open(pace: Pace) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().to_owned();
        let base = KnowledgeBase {
            folder: root.clone(),
            environment: Environment::offline(),
            within: None,
        };
        let (gateway, _) = Gateway::open(GatewayOptions {
            repositories: vec![Served { name: "r".to_owned(), root, base }],
            folder: folder.path().to_owned(),
            approval_expires: Duration::from_secs(60),
            same_person: Vec::new(),
            version: "1.2.3".to_owned(),
            tools: Box::new(|_, _| Vec::new()),
        })
        .unwrap();
        let guard = Guard::new(Guarded {
            key: Arc::new(Key::new("token").unwrap()),
            callers: Vec::new(),
            hosts: Vec::new(),
            origins: Vec::new(),
            requests_per_minute: 0,
            most_bytes: MOST_BODY,
        });
        let (closing, end) = (CancellationToken::new(), CancellationToken::new());
        let hall = Arc::new(Hall {
            gateway: Arc::clone(&gateway),
            guard: Arc::new(guard),
            visitors: Mutex::new(Visitors::default()),
            sockets: Arc::new(Semaphore::new(2)),
            closing: closing.clone(),
            user: "ada".to_owned(),
            port: 1,
            pace,
            library: Arc::new(Library::new(&[], Environment::offline())),
            place: "/~0/".to_owned(),
            keep: Box::new(|_| Ok(())),
        });
        let own = Own::bind(&folder.path().join("s")).unwrap();
        let (router, ended) = (entrance::over_socket(&hall, Router::new()), end.clone());
        let served = tokio::spawn(async move {
            connections::accept(own, router, 2, &closing, ended.cancelled()).await;
        });
        Self { folder, gateway, end, served }
    }

    async fn enter(&self) -> Socket {
        let stream = UnixStream::connect(self.folder.path().join("s")).await.unwrap();
        client_async("ws://localhost/gateway", stream).await.unwrap().0
    }

    async fn greet(&self) -> Socket {
        let mut socket = self.enter().await;
        socket.send(Message::text(hello(Uuid::new_v4()).to_string())).await.unwrap();
        let first = socket.next().await.unwrap().unwrap().into_text().unwrap();
        assert!(first.contains(r#""type":"status""#) && first.contains(r#""user_id":"ada""#));
        socket
    }

    async fn close(self) {
        self.end.cancel();
        self.served.await.unwrap();
    }
}

/// Reads to the end: the code of the close frame.
async fn closed(socket: &mut Socket) -> Option<u16> {
    while let Some(Ok(frame)) = socket.next().await {
        if let Message::Close(frame) = frame {
            return frame.map(|frame| frame.code.into());
        }
    }
    None
}

async fn until(what: &str, holds: impl Fn() -> bool) {
    for _ in 0..1_000 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("not yet: {what}");
}

fn pace(hello: u64, ping: u64) -> Pace {
    let millis = Duration::from_millis;
    Pace { hello: millis(hello), ping: millis(ping), close: millis(500), upload: millis(300) }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_says_nothing_is_hung_up_on() {
    let house = House::open(pace(100, 60_000));
    let mut socket = house.enter().await;
    assert_eq!(closed(&mut socket).await, Some(1008));
    house.greet().await;
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_answers_no_ping_is_gone() {
    let house = House::open(pace(60_000, 50));
    let mut reads = house.greet().await;
    let reading = tokio::spawn(async move { closed(&mut reads).await });
    // This one reads nothing, and so answers nothing.
    let deaf = house.greet().await;
    until("both are there", || house.gateway.clients() == 2).await;
    until("one is gone", || house.gateway.clients() == 1).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(house.gateway.clients(), 1);
    drop(deaf);
    // The other is told that the gateway ends.
    house.close().await;
    assert_eq!(reading.await.unwrap(), Some(1001));
}

/// While what a client said is being done, its answers to pings are not read: it is not gone for that.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_waits_for_us_is_not_gone() {
    let house = House::open(pace(60_000, 50));
    let socket = house.greet().await;
    let mut folder = std::fs::read_dir(house.folder.path().join("conversations")).unwrap();
    let lock = folder.find_map(|entry| {
        let path = entry.unwrap().path();
        path.extension().is_some_and(|ending| ending == "lock").then_some(path)
    });
    // Nothing can be written down meanwhile.
    let lock = elophanto_base::lock::wait(&lock.unwrap()).unwrap();
    let (mut say, mut hear) = socket.split();
    let chat = r#"{"type": "chat", "id": "6f2c1f2e-52a5-4c43-9fb4-0e9f0f2d3b7a", "data": {"content": "x"}}"#;
    say.send(Message::text(chat)).await.unwrap();
    let heard = tokio::spawn(async move {
        while let Some(Ok(frame)) = hear.next().await {
            if frame.into_text().is_ok_and(|text| text.contains(r#""accepted":"6f2c"#)) {
                return true;
            }
        }
        false
    });
    tokio::time::sleep(Duration::from_millis(800)).await;
    drop(lock);
    assert!(heard.await.unwrap());
    house.close().await;
}

/// A socket keeps its place as long as it is open, and gives it back.
#[tokio::test(flavor = "multi_thread")]
async fn places_are_counted() {
    let house = House::open(pace(60_000, 60_000));
    let (one, _other) = (house.greet().await, house.greet().await);
    let stream = UnixStream::connect(house.folder.path().join("s")).await.unwrap();
    let refused = client_async("ws://localhost/gateway", stream).await.unwrap_err();
    assert!(refused.to_string().contains("503"), "{refused}");
    drop(one);
    until("one is gone", || house.gateway.clients() == 1).await;
    let stream = UnixStream::connect(house.folder.path().join("s")).await.unwrap();
    assert!(client_async("ws://localhost/gateway", stream).await.is_ok());
    house.close().await;
}

/// A file that does not come keeps no place for longer than it may.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_comes_in_time() {
    let house = House::open(pace(60_000, 60_000));
    let hand_over = async |body: &str| {
        let mut stream = UnixStream::connect(house.folder.path().join("s")).await.unwrap();
        let head = "POST /attachment HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\
                    Connection: close\r\n\r\n";
        stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    // Each of these would keep one of four places for ever.
    for _ in 0..5 {
        let answer = hand_over("# Otte").await;
        assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
        assert!(answer.contains("the file did not come in time"), "{answer}");
    }
    let answer = hand_over("# Otters!\n").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    house.close().await;
}
