//! Many at once, and one who takes nothing.

use serde_json::json;

use super::{Gate, Talk, plain};
use std::os::unix::net::UnixStream;

/// The test itself needs as many open files as there are sockets.
fn allow_open_files() {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: both calls only read or write the structure, which outlives them.
    unsafe {
        assert_eq!(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit), 0);
        limit.rlim_cur = 4_096.min(limit.rlim_max).max(limit.rlim_cur);
        assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit), 0);
    }
}

#[test]
fn a_thousand_idle_sockets() {
    allow_open_files();
    let env = plain();
    let gate = Gate::open(&env);
    gate.greet();
    let before = gate.memory();
    let mut crowd: Vec<Talk<UnixStream>> = (0..1_000).map(|_| gate.greet()).collect();
    let more = gate.memory().saturating_sub(before);
    assert!(more <= 100 * 1024 * 1024, "{more} bytes more");
    // Each of them is heard, and MCP is served beside them.
    for talk in crowd.iter_mut().step_by(100) {
        talk.say("command", json!({ "name": "status" }));
        talk.until("response");
    }
    assert_eq!(gate.send_own("GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n").status, 200);
    crowd.extend((0..100).map(|_| gate.greet()));
    // The greeted one before them may still be closing.
    let refused = (0..3)
        .any(|_| gate.upgrade("/gateway", &[("Authorization", &gate.bearer())]).status == 503);
    assert!(refused);
    drop(crowd);
    super::until("there is room again", || {
        gate.upgrade("/gateway", &[("Authorization", &gate.bearer())]).status == 101
    });
}

#[test]
fn whoever_takes_nothing_is_hung_up_on() {
    let env = plain();
    let gate = Gate::open(&env);
    let (mut slow, mut other) = (gate.greet(), gate.greet());
    for _ in 0..600 {
        slow.say("command", json!({ "name": "help" }));
    }
    // Others are answered meanwhile.
    for _ in 0..20 {
        let id = other.say("command", json!({ "name": "status" }));
        other.find(|it| it["data"]["reply_to"] == id.as_str());
    }
    assert_eq!(slow.closed(), 1013);
    assert!(slow.heard.len() < 600, "{}", slow.heard.len());
    gate.greet();
}
