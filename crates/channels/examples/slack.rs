//! Slack on this machine, for client libraries: `slack [PORT]` says where it listens and its tokens, and
//! goes on until it is killed. `POST /control/NAME` has people write, press and react.
#![allow(clippy::print_stdout)]

use elophanto_channels::fake::slack::{APP_TOKEN, BOT_TOKEN, Slack};

fn main() {
    let port = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let slack = Slack::start(port);
    println!("{} {BOT_TOKEN} {APP_TOKEN}", slack.url);
    loop {
        std::thread::park();
    }
}
