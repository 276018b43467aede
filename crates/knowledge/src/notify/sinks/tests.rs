use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::Path,
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use serde_json::Value;

use super::*;
use elophanto_base::process::Environment;

fn message() -> Message {
    Message {
        id: "m1".to_owned(),
        entity: "kef-ls50".to_owned(),
        name: "KEF LS50".to_owned(),
        is_new: false,
        facts: vec![r"-x <b>A</b> & \n “é”".to_owned(), "two".to_owned()],
        more: 3,
        image: Some("https://a.test/b.png".to_owned()),
    }
}

fn path() -> Environment {
    Environment::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())])
}

#[test]
fn files_grow_by_a_line_and_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("messages.jsonl");
    let sink = FileSink::new(&path);
    sink.send(&message()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    // A torn line costs itself only.
    fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"torn").unwrap();
    sink.send(&message()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((lines.len(), lines[0], lines[1]), (3, lines[2], "{\"torn"));
    let line: Value = serde_json::from_str(lines[0]).unwrap();
    assert_eq!(line["text"], message().text());
    assert_eq!((&line["id"], &line["entity"]), (&"m1".into(), &"kef-ls50".into()));
    assert_eq!(line["more"], 3);
    assert_eq!(line["facts"][1], "two");
}

#[test]
fn files_that_are_none_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    for path in [link, folder.path().to_owned(), folder.path().join("no/such")] {
        assert!(FileSink::new(&path).send(&message()).is_err(), "{}", path.display());
    }
}

/// A few lines of shell that get one argument.
fn shell(script: &str, argument: &Path) -> CommandSink {
    let argv = ["sh", "-c", script, "sh", argument.to_str().unwrap()].map(str::to_owned);
    CommandSink::new(argv.to_vec(), path(), None)
}

#[test]
fn programs_read_json() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    shell("cat > \"$1\"", &out).send(&message()).unwrap();
    let read: Value = serde_json::from_slice(&fs::read(&out).unwrap()).unwrap();
    assert_eq!(read["headline"], "I just learned some new stuff about KEF LS50...");
    assert_eq!(read["image"], "https://a.test/b.png");
}

#[test]
fn programs_that_fail_say_so() {
    let check = |script: &str, expected: &str| {
        let error = shell(script, Path::new("")).send(&message()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check("printf 'no\\nway\\033[2J' >&2; exit 3", "`sh` failed (exit code 3): no way[2J");
    check("exit 1", "`sh` failed (exit code 1): it said nothing");
    check("kill -s KILL $$", "`sh` failed (signal 9): it said nothing");
    let error = CommandSink::new(Vec::new(), path(), None).send(&message()).unwrap_err();
    assert_eq!(error.to_string(), "the command is empty");
}

#[test]
fn desktops_get_escaped_text_after_the_options() {
    assert_eq!(
        super::desktop::arguments(&message()),
        [
            "--app-name=elophanto",
            "--",
            "I just learned some new stuff about KEF LS50...",
            "- -x &lt;b&gt;A&lt;/b&gt; &amp; \\\\n “é”\n- two\nand 3 more",
        ]
    );
    let with = |program: &str| {
        let mut sink = DesktopSink::new(path());
        program.clone_into(&mut sink.program);
        sink.send(&message())
    };
    with("true").unwrap();
    let missing = with("no-such-program");
    assert!(matches!(missing, Err(SinkError::Process(ProcessError::Missing { .. }))));
}

#[test]
fn terminals_are_the_callers() {
    assert_eq!(Outlet::Terminal.send(&message()).unwrap(), Some(message().text()));
    let folder = tempfile::tempdir().unwrap();
    let outlet = Outlet::Sink(Box::new(FileSink::new(folder.path().join("m"))));
    assert_eq!(outlet.send(&message()).unwrap(), None);
}

/// A server that answers every connection with these bytes and tells what it was asked; one with
/// nothing to say never answers.
fn server(answer: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (sender, asked) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut bytes, mut chunk) = (Vec::new(), [0; 4_096]);
            let is_whole = |bytes: &[u8]| {
                let text = String::from_utf8_lossy(bytes);
                let (head, body) = text.split_once("\r\n\r\n")?;
                let head = head.to_lowercase();
                let length = head.split_once("content-length: ")?.1.lines().next()?;
                (body.len() >= length.parse::<usize>().ok()?).then_some(())
            };
            while is_whole(&bytes).is_none() {
                let count = stream.read(&mut chunk).unwrap_or(0);
                if count == 0 {
                    break;
                }
                bytes.extend_from_slice(&chunk[..count]);
            }
            let _ = sender.send(String::from_utf8_lossy(&bytes).into_owned());
            if answer.is_empty() {
                std::thread::sleep(Duration::from_secs(60));
            }
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (address, asked)
}

#[test]
fn webhooks_are_posted_to() {
    let (host, asked) = server("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    let sink = WebhookSink::new(&format!("http://{host}/hook/secret?token=1")).unwrap();
    sink.send(&message()).unwrap();
    let asked = asked.recv().unwrap();
    assert!(asked.starts_with("POST /hook/secret?token=1 HTTP/1.1\r\n"), "{asked}");
    assert!(asked.to_lowercase().contains("content-type: application/json\r\n"));
    let body: Value = serde_json::from_str(asked.split_once("\r\n\r\n").unwrap().1).unwrap();
    assert_eq!(body["text"], message().text());
    assert!(!format!("{sink:?}").contains("secret"));
}

#[test]
fn webhooks_that_fail_name_their_host_only() {
    #[track_caller]
    fn check(host: &str, seconds: u64, expected: &str) {
        let mut sink = WebhookSink::new(&format!("http://{host}/hook/secret?secret=1")).unwrap();
        sink.patience = Duration::from_secs(seconds);
        let error = sink.send(&message()).unwrap_err();
        assert_eq!(error.to_string(), format!("the webhook at `{host}` {expected}"));
        assert!(!format!("{error:?}").contains("secret"));
    }
    let (elsewhere, asked) = server("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let failed = server("HTTP/1.1 500 Oops\r\nContent-Length: 6\r\n\r\nsecret");
    check(&failed.0, 20, "answered 500");
    check(&server("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n").0, 20, "answered 404");
    check(&server("nonsense\r\n\r\n").0, 20, "broke the connection");
    check(&server("").0, 1, "did not answer within 1 s");
    let redirect =
        format!("HTTP/1.1 307 Away\r\nLocation: http://{elsewhere}/\r\nContent-Length: 0\r\n\r\n");
    check(&server(redirect.leak()).0, 20, "answered 307, which is not followed");
    assert!(asked.recv_timeout(Duration::from_millis(100)).is_err());
    // No server has this port by itself.
    check("127.0.0.1:1", 20, "cannot be reached");
}

#[test]
fn addresses_of_webhooks() {
    #[track_caller]
    fn check(address: &str, expected: Option<&str>) {
        let found = WebhookSink::new(address).err().map(|error| error.to_string());
        assert_eq!(
            found,
            expected.map(|expected| format!("the address of the webhook {expected}"))
        );
    }
    let shown = Some("would show messages to everybody on the way: use https");
    check("https://hooks.example.com/x", None);
    check(" http://localhost:8080/x ", None);
    check("http://127.0.0.1/", None);
    check("http://[::1]:9/", None);
    check("http://hooks.example.com/x", shown);
    check("http://127.0.0.1.evil.test/", shown);
    check("http://192.168.1.2/", shown);
    check("https://user:pass@a.test/", Some("holds a user name or password"));
    check("file:///etc/passwd", Some("begins with neither https:// nor http://"));
    check("ftp://a.test/", Some("begins with neither https:// nor http://"));
    check("nonsense", Some("is no address"));
}
